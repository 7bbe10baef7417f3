"""Printed equations against the derived objects: errata are flagged, what is right is not.

The printed forms are typed in here with matrices of SymPy, from the letters of the source; they share no code with the
derivations. Source: Urkullu, Fernandez de Bustos, Garcia-Marina, Uriarte, "Direct integration of the equations of
multibody dynamics through central differences and linearization".
"""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from sympy import Matrix, Rational, Symbol, diag, eye, zeros

from symgen.derive.dynamics.objects import objects


def letters(text: str) -> list[Any]:
    return [Symbol(name, real=True) for name in text.split()]


def four(name: str) -> Matrix:
    return Matrix(letters(" ".join(f"{name}_{k}" for k in range(4))))


def three(name: str) -> Matrix:
    return Matrix(letters(" ".join(f"{name}_{a}" for a in "xyz")))


def seven(name: str) -> Matrix:
    return Matrix(letters(" ".join(f"{name}_{part}" for part in ("x", "y", "z", "0", "1", "2", "3"))))


def hat(v: Matrix) -> Matrix:
    return Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation(q: Matrix) -> Matrix:
    q0, q1, q2, q3 = q
    return Matrix(
        [
            [q0**2 + q1**2 - q2**2 - q3**2, 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
            [2 * (q1 * q2 + q0 * q3), q0**2 - q1**2 + q2**2 - q3**2, 2 * (q2 * q3 - q0 * q1)],
            [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), q0**2 - q1**2 - q2**2 + q3**2],
        ]
    )


def slope(q: Matrix, r: Matrix) -> Matrix:
    """S_p, written out column by column."""
    q0, q1, q2, q3 = q
    x, y, z = r
    return 2 * Matrix(
        [
            [q0 * x - q3 * y + q2 * z, q1 * x + q2 * y + q3 * z, -q2 * x + q1 * y + q0 * z, -q3 * x - q0 * y + q1 * z],
            [q3 * x + q0 * y - q1 * z, q2 * x - q1 * y - q0 * z, q1 * x + q2 * y + q3 * z, q0 * x - q3 * y + q2 * z],
            [-q2 * x + q1 * y + q0 * z, q3 * x + q0 * y - q1 * z, -q0 * x + q3 * y - q2 * z, q1 * x + q2 * y + q3 * z],
        ]
    )


def world_rates(q: Matrix) -> Matrix:
    return (-q[1:4, 0]).row_join(q[0] * eye(3) + hat(q[1:4, 0]))


def body_rates(q: Matrix) -> Matrix:
    return (-q[1:4, 0]).row_join(q[0] * eye(3) - hat(q[1:4, 0]))


def tensor() -> Matrix:
    xx, yy, zz, xy, xz, yz = letters("i_xx i_yy i_zz i_xy i_xz i_yz")
    return Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


Q, RATE, SECOND = four("q"), four("qdot"), four("qddot")
H = Symbol("h", real=True)
MASS = Symbol("mass", real=True)


def agrees(name: str, printed: Any) -> bool:
    if isinstance(printed, sympy.MatrixBase):
        shape = (printed.rows,) if printed.cols == 1 else (printed.rows, printed.cols)
        return objects()[name].agrees(list(printed), shape)
    return objects()[name].agrees([printed])


def gyroscopic(q: Matrix, rate: Matrix) -> Matrix:
    w = 2 * body_rates(q) * rate
    return rotation(q) * (hat(w) * tensor() * w)


def rate_matrix(q: Matrix, rate: Matrix) -> Matrix:
    w = 2 * body_rates(q) * rate
    return 2 * rotation(q) * (hat(w) * tensor() - hat(tensor() * w)) * body_rates(q)


def mass_matrix(q: Matrix) -> Matrix:
    return diag(MASS * eye(3), 2 * rotation(q) * tensor() * body_rates(q))


def load() -> Matrix:
    return Matrix(letters("f_x f_y f_z t_x t_y t_z"))


# -- what is right ---------------------------------------------------------------------------------------------------


def _right() -> dict[str, tuple[str, Any]]:
    w, alpha = 2 * body_rates(Q) * RATE, 2 * body_rates(Q) * SECOND
    after = four("qdot_next")
    m_r, c_r = 2 * rotation(Q) * tensor() * body_rates(Q), rate_matrix(Q, RATE)
    heavy, bent = mass_matrix(Q), diag(zeros(3), c_r)
    ends = {k: (four(f"q_{k}"), three(f"r_{k}"), three(f"x_{k}_next"), four(f"q_{k}_next")) for k in (1, 2)}
    points = [x + slope(q, r) * qn - rotation(q) * r for q, r, x, qn in ends.values()]
    x, ahead, behind = letters("x x_next x_before")
    x_0, x_1, v_0, before = letters("x_0 x_1 v_0 x_before")
    at, r, q_at = four("q"), three("r"), four("q_at")
    return {
        "2": ("rotation_matrix_quaternion", rotation(Q)),
        "4": ("angular_velocity_world", 2 * world_rates(Q) * RATE),
        "5": ("angular_velocity_body", w),
        "10": ("S_p", slope(Q, r)),
        "18": ("rotation_linearised", rotation(q_at) * r + slope(q_at, r) * at - slope(q_at, r) * q_at),
        "24": ("linearisation_remainder", sympy.Mul(Rational(1, 2), *letters("second")) * _distance() ** 2),
        "25": ("torque_body", tensor() * alpha + hat(w) * tensor() * w),
        "26": ("inertial_torque_body", 2 * tensor() * body_rates(Q) * SECOND),
        "27": ("torque_world", rotation(Q) * (tensor() * alpha + hat(w) * tensor() * w)),
        "28": ("torque_linearised", m_r * SECOND + c_r * after - gyroscopic(Q, RATE)),
        "32": ("M_R", m_r),
        "33": ("C_R", c_r),
        "34": ("T_CR", rotation(Q) * hat(w) * tensor() * w),
        "53": ("central_form", _central_form()),
        "54": ("A", heavy / H**2 + bent / (2 * H)),
        "55": ("B", -heavy / H**2 + bent / (2 * H)),
        "56": ("D", 2 * heavy / H**2),
        "57": ("E", load() + zeros(3, 1).col_join(gyroscopic(Q, RATE))),
        "58": ("F_CR", zeros(3, 1).col_join(gyroscopic(Q, RATE))),
        "67": ("central_velocity", (ahead - behind) / (2 * H)),
        "68, repaired": ("central_acceleration", (ahead - 2 * x + behind) / H**2),
        "72": ("f_s_linearised", points[0] - points[1]),
        "73": ("b_s", rotation(ends[1][0]) * ends[1][1] - rotation(ends[2][0]) * ends[2][1]),
        "75": ("G_s", eye(3).row_join(-hat(rotation(Q) * r))),
        "81, repaired": ("b_v", _vector_constant(repaired=True)),
        "90, repaired": ("quaternion_norm_linearised", -1 - Q.dot(Q) + 2 * Q.dot(four("q_next"))),
        "91, repaired": ("quaternion_norm_right", 1 + Q.dot(Q)),
        "first velocity, repaired": ("first_step_velocity", (x_1 - before) / (2 * H)),
        "first acceleration, repaired": ("first_step_acceleration", 2 * (x_1 - x_0 - H * v_0) / H**2),
    }


def _distance() -> Any:
    x, at = letters("x x_at")
    return x - at


def _central_form() -> Matrix:
    ahead, behind = four("q_next"), four("q_before")
    second = (ahead - 2 * Q + behind) / H**2
    w = 2 * body_rates(Q) * (ahead - behind) / (2 * H)
    return 2 * tensor() * body_rates(Q) * second + hat(w) * tensor() * w


def _vector_constant(*, repaired: bool) -> Matrix:
    """(81): with S_p, 3 x 4, or with the first four columns of S_s = [1, S_p], the most that fits a quaternion."""
    found = zeros(3, 1)
    for k, sign in ((1, 1), (2, -1)):
        q, v = four(f"q_{k}"), three(f"v_{k}")
        rows = slope(q, v) if repaired else eye(3).row_join(slope(q, v))[:, :4]
        found += sign * (rows * q - rotation(q) * v)
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("equation", _right())
def test_what_is_printed_right_is_not_flagged(equation: str) -> None:
    name, printed = _right()[equation]
    assert agrees(name, printed)


# -- errata ----------------------------------------------------------------------------------------------------------


def _wrong() -> dict[str, tuple[str, Any]]:
    w_world, w_dot = 2 * world_rates(Q) * RATE, 2 * world_rates(Q) * SECOND
    constant = diag(*letters("i_xx i_yy i_zz"))
    four_by_four = diag(1, rotation(Q))
    x, ahead, behind, xi = letters("x x_next x_before xi")
    x_0, x_1, second = letters("x_0 x_1 second")
    after, row = four("q_next"), sum(Q)
    q_at, r = four("q_at"), three("r")
    return {
        "11": ("rotation_linearised", rotation(q_at) * r + slope(q_at, r) * Q - slope(q_at, r) * Q),
        "22": ("torque_world", constant * w_dot + hat(w_world) * constant * w_world),
        "24": ("linearisation_remainder", second / 2 * xi**2),
        "26": ("inertial_torque_body", 2 * tensor() * world_rates(Q) * SECOND),
        "37": ("auxiliary_quaternion_rate", four_by_four.T * RATE),
        "38": ("auxiliary_quaternion_acceleration", four_by_four.T * SECOND),
        "68": ("central_acceleration", (ahead - x + behind) / H**2),
        "first velocity": ("first_step_velocity", (x_1 - x_0) / H),
        "first acceleration": ("first_step_acceleration", (x_1 - x_0 + x_0) / H**2),
        "81": ("b_v", _vector_constant(repaired=False)),
        "90": ("quaternion_norm_linearised", -1 - row + 2 * Q.dot(after)),
        "91": ("quaternion_norm_right", 1 + row),
    }


@pytest.mark.parametrize("equation", _wrong())
def test_errata_are_flagged(equation: str) -> None:
    name, printed = _wrong()[equation]
    assert not agrees(name, printed)


def _step_parts() -> tuple[Matrix, ...]:
    """Return A, B, D, E for the coordinates of the residual, and x+, x, x-."""
    ahead, now, behind = seven("x_next"), seven("x_now"), seven("x_before")
    q = Matrix(now[3:7])
    rate = (Matrix(ahead[3:7]) - Matrix(behind[3:7])) / (2 * H)
    heavy, bent = mass_matrix(q), diag(zeros(3), rate_matrix(q, rate))
    force = load() + zeros(3, 1).col_join(gyroscopic(q, rate))
    return heavy / H**2 + bent / (2 * H), -heavy / H**2 + bent / (2 * H), 2 * heavy / H**2, force, ahead, now, behind


def test_equation_69_is_flagged_in_every_reading() -> None:
    a, b, d, e, ahead, now, behind = _step_parts()
    speed, second = (ahead - behind) / (2 * H), (ahead - 2 * now + behind) / H**2
    with pytest.raises(sympy.matrices.exceptions.ShapeError):
        e * second  # E is a wrench, 6 x 1; xddot has 7 components
    rest = -b * behind - d * now
    for printed in (a * speed + e + rest, a * ahead + e + rest, a * speed - e + rest):
        assert not agrees("step_residual", printed)


def test_equation_69_repaired_is_not_flagged_in_its_translation() -> None:
    """The three rows of the translation; the rotation is claim `central_form` of the residual."""
    a, b, d, e, ahead, now, behind = _step_parts()
    found, repaired = objects()["step_residual"], a * ahead - e - b * behind - d * now
    for k in range(3):
        assert sympy.expand(repaired[k] - found.formula[k]) == 0


def test_equation_70_is_flagged_with_its_dots_and_without() -> None:
    x_1, x_0 = seven("x_1"), seven("x_0")
    v_0 = Matrix(letters("v_0_x v_0_y v_0_z v_0_a v_0_b v_0_c v_0_e"))
    q, rate = Matrix(x_0[3:7]), Matrix(v_0[3:7])
    v_1, a_0 = seven("v_1"), seven("a_0")
    heavy, bent = mass_matrix(q), diag(zeros(3), rate_matrix(q, rate))
    rest = bent * v_0 - load() - zeros(3, 1).col_join(gyroscopic(q, rate))
    printed = heavy * (2 * (v_1 - H * a_0) - v_0) / H**2 + rest
    without_dots = heavy * (2 * (x_1 - H * v_0) - x_0) / H**2 + rest
    repaired = heavy * 2 * (x_1 - H * v_0 - x_0) / H**2 + rest
    assert not agrees("first_step_residual", printed)
    assert not agrees("first_step_residual", without_dots)
    for k in range(3):
        assert sympy.expand(repaired[k] - objects()["first_step_residual"].formula[k]) == 0


def test_a_printed_form_of_another_size_does_not_agree() -> None:
    assert not objects()["S_p"].agrees([Q[0]] * 12, (6, 2))
    assert objects()["S_s"].shape == (3, 7)  # which is why (81) does not fit
