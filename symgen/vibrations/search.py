"""Eigenfrequencies from the characteristic determinant alone: up from zero by steps that jump over no zero.

Each step goes as far as the determinant says that there is nothing (known zeros are divided out); zeros near are taken
from the determinant's matrix, multiple ones as often as they are. What is behind is known: counts are not needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symgen.errors import MechanismError
from symgen.vibrations.determinant import clearance, degree, slopes
from symgen.vibrations.direct import VibratingChain
from symgen.vibrations.roots import ZERO, Roots

Progress = Callable[[float], None]
#: Zeros nearer than this part of the square cannot be told apart.
_NEAREST = 1e-9
#: How far from a known zero the search goes on; beside it the determinant is rounding.
_PAST = 1e-5
#: From how far a zero is read off, how much readings may differ; parts of the square.
_BESIDE, _AGREE = 1e-8, 1e-7
#: How far Newton's steps may lead, over the distance in which there is nothing.
_REACH = 30.0
#: Steps longer than this part of the square are just gone.
_FAR = 0.2
_POLISHES, _MOST_STEPS = 60, 4000
_LARGEST = 1e30
#: How far growth is from the whole number of zeros, by zeros at hand and by rounding.
_SLACK = 0.05
#: Sizes between which the zeros of rigid bodies are looked for.
_SIZES = 4.0 ** np.arange(-16, 42)


@dataclass
class _Zeros:
    """Known zeros, in the direction of the search."""

    found: list[float]


def search(
    chain: VibratingChain, *, wanted: int | None, largest: float | None, file: str | None,
    progress: Progress | None = None,
) -> Roots:  # fmt: skip
    """Return the lowest zeros of the characteristic determinant.

    Parameters
    ----------
    wanted : how many positive ones, or None for all up to `largest`.
    largest : square of the largest angular frequency, or None.
    file : of the mechanism, for refusals.

    Raises
    ------
    MechanismError
        Rounding leaves the determinant no digits to find zeros by.
    """
    return _FrequencySearch(chain, file, progress).run(wanted, largest)


class _FrequencySearch:
    def __init__(self, chain: VibratingChain, file: str | None, progress: Progress | None) -> None:
        self.chain, self.file, self.progress = chain, file, progress
        self.total, self.top = self._extent()
        self.tolerance = ZERO * self.top
        near = float(degree(chain, np.array([self.tolerance]))[0])
        self.zero = round(near)
        if abs(near - self.zero) > 0.1:
            raise self._lost("motions without resistance cannot be distinguished from slow ones")

    def run(self, wanted: int | None, largest: float | None) -> Roots:
        end = _LARGEST if largest is None else largest
        up = _Zeros([0.0] * self.zero)
        if self.chain.loaded:
            down = _Zeros([0.0] * self.zero)
            self._climb(down, -1.0, max(self.top, min(end, 16.0 * self.top)), None)
            up.found += [-each for each in down.found[self.zero :]]
        negative = sorted(up.found[self.zero :])
        self._climb(up, 1.0, end, wanted)
        positive = np.array(sorted(each for each in up.found if 0.0 < each <= end))[:wanted]
        return Roots(positive, np.array(negative), self.zero, self.top, self.tolerance)

    def _extent(self) -> tuple[float, float]:
        """Return how many zeros there are (with beams without end) and about the largest square of the chain."""
        if not self.chain.rigid:
            return math.inf, self.chain.beam_square
        counts = degree(self.chain, _SIZES)
        right = np.flatnonzero((np.diff(counts, prepend=0.0) < -_SLACK) | (counts > self.chain.freedoms + _SLACK))
        counts = counts[: int(right[0]) if len(right) else None]  # far above all zeros the determinant is rounding
        flat = np.flatnonzero(np.abs(counts - np.round(counts)) < _SLACK)
        if not len(flat):
            raise self._lost("it does not grow as that of a chain")
        total = round(float(counts[flat[-1]]))
        return float(total), float(_SIZES[np.flatnonzero(counts > total - 0.5)[0]])

    def _lost(self, why: str) -> MechanismError:
        return MechanismError(
            f"the characteristic determinant has lost its digits: {why}. --method riccati "
            '(method="riccati") keeps them',
            file=self.file, field="joints",
        )  # fmt: skip

    # -- the way up --------------------------------------------------------------------------------------------------

    def _climb(self, zeros: _Zeros, sense: float, end: float, wanted: int | None) -> None:
        """Find the zeros of one sign from the smallest on; in the sense down their negatives are written."""
        here, step = self.tolerance, self.tolerance
        goal = math.inf if wanted is None else wanted
        for _ in range(_MOST_STEPS):
            passed = sum(0.0 < each <= here for each in zeros.found)
            if passed >= goal or here >= end or len(zeros.found) >= self.total:
                return
            far, step = self._clearance(zeros, sense, here, step)
            if far > _FAR * here or not self._take(zeros, sense, here, far):
                if far < _NEAREST * here:
                    raise self._lost(f"near {math.sqrt(here) / math.tau:.6g} Hz zeros cannot be distinguished")
                here += far
            for each in sorted(zeros.found):
                if abs(each - here) < _PAST * here:
                    here = each + _PAST * here
            if self.progress is not None:
                self.progress(min(1.0, passed / goal if wanted is not None else here / end))
        raise self._lost(f"no way past {math.sqrt(here) / math.tau:.6g} Hz in {_MOST_STEPS} steps")

    def _clearance(self, zeros: _Zeros, sense: float, here: float, step: float) -> tuple[float, float]:
        """Return how far the next zero is at least, and a step that makes the bound sharp."""
        known = [sense * each for each in zeros.found]
        far = 0.0
        for _ in range(8):
            far = max(far, clearance(self.chain, sense * here, step, known))
            if 0.02 * far <= step <= 0.5 * far or far == 0.0 or far > 1e3 * here:
                break
            step = 0.1 * far
        return far, max(0.1 * far, 1e-9 * here)

    def _take(self, zeros: _Zeros, sense: float, here: float, reach: float) -> bool:
        """Add the zero that Newton's steps from a place lead to, as often as it is; say whether there is one."""
        known = [sense * each for each in zeros.found]
        place, before, factor = here, 0.0, 1.0
        for _ in range(_POLISHES):
            (slope,) = slopes(self.chain, np.array([sense * place]), known)
            step = -sense / float(slope)
            if 0.3 < step / (before or math.inf) < 0.95 and factor == 1.0:  # a multiple zero: steps shrink by 1 - 1/m
                factor = round(1.0 / (1.0 - step / before))
            before, place = step, place + factor * step
            if not (0.0 < place < math.inf and abs(place - here) <= _REACH * reach):
                return False
            if abs(step) <= _BESIDE * place:
                return self._read(zeros, sense, place, known)
        return False

    def _read(self, zeros: _Zeros, sense: float, place: float, known: Sequence[float]) -> bool:
        """Read multiplicity and place of a zero off from both sides of it."""
        width = _BESIDE * place
        for _ in range(2):  # the second time about the place that the first one found
            beside = place + width * np.array([-2.3, -1.0, 1.0, 2.7])
            slope = sense * slopes(self.chain, sense * beside, known)
            count = round(0.5 * width * float(slope[2] - slope[1]))
            if count < 1:
                return False
            readings = beside - count / slope
            place = float(np.median(readings))
        unsure = float(np.ptp(readings)) / place
        if unsure > _AGREE:
            raise self._lost(f"near {math.sqrt(place) / math.tau:.6g} Hz its zeros are unsure by {unsure:.1e}")
        zeros.found += [place] * count
        return True
