"""Groups without a closed form over time: closure and rates by other means; a branch that ends says so."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiers import EVERYTHING

import symgen
from symgen.errors import SolveError
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult
from symgen.status import Status

Tree = dict[str, Any]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: A crank moves a plate that hangs on three rods, one of them on a screw's nut: all in one group.
SCREW: Tree = {
    "schema": "symgen/mechanism/1",
    "name": "rod on a screw",
    "space": "spatial",
    "bodies": {"crank": {}, "rod": {}, "nut": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0, 0], "axis": [0, 0, 1]},
        "B": {"type": "S", "bodies": ["rod", "crank"], "at": [0.05, 0, 0]},
        "C": {
            "type": "U", "bodies": ["rod", "nut"], "at": [0.4, -0.1, 0.2], "axis": [0.1, 0.35, 0], "axis2": [0, 0, 1]
        },
        "D": {"type": "H", "bodies": ["nut", "ground"], "at": [0.3, 0, 0.1], "axis": [1, 0, 0.3], "pitch": 0.02},
    },
    "drives": {"A": "2*pi*t + 0.3"},
}  # fmt: skip


#: Two cranks; the pin of one is driven along the slot of the other.
SLOT: Tree = {
    "schema": "symgen/mechanism/1",
    "name": "driven pin",
    "space": "planar",
    "bodies": {"slotted": {}, "pinned": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "slotted"], "at": [0, 0]},
        "B": {"type": "L", "bodies": ["slotted", "pinned"], "at": [0.6, 0.3], "axis2": [1, 0.2], "driven": ["slide"]},
        "C": {"type": "R", "bodies": ["pinned", "ground"], "at": [1.0, -0.2]},
    },
    "drives": {"B.slide": "0.1*sin(2*pi*t)"},
}


@pytest.fixture(scope="module")
def library() -> Library:
    # NumPy searches thirty times as long as C, by the same steps
    return symgen.library(backend="numpy" if EVERYTHING else "auto")


@pytest.fixture(scope="module")
def solved(library: Library) -> Callable[..., MotionResult]:
    def solve(tree: Any, times: Any, **options: Any) -> MotionResult:
        mechanism = symgen.load(tree) if isinstance(tree, Path) else Mechanism.from_dict(tree)
        return symgen.solve(mechanism, times, library=library, **options)

    return solve


def _point(result: MotionResult, joint: str, side: int) -> Any:
    """Return where a joint's centre is as its body carries it."""
    found = result.mechanism.joint(joint)
    body, frame = found.bodies[side], found.frames[side]
    if body == result.mechanism.ground:
        return np.broadcast_to(np.array(frame.at), (len(result.times), 3))
    track = result.bodies[body]
    w, v = track.q[:, :1], track.q[:, 1:]
    at = np.broadcast_to(np.array(frame.at), v.shape)
    return track.r + at + 2 * w * np.cross(v, at) + 2 * np.cross(v, np.cross(v, at))


def test_a_pin_is_where_it_is_driven_to_along_its_slot(solved: Any) -> None:
    times = np.linspace(0, 1, 9)
    result = solved(SLOT, times)
    assert result.ok, result.first_failure()
    assert result.groups[0].method == "certified Newton"
    slot, pin = _point(result, "B", 0), _point(result, "B", 1)
    drawn = np.array([1.0, 0.2, 0.0]) / np.hypot(1.0, 0.2)
    track = result.bodies["slotted"]
    angle = 2 * np.arctan2(track.q[:, 3], track.q[:, 0])
    c, s = np.cos(angle), np.sin(angle)
    along = np.stack([c * drawn[0] - s * drawn[1], s * drawn[0] + c * drawn[1], 0 * c], axis=-1)
    assert pin - slot == pytest.approx(along * (0.1 * np.sin(2 * np.pi * times))[:, None], abs=1e-12)
    # both cranks keep their pins at the ground
    assert np.ptp(np.linalg.norm(_point(result, "C", 1) - _point(result, "C", 0), axis=-1)) < 1e-12
    found = result.joints["B"]
    assert found.coordinates["slide"] == pytest.approx(0.1 * np.sin(2 * np.pi * times), abs=1e-15)


def test_the_legs_of_the_platform_have_the_lengths_they_are_driven_to(solved: Any) -> None:
    times = np.linspace(0, 1, 6)
    result = solved(EXAMPLES / "stewart_forward" / "mechanism.toml", times)
    assert result.ok, result.first_failure()
    assert result.groups[0].method == "certified Newton"
    assert result.groups[0].certificates.certified.all()
    for leg in range(1, 7):
        ball, cardan = (np.array(result.mechanism.joint(f"{n}_{leg}").frames[0].at) for n in ("ball", "cardan"))
        drawn = np.linalg.norm(cardan - ball)  # frames are the world of the drawing
        phase = [0, np.pi / 3, 2 * np.pi / 3, np.pi, 4 * np.pi / 3, 0][leg - 1]
        law = 0.04 * np.sin((4 if leg == 6 else 2) * np.pi * times + phase)
        length = np.linalg.norm(_point(result, f"cardan_{leg}", 1) - _point(result, f"ball_{leg}", 0), axis=-1)
        assert length == pytest.approx(drawn + law, abs=1e-12)
        assert result.joints[f"slider_{leg}"].coordinates["slide"] == pytest.approx(law, abs=1e-15)


def test_a_nut_turns_as_it_slides_and_its_rates_are_derivatives(solved: Any) -> None:
    h = 1e-4
    middles = np.linspace(0.05, 0.95, 7)
    times = np.unique(np.concatenate([np.linspace(0, 1, 38), *(middles + k * h for k in (-1, 0, 1))]))
    result = solved(SCREW, times)
    assert result.ok, result.first_failure()
    assert result.groups[1].certificates.certified.all()
    gap = _point(result, "B", 0) - _point(result, "B", 1)
    assert np.abs(gap).max() < 1e-13
    angle, rate, growth = (
        getattr(result.joints["D"], name)["angle"] for name in ("coordinates", "rates", "accelerations")
    )
    for middle in middles:
        k = int(np.argmin(np.abs(times - middle)))
        # central differences: truncation h^2/6 of derivatives of order 1e3 to 1e5, rounding 1e-14/h
        assert rate[k] == pytest.approx((angle[k + 1] - angle[k - 1]) / (2 * h), rel=1e-5, abs=1e-4)
        assert growth[k] == pytest.approx((rate[k + 1] - rate[k - 1]) / (2 * h), rel=1e-5, abs=1e-2)


def test_the_motion_closes_after_a_turn_of_the_crank(solved: Any) -> None:
    result = solved(EXAMPLES / "double_coupler" / "mechanism.toml", np.linspace(0, 1, 61))
    assert result.ok, result.first_failure()
    for body in result.bodies.values():
        assert body.r[-1] == pytest.approx(body.r[0], abs=1e-12)
        assert abs(body.q[-1] @ body.q[0]) == pytest.approx(1, abs=1e-12)


@pytest.mark.slow
def test_a_branch_that_ends_in_a_fold_is_lost_from_there_on(solved: Any) -> None:
    tree = {**SCREW, "joints": {**SCREW["joints"]}}
    tree["joints"]["B"] = {"type": "S", "bodies": ["rod", "crank"], "at": [0.3, 0, 0]}  # a crank too long to turn round
    result = solved(tree, np.linspace(0, 0.05, 41))
    status = result.groups[1].status
    end = int(np.flatnonzero(status)[0])
    assert 2 < end < 40
    assert set(status[end:].tolist()) == {Status.BRANCH_LOST}
    condition = result.groups[1].certificates.condition
    assert condition[end - 1] > 2 * condition[0]  # it meets another one
    assert np.isnan(result.bodies["nut"].r[end:]).all()
    assert np.isfinite(result.bodies["nut"].r[:end]).all()
    assert not result.ok


def test_coarse_and_fine_times_are_the_same_motion(solved: Any) -> None:
    """Steps of a twelfth of a turn are cut where prediction does not carry; what comes out is the fine motion."""
    coarse, fine = solved(SCREW, np.linspace(0, 1, 13)), solved(SCREW, np.linspace(0, 1, 97))
    assert coarse.ok
    assert fine.ok
    assert coarse.bodies["nut"].r == pytest.approx(fine.bodies["nut"].r[::8], abs=1e-12)
    assert coarse.joints["D"].coordinates["angle"] == pytest.approx(
        fine.joints["D"].coordinates["angle"][::8], abs=1e-11
    )


@pytest.mark.extension
def test_another_solution_may_be_chosen_and_followed() -> None:
    library, mechanism = symgen.library(), Mechanism.from_dict({**SCREW, "drives": {"A": "2*pi*t"}})
    found = []
    for branch in (0, 1):
        result = symgen.solve(mechanism, [0.0, 0.01], branch={2: branch}, library=library)
        assert result.ok
        assert np.abs(_point(result, "B", 0) - _point(result, "B", 1)).max() < 1e-13
        found.append(np.concatenate([result.bodies[name].pose[0] for name in ("rod", "nut")]))
    assert np.abs(found[0] - found[1]).max() > 1e-3
    with pytest.raises(SolveError, match="none of the") as caught:
        symgen.solve(mechanism, [0.0], branch={2: 200}, library=library)
    assert caught.value.status is Status.BRANCH_LOST


@pytest.mark.slow
def test_a_reference_configuration_between_two_solutions_is_ambiguous(solved: Any) -> None:
    """The drawing turned over: rod and nut drawn so that mirrored solutions are equally far."""
    frames: Tree = {
        "A": {"type": "R", "bodies": ["ground", "one"], "frames": {"ground": {"at": [0, 0]}, "one": {"at": [0, 0]}}},
        "B": {"type": "R", "bodies": ["one", "two"], "frames": {"one": {"at": [1, 0]}, "two": {"at": [0, 0]}}},
        "C": {"type": "R", "bodies": ["two", "ground"], "frames": {"two": {"at": [1, 0]}, "ground": {"at": [1.5, 0]}}},
    }
    bodies = {"one": {"pose": {"r": [0, 0], "angle": 0.0}}, "two": {"pose": {"r": [1, 0], "angle": 0.0}}}
    from library.newton_groups import newton_of  # a dyad, forced through certified Newton

    from symgen.library.instance import instance_of
    from symgen.solve.newton import NewtonPlan, reference_start

    tree = {
        "space": "planar", "known": {"ground": {}}, "bodies": list(bodies),
        "joints": {
            name: {**joint, "frames": {b: {**f, "angle": 0.0} for b, f in joint["frames"].items()}}
            for name, joint in frames.items()
        },
    }  # fmt: skip
    instance = instance_of(tree)
    newton, _ = newton_of(instance, "numpy")

    class _Group:
        number, signature, bodies = 1, "R.R.R 2D", ("one", "two")

    plan = NewtonPlan(_Group(), instance.bodies, instance.joints, newton)  # type: ignore[arg-type]
    poses = {"one": np.zeros(3), "two": np.array([1.0, 0.0, 0.0])}
    with pytest.raises(SolveError, match="equally near") as caught:
        reference_start(plan, {"ground": np.zeros(3)}, {}, poses, None)
    assert caught.value.status is Status.AMBIGUOUS
    tilted = {"one": np.array([0, 0, 0.6]), "two": np.array([0.8, 0.6, -0.6])}
    _, start = reference_start(plan, {"ground": np.zeros(3)}, {}, tilted, None)
    assert start.poses["one"][2] == pytest.approx(np.arccos(0.75), abs=1e-12)
    _, other = reference_start(plan, {"ground": np.zeros(3)}, {}, tilted, 0)
    assert abs(other.poses["one"][2]) == pytest.approx(np.arccos(0.75), abs=1e-12)


def test_the_document_says_how_it_was_solved_and_how_much_is_certified(solved: Any) -> None:
    groups = solved(SCREW, np.linspace(0, 0.1, 5)).to_dict()["groups"]
    assert [group["method"] for group in groups] == ["closed form", "certified Newton"]
    assert [group["certified"] for group in groups] == [None, 5]
    assert groups[1]["module"] == "newton_spatial"


@pytest.mark.parametrize("name", ["bennett", "bricard_cube", "sarrus"])
def test_linkages_that_move_by_their_proportions_move(name: str, solved: Any) -> None:
    """All joints close, the one whose constraints the analysis leaves out too; nothing is claimed to be proved."""
    text = (EXAMPLES / "literature" / f"{name}.toml").read_text(encoding="utf-8")
    tree = tomllib.loads(text + '\n[drives]\nA = "0.3*t"\n')
    result = solved(tree, np.linspace(0, 1, 5))
    assert result.ok, result.first_failure()
    assert not result.groups[1].certificates.certified.any()
    for joint in result.mechanism.joints:
        assert _point(result, joint.id, 0) == pytest.approx(_point(result, joint.id, 1), abs=1e-12)
        if joint.type == "R":
            assert _axis(result, joint.id, 0) == pytest.approx(_axis(result, joint.id, 1), abs=1e-12)


def _axis(result: MotionResult, joint: str, side: int) -> Any:
    """Return a joint's axis as its body carries it: the third column of both rotations."""
    found = result.mechanism.joint(joint)
    body, frame = found.bodies[side], found.frames[side]
    w, x, y, z = frame.q
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z])
    if body == result.mechanism.ground:
        return np.broadcast_to(axis, (len(result.times), 3))
    q = result.bodies[body].q
    v, many = q[:, 1:], np.broadcast_to(axis, (len(q), 3))
    return many + 2 * q[:, :1] * np.cross(v, many) + 2 * np.cross(v, np.cross(v, many))
