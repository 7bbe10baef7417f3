"""The derivation of six legs keeps symgen's promises: proved, refused where it must be, the same bytes each time."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from benchmarks import legs
from benchmarks.problems import PROBLEMS
from symgen.ir.evaluate import evaluate
from symgen.status import Status

PROBLEM = next(one for one in PROBLEMS if one.name == "ups6")


def ports_of(row: np.ndarray) -> dict[str, list[float]]:
    return {
        "pose": row[0:7].tolist(),
        "twist": row[7:13].tolist(),
        "acceleration": row[13:19].tolist(),
        "base": row[19:37].tolist(),
        "top": row[37:55].tolist(),
    }


def run(row: np.ndarray) -> tuple[Status, list[float]]:
    (routine,) = legs.routines_of(legs.derive())
    given = {name: [mpmath.mpf(value) for value in values] for name, values in ports_of(row).items()}
    with mpmath.workdps(50):  # the reference takes no quaternion that is of unit length to sixteen digits only
        norm = mpmath.sqrt(sum(q * q for q in given["pose"][3:]))
        if abs(norm - 1) < 1e-9:
            given["pose"][3:] = [q / norm for q in given["pose"][3:]]
    status, outputs = evaluate(routine, given)
    return status, [float(value) for values in outputs.values() for value in values]


def test_the_derivation_gives_what_the_problem_asks_for() -> None:
    for row in PROBLEM.instances(3):
        status, found = run(row)
        assert status is Status.OK
        # Both with tens of digits, but the quaternion of the row is of unit length to 1e-16 only.
        exact = PROBLEM.equations([mpmath.mpf(float(value)) for value in row], mpmath)
        assert found == pytest.approx([float(value) for value in exact], rel=1e-13, abs=1e-13)


def test_a_leg_without_length_and_a_quaternion_not_of_unit_length_are_refused() -> None:
    (row,) = PROBLEM.instances(1)
    long = row.copy()
    long[3:7] *= 1.01
    assert run(long) == (Status.BAD_INPUT, [])
    short = row.copy()
    short[3:7] = 1.0, 0.0, 0.0, 0.0
    short[19:22] = short[0:3] + short[37:40]
    # The sum above is rounded: the leg is 1e-16 long, which the reference, with 50 digits, takes for a length.
    short[0:3], short[37:40], short[19:22] = 0.0, 0.5, 0.5
    assert run(short) == (Status.DEGENERATE, [])


def test_every_leg_is_proved_and_the_texts_are_the_same_each_time() -> None:
    texts = legs.generate_texts()
    assert texts == legs.generate_texts()
    assert texts["stewart_legs.json"].count("50-digit residual") == 2  # once for all legs
