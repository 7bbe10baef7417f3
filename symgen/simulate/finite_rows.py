"""Rows before a motion that stopped left the numbers that can be computed with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symgen.model.parameters import LARGEST
from symgen.poses import Array
from symgen.simulate.contract import EngineSamples

_ROWS = ("poses", "twists", "accelerations", "reactions", "angles", "scalars", "modes")


def finite_count(*arrays: Array) -> int:
    """Return how many rows come before the first with a number that is not finite, or too large for any motion."""
    good = np.ones(min(map(len, arrays)), dtype=bool)
    for each in arrays:
        good &= (np.abs(each[: len(good)]) <= LARGEST).all(axis=tuple(range(1, each.ndim)))  # NaN is not
    return len(good) if good.all() else int(np.argmin(good))


def finite_rows(samples: EngineSamples) -> EngineSamples:
    """Return samples without the rows from the first on that says nothing any more."""
    count = finite_count(samples.poses, samples.twists, samples.accelerations)
    return replace(samples, **{name: getattr(samples, name)[:count] for name in _ROWS})
