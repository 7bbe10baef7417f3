"""The tables that engines of dynamics read: one schema gives the C struct, the NumPy dtype and what documents say.

A table has a row for each thing of one kind: a body, a motion of the tree, a spring. In C it is an array of structs
(`generated/dynamics/dynamics_tables.h`), in Python a structured array of the same layout, so that the rows of a
mechanism are handed over as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

#: Kinds of motions of the tree, in the order of their numbers; `mode`: of a flexible beam.
MOTION_KINDS = ("turn_x", "turn_y", "turn_z", "slide_x", "slide_y", "slide_z", "screw_z", "ball", "mode")
#: Kinds of forces and torques on bodies, whose axes are the world's or the body's.
PUSH_KINDS = ("push_world", "push_body", "twist_world", "twist_body")

#: Operations of laws as C; {0} ... {3} are their arguments. Sine, cosine, atan2 and what
#: is made of them are ours (symgen_math.h), with the same bits on every machine.
LAW_OPERATIONS = {
    "+": "{0} + {1}",
    "-": "{0} - {1}",
    "*": "{0} * {1}",
    "/": "{0} / {1}",
    "square": "{0}*{0}",
    "**": "pow({0}, {1})",
    "negative": "(-{0})",
    "sin": "own_sin({0})",
    "cos": "own_cos({0})",
    "tan": "own_sin({0})/own_cos({0})",
    "asin": "own_atan2({0}, sqrt((1 - {0})*(1 + {0})))",
    "acos": "own_atan2(sqrt((1 - {0})*(1 + {0})), {0})",
    "atan": "own_atan2({0}, 1)",
    "atan2": "own_atan2({0}, {1})",
    "sqrt": "sqrt({0})",
    "exp": "exp({0})",
    "log": "log({0})",
    "abs": "fabs({0})",
    "min": "({0} < {1} ? {0} : {1})",
    "max": "({0} > {1} ? {0} : {1})",
    "sign": "(double)(({0} > 0) - ({0} < 0))",
    "choose": "({0} <= {1} ? {2} : {3})",
}
#: A row with two results, one behind the other: sine and cosine; and one for a product and a sum, each of them rounded.
TURN, TIMES_PLUS = "turn", "times plus"
#: Operations of rows, in the order of their numbers.
LAW_ROW_OPERATIONS = {
    TURN: "own_turn_by({0})",
    TIMES_PLUS: "{0}*{1} + {2}",
    **{name: value for name, value in LAW_OPERATIONS.items() if name not in ("sin", "cos", "tan")},
}

Kind = Literal["int32_t", "double"]
_DTYPE: dict[Kind, str] = {"int32_t": "<i4", "double": "<f8"}


@dataclass(frozen=True)
class TableColumn:
    """One member of a row.

    Parameters
    ----------
    size : how many numbers it is; 1 for a number alone.
    unit : in SI; "" for none.
    """

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    size: int = 1

    @property
    def declaration(self) -> str:
        """The member as C declares it."""
        return f"{self.kind} {self.name}{f'[{self.size}]' if self.size > 1 else ''};"

    @property
    def said(self) -> str:
        """Its meaning with its unit."""
        return f"{self.meaning} [{self.unit}]" if self.unit else self.meaning


@dataclass(frozen=True)
class TableSchema:
    """Rows of one kind.

    Parameters
    ----------
    name : of the table in C and in Python.
    struct : C type of a row.
    rows : macro of their number.
    meaning : what a row is.
    """

    name: str
    struct: str
    rows: str
    meaning: str
    columns: tuple[TableColumn, ...]

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Type of a row, laid out as a C compiler does."""
        members = [(each.name, _DTYPE[each.kind], (each.size,) if each.size > 1 else ()) for each in self.columns]
        return np.dtype(members, align=True)

    def filled(self, count: int, **columns: Any) -> np.ndarray[Any, np.dtype[Any]]:
        """Return a table of so many rows, column by column."""
        table = np.zeros(count, dtype=self.dtype)
        for name in (each.name for each in self.columns):
            table[name] = np.asarray(columns[name]).reshape(table[name].shape)
        return table

    def of_rows(self, rows: Sequence[tuple[Any, ...]]) -> np.ndarray[Any, np.dtype[Any]]:
        """Return a table, each row given as the values of its columns in order."""
        table = np.zeros(len(rows), dtype=self.dtype)
        for k, row in enumerate(rows):
            table[k] = tuple(
                np.asarray(value) if column.size > 1 else value for value, column in zip(row, self.columns, strict=True)
            )
        return table


def _number(name: str, meaning: str, unit: str = "", size: int = 1) -> TableColumn:
    return TableColumn(name, "double", meaning, unit, size)


def _integer(name: str, meaning: str) -> TableColumn:
    return TableColumn(name, "int32_t", meaning)


_BODIES = (_integer("body_1", "first body; BODIES: the ground"), _integer("body_2", "second body"))
_FRAMES = (
    _number("frame_1", "joint frame on the first body, from its centre of mass: place, quaternion", "m", 7),
    _number("frame_2", "the same on the second body", "m", 7),
)

BODY = TableSchema(
    "BODY", "body_row", "BODIES", "a body, in the order of the spanning tree: after what carries it",
    (
        _integer("parent", "what carries it; BODIES: the ground"),
        _integer("first_motion", "first motion of the joint that carries it"),
        _integer("end_motion", "one beyond the last of them"),
        _integer("first_unknown", "first unknown of that joint"),
        _integer("end_unknown", "one beyond the last of them"),
        _number("mass", "mass", "kg"),
        _number("inertia", "xx yy zz xy xz yz about the centre of mass, body axes", "kg m^2", 6),
        _number("before", "joint frame on the carrier, from its centre of mass: place, quaternion", "m", 7),
        _number("after", "the body seen from the joint frame behind the motions: place, quaternion", "m", 7),
    ),
)  # fmt: skip
MOTION = TableSchema(
    "MOTION", "motion_row", "MOTIONS", "a motion of a joint of the tree",
    (
        _integer("kind", "TURN_X ... MODE"),
        _integer("unknown", "its first unknown; -1: it is driven"),
        _integer("law", "law that drives it, or -1"),
        _integer("ball", "which ball it is, or -1"),
        _number("sign", "1, or -1 where the tree walks through the joint from its second body"),
        _number("pitch", "slide of a screw for one radian", "m"),
    ),
)  # fmt: skip
ELEMENT = TableSchema(
    "ELEMENT", "element_row", "ELEMENTS", "rows of constraints of a joint or of a driven freedom; cut joints first",
    (
        _integer("kind", "pair or driven freedom, numbered as in the manifest"),
        *_BODIES,
        _integer("meet", "nearest body that carries both; BODIES: the ground"),
        _integer("law", "law of the driven freedom, or -1"),
        _integer("rows", "bit k: row k counts; in the plane some always vanish"),
        *_FRAMES,
        _number("pitch", "slide of a screw for one radian", "m"),
        _number("factor", "what the law is multiplied by"),
        _number("unit", "what each residual is multiplied by to be in metres or radians", "", 6),
    ),
)  # fmt: skip
SPRING = TableSchema(
    "SPRING", "spring_row", "SPRINGS", "a spring with a damper between two points",
    (
        *_BODIES,
        _number("point_1", "point on the first body, from its centre of mass, body axes", "m", 3),
        _number("point_2", "point on the second body", "m", 3),
        _number("stiffness", "force for a length", "N/m"),
        _number("damping", "force for a speed", "N s/m"),
        _number("length", "length without force", "m"),
    ),
)  # fmt: skip
JOINT_FORCE = TableSchema(
    "JOINT_FORCE", "joint_force_row", "JOINT_FORCES", "a force or torque along a freedom of a joint",
    (
        _integer("freedom", "freedom of a pair, numbered as in the manifest"),
        *_BODIES,
        _integer("turns", "1: an angle, whose whole turns count"),
        _integer("law", "law of the force"),
        *_FRAMES,
        _number("stiffness", "of the freedom", "N/m or N m"),
        _number("damping", "of its rate", "N s/m or N m s"),
        _number("rest", "value without force", "m or rad"),
    ),
)  # fmt: skip
PUSH = TableSchema(
    "PUSH", "push_row", "PUSHES", "a force or torque on a body",
    (
        _integer("body", "which; BODIES: the ground"),
        _integer("law", "law of its x component; y and z follow"),
        _integer("kind", "PUSH_WORLD ... TWIST_BODY"),
        _number("at", "where a force acts, from the centre of mass, body axes", "m", 3),
    ),
)  # fmt: skip
WATCH = TableSchema(
    "WATCH", "watch_row", "WATCHED", "an angle of a joint whose whole turns are counted",
    (
        _integer("freedom", "freedom of a pair, numbered as in the manifest"),
        *_BODIES,
        _integer("motion", "motion of the tree that is this angle, or -1"),
        *_FRAMES,
    ),
)  # fmt: skip
BEAM = TableSchema(
    "BEAM", "beam_row", "BEAMS", "a flexible beam",
    (
        _integer("held", "body at its near end"),
        _integer("far", "body at its far end"),
        _integer("motion", "motion of its first mode"),
        _integer("unknown", "unknown of its first mode"),
        _integer("mode", "its first row of BEAM_MODE"),
        _integer("modes", "how many it has"),
        _integer("draws", "its first number in SECTION_DRAWS"),
        _number("polar", "its inertia about its own axis", "kg m^2"),
    ),
)  # fmt: skip
BEAM_MODE = TableSchema(
    "BEAM_MODE", "beam_mode_row", "MODES", "a mode of a flexible beam",
    (
        _integer("first_drawn", "first of the modes of its beam that it draws the beam together with"),
        _integer("end_drawn", "one beyond the last of them"),
        _number("stiffness", "square of its frequency", "rad^2/s^2"),
        _number("damping", "force for a rate", "1/s"),
        _number("turning", "moment about the beam's axis of a unit of it"),
        _number("spinning", "1 if it turns sections about the axis"),
        _number("slope", "slopes of the far end for a unit of it", "", 3),
    ),
)  # fmt: skip
CLOSING = TableSchema(
    "CLOSING", "closing_row", "CLOSINGS", "rows of loops that are closed together, in the order of the sweep",
    (
        _integer("body", "where; BODIES: at the ground"),
        _integer("first", "its first number in CLOSING_ROW and CLOSING_ENTRY"),
        _integer("count", "how many rows"),
        _integer("inverse", "where its inverse begins"),
        _integer("influence", "where its part of the influences of open rows begins"),
        _integer("open", "how many rows stay open at the body"),
    ),
)  # fmt: skip
LOOPS_AT = TableSchema(
    "LOOPS_AT", "loops_row", "BODIES", "what a body has of the loops: rows that are open there, closings",
    (
        _integer("first_open", "its first row of OPEN_ROW"),
        _integer("first_kept", "the first of them that is not closed there"),
        _integer("end_open", "one beyond the last of them"),
        _integer("first_closing", "first closing before its joint is eliminated"),
        _integer("end_closing", "one beyond the last of them"),
        _integer("first_at_ground", "first closing at the ground, after its joint"),
        _integer("end_at_ground", "one beyond the last of them"),
    ),
)  # fmt: skip
OPEN_ROW = TableSchema(
    "OPEN_ROW", "open_row", "OPEN", "a row of a loop that is open at a body; those of a body together",
    (
        _integer("row", "which row"),
        _integer("next", "its entry at the body that carries this one, or -1"),
        _integer("fresh", "1 where the sweep meets the row first"),
    ),
)  # fmt: skip
LOOP_ROW = TableSchema(
    "LOOP_ROW", "loop_row", "ROWS", "a row of the loops",
    (
        _integer("slot", "where its multiplier is kept while it is open"),
        _integer("entry_1", "its entry at its first body; -1: the ground"),
        _integer("entry_2", "its entry at its second body"),
    ),
)  # fmt: skip
DRIVE = TableSchema(
    "DRIVE", "drive_row", "DRIVES", "a driven freedom of the groups",
    (_integer("coordinate", "coordinate that it is, or -1"), _integer("law", "law that it has otherwise")),
)  # fmt: skip

LAW_RUN = TableSchema(
    "LAW_RUN", "law_run", "LAW_RUNS", "rows of LAW_STEP that are the same operation, one after the other",
    (
        _integer("operation", "which, numbered as in find_operations"),
        _integer("end", "one beyond the last of them; the first follows the run before"),
    ),
)  # fmt: skip
LAW_STEP = TableSchema(
    "LAW_STEP", "law_step", "LAW_STEPS", "one operation of laws of time, in the order in which they are done",
    (
        _integer("argument_1", "number in LAW_VALUE of its first argument"),
        _integer("argument_2", "of its second"),
        _integer("argument_3", "of its third"),
        _integer("argument_4", "of its fourth"),
        _integer("result", "where its value goes in LAW_VALUE; of a turn the sine, behind which its cosine goes"),
    ),
)  # fmt: skip

#: Of a mechanism in whatever coordinates, of beams, of loops, of minimal coordinates.
SCHEMAS = (
    BODY, MOTION, ELEMENT, SPRING, JOINT_FORCE, PUSH, WATCH, BEAM, BEAM_MODE, CLOSING, LOOPS_AT, OPEN_ROW,
    LOOP_ROW, DRIVE, LAW_RUN, LAW_STEP,
)  # fmt: skip
BY_NAME = {schema.name: schema for schema in SCHEMAS}


@dataclass(frozen=True)
class NumberList:
    """A table of numbers alone.

    Parameters
    ----------
    rows : macro of how many there are; None where the shape is fixed by what it is of.
    shape : its shape in words of C.
    """

    name: str
    kind: Kind
    shape: str
    meaning: str
    rows: str | None = None


#: Of mechanisms, laws, loops and beams.
LISTS = (
    NumberList("GRAVITY", "double", "[3]", "gravity, world axes [m/s^2]"),
    NumberList("UNKNOWN_DAMPING", "double", "[UNKNOWNS]", "damping of each unknown [N s/m or N m s]", "UNKNOWNS"),
    NumberList("LAW_VALUE", "double", "[LAW_VALUES]", "the time, numbers, results of operations", "LAW_VALUES"),
    NumberList("LAW_RESULT", "int32_t", "[LAWS]", "number in LAW_VALUE of each law", "LAWS"),
    NumberList("SWEEP", "int32_t", "[BODIES]", "bodies from the tips to the ground", "BODIES"),
    NumberList("CLOSING_ROW", "int32_t", "[ROWS]", "rows of all closings, one after the other", "ROWS"),
    NumberList("CLOSING_ENTRY", "int32_t", "[ROWS]", "their entries in OPEN_ROW; -1 at the ground", "ROWS"),
    NumberList("BEAM_AT", "int32_t", "[BODIES]", "beam whose far end is the body, or -1"),
    NumberList("STATION_MASS", "double", "[BEAMS][STATIONS]", "mass points of beams [kg]"),
    NumberList("SECTION_PLACE", "double", "[BEAMS][STATIONS + 1]", "where they are along the beam, and its end [m]"),
    NumberList("SECTION_SHAPE", "double", "[MODES*(STATIONS + 1)][3]", "what a unit of each mode moves them by"),
    NumberList("SECTION_DRAWS", "double", "[DRAWS]", "how pairs of modes draw the beam together"),
)
