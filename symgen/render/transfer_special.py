"""The views of the special engines in C: trees of bodies on ball joints, planar trees of bodies on pins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.ir.nodes import Routine
from symgen.render.views import FunctionText, function_texts

#: File -> template, of each engine, and of what both share.
FILES = {
    "ball": {
        "transfer_ball.h": "transfer_ball.h.j2",
        "transfer_ball.c": "transfer_ball.c.j2",
        "transfer_ball_kernels.h": "transfer_kernels.h.j2",
    },
    "planar": {
        "transfer_planar.h": "transfer_planar.h.j2",
        "transfer_planar.c": "transfer_planar.c.j2",
        "transfer_planar_kernels.h": "transfer_kernels.h.j2",
    },
}
SHARED = {
    "transfer_explicit.h": "transfer_explicit.h.j2",
    "transfer_explicit_steps.h": "transfer_explicit_steps.h.j2",
}


@dataclass(frozen=True)
class SpecialEngineView:
    """What the templates of a special engine see; `declarations` is what cffi is told too."""

    title: str
    source: str
    summary: tuple[str, ...]
    preamble: tuple[str, ...]
    declarations: str
    real: str
    sqrt: str
    absolute: str
    power: str
    limit: str
    rounded: str
    block: str
    most_slopes: str
    safety: str
    eighth: str
    most_growth: str
    least_growth: str
    nearly: str
    shortest: str
    functions: tuple[FunctionText, ...]


def special_engine_view(
    title: str, source: str, summary: tuple[str, ...], kernels: Sequence[Routine], declarations: str = ""
) -> SpecialEngineView:
    """Return the view of an engine with its kernels, double precision."""
    return SpecialEngineView(
        title,
        source,
        tuple(f" {line}" if line else "" for line in summary),
        (),
        declarations,
        real="double",
        sqrt="sqrt",
        absolute="fabs",
        power="pow",
        limit="DBL_MAX",
        rounded="16*DBL_EPSILON",
        block="256",
        most_slopes="16",
        safety="0.9",
        eighth="0.125",
        most_growth="6.0",
        least_growth="0.2",
        nearly="0.999999",
        shortest="1e-9",
        functions=tuple(function_texts("transfer", routine, "double") for routine in kernels),
    )
