"""The shipped modules of rods between two balls: {R,S,S} and {P,S,S}."""

from __future__ import annotations

from symgen.derive.blocks.spatial import Kind
from symgen.derive.groups import rod_kernel
from symgen.derive.module import Arrangement, ModuleDerivation, overview
from symgen.derive.rings.chain import make_chain
from symgen.derive.rings.group import RingGroup
from symgen.derive.rings.rod import RodClosing
from symgen.ir.nodes import Routine


def derive(kind: Kind) -> ModuleDerivation:
    """Derive R.S.S or P.S.S."""
    chain = make_chain([(kind, ()), ("S", ()), ("S", ())])

    def arrange(position: Routine) -> tuple[Arrangement, ...]:
        return (RingGroup(chain, RodClosing(chain, 1), position).arrangement(),)

    return ModuleDerivation(
        id=f"loop_{kind.lower()}ss",
        title=f"{{{kind},S,S}} loop, a rod with its idle spin by convention",
        space="spatial",
        degree=2,
        source=rod_kernel.SOURCE,
        summary=overview(rod_kernel.__doc__),
        kernel=rod_kernel.derive_kernel(kind),
        arrange=arrange,
    )
