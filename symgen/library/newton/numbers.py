"""From a group's numbers to those of the solver, and back.

The solver wants lengths in units of the group's size and each body placed by the mean of its joint centres: then
places and turns are comparable, levers are short, and neither the unit of length nor the choice of a body's frame
changes what it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.library.adapt import BodyMotion
from symgen.library.newton.plan import SolverPlan
from symgen.library.newton.problem import GroupProblem
from symgen.poses import Array, matrix

#: Levers below this part of the largest place are rounding.
_NOTHING = 1e-12


@dataclass(frozen=True)
class Scale:
    """How a group is measured.

    Parameters
    ----------
    size : unit of length [m].
    centres : body -> mean of its joint centres [m, body frame].
    shift : origin of the solver's world [m].
    """

    size: float
    centres: Mapping[str, Array] = field(hash=False)
    shift: Array = field(hash=False)


@dataclass(frozen=True)
class Inputs:
    """Arrays as the solver takes them; rows are times.

    Parameters
    ----------
    frames : (joints, 2, places). pitches : (joints,).
    known : (rows, known, places). twists, accelerations : (rows, known, freedoms).
    drives : (rows, drives, 3).
    """

    frames: Array
    pitches: Array
    known: Array
    twists: Array
    accelerations: Array
    drives: Array

    def rows(self, where: slice | Sequence[int] | NDArray[np.intp]) -> Inputs:
        """Return some of the times."""
        parts = (
            np.ascontiguousarray(each[where]) for each in (self.known, self.twists, self.accelerations, self.drives)
        )
        return Inputs(self.frames, self.pitches, *parts)


def measure_group(problem: GroupProblem, known: Mapping[str, BodyMotion]) -> Scale:
    """Choose centres, size and origin; the origin from the first of the given times."""
    cut = 2 if problem.space == "planar" else 3
    points: dict[str, list[Array]] = {body: [] for body in (*problem.bodies, *problem.known)}
    for joint in problem.joints:
        for body, frame in zip(joint.bodies, problem.frames[joint.name], strict=True):
            points[body].append(np.asarray(frame)[:cut])
    centres = {body: np.mean(places, axis=0) for body, places in points.items() if places}
    spread = _spread(points, centres, problem.bodies)
    largest = max(float(np.abs(place).max()) for places in points.values() for place in places)
    if spread <= _NOTHING * largest:
        spread = _spread(points, centres, problem.known)
    size = spread if spread > _NOTHING * largest else 1.0
    places = [
        _carry(np.asarray(known[body].pose).reshape(-1, problem.places)[0], centres[body]) for body in problem.known
    ]
    return Scale(size, centres, np.mean(places, axis=0))


def _spread(points: Mapping[str, list[Array]], centres: Mapping[str, Array], bodies: Sequence[str]) -> float:
    return max((float(np.linalg.norm(p - centres[body])) for body in bodies for p in points[body]), default=0.0)


def _lever(pose: Array, centre: Array) -> Array:
    """Return a vector of the body frame in world axes, for poses (..., 7) or (..., 3)."""
    if len(centre) == 3:
        turned: Array = (matrix(pose[..., 3:]) @ centre[:, None])[..., 0]
        return turned
    c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
    return np.stack([c * centre[0] - s * centre[1], s * centre[0] + c * centre[1]], axis=-1)


def _carry(pose: Array, centre: Array) -> Array:
    place: Array = pose[..., : len(centre)] + _lever(pose, centre)
    return place


def _turning(rate: Array, lever: Array) -> Array:
    """Return omega x lever; `rate` is (..., 3), or (..., 1) in the plane."""
    if lever.shape[-1] == 3:
        return np.cross(rate, lever)
    return np.stack([-rate[..., 0] * lever[..., 1], rate[..., 0] * lever[..., 0]], axis=-1)


def place_body(motion: BodyMotion, body: str, scale: Scale) -> tuple[Array, Array, Array]:
    """Return pose, twist and acceleration of a body as the solver takes them."""
    centre = scale.centres[body]
    cut, pose = len(centre), np.asarray(motion.pose, dtype=float)
    if cut == 3:
        pose = np.concatenate(
            [pose[..., :3], pose[..., 3:] / np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True)], -1
        )
    lever = _lever(pose, centre)
    rest = np.zeros((*pose.shape[:-1], 6 if cut == 3 else 3))
    twist, second = (rest if each is None else np.asarray(each) for each in (motion.twist, motion.acceleration))
    place = (pose[..., :cut] + lever - scale.shift) / scale.size
    rate, growth = twist[..., cut:], second[..., cut:]
    v = (twist[..., :cut] + _turning(rate, lever)) / scale.size
    a = (second[..., :cut] + _turning(growth, lever) + _turning(rate, _turning(rate, lever))) / scale.size
    return (
        np.concatenate([place, pose[..., cut:]], -1),
        np.concatenate([v, rate], -1),
        np.concatenate([a, growth], -1),
    )


def replace_body(pose: Array, twist: Array, second: Array, body: str, scale: Scale) -> BodyMotion:
    """Undo `place_body` for a body that was solved."""
    centre = scale.centres[body]
    cut = len(centre)
    lever = _lever(pose, centre)
    rate, growth = twist[..., cut:], second[..., cut:]
    place = scale.size * pose[..., :cut] + scale.shift - lever
    v = scale.size * twist[..., :cut] - _turning(rate, lever)
    a = scale.size * second[..., :cut] - _turning(growth, lever) - _turning(rate, _turning(rate, lever))
    return BodyMotion(
        np.concatenate([place, pose[..., cut:]], -1), np.concatenate([v, rate], -1), np.concatenate([a, growth], -1)
    )


def solver_inputs(
    plan: SolverPlan,
    scale: Scale,
    known: Mapping[str, BodyMotion],
    drives: Mapping[tuple[str, str], Array],
    rows: int,
) -> Inputs:
    """Return the solver's arrays for `rows` times; motions and drives broadcast along them."""
    problem = plan.problem
    frames = np.zeros((len(problem.joints), 2, problem.places))
    for k, joint in enumerate(problem.joints):
        for side, body in enumerate(joint.bodies):
            frame = np.array(problem.frames[joint.name][side], dtype=float)
            cut = len(scale.centres[body])
            frame[:cut] = (frame[:cut] - scale.centres[body]) / scale.size
            if cut == 3:
                frame[3:] /= np.linalg.norm(frame[3:])
            frames[k, side] = frame
    pitches = np.array([problem.pitches.get(joint.name, 1.0) / scale.size for joint in problem.joints])
    bodies = [place_body(known[body], body, scale) for body in problem.known]
    poses, twists, seconds = (
        np.stack([np.broadcast_to(body[k], (rows, body[k].shape[-1])) for body in bodies], axis=1) for k in range(3)
    )
    values = np.zeros((rows, len(plan.drives), 3))
    for k, element in enumerate(plan.drives):
        joint = problem.joints[element.joint]
        factor = 1.0 / scale.size if element.slides else 1.0
        if joint.type == "H":
            factor *= problem.pitches[joint.name]
        values[:, k] = np.broadcast_to(np.asarray(drives[joint.name, str(element.freedom)]), (rows, 3)) * factor
    return Inputs(frames, pitches, poses, twists, seconds, values)


def solver_poses(plan: SolverPlan, scale: Scale, poses: Mapping[str, Array]) -> Array:
    """Return poses (..., places) of the unknown bodies as the solver takes them, (..., bodies, places)."""
    names = [plan.problem.bodies[k] for k in plan.order]
    return np.stack([place_body(BodyMotion(poses[body]), body, scale)[0] for body in names], axis=-2)


def body_motions(
    plan: SolverPlan, scale: Scale, poses: Array, twists: Array, accelerations: Array
) -> dict[str, BodyMotion]:
    """Return the motions of the unknown bodies from the solver's arrays (..., bodies, numbers)."""
    found = {}
    for k, number in enumerate(plan.order):
        body = plan.problem.bodies[number]
        found[body] = replace_body(poses[..., k, :], twists[..., k, :], accelerations[..., k, :], body, scale)
    return {body: found[body] for body in plan.problem.bodies}
