"""What is known of solved types, as JSON trees for ``symgen library list`` and ``show``."""

from __future__ import annotations

from typing import Any

import msgspec

from symgen.library.catalogue import Catalogue, Entry
from symgen.library.first_use import ON_FIRST_USE
from symgen.library.manifest import Function, Level
from symgen.library.signatures import counted
from symgen.library.solutions import NEWTON, WITH_FRAMES
from symgen.status import MEANING, Status
from symgen.third_party import ELEMENTS, derivations

LIST_SCHEMA = "symgen/library/1"
TYPE_SCHEMA = "symgen/solved-type/1"


def describe_catalogue(catalogue: Catalogue) -> dict[str, Any]:
    """Return the document of ``library list``."""
    engines = [
        {"module": f"newton_{space}", "space": space, "method": NEWTON, "pairs": list(pairs)}
        for space, pairs in WITH_FRAMES.items()
    ]
    types = [describe_entry(entry) for entry in catalogue.entries]
    there = {entry.key for entry in catalogue.entries}
    later = [
        {"signature": counted(key), "key": key, "module": module, "space": "spatial", "made": "on first use"}
        for module, keys in ON_FIRST_USE.items()
        for key in keys
        if key not in there
    ]
    formulas = [describe_entry(entry) for entry in catalogue.formulas]
    return {
        "schema": LIST_SCHEMA,
        "types": types,
        "formulas": formulas,
        "on_first_use": later,
        "offered": _offered(catalogue),
        "engines": engines,
    }


def _offered(catalogue: Catalogue) -> list[dict[str, str]]:
    """Return what installed packages offer and no folder holds: it is derived when its name is asked for."""
    there = {module.manifest.id for module in catalogue.modules}
    return [
        {"name": offer.name, "kind": "element" if offer.group == ELEMENTS else "derivation", "package": offer.package}
        for offer in derivations()
        if offer.name not in there
    ]


def describe_entry(entry: Entry) -> dict[str, Any]:
    """Return one row of ``library list``."""
    manifest = entry.manifest
    levels: tuple[Level, ...] = ("kernel", "group") if entry.arrangement.joints else ("kernel",)
    return {
        "signature": entry.arrangement.signature,
        "key": entry.key,
        "module": manifest.id,
        "space": manifest.space,
        "method": manifest.method,
        "degree": manifest.degree,
        "branches": manifest.branches,
        "branch_order": manifest.branch_order,
        "operations": {level: operation_count(entry, level) for level in levels},
        "ports": _port_names(entry, levels[-1]),
        "source": manifest.source,
    }


def _port_names(entry: Entry, level: Level) -> dict[str, list[str]]:
    """Return the names of the inputs and outputs of the level's function that gives the most."""
    functions = {function.stage: function for function in entry.manifest.functions_of(level, entry.arrangement.id)}
    whole = functions.get("all") or functions.get("position")
    if whole is None:
        return {"inputs": [], "outputs": []}
    return {
        side: [port.name for port in ports] for side, ports in (("inputs", whole.inputs), ("outputs", whole.outputs))
    }


def operation_count(entry: Entry, level: Level) -> int | None:
    """Return how many operations position, velocity and acceleration together take; None if there is no such function.

    Additions, multiplications, divisions, square roots and trigonometric calls count one each.
    """
    functions = entry.manifest.functions_of(level, entry.arrangement.id)
    for stage in ("all", "position"):
        for function in functions:
            if function.stage == stage and function.operations:
                return sum(function.operations.values())
    return None


def describe_type(entry: Entry) -> dict[str, Any]:
    """Return the document of ``library show``."""
    manifest = entry.manifest
    functions = [
        function for level in ("kernel", "group") for function in manifest.functions_of(level, entry.arrangement.id)
    ]
    statuses = {name for function in functions for name in function.statuses}
    return {
        "schema": TYPE_SCHEMA,
        **describe_entry(entry),
        "title": manifest.title,
        "generator": manifest.generator,
        "origin": manifest.origin,
        "arrangement": _tree(entry.arrangement),
        "branch_bits": _tree(manifest.branch_bits),
        "statuses": {status.name: manifest.meaning(status) for status in Status if status.name in statuses},
        "functions": [_function(function) for function in functions],
        "derivation": _tree(entry.module.steps_of(entry.arrangement.id)),
        "proofs": _tree([p for p in manifest.proofs if p.arrangement in (None, entry.arrangement.id)]),
        "float_accuracy": _tree(manifest.float_accuracy),
        "folder": str(entry.module.folder),
        "files": _tree(manifest.files),
    }


def describe_newton(entry: Entry) -> dict[str, Any]:
    """Return the document of ``library show`` for a group that is solved by certified Newton."""
    functions = entry.manifest.functions
    statuses = {name for function in functions for name in function.statuses}
    return {
        "schema": TYPE_SCHEMA,
        **describe_entry(entry),
        "degree": None,
        "branches": None,
        "branch_order": None,
        "source": "docs/certified-newton.md",
        "title": entry.manifest.title,
        "note": "solved by certified Newton; nothing to generate",
        "arrangement": _tree(entry.arrangement),
        "branch_bits": [],
        "statuses": {status.name: MEANING[status] for status in Status if status.name in statuses},
        "functions": [_function(function) for function in functions],
        "derivation": [],
        "proofs": [],
        "float_accuracy": None,
        "folder": None,
        "files": {},
    }


def _function(function: Function) -> dict[str, Any]:
    tree: dict[str, Any] = _tree(function)
    return tree


def _tree(value: Any) -> Any:
    return msgspec.to_builtins(value)
