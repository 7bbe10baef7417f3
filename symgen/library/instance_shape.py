"""The shape of a group instance, ``symgen/group-instance/1``: keys and kinds of values."""

from __future__ import annotations

from symgen.model.file_shape import ID, ID_IS
from symgen.model.pairs import PAIR_TYPES, PAIR_WORDS
from symgen.model.shapes import EitherOf, ListOf, MapOf, QuantityShape, Shape, TableShape, Text

SCHEMA_NAME = "symgen/group-instance/1"

_NUMBER = QuantityShape("a number or an expression")


def _vector(entries: int, meaning: str) -> ListOf:
    return ListOf(_NUMBER, entries, entries, meaning)


_SPATIAL_MOTION = TableShape(
    {
        "r": _vector(3, "origin of the body frame [m]"),
        "q": _vector(4, "orientation: unit quaternion, scalar first, body to world"),
        "v": _vector(3, "velocity of the origin [m/s]"),
        "omega": _vector(3, "angular velocity [rad/s]"),
        "a": _vector(3, "acceleration of the origin [m/s^2]"),
        "alpha": _vector(3, "angular acceleration [rad/s^2]"),
    },
    meaning="a known body, world axes; at the world origin and at rest where nothing is said",
)
_PLANAR_MOTION = TableShape(
    {
        "r": _vector(2, "origin of the body frame [m]"),
        "phi": QuantityShape("orientation [rad]"),
        "v": _vector(2, "velocity of the origin [m/s]"),
        "omega": QuantityShape("angular velocity [rad/s]"),
        "a": _vector(2, "acceleration of the origin [m/s^2]"),
        "alpha": QuantityShape("angular acceleration [rad/s^2]"),
    },
    meaning="a known body; at the world origin and at rest where nothing is said",
)

_SPATIAL_SIDE: dict[str, Shape] = {
    "at": _vector(3, "joint centre [m, body frame]"),
    "q": _vector(4, "joint frame to body: unit quaternion, scalar first"),
    "axis": _vector(3, "first axis of the joint, body frame"),
    "axis2": _vector(3, "second axis, body frame"),
}
_PLANAR_SIDE: dict[str, Shape] = {
    "at": ListOf(_NUMBER, 2, 3, "joint centre [m, body frame]"),
    "angle": QuantityShape("angle of the joint frame [rad]; a P slides along its x axis, as does the pin of an L"),
    "q": _vector(4, "joint frame to body: unit quaternion, scalar first"),
    "axis": ListOf(_NUMBER, 2, 3, "direction of a P, body frame"),
    "axis2": ListOf(_NUMBER, 2, 3, "x axis of the joint frame of an R or L, body frame"),
}

_DRIVEN = EitherOf(
    sequence=ListOf(_NUMBER, 1, 3, "value, rate, acceleration [rad or m, s]"),
    other=_NUMBER,
    meaning="[value, rate, acceleration] of a driven freedom",
)


def _joint(side: dict[str, Shape]) -> TableShape:
    return TableShape(
        {
            "type": Text("pair type", choices=tuple(PAIR_TYPES), words=PAIR_WORDS),
            "bodies": ListOf(Text("id of a body", pattern=ID, pattern_is=ID_IS), 2, 2, "first and second body"),
            "frames": MapOf(TableShape(side, meaning="joint frame in the frame of this body"), ID, ID_IS, "by body"),
            "driven": MapOf(_DRIVEN, ID, ID_IS, "driven freedoms by name"),
            "pitch": QuantityShape("slide per angle of an H [m/rad]"),
        },
        required=("type", "bodies", "frames"),
    )


_SPATIAL_START = TableShape(
    {"r": _vector(3, "origin of the body frame [m]"), "q": _vector(4, "orientation: unit quaternion, scalar first")},
    meaning="pose of an unknown body to start from",
)
_PLANAR_START = TableShape(
    {"r": _vector(2, "origin of the body frame [m]"), "phi": QuantityShape("orientation [rad]")},
    meaning="pose of an unknown body to start from",
)
_MOST_BODIES = 64


def _instance(motion: TableShape, start: TableShape, side: dict[str, Shape]) -> TableShape:
    return TableShape(
        {
            "schema": Text("format of the file", choices=(SCHEMA_NAME,)),
            "name": Text("what people call it", longest=200),
            "space": Text("default spatial", choices=("spatial", "planar")),
            "known": MapOf(motion, ID, ID_IS, "bodies whose motion is known"),
            "bodies": ListOf(Text("id of a body", pattern=ID, pattern_is=ID_IS), 1, _MOST_BODIES, "the unknown bodies"),
            "joints": MapOf(_joint(side), ID, ID_IS, "all joints of the group"),
            "start": MapOf(
                start, ID, ID_IS, "poses of the unknown bodies near a solution; for groups without closed form"
            ),
        },
        required=("known", "bodies", "joints"),
        meaning="a structural group between bodies of known motion",
    )


SHAPES = {
    "spatial": _instance(_SPATIAL_MOTION, _SPATIAL_START, _SPATIAL_SIDE),
    "planar": _instance(_PLANAR_MOTION, _PLANAR_START, _PLANAR_SIDE),
}
