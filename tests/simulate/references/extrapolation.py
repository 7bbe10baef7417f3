"""Ordinary differential equations to nearly all digits: the modified midpoint rule, extrapolated, with step control.

Source: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 1993, section II.9 (GBS).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Field = Callable[[float, Any], Any]

#: Numbers of substeps; the extrapolated value of all of them has order 2 * 8.
_SUBSTEPS = (2, 4, 6, 8, 10, 12, 14, 16)


def integrate(
    field: Field, state: Any, times: Any, tolerance: float = 1e-12, project: Callable[[Any], Any] | None = None
) -> Array:
    """Return the solution at increasing times, the first being where `state` is given.

    Parameters
    ----------
    field : d state / dt = field(t, state).
    tolerance : largest error of a step, relative to max(1, |component|); rounding alone makes about 1e-13.
    project : applied to the state after every step.
    """
    now, rows = np.array(state, dtype=float), [np.array(state, dtype=float)]
    t, h = float(times[0]), float(times[1] - times[0]) / 4
    for target in map(float, times[1:]):
        while target - t > 1e-13 * max(1.0, abs(target)):
            step = min(h, target - t)
            if target - t - step < 0.05 * step:
                step = target - t
            new, error = _step(field, t, now, step, tolerance)
            if not error <= 1.0:
                h = step * max(0.2, 0.9 * error ** (-1 / 15)) if np.isfinite(error) else 0.2 * step
                if h < 1e-12:
                    raise ArithmeticError(f"the step became too small at t = {t:g}")
                continue
            t, now = t + step, new if project is None else project(new)
            h = max(h, step * min(2.0, 0.9 * max(error, 1e-9) ** (-1 / 15)))
        t = target
        rows.append(now)
    return np.array(rows)


def _step(field: Field, t: float, state: Array, h: float, tolerance: float) -> tuple[Array, float]:
    """Return the new state and its error in units of the tolerance; infinite where the field cannot be evaluated."""
    table: list[list[Array]] = []
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            start = field(t, state)
            for n in _SUBSTEPS:
                row = [_midpoint(field, t, state, start, h, n)]
                for k, before in enumerate(table[-1] if table else [], start=1):
                    ratio = (n / _SUBSTEPS[len(table) - k]) ** 2
                    row.append(row[-1] + (row[-1] - before) / (ratio - 1.0))
                table.append(row)
        except np.linalg.LinAlgError:
            return state, float("inf")
        best, second = table[-1][-1], table[-1][-2]
        error = float(np.max(np.abs(best - second) / (tolerance * np.maximum(1.0, np.abs(state)))))
    return best, error if np.isfinite(error) else float("inf")


def _midpoint(field: Field, t: float, state: Array, start: Array, h: float, n: int) -> Array:
    sub = h / n
    before, now = state, state + sub * start
    for k in range(1, n):
        before, now = now, before + 2 * sub * field(t + k * sub, now)
    return now
