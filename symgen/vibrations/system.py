"""A mechanism at rest as elements of the transfer matrix method: bodies, beams, hinges of one freedom each, columns.

Every body has one output, the joint of the spanning tree that leads towards the ground; a joint of several freedoms is
a chain of hinges of one. Joints that are cut and springs between two bodies couple places of the tree: each is held by
columns, unknown forces (and freedoms of the cut joint) that are solved for at the root.

Source: docs/vibrations.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, Beam, Body, Joint, JointForce, Spring
from symgen.poses import Array, compose, matrix
from symgen.simulate.tables.inertias import inertia_matrix
from symgen.simulate.tables.spanning_tree import GROUND, span
from symgen.solve.coordinates import measure
from symgen.solve.rigid import frame_array, moved
from symgen.topology.loops.joint_motions import JOINT_MOTIONS, JointMotion

_AXES = np.eye(3)
_ATTITUDE = ("yaw", "pitch", "roll")


@dataclass(frozen=True)
class HingeFreedom:
    """A hinge of one freedom: a turn, slide or screw.

    Parameters
    ----------
    joint, freedom : what the coordinate is called; the joint of a body that nothing holds is "".
    point : (3,) [m, world] on its axis.
    along, about : (3,) displacement and turn of the root side relative to the tip side for one unit.
    stiffness : [N/m or N m/rad].
    effort : force of the joint at rest in the sense of the coordinate, on the root side [N or N m].
    """

    joint: str
    freedom: str
    point: Array
    along: Array
    about: Array
    stiffness: float
    effort: float


@dataclass(frozen=True)
class Load:
    """A force [N, world] at rest that keeps its direction, at a point [m, world], and a moment [N m]."""

    point: Array
    force: Array
    moment: Array = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Element:
    """A body with its output.

    Parameters
    ----------
    body : index in ``mechanism.bodies``; `parent` that of the body on the root side, or `GROUND`.
    pose : (7,) of the body frame.
    centre : (3,) [m, world] centre of mass.
    port : (3,) [m, world] point of the output on this body; `steps` lead from there to the root side.
    end : (3,) point of the output on the root side.
    children : indices of the elements whose root side it is, in their order.
    loads : forces at rest on it, weight included (that of a beam excluded).
    """

    body: int
    parent: int
    pose: Array
    centre: Array
    mass: float
    inertia: Array
    beam: Beam | None
    port: Array
    end: Array
    steps: tuple[HingeFreedom, ...]
    children: tuple[int, ...]
    loads: tuple[Load, ...]


@dataclass(frozen=True)
class CutJoint:
    """A joint that closes a loop: from a point on `inboard` by `steps` to a point on `outboard` (or the ground)."""

    joint: str
    inboard: int
    outboard: int
    port: Array
    end: Array
    steps: tuple[HingeFreedom, ...]


@dataclass(frozen=True)
class LinearisedSpring:
    """A spring between two points: directions (k, 3) with their stiffness (k,), `force` (3,) at rest on the second."""

    spring: str
    bodies: tuple[int, int]
    points: tuple[Array, Array]
    directions: Array
    stiffness: Array
    force: Array


@dataclass(frozen=True)
class VibratingSystem:
    """Elements from the tips to the roots, cut joints and springs; `place` maps a body's index to its element's."""

    mechanism: Mechanism
    elements: tuple[Element, ...]
    cuts: tuple[CutJoint, ...]
    ties: tuple[LinearisedSpring, ...]
    place: Mapping[int, int]


def make_system(mechanism: Mechanism, poses: Array) -> VibratingSystem:
    """Return the elements of a mechanism.

    Parameters
    ----------
    poses : (n, 7) of the body frames, world; joints are closed there.

    Raises
    ------
    MechanismError
        A joint type without hinges, a body without mass data, a force that follows its body.
    """
    return _SystemMaker(mechanism, poses).made()


def check_masses(mechanism: Mechanism) -> None:
    """Refuse rigid bodies without mass data.

    Raises
    ------
    MechanismError
        Names body and field.
    """
    for body in mechanism.bodies:
        lacking = [name for name in ("mass", "inertia") if getattr(body, name) is None]
        if lacking and body.beam is None:
            raise MechanismError(
                f"{' and '.join(lacking)} missing: vibrations need them for every moving body; give zeros for a body "
                "without mass",
                file=mechanism.file, field=f"bodies.{body.id}",
            )  # fmt: skip


class _SystemMaker:
    def __init__(self, mechanism: Mechanism, poses: Array) -> None:
        self.mechanism, self.poses = mechanism, poses
        self.number = {body.id: k for k, body in enumerate(mechanism.bodies)}
        self.springs: dict[tuple[str, str], tuple[float, float]] = {}  # stiffness, effort without the spring's
        self.rests: dict[tuple[str, str], float] = {}
        for force in mechanism.forces:
            if isinstance(force, JointForce):
                self._joint_force(force)

    def made(self) -> VibratingSystem:
        self._check()
        tree = span(self.mechanism)
        order = list(reversed(tree.branches))
        place = {branch.body: k for k, branch in enumerate(order)}
        children: dict[int, list[int]] = {}
        for k, branch in enumerate(order):
            children.setdefault(branch.parent, []).append(k)
        loads, ties = self._loads()
        elements = []
        for branch in order:
            body = self.mechanism.bodies[branch.body]
            pose = self.poses[branch.body]
            turn = matrix(pose[3:])
            centre = pose[:3] + turn @ _centre(body)
            if branch.joint is None:
                port, end, steps = centre, centre, self._free(centre)
            else:
                steps, port, end = self._chain(branch.joint, inboard=0 if branch.reverse else 1)
            elements.append(Element(
                branch.body, branch.parent, pose, centre, _mass(body), turn @ inertia_matrix(body) @ turn.T, body.beam,
                port, end, steps, tuple(children.get(branch.body, ())), tuple(loads[branch.body]),
            ))  # fmt: skip
        return VibratingSystem(self.mechanism, tuple(elements), tuple(map(self._cut, tree.cut)), tuple(ties), place)

    def _check(self) -> None:
        mechanism = self.mechanism
        for joint in mechanism.joints:
            if joint.type not in JOINT_MOTIONS:
                raise self._refuse(
                    f"joints.{joint.id}", f"{joint.pair.name} ({joint.type}) has no hinge that vibrates; "
                    f"there are {', '.join(JOINT_MOTIONS)}",
                )  # fmt: skip

    def _refuse(self, field_name: str, message: str) -> MechanismError:
        return MechanismError(message, file=self.mechanism.file, field=field_name)

    # -- hinges ------------------------------------------------------------------------------------------------------

    def _joint_force(self, force: JointForce) -> None:
        key = (force.joint, force.freedom)
        stiffness, effort = self.springs.get(key, (0.0, 0.0))
        self.springs[key] = (
            stiffness + force.stiffness,
            effort + float(force.value.evaluate({"t": 0.0} if "t" in force.value.names else {}))
            + force.stiffness * force.rest,
        )  # fmt: skip

    def _chain(self, joint: Joint, inboard: int) -> tuple[tuple[HingeFreedom, ...], Array, Array]:
        """Return the hinges of a joint from its side `inboard` (0: first body) to the other, and both end points."""
        if joint.frames is None:  # `Mechanism.require_frames` comes first
            raise ValueError(f"joints.{joint.id}: has no geometry")
        sides = [self._side(name, frame_array(frame)) for name, frame in zip(joint.bodies, joint.frames, strict=True)]
        motions = JOINT_MOTIONS[joint.type]
        values = {freedom: float(value) for freedom, value in measure(joint.type, sides[0], sides[1]).items()}
        driven = set(joint.driven_freedoms or ())
        frame, steps = sides[0], []
        ball = not any((joint.id, name) in self.springs or name in driven for name in _ATTITUDE)
        for motion in motions:
            value = values[motion.freedom]
            turn = matrix(frame[3:])
            axis = turn[:, "xyz".index(motion.axis)]
            frame = compose(frame, moved(motion, value, joint.pitch or 0.0))
            if ball and motion.freedom in _ATTITUDE:  # any three axes will do; those of the angles may be parallel
                axis = matrix(sides[0][3:])[:, "xyz".index(motion.axis)]
            if motion.freedom not in driven:
                steps.append(self._step(joint, motion, frame[:3], axis, value, 1.0 if inboard == 0 else -1.0))
        if inboard == 0:
            return tuple(steps), sides[0][:3], sides[1][:3]
        return tuple(reversed(steps)), sides[1][:3], sides[0][:3]

    def _side(self, body: str, frame: Array) -> Array:
        k = self.number.get(body)
        return frame if k is None else compose(self.poses[k], frame)

    def _step(
        self, joint: Joint, motion: JointMotion, point: Array, axis: Array, value: float, sign: float
    ) -> HingeFreedom:
        stiffness, effort = self.springs.get((joint.id, motion.freedom), (0.0, 0.0))
        along = axis * {"slide": 1.0, "turn": 0.0, "screw": joint.pitch or 0.0}[motion.kind]
        about = axis * (motion.kind != "slide")
        return HingeFreedom(
            joint.id, motion.freedom, point, sign * along, sign * about, stiffness, effort - stiffness * value
        )  # fmt: skip

    def _free(self, point: Array) -> tuple[HingeFreedom, ...]:
        planar = self.mechanism.space == "planar"
        none = np.zeros(3)
        slides = [HingeFreedom("", "xyz"[k], point, -_AXES[k], none, 0.0, 0.0) for k in range(2 if planar else 3)]
        turns = [
            HingeFreedom("", f"turn_{'xyz'[k]}", point, none, -_AXES[k], 0.0, 0.0)
            for k in ((2,) if planar else range(3))
        ]
        return (*slides, *turns)

    def _cut(self, joint: Joint) -> CutJoint:
        steps, port, end = self._chain(joint, inboard=0)
        one, two = (self.number.get(name, GROUND) for name in joint.bodies)
        return CutJoint(joint.id, one, two, port, end, steps)

    # -- loads -------------------------------------------------------------------------------------------------------

    def _loads(self) -> tuple[dict[int, list[Load]], list[LinearisedSpring]]:
        loads: dict[int, list[Load]] = {k: [] for k in self.number.values()}
        ties = []
        gravity = np.array(self.mechanism.gravity)
        for body, k in self.number.items():
            found = self.mechanism.bodies[k]
            if found.beam is None and _mass(found) > 0.0 and gravity.any():
                loads[k].append(Load(self._place(body, _centre(found)), _mass(found) * gravity))
        for force in self.mechanism.forces:
            if isinstance(force, Spring):
                tie = self._tie(force)
                ties.append(tie)
                for held, point, sign in zip(tie.bodies, tie.points, (-1.0, 1.0), strict=True):
                    if held != GROUND and tie.force.any():
                        loads[held].append(Load(point, sign * tie.force))
            elif isinstance(force, AppliedForce | AppliedTorque):
                load = self._applied(force)
                if load is not None:
                    loads[self.number[force.body]].append(load)
        return loads, ties

    def _place(self, body: str, point: Sequence[float] | Array) -> Array:
        return self._side(body, np.array([*point, 1.0, 0.0, 0.0, 0.0]))[:3]

    def _applied(self, force: AppliedForce | AppliedTorque) -> Load | None:
        if not force.start <= 0.0 <= force.until:
            return None
        value = np.array([float(law.evaluate({"t": 0.0} if "t" in law.names else {})) for law in force.value])
        if not value.any():
            return None
        if force.axes == "body":
            raise self._refuse(
                f"forces.{force.id}", "turns with its body and is not zero at t = 0: such a force has no potential, "
                'so frequencies of vibration need not exist; give it in axes = "world"',
            )  # fmt: skip
        if isinstance(force, AppliedTorque):
            return Load(self._place(force.body, (0.0, 0.0, 0.0)), np.zeros(3), value)
        return Load(self._place(force.body, force.at), value)

    def _tie(self, spring: Spring) -> LinearisedSpring:
        points = tuple(
            self._place(body, self.mechanism.body(body).points[point]) for body, point in spring.between
        )  # fmt: skip
        bodies = tuple(self.number.get(body, GROUND) for body, _ in spring.between)
        way = points[1] - points[0]
        directions: Array
        stiffness: Array
        length = float(np.linalg.norm(way))
        if length <= 1e-12 * (1.0 + float(np.abs(points).max())):
            if spring.length > 0.0 and spring.stiffness != 0.0:
                raise self._refuse(
                    f"forces.{spring.id}", "both ends are at the same place, so its force has no direction"
                )
            directions, stiffness, pull = _AXES, np.full(3, spring.stiffness), np.zeros(3)
        else:
            axis = way / length
            tension = spring.stiffness * (length - spring.length)
            side = np.linalg.svd(axis[None])[2][1:]
            directions = np.vstack([axis, side])
            stiffness = np.array([spring.stiffness, tension / length, tension / length])
            pull = -tension * axis
        if self.mechanism.space == "planar":
            directions, stiffness = _in_plane(directions, stiffness)
        there = np.abs(stiffness) > 1e-14 * abs(spring.stiffness)
        return LinearisedSpring(
            spring.id, (bodies[0], bodies[1]), (points[0], points[1]), directions[there], stiffness[there], pull
        )  # fmt: skip


def _in_plane(directions: Array, stiffness: Array) -> tuple[Array, Array]:
    """Leave out the direction normal to the plane; the others are turned into it."""
    stiffness_matrix = (directions.T * stiffness) @ directions
    values, vectors = np.linalg.eigh(stiffness_matrix[:2, :2])
    return np.hstack([vectors.T, np.zeros((2, 1))]), values


def _mass(body: Body) -> float:
    return body.beam.length * body.beam.mass_per_length if body.beam is not None else body.mass or 0.0


def _centre(body: Body) -> Array:
    return np.array([0.5 * body.beam.length, 0.0, 0.0]) if body.beam is not None else np.array(body.com or (0.0,) * 3)
