"""Poses to start from: bodies hung on the known ones by joints at random coordinates, all other joints left open.

Nothing here is left to chance: equal groups have equal starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from symgen.library.newton.numbers import Inputs
from symgen.library.newton.places import solve_places
from symgen.library.newton.plan import SolverPlan
from symgen.library.newton.problem import slides_along_x
from symgen.model.pairs import PAIR_TYPES
from symgen.poses import Array, matrix, multiply

_SEED = 20220101
_BACK = np.array([1.0, -1.0, -1.0, -1.0])
#: Full turns of a helical pair, to either side, that starts cover at most.
MOST_TURNS = 16
#: Slides are drawn from as many spans of the group to either side.
_REACH = 2.0
_TURNS = ("angle", "angle1", "angle2", "yaw", "pitch", "roll")


def start_batches(plan: SolverPlan, inputs: Inputs, size: int) -> Iterator[Array]:
    """Yield sets of poses (size, bodies, places) of the unknown bodies in the solver's order and units, without end.

    One half each: hung along a tree of any joints; hung along one of those that turn least, then placed by solving.
    """
    random = np.random.default_rng(_SEED)
    half = size // 2
    while True:
        drawn = _hang(plan, inputs, half, random, _any_tree(plan, random))
        stiff = _hang(plan, inputs, size - half, random, _stiff_tree(plan, random))
        known, frames = _lift(inputs.known[0], plan), _lift(inputs.frames, plan)
        both = np.concatenate([drawn, solve_places(plan, inputs, known, stiff, frames)])
        yield _drop(both) if plan.problem.space == "planar" else both


def turns_covered(plan: SolverPlan, inputs: Inputs) -> int:
    """Return how many combinations of full turns of the helical pairs the starts cover."""
    total = 1
    for index, joint in enumerate(plan.problem.joints):
        if joint.type == "H" and not joint.driven:
            total *= 2 * _turns_aside(inputs, index) + 1
    return total


def _turns_aside(inputs: Inputs, index: int) -> int:
    """Return how many full turns of an H, to either side, lead through the slides that starts are drawn from."""
    lead = 2.0 * np.pi * abs(float(inputs.pitches[index]))
    return min(MOST_TURNS, int(np.ceil(_REACH * _span(inputs) / lead)))


def _span(inputs: Inputs) -> float:
    cut = 2 if inputs.known.shape[-1] == 3 else 3
    return 1.0 + float(np.abs(inputs.known[0, :, :cut]).max(initial=0.0))


def _any_tree(plan: SolverPlan, random: np.random.Generator) -> list[int]:
    return _tree(plan, [int(index) for index in random.permutation(len(plan.problem.joints))])


def _stiff_tree(plan: SolverPlan, random: np.random.Generator) -> list[int]:
    """Return a tree of the joints with the fewest free turns: what slides on each other is turned alike."""
    drawn = [int(index) for index in random.permutation(len(plan.problem.joints))]
    return _tree(plan, sorted(drawn, key=lambda index: _free_turns(plan, index)))


def _free_turns(plan: SolverPlan, index: int) -> int:
    joint = plan.problem.joints[index]
    return sum(name in _TURNS and name not in joint.driven for name in PAIR_TYPES[joint.type].freedoms)


def _tree(plan: SolverPlan, order: Sequence[int]) -> list[int]:
    """Return the joints of a spanning tree, taken in this order; all known bodies are its root.

    Source: J. B. Kruskal 1956.
    """
    root = {body: "" for body in plan.problem.known} | {body: body for body in plan.problem.bodies}
    chosen = []
    for index in order:
        one, two = (root[body] for body in plan.problem.joints[index].bodies)
        if one != two:
            chosen.append(index)
            old, new = max(one, two), min(one, two)
            root = {body: new if its == old else its for body, its in root.items()}
    return chosen


def _hang(plan: SolverPlan, inputs: Inputs, size: int, random: np.random.Generator, tree: Sequence[int]) -> Array:
    """Place all bodies along a tree, (size, bodies, 7)."""
    problem = plan.problem
    known, frames = _lift(inputs.known[0], plan), _lift(inputs.frames, plan)
    placed = {body: np.broadcast_to(known[k], (size, 7)) for k, body in enumerate(problem.known)}
    waiting = list(tree)
    while waiting:
        index = next(i for i in waiting if any(body in placed for body in problem.joints[i].bodies))
        waiting.remove(index)
        one, two = problem.joints[index].bodies
        motion = _motion(plan, inputs, index, size, random)
        if one in placed:
            end = _compose(_compose(placed[one], frames[index, 0]), motion)
            placed[two] = _compose(end, _inverse(frames[index, 1]))
        else:
            end = _compose(_compose(placed[two], frames[index, 1]), _inverse(motion))
            placed[one] = _compose(end, _inverse(frames[index, 0]))
    return np.stack([placed[problem.bodies[k]] for k in plan.order], axis=1)


def _motion(plan: SolverPlan, inputs: Inputs, index: int, size: int, random: np.random.Generator) -> Array:
    """Return the pose of the second joint frame in the first, (size, 7)."""
    joint = plan.problem.joints[index]
    span = _span(inputs)
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
        if joint.driven:  # then the solver's value is the slide
            place[2] = values["angle"]
            values["angle"] = place[2] / pitch
        else:
            values["angle"] = values["angle"] * (2 * _turns_aside(inputs, index) + 1)
            place[2] = pitch * values["angle"]
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
        return span * random.uniform(-_REACH, _REACH, size)
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


def _lift(pose: Array, plan: SolverPlan) -> Array:
    """Return poses in space."""
    if plan.problem.space != "planar":
        return pose
    zero, half = 0.0 * pose[..., 2], 0.5 * pose[..., 2]
    return np.stack([pose[..., 0], pose[..., 1], zero, np.cos(half), zero, zero, np.sin(half)], axis=-1)


def _drop(poses: Array) -> Array:
    angle = 2.0 * np.arctan2(poses[..., 6], poses[..., 3])
    return np.stack([poses[..., 0], poses[..., 1], angle], axis=-1)
