"""Imports point one way, as the table of docs/architecture.md says; text is never run as code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import symgen

PACKAGE = Path(symgen.__file__).resolve().parent
REPOSITORY = PACKAGE.parent
FREE = frozenset({"errors", "status", "naming", "resources", "callable_module"})

#: Third-party package -> the rooms that may import it. SymPy's printers are what `printers` builds on.
DOORS = {
    "sympy": {"algebra", "printers"},
    "mpmath": {"ir", "proofs"},
    "jinja2": {"render"},
    "cffi": {"build"},
    "click": {"cli"},
    "rich": {"cli"},
}

#: Calls that run text as code, and modules that load code from data.
BANNED_CALLS = {"eval", "exec", "compile", "__import__", "sympify", "parse_expr", "system", "popen"}
BANNED_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml", "sympy.parsing"}

SOURCES = sorted(PACKAGE.rglob("*.py"))


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the dotted name and the line of every import of a file, those inside functions too."""
    package = ["symgen", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *(node.module or "").split(".")]).rstrip(".")
            for alias in node.names:
                yield f"{module}.{alias.name}", node.lineno


def _rooms_of_the_document() -> dict[str, set[str]]:
    """Read room -> rooms it may import from the table of docs/architecture.md."""
    text = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.split("## Rooms")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)(?:/|\.py)?` \|.*\| ([^|]*) \|$", table, flags=re.MULTILINE)
    known = {"algebra", *(room for room, _ in rows)}
    allowed: dict[str, set[str]] = {}
    for room, may in rows:
        if "everything" in may:
            allowed[room] = set(known)
        elif "all of the above" in may:
            allowed[room] = {"algebra", *allowed}
        else:
            allowed[room] = set(re.findall(r"\w+", re.sub(r"\(.*?\)", "", may))) & known
    return allowed


ALLOWED = _rooms_of_the_document() | {
    "__init__": {
        "model",
        "topology",
        "library",
        "solve",
        "simulate",
        "transfer",
    },  # the public face binds its names lazily
    "__main__": {"cli"},
    "algebra": set(),
    **{room: set() for room in FREE},
}


def test_the_document_lists_every_room() -> None:
    assert {_room(path) for path in SOURCES} <= set(ALLOWED)


def test_no_two_rooms_import_each_other() -> None:
    pairs = {(a, b) for a, others in ALLOWED.items() for b in others if a != b}
    assert [pair for pair in sorted(pairs) if pair[::-1] in pairs and pair[0] < pair[1]] == []


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_imports_point_one_way(path: Path) -> None:
    room = _room(path)
    allowed = ALLOWED[room] | FREE | {room}
    wrong = []
    for name, line in _imports(path):
        parts = name.split(".")
        if parts[0] == "symgen" and len(parts) > 1:
            target = parts[1]
            is_room = (PACKAGE / target).is_dir() or (PACKAGE / f"{target}.py").is_file()
            if is_room and target not in allowed:
                wrong.append(f"line {line}: {room} imports {name}; it may import {sorted(allowed)}")
    assert wrong == []


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_package_has_one_door(path: Path) -> None:
    room = _room(path)
    wrong = []
    for name, line in _imports(path):
        door = DOORS.get(name.split(".")[0])
        if door is not None and room not in door:
            wrong.append(f"line {line}: {room} imports {name}; only {sorted(door)} may")
    assert wrong == []


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_text_is_never_run_as_code(path: Path) -> None:
    wrong = [f"line {line}: import of {name}" for name, line in _imports(path) if _is_banned(name)]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        # re.compile and the like are methods; the builtin is a bare name.
        if called in BANNED_CALLS and not (called == "compile" and isinstance(node.func, ast.Attribute)):
            wrong.append(f"line {node.lineno}: call of {called}")
        if any(word.arg == "shell" and getattr(word.value, "value", True) for word in node.keywords):
            wrong.append(f"line {node.lineno}: a shell")
    assert wrong == []


def _is_banned(name: str) -> bool:
    return any(name == module or name.startswith(module + ".") for module in BANNED_MODULES)


def test_generated_numpy_modules_import_numpy_alone() -> None:
    for path in sorted((REPOSITORY / "generated").rglob("*.py")):
        # by their lines: a parser takes seconds for what is thousands of lines of arithmetic
        text = path.read_text(encoding="utf-8")
        lines = re.findall(r"^\s*(?:from\s+([\w.]+)\s+)?import\s+([^#\n]+)", text, flags=re.MULTILINE)
        names = {name.strip().split(".")[0] for place, what in lines for name in (place or what).split(",")}
        names = {name.split(" as ")[0] for name in names}
        assert names <= {"numpy", "__future__", "typing", "math"}, path.name
