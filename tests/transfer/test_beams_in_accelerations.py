"""Beams among the accelerations: against mass points that follow the exact modes of a clamped beam."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.vibration_energy import frame, motion

import symgen
from symgen.beams.modes import mode_families
from symgen.errors import MechanismError, SymgenError
from symgen.model.parts import Beam
from symgen.transfer.beams import overall as beam_direct

L, MU, EI, EA, GJ, POLAR, MODES = 1.1, 1.7, (80.0, 130.0), 3.0e4, 25.0, 6.0e-3, 3
G = np.array([0.7, -1.1, -9.81])
ROOTS = (1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467)
MASS, COM, INERTIA = 0.8, np.array([0.15, 0.04, -0.03]), np.diag([0.02, 0.03, 0.04])


def beam(**more: Any) -> dict[str, Any]:
    return {"length": L, "mass_per_length": MU, "bending": list(EI), "modes": MODES, "end_shapes": 0, **more}


def clamped(k: int, s: Any, order: int = 0) -> Any:
    """Return the k-th mode of a clamped beam at s, modal mass 1, positive at the tip; or its derivative."""
    b = ROOTS[k] / L
    ratio = (math.cosh(b * L) + math.cos(b * L)) / (math.sinh(b * L) + math.sin(b * L))
    if order == 0:
        value = np.cosh(b * s) - np.cos(b * s) - ratio * (np.sinh(b * s) - np.sin(b * s))
    else:
        value = b * (np.sinh(b * s) + np.sin(b * s) - ratio * (np.cosh(b * s) - np.cos(b * s)))
    return value * (-1) ** k / math.sqrt(MU * L)


def rod(k: int, s: Any, mass: float) -> Any:
    return np.sin((2 * k + 1) * math.pi * s / (2 * L)) * (-1) ** k * math.sqrt(2.0 / (mass * L))


class Points:
    """A beam on a universal joint, a body on a pin at its other end; coordinates two angles, the modes, one angle."""

    def __init__(self, *, backwards: bool, twist: bool) -> None:
        self.turned = np.diag([-1.0, 1.0, -1.0]) if backwards else np.eye(3)
        self.twist = twist
        nodes, weights = np.polynomial.legendre.leggauss(30)
        self.s, self.m = 0.5 * L * (nodes + 1.0), 0.5 * L * weights * MU
        self.count = 2 + 3 * MODES + (MODES if twist else 0) + 1

    def held(self, q: Any) -> Any:
        """Return the frame at the held end, x along the beam."""
        return motion("turn", 2, q[0], 0.0) @ motion("turn", 0, q[1], 0.0)

    def deflection(self, q: Any, s: Any) -> Any:
        u = np.zeros((3, *np.shape(s)), dtype=complex)
        for k in range(MODES):
            u[0] = u[0] + q[2 + k] * rod(k, s, MU)
            u[1] = u[1] + q[2 + MODES + k] * clamped(k, s)
            u[2] = u[2] + q[2 + 2 * MODES + k] * clamped(k, s)
        return u

    def far(self, q: Any) -> Any:
        """Return the frame at the other end, turned by the slopes (first order is all that counts at rest)."""
        end = np.eye(4, dtype=complex)
        end[:3, 3] = np.array([L, 0, 0]) + self.deflection(q, L)
        about_z = sum(q[2 + MODES + k] * clamped(k, L, 1) for k in range(MODES))
        about_y = -sum(q[2 + 2 * MODES + k] * clamped(k, L, 1) for k in range(MODES))
        about_x = self.angle(q, L)
        turn = motion("turn", 0, about_x, 0.0) @ motion("turn", 1, about_y, 0.0) @ motion("turn", 2, about_z, 0.0)
        return self.held(q) @ end @ turn

    def angle(self, q: Any, s: Any) -> Any:
        return sum(q[2 + 3 * MODES + k] * rod(k, s, POLAR) for k in range(MODES)) if self.twist else 0.0

    def places(self, q: Any) -> Any:
        """Return mass points (p, 3): those of the beam, then of the body, whose inertia six points make."""
        held = self.held(q)
        along = np.array([self.s, 0 * self.s, 0 * self.s]) + self.deflection(q, self.s)
        points = [held[:3, :3] @ along[:, k] + held[:3, 3] for k in range(len(self.s))]
        body = self.body(q)
        points += [(body @ np.append(COM + each, 1.0))[:3] for each in self.spread()]
        return np.array(points)

    def body(self, q: Any) -> Any:
        return self.far(q) @ frame([0, 0, 0], PIN) @ motion("turn", 2, q[-1], 0.0)

    @staticmethod
    def spread() -> Any:
        """Return offsets of six equal points with the body's inertia: sum of squares along axis k is (tr/2 - I_k)."""
        squares = np.trace(INERTIA) / 2 - np.diag(INERTIA)
        offsets = np.sqrt(squares / (2 * MASS / 6))
        return [sign * offsets[k] * np.eye(3)[k] for k in range(3) for sign in (1.0, -1.0)]

    def accelerations(self, q: Any, rates: Any) -> Any:
        """Return the accelerations of the coordinates."""
        masses = np.concatenate([self.m, np.full(6, MASS / 6)])
        jacobian = np.array([np.imag(self.places(q + 1j * 1e-30 * e)) / 1e-30 for e in np.eye(self.count)])
        bias = second(self.places, q, rates)
        m = np.einsum("ipk,p,jpk->ij", jacobian, masses, jacobian)
        force = np.einsum("ipk,p,pk->i", jacobian, masses, G - bias)
        if self.twist:  # sections turn about the beam; at rest without further terms
            nodes = self.s
            turns = np.array([np.imag(np.broadcast_to(self.section(q + 1j * 1e-30 * e, nodes), nodes.shape)) / 1e-30
                              for e in np.eye(self.count)])  # fmt: skip
            m += (turns * self.m / MU * POLAR) @ turns.T
        return np.linalg.solve(m, force)

    def section(self, q: Any, s: Any) -> Any:
        """Return the turn of sections about the beam: that of the frame, by its second angle, and the twist."""
        return q[1] + self.angle(q, s)


PIN = [math.cos(0.35), 0.0, math.sin(0.35), 0.0]


def second(function: Any, q: Any, rates: Any) -> Any:
    """Return the second derivative along rates: central difference (1e-4, so 1e-8) of a complex step."""
    h = 1e-4
    slope = [np.imag(function(q + sign * h * rates + 1j * 1e-30 * rates)) / 1e-30 for sign in (1.0, -1.0)]
    return (slope[0] - slope[1]) / (2 * h)


def mechanism(q: Any, rates: Any, *, backwards: bool, twist: bool) -> symgen.Mechanism:
    points = Points(backwards=backwards, twist=twist)
    zero = np.zeros(points.count)
    zero[[0, 1, -1]] = q
    held, body = np.real(points.held(zero)), np.real(points.body(zero))
    turned = np.eye(4)
    turned[:3, :3] = points.turned
    pose = held @ turned
    if backwards:
        pose[:3, 3] += L * held[:3, 0]
    own = [0.0, 0.0, 1.0, 0.0] if backwards else [1.0, 0.0, 0.0, 0.0]
    near, far = ([L, 0, 0], [0, 0, 0]) if backwards else ([0, 0, 0], [L, 0, 0])
    more = {"torsion": GJ, "polar": POLAR} if twist else {}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": list(G),
        "bodies": {
            "b": {"beam": beam(axial=EA, **more), "pose": {"r": list(pose[:3, 3]), "q": quaternion(pose)}},
            "m": {"mass": MASS, "com": list(COM), "inertia": [*np.diag(INERTIA), 0, 0, 0],
                  "pose": {"r": list(body[:3, 3]), "q": quaternion(body)}},
        },
        "joints": {
            "A": {"type": "U", "bodies": ["ground", "b"], "frames": {"ground": {"at": [0, 0, 0], "q": [1, 0, 0, 0]},
                                                                     "b": {"at": near, "q": own}}},
            "B": {"type": "R", "bodies": ["b", "m"], "frames": {"b": {"at": far, "q": product(own, PIN)},
                                                                "m": {"at": [0, 0, 0], "q": [1, 0, 0, 0]}}},
        },
        "initial": {"joints": {"A": {"angle1": q[0], "angle2": q[1], "rate": {"angle1": rates[0], "angle2": rates[1]}},
                               "B": {"angle": q[2], "rate": rates[2]}}},
    })  # fmt: skip


def product(p: Any, q: Any) -> list[float]:
    a, b = np.array(p[1:]), np.array(q[1:])
    return [p[0] * q[0] - a @ b, *(p[0] * b + q[0] * a + np.cross(a, b))]


def quaternion(pose: Any) -> list[float]:
    m = pose[:3, :3]
    axis = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    w = 0.5 * math.sqrt(max(1.0 + np.trace(m), 0.0))
    if w > 1e-3:
        return [w, *(axis / (4 * w))]
    _, vectors = np.linalg.eigh(m + m.T)
    return [0.0, *vectors[:, -1]]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("twist", [False, True])
def test_a_beam_between_two_joints_moves_as_its_mass_points(backwards: bool, twist: bool) -> None:
    q = np.array([0.4, -0.3, 0.5])
    rates = np.zeros(3) if twist else np.array([0.9, -1.3, 2.1])
    points = Points(backwards=backwards, twist=twist)
    full, speed = np.zeros(points.count), np.zeros(points.count)
    full[[0, 1, -1]], speed[[0, 1, -1]] = q, rates
    expected = points.accelerations(full, speed)
    found = symgen.accelerations(mechanism(q, rates, backwards=backwards, twist=twist))
    assert found.ok
    # the modes of twelve shapes are those of theory to 1e-6
    scale = np.abs(expected[[0, 1, -1]]).max()
    measured = [found.joints["A"].accelerations["angle1"], found.joints["A"].accelerations["angle2"],
                found.joints["B"].accelerations["angle"]]  # fmt: skip
    assert np.abs(np.array(measured) - expected[[0, 1, -1]]).max() < 2e-5 * scale
    origin = second(lambda x: points.body(x)[:3, 3], full, speed) + sum(
        np.imag(points.body(full + 1j * 1e-30 * e)[:3, 3]) / 1e-30 * a
        for e, a in zip(np.eye(points.count), expected, strict=True)
    )
    assert np.abs(found.bodies["m"].a - origin).max() < 2e-5 * np.abs(origin).max()


def test_assumed_modes_have_the_frequencies_of_theory() -> None:
    """The first three of bending, of stretching and of torsion within 0.1 %; the first six with eight modes."""
    families = {f.kind: f for f in mode_families(Beam(L, MU, EI, EA, GJ, POLAR, 8), planar=False)}
    for kind, ei in (("y", EI[1]), ("z", EI[0])):
        theory = np.array([*ROOTS, 4.5 * math.pi, 5.5 * math.pi]) ** 2 * math.sqrt(ei / MU) / L**2
        assert families[kind].omega[:6] == pytest.approx(theory, rel=1e-3)
        assert families[kind].omega[:3] == pytest.approx(theory[:3], rel=1e-8)
    for kind, wave in (("stretch", math.sqrt(EA / MU)), ("twist", math.sqrt(GJ / POLAR))):
        theory = np.arange(1, 12, 2) * math.pi / (2 * L) * wave
        assert families[kind].omega[:6] == pytest.approx(theory, rel=1e-3)
    exact = symgen.vibrations(symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "bodies": {"b": {"beam": beam()}},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0, 0]}},
    }), modes=4).frequencies * math.tau  # fmt: skip
    assumed = sorted([*families["y"].omega[:3], *families["z"].omega[:3]])[:4]
    assert exact == pytest.approx(assumed, rel=1e-8)


def test_shapes_at_the_other_end_are_those_of_theory() -> None:
    (family,) = mode_families(Beam(L, MU, EI, None, None, 0.0, 3), planar=True)
    assert family.tip == pytest.approx([clamped(k, L) for k in range(3)], rel=1e-6)
    assert family.slope == pytest.approx([clamped(k, L, 1) for k in range(3)], rel=1e-5)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    s, w = 0.5 * L * (nodes + 1.0), 0.5 * L * weights * MU
    assert family.total == pytest.approx([w @ clamped(k, s) for k in range(3)], rel=1e-6)
    assert family.lever == pytest.approx([w @ (s * clamped(k, s)) for k in range(3)], rel=1e-6)


def refused(**tree: Any) -> str:
    base: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -9.81],
        "bodies": {"b": {"beam": beam(), "points": {"P": [0.5, 0, 0]}}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    }  # fmt: skip
    with pytest.raises(MechanismError) as caught:
        symgen.accelerations(symgen.Mechanism.from_dict({**base, **tree}))
    return str(caught.value)


def test_beams_that_accelerations_cannot_take_are_named() -> None:
    middle = {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0.5, 0, 0], "axis": [0, 1, 0]}}
    assert "bodies.b.beam: has joint A at 0.45" in refused(joints=middle)
    force = {"f": {"kind": "force", "body": "b", "value": [0, 0, 1]}}
    assert "forces.f: acts on the beam 'b'" in refused(forces=force)


@pytest.mark.parametrize("method", ["riccati", "multiplier"])
@pytest.mark.parametrize("axial", [None, 1e4])
def test_a_beam_held_at_both_ends_that_cannot_be_stretched_is_in_a_singular_position(
    method: str, axial: float | None
) -> None:
    """Straight, its ends are as far apart as they can be: bent they are nearer, by a square that no rate tells."""
    held = {"length": L, "mass_per_length": MU, "bending": EI[0]} | ({"axial": axial} if axial else {})
    idle = {"mass": 0.0, "com": [0, 0], "inertia": [0] * 6, "pose": {"r": [L, 0]}}
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -9.81],
        "bodies": {"b": {"beam": held}, "e": idle},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0]},
                   "B": {"type": "W", "bodies": ["b", "e"], "at": [L, 0]},
                   "C": {"type": "W", "bodies": ["e", "ground"], "at": [L, 0]}},
    })  # fmt: skip
    found = symgen.accelerations(mechanism, method)
    assert found.ok == (axial is not None)
    assert any("give it axial" in text for text in found.warnings) == (axial is None)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_beam_without_any_joint_falls_freely(space: str) -> None:
    """Every part of it falls alike, so nothing bends."""
    planar = space == "planar"
    free = {"length": L, "mass_per_length": MU, "polar": POLAR, "bending": EI[0] if planar else list(EI)}
    if planar:
        del free["polar"]
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": space, "gravity": [0, -9.81] if planar else [0, -9.81, 0],
        "bodies": {"b": {"beam": free}},
    })  # fmt: skip
    for method in ("riccati", "transfer", "multiplier"):
        found = symgen.accelerations(mechanism, method)
        assert found.ok
        np.testing.assert_allclose(found.bodies["b"].a, [0.0, -9.81, 0.0], atol=1e-10)  # rounding
        np.testing.assert_allclose(found.bodies["b"].alpha, 0.0, atol=1e-10)


def test_a_beam_whose_output_does_not_follow_its_input_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beams keep a pivot of 1e-5 and more, eight modes and two shapes: judged as if more digits were needed."""
    monkeypatch.setattr(beam_direct, "LARGEST_ERROR", 1e-13)
    held = {"length": L, "mass_per_length": MU, "bending": EI[0], "modes": 8}
    head = {"mass": MASS, "com": [0.1, 0], "inertia": [0, 0, 0.1, 0, 0, 0], "pose": {"r": [L, 0]}}
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "bodies": {"b": {"beam": held}, "m": head},
        "joints": {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0, 0]},
                   "B": {"type": "R", "bodies": ["b", "m"], "at": [L, 0]}},
    })  # fmt: skip
    with pytest.raises(SymgenError, match=r'singular pivot at beam b: .*take fewer modes, or use method "riccati"'):
        symgen.accelerations(mechanism, "transfer")


def test_numbers_that_depend_on_modes_are_said_to_and_those_of_rigid_bodies_are_not() -> None:
    """A level beam on a pin: the pin's force falls from a quarter of the weight towards nothing as modes are added."""

    def pinned(modes: int) -> Any:
        return symgen.accelerations(symgen.Mechanism.from_dict({
            "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0.0, -9.81],
            "bodies": {"b": {"beam": {"length": 2.0, "mass_per_length": 3.0, "bending": 50.0, "modes": modes}}},
            "joints": {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0, 0]}},
        }))  # fmt: skip

    forces = [float(np.linalg.norm(pinned(modes).joints["A"].force)) for modes in (1, 2, 4, 8)]
    assert forces == sorted(forces, reverse=True)
    assert forces[0] < 0.25 * 6.0 * 9.81
    assert forces[-1] < 0.2 * forces[0]
    result = pinned(2)
    (words,) = result.notes
    assert "number of modes" in words
    assert result.to_dict()["notes"] == [words]
    rigid = symgen.load(Path(__file__).resolve().parents[2] / "examples/transfer/slider_crank/mechanism.toml")
    assert symgen.accelerations(rigid).notes == ()
