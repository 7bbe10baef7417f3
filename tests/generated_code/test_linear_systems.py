"""Square linear systems in every backend: solutions as numpy.linalg finds them, SINGULAR whatever the units."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from oracle.lone_routines import LoneRoutines, lone_routine

from symgen.derive.derivation import Derivation
from symgen.derive.linear_systems import linear_system
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Routine
from symgen.status import Status

SIZE = 6
BACKENDS = ("numpy", "double", "float")
EPSILON = {"numpy": 2.0**-52, "double": 2.0**-52, "float": 2.0**-23}


def _routine() -> Routine:
    """Return x and y with A x = b and A y = x: one factorisation, two right sides."""
    d = Derivation("system", level="kernel", title="two solutions of one system", source="this test")
    names = [f"a{i}{j}" for i in range(SIZE) for j in range(SIZE)]
    a = d.input_array("a", names, meaning="matrix, row by row", unit="")
    b = d.input_array("b", [f"b{i}" for i in range(SIZE)], meaning="right side", unit="")
    with d.part("geometry"):
        system = linear_system(d, "plain", [a[SIZE * i : SIZE * i + SIZE] for i in range(SIZE)], "the system")
    with d.part("velocity"):
        x = system.solve("first", b, "first solution")
        y = system.solve("second", x, "second solution")
        d.output("x", x, meaning="first solution", unit="")
        d.output("y", y, meaning="second solution", unit="")
    return lone_routine(d, "velocity")


@pytest.fixture(scope="module")
def routines(tmp_path_factory: pytest.TempPathFactory) -> LoneRoutines:
    return LoneRoutines("lone_system", [_routine()], tmp_path_factory.mktemp("lone_system"))


def _random(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (SIZE, SIZE)), rng.uniform(-1, 1, SIZE)


@pytest.mark.extension
@pytest.mark.parametrize("backend", BACKENDS)
def test_solutions_are_those_of_lapack(routines: LoneRoutines, backend: str) -> None:
    for seed in range(100):
        matrix, right = _random(seed)
        status, found = routines.call(backend, "kernel_velocity", {"a": matrix.ravel(), "b": right})
        assert status is Status.OK
        # forward error of LU: the condition number times a small multiple of EPSILON, twice for y
        allowed = 100 * EPSILON[backend] * np.linalg.cond(matrix)
        x = np.linalg.solve(matrix, right)
        y = np.linalg.solve(matrix, x)
        assert np.abs(found["x"] - x).max() < allowed * np.abs(x).max()
        assert np.abs(found["y"] - y).max() < 2 * allowed * np.linalg.norm(np.linalg.inv(matrix)) * np.abs(x).max()


@pytest.mark.extension
@pytest.mark.parametrize("backend", BACKENDS)
def test_units_of_rows_and_columns_change_neither_status_nor_solution(routines: LoneRoutines, backend: str) -> None:
    matrix, right = _random(7)
    singular = matrix.copy()
    singular[4] = singular[1] - 2 * singular[3]
    unit = 1e2 if backend == "float" else 1e6  # of inputs beyond 1e5 float does not say that they are singular
    for rows in (1 / unit, 1.0, unit):
        for columns in (1 / unit, 1.0, unit):
            row_units, column_units = np.ones(SIZE), np.ones(SIZE)
            row_units[3:], column_units[4:] = rows, columns
            scaled = matrix * row_units[:, None] * column_units
            given = {"a": scaled.ravel(), "b": right * row_units}
            status, found = routines.call(backend, "kernel_velocity", given)
            assert status is Status.OK
            np.testing.assert_allclose(
                found["x"] * column_units, np.linalg.solve(matrix, right), rtol=1e3 * EPSILON[backend]
            )
            scaled = singular * row_units[:, None] * column_units
            status, found = routines.call(backend, "kernel_velocity", {"a": scaled.ravel(), "b": right})
            assert status is Status.SINGULAR
            assert np.isnan(found["x"]).all()


@pytest.mark.extension
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(3))
def test_an_empty_row_or_column_is_singular(routines: LoneRoutines, backend: str, seed: int) -> None:
    for axis in (0, 1):
        matrix, right = _random(seed)
        np.moveaxis(matrix, axis, 0)[seed] = 0.0
        status, _ = routines.call(backend, "kernel_velocity", {"a": matrix.ravel(), "b": right})
        assert status is Status.SINGULAR


@pytest.mark.extension
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_no_number_is_refused(routines: LoneRoutines, backend: str) -> None:
    matrix, right = _random(1)
    matrix[2, 3] = np.nan
    status, found = routines.call(backend, "kernel_velocity", {"a": matrix.ravel(), "b": right})
    assert status is Status.BAD_INPUT
    assert np.isnan(found["x"]).all()


def test_many_digits_solve_to_many_digits() -> None:
    routine = _routine()
    matrix, right = _random(3)
    status, found = evaluate(routine, {"a": matrix.ravel().tolist(), "b": right.tolist()})
    assert status is Status.OK
    with mpmath.workdps(50):
        x = mpmath.lu_solve(mpmath.matrix(matrix.tolist()), mpmath.matrix(right.tolist()))
        assert max(abs(p - q) for p, q in zip(found["x"], x, strict=True)) < mpmath.mpf("1e-45")
    matrix[4] = matrix[1]
    status, _ = evaluate(routine, {"a": matrix.ravel().tolist(), "b": right.tolist()})
    assert status is Status.SINGULAR
