"""The derivations that only the benchmarks have: they give what their problems ask for."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from benchmarks import quaternion_jacobian, rrr_with_angles
from benchmarks.problems import PROBLEMS
from symgen.derive.derivation import Derivation
from symgen.ir.evaluate import evaluate
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.status import Status


@pytest.mark.parametrize(
    ("name", "derivation", "ports"),
    [
        ("qjac", quaternion_jacobian.derive_jacobian, {"q": 0, "qd": 4, "qdd": 8, "inertia": 12, "moment": 18}),
        (
            "rrr",
            rrr_with_angles.derive_with_angles,
            {"a": 0, "b": 2, "l_a": 4, "l_b": 5, "v_a": 6, "v_b": 8, "a_a": 10, "a_b": 12},
        ),
    ],
)
def test_a_derivation_gives_what_its_problem_asks_for(name: str, derivation: object, ports: dict[str, int]) -> None:
    problem = next(one for one in PROBLEMS if one.name == name)
    assert callable(derivation)
    derived = derivation()
    assert isinstance(derived, Derivation)
    routine = run_passes(lower(derived, "all"))
    for row in problem.instances(3):
        given: dict[str, Any] = {
            port.name: [mpmath.mpf(value) for value in row[ports[port.name] : ports[port.name] + len(port.elements)]]
            for port in routine.inputs
            if port.name in ports
        }
        given |= {port.name: given[port.name][0] for port in routine.inputs if port.name in ports and not port.shape}
        given |= {port.name: int(row[14] < 0) for port in routine.inputs if port.kind == "int"}
        status, outputs = evaluate(routine, given)
        assert status is Status.OK
        found = {port: [float(value) for value in values] for port, values in outputs.items()}
        flat = np.concatenate([found[output.port.name] for output in routine.outputs])
        exact = [float(value) for value in problem.equations([mpmath.mpf(value) for value in row], mpmath)]
        if name == "rrr":  # p, v_p, both rates, a_p, both accelerations, both angles: in this order there, too
            assert [*found] == ["p", "v_p", "omega_1", "omega_2", "a_p", "alpha_1", "alpha_2", "phi_1", "phi_2"]
        assert flat == pytest.approx(exact, rel=1e-13, abs=1e-13)


def test_the_jacobian_is_that_of_the_residual() -> None:
    """The problem's own equations, which everybody is compared with, against differences of the residual."""
    problem = next(one for one in PROBLEMS if one.name == "qjac")
    (row,) = problem.instances(1)
    step = 1e-6
    found = np.array(problem.equations(row.tolist(), mpmath), dtype=float)
    for column in range(12):
        ahead, behind = row.copy(), row.copy()
        ahead[column] += step
        behind[column] -= step
        differences = np.array(problem.equations(ahead.tolist(), mpmath)[:3], dtype=float)
        differences -= np.array(problem.equations(behind.tolist(), mpmath)[:3], dtype=float)
        block, place = divmod(column, 4)
        jacobian = found[3 + 12 * block :].reshape(-1, 4)[:3, place]
        assert jacobian == pytest.approx(differences / (2 * step), rel=1e-7, abs=1e-7)
