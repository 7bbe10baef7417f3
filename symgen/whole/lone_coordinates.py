"""Joint coordinates of a structural group of which nothing else is asked: its bodies are not solved for."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.algebra import Expr, is_symbol, name_of
from symgen.ir.nodes import Routine, Stage
from symgen.solve.plan import GroupPlan
from symgen.whole.bodies import Values
from symgen.whole.coordinates import Triple, slot_coordinates
from symgen.whole.group_inputs import Unknowns, given_values
from symgen.whole.steps import Steps
from symgen.whole.time_rates import TimeRates


def solve_coordinates(
    steps: Steps,
    group: GroupPlan,
    number: int,
    frames: Mapping[str, tuple[Values, Values]],
    drives: Mapping[tuple[str, str], Triple],
    found: Unknowns,
    routine: Routine,
    stage: Stage,
    wanted: frozenset[tuple[str, str]],
) -> tuple[str, ...] | None:
    """Write in what gives some coordinates of a group, and their rates by differentiating it.

    Returns
    -------
    What is not checked, since none of these coordinates needs it; None, with nothing written, if a coordinate is not
    given by square roots and rational operations: rates then come with those of all joints of the group.
    """
    trial = steps.copy()
    start = len(trial.body)
    pool = given_values(trial, group, number, frames, drives, found)
    given = {port.name: pool[port.name] for port in routine.inputs}
    pool |= trial.inline(routine, f"g{number}", given, stop_singular=stage != "position")
    places: dict[tuple[str, str], Expr] = {}
    for fitted in group.adapter.fit.joints:
        name = fitted.joint.name
        places |= {(name, f): value for f, (value,) in slot_coordinates(trial, f"g{number}", fitted, pool).items()}
    places = {key: value for key, value in places.items() if key in wanted}
    rates = _time_rates(trial, found, drives)
    if not all(rates.can_differentiate(value) for value in places.values()):
        return None
    triples: dict[tuple[str, str], Triple] = {key: (value,) for key, value in places.items()}
    if stage != "position":
        triples = {key: (value, *rates.rates(value)) for key, value in places.items()}
    dropped = trial.drop_checks(start, [value for triple in triples.values() for value in triple])
    steps.take_over(trial)
    found.joints.update(triples)
    found.joints.update({key: drives[key] for key in wanted if key in drives})
    return dropped


def _time_rates(steps: Steps, found: Unknowns, drives: Mapping[tuple[str, str], Triple]) -> TimeRates:
    """Return what differentiates steps, from the motion of all that is known."""
    motion: dict[str, tuple[Expr, Expr]] = {}
    spins: dict[Values, tuple[Values, Values]] = {}
    for triple in [*drives.values(), *found.joints.values()]:
        if len(triple) == 3 and is_symbol(triple[0]):
            motion.setdefault(name_of(triple[0]), (triple[1], triple[2]))
    for body in found.bodies.values():
        count = 3 if len(body.pose) == 7 else len(body.pose)
        for place, rate, growth in zip(body.pose[:count], body.twist, body.acceleration, strict=False):
            if is_symbol(place):
                motion.setdefault(name_of(place), (rate, growth))
        root = steps.frames.root_of(body.pose[3:]) if len(body.pose) == 7 else ()
        if root:
            spins[root] = body.twist[3:], body.acceleration[3:]
    return TimeRates(steps, motion, spins)
