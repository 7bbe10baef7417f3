"""Kernels in NumPy and C: the same numbers as with 50 digits, no guards, and no more operations than said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.dynamics_kernels import Draw, kernel_routines
from oracle.lone_routines import LoneRoutines

from symgen.derive.dynamics.kernels import dynamics_kernels
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Guard, Port, Routine
from symgen.printers.operations import count_operations
from symgen.proofs import prove
from symgen.status import Status

#: kernel -> additions and multiplications; the ones that a step calls for every body and Newton iterate.
MOST_OPERATIONS = {
    "central_departure": 330,
    "start_departure": 250,
    "variational_departure": 335,
    "central_departure_world": 180,
    "start_departure_world": 105,
    "variational_departure_world": 190,
    "body_inertia": 115,
    "compose": 85,
    "turn_z": 13,
    "slide_z": 19,
    "turn_column_z": 25,
    "spin": 38,
}
#: kernel -> divisions and square roots, where there are any; none has two divisions.
DIVIDES = {"spin": 2, "length_row": 2, "freedom_s_pitch": 2, "freedom_f_pitch": 2}
#: What is compiled here: one of each kind.
EMITTED = (
    "half_turn", "central_departure", "variational_departure_world", "kinetic", "compose", "turn_x", "slide_y",
    "screw_column_z", "slide_column_x", "spin", "length_row", "push", "freedom_c_slide", "freedom_s_pitch",
)  # fmt: skip


@pytest.mark.slow
def test_every_claim_of_a_kernel_is_proved() -> None:
    for kernel in dynamics_kernels():
        prove(kernel.derivation)


def test_kernels_are_called_by_the_names_of_their_derivations() -> None:
    names = [kernel.name for kernel in dynamics_kernels()]
    assert len(set(names)) == len(names)
    assert names == [kernel.derivation.name for kernel in dynamics_kernels()]


def test_kernels_are_cheap() -> None:
    for name, routine in kernel_routines().items():
        counts = count_operations(routine)
        assert not any(isinstance(statement, Guard) for statement in routine.body)
        assert counts["div"] <= 1, name
        assert counts["div"] + counts["sqrt"] <= DIVIDES.get(name, 1), name
        assert counts["add"] + counts["mul"] <= MOST_OPERATIONS.get(name, 220), name


def _value(port: Port, draw: Draw) -> Any:
    if not port.shape:
        return abs(float(draw.number())) + 0.1
    values = draw.pose() if port.shape == (7,) else draw.vector(port.shape[0])
    if port.range == "unit":
        values = draw.quaternion()
    return [float(v) for v in values]


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> LoneRoutines:
    return LoneRoutines("kernels", [kernel_routines()[name] for name in EMITTED], tmp_path_factory.mktemp("kernels"))


def _digits(routine: Routine, values: dict[str, Any]) -> np.ndarray:
    status, results = evaluate(routine, values, digits=50)
    assert status is Status.OK
    return np.array([float(v) for o in routine.outputs for v in results[o.port.name]])


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.extension
@pytest.mark.parametrize("backend", ["numpy", "double"])
def test_emitted_kernels_agree_with_many_digits(code: LoneRoutines, backend: str) -> None:
    for name in EMITTED:
        routine = kernel_routines()[name]
        for seed in range(3):
            draw = Draw(seed)
            values = {port.name: _value(port, draw) for port in routine.inputs}
            status, found = code.call(backend, name, values)
            assert status is Status.OK
            flat = np.concatenate([np.atleast_1d(found[o.port.name]).ravel() for o in routine.outputs])
            exact = _digits(routine, values)
            # sums of up to some hundred products of order one; 1/h is at most 10
            assert np.abs(flat - exact).max() < 1e-13 * max(1.0, np.abs(exact).max()), name
