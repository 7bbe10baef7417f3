"""Imports point one way, as the table of docs/architecture.md says; text is never run as code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import symgen

PACKAGE = Path(symgen.__file__).resolve().parent
REPOSITORY = PACKAGE.parent
FREE = frozenset(
    {"errors", "status", "naming", "resources", "callable_module", "blas_threads", "signals", "poses", "engine_tables"}
)

#: Third-party package -> the rooms that may import it. SymPy's printers are what `printers` builds on.
DOORS = {
    "sympy": {"algebra", "printers"},
    "mpmath": {"ir", "proofs", "printers", "certificates"},
    "jinja2": {"render"},
    "cffi": {"build"},
    "threadpoolctl": {"blas_threads"},
    "click": {"cli"},
    "lark": {"check"},
    "pebble": {"check"},
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


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the dotted name and the line of every import of a file, those inside functions too.

    Where a file imports by name, every text in it that is a name in symgen, or the beginning of one, is an import.
    """
    package = ["symgen", *path.relative_to(PACKAGE).parts[:-1]]
    tree = _tree(path)
    by_name = _imports_by_name(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *(node.module or "").split(".")]).rstrip(".")
            for alias in node.names:
                yield f"{module}.{alias.name}", node.lineno
        elif by_name and isinstance(node, ast.Constant) and re.fullmatch(r"symgen(\.\w+)+\.?", str(node.value)):
            yield str(node.value).rstrip("."), node.lineno


def _imports_by_name(tree: ast.AST) -> bool:
    """Tell whether a file names `import_module`, however it came by it."""
    for node in ast.walk(tree):
        names = [each.name for each in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if "import_module" in [*names, getattr(node, "attr", None)]:
            return True
    return False


def _doors_back() -> dict[str, str]:
    """Read file -> module of the imports against the table's direction from docs/architecture.md."""
    text = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+\.py)` \| `([\w.]+)` \|", text.split("points backwards")[1], flags=re.MULTILINE)
    return {file: f"symgen.{module}" for file, module in rows}


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
        "vibrations",
        "reactions",
    },  # the public face binds its names lazily
    "__main__": {"cli"},
    "algebra": set(),
    **{room: set() for room in FREE},
}

DOORS_BACK = _doors_back()


def test_the_document_lists_every_room() -> None:
    assert {_room(path) for path in SOURCES} <= set(ALLOWED)


def test_no_two_rooms_import_each_other() -> None:
    pairs = {(a, b) for a, others in ALLOWED.items() for b in others if a != b}
    assert [pair for pair in sorted(pairs) if pair[::-1] in pairs and pair[0] < pair[1]] == []


def test_imports_point_one_way() -> None:
    wrong = []
    for path in SOURCES:
        room = _room(path)
        allowed = ALLOWED[room] | FREE | {room}
        for name, line in _imports(path):
            parts = name.split(".")
            if parts[0] == "symgen" and len(parts) > 1:
                target = parts[1]
                is_room = (PACKAGE / target).is_dir() or (PACKAGE / f"{target}.py").is_file()
                if is_room and target not in allowed and not _is_door_back(path, name):
                    wrong.append(f"{_name(path)}:{line}: {room} imports {name}; it may import {sorted(allowed)}")
    assert not wrong, "\n".join(wrong)


def test_no_circle_of_imports_is_hidden_in_functions() -> None:
    """Modules that import each other, at once or later, are one module in several files."""
    names = {path: ".".join(("symgen", *path.relative_to(PACKAGE).with_suffix("").parts)) for path in SOURCES}
    modules = {name.removesuffix(".__init__"): path for path, name in names.items()}
    graph = {name: sorted(_modules_imported(path, modules) - {name}) for name, path in modules.items()}
    assert _circle(graph) == []


def _modules_imported(path: Path, modules: dict[str, Path]) -> set[str]:
    """Return the modules of symgen that a file imports to run, in functions too; types alone do not count."""
    tree = _tree(path)
    only_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in only_types:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.add(name if name in modules else node.module)
    return found & set(modules)


def _circle(graph: dict[str, list[str]]) -> list[str]:
    """Return the modules of one circle, the first again at its end; none if there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_a_circle_is_seen() -> None:
    assert set(_circle({"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]})) == {"a", "b", "c"}


def _is_door_back(path: Path, name: str) -> bool:
    return name.startswith(DOORS_BACK.get(_name(path), "nothing") + ".")


@pytest.mark.parametrize(("file", "module"), DOORS_BACK.items())
def test_a_door_back_is_used_and_opens_late(file: str, module: str) -> None:
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    uses = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == module]
    assert uses
    assert all(id(each) in inside for each in uses)


@pytest.mark.parametrize(
    "text",
    [
        'from importlib import import_module\nimport_module("symgen.transfer.motion")',
        'import importlib\nROOM = "symgen.transfer.motion"\nimportlib.import_module(ROOM)',
        'from importlib import import_module as get\nget(f"symgen.transfer.{name}")',
    ],
)
def test_an_import_by_name_is_seen(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    path = tmp_path / "simulate.py"
    path.write_text(text, encoding="utf-8")
    assert any(name.startswith("symgen.transfer") for name, _ in _imports(path))


def test_a_package_has_one_door() -> None:
    wrong = []
    for path in SOURCES:
        for name, line in _imports(path):
            door = DOORS.get(name.split(".")[0])
            if door is not None and _room(path) not in door:
                wrong.append(f"{_name(path)}:{line}: {_room(path)} imports {name}; only {sorted(door)} may")
    assert not wrong, "\n".join(wrong)


def test_text_is_never_run_as_code() -> None:
    wrong = [f"{_name(path)}:{fault}" for path in SOURCES for fault in _code_from_text(path)]
    assert not wrong, "\n".join(wrong)


def _code_from_text(path: Path) -> Iterator[str]:
    yield from (f"{line}: import of {name}" for name, line in _imports(path) if _is_banned(name))
    for node in ast.walk(_tree(path)):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        # re.compile and the like are methods; the builtin is a bare name.
        if called in BANNED_CALLS and not (called == "compile" and isinstance(node.func, ast.Attribute)):
            yield f"{node.lineno}: call of {called}"
        if any(word.arg == "shell" and getattr(word.value, "value", True) for word in node.keywords):
            yield f"{node.lineno}: a shell"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x = eval('1')", "1: call of eval"),
        ("import os\nos.system('ls')", "2: call of system"),
        ("import subprocess\nsubprocess.run('ls', shell=True)", "2: a shell"),
        ("import pickle", "1: import of pickle"),
    ],
)
def test_text_that_is_run_as_code_is_seen(
    text: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    path = tmp_path / "model.py"
    path.write_text(text, encoding="utf-8")
    assert list(_code_from_text(path)) == [fault]


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
