"""Why an integration stopped, in words: which law, which masses, or the step."""

from __future__ import annotations

import math
from collections.abc import Iterator

from symgen.errors import MechanismError
from symgen.model.expressions import Expression, ExpressionError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, JointForce, Spring
from symgen.simulate.contract import EngineSamples
from symgen.simulate.start.initial import initial_state
from symgen.simulate.stretches import NEAR
from symgen.simulate.tables.acting import laws_while_acting
from symgen.status import Status

#: Neighbours of a time, to either side, that sums of steps may give instead of it.
_ROUNDINGS = 4


def explain(mechanism: Mechanism, time: float, step: float, samples: EngineSamples) -> str:
    """Return the likely reason why the engine stopped at a time, and what helps.

    Parameters
    ----------
    step : what was being stepped over [s].
    """
    law = law_without_value(mechanism, time, step)
    if law is not None:
        return law
    if samples.status == Status.BAD_INPUT:
        springs = [f.id for f in mechanism.forces if isinstance(f, Spring)]
        if not springs:
            return "a force or a law has no value, or a number is too large"
        which = ", ".join(springs)
        return f"a force has no value: the two points of a spring coincide ({which}), or a number is too large"
    if samples.status == Status.DEGENERATE:
        return (
            f"the joints stay open by {samples.correction:.2g} of the mechanism's size: here their constraints depend "
            "on each other, up to rounding. The step is too large, or lengths differ by too many orders of magnitude"
        )
    if samples.status == Status.SINGULAR:
        if time == 0.0 and all(body.mass for body in mechanism.bodies):
            return (
                "the mechanism starts at rest in a position where branches meet: give an initial velocity, which "
                "selects the branch, or another position"
            )
        light = [body.id for body in mechanism.bodies if not body.mass or not any((body.inertia or ())[:3])]
        which = f" (without mass or inertia: {', '.join(light)})" if light else ""
        return f"the accelerations are not determined: a freedom moves no mass{which}"
    open_ = _open_joint(mechanism, time + step)
    if open_ is not None:
        return open_
    return (
        f"Newton's iteration did not converge (last correction {samples.correction:.2g}): the step is too large, or "
        "branches of the mechanism meet at this position; try a smaller step"
    )


def law_without_value(mechanism: Mechanism, time: float, step: float) -> str | None:
    """Return what law has no finite value at the step's ends, in its middle, or a rounding beside these times.

    Laws of forces and torques that do not act at a time are not asked for, except as near as stretches may take them.
    """
    named: list[tuple[str, Expression]] = []
    spans: dict[str, tuple[float, float]] = {}
    for (joint, freedom), drive in mechanism.drives.items():
        for part, what in ((drive.value, ""), (drive.rate, ", its rate"), (drive.acceleration, ", its acceleration")):
            named.append((f"drives.{joint}.{freedom}{what}", part))
    for force in mechanism.forces:
        if isinstance(force, JointForce):
            named.append((f"forces.{force.id}.value", force.value))
        elif isinstance(force, (AppliedForce, AppliedTorque)):
            parts = [(f"forces.{force.id}.value[{k}]", part) for k, part in enumerate(laws_while_acting(force))]
            named += parts
            spans |= {where: (force.start, force.until) for where, _ in parts}
    for where, law in named:
        begin, end = spans.get(where, (-math.inf, math.inf))
        for t in _times(time, step):
            if not begin - NEAR * step <= t <= end + NEAR * step:
                continue
            try:
                value = float(law.evaluate({"t": t}))
            except ExpressionError as error:
                return f"{where}: {error}"
            if not math.isfinite(value):
                return f"{where} has no finite value at t = {t:.6g} s"
    return None


def _times(time: float, step: float) -> Iterator[float]:
    """Yield the times at which an engine may have asked for laws: it adds up steps, each sum with its own rounding."""
    for exact in (time, time + step, time + step / 2):
        yield exact
        for bound in (-math.inf, math.inf):
            near = exact
            for _ in range(_ROUNDINGS):
                near = math.nextafter(near, bound)
                yield near


def _open_joint(mechanism: Mechanism, time: float) -> str | None:
    """Return which joint cannot close with the drives of a time, if that is so; from the reference poses."""
    if not mechanism.drives:
        return None
    try:
        initial_state(mechanism, time=time)
    except MechanismError as error:
        return f"the links cannot reach the values of the drives: {error}"
    return None
