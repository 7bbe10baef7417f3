"""What there is to draw of a motion: shapes fixed in bodies, joint symbols, paths of points, a choice of times.

Lengths in m, world axes unless said otherwise. Nothing here knows a picture format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from symgen.draw.colouring import body_colours
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.model.quaternions import Z_AXIS, rotate
from symgen.poses import IDENTITY, Array
from symgen.poses import rotate as rotate_rows
from symgen.solve.trajectory import Trajectory

#: Marks of a body nearer to a line than this part of their spread are drawn as a line.
_FLAT = 0.02
_SAME = 1e-9
_MOST_TRACE = 400
_STILL = 1e-6
#: Quantities of a simulation that are read out beside the picture.
ENERGIES = ("kinetic", "potential", "total")


@dataclass(frozen=True)
class SceneShape:
    """A body as a dot, line or polygon through its joint centres and points.

    Parameters
    ----------
    body : its id.
    marks : (k, 3) places in the body's frame; none twice.
    outline : indices of the marks around the body: one, two (ends of a line) or the corners of a polygon.
    spokes : indices of marks inside the polygon, to be joined to its middle.
    """

    body: str
    marks: Array
    outline: tuple[int, ...]
    spokes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Symbol:
    """A joint.

    Parameters
    ----------
    joint, type : id and pair type.
    bodies : first and second body.
    at : (3,) centre in the first body; `at_second` in the second.
    axis : (3,) first axis in the first body.
    turn, turn_second : (4,) joint frames to their bodies.
    reach : smallest and largest slide [m] of a P or C, zero included.
    label : what it is called in a picture; empty for all but the first pair of a multiple joint.
    """

    joint: str
    type: str
    bodies: tuple[str, str]
    at: Array
    at_second: Array
    axis: Array
    turn: Array
    turn_second: Array
    reach: tuple[float, float] = (0.0, 0.0)
    label: str = ""


@dataclass(frozen=True)
class Scene:
    """A motion ready to be drawn.

    Parameters
    ----------
    title : of the mechanism.
    planar : motion in the x-y plane.
    ground : id of the fixed body.
    times : (f,) chosen times [s], only those with a position.
    poses : body, the ground too -> (f, 7) [r, q].
    traces : "body.point" -> (m, 3), of points that move; NaN breaks a line.
    unsolved : number of times without a position.
    gaps : numbers of the chosen times behind which times without a position come.
    energies : name -> (f,) [J] of a simulation.
    """

    title: str
    planar: bool
    ground: str
    times: Array
    poses: Mapping[str, Array] = field(repr=False)
    shapes: tuple[SceneShape, ...]
    symbols: tuple[Symbol, ...]
    traces: Mapping[str, Array] = field(repr=False)
    unsolved: int = 0
    gaps: tuple[int, ...] = ()
    energies: Mapping[str, Array] = field(default_factory=dict, repr=False)

    def places(self, body: str, local: Array) -> Array:
        """Return the world places (f, k, 3) of points (k, 3) of a body."""
        pose = self.poses[body]
        turned = rotate_rows(pose[:, None, 3:], np.atleast_2d(local)[None])
        placed: Array = pose[:, None, :3] + turned
        return placed

    def paths(self) -> list[tuple[str, Array]]:
        """Return the pieces (m, 3) of all traces without gaps, each with its name."""
        pieces: list[tuple[str, Array]] = []
        for name, trace in self.traces.items():
            rows = np.flatnonzero(np.all(np.isfinite(trace), axis=-1))
            parts = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
            pieces += [(name, trace[part]) for part in parts if part.size]
        return pieces

    @property
    def colours(self) -> dict[str, str]:
        """Colour of each body with a shape; bodies that share a joint differ, pieces of one beam ("b.3") do not."""
        whole = {shape.body: shape.body.partition(".")[0] for shape in self.shapes}
        pairs = [(one.partition(".")[0], two.partition(".")[0]) for one, two in (each.bodies for each in self.symbols)]
        found = body_colours(list(dict.fromkeys(whole.values())), pairs)
        return {piece: found[body] for piece, body in whole.items()}

    @property
    def extent(self) -> tuple[Array, Array]:
        """Lowest and highest coordinates (3,) of everything."""
        found = [self.places(shape.body, shape.marks).reshape(-1, 3) for shape in self.shapes]
        found += [self.places(self.ground, each.at)[0] for each in self.symbols if each.bodies[0] == self.ground]
        found += [self.places(self.ground, each.at_second)[0] for each in self.symbols if each.bodies[1] == self.ground]
        found += [trace[np.all(np.isfinite(trace), axis=-1)] for trace in self.traces.values()]
        drawn = {shape.body for shape in self.shapes}
        found += [pose[:, :3] for body, pose in self.poses.items() if body not in drawn and body != self.ground]
        every = np.concatenate(found)
        return every.min(axis=0), every.max(axis=0)

    @property
    def size(self) -> float:
        """Length of the longest side of the extent [m]; 1 if there is none."""
        low, high = self.extent
        return float(np.max(high - low)) or 1.0


def make_scene(result: Trajectory, frames: int = 120) -> Scene:
    """Choose times and gather what is drawn.

    Parameters
    ----------
    frames : how many times at most, spread evenly over those that have a position.

    Raises
    ------
    InputError
        No time has a position.
    """
    mechanism = result.mechanism
    moving = {name: np.concatenate([track.r, track.q], axis=-1) for name, track in result.bodies.items()}
    placed = np.flatnonzero(np.all([np.all(np.isfinite(pose), axis=-1) for pose in moving.values()], axis=0))
    if not placed.size:
        raise InputError(f"{mechanism.name}: nothing to draw, no time has been solved: {result.first_failure()}")
    rows = placed[np.unique(np.linspace(0, placed.size - 1, min(frames, placed.size)).round().astype(int))]
    rest = IDENTITY
    poses = {mechanism.ground: np.tile(rest, (rows.size, 1))} | {name: pose[rows] for name, pose in moving.items()}
    still = still_scene(mechanism, result.times[rows], poses)
    return replace(
        still,
        symbols=tuple(_symbol(joint, mechanism, result) for joint in mechanism.joints if joint.frames is not None),
        traces=_traces(result),
        unsolved=len(result.times) - placed.size,
        gaps=tuple(k for k in range(rows.size - 1) if np.setdiff1d(np.arange(rows[k], rows[k + 1]), placed).size),
        energies={
            name: result.quantities[name].values[rows]
            for name in ENERGIES
            if name in result.quantities and np.all(np.isfinite(result.quantities[name].values[rows]))
        },
    )


def still_scene(mechanism: Mechanism, times: Array, poses: Mapping[str, Array]) -> Scene:
    """Gather what is drawn of given poses, without paths.

    Parameters
    ----------
    poses : body, the ground too -> (f, 7) [r, q], one for each of the times (f,).
    """
    return Scene(
        title=mechanism.name,
        planar=mechanism.space == "planar",
        ground=mechanism.ground,
        times=times,
        poses=poses,
        shapes=tuple(shape for body in mechanism.bodies if (shape := _shape(mechanism, body.id)) is not None),
        symbols=tuple(_symbol(joint, mechanism, None) for joint in mechanism.joints if joint.frames is not None),
        traces={},
    )


def _symbol(joint: Joint, mechanism: Mechanism, result: Trajectory | None) -> Symbol:
    if joint.frames is None:  # the caller looks
        raise InputError(f"joints.{joint.id}: has no geometry")
    first, second = joint.frames
    reach = (0.0, 0.0)
    if result is not None and joint.id in result.joints and "slide" in result.joints[joint.id].coordinates:
        slide = result.joints[joint.id].coordinates["slide"]
        finite = slide[np.isfinite(slide)]
        if finite.size:
            reach = (min(0.0, float(finite.min())), max(0.0, float(finite.max())))
    return Symbol(
        joint=joint.id,
        type=joint.type,
        bodies=joint.bodies,
        at=np.array(first.at),
        at_second=np.array(second.at),
        axis=np.array(rotate(first.q, Z_AXIS)),
        turn=np.array(first.q),
        turn_second=np.array(second.q),
        reach=reach,
        label=_label(joint, mechanism),
    )


def _label(joint: Joint, mechanism: Mechanism) -> str:
    if joint.multiple is None:
        return joint.id
    first = next(each for each in mechanism.joints if each.multiple == joint.multiple)
    return joint.multiple if joint.id == first.id else ""


def _shape(mechanism: Mechanism, body: str) -> SceneShape | None:
    marks: list[Array] = []
    places = list(mechanism.body(body).points.values())
    for joint in mechanism.joints:
        # The frames of an F say how the coordinates count, not where the body is.
        if joint.frames is not None and body in joint.bodies and joint.type not in ("F", "FP"):
            places.append(joint.frames[joint.bodies.index(body)].at)
    for place in map(np.array, places):
        if not any(np.linalg.norm(place - seen) < _SAME for seen in marks):
            marks.append(place)
    com = mechanism.body(body).com
    # A pendulum has one joint only: its mass is its other end.
    if len(marks) < 2 and com is not None and not any(np.linalg.norm(np.array(com) - seen) < _SAME for seen in marks):
        marks.append(np.array(com))
    if not marks:
        return None
    every = np.array(marks)
    outline, spokes = _outline(every)
    return SceneShape(body, every, outline, spokes)


def _outline(marks: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the corners of the hull in the plane that fits the marks best, and the marks inside it."""
    if len(marks) < 3:
        return tuple(range(len(marks))), ()
    centred = marks - marks.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred)
    flat = centred @ axes[:2].T
    grid = np.round(flat / spread[0], 9)  # marks on one line across stay in their order along it
    order = [int(k) for k in np.lexsort((grid[:, 1], grid[:, 0]))]
    if spread[1] < _FLAT * spread[0]:
        return (order[0], order[-1]), ()
    hull = _half_hull(order, flat)[:-1] + _half_hull(order[::-1], flat)[:-1]
    return tuple(hull), tuple(k for k in range(len(marks)) if k not in hull)


def _half_hull(order: list[int], flat: Array) -> list[int]:
    """Return one side of the convex hull (A. M. Andrew, Information Processing Letters 9, 1979)."""
    hull: list[int] = []
    for k in order:
        while len(hull) > 1 and _turn(flat[hull[-2]], flat[hull[-1]], flat[k]) <= 0.0:
            hull.pop()
        hull.append(k)
    return hull


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _traces(result: Trajectory) -> dict[str, Array]:
    """Return the paths of the points that move, thinned to what a picture shows."""
    paths = {}
    step = max(1, -(-len(result.times) // _MOST_TRACE))
    last = len(result.times) - 1
    rows = np.unique(np.append(np.arange(0, len(result.times), step), last))
    for name, point in result.points.items():
        finite = point.r[np.all(np.isfinite(point.r), axis=-1)]
        if finite.size and float(np.max(np.ptp(finite, axis=0))) > _STILL:
            paths[name] = point.r[rows]
    return paths
