"""The oracle itself against closed forms and a published reference, before it judges anything."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from transfer.drafts import FREEDOMS, Draft, random_mechanism
from transfer.oracle_multibody import Multibody, tilde
from transfer.oracle_pairs import about_y, about_z, motion_of, residuals
from transfer.oracle_series import constant
from transfer.spec_systems import HINGES, reference, tree23

G = 9.81


@pytest.mark.parametrize("code", list(FREEDOMS))
def test_second_derivatives_are_those_of_differences_with_many_digits(code: str) -> None:
    """A joint's equations along a curve of frames: series against mpmath's differences with 50 digits."""
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(list(FREEDOMS).index(code))
    spin, v, pitch = rng.normal(size=3), rng.normal(size=3), 0.3
    start = motion_of(code, {name: 0.4 * rng.normal() for name in FREEDOMS[code]}, pitch)
    with mpmath.workdps(50):
        half = [mpmath.mpf(float(x)) for x in spin]

        def at(t: mpmath.mpf) -> list[mpmath.mpf]:
            """Entries of the equations at t: Rodrigues' formula for a constant angular velocity."""
            size = mpmath.sqrt(sum(x * x for x in half))
            k = mpmath.matrix([[0, -half[2], half[1]], [half[2], 0, -half[0]], [-half[1], half[0], 0]]) / size
            turn = mpmath.eye(3) + mpmath.sin(size * t) * k + (1 - mpmath.cos(size * t)) * k * k
            turn = turn * mpmath.matrix(start[:3, :3].tolist())
            place = [mpmath.mpf(float(start[i, 3])) + t * mpmath.mpf(float(v[i])) for i in range(3)]
            return _equations(code, place, turn, pitch, mpmath)

        h = mpmath.mpf(10) ** -15
        ahead, here, back = at(h), at(mpmath.mpf(0)), at(-h)
        first = [float((p - m) / (2 * h)) for p, m in zip(ahead, back, strict=True)]
        second = [float((p - 2 * c + m) / h**2) for p, c, m in zip(ahead, here, back, strict=True)]
    place, turn = constant(start[None, :3, 3]), constant(start[None, :3, :3])
    place[1, 0], turn[1, 0], turn[2, 0] = v, tilde(spin) @ start[:3, :3], tilde(spin) @ tilde(spin) @ start[:3, :3] / 2
    found = residuals(code, place, turn, pitch)
    assert len(found) == 6 - len(FREEDOMS[code])
    np.testing.assert_allclose([row[1, 0] for row in found], first, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose([2 * row[2, 0] for row in found], second, rtol=1e-13, atol=1e-13)


def _equations(code: str, p: list, turn: object, pitch: float, mpmath: object) -> list:
    """Return the equations of the pairs, written out once more."""
    r: Callable[[int, int], object] = lambda i, j: turn[i, j]  # type: ignore[index]  # noqa: E731
    axis, fixed = [r(0, 2), r(1, 2)], [r(1, 0), r(2, 0), r(2, 1)]
    screw = r(1, 0) * mpmath.cos(p[2] / pitch) - r(0, 0) * mpmath.sin(p[2] / pitch)  # type: ignore[attr-defined]
    return {
        "W": [*p, *fixed], "R": [*p, *axis], "P": [p[0], p[1], *fixed], "C": [p[0], p[1], *axis],
        "H": [p[0], p[1], *axis, screw], "U": [*p, r(2, 0)], "ER": [*p, r(2, 0)], "S": p, "PL": [p[2], *axis],
        "L": [p[1], p[2], *axis], "FP": [p[2], *axis], "F": [],
    }[code]  # fmt: skip


def rod(draft: Draft, name: str, foot: tuple[float, float], angle: float, length: float, mass: float) -> np.ndarray:
    """Add a slender rod in the x-z plane, frame at its foot, x along it, `angle` from x to z; return its end."""
    turn = about_y(-angle)
    inertia = mass * length**2 / 12 * np.diag([0.0, 1.0, 1.0]) + 1e-9 * np.eye(3)
    r = np.array([foot[0], 0.0, foot[1]])
    draft.body(name, r, turn, mass, [length / 2, 0, 0], inertia)
    return r + turn @ [length, 0, 0]


def test_a_pendulum_swings_and_pulls_as_the_closed_form_says() -> None:
    length, mass, angle, rate = 0.8, 1.7, 0.4, 1.3
    draft = Draft("pendulum")
    rod(draft, "rod", (0.0, 0.0), angle, length, mass)
    draft.joint("pin", "R", ("ground", "rod"), np.zeros(3), about_y(0.0) @ _z_to_minus_y())
    mechanism = draft.with_velocities(
        [[*_turning(rate, [length / 2 * math.cos(angle), 0, length / 2 * math.sin(angle)])]]
    )
    answer = Multibody(mechanism).solve()
    swing = -1.5 * G / length * math.cos(angle)  # J = m l^2/3 about the pin, weight at l/2
    # the pinch of inertia that keeps the rod from being singular is 1e-9 of 0.36 kg m^2
    np.testing.assert_allclose(answer.alpha["rod"], [0, -swing, 0], atol=1e-7)
    np.testing.assert_allclose(answer.a["rod"], 0.0, atol=1e-13)
    along, across = np.array([math.cos(angle), 0, math.sin(angle)]), np.array([-math.sin(angle), 0, math.cos(angle)])
    centre = length / 2 * (swing * across - rate**2 * along)
    np.testing.assert_allclose(answer.force["pin"], mass * (centre + np.array([0.0, 0.0, G])), atol=1e-6)
    np.testing.assert_allclose(answer.moment["pin"], 0.0, atol=1e-8)


def _z_to_minus_y() -> np.ndarray:
    """Axes whose z is -y of the world: turning about it goes from x to z."""
    return np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def _turning(rate: float, arm: list[float]) -> np.ndarray:
    omega = np.array([0.0, -rate, 0.0])
    return np.concatenate([np.cross(omega, arm), omega])


def test_a_double_pendulum_of_rods_obeys_its_lagrange_equations() -> None:
    a, b, m, n, one, two, u, w = 0.7, 0.5, 1.2, 0.8, 0.3, 1.1, 1.4, -2.0
    draft = Draft("double pendulum")
    knee = rod(draft, "1", (0.0, 0.0), one, a, m)
    rod(draft, "2", (knee[0], knee[2]), two, b, n)
    draft.joint("A", "R", ("ground", "1"), np.zeros(3), _z_to_minus_y())
    draft.joint("B", "R", ("2", "1"), knee, _z_to_minus_y())
    first = _turning(u, [a / 2 * math.cos(one), 0, a / 2 * math.sin(one)])
    second = _turning(w, [b / 2 * math.cos(two), 0, b / 2 * math.sin(two)])
    second[:3] += 2 * first[:3]
    answer = Multibody(draft.with_velocities([first, second])).solve()
    # (m/3 + n) a^2 q1'' + n a b/2 cos(q1 - q2) q2'' = -n a b/2 sin(q1 - q2) q2'^2 - (m/2 + n) g a cos q1, and likewise
    c, s = math.cos(one - two), math.sin(one - two)
    mass = np.array([[(m / 3 + n) * a * a, n * a * b / 2 * c], [n * a * b / 2 * c, n * b * b / 3]])
    right = np.array([-n * a * b / 2 * s * w * w - (m / 2 + n) * G * a * math.cos(one),
                      n * a * b / 2 * s * u * u - n / 2 * G * b * math.cos(two)])  # fmt: skip
    expected = np.linalg.solve(mass, right)
    np.testing.assert_allclose([-answer.alpha["1"][1], -answer.alpha["2"][1]], expected, atol=1e-6)


def test_a_planar_slider_crank_obeys_its_one_equation() -> None:
    """One freedom, the crank's angle: kinetic energy J(q) q'^2/2, so J q'' + J' q'^2/2 = Q, by differences of J."""
    from transfer.slider_crank import SliderCrank

    for seed in range(5):
        case = SliderCrank.random(np.random.default_rng(seed))
        answer = Multibody(case.mechanism()).solve()
        expected = case.accelerations()
        for body, (a, alpha) in expected.items():
            np.testing.assert_allclose(answer.a[body][:2], a, rtol=1e-12, atol=1e-11)
            assert answer.alpha[body][2] == pytest.approx(alpha, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("k", range(4))
def test_the_tree_of_twelve_bodies_is_as_in_the_reference(k: int) -> None:
    state = reference()["states"][k]
    answer = Multibody(tree23(state)).solve()
    for body in state["acc_I1"]:
        # the reference claims 1.4e-14 of accelerations up to 60
        np.testing.assert_allclose(answer.a[body], state["acc_I1"][body], rtol=0, atol=1e-11)
        np.testing.assert_allclose(answer.alpha[body], state["alpha"][body], rtol=0, atol=1e-11)
    hinge_of = {inboard: f"h{key}" for key, (inboard, _, _) in HINGES.items()} | {23: "root"}
    for body, wrench in state["wrench_out"].items():
        name = hinge_of[int(body)]
        np.testing.assert_allclose(answer.moment[name], wrench[:3], rtol=0, atol=1e-11)
        np.testing.assert_allclose(answer.force[name], wrench[3:], rtol=0, atol=1e-10)


def test_wrenches_balance_every_body() -> None:
    """Newton and Euler for each body from the joints' wrenches and the applied ones."""
    rng = np.random.default_rng(7)
    for _ in range(10):
        draft = random_mechanism(rng, 5, list(FREEDOMS), loops=1, forces=False)
        mechanism = draft.moving(rng)
        bodies = Multibody(mechanism)
        now, answer = bodies.state(), Multibody(mechanism).solve()
        for k, name in enumerate(bodies.names):
            force, moment = bodies.mass[k] * bodies.gravity, np.zeros(3)
            for joint in mechanism.joints:
                if name not in joint.bodies:
                    continue
                sign = 1.0 if joint.bodies[1] == name else -1.0
                arm = bodies._centre(joint, now) - now.r[k]
                force = force + sign * answer.force[joint.id]
                moment = moment + sign * (answer.moment[joint.id] + np.cross(arm, answer.force[joint.id]))
            inertia = now.turn[k] @ bodies.inertia[k] @ now.turn[k].T
            w, alpha = now.omega[k], answer.alpha[name]
            scale = 1.0 + max(np.abs(f).max() for f in answer.force.values())
            np.testing.assert_allclose(force, bodies.mass[k] * answer.com[k, :3], atol=1e-11 * scale)
            np.testing.assert_allclose(moment, inertia @ alpha + np.cross(w, inertia @ w), atol=1e-11 * scale)


def test_a_driven_pin_follows_its_law() -> None:
    draft = Draft("driven")
    draft.body("arm", [0, 0, 0], about_z(0.3), 2.0, [0.4, 0.0, 0.0], 0.1 * np.eye(3))
    draft.joint(
        "A",
        "R",
        ("ground", "arm"),
        np.zeros(3),
        np.eye(3),
        values={"angle": 0.3},
        drives={"angle": "0.3 + 2*t + 1.5*t**2"},
    )
    answer = Multibody(draft.with_velocities(np.zeros((1, 6)))).solve()
    np.testing.assert_allclose(answer.alpha["arm"], [0, 0, 3.0], atol=1e-13)
    assert answer.moment["A"][2] == pytest.approx((0.1 + 2.0 * 0.4**2) * 3.0, rel=1e-13)
