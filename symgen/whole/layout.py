"""What goes into the routine of a whole mechanism and comes out of it: order of bodies, joints, points and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from symgen.algebra import exactly, symbol
from symgen.ir.nodes import Port, Stage
from symgen.library.frames import port_frame, port_pose
from symgen.model.pairs import PAIR_TYPES
from symgen.model.parts import Pose
from symgen.poses import Array
from symgen.solve.newton import NewtonPlan
from symgen.solve.plan import GroupPlan, Plan
from symgen.whole.asked import Checks, asked_of, needed_groups
from symgen.whole.bodies import Values

Drives = Literal["laws", "inputs"]
#: Ports of the drives: what they hold, and its unit behind that of the freedom.
_DRIVES = {"u": ("values", ""), "ud": ("rates", "/s"), "udd": ("accelerations", "/s^2")}
Geometry = Literal["constants", "parameters"]


@dataclass(frozen=True)
class FollowedGroup:
    """A group whose branch is followed: its bodies with the place of their motions in the state.

    Parameters
    ----------
    number : of the group, from 1.
    bodies : (body, offset); each has pose, twist and acceleration.
    mark : place in the state of what tells its branch: of an iterated group the sign of the determinant, of a closed
        form the number of the branch from 1, negative where the motion is no more than predicted, 0 if it is not known.
        The number of ranked zeros is not read, for it may change.
    """

    number: int
    bodies: tuple[tuple[str, int], ...]
    mark: int
    iterated: bool
    ranked: bool = False

    @property
    def signed(self) -> bool:
        """Whether branches are signs, which stay with a branch until it meets another one."""
        return not (self.iterated or self.ranked)


@dataclass(frozen=True)
class PortLayout:
    """Names and places of inputs and results.

    Parameters
    ----------
    inputs : ports, in call order; `symgen.pipeline` drops those that are not used.
    frames : joint -> its two frames, numbers or names of the port `geometry`.
    places : welded body -> its pose in the body it is welded to.
    drives : driven freedoms in the order of u, ud, udd.
    bodies, coordinates, points : what the results hold, in order; a point is (body, name, place in the body).
    geometry : rows (joint, body, offset, values) of the port `geometry`.
    solved : numbers of the groups that are solved; the others lead to no result.
    alone : number of a group of which nothing but some (joint, freedom) is asked -> these.
    branches : of each group, 1 for one that is not solved.
    followed : groups with several branches, and those that are iterated; of those that are solved.
    """

    inputs: tuple[Port, ...]
    frames: Mapping[str, tuple[Values, Values]] = field(hash=False)
    read: Mapping[str, tuple[Values, Values]] = field(hash=False)
    places: Mapping[str, Values] = field(hash=False)
    drives: tuple[tuple[str, str], ...]
    by_law: bool
    bodies: tuple[str, ...]
    coordinates: tuple[tuple[str, str], ...]
    points: tuple[tuple[str, str, Values], ...]
    solved: tuple[int, ...]
    alone: Mapping[int, frozenset[tuple[str, str]]] = field(hash=False)
    branches: tuple[int, ...]
    geometry: tuple[tuple[str, str, int, tuple[float, ...]], ...]
    planar: bool
    numbers: Mapping[str, int] = field(hash=False)
    followed: tuple[FollowedGroup, ...]

    @property
    def iterated(self) -> tuple[FollowedGroup, ...]:
        """The groups without a closed form."""
        return tuple(each for each in self.followed if each.iterated)

    @property
    def widths(self) -> tuple[int, int]:
        """Numbers of a pose, and of a twist."""
        return (3, 3) if self.planar else (7, 6)

    def inputs_of(self, stage: Stage) -> tuple[Port, ...]:
        """Return the input ports of a stage."""
        if stage == "follow":
            before = Port("before", "in", "real", (self.state_size,), self._state("before"), "", "world", _BEFORE)
            step = Port("dt", "in", "real", (), ("dt",), "s", "", "time since `before`; 0: it is where to begin")
            return (*self.inputs, step, before)
        if not self.iterated:
            return self.inputs
        places, names = self.widths[0], [body for each in self.iterated for body, _ in each.bodies]
        size = places * len(names)
        meaning = (
            "poses to start the iteration from, near the solution, of the bodies of groups without a closed form: "
            f"{_places(names, places)}"
        )
        elements = tuple(f"start_{k}" for k in range(size))
        start = Port("start", "in", "real", (size,), elements, "m, rad" if self.planar else "m, 1", "world", meaning)
        return (*self.inputs, start)

    @property
    def state_size(self) -> int:
        """How many numbers the state has."""
        width = self.widths[0] + 2 * self.widths[1]
        return sum(width * len(each.bodies) + 1 for each in self.followed)

    def _state(self, name: str) -> tuple[str, ...]:
        return tuple(f"{name}_{k}" for k in range(self.state_size))

    def state_port(self) -> Port:
        """Return the port of the state that the next call goes on from."""
        parts = [f"{body} at {offset}" for each in self.followed for body, offset in each.bodies]
        meaning = (
            "pose, twist and acceleration of the bodies whose branch is followed, which is `before` of the next call: "
            + ", ".join(parts)
        )
        signs = ", ".join(f"group {each.number} at {each.mark}" for each in self.iterated)
        numbers = ", ".join(f"group {each.number} at {each.mark}" for each in self.followed if not each.iterated)
        if signs:
            meaning += f"; sign of the determinant, 0 if not known: {signs}"
        if numbers:
            meaning += f"; number of the branch from 1, negative where it is predicted, 0 if not known: {numbers}"
        return Port("state", "out", "real", (self.state_size,), self._state("state"), "", "world", meaning)

    def certificate_port(self) -> Port:
        """Return the port of what is proved of the solutions of groups without a closed form."""
        size = 4 * len(self.iterated)
        listed = ", ".join(f"group {each.number} at {4 * k}" for k, each in enumerate(self.iterated))
        meaning = (
            "1 if the solution is certified, the radius in which it lies, the radius in which it is the only one (units"
            f" of the group's size, rad), condition of the Jacobian: {listed}"
        )
        elements = tuple(f"certificates_{k}" for k in range(size))
        return Port("certificates", "out", "real", (size,), elements, "", "", meaning)

    def number_of(self, body: str) -> int:
        """Return the place of a body in the file, from 1."""
        return self.numbers[body]


_BEFORE = "state to go on from: what `begin` or the last call of `follow` gave"


def port_values(pose: Pose, space: str) -> Values:
    """Return a pose of the model as exact numbers."""
    return _exact(port_pose(pose, space))


def _exact(numbers: Array) -> Values:
    return tuple(exactly(float(number)) for number in numbers)


def make_layout(
    plan: Plan, drives: Drives, geometry: Geometry, results: Sequence[str], checks: Checks = "needed"
) -> PortLayout:
    """Lay out the inputs and results of a mechanism.

    Parameters
    ----------
    drives : "laws" compiles the drive laws in as functions of t; "inputs" takes values, rates and accelerations.
    geometry : "constants" folds the joint frames in; "parameters" makes them an input.
    results : kinds and names, see `symgen.whole.asked.asked_of`.
    checks : "needed" solves the groups that lead to results; "all" solves all, so that each is checked.

    Raises
    ------
    InputError
        An unknown result, or none that the mechanism has.
    """
    asked = asked_of(plan, results)
    needed = needed_groups(plan, asked)
    if checks == "all":
        needed = dict.fromkeys(range(1, len(plan.groups) + 1))
    solved = tuple(needed)
    mechanism = plan.mechanism
    planar = mechanism.space == "planar"
    numbers = {body: number for number, body in enumerate(mechanism.body_ids, start=1)}
    driven = tuple(key for group in plan.groups for key in group.driven)
    driven = tuple((j.id, f) for j in mechanism.joints for f in PAIR_TYPES[j.type].freedoms if (j.id, f) in driven)
    frames, rows = _frames(plan, geometry)
    branches = tuple(g.branches if number in solved else 1 for number, g in enumerate(plan.groups, start=1))
    return PortLayout(
        inputs=tuple(_inputs(plan, driven, drives, rows, branches)),
        frames=frames,
        read=_read(plan),
        places={body: port_values(_pose(place), mechanism.space) for body, place in plan.rigid.place.items()},
        drives=driven,
        by_law=drives == "laws",
        bodies=asked.bodies,
        coordinates=asked.coordinates,
        points=asked.points,
        solved=solved,
        alone={number: own for number, own in needed.items() if own is not None},
        branches=branches,
        geometry=rows,
        planar=planar,
        numbers=numbers,
        followed=_followed(plan, planar, solved),
    )


def _followed(plan: Plan, planar: bool, solved: Sequence[int]) -> tuple[FollowedGroup, ...]:
    """Lay out the state: group after group its bodies, then what tells its branch."""
    found: list[FollowedGroup] = []
    offset, width = 0, 9 if planar else 19
    for number, group in enumerate(plan.groups, start=1):
        newton = isinstance(group, NewtonPlan)
        if number not in solved or (not newton and group.branches == 1):
            continue
        bodies = tuple((body, offset + width * k) for k, body in enumerate(group.bodies))
        offset += width * len(bodies)
        found.append(FollowedGroup(number, bodies, offset, newton, not isinstance(group, NewtonPlan) and group.ranked))
        offset += 1
    return tuple(found)


def _pose(place: Array) -> Pose:
    x, y, z, *q = map(float, place)
    return Pose((x, y, z), (q[0], q[1], q[2], q[3]))


def _frames(plan: Plan, geometry: Geometry) -> tuple[dict[str, tuple[Values, Values]], Any]:
    """Return the frames of all joints of groups, and the rows of the port that holds them."""
    frames: dict[str, tuple[Values, Values]] = {}
    rows: list[tuple[str, str, int, tuple[float, ...]]] = []
    offset = 0
    for joint in plan.mechanism.joints:
        pair = next((_frames_of(g)[joint.id] for g in plan.groups if joint.id in _frames_of(g)), None)
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


def _read(plan: Plan) -> dict[str, tuple[Values, Values]]:
    """Return the frames of joints that no group solves as they are: only read off the bodies."""
    frames = {}
    for joint in plan.loose:
        numbers = [port_frame(joint.type, plan.rigid.frame(joint, k), plan.mechanism.space) for k in (0, 1)]
        frames[joint.id] = _exact(numbers[0]), _exact(numbers[1])
    return frames


def _frames_of(group: GroupPlan | NewtonPlan) -> Mapping[str, tuple[Array, Array]]:
    return group.newton.problem.frames if isinstance(group, NewtonPlan) else group.frames


def _inputs(
    plan: Plan, driven: Sequence[tuple[str, str]], drives: Drives, rows: Sequence[Any], branches: Sequence[int]
) -> list[Port]:
    """Return all ports that the routine may need."""
    ports = []
    if drives == "laws":
        ports.append(Port("t", "in", "real", (), ("t",), "s", "", "time"))
    else:
        listed = _places([".".join(key) for key in driven], 1)
        for name, (what, unit) in _DRIVES.items():
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


def drives_in_one(ports: Sequence[Port], stage: Stage) -> tuple[Port, ...]:
    """Return ports with all drives in one array: value, rate and acceleration of each in turn."""
    drives = [port for port in ports if port.name in _DRIVES]
    taken = drives[:1] if stage == "position" else drives
    elements = tuple(element for row in zip(*(port.elements for port in taken), strict=True) for element in row)
    meaning = taken[0].meaning
    if len(taken) > 1:
        meaning = f"value, rate and acceleration of each driven freedom in turn: {meaning.partition(': ')[2]}"
    unit = ", ".join(port.unit for port in taken)
    joined = Port("inputs", "in", "real", (len(elements),), elements, unit, "joint", meaning)
    return (joined, *(port for port in ports if port not in drives))


def _places(names: Sequence[str], width: int) -> str:
    return ", ".join(f"{name} at {width * k}" for k, name in enumerate(names))


def result_ports(layout: PortLayout, stage: Stage) -> tuple[Port, ...]:
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
    if layout.iterated:
        ports.append(layout.certificate_port())
    if stage == "follow":
        ports.append(layout.state_port())
    meaning = "number of the group that could not be solved, 0 if all were; always written"
    ports.append(Port("group", "out", "int", (), ("group",), "", "", meaning))
    return tuple(ports)
