"""Steps made of the kernels alone: a free body with three unlike inertias against an ODE solver, in orientation.

Energy would not see a wrong sign of a gyroscopic term; the orientation does. The reference is mpmath's Taylor solver on
Euler's equations and R' = R wbar^; it shares nothing with the kernels.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import pytest
from mpmath import mpf
from oracle.dynamics_kernels import call, rotation

INERTIA = [mpf(2), mpf(3), mpf("1.5"), mpf("0.2"), mpf("-0.1"), mpf("0.3")]
Q_0 = [mpf("0.5"), mpf("-0.5"), mpf("0.5"), mpf("0.5")]
OMEGA_0 = [mpf("1.0"), mpf("-2.0"), mpf("0.7")]
UNTIL = mpf("0.4")


def _tensor() -> Any:
    xx, yy, zz, xy, xz, yz = INERTIA
    return mpmath.matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@cache
def _reference() -> Any:
    """Return R at the end, by Taylor series."""
    tensor, start = _tensor(), rotation(Q_0)
    inverse = tensor**-1
    body = start.T * mpmath.matrix(OMEGA_0)

    def slope(_: Any, y: Any) -> list[Any]:
        w, r = mpmath.matrix(y[:3]), mpmath.matrix(3, 3)
        for k in range(9):
            r[k // 3, k % 3] = y[3 + k]
        hat = mpmath.matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return [*(-(inverse * (hat * (tensor * w)))), *(r * hat)]

    with mpmath.workdps(20):
        found = mpmath.odefun(slope, 0, [*body, *start], tol=mpf("1e-15"))(UNTIL)
    return mpmath.matrix([found[3 + 3 * k : 6 + 3 * k] for k in range(3)])


def _solve(kernel: str, q: Any, guess: Any, known: Any, **given: Any) -> tuple[Any, dict[str, Any]]:
    """Return the next orientation, by Newton on momentum out = known; corrections must square."""
    after = guess
    for _ in range(8):
        found = call(kernel, q_from=q, q_to=after, **given)
        tangent = mpmath.matrix([found["tangent"][3 * k : 3 * k + 3] for k in range(3)])
        change = mpmath.lu_solve(tangent, mpmath.matrix(known) - mpmath.matrix(found["momentum"]))
        after = call("spin", q=after, dtheta=list(change))["out"]
        if mpmath.norm(change) < mpf("1e-20"):
            return after, call(kernel, q_from=q, q_to=after, **given)
    raise AssertionError("Newton did not converge")


def _central(h: Any, world: bool) -> Any:
    q, end, name = Q_0, "_world" if world else "", "turn" if world else "phi"
    given = _inertia(q, world)
    at = {} if world else {"q": q}
    known = call(f"start_momentum{end}", **at, omega=OMEGA_0, **given, h=h)["momentum"]
    guess = call("spin", q=q, dtheta=[h * w for w in OMEGA_0])["out"]
    after, found = _solve(f"start_departure{end}", q, guess, known, **given, h=h)
    for _ in range(int(UNTIL / h) - 1):
        carried = {f"{name}_before": found[name]}
        q, given = after, _inertia(after, world)
        at = {} if world else {"q": q}
        known = call(f"central_arrival{end}", **at, **carried, **given, h=h)["momentum"]
        after, found = _solve(f"central_departure{end}", q, q, known, **carried, **given, h=h)
    return after


def _variational(h: Any, world: bool) -> Any:
    """Without torque the momentum is carried on: R I omega at the start, the same at the end."""
    q, end = Q_0, "_world" if world else ""
    inertia = call("body_inertia", q=q, inertia=INERTIA)["inertia_world"]
    known = call("start_momentum_world", omega=OMEGA_0, inertia_world=inertia, h=0)["momentum"]
    for _ in range(int(UNTIL / h)):
        after, _ = _solve(f"variational_departure{end}", q, q, known, **_inertia(q, world), h=h)
        arrived = call("variational_arrival", q_from=q, q_to=after, inertia=INERTIA, h=h)["momentum"]
        assert mpmath.norm(mpmath.matrix(arrived) - mpmath.matrix(known)) < mpf("1e-18")
        q, known = after, arrived
    return q


def _inertia(q: Any, world: bool) -> dict[str, Any]:
    return call("body_inertia", q=q, inertia=INERTIA) if world else {"inertia": INERTIA}


@pytest.mark.parametrize("scheme", [_central, _variational])
def test_orientation_is_right_to_second_order(scheme: Any) -> None:
    errors = [mpmath.norm(rotation(scheme(h, True)) - _reference(), mpmath.inf) for h in (UNTIL / 10, UNTIL / 20)]
    # steps are coarse to keep this quick: terms of fourth order move the ratio by a percent
    assert 1.95 < mpmath.log(errors[0] / errors[1], 2) < 2.05


@pytest.mark.parametrize("scheme", [_central, _variational])
def test_body_and_world_axes_give_one_trajectory(scheme: Any) -> None:
    h = UNTIL / 5
    assert mpmath.norm(rotation(scheme(h, True)) - rotation(scheme(h, False)), mpmath.inf) < mpf("1e-18")
