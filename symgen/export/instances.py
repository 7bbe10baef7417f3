"""Random instances of a solved type that close: what the self-test of its export is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symgen.derive.ranges import UNIT, Bound, bounds_of
from symgen.ir.nodes import Port
from symgen.library.manifest import ManifestArrangement, ManifestJoint
from symgen.model.quaternions import rotate
from symgen.poses import Array, multiply
from symgen.topology.loops.joint_motions import JOINT_MOTIONS, JointMotion

#: Poses are placed within it [m]; coordinates turn and slide up to it [rad or m].
_SIZE, _COORDINATE = 0.5, 1.2
_UNIT = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class _Pose:
    """A place and a turn: (3,) and a unit quaternion (4,)."""

    def __init__(self, r: Array, q: Array) -> None:
        self.r, self.q = r, q / np.linalg.norm(q)

    def then(self, other: _Pose) -> _Pose:
        """Return `other`, given in this frame, in the frame this one is given in."""
        return _Pose(self.r + _turned(self.q, other.r), multiply(self.q, other.q))

    def inverse(self) -> _Pose:
        back = self.q * np.array([1.0, -1.0, -1.0, -1.0])
        return _Pose(-_turned(back, self.r), back)


def random_instance(arrangement: ManifestArrangement, space: str, rng: np.random.Generator) -> dict[str, Array]:
    """Return values of all real input ports of an arrangement's routines, shapes (n,) or ().

    Bodies are placed at random, joint frames such that every joint closes at random coordinates; known bodies and
    drives move at random. So at least one branch has a solution.

    Parameters
    ----------
    space : "spatial" or "planar".
    """
    planar = space == "planar"
    degrees = 3 if planar else 6
    poses = {body: _random_pose(rng, planar) for body in (*arrangement.known, *arrangement.bodies)}
    ports: dict[str, Array] = {}
    for body in arrangement.known:
        ports[body] = _port(poses[body], planar)
        ports[f"v_{body}"] = rng.uniform(-1.0, 1.0, degrees)
        ports[f"a_{body}"] = rng.uniform(-1.0, 1.0, degrees)
    for joint in arrangement.joints:
        values = {motion.freedom: float(rng.uniform(-_COORDINATE, _COORDINATE)) for motion in _motions(joint, planar)}
        pitch = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.05, 0.5))
        if joint.type == "H":
            ports[f"pitch_{joint.name}"] = np.array(pitch)
        first, second = joint.bodies
        frame = _random_pose(rng, planar, 0.5 * _SIZE)
        reached = poses[first].then(frame)
        for motion in _motions(joint, planar):
            reached = reached.then(_moved(motion, values[motion.freedom], pitch))
        ports[joint.frames[0]] = _port(frame, planar)
        ports[joint.frames[1]] = _port(poses[second].inverse().then(reached), planar)
        if joint.driven:
            ports[f"u_{joint.name}"] = np.array([values[freedom] for freedom in joint.driven])
            ports[f"ud_{joint.name}"] = rng.uniform(-1.0, 1.0, len(joint.driven))
            ports[f"udd_{joint.name}"] = rng.uniform(-1.0, 1.0, len(joint.driven))
    return ports


def random_inputs(ports: Sequence[Port], rng: np.random.Generator) -> dict[str, Array]:
    """Return values of the real input ports of a formula, shapes (n,) or (): within their ranges, else up to 1."""
    found: dict[str, Array] = {}
    for port in (port for port in ports if port.kind == "real"):
        values = rng.uniform(-1.0, 1.0, len(port.elements))
        bounds = bounds_of(port.range)
        if len(bounds) == 2:
            values = bounds[0].value + (bounds[1].value - bounds[0].value) * (values + 1.0) / 2.0
        elif bounds:
            values = bounds[0].value + (np.abs(values) + 0.5) * _inwards(bounds[0])
        if port.range in UNIT:
            whole = values if port.range == "unit" else values[-4:]
            whole /= np.linalg.norm(whole)
        found[port.name] = values if port.shape else values[0]
    return found


def beyond(ports: Sequence[Port], name: str, inside: Mapping[str, Array]) -> dict[str, Array] | None:
    """Return values of which one port's are out of its range; None if it has none."""
    port = next(port for port in ports if port.name == name)
    bounds = bounds_of(port.range)
    if not bounds and port.range not in UNIT:
        return None
    outside = np.array(2.0 * inside[name] if not bounds else bounds[0].value - _inwards(bounds[0]))
    return {**inside, name: np.broadcast_to(outside, np.shape(inside[name]))}


def _inwards(bound: Bound) -> float:
    return 1.0 if bound.relation.startswith(">") else -1.0


def flat(ports: Mapping[str, Array], names: Mapping[str, int]) -> tuple[float, ...]:
    """Return values of ports one behind the other; `names` are the ports with their sizes, in order."""
    return tuple(float(x) for name in names for x in np.atleast_1d(ports[name]))


def _motions(joint: ManifestJoint, planar: bool) -> tuple[JointMotion, ...]:
    """Return the motions of a joint; in the plane a P slides along x of the port's frame."""
    if planar and joint.type == "P":
        return (JointMotion("slide", "x", "slide"),)
    return JOINT_MOTIONS[joint.type]


def _random_pose(rng: np.random.Generator, planar: bool, size: float = _SIZE) -> _Pose:
    r = rng.uniform(-size, size, 3)
    q = rng.normal(size=4)
    if planar:
        r[2] = q[1] = q[2] = 0.0
    return _Pose(r, q)


def _port(pose: _Pose, planar: bool) -> Array:
    if planar:
        return np.array([*pose.r[:2], np.remainder(2.0 * np.arctan2(pose.q[3], pose.q[0]) + np.pi, 2 * np.pi) - np.pi])
    return np.array([*pose.r, *pose.q])


def _moved(motion: JointMotion, value: float, pitch: float) -> _Pose:
    axis = np.array(_UNIT[motion.axis])
    turn = 0.0 if motion.kind == "slide" else value
    along = {"slide": value, "turn": 0.0, "screw": pitch * value}[motion.kind]
    return _Pose(along * axis, np.array([np.cos(0.5 * turn), *(np.sin(0.5 * turn) * axis)]))


def _turned(q: Array, r: Array) -> Array:
    return np.array(rotate((q[0], q[1], q[2], q[3]), (r[0], r[1], r[2])))
