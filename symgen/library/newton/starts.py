"""Places to start from: bodies hung on the known ones by joints at random coordinates, all other joints left open.

Nothing here is left to chance: equal groups have equal starts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import SolverPlan
from symgen.library.newton.problem import slides_along_x
from symgen.library.rotations import Array, matrix, multiply
from symgen.model.pairs import PAIR_TYPES

_SEED = 20220101
_BACK = np.array([1.0, -1.0, -1.0, -1.0])


def start_batches(plan: SolverPlan, inputs: Inputs, size: int) -> Iterator[Array]:
    """Yield sets of poses (size, bodies, places) of the unknown bodies in the solver's order and units, without end."""
    random = np.random.default_rng(_SEED)
    while True:
        yield _hang(plan, inputs, size, random)


def _hang(plan: SolverPlan, inputs: Inputs, size: int, random: np.random.Generator) -> Array:
    """Place all bodies along a random spanning tree."""
    problem = plan.problem
    planar = problem.space == "planar"
    placed = {body: _lift(inputs.known[0, k], planar) for k, body in enumerate(problem.known)}
    placed = {body: np.broadcast_to(pose, (size, 7)) for body, pose in placed.items()}
    span = 1.0 + float(np.abs(inputs.known[0, :, : 2 if planar else 3]).max(initial=0.0))
    waiting = list(random.permutation(len(problem.joints)))
    while waiting:
        left = []
        for index in waiting:
            one, two = problem.joints[index].bodies
            if (one in placed) == (two in placed):
                if one not in placed:
                    left.append(index)
                continue
            turned = two in placed
            frames = [_lift(inputs.frames[index, side], planar) for side in (0, 1)]
            motion = _motion(plan, inputs, int(index), size, span, random)
            if turned:
                motion = _inverse(motion)
                frames.reverse()
            here, other = (two, one) if turned else (one, two)
            end = _compose(_compose(placed[here], frames[0]), motion)
            placed[other] = _compose(end, _inverse(frames[1]))
        if len(left) == len(waiting):  # bodies that no joint connects to a known one: the plan has refused them
            break
        waiting = left
    names = [problem.bodies[k] for k in plan.order]
    poses = np.stack([placed[name] for name in names], axis=1)
    return _drop(poses) if planar else poses


def _motion(plan: SolverPlan, inputs: Inputs, index: int, size: int, span: float, random: np.random.Generator) -> Array:
    """Return the pose of the second joint frame in the first, (size, 7)."""
    joint = plan.problem.joints[index]
    values = {name: _coordinate(name, size, span, random) for name in PAIR_TYPES[joint.type].freedoms}
    for k, element in enumerate(plan.drives):
        if element.joint == index and element.freedom is not None:
            values[element.freedom] = np.full(size, inputs.drives[0, k, 0])
    zero = np.zeros(size)
    place = [values.get(name, zero) for name in "xyz"]
    if "slide" in values:
        place[0 if slides_along_x(plan.problem.space, joint.type) else 2] = values["slide"]
    if joint.type == "H":
        pitch = float(inputs.pitches[index])
        driven = bool(joint.driven)  # then the solver's value is the slide
        place[2] = values["angle"] if driven else pitch * values["angle"]
        values["angle"] = values["angle"] / pitch if driven else values["angle"]
    if joint.type == "S" and not joint.driven:
        drawn = random.normal(size=(size, 4))
        q: Array = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    else:
        about_z = values.get("angle", values.get("angle1", values.get("yaw", zero)))
        about_x = values.get("angle2", values.get("roll", zero))
        q = multiply(multiply(_turn(about_z, 2), _turn(values.get("pitch", zero), 1)), _turn(about_x, 0))
    return np.concatenate([np.stack(place, axis=-1), q], axis=-1)


def _coordinate(name: str, size: int, span: float, random: np.random.Generator) -> Array:
    if name in ("x", "y", "z", "slide"):
        return span * random.uniform(-2.0, 2.0, size)
    return random.uniform(-np.pi, np.pi, size)


def _turn(angle: Array, axis: int) -> Array:
    q = np.zeros((*angle.shape, 4))
    q[..., 0], q[..., 1 + axis] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    return q


def _compose(first: Array, second: Array) -> Array:
    place = first[..., :3] + (matrix(first[..., 3:]) @ second[..., :3, None])[..., 0]
    turn = np.broadcast_to(second[..., 3:], (*first.shape[:-1], 4))
    return np.concatenate([place, multiply(first[..., 3:], turn)], axis=-1)


def _inverse(pose: Array) -> Array:
    back = pose[..., 3:] * _BACK
    return np.concatenate([-(matrix(back) @ pose[..., :3, None])[..., 0], back], axis=-1)


def _lift(pose: Array, planar: bool) -> Array:
    if not planar:
        return pose
    zero, half = 0.0 * pose[..., 2], 0.5 * pose[..., 2]
    return np.stack([pose[..., 0], pose[..., 1], zero, np.cos(half), zero, zero, np.sin(half)], axis=-1)


def _drop(poses: Array) -> Array:
    angle = 2.0 * np.arctan2(poses[..., 6], poses[..., 3])
    return np.stack([poses[..., 0], poses[..., 1], angle], axis=-1)
