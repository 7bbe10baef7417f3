"""The routine of a whole mechanism: laws of its drives, its groups in solving order, then what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symgen.algebra import Expr, exactly, symbol
from symgen.ir.nodes import Call, Flag, Guard, Let, Mark, Output, Routine, Stage, Statement
from symgen.library.adapt import GroupAdapter
from symgen.library.fit import FittedJoint
from symgen.library.rotations import EXCHANGE_Z_X
from symgen.solve.plan import GroupPlan, Plan
from symgen.status import Status
from symgen.whole.bodies import Moving, Values, at_rest, carried, turned_frame, welded
from symgen.whole.coordinates import Triple, slot_coordinates
from symgen.whole.finite import witnesses
from symgen.whole.laws import law_steps
from symgen.whole.layout import Layout, port_values, result_ports
from symgen.whole.steps import Steps

#: (module, arrangement, stage) -> its routine.
Routines = Callable[[str, str, Stage], Routine]

_ORDERS = ("value", "rate", "acceleration")


@dataclass(frozen=True)
class _Unknowns:
    """What the groups have given so far."""

    bodies: dict[str, Moving]
    joints: dict[tuple[str, str], Triple]


def compose(plan: Plan, layout: Layout, routines: Routines, stage: Stage) -> Routine:
    """Put the routine of a mechanism together.

    Parameters
    ----------
    plan : the groups with their solved types, in solving order.
    layout : names and order of everything that goes in and comes out.
    routines : where the groups' routines come from.
    stage : "position" or "all".

    Raises
    ------
    MechanismError
        With its geometry folded in, a group can never be solved; the message names it.
    """
    steps = Steps(
        [e for port in layout.inputs for e in port.elements],
        plan.mechanism.file or plan.mechanism.name,
        planar=layout.planar,
    )
    drives = _drives(plan, layout, steps)
    frames = layout.frames
    ground = plan.mechanism.ground
    found = _Unknowns({ground: at_rest(port_values(plan.mechanism.ground_body.pose, plan.mechanism.space))}, {})
    lost = False
    for number, group in enumerate(plan.in_closed_form("whole mechanisms"), start=1):
        entry = group.adapter.fit.entry
        routine = routines(entry.manifest.id, entry.arrangement.id, stage)
        lost = lost or _loses_branches(routine)
        _solve_group(steps, group, number, frames, drives, found, routine, stage)
    steps.mark(0, "What was asked for, from what the groups gave.")
    for body, leader in plan.rigid.leader.items():
        if body != leader:
            place = layout.places[body]
            found.bodies[body] = welded(steps, f"w{layout.number_of(body)}", found.bodies[leader], place)
    outputs = _outputs(plan, layout, steps, found, stage)
    return Routine(
        name="position" if stage == "position" else "motion",
        title=f"the mechanism {plan.mechanism.name}" if plan.mechanism.name else "the mechanism",
        level="mechanism",
        arrangement=None,
        stage=stage,
        inputs=layout.inputs,
        body=tuple(steps.body),
        outputs=outputs,
        finite=witnesses(steps.body, outputs, steps.settled),
        branches=1,
        lost_by_stage=lost and any(map(_may_be_out_of_reach, steps.body)),
    )


def _may_be_out_of_reach(statement: Statement) -> bool:
    """Tell whether a statement can end the routine with NO_ASSEMBLY; whatever runs a loop may."""
    if isinstance(statement, Guard):
        return statement.status is Status.NO_ASSEMBLY
    return not isinstance(statement, (Let, Flag, Mark))


def _loses_branches(routine: Routine) -> bool:
    """Tell whether one branch may be out of reach while another is not; the routines it calls say so in their place."""
    called = [statement.routine for statement in routine.body if isinstance(statement, Call)]
    return routine.lost_by_stage or any(_loses_branches(each) for each in called)


def _drives(plan: Plan, layout: Layout, steps: Steps) -> dict[tuple[str, str], Triple]:
    """Return value, rate and acceleration of every driven freedom, by law or as they are given."""
    triples: dict[tuple[str, str], Triple] = {}
    steps.mark(0, "Drives.")
    for number, key in enumerate(layout.drives):
        what = ".".join(key)
        if layout.by_law:
            law = plan.mechanism.drives[key]
            triples[key] = law_steps(steps, law, f"u{number + 1}", what)
        else:
            value, rate, acceleration = (symbol(f"{prefix}_{number + 1}") for prefix in ("u", "ud", "udd"))
            triples[key] = value, rate, acceleration
    return triples


def _solve_group(
    steps: Steps,
    group: GroupPlan,
    number: int,
    frames: Mapping[str, tuple[Values, Values]],
    drives: Mapping[tuple[str, str], Triple],
    found: _Unknowns,
    routine: Routine,
    stage: Stage,
) -> None:
    """Write a group's routine in and keep what it gives."""
    steps.mark(number, f"Group {number}, {group.group.signature}: {', '.join(group.group.bodies)}.")
    fit, adapter = group.adapter.fit, group.adapter
    entry = fit.entry
    pool: dict[str, Values] = {"branch": (symbol(f"branch_{number}"),)}
    for place in entry.arrangement.known:
        body = found.bodies[fit.bodies[place]]
        pool |= {place: body.pose, f"v_{place}": body.twist, f"a_{place}": body.acceleration}
    for fitted in fit.joints:
        pair = _slot_frames(steps, f"g{number}", fitted, frames[fitted.joint.name])
        pool.update(zip(fitted.slot.frames, pair, strict=True))
        if fitted.slot.driven:
            pool.update(_slot_drives(steps, f"g{number}", fitted, drives))
    given = {port.name: pool[port.name] for port in routine.inputs}
    pool |= steps.inline(routine, f"g{number}", given, stop_singular=stage == "all")
    _keep(steps, adapter, number, pool, drives, found)


def _keep(
    steps: Steps,
    adapter: GroupAdapter,
    number: int,
    pool: Mapping[str, Values],
    drives: Mapping[tuple[str, str], Triple],
    found: _Unknowns,
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


def _slot_frames(
    steps: Steps, prefix: str, fitted: FittedJoint, frames: tuple[Values, Values]
) -> tuple[Values, Values]:
    """Return the joint's frames in the direction of the arrangement, as `GroupAdapter` does with numbers."""
    if not fitted.turned:
        return frames
    second, first = frames
    if fitted.slot.type != "U":
        return first, second
    turn = [exactly(float(part)) for part in EXCHANGE_Z_X]
    name = f"{prefix}_{fitted.slot.name}"
    return turned_frame(steps, f"{name}_first", first, turn), turned_frame(steps, f"{name}_second", second, turn)


def _slot_drives(
    steps: Steps, prefix: str, fitted: FittedJoint, drives: Mapping[tuple[str, str], Triple]
) -> dict[str, Values]:
    """Return the ports of a joint's driven freedoms."""
    ports: dict[str, Values] = {}
    triples = [drives[fitted.joint.name, fitted.freedom(freedom)] for freedom in fitted.slot.driven]
    for order, port in enumerate(("u", "ud", "udd")):
        name = f"{port}_{fitted.slot.name}"
        values = [-triple[order] if fitted.turned else triple[order] for triple in triples]
        names = [f"{prefix}_{name}_{k}" for k in range(len(values))]
        ports[name] = steps.lets(f"{prefix}_{name}", names, values, f"driven {_ORDERS[order]} as the group has it", {})
    return ports


def _outputs(plan: Plan, layout: Layout, steps: Steps, found: _Unknowns, stage: Stage) -> tuple[Output, ...]:
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
        parts = carried(steps, f"p{number}", found.bodies[body], place, "the point")
        for order in range(orders):
            values[6 + order] += parts[order]
    ports = result_ports(layout, stage)
    flat = [tuple(v) for v in values if v]
    outputs = [Output(port, each) for port, each in zip(ports[:-1], flat, strict=True)]
    return (*outputs, Output(ports[-1], ()))
