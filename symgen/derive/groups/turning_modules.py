"""The modules of spatial loops with three turns: a kernel each, all arrangements on it."""

from __future__ import annotations

from symgen.derive.groups import turning_loops
from symgen.derive.groups.turning_loops import SOURCE, TURNING_FAMILIES, derive_turning_kernel
from symgen.derive.module import Arrangement, ModuleDerivation, overview
from symgen.derive.rings.chain import make_chain
from symgen.derive.rings.group import RingGroup
from symgen.derive.rings.turning import TurningClosing
from symgen.ir.nodes import Routine


def _arrangement(types: tuple[str, ...], position: Routine) -> Arrangement:
    chain = make_chain([(type_, ()) for type_ in types])
    return RingGroup(chain, TurningClosing(chain), position).arrangement()


def derive(module_id: str) -> ModuleDerivation:
    """Derive one of `TURNING_FAMILIES` by its id."""
    family = next(f for f in TURNING_FAMILIES if f.id == module_id)
    return ModuleDerivation(
        id=family.id,
        title=family.title,
        space="spatial",
        degree=family.modes,
        source=SOURCE,
        summary=overview(turning_loops.__doc__),
        kernel=derive_turning_kernel(family),
        arrange=lambda position: tuple(_arrangement(types, position) for types in family.arrangements),
    )
