"""Which bodies to model as flexible so that all reactions become unique.

A flexible body yields to what self-stresses load it with, and so decides how much of them there is. Reactions become
unique if no state of self-stress leaves all flexible bodies unloaded: if the self-stresses of the joints on them are as
many as all. Each body is taken as able to yield to any load.

Source: M. Wojtyra, J. Fraczek, "Joint reactions in rigid or flexible body mechanisms with redundant constraints", 2012.
"""

from __future__ import annotations

import numpy as np

from symgen.library.rotations import Array
from symgen.reactions.self_stress import SelfStress, SelfStresses

_LOADED = 1e-6
#: Self-stresses of one block beyond which the search takes seconds.
_MOST = 100


def flexible_bodies(stresses: SelfStresses) -> list[str] | None:
    """Return a few bodies, those that settle most first, which, flexible, make all reactions unique; None: too many.

    Blocks have their self-stresses for themselves; a body in several is asked for each.
    """
    if max((each.null.shape[1] for each in stresses.blocks), default=0) > _MOST:
        return None
    found: dict[int, None] = {}
    for each in stresses.blocks:
        if each.null.shape[1]:
            _choose(each, found)
    return [stresses.system.mechanism.bodies[k - 1].id for k in sorted(found)]


def _choose(stress: SelfStress, found: dict[int, None]) -> None:
    """Add bodies (by number) until they settle all self-stresses of a block."""
    remaining = stress.null
    rows: dict[int, list[int]] = {}
    for source, place in zip(stress.block.sources, stress.block.places, strict=True):
        for body in source.ends:
            if body:  # the ground is rigid
                rows.setdefault(body, []).extend(range(place.start, place.stop))
    for body in [body for body in rows if body in found]:
        remaining = _left(remaining, rows.pop(body))
    while remaining.shape[1] and rows:
        settled = {body: _rank(remaining[mine]) for body, mine in rows.items()}
        best = max(settled, key=lambda body: (settled[body], -body))
        if not settled[best]:
            break  # between joints and the ground alone
        found[best] = None
        remaining = _left(remaining, rows.pop(best))


def _left(remaining: Array, rows: list[int]) -> Array:
    """Return the self-stresses that do not load some rows."""
    _, sizes, right = np.linalg.svd(remaining[rows], full_matrices=True)
    left: Array = remaining @ right[int(np.count_nonzero(sizes > _LOADED)) :].T
    return left


def _rank(loads: Array) -> int:
    return int(np.count_nonzero(np.linalg.svd(loads, compute_uv=False) > _LOADED)) if loads.size else 0
