"""Joints are at the ends of beams: whoever moves or solves a mechanism refuses others, all in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symgen
from symgen.beams.ends import end_at
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism


def pendulum(at: float) -> Mechanism:
    """Return a beam 2 m long that hangs on a hinge at this x [m]."""
    beam = {"length": 2.0, "mass_per_length": 1.0, "bending": 50.0}
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0.0, -9.81, 0.0],
        "bodies": {"b": {"beam": beam}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "b"], "at": [at, 0.0, 0.0], "axis": [0, 0, 1]}},
    })  # fmt: skip


RUNS: dict[str, Callable[[Mechanism], Any]] = {
    "simulate": lambda made: symgen.simulate(made, method="riccati", step=0.1, until=0.1, backend="numpy"),
    "riccati": lambda made: symgen.accelerations(made, "riccati"),
    "transfer": lambda made: symgen.accelerations(made, "transfer"),
    "multiplier": lambda made: symgen.accelerations(made, "multiplier"),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_joint_within_a_beam_is_refused_in_the_same_words(run: Callable[[Mechanism], Any]) -> None:
    words = (
        r"bodies\.b\.beam: has joint A at 0\.375 of its length; joints are at its ends: "
        "make two beams of it and weld them"
    )
    with pytest.raises(MechanismError, match=words):
        run(pendulum(0.75))


@pytest.mark.parametrize(("part", "end"), [(0.0, 0), (1.0, 1), (9e-7, 0), (-9e-7, 0), (1 - 9e-7, 1), (1 + 9e-7, 1)])
def test_rounding_of_a_place_moves_no_joint_off_its_end(part: float, end: int) -> None:
    # 1e-6 is far above rounding of places in files and far below what matters.
    assert end_at(pendulum(0.0), "b", "A", part) == end


@pytest.mark.parametrize("part", [2e-6, -2e-6, 0.5, 1 - 2e-6, 1 + 2e-6, float("nan")])
def test_no_other_place_is_an_end(part: float) -> None:
    with pytest.raises(MechanismError, match="joints are at its ends"):
        end_at(pendulum(0.0), "b", "A", part)
