"""Why an integration stopped, in words: which law, which masses, or the step."""

from __future__ import annotations

import math

from symgen.model.expressions import ExpressionError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, JointForce
from symgen.simulate.engine import Samples
from symgen.simulate.problem import Problem
from symgen.status import Status


def explain(mechanism: Mechanism, problem: Problem, time: float, samples: Samples) -> str:
    """Return the likely reason why the engine stopped at a time, and what helps."""
    law = law_without_value(mechanism, problem, time)
    if law is not None:
        return law
    if samples.status == Status.SINGULAR:
        light = [body.id for body in mechanism.bodies if not body.mass or not any((body.inertia or ())[:3])]
        which = f" (without mass or inertia: {', '.join(light)})" if light else ""
        return f"the accelerations are not determined: a freedom moves no mass{which}"
    return (
        f"Newton's iteration did not converge (last correction {samples.correction:.2g}): the step is too large, or "
        "the mechanism meets a position in which it branches; try a smaller step"
    )


def law_without_value(mechanism: Mechanism, problem: Problem, time: float) -> str | None:
    """Return what law has no finite value around a time."""
    named = [(f"drives.{joint}.{freedom}", law.value) for (joint, freedom), law in mechanism.drives.items()]
    for force in mechanism.forces:
        if isinstance(force, JointForce):
            named.append((f"forces.{force.id}.value", force.value))
        elif isinstance(force, (AppliedForce, AppliedTorque)):
            named += [(f"forces.{force.id}.value[{k}]", part) for k, part in enumerate(force.value)]
    for where, law in named:
        for t in (time, time + 1e-9):
            try:
                value = float(law.evaluate({"t": t}))
            except ExpressionError as error:
                return f"{where}: {error}"
            if not math.isfinite(value):
                return f"{where} has no finite value at t = {t:.6g} s"
    return None
