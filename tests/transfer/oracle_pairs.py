"""What each pair type says of its two joint frames, as equations between frames and nothing else.

`place` (3, batch, 3) and `turn` (3, batch, 3, 3) are series of F_i^-1 F_j: where the second frame is in the first. The
equations are those of the mechanism file's description; their derivatives are taken by the series.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from transfer.oracle_series import Array, arctangent, cosine, sine, times

_AXIS = (("turn", 0, 2), ("turn", 1, 2))  # z of the second stays z of the first
_UNTURNED = (("turn", 1, 0), ("turn", 2, 0), ("turn", 2, 1))
_POINT = (("place", 0), ("place", 1), ("place", 2))

#: Pair -> entries of place and turn that are zero.
ZEROS: Mapping[str, tuple[tuple[object, ...], ...]] = {
    "W": (*_POINT, *_UNTURNED),
    "R": (*_POINT, *_AXIS),
    "P": (("place", 0), ("place", 1), *_UNTURNED),
    "C": (("place", 0), ("place", 1), *_AXIS),
    "H": (("place", 0), ("place", 1), *_AXIS),  # and the screw's own equation
    "U": (*_POINT, ("turn", 2, 0)),
    "ER": (*_POINT, ("turn", 2, 0)),
    "S": _POINT,
    "PL": (("place", 2), *_AXIS),
    "L": (("place", 1), ("place", 2), *_AXIS),
    "FP": (("place", 2), *_AXIS),
    "F": (),
}


def _entry(place: Array, turn: Array, name: tuple[object, ...]) -> Array:
    found: Array = place[..., name[1]] if name[0] == "place" else turn[..., name[1], name[2]]  # type: ignore[call-overload]
    return found


def residuals(code: str, place: Array, turn: Array, pitch: float | None) -> list[Array]:
    """Return the equations of a pair, each a series of shape (3, batch)."""
    rows = [_entry(place, turn, name) for name in ZEROS[code]]
    if code == "H":
        if pitch is None:
            raise ValueError("a screw has a pitch")
        if pitch == 0.0:
            return [*rows, place[..., 2]]
        rows.append(_turned_by(turn[..., 1, 0], turn[..., 0, 0], place[..., 2] / pitch))
    return rows


def _turned_by(y: Array, x: Array, angle: Array) -> Array:
    """Return zero where the direction (x, y) is at `angle`, whatever its length and whole turns."""
    return times(y, cosine(angle)) - times(x, sine(angle))


#: Freedom -> where its sine and cosine stand in `turn`; the angle of U and of yaw-pitch-roll likewise.
_DIRECTIONS = {
    "angle": ((1, 0), (0, 0)), "angle1": ((1, 0), (0, 0)), "angle2": ((2, 1), (2, 2)),
    "yaw": ((1, 0), (0, 0)), "roll": ((2, 1), (2, 2)),
}  # fmt: skip


def _place_index(code: str, freedom: str) -> int:
    if freedom == "slide":
        return 0 if code == "L" else 2
    return "xyz".index(freedom)


def driven_residual(code: str, freedom: str, place: Array, turn: Array, pitch: float | None, law: Array) -> Array:
    """Return the equation that a law (a series of shape (3, batch)) adds."""
    if code == "H":
        return place[..., 2] - (pitch or 0.0) * law
    if freedom == "pitch":
        return turn[..., 2, 0] + sine(law)
    if freedom in _DIRECTIONS:
        (a, b), (c, d) = _DIRECTIONS[freedom]
        return _turned_by(turn[..., a, b], turn[..., c, d], law)
    return place[..., _place_index(code, freedom)] - law


def coordinate(code: str, freedom: str, place: Array, turn: Array, pitch: float | None) -> Array:
    """Return a freedom's coordinate, value and first derivative; angles between -pi and pi, but a screw's."""
    if code == "H":
        return place[..., 2] / (pitch or np.nan)
    if freedom == "pitch":
        (y, x), down = (turn[..., 0, 0], turn[..., 1, 0]), turn[..., 2, 0]
        length = np.sqrt(y[0] ** 2 + x[0] ** 2)
        flat = np.stack([length, (y[0] * y[1] + x[0] * x[1]) / length, np.full_like(length, np.nan)])
        return arctangent(-down, flat)
    if freedom in _DIRECTIONS:
        (a, b), (c, d) = _DIRECTIONS[freedom]
        return arctangent(turn[..., a, b], turn[..., c, d])
    return place[..., _place_index(code, freedom)]


def motion_of(code: str, values: Mapping[str, float], pitch: float | None = None) -> Array:
    """Return F_i^-1 F_j (4, 4) for values of the freedoms."""
    out = np.eye(4)
    for name, value in values.items():
        if code == "H":
            out[2, 3] = (pitch or 0.0) * value
        elif name not in ("pitch", *_DIRECTIONS):
            out[_place_index(code, name), 3] = value
    about: tuple[tuple[str, Callable[[float], Array]], ...] = (
        ("yaw", about_z), ("angle", about_z), ("angle1", about_z),
        ("pitch", about_y), ("roll", about_x), ("angle2", about_x),
    )  # fmt: skip
    for name, matrix in about:
        out[:3, :3] = out[:3, :3] @ matrix(values.get(name, 0.0))
    return out


def about_x(a: float) -> Array:
    """Return the rotation by `a` about x."""
    return np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])


def about_y(a: float) -> Array:
    """Return the rotation by `a` about y."""
    return np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])


def about_z(a: float) -> Array:
    """Return the rotation by `a` about z."""
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
