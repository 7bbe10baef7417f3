"""From a signature to the module of a ring: the dispatcher from words to kernels.

Source: docs/closed-forms.md, "Rings".
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.derive.derivation import Derivation
from symgen.derive.groups import rod_kernel
from symgen.derive.groups.turning_loops import TurningFamily, derive_turning_kernel
from symgen.derive.module import Arrangement, ModuleDerivation, overview
from symgen.derive.rings import regional, regional_kernels, turning
from symgen.derive.rings.chain import Chain
from symgen.derive.rings.group import SOURCE, Closing, RingGroup
from symgen.derive.rings.plane import PlaneClosing, planar_cut
from symgen.derive.rings.rod import RodClosing, rod_cut
from symgen.derive.rings.words import cut_letters, regional_reading, spherical_cut
from symgen.ir.nodes import Routine


@dataclass(frozen=True)
class RingSolver:
    """How a chain is solved: its closing, the kernel, the number of complex assembly modes."""

    closing: Closing
    kernel: Derivation
    modes: int
    summary: tuple[str, ...]


def find_solver(chain: Chain) -> RingSolver | None:
    """Return how a chain is solved in closed form, or None if no kernel knows its word."""
    cut = spherical_cut(chain)
    if cut is not None and len(chain.letters) == 6:
        name, _, _ = regional_reading(cut_letters(chain, cut))
        word = regional.WORDS[name]
        kernel = regional.derive_regional_kernel(word)
        summary = (*overview(regional.__doc__), *overview(regional_kernels.__doc__))
        return RingSolver(regional.RegionalClosing(cut, word), kernel, word.modes, summary)
    rod = rod_cut(chain)
    if rod is not None:
        closing = RodClosing(chain, rod)
        return RingSolver(closing, rod_kernel.derive_kernel(closing.primitive.kind), 2, overview(rod_kernel.__doc__))
    plane = planar_cut(chain)
    if plane is not None:
        ring = PlaneClosing(chain, plane)
        return RingSolver(ring, ring.kernel(), 4, overview(ring.summary))
    if [letter.primitive.kind for letter in chain.letters].count("R") == 3 and len(chain.letters) == 6:
        family = TurningFamily(f"ring_{chain.id}", "ring of three turns and three slides", ())
        return RingSolver(turning.TurningClosing(), derive_turning_kernel(family), 2, overview(turning.__doc__))
    return None


def derive_ring(chain: Chain) -> ModuleDerivation | None:
    """Derive the module of one chain; None if no kernel knows its word."""
    solver = find_solver(chain)
    if solver is None:
        return None

    def arrange(position: Routine) -> tuple[Arrangement, ...]:
        return (RingGroup(chain, solver.closing, position).arrangement(),)

    return ModuleDerivation(
        id=f"ring_{chain.id}",
        title=f"{chain.key.removesuffix(' 3D')} group",
        space="spatial",
        degree=solver.modes,
        source=SOURCE,
        summary=solver.summary,
        kernel=solver.kernel,
        arrange=arrange,
    )
