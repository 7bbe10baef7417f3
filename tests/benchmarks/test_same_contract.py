"""The second yardstick keeps the generated kernel's contract: same statuses, nothing written unless OK."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmarks.native import KERNELS
from symgen.resources import generated_folder
from symgen.status import Status

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
]
REAL = ctypes.c_double
VECTOR = ctypes.POINTER(REAL)
TYPES = [VECTOR, VECTOR, REAL, REAL, *[VECTOR] * 4, ctypes.c_int32, *[VECTOR] * 7]
UNTOUCHED = 12345.0
GOOD = [0.1, -0.2, 2.1, 0.4, 1.6, 1.7, 0.3, -0.1, 0.2, 0.5, 1.0, -2.0, 0.7, 0.6]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes._CFuncPtr, ctypes._CFuncPtr]:
    folder = tmp_path_factory.mktemp("contract")
    generated = generated_folder() / "dyad_rrr" / "dyad_rrr.c"
    functions = []
    for name, source in (("hand_rrr_contract", KERNELS / "rrr_contract.c"), ("symgen_dyad_rrr_kernel_all", generated)):
        functions.append(load(folder, name, source))
    return functions[0], functions[1]


def load(folder: Path, name: str, source: Path) -> ctypes._CFuncPtr:
    target = folder / f"{name}.so"
    flags = ["-std=c99", "-O2", "-ffp-contract=off", "-fPIC", "-shared"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(target), "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(target)), name)
    function.argtypes, function.restype = TYPES, ctypes.c_int32
    return function


def call(function: ctypes._CFuncPtr, numbers: list[float], branch: int) -> tuple[Status, np.ndarray]:
    x, y = np.array(numbers), np.full(10, UNTOUCHED)

    def at(array: np.ndarray, k: int) -> ctypes._Pointer[ctypes.c_double]:
        return ctypes.cast(array.ctypes.data + 8 * k, VECTOR)

    inputs = [at(x, 0), at(x, 2), x[4], x[5], *(at(x, k) for k in (6, 8, 10, 12)), branch]
    return Status(function(*inputs, *(at(y, k) for k in (0, 2, 4, 5, 6, 8, 9)))), y


def agree(both: tuple[ctypes._CFuncPtr, ctypes._CFuncPtr], numbers: list[float], branch: int) -> Status:
    (by_hand, x), (generated, y) = (call(function, numbers, branch) for function in both)
    assert by_hand is generated, (numbers, branch)
    if by_hand is Status.OK:
        # The two sum in different orders; near a fold that is amplified, by at most 1e6 here (see below).
        assert x == pytest.approx(y, rel=1e-9, abs=1e-9)
    else:
        assert (x == UNTOUCHED).all()
        assert (y == UNTOUCHED).all()
    return by_hand


@pytest.mark.parametrize(
    ("place", "value", "branch", "status"),
    [
        (0, 0.1, 0, Status.OK),
        (0, 0.1, 1, Status.OK),
        (0, 0.1, 2, Status.BAD_INPUT),
        (0, 0.1, -1, Status.BAD_INPUT),
        (4, 0.0, 0, Status.BAD_INPUT),
        (5, -1.7, 0, Status.BAD_INPUT),
        (4, 0.1, 0, Status.NO_ASSEMBLY),
        (2, 50.0, 1, Status.NO_ASSEMBLY),
        *((place, value, 0, Status.BAD_INPUT) for place in range(14) for value in (float("nan"), float("inf"))),
    ],
)
def test_each_border_is_refused_alike(both, place: int, value: float, branch: int, status: Status) -> None:
    assert agree(both, [*GOOD[:place], value, *GOOD[place + 1 :]], branch) is status


def test_folds_and_coincident_centres_are_refused_alike(both) -> None:
    assert agree(both, [0.0, 0.0, 3.0, 0.0, 1.0, 2.0, *GOOD[6:]], 0) is Status.SINGULAR
    assert agree(both, [0.5, 0.5, 0.5, 0.5, 1.0, 1.0, *GOOD[6:]], 0) is Status.DEGENERATE


def test_random_numbers_are_treated_alike(both) -> None:
    random = np.random.default_rng(3)
    seen = {
        agree(both, random.normal(size=14).round(int(random.integers(0, 3))).tolist(), int(random.integers(0, 2)))
        for _ in range(2000)
    }
    assert seen == {Status.OK, Status.NO_ASSEMBLY, Status.SINGULAR, Status.DEGENERATE, Status.BAD_INPUT}
