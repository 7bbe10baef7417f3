"""Which bodies to model as flexible so that all reactions become unique.

A flexible body yields to what self-stresses load it with, and so decides how much of them there is. Reactions become
unique if no state of self-stress leaves all flexible bodies unloaded: if the self-stresses of the joints on them are as
many as all. Each body is taken as able to yield to any load.

Source: M. Wojtyra, J. Fraczek, "Joint reactions in rigid or flexible body mechanisms with redundant constraints", 2012.
"""

from __future__ import annotations

import numpy as np

from symgen.library.rotations import Array
from symgen.reactions.self_stress import SelfStresses

_LOADED = 1e-6


def flexible_bodies(stresses: SelfStresses) -> list[str]:
    """Return a few bodies (those that settle most first) which, flexible, make all reactions unique."""
    system = stresses.system
    remaining = stresses.together(range(len(system.sources)))
    if not remaining.shape[1]:
        return []
    starts = np.cumsum([0, *(source.count for source in system.sources)])
    rows = {
        k: np.concatenate(
            [np.arange(starts[s], starts[s + 1]) for s, source in enumerate(system.sources) if k in source.ends]
            or [np.zeros(0, dtype=int)]
        )
        for k in range(1, len(system.mechanism.bodies) + 1)
    }
    found: list[str] = []
    while remaining.shape[1]:
        settled = {k: _rank(remaining[mine]) for k, mine in rows.items()}
        best = max(settled, key=lambda k: (settled[k], -k))
        if not settled[best]:
            break  # between joints and the ground alone
        found.append(system.mechanism.bodies[best - 1].id)
        _, sizes, right = np.linalg.svd(remaining[rows[best]], full_matrices=True)
        rank = int(np.count_nonzero(sizes > _LOADED))
        remaining = remaining @ right[rank:].T
    return found


def _rank(loads: Array) -> int:
    return int(np.count_nonzero(np.linalg.svd(loads, compute_uv=False) > _LOADED)) if loads.size else 0
