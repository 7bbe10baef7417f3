"""What is fixed in a body is folded, and coordinates asked for alone are differentiated: numbers stay what they are.

The oracle is `symgen.solve`: the library's routines, which know nothing of the mechanism's geometry and take all rates
from the system of the group's joints. Geometry is random, and every spatial arrangement of the library has its turn,
between two moving bodies and on the ground.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracle.modules import ARRANGEMENTS, Arranged
from oracle.placed_groups import placed_group
from oracle.whole_modules import Whole, difference, expected

import symgen
from symgen.model.pairs import PAIR_TYPES

SPATIAL = [each for each in ARRANGEMENTS if each.manifest["space"] == "spatial"]
#: Short: `motion` keeps the number of a branch, which a ranked type may exchange along the way.
TIMES = np.linspace(0.0, 0.02, 4)
#: Both sides lose what the condition of the group's system says, some 1e3 for random geometry; accelerations square it.
CLOSE = 1e-8


@pytest.mark.kinds
@pytest.mark.parametrize("arranged", SPATIAL, ids=str)
def test_folding_changes_no_result(arranged: Arranged, tmp_path: Path) -> None:
    grounded = SPATIAL.index(arranged) % 3 == 0
    mechanism = placed_group(arranged.manifest, arranged.tree, 11, grounded=grounded)
    solved = symgen.solve(mechanism, TIMES)
    good = solved.status == 0
    assert good[0]
    whole = Whole(tmp_path, mechanism, "folded", precisions=(), results=("bodies", "coordinates"))
    wanted, found = expected(whole, solved), whole.numpy("motion", t=TIMES)
    assert not np.any(found["status"][good])
    for name, values in wanted.items():
        assert difference(whole, name, found[name][good], values[good]) < CLOSE, name


def _lone(arranged: Arranged) -> list[str]:
    """Return the lengths among the coordinates that an arrangement finds: angles are never given by roots alone."""
    joints = arranged.tree["joints"]
    return [f"{joint['name']}.{f}" for joint in joints for f in joint["freedoms"] if f in ("slide", "x", "y")]


ALONE = [(each, name) for each in SPATIAL for name in _lone(each) if not each.is_driven]


@pytest.mark.kinds
@pytest.mark.parametrize(("arranged", "coordinate"), ALONE, ids=str)
def test_a_coordinate_asked_for_alone_is_that_of_the_whole_group(
    arranged: Arranged, coordinate: str, tmp_path: Path
) -> None:
    mechanism = placed_group(arranged.manifest, arranged.tree, 12, grounded=len(coordinate) % 2 == 0)
    solved = symgen.solve(mechanism, TIMES)
    good = solved.status == 0
    assert good[0]
    whole = Whole(tmp_path, mechanism, "alone", precisions=(), results=(coordinate,))
    wanted = expected(whole, solved)
    for function in ("motion", "position"):
        found = whole.numpy(function, t=TIMES)
        assert not np.any(found["status"][good])
        for name in wanted.keys() & found.keys():
            assert difference(whole, name, found[name][good], wanted[name][good]) < CLOSE, (function, name)


def test_the_length_of_a_leg_needs_no_other_joint_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    """A leg U.P.S: the slide is the distance of two points, and its first axis and its second never matter."""
    (arranged,) = [each for each in SPATIAL if str(each) == "loop_pus-u_p_s"]
    mechanism = placed_group(arranged.manifest, arranged.tree, 12, grounded=True)
    lean = Whole(tmp_path / "lean", mechanism, "lean", results=("j2.slide",))
    full = Whole(tmp_path / "full", mechanism, "full", results=("j2.slide",), checks="all")
    group = lean.manifest["groups"][-1]
    assert any("second axis" in text for text in group["unchecked"])
    assert not full.manifest["groups"][-1]["unchecked"]
    assert "the universal pair cannot point there" in lean.texts["lean.h"].partition("#")[0]
    found, checked = lean.numpy("motion", t=TIMES), full.numpy("motion", t=TIMES)
    for name in ("q", "qd", "qdd"):
        np.testing.assert_allclose(found[name], checked[name], rtol=0.0, atol=1e-10)
    code = lean.texts["lean.py"].partition("def motion")[2]
    assert "arctan2" not in code
    assert PAIR_TYPES["U"].freedoms[0] not in code
