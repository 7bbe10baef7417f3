"""A routine that breaks an invariant never gets past `verify`; the message says where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symgen.algebra import TINY, Expr, symbol
from symgen.errors import IRError
from symgen.ir.nodes import Call, Flag, Guard, Let, Output, Port, Routine
from symgen.ir.verify import verify
from symgen.status import Status

a, b, c = (symbol(name) for name in ("a", "b", "c"))


def _port(name: str, *elements: str, direction: str = "in") -> Port:
    shape = (len(elements),) if elements else ()
    return Port(name, direction, "real", shape, elements or (name,), "m", "", name)  # type: ignore[arg-type]


def _let(name: str, value: Expr) -> Let:
    return Let(name, (name,), (value,), f"step {name}")


def _routine(**changes: object) -> Routine:
    sound = Routine(
        name="kernel_position",
        title="",
        level="kernel",
        arrangement=None,
        stage="position",
        inputs=(_port("a"), _port("b")),
        body=(_let("c", a + b), Guard(c, ">", TINY, Status.DEGENERATE, "no length")),
        outputs=(Output(_port("c", direction="out"), (c,)),),
        finite=(c,),
        branches=1,
    )
    return replace(sound, **changes)  # type: ignore[arg-type]


def test_a_sound_routine_is_returned_as_it_is() -> None:
    assert verify(_routine()) == _routine()


def _inner_call(arguments: tuple[tuple[Expr, ...], ...]) -> Call:
    return Call("k", _routine(), arguments, (("k_c",),), "call")


BROKEN = {
    "step uses what is not set": ({"body": (_let("c", symbol("d")),)}, "'d' before it is set"),
    "step uses what is set later": ({"body": (_let("d", c), _let("c", a))}, "'c' before it is set"),
    "step uses itself": ({"body": (_let("c", c + a),)}, "'c' before it is set"),
    "name set twice": ({"body": (_let("c", a), _let("c", b))}, "sets 'c' again"),
    "step sets a port": ({"body": (_let("a", b), _let("c", b))}, "sets 'a' again"),
    "step sets a tolerance": ({"body": (_let("TINY", b), _let("c", b))}, "sets 'TINY' again"),
    "port twice": ({"inputs": (_port("a"), _port("a"), _port("b"))}, "sets 'a' again"),
    "guard uses what is not set": (
        {"body": (_let("c", a), Guard(symbol("d"), ">", a, Status.SINGULAR, "the guard"))},
        "the guard uses 'd'",
    ),
    "guard's second question uses what is not set": (
        {
            "body": (
                _let("c", a),
                Guard(
                    a,
                    ">",
                    b,
                    Status.SINGULAR,
                    "first",
                    (Guard(symbol("d"), ">", a, Status.DEGENERATE, "the second"),),
                ),
            )
        },
        "the second uses 'd'",
    ),
    "flag uses what is not set": (
        {"body": (_let("c", a), Flag(a, "<", symbol("d"), Status.SINGULAR, "the flag"))},
        "the flag uses 'd'",
    ),
    "output is not set": ({"outputs": (Output(_port("d", direction="out"), (symbol("d"),)),)}, "output d uses 'd'"),
    "output has too many values": ({"outputs": (Output(_port("c", direction="out"), (c, a)),)}, "has 2 values"),
    "array named like a component": (
        {"inputs": (_port("a", "a"), _port("b"))},
        "'a' is both an array port and a component",
    ),
    "output named like an input": ({"outputs": (Output(_port("b", direction="out"), (c,)),)}, "used twice"),
    "call with too few arguments": ({"body": (_inner_call(((a,),)), _let("c", a))}, "arguments do not fit"),
    "call with a vector for a scalar": ({"body": (_inner_call(((a, b), (b,))), _let("c", a))}, "arguments do not fit"),
    "call uses what is not set": ({"body": (_inner_call(((symbol("d"),), (b,))), _let("c", a))}, "'d' before"),
    "call sets what is set": ({"body": (_let("k_c", a), _inner_call(((a,), (b,))), _let("c", a))}, "'k_c' again"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_routine_is_refused(what: str) -> None:
    changes, message = BROKEN[what]
    with pytest.raises(IRError, match=message) as caught:
        verify(_routine(**changes))
    assert str(caught.value).startswith("kernel_position: ")


def test_a_call_of_another_routine_is_accepted() -> None:
    verify(_routine(body=(_inner_call(((a,), (b,))), _let("c", symbol("k_c") * a))))
