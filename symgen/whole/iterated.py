"""A structural group without a closed form in a whole mechanism: what the kernel of certified Newton takes and gives.

The kernel wants each body by the mean of its joint centres and lengths in units of the group's size
(`symgen.library.newton.numbers`); here these are steps like any other, so that what is a number is computed. The size
is a power of two: units then cost no rounding.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, Expr, exactly, symbol
from symgen.ir.nodes import Kernel, PairRows, Stage
from symgen.library.adapt import BodyMotion
from symgen.library.newton.numbers import measure_group
from symgen.library.newton.plan import SolverPlan, make_plan
from symgen.library.newton.problem import GroupProblem
from symgen.poses import Array
from symgen.solve.newton import NewtonPlan
from symgen.status import Status
from symgen.whole.bodies import Moving, Values, carried
from symgen.whole.coordinates import Triple
from symgen.whole.measured import measured
from symgen.whole.steps import Steps

#: Numbers of a report, and those that are results: certified, radius of the root, radius in which it is the only one,
#: condition; then the sign of the determinant.
REPORT, CERTIFICATE, SIGN = 8, (2, 3, 4, 1), 5
_STATUSES = (Status.SINGULAR, Status.NOT_CONVERGED)
_KERNELS: dict[str, str] = {"position": "newton_place", "all": "newton_move", "follow": "newton_follow"}


@dataclass(frozen=True)
class Measure:
    """How a group is measured: unit of length, its reciprocal, mean of each body's joint centres, origin; pitches.

    Numbers where the geometry is folded in, else steps.
    """

    size: Expr
    part: Expr
    centres: Mapping[str, Values]
    shift: Values
    pitches: Mapping[str, Expr]


@dataclass(frozen=True)
class Iterated:
    """A group as the kernel sees it: plan, measure, kinds of pairs; `name` begins the names of its steps."""

    name: str
    plan: SolverPlan
    measure: Measure
    pairs: tuple[PairRows, ...]

    @property
    def bodies(self) -> tuple[str, ...]:
        """The unknown bodies in the order of the kernel."""
        return tuple(self.plan.problem.bodies[k] for k in self.plan.order)


@dataclass(frozen=True)
class Before:
    """Where a branch was: motions of the group's bodies, time since, what tells the branch (`FollowedGroup.mark`)."""

    bodies: Mapping[str, Moving]
    dt: Expr
    mark: Expr


def iterated_group(group: NewtonPlan, number: int, poses: Mapping[str, Array], pairs: Sequence[PairRows]) -> Iterated:
    """Choose plan and scale of a group.

    Parameters
    ----------
    poses : known body -> a pose as ports hold it; only the origin of the kernel's world depends on it.
    pairs : all kinds that the module's kernel knows.
    """
    problem = group.newton.problem
    scale = measure_group(problem, {body: BodyMotion(poses[body]) for body in problem.known})
    size = 2.0 ** round(math.log2(scale.size))
    measure = Measure(
        exactly(size),
        exactly(1.0 / size),
        {body: tuple(exactly(float(x)) for x in centre) for body, centre in scale.centres.items()},
        tuple(exactly(float(x)) for x in scale.shift),
        {joint: exactly(pitch) for joint, pitch in problem.pitches.items()},
    )
    return Iterated(f"g{number}", plan_of(problem, pairs), measure, tuple(pairs))


def plan_of(problem: GroupProblem, pairs: Sequence[PairRows]) -> SolverPlan:
    """Return the plan of a group for a kernel that knows these kinds of pairs."""
    return make_plan(problem, {pair.name: pair.rows for pair in pairs})


def solve_iterated(
    steps: Steps,
    one: Iterated,
    frames: Mapping[str, tuple[Values, Values]],
    drives: Mapping[tuple[str, str], Triple],
    found: dict[str, Moving],
    before: Before,
    stage: Stage,
) -> tuple[Values, Expr]:
    """Write the call of the kernel in and keep the motions of the group's bodies in `found`.

    Parameters
    ----------
    before : where to start; of the stages "position" and "all" only the poses count.

    Returns
    -------
    tuple
        Certificate (4,) and sign of the determinant.
    """
    problem, name = one.plan.problem, one.name
    planar = problem.space == "planar"
    known = [_placed(steps, f"{name}_k{k}", one, body, found[body]) for k, body in enumerate(problem.known, start=1)]
    last = [
        _placed(steps, f"{name}_s{k}", one, body, before.bodies[body]) for k, body in enumerate(one.bodies, start=1)
    ]
    triples = [_driven(one, element.joint, str(element.freedom), drives, element.slides) for element in one.plan.drives]
    rates = stage != "position"
    inputs: list[tuple[str, Values]] = [
        ("frames", _frames(one, frames)),
        ("pitches", tuple(one.measure.pitches.get(j.name, ONE) * one.measure.part for j in problem.joints)),
        ("known", _joined(each.pose for each in known)),
    ]
    if rates:
        inputs.append(("known_twists", _joined(each.twist for each in known)))
        inputs.append(("known_accelerations", _joined(each.acceleration for each in known)))
    inputs += [("drives", _joined(triples)), ("before", _joined(each.pose for each in last))]
    if stage == "follow":
        inputs.append(("before_twists", _joined(each.twist for each in last)))
        inputs.append(("before_accelerations", _joined(each.acceleration for each in last)))
        inputs.append(("step", (before.dt, before.mark)))
    count, places, freedoms = len(one.bodies), problem.places, problem.freedoms
    outputs = [("poses", _names(f"{name}_n", count * places))]
    if rates:
        outputs += [("twists", _names(f"{name}_nv", count * freedoms))]
        outputs += [("accelerations", _names(f"{name}_na", count * freedoms))]
    outputs.append(("report", _names(f"{name}_report", REPORT)))
    statuses = (*_STATUSES, Status.BRANCH_LOST) if stage == "follow" else _STATUSES
    integers = tuple(int(k) for k in one.plan.integers)
    steps.kernel(
        Kernel(
            name, _KERNELS[stage], None, (("plan", integers),), tuple(inputs),
            (("work", integers[7] + places * count), ("pivots", freedoms * count)),
            tuple(outputs), one.pairs, statuses, stage == "position",
            f"certified Newton for bodies {', '.join(one.bodies)}",
        )
    )  # fmt: skip
    values = {what: tuple(map(symbol, targets)) for what, targets in outputs}
    nothing = (exactly(0.0),) * (count * freedoms)
    for k, body in enumerate(one.bodies):
        pose = values["poses"][places * k : places * (k + 1)]
        twist, second = (values.get(w, nothing)[freedoms * k : freedoms * (k + 1)] for w in ("twists", "accelerations"))
        found[body] = _replaced(steps, f"{name}_b{k + 1}", one, body, Moving(pose, twist, second), planar)
    report = values["report"]
    return tuple(report[k] for k in CERTIFICATE), report[SIGN]


def iterated_coordinates(
    steps: Steps,
    one: Iterated,
    frames: Mapping[str, tuple[Values, Values]],
    drives: Mapping[tuple[str, str], Triple],
    found: Mapping[str, Moving],
    wanted: Collection[str],
    rates: bool,
) -> dict[tuple[str, str], Triple]:
    """Return the coordinates of the wanted joints of the group; driven ones as they are given."""
    problem = one.plan.problem
    every: dict[tuple[str, str], Triple] = {}
    for k, joint in enumerate(problem.joints, start=1):
        if joint.name not in wanted:
            continue
        ends = found[joint.bodies[0]], found[joint.bodies[1]]
        triples = measured(steps, f"{one.name}_j{k}", joint.type, ends, frames[joint.name], rates)
        if joint.type == "H":  # by the slide: that counts full turns
            triples["angle"] = tuple(value / one.measure.pitches[joint.name] for value in triples["slide"])
        every |= {(joint.name, freedom): triple for freedom, triple in triples.items()}
        every |= {(joint.name, freedom): drives[joint.name, freedom] for freedom in joint.driven}
    return every


def _joined(parts: object) -> Values:
    return tuple(value for part in parts for value in part)  # type: ignore[attr-defined]


def _names(stem: str, count: int) -> tuple[str, ...]:
    return tuple(f"{stem}_{k}" for k in range(count))


def _driven(one: Iterated, joint: int, freedom: str, drives: Mapping[tuple[str, str], Triple], slides: bool) -> Triple:
    """Return a driven freedom in the kernel's units; that of an H as its slide."""
    here = one.plan.problem.joints[joint]
    factor = one.measure.part if slides else ONE
    if here.type == "H":
        factor = factor * one.measure.pitches[here.name]
    return tuple(value * factor for value in drives[here.name, freedom])


def _frames(one: Iterated, frames: Mapping[str, tuple[Values, Values]]) -> Values:
    values: list[Expr] = []
    for joint in one.plan.problem.joints:
        for body, frame in zip(joint.bodies, frames[joint.name], strict=True):
            centre = one.measure.centres[body]
            values += [(frame[k] - centre[k]) * one.measure.part for k in range(len(centre))]
            values += frame[len(centre) :]
    return tuple(values)


def _placed(steps: Steps, name: str, one: Iterated, body: str, motion: Moving) -> Moving:
    """Return the motion of a body as the kernel takes it."""
    centre = one.measure.centres[body]
    cut, part = len(centre), one.measure.part
    r, v, a = carried(steps, name, motion, centre, "the mean of the body's joint centres")
    place = tuple((x - s) * part for x, s in zip(r, one.measure.shift, strict=True))
    return Moving(
        (*place, *motion.pose[cut:]),
        (*(x * part for x in v), *motion.twist[cut:]),
        (*(x * part for x in a), *motion.acceleration[cut:]),
    )


def _replaced(steps: Steps, name: str, one: Iterated, body: str, motion: Moving, planar: bool) -> Moving:
    """Return the motion of a body's frame from that of the kernel."""
    cut, size = 2 if planar else 3, one.measure.size
    axes = "xyz"[:cut]
    rows = (
        [x * size + s for x, s in zip(motion.pose, one.measure.shift, strict=False)],
        [x * size for x in motion.twist[:cut]],
        [x * size for x in motion.acceleration[:cut]],
    )
    words = ("place", "velocity", "acceleration")
    place, v, a = (
        steps.lets(f"{name}_{end}", [f"{name}_{end}_{axis}" for axis in axes], row, f"{word} of the mean of joints", {})
        for end, row, word in zip(("c", "cv", "ca"), rows, words, strict=True)
    )
    middle = Moving((*place, *motion.pose[cut:]), (*v, *motion.twist[cut:]), (*a, *motion.acceleration[cut:]))
    back = [-x for x in one.measure.centres[body]]
    r, v, a = carried(steps, name, middle, back, "the origin of the body")
    return Moving((*r, *middle.pose[cut:]), (*v, *middle.twist[cut:]), (*a, *middle.acceleration[cut:]))
