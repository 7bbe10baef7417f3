"""What the overall transfer equation gives in the initial state: its condition, accelerations, joint reactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from symgen.errors import AccuracyError
from symgen.model.mechanism import Mechanism
from symgen.model.rounding import shown
from symgen.report.document import Heading, Paragraph, Part, Table
from symgen.transfer.acceleration_result import AccelerationResult
from symgen.transfer.acceleration_rounding import least_of
from symgen.transfer.accelerations import accelerations


def solve_initial_state(
    mechanism: Mechanism, *, root: str | None, cuts: Sequence[str]
) -> tuple[AccelerationResult, str | None]:
    """Return accelerations by the overall equation; where it refuses, by the Riccati form, and why.

    Raises
    ------
    MechanismError
        As `symgen.transfer.accelerations.accelerations`: masses, geometry or laws are missing.
    """
    try:
        return accelerations(mechanism, "transfer", root=root, cuts=cuts), None
    except AccuracyError as refusal:
        return accelerations(mechanism, "riccati"), str(refusal)


def initial_state_parts(result: AccelerationResult, refusal: str | None) -> Iterator[Part]:
    """Yield the section of a report; parameters as `solve_initial_state` returns them."""
    yield Heading("In the initial state")
    yield Paragraph(_words(result, refusal))
    least = least_of(result)
    rows = [
        (name, *_numbers(each.a, least.linear), *_numbers(each.alpha, least.turning))
        for name, each in result.bodies.items()
    ]
    yield Paragraph(
        "Accelerations of the body frames' origins [m/s^2] and angular accelerations [rad/s^2], world axes."
    )
    yield Table(("body", "a x", "a y", "a z", "alpha x", "alpha y", "alpha z"), tuple(rows))
    rows = [
        (name, *_numbers(each.force, least.force), *_numbers(each.moment, least.moment))
        for name, each in result.joints.items()
    ]
    yield Paragraph(
        "Force and moment that a joint's first body exerts on its second, about the joint centre there [N, N m], "
        "world axes."
    )
    yield Table(("joint", "F x", "F y", "F z", "M x", "M y", "M z"), tuple(rows))


def initial_state_data(result: AccelerationResult, refusal: str | None) -> dict[str, Any]:
    """Return the section for machines: the document of accelerations, and the refusal or null."""
    return {"accelerations": result.to_dict(), "refusal": refusal}


def _words(result: AccelerationResult, refusal: str | None) -> str:
    if refusal is not None:
        return f"By the Riccati form, for {refusal}."
    condition, accuracy = (result.figures[name] for name in ("condition", "accuracy"))
    return (
        f"The equation has the condition number {condition:.2g}; a relative error of {accuracy:.2g} is to be expected. "
        f"Status {result.status.name}, equations of motion and joints are met to {result.residual:.2g}."
    )


def _numbers(values: Iterable[float], least: float) -> Iterator[str]:
    return (f"{shown(value, least):.6g}" for value in values)
