"""Near a fold: half of the digits are lost, statuses switch where the tolerances say, and nothing else happens."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from oracle.cases import exact, fold
from oracle.modules import EPSILON, SOLVED, Arranged, call, routines

from symgen.ir.evaluate import evaluate
from symgen.printers.tolerances import TOLERANCE_VALUE
from symgen.status import Status

pytestmark = pytest.mark.kinds

FOLDING = tuple(a for a in SOLVED if a.manifest["degree"] > 1)
FOLD, REACH = TOLERANCE_VALUE["FOLD_TOLERANCE"], TOLERANCE_VALUE["REACH_TOLERANCE"]

backends = pytest.mark.parametrize("backend", ["numpy", pytest.param("double", marks=pytest.mark.compiler)])


def _rrr_with_margin(margin: float, branch: int = 0) -> dict[str, Any]:
    """R.R.R kernel, equal lengths l, AB = 2: the margin 1 - (AB/2l)^2 is the squared sine of the angle at A."""
    length = float(1 / mpmath.sqrt(1 - mpf(margin)))
    return {"a": [0.0, 0.0], "b": [2.0, 0.0], "l_a": length, "l_b": length, "branch": branch}


def _rrp_with_margin(margin: float, branch: int = 0) -> dict[str, Any]:
    """R.R.P kernel, link of length 1, slide along x at height sqrt(1 - margin)."""
    height = float(mpmath.sqrt(1 - mpf(margin)))
    return {"a": [0.0, 0.0], "l_a": 1.0, "c": [0.0, height], "n": [1.0, 0.0], "e": 0.0, "branch": branch}


def _pcs_with_margin(margin: float, branch: int = 0) -> dict[str, Any]:
    """P.C.S kernel, slide along x at height sqrt(1 - margin) over a cylinder of radius 1 about z."""
    height = float(mpmath.sqrt(1 - mpf(margin)))
    return {
        "a": [1.0, 0.0, 0.0],
        "s0": [0.5, height, 0.25],
        "c": [0.0, 0.0, 0.0],
        "u": [0.0, 0.0, 1.0],
        "rad2": 1.0,
        "branch": branch,
    }


#: Module -> ports for a margin, results to look at.
KERNELS = {
    "dyad_rrr": (_rrr_with_margin, ("p",)),
    "dyad_rrp": (_rrp_with_margin, ("p", "s")),
    "loop_pcs": (_pcs_with_margin, ("y", "slide")),
}


@backends
@pytest.mark.parametrize("branch", [0, 1])
@pytest.mark.parametrize("module", KERNELS)
@pytest.mark.parametrize("margin", [1e-2, 1e-6, 1e-10, 1e-13])
def test_a_position_near_a_fold_is_good_to_epsilon_over_the_root_of_the_margin(
    module: str, margin: float, branch: int, backend: str
) -> None:
    make, names = KERNELS[module]
    ports = make(margin, branch)
    status, found = call(backend, module, "kernel_position", ports)
    assert status is (Status.OK if margin > FOLD else Status.SINGULAR)
    reference, truth = evaluate(routines(module)["kernel_position"], ports)
    assert reference is Status.OK
    # a root of mu loses EPSILON/(2 sqrt(mu)); lengths are of order 1 to 2, operations before it about ten
    allowed = 40 * EPSILON[backend] / math.sqrt(margin)
    for name in names:
        values = np.atleast_1d(found[name])
        assert all(abs(mpf(float(x)) - y) <= allowed for x, y in zip(values, truth[name], strict=True)), name


@backends
@pytest.mark.parametrize("module", KERNELS)
def test_statuses_switch_at_the_tolerances(module: str, backend: str) -> None:
    """To a factor of 4, lengths being alike: each kernel measures its margin in its own way.

    The margin that is asked for is met to 4 EPSILON: lengths are rounded once.
    """
    make, _ = KERNELS[module]
    expected = {
        FOLD * 4: Status.OK,
        FOLD / 8: Status.SINGULAR,
        0.0: Status.SINGULAR,
        -REACH / 8: Status.SINGULAR,
        -(REACH * 4): Status.NO_ASSEMBLY,
        -1e-13: Status.NO_ASSEMBLY,
        -1e-6: Status.NO_ASSEMBLY,
    }
    found = {margin: call(backend, module, "kernel_position", make(margin))[0] for margin in expected}
    assert found == expected


@backends
@pytest.mark.parametrize("module", KERNELS)
def test_both_branches_meet_at_the_fold(module: str, backend: str) -> None:
    make, names = KERNELS[module]
    (one, first), (other, second) = (call(backend, module, "kernel_position", make(0.0, branch)) for branch in (0, 1))
    assert one is other is Status.SINGULAR
    for name in names:
        assert first[name] == pytest.approx(second[name], abs=2 * math.sqrt(REACH))


@cache
def _truth(arranged: Arranged, distance: float) -> tuple[Status, dict[str, list[Any]]]:
    """Return what 50 digits say at a distance from the fold; the backends share it."""
    at, end, _ = fold(arranged, 3)
    routine = routines(arranged.module)[arranged.function("position")]
    return evaluate(routine, exact(at(end * (1 - distance))))


@pytest.mark.sampled(1)
@backends
@pytest.mark.parametrize("arranged", FOLDING, ids=str)
def test_every_group_is_good_up_to_its_fold(arranged: Arranged, backend: str) -> None:
    """Walk towards the fold: the error grows as the root of the distance says, to half of the digits at the end."""
    at, end, _ = fold(arranged, 3)
    for distance in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        ports = at(end * (1 - distance))
        status, found = call(backend, arranged.module, arranged.function("position"), ports)
        if status not in (Status.OK, Status.SINGULAR):
            assert distance <= 1e-12  # where the fold was found is as rounded as this
            continue
        assert status is Status.OK or distance <= 1e-8
        reference, truth = _truth(arranged, distance)
        if reference is not Status.OK:
            # frames are unit to 50 digits here and to 16 there: at the very end that decides who still reaches
            assert distance <= 1e-12
            continue
        # Sizes: paths of at most 64 and poses of order 1 amplify EPSILON before the root is taken; the relative
        # margin is of the order of the distance, or 1e-2 of it where the fold is sharp.
        allowed = 2e4 * EPSILON[backend] / math.sqrt(distance)
        if arranged.module == "loop_ccc":
            # Slides are a gap of order 1 over the determinant that goes to zero: its relative error is their square
            # times its own squared part, and is carried along their length.
            allowed *= float(max(abs(x) for joint in ("j1", "j2", "j3") for x in truth[f"q_{joint}"])) ** 2
        for body in arranged.tree["bodies"]:
            pairs = zip(found[body], truth[body], strict=True)
            worst = max(abs(mpf(float(x)) - y) for x, y in pairs)
            assert worst <= allowed, (distance, body, float(worst), allowed)
        if status is Status.OK:
            both = call(backend, arranged.module, arranged.function("all"), ports)[0]
            assert both in (Status.OK, Status.SINGULAR)


@pytest.mark.sampled(1)
@backends
@pytest.mark.parametrize("arranged", FOLDING, ids=str)
def test_rates_are_refused_at_the_fold(arranged: Arranged, backend: str) -> None:
    at, end, beyond = fold(arranged, 3)
    position, _ = call(backend, arranged.module, arranged.function("position"), at(end))
    allowed = {Status.SINGULAR} if backend == "numpy" else {Status.OK, Status.SINGULAR}
    if (
        backend != "numpy" and arranged.manifest["branch_order"] == "rank"
    ):  # zeros by another iteration: gone a little earlier
        allowed |= {Status.NO_ASSEMBLY, Status.BRANCH_LOST}
    assert position in allowed
    status, _ = call(backend, arranged.module, arranged.function("all"), at(end))
    assert status in (Status.SINGULAR, Status.NO_ASSEMBLY, Status.BRANCH_LOST)
    status, _ = call(backend, arranged.module, arranged.function("position"), at(beyond + 1e-9))
    assert status in (Status.NO_ASSEMBLY, Status.BRANCH_LOST)
