"""A mechanism at one time as the transfer methods take it: places, motion, masses and loads of all bodies.

World axes. Row -1 of every array of bodies is the ground, so that the index `GROUND` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from symgen.errors import MechanismError
from symgen.library.rotations import Array, matrix, multiply
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.solve.coordinates import measure_motion
from symgen.solve.rigid import frame_array
from symgen.solve.tracks import BodyTrack, resting
from symgen.transfer.tree import GROUND

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
        return {joint.id: self._frames(joint) for joint in self.mechanism.joints}

    def _frames(self, joint: Joint) -> JointFrames:
        if joint.frames is None:  # `Mechanism.require_frames` comes first
            raise MechanismError("has no geometry", file=self.mechanism.file, field=f"joints.{joint.id}")
        bodies = self.index[joint.bodies[0]], self.index[joint.bodies[1]]
        centres, axes = [], []
        for body, frame in zip(bodies, joint.frames, strict=True):
            com = self._com(body)
            centres.append(self.centre[body] + self.rotation[body] @ (np.array(frame.at) / self.unit - com))
            axes.append(matrix(multiply(self.q[body], np.array(frame.q))))
        return JointFrames(bodies, (centres[0], centres[1]), (axes[0], axes[1]))

    def _com(self, body: int) -> Array:
        """Return the centre of mass (3,) in the body frame."""
        if body == GROUND:
            return np.zeros(3)
        return np.array(self.mechanism.bodies[body].com or (0.0, 0.0, 0.0)) / self.unit

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


def joint_motion(snapshot: Snapshot, joint: Joint, accelerations: Array | None = None) -> dict[str, Array]:
    """Return freedom -> (3,) value, rate and acceleration of a joint [m or rad]; angles from -pi to pi.

    Parameters
    ----------
    accelerations : (n + 1, 6) of centres of mass, the ground's zero; without them the third number means nothing.
    """
    if joint.frames is None:
        raise MechanismError("has no geometry", file=snapshot.mechanism.file, field=f"joints.{joint.id}")
    tracks = []
    for name in joint.bodies:
        k = snapshot.index[name]
        if k == GROUND:
            tracks.append(resting(1))
            continue
        both = np.zeros(6) if accelerations is None else accelerations[k]
        track = BodyTrack(
            snapshot.centre[k][None] * snapshot.unit, snapshot.q[k][None], snapshot.velocity[k][None] * snapshot.unit,
            snapshot.omega[k][None], both[None, :3] * snapshot.unit, both[None, 3:],
        )  # fmt: skip
        com = np.array(snapshot.mechanism.bodies[k].com or (0.0, 0.0, 0.0))
        tracks.append(track.attached(np.array([*-com, 1.0, 0.0, 0.0, 0.0])))
    frames = frame_array(joint.frames[0]), frame_array(joint.frames[1])
    found = measure_motion(joint.type, (tracks[0], tracks[1]), frames)
    return {freedom: values[0] for freedom, values in found.items()}
