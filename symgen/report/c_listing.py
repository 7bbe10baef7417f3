"""What generated C says, read as text: its functions, statements, conditions and calls of kernels.

The files are written by one emitter (`symgen.emit.c99`), so that their lines have few shapes; what has another one is
passed over. Nothing here decides what is true: it finds the lines that belong to a step of the derivation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Statement:
    """``const vec3 arm = sub(s, j1_at);``

    Parameters
    ----------
    kind : its type in C.
    value : the expression.
    code : its lines.
    """

    name: str
    kind: str
    value: str
    code: str


@dataclass(frozen=True)
class Condition:
    """What must hold.

    Parameters
    ----------
    holds : whether `test` must hold; else its opposite.
    status : what is returned otherwise.
    ends : whether nothing is answered then; else the answer has that status.
    """

    test: str
    holds: bool
    meaning: str
    status: str
    ends: bool


@dataclass(frozen=True)
class KernelCall:
    """A call of another function of the module.

    Parameters
    ----------
    prefix : of the names of its results.
    given, results : expressions that it is given, names that it makes.
    """

    prefix: str
    function: str
    meaning: str
    code: str
    given: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


@dataclass(frozen=True)
class Listed:
    """A function of C: its statements by name, its conditions, its calls."""

    name: str
    statements: dict[str, Statement] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    calls: tuple[KernelCall, ...] = ()


_FUNCTION = re.compile(r"^(?:static|INLINED|SOLVER) symgen_(?:status|outcome) solve_(\w+)\($", re.MULTILINE)
_STATEMENT = re.compile(
    r"^    const (real|vec2|vec3|quat|own_turn) (\w+) = ([^;]*);[^\S\n]*(?:/\*.*\*/)?$", re.MULTILINE
)
_IF = re.compile(
    r"(?:^    /\* ([^\n]*) \*/\n)?^    if \((?P<test>(?:[^{}]|\n)*?)\) \{(?: /\* (?P<note>[^\n]*) \*/)?\n"
    r"        (?:return (?P<ends>SYMGEN_\w+)|LEAVE\((?P<leaves>SYMGEN_\w+)\)|status = (?P<marks>SYMGEN_\w+));\n    \}",
    re.MULTILINE,
)
_CALL = re.compile(
    r"(?:^    /\* (?P<meaning>[^\n]*) \*/\n(?:    (?:const )?real [^\n]*;\n)*)?"
    r"^    const symgen_(?:status|outcome) (?P<prefix>\w+)_status = "
    r"(?:WITHIN\()?(?P<function>\w+)(?:, \w+\))?\((?P<given>[^;]*)\);",
    re.MULTILINE,
)
_UNIT = re.compile(r" \[[^\]]*\]\Z")


def read_listing(text: str) -> dict[str, Listed]:
    """Return the functions of a file by what they solve: ``kernel_position``, ``r_u_s_geometry``."""
    found = {}
    for match in _FUNCTION.finditer(text):
        end = text.find("\n}\n", match.start())
        start = text.find("\n{\n", match.start())
        if 0 <= start < end:
            body = text[start + 3 : end + 1]
            found[match[1]] = Listed(match[1], _statements(body), tuple(_conditions(body)), tuple(_calls(body)))
    return found


def _statements(body: str) -> dict[str, Statement]:
    found: dict[str, Statement] = {}
    for match in _STATEMENT.finditer(body):
        kind, name, value = match[1], match[2], re.sub(r"\s+", " ", match[3])
        code = _dedent(match[0])
        turn = re.fullmatch(r"(\w+)\.(?:cosine|sine)", value)
        if turn is not None and turn[1] in found and not any(turn[1] in each.value for each in found.values()):
            code = f"{found[turn[1]].code}\n{code}"
        found.setdefault(name, Statement(name, kind, value, code))
    return found


def _conditions(body: str) -> Iterator[Condition]:
    for match in _IF.finditer(body):
        test = re.sub(r"\s+", " ", match["test"])
        ends = match["ends"] or match["leaves"]
        status = (ends or match["marks"]).removeprefix("SYMGEN_")
        holds = test.startswith("!(") and test.endswith(")")
        meaning = match["note"] or _UNIT.sub("", match[1] or "")
        yield Condition(test[2:-1] if holds else test, holds, meaning, status, ends is not None)


def _calls(body: str) -> Iterator[KernelCall]:
    for match in _CALL.finditer(body):
        call = match[0][match[0].index("    const symgen_") :]
        words = [word.strip() for word in match["given"].split(",")]
        results = [word for word in words if word.startswith("&") or word.endswith("_out")]
        yield KernelCall(
            match["prefix"],
            match["function"],
            (match["meaning"] or "").rstrip("."),
            _dedent(call),
            tuple(_given(word, body) for word in words if word not in results),
            tuple(word.removeprefix("&").removesuffix("_out") for word in results),
        )


def _given(word: str, body: str) -> str:
    """Return what an argument of a call is: the vector whose components its array holds, else the argument."""
    array = re.search(rf"^    const real {re.escape(word)}\[\d\] = \{{([^;]*)\}};", body, re.MULTILINE)
    if array is None:
        return word
    parts = [part.strip() for part in array[1].split(",")]
    owners = {part.rpartition(".")[0] for part in parts}
    if len(owners) == 1 and "" not in owners and all(re.fullmatch(r"\w+\.\w+", part) for part in parts):
        return owners.pop()
    return f"{{{array[1]}}}"


def _dedent(code: str) -> str:
    """Return a statement on one line, as wide as it is: the reader's window breaks it."""
    return "\n".join(re.sub(r"(\()?\s*\n\s+", lambda m: m[1] or " ", part).strip() for part in code.split(";\n"))
