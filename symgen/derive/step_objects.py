"""The named steps of a derivation as derived objects: each for those arguments of the derivation that it needs.

Signs of roots, by which branches differ, are arguments whose square is 1. Steps that hold numbers of rounding, or that
come behind a search or a solved system, are no closed formula of the arguments and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from symgen.algebra import is_branch_sign, symbol, symbol_names
from symgen.derive.derivation import Derivation
from symgen.derive.derived_object import Argument, DerivedObject
from symgen.derive.items import Step
from symgen.ir.nodes import Port

_PARTS = ("position", "geometry", "velocity", "acceleration")


def step_objects(prefix: str, d: Derivation) -> dict[str, DerivedObject]:
    """Return the steps of a derivation as objects `<prefix>_<step>`, in their order."""
    ports = [port for port in d.inputs.values() if port.kind == "real"]
    signs: dict[str, Step] = {}
    reached: dict[str, frozenset[str]] = {e: frozenset((e,)) for port in ports for e in port.elements}
    found: dict[str, DerivedObject] = {}
    for item in d.items:
        if not isinstance(item, Step) or item.part not in _PARTS:
            continue
        if len(item.values) == 1 and is_branch_sign(item.values[0]):
            signs[item.targets[0]] = item
            reached[item.targets[0]] = frozenset(item.targets)
            continue
        used = {name for value in item.values for name in symbol_names(value)}
        if not used <= reached.keys():
            continue
        needed = frozenset().union(*(reached[name] for name in used))
        reached.update(dict.fromkeys(item.targets, needed))
        name = f"{prefix}_{item.name}"
        name = f"{name}_{item.part}" if name in found else name
        found[name] = _object(d, name, item, needed, ports, signs)
    return found


def _object(
    d: Derivation, name: str, step: Step, needed: frozenset[str], ports: list[Port], signs: Mapping[str, Step]
) -> DerivedObject:
    arguments = [
        Argument(p.name, p.shape, p.unit, p.elements, p.meaning, p.frame)
        for p in ports
        if needed.intersection(p.elements)
    ]
    used = tuple(sign for sign in signs if sign in needed)
    arguments += [Argument(sign, (), "1", (sign,), signs[sign].meaning) for sign in used]
    shape = () if len(step.targets) == 1 else (len(step.targets),)
    entries = tuple(symbol(target) for target in step.targets)
    return DerivedObject(
        name, step.name, step.meaning, tuple(arguments), shape, step.unit, step.source, entries, d, used
    )
