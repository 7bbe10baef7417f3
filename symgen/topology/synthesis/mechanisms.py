"""From chains to mechanisms: the frame link up to symmetry, and inputs that determine the motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from symgen.model.mechanism import Mechanism
from symgen.model.pairs import Space
from symgen.topology.analysis import analyse
from symgen.topology.synthesis.files import chain_tree
from symgen.topology.synthesis.joint_types import TypedChain


@dataclass(frozen=True, slots=True)
class Inversion:
    """A chain with one link fixed.

    Attributes
    ----------
    typed : the chain.
    frame : the fixed link.
    alike : links that symmetries map onto it, itself included: fixing them gives the same mechanism.
    """

    typed: TypedChain
    frame: int
    alike: tuple[int, ...]


def find_inversions(typed: TypedChain) -> list[Inversion]:
    """Return the mechanisms of a chain: one link of each orbit of its symmetries fixed."""
    parts: dict[int, list[int]] = {}
    for link in range(len(typed.chain.graph)):
        parts.setdefault(min(symmetry[link] for symmetry in typed.symmetries), []).append(link)
    return [Inversion(typed, frame, tuple(alike)) for frame, alike in parts.items()]


def find_inputs(inversion: Inversion, mobility: int, space: Space) -> tuple[int, ...] | None:
    """Return the first set of joints that, driven, determine the mechanism; joints of the frame come first.

    Returns
    -------
    joints : their numbers, `mobility` of them; one freedom of each is driven. None if no set does, or if no
        inputs are needed and the mechanism is not determined all the same.
    """
    joints = inversion.typed.chain.joints
    order = sorted(range(len(joints)), key=lambda k: (inversion.frame not in joints[k], k))
    for chosen in combinations(order, mobility):
        if _is_determined(inversion, chosen, space):
            return tuple(sorted(chosen))
    return None


def _is_determined(inversion: Inversion, driven: Sequence[int], space: Space) -> bool:
    tree = chain_tree(inversion.typed, space, "", frame=inversion.frame, driven=driven)
    return analyse(Mechanism.from_dict(tree)).status == "determined"
