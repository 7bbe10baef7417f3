"""The views of the special engines in C: trees of bodies on ball joints, planar trees of bodies on pins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.ir.nodes import Routine
from symgen.render.views import FunctionText, function_texts

#: File -> template of c99/transfer/special: of each engine ...
SPECIAL_FILES = {
    kind: {
        f"transfer_{kind}.h": f"transfer_{kind}.h.j2",
        f"transfer_{kind}.c": f"transfer_{kind}.c.j2",
        f"transfer_{kind}_kernels.h": "transfer_kernels.h.j2",
    }
    for kind in ("ball", "planar")
}
#: ... and of what both share.
SHARED_FILES = {
    "transfer_special.h": "transfer_special.h.j2",
    "transfer_special_loops.h": "transfer_special_loops.h.j2",
    "transfer_special_steps.h": "transfer_special_steps.h.j2",
}


@dataclass(frozen=True)
class SpecialEngineView:
    """What the templates of a special engine see; `shared` and `declarations` are what cffi is told too."""

    title: str
    source: str
    summary: tuple[str, ...]
    preamble: tuple[str, ...]
    shared: str
    declarations: str
    real: str
    sqrt: str
    absolute: str
    limit: str
    rounded: str
    closed: str
    nearly_closed: str
    most_rounds: str
    huge: str
    unit: str
    wild: str
    block: str
    most_slopes: str
    scheme_type: str
    settings_type: str
    safety: str
    most_growth: str
    least_growth: str
    nearly: str
    shortest: str
    functions: tuple[FunctionText, ...]


def special_engine_view(
    title: str, source: str, summary: Sequence[str], kernels: Sequence[Routine]
) -> SpecialEngineView:
    """Return the view of an engine with its kernels, double precision; declarations are filled in by its caller."""
    return SpecialEngineView(
        title,
        source,
        tuple(f" {line}" for line in summary),
        preamble=(),
        shared="",
        declarations="",
        real="double",
        sqrt="sqrt",
        absolute="fabs",
        limit="DBL_MAX",
        rounded="1e-12",
        closed="1e-15",
        nearly_closed="1e-9",
        most_rounds="8",
        huge="1e9",
        unit="1e-9",
        wild="1e2",
        block="256",
        most_slopes="16",
        scheme_type="symgen_transfer_special_scheme",
        settings_type="symgen_transfer_special_settings",
        safety="0.9",
        most_growth="6.0",
        least_growth="0.2",
        nearly="0.999999",
        shortest="1e-9",
        functions=tuple(function_texts("transfer", routine, "double_own") for routine in kernels),
    )
