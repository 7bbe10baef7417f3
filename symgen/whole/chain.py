"""A chain without a closed form as a module of its own: certified Newton from a start, between two moving bodies.

Its functions have the ports that `symgen.library.newton.entry` gives the type, and the certificate of the solution. The
unit of length is the largest distance of a joint centre from the middle of its body; nothing but the size of the
numbers depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symgen.algebra import ONE, TINY, UNIT_TOLERANCE, ZERO, Expr, absolute, chosen, number, sqrt, symbol
from symgen.errors import InputError, UnsolvedTypeError
from symgen.ir.nodes import Output, PairRows, Port, Routine, Stage
from symgen.library.group_joints import GroupJoint
from symgen.library.manifest import Function, ManifestArrangement
from symgen.library.newton.entry import newton_entry, why_no_entry
from symgen.library.newton.problem import GroupProblem, elements_of, make_problem
from symgen.naming import check_identifier
from symgen.status import Status
from symgen.whole.bodies import Moving, Values, at_rest, carried
from symgen.whole.coordinates import Triple
from symgen.whole.finite import witnesses
from symgen.whole.iterated import Before, Iterated, Measure, iterated_coordinates, plan_of, solve_iterated
from symgen.whole.steps import Steps

_SOURCE = "certified Newton (L. V. Kantorovich 1948) on the constraints of the pairs (A. Mueller 2015; E. J. Haug 1989)"
_ORDERS = (("", "q_", "u_"), ("v_", "qd_", "ud_"), ("a_", "qdd_", "udd_"))
_CERTIFICATE = (
    "1 if the solution is certified, the radius in which it lies, the radius in which it is the only one (units of the "
    "largest lever, rad), condition of the Jacobian"
)


@dataclass(frozen=True)
class ChainModule:
    """A chain ready to be emitted; `arrangement` names its bodies and joints as in any solved type."""

    id: str
    signature: str
    planar: bool
    arrangement: ManifestArrangement
    functions: tuple[Function, ...]

    @property
    def title(self) -> str:
        """What the files are about."""
        return f"{self.arrangement.key} by certified Newton"

    @property
    def summary(self) -> tuple[str, ...]:
        """Lines about what the functions solve."""
        return (
            "A structural group without a closed form between known bodies: the solution that Newton's method finds",
            "from the poses start_b1, ..., near it, and a proof that it is one (`certificates`). As start take the "
            "poses of",
            "the time before. There may be solutions that are not found from there.",
        )

    @property
    def source(self) -> str:
        """Where the method is from."""
        return _SOURCE

    @property
    def problem(self) -> GroupProblem:
        """The group as the kernel is planned for; numbers are ports."""
        joints = [GroupJoint(j.name, j.type, j.bodies, j.driven) for j in self.arrangement.joints]
        space = "planar" if self.planar else "spatial"
        return make_problem(space, self.arrangement.bodies, joints, {}, {})

    def routines(self, pairs: Mapping[str, PairRows]) -> tuple[Routine, ...]:
        """Put the routines together; `pairs` are all kinds of the space by name."""
        used = {element.kind for element in elements_of(self.problem)} | {"turn_z"}  # see `WholeModule`
        own = tuple(pair for name, pair in pairs.items() if name in used)
        return tuple(_routine(self, function, own) for function in self.functions)


def chain_module(signature: str) -> ChainModule:
    """Return the module of a regular chain.

    Raises
    ------
    UnsolvedTypeError
        It is no regular chain of pairs with joint frames.
    InputError
        The signature leaves open which freedom is driven.
    """
    entry = newton_entry(signature)
    if entry is None:
        raise UnsolvedTypeError(why_no_entry(signature))
    words = [
        joint.type.lower() + "".join(f"_{freedom}" for freedom in joint.driven) for joint in entry.arrangement.joints
    ]
    planar = entry.manifest.space == "planar"
    name = "_".join(["newton", *words, *(["planar"] if planar else [])])
    try:
        check_identifier(name)
    except InputError as error:
        raise InputError(f'"{signature}": {error}') from error
    return ChainModule(name, signature, planar, entry.arrangement, entry.manifest.functions)


def _routine(module: ChainModule, function: Function, pairs: tuple[PairRows, ...]) -> Routine:
    stage: Stage = "position" if function.stage == "position" else "all"
    inputs = tuple(_port(port.name, port.shape, port.meaning, "in", module.planar) for port in function.inputs)
    given = {port.name: tuple(map(symbol, port.elements)) for port in inputs}
    steps = Steps([e for port in inputs for e in port.elements], module.signature, planar=module.planar)
    steps.mark(1, f"{module.arrangement.key}.")
    del steps.body[:]  # a chain has one group: there is nothing to tell apart
    frames = {joint.name: (given[joint.frames[0]], given[joint.frames[1]]) for joint in module.arrangement.joints}
    found = {
        body: Moving(given[body], *(given.get(order + body, at_rest(given[body]).twist) for order in ("v_", "a_")))
        for body in module.arrangement.known
    }
    starts = {body: at_rest(given[f"start_{body}"]) for body in module.arrangement.bodies}
    _check(steps, module, given)
    problem = module.problem
    measure = _measure(steps, problem, frames, given, found)
    one = Iterated("group", plan_of(problem, pairs), measure, pairs)
    drives = _drives(module, given)
    certificate, _ = solve_iterated(steps, one, frames, drives, found, Before(starts, ZERO, ZERO), stage)
    wanted = [joint.name for joint in module.arrangement.joints if joint.coordinates is not None]
    triples = iterated_coordinates(steps, one, frames, drives, found, wanted, rates=stage == "all")
    values = _results(module, found, triples)
    outputs = [
        Output(_port(port.name, port.shape, port.meaning, "out", module.planar), values[port.name])
        for port in function.outputs
    ]
    outputs.append(Output(_port("certificates", (4,), _CERTIFICATE, "out", module.planar), certificate))
    return Routine(
        name=function.name, title=module.arrangement.key, level="group", arrangement=module.arrangement.id, stage=stage,
        inputs=inputs, body=tuple(steps.body), outputs=tuple(outputs), branches=1,
        finite=witnesses(steps.body, outputs, steps.settled),
    )  # fmt: skip


def _port(name: str, shape: tuple[int, ...], meaning: str, direction: str, planar: bool) -> Port:
    elements = tuple(f"{name}_{k}" for k in range(shape[0])) if shape else (name,)
    unit, frame, allowed = _about(name, planar)
    return Port(name, "in" if direction == "in" else "out", "real", shape, elements, unit, frame, meaning, allowed)


def _about(name: str, planar: bool) -> tuple[str, str, str]:
    """Return unit, frame and range of a port by its name, as `symgen.library.newton.entry` gives them."""
    place = "m, m, rad" if planar else "m, 1"
    allowed = "finite" if planar else "finite; q unit"
    if name == "certificates":
        return "", "", ""
    if name.startswith("f_"):
        return place, "body", allowed
    if name.startswith("pitch_"):
        return "m/rad", "", "not zero"
    for order, end in (("udd", "/s^2"), ("ud", "/s"), ("u", ""), ("qdd", "/s^2"), ("qd", "/s"), ("q", "")):
        if name.startswith(f"{order}_"):
            return f"rad{end} or m{end}", "joint", "finite"
    if name.startswith("v_"):
        return "m/s, rad/s", "world", "finite"
    if name.startswith("a_"):
        return "m/s^2, rad/s^2", "world", "finite"
    return place, "world", allowed


def _check(steps: Steps, module: ChainModule, given: Mapping[str, Values]) -> None:
    """Refuse pitches that are zero, and quaternions that are not of unit length."""
    for joint in module.arrangement.joints:
        if joint.type == "H":
            pitch = given[f"pitch_{joint.name}"][0]
            steps.need(absolute(pitch), ZERO, f"the pitch of {joint.name} is zero", Status.BAD_INPUT)
    if module.planar:
        return
    names = [*module.arrangement.known, *(name for joint in module.arrangement.joints for name in joint.frames)]
    for name in names:
        q = given[name][3:]
        over = steps.let(f"{name}_over", sum((x * x for x in q), ZERO) - ONE, f"squared length of q of {name}, minus 1")
        steps.need(UNIT_TOLERANCE, absolute(over), f"the quaternion of {name} is not of unit length", Status.BAD_INPUT)


def _measure(
    steps: Steps,
    problem: GroupProblem,
    frames: Mapping[str, tuple[Values, Values]],
    given: Mapping[str, Values],
    found: Mapping[str, Moving],
) -> Measure:
    """Name centres, size and origin."""
    cut = 2 if problem.space == "planar" else 3
    places: dict[str, list[Values]] = {}
    for joint in problem.joints:
        for body, frame in zip(joint.bodies, frames[joint.name], strict=True):
            places.setdefault(body, []).append(frame[:cut])
    centres: dict[str, Values] = {}
    largest, spread = ZERO, ZERO
    for body, points in places.items():
        values = [sum((point[k] for point in points), ZERO) / number(len(points)) for k in range(cut)]
        name = f"middle_{body}"
        names = [f"{name}_{axis}" for axis in "xyz"[:cut]]
        centres[body] = steps.lets(name, names, values, f"mean of the joint centres of {body} [m]", {})
        for k, point in enumerate(points if body in problem.bodies else ()):
            gaps = [point[axis] - centres[body][axis] for axis in range(cut)]
            arm = steps.lets(f"lever_{body}_{k}", [f"lever_{body}_{k}_{a}" for a in "xyz"[:cut]], gaps, "lever [m]", {})
            spread = _larger(steps, f"spread_{body}_{k}", spread, sum((x * x for x in arm), ZERO))
            largest = _larger(steps, f"largest_{body}_{k}", largest, sum((x * x for x in point), ZERO))
    size2 = steps.let("size2", chosen(spread, TINY * largest, ONE, spread), "squared unit of length [m^2]")
    size = steps.let("size", sqrt(size2), "unit of length [m]")
    part = steps.let("per_size", ONE / size, "its reciprocal [1/m]")
    carriers = [
        carried(steps, f"at_{body}", found[body], centres[body], "the mean of joint centres")[0]
        for body in problem.known
    ]
    values = [sum((r[k] for r in carriers), ZERO) / number(len(carriers)) for k in range(cut)]
    shift = steps.lets("shift", [f"shift_{axis}" for axis in "xyz"[:cut]], values, "origin of the iteration [m]", {})
    pitches = {j.name: given[f"pitch_{j.name}"][0] for j in problem.joints if j.type == "H"}
    return Measure(size, part, centres, shift, pitches)


def _larger(steps: Steps, name: str, one: Expr, other: Expr) -> Expr:
    value = steps.let(f"{name}_of", other, "squared length [m^2]")
    return value if one == ZERO else steps.let(name, chosen(one, value, value, one), "the larger squared length [m^2]")


def _drives(module: ChainModule, given: Mapping[str, Values]) -> dict[tuple[str, str], Triple]:
    return {
        (joint.name, freedom): tuple(
            given[u + joint.name][k] if u + joint.name in given else ZERO for _, _, u in _ORDERS
        )
        for joint in module.arrangement.joints
        for k, freedom in enumerate(joint.driven)
    }


def _results(
    module: ChainModule, found: Mapping[str, Moving], triples: Mapping[tuple[str, str], Triple]
) -> dict[str, Values]:
    """Return port -> values."""
    values: dict[str, Values] = {}
    for body in module.arrangement.bodies:
        moving = found[body]
        values |= {body: moving.pose, f"v_{body}": moving.twist, f"a_{body}": moving.acceleration}
    for joint in module.arrangement.joints:
        for order, (_, q, _) in enumerate(_ORDERS):
            rows = [triples.get((joint.name, freedom), ()) for freedom in joint.freedoms]
            values[q + joint.name] = tuple(row[order] for row in rows if len(row) > order)
    return values
