"""Which bodies to model as flexible so that all reactions become unique.

A flexible body yields to what self-stresses load it with, and so decides how much of them there is. Reactions become
unique if no state of self-stress leaves all flexible bodies unloaded: if the self-stresses of the joints on them are as
many as all. Each body is taken as able to yield to any load.

Source: M. Wojtyra, J. Fraczek, "Joint reactions in rigid or flexible body mechanisms with redundant constraints", 2012.
"""

from __future__ import annotations

import heapq

import numpy as np

from symgen.poses import Array
from symgen.reactions.self_stress import SelfStress, SelfStresses

_LOADED = 1e-6
#: Self-stresses of one block beyond which the search takes seconds.
_MOST = 500


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
    rows: dict[int, list[int]] = {}
    for source, place in zip(stress.block.sources, stress.block.places, strict=True):
        for body in source.ends:
            if body:  # the ground is rigid
                rows.setdefault(body, []).extend(range(place.start, place.stop))
    open_ = _Open(stress.null)
    for body in [body for body in rows if body in found]:
        open_.settle(rows.pop(body))
    # What a body settles only falls as others settle more: one that still leads after a new look is the best.
    waiting = [(-open_.count, body) for body in sorted(rows)]
    while open_.count and waiting:
        _, body = heapq.heappop(waiting)
        settled = len(open_.loads(rows[body]))
        if settled and waiting and (-settled, body) > waiting[0]:
            heapq.heappush(waiting, (-settled, body))
        elif settled:
            found[body] = None
            open_.settle(rows[body])


class _Open:
    """Self-stresses that no body has settled yet."""

    def __init__(self, null: Array) -> None:
        self.count = null.shape[1]
        self._null = null.copy()

    def loads(self, rows: list[int]) -> Array:
        """Return an orthonormal basis (k, columns) of the self-stresses that load some rows."""
        _, sizes, right = np.linalg.svd(self._null[rows], full_matrices=False)
        loading: Array = right[: int(np.count_nonzero(sizes > _LOADED))]
        return loading

    def settle(self, rows: list[int]) -> None:
        """Take away the self-stresses that load some rows."""
        loading = self.loads(rows)
        self.count -= len(loading)
        self._null -= (self._null @ loading.T) @ loading
