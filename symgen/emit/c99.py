"""Statements to lines of C99. Owns `const double`, semicolons, indentation and comments; expressions come printed."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from symgen.algebra import TOLERANCES, Expr, symbol_names
from symgen.emit.c99_lines import (
    BESIDE,
    IN_LANES,
    RETURNS,
    WIDTH,
    WayOut,
    array_lines,
    comment_lines,
    leave_with,
    open_if,
)
from symgen.emit.c99_signature import (
    array_name,
    as_argument,
    batch_argument,
    c_symbol,
    c_tolerance,
    declared,
    declared_batch,
    declared_inside,
    is_vector,
    parameter_name,
    search_name,
    solver_name,
)
from symgen.emit.finite_results import finite_results, total
from symgen.emit.folding import INDENT, broken, called, row_lines
from symgen.emit.names import (
    LARGE,
    check_names,
    entries_in_place,
    is_constant,
    plain_names,
    used_names,
    vectors_as_a_whole,
    written,
    written_left,
)
from symgen.emit.side_by_side import (
    NO_PLACES,
    SidePlaces,
    name_of_all,
    results_of_sides,
    rows_of,
    rows_of_arrays,
    runs_of_like_calls,
    title_of_all,
)
from symgen.emit.unit_checks import UNIT_CHECKS, unit_vector
from symgen.ir.cosine_and_sine import cosine_and_sine
from symgen.ir.nodes import (
    Call,
    Flag,
    Guard,
    Kernel,
    Let,
    LoopAssemblies,
    Mark,
    Output,
    Port,
    Routine,
    Samples,
    Solve,
    Statement,
    System,
    Zeros,
)
from symgen.printers.c99 import REAL_WORDS, C99Printer, Written, calls_own
from symgen.printers.vector_functions import FIELDS, TYPES

#: What a step that gives a cosine is told of by.
_COSINE = re.compile(r"\bcosine\b")
#: From so many entries on they are written together.
_SEVERAL = 4


@dataclass(frozen=True)
class CFunction:
    """The texts of one routine in C, ready to be placed by a template."""

    symbol: str
    outcome: str
    parameters: tuple[str, ...]
    inner_parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    body: tuple[str, ...]
    finite_inputs: tuple[str, ...]
    batch_parameters: tuple[str, ...]
    batch_arguments: tuple[str, ...]
    scratch: tuple[str, ...]
    scratch_arguments: tuple[str, ...]


def emit_function(
    module: str,
    routine: Routine,
    precision: Written,
    *,
    with_body: bool = True,
    in_place: bool = False,
    in_lanes: bool = False,
    beside: Collection[str] = (),
    places: SidePlaces = NO_PLACES,
) -> CFunction:
    """Turn a routine into the texts of a C function; a header needs no body.

    With `in_place` the entries of results are calculated where they are written: inputs may be read behind that. With
    `in_lanes` the text is also compiled for rows side by side (`symgen.emit.lanes`). `beside` names the inner
    routines that are solved side by side somewhere (`symgen.emit.side_by_side`), `places` the arguments that they read
    and write by themselves.
    """
    check_names(routine)
    way = BESIDE if routine.name in beside else IN_LANES if in_lanes else RETURNS
    words = REAL_WORDS[precision]
    real = words.real
    inputs, outputs = routine.inputs, [o.port for o in routine.outputs]
    vectors = dict(routine.vectors)
    emitter = _Emitter(module, routine, precision, in_place=in_place, way=way, beside=beside, places=places)
    return CFunction(
        symbol=c_symbol(module, routine, words.precision),
        outcome=way.outcome,
        parameters=tuple(declared(p, real) for p in routine.ports),
        inner_parameters=tuple(
            _in_place(declared_inside(p, real, vectors), p, real, places).replace(
                "int32_t", "symgen_whole" if in_lanes else "int32_t"
            )
            for p in routine.ports
        ),
        arguments=tuple(parameter_name(p) for p in routine.ports),
        body=tuple(emitter.body()) if with_body else (),
        finite_inputs=tuple(as_argument(p) for p in inputs if p.kind == "real"),
        batch_parameters=tuple(declared_batch(p, real) for p in routine.ports),
        batch_arguments=tuple(batch_argument(p) for p in routine.ports),
        scratch=tuple(
            f"{real if p.kind == 'real' else 'int32_t'} other_{p.name}[{max(len(p.elements), 1)}];" for p in outputs
        ),
        scratch_arguments=tuple([p.name if p.kind == "real" else "other" for p in inputs])
        + tuple(f"other_{p.name}" for p in outputs),
    )


def _in_place(declared: str, port: Port, real: str, places: SidePlaces) -> str:
    """Return the declaration of a parameter whose numbers may be places of a lane's."""
    if port.name in places.found:
        return declared.replace(real, "symgen_result", 1)
    return declared.replace(f"const {real}", "symgen_given", 1) if port.name in places.given else declared


def _entries_of_parts(routine: Routine) -> frozenset[str]:
    """Return the steps that are entries of matrices which parts of others return."""
    return entries_in_place(routine, LARGE) if routine.stage == "inner" else frozenset()


class _Emitter:
    def __init__(
        self,
        module: str,
        routine: Routine,
        precision: Written,
        *,
        in_place: bool,
        way: WayOut,
        beside: Collection[str],
        places: SidePlaces,
    ) -> None:
        self._entries = entries_in_place(routine) if in_place else _entries_of_parts(routine)
        self._comment_of: dict[str, str] = {}
        self._module, self._routine, self._words = module, routine, REAL_WORDS[precision]
        self._calls_own = calls_own(precision)
        self._real = self._words.real
        self._names = {name: c_tolerance(name) for name in TOLERANCES}
        self._order: dict[str, int] = {}
        self._arrays: dict[tuple[str, ...], str] = {}
        self._vectors = dict(routine.vectors)
        self._whole = vectors_as_a_whole(routine)
        self._held: dict[tuple[str, ...], str] = {}
        for port in routine.inputs:
            array = array_name(port, self._vectors)
            if port.shape and port.kind == "real":
                self._arrays[port.elements] = array
            for index, element in enumerate(port.elements):
                self._order[element] = len(self._order)
                if not port.shape:
                    self._names[element] = port.name
                elif is_vector(port) or port.kind == "int":
                    self._names[element] = f"{array}[{index}]"
        sizes = {name: len(elements) for name, elements in routine.vectors}
        self._printer = C99Printer(self._names, self._order, precision, sizes)
        self._way, self._in_lanes = way, way is not RETURNS
        self._runs_beside = runs_of_like_calls(routine) if way is IN_LANES else {}
        self._parts_beside, self._places = beside, places
        self._puts: list[str] = []
        self._arrays_in_place = {array_name(p, self._vectors) for p in routine.inputs if p.name in places.given}
        self._direct = self._written_by_the_last()
        self._keeps_status = self._in_lanes or any(map(_sets_status, routine.body))
        self._may_be_set = False

    def _written_by_the_last(self) -> dict[tuple[str, ...], str]:
        """Return results, as the names they are, that an inner routine which is called last writes where they belong.

        Nothing can fail behind it, so they are written only if all is well.
        """
        last = self._routine.body[-1] if self._routine.body else None
        if isinstance(last, Call) and last.routine.name in self._parts_beside:  # it writes even if it fails
            return {}
        if not isinstance(last, Call) or last.routine.stage != "inner" or last.keep_singular or self._routine.finite:
            return {}
        written = {
            plain_names(output.values): array_name(output.port, self._vectors) for output in self._routine.outputs
        }
        return {names: written[names] for names in last.outputs if names in written}

    def body(self) -> list[str]:
        lines = self._unpacked()
        if self._keeps_status:
            lines.append(f"{self._way.outcome} status = SYMGEN_OK;")
        before: tuple[str, ...] = ()
        last_comment = ""
        following = [*self._routine.body[1:], None]
        paired: Statement | None = None
        done = 0
        asked, left = finite_results(self._routine)
        for number, (statement, behind) in enumerate(zip(self._routine.body, following, strict=True)):
            if statement is paired or number < done:
                continue
            if number in asked:
                lines += self._finite(asked[number])
            turn = cosine_and_sine(statement, behind) if self._calls_own else None
            if turn is not None and self._entries.isdisjoint((*turn[0].targets, *turn[1].targets)):
                lines += self._turn(*turn)
                paired, before, last_comment = turn[1], (), ""
                continue
            if isinstance(statement, Let):
                is_repeated = statement.comment == last_comment
                written_out = self._let(statement)
                if not written_out:
                    continue
                lines += written_out if is_repeated else ["", *comment_lines(statement.comment), *written_out]
            elif isinstance(statement, Call):
                beside = self._runs_beside.get(number, ())
                done = number + len(beside)
                lines += ["", *(self._side_by_side(beside) if beside else self._call(statement))]
            elif isinstance(statement, Zeros):
                lines += ["", *self._zeros(statement)]
            elif isinstance(statement, Samples):
                lines += ["", *self._samples(statement)]
            elif isinstance(statement, LoopAssemblies):
                lines += ["", *self._assemblies(statement)]
            elif isinstance(statement, System):
                lines += ["", *self._system(statement)]
            elif isinstance(statement, Solve):
                lines += ["", *self._solve(statement)]
            elif isinstance(statement, Kernel):
                lines += ["", *self._kernel(statement)]
            elif isinstance(statement, Mark):
                lines += ["", *comment_lines(statement.comment), self._mark(statement)]
            else:  # a check stands next to the value it is about
                lines += [] if {*before}.intersection(symbol_names(statement.left)) else [""]
                lines += self._guard(statement) if isinstance(statement, Guard) else self._flag(statement)
            self._may_be_set = self._may_be_set or _sets_status(statement)
            before, last_comment = (statement.targets, statement.comment) if isinstance(statement, Let) else ((), "")
        lines += self._finite(left)
        lines += self._stores()
        lines.append("return status;" if self._keeps_status else "return SYMGEN_OK;")
        return [INDENT + line if line else "" for line in lines[0 if lines[0] else 1 :]]

    def _unpacked(self) -> list[str]:
        """Give the vectors and the elements of poses, twists and frames their names, as far as they are used."""
        lines = self._vectors_in([(array, elements) for elements, array in self._arrays.items()])
        held = {element for elements in self._held for element in elements}
        written_whole = [output for output in self._routine.outputs if self._whole_array(output)]
        others = tuple(output for output in self._routine.outputs if output not in written_whole)
        rows = rows_of_arrays(self._runs_beside.values(), self._arrays)
        used = used_names(replace(self._routine, outputs=others), {*self._arrays, *rows}) - held
        texts: list[str] = []
        for port in self._routine.inputs:
            is_fixed = self._routine.level == "mechanism" or self._routine.stage == "inner"
            if is_fixed and not used_names(self._routine).intersection(port.elements):
                lines.append(f"(void){array_name(port, self._vectors)};")
            taken = (
                []
                if is_vector(port) or not port.shape or port.kind == "int"
                else [e for e in port.elements if e in used]
            )
            array = array_name(port, self._vectors)
            texts += [f"{element} = {array}[{port.elements.index(element)}]" for element in taken]
        return lines + [f"const {self._real} {text};" for text in texts]

    def _vectors_in(self, arrays: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
        """Take the vectors that are read as a whole out of arrays."""
        texts: dict[int, list[str]] = {}
        for array, elements in arrays:
            for name, components in self._vectors.items():
                size = len(components)
                if name not in self._whole or not {*components} <= {*elements}:
                    continue
                start = elements.index(components[0])
                place = f"{array} + {start}" if start else array
                texts.setdefault(size, []).append(f"{name} = {TYPES[size]}_at({place})")
                self._hold(name, components)
        lines: list[str] = []
        for size, each in sorted(texts.items()):
            lines += [f"const {TYPES[size]} {text};" for text in each]
        return lines

    def _hold(self, name: str, components: tuple[str, ...]) -> None:
        """Remember that a vector stands in a variable of its name."""
        self._held[components] = name
        for field, component in zip(FIELDS[len(components)], components, strict=True):
            self._names[component] = f"{name}.{field}"
            self._order.setdefault(component, len(self._order))
        self._order[name] = self._order[components[0]]

    def _runs(self, values: Sequence[Expr]) -> list[tuple[str, int]]:
        """Return the texts of values, those of a vector in one, each with its number of components; 1: a number."""
        runs: list[tuple[str, int]] = []
        rest = tuple(values)
        while rest:
            size = next((n for n in (4, 3, 2) if len(rest) >= n and plain_names(rest[:n]) in self._held), 1)
            text = self._text(rest[0]) if size == 1 else self._held[plain_names(rest[:size])]
            runs.append((text, size))
            rest = rest[size:]
        return runs

    def _mark(self, mark: Mark) -> str:
        """Say which group comes; one whose status was kept stays the one that is named."""
        if self._routine.stage == "follow" and self._may_be_set:
            return f"*group_out = status == SYMGEN_OK ? {mark.group} : *group_out;"
        return f"*group_out = {mark.group};"

    def _guard(self, guard: Guard) -> list[str]:
        first, *others = (self._relation(check) for check in (guard, *guard.also))
        lines = open_if(f"!({first})", guard.comment)
        if others and all(map(unit_vector, (guard, *guard.also))):
            lines = broken(f"if (!({' && '.join((first, *others))})) {{", WIDTH, 2 * INDENT)
            lines = [*comment_lines(guard.comment), *lines]
        elif others:  # a line each
            lines = [*comment_lines(guard.comment), f"if (!({first}"]
            lines += [f"{2 * INDENT}&& {other}" for other in others]
            lines[-1] += ")) {"
        for rather in guard.rather:
            lines += [INDENT + line for line in self._guard(rather)]
        return [*lines, f"{INDENT}{self._way.leave(f'SYMGEN_{guard.status.name}')}", "}"]

    def _flag(self, flag: Flag) -> list[str]:
        return [*open_if(self._relation(flag), flag.comment), f"{INDENT}status = SYMGEN_{flag.status.name};", "}"]

    def _text(self, value: Expr) -> str:
        return self._printer.print_expression(value)

    def _relation(self, check: Guard | Flag) -> str:
        unit = unit_vector(check)
        if unit:
            return f"{UNIT_CHECKS[len(self._vectors[unit])].name}({unit})"
        return f"{self._text(written_left(check))} {check.relation} {self._text(check.right)}"

    def _let(self, let: Let) -> list[str]:
        lines: list[str] = []
        texts = [self._text(v) for v in written(let)]
        vector = next((name for name, components in self._vectors.items() if components == let.targets), None)
        if vector is not None:
            text = texts[0] if len(texts) == 1 else f"{{{', '.join(texts)}}}"
            self._hold(vector, let.targets)
            return broken(f"const {TYPES[len(let.targets)]} {vector} = {text};", WIDTH)
        for target, text in zip(let.targets, texts, strict=True):
            if target in self._entries:
                self._names[target] = text
                if not is_constant(let, target):
                    self._comment_of[target] = let.comment
                continue
            self._order[target] = len(self._order)
            lines += broken(f"const {self._real} {target} = {text};", WIDTH)
        return lines

    def _turn(self, cosine: Let, sine: Let, angle: Expr) -> list[str]:
        """Name cosine and sine of an angle, which one call of ours gives."""
        (c,), (s,) = cosine.targets, sine.targets
        kind, function = self._words.function("turn"), self._words.function("turn_by")
        for target in (c, s):
            self._order[target] = len(self._order)
        return [
            "",
            *comment_lines(_COSINE.sub("cosine and sine", cosine.comment, count=1)),
            *broken(f"const {kind} {c}_turn = {function}({self._text(angle)});", WIDTH),
            f"const {self._real} {c} = {c}_turn.cosine;",
            f"const {self._real} {s} = {c}_turn.sine;",
        ]

    def _call(self, call: Call) -> list[str]:
        lines = comment_lines(call.comment)
        arguments: list[str] = []
        found: list[str] = []
        for port, group in zip(call.routine.inputs, call.inputs, strict=True):
            texts = [self._text(v) for v in group]
            if not port.shape:
                arguments.append(texts[0])
                continue
            whole = self._arrays.get(plain_names(group))
            if whole is not None:
                arguments.append(whole)
                continue
            name = f"{call.prefix}_{port.name}"
            lines += broken(f"const {self._real} {name}[{len(texts)}] = {{{', '.join(texts)}}};", WIDTH)
            arguments.append(name)
        for output, targets in zip(call.routine.outputs, call.outputs, strict=True):
            if targets in self._direct and call is self._routine.body[-1]:
                arguments.append(self._direct[targets])
                continue
            port, name = output.port, f"{call.prefix}_{output.port.name}"
            name = f"{name}_out" if name in self._vectors else name
            text = f"{name}[{len(targets)}]" if port.shape else name
            # a part is seen through by compilers, which shall see that nothing is read unset
            zero = (" = {0}" if port.shape else f" = {self._printer.literal(0.0)}") if call.is_inside else ""
            found.append(text + zero)
            if port.shape:
                self._arrays[targets] = name
            arguments.append(name if port.shape else f"&{name}")
            for index, target in enumerate(targets):
                self._names[target] = f"{name}[{index}]" if port.shape else name
                self._order[target] = len(self._order)
        lines += [f"{self._real} {text};" for text in found]
        outcome = f"{call.prefix}_status"
        target = solver_name(call.routine) if call.is_inside else self._symbol(call.routine)
        if self._in_lanes and not call.is_inside:
            target = f"WITHIN({target}, {solver_name(call.routine)})"
        if call.routine.name in self._parts_beside and self._way is not BESIDE:
            lines += called(f"const symgen_side {call.prefix}_side = {target}", arguments, ";", WIDTH)
            lines.append(f"const {self._way.outcome} {outcome} = ({self._way.outcome}){call.prefix}_side;")
        else:
            lines += called(f"const {self._way.outcome} {outcome} = {target}", arguments, ";", WIDTH)
        lines += leave_with(outcome, keep_singular=call.keep_singular, way=self._way)
        return lines + self._vectors_in([(self._arrays[t], t) for t in call.outputs if t in self._arrays])

    def _side_by_side(self, calls: Sequence[Call]) -> list[str]:
        """Call parts that are alike in a loop; the first that fails has the last word."""
        first, count, name = calls[0], len(calls), name_of_all(calls)
        row = "symgen_row"  # no port and no step can have this name
        lines = comment_lines(title_of_all(calls))
        arguments, made, kept = [], [], []
        for port, groups in zip(first.routine.inputs, zip(*(call.inputs for call in calls), strict=True), strict=True):
            own = f"{name}_{port.name}"
            lines_of_port, argument, is_in_place = self._given_to_each(own, row, port, groups)
            lines += lines_of_port
            if is_in_place:
                made.append(f"TAKE_SIDE({own}, {argument}, {len(groups[0])})")
                argument = own
            arguments.append(argument)
        used = used_names(self._routine)
        destinations = results_of_sides(self._routine, calls)
        for number, output in enumerate(first.routine.outputs):
            own, width = f"{name}_{output.port.name}", len(first.outputs[number])
            lines.append(f"{self._real} {own}_sides[{width}][{count}];")
            made.append(f"{self._real} {own}[{width}] = {{0}};")
            arguments.append(own)
            kept.append(f"KEEP_SIDE({own}_sides, {row}, {own}, {width})")
            names = [
                array_name(port, self._vectors) for port in destinations[number] if port.name in self._places.found
            ]
            if names:
                lines += array_lines(f"symgen_result *const {own}_places", names)
                kept.append(f"GIVE_SIDE({own}_places[{row}], {own}, {width})")
                self._puts.append(f"PUT_SIDES({own}_places, {own}_sides, {count}, {width})")
            for side, call in enumerate(calls):
                for index, target in enumerate(call.outputs[number]):
                    self._names[target] = f"{own}_sides[{index}][{side}]"
                    self._order[target] = len(self._order)
            if used.isdisjoint(target for call in calls for target in call.outputs[number]):
                made.append(f"(void){own}_sides;")
        lines.append(f"symgen_side {name}_status[{count}];")
        lines.append(f"SYMGEN_SIDES for (int32_t {row} = 0; {row} < {count}; ++{row}) {{")
        solved = f"{name}_status[{row}] = {solver_name(first.routine)}"
        inside = [*made, *called(solved, arguments, ";", WIDTH - len(INDENT)), *kept]
        lines += [*(INDENT + line for line in inside), "}"]
        lines.append(f"LEAVE_IF_ANY({name}_status, {count})")
        results = {target for call in calls for target in call.sets}
        for vector, components in self._vectors.items():
            if vector in self._whole and results.issuperset(components):
                texts = ", ".join(self._names[component] for component in components)
                lines += broken(f"const {TYPES[len(components)]} {vector} = {{{texts}}};", WIDTH)
                self._hold(vector, components)
        return lines

    def _given_to_each(
        self, name: str, row: str, port: Port, groups: Sequence[tuple[Expr, ...]]
    ) -> tuple[list[str], str, bool]:
        """Return what stands before the loop for one argument, the argument of a part, and whether it lies in place."""
        if len({*groups}) == 1:  # all take the same
            texts = [self._text(value) for value in groups[0]]
            if not port.shape:
                return [], texts[0], False
            whole = self._arrays.get(plain_names(groups[0]))
            if whole is not None:
                return [], whole, False
            return broken(f"const {self._real} {name}[{len(texts)}] = {{{', '.join(texts)}}};", WIDTH), name, False
        for elements, array in self._arrays.items():
            if rows_of(elements, groups):
                argument = f"{array} + {len(groups[0])}*{row}" if port.shape else f"{array}[{row}]"
                return [], argument, bool(port.shape) and array in self._arrays_in_place
        rows = [[self._text(value) for value in group] for group in groups]
        if not port.shape:
            made = array_lines(f"const {self._real} {name}_sides", [each[0] for each in rows])
            return made, f"{name}_sides[{row}]", False
        texts = [f"{{{', '.join(each)}}}" for each in rows]
        head = f"const {self._real} {name}_sides[{len(rows)}][{len(rows[0])}] = {{"
        return [head, *(f"{INDENT}{text}," for text in texts), "};"], f"{name}_sides[{row}]", False

    def _assemblies(self, found: LoopAssemblies) -> list[str]:
        name, loop = found.name, ", ".join(self._text(v) for v in found.inputs)
        for index, target in enumerate(found.targets):
            self._names[target] = f"{name}_at[{index}]"
            self._order[target] = len(self._order)
        call = f"const symgen_status {name}_status = {search_name(found)}"
        return [
            *comment_lines(found.comment),
            *broken(f"const {self._real} {name}_loop[{len(found.inputs)}] = {{{loop}}};", WIDTH),
            f"{self._real} {name}_at[{len(found.targets)}];",
            *called(call, [f"{name}_loop", self._text(found.rank), f"{name}_at"], ";", WIDTH),
            *leave_with(f"{name}_status", keep_singular=found.keep_singular),
        ]

    def _kernel(self, kernel: Kernel) -> list[str]:
        lines, name = comment_lines(kernel.comment), kernel.name
        arguments = [] if kernel.function is None else [solver_name(kernel.function)]
        for what, numbers in kernel.integers:
            texts = [str(number) for number in numbers] or ["0"]
            lines += array_lines(f"const int32_t {name}_{what}", texts)
            arguments.append(f"{name}_{what}")
        for what, values in kernel.inputs:
            lines += array_lines(f"const {self._real} {name}_{what}", [self._text(v) for v in values] or ["0"])
            arguments.append(f"{name}_{what}")
        for what, size in kernel.scratch:
            lines.append(f"{'int32_t' if what == 'pivots' else self._real} {name}_{what}[{max(size, 1)}];")
            arguments.append(f"{name}_{what}")
        for what, targets in kernel.outputs:
            lines.append(f"{self._real} {name}_{what}[{len(targets)}];")
            arguments.append(f"{name}_{what}")
            for index, target in enumerate(targets):
                self._names[target] = f"{name}_{what}[{index}]"
                self._order[target] = len(self._order)
        outcome = f"{name}_status"
        lines += called(f"const symgen_status {outcome} = {kernel.kernel}", arguments, ";", WIDTH)
        return lines + leave_with(
            outcome,
            keep_singular=kernel.keep_singular,
            keep_ambiguous=kernel.keep_ambiguous,
            is_first=not self._may_be_set,
        )

    def _symbol(self, routine: Routine) -> str:
        return c_symbol(self._module, routine, self._words.precision)

    def _samples(self, samples: Samples) -> list[str]:
        name, count, literal = samples.name, samples.count, self._printer.literal
        lines, arguments = comment_lines(samples.comment), []
        for port, group in zip(samples.routine.inputs[2:], samples.inputs, strict=True):
            texts = [self._text(v) for v in group]
            arguments.append(f"{name}_{port.name}" if port.shape else texts[0])
            if port.shape:
                head = f"const {self._real} {name}_{port.name}[{len(texts)}]"
                lines += broken(f"{head} = {{{', '.join(texts)}}};", WIDTH)
        for index, target in enumerate(samples.targets):
            self._names[target] = f"{name}_sampled[{index}]"
            self._order[target] = len(self._order)
        step = literal(2 * math.pi / count)
        turned = [f"{self._words.function(name)}(angle)" for name in ("cos", "sin")]
        arguments = [*turned, *arguments, f"&{name}_values[k]"]
        call = called(f"const symgen_status sampled = {solver_name(samples.routine)}", arguments, ";", WIDTH - 8)
        return [
            *lines,
            f"{self._real} {name}_values[{count}];",
            f"{self._real} {name}_sampled[{len(samples.targets)}];",
            f"for (int32_t k = 0; k < {count}; ++k) {{",
            f"{INDENT}const {self._real} angle = ({self._real})k*{step};",
            *(INDENT + line for line in call),
            f"{INDENT}if (sampled != SYMGEN_OK) {{",
            f"{2 * INDENT}return SYMGEN_NOT_CONVERGED;",
            f"{INDENT}}}",
            "}",
            *open_if(
                f"!fourier({name}_values, {count}, {samples.degree}, {name}_sampled)", "of higher degree, or no numbers"
            ),
            f"{INDENT}return SYMGEN_NOT_CONVERGED;",
            "}",
        ]

    def _zeros(self, zeros: Zeros) -> list[str]:
        name, rank = zeros.name, self._text(zeros.rank)
        coefficients = [self._text(c) for c in zeros.coefficients]
        for target, part in zip(zeros.targets, ("re", "im"), strict=True):
            self._names[target] = f"{name}_zeros[{rank}].{part}"
            self._order[target] = len(self._order)
        size = len(coefficients)
        least = self._least(zeros)
        return [
            *comment_lines(zeros.comment),
            *broken(f"const {self._real} {name}_coefficients[{size}] = {{{', '.join(coefficients)}}};", WIDTH),
            f"complex_number {name}_zeros[{size - 1}];",
            f"const int32_t {name}_count = real_zeros({name}_coefficients, {zeros.degree}, {least}{name}_zeros);",
            *open_if(f"{name}_count < 0", "the iteration did not settle"),
            f"{INDENT}return SYMGEN_NOT_CONVERGED;",
            "}",
            *open_if(f"{name}_count == 0", "no real zero"),
            f"{INDENT}return SYMGEN_NO_ASSEMBLY;",
            "}",
            *open_if(f"{rank} >= {name}_count", "there are real zeros, but fewer"),
            f"{INDENT}return SYMGEN_BRANCH_LOST;",
            "}",
        ]

    def _system(self, system: System) -> list[str]:
        name, size = system.name, system.size
        entries = ", ".join(self._text(v) for row in system.matrix for v in row)
        arguments = f"{size}, {name}_matrix, {name}_factors, {name}_scales, {name}_order"
        return [
            *comment_lines(system.comment),
            *broken(f"const {self._real} {name}_matrix[{size * size}] = {{{entries}}};", WIDTH),
            f"{self._real} {name}_factors[{size * size}];",
            f"{self._real} {name}_scales[{2 * size}];",
            f"int32_t {name}_order[{size}];",
            f"const {self._real} {name}_margin = factorise({arguments});",
            *open_if(f"!({name}_margin > {c_tolerance('SINGULAR_TOLERANCE')})", "no inverse: no rates"),
            f"{INDENT}return SYMGEN_SINGULAR;",
            "}",
        ]

    def _solve(self, solve: Solve) -> list[str]:
        name, system, size = solve.name, solve.system, len(solve.right)
        for index, target in enumerate(solve.targets):
            self._names[target] = f"{name}_found[{index}]"
            self._order[target] = len(self._order)
        arguments = f"{size}, {system}_factors, {system}_scales, {system}_order, {name}_right, {name}_found"
        return [
            *comment_lines(solve.comment),
            *broken(f"const {self._real} {name}_right[{size}] = {{{', '.join(map(self._text, solve.right))}}};", WIDTH),
            f"{self._real} {name}_found[{size}];",
            f"substitute({arguments});",
        ]

    def _least(self, zeros: Zeros) -> str:
        """Return the argument for the least cosine, where the module's finder takes one."""
        return "" if zeros.least is None else f"{self._text(zeros.least)}, "

    def _finite(self, values: Sequence[Expr]) -> list[str]:
        if not values:
            return []
        absolute, limit = self._words.function("fabs"), self._words.limit("MAX")
        summed = total([text if size == 1 else f"{TYPES[size]}_total({text})" for text, size in self._runs(values)])
        return [
            "",
            *open_if(f"!({absolute}({summed}) <= {limit})", "NaN or overflow"),
            f"{INDENT}{self._way.leave('SYMGEN_BAD_INPUT')}",
            "}",
        ]

    def _stores(self) -> list[str]:
        lines = ["", *self._puts]
        for output in self._routine.outputs:
            if output.port.kind == "int" or output.port.name in self._places.found:  # the last mark wrote it, or a part
                continue
            name = array_name(output.port, self._vectors)
            if self._direct.get(plain_names(output.values)) == name:
                continue
            whole = self._whole_array(output)
            if whole:
                lines += [
                    f"for (int32_t k = 0; k < {len(output.values)}; ++k) {{",
                    f"{INDENT}{name}[k] = {whole}[k];",
                    "}",
                ]
                continue
            lines += (
                self._entries_of(name, output) if self._entries and output.port.shape else self._parts_of(name, output)
            )
        return lines

    def _whole_array(self, output: Output) -> str:
        """Return the array that a result is a copy of; nothing if it is none."""
        return self._arrays.get(plain_names(output.values), "") if len(output.values) > 1 else ""

    def _parts_of(self, name: str, output: Output) -> list[str]:
        """Write a result, the components of a vector together."""
        lines, index = [], 0
        for text, size in self._runs(output.values):
            if size == 1:
                lines.append(f"{name}[{index}] = {text};" if output.port.shape else f"*{name} = {text};")
            else:
                lines.append(f"put_{TYPES[size]}({text}, {f'{name} + {index}' if index else name});")
            index += size
        return lines

    def _entries_of(self, name: str, output: Output) -> list[str]:
        """Write the entries of a matrix or a column together, behind what they are."""
        comments = dict.fromkeys(self._comment_of[n] for n in plain_names(output.values) if n in self._comment_of)
        if len(output.values) < _SEVERAL or not comments:
            return self._parts_of(name, output)
        own, size = f"{name}_entries", len(output.values)
        rows = row_lines([self._text(value) for value in output.values], WIDTH - len(INDENT))
        return [
            *(line for text in comments for line in comment_lines(text)),
            f"const {self._real} {own}[{size}] = {{",
            *(INDENT + row for row in rows),
            "};",
            f"for (int32_t entry = 0; entry < {size}; ++entry) {{",
            f"{INDENT}{name}[entry] = {own}[entry];",
            "}",
        ]


def _sets_status(statement: Statement) -> bool:
    """Tell whether a routine goes on behind a statement with a status that is not OK."""
    return isinstance(statement, Flag) or (
        isinstance(statement, (Call, LoopAssemblies, Kernel)) and statement.keep_singular
    )
