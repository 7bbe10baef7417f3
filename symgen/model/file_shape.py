"""The shape of a mechanism file, ``symgen/mechanism/1``: keys and kinds of values, in one table.

Values are checked where they are read (`read_bodies`, `read_joints`, ...); here is only what a file may look like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symgen.model.couplings import MESHES
from symgen.model.pairs import MOST_BODIES, PAIR_TYPES, PAIR_WORDS
from symgen.model.shapes import (
    ByKind,
    EitherOf,
    ListOf,
    MapOf,
    Problems,
    QuantityShape,
    Schema,
    Shape,
    TableShape,
    Text,
    Truth,
)
from symgen.model.special import KINDS

SCHEMA_NAME = "symgen/mechanism/1"
LONGEST_NAME = 200

ID = r"[A-Za-z0-9_][A-Za-z0-9_-]*"
ID_IS = "an id: letters A-Z and a-z, digits, _ and -, not starting with -"
PARAMETER = r"[A-Za-z_][A-Za-z0-9_]*"
PARAMETER_IS = "a name: letters A-Z and a-z, digits and _, not starting with a digit"


def _vector(meaning: str, entries: int = 3, least: int | None = None) -> ListOf:
    return ListOf(QuantityShape("a number or an expression"), least or entries, entries, meaning)


def _place(meaning: str) -> ListOf:
    return _vector(meaning + "; in a planar mechanism two entries are enough", 3, 2)


def _turning(meaning: str) -> EitherOf:
    number = QuantityShape("about z; planar mechanisms only")
    return EitherOf(sequence=_vector(meaning), other=number, meaning=meaning)


def _body_id(meaning: str = "id of a body") -> Text:
    return Text(meaning, pattern=ID, pattern_is=ID_IS)


_POSE = TableShape(
    {
        "r": _place("origin of the body frame [m, world]"),
        "q": _vector("orientation: unit quaternion, scalar first, body to world", 4),
        "angle": QuantityShape("orientation about z [rad], instead of q; planar mechanisms only"),
    },
    meaning="body frame in the reference configuration; default world origin, identity",
)

_BEAM = TableShape(
    {
        "length": QuantityShape("along x of the body frame, from its origin [m]"),
        "mass_per_length": QuantityShape("[kg/m]"),
        "bending": EitherOf(
            sequence=_vector("stiffness of bending about y and about z: EI_y, EI_z [N m^2]", 2),
            other=QuantityShape("EI_z [N m^2]; planar mechanisms only"),
            meaning="stiffness of bending [N m^2]",
        ),
        "axial": QuantityShape("stiffness of stretching EA [N]; default: it does not stretch"),
        "torsion": QuantityShape("stiffness of torsion GJ [N m^2]; default: it does not twist"),
        "polar": QuantityShape("polar inertia of the section for each length [kg m]; default 0"),
        "modes": QuantityShape("assumed modes of each kind (bending in a plane, stretching, torsion); default 4"),
        "end_shapes": QuantityShape(
            "additional static shapes, with modes that hold both ends: for a force at the far end (1), and for a "
            "moment (2); default 2 if both ends have joints, otherwise 0"
        ),
        "damping": QuantityShape("of each mode in a simulation: ratio of the critical damping; default 0"),
    },
    required=("length", "mass_per_length", "bending"),
    meaning="a flexible beam along x of the body frame (Euler and Bernoulli), instead of mass, com and inertia",
)

_INERTIA = "Ixx Iyy Izz Ixy Ixz Iyz [kg m^2] about the com, body axes, as entries of the matrix"

_BODY = TableShape(
    {
        "mass": QuantityShape("[kg]"),
        "com": _place("centre of mass [m, body frame]"),
        "inertia": EitherOf(
            sequence=_vector(_INERTIA, 6),
            other=QuantityShape("Izz [kg m^2] about the com, of a body of a planar mechanism"),
            meaning=f"{_INERTIA}; or, in a planar mechanism, Izz alone",
        ),
        "beam": _BEAM,
        "pose": _POSE,
        "points": MapOf(_place("point [m, body frame]"), ID, ID_IS, "named points"),
    },
    meaning="a moving body; the ground may be listed for its points only",
)

_AT = _place("joint centre [m]")
_AXIS = _place("first axis of the joint")
_AXIS2 = _place("second axis of the joint")

_SIDE = TableShape(
    {"at": _AT, "axis": _AXIS, "axis2": _AXIS2, "q": _vector("unit quaternion, scalar first, joint frame to body", 4)},
    meaning="joint frame in the frame of this body",
)

_JOINT = TableShape(
    {
        "type": Text("pair type", choices=tuple(PAIR_TYPES), words=PAIR_WORDS),
        "bodies": ListOf(
            _body_id(),
            2,
            MOST_BODIES,
            "two, the coordinates measure the motion of the second relative to the first; or all bodies on one pin",
        ),
        "between": ListOf(
            EitherOf(
                sequence=ListOf(_body_id(), 2, 2, "two bodies"), other=_body_id(), meaning="a body, or a pair of bodies"
            ),
            1,
            MOST_BODIES,
            "with more than two bodies: the driven pair, or a list of driven pairs",
        ),
        "tree": ListOf(
            ListOf(_body_id(), 2, 2, "two bodies"),
            2,
            MOST_BODIES - 1,
            "with more than two bodies: the pairs that stand for the joint; default: the best for the structure",
        ),
        "driven": EitherOf(
            sequence=ListOf(Text("name of a freedom"), 0, 6, "names of the driven freedoms"),
            other=QuantityShape("the number of freedoms that are inputs"),
            meaning="the number of freedoms that are inputs, or a list of their names",
        ),
        "at": _AT,
        "axis": _AXIS,
        "axis2": _AXIS2,
        "pitch": QuantityShape("slide per angle of an H [m/rad]"),
        "frames": MapOf(_SIDE, ID, ID_IS, "a joint frame for each of the bodies, instead of at and axis"),
    },
    required=("type", "bodies"),
    meaning="a kinematic pair; at, axis, axis2: world coordinates of the reference configuration",
)

_LAW = QuantityShape("law of the freedom over the time t [s]")
_DRIVE = EitherOf(
    table=MapOf(_LAW, ID, ID_IS, "laws by freedom"), other=_LAW, meaning="a number, an expression or a table by freedom"
)

_INITIAL_JOINT_FIELDS: dict[str, Shape] = {
    name: QuantityShape("initial coordinate [rad or m]")
    for name in dict.fromkeys(name for pair in PAIR_TYPES.values() for name in pair.freedoms)
}
_RATE = QuantityShape("initial rate [rad/s or m/s]")
_INITIAL = TableShape(
    {
        "joints": MapOf(
            TableShape(
                {
                    **_INITIAL_JOINT_FIELDS,
                    "rate": EitherOf(
                        table=TableShape(dict.fromkeys(_INITIAL_JOINT_FIELDS, _RATE)),
                        other=_RATE,
                        meaning="rate of the one freedom, or a table by freedom",
                    ),
                },
                advice={
                    f"{name}.rate": f"; rates are given as rate = {{ {name} = ... }}" for name in _INITIAL_JOINT_FIELDS
                },
            ),
            ID,
            ID_IS,
        ),
        "bodies": MapOf(
            TableShape(
                {
                    "v": _place("velocity of the centre of mass [m/s, world]"),
                    "omega": _turning("angular velocity [rad/s, world]"),
                }
            ),
            ID,
            ID_IS,
        ),
    },
    meaning="initial state for the dynamics",
)

_INTERVAL: dict[str, Shape] = {
    "from": QuantityShape("acts from this time on [s]"),
    "until": QuantityShape("acts until this time [s]"),
}
_AXES = Text("axes of the value", choices=("world", "body"))
_POINT = Text("a point, body.point", pattern=rf"{ID}\.{ID}", pattern_is='a point of a body, such as "2.P"')


def _force(kind: str, fields: Mapping[str, Shape], *required: str) -> TableShape:
    return TableShape({"kind": Text("kind of force", choices=(kind,)), **fields}, ("kind", *required))


_FORCE = ByKind(
    {
        "spring": _force(
            "spring",
            {
                "between": ListOf(_POINT, 2, 2, "two points"),
                "stiffness": QuantityShape("[N/m]"),
                "damping": QuantityShape("[N s/m]"),
                "length": QuantityShape("free length [m]"),
            },
            "between",
        ),
        "force": _force(
            "force",
            {
                "body": _body_id(),
                "at": _place("point of application [m, body frame]"),
                "value": _place("three laws over the time t [N]"),
                "axes": _AXES,
                **_INTERVAL,
            },
            "body",
            "value",
        ),
        "torque": _force(
            "torque",
            {"body": _body_id(), "value": _turning("three laws over the time t [N m]"), "axes": _AXES, **_INTERVAL},
            "body",
            "value",
        ),
        "joint": _force(
            "joint",
            {
                "joint": Text("id of a joint", pattern=ID, pattern_is=ID_IS),
                "freedom": Text("name of a freedom of it"),
                "stiffness": QuantityShape("[N/m or N m/rad]"),
                "damping": QuantityShape("[N s/m or N m s/rad]"),
                "rest": QuantityShape("coordinate without spring force [m or rad]"),
                "value": QuantityShape("actuator law over the time t [N or N m]"),
            },
            "joint",
        ),
    }
)

_TWO_JOINTS = ListOf(Text("id of a joint", pattern=ID, pattern_is=ID_IS), 2, 2, "two joints")


def _coupling(kind: str, **fields: Shape) -> TableShape:
    needed = [name for name in fields if name not in ("carrier", "crossed")]
    return TableShape(
        {"kind": Text("kind", choices=(kind,)), "joints": _TWO_JOINTS, **fields}, ("kind", "joints", *needed)
    )


_COUPLING = ByKind(
    {
        "gear": _coupling(
            "gear",
            teeth=ListOf(QuantityShape("number of teeth"), 2, 2, "teeth of the two wheels"),
            mesh=Text("how the wheels mesh", choices=MESHES),
            carrier=_body_id("the body that holds both wheels, if the joints have no body in common"),
        ),
        "rack": _coupling("rack", radius=QuantityShape("of the wheel, the first joint [m]")),
        "belt": _coupling(
            "belt",
            radii=ListOf(QuantityShape("[m]"), 2, 2, "radii of the two pulleys"),
            crossed=Truth("the pulleys turn in opposite directions; default false"),
        ),
    },
    otherwise=TableShape(
        {"relation": Text('affine in joint coordinates, such as "A.angle = -ratio*B.angle"')}, ("relation",)
    ),
)

_RANGE = ListOf(QuantityShape("[rad or m]"), 2, 2, "minimum and maximum")
_LIMIT = EitherOf(
    table=MapOf(_RANGE, ID, ID_IS, "by freedom"), sequence=_RANGE, meaning="two numbers, or a table by freedom"
)

_INPUT_RANGE = EitherOf(
    table=MapOf(
        EitherOf(table=MapOf(_RANGE, ID, ID_IS), sequence=_RANGE, meaning="two numbers, or a table"),
        ID,
        ID_IS,
        "by freedom, rate or acc",
    ),
    sequence=_RANGE,
    meaning="two numbers, or a table by freedom, rate or acc",
)

_SUBCHAIN: dict[str, Shape] = {
    "joints": ListOf(Text("id of a joint", pattern=ID, pattern_is=ID_IS), 1, 1000, "its joints"),
    "bodies": ListOf(_body_id(), 2, 1000, "instead of joints: all joints between these bodies"),
}


def _special(kind: str, **fields: Shape) -> TableShape:
    return TableShape({"kind": Text("kind", choices=(kind,)), **_SUBCHAIN, **fields}, ("kind", *fields))


_SPECIAL = ByKind(
    {
        **{kind: _special(kind) for kind in KINDS if kind != "proportions"},
        "proportions": _special(
            "proportions",
            redundant=QuantityShape("the number of constraints of these joints that follow from the others"),
        ),
    }
)

#: What people call the two spaces: for the answer to a wrong one, never accepted in its place.
_SPACE_WORDS = {
    **dict.fromkeys(("2D", "2", "two-dimensional", "xy"), "planar"),
    **dict.fromkeys(("3D", "3", "three-dimensional", "xyz"), "spatial"),
}
_UNITS = (
    "; everything is in SI and nothing is converted: lengths in m, masses in kg, angles in rad, times in s, forces "
    "in N. Leave the key out and write the numbers in these units (100 mm is 0.1)"
)
_UNIT_KEYS = ("units", "unit", "length_unit", "length_units", "angle_unit", "angle_units", "unit_system", "scale")

_FILE = TableShape(
    {
        "schema": Text("name and version of this format", choices=(SCHEMA_NAME,)),
        "name": Text("name of the mechanism for readers", longest=LONGEST_NAME),
        "space": Text("spatial, or planar: motion in the x-y plane", choices=("spatial", "planar"), words=_SPACE_WORDS),
        "ground": _body_id('id of the fixed body; default "ground"'),
        "gravity": _place("[m/s^2, world]; default zero"),
        "parameters": MapOf(QuantityShape("a number or an expression of other parameters"), PARAMETER, PARAMETER_IS),
        "bodies": MapOf(_BODY, ID, ID_IS, "the moving bodies, in the order that numbers them"),
        "joints": MapOf(_JOINT, ID, ID_IS),
        "special": MapOf(_SPECIAL, ID, ID_IS, "special geometry: sub-chains with redundant constraints"),
        "drives": MapOf(_DRIVE, rf"{ID}(\.{ID})?", 'the id of a joint, or "joint.freedom"', "laws of driven freedoms"),
        "initial": _INITIAL,
        "forces": MapOf(_FORCE, ID, ID_IS),
        "couplings": MapOf(_COUPLING, ID, ID_IS, "relations between joint coordinates; read and checked, not used yet"),
        "limits": MapOf(
            _LIMIT,
            rf"{ID}(\.{ID})?",
            '"joint.freedom"',
            "minimum and maximum of coordinates; read and checked, not used yet",
        ),
        "ranges": MapOf(
            _INPUT_RANGE,
            rf"{ID}(\.{ID}){{0,2}}",
            '"joint.freedom", with .rate or .acc for its rate and acceleration',
            "intervals within which a controller may set driven freedoms; checked by exported code",
        ),
    },
    required=("schema", "space", "bodies"),
    advice=dict.fromkeys(_UNIT_KEYS, _UNITS),
)


def check_shape(tree: object, problems: Problems) -> None:
    """Note unknown keys, missing keys and values of a wrong kind anywhere in the tree of a mechanism file."""
    if isinstance(tree, Mapping) and "schema" not in tree:
        problems.note("schema", f'is missing; the first line of a mechanism file is schema = "{SCHEMA_NAME}"')
        replace(_FILE, required=_FILE.required[1:]).check(tree, "", problems)
    else:
        _FILE.check(tree, "", problems)


def schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of a mechanism file.

    It says what keys and kinds of values there may be. That ids are known, axes are not zero and
    expressions can be read is checked by `symgen.load` on top of it.
    """
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{SCHEMA_NAME.replace('/', ':')}",
        "title": f"Mechanism file, {SCHEMA_NAME}",
    }
    return {**head, **_FILE.schema()}
