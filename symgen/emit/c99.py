"""Statements to lines of C99. Owns `const double`, semicolons, indentation and comments; expressions come printed."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from symgen.algebra import TOLERANCES, Expr, symbol_names
from symgen.ir.nodes import Call, Flag, Guard, Let, Port, Routine
from symgen.printers.c99 import REAL_TYPE, C99Printer, Precision

_INDENT = "    "
_WIDTH = 110


@dataclass(frozen=True)
class CFunction:
    """The texts of one routine in C, ready to be placed by a template."""

    symbol: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    body: tuple[str, ...]
    finite_inputs: str
    batch_parameters: tuple[str, ...]
    batch_arguments: tuple[str, ...]
    scratch: tuple[str, ...]
    scratch_arguments: tuple[str, ...]
    tolerances: tuple[str, ...]


def c_symbol(module: str, routine: Routine, precision: Precision) -> str:
    """Return the external name of a routine."""
    return f"symgen{'f' if precision == 'float' else ''}_{module}_{routine.name}"


def parameter_name(port: Port) -> str:
    """Return the parameter's name; a scalar result is written through a pointer, which needs a name of its own."""
    return f"{port.name}_out" if port.direction == "out" and port.shape == () else port.name


def is_vector(port: Port) -> bool:
    """Tell whether a port's elements are just its components, which read well as `a[0]`."""
    return port.elements == tuple(f"{port.name}_{axis}" for axis in "xyz"[: len(port.elements)])


def emit_function(module: str, routine: Routine, precision: Precision) -> CFunction:
    """Turn a routine into the texts of a C function."""
    real = REAL_TYPE[precision]
    emitter = _Emitter(module, routine, precision)
    inputs, outputs = routine.inputs, [o.port for o in routine.outputs]
    return CFunction(
        symbol=c_symbol(module, routine, precision),
        parameters=tuple(_parameter(p, real) for p in routine.ports),
        arguments=tuple(parameter_name(p) for p in routine.ports),
        body=tuple(emitter.body()),
        finite_inputs=" && ".join(_finite(p) for p in inputs if p.kind == "real"),
        batch_parameters=tuple(_batch_parameter(p, real) for p in routine.ports),
        batch_arguments=tuple(_batch_argument(p) for p in routine.ports),
        scratch=tuple(f"{real} other_{p.name}[{max(len(p.elements), 1)}];" for p in outputs),
        scratch_arguments=tuple([p.name if p.kind == "real" else "other" for p in inputs])
        + tuple(f"other_{p.name}" for p in outputs),
        tolerances=tuple(emitter.tolerances()),
    )


def _parameter(port: Port, real: str) -> str:
    if port.kind == "int":
        return f"int32_t {port.name}"
    if port.direction == "in":
        return f"const {real} {port.name}[{port.shape[0]}]" if port.shape else f"{real} {port.name}"
    return f"{real} {port.name}[{port.shape[0]}]" if port.shape else f"{real} *{parameter_name(port)}"


def _batch_parameter(port: Port, real: str) -> str:
    if port.kind == "int":
        return f"const int32_t *{port.name}"
    return f"const {real} *{port.name}" if port.direction == "in" else f"{real} *{parameter_name(port)}"


def _batch_argument(port: Port) -> str:
    if port.shape:
        return f"{port.name} + {port.shape[0]}*row"
    return f"{port.name}[row]" if port.direction == "in" else f"{parameter_name(port)} + row"


def _finite(port: Port) -> str:
    return f"all_finite({port.name}, {port.shape[0]})" if port.shape else f"all_finite(&{port.name}, 1)"


class _Emitter:
    def __init__(self, module: str, routine: Routine, precision: Precision) -> None:
        self._module, self._routine, self._precision = module, routine, precision
        self._real = REAL_TYPE[precision]
        self._names = {name: f"SYMGEN_{name}" for name in TOLERANCES}
        self._order: dict[str, int] = {}
        for port in routine.inputs:
            for index, element in enumerate(port.elements):
                self._order[element] = len(self._order)
                if not port.shape:
                    self._names[element] = port.name
                elif is_vector(port):
                    self._names[element] = f"{port.name}[{index}]"
        self._printer = C99Printer(self._names, self._order, precision)
        self._keeps_status = any(isinstance(s, Flag) or (isinstance(s, Call) and s.keep_singular) for s in routine.body)

    def tolerances(self) -> list[str]:
        used = self._used_names()
        return [name for name in TOLERANCES if name in used]

    def body(self) -> list[str]:
        lines: list[str] = []
        if self._keeps_status:
            lines.append("symgen_status status = SYMGEN_OK;")
        for statement in self._routine.body:
            if isinstance(statement, Let):
                lines += self._let(statement)
            elif isinstance(statement, Call):
                lines += self._call(statement)
            elif isinstance(statement, Guard):
                lines += ["", *self._guard(statement)]
            else:
                lines += ["", f"if ({self._relation(statement)}) {{ {_comment(statement.comment)}"]
                lines += [f"{_INDENT}status = SYMGEN_{statement.status.name};", "}"]
        lines = [*self._unpacked(), *lines]
        lines += self._finite_results()
        lines += self._stores()
        lines.append("return status;" if self._keeps_status else "return SYMGEN_OK;")
        return [_INDENT + line if line else "" for line in lines]

    def _unpacked(self) -> list[str]:
        """Give the elements of poses, twists and frames their names, as far as they are used."""
        used = self._used_names()
        lines: list[str] = []
        for port in self._routine.inputs:
            taken = [] if is_vector(port) or not port.shape else [e for e in port.elements if e in used]
            for element in taken:
                lines.append(f"const {self._real} {element} = {port.name}[{port.elements.index(element)}];")
        return lines

    def _used_names(self) -> set[str]:
        values: list[Expr] = [v for output in self._routine.outputs for v in output.values]
        for statement in self._routine.body:
            if isinstance(statement, Let):
                values += statement.values
            elif isinstance(statement, Call):
                values += [v for group in statement.inputs for v in group]
            else:
                checks = (statement, *statement.rather) if isinstance(statement, Guard) else (statement,)
                values += [v for check in checks for v in (check.left, check.right)]
        return {name for value in values for name in symbol_names(value)}

    def _guard(self, guard: Guard) -> list[str]:
        lines = [f"if (!({self._relation(guard)})) {{ {_comment(guard.comment)}"]
        for rather in guard.rather:
            lines += [_INDENT + line for line in self._guard(rather)]
        return [*lines, f"{_INDENT}return SYMGEN_{guard.status.name};", "}"]

    def _text(self, value: Expr) -> str:
        return self._printer.print_expression(value)

    def _relation(self, check: Guard | Flag) -> str:
        return f"{self._text(check.left)} {check.relation} {self._text(check.right)}"

    def _let(self, let: Let) -> list[str]:
        lines = ["", *_comment_lines(let.comment)]
        texts = [self._text(v) for v in let.values]
        for target, text in zip(let.targets, texts, strict=True):
            self._order[target] = len(self._order)
            lines += _wrapped(f"const {self._real} {target} = {text};")
        return lines

    def _call(self, call: Call) -> list[str]:
        lines = ["", *_comment_lines(call.comment)]
        arguments: list[str] = []
        for port, group in zip(call.routine.inputs, call.inputs, strict=True):
            texts = [self._text(v) for v in group]
            if not port.shape:
                arguments.append(texts[0])
                continue
            name = f"{call.prefix}_{port.name}"
            lines += _wrapped(f"const {self._real} {name}[{len(texts)}] = {{{', '.join(texts)}}};")
            arguments.append(name)
        for output, targets in zip(call.routine.outputs, call.outputs, strict=True):
            port, name = output.port, f"{call.prefix}_{output.port.name}"
            lines.append(f"{self._real} {name}[{len(targets)}];" if port.shape else f"{self._real} {name};")
            arguments.append(name if port.shape else f"&{name}")
            for index, target in enumerate(targets):
                self._names[target] = f"{name}[{index}]" if port.shape else name
                self._order[target] = len(self._order)
        outcome = f"{call.prefix}_status"
        target = c_symbol(self._module, call.routine, self._precision)
        lines += _wrapped(f"const symgen_status {outcome} = {target}({', '.join(arguments)});")
        if call.keep_singular:
            lines += [f"if ({outcome} != SYMGEN_OK && {outcome} != SYMGEN_SINGULAR) {{"]
            lines += [f"{_INDENT}return {outcome};", "}"]
            lines += [f"if ({outcome} != SYMGEN_OK) {{", f"{_INDENT}status = {outcome};", "}"]
        else:
            lines += [f"if ({outcome} != SYMGEN_OK) {{", f"{_INDENT}return {outcome};", "}"]
        return lines

    def _finite_results(self) -> list[str]:
        if not self._routine.finite:
            return []
        tail = "f" if self._precision == "float" else ""
        limit = "FLT_MAX" if self._precision == "float" else "DBL_MAX"
        total = " + ".join(self._text(v) for v in self._routine.finite)
        lines = _wrapped(f"if (!(fabs{tail}({total}) <= {limit})) {{")
        lines[-1] += " /* NaN or overflow */"
        return ["", *lines, f"{_INDENT}return SYMGEN_BAD_INPUT;", "}"]

    def _stores(self) -> list[str]:
        lines = [""]
        for output in self._routine.outputs:
            name = parameter_name(output.port)
            for index, value in enumerate(output.values):
                target = f"{name}[{index}]" if output.port.shape else f"*{name}"
                lines.append(f"{target} = {self._text(value)};")
        return lines


def _comment(text: str) -> str:
    return f"/* {text} */"


def _comment_lines(text: str) -> list[str]:
    lines = textwrap.wrap(text, _WIDTH - 6)
    return [f"/* {line} */" for line in lines] if len(lines) == 1 else _block(lines)


def _block(lines: list[str]) -> list[str]:
    return [f"/* {lines[0]}", *(f" * {line}" for line in lines[1:-1]), f" * {lines[-1]} */"]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False)
