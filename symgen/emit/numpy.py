"""Statements to lines of NumPy, vectorised: a status array takes the place of early returns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symgen.algebra import TOLERANCES, Expr
from symgen.emit.finite_results import finite_results, total
from symgen.emit.folding import INDENT, broken, enclosed, row_lines
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
from symgen.emit.side_by_side import name_of_all, rows_of, rows_of_arrays, runs_of_like_calls, title_of_all
from symgen.emit.unit_checks import UNIT_CHECKS, unit_vector
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
    System,
    Zeros,
)
from symgen.naming import free_text
from symgen.printers.numpy import NumPyPrinter
from symgen.status import Status

_WIDTH = 110
#: What returns matrices: their entries are calculated where they stand.
_WITH_MATRICES = ("element", "part")


@dataclass(frozen=True)
class NumPyFunction:
    """The texts of one routine in NumPy, ready to be placed by a template."""

    name: str
    parameters: tuple[str, ...]
    inner_parameters: tuple[str, ...]
    unpack: tuple[str, ...]
    body: tuple[str, ...]
    results: tuple[str, ...]
    outcome: str
    sizes: tuple[str, ...]


def numpy_tolerance(name: str) -> str:
    """Return the module's private name of a tolerance."""
    return f"_{name}"


def emit_function(routine: Routine) -> NumPyFunction:
    """Turn a routine into the texts of a NumPy function."""
    check_names(routine)
    emitter = _Emitter(routine)
    body = emitter.body()
    results = emitter.results()
    return NumPyFunction(
        name=routine.name,
        parameters=tuple(p.name for p in routine.inputs),
        inner_parameters=tuple(emitter.array_name(p) for p in routine.inputs),
        unpack=tuple(emitter.unpack()),
        body=(*body, *emitter.matrices),
        results=tuple(results),
        outcome="np.where(status == OK, flagged, status)" if emitter.keeps_status else "status",
        sizes=tuple(_size(p) for p in routine.inputs),
    )


def _size(port: Port) -> str:
    """Return the length of the last axis; 0 for a scalar, -1 for an integer, -1 - n for an array of n integers."""
    if port.kind == "int" and port.shape:
        return f"-{1 + port.shape[0]}"
    return "-1" if port.kind == "int" else str(port.shape[0]) if port.shape else "0"


def _entries(routine: Routine) -> frozenset[str]:
    """Return the steps that are entries of matrices."""
    if routine.stage in _WITH_MATRICES:
        return entries_in_place(routine)
    return entries_in_place(routine, LARGE) if routine.stage == "inner" else frozenset()


class _Emitter:
    def __init__(self, routine: Routine) -> None:
        self._routine = routine
        self._entries = _entries(routine)
        self._comment_of: dict[str, str] = {}
        self.matrices: list[str] = []
        self._names = {name: numpy_tolerance(name) for name in TOLERANCES}
        self._order: dict[str, int] = {}
        self._arrays: dict[tuple[str, ...], str] = {}
        self._vectors = dict(routine.vectors)
        self._whole = vectors_as_a_whole(routine)
        self._held: dict[tuple[str, ...], str] = {}
        for port in routine.inputs:
            if port.shape and port.kind == "real":
                self._arrays[port.elements] = self.array_name(port)
            for element in port.elements:
                self._order[element] = len(self._order)
        sizes = {name: len(elements) for name, elements in routine.vectors}
        self._printer = NumPyPrinter(self._names, self._order, sizes)
        self._beside = runs_of_like_calls(routine)
        self._unpacked = self._vectors_in_ports()
        self.keeps_status = any(
            isinstance(s, Flag) or (isinstance(s, (Call, LoopAssemblies, Kernel)) and s.keep_singular)
            for s in routine.body
        )

    def array_name(self, port: Port) -> str:
        """Return the name of a parameter, where a vector may have that of the port."""
        return f"{port.name}_in" if port.shape and port.name in self._vectors else port.name

    def unpack(self) -> list[str]:
        arrays = {port.elements for port in self._routine.inputs if port.shape}
        rows = rows_of_arrays(self._beside.values(), arrays)
        used = used_names(self._routine, {*arrays, *rows})
        used -= {element for held in self._in_ports for element in held}
        lines = [*self._unpacked]
        for port in self._routine.inputs:
            array = self.array_name(port)
            if port.shape and len(port.elements) > 1 and used.issuperset(port.elements):
                line = f"{', '.join(port.elements)} = _parts({array})"
                one = len(line) <= _WIDTH
                lines += [line] if one else enclosed("", port.elements, f" = _parts({array})", _WIDTH)
            elif port.shape:
                lines += [f"{e} = {array}[..., {index}]" for index, e in enumerate(port.elements) if e in used]
        return [INDENT + line for line in lines]

    def _vectors_in_ports(self) -> list[str]:
        """Take the vectors that are read as a whole out of arrays, components first."""
        lines = []
        for port in self._routine.inputs:
            vectors = [
                (name, components)
                for name, components in self._vectors.items()
                if port.shape and {*components} <= {*port.elements}
            ]
            taken = [(name, components) for name, components in vectors if name in self._whole]
            if not taken:
                continue
            for name, components in taken:
                self._hold(name, components)
            sizes = [len(components) for _, components in vectors]
            array = self.array_name(port)
            if len(port.elements) == sum(sizes) and len(sizes) > 1:
                names = [name if (name, components) in taken else "_" for name, components in vectors]
                lines.append(f"{', '.join(names)} = _split({array}, batch, {', '.join(map(str, sizes))})")
                continue
            for name, components in taken:
                start = port.elements.index(components[0])
                part = f"[..., {start}:{start + len(components)}]" if len(components) < len(port.elements) else ""
                lines.append(f"{name} = _columns({array}{part}, batch)")
        self._in_ports = frozenset(self._held)
        return lines

    def _hold(self, name: str, components: tuple[str, ...]) -> None:
        """Remember that a vector stands in a variable of its name."""
        self._held[components] = name
        for index, component in enumerate(components):
            self._names[component] = f"{name}[{index}]"
            self._order.setdefault(component, len(self._order))
        self._order[name] = self._order[components[0]]

    def _runs(self, values: Sequence[Expr]) -> list[tuple[str, bool]]:
        """Return the texts of values, those of a vector in one, each with whether it is a vector."""
        runs: list[tuple[str, bool]] = []
        rest = tuple(values)
        while rest:
            size = next((n for n in (4, 3, 2) if len(rest) >= n and plain_names(rest[:n]) in self._held), 1)
            text = self._text(rest[0]) if size == 1 else self._held[plain_names(rest[:size])]
            runs.append((text, size > 1))
            rest = rest[size:]
        return runs

    def body(self) -> list[str]:
        lines: list[str] = []
        last_comment = ""
        done = 0
        asked, left = finite_results(self._routine)
        for number, statement in enumerate(self._routine.body):
            if number < done:
                continue
            lines += self._finite(asked.get(number, ()))
            is_repeated, last_comment = isinstance(statement, Let) and statement.comment == last_comment, ""
            if isinstance(statement, Mark):
                going = "(status == OK) & (flagged == OK)" if self._routine.stage == "follow" else "status == OK"
                mark = f"group = np.where({going}, {statement.group}, group)"
                lines += ["", *_comment_lines(statement.comment), mark]
            elif isinstance(statement, Let):
                last_comment, written_out = statement.comment, self._let(statement)
                if not written_out:
                    last_comment = statement.comment if is_repeated else ""
                    continue
                lines += written_out if is_repeated else ["", *_comment_lines(last_comment), *written_out]
            elif isinstance(statement, Call):
                calls = self._beside.get(number, ())
                done = number + len(calls)
                lines += ["", *(self._side_by_side(calls) if calls else self._call(statement))]
            elif isinstance(statement, Guard):
                lines += self._guard(statement)
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
            else:
                assert isinstance(statement, Flag)  # noqa: S101 - narrows the union for mypy
                texts = [self._relation(statement), statement.status.name, "flagged"]
                lines += enclosed("flagged = np.where", texts, _remark(statement.comment), _WIDTH)
        lines += self._finite(left)
        return [INDENT + line if line else "" for line in lines[1 if lines[:1] == [""] else 0 :]]

    def _finite(self, values: Sequence[Expr]) -> list[str]:
        if not values:
            return []
        runs = self._runs(values)
        summed = total([f"{text}.sum(axis=0)" if is_vector else text for text, is_vector in runs])
        return _unless(f"np.isfinite({summed})", Status.BAD_INPUT, "NaN or overflow")

    def _let(self, let: Let) -> list[str]:
        lines: list[str] = []
        texts = [self._text(value) for value in written(let)]
        vector = next((name for name, components in self._vectors.items() if components == let.targets), None)
        if vector is not None:
            self._hold(vector, let.targets)
            if len(texts) == 1:
                return _assignment(vector, texts[0])
            return enclosed(f"{vector} = _vector", ["batch", *texts], "", _WIDTH)
        for target, text in zip(let.targets, texts, strict=True):
            if target in self._entries:
                self._names[target] = text
                if not is_constant(let, target):
                    self._comment_of[target] = let.comment
                continue
            lines += _assignment(target, text)
            self._order[target] = len(self._order)
        return lines

    def _guard(self, guard: Guard) -> list[str]:
        lines = [line for rather in guard.rather for line in self._guard(rather)]
        if not guard.also:
            return lines + _unless(self._relation(guard), guard.status, guard.comment)
        checks = (guard, *guard.also)
        together = " & ".join(
            self._relation(check) if unit_vector(check) else f"({self._relation(check)})" for check in checks
        )
        return lines + _unless(together, guard.status, guard.comment)

    def results(self) -> list[str]:
        texts = []
        for output in self._routine.outputs:
            if output.port.kind == "int":  # the last mark says it
                continue
            whole = self._arrays.get(plain_names(output.values)) if output.port.shape else None
            if whole is not None:
                texts.append(f"_parts({whole})")
                continue
            if self._entries and len(output.values) > 1:
                texts.append(self._matrix(output))
                continue
            runs = self._runs(output.values)
            if len(runs) == 1:
                text, is_vector = runs[0]
                texts.append(f"({text},)" if output.port.shape and not is_vector else text)
            else:
                texts.append(f"({', '.join(f'*{text}' if is_vector else text for text, is_vector in runs)})")
        return texts

    def _matrix(self, output: Output) -> str:
        """Return a result with its entries, or its name if it takes several lines, those of a square row by row."""
        texts = [f"*{text}" if is_vector else text for text, is_vector in self._runs(output.values)]
        if len(texts) == 1:  # it is a vector
            return texts[0].removeprefix("*")
        if len(", ".join(texts)) <= _WIDTH // 2:
            return f"({', '.join(texts)})"
        name = f"{output.port.name}_out"
        comments = dict.fromkeys(self._comment_of[n] for n in plain_names(output.values) if n in self._comment_of)
        lines = ["", *(line for text in comments for line in _comment_lines(text)), f"{name} = ("]
        lines += [INDENT + row for row in row_lines(texts, _WIDTH - len(INDENT))]
        self.matrices += [INDENT + line if line else "" for line in [*lines, ")"]]
        return name

    def _text(self, value: Expr) -> str:
        return self._printer.print_expression(value)

    def _relation(self, check: Guard | Flag) -> str:
        unit = unit_vector(check)
        if unit:
            return f"{UNIT_CHECKS[len(self._vectors[unit])].numpy_name}({unit})"
        return f"{self._text(written_left(check))} {check.relation} {self._text(check.right)}"

    def _call(self, call: Call) -> list[str]:
        lines = _comment_lines(call.comment)
        given = zip(call.routine.inputs, call.inputs, strict=True)
        arguments = [self._given(port, group) for port, group in given]
        if call.routine.stage == "inner":
            return lines + self._inner_call(call, arguments)
        names = [self._result(call, output.port) for output in call.routine.outputs]
        outcome = f"{call.prefix}_status"
        for output, targets in zip(call.routine.outputs, call.outputs, strict=True):
            name = self._result(call, output.port)
            if output.port.shape:
                self._arrays[targets] = name
            for index, target in enumerate(targets):
                self._names[target] = f"{name}[..., {index}]" if output.port.shape else name
                self._order[target] = len(self._order)
        lines += enclosed(f"{', '.join(names)}, {outcome} = {call.routine.name}", arguments, "", _WIDTH)
        lines += _outcome(outcome, keep_singular=call.keep_singular)
        return lines + self._vectors_of(
            call, lambda array, start, size: f"_columns({array}[..., {start}:{start + size}], batch)"
        )

    def _side_by_side(self, calls: Sequence[Call]) -> list[str]:
        """Call parts that are alike at once, on a new first axis; the first that fails has the last word."""
        first, count, name = calls[0], len(calls), name_of_all(calls)
        given = zip(first.routine.inputs, zip(*(call.inputs for call in calls), strict=True), strict=True)
        arguments = [self._given_to_each(port, groups) for port, groups in given]
        shape, results = f"({count}, *batch)", f"{name}_results"
        lines = _comment_lines(title_of_all(calls))
        called = [*arguments, shape]
        lines += enclosed(f"{results}, {name}_status = {solver_name(first.routine)}", called, "", _WIDTH)
        found = [f"{name}_{output.port.name}_sides" for output in first.routine.outputs]
        each = f" = _each_side({results}, {shape})"
        lines += enclosed("", found, each, _WIDTH) if len(found) > 1 else [f"({found[0]},){each}"]
        lines.append(f"status = _first_failed(status, {name}_status)")
        for number, own in enumerate(found):
            for side, call in enumerate(calls):
                for index, target in enumerate(call.outputs[number]):
                    self._names[target] = f"{own}[{index}][{side}]"
                    self._order[target] = len(self._order)
        results_of_all = {target for call in calls for target in call.sets}
        for vector, components in self._vectors.items():
            if vector in self._whole and results_of_all.issuperset(components):
                texts = [self._names[component] for component in components]
                self._hold(vector, components)
                lines += enclosed(f"{vector} = _vector", ["batch", *texts], "", _WIDTH)
        return lines

    def _given_to_each(self, port: Port, groups: Sequence[tuple[Expr, ...]]) -> str:
        """Return an argument of like calls: what all take as it is, what each takes along a first axis."""
        if len({*groups}) == 1:
            return self._given(port, groups[0])
        for elements, array in self._arrays.items():
            if rows_of(elements, groups):
                rows = f"_rows({array}, {len(groups)}, batch)"
                return rows if port.shape else f"{rows}[..., 0]"
        each = ", ".join(self._given(port, group) for group in groups)
        return f"_beside({f'(*batch, {len(groups[0])})' if port.shape else 'batch'}, {each})"

    def _given(self, port: Port, group: tuple[Expr, ...]) -> str:
        """Return an argument of a call."""
        whole = self._arrays.get(plain_names(group)) if port.shape else None
        if whole is not None:
            return whole
        texts = [f"*{text}" if is_vector else text for text, is_vector in self._runs(group)]
        return f"_stack({', '.join(texts)})" if port.shape else texts[0]

    def _result(self, call: Call, port: Port) -> str:
        """Return the name of a result, where a vector may have that of its array."""
        name = f"{call.prefix}_{port.name}"
        return f"{name}_out" if name in self._vectors else name

    def _vectors_of(self, call: Call, columns: Callable[[str, int, int], str]) -> list[str]:
        """Take the vectors that are read as a whole out of the results of a call."""
        lines = []
        for output, targets in zip(call.routine.outputs, call.outputs, strict=True):
            for name, components in self._vectors.items():
                if name in self._whole and {*components} <= {*targets}:
                    self._hold(name, components)
                    array = self._result(call, output.port)
                    lines.append(f"{name} = {columns(array, targets.index(components[0]), len(components))}")
        return lines

    def _inner_call(self, call: Call, arguments: list[str]) -> list[str]:
        """Call an inner routine, whose results are tuples of components and numbers."""
        names = [self._result(call, output.port) for output in call.routine.outputs]
        for name, output, targets in zip(names, call.routine.outputs, call.outputs, strict=True):
            for index, target in enumerate(targets):
                self._names[target] = f"{name}[{index}]" if output.port.shape else name
                self._order[target] = len(self._order)
        outcome, results = f"{call.prefix}_status", f"{call.prefix}_results"
        lines = enclosed(f"{results}, {outcome} = {solver_name(call.routine)}", [*arguments, "batch"], "", _WIDTH)
        lines += enclosed("", names, f" = {results}", _WIDTH) if len(names) > 1 else [f"({names[0]},) = {results}"]
        lines += _outcome(outcome, keep_singular=call.keep_singular)
        return lines + self._vectors_of(
            call, lambda array, start, size: f"_vector(batch, *{array}[{start}:{start + size}])"
        )

    def _kernel(self, kernel: Kernel) -> list[str]:
        """Call a kernel: integers as tuples, arrays as tuples of what broadcasts to the batch."""
        lines, name = _comment_lines(kernel.comment), kernel.name
        arguments = [] if kernel.function is None else [solver_name(kernel.function)]
        for what, numbers in kernel.integers:
            lines += enclosed(f"{name}_{what} = np.array", [f"({', '.join(map(str, numbers))},)"], "", _WIDTH)
            arguments.append(f"{name}_{what}")
        for what, values in kernel.inputs:
            lines += enclosed(f"{name}_{what} = _columns", ["batch", *(self._text(v) for v in values)], "", _WIDTH)
            arguments.append(f"{name}_{what}")
        for what, targets in kernel.outputs:
            for index, target in enumerate(targets):
                self._names[target] = f"{name}_{what}[..., {index}]"
                self._order[target] = len(self._order)
        names = [f"{name}_{what}" for what, _ in kernel.outputs]
        outcome = f"{name}_status"
        lines += enclosed(f"{', '.join(names)}, {outcome} = _{kernel.kernel}", arguments, "", _WIDTH)
        return lines + _outcome(outcome, keep_singular=kernel.keep_singular, keep_ambiguous=kernel.keep_ambiguous)

    def _samples(self, samples: Samples) -> list[str]:
        lines, arguments = _comment_lines(samples.comment), []
        for port, group in zip(samples.routine.inputs[2:], samples.inputs, strict=True):
            texts = [self._text(v) for v in group]
            arguments.append(f"_stack({', '.join(texts)})" if port.shape else texts[0])
        for index, target in enumerate(samples.targets):
            self._names[target] = f"{samples.name}_sampled[{index}]"
            self._order[target] = len(self._order)
        sizes = [solver_name(samples.routine), str(samples.count), str(samples.degree), "batch"]
        lines += enclosed(f"{samples.name}_sampled, {samples.name}_sound = _sampled", [*sizes, *arguments], "", _WIDTH)
        return lines + _unless(f"{samples.name}_sound", Status.NOT_CONVERGED, "of higher degree, or no numbers")

    def _assemblies(self, found: LoopAssemblies) -> list[str]:
        lines, outcome = _comment_lines(found.comment), f"{found.name}_status"
        for index, target in enumerate(found.targets):
            self._names[target] = f"{found.name}_at[..., {index}]"
            self._order[target] = len(self._order)
        lines += enclosed(f"{found.name}_loop = _stack", [self._text(v) for v in found.inputs], "", _WIDTH)
        rest = [f"{found.name}_loop", self._text(found.rank), "batch"]
        lines += enclosed(f"{found.name}_at, {outcome} = {search_name(found)}", rest, "", _WIDTH)
        return lines + _outcome(outcome, keep_singular=found.keep_singular)

    def _zeros(self, zeros: Zeros) -> list[str]:
        lines = _comment_lines(zeros.comment)
        texts = [self._text(c) for c in zeros.coefficients]
        rank, count = self._text(zeros.rank), f"{zeros.name}_count"
        lines += enclosed(f"{zeros.name}_coefficients = ", texts, "", _WIDTH)
        names = ", ".join((*zeros.targets, count))
        least = "" if zeros.least is None else f", {self._text(zeros.least)}"
        lines.append(f"{names} = _real_zeros({zeros.name}_coefficients, {rank}{least})")
        for target in zeros.targets:
            self._order[target] = len(self._order)
        lines += _unless(f"{count} > 0", Status.NO_ASSEMBLY, "no real zero")
        return lines + _unless(f"{rank} < {count}", Status.BRANCH_LOST, "there are real zeros, but fewer")

    def _system(self, system: System) -> list[str]:
        lines = _comment_lines(system.comment)
        texts = [self._text(v) for row in system.matrix for v in row]
        lines += enclosed(f"{system.name}_margin, {system.name}_factors = _factorise", texts, "", _WIDTH)
        regular = f"{system.name}_margin > {numpy_tolerance('SINGULAR_TOLERANCE')}"
        return lines + _unless(regular, Status.SINGULAR, "no inverse: no rates")

    def _solve(self, solve: Solve) -> list[str]:
        lines = _comment_lines(solve.comment)
        right = [f"{solve.system}_factors", *(self._text(v) for v in solve.right)]
        for target in solve.targets:
            self._order[target] = len(self._order)
        return lines + enclosed(f"{', '.join(solve.targets)} = _substitute", right, "", _WIDTH)


def _outcome(outcome: str, *, keep_singular: bool, keep_ambiguous: bool = False) -> list[str]:
    if keep_ambiguous:
        return [
            f"kept = ({outcome} == AMBIGUOUS) | (({outcome} == SINGULAR) & (flagged == OK))",
            f"flagged = np.where(kept, {outcome}, flagged)",
            f"failed = ({outcome} != SINGULAR) & ({outcome} != AMBIGUOUS)",
            f"status = np.where((status == OK) & failed, {outcome}, status)",
        ]
    if not keep_singular:
        return [f"status = np.where(status == OK, {outcome}, status)"]
    return [
        f"status = np.where((status == OK) & ({outcome} != SINGULAR), {outcome}, status)",
        f"flagged = np.where({outcome} == SINGULAR, SINGULAR, flagged)",
    ]


def solver_name(routine: Routine) -> str:
    """Return the name of the function inside that trusts its arguments."""
    return f"_solve_{routine.name}"


def search_name(found: LoopAssemblies) -> str:
    """Return the name of the function that finds the assemblies of a loop."""
    return "_" + found.parts.closure.name.replace("_closure", "_assemblies")


def _comment_lines(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(free_text(text), _WIDTH - 6)]


def _remark(text: str) -> str:
    return f"  # {free_text(text)}"


def _unless(condition: str, status: Status, comment: str) -> list[str]:
    """Give open rows a status unless the condition holds; the comment says what it means if it does not."""
    line = f"status = _unless({condition}, status, {status.name})"
    if len(line) <= _WIDTH:
        return [line + _remark(comment)]
    short = f"{condition}, status, {status.name}"
    if len(short) <= _WIDTH - len(INDENT):
        return ["status = _unless(", INDENT + short, ")" + _remark(comment)]
    inner = broken(condition, _WIDTH, INDENT)
    inner[-1] += ","
    return [
        "status = _unless(",
        *(INDENT + line for line in inner),
        f"{INDENT}status,",
        f"{INDENT}{status.name},",
        ")" + _remark(comment),
    ]


def _assignment(target: str, value: str) -> list[str]:
    line = f"{target} = {value}"
    if len(line) <= _WIDTH:
        return [line]
    return [f"{target} = (", *(INDENT + line for line in broken(value, _WIDTH, "")), ")"]
