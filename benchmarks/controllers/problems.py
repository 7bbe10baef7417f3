"""What is measured: an export of symgen, and the same results of the same inputs in CasADi's symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import casadi

import symgen
from benchmarks.controllers.closed_forms import (
    group,
    jansen_toe,
    planar_motors,
    planar_platform,
    stewart_lengths,
    with_rates,
)
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.export.solved_type import TypeRequest, type_subject
from symgen.export.subject import Subject
from symgen.model.mechanism import Mechanism

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_BODIES, _JOINTS = 6, 9


@dataclass(frozen=True)
class Problem:
    """One row of the report.

    Parameters
    ----------
    subject : makes the export in a precision.
    peer : symbols of all inputs, and all results, in the export's order.
    cores : core -> precision.
    hand : file below ``benchmarks/kernels`` that has a ``hand_step``; empty if nobody wrote one.
    tolerance : largest deviation from CasADi's answers in double, by precision, in parts of what a row's results are.
    """

    name: str
    title: str
    subject: Callable[[Any], Subject]
    peer: Callable[[], tuple[list[Any], list[Any]]]
    hand: str = ""
    cores: Mapping[str, str] = field(default_factory=lambda: {"cortex-m4f": "float", "cortex-m7": "double"})


def _mechanism(place: str, results: Sequence[str]) -> Callable[[Any], Subject]:
    def subject(precision: Any) -> Subject:
        request = MechanismRequest(prefix="ours", results=results, precision=precision)
        return mechanism_subject(symgen.load(_EXAMPLES / place / "mechanism.toml"), symgen.library(), request)

    return subject


def _planar(precision: Any) -> Subject:
    request = MechanismRequest(prefix="ours", results=[f"motor_{k}" for k in (1, 2, 3)], precision=precision)
    return mechanism_subject(Mechanism.from_dict(planar_platform()), symgen.library(), request)


def _group(precision: Any) -> Subject:
    solved = symgen.library().catalogue.matching("R.R.R 2D")[0]
    return type_subject(solved, TypeRequest(prefix="ours", precision=precision))


def _drives(positions: Any, count: int) -> Callable[[], tuple[list[Any], list[Any]]]:
    def peer() -> tuple[list[Any], list[Any]]:
        inputs, *orders = with_rates(positions, count)
        return [x for triple in inputs for x in triple], [x for order in orders for x in order]

    return peer


def _group_peer() -> tuple[list[Any], list[Any]]:
    frames = [[casadi.SX.sym(f"f{k}_{n}") for n in range(3)] for k in range(6)]
    known, *orders = with_rates(lambda u: group(u[:3], u[3:], frames), 6)
    values, rates, accelerations = ([x[k] for x in known] for k in range(3))
    inputs = [
        *values[:3], *rates[:3], *accelerations[:3], *values[3:], *rates[3:], *accelerations[3:],
        *(x for frame in frames for x in frame),
    ]  # fmt: skip
    bodies = [x for order in orders for x in order[:_BODIES]]
    return inputs, bodies + [x for order in orders for x in order[_BODIES:_JOINTS]]


PROBLEMS = (
    Problem("rrr", "R.R.R group between two moving bodies: poses, joints, rates, accelerations", _group, _group_peer),
    Problem("leg", "Jansen leg: the toe, its velocity and acceleration", _mechanism("jansen_leg", ["foot.toe"]),
            _drives(jansen_toe, 1)),
    Problem("legs", "Stewart platform, inverse: lengths of six legs, rates, accelerations",
            _mechanism("stewart_inverse", [f"slider_{k}.slide" for k in range(1, 7)]), _drives(stewart_lengths, 6),
            "stewart_slides.c"),
    Problem("motors", "3-RRR, inverse: angles of three motors, rates, accelerations", _planar,
            _drives(planar_motors, 3)),
)  # fmt: skip
