"""What acts on bodies and in joints at one time: gravity, springs, applied forces and torques, actuators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from symgen.errors import MechanismError
from symgen.library.element_routines import call
from symgen.library.generated_numpy import load_routines
from symgen.model.expressions import Expression, ExpressionError
from symgen.model.parts import AppliedForce, AppliedTorque, JointForce, Spring
from symgen.poses import Array
from symgen.simulate.central.numpy_rows import points_meet
from symgen.simulate.central.numpy_spaces import Routines
from symgen.simulate.manifest import FOLDER as DYNAMICS
from symgen.simulate.start.started import first_values
from symgen.transfer.snapshot import Freedom, Snapshot, joint_motions
from symgen.transfer.system.tree import GROUND

_ANGLES = ("angle", "angle1", "angle2", "yaw", "pitch", "roll")


def loads_on_bodies(snapshot: Snapshot) -> tuple[Array, Array]:
    """Return force and moment about the centres of mass (n + 1, 3) [N, N m] of all that does not act in joints.

    Raises
    ------
    MechanismError
        A law has no finite value, or the ends of a spring meet.
    """
    force = snapshot.mass[:, None] * np.array(snapshot.mechanism.gravity)
    moment = np.zeros_like(force)
    for element in snapshot.mechanism.forces:
        if isinstance(element, Spring):
            _pull(snapshot, element, force, moment)
        elif isinstance(element, AppliedForce | AppliedTorque) and _acts(element, snapshot.time):
            body = snapshot.index[element.body]
            wrench = _push(snapshot, body, element)
            force[body] += wrench[:3]
            moment[body] += wrench[3:]
    force[GROUND] = moment[GROUND] = 0.0
    return force, moment


def joint_force_values(snapshot: Snapshot) -> dict[Freedom, float]:
    """Return the generalised forces of springs, dampers and actuators in joints, those in one freedom added.

    Angles count from where the file starts them: a spring may be wound up by whole turns.
    """
    found: dict[Freedom, float] = {}
    elements = [each for each in snapshot.mechanism.forces if isinstance(each, JointForce)]
    starts = first_values(snapshot.mechanism, [(each.joint, each.freedom) for each in elements])
    loaded = {each.joint for each in elements}
    motions = joint_motions(snapshot, [joint for joint in snapshot.mechanism.joints if joint.id in loaded])
    for element, start in zip(elements, starts, strict=True):
        motion = motions[element.joint][element.freedom]
        value, rate = float(motion[0]), float(motion[1])
        if element.freedom in _ANGLES:
            value += math.tau * round((start - value) / math.tau)
        load = _law(snapshot, element.id, element.value)
        (tau,) = call("hinge_force", load, element.stiffness, element.damping, value, element.rest, rate)
        key = (element.joint, element.freedom)
        found[key] = found.get(key, 0.0) + float(tau)
    return found


def _pull(snapshot: Snapshot, spring: Spring, force: Array, moment: Array) -> None:
    """Add what a spring and damper between two points do: a force along their distance, as in a hinge that slides."""
    bodies = [snapshot.index[name] for name, _ in spring.between]
    sides: list[Array] = []
    for body, (name, point) in zip(bodies, spring.between, strict=True):
        sides += [_pose(snapshot, body), np.array(snapshot.mechanism.body(name).points[point]) - snapshot.coms[body]]
    with np.errstate(all="ignore"):
        length, *rows = _dynamics().call("length_row", *sides)
    twists = np.hstack([snapshot.velocity[bodies], snapshot.omega[bodies]])
    met = points_meet(float(length), [sides[0][:3], sides[1], sides[2][:3], sides[3]])
    if met and spring.stiffness * spring.length > 0.0:
        raise MechanismError(
            "the two points of the spring coincide, so its force has no direction; give an initial position in which "
            "they do not",
            file=snapshot.mechanism.file,
            field=f"forces.{spring.id}",
        )
    if met:
        rows = _parting(sides, twists)
    rate = float(np.sum(np.array(rows) * twists))
    (pull,) = call("hinge_force", 0.0, spring.stiffness, spring.damping, length, spring.length, rate)
    for body, row in zip(bodies, rows, strict=True):
        force[body] += pull * row[:3]
        moment[body] += pull * row[3:]


def _parting(sides: Sequence[Array], twists: Array) -> list[Array]:
    """Return the rows of a spring of length 0 whose points meet: along the velocity with which they part, the limit."""
    push = _dynamics().one
    ends = (sides[:2], sides[2:])
    speeds = [[push("push", *end, axis) @ twist for axis in np.eye(3)] for end, twist in zip(ends, twists, strict=True)]
    along = np.subtract(speeds[1], speeds[0])
    along = along / (float(np.linalg.norm(along)) or 1.0)
    return [push("push", *ends[0], -along), push("push", *ends[1], along)]


def _push(snapshot: Snapshot, body: int, element: AppliedForce | AppliedTorque) -> Array:
    """Return force and moment (6,) about the centre of mass of an applied force or torque."""
    value, pose = np.array([_law(snapshot, element.id, law) for law in element.value]), _pose(snapshot, body)
    if isinstance(element, AppliedForce):
        at = np.array(element.at) - snapshot.coms[body]
        return _dynamics().one("push_in_body" if element.axes == "body" else "push", pose, at, value)
    if element.axes == "body":
        return _dynamics().one("twist_in_body", pose, value)
    return np.concatenate([np.zeros(3), value])


def _pose(snapshot: Snapshot, body: int) -> Array:
    return np.concatenate([snapshot.centre[body], snapshot.q[body]])


@lru_cache(maxsize=1)
def _dynamics() -> Routines:
    """Return the routines of the dynamics: lengths and their rows, applied forces."""
    return Routines(load_routines(DYNAMICS, f"{DYNAMICS}.py"))


def _acts(element: AppliedForce | AppliedTorque, time: float) -> bool:
    return element.start <= time <= element.until


def _law(snapshot: Snapshot, name: str, law: Expression) -> float:
    where = f"forces.{name}.value"
    try:
        value = float(law.evaluate({"t": snapshot.time}))
    except ExpressionError as error:
        raise MechanismError(str(error), file=snapshot.mechanism.file, field=where) from None
    if not math.isfinite(value):
        raise MechanismError(
            f"the law has no finite value at t = {snapshot.time:.6g} s", file=snapshot.mechanism.file, field=where
        )
    return value
