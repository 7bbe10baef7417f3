"""Loops of the special engines: a loop closed by a ball joint (a pin) is a column of three (two) multipliers.

The multipliers are the force lambda that the second body of the loop's joint feels at its end, the first one feels the
opposite. At a body's output, with all that it carries, the gap between both ends opens by

    c = C_a rdd + C_w wd + L lambda + l

which is to vanish; [q; m] at the output holds C^T lambda besides. Through a joint C_w goes with the moment. A loop is
closed at the body that carries both ends: lambda = -(L^-1)(C_a rdd + C_w wd + L_o lambda_o + l), with lambda_o of loops
that stay open. L is symmetric and grows by squares: a pivot of it that is next to nothing says that the loop holds what
is held already.

Source: docs/transfer-matrices.md, the Riccati recursion with loop columns, for joints that pass on a force only.
"""

from __future__ import annotations

from collections.abc import Callable

from symgen.algebra import ONE, ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, skew
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.factorisation import factorise, inverse
from symgen.derive.transfer.ports import array_port, matrix_port, omega_port, packed, symmetric_port, turning
from symgen.derive.vectors import Vector

SOURCE = "docs/transfer-matrices.md: loop columns where joints pass on a force only"
_AXES = (Vector((ONE, ZERO, ZERO)), Vector((ZERO, ONE, ZERO)), Vector((ZERO, ZERO, ONE)))
_BLOCK = "derivative of the gap with respect to the acceleration, row by row"


def special_ball_loops() -> tuple[Derivation, ...]:
    """Derive the kernels of loops of ball joints."""
    return _input_ball(), *(make("ball", 3, 3) for make in _COMMON)


def special_pin_loops() -> tuple[Derivation, ...]:
    """Derive the kernels of planar loops of pins."""
    return _input_pin(), *(make("pin", 2, 1) for make in _COMMON)


def _input_ball() -> Derivation:
    d = kernel(
        "ball_column_input", "contribution of an input, or of an end of a loop, to the column of the loop", SOURCE
    )
    column = matrix_port(
        d, "column", (3, 3), "derivative of the gap with respect to the acceleration of the input", "1"
    )
    lever = d.input_vector("lever", 3, meaning="from the input to the output O", unit="m")
    omega = omega_port(d)
    bias = turning(omega, lever)
    results = Results(d)
    turn, rest = column @ skew(lever), [-value for value in column.times(bias)]
    results.put("turn_more", turn.entries, "adds to C_w: 3 x 3, row by row", "m")
    results.put("rest_more", rest, "adds to the constant term of the gap", "m/s^2")
    gaps = [
        a - b
        for axis in _AXES
        for a, b in zip(column.times(lever.cross(axis)), turn.times(axis.components), strict=True)
    ]
    towards = lever * omega.dot(omega) - omega * omega.dot(lever)
    gaps += [a - b for a, b in zip(column.times(towards), rest, strict=True)]
    d.claim_identity("carried", "the input moves with the output: rdd + l x wd - omega x (omega x l)", gaps, squares={})
    return d


def _input_pin() -> Derivation:
    d = kernel(
        "pin_column_input", "contribution of an input, or of an end of a loop, to the column of the loop", SOURCE
    )
    column = matrix_port(
        d, "column", (2, 2), "derivative of the gap with respect to the acceleration of the input", "1"
    )
    lever = d.input_vector("lever", 2, meaning="from the input to the output O", unit="m")
    omega = d.input_scalar("omega", meaning="angular velocity", unit="rad/s")
    results = Results(d)
    turn, rest = column.times(-lever.turned()), column.times(lever * (omega * omega))
    results.put("turn_more", turn, "adds to C_w", "m")
    results.put("rest_more", rest, "adds to the constant term of the gap", "m/s^2")
    x, y = lever.components
    moved = (*column.times((y, -x)), *column.times((omega * omega * x, omega * omega * y)))
    gaps = [a - b for a, b in zip(moved, (*turn, *rest), strict=True)]
    d.claim_identity("carried", "the input moves with the output: rdd - alpha e_z x l + omega^2 l", gaps, squares={})
    return d


def _blocks(d: Derivation, size: int, turns: int) -> tuple[Matrix, Matrix]:
    column = matrix_port(d, "column", (size, size), "C_a, derivative of the gap with respect to rdd", "1")
    return column, matrix_port(d, "turn", (size, turns), "C_w, derivative of the gap with respect to wd", "m")


def _out(joint: str, size: int, turns: int) -> Derivation:
    d = kernel(f"{joint}_column_out", "the column of a loop beyond the joint at the output of a body", SOURCE)
    column, turn = _blocks(d, size, turns)
    gain = matrix_port(d, "gain", (turns, size), "K of wd = K rdd + k", "1/m")
    Results(d).put("out", (column + turn @ gain).entries, _BLOCK, "1")
    return d


def _cross(joint: str, size: int, turns: int) -> Derivation:
    d = kernel(f"{joint}_column_cross", "coupling of two loops that are open at one joint", SOURCE)
    turn = matrix_port(d, "turn", (size, turns), "C_w of the first loop", "m")
    gain = matrix_port(
        d, "gain", (turns, size), "angular acceleration per unit of the other loop's multipliers", "1/(kg m)"
    )
    Results(d).put("side_more", (turn @ gain).entries, "adds to their block of L, row by row", "1/kg")
    return d


def _turned(joint: str, size: int, turns: int) -> Derivation:
    d = kernel(f"{joint}_column_back", "angular acceleration due to a loop's multipliers", SOURCE)
    gain = matrix_port(d, "gain", (turns, size), "angular acceleration per unit of the multipliers", "1/(kg m)")
    force = array_port(d, "force", size, "multipliers of the loop", "N")
    Results(d).put("wd_more", gain.times(force), "angular acceleration", "rad/s^2")
    return d


def _close(joint: str, size: int, turns: int) -> Derivation:
    d = kernel(f"{joint}_loop_close", "closing of a loop at the body that carries both its ends", SOURCE)
    column, turn = _blocks(d, size, turns)
    compliance = symmetric_port(d, "compliance", size, "L of the loop", "1/kg")
    rest = Vector(array_port(d, "rest", size, "l of the loop", "m/s^2"))
    factors = factorise(d, compliance, "L", "1/kg")
    stiff = inverse(d, factors, "stiff", "L^-1, lower triangle", "kg")
    by_place, by_turn = stiff @ column, stiff @ turn
    start = stiff.times(rest)
    results = Results(d)
    results.put("stiff_out", packed(stiff), "L^-1: lower triangle, row by row", "kg")
    results.put("by_place", by_place.entries, "L^-1 C_a, row by row", "kg")
    results.put("by_turn", by_turn.entries, "L^-1 C_w, row by row", "kg m")
    results.put("start", start, "L^-1 l", "N")
    place, spin = column.transposed, turn.transposed
    results.put("a_more", [-value for value in packed(place @ by_place)], "adds to A: lower triangle", "kg")
    results.put("b_more", [-value for value in (place @ by_turn).entries], "adds to B, row by row", "kg m")
    results.put("d_more", [-value for value in packed(spin @ by_turn)], "adds to D: lower triangle", "kg m^2")
    results.put("force_more", [-value for value in place.times(start)], "adds to e_q", "N")
    results.put("moment_more", [-value for value in spin.times(start)], "adds to e_m", "N m")
    results.put("pivots", factors.pivots, "pivots of L", "1/kg")
    return d


def _other(joint: str, size: int, turns: int) -> Derivation:
    d = kernel(f"{joint}_loop_other", "effect of a closed loop on a loop that stays open", SOURCE)
    stiff = symmetric_port(d, "stiff", size, "L^-1 of the closed loop", "kg")
    by_place = matrix_port(d, "by_place", (size, size), "L^-1 C_a of the closed loop", "kg")
    by_turn = matrix_port(d, "by_turn", (size, turns), "L^-1 C_w of the closed loop", "kg m")
    start = array_port(d, "start", size, "L^-1 l of the closed loop", "N")
    side = matrix_port(d, "side", (size, size), "L between the closed loop and the open one", "1/kg")
    back = side.transposed
    results = Results(d)
    results.put(
        "share", (stiff @ side).entries, "minus the force of the closed loop per unit force of the open one", "1"
    )
    results.put("column_more", [-value for value in (back @ by_place).entries], "adds to C_a of the open one", "1")
    results.put("turn_more", [-value for value in (back @ by_turn).entries], "adds to C_w of the open one", "m")
    results.put("rest_more", [-value for value in back.times(start)], "adds to l of the open one", "m/s^2")
    return d


def _pair(joint: str, size: int, turns: int) -> Derivation:
    d = kernel(f"{joint}_loop_pair", "effect of a closed loop on the coupling of two other loops", SOURCE)
    side = matrix_port(d, "side", (size, size), "L between the closed loop and the first of the two", "1/kg")
    share = matrix_port(d, "share", (size, size), "L^-1 L between the closed loop and the other one", "1")
    found = side.transposed @ share
    results = Results(d)
    results.put("side_more", [-value for value in found.entries], "adds to their block of L, row by row", "1/kg")
    results.put(
        "own_more", [-value for value in packed(found)], "its lower triangle, for two columns of the same loop", "1/kg"
    )
    return d


def _force(joint: str, size: int, turns: int) -> Derivation:
    d = kernel(f"{joint}_loop_force", "multipliers of a loop without the share of loops that are still open", SOURCE)
    by_place = matrix_port(d, "by_place", (size, size), "L^-1 C_a", "kg")
    by_turn = matrix_port(d, "by_turn", (size, turns), "L^-1 C_w", "kg m")
    start = array_port(d, "start", size, "L^-1 l", "N")
    rdd = array_port(d, "rdd", size, "acceleration of the output of the body that closes it", "m/s^2")
    wd = array_port(d, "wd", turns, "its angular acceleration", "rad/s^2")
    values: list[Expr] = [-(a + b + c) for a, b, c in zip(by_place.times(rdd), by_turn.times(wd), start, strict=True)]
    Results(d).put("force", values, "multipliers", "N")
    return d


def _share(joint: str, size: int, turns: int) -> Derivation:
    d = kernel(f"{joint}_loop_share", "share of another loop in the multipliers of a loop", SOURCE)
    share = matrix_port(d, "share", (size, size), "L^-1 L between the closed loop and the other one", "1")
    force = array_port(d, "force", size, "multipliers of the other loop", "N")
    Results(d).put("force_more", [-value for value in share.times(force)], "adds to the multipliers", "N")
    return d


_COMMON: tuple[Callable[[str, int, int], Derivation], ...] = (
    _out, _cross, _turned, _close, _other, _pair, _force, _share,
)  # fmt: skip
