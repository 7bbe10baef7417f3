"""The routine of a whole mechanism: laws of its drives, its groups in solving order, then what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from symgen.algebra import LARGEST_INPUT, ONE, ZERO, Expr, absolute, exactly, is_number, symbol
from symgen.ir.nodes import Call, Flag, Guard, Let, Mark, Output, PairRows, Routine, Stage, Statement
from symgen.library.adapt import GroupAdapter
from symgen.solve.newton import NewtonPlan
from symgen.solve.plan import GroupPlan, Plan
from symgen.status import Status
from symgen.whole.bodies import Moving, Values, at_rest, carried, welded
from symgen.whole.coordinates import Triple, slot_coordinates
from symgen.whole.finite import witnesses
from symgen.whole.followed import follow_branches, followed_coordinates
from symgen.whole.group_inputs import Unknowns, given_values
from symgen.whole.iterated import Before, Iterated, iterated_coordinates, solve_iterated
from symgen.whole.laws import law_steps, law_value, may_have_no_value
from symgen.whole.layout import PortLayout, drives_in_one, port_values, result_ports
from symgen.whole.lone_coordinates import solve_coordinates
from symgen.whole.measured import measured
from symgen.whole.origins import Origins, move_origins
from symgen.whole.steps import Steps

#: (module, arrangement, stage) -> its routine.
Routines = Callable[[str, str, Stage], Routine]
#: The kinds of pairs that certified Newton knows in the mechanism's space, by name.
Pairs = Callable[[str], Mapping[str, PairRows]]

#: In a step of certified Newton that is followed nothing moves further [rad]; see templates/c99/newton/_follow.j2.
LONGEST = 0.5
#: Freedoms that are lengths.
_LENGTHS = ("slide", "x", "y", "z")

_NAMES: dict[str, str] = {"position": "position", "all": "motion", "follow": "follow"}


def compose(
    plan: Plan,
    layout: PortLayout,
    routines: Routines,
    iterated: Mapping[int, Iterated],
    size: float,
    stage: Stage,
    fixed: Sequence[int] | None = None,
    *,
    in_one: bool = False,
    at_joints: bool = True,
) -> Routine:
    """Put the routine of a mechanism together.

    Parameters
    ----------
    plan : the groups with their solved types, in solving order.
    layout : names and order of everything that goes in and comes out.
    routines : where the groups' routines come from.
    iterated : number of the group -> what the kernel of certified Newton needs, of those without a closed form.
    size : length of the mechanism [m], for following branches.
    stage : "position", "all" or "follow".
    fixed : branch of each group that is written in, where it is a sign; None if the caller says it.
    in_one : drives come in one array.
    at_joints : bodies are found at a joint where frames are inputs (`symgen.whole.origins`), not at their frames.

    Raises
    ------
    MechanismError
        With its geometry folded in, a group can never be solved; the message names it.
    """
    inputs = drives_in_one(layout.inputs_of(stage), stage) if in_one else layout.inputs_of(stage)
    steps = Steps(
        [e for port in inputs for e in port.elements],
        plan.mechanism.file or plan.mechanism.name,
        planar=layout.planar,
        oriented=bool(layout.bodies) or stage == "follow",
    )
    drives = _drives(plan, layout, steps, stage)
    origins = move_origins(steps, plan, layout, stage if at_joints else None)
    frames = origins.frames
    ground = plan.mechanism.ground
    rest = at_rest(port_values(plan.mechanism.ground_body.pose, plan.mechanism.space))
    found = Unknowns({ground: rest}, {}, [], {}, [], _fixed(plan, stage, fixed))
    lost = False
    unsigned = stage == "follow" and layout.by_law and [each.number for each in layout.followed if not each.signed]
    unchecked: list[tuple[int, str]] = []
    for number, group in enumerate(plan.groups, start=1):
        if number not in layout.solved:
            continue
        steps.mark(number, f"Group {number}, {group.group.signature}: {', '.join(group.group.bodies)}.")
        if unsigned and number == unsigned[0]:
            _need_short_turns(plan, layout, steps, drives)
        if isinstance(group, NewtonPlan):
            one, before = iterated[number], before_of(layout, number, stage)
            certificate, sign = solve_iterated(steps, one, frames, drives, found.bodies, before, stage)
            found.certificates.extend(certificate)
            found.marks[number] = sign
            wanted = {joint for joint, _ in layout.coordinates if joint not in layout.read}
            found.joints.update(
                iterated_coordinates(steps, one, frames, drives, found.bodies, wanted, rates=stage != "position")
            )
            continue
        entry = group.adapter.fit.entry
        routine = routines(entry.manifest.id, entry.arrangement.id, "all" if stage == "follow" else stage)
        following = stage == "follow" and group.branches > 1
        lost = lost or (not following and _loses_branches(routine))
        before_all = (before_of(layout, number, stage), size) if following else None
        alone = layout.alone.get(number) if stage != "follow" else None
        if alone is not None:
            position = routines(entry.manifest.id, entry.arrangement.id, "position")
            dropped = solve_coordinates(steps, group, number, frames, drives, found, position, stage, alone)
            if dropped is not None:
                unchecked += [(number, each) for each in dropped]
                continue
        _solve_group(steps, group, number, frames, drives, found, routine, stage, before_all)
    steps.mark(0, "Requested results, from the results of the groups.")
    for body, leader in plan.rigid.leader.items():
        if body != leader and leader in found.bodies:
            place = origins.from_there(leader, layout.places[body])
            found.bodies[body] = welded(steps, f"w{layout.number_of(body)}", found.bodies[leader], place)
    _measure(steps, plan, layout, found, origins, stage)
    outputs = _outputs(layout, steps, found, origins, stage)
    return Routine(
        name=_NAMES[stage],
        title=f"the mechanism {plan.mechanism.name}" if plan.mechanism.name else "the mechanism",
        level="mechanism",
        arrangement=None,
        stage=stage,
        inputs=inputs,
        body=tuple(steps.body),
        outputs=outputs,
        finite=witnesses(steps.body, outputs, steps.settled),
        branches=1,
        lost_by_stage=lost and any(map(_may_be_out_of_reach, steps.body)),
        unchecked=tuple(unchecked),
    )


def _fixed(plan: Plan, stage: Stage, branches: Sequence[int] | None) -> dict[int, int]:
    """Return number of the group -> branch, of those whose branch is written in."""
    if branches is None or stage == "follow":
        return {}
    groups = enumerate(plan.groups, start=1)
    return {n: branches[n - 1] for n, group in groups if isinstance(group, GroupPlan) and not group.ranked}


def before_of(layout: PortLayout, number: int, stage: Stage) -> Before:
    """Return where a group's branch was: in the state, or in the poses to start from."""
    places, freedoms = layout.widths
    (one,) = [each for each in layout.followed if each.number == number]
    bodies: dict[str, Moving] = {}
    if stage == "follow":
        for body, offset in one.bodies:
            names = [symbol(f"before_{offset + k}") for k in range(places + 2 * freedoms)]
            twist, growth = names[places : places + freedoms], names[places + freedoms :]
            bodies[body] = Moving(tuple(names[:places]), tuple(twist), tuple(growth))
        return Before(bodies, symbol("dt"), symbol(f"before_{one.mark}"))
    offset = 0
    for each in layout.iterated:
        for body, _ in each.bodies:
            if each.number == number:
                bodies[body] = at_rest(tuple(symbol(f"start_{offset + k}") for k in range(places)))
            offset += places
    return Before(bodies, ZERO, ZERO)


def _measure(
    steps: Steps,
    plan: Plan,
    layout: PortLayout,
    found: Unknowns,
    origins: Origins,
    stage: Stage,
) -> None:
    """Read the coordinates that no group gives off the bodies."""
    for number, joint in enumerate(plan.mechanism.joints, start=1):
        lacking = [(j, f) for j, f in layout.coordinates if j == joint.id and (j, f) not in found.joints]
        if not lacking:
            continue
        one, two = plan.rigid.ends(joint)
        ends = found.bodies[one], found.bodies[two]
        if one == two:  # welded together: it cannot move
            still = at_rest((ZERO, ZERO, ZERO) if layout.planar else (ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO))
            ends = still, still
        frames = origins.read.get(joint.id) or origins.frames[joint.id]
        triples = measured(steps, f"m{number}", joint.type, ends, frames, stage != "position")
        if joint.type == "H" and joint.pitch is not None:
            triples["angle"] = tuple(value * exactly(1.0 / joint.pitch) for value in triples["slide"])
        found.joints.update({(j, f): triples[f] for j, f in lacking})


def _may_be_out_of_reach(statement: Statement) -> bool:
    """Tell whether a statement can end the routine with NO_ASSEMBLY; whatever runs a loop may."""
    if isinstance(statement, Guard):
        return statement.status is Status.NO_ASSEMBLY
    return not isinstance(statement, (Let, Flag, Mark))


def _loses_branches(routine: Routine) -> bool:
    """Tell whether one branch may be out of reach while another is not; the routines it calls say so in their place."""
    called = [statement.routine for statement in routine.body if isinstance(statement, Call)]
    return routine.lost_by_stage or any(_loses_branches(each) for each in called)


def _drives(plan: Plan, layout: PortLayout, steps: Steps, stage: Stage) -> dict[tuple[str, str], Triple]:
    """Return value, rate and acceleration of every driven freedom, by law or as they are given.

    A law without a real value is bad input: said here, since the group that meets it would blame its geometry.
    """
    triples: dict[tuple[str, str], Triple] = {}
    steps.mark(0, "Drives.")
    for number, key in enumerate(layout.drives):
        what = ".".join(key)
        if layout.by_law:
            law = plan.mechanism.drives[key]
            triples[key] = law_steps(steps, law, f"u{number + 1}", what)
            parts = triples[key][:1] if stage == "position" else triples[key]
            total = sum(parts, start=ZERO)
            if may_have_no_value(law) and not is_number(total):
                comment = f"the law of {what} has no value, or an infinite one"
                steps.need(LARGEST_INPUT, absolute(total), comment, Status.BAD_INPUT)
        else:
            value, rate, acceleration = (symbol(f"{prefix}_{number + 1}") for prefix in ("u", "ud", "udd"))
            triples[key] = value, rate, acceleration
    return triples


def _need_short_turns(plan: Plan, layout: PortLayout, steps: Steps, drives: Mapping[tuple[str, str], Triple]) -> None:
    """Leave a step in which a drive turns further than a part may: one that rests at both ends has no rates to tell."""
    before = steps.let("t_before", symbol("t") - symbol("dt"), "time of the state before")
    for number, key in enumerate(layout.drives):
        if key[1] not in _LENGTHS:
            what = ".".join(key)
            then = law_value(steps, plan.mechanism.drives[key], before, f"u{number + 1}_before", what)
            turned = steps.let(
                f"u{number + 1}_turned", drives[key][0] - then, f"how far {what} turns in the step [rad]"
            )
            longest, comment = exactly(LONGEST * LONGEST), "the step is too long for the prediction"
            steps.need(longest, turned * turned, comment, Status.BRANCH_LOST)


def _solve_group(
    steps: Steps,
    group: GroupPlan,
    number: int,
    frames: Mapping[str, tuple[Values, Values]],
    drives: Mapping[tuple[str, str], Triple],
    found: Unknowns,
    routine: Routine,
    stage: Stage,
    before: tuple[Before, float] | None,
) -> None:
    """Write a group's routine in and keep what it gives; with `before` its branch is followed from there."""
    fit, adapter = group.adapter.fit, group.adapter
    entry = fit.entry
    pool = given_values(steps, group, number, frames, drives, found)
    given = {port.name: pool[port.name] for port in routine.inputs}
    if before is None:
        pool |= steps.inline(routine, f"g{number}", given, stop_singular=stage != "position")
    else:
        where, size = before
        bodies = sorted((place, fit.bodies[place]) for place in entry.arrangement.bodies)
        doubt = sum(found.doubts, ZERO)
        motions, own, mark = follow_branches(steps, routine, number, given, group, where, bodies, size, doubt)
        found.marks[number] = mark
        found.bodies.update(motions)
        found.doubts[:] = [own]
        found.joints.update(followed_coordinates(steps, number, fit.joints, frames, drives, found.bodies))
        return
    _keep(steps, adapter, number, pool, drives, found)


def _keep(
    steps: Steps,
    adapter: GroupAdapter,
    number: int,
    pool: Mapping[str, Values],
    drives: Mapping[tuple[str, str], Triple],
    found: Unknowns,
) -> None:
    for place in adapter.fit.entry.arrangement.bodies:
        still = at_rest(pool[place])  # of positions alone no rates are asked
        twist, acceleration = pool.get(f"v_{place}", still.twist), pool.get(f"a_{place}", still.acceleration)
        found.bodies[adapter.fit.bodies[place]] = Moving(pool[place], twist, acceleration)
    for fitted in adapter.fit.joints:
        for freedom, triple in slot_coordinates(steps, f"g{number}", fitted, pool).items():
            found.joints[fitted.joint.name, freedom] = triple
        for freedom in fitted.joint.driven:
            found.joints[fitted.joint.name, freedom] = drives[fitted.joint.name, freedom]


def _outputs(layout: PortLayout, steps: Steps, found: Unknowns, origins: Origins, stage: Stage) -> tuple[Output, ...]:
    """Return the results in their order; the number of the unsolved group comes last."""
    orders = 1 if stage == "position" else 3
    values: list[list[Expr]] = [[] for _ in range(9)]
    for body in layout.bodies:
        moving = found.bodies[body]
        for order, part in enumerate((moving.pose, moving.twist, moving.acceleration)[:orders]):
            values[order] += part
    for key in layout.coordinates:
        for order in range(orders):
            values[3 + order].append(found.joints[key][order])
    for number, (body, _, place) in enumerate(layout.points, start=1):
        there = origins.from_there(body, place)
        parts = carried(steps, f"p{number}", found.bodies[body], there, "the point")
        for order in range(orders):
            values[6 + order] += parts[order]
    ports = result_ports(layout, stage)
    flat = [tuple(v) for v in values if v]
    if layout.iterated:
        flat.append(tuple(found.certificates))
    if stage == "follow":
        flat.append(_state(layout, found))
    outputs = [Output(port, each) for port, each in zip(ports[:-1], flat, strict=True)]
    return (*outputs, Output(ports[-1], ()))


def _state(layout: PortLayout, found: Unknowns) -> tuple[Expr, ...]:
    values: list[Expr] = []
    for each in layout.followed:
        for body, _ in each.bodies:
            moving = found.bodies[body]
            values += (*moving.pose, *moving.twist, *moving.acceleration)
        values.append(found.marks[each.number])
    return tuple(values)


def compose_begin(layout: PortLayout, state: Sequence[float], name: str) -> Routine:
    """Return the routine that gives where to begin: the state, and the poses that iterations start from.

    Parameters
    ----------
    state : as `PortLayout.state_port` lays it out.
    """
    outputs = []
    places = layout.widths[0]
    for port in [p for p in layout.inputs_of("all") if p.name == "start"]:
        own = [state[offset + k] for each in layout.iterated for _, offset in each.bodies for k in range(places)]
        elements = tuple(f"start_out_{k}" for k in range(len(own)))
        there = replace(port, direction="out", elements=elements)
        outputs.append(Output(there, tuple(map(exactly, own))))
    outputs.append(Output(layout.state_port(), tuple(map(exactly, state))))
    outputs.append(Output(result_ports(layout, "follow")[-1], ()))
    return Routine(
        name="begin", title=f"{name} at the time it was made for", level="mechanism", arrangement=None, stage="begin",
        inputs=(), body=(Mark(0, "Found by symgen solve."),), outputs=tuple(outputs), finite=(), branches=1,
    )  # fmt: skip
