"""Flexible beams of a mechanism for the integrator in the coordinates of its tree.

A beam becomes two massless bodies, one at each end, and a modal joint between them: the end that is reached first holds
the floating frame, the modes are coordinates of the other. What hangs on the beam hangs on one of the two. The mass is
in points along the beam, which tables describe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symgen.beams.ends import end_at
from symgen.beams.sections import BeamNumbers, beam_numbers, mode_names
from symgen.beams.twin import straight_twin
from symgen.engine_tables import BEAM, BEAM_MODE
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Beam, Body, Joint, JointFrame
from symgen.poses import Array, matrix
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.start.initial import InitialState
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.mechanism_tables import Table
from symgen.simulate.tables.problem import Problem, make_problem
from symgen.simulate.tables.scale import size_of_mechanism, unit_of_length
from symgen.simulate.tables.spanning_tree import ModalJoint, span

#: What the body at the other end of a beam is called, the first that is no point of it: "beam.end".
_END_NAMES = ("end", "far", "tip", "far_end")
_AHEAD, _BACK = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)
_STILL = (0.0,) * 6


def has_beams(mechanism: Mechanism) -> bool:
    """Tell whether a mechanism has flexible beams."""
    return any(body.beam is not None for body in mechanism.bodies)


def axial_advice(beams: Iterable[Beam]) -> str:
    """Return what helps where beams that cannot be stretched are held at both ends; nothing without such beams."""
    if all(beam.axial is not None for beam in beams):
        return ""
    return "; a beam that is held at both ends bends only if it can be stretched: give it axial"


def end_name(body: Body) -> str:
    """Return the name of the body at the far end (x is its length) of a beam."""
    free = [name for name in _END_NAMES if name not in body.points]
    if not free:
        raise MechanismError(
            f"has points of all the names that its end could have; rename one of {', '.join(_END_NAMES)}",
            field=f"bodies.{body.id}.points",
        )
    return f"{body.id}.{free[0]}"


@dataclass(frozen=True)
class FlexibleBeam:
    """One beam among the bodies of a problem.

    Parameters
    ----------
    id : of its body.
    backwards : whether it is held where its x is its length.
    names : of its modes.
    omega : (n,) angular frequencies of the modes, held alone [rad/s].
    held, far : the engine's numbers of the bodies at its ends.
    unknown : the first of its modes among the unknowns.
    """

    id: str
    beam: Beam
    backwards: bool
    names: tuple[str, ...]
    omega: Array
    held: int
    far: int
    unknown: int


@dataclass(frozen=True)
class BentMechanism:
    """A mechanism with two bodies in place of every beam.

    Parameters
    ----------
    mechanism : as the file has it.
    rigid : with straight rods in place of beams: where it starts.
    split : with bodies at both ends of beams and modal joints.
    problem : tables of `split`.
    rows : its joints but the modal ones.
    beams : in the order of the file.
    """

    mechanism: Mechanism
    rigid: Mechanism
    split: Mechanism
    problem: Problem
    rows: JointRows
    beams: tuple[FlexibleBeam, ...]

    def start(self, start: InitialState) -> InitialState:
        """Return a state of `rigid` as one of `split`: beams straight, their modes at rest."""
        poses, twists = [], []
        number = {body.id: k for k, body in enumerate(self.mechanism.bodies)}
        ends = {end_name(body): body for body in self.mechanism.bodies if body.beam is not None}
        for body in self.split.bodies:
            k = number[ends[body.id].id if body.id in ends else body.id]
            beam, place = self.mechanism.bodies[k].beam, np.array(body.com or _STILL[:3])
            if beam is not None and body.id in ends:
                place = np.array([beam.length, 0.0, 0.0])
            pose, twist = start.poses[k].copy(), start.twists[k].copy()
            lever = matrix(pose[3:]) @ (place - np.array(self.rigid.bodies[k].com or _STILL[:3]))
            pose[:3] += lever
            twist[:3] += np.cross(twist[3:], lever)
            poses.append(pose)
            twists.append(twist)
        return replace(start, poses=np.array(poses), twists=np.array(twists))


def bend(mechanism: Mechanism, manifest: DynamicsManifest, unit: float | None = None) -> BentMechanism:
    """Return a mechanism with beams as tables.

    Parameters
    ----------
    unit : of length [m]; by default one of the mechanism's size.

    Raises
    ------
    MechanismError
        A joint of a beam is at neither end, a spring or load acts on it, or nothing holds it.
    """
    rigid, beams = straight_twin(mechanism)
    split = _split(mechanism, {k: beam for k, beam in beams.items()})
    plain = replace(split, joints=tuple(each for each in split.joints if not isinstance(each, ModalJoint)))
    rows = JointRows(plain, size_of_mechanism(rigid))
    problem = make_problem(split, manifest, "tree", lambda: 0, rows, unit_of_length(rigid) if unit is None else unit)
    planar, found = mechanism.space == "planar", []
    tables: list[BeamNumbers] = []
    for far, branch in enumerate(problem.tree.branches):
        if not isinstance(branch.joint, ModalJoint):
            continue
        k = _number(mechanism, branch.joint.bodies[0])
        held, unknown = (int(problem.tables["BODY"][name][far]) for name in ("parent", "first_unknown"))
        numbers = beam_numbers(beams[k], problem.unit, planar=planar, backwards=branch.reverse)
        found.append(
            FlexibleBeam(
                mechanism.bodies[k].id, beams[k], branch.reverse, numbers.names, numbers.omega, held, far, unknown
            )
        )
        tables.append(numbers)
    order = sorted(range(len(found)), key=lambda k: _number(mechanism, found[k].id))
    listed = [found[k] for k in order]
    whole = with_beams(problem, listed, [tables[k] for k in order])
    return BentMechanism(mechanism, rigid, split, whole, rows, tuple(listed))


def _number(mechanism: Mechanism, name: str) -> int:
    return next(k for k, body in enumerate(mechanism.bodies) if body.id == name)


def _split(mechanism: Mechanism, beams: Mapping[int, Beam]) -> Mechanism:
    """Return the mechanism with a body at each end of every beam."""
    bodies = [_near(body) if k in beams else body for k, body in enumerate(mechanism.bodies)]
    bodies += [_far(mechanism.bodies[k], beam) for k, beam in beams.items()]
    joints = [_moved(mechanism, joint) for joint in mechanism.joints]
    modal = [_modal(mechanism, mechanism.bodies[k], beam, _AHEAD) for k, beam in beams.items()]
    split = replace(mechanism, bodies=tuple(bodies), joints=(*joints, *modal))
    backwards = _backwards(split)
    turned = [
        _modal(mechanism, mechanism.bodies[k], beam, _BACK if each.id in backwards else _AHEAD)
        for each, (k, beam) in zip(modal, beams.items(), strict=True)
    ]
    return replace(split, joints=(*joints, *turned))


def _backwards(split: Mechanism) -> set[str]:
    """Return the modal joints of beams that are held at their far ends: there the tree reaches them first."""
    return {b.joint.id for b in span(split).branches if isinstance(b.joint, ModalJoint) and b.reverse}


def held_at_far_end(mechanism: Mechanism) -> frozenset[str]:
    """Return the beams whose modes hold the end where x is the length: the end that the tree reaches first.

    Raises
    ------
    MechanismError
        A joint of a beam is at neither end.
    """
    beams = {k: body.beam for k, body in enumerate(mechanism.bodies) if body.beam is not None}
    split = _split(mechanism, beams)
    turned = _backwards(split)
    return frozenset(mechanism.bodies[k].id for k in beams if f"{end_name(mechanism.bodies[k])} modes" in turned)


def _near(body: Body) -> Body:
    return replace(body, beam=None, mass=0.0, com=(0.0, 0.0, 0.0), inertia=_STILL)


def _far(body: Body, beam: Beam) -> Body:
    """Return the body at the far end, its frame there."""
    turn = matrix(np.array(body.pose.q))
    x, y, z = (np.array(body.pose.r) + beam.length * turn[:, 0]).tolist()
    return replace(_near(body), id=end_name(body), pose=replace(body.pose, r=(x, y, z)), points={})


def _modal(mechanism: Mechanism, body: Body, beam: Beam, q: tuple[float, float, float, float]) -> ModalJoint:
    """Return the joint of a beam's modes; q: the floating frame in the body's, x along the beam from the held end."""
    end, frame = end_name(body), JointFrame((0.0, 0.0, 0.0), q)
    names = mode_names(beam, planar=mechanism.space == "planar")
    return ModalJoint(id=f"{end} modes", type="W", bodies=(body.id, end), frames=(frame, frame), modes=names)


def _moved(mechanism: Mechanism, joint: Joint) -> Joint:
    """Return a joint with the far ends of beams in place of the beams, where it is there."""
    if joint.frames is None:
        return joint
    bodies, frames = list(joint.bodies), list(joint.frames)
    number = {body.id: body for body in mechanism.bodies}
    for side, name in enumerate(joint.bodies):
        body = number.get(name)
        if body is None or body.beam is None:
            continue
        length, (x, y, z) = body.beam.length, frames[side].at
        if end_at(mechanism, name, joint.id, x / length):
            bodies[side], frames[side] = end_name(body), replace(frames[side], at=(x - length, y, z))
    return replace(joint, bodies=(bodies[0], bodies[1]), frames=(frames[0], frames[1]))


def with_beams(problem: Problem, beams: Sequence[FlexibleBeam], numbers: Sequence[BeamNumbers]) -> Problem:
    """Return a problem with the tables of its beams; sections are those of the mass points, then of the far end."""
    stations = len(numbers[0].mass)
    counts = [len(each.omega) for each in numbers]
    first = [0, *np.cumsum(counts, dtype=int).tolist()]
    place = [np.append(each.stations.place, each.end.place) for each in numbers]
    shape, slope = (
        [np.concatenate([getattr(part, name) for part in (each.stations, each.end)]) for each in numbers]
        for name in ("shape", "slope")
    )
    draws = [np.concatenate([each.stations.draws, each.end.draws]) for each in numbers]
    motion = problem.tables["BODY"]["first_motion"][[beam.far for beam in beams]]
    sizes = {
        "BEAMS": len(beams), "MODES": first[-1], "MOST_MODES": max(counts), "STATIONS": stations,
        "DRAWS": sum((stations + 1) * count**2 for count in counts),
    }  # fmt: skip
    starts = np.cumsum([0, *((stations + 1) * count**2 for count in counts)])[:-1]
    at = {beam.far: k for k, beam in enumerate(beams)}
    drawn = np.array([pair for each in draws for pair in _families(each)], dtype=np.int32).reshape(-1, 2)
    tables: dict[str, Table] = {
        "BEAM": BEAM.filled(
            len(beams), held=[each.held for each in beams], far=[each.far for each in beams], motion=motion,
            unknown=[each.unknown for each in beams], mode=first[:-1], modes=counts, draws=starts,
            polar=[each.polar for each in numbers],
        ),
        "BEAM_MODE": BEAM_MODE.filled(
            first[-1], first_drawn=drawn[:, 0], end_drawn=drawn[:, 1],
            stiffness=np.concatenate([each.omega**2 for each in numbers]),
            damping=np.concatenate([each.damping for each in numbers]),
            turning=np.concatenate([each.turning for each in numbers]),
            spinning=np.concatenate([1.0 * (each.turning != 0.0) for each in numbers]),
            slope=np.concatenate([each[-1] for each in slope]),
        ),
        "BEAM_AT": np.array([at.get(b, -1) for b in range(problem.sizes["BODIES"])], np.int32),
        "STATION_MASS": np.array([each.mass for each in numbers]),
        "SECTION_PLACE": np.array(place),
        "SECTION_SHAPE": np.concatenate([each.transpose(1, 0, 2).reshape(-1, 3) for each in shape]),
        "SECTION_DRAWS": np.concatenate([each.reshape(-1) for each in draws]),
    }  # fmt: skip
    return replace(problem, sizes={**problem.sizes, **sizes}, tables={**problem.tables, **tables})


def _families(draws: Array) -> Iterator[tuple[int, int]]:
    """Yield for each mode the range of those that it draws the beam together with; empty for one that does not bend."""
    for row in np.abs(draws).max(axis=0):
        others = np.flatnonzero(row)
        yield (int(others[0]), int(others[-1]) + 1) if len(others) else (0, 0)
