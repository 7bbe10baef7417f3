"""Laws of forces and torques that act for a while: outside of it they are not asked for, not by a rounding either."""

from __future__ import annotations

from symgen.model.expressions import Expression
from symgen.model.parts import AppliedForce, AppliedTorque


def laws_while_acting(force: AppliedForce | AppliedTorque) -> tuple[Expression, ...]:
    """Return the laws of a force or torque, each of the time of its span that is nearest to ``t``.

    An engine adds up steps, and stretches of time end where another event is as near as nothing: while a force acts
    it may be asked for a time that is just before its begin, or just behind its end.
    """
    return tuple(law.clipped("t", force.start, force.until) for law in force.value)
