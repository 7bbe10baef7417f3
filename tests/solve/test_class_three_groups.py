"""Groups that are no chains: the library finds the triad, and the motion does not depend on which crank is driven."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import symgen
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult

Solve = Callable[..., MotionResult]
TRIAD = "<-|R|R|R; 1-2R 1-3R 1-4R> 2D"
TIMES = np.linspace(0.0, 1.0, 41)


def _signatures(tree: dict[str, Any]) -> list[str]:
    return [group.signature for group in symgen.analyse(Mechanism.from_dict(tree)).groups]


def test_a_platform_on_three_driven_cranks_is_a_triad(class_three: dict[str, dict[str, Any]]) -> None:
    assert _signatures(class_three["three_rrr"]) == ["R* 2D", "R* 2D", "R* 2D", TRIAD]


def test_stephenson_six_bar_is_a_triad_or_two_dyads(class_three: dict[str, dict[str, Any]]) -> None:
    tree = copy.deepcopy(class_three["stephenson"])
    assert _signatures(tree) == ["R* 2D", TRIAD]
    del tree["joints"]["A"]["driven"]
    del tree["drives"]["A"]
    tree["joints"]["D"]["driven"] = 1
    assert _signatures(tree) == ["R* 2D", "R.R.R 2D", "R.R.R 2D"]


def test_a_six_bar_moves_alike_whichever_crank_is_driven(class_three: dict[str, dict[str, Any]], solved: Solve) -> None:
    """One motion, followed by the triad from crank A and by two dyads from crank D: no formula is shared.

    From A the coupler's crank D moves as it moves; a drive law that takes D there at one time must take A back.
    """
    driven = class_three["stephenson"]
    forward = solved(driven, TIMES)
    assert forward.ok, forward.first_failure()
    track = forward.joints["D"].coordinates["angle"]
    for k in (5, 17, 30):
        tree = copy.deepcopy(driven)
        del tree["joints"]["A"]["driven"]
        tree["joints"]["D"]["driven"] = 1
        tree["drives"] = {"D": repr(float(track[k]))}
        # one pose: every assembly of two dyads (four) is asked for, one of them is the triad's
        gaps = []
        for branches in ((0, 0), (0, 1), (1, 0), (1, 1)):
            back = solved(tree, [0.0], branch=dict(zip((2, 3), branches, strict=True)))
            if back.ok:
                poses = ((back.bodies[b].r[0], forward.bodies[b].r[k]) for b in ("crank", "coupler", "right", "rod"))
                gaps.append(max(float(np.abs(x - y).max()) for x, y in poses))
        assert min(gaps) < 1e-10  # two closed forms, each good to some hundred roundings times a condition below 1e2


def test_the_library_answers_to_the_signature_of_a_triad(numpy_library: Library) -> None:
    triad = numpy_library[TRIAD]
    assert triad.branches == 6
    assert triad.ranked
