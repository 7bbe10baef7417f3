"""Where the driven freedoms go: along time, or straight from the drawing to where the motion begins.

A path has nodes close enough that no driven freedom goes far between two of them, whatever times are asked for: what
is found along it does not depend on the time grid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.solve.turns import ANGLES

Key = tuple[str, str]
Drives = Mapping[Key, Array]

#: A driven angle goes no further between two nodes [rad]; a driven length by this part of the mechanism's size.
STEP = 0.25
#: A time scale is the time in which a driven freedom goes this many steps: about a radian.
_STEPS_OF_A_SCALE = 4.0
#: Nodes beyond which a motion is called too far to follow: at least 40,000 turns of a crank, half a minute of work.
MOST_NODES = 2_000_000
_ROUNDS = 24
_MOST_PARTS = 16


@dataclass(frozen=True)
class Path:
    """Driven freedoms over a parameter: the time [s], or 0 to 1 from the drawing to the beginning.

    Parameters
    ----------
    evaluate : (n,) -> (joint, freedom) -> (n, 3) value, rate, acceleration by the parameter; NaN where a law has none.
    nodes : (m,) ascending; the first and last are a little outside of what is asked for, if laws have values there.
    begin : where the motion is known, one of the nodes.
    steps : (joint, freedom) -> how far it may go between two nodes [rad or m].
    cut : whether the nodes end before what is asked for, downwards and upwards: it is too far to follow.
    """

    evaluate: Callable[[Array], Drives] = field(hash=False)
    nodes: Array = field(hash=False)
    begin: float
    steps: Mapping[Key, float] = field(hash=False)
    cut: tuple[bool, bool] = (False, False)

    def scale(self, at: float) -> float:
        """Return the parameter's length in which the driven freedoms go about a radian from here."""
        drives = self.evaluate(np.array([at]))
        span = float(self.nodes[-1] - self.nodes[0]) or 1.0
        scale = span
        for key, step in self.steps.items():
            _, rate, second = np.abs(drives[key][0])
            way = _STEPS_OF_A_SCALE * step
            if rate * span > way:
                scale = min(scale, way / rate)
            if second * span**2 > 2.0 * way:
                scale = min(scale, float(np.sqrt(2.0 * way / second)))
        return scale


def path_of_time(mechanism: Mechanism, times: Array, size: float, begin: float | None, stops: Array) -> Path:
    """Return the path that the laws take over `times`.

    Parameters
    ----------
    begin : time at which the motion is known; None: t = 0, or the first of `times` if a law has no value at 0.
    stops : other times that shall be nodes.
    """

    def evaluate(at: Array) -> Drives:
        return {key: _law_values(law.evaluate, at) for key, law in mechanism.drives.items()}

    steps = _steps(mechanism, list(mechanism.drives), size)
    if begin is None:
        at_zero = evaluate(np.zeros(1))
        begin = 0.0 if all(np.all(np.isfinite(each)) for each in at_zero.values()) else float(times[0])
    return _make(evaluate, np.concatenate([times, stops]), begin, steps)


def straight_path(mechanism: Mechanism, first: Mapping[Key, float], last: Mapping[Key, float], size: float) -> Path:
    """Return the path from some values of the driven freedoms to others, 0 to 1, all at a constant rate."""

    def evaluate(at: Array) -> Drives:
        found = {}
        for key, start in first.items():
            way = last[key] - start
            found[key] = np.stack([start + at * way, np.full(at.shape, way), np.zeros(at.shape)], axis=-1)
        return found

    return _make(evaluate, np.array([0.0, 1.0]), 0.0, _steps(mechanism, list(first), size))


def _law_values(law: Callable[[Array], tuple[Array, Array, Array]], at: Array) -> Array:
    """Return value, rate and acceleration (n, 3); NaN where the law has none, which nobody asked for."""
    try:
        return np.stack(law(at), axis=-1)
    except MechanismError:
        if len(at) == 1:
            return np.full((1, 3), np.nan)
        half = len(at) // 2
        return np.concatenate([_law_values(law, at[:half]), _law_values(law, at[half:])])


def _steps(mechanism: Mechanism, keys: list[Key], size: float) -> dict[Key, float]:
    found = {}
    for joint, freedom in keys:
        found[joint, freedom] = STEP if freedom in ANGLES else STEP * size
    return found


def _make(evaluate: Callable[[Array], Drives], asked: Array, begin: float, steps: Mapping[Key, float]) -> Path:
    nodes = np.unique(np.concatenate([asked, [begin]]))
    low = high = False
    nodes = _with_ends(evaluate, nodes, steps)
    for _ in range(_ROUNDS):
        parts = _parts(evaluate(nodes), nodes, steps)
        first, last = _within_reach(nodes, parts, begin)
        low, high = low or first > 0, high or last < len(nodes) - 1
        nodes, parts = nodes[first : last + 1], parts[first:last]
        if np.all(parts <= 1):
            break
        cuts = np.minimum(parts, _MOST_PARTS)
        starts = np.repeat(nodes[:-1], cuts)
        place = np.arange(len(starts)) - np.repeat(np.cumsum(cuts) - cuts, cuts)
        widths = np.repeat(np.diff(nodes) / cuts, cuts)
        nodes = np.unique(np.append(starts + place * widths, nodes[-1]))
    return Path(evaluate, nodes, begin, steps, (low, high))


def _with_ends(evaluate: Callable[[Array], Drives], nodes: Array, steps: Mapping[Key, float]) -> Array:
    """Return the nodes with one more at each end: a change point at an end is judged by what is behind it, too."""
    ends = Path(evaluate, nodes, float(nodes[0]), steps)
    found = [nodes]
    for at, side in ((float(nodes[0]), -1.0), (float(nodes[-1]), 1.0)):
        more = at + side * ends.scale(at) / _STEPS_OF_A_SCALE
        if np.isfinite(more) and all(np.all(np.isfinite(each)) for each in evaluate(np.array([more])).values()):
            found.append(np.array([more]))
    return np.unique(np.concatenate(found))


def _parts(drives: Drives, nodes: Array, steps: Mapping[Key, float]) -> NDArray[np.int64]:
    """Return into how many parts each step between two nodes has to be cut."""
    need = np.ones(len(nodes) - 1)
    dt = np.diff(nodes)
    for key, step in steps.items():
        value, rate, second = drives[key].T
        ways = [
            np.abs(np.diff(value)),
            dt * np.fmax(np.abs(rate[1:]), np.abs(rate[:-1])),
            0.5 * dt**2 * np.fmax(np.abs(second[1:]), np.abs(second[:-1])),
        ]
        for way in ways:
            need = np.fmax(need, way / step)
    # A step of exactly the length allowed is none too long: rounding must not cut it in two.
    bounded = np.minimum(np.where(np.isfinite(need), need, 1.0), MOST_NODES + 1.0)
    return np.asarray(np.ceil(bounded - 1e-9), dtype=np.int64)


def _within_reach(nodes: Array, parts: NDArray[np.int64], begin: float) -> tuple[int, int]:
    """Return the first and last node that can be reached from the beginning with the nodes allowed."""
    start = int(np.searchsorted(nodes, begin))
    ahead = np.cumsum(parts[start:])
    behind = np.cumsum(parts[:start][::-1])
    return (
        start - int(np.searchsorted(behind, MOST_NODES, side="right")),
        start + int(np.searchsorted(ahead, MOST_NODES, side="right")),
    )
