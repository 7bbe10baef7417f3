"""What the explicit integrators in NumPy share: the error of a step, the length of the next, places within a step.

As in the engines' C. Source: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed.
1993, section II.10 and code DOP853.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symgen.poses import Array
from symgen.simulate.constants import constant
from symgen.simulate.minimal.schemes import ExplicitScheme

#: Steps there may be.
MOST_STEPS = 10**7
NEARLY, SHORTEST = constant("NEARLY_ALL"), constant("SHORTEST_STEP")
_SAFETY, _MOST, _LEAST = constant("SAFETY"), constant("MOST_GROWTH"), constant("LEAST_GROWTH")


def error_of_step(scheme: ExplicitScheme, h: float, slopes: Array, scale: Array) -> float:
    """Return the error of a step over what is allowed.

    Parameters
    ----------
    slopes : (stages, n).
    scale : (n,) errors that are allowed.
    """
    stages = scheme.stages
    fine = float(np.sum((h * (scheme.fine[:stages] @ slopes) / scale) ** 2))
    coarse = float(np.sum((h * (scheme.coarse[:stages] @ slopes) / scale) ** 2))
    both = fine + coarse / 100
    return fine / float(np.sqrt(both * max(len(scale), 1))) if both > 0 else both


def _eighth_root(error: float) -> float:
    """Return the root by which a step of order 8 changes, as the engines' C does: square roots are exact everywhere."""
    return float(np.sqrt(np.sqrt(np.sqrt(error))))


class StepControl:
    """Chooses the length of the next step from the error of the last."""

    def __init__(self) -> None:
        self._most = _MOST

    def accepted(self, step: float, h: float, error: float, *, last: bool) -> float:
        """Return the length after a step h that is kept; the last one may have been shortened from `step`."""
        growth = _SAFETY / _eighth_root(error) if error > 0 else self._most
        growth, self._most = min(growth, self._most), _MOST
        return (max(step, h) if last else h) * growth

    def refused(self, h: float, error: float) -> float:
        """Return the length after a step h that is not; the one after it does not grow."""
        growth = _SAFETY / _eighth_root(error) if np.isfinite(error) else 0.0
        self._most = 1.0
        return h * max(growth, _LEAST)


class WithinStep:
    """Places within a step.

    Parameters
    ----------
    begin, end : places at its ends.
    slopes : all that the scheme has.
    """

    def __init__(self, scheme: ExplicitScheme, h: float, begin: Array, end: Array, slopes: Sequence[Array]) -> None:
        grown, first, final = end - begin, h * slopes[0], h * slopes[scheme.stages]
        self._terms = [grown, first - grown, 2 * grown - (final + first), *(h * (scheme.dense @ np.array(slopes)))]

    def moved(self, share: float) -> Array:
        """Return the way from the begin after a share of the step."""
        way: Array = np.zeros_like(self._terms[0])
        for k in reversed(range(len(self._terms))):
            way = (way + self._terms[k]) * (share if k % 2 == 0 else 1 - share)
        return way
