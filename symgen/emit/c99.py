"""Statements to lines of C99. Owns `const double`, semicolons, indentation and comments; expressions come printed."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

from symgen.algebra import TOLERANCES, Expr, symbol_names
from symgen.emit.folding import INDENT, broken, called, folded
from symgen.emit.names import check_names, used_names
from symgen.ir.nodes import (
    Assemblies,
    Call,
    Flag,
    Guard,
    Kernel,
    Let,
    Mark,
    Port,
    Routine,
    Samples,
    Solve,
    System,
    Zeros,
)
from symgen.naming import check_identifier, free_text
from symgen.printers.c99 import REAL_TYPE, C99Printer, Precision

_WIDTH = 110


@dataclass(frozen=True)
class CFunction:
    """The texts of one routine in C, ready to be placed by a template."""

    symbol: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    body: tuple[str, ...]
    finite_inputs: tuple[str, ...]
    batch_parameters: tuple[str, ...]
    batch_arguments: tuple[str, ...]
    scratch: tuple[str, ...]
    scratch_arguments: tuple[str, ...]


def c_symbol(module: str, routine: Routine, precision: Precision) -> str:
    """Return the external name of a routine."""
    return f"symgen{'f' if precision == 'float' else ''}_{check_identifier(module)}_{routine.name}"


def solver_name(routine: Routine) -> str:
    """Return the name of the function inside that trusts its arguments."""
    return f"solve_{routine.name}"


def search_name(found: Assemblies) -> str:
    """Return the name of the function that finds the assemblies of a loop."""
    return found.parts.closure.name.replace("_closure", "_assemblies")


def c_tolerance(name: str) -> str:
    """Return the macro of a tolerance."""
    return f"SYMGEN_{name}"


def parameter_name(port: Port) -> str:
    """Return the parameter's name; a scalar result is written through a pointer, which needs a name of its own."""
    return f"{port.name}_out" if port.direction == "out" and port.shape == () else port.name


def is_vector(port: Port) -> bool:
    """Tell whether a port's elements are just its components, which read well as `a[0]`."""
    return port.elements == tuple(f"{port.name}_{axis}" for axis in "xyz"[: len(port.elements)])


def emit_function(module: str, routine: Routine, precision: Precision) -> CFunction:
    """Turn a routine into the texts of a C function."""
    check_names(routine)
    real = REAL_TYPE[precision]
    emitter = _Emitter(module, routine, precision)
    inputs, outputs = routine.inputs, [o.port for o in routine.outputs]
    return CFunction(
        symbol=c_symbol(module, routine, precision),
        parameters=tuple(_parameter(p, real) for p in routine.ports),
        arguments=tuple(parameter_name(p) for p in routine.ports),
        body=tuple(emitter.body()),
        finite_inputs=tuple(_finite(p) for p in inputs if p.kind == "real"),
        batch_parameters=tuple(_batch_parameter(p, real) for p in routine.ports),
        batch_arguments=tuple(_batch_argument(p) for p in routine.ports),
        scratch=tuple(
            f"{real if p.kind == 'real' else 'int32_t'} other_{p.name}[{max(len(p.elements), 1)}];" for p in outputs
        ),
        scratch_arguments=tuple([p.name if p.kind == "real" else "other" for p in inputs])
        + tuple(f"other_{p.name}" for p in outputs),
    )


def _parameter(port: Port, real: str) -> str:
    if port.kind == "int":
        if port.direction == "out":
            return f"int32_t *{parameter_name(port)}"
        return f"const int32_t {port.name}[{port.shape[0]}]" if port.shape else f"int32_t {port.name}"
    if port.direction == "in":
        return f"const {real} {port.name}[{port.shape[0]}]" if port.shape else f"{real} {port.name}"
    return f"{real} {port.name}[{port.shape[0]}]" if port.shape else f"{real} *{parameter_name(port)}"


def _batch_parameter(port: Port, real: str) -> str:
    if port.kind == "int":
        return f"int32_t *{parameter_name(port)}" if port.direction == "out" else f"const int32_t *{port.name}"
    return f"const {real} *{port.name}" if port.direction == "in" else f"{real} *{parameter_name(port)}"


def _batch_argument(port: Port) -> str:
    if port.shape and port.shared:
        return port.name
    if port.shape:
        return f"{port.name} + {port.shape[0]}*row" if port.shape[0] > 1 else f"{port.name} + row"
    return f"{port.name}[row]" if port.direction == "in" else f"{parameter_name(port)} + row"


def _finite(port: Port) -> str:
    values, count = (port.name, port.shape[0]) if port.shape else (f"&{port.name}", 1)
    return f"all_within({values}, {count}, largest)"


class _Emitter:
    def __init__(self, module: str, routine: Routine, precision: Precision) -> None:
        self._module, self._routine, self._precision = module, routine, precision
        self._real = REAL_TYPE[precision]
        self._names = {name: c_tolerance(name) for name in TOLERANCES}
        self._order: dict[str, int] = {}
        for port in routine.inputs:
            for index, element in enumerate(port.elements):
                self._order[element] = len(self._order)
                if not port.shape:
                    self._names[element] = port.name
                elif is_vector(port) or port.kind == "int":
                    self._names[element] = f"{port.name}[{index}]"
        self._printer = C99Printer(self._names, self._order, precision)
        self._keeps_status = any(
            isinstance(s, Flag) or (isinstance(s, (Call, Assemblies, Kernel)) and s.keep_singular) for s in routine.body
        )

    def body(self) -> list[str]:
        lines = self._unpacked()
        if self._keeps_status:
            lines.append("symgen_status status = SYMGEN_OK;")
        before: tuple[str, ...] = ()
        for statement in self._routine.body:
            if isinstance(statement, Let):
                lines += ["", *self._let(statement)]
            elif isinstance(statement, Call):
                lines += ["", *self._call(statement)]
            elif isinstance(statement, Zeros):
                lines += ["", *self._zeros(statement)]
            elif isinstance(statement, Samples):
                lines += ["", *self._samples(statement)]
            elif isinstance(statement, Assemblies):
                lines += ["", *self._assemblies(statement)]
            elif isinstance(statement, System):
                lines += ["", *self._system(statement)]
            elif isinstance(statement, Solve):
                lines += ["", *self._solve(statement)]
            elif isinstance(statement, Kernel):
                lines += ["", *self._kernel(statement)]
            elif isinstance(statement, Mark):
                lines += ["", *_comment_lines(statement.comment), f"*group_out = {statement.group};"]
            else:  # a check stands next to the value it is about
                lines += [] if {*before}.intersection(symbol_names(statement.left)) else [""]
                lines += self._guard(statement) if isinstance(statement, Guard) else self._flag(statement)
            before = statement.targets if isinstance(statement, Let) else ()
        lines += self._finite_results()
        lines += self._stores()
        lines.append("return status;" if self._keeps_status else "return SYMGEN_OK;")
        return [INDENT + line if line else "" for line in lines[0 if lines[0] else 1 :]]

    def _unpacked(self) -> list[str]:
        """Give the elements of poses, twists and frames their names, as far as they are used."""
        used = used_names(self._routine)
        lines: list[str] = []
        for port in self._routine.inputs:
            is_fixed = self._routine.level == "mechanism" or self._routine.stage == "inner"
            if is_fixed and not used.intersection(port.elements):
                lines.append(f"(void){port.name};")
            taken = (
                []
                if is_vector(port) or not port.shape or port.kind == "int"
                else [e for e in port.elements if e in used]
            )
            if taken:
                texts = [f"{element} = {port.name}[{port.elements.index(element)}]" for element in taken]
                first, *others = folded(texts, _WIDTH - len("const double "))
                others = [INDENT + line for line in others]
                lines += [f"const {self._real} {first}", *others]
                lines[-1] += ";"
        return lines

    def _guard(self, guard: Guard) -> list[str]:
        lines = _if(f"!({self._relation(guard)})", guard.comment)
        for rather in guard.rather:
            lines += [INDENT + line for line in self._guard(rather)]
        return [*lines, f"{INDENT}return SYMGEN_{guard.status.name};", "}"]

    def _flag(self, flag: Flag) -> list[str]:
        return [*_if(self._relation(flag), flag.comment), f"{INDENT}status = SYMGEN_{flag.status.name};", "}"]

    def _text(self, value: Expr) -> str:
        return self._printer.print_expression(value)

    def _relation(self, check: Guard | Flag) -> str:
        return f"{self._text(check.left)} {check.relation} {self._text(check.right)}"

    def _let(self, let: Let) -> list[str]:
        lines = _comment_lines(let.comment)
        texts = [self._text(v) for v in let.values]
        for target, text in zip(let.targets, texts, strict=True):
            self._order[target] = len(self._order)
            lines += broken(f"const {self._real} {target} = {text};", _WIDTH)
        return lines

    def _call(self, call: Call) -> list[str]:
        lines = _comment_lines(call.comment)
        arguments: list[str] = []
        for port, group in zip(call.routine.inputs, call.inputs, strict=True):
            texts = [self._text(v) for v in group]
            if not port.shape:
                arguments.append(texts[0])
                continue
            name = f"{call.prefix}_{port.name}"
            lines += broken(f"const {self._real} {name}[{len(texts)}] = {{{', '.join(texts)}}};", _WIDTH)
            arguments.append(name)
        for output, targets in zip(call.routine.outputs, call.outputs, strict=True):
            port, name = output.port, f"{call.prefix}_{output.port.name}"
            lines.append(f"{self._real} {name}[{len(targets)}];" if port.shape else f"{self._real} {name};")
            arguments.append(name if port.shape else f"&{name}")
            for index, target in enumerate(targets):
                self._names[target] = f"{name}[{index}]" if port.shape else name
                self._order[target] = len(self._order)
        outcome = f"{call.prefix}_status"
        target = solver_name(call.routine) if call.routine.stage == "inner" else self._symbol(call.routine)
        lines += called(f"const symgen_status {outcome} = {target}", arguments, ";", _WIDTH)
        return lines + _outcome(outcome, keep_singular=call.keep_singular)

    def _assemblies(self, found: Assemblies) -> list[str]:
        name, loop = found.name, ", ".join(self._text(v) for v in found.inputs)
        for index, target in enumerate(found.targets):
            self._names[target] = f"{name}_at[{index}]"
            self._order[target] = len(self._order)
        call = f"const symgen_status {name}_status = {search_name(found)}"
        return [
            *_comment_lines(found.comment),
            *broken(f"const {self._real} {name}_loop[{len(found.inputs)}] = {{{loop}}};", _WIDTH),
            f"{self._real} {name}_at[{len(found.targets)}];",
            *called(call, [f"{name}_loop", self._text(found.rank), f"{name}_at"], ";", _WIDTH),
            *_outcome(f"{name}_status", keep_singular=found.keep_singular),
        ]

    def _kernel(self, kernel: Kernel) -> list[str]:
        lines, name = _comment_lines(kernel.comment), kernel.name
        arguments = [] if kernel.function is None else [solver_name(kernel.function)]
        for what, numbers in kernel.integers:
            texts = [str(number) for number in numbers] or ["0"]
            lines += _array(f"const int32_t {name}_{what}", texts)
            arguments.append(f"{name}_{what}")
        for what, values in kernel.inputs:
            lines += _array(f"const {self._real} {name}_{what}", [self._text(v) for v in values] or ["0"])
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
        lines += called(f"const symgen_status {outcome} = {kernel.kernel}", arguments, ";", _WIDTH)
        return lines + _outcome(outcome, keep_singular=kernel.keep_singular)

    def _symbol(self, routine: Routine) -> str:
        return c_symbol(self._module, routine, self._precision)

    def _samples(self, samples: Samples) -> list[str]:
        name, count, literal = samples.name, samples.count, self._printer.literal
        lines, arguments = _comment_lines(samples.comment), []
        for port, group in zip(samples.routine.inputs[2:], samples.inputs, strict=True):
            texts = [self._text(v) for v in group]
            arguments.append(f"{name}_{port.name}" if port.shape else texts[0])
            if port.shape:
                head = f"const {self._real} {name}_{port.name}[{len(texts)}]"
                lines += broken(f"{head} = {{{', '.join(texts)}}};", _WIDTH)
        for index, target in enumerate(samples.targets):
            self._names[target] = f"{name}_sampled[{index}]"
            self._order[target] = len(self._order)
        tail = "f" if self._precision == "float" else ""
        step = literal(2 * math.pi / count)
        arguments = [f"cos{tail}(angle)", f"sin{tail}(angle)", *arguments, f"&{name}_values[k]"]
        call = called(f"const symgen_status sampled = {solver_name(samples.routine)}", arguments, ";", _WIDTH - 8)
        return [
            *lines,
            f"{self._real} {name}_values[{count}], {name}_sampled[{len(samples.targets)}];",
            f"for (int32_t k = 0; k < {count}; ++k) {{",
            f"{INDENT}const {self._real} angle = ({self._real})k*{step};",
            *(INDENT + line for line in call),
            f"{INDENT}if (sampled != SYMGEN_OK) {{",
            f"{2 * INDENT}return SYMGEN_NOT_CONVERGED;",
            f"{INDENT}}}",
            "}",
            *_if(
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
            *_comment_lines(zeros.comment),
            *broken(f"const {self._real} {name}_coefficients[{size}] = {{{', '.join(coefficients)}}};", _WIDTH),
            f"complex_number {name}_zeros[{size - 1}];",
            f"const int32_t {name}_count = real_zeros({name}_coefficients, {zeros.degree}, {least}{name}_zeros);",
            *_if(f"{name}_count < 0", "the iteration did not settle"),
            f"{INDENT}return SYMGEN_NOT_CONVERGED;",
            "}",
            *_if(f"{name}_count == 0", "no real zero"),
            f"{INDENT}return SYMGEN_NO_ASSEMBLY;",
            "}",
            *_if(f"{rank} >= {name}_count", "there are real zeros, but fewer"),
            f"{INDENT}return SYMGEN_BRANCH_LOST;",
            "}",
        ]

    def _system(self, system: System) -> list[str]:
        name, size = system.name, system.size
        entries = ", ".join(self._text(v) for row in system.matrix for v in row)
        arguments = f"{size}, {name}_matrix, {name}_factors, {name}_scales, {name}_order"
        return [
            *_comment_lines(system.comment),
            *broken(f"const {self._real} {name}_matrix[{size * size}] = {{{entries}}};", _WIDTH),
            f"{self._real} {name}_factors[{size * size}], {name}_scales[{2 * size}];",
            f"int32_t {name}_order[{size}];",
            f"const {self._real} {name}_margin = factorise({arguments});",
            *_if(f"!({name}_margin > {c_tolerance('SINGULAR_TOLERANCE')})", "no inverse: no rates"),
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
            *_comment_lines(solve.comment),
            *broken(
                f"const {self._real} {name}_right[{size}] = {{{', '.join(map(self._text, solve.right))}}};", _WIDTH
            ),
            f"{self._real} {name}_found[{size}];",
            f"substitute({arguments});",
        ]

    def _least(self, zeros: Zeros) -> str:
        """Return the argument for the least cosine, where the module's finder takes one."""
        return "" if zeros.least is None else f"{self._text(zeros.least)}, "

    def _finite_results(self) -> list[str]:
        if not self._routine.finite:
            return []
        absolute, limit = ("fabsf", "FLT_MAX") if self._precision == "float" else ("fabs", "DBL_MAX")
        total = " + ".join(self._text(v) for v in self._routine.finite)
        return [
            "",
            *_if(f"!({absolute}({total}) <= {limit})", "NaN or overflow"),
            f"{INDENT}return SYMGEN_BAD_INPUT;",
            "}",
        ]

    def _stores(self) -> list[str]:
        lines = [""]
        for output in self._routine.outputs:
            if output.port.kind == "int":  # the last mark wrote it
                continue
            name = parameter_name(output.port)
            for index, value in enumerate(output.values):
                target = f"{name}[{index}]" if output.port.shape else f"*{name}"
                lines.append(f"{target} = {self._text(value)};")
        return lines


def _outcome(outcome: str, *, keep_singular: bool) -> list[str]:
    """Leave with the status of a call; SINGULAR may go on and become the status at the end."""
    if not keep_singular:
        return [f"if ({outcome} != SYMGEN_OK) {{", f"{INDENT}return {outcome};", "}"]
    return [
        f"if ({outcome} != SYMGEN_OK && {outcome} != SYMGEN_SINGULAR) {{",
        f"{INDENT}return {outcome};",
        "}",
        f"if ({outcome} != SYMGEN_OK) {{",
        f"{INDENT}status = {outcome};",
        "}",
    ]


def _array(head: str, texts: list[str]) -> list[str]:
    """Write an array with its values, over as many lines as they need."""
    line = f"{head}[{len(texts)}] = {{{', '.join(texts)}}};"
    if len(line) <= _WIDTH:
        return [line]
    inner = [INDENT + part for text in folded(texts, _WIDTH - len(INDENT)) for part in broken(text, _WIDTH)]
    return [f"{head}[{len(texts)}] = {{", *inner, "};"]


def _if(condition: str, comment: str) -> list[str]:
    """Open a block; a long condition stands in further than what the block holds."""
    lines = broken(f"if ({condition}) {{", _WIDTH, 2 * INDENT)
    return [*lines[:-1], f"{lines[-1]} /* {free_text(comment)} */"]


def _comment_lines(text: str) -> list[str]:
    first, *others = textwrap.wrap(free_text(text), _WIDTH - 6) or [""]
    if not others:
        return [f"/* {first} */"]
    return [f"/* {first}", *(f" * {line}" for line in others[:-1]), f" * {others[-1]} */"]
