"""The joints of a mechanism as rows in the poses of its bodies' centres of mass, from the generated NumPy routines.

Every joint and every freedom that is given a value is a row element of `symgen.derive.constraints`; here they are
called for all elements of one kind at once. Planar mechanisms are taken as spatial ones: the frames of the model say
already that an R turns about z and a P slides along z of its frame.

Lengths are in units of the mechanism's size, so that lengths and angles compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.errors import MechanismError, UnsolvedTypeError
from symgen.library.generated_numpy import load_routines
from symgen.library.newton.engine import Kind, kinds_by_name, read_engine
from symgen.library.newton.problem import freedom_row, pair_rows
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import Array, matrix, multiply

#: Pair types made of several elements: (kind, value it is held at or None).
_COMPOUND: dict[str, tuple[tuple[str, float | None], ...]] = {
    "W": (("R", None), ("turn_z", 0.0)),
    "L": (("PL", None), ("slide_y", 0.0)),
}
_SLOT = {"slide": "slide_x", "angle": "turn_z"}


@dataclass(frozen=True)
class RowElement:
    """Rows of one pair, or of one freedom held at a value.

    Parameters
    ----------
    kind : name of the rows in `symgen.derive.constraints`.
    joint : the joint.
    freedom : name of the freedom that is held, or None.
    value : what it is held at [rad or m]; the row of an H holds its slide.
    """

    kind: str
    joint: Joint
    freedom: str | None = None
    value: float = 0.0


@dataclass(frozen=True)
class Linearised:
    """Residual (..., m), Jacobian (..., m, 6 n) for twists [v of com / size, omega], and the element of each row (m,).

    facing : for each element the least of its cosines that must be positive (1 where it has none), (..., elements).
    """

    residual: Array
    jacobian: Array
    owner: NDArray[Any]
    facing: Array


class JointRows:
    """Evaluates row elements at poses of the bodies.

    Parameters
    ----------
    mechanism : joints with frames; `Mechanism.require_frames` was called.
    size : unit of length [m].
    """

    def __init__(self, mechanism: Mechanism, size: float) -> None:
        self.mechanism, self.size = mechanism, size
        self.number = {body.id: k for k, body in enumerate(mechanism.bodies)}
        self._com = {body.id: np.array(body.com or (0.0, 0.0, 0.0)) for body in mechanism.bodies}
        manifest = read_engine("spatial")
        self._kinds = kinds_by_name(manifest)
        self._module = load_routines(manifest.id, manifest.files["numpy"][0])

    def joint_elements(self) -> list[RowElement]:
        """Return the elements of all joints, without those of freedoms.

        Raises
        ------
        MechanismError
            A pair type without rows.
        """
        found: list[RowElement] = []
        for joint in self.mechanism.joints:
            if joint.type in _COMPOUND:
                found += [
                    RowElement(kind, joint, None if value is None else "", value or 0.0)
                    for kind, value in _COMPOUND[joint.type]
                ]
                continue
            try:
                kind = pair_rows("spatial", joint.type)
            except UnsolvedTypeError as error:
                raise MechanismError(str(error), file=self.mechanism.file, field=f"joints.{joint.id}") from None
            found += [RowElement(kind, joint)] if kind is not None else []
        return found

    def freedom_element(self, joint: Joint, freedom: str, value: float) -> RowElement:
        """Return the element that holds a freedom at a value [rad or m]."""
        kind = _SLOT[freedom] if joint.type == "L" else freedom_row("spatial", joint.type, freedom)
        return RowElement(kind, joint, freedom, value)

    def linearise(self, elements: Sequence[RowElement], poses: Array, held: Array | None = None) -> Linearised:
        """Return residual and Jacobian of elements at poses (..., n, 7) of the centres of mass.

        Parameters
        ----------
        held : (..., elements) what freedoms are held at in place of their own values, where these differ by pose.
        """
        first, lead = self._first_rows(elements), poses.shape[:-2]
        rows, bodies = first[-1], poses.shape[-2]
        residual, jacobian = np.zeros((*lead, rows)), np.zeros((*lead, rows, 6 * bodies))
        owner, facing = np.repeat(np.arange(len(elements)), np.diff(first)), np.ones((*lead, len(elements)))
        for kind, members in self._by_kind(elements):
            values = None if held is None else held[..., members]
            found = self._call(kind, 0, [elements[k] for k in members], poses, None, values)
            where = np.array([first[k] for k in members])[:, None] + np.arange(kind.rows)
            residual[..., where] = found["residual"].reshape(*lead, *where.shape)
            if "facing" in found:
                facing[..., members] = found["facing"].reshape(*lead, len(members), -1).min(axis=-1)
            for side in (0, 1):
                block = _jacobian(found, side, (*lead, len(members), kind.rows, 6))
                for m, (row, k) in enumerate(zip(where, members, strict=True)):
                    body = self.number.get(elements[k].joint.bodies[side], -1)
                    if body >= 0:
                        jacobian[..., row, 6 * body : 6 * body + 6] = block[..., m, :, :]
        return Linearised(residual, jacobian, owner, facing)

    def blocks(
        self, elements: Sequence[RowElement], poses: Array, held: Array | None = None
    ) -> list[tuple[Array, Array]]:
        """Return of each element the parts (..., rows, 6) of its Jacobian for its first and second body, without zeros.

        Parameters
        ----------
        poses : (..., n, 7) of the centres of mass. A part for the ground is that of a body at the world's origin.
        held : (..., elements) what freedoms are held at in place of their own values, where these differ by pose.
        """
        parts: dict[int, tuple[Array, Array]] = {}
        for kind, members in self._by_kind(elements):
            values = None if held is None else held[..., members]
            found = self._call(kind, 0, [elements[k] for k in members], poses, None, values)
            shape = (*poses.shape[:-2], len(members), kind.rows, 6)
            one, two = (_jacobian(found, side, shape) for side in (0, 1))
            parts |= {k: (one[..., m, :, :], two[..., m, :, :]) for m, k in enumerate(members)}
        return [parts[k] for k in range(len(elements))]

    def biases(self, elements: Sequence[RowElement], poses: Array, twists: Array) -> list[Array]:
        """Return of each element what J times the rates of the twists lacks to the second derivative of its residual.

        Parameters
        ----------
        twists : (n, 6) [v of com / size, omega]; freedoms are held.
        """
        found: dict[int, Array] = {}
        for kind, members in self._by_kind(elements):
            values = self._call(kind, 1, [elements[k] for k in members], poses, None, twists=twists)["bias"]
            found |= dict(zip(members, values.reshape(len(members), kind.rows), strict=True))
        return [found[k] for k in range(len(elements))]

    def residual(self, elements: Sequence[RowElement], poses: Array) -> Array:
        """Return the residual (m,) alone: no matrix, so for very long chains too."""
        first = self._first_rows(elements)
        found = np.zeros(first[-1])
        for kind, members in self._by_kind(elements):
            where = np.array([first[k] for k in members])[:, None] + np.arange(kind.rows)
            values = self._call(kind, 0, [elements[k] for k in members], poses, None)["residual"]
            found[where] = values.reshape(where.shape)
        return found

    def rates(self, elements: Sequence[RowElement], poses: Array, rates: Array) -> Array:
        """Return the part of the residual's rate that is not J times the twists.

        Parameters
        ----------
        rates : (elements,) rate of each freedom that is held [rad/s or m/s], 0 for pairs.

        Returns
        -------
        ndarray, shape (m,)
            r in d residual / dt = J t + r.
        """
        first = self._first_rows(elements)
        found = np.zeros(first[-1])
        for kind, members in self._by_kind(elements):
            names = [port.name for port in kind.functions[1].ports if port.direction == "out"]
            if "rate" in names:
                values = self._call(kind, 1, [elements[k] for k in members], poses, rates[members])
                found[[first[k] for k in members]] = values["rate"].reshape(-1)
        return found

    def coordinate(self, joint: Joint, freedom: str, poses: Array) -> float:
        """Return the value of a freedom [rad or m]; angles from -pi to pi."""
        one, two = (self._world_frame(joint, side, poses) for side in (0, 1))
        back = matrix(one[3:]).T
        turn, place = back @ matrix(two[3:]), self.size * (back @ (two[:3] - one[:3]))
        element = self.freedom_element(joint, freedom, 0.0)
        read: dict[str, Callable[[], float]] = {
            "slide_x": lambda: float(place[0]),
            "slide_y": lambda: float(place[1]),
            "slide_z": lambda: float(place[2]) / (float(joint.pitch or 1.0) if joint.type == "H" else 1.0),
            "turn_z": lambda: float(np.arctan2(turn[1, 0], turn[0, 0])),
            "turn_x": lambda: float(np.arctan2(turn[2, 1], turn[2, 2])),
            "pitch": lambda: float(np.arctan2(-turn[2, 0], np.hypot(turn[0, 0], turn[1, 0]))),
        }
        return read[element.kind]()

    def world_frames(
        self, joints: Sequence[Joint], poses: Array
    ) -> list[tuple[tuple[Array, Array], tuple[Array, Array]]]:
        """Return centre (3,) [m] and axes (3, 3), as columns, of joints' frames on both bodies, world."""
        sides = []
        for side in (0, 1):
            pose = self._poses([joint.bodies[side] for joint in joints], poses)
            frame = np.array([self._frame(joint, side) for joint in joints]).reshape(-1, 7)
            centres = pose[:, :3] + (matrix(pose[:, 3:]) @ frame[:, :3, None])[..., 0]
            axes = matrix(multiply(pose[:, 3:], frame[:, 3:]))
            sides.append(list(zip(self.size * centres, axes, strict=True)))
        return list(zip(*sides, strict=True))

    # -- calls -------------------------------------------------------------------------------------------------------

    def _first_rows(self, elements: Sequence[RowElement]) -> list[int]:
        return [0, *np.cumsum([self._kinds[element.kind].rows for element in elements], dtype=int).tolist()]

    def _by_kind(self, elements: Sequence[RowElement]) -> list[tuple[Kind, list[int]]]:
        members: dict[str, list[int]] = {}
        for k, element in enumerate(elements):
            members.setdefault(element.kind, []).append(k)
        return [(self._kinds[name], found) for name, found in members.items()]

    def _call(
        self,
        kind: Kind,
        which: int,
        elements: Sequence[RowElement],
        poses: Array,
        rates: Array | None,
        held: Array | None = None,
        twists: Array | None = None,
    ) -> dict[str, Array]:
        function, lead = kind.functions[which], (*poses.shape[:-2], len(elements))
        values: dict[str, Array] = {"udd": np.zeros(lead)}
        for side in (0, 1):
            values[f"pose_{side + 1}"] = self._poses([each.joint.bodies[side] for each in elements], poses)
            frames = np.array([self._frame(each.joint, side) for each in elements])
            values[f"frame_{side + 1}"] = np.broadcast_to(frames, (*lead, 7))
            values[f"twist_{side + 1}"] = np.zeros((*lead, 6))
            if twists is not None:
                numbers = np.array([self.number.get(each.joint.bodies[side], -1) for each in elements], dtype=int)
                values[f"twist_{side + 1}"][numbers >= 0] = twists[numbers[numbers >= 0]]
        factors = np.array([self._factor(each) for each in elements])
        pitches = np.array([(each.joint.pitch or 1.0) / self.size for each in elements])
        values["pitch"] = np.broadcast_to(pitches, lead)
        own = np.array([each.value for each in elements]) if held is None else held
        values["u"] = np.broadcast_to(factors * own, lead)
        values["ud"] = np.zeros(lead) if rates is None else factors * rates
        names = [port.name for port in function.ports if port.direction == "out"]
        arguments = [values[port.name] for port in function.ports if port.direction == "in"]
        found: Any = getattr(self._module, function.name)(*arguments)
        return dict(zip(names, found, strict=False))

    def _factor(self, element: RowElement) -> float:
        """Return the row's unit over that of the freedom."""
        if not element.kind.startswith("slide"):
            return 1.0
        return (float(element.joint.pitch or 1.0) if element.joint.type == "H" else 1.0) / self.size

    def _poses(self, bodies: Sequence[str], poses: Array) -> Array:
        """Return the poses (..., bodies, 7) of bodies of which some may be the ground, lengths in sizes."""
        numbers = np.array([self.number.get(body, -1) for body in bodies], dtype=int)
        found = np.array(poses[..., numbers, :], dtype=np.float64)
        found[..., :3] /= self.size
        found[..., numbers < 0, :] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        return found

    def _frame(self, joint: Joint, side: int) -> Array:
        if joint.frames is None:  # `Mechanism.require_frames` comes first
            raise MechanismError("has no geometry", file=self.mechanism.file, field=f"joints.{joint.id}")
        frame = joint.frames[side]
        com = self._com.get(joint.bodies[side], np.zeros(3))
        return np.concatenate([(np.array(frame.at) - com) / self.size, np.array(frame.q)])

    def _world_frame(self, joint: Joint, side: int, poses: Array) -> Array:
        pose, frame = self._poses([joint.bodies[side]], poses)[0], self._frame(joint, side)
        place = pose[:3] + matrix(pose[3:]) @ frame[:3]
        return np.concatenate([place, multiply(pose[3:], frame[3:])])


def _jacobian(found: dict[str, Array], side: int, shape: tuple[int, ...]) -> Array:
    part: Array = found[f"jacobian_{side + 1}"].reshape(shape)
    return part
