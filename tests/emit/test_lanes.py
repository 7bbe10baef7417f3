"""Which routines run in lanes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symgen.algebra import number, symbol
from symgen.emit.lanes import lane_texts, runs_in_lanes, widths_of_rows
from symgen.ir.nodes import Call, Let, Output, Port, Routine

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
    assert texts.takes == ("TAKE_TURNED(0, 2, x)", "SHARE_CHOICE(0, 2, branch)")  # its second number is not needed
    assert texts.reads == ("READ_TURNED(0, 2)",)
    assert texts.gives == ("GIVE(0, 1, y)",)
    assert texts.arguments == ("given", "chosen", "found")


@pytest.mark.parametrize("inputs", [(X, replace(BRANCH, shared=False)), (replace(X, shared=True), BRANCH), (BRANCH,)])
def test_rows_of_several_whole_numbers_or_of_no_real_ones_do_not_run_in_lanes(inputs: tuple[Port, ...]) -> None:
    assert not runs_in_lanes(_routine(*inputs))


@pytest.mark.parametrize(("needed", "width", "taken"), [
    (("x_1", "x_2"), 2, "TAKE"),
    (("x_2",), 2, "TAKE_TURNED"),
    (tuple(f"x_{k}" for k in range(1, 5)), 4, "TAKE"),
    (tuple(f"x_{k}" for k in range(1, 6)), 5, "TAKE_TURNED"),
])  # fmt: skip
@pytest.mark.parametrize("is_called", [False, True])
def test_rows_are_read_where_they_are_if_they_are_narrow_and_needed_whole(
    needed: tuple[str, ...], width: int, taken: str, is_called: bool
) -> None:
    x = replace(X, shape=(width,), elements=tuple(f"x_{k}" for k in range(1, width + 1)))
    value = number(0)
    for name in needed:
        value = value + symbol(name)
    body = (Let("y", ("y",), (value,), "summed"),)
    routine = replace(_routine(x), body=body)
    if is_called:  # what a routine that it calls does not need is not needed
        inputs = (tuple(map(symbol, x.elements)),)
        call = Call("part", replace(routine, name="part", stage="inner"), inputs, (("y",),), "a part")
        routine = replace(routine, body=(call,))
    texts = lane_texts(routine, {port: port.name for port in routine.ports})
    assert texts.takes == (f"{taken}(0, {width}, x)",)
    assert texts.reads == (f"{taken.replace('TAKE', 'READ')}(0, {width})",)


@pytest.mark.parametrize(
    ("width", "give", "widths"),
    [(3, "GIVE", ()), (4, "GIVE_TURNED", (4,)), (48, "GIVE_TURNED", (48,)), (49, "GIVE_WIDE", ())],
)
def test_wide_rows_of_results_are_turned_by_a_function_of_their_width(
    width: int, give: str, widths: tuple[int, ...]
) -> None:
    y = Port("y", "out", "real", (width,), tuple(f"y_{k}" for k in range(width)), "m", "", "twice the first")
    routine = replace(_routine(X), outputs=(Output(y, (symbol("y"),) * width),))
    assert lane_texts(routine, {port: port.name for port in routine.ports}).gives == (f"{give}(0, {width}, y)",)
    assert widths_of_rows([routine, routine]) == widths  # each once
    assert widths_of_rows([replace(routine, inputs=(replace(X, shared=True),))]) == ()  # it has no rows
