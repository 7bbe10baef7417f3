"""Derived objects: claims proved, and numbers against matrices of motions and their differences."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
from mpmath import mpf
from oracle.derived_values import value
from oracle.dynamics_kernels import Draw, cross, gap, rotation
from oracle.kinematics import inverse, matrix_pose, pair_motion, pose_matrix, rotation_exp, translation, turn
from oracle.turning_motion import TurningMotion

from symgen.derive.dynamics.joint_objects import DRIVEN_ROWS, JOINTS
from symgen.derive.dynamics.objects import objects
from symgen.model.pairs import PAIR_TYPES
from symgen.proofs import prove

EXACT = mpf("1e-40")
#: Central differences with steps of 1e-12 (second order) and 1e-15: truncation of order step^2.
DIFFERENCE, SECOND = mpf("1e-27"), mpf("1e-21")
STEP = mpf("1e-15")


@pytest.mark.slow
def test_every_object_has_a_proof_a_source_and_its_own_name() -> None:
    for name, found in objects().items():
        assert found.name == name
        assert found.source
        assert found.title
        claims = [*found.derivation.identities, *found.derivation.zero_claims]
        assert claims or name.endswith("_F"), name  # an F has no rows


@pytest.mark.slow
def test_every_claim_is_proved() -> None:
    derivations = {id(found.derivation): found.derivation for found in objects().values()}
    for derivation in derivations.values():
        prove(derivation)


def test_what_users_are_promised() -> None:
    found = objects()["rotation_matrix_quaternion"]
    assert [(a.name, a.shape) for a in found.arguments] == [("q", (4,))]
    assert found.shape == (3, 3)
    found = objects()["quaternion_norm_linearised"]
    assert [(a.name, a.shape) for a in found.arguments] == [("q", (4,)), ("q_next", (4,))]
    assert found.shape == ()


def test_rotation_and_angular_velocities_are_those_of_a_motion() -> None:
    motion, t = TurningMotion(1), mpf("0.3")
    q, (rate, _) = motion.q(t), motion.rates(t)
    matrix = value("rotation_matrix_quaternion", q=q)
    assert gap(matrix, motion.turn(t)) < EXACT
    omega = motion.omega(t)
    assert gap(value("angular_velocity_world", q=q, qdot=rate), omega) < SECOND
    assert gap(value("angular_velocity_body", q=q, qdot=rate), motion.turn(t).T * omega) < SECOND
    assert gap(value("E_q", q=q) * mpmath.matrix(rate) * 2, omega) < SECOND
    assert gap(value("G4", q=q) * mpmath.matrix(rate) * 2, motion.turn(t).T * omega) < SECOND


@pytest.mark.slow
def test_torques_are_the_rate_of_the_angular_momentum() -> None:
    motion, t = TurningMotion(2), mpf("0.4")
    q, (rate, second) = motion.q(t), motion.rates(t)
    given = {"q": q, "qdot": rate, "inertia": motion.inertia}
    torque = motion.torque(t)
    assert gap(value("torque_world", **given, qddot=second), torque) < SECOND
    assert gap(value("torque_body", **given, qddot=second), motion.turn(t).T * torque) < SECOND
    m, c = value("M_R", q=q, inertia=motion.inertia), value("C_R", **given)
    parts = m * mpmath.matrix(second) + c * mpmath.matrix(rate) - mpmath.matrix(value("T_CR", **given))
    assert gap(parts, torque) < SECOND


@pytest.mark.slow
def test_the_linearised_equations_are_those_of_the_residual() -> None:
    """A x+ - E - B x- - D x with the matrices taken one by one, for coordinates of order one."""
    draw = Draw(3)
    after, now, before, force, h = draw.pose(), draw.pose(), draw.pose(), draw.vector(6), mpf("0.1")
    mass, (inertia, _) = mpf(2), draw.inertia()
    rate = [(a - b) / (2 * h) for a, b in zip(after[3:], before[3:], strict=True)]
    body = {"mass": mass, "q": now[3:], "inertia": inertia, "h": h}
    columns = [mpmath.matrix(x) for x in (after, now, before)]
    load = mpmath.matrix(value("E", q=now[3:], qdot=rate, inertia=inertia, force=force))
    whole = value("A", **body, qdot=rate) * columns[0] - load
    whole -= value("B", **body, qdot=rate) * columns[2] + value("D", **body) * columns[1]
    given = {
        "x_next": after,
        "x_now": now,
        "x_before": before,
        "mass": mass,
        "inertia": inertia,
        "force": force,
        "h": h,
    }
    assert gap(value("step_residual", **given), whole) < EXACT


@pytest.mark.parametrize("form", ["central_form", "variational_form"])
def test_both_forms_give_the_torque_to_second_order(form: str) -> None:
    motion, t = TurningMotion(4), mpf("0.2")
    wants = motion.turn(t).T * motion.torque(t)
    errors = []
    for h in (mpf("1e-3"), mpf("5e-4")):
        given = {"q_before": motion.q(t - h), "q": motion.q(t), "q_next": motion.q(t + h), "inertia": motion.inertia}
        errors.append(gap(value(form, **given, h=h), wants))
    assert 1.99 < mpmath.log(errors[0] / errors[1], 2) < 2.01


# -- joints ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_joint_type_and_driven_freedom_has_rows() -> None:
    with_geometry = {code for code, pair in PAIR_TYPES.items() if pair.freedoms}
    assert with_geometry | {"W"} == {*(j for j in JOINTS if not j.startswith("driven_")), "F"}
    assert {f"driven_{row}" for names in DRIVEN_ROWS.values() for row in names.values()} <= set(JOINTS)
    for code, names in DRIVEN_ROWS.items():
        assert tuple(names) == PAIR_TYPES[code].freedoms
    for code in with_geometry | {"W"}:
        rows = 6 - PAIR_TYPES[code].grade
        assert objects()[f"H_{code}"].shape == (rows, 14)
        assert objects()[f"G_{code}"].shape == (rows, 12)


class ClosedPair:
    """A pair that stays closed while its first body and its freedoms move."""

    def __init__(self, code: str, seed: int) -> None:
        draw = Draw(seed)
        self.code, self.oracle = code, {"ER": "U"}.get(code, code)
        self.one, self.frame_1, self.frame_2, self.twist = draw.pose(), draw.pose(), draw.pose(), draw.vector(6)
        self.names = PAIR_TYPES[code].freedoms
        self.start, self.rates, self.pitch = draw.vector(len(self.names)), draw.vector(len(self.names)), draw.number()

    def coordinate(self, name: str, t: Any) -> Any:
        k = self.names.index(name)
        return self.start[k] + t * self.rates[k]

    def poses(self, t: Any) -> list[Any]:
        matrix = rotation_exp([t * x for x in self.twist[3:]])
        moved = [x + t * v for x, v in zip(self.one[:3], self.twist[:3], strict=True)]
        first = translation(moved) * matrix * pose_matrix([0, 0, 0, *self.one[3:]], "spatial")
        values = {n: self.coordinate(n, t) for n in self.names}
        if self.code == "W":
            motion = mpmath.eye(4)
        elif self.code == "H":
            motion = translation([0, 0, self.pitch * values["angle"]]) * turn(2, values["angle"])
        else:
            motion = pair_motion(self.oracle, "spatial", values)
        second = first * pose_matrix(self.frame_1, "spatial") * motion * inverse(pose_matrix(self.frame_2, "spatial"))
        return [matrix_pose(m, "spatial") for m in (first, second)]

    def arguments(self, t: Any) -> dict[str, Any]:
        one, two = self.poses(t)
        given = {"x_1": one, "frame_1": self.frame_1, "x_2": two, "frame_2": self.frame_2}
        return {**given, "pitch": self.pitch} if self.code == "H" else given

    def coordinate_rates(self) -> Any:
        ahead, behind = ([x for pose in self.poses(t) for x in pose] for t in (STEP, -STEP))
        return mpmath.matrix([(a - b) / (2 * STEP) for a, b in zip(ahead, behind, strict=True)])


def _twists(rates: Any, arguments: dict[str, Any]) -> Any:
    """Return both twists from coordinate rates: omega from R' R^T, where R' is a sum of products of q and qdot."""
    found: list[Any] = []
    for k, name in enumerate(("x_1", "x_2")):
        q, qd = mpmath.matrix(arguments[name][3:]), rates[7 * k + 3 : 7 * k + 7]
        ahead, behind = (rotation(list(q + sign * STEP * qd)) for sign in (1, -1))
        w = (ahead - behind) / (2 * STEP) * rotation(list(q)).T
        found += [*rates[7 * k : 7 * k + 3], w[2, 1], w[0, 2], w[1, 0]]
    return mpmath.matrix(found)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("code", ["R", "P", "H", "C", "U", "ER", "S", "PL", "FP", "L", "W"])
def test_rows_vanish_along_the_freedoms_of_a_pair_and_along_nothing_else(code: str) -> None:
    pair = ClosedPair(code, 5)
    given = pair.arguments(mpf(0))
    assert gap(value(f"f_{code}", **given), [0] * objects()[f"f_{code}"].shape[0]) < EXACT
    rates, rows, effort = pair.coordinate_rates(), value(f"H_{code}", **given), value(f"G_{code}", **given)
    assert gap(rows * rates, [0] * rows.rows) < DIFFERENCE
    assert gap(effort * _twists(rates, given), [0] * rows.rows) < DIFFERENCE
    assert min(mpmath.svd_r(effort, compute_uv=False)) > mpf("1e-6")  # as many rows as the pair takes freedoms


@pytest.mark.parametrize(("code", "name"), [(code, name) for code, names in DRIVEN_ROWS.items() for name in names])
def test_a_driven_row_follows_its_law(code: str, name: str) -> None:
    pair, row = ClosedPair(code, 6), f"driven_{DRIVEN_ROWS[code][name]}"
    given = {**pair.arguments(mpf(0)), "u": pair.coordinate(name, 0), "ud": pair.rates[pair.names.index(name)]}
    given.pop("pitch", None)
    assert gap(value(f"f_{row}", **given), [0]) < EXACT
    moved = value(f"H_{row}", **given) * pair.coordinate_rates()
    assert gap(moved + mpmath.matrix(value(f"rate_{row}", **given)), [0]) < DIFFERENCE
    off = {**given, "u": given["u"] + mpf("0.1")}
    assert abs(value(f"f_{row}", **off)[0]) > mpf("1e-3")


def test_coordinate_rows_are_the_derivative_of_the_residual_off_closure_too() -> None:
    draw = Draw(7)
    given: dict[str, Any] = {n: draw.pose() for n in ("x_1", "frame_1", "x_2", "frame_2")}
    rates = mpmath.matrix(draw.vector(14))
    given["pitch"] = draw.number()

    def moved(name: str, t: Any) -> Any:
        one = [x + t * v for x, v in zip(given["x_1"], rates[:7], strict=True)]
        two = [x + t * v for x, v in zip(given["x_2"], rates[7:], strict=True)]
        return mpmath.matrix(value(name, **{**given, "x_1": one, "x_2": two}))

    for code in ("R", "H", "P"):
        slope = (moved(f"f_{code}", STEP) - moved(f"f_{code}", -STEP)) / (2 * STEP)
        assert gap(slope, value(f"H_{code}", **given) * rates) < DIFFERENCE


@pytest.mark.parametrize("code", [*(j for j in JOINTS if not j.startswith("driven_"))])
def test_reactions_of_a_pair_do_no_work_and_move_nothing_by_themselves(code: str) -> None:
    """Force and moment are the loads of the multipliers at the joint centre; the first body feels the opposite."""
    pair = ClosedPair(code, 8)
    given = pair.arguments(mpf(0))
    effort = value(f"G_{code}", **given)
    draw = Draw(9)
    factors = draw.vector(effort.rows)
    force_and_moment = value(f"reaction_{code}", **given, multipliers=factors)
    force, moment = force_and_moment[:3], force_and_moment[3:]
    loads = effort.T * mpmath.matrix(factors)  # on both bodies, about their origins
    second = mpmath.matrix(given["x_2"][:3]) + rotation(given["x_2"][3:]) * mpmath.matrix(given["frame_2"][:3])
    arm = [given["x_2"][k] - second[k] for k in range(3)]
    about = [a + b for a, b in zip(loads[9:12], cross(arm, list(loads[6:9])), strict=True)]
    assert gap([*force, *moment], [*loads[6:9], *about]) < EXACT
    arm = [given["x_1"][k] - second[k] for k in range(3)]
    about = [a + b for a, b in zip(loads[3:6], cross(arm, list(loads[0:3])), strict=True)]
    assert gap([*loads[0:3], *about], [-x for x in (*force, *moment)]) < EXACT


def test_point_rows_are_velocities_of_points() -> None:
    draw = Draw(8)
    q, r, omega, v = draw.quaternion(), draw.vector(), draw.vector(), draw.vector()
    wants = mpmath.matrix(v) + cross(omega, rotation(q) * mpmath.matrix(r))
    assert gap(value("G_s", q=q, r=r) * mpmath.matrix([*v, *omega]), wants) < EXACT
    rate = value("E_q", q=q).T * mpmath.matrix(omega) / 2
    assert gap(value("S_s", x=v, q=q, r=r) * mpmath.matrix([*v, *rate]), wants) < EXACT
    assert gap(value("S_p", q=q, r=r) * rate, cross(omega, rotation(q) * mpmath.matrix(r))) < EXACT


# -- forces ----------------------------------------------------------------------------------------------------------


def test_springs_and_dampers_have_the_power_of_their_length() -> None:
    draw = Draw(9)
    given: dict[str, Any] = {"x_1": draw.pose(), "at_1": draw.vector(), "x_2": draw.pose(), "at_2": draw.vector()}
    twists, k, c, rest = draw.vector(12), mpf(3), mpf(2), mpf("0.4")

    def length(t: Any) -> Any:
        ends = []
        for body, twist in ((1, twists[:6]), (2, twists[6:])):
            pose = given[f"x_{body}"]
            turned = rotation_exp([t * w for w in twist[3:]])[:3, :3] * rotation(pose[3:])
            lever = turned * mpmath.matrix(given[f"at_{body}"])
            ends.append([p + t * v + s for p, v, s in zip(pose[:3], twist[:3], lever, strict=True)])
        return mpmath.norm(mpmath.matrix(ends[1]) - mpmath.matrix(ends[0]))

    rate = (length(STEP) - length(-STEP)) / (2 * STEP)
    spring = value("spring_wrenches", **given, stiffness=k, length_0=rest)
    assert abs(_power(spring, twists) + k * (length(0) - rest) * rate) < DIFFERENCE
    damper = value("damper_wrenches", **given, damping=c, twists=twists)
    assert abs(_power(damper, twists) + c * rate**2) < DIFFERENCE
    assert gap(value("damper_rates", **given, damping=c) * mpmath.matrix(twists), [-w for w in damper]) < EXACT


def _power(wrench: Any, twist: Any) -> Any:
    return sum(w * t for w, t in zip(wrench, twist, strict=True))


def test_a_force_has_the_power_of_its_point() -> None:
    draw = Draw(10)
    q, r, force, v, omega = draw.quaternion(), draw.vector(), draw.vector(), draw.vector(), draw.vector()
    speed = mpmath.matrix(v) + cross(omega, rotation(q) * mpmath.matrix(r))
    for name, world in (("force", mpmath.matrix(force)), ("body_force", rotation(q) * mpmath.matrix(force))):
        found = value(f"wrench_of_{name}", q=q, r=r, force=force)
        assert abs(_power(found, [*v, *omega]) - _power(world, speed)) < EXACT
    assert gap(value("wrench_of_weight", mass=2, gravity=force, x=r), [*(2 * f for f in force), 0, 0, 0]) < EXACT


def test_the_reactions_of_a_free_motion_are_what_moves_it() -> None:
    motion, t = TurningMotion(11), mpf("0.1")
    q, (rate, second) = motion.q(t), motion.rates(t)
    speed, pull = [mpf(0)] * 3, [mpf("0.5"), mpf("-0.2"), mpf("0.1")]
    given = {"q": q, "xdot": [*speed, *rate], "xddot": [*pull, *second], "mass": 3, "inertia": motion.inertia}
    found = value("reaction_wrench", **given, force=[0] * 6)
    assert gap(found, [*(3 * a for a in pull), *motion.torque(t)]) < SECOND
