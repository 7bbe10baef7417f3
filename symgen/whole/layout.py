"""What goes into the routine of a whole mechanism and comes out of it: order of bodies, joints, points and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from symgen.algebra import exactly, symbol
from symgen.errors import InputError
from symgen.ir.nodes import Port, Stage
from symgen.library.frames import port_pose
from symgen.library.rotations import Array
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import did_you_mean
from symgen.model.pairs import PAIR_TYPES
from symgen.model.parts import Pose
from symgen.solve.plan import Plan
from symgen.whole.bodies import Values

Drives = Literal["laws", "inputs"]
Geometry = Literal["constants", "parameters"]
RESULTS = ("bodies", "joints", "points")


@dataclass(frozen=True)
class Layout:
    """Names and places of inputs and results.

    Parameters
    ----------
    inputs : ports, in call order; `symgen.pipeline` drops those that are not used.
    frames : joint -> its two frames, numbers or names of the port `geometry`.
    places : welded body -> its pose in the body it is welded to.
    drives : driven freedoms in the order of u, ud, udd.
    bodies, coordinates, points : what the results hold, in order; a point is (body, name, place in the body).
    geometry : rows (joint, body, offset, values) of the port `geometry`.
    """

    inputs: tuple[Port, ...]
    frames: Mapping[str, tuple[Values, Values]] = field(hash=False)
    places: Mapping[str, Values] = field(hash=False)
    drives: tuple[tuple[str, str], ...]
    by_law: bool
    bodies: tuple[str, ...]
    coordinates: tuple[tuple[str, str], ...]
    points: tuple[tuple[str, str, Values], ...]
    branches: tuple[int, ...]
    geometry: tuple[tuple[str, str, int, tuple[float, ...]], ...]
    planar: bool
    numbers: Mapping[str, int] = field(hash=False)

    def number_of(self, body: str) -> int:
        """Return the place of a body in the file, from 1."""
        return self.numbers[body]


def port_values(pose: Pose, space: str) -> Values:
    """Return a pose of the model as exact numbers."""
    return _exact(port_pose(pose, space))


def _exact(numbers: Array) -> Values:
    return tuple(exactly(float(number)) for number in numbers)


def make_layout(plan: Plan, drives: Drives, geometry: Geometry, results: Sequence[str]) -> Layout:
    """Lay out the inputs and results of a mechanism.

    Parameters
    ----------
    drives : "laws" compiles the drive laws in as functions of t; "inputs" takes values, rates and accelerations.
    geometry : "constants" folds the joint frames in; "parameters" makes them an input.
    results : which of `RESULTS` are wanted.

    Raises
    ------
    InputError
        An unknown result, or none that the mechanism has.
    """
    for word in results:
        if word not in RESULTS:
            raise InputError(f"results: {word!r} is not one of {', '.join(RESULTS)}{did_you_mean(word, RESULTS)}")
    mechanism = plan.mechanism
    planar = mechanism.space == "planar"
    numbers = {body: number for number, body in enumerate(mechanism.body_ids, start=1)}
    driven = tuple(key for group in plan.in_closed_form("whole mechanisms") for key in group.driven)
    driven = tuple((j.id, f) for j in mechanism.joints for f in PAIR_TYPES[j.type].freedoms if (j.id, f) in driven)
    frames, rows = _frames(plan, geometry)
    bodies = tuple(body.id for body in mechanism.bodies) if "bodies" in results else ()
    coordinates = _coordinates(plan) if "joints" in results else ()
    points = tuple(_points(mechanism, planar)) if "points" in results else ()
    if not (bodies or coordinates or points):
        raise InputError("results: the mechanism has none of what was asked for; choose bodies, joints or points")
    branches = tuple(group.solved.branches for group in plan.in_closed_form("whole mechanisms"))
    return Layout(
        inputs=tuple(_inputs(plan, driven, drives, rows, branches)),
        frames=frames,
        places={body: port_values(_pose(place), mechanism.space) for body, place in plan.rigid.place.items()},
        drives=driven,
        by_law=drives == "laws",
        bodies=bodies,
        coordinates=coordinates,
        points=points,
        branches=branches,
        geometry=rows,
        planar=planar,
        numbers=numbers,
    )


def _pose(place: Array) -> Pose:
    x, y, z, *q = map(float, place)
    return Pose((x, y, z), (q[0], q[1], q[2], q[3]))


def _frames(plan: Plan, geometry: Geometry) -> tuple[dict[str, tuple[Values, Values]], Any]:
    """Return the frames of all joints of groups, and the rows of the port that holds them."""
    frames: dict[str, tuple[Values, Values]] = {}
    rows: list[tuple[str, str, int, tuple[float, ...]]] = []
    offset = 0
    for joint in plan.mechanism.joints:
        pair = next((g.frames[joint.id] for g in plan.in_closed_form("whole mechanisms") if joint.id in g.frames), None)
        if pair is None:
            continue
        sides: list[Values] = []
        for body, side in zip(plan.rigid.ends(joint), pair, strict=True):
            rows.append((joint.id, body, offset, tuple(map(float, side))))
            named = tuple(symbol(f"geometry_{offset + k}") for k in range(len(side)))
            sides.append(named if geometry == "parameters" else _exact(side))
            offset += len(side)
        frames[joint.id] = sides[0], sides[1]
    return frames, tuple(rows) if geometry == "parameters" else ()


def _coordinates(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return the (joint, freedom) that the groups give, driven ones included, in the order of the file."""
    given = {
        (fitted.joint.name, fitted.freedom(freedom))
        for group in plan.in_closed_form("whole mechanisms")
        for fitted in group.adapter.fit.joints
        for freedom in (*fitted.slot.driven, *(() if fitted.slot.type == "S" else fitted.slot.freedoms))
    }
    return tuple(
        (joint.id, freedom)
        for joint in plan.mechanism.joints
        for freedom in PAIR_TYPES[joint.type].freedoms
        if (joint.id, freedom) in given
    )


def _points(mechanism: Mechanism, planar: bool) -> list[tuple[str, str, Values]]:
    return [
        (body.id, name, tuple(exactly(float(part)) for part in place[: 2 if planar else 3]))
        for body in mechanism.bodies
        for name, place in body.points.items()
    ]


def _inputs(
    plan: Plan, driven: Sequence[tuple[str, str]], drives: Drives, rows: Sequence[Any], branches: Sequence[int]
) -> list[Port]:
    """Return all ports that the routine may need."""
    ports = []
    if drives == "laws":
        ports.append(Port("t", "in", "real", (), ("t",), "s", "", "time"))
    else:
        listed = _places([".".join(key) for key in driven], 1)
        for name, what, unit in (("u", "values", ""), ("ud", "rates", "/s"), ("udd", "accelerations", "/s^2")):
            elements = tuple(f"{name}_{k}" for k in range(1, len(driven) + 1))
            meaning = f"{what} of the driven freedoms: {listed}"
            ports.append(Port(name, "in", "real", (len(driven),), elements, f"rad{unit} or m{unit}", "joint", meaning))
    if rows:
        size = rows[-1][2] + len(rows[-1][3])
        elements = tuple(f"geometry_{k}" for k in range(size))
        listed = ", ".join(f"{joint} in {body} at {offset}" for joint, body, offset, _ in rows)
        meaning = f"joint frames in their bodies, one after the other: {listed}; the mechanism's are in the manifest"
        unit = "m, 1" if plan.mechanism.space == "spatial" else "m, rad"
        ports.append(Port("geometry", "in", "real", (size,), elements, unit, "body", meaning, "finite; q unit", True))
    if max(branches) > 1:
        elements = tuple(f"branch_{k}" for k in range(1, len(branches) + 1))
        listed = ", ".join(f"{k}: 0 to {count - 1}" for k, count in enumerate(branches, start=1) if count > 1)
        meaning = f"branch of each group, from group 1; those with several: {listed}; others are not read"
        ports.append(Port("branch", "in", "int", (len(branches),), elements, "", "", meaning, "", True))
    return ports


def _places(names: Sequence[str], width: int) -> str:
    return ", ".join(f"{name} at {width * k}" for k, name in enumerate(names))


def result_ports(layout: Layout, stage: Stage) -> tuple[Port, ...]:
    """Return the ports of the results: of bodies, joints and points, each with its rates; then `group`."""
    pose, twist, point = (3, 3, 2) if layout.planar else (7, 6, 3)
    linear, turning = ("x, y, phi", "vx, vy, omega") if layout.planar else ("r, q", "v, omega")
    bodies, joints = layout.bodies, [".".join(key) for key in layout.coordinates]
    points = [f"{body}.{name}" for body, name, _ in layout.points]
    rows = (
        ("poses", bodies, pose, f"poses [{linear}]", "m, rad" if layout.planar else "m, 1", "world"),
        ("twists", bodies, twist, f"twists [{turning}]", "m/s, rad/s", "world"),
        ("accelerations", bodies, twist, "accelerations of the same", "m/s^2, rad/s^2", "world"),
        ("q", joints, 1, "joint coordinates; angles are not brought into one turn", "rad or m", "joint"),
        ("qd", joints, 1, "their rates", "rad/s or m/s", "joint"),
        ("qdd", joints, 1, "their accelerations", "rad/s^2 or m/s^2", "joint"),
        ("points", points, point, "places of the named points", "m", "world"),
        ("point_velocities", points, point, "their velocities", "m/s", "world"),
        ("point_accelerations", points, point, "their accelerations", "m/s^2", "world"),
    )
    ports = []
    for number, (name, names, width, meaning, unit, frame) in enumerate(rows):
        if names and (stage != "position" or number % 3 == 0):
            size = width * len(names)
            elements = tuple(f"{name}_{k}" for k in range(size))
            listed = _places(names, width)
            ports.append(Port(name, "out", "real", (size,), elements, unit, frame, f"{meaning}: {listed}"))
    meaning = "number of the group that could not be solved, 0 if all were; always written"
    ports.append(Port("group", "out", "int", (), ("group",), "", "", meaning))
    return tuple(ports)
