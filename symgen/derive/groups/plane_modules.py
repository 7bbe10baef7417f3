"""The shipped modules of rings with a planar joint: all arrangements of {R,U,PL} and {R,R,R,PL} on their kernels."""

from __future__ import annotations

from symgen.derive.module import Arrangement, ModuleDerivation, overview
from symgen.derive.rings.chain import Chain, make_chain
from symgen.derive.rings.group import SOURCE, RingGroup
from symgen.derive.rings.plane import PlaneClosing, planar_cut
from symgen.ir.nodes import Routine

#: module id -> title, and its chains in the direction in which their signatures read.
MODULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "loop_rue": ("{R,U,PL} loop", ("R.U.PL", "R.PL.U", "U.R.PL")),
    "ring_rrre": ("{R,R,R,PL} ring", ("R.R.R.PL", "R.R.PL.R")),
}


def _closing(chain: Chain) -> PlaneClosing:
    cut = planar_cut(chain)
    if cut is None:
        raise ValueError(f"{chain.key} is no ring of three turns and a planar joint")
    return PlaneClosing(chain, cut)


def derive(module_id: str) -> ModuleDerivation:
    """Derive one of `MODULES` by its id."""
    title, texts = MODULES[module_id]
    chains = [make_chain([(type_, ()) for type_ in text.split(".")]) for text in texts]
    closing = _closing(chains[0])

    def arrange(position: Routine) -> tuple[Arrangement, ...]:
        return tuple(RingGroup(chain, _closing(chain), position).arrangement() for chain in chains)

    return ModuleDerivation(
        id=module_id,
        title=title,
        space="spatial",
        degree=4,
        source=SOURCE,
        summary=overview(closing.summary),
        kernel=closing.kernel(),
        arrange=arrange,
    )
