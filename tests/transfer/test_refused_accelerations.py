"""What `accelerations` refuses, and by what name: masses, freedoms without inertia, options, contradictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from transfer.small_trees import SOLID, Tree, tree_of

import symgen
from symgen.errors import InputError, MechanismError
from symgen.model.mechanism import Mechanism
from symgen.status import Status


def pin(*bodies: str, at: tuple[float, float, float] = (0, 0, 0), axis: tuple[float, float, float] = (0, 1, 0)) -> Tree:
    return {"type": "R", "bodies": list(bodies), "at": list(at), "axis": list(axis)}


def ball(*bodies: str, at: tuple[float, float, float] = (0, 0, 0)) -> Tree:
    return {"type": "S", "bodies": list(bodies), "at": list(at)}


def refusal(tree: Tree, **options: Any) -> MechanismError:
    with pytest.raises(MechanismError) as caught:
        symgen.accelerations(Mechanism.from_dict(tree), **options)
    return caught.value


@pytest.mark.parametrize("method", ["riccati", "transfer", "multiplier"])
def test_a_body_without_mass_data_is_named(method: str) -> None:
    error = refusal(tree_of({"A": pin("ground", "a")}, a={"mass": 1.0}), method=method)
    assert error.field == "bodies.a"
    assert "inertia missing" in str(error)


def test_a_point_mass_on_a_ball_has_no_inertia_about_its_own_line() -> None:
    point = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.0] * 6}
    error = refusal(tree_of({"A": pin("ground", "a"), "B": ball("a", "b", at=(1, 0, 0))}, a=SOLID, b=point))
    assert error.field == "bodies.b"
    assert "zero articulated inertia: joint B" in str(error)
    other = refusal(
        tree_of({"A": pin("ground", "a"), "B": ball("a", "b", at=(1, 0, 0))}, a=SOLID, b=point), method="multiplier"
    )
    assert other.field == "bodies.b"


def test_a_point_mass_on_a_pin_beside_it_is_a_pendulum() -> None:
    point = {"mass": 2.0, "com": [0.5, 0, 0], "inertia": [0.0] * 6}
    mechanism = Mechanism.from_dict(tree_of({"A": pin("ground", "a")}, a=point))
    for method in ("riccati", "multiplier"):
        found = symgen.accelerations(mechanism, method)
        # about y, horizontal to the right of its pin: it falls, g/l
        assert found.joints["A"].accelerations["angle"] == pytest.approx(9.81 / 0.5, rel=1e-12)


@pytest.mark.parametrize("mass", [1e-6, 1e12])
def test_masses_may_differ_by_many_orders(mass: float) -> None:
    other = {"mass": mass, "com": [0.2, 0, 0.1], "inertia": [mass, 2 * mass, 1.5 * mass, 0, 0, 0]}
    joints = {"A": pin("ground", "a"), "B": ball("a", "b", at=(1, 0, 0)), "C": pin("b", "c", at=(1, 1, 0))}
    mechanism = Mechanism.from_dict(tree_of(joints, a=SOLID, b=other, c=SOLID))
    one, two = (symgen.accelerations(mechanism, method) for method in ("riccati", "multiplier"))
    np.testing.assert_allclose(one.table, two.table, atol=1e-8)  # rounding times the ratio of masses


def test_a_slide_of_a_body_without_mass_is_named() -> None:
    light = {"mass": 0.0, "com": [0, 0, 0], "inertia": [1.0, 1.0, 1.0, 0, 0, 0]}
    slide = {"type": "P", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    error = refusal(tree_of({"A": slide}, a=light))
    assert (error.field, "joint A" in str(error)) == ("bodies.a", True)


def test_bodies_apart_are_named() -> None:
    error = refusal(tree_of({"A": pin("ground", "a"), "B": pin("b", "c")}, a=SOLID, b=SOLID, c=SOLID))
    assert error.field == "bodies.b"
    assert "disconnected topology" in str(error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ricatti"}, "method 'ricatti': use one of riccati, transfer, multiplier"),
        ({"method": "multiplier", "root": "A"}, "root and cuts belong to methods riccati and transfer"),
        ({"method": "multiplier", "cuts": ["A"]}, "root and cuts belong to methods riccati and transfer"),
    ],
)
def test_options_that_there_are_not(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        symgen.accelerations(Mechanism.from_dict(tree_of({"A": pin("ground", "a")}, a=SOLID)), **options)


def test_velocities_that_do_not_fit_are_projected_with_a_warning_or_refused() -> None:
    tree = tree_of({"A": pin("ground", "a")}, a=SOLID) | {"initial": {"bodies": {"a": {"omega": [1.0, 2.0, 0.0]}}}}
    assert any("projected" in warning for warning in symgen.accelerations(Mechanism.from_dict(tree)).warnings)
    assert refusal(tree, strict=True).field == "initial"


def test_a_law_without_a_value_is_named() -> None:
    tree = tree_of({"A": pin("ground", "a")}, a=SOLID)
    tree["forces"] = {"f": {"kind": "torque", "body": "a", "value": ["1/t", 0, 0]}}
    assert refusal(tree).field == "forces.f.value"


def test_numbers_beyond_all_sizes_are_named() -> None:
    tree = tree_of({"A": pin("ground", "a")}, a=SOLID)
    tree["forces"] = {"f": {"kind": "torque", "body": "a", "value": ["1e80", 0, 0]}}
    error = refusal(tree)
    assert error.field == "bodies.a"
    assert "its moment is not finite or above" in str(error)


@pytest.mark.parametrize("method", ["riccati", "transfer", "multiplier"])
def test_rates_beyond_all_sizes_are_refused_without_warnings_of_numpy(method: str) -> None:
    tree = tree_of({"A": pin("ground", "a", axis=(0, 1, 0))}, a=SOLID)
    error = refusal(tree | {"initial": {"joints": {"A": {"rate": 1e200}}}}, method=method)
    assert error.field == "initial.joints.A.rate.angle"
    assert "too large to compute with" in str(error)


def test_a_spring_whose_ends_meet_is_named() -> None:
    tree = tree_of(
        {"A": pin("ground", "a")}, a={**SOLID, "points": {"P": [0, 0, 0]}}, ground={"points": {"Q": [0, 0, 0]}}
    )
    tree["forces"] = {"s": {"kind": "spring", "between": ["a.P", "ground.Q"], "stiffness": 1.0, "length": 0.5}}
    assert refusal(tree).field == "forces.s"


@pytest.mark.parametrize("method", ["riccati", "multiplier"])
def test_drives_that_contradict_each_other_leave_no_accelerations(method: str) -> None:
    tree = parallelogram(2.0)
    for joint in ("A", "D"):
        tree["joints"][joint]["driven"] = 1
    tree["drives"] = {"A": "t + t**2", "D": "-t"}  # D counts the other way round: same rates, other accelerations
    result = symgen.accelerations(Mechanism.from_dict(tree), method)
    assert result.status == Status.SINGULAR
    assert not result.ok
    assert any("no accelerations fit" in warning for warning in result.warnings)
    tree["drives"] = {"A": "t + t**2", "D": "-t - t**2"}
    result = symgen.accelerations(Mechanism.from_dict(tree), method)
    assert result.ok
    assert result.redundant > 0


@pytest.mark.parametrize("method", ["riccati", "multiplier"])
@pytest.mark.parametrize("initial", [{}, {"joints": {"A": {"rate": 1.0}, "D": {"rate": -1.0}}}])
def test_a_singular_position_is_flagged(method: str, initial: Tree) -> None:
    tree = {**parallelogram(0.0), "initial": initial}  # folded onto a line: two branches meet
    result = symgen.accelerations(Mechanism.from_dict(tree), method)
    assert result.status == Status.SINGULAR
    assert any("the position is singular" in warning for warning in result.warnings)
    assert symgen.accelerations(Mechanism.from_dict(parallelogram(1.0)), method).ok


@pytest.mark.parametrize("method", ["riccati", "multiplier"])
def test_a_shaky_position_is_flagged(method: str) -> None:
    """Two bars in one line between two pins: to first order their middle moves, in truth nothing does."""
    joints = {"A": pin("ground", "a"), "B": pin("a", "b", at=(1, 0, 0)), "C": pin("b", "ground", at=(2, 0, 0))}
    tree = tree_of(joints, a={**SOLID, "com": [0.5, 0, 0]}, b={**SOLID, "com": [1.5, 0, 0]})
    result = symgen.accelerations(Mechanism.from_dict(tree), method)
    assert (result.ok, result.status) == (False, Status.SINGULAR)
    assert any("cannot be continued" in warning for warning in result.warnings)


def parallelogram(height: float) -> Tree:
    """Return a four-bar of two equal cranks, 3 m apart, that lie `height` above their pins."""
    joints = {
        "A": pin("ground", "a", axis=(0, 0, 1)), "B": pin("a", "b", at=(1, height, 0), axis=(0, 0, 1)),
        "C": pin("b", "c", at=(3, height, 0), axis=(0, 0, 1)), "D": pin("c", "ground", at=(2, 0, 0), axis=(0, 0, 1)),
    }  # fmt: skip
    return tree_of(joints, a=SOLID, b=SOLID, c=SOLID)
