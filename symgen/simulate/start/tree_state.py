"""A state of poses and twists in the coordinates of the spanning tree: values, balls, rates."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from symgen.poses import IDENTITY, Array, compose, inverse, matrix
from symgen.simulate.tables.problem import Problem
from symgen.simulate.tables.spanning_tree import Branch


def tree_coordinates(problem: Problem, poses: Array) -> tuple[Array, Array]:
    """Return values (motions,) and balls (balls, 4) of the tree at poses (n, 7), in the order of the engine's bodies.

    Turns are between -pi and pi; a screw's is found from its slide. Beams are straight: their modes are zero.
    """
    values, balls = np.zeros(problem.sizes["MOTIONS"]), []
    for b, branch in enumerate(problem.tree.branches):
        first = int(problem.tables["BODY"]["first_motion"][b])
        if any(motion.kind == "mode" for motion in branch.motions):
            continue
        one = _carrier_frame(problem, poses, b)
        two = compose(poses[b], inverse(problem.tables["BODY"]["after"][b]))
        relative = compose(inverse(one), two)
        for k, value in enumerate(_chain_values(branch, relative, problem.tables["MOTION"]["pitch"][first:])):
            if isinstance(value, float):
                values[first + k] = value
            else:
                balls.append(value)
    return values, np.array(balls).reshape(-1, 4)


def tree_rates(problem: Problem, poses: Array, twists: Array, values: Array, balls: Array) -> Array:
    """Return the rates (unknowns,) that go with twists (n, 6) of the bodies, joint by joint by least squares.

    Modes of beams are at rest.
    """
    rates = np.zeros(max(problem.sizes["UNKNOWNS"], 1))
    ball = 0
    for b, branch in enumerate(problem.tree.branches):
        frame = _carrier_frame(problem, poses, b)
        first = int(problem.tables["BODY"]["first_motion"][b])
        columns: list[Array] = []
        owners: list[int] = []
        unknown = int(problem.tables["BODY"]["first_unknown"][b])
        for k, motion in enumerate(branch.motions):
            if motion.kind == "mode":
                break
            value = balls[ball] if motion.kind == "ball" else values[first + k]
            ball += motion.kind == "ball"
            pitch = float(problem.tables["MOTION"]["pitch"][first + k])
            made, frame = _columns(motion.kind, frame, value, pitch, poses[b, :3])
            columns += made
            owners += [-1] * len(made) if motion.driven else list(range(unknown, unknown + len(made)))
            unknown += motion.unknowns
        if not columns:
            continue
        parent = int(problem.tables["BODY"]["parent"][b])
        relative = twists[b].copy()
        if parent < len(poses):
            relative -= _carried(twists[parent], poses[b, :3] - poses[parent, :3])
        found = np.linalg.lstsq(np.array(columns).T, relative, rcond=None)[0]
        for owner, rate in zip(owners, found, strict=True):
            if owner >= 0:
                rates[owner] = rate
    return rates


def _carrier_frame(problem: Problem, poses: Array, b: int) -> Array:
    parent = int(problem.tables["BODY"]["parent"][b])
    return compose(IDENTITY if parent == len(poses) else poses[parent], problem.tables["BODY"]["before"][b])


def _carried(twist: Array, lever: Array) -> Array:
    return np.concatenate([twist[:3] + np.cross(twist[3:], lever), twist[3:]])


def _columns(kind: str, frame: Array, value: Array | float, pitch: float, point: Array) -> tuple[list[Array], Array]:
    """Return the columns of a motion at a point, and the frame behind it."""
    axes, lever = matrix(frame[3:]).T, point - frame[:3]
    if kind == "ball":
        turned = np.concatenate([np.zeros(3), np.asarray(value)])
        return [np.concatenate([np.cross(a, lever), a]) for a in axes], compose(frame, turned)
    index = "xyz".index(kind[-1])
    axis, angle = axes[index], float(np.asarray(value))
    step = IDENTITY.copy()
    if kind.startswith("slide"):
        step[index] = angle
        return [np.concatenate([axis, np.zeros(3)])], compose(frame, step)
    step[3], step[4 + index] = math.cos(angle / 2), math.sin(angle / 2)
    slide = pitch * axis if kind.startswith("screw") else np.zeros(3)
    step[index] = pitch * angle if kind.startswith("screw") else 0.0
    return [np.concatenate([np.cross(axis, lever) + slide, axis])], compose(frame, step)


def _chain_values(branch: Branch, relative: Array, pitches: Array) -> list[float | Array]:
    """Return the coordinates of a chain of motions that makes the relative frame."""
    kinds = [motion.kind for motion in branch.motions]
    turn = matrix(relative[3:])
    turns = [kind for kind in kinds if kind.startswith("turn")]
    angles = _angles(turns, turn)
    place = relative[:3]
    if branch.reverse:  # slides come after the turns: they are counted in the frame that is reached
        place = turn.T @ place
    found: list[float | Array] = []
    for k, kind in enumerate(kinds):
        if kind == "ball":
            found.append(relative[3:] / math.sqrt(float(relative[3:] @ relative[3:])))
        elif kind == "screw_z":
            found.append(float(place[2]) / float(pitches[k]))
        elif kind.startswith("slide"):
            found.append(float(place["xyz".index(kind[-1])]))
        else:
            found.append(angles.pop(0))
    return found


def _angles(kinds: Sequence[str], turn: Array) -> list[float]:
    """Return the angles of successive turns about axes that differ."""
    if not kinds:
        return []
    if len(kinds) == 1:
        k = "xyz".index(kinds[0][-1])
        i, j = (k + 1) % 3, (k + 2) % 3
        return [math.atan2(turn[j, i] - turn[i, j], turn[i, i] + turn[j, j])]
    if len(kinds) == 2:
        return _two_angles(kinds, turn)
    order = [kind[-1] for kind in kinds]
    if order == ["z", "y", "x"]:
        pitch = math.atan2(-turn[2, 0], math.hypot(turn[0, 0], turn[1, 0]))
        return [math.atan2(turn[1, 0], turn[0, 0]), pitch, math.atan2(turn[2, 1], turn[2, 2])]
    back = _angles(["turn_z", "turn_y", "turn_x"], turn.T)
    return [-angle for angle in reversed(back)]


def _two_angles(kinds: Sequence[str], turn: Array) -> list[float]:
    """Angles about two axes: z then x, or x then z."""
    if kinds[0] == "turn_z":
        return [math.atan2(turn[1, 0], turn[0, 0]), math.atan2(turn[2, 1], turn[2, 2])]
    return [math.atan2(-turn[1, 2], turn[2, 2]), math.atan2(-turn[0, 1], turn[0, 0])]
