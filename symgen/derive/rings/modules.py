"""From a signature to the module of a ring: the dispatcher from words to kernels.

Source: docs/closed-forms.md, "Rings".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from symgen.derive.derivation import Derivation
from symgen.derive.module import Arrangement, ModuleDerivation, overview
from symgen.derive.rings import ball_kernel as loops
from symgen.derive.rings import regional, regional_kernels, rod_kernel, spherical, turning, universal
from symgen.derive.rings import turning_kernel as turning_loops
from symgen.derive.rings.chain import RingChain, chain_of_id, chains_of
from symgen.derive.rings.group import SOURCE, RingClosing, RingGroup
from symgen.derive.rings.paired import PairedClosing, paired_family
from symgen.derive.rings.plane import PlaneClosing, planar_cut
from symgen.derive.rings.rod import RodClosing, rod_cut
from symgen.derive.rings.words import cut_letters, regional_reading, spherical_cut
from symgen.errors import UnsolvedTypeError
from symgen.ir.nodes import Routine

#: What the ids of these modules begin with.
PREFIX = "ring_"


@dataclass(frozen=True)
class RingSolver:
    """How a chain is solved: closing, kernel, number of complex assembly modes, what the kernel says of itself."""

    closing: RingClosing
    kernel: Callable[[], Derivation]
    modes: int
    summary: tuple[str, ...]
    source: str = SOURCE


def find_solver(chain: RingChain, loop: tuple[str, str] | None = None) -> RingSolver | None:
    """Return how a chain is solved in closed form, or None if no kernel knows its word.

    `loop` is id and title of the module if it is one of those with several arrangements on one kernel.
    """
    if not has_solver(chain):
        return None
    rod = rod_cut(chain)
    if rod is not None:
        closing = RodClosing(chain, rod)
        kernel = partial(rod_kernel.derive_kernel, closing.primitive.kind)
        return RingSolver(closing, kernel, 2, overview(rod_kernel.__doc__), rod_kernel.SOURCE)
    plane = planar_cut(chain)
    if plane is not None:
        ring = PlaneClosing(chain, plane)
        return RingSolver(ring, ring.kernel, 4, overview(ring.summary))
    cut = spherical_cut(chain)
    if cut is not None:
        return _through_sphere(chain, cut, paired=loop is not None)
    pairs = universal.universal_word(chain)
    if pairs is not None:
        whole = universal.UniversalClosing(chain, pairs)
        return RingSolver(whole, pairs.derive_kernel, pairs.modes, overview(pairs.summary))
    named = loop or (PREFIX + chain.id, "ring of three turns and three slides")
    kernel = partial(turning_loops.derive_turning_kernel, *named)
    return RingSolver(turning.TurningClosing(chain), kernel, turning_loops.MODES, overview(turning_loops.__doc__))


def _through_sphere(chain: RingChain, cut: int, *, paired: bool) -> RingSolver:
    """Return how a chain through a spherical pair is solved; `paired`: beside it there is a whole pair U or C.

    A ring of its own keeps the kernel of held letters for a universal pair, whose axes may be at any angle there.
    """
    name, _, _ = regional_reading(cut_letters(chain, cut))
    family = paired_family(name) if paired or name[0] == "C" else None
    if family is not None:
        kernel = partial(loops.derive_kernel, family)
        return RingSolver(PairedClosing(cut, family), kernel, family.modes, overview(loops.__doc__))
    word = regional.WORDS[name]
    kernel = partial(regional.derive_regional_kernel, word)
    summary = (*overview(spherical.__doc__), *overview(regional_kernels.__doc__))
    return RingSolver(regional.RegionalClosing(cut, word), kernel, word.modes, summary)


def derive_ring(chain: RingChain) -> ModuleDerivation | None:
    """Derive the module of one chain; None if no kernel knows its word."""
    solver = find_solver(chain)
    if solver is None:
        return None

    def arrange(position: Routine) -> tuple[Arrangement, ...]:
        return (RingGroup(chain, solver.closing, position).arrangement(),)

    return ModuleDerivation(
        id=PREFIX + chain.id,
        title=f"{chain.key.removesuffix(' 3D')} group",
        space="spatial",
        degree=solver.modes,
        source=solver.source,
        summary=solver.summary,
        kernel=solver.kernel(),
        arrange=arrange,
    )


def derive_by_id(module_id: str) -> ModuleDerivation | None:
    """Derive the ring with this id (`ring_r_r_r_s`); None if there is none, or none in closed form."""
    chain = chain_of_id(module_id.removeprefix(PREFIX)) if module_id.startswith(PREFIX) else None
    return None if chain is None else derive_ring(chain)


def rings_of_signature(text: str) -> tuple[str, ...]:
    """Return the ids of the rings that a signature or key stands for: one for each choice of driven freedoms.

    Raises
    ------
    UnsolvedTypeError
        The word of letters of each choice has no closed form; it is named.
    InputError
        The text is no chain of spatial joints.
    """
    chains = sorted({chain.canonical() for chain in chains_of(text)}, key=lambda chain: chain.key)
    found = tuple(PREFIX + chain.id for chain in chains if has_solver(chain))
    if not found:
        raise UnsolvedTypeError(" ".join(dict.fromkeys(why_unsolved(chain) for chain in chains)))
    return found


def has_solver(chain: RingChain) -> bool:
    """Tell whether a kernel knows the word of a chain."""
    if rod_cut(chain) is not None:
        return True
    cut = spherical_cut(chain) if spherical_cut(chain) is not None else planar_cut(chain)
    known = cut is not None or chain.word.count("R") == 3
    return len(chain.letters) == 6 and (known or universal.universal_word(chain) is not None)


def why_unsolved(chain: RingChain) -> str:
    """Say which word a chain has and why no kernel solves it."""
    count = len(chain.letters)
    if count != 6:
        return f"{chain.key} has {count} free freedoms between its known bodies; a structural group has 6."
    turns = chain.word.count("R")
    if turns < 3:
        return f"{chain.key} turns {turns} times only: its bodies keep an orientation that does not close."
    return (
        f"{chain.key} has the word {chain.word}, {turns} turns without a spherical pair: no closed form is known to "
        f"symgen. Closed forms of rings are those with a free S, with a free PL beside three turns, with three turns, "
        f"or of three whole pairs C and U; others are left to certified Newton iteration."
    )
