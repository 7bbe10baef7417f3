"""From a mechanism's bodies, frames and drives to the ports of a solved type, and back.

A `GroupAdapter` holds no numbers: it is made once for a group (`symgen.library.fit`) and
then used with arrays that have any leading batch axes, one row or a whole time
axis at once.

    fit     = fit_group(library.catalogue, "spatial", ["b1", "b2"], joints)
    adapter = GroupAdapter(fit)
    ports   = adapter.ports(known, frames, drives, pitches)   inputs of position, velocity and acceleration
    solved  = run_stages(library.of(fit.entry), ports, branch)
    motion  = adapter.motion(ports, solved.values)       bodies and joint coordinates by the mechanism's names

A joint written from the unknown body to the known one is turned: its frames change
places; R, P, H and C change the sign of their coordinates; a U also takes both frames
times the half turn Q about (1, 0, 1)/sqrt(2), for F_j = F_i Rz(a1) Rx(a2) means
F_i Q = F_j Q Rz(-a2) Rx(-a1), so (angle1, angle2) become (-angle2, -angle1). The
coordinates of a PL are turned by `symgen.library.joint_coordinates`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symgen.errors import InputError
from symgen.library.fit import FittedJoint, GroupFit
from symgen.library.joint_coordinates import spherical_coordinates, turned_plane
from symgen.model.pairs import PAIR_TYPES
from symgen.poses import EXCHANGE_Z_X, Array, multiply

#: Prefixes of ports: value, rate, acceleration.
_BODY = ("", "v_", "a_")
_COORDINATE = ("q_", "qd_", "qdd_")
_DRIVE = ("u_", "ud_", "udd_")
_ANGLES = frozenset({"angle", "angle1", "angle2", "yaw", "pitch", "roll"})


@dataclass(frozen=True)
class BodyMotion:
    """Motion of a body frame, world axes; any leading batch axes.

    Parameters
    ----------
    pose : spatial [r, q] (..., 7) [m, -]; planar [x, y, phi] (..., 3) [m, m, rad].
    twist : [v, omega] (..., 6) [m/s, rad/s]; planar [vx, vy, omega] (..., 3). None: at rest.
    acceleration : [a, alpha] (..., 6) [m/s^2, rad/s^2]; planar (..., 3). None: zero.
    """

    pose: Array
    twist: Array | None = None
    acceleration: Array | None = None


@dataclass(frozen=True)
class GroupMotion:
    """What a group does: its bodies, and its joints' coordinates, under the mechanism's names.

    Parameters
    ----------
    bodies : unknown body -> its motion; NaN where not determined.
    joints : joint -> freedom -> array (..., 3) of value, rate, acceleration [rad or m, s]. Driven ones are included
        as they were given; free angles lie in [-pi, pi].
    """

    bodies: dict[str, BodyMotion]
    joints: dict[str, dict[str, Array]]


class GroupAdapter:
    """Translates between a group of a mechanism and the ports of its solved type.

    Parameters
    ----------
    fit : which body and joint of the mechanism takes which place; see `symgen.library.fit.fit_group`.
    """

    def __init__(self, fit: GroupFit) -> None:
        self.fit = fit
        self.spatial = fit.entry.manifest.space == "spatial"

    def ports(
        self,
        known: Mapping[str, BodyMotion],
        frames: Mapping[str, tuple[Array, Array]],
        drives: Mapping[tuple[str, str], Array],
        pitches: Mapping[str, float],
    ) -> dict[str, Array]:
        """Return the input ports of all stages: known bodies, joint frames, driven freedoms, pitches.

        Parameters
        ----------
        known : known body -> motion.
        frames : joint -> frame on its first and on its second body as the mechanism writes it: [at, q] (..., 7),
            joint frame to body; planar [x, y, angle] (..., 3), a P slides along x.
        drives : (joint, freedom) -> (..., 3) value, rate, acceleration of each driven freedom.
        pitches : H joint -> pitch [m/rad], the same in either direction.

        Raises
        ------
        InputError
            A driven freedom has no value.
        """
        ports: dict[str, Array] = {}
        arrangement = self.fit.entry.arrangement
        for place in arrangement.known:
            ports.update(self._body_ports(place, known[self.fit.bodies[place]]))
        for fitted in self.fit.joints:
            first, second = self._slot_frames(fitted, frames[fitted.joint.name])
            ports.update(zip(fitted.slot.frames, (first, second), strict=True))
            if fitted.slot.type == "H":
                ports[f"pitch_{fitted.slot.name}"] = np.asarray(pitches[fitted.joint.name])
            if fitted.slot.driven:
                ports.update(_drive_ports(fitted, drives))
        return ports

    def motion(self, ports: Mapping[str, Array], values: Mapping[str, Array]) -> GroupMotion:
        """Return bodies and joint coordinates from what `ports` gave and the solved type returned.

        Parameters
        ----------
        ports : what `ports` returned.
        values : output ports of the stages by name (``b1``, ``v_b1``, ``a_b1``, ``q_j1``, ...), as
            `symgen.library.stages.run_stages` gathers them.
        """
        pool = {**ports, **values}
        bodies = {
            self.fit.bodies[place]: BodyMotion(*(pool[prefix + place] for prefix in _BODY))
            for place in self.fit.entry.arrangement.bodies
        }
        return GroupMotion(bodies, {each.joint.name: self._coordinates(each, pool) for each in self.fit.joints})

    def _body_ports(self, place: str, motion: BodyMotion) -> dict[str, Array]:
        rest = np.zeros(6 if self.spatial else 3)
        rates = (rest if each is None else each for each in (motion.twist, motion.acceleration))
        return dict(zip((prefix + place for prefix in _BODY), (motion.pose, *rates), strict=True))

    def _slot_frames(self, fitted: FittedJoint, frames: tuple[Array, Array]) -> tuple[Array, Array]:
        if not fitted.turned:
            return frames
        second, first = frames
        if fitted.slot.type == "U":
            return _exchange_axes(first), _exchange_axes(second)
        return first, second

    def _coordinates(self, fitted: FittedJoint, pool: Mapping[str, Array]) -> dict[str, Array]:
        if fitted.slot.type == "S" and not fitted.slot.driven:
            return self._spherical(fitted, pool)
        found = {}
        for names, prefixes in ((fitted.slot.freedoms, _COORDINATE), (fitted.slot.driven, _DRIVE)):
            for index, name in enumerate(names):
                parts = [pool[prefix + fitted.slot.name][..., index] for prefix in prefixes]
                if prefixes is _COORDINATE and name in _ANGLES:
                    parts[0] = _principal(parts[0])
                triple = np.stack(np.broadcast_arrays(*parts), axis=-1)
                found[fitted.freedom(name)] = triple
        if fitted.turned:
            is_plane = fitted.slot.type == "PL" and not fitted.slot.driven
            found = turned_plane(found) if is_plane else {name: 0.0 - triple for name, triple in found.items()}
        return {name: found[name] for name in PAIR_TYPES[fitted.slot.type].freedoms if name in found}

    def _spherical(self, fitted: FittedJoint, pool: Mapping[str, Array]) -> dict[str, Array]:
        places = fitted.slot.bodies[::-1] if fitted.turned else fitted.slot.bodies
        frames = fitted.slot.frames[::-1] if fitted.turned else fitted.slot.frames
        one, two = places
        return spherical_coordinates(
            (pool[one][..., 3:], pool[two][..., 3:]),
            (pool[frames[0]], pool[frames[1]]),
            (pool["v_" + one][..., 3:], pool["v_" + two][..., 3:]),
            (pool["a_" + one][..., 3:], pool["a_" + two][..., 3:]),
        )


def _principal(angle: Array) -> Array:
    """Return angles brought into [-pi, pi]; those that are in it are not touched."""
    angle = np.asarray(angle)
    return angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi))


def _exchange_axes(frame: Array) -> Array:
    """Return a joint frame [at, q] times the half turn that exchanges z and x."""
    frame = np.asarray(frame)
    return np.concatenate([frame[..., :3], multiply(frame[..., 3:], EXCHANGE_Z_X)], axis=-1)


def _drive_ports(fitted: FittedJoint, drives: Mapping[tuple[str, str], Array]) -> dict[str, Array]:
    values = []
    for name in fitted.slot.driven:
        freedom = fitted.freedom(name)
        if (fitted.joint.name, freedom) not in drives:
            raise InputError(f"joint {fitted.joint.name}: the driven freedom {freedom!r} has no value")
        given = np.asarray(drives[fitted.joint.name, freedom])
        values.append(0.0 - given if fitted.turned else given)
    together = np.stack(np.broadcast_arrays(*values), axis=-2)  # (..., freedoms, 3)
    return {prefix + fitted.slot.name: together[..., order] for order, prefix in enumerate(_DRIVE)}
