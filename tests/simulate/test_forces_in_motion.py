"""Forces of every kind: closed forms, work against energy, events on and off the grid, springs that turn many times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen

SPHERE = [0.4, 0.4, 0.4, 0.0, 0.0, 0.0]


def hanging(forces: dict[str, Any], joint: dict[str, Any] | None = None, **more: Any) -> symgen.Mechanism:
    """Return one body of 2 kg with unit-like inertia on a joint to the ground, without gravity."""
    held = joint or {"type": "R", "axis": [0, 0, 1]}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "one body", "space": "spatial", "ground": "ground",
        "bodies": {"ground": {"points": {"O": [0, 0, 0], "Q": [2, 0, 0]}},
                   "b": {"mass": 2.0, "com": [0, 0, 0], "inertia": SPHERE, "points": {"C": [0] * 3, "P": [0, 0.5, 0]}}},
        "joints": {"J": {"bodies": ["ground", "b"], "at": [0, 0, 0], "axis2": [1, 0, 0], **held}},
        "forces": forces, **more,
    })  # fmt: skip


SLIDER = {"type": "P", "axis": [1, 0, 0], "axis2": [0, 1, 0]}


def simulate(made: symgen.Mechanism, step: float, until: float, **more: Any) -> Any:
    result = symgen.simulate(made, step=step, until=until, backend="numpy", **more)
    assert result.ok, result.run.failure
    return result


@pytest.mark.slow
def test_a_damped_spring_between_points_swings_as_in_the_textbook() -> None:
    k, c, m = 18.0, 1.2, 2.0
    spring = {"kind": "spring", "between": ["ground.Q", "b.C"], "stiffness": k, "damping": c, "length": 1.5}
    made = hanging({"f": spring}, SLIDER)
    step = 5e-3
    result = simulate(made, step, 1.5)
    t = result.times
    decay, omega = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    # rest at x = 0.5; released at 0
    known = 0.5 - 0.5 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    assert result.bodies["b"].r[:, 0] == pytest.approx(known, abs=0.5 * (3 * step) ** 2)  # order 2, frequency 3
    assert int(result.run.iterations.max()) <= 3  # Newton is exact: dampers are in its matrix


@pytest.mark.sampled(1)
@pytest.mark.parametrize("joint", [{"type": "R", "axis": [0, 0, 1]}, SLIDER], ids=["R", "P"])
def test_a_joint_spring_with_damper_and_actuator_does_the_same(joint: dict[str, Any]) -> None:
    turning = joint["type"] == "R"
    k, c, m = 18.0, 1.2, 0.4 if turning else 2.0
    freedom = "angle" if turning else "slide"
    made = hanging({"f": {"kind": "joint", "joint": "J", "freedom": freedom, "stiffness": k, "damping": c, "rest": 0.2,
                          "value": "5.4"}}, joint)  # fmt: skip
    step = 4e-3
    result = simulate(made, step, 1.0)
    t = result.times
    decay, omega = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    known = 0.5 * (1 - np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t)))
    assert result.joints["J"].coordinates[freedom] == pytest.approx(known, abs=(omega * step) ** 2)


@pytest.mark.slow
def test_a_joint_spring_knows_in_which_turn_it_is() -> None:
    made = hanging(
        {"f": {"kind": "joint", "joint": "J", "freedom": "angle", "stiffness": 0.4}},
        initial={"joints": {"J": {"angle": 0.0, "rate": 20.0}}},
    )
    step = 5e-3
    result = simulate(made, step, 3.0)
    # an oscillator of 1 rad/s and 20 rad: three turns each way; a half turn's sine stands for its angle
    known = 20 * np.sin(result.times)
    assert result.joints["J"].coordinates["angle"] == pytest.approx(known, abs=20 * (20 * step) ** 2 / 12)


@pytest.mark.parametrize("method", ["dimcd", "variational"])
@pytest.mark.parametrize("begin", [0.1, 0.1 + 1 / 3000], ids=["on the grid", "off the grid"])
def test_a_push_begins_and_ends_at_its_times(begin: float, method: str) -> None:
    end = begin + 0.2
    push = {"kind": "force", "body": "b", "at": [0, 0, 0], "value": [4.0, 0, 0], "from": begin, "until": end}
    result = simulate(hanging({"f": push}, SLIDER), 0.01, 0.5, method=method)
    t = result.times
    known = np.where(t < begin, 0.0, np.where(t < end, (t - begin) ** 2, 0.04 + 0.4 * (t - end)))
    # constant force: both discretisations are exact between events
    assert result.bodies["b"].r[:, 0] == pytest.approx(known, abs=1e-12)


@pytest.mark.slow
def test_forces_and_torques_in_world_and_body_axes() -> None:
    """A force fixed in a turning body goes round; its impulse is known."""
    forces = {
        "push": {"kind": "force", "body": "b", "at": [0, 0, 0], "value": [3.0, 0, 0], "axes": "body"},
        "turn": {"kind": "torque", "body": "b", "value": [0, 0, "0.4*2"], "axes": "body"},
    }
    made = hanging(forces, {"type": "PL", "axis": [0, 0, 1]})
    result = simulate(made, 4e-3, 1.0)
    t = result.times
    # a half turn's sine stands for its angle: (2 h)^2/24 of it
    assert result.joints["J"].coordinates["angle"] == pytest.approx(t**2, abs=1e-5)  # 2 rad/s^2
    fine = np.linspace(0, 1, 20001)
    speed = np.concatenate([[0.0], np.cumsum(0.5 * (np.cos(fine[1:] ** 2) + np.cos(fine[:-1] ** 2)) * np.diff(fine))])
    assert result.bodies["b"].v[-1, 0] == pytest.approx(1.5 * speed[-1], abs=2e-5)


@pytest.mark.slow
def test_what_dampers_take_is_what_the_energy_lacks() -> None:
    spring = {"kind": "spring", "between": ["ground.Q", "b.P"], "stiffness": 30.0, "damping": 2.0, "length": 1.0}
    made = hanging(
        {"f": spring}, {"type": "S", "axis": [0, 0, 1]}, initial={"bodies": {"b": {"omega": [1.0, 2.0, 3.0]}}}
    )
    drops = []
    for step in (4e-3, 2e-3):
        result = simulate(made, step, 0.4)
        apart = result.point("b.P") - np.array([2.0, 0.0, 0.0])
        length = np.linalg.norm(apart, axis=1)
        rate = np.sum(apart * result.point_velocity("b.P"), axis=1) / length
        work = 2.0 * np.trapezoid(rate**2, result.times)
        drops.append(abs(result.total[0] - result.total[-1] - work))
    assert result.total[0] - result.total[-1] > 0.02
    assert drops[0] / drops[1] == pytest.approx(4.0, rel=0.15)  # order 2


@pytest.mark.slow
def test_a_law_of_time_drives_a_body_without_mass_of_its_own() -> None:
    made = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "driven", "space": "spatial", "ground": "ground",
        "bodies": {"m": {"mass": 0.0, "com": [0, 0, 0], "inertia": [0.0] * 6},
                   "b": {"mass": 2.0, "com": [1.0, 0, 0], "inertia": SPHERE}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "m"], "at": [0, 0, 0], "axis": [0, 0, 1], "driven": 1},
                   "B": {"type": "P", "bodies": ["m", "b"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "drives": {"A": "2*t"},
    })  # fmt: skip
    result = simulate(made, 4e-3, 1.0)
    # r'' = w^2 r on a turning bar
    known = np.cosh(2 * result.times)
    com = np.linalg.norm(result.bodies["b"].r, axis=1)
    assert com + 1.0 == pytest.approx(known, abs=4e-4)
