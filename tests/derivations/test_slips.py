"""A slip in a derivation is told in its own words: what was found, what is allowed, which name is near."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from symgen.derivations import ONE, ZERO, Derivation, DerivationError, Expr, ModuleDerivation, Status, Vector

Slip = Callable[[Derivation, Expr, Vector], Any]


def _start(level: Any = "kernel") -> tuple[Derivation, Expr, Vector]:
    d = Derivation("arm", level=level, title="an arm", source="s")
    x = d.input_scalar("x", meaning="x", unit="m")
    base = d.input_vector("base", 2, meaning="base", unit="m")
    d.scalar("arm_length", x * x, "length", "m")
    return d, x, base


@pytest.mark.parametrize(
    ("slip", "message"),
    [
        (
            lambda d, x, base: d.guard(x, ">>", ZERO, Status.DEGENERATE, "no length"),
            "arm: guard 'no length': there is no relation '>>'; did you mean \">\"?; relations are >, >=, <, <=",
        ),
        (
            lambda d, x, base: d.flag(x, "=", ZERO, Status.SINGULAR, "no length"),
            "arm: flag 'no length': there is no relation '='",
        ),
        (
            lambda d, x, base: d.guard(x, ">", ZERO, Status.DEGENERATE, "no length", when="allways"),
            "there is no time to ask 'allways'; did you mean \"always\"?",
        ),
        (
            lambda d, x, base: d.guard(x, ">", ZERO, "DEGENRATE", "no length"),
            "its status is that of rows that fail, such as Status.DEGENERATE; found 'DEGENRATE'; did you mean "
            '"DEGENERATE"?',
        ),
        (
            lambda d, x, base: d.guard(x, ">", ZERO, Status.OK, "no length"),
            "its status is that of rows that fail, such as Status.DEGENERATE; found Status.OK",
        ),
        (
            lambda d, x, base: d.input_scalar("y", meaning=5, unit="m"),  # type: ignore[arg-type]
            "arm: input 'y': its meaning is 5; give a text, such as 'length of the rod'",
        ),
        (
            lambda d, x, base: d.input_scalar("y", meaning="y", unit=1),  # type: ignore[arg-type]
            "arm: input 'y': its unit is 1; give a text, such as 'm'",
        ),
        (
            lambda d, x, base: d.input_scalar("y", meaning="y", unit="m", range=(0, 1)),  # type: ignore[arg-type]
            "arm: input 'y': its range is a tuple; give a text, such as '> 0'",
        ),
        (
            lambda d, x, base: d.output("y", base, meaning="y", unit=None),  # type: ignore[arg-type]
            "arm: output 'y': its unit is None; give a text, such as 'm'",
        ),
        (
            lambda d, x, base: d.scalar("y", x * x, 3, "m"),  # type: ignore[arg-type]
            "arm: step 'y': its meaning is 3; give a text",
        ),
        (lambda d, x, base: d.output("y", [], meaning="y", unit=""), "arm: output 'y' is empty; give a list of steps"),
        (
            lambda d, x, base: d.output("y", x * x, meaning="y", unit=""),
            "output 'y': x**2 is not a step; name it before: d.scalar(name, value, meaning)",
        ),
        (
            lambda d, x, base: d.output("y", d.promise("arm_lenght"), meaning="y", unit=""),
            "output 'y': arm_lenght is not a step; did you mean \"arm_length\"?",
        ),
        (
            lambda d, x, base: d.scalar("y", d.promise("length") * x, "y"),
            "step 'y' uses 'length', which is neither a port nor an earlier step; did you mean \"arm_length\"?",
        ),
        (
            lambda d, x, base: d.scalar("y", d.promise("base") * x, "y"),
            "step 'y' uses 'base', which is neither a port nor an earlier step; did you mean \"base_x\"?",
        ),
        (
            lambda d, x, base: d.claim_identity("square", "it is", x * x - x),
            "arm: what claim 'square' says vanishes is the expression x**2 - x; give a list of differences of both "
            "sides; write [x**2 - x]",
        ),
        (lambda d, x, base: d.claim_identity("square", "it is", None), "says vanishes is None; give a list"),
        (lambda d, x, base: d.claim_zero("square", "it is", "x"), "says vanishes is 'x'; give a list"),
        (
            lambda d, x, base: d.claim_identity("square", "it is", [x], squares=["x"]),
            "squares of claim 'square' are names and what their squares equal, {name: value, ...}; found a list",
        ),
        (
            lambda d, x, base: d.claim_identity("square", "it is", [x], squares={x: ONE}),
            "squares of claim 'square' are names and what their squares equal",
        ),
        (
            lambda d, x, base: d.claim_identity("square", "it is", [x], squares={"length": ONE}),
            "squares of claim 'square' uses 'length', which is neither a port nor an earlier step; "
            'did you mean "arm_length"?',
        ),
        (
            lambda d, x, base: d.claim_identity("square", "it is", [x], keep="arm_length"),
            "what claim 'square' keeps is 'arm_length'; give a list of names of steps",
        ),
        (
            lambda d, x, base: d.input_vector("top", 0, meaning="top", unit="m"),
            "arm: input 'top' has size 0; a vector has 2 or 3 components, input_scalar declares a number",
        ),
        (lambda d, x, base: d.input_vector("top", "3", meaning="top", unit="m"), "input 'top' has size '3'"),
        (lambda d, x, base: d.input_array("top", [], meaning="top", unit="m"), "input 'top' is made of is empty"),
        (
            lambda d, x, base: d.input_array("top", "top_x", meaning="top", unit="m"),
            "what input 'top' is made of is 'top_x'; give a list of names",
        ),
        (lambda d, x, base: base / 0, "a vector divided by 0"),
        (lambda d, x, base: base / ZERO, "a vector divided by 0"),
        (lambda d, x, base: d.scalar("y", x / 0, "y"), "step 'y' divides by zero, whatever the inputs are"),
        (
            lambda d, x, base: _start("kernal"),
            "arm: there is no level 'kernal'; did you mean \"kernel\"?; levels are kernel, group, loops, joint",
        ),
    ],
)
def test_a_slip_is_told(slip: Slip, message: str) -> None:
    with pytest.raises(DerivationError, match=re.escape(message)):
        slip(*_start())


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("degree", "two", "module 'arm': its degree is 'two'; give the number of assembly modes"),
        ("degree", 0, "module 'arm': its degree is 0"),
        ("degree", True, "module 'arm': its degree is True"),
        ("title", None, "module 'arm': its title is None; give a text, such as 'piston of a crank'"),
        ("id", 3, "module 3: its id is 3; give a text, such as 'piston'"),
    ],
)
def test_a_module_that_no_manifest_can_hold_is_refused(field: str, value: object, message: str) -> None:
    given: dict[str, Any] = {"id": "arm", "title": "an arm", "space": "planar", "degree": 1, "source": "s"}
    rest = {"summary": (), "kernel": _start()[0], "arrange": lambda position: ()}
    with pytest.raises(DerivationError, match=re.escape(message)):
        ModuleDerivation(**{**given, **rest, field: value})
