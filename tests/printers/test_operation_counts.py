"""Operation counts are those of the printed text, counted by hand."""

from __future__ import annotations

import json

import pytest

from symgen.algebra import Expr, atan2, cos, not_below_zero, ratio, sign_of_branch, sin, sqrt, symbol
from symgen.ir.nodes import Call, Guard, Let, Output, Port, Routine
from symgen.printers.operations import count_operations
from symgen.printers.zero_finder import ROUNDS
from symgen.render.search import SHIFTS
from symgen.resources import generated_folder
from symgen.status import Status

x, y, z, w = (symbol(name) for name in "xyzw")


def _routine(*values: Expr, name: str = "kernel_position") -> Routine:
    ports = tuple(Port(n, "in", "real", (), (n,), "", "", n) for n in "xyzw")
    body = tuple(Let(f"s{k}", (f"s{k}",), (value,), "") for k, value in enumerate(values))
    out = Port("out", "out", "real", (), ("s0",), "", "", "out")
    return Routine(name, "", "kernel", None, "position", ports, body, (Output(out, (symbol("s0"),)),), (), 1)


def _counts(**given: int) -> dict[str, int]:
    return {"add": 0, "mul": 0, "div": 0, "sqrt": 0, "trig": 0, **given}


@pytest.mark.parametrize(
    ("value", "counts"),
    [
        (x, _counts()),
        (x + y - z, _counts(add=2)),
        (x * y * z, _counts(mul=2)),
        (-x, _counts()),
        (2 * x, _counts(mul=1)),
        (-(x * y), _counts(mul=1)),
        (x**2, _counts(mul=1)),
        (x**2 * y, _counts(mul=2)),
        (x**4, _counts(mul=3)),
        (1 / x, _counts(div=1)),
        (x / y, _counts(div=1)),
        (x / (y * z), _counts(mul=1, div=1)),
        (1 / x**2, _counts(mul=1, div=1)),
        (ratio(1, 2) * (x + y), _counts(add=1, mul=1)),  # SymPy distributes, the printer collects: 0.5*(x + y)
        (sqrt(x * x + y * y), _counts(add=1, mul=2, sqrt=1)),
        (sin(x) * cos(y) + atan2(z, w), _counts(add=1, mul=1, trig=3)),
        (sqrt(not_below_zero(x)) * sign_of_branch(symbol("w"), 0), _counts(mul=1, sqrt=1)),
        (x * y + z * w - x * w, _counts(add=2, mul=3)),
    ],
    ids=str,
)
def test_counts_are_those_of_the_text(value: Expr, counts: dict[str, int]) -> None:
    assert count_operations(_routine(value)) == counts


def test_a_call_counts_what_it_calls_and_its_arguments() -> None:
    inner = _routine(x * y + z)
    call = Call("k", inner, ((x + y,), (y,), (z,), (w,)), (("k_s0",),), "")
    outer = _routine()
    outer = Routine(**{**outer.__dict__, "name": "outer", "body": (call,)})
    assert count_operations(outer) == _counts(add=2, mul=1)


def test_a_guard_counts_the_comparison_it_makes() -> None:
    routine = _routine(x)
    guard = Guard(x * y, ">", z, Status.DEGENERATE, "")
    assert count_operations(Routine(**{**routine.__dict__, "body": (*routine.body, guard)})) == _counts(mul=1)


def test_searches_are_told_with_their_bound() -> None:
    """What iterates is not counted in operations: its bound stands beside them, in the header and in the manifest."""
    for module, (polynomials, zeros) in {"triad_rr_rr_rr": (1 + len(SHIFTS["double"]), 6), "loop_rcs": (1, 4)}.items():
        folder = generated_folder() / module
        manifest = json.loads((folder / f"{module}.json").read_text(encoding="utf-8"))
        header = (folder / f"{module}.h").read_text(encoding="utf-8")
        found = {f["stage"]: f.get("search") for f in manifest["functions"] if f["level"] == "group"}
        assert found["all"] == found["position"] == {"polynomials": polynomials, "zeros": zeros, "rounds": ROUNDS}
        assert found["velocity"] is None
        assert f"and {zeros} zeros of " in header
        assert f"in {ROUNDS} rounds at most" in header
