"""Flexible beams in motion: energy, frequencies, rotating blades, chains of rigid pieces, loops; both engines alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from oracle.beam_chain import chain_tree

import symgen
from symgen.errors import InputError, MechanismError, SolveError

Tree = dict[str, Any]
BEAM = {"length": 1.1, "mass_per_length": 1.7, "bending": [80.0, 130.0], "axial": 3.0e4, "torsion": 25.0,
        "polar": 6.0e-3, "modes": 2}  # fmt: skip
AHEAD = [1.0, 0.0, 0.0, 0.0]


def swinging(*, backwards: bool, **more: Any) -> symgen.Mechanism:
    """Return a beam on a universal joint with a body on a pin at its other end, all in motion."""
    near, far = ([1.1, 0, 0], [0, 0, 0]) if backwards else ([0, 0, 0], [1.1, 0, 0])
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0.7, -1.1, -9.81],
        "bodies": {
            "b": {"beam": {**BEAM, **more}, "points": {"M": [0.4, 0.02, -0.01], "F": far}},
            "m": {"mass": 0.8, "com": [0.15, 0.04, -0.03], "inertia": [0.02, 0.03, 0.04, 0, 0, 0], "pose": {"r": far}},
        },
        "joints": {
            "A": {"type": "U", "bodies": ["ground", "b"], "frames": {"ground": {"at": near, "q": AHEAD},
                                                                    "b": {"at": near, "q": AHEAD}}},
            "B": {"type": "R", "bodies": ["b", "m"], "at": far, "axis": [0, 1, 0.3]},
        },
        "initial": {"joints": {"A": {"rate": {"angle1": 3.0, "angle2": -2.0}}, "B": {"rate": 4.0}}},
    })  # fmt: skip


def linkage() -> symgen.Mechanism:
    """Return a planar four-bar linkage with a flexible coupler."""
    c, s = 0.5 * math.cos(1.0), 0.5 * math.sin(1.0)
    ground = [0.2 + c + 0.4 * math.cos(-1.2), s + 0.4 * math.sin(-1.2)]
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -9.81],
        "bodies": {
            "crank": {"mass": 0.5, "com": [0.1, 0], "inertia": [0, 0, 0.002, 0, 0, 0]},
            "coupler": {"beam": {"length": 0.5, "mass_per_length": 1.2, "bending": 20.0, "axial": 1e4, "modes": 2},
                        "pose": {"r": [0.2, 0], "angle": 1.0}},
            "rocker": {"mass": 0.7, "com": [0.2, 0], "inertia": [0, 0, 0.004, 0, 0, 0],
                       "pose": {"r": [0.2 + c, s], "angle": -1.2}},
        },
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [0.2, 0]},
            "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [0.2 + c, s]},
            "D": {"type": "R", "bodies": ["rocker", "ground"], "at": ground},
        },
        "initial": {"joints": {"A": {"rate": 6.0}}},
    })  # fmt: skip


def arch() -> symgen.Mechanism:
    """Return two beams welded to a corner, held at both feet, with a body on the corner: a loop of beams."""
    beam = {**BEAM, "length": 1.0, "axial": None}
    del beam["axial"]
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -9.81],
        "bodies": {
            "a": {"beam": beam},
            "b": {"beam": beam, "pose": {"r": [1, 1, 0], "q": [math.sqrt(0.5), 0, 0, -math.sqrt(0.5)]}},
            "m": {"mass": 0.5, "com": [0, 0, 0.1], "inertia": [0.01, 0.01, 0.01, 0, 0, 0], "pose": {"r": [1, 0, 0]}},
        },
        "joints": {
            "A": {"type": "W", "bodies": ["ground", "a"], "at": [0, 0, 0]},
            "B": {"type": "S", "bodies": ["b", "ground"], "at": [1, 1, 0]},
            "C": {"type": "W", "bodies": ["a", "b"], "at": [1, 0, 0]},
            "D": {"type": "R", "bodies": ["b", "m"], "at": [1, 0, 0], "axis": [0, 1, 1]},
        },
    })  # fmt: skip


def branches() -> symgen.Mechanism:
    """Return beams that carry beams and bodies at both ends, in the order and against it."""
    beam = {**BEAM, "length": 0.7, "end_shapes": 2}
    body = {"mass": 0.4, "com": [0.1, 0.02, 0], "inertia": [0.003, 0.004, 0.005, 0, 0, 0.001]}
    far = {"pose": {"r": [0.7, 0, 0]}}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [1.0, 2.0, -9.0],
        "bodies": {
            "a": {"beam": beam}, "one": {**body, **far}, "two": {**body, **far}, "near": body,
            "b": {"beam": beam, "pose": {"r": [1.4, 0, 0], "q": [0, 0, 0, 1]}},
            "tip": {**body, "pose": {"r": [1.4, 0, 0]}},
        },
        "joints": {
            "A": {"type": "R", "bodies": ["a", "ground"], "at": [0, 0, 0], "axis": [0.2, 1, 0]},
            "B": {"type": "R", "bodies": ["a", "one"], "at": [0.7, 0, 0], "axis": [1, 1, 0]},
            "C": {"type": "U", "bodies": ["two", "a"], "at": [0.7, 0, 0], "axis": [0, 1, 0], "axis2": [0, 0, 1]},
            "D": {"type": "S", "bodies": ["a", "near"], "at": [0, 0, 0]},
            "E": {"type": "R", "bodies": ["b", "two"], "at": [0.7, 0, 0], "axis": [0, 1, 0.5]},
            "F": {"type": "P", "bodies": ["tip", "b"], "at": [1.4, 0, 0], "axis": [0, 0.3, 1]},
        },
        "forces": {"k": {"kind": "joint", "joint": "F", "freedom": "slide", "stiffness": 200.0}},
        "initial": {"joints": {"A": {"rate": 2.0}, "B": {"rate": -3.0}, "E": {"rate": 1.5}, "F": {"rate": 0.2}}},
    })  # fmt: skip


MECHANISMS = {
    "branches": branches,
    "held near": lambda: swinging(backwards=False),
    "held far": lambda: swinging(backwards=True),
    "linkage": linkage,
    "arch": arch,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_energy_is_kept_to_the_integrators_error(name: str) -> None:
    result = symgen.simulate(MECHANISMS[name](), method="riccati", tolerance=1e-9, until=0.2, sample=0.01)
    assert result.ok
    assert max(np.abs(beam.values).max() for beam in result.beams.values()) > 5e-4  # it bends
    # errors of steps are a hundredth of the tolerance, some hundred of them, energies of some ten joules
    assert result.drift < 1e-8
    assert result.largest_violation < 1e-12


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("loops", ["projection", "stabilised"])
def test_both_engines_take_the_same_steps(name: str, loops: str) -> None:
    mechanism = MECHANISMS[name]()
    one, two = (
        symgen.simulate(mechanism, method="riccati", step=5e-5, until=5e-4, backend=backend, loops=loops).table()
        for backend in ("c", "numpy")
    )
    assert list(one) == list(two)
    for column, values in one.items():
        # ten steps; sums in another order, accelerations of stiff modes are differences of large forces
        assert np.abs(values - two[column]).max() < 1e-9 * max(1.0, np.abs(values).max()), column


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", MECHANISMS)
def test_motion_starts_with_the_accelerations_of_transfer_matrices(name: str) -> None:
    mechanism = MECHANISMS[name]()
    started = symgen.simulate(mechanism, method="riccati", step=1e-5, until=1e-5)
    found = symgen.accelerations(mechanism)
    largest = max(np.abs(body.alpha).max() for body in found.bodies.values())
    for joint in mechanism.joints:
        exact = found.joints[joint.id].accelerations
        for freedom in joint.freedoms:
            # integrals of shapes there, mass points here: both exact to rounding of sums of some ten terms
            measured = started.joints[joint.id].accelerations[freedom][0]
            assert measured == pytest.approx(exact[freedom], abs=1e-10 * largest)


@pytest.mark.parametrize("backwards", [False, True])
def test_sections_points_and_ends_move_together(backwards: bool) -> None:
    result = symgen.simulate(swinging(backwards=backwards), method="riccati", step=2e-5, until=0.02, sample=1e-3)
    beam, times = result.beams["b"], result.times
    for place, body in ((0.0, "b"), (1.1, "b.end")):
        section, track = beam.section(place), result.bodies[body]
        sign = np.sign(np.sum(section.q * track.q, axis=1))[:, None]
        for one, two in ((section.r, track.r), (sign * section.q, track.q), (section.v, track.v), (section.a, track.a),
                         (section.omega, track.omega), (section.alpha, track.alpha)):  # fmt: skip
            assert one == pytest.approx(two, abs=1e-10 * (1 + np.abs(two).max()))
    # velocities are slopes of places: differences over 2 ms of what bends at up to some 100 Hz
    middle = slice(1, -1)
    for name in ("b.M", "b.F"):
        slope = (result.point(name)[2:] - result.point(name)[:-2]) / (times[2] - times[0])
        assert result.point_velocity(name)[middle] == pytest.approx(slope, abs=0.05)
    assert np.abs(result.point("b.F") - result.bodies["b" if backwards else "b.end"].r).max() < 1e-12
    assert np.array_equal(result.table()["b.bend_y1"], beam.values[:, 0])
    assert result.table()["elastic"] == pytest.approx(0.5 * beam.values**2 @ beam.omega**2)


def frequencies(result: symgen.SimulationResult, columns: list[tuple[str, str]]) -> Any:
    """Return the angular frequencies of a small motion: accelerations are linear in coordinates."""
    values, seconds = (
        np.column_stack([getattr(result.joints[joint], kind)[freedom] for joint, freedom in columns])
        for kind in ("coordinates", "accelerations")
    )
    known = np.column_stack([values, np.full(len(values), np.abs(values).max())])
    size = np.abs(known).max(axis=0)
    matrix = np.linalg.lstsq(known / size, seconds, rcond=None)[0] / size[:, None]
    return np.sqrt(np.sort(np.linalg.eigvals(-matrix[:-1]).real))


#: Assumed modes have no shear at their far end, where a head pulls: alone they err as 1/modes, with its shapes hardly.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("held", "head", "modes", "near"),
    [("clamped", 0.0, (8, 0), (1e-10, 1e-10)), ("pinned", 0.0, (8, 0), (1e-8, 1e-6)),
     ("clamped", 0.9, (8, 0), (1.2e-4, 3e-3)), ("clamped", 0.9, (2, 2), (2e-5, 2e-5)),
     ("pinned", 0.9, (4, 2), (1e-6, 4e-6))],
)  # fmt: skip
def test_small_vibrations_have_the_frequencies_of_exact_beams(
    held: str, head: float, modes: tuple[int, int], near: tuple[float, float]
) -> None:
    """A spring at a pin. Rayleigh: frequencies are never below the exact ones."""
    tree: Tree = {
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -1e-6],
        "bodies": {"b": {"beam": {"length": 1.3, "mass_per_length": 2.0, "bending": 40.0, "modes": modes[0],
                                   "end_shapes": modes[1]}}},
        "joints": {"A": {"type": "W" if held == "clamped" else "R", "bodies": ["ground", "b"], "at": [0, 0]}},
    }  # fmt: skip
    if head:
        tree["bodies"]["m"] = {"mass": head, "com": [0.05, 0], "inertia": [0, 0, 0.004, 0, 0, 0],
                               "pose": {"r": [1.3, 0]}}  # fmt: skip
        tree["joints"]["B"] = {"type": "W", "bodies": ["b", "m"], "at": [1.3, 0]}
    if held == "pinned":
        tree["forces"] = {"k": {"kind": "joint", "joint": "A", "freedom": "angle", "stiffness": 60.0}}
    result = symgen.simulate(
        symgen.Mechanism.from_dict(tree), method="riccati", tolerance=1e-13, until=0.5, sample=1e-3
    )  # fmt: skip
    columns = [("b", name) for name in result.beams["b"].names] + ([("A", "angle")] if held == "pinned" else [])
    still = symgen.Mechanism.from_dict({**tree, "gravity": [0, 0]})
    exact = symgen.vibrations(still, modes=2).frequencies * math.tau
    errors = frequencies(result, columns)[:2] / exact - 1
    assert np.all(errors < near)
    assert np.all(errors > -1e-9)  # rounding of accelerations that are fitted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("speed", "flap"), [(0.0, (3.5160, 22.0345)), (3.0, (4.7973, 23.3203)), (6.0, (7.3604, 26.8091))]
)
def test_a_rotating_blade_stiffens_as_in_the_literature(speed: float, flap: tuple[float, float]) -> None:
    """Uniform blade on the axis, L = mu = EI = 1: A. D. Wright et al., J. Applied Mechanics 49 (1982).

    In the plane of rotation the squares of frequencies are those across it less that of the rotation.
    """
    tree: Tree = {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -1e-6],
        "bodies": {"b": {"beam": {"length": 1.0, "mass_per_length": 1.0, "bending": [1.0, 1.0], "modes": 5}}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1], "driven": 1}},
        "drives": {"A": f"{speed}*t + 5e-7*t**2"},
    }  # fmt: skip
    mechanism = symgen.Mechanism.from_dict(tree)
    result = symgen.simulate(mechanism, method="riccati", tolerance=1e-12, until=2.0, sample=0.01)
    across, within = (
        frequencies(result, [("b", name) for name in result.beams["b"].names if name.startswith(family)])[:2]
        for family in ("bend_z", "bend_y")
    )
    assert across == pytest.approx(flap, rel=2e-4)  # five modes, and four digits printed
    assert np.sqrt(within**2 + speed**2) == pytest.approx(across, rel=1e-5)  # the speed grows by 2e-6


@pytest.mark.slow
def test_a_heavy_rod_swings_as_rigid_pieces_on_elastic_hinges() -> None:
    """Deflections of 1.8 %: what is left out is of third order; pieces err with their square, so two chains tell."""
    length, mass, stiffness = 1.0, 2.0, 24.0
    options: Any = {"method": "riccati", "tolerance": 1e-8, "until": 0.8, "sample": 0.02}

    def chain(pieces: int) -> Any:
        tree = chain_tree(pieces, length, mass, stiffness, gravity=9.81)
        return symgen.simulate(symgen.Mechanism.from_dict(tree), **options).point(f"p{pieces - 1}.E")

    coarse, fine = chain(8), chain(16)
    limit = fine + (fine - coarse) / 3

    def end(bending: float) -> Any:
        beam = {"length": length, "mass_per_length": mass, "bending": bending, "modes": 5}
        return symgen.simulate(symgen.Mechanism.from_dict({
            "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -9.81],
            "bodies": {"b": {"beam": beam, "points": {"E": [length, 0]}}},
            "joints": {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0, 0]}},
        }), **options).point("b.E")  # fmt: skip

    assert np.abs(end(stiffness) - limit).max() < 5e-5
    assert np.abs(end(100 * stiffness) - limit).max() > 1e-3  # a stiff rod is somewhere else


def test_modes_are_damped_by_their_ratio() -> None:
    tree: Tree = {
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -1e-3],
        "bodies": {"b": {"beam": {"length": 1, "mass_per_length": 1, "bending": 10, "modes": 1, "damping": 0.05}}},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0]}},
    }  # fmt: skip
    result = symgen.simulate(
        symgen.Mechanism.from_dict(tree), method="riccati", tolerance=1e-12, until=2.0, sample=0.01
    )
    beam = result.beams["b"]
    w, rest = beam.omega[0], beam.accelerations[0, 0] / beam.omega[0] ** 2
    free = w * math.sqrt(1 - 0.05**2)
    t = result.times
    exact = rest * (1 - np.exp(-0.05 * w * t) * (np.cos(free * t) + 0.05 * w / free * np.sin(free * t)))
    assert beam.values[:, 0] == pytest.approx(exact, abs=1e-6 * abs(rest))  # shortening: of second order in 1e-4


def test_a_step_too_long_for_the_highest_mode_is_said() -> None:
    mechanism = swinging(backwards=False)
    result = symgen.simulate(mechanism, method="riccati", step=0.01, until=0.01)
    (words,) = [each for each in result.run.warnings if "highest mode" in each]
    assert "too long for the highest mode of the beams" in words
    limit = float(words.partition("steps above ")[2].partition(" s")[0])
    slow, fast = (
        symgen.simulate(mechanism, method="riccati", step=limit * part, until=1000 * limit * part)
        for part in (0.9, 1.2)
    )
    assert slow.ok
    assert not any("too long" in words for words in slow.run.warnings)
    assert slow.drift < abs(slow.kinetic[0])  # the fastest modes are damped, nothing grows
    assert not fast.ok or fast.drift > 1e3 * abs(fast.kinetic[0])


def test_what_beams_in_motion_cannot_do_is_named() -> None:
    tree: Tree = {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -9.81],
        "bodies": {"b": {"beam": BEAM}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    }  # fmt: skip
    mechanism = symgen.Mechanism.from_dict(tree)
    for options, words in (
        ({"method": "transfer"}, "method transfer"),
        ({"method": "riccati", "reactions": True}, "reactions"),
    ):
        with pytest.raises(InputError, match=words):
            symgen.simulate(mechanism, step=1e-3, until=1e-2, **options)
    with pytest.raises(MechanismError, match="method riccati"):
        symgen.simulate(mechanism, step=1e-3, until=1e-2)
    middle = {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0.55, 0, 0], "axis": [0, 1, 0]}}
    loads = {"f": {"kind": "force", "body": "b", "value": [0, 0, 1]}}
    for more, words in (
        ({"joints": middle}, "has joint A at 0.5 of its length"),
        ({"forces": loads}, "acts on the beam"),
    ):
        with pytest.raises(MechanismError, match=words):
            symgen.simulate(symgen.Mechanism.from_dict({**tree, **more}), method="riccati", step=1e-3, until=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("axial", [None, 1e3])
def test_a_beam_that_both_ends_hold_bends_if_it_can_be_stretched(axial: float | None) -> None:
    """Clamped at both ends: the middle sags by q L^4/(384 EI), dynamically to twice that."""
    beam = {"length": 1.0, "mass_per_length": 1.0, "bending": 1.0, "modes": 3, "end_shapes": 2} | (
        {"axial": axial} if axial else {}
    )
    head = {"mass": 1e-3, "com": [0, 0], "inertia": [0, 0, 1e-6, 0, 0, 0], "pose": {"r": [1, 0]}}
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -1e-3],
        "bodies": {"b": {"beam": {**beam, "damping": 0.2}, "points": {"M": [0.5, 0]}}, "m": head},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0]},
                   "B": {"type": "W", "bodies": ["b", "m"], "at": [1, 0]},
                   "C": {"type": "W", "bodies": ["m", "ground"], "at": [1, 0]}},
    })  # fmt: skip
    if axial is None:
        with pytest.raises(SolveError, match="give it axial"):
            symgen.simulate(mechanism, method="riccati", tolerance=1e-10, until=1e-2)
        return
    result = symgen.simulate(mechanism, method="riccati", tolerance=1e-10, until=20.0, sample=1.0)
    assert result.ok
    assert result.largest_violation < 1e-12
    # three modes and two static shapes: 0.3 %
    assert result.point("b.M")[-1, 1] == pytest.approx(-1e-3 / 384, rel=5e-3)


@pytest.mark.slow
def test_a_free_beam_keeps_momentum_and_energy() -> None:
    tree: Tree = {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, 0], "bodies": {"b": {"beam": BEAM}},
        "joints": {"F": {"type": "F", "bodies": ["ground", "b"], "frames": {"ground": {"at": [0, 0, 0], "q": AHEAD},
                                                                           "b": {"at": [0, 0, 0], "q": AHEAD}}}},
        "initial": {"bodies": {"b": {"omega": [0.5, 2.0, 3.0]}}},
    }  # fmt: skip
    result = symgen.simulate(
        symgen.Mechanism.from_dict(tree), method="riccati", tolerance=1e-10, until=0.2, sample=0.01
    )
    assert result.ok
    assert result.drift < 1e-8
    beam = result.beams["b"]
    nodes, weights = np.polynomial.legendre.leggauss(30)
    sections = [beam.section(0.55 * (x + 1)) for x in nodes]
    momentum = sum(w * s.v for w, s in zip(weights * 0.55 * 1.7, sections, strict=True))
    assert np.abs(momentum - momentum[0]).max() < 1e-7 * np.abs(momentum).max() + 1e-8
