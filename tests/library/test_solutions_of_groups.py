"""What `analyse` says of a group is what `solve` does with it."""

from __future__ import annotations

import pytest

import symgen
from symgen.library.solutions import solutions_of
from symgen.model.mechanism import Mechanism
from symgen.solve.plan import make_plan


@pytest.mark.parametrize("driven", ["slide", "angle"])
def test_the_freedom_that_is_driven_decides_the_method(driven: str) -> None:
    """Of C*.S.C a module is there for the driven angle, none for the driven slide."""
    joints = {
        "A": {"type": "C", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0.1, 0.3, 1], "driven": [driven]},
        "B": {"type": "S", "bodies": ["a", "b"], "at": [0.5, 0.2, 0.3]},
        "C": {"type": "C", "bodies": ["b", "ground"], "at": [1, 0, 0.4], "axis": [1, 0.2, 0.3]},
    }
    tree = {
        "schema": "symgen/mechanism/1", "name": "loop", "space": "spatial", "bodies": {"a": {}, "b": {}},
        "joints": joints, "drives": {"A": {driven: "0.1*t"}},
    }  # fmt: skip
    mechanism = Mechanism.from_dict(tree)
    structure = symgen.analyse(mechanism)
    assert structure.status == "determined"
    plan = make_plan(mechanism, symgen.library(backend="numpy", derive=False))
    solved = solutions_of(structure)
    assert [solved(group)[1] for group in structure.groups] == [group.method for group in plan.groups]
