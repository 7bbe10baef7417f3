"""A mechanism at one time as the transfer methods take it: places, motion, masses and loads of all bodies.

World axes. Row -1 of every array of bodies is the ground, so that the index `GROUND` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Beam, Joint
from symgen.poses import Array, matrix, multiply, rotate
from symgen.solve.coordinates import measure_motion
from symgen.solve.rigid import frame_array
from symgen.solve.tracks import BodyTrack
from symgen.transfer.system.tree import GROUND

Freedom = tuple[str, str]


@dataclass(frozen=True)
class JointFrames:
    """Joint frames in the world: centres (3,) [m] and axes (3, 3), columns x, y, z, on first and second body."""

    bodies: tuple[int, int]
    centres: tuple[Array, Array]
    axes: tuple[Array, Array]


@dataclass(frozen=True)
class Snapshot:
    """State, masses and loads at one time; rows of bodies as in ``mechanism.bodies``, the ground last.

    Parameters
    ----------
    time : [s].
    centre, velocity : (n + 1, 3) of the centres of mass [m, m/s].
    q : (n + 1, 4) orientations.
    omega : (n + 1, 3) [rad/s].
    mass : (n + 1,) [kg].
    inertia : (n + 1, 3, 3) about the centres of mass, world axes [kg m^2].
    force, moment : (n + 1, 3) of gravity, springs between points and applied loads, about the centre of mass [N, N m];
        those of joint forces are not among them.
    joint_forces : (joint, freedom) -> generalised force of springs, dampers and actuators in joints [N m or N].
    drives : (joint, freedom) -> rate and acceleration of the law.
    unit : of length [m]: lengths are in it, forces in kg unit/s^2; see `scaled`.
    beams : bodies that are flexible, in SI units; their masses above are those of the straight rod.
    """

    mechanism: Mechanism = field(repr=False)
    time: float
    centre: Array
    velocity: Array
    q: Array
    omega: Array
    mass: Array
    inertia: Array
    force: Array
    moment: Array
    joint_forces: Mapping[Freedom, float]
    drives: Mapping[Freedom, tuple[float, float]]
    unit: float = 1.0
    beams: Mapping[int, Beam] = field(default_factory=dict)

    @cached_property
    def rotation(self) -> Array:
        """Orientations (n + 1, 3, 3), body to world."""
        return matrix(self.q)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Row of each body."""
        return {self.mechanism.ground: GROUND, **{body.id: k for k, body in enumerate(self.mechanism.bodies)}}

    @cached_property
    def frames(self) -> Mapping[str, JointFrames]:
        """Joint frames in the world, by joint."""
        joints = self.mechanism.joints
        bodies = np.array([[self.index[name] for name in joint.bodies] for joint in joints], dtype=int).reshape(-1, 2)
        held = np.array([_held(self.mechanism, joint) for joint in joints]).reshape(-1, 2, 7)
        levers = (held[..., :3] - self.coms[bodies]) / self.unit
        centres = self.centre[bodies] + (self.rotation[bodies] @ levers[..., None])[..., 0]
        axes = matrix(multiply(self.q[bodies], held[..., 3:]))
        return {
            joint.id: JointFrames((int(one), int(two)), (centres[k, 0], centres[k, 1]), (axes[k, 0], axes[k, 1]))
            for k, (joint, (one, two)) in enumerate(zip(joints, bodies, strict=True))
        }

    @cached_property
    def coms(self) -> Array:
        """Centres of mass (n + 1, 3) [m] in the body frames."""
        return np.array([*(body.com or (0.0, 0.0, 0.0) for body in self.mechanism.bodies), (0.0, 0.0, 0.0)])

    def scaled(self, unit: float) -> Snapshot:
        """Return the same in another unit of length [m]; a power of two rounds nothing."""
        factor = self.unit / unit
        turns = {key for key in self.joint_forces if key[1] not in ("x", "y", "z", "slide")}
        slides = {key for key in self.drives if key[1] in ("x", "y", "z", "slide")}
        return replace(
            self,
            centre=self.centre * factor,
            velocity=self.velocity * factor,
            inertia=self.inertia * factor**2,
            force=self.force * factor,
            moment=self.moment * factor**2,
            joint_forces={key: value * factor ** (1 + (key in turns)) for key, value in self.joint_forces.items()},
            drives={
                key: (rate * factor, growth * factor) if key in slides else (rate, growth)
                for key, (rate, growth) in self.drives.items()
            },
            unit=unit,
        )


def _held(mechanism: Mechanism, joint: Joint) -> list[Array]:
    """Return the joint frames (7,) in the bodies, of the first and the second."""
    if joint.frames is None:  # `Mechanism.require_frames` comes first
        raise MechanismError("has no geometry", file=mechanism.file, field=f"joints.{joint.id}")
    return [frame_array(frame) for frame in joint.frames]


def joint_motions(
    snapshot: Snapshot, joints: Sequence[Joint], accelerations: Array | None = None
) -> dict[str, dict[str, Array]]:
    """Return joint -> freedom -> (3,) value, rate and acceleration [m or rad]; angles from -pi to pi.

    Parameters
    ----------
    joints : those that are asked for.
    accelerations : (n + 1, 6) of centres of mass, the ground's zero; without them the third number means nothing.
    """
    every = np.zeros((len(snapshot.centre), 6)) if accelerations is None else accelerations
    unit = snapshot.unit
    centres = BodyTrack(
        unit * snapshot.centre, snapshot.q, unit * snapshot.velocity, snapshot.omega, unit * every[:, :3], every[:, 3:]
    )
    origins = (*centres.carry(rotate(snapshot.q, -snapshot.coms)), snapshot.omega, every[:, 3:])
    found: dict[str, dict[str, Array]] = {}
    for kind in dict.fromkeys(joint.type for joint in joints):
        alike = [joint for joint in joints if joint.type == kind]
        held = np.array([_held(snapshot.mechanism, joint) for joint in alike])
        tracks = []
        for side in (0, 1):
            rows = [snapshot.index[joint.bodies[side]] for joint in alike]
            r, v, a, omega, alpha = (each[rows] for each in origins)
            tracks.append(BodyTrack(r, snapshot.q[rows], v, omega, a, alpha))
        values = measure_motion(kind, (tracks[0], tracks[1]), (held[:, 0], held[:, 1]))
        for k, joint in enumerate(alike):
            found[joint.id] = {freedom: each[k] for freedom, each in values.items()}
    return found
