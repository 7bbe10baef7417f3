"""Statements of a routine as lines of MATLAB: numbers by name, checks that return.

What iterates has no lines here: a routine with zeros of polynomials, searches, kernels or calls is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from symgen.algebra import Expr
from symgen.emit.folding import INDENT, broken
from symgen.errors import IRError
from symgen.ir.nodes import Flag, Guard, Let, Mark, Routine
from symgen.naming import free_text
from symgen.printers.matlab import MatlabPrinter
from symgen.printers.tolerances import TOLERANCE_VALUE

_WIDTH = 115
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
#: What stands for something else in the function, or is a word of the language.
_HELD = (
    "inputs results status group root pick real_or_nan double class isnumeric max abs sin cos tan asin acos atan atan2 "
    "exp log power pi e i j Inf NaN eps differ k steps wanted expected found same"
)
_WORDS = (
    "break case catch classdef continue do else elseif end endfunction endif endwhile for function global if otherwise "
    "parfor persistent return spmd switch try unwind_protect until while isfinite isreal numel all any error"
)
TAKEN = frozenset(f"{_HELD} {_WORDS}".split())


def why_not_in_matlab(routine: Routine) -> str:
    """Return why a routine cannot be written; empty if it can."""
    for statement in routine.body:
        if not isinstance(statement, (Let, Guard, Flag, Mark)):
            return f"{statement.comment or type(statement).__name__}: this iterates or calls what does"
    return ""


def matlab_lines(routine: Routine, given: Mapping[str, str]) -> list[str]:
    """Return the body of a function between its inputs and its results.

    Parameters
    ----------
    given : element of an input port -> its text, ``inputs(3)`` or a number.

    Raises
    ------
    IRError
        The routine holds what has no lines here (`why_not_in_matlab`), or a name that MATLAB does not allow.
    """
    emitter = _Emitter(routine, given)
    return emitter.lines()


def matlab_results(routine: Routine, given: Mapping[str, str]) -> list[str]:
    """Return the texts of the real results, in order."""
    emitter = _Emitter(routine, given)
    emitter.lines()
    return [emitter.text(value) for output in routine.outputs if output.port.kind == "real" for value in output.values]


class _Emitter:
    def __init__(self, routine: Routine, given: Mapping[str, str]) -> None:
        self._routine = routine
        self._names: dict[str, str] = {**{name: repr(value) for name, value in TOLERANCE_VALUE.items()}, **given}
        self._order: dict[str, int] = {name: k for k, name in enumerate(given)}
        self._printer = MatlabPrinter(self._names, self._order)

    def text(self, value: Expr) -> str:
        return self._printer.print_expression(value)

    def lines(self) -> list[str]:
        lines: list[str] = []
        last_comment = ""
        for statement in self._routine.body:
            if isinstance(statement, Let):
                written = self._let(statement)
                is_repeated = statement.comment == last_comment
                lines += written if is_repeated else ["", f"% {free_text(statement.comment)}", *written]
                last_comment = statement.comment
                continue
            last_comment = ""
            if isinstance(statement, Mark):
                lines += ["", f"% {free_text(statement.comment)}", f"group = {statement.group};"]
            elif isinstance(statement, Guard):
                lines += self._guard(statement)
            elif isinstance(statement, Flag):
                lines += [
                    f"if {self._relation(statement)} % {free_text(statement.comment)}",
                    f"{INDENT}status = {int(statement.status)};", "end",
                ]  # fmt: skip
            else:
                raise IRError(f"no lines of MATLAB for {type(statement).__name__}")
        return [part for line in lines for part in _continued(line)]

    def _let(self, let: Let) -> list[str]:
        texts = [self.text(value) for value in let.values]
        found = []
        for target, text in zip(let.targets, texts, strict=True):
            name = f"{target}_" if target in TAKEN else target
            if _NAME.fullmatch(name) is None:
                raise IRError(f"{target!r} is no name in MATLAB")
            self._names[target] = name
            self._order[target] = len(self._order)
            found.append(f"{name} = {text};")
        return found

    def _relation(self, check: Guard | Flag) -> str:
        return f"{self.text(check.left)} {check.relation} {self.text(check.right)}"

    def _guard(self, guard: Guard) -> list[str]:
        asked = " && ".join(self._relation(check) for check in (guard, *guard.also))
        lines = [f"% {free_text(guard.comment)}", f"if ~({asked})"]
        for rather in guard.rather:
            lines += [INDENT + line for line in self._guard(rather)]
        return [*lines, f"{INDENT}status = {int(guard.status)};", f"{INDENT}return", "end"]


def _continued(line: str) -> list[str]:
    """Break a long line with the dots that say that it goes on; a remark is one line."""
    if len(line) <= _WIDTH or line.lstrip().startswith("%"):
        return [line]
    first = len(line) - len(line.lstrip())
    parts = broken(line.strip(), _WIDTH - first)
    return [f"{' ' * first}{part} ..." for part in parts[:-1]] + [f"{' ' * first}{parts[-1]}"]
