"""Beams: eigenfrequencies and shapes against the theory of rods and beams, and against finite elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from oracle.vibration_energy import dense_eigenvalues

import symgen

L, EI, MU, EA, GJ, POLAR = 1.3, 90.0, 2.1, 4.0e5, 30.0, 4.0e-3
#: Zeros of 1 + cos cosh (clamped, free), cos cosh - 1 (clamped both ends, free both ends), tan - tanh (pinned, free).
CLAMPED_FREE = (1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467)
CLAMPED = (4.730040744862704, 7.853204624095838, 10.995607838001671)
PINNED_FREE = (3.926602312047919, 7.068582745628732, 10.210176122813031)
#: Frequencies are found to neighbouring numbers; stiffness of short pieces leaves some 1e-13.
EXACT = 1e-11


def bending(root: float, ei: float = EI, length: float = L) -> float:
    return root**2 * math.sqrt(ei / MU) / length**2 / math.tau


def mechanism(space: str = "spatial", **tree: Any) -> symgen.Mechanism:
    return symgen.Mechanism.from_dict({"schema": "symgen/mechanism/1", "space": space, **tree})


def beam(length: float = L, **more: Any) -> dict[str, Any]:
    return {"length": length, "mass_per_length": MU, "bending": [EI, 2.0 * EI], **more}


def clamped(**more: Any) -> symgen.Mechanism:
    joints = {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0, 0]}}
    return mechanism(bodies={"b": {"beam": beam(**more)}}, joints=joints)


@pytest.mark.slow
def test_cantilever_bends_twists_and_stretches_as_theory_says() -> None:
    found = symgen.vibrations(clamped(axial=EA, torsion=GJ, polar=POLAR), to=200.0)
    odd = np.arange(1, 40, 2) / (4.0 * L)
    expected = [
        *(bending(root, ei) for ei in (EI, 2.0 * EI) for root in (*CLAMPED_FREE, 4.5 * math.pi, 5.5 * math.pi)),
        *(odd * math.sqrt(GJ / POLAR)), *(odd * math.sqrt(EA / MU)),
    ]  # fmt: skip
    expected = sorted(value for value in expected if value < 200.0)
    assert len(found.modes) == len(expected)
    # 4.5 pi and 5.5 pi are zeros of 1 + cos cosh to 1e-6 and 6e-8
    assert found.frequencies == pytest.approx(expected, rel=2e-6)
    exact = [bending(root) for root in CLAMPED_FREE]
    assert all(np.abs(found.frequencies / each - 1.0).min() < EXACT for each in exact)


def test_shape_of_a_cantilever_is_that_of_theory_with_unit_modal_mass() -> None:
    mode = symgen.vibrations(clamped(), modes=1).modes[0]
    root, x, z = CLAMPED_FREE[0], mode.beams["b"].x / L, mode.beams["b"].r[:, 2]
    ratio = (math.cosh(root) + math.cos(root)) / (math.sinh(root) + math.sin(root))
    shape = np.cosh(root * x) - np.cos(root * x) - ratio * (np.sinh(root * x) - np.sin(root * x))
    # the integral of the squared shape is L times a quarter of its square at the tip; solved 1e-7 beside the root
    assert np.abs(z / z[-1] - shape / shape[-1]).max() < 1e-7
    assert z[-1] ** 2 * MU * L / 4.0 == pytest.approx(1.0, rel=1e-7)


@pytest.mark.parametrize("cut", [0.4, 0.5])
def test_clamped_at_both_ends_through_a_weld_in_between(cut: float) -> None:
    found = symgen.vibrations(mechanism(
        bodies={"a": {"beam": beam(cut * L, axial=EA)},
                "b": {"pose": {"r": [cut * L, 0, 0]}, "beam": beam((1 - cut) * L, axial=EA)}},
        joints={"A": {"type": "W", "bodies": ["ground", "a"], "at": [0, 0, 0]},
                "B": {"type": "W", "bodies": ["a", "b"], "at": [cut * L, 0, 0]},
                "C": {"type": "W", "bodies": ["b", "ground"], "at": [L, 0, 0]}},
    ), modes=5)  # fmt: skip
    expected = sorted(bending(root, ei) for ei in (EI, 2.0 * EI) for root in CLAMPED)[:5]
    assert found.frequencies == pytest.approx(expected, rel=EXACT)


def test_pinned_and_free_with_one_motion_without_resistance() -> None:
    joints = {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0, 0]}}
    found = symgen.vibrations(mechanism("planar", bodies={"b": {"beam": {**beam(), "bending": EI}}}, joints=joints),
                              modes=3)  # fmt: skip
    assert found.zero == 1
    assert found.frequencies == pytest.approx([bending(root) for root in PINNED_FREE], rel=EXACT)


def test_free_beam_in_space_has_six_motions_without_resistance() -> None:
    found = symgen.vibrations(mechanism(bodies={"b": {"beam": beam(axial=EA, torsion=GJ, polar=POLAR)}}), modes=3)
    assert found.zero == 6
    expected = sorted(bending(root, ei) for ei in (EI, 2.0 * EI) for root in CLAMPED[:2])[:3]
    lowest = [*expected, 0.5 / L * math.sqrt(GJ / POLAR)]
    assert found.frequencies == pytest.approx(sorted(lowest)[:3], rel=EXACT)


def test_round_beams_have_every_mode_twice_and_the_pairs_are_orthogonal() -> None:
    made = mechanism(bodies={"b": {"beam": {**beam(), "bending": [EI, EI]}}},
                     joints={"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0, 0]}})  # fmt: skip
    found = symgen.vibrations(made, modes=4)
    assert found.frequencies == pytest.approx([bending(r) for r in CLAMPED_FREE[:2] for _ in range(2)], rel=EXACT)
    one, two = (found.modes[k].beams["b"].r[-1, 1:] for k in (0, 1))
    assert abs(one @ two) < 1e-6 * (one @ one)


def test_tip_mass_obeys_its_transcendental_equation() -> None:
    mass = 1.7
    made = mechanism(
        bodies={"b": {"beam": beam()}, "m": {"mass": mass, "inertia": [0] * 6, "pose": {"r": [L, 0, 0]}}},
        joints={"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0, 0]},
                "B": {"type": "W", "bodies": ["b", "m"], "at": [L, 0, 0]}},
    )  # fmt: skip
    found = symgen.vibrations(made, modes=1).frequencies[0]

    def gap(b: float) -> float:
        c, s, ch, sh = math.cos(b), math.sin(b), math.cosh(b), math.sinh(b)
        return 1.0 + c * ch + mass / (MU * L) * b * (c * sh - s * ch)

    low, high = 0.5, 1.8
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle) > 0.0 else (low, middle)
    assert found == pytest.approx(bending(low), rel=EXACT)


# -- finite elements ---------------------------------------------------------------------------------------------------


def finite_elements(segments: list[tuple[float, float]], parts: int, push: Any = None) -> np.ndarray[Any, Any]:
    """Return eigenvalues of planar beams in a row at angles, clamped at the start: Hermite elements.

    segments : (length, angle); push : pressing force at the distance from the clamp, or None.
    """
    total = len(segments) * parts + 1
    k, m = np.zeros((3 * total, 3 * total)), np.zeros((3 * total, 3 * total))
    node, way = 0, 0.0
    for length, angle in segments:
        h = length / parts
        c, s = math.cos(angle), math.sin(angle)
        turn = np.kron(np.eye(2), np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))
        rod = np.array([[1, -1], [-1, 1]]) * EA / h
        bend = EI / h**3 * np.array([
            [12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
            [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]])  # fmt: skip
        mass = MU * h / 420 * np.array([
            [156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
            [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]])  # fmt: skip
        stiff = np.array([
            [36, 3 * h, -36, 3 * h], [3 * h, 4 * h * h, -3 * h, -h * h],
            [-36, -3 * h, 36, -3 * h], [3 * h, -h * h, -3 * h, 4 * h * h]]) / (30 * h)  # fmt: skip
        for _ in range(parts):
            ke, me = np.zeros((6, 6)), np.zeros((6, 6))
            ke[np.ix_([0, 3], [0, 3])] = rod
            me[np.ix_([0, 3], [0, 3])] = MU * h / 6 * np.array([[2, 1], [1, 2]])
            at = np.ix_([1, 2, 4, 5], [1, 2, 4, 5])
            ke[at] = bend - (push(way + 0.5 * h) * stiff if push is not None else 0.0)
            me[at] = mass
            place = slice(3 * node, 3 * node + 6)
            k[place, place] += turn.T @ ke @ turn
            m[place, place] += turn.T @ me @ turn
            node, way = node + 1, way + h
    return dense_eigenvalues(k[3:, 3:], m[3:, 3:])


def test_bent_frame_of_two_beams_against_finite_elements() -> None:
    one, two, angle = 0.8, 1.1, 1.0
    corner = [one * math.cos(0.2), one * math.sin(0.2)]
    flat = {**beam(one, axial=EA), "bending": EI}
    made = mechanism(
        "planar",
        bodies={"a": {"pose": {"r": [0, 0], "angle": 0.2}, "beam": flat},
                "b": {"pose": {"r": corner, "angle": angle}, "beam": {**flat, "length": two}}},
        joints={"A": {"type": "W", "bodies": ["ground", "a"], "at": [0, 0]},
                "B": {"type": "W", "bodies": ["a", "b"], "at": corner}},
    )  # fmt: skip
    squares = finite_elements([(one, 0.2), (two, angle)], 30)[:6]
    # Hermite elements are of fourth order in 1/30 of a wave; axial motion of second order
    assert symgen.vibrations(made, modes=6).frequencies == pytest.approx(np.sqrt(squares) / math.tau, rel=2e-4)


def test_column_under_its_own_weight_and_a_head_mass() -> None:
    g, head = 9.81, 6.0
    flat = {**beam(axial=EA), "bending": EI}
    made = mechanism(
        "planar", gravity=[0, -g],
        bodies={"a": {"pose": {"r": [0, 0], "angle": math.pi / 2}, "beam": flat},
                "m": {"mass": head, "inertia": [0, 0, 0, 0, 0, 0], "pose": {"r": [0, L]}}},
        joints={"A": {"type": "W", "bodies": ["ground", "a"], "at": [0, 0]},
                "B": {"type": "W", "bodies": ["a", "m"], "at": [0, L]}},
    )  # fmt: skip
    found = symgen.vibrations(made, modes=1).frequencies[0]
    free = symgen.vibrations(symgen.Mechanism.from_dict({**made.source, "gravity": [0, 0]}), modes=1).frequencies[0]
    # Rayleigh's quotient with the static shape x^2 (3 - x)/2: stiffness 3 EI/L^3 less 6/5 of head weight over L (and
    # 33/140 of the own mass moving, 0.3 ... of its weight pressing); good to a percent of the change.
    change = (1.2 * head * g / L + (1.2 - 33 / 40) * MU * g) / (3 * EI / L**3)
    assert found**2 / free**2 == pytest.approx(1.0 - change, abs=0.02 * change)


def machine(way: str) -> symgen.Mechanism:
    """Return a beam on a spring pin at a third of its length, a second one across its end, a body on a spring there.

    way : "whole", the first beam "cut" in two at the pin, or "turned" (its frame at the other end).
    """
    third = 0.4
    full = beam(axial=EA, torsion=GJ, polar=POLAR)
    bodies: dict[str, Any] = {
        "c": {"beam": {**full, "length": 0.7}, "pose": {"r": [L, 0, 0], "q": [math.sqrt(0.5), 0, 0, math.sqrt(0.5)]}},
        "m": {"mass": 0.6, "com": [0.0, 0.1, 0.05], "inertia": [0.01, 0.02, 0.03, 0, 0, 0], "pose": {"r": [0, 0, 0]}},
    }
    joints: dict[str, Any] = {"M": {"type": "S", "bodies": ["m", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]}}
    pin, corner = "b", "b"
    if way == "cut":
        bodies["b"] = {"beam": {**full, "length": third}}
        bodies["e"] = {"beam": {**full, "length": L - third}, "pose": {"r": [third, 0, 0]}}
        joints["W"] = {"type": "W", "bodies": ["e", "b"], "at": [third, 0, 0], "axis": [0, 0, 1]}
        pin = corner = "e"
    elif way == "turned":  # half a turn about z: bending about y and z as before
        bodies["b"] = {"beam": full, "pose": {"r": [L, 0, 0], "q": [0, 0, 0, 1]}}
    else:
        bodies["b"] = {"beam": full}
    joints["A"] = {"type": "U", "bodies": ["ground", pin], "at": [third, 0, 0], "axis": [0, 0, 1], "axis2": [0, 1, 0]}
    joints["C"] = {"type": "W", "bodies": [corner, "c"], "at": [L, 0, 0], "axis": [0, 0, 1]}
    forces = {
        f"{joint}{freedom}": {"kind": "joint", "joint": joint, "freedom": freedom, "stiffness": stiffness}
        for joint, freedom, stiffness in [("A", "angle1", 50.0), ("A", "angle2", 70.0), ("M", "yaw", 9.0),
                                          ("M", "pitch", 8.0), ("M", "roll", 7.0)]
    }  # fmt: skip
    return mechanism(bodies=bodies, joints=joints, forces=forces)


@pytest.mark.slow
def test_a_beam_may_be_cut_at_a_joint_or_turned_end_for_end() -> None:
    whole, cut, turned = (symgen.vibrations(machine(way), modes=8) for way in ("whole", "cut", "turned"))
    assert cut.frequencies == pytest.approx(whole.frequencies, rel=1e-9)
    assert turned.frequencies == pytest.approx(whole.frequencies, rel=1e-9)
    # the shapes are the same too: the body's displacement, of modal mass 1
    for one, two in zip(whole.modes, turned.modes, strict=True):
        assert np.abs(np.abs(one.bodies["m"].r) - np.abs(two.bodies["m"].r)).max() < 1e-5


@pytest.mark.parametrize(("gravity", "slope"), [([0.0, -9.81], 9.81), ([9.81, 0.0], 0.0), ([0.0, 0.0], 0.0)])
def test_a_sag_that_is_left_out_is_said_with_its_size(gravity: list[float], slope: float) -> None:
    made = mechanism(
        "planar", gravity=gravity,
        bodies={"b": {"beam": {"length": 2.0, "mass_per_length": 0.3, "bending": 500.0}},
                "m": {"mass": 0.4, "inertia": [0] * 6, "pose": {"r": [2.0, 0.0]}}},
        joints={"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0]},
                "B": {"type": "W", "bodies": ["b", "m"], "at": [2.0, 0]}},
    )  # fmt: skip
    notes = [note for note in symgen.vibrations(made, modes=1).notes if "sags" in note]
    if not slope:
        assert notes == []
        return
    # clamped at one end, theory: F L^2/2EI + q L^3/6EI; said is half of the clamp's moment times L/EI, a little more
    theory = slope * (0.4 * 2.0**2 / 2.0 + 0.3 * 2.0**3 / 6.0) / 500.0
    said = float(notes[0].partition("about ")[2].partition(" ")[0])
    assert "beam b sags" in notes[0]
    assert theory <= said < 1.3 * theory
