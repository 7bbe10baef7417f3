"""What the files of a module are made from: its family's sources, those of all stages behind them, and the templates.

A source depends on what it imports, also inside functions; nothing is run to find that out. The catalogue of families
reaches all of them, so it is not gone through: a module says which family it is of.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from symgen.derive.catalogue import home_of
from symgen.resources import source_path

_CATALOGUE = "symgen.derive.catalogue"
_STAGES = "symgen.pipeline.modules"
_ENGINES = "symgen.pipeline.engines"


def module_sources(module_id: str) -> frozenset[str]:
    """Return the modules of this package that decide what the files of a module or engine are."""
    from symgen.pipeline.engines import known_engines

    return sources_of(_ENGINES) if module_id in known_engines() else sources_of(_STAGES, home_of(module_id))


def sources_of(*roots: str) -> frozenset[str]:
    """Return the modules of this package that these import, directly or not, themselves and their packages included."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            if name not in ("symgen", _CATALOGUE):  # the package's own face loads all of it lazily
                waiting += _imports(name) - found
    # A package is run on the way to what lies in it; what it lists for its own users is another matter.
    packages = {name.rsplit(".", depth)[0] for name in found for depth in range(1, name.count(".") + 1)}
    return frozenset(found | packages)


@cache
def _imports(name: str) -> frozenset[str]:
    """Return what one module imports of this package."""
    found: set[str] = set()
    for node in _running(ast.parse(source_path(name).read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {each for each in inner if each.split(".")[0] == "symgen" and _is_source(each)}
            found |= modules if modules == inner else modules | {node.module}
    return frozenset(each for each in found if each.split(".")[0] == "symgen" and _is_source(each))


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module that are there when it runs: not what only a type checker reads."""
    yield node
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    for child in ast.iter_child_nodes(node):
        yield from _running(child)


def _is_source(name: str) -> bool:
    return source_path(name).is_file()
