"""What goes into the routine of a structural group inside a whole mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symgen.algebra import Expr, exactly, symbol
from symgen.library.fit import FittedJoint
from symgen.poses import EXCHANGE_Z_X
from symgen.solve.plan import GroupPlan
from symgen.whole.bodies import Moving, Values, turned_frame
from symgen.whole.coordinates import Triple
from symgen.whole.steps import Steps

_ORDERS = ("value", "rate", "acceleration")


@dataclass(frozen=True)
class Unknowns:
    """What the groups have given so far; `fixed` are the branches that are written in, by number of the group."""

    bodies: dict[str, Moving]
    joints: dict[tuple[str, str], Triple]
    certificates: list[Expr]
    marks: dict[int, Expr]
    doubts: list[Expr]
    fixed: Mapping[int, int] = field(default_factory=dict)


def given_values(
    steps: Steps,
    group: GroupPlan,
    number: int,
    frames: Mapping[str, tuple[Values, Values]],
    drives: Mapping[tuple[str, str], Triple],
    found: Unknowns,
) -> dict[str, Values]:
    """Return what goes into a group's routine, by port."""
    fit = group.adapter.fit
    entry = fit.entry
    branch = exactly(float(found.fixed[number])) if number in found.fixed else symbol(f"branch_{number}")
    pool: dict[str, Values] = {"branch": (branch,)}
    for place in entry.arrangement.known:
        body = found.bodies[fit.bodies[place]]
        pool |= {place: body.pose, f"v_{place}": body.twist, f"a_{place}": body.acceleration}
    for fitted in fit.joints:
        pair = _slot_frames(steps, f"g{number}", fitted, frames[fitted.joint.name])
        pool.update(zip(fitted.slot.frames, pair, strict=True))
        if fitted.slot.type == "H":
            pool[f"pitch_{fitted.slot.name}"] = (exactly(group.pitches[fitted.joint.name]),)
        if fitted.slot.driven:
            pool.update(_slot_drives(steps, f"g{number}", fitted, drives))
    return pool


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
