"""Statements to lines of NumPy, vectorised: a status array takes the place of early returns."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from symgen.algebra import TOLERANCES, Expr
from symgen.ir.nodes import Call, Flag, Guard, Let, Port, Routine
from symgen.printers.numpy import NumPyPrinter
from symgen.status import Status

_INDENT = "    "
_WIDTH = 112


@dataclass(frozen=True)
class NumPyFunction:
    """The texts of one routine in NumPy, ready to be placed by a template."""

    name: str
    parameters: tuple[str, ...]
    unpack: tuple[str, ...]
    body: tuple[str, ...]
    results: tuple[str, ...]
    shapes: tuple[str, ...]
    branches: int
    lost_by_stage: bool


def emit_function(routine: Routine) -> NumPyFunction:
    """Turn a routine into the texts of a NumPy function."""
    emitter = _Emitter(routine)
    body = emitter.body()
    return NumPyFunction(
        name=routine.name,
        parameters=tuple(p.name for p in routine.inputs),
        unpack=tuple(emitter.unpack()),
        body=tuple(body),
        results=tuple(emitter.results()),
        shapes=tuple(_size(p) for p in routine.inputs),
        branches=routine.branches,
        lost_by_stage=routine.lost_by_stage,
    )


def _size(port: Port) -> str:
    """Return the length of the last axis; 0 for a scalar, -1 for an integer."""
    return "-1" if port.kind == "int" else str(port.shape[0]) if port.shape else "0"


class _Emitter:
    def __init__(self, routine: Routine) -> None:
        self._routine = routine
        self._names = {name: f"_{name}" for name in TOLERANCES}
        self._order: dict[str, int] = {}
        for port in routine.inputs:
            for element in port.elements:
                self._order[element] = len(self._order)
        self._printer = NumPyPrinter(self._names, self._order)

    def unpack(self) -> list[str]:
        lines = []
        for port in self._routine.inputs:
            if port.shape:
                for index, element in enumerate(port.elements):
                    lines.append(f"{_INDENT}{element} = {port.name}[..., {index}]")
        return lines

    def body(self) -> list[str]:
        lines: list[str] = []
        for statement in self._routine.body:
            if isinstance(statement, Let):
                lines += ["", *_comment_lines(statement.comment)]
                for target, value in zip(statement.targets, statement.values, strict=True):
                    text = self._text(value)
                    lines += _wrapped(f"{target} = {text}")
                for target in statement.targets:
                    self._order[target] = len(self._order)
            elif isinstance(statement, Call):
                lines += self._call(statement)
            elif isinstance(statement, Guard):
                lines += self._guard(statement)
            else:
                assert isinstance(statement, Flag)  # noqa: S101 - narrows the union for mypy
                lines += _wrapped(f"flagged = np.where({self._relation(statement)}, {int(statement.status)}, flagged)")
                lines[-1] += f"  # {statement.comment}"
        if not self._routine.finite:
            return [_INDENT * 2 + line if line else "" for line in lines]
        total = " + ".join(self._text(v) for v in self._routine.finite)
        lines += _wrapped(f"status = _unless(np.isfinite({total}), status, {int(Status.BAD_INPUT)})")
        return [_INDENT * 2 + line if line else "" for line in lines]

    def _guard(self, guard: Guard) -> list[str]:
        lines = [line for rather in guard.rather for line in self._guard(rather)]
        lines += _wrapped(f"status = _unless({self._relation(guard)}, status, {int(guard.status)})")
        lines[-1] += f"  # {guard.comment}"
        return lines

    def results(self) -> list[str]:
        texts = []
        for output in self._routine.outputs:
            values = ", ".join(self._text(v) for v in output.values)
            texts.append(f"({values},)" if output.port.shape else values)
        return texts

    def _text(self, value: Expr) -> str:
        return self._printer.print_expression(value)

    def _relation(self, check: Guard | Flag) -> str:
        return f"{self._text(check.left)} {check.relation} {self._text(check.right)}"

    def _call(self, call: Call) -> list[str]:
        lines = ["", *_comment_lines(call.comment)]
        arguments = []
        for port, group in zip(call.routine.inputs, call.inputs, strict=True):
            texts = [self._text(v) for v in group]
            arguments.append(f"_stack({', '.join(texts)})" if port.shape else texts[0])
        names = [f"{call.prefix}_{output.port.name}" for output in call.routine.outputs]
        outcome = f"{call.prefix}_status"
        for output, targets in zip(call.routine.outputs, call.outputs, strict=True):
            name = f"{call.prefix}_{output.port.name}"
            for index, target in enumerate(targets):
                self._names[target] = f"{name}[..., {index}]" if output.port.shape else name
                self._order[target] = len(self._order)
        lines += _wrapped(f"{', '.join(names)}, {outcome} = {call.routine.name}({', '.join(arguments)})")
        if call.keep_singular:
            lines.append(f"status = _adopt(status, {outcome})")
            lines.append(f"flagged = np.where({outcome} == {int(Status.SINGULAR)}, {int(Status.SINGULAR)}, flagged)")
        else:
            lines.append(f"status = np.where(status == 0, {outcome}, status)")
        return lines


def _comment_lines(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH - 10)]


def _wrapped(text: str) -> list[str]:
    lines = textwrap.wrap(text, _WIDTH - 8, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False)
    if len(lines) == 1 or (text.split(" = ", 1)[1].endswith(")") and _one_call(text.split(" = ", 1)[1])):
        return lines
    head, tail = text.split(" = ", 1)
    inner = textwrap.wrap(tail, _WIDTH - 12, break_long_words=False, break_on_hyphens=False)
    return [f"{head} = (", *(_INDENT + line for line in inner), ")"]


def _one_call(text: str) -> bool:
    """Tell whether a text is one call, so that it may run over lines without more parentheses."""
    start = text.find("(")
    if start <= 0 or not text[:start].replace(".", "").replace("_", "").isalnum():
        return False
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            return place == len(text) - 1
    return False
