"""The certificate in NumPy; docs/certified-newton.md proves the bounds. The C solver computes the same."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symgen.library.newton.engine import REPORT, Kind
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import SolverPlan
from symgen.poses import Array

_EPSILON = 2.0**-52
#: Part of the largest singular value that stands for one that is zero: far below rounding.
_UNSEEN = 1e-18
#: Operations behind a residual, an upper bound.
_ROUNDING = 64


def extent_of(inputs: Inputs, poses: Array) -> Array:
    """Return how far poses (B, bodies, places) reach from the origin, (B,): what rounding is measured by."""
    cut = 2 if poses.shape[-1] == 3 else 3
    fixed = max(float(np.abs(each[..., :cut]).max(initial=0.0)) for each in (inputs.known, inputs.frames))
    most: Array = np.maximum(np.abs(poses[..., :cut]).max(axis=(1, 2)), fixed)
    return 1.0 + 2.0 * most


def curvature(plan: SolverPlan, kinds: Mapping[str, Kind], inputs: Inputs, poses: Array) -> Array:
    """Bound the Lipschitz constant of the Jacobian in the unit ball around each set of poses, (B,)."""
    count, bodies, places = poses.shape
    cut = 2 if places == 3 else 3
    number = {plan.problem.bodies[k]: place for place, k in enumerate(plan.order)}
    number |= {body: bodies + k for k, body in enumerate(plan.problem.known)}
    total = np.zeros((count, bodies))
    for element in plan.elements:
        kind = kinds[element.kind]
        ends = [number[body] for body in plan.problem.joints[element.joint].bodies]
        origins = [poses[:, b, :cut] if b < bodies else inputs.known[:, b - bodies, :cut] for b in ends]
        levers = [float(np.linalg.norm(inputs.frames[element.joint, side, :cut])) for side in (0, 1)]
        apart = np.linalg.norm(origins[1] - origins[0], axis=-1)
        moves = [b < bodies for b in ends]
        bend = _bend(kind, apart, levers, moves, abs(float(inputs.pitches[element.joint])))
        for b, own in zip(ends, moves, strict=True):
            if own:
                total[:, b] += bend**2
    found: Array = np.sqrt(total.max(axis=1))
    return found


def _bend(kind: Kind, apart: Array, levers: list[float], moves: list[bool], pitch: float) -> Array:
    """Bound the second derivative of an element along lines of unit speed."""
    s1, s2 = levers
    far = apart + 2.0 * s2 + np.sqrt(2.0)
    point = max(s1 * moves[0], s2 * moves[1])
    if not moves[0]:
        place = np.full_like(far, s2)
    elif not moves[1]:
        place = far + 1.0
    else:
        place = np.maximum(far + 2.0 + s2, max(2.0 * s2, 1.0))
    turn = 2.0 if all(moves) else 1.0
    square = (kind.points * point) ** 2 + (kind.slides * place) ** 2 + kind.turns * turn**2
    if kind.helices:
        slope = np.sqrt(far**2 + s2**2 + 2.0)
        square = square + (2.0 * pitch + 2.0 * np.sqrt(2.0) * slope + slope**2 / pitch + place) ** 2
    found: Array = np.sqrt(square)
    return found


def certify(
    plan: SolverPlan,
    kinds: Mapping[str, Kind],
    inputs: Inputs,
    poses: Array,
    residual: Array,
    jacobian: Array,
    facing: Array,
    extent: Array,
) -> Array:
    """Return the reports (B, 8) of what is known of the roots near poses (B, bodies, places)."""
    n = residual.shape[1]
    report = np.zeros((len(poses), REPORT))
    length = np.linalg.norm(residual, axis=-1)
    with np.errstate(all="ignore"):
        safe_jacobian = np.where(np.isfinite(jacobian), jacobian, 0.0)
        inverse = inverses(safe_jacobian)
        size = np.linalg.norm(inverse, axis=(1, 2))
        square = safe_jacobian.shape[-1] == n  # else some rows follow from the others, and nothing is proved
        wrong = np.linalg.norm(safe_jacobian @ inverse - np.eye(n), axis=(1, 2)) if square else np.full(len(poses), 2.0)
        rounding = _ROUNDING * _EPSILON * extent * np.sqrt(n)
        safe = 1.0 - wrong - 4.0 * np.sqrt(n) * rounding * size
        beta = size / safe
        eta = beta * (length + rounding)
        bend = beta * curvature(plan, kinds, inputs, poses)
        h = np.where(safe > 0.5, bend * eta, np.inf)
        root = np.sqrt(np.maximum(1.0 - 2.0 * h, 0.0))
        inner = 2.0 * eta / (1.0 + root)
        # both axes turn by less than the radius: they face alike at the root too
        holds = (safe > 0.5) & (h <= 0.499) & (inner < 1.0) & (facing > 2.0 * inner)
        report[:, 0] = length
        report[:, 1] = size * np.linalg.norm(safe_jacobian, axis=(1, 2))
        report[:, 2] = holds
        report[:, 3] = np.where(holds, inner, 0.0)
        report[:, 4] = np.where(holds, np.minimum(1.0, (1.0 + root) / np.maximum(bend, 1e-300)), 0.0)
        report[:, 5] = np.linalg.slogdet(safe_jacobian)[0] if square else 0.0
        report[:, 6] = np.where(safe > 0.5, h, 0.0)
    return report


def inverses(jacobian: Array) -> Array:
    """Return inverses, or pseudo-inverses (B, columns, rows), of full rank: no direction is left out of them.

    At a singular position the least singular value is rounding or, as it happens, zero. Left out it would pass for a
    regular position; it counts as far below rounding, so that the condition says what the position is.
    """
    if jacobian.shape[-1] == jacobian.shape[-2]:
        try:
            found: Array = np.linalg.inv(jacobian)
            return found
        except np.linalg.LinAlgError:
            pass
    left, sizes, right = np.linalg.svd(jacobian, full_matrices=False)
    sizes = np.maximum(sizes, np.maximum(_UNSEEN * sizes[:, :1], 1e-300))
    inverse: Array = np.swapaxes(right, -1, -2) @ (np.swapaxes(left, -1, -2) / sizes[..., None])
    return inverse
