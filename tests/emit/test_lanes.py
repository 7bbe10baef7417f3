"""Which routines run in lanes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symgen.algebra import number, symbol
from symgen.emit.lanes import lane_texts, runs_in_lanes
from symgen.ir.nodes import Let, Output, Port, Routine

X = Port("x", "in", "real", (2,), ("x_1", "x_2"), "m", "", "a point")
BRANCH = Port("branch", "in", "int", (2,), ("branch_1", "branch_2"), "", "", "which sides", shared=True)
Y = Port("y", "out", "real", (), ("y",), "m", "", "twice the first")


def _routine(*inputs: Port) -> Routine:
    body = (Let("y", ("y",), (number(2) * symbol("x_1"),), "doubled"),)
    y = symbol("y")
    return Routine("twice", "Twice.", "kernel", None, "position", inputs, body, (Output(Y, (y,)),), (y,), branches=2)


def test_texts_number_the_columns_of_a_row() -> None:
    routine = _routine(X, BRANCH)
    assert runs_in_lanes(routine)
    texts = lane_texts(routine, {port: port.name for port in routine.ports})
    assert texts.sizes == "2, 2, 1, 0"
    assert texts.takes == ("TAKE(0, 2, x)", "SHARE_CHOICE(0, 2, branch)")
    assert texts.reads == ("READ(0, 2)",)
    assert texts.gives == ("GIVE(0, 1, y)",)
    assert texts.arguments == ("given", "chosen", "found")


@pytest.mark.parametrize("inputs", [(X, replace(BRANCH, shared=False)), (replace(X, shared=True), BRANCH), (BRANCH,)])
def test_rows_of_several_whole_numbers_or_of_no_real_ones_do_not_run_in_lanes(inputs: tuple[Port, ...]) -> None:
    assert not runs_in_lanes(_routine(*inputs))
