"""The result of a simulation tells of bodies, points and joints what the states say; nothing is lost on the way out."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import symgen
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.simulate.results.records import Failure, JointReaction, Run
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.results.states import Welded, result_of_states
from symgen.solve.columns import columns
from symgen.solve.turns import follow_rates
from symgen.status import Status

EXAMPLES = ("spatial_four_bar", "stewart_inverse", "jansen_leg", "screw_rod", "quick_return", "double_coupler")
TURN = 2.0 * np.pi


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", EXAMPLES)
def test_states_of_centres_of_mass_give_the_motion_that_was_solved(solved_and_simulated, name):
    motion, result = solved_and_simulated(name)
    solved, simulated = columns(motion), columns(result)
    assert [*solved, "kinetic", "potential", "total", "violation"] == list(simulated)
    for column, expected in solved.items():
        found = simulated[column]
        joint, _, freedom = column.partition(".")
        if joint in motion.joints and freedom in motion.joints[joint].coordinates and "slide" not in freedom:
            # a driven angle is its law, a free one starts within half a turn: both are the same up to full turns
            found = found + TURN * np.round((expected[0] - found[0]) / TURN)
        # levers of 0.1 m and a few joints in between: some hundred roundings of numbers up to the largest of the column
        scale = 1.0 + np.nanmax(np.abs(expected))
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * scale, err_msg=column)


def test_the_rates_of_joints_are_those_of_their_coordinates(spinning):
    result = spinning(spin=5.0, times=np.linspace(0.0, 1.0, 4001))
    track, h = result.joints["J"], 1.0 / 4000
    for freedom, value in track.coordinates.items():
        for low, high in ((value, track.rates[freedom]), (track.rates[freedom], track.accelerations[freedom])):
            central = (low[2:] - low[:-2]) / (2 * h)
            # central differences: h^2/6 of third derivatives, which are below 1e4 here (rates below 10, pitch < 0.4)
            np.testing.assert_allclose(central, high[1:-1], atol=1e4 * h**2)


def test_a_top_in_steady_precession_keeps_its_energy_and_the_formula_of_it(spinning):
    spin, nod, rate = 40.0, 0.4, 3.0
    result = spinning(spin, nod, rate)
    # omega along the figure axis: spin + rate cos(nod); across: rate sin(nod)
    expected = 0.5 * 0.05 * (spin + rate * np.cos(nod)) ** 2 + 0.5 * 0.03 * (rate * np.sin(nod)) ** 2
    np.testing.assert_allclose(result.kinetic, expected, rtol=1e-13)
    assert result.drift < 1e-12 * expected
    assert np.all(result.potential == 0.0)


def test_a_pendulum_has_its_height_and_its_spring_as_potential():
    tree = {
        "schema": "symgen/mechanism/1", "name": "pendulum", "space": "planar", "gravity": [0.0, -9.81],
        "bodies": {"rod": {"mass": 3.0, "com": [0.5, 0.0], "inertia": [0, 0, 0.1, 0, 0, 0], "points": {"P": [1, 0]}},
                   "ground": {"points": {"Q": [0.0, 2.0]}}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "rod"], "at": [0, 0]}},
        "forces": {
            "s": {"kind": "spring", "between": ["ground.Q", "rod.P"], "stiffness": 7.0, "length": 0.4},
            "k": {"kind": "joint", "joint": "A", "freedom": "angle", "stiffness": 11.0, "rest": 0.2},
        },
    }  # fmt: skip
    t = np.linspace(0.0, 3.0, 50)
    angle, rate = 4.0 * t, np.full_like(t, 4.0)
    zero = np.zeros_like(t)
    arm = 0.5 * np.stack([np.cos(angle), np.sin(angle), zero], -1)
    turn = np.stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)], -1)
    omega = np.stack([zero, zero, rate], -1)
    states = (
        np.concatenate([arm, turn], -1)[:, None],
        np.concatenate([np.cross(omega, arm), omega], -1)[:, None],
        np.concatenate([-16.0 * arm, np.zeros((50, 3))], -1)[:, None],
    )
    result = result_of_states(Mechanism.from_dict(tree), t, *states, run=Run("test", 2, 0.1, 49))
    far = np.sqrt(np.cos(angle) ** 2 + (2.0 - np.sin(angle)) ** 2)
    potential = 3.0 * 9.81 * 0.5 * np.sin(angle) + 3.5 * (far - 0.4) ** 2 + 5.5 * (angle - 0.2) ** 2
    np.testing.assert_allclose(result.potential, potential, rtol=1e-12)
    np.testing.assert_allclose(result.kinetic, 0.5 * (3.0 * 0.25 + 0.1) * 16.0, rtol=1e-13)
    np.testing.assert_allclose(result.joints["A"].coordinates["angle"], angle, atol=1e-12)
    np.testing.assert_allclose(result.point("rod.P"), 2.0 * arm, atol=1e-14)
    np.testing.assert_allclose(result.point_velocity("rod.P"), 2.0 * np.cross(omega, arm), atol=1e-13)
    np.testing.assert_allclose(result.point_acceleration("rod.P"), -32.0 * arm, atol=1e-12)
    assert np.isnan(result.largest_violation)


def test_angles_follow_their_rates_through_several_turns_a_row():
    t = np.array([0.0, 0.05, 0.2, 0.25, 0.5])
    true = 150.0 * t + 3.0 * np.sin(t)
    rate = 150.0 + 3.0 * np.cos(t)
    np.testing.assert_allclose(follow_rates(t, np.angle(np.exp(1j * true)), rate), true, atol=1e-12)
    shifted = follow_rates(t, np.angle(np.exp(1j * true)), rate, start=6 * np.pi + 0.1)
    np.testing.assert_allclose(shifted, true + 6 * np.pi, atol=1e-12)


def test_an_angle_without_a_rate_is_expected_to_stay():
    angle = np.array([3.0, np.nan, -3.0, 3.1])
    found = follow_rates(np.arange(4.0), angle, np.full(4, np.nan))
    np.testing.assert_allclose(found, [3.0, np.nan, TURN - 3.0, 3.1])


def test_the_csv_gives_every_number_back(spinning, tmp_path):
    result = spinning()
    result.write_csv(tmp_path / "top.csv")
    with (tmp_path / "top.csv").open(encoding="utf-8", newline="") as stream:
        header, *rows = list(csv.reader(stream))
    assert header == list(result.table())
    assert header[0] == "t"
    assert header[-4:] == ["kinetic", "potential", "total", "violation"]
    read = np.array(rows, dtype=float)
    assert np.array_equal(read, np.stack(list(result.table().values()), axis=-1), equal_nan=True)


def test_a_csv_is_whole_or_not_there(spinning, tmp_path):
    with pytest.raises(InputError, match=r"top\.csv"):
        spinning().write_csv(tmp_path / "none" / "top.csv")
    assert list(tmp_path.iterdir()) == []


def test_reactions_are_columns_only_where_they_are_asked_for(spinning):
    plain = spinning()
    wrench = np.arange(6.0 * len(plain.times)).reshape(-1, 6)
    reaction = JointReaction(wrench[:, :3], wrench[:, 3:], unique=False)
    result = SimulationResult(
        plain.mechanism, plain.times, plain.bodies, plain.joints, plain.points, plain.kinetic, plain.potential,
        plain.violation, plain.run, {"top": -wrench}, {"J": reaction},
    )  # fmt: skip
    assert list(result.table()) == list(plain.table())
    more = result.table(every=True)
    assert np.array_equal(more["J.reaction.mx"], wrench[:, 3])
    assert np.array_equal(more["top.resultant.fz"], -wrench[:, 2])
    assert result.to_dict()["reactions"]["J"]["unique"] is False


def test_the_document_is_json_and_says_why_a_run_ended(spinning):
    plain = spinning()
    failure = Failure(2.01, Status.NOT_CONVERGED, "11 iterations; take a smaller step")
    run = Run("dimcd", 2, 0.01, 200, np.array([3, 4], dtype=np.int32), 0.1, ("velocities were projected",), failure)
    result = SimulationResult(
        plain.mechanism, plain.times, plain.bodies, plain.joints, plain.points, plain.kinetic, plain.potential,
        plain.violation, run,
    )  # fmt: skip
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["schema"] == "symgen/simulation/1"
    assert document["status"] == "NOT_CONVERGED"
    assert document["failure"] == {"t": 2.01, "message": "11 iterations; take a smaller step"}
    assert document["iterations"] == {"mean": 3.5, "most": 4}
    assert document["violation"] is None
    assert set(document["rows"]) == set(result.table())
    assert document["energy"]["conserved"] is True
    assert result.to_dict(rows=False)["rows"] is None
    assert "NOT_CONVERGED" in (result.first_failure() or "")


def test_a_point_that_is_not_there_is_named_with_the_nearest(spinning):
    with pytest.raises(InputError, match=r'did you mean "top\.P"'):
        spinning().point("top.p")


def test_states_of_another_shape_are_refused(spinning):
    result = spinning()
    zeros = np.zeros((3, 1, 6))
    with pytest.raises(ValueError, match=r"poses: shape \(3, 1, 6\), expected \(3, 1, 7\)"):
        result_of_states(result.mechanism, np.arange(3.0), zeros, zeros, zeros, run=result.run)


def test_a_welded_body_moves_with_the_one_it_is_fixed_to(spinning):
    """The same motion told twice: of a flag welded to the top, and of a body with a state of its own."""
    alone = spinning()
    tree = {**alone.mechanism.source, "bodies": dict(alone.mechanism.source["bodies"])}
    tree["bodies"]["flag"] = {
        "points": {"P": [0.0, 0.0, 0.1]},
        "pose": {"r": [0.0, 0.0, 0.2], "q": [0.0, 1.0, 0.0, 0.0]},
    }
    tree["joints"] = {**tree["joints"], "W": {"type": "W", "bodies": ["top", "flag"], "at": [0, 0, 0]}}
    track = alone.bodies["top"]
    shift = np.array([0.1, -0.2, 0.3])  # the state is of another point of the top, such as a common centre of mass
    r, v, a = track.attached(np.array([*shift, 1.0, 0.0, 0.0, 0.0])).carry(np.zeros((201, 3)))
    states = (
        np.concatenate([r, track.q], -1)[:, None],
        np.concatenate([v, track.omega], -1)[:, None],
        np.concatenate([a, track.alpha], -1)[:, None],
    )
    # the flag's frame lies 0.2 up the axis, turned by half a turn about x: its point at 0.1 is the top's at 0.1
    welded = Welded({"flag": ("top", np.array([0.0, 0.0, 0.2, 0.0, 1.0, 0.0, 0.0]))}, {"top": shift})
    result = result_of_states(Mechanism.from_dict(tree), alone.times, *states, run=alone.run, welded=welded)
    np.testing.assert_allclose(result.bodies["top"].r, track.r, atol=1e-15)
    np.testing.assert_allclose(result.bodies["top"].a, track.a, atol=1e-11)  # centripetal accelerations of some 1e3
    np.testing.assert_allclose(result.point("flag.P"), alone.point("top.P") / 3.0, atol=1e-14)
    np.testing.assert_allclose(result.point_velocity("flag.P"), alone.point_velocity("top.P") / 3.0, atol=1e-13)
    assert list(result.bodies) == ["top", "flag"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("structure", ["tree", "dense"])
@pytest.mark.parametrize("laws", [{"pitch": "2*t"}, {"yaw": "0.3*t", "pitch": "2*t", "roll": "0.1"}])
def test_a_driven_pitch_is_that_of_its_law_beyond_a_quarter_turn(structure, laws):
    tree = {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -9.81],
        "bodies": {"b": {"mass": 1.0, "com": [0.3, 0.0, 0.2], "inertia": [0.1, 0.2, 0.15, 0, 0, 0]}},
        "joints": {"A": {"type": "S", "bodies": ["ground", "b"], "at": [0, 0, 0], "driven": list(laws)}},
        "drives": {f"A.{freedom}": law for freedom, law in laws.items()},
    }  # fmt: skip
    motion = symgen.simulate(Mechanism.from_dict(tree), step=0.01, until=4.0, sample=0.4, structure=structure)
    assert motion.ok
    joint, t = motion.joints["A"], motion.times
    expected = {"yaw": 0.3 * t if "yaw" in laws else 0.0, "pitch": 2 * t, "roll": 0.1 if "roll" in laws else 0.0}
    for freedom, values in expected.items():  # the plane motion of the first is not driven out of it: rounding only
        assert joint.coordinates[freedom] == pytest.approx(values + 0 * t, abs=1e-9)
    # a central difference of the sine of half a turn: 2 (1 - (2 h)^2/24), two parts in 1e5
    assert joint.rates["pitch"] == pytest.approx(2.0 + 0 * t, rel=1e-4)
