"""What happened to branches is told once, by the group that it happened to, and as what it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import SolveError
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.solve.result import Event
from symgen.status import Status

TIMES = np.linspace(0.0, 1.0, 21)


def _joint(kind: str, first: str, second: str, at: tuple[float, float], **more: Any) -> dict[str, Any]:
    return {"type": kind, "bodies": [first, second], "at": list(at), **more}


def _mechanism(bodies: str, joints: dict[str, Any], **drives: str) -> Mechanism:
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "events", "space": "planar", "ground": "frame",
        "bodies": {body: {} for body in bodies.split()}, "joints": joints, "drives": drives,
    })  # fmt: skip


def _rocker(*, behind: bool) -> Mechanism:
    """A four-bar whose crank cannot go round; `behind` it a slider that could."""
    joints = {
        "A": _joint("R", "frame", "crank", (0.0, 0.0), driven=1),
        "B": _joint("R", "crank", "coupler", (0.0, 0.3)),
        "C": _joint("R", "frame", "rocker", (0.4, 0.0)),
        "D": _joint("R", "coupler", "rocker", (0.2, 0.3)),
    }
    bodies = "crank coupler rocker"
    if behind:
        bodies += " rod slider"
        joints |= {
            "E": _joint("R", "rocker", "rod", (0.2, 0.3)),
            "F": _joint("R", "rod", "slider", (1.2, 0.1)),
            "G": _joint("P", "frame", "slider", (1.2, 0.1), axis=[1.0, 0.0]),
        }
    return _mechanism(bodies, joints, A="2*pi*t")


def _gaps() -> list[float]:
    """Return where crank and frame leave coupler and rocker too short or too long: the law of cosines."""
    coupler, rocker = 0.2, np.hypot(0.2, 0.3)
    reach = [(0.3**2 + 0.4**2 - side**2) / (2 * 0.3 * 0.4) for side in (coupler + rocker, rocker - coupler)]
    far, near = (float(np.arccos(each)) for each in reach)  # the crank's angle from the frame, 90 degrees at t = 0
    quarter = 0.5 * np.pi
    return [(angle - quarter) / (2 * np.pi) for angle in (far, 2 * np.pi - far, 2 * np.pi - near, 2 * np.pi + near)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("branch", [{}, {2: {0.3: 0}}])
def test_a_gap_is_one_event_of_the_group_that_has_it(
    behind: bool, branch: dict[int | str, int | dict[float, int]], numpy_library: Library
) -> None:
    result = symgen.solve(_rocker(behind=behind), TIMES, branch=branch, library=numpy_library)
    assert [(event.group, event.status) for event in result.events] == [(2, Status.NO_ASSEMBLY)] * 2
    ends = [end for event in result.events for end in (event.first, event.last)]
    np.testing.assert_allclose(ends, _gaps(), atol=1e-6)


def test_a_motion_that_begins_where_branches_meet_says_so(numpy_library: Library) -> None:
    """A parallelogram drawn flat, with the branch named: it begins at the meeting, it is not out of reach there."""
    joints = {
        "A": _joint("R", "frame", "crank", (0.0, 0.0), driven=1),
        "B": _joint("R", "crank", "coupler", (0.2, 0.0)),
        "C": _joint("R", "frame", "rocker", (0.4, 0.0)),
        "D": _joint("R", "coupler", "rocker", (0.6, 0.0)),
    }
    result = symgen.solve(
        _mechanism("crank coupler rocker", joints, A="2*pi*t"), TIMES, branch={2: 0}, library=numpy_library
    )
    assert [(event.status, event.last - event.first) for event in result.events] == [(Status.SINGULAR, 0.0)] * 3
    np.testing.assert_allclose([event.first for event in result.events], [0.0, 0.5, 1.0], atol=1e-6)
    assert "begin" in result.events[0].text


def _platform(top: float) -> Mechanism:
    """A plate on three driven cranks; drawn with three links that meet in a point if `top` is 0.5."""
    bodies, joints = "plate", {}
    places = [
        ((0.0, 0.0), (0.0, 0.2), (0.4, 0.3)),
        ((1.0, 0.0), (1.0, 0.2), (0.6, 0.3)),
        ((top, 0.9), (top, 0.7), (0.5, 0.45)),
    ]
    for k, (foot, knee, hand) in enumerate(places, start=1):
        bodies += f" crank{k} link{k}"
        joints |= {
            f"A{k}": _joint("R", "frame", f"crank{k}", foot, driven=1),
            f"B{k}": _joint("R", f"crank{k}", f"link{k}", knee),
            f"C{k}": _joint("R", f"link{k}", "plate", hand),
        }
    return _mechanism(bodies, joints, A1="2*pi*t", A2="t", A3="-2*t")


@pytest.mark.slow
def test_a_platform_drawn_where_its_links_meet_in_a_point_is_singular(numpy_library: Library) -> None:
    with pytest.raises(SolveError, match="branches meet in the reference configuration") as raised:
        symgen.solve(_platform(0.5), TIMES, library=numpy_library)
    assert raised.value.status is Status.SINGULAR
    assert symgen.solve(_platform(0.9), [0.0], library=numpy_library).ok


def test_a_named_branch_that_is_not_there_is_no_fold(numpy_library: Library) -> None:
    result = symgen.solve(_platform(0.9), [0.0, 0.3], branch={4: {0.0: 0, 0.3: 5}}, library=numpy_library)
    assert result.status[1] == Status.NO_ASSEMBLY or result.status[1] == Status.BRANCH_LOST
    assert any("branch 5 is not there" in event.text or "no branch is there" in event.text for event in result.events)


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        (1.0, 2.5, "from t = 1 s to 2.5 s"),
        (1.00649810, 1.00649816, "from t = 1.0064981 s to 1.00649816 s"),
        (1.0064981, 1.0064981 + 2e-12, "from t = 1.0064981 s to 1.006498100002 s"),
        (0.25, 0.25, "at t = 0.25 s"),
    ],
)
def test_a_span_is_told_with_the_digits_that_show_it(first: float, last: float, text: str) -> None:
    assert str(Event(2, first, last, Status.NO_ASSEMBLY, "out of reach")) == f"{text} group 2: out of reach"
