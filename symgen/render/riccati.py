"""The view of what is derived in the engine that integrates by the Riccati form of the transfer matrices: elements.

The engine itself is plain C (templates/c99/transfer/riccati), the same for every mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.ir.nodes import Routine
from symgen.render.views import FunctionText, function_texts

#: Elements of the transfer matrices that the engine calls.
RICCATI_ELEMENTS = (
    "lever", "twist_along", "carrier_swept", "column_swept", "quaternion_rate", "damper_force",
    "riccati_centre", "riccati_swept", "riccati_reaction", "riccati_input_back",
    *(f"riccati_back_{count}" for count in (1, 2, 3)),
    *(f"loop_{word}_hinge_{count}" for word in ("column", "row") for count in (1, 2, 3)),
    "loop_column_shift", "loop_row_swept", "loop_recall", "loop_hold", "loop_stiffen", "loop_column_close",
    "loop_row_close", "loop_load_close", "loop_multiplier",
    "riccati_size", "riccati_input_size", "riccati_hinge_size", "loop_hinge_size",
)  # fmt: skip
#: Elements of which it takes some results only, as right sides are swept on their own: its name, title, results.
RICCATI_PARTS = {
    "riccati_input": ("riccati_input_inertia", "what an input adds to S at the output of its body", ("ps_out",)),
    **{
        f"riccati_hinge_{count}": (
            f"riccati_hinge_inertia_{count}",
            f"S through a hinge of {count} freedoms",
            ("ps_out", "ka", "di", "pivots", "scales"),
        )
        for count in (1, 2, 3)
    },
}
#: Elements that flexible beams need besides.
BEAM_ELEMENTS = (
    "beam_station", "beam_station_mode", "beam_twist", "beam_end", "beam_end_mode", "beam_energy",
    "beam_mode_pair", "beam_mode_force", "beam_mode_energy",
)  # fmt: skip
#: What is derived; the engine's plain C includes it.
RICCATI_TEMPLATE = "transfer_riccati_kernels.h.j2"


@dataclass(frozen=True)
class RiccatiView:
    """What the template of the engine sees; kernels and rows of pairs are those of the dynamics."""

    source: str
    preamble: tuple[str, ...]
    elements: tuple[FunctionText, ...]
    beam_elements: tuple[FunctionText, ...]


def riccati_view(source: str, elements: Sequence[Routine], beam_elements: Sequence[Routine]) -> RiccatiView:
    """Return the view; `elements` are those that the engine calls, `beam_elements` those for flexible beams besides."""
    return RiccatiView(source, preamble=(), elements=_texts(elements), beam_elements=_texts(beam_elements))


def _texts(elements: Sequence[Routine]) -> tuple[FunctionText, ...]:
    return tuple(function_texts("transfer", each, "double_own") for each in elements)
