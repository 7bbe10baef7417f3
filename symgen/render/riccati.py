"""The view of the engine that integrates by the Riccati form of the transfer matrices: elements and numbers."""

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
#: What names of the files end in that are for mechanisms with beams; those without have none of their code.
BEAM_SUFFIX = "_beams"
#: Templates of which there are two files.
BEAM_TEMPLATES = ("transfer_riccati_kernels.h.j2", "transfer.h.j2", "transfer_sweep.h.j2", "transfer.c.j2")
RICCATI_TEMPLATES = (
    "transfer_riccati_kernels.h.j2",
    "transfer.h.j2",
    "transfer_sweep.h.j2",
    "transfer.c.j2",
)


@dataclass(frozen=True)
class RiccatiView:
    """What the templates of the engine see; kernels and rows of pairs are those of the dynamics.

    Parameters
    ----------
    dependent : pivots of the multipliers' matrix, scaled by what its diagonal could be, below which rows depend on
        each other.
    noise : rounding of these pivots, times the least pivot taken before.
    idle : part of what an inertia was made of below which it is none.
    most_rounds, opened, loose : of the closing of loops: rounds; how far open at most; how far open it may stay.
    wild : way of an unknown in a step [rad or units of length] that no motion goes.
    beams : whether it is for mechanisms with flexible beams.
    header, kernels, sweep : names of its files, without ending; `guard` is that of the header.
    """

    source: str
    preamble: tuple[str, ...]
    dependent: str
    noise: str
    idle: str
    most_rounds: str
    opened: str
    loose: str
    wild: str
    elements: tuple[FunctionText, ...]
    beams: bool
    header: str
    kernels: str
    sweep: str
    guard: str


def riccati_view(source: str, elements: Sequence[Routine], *, beams: bool = False) -> RiccatiView:
    """Return the view of the engine; `elements` are those that it calls."""
    suffix = BEAM_SUFFIX if beams else ""
    return RiccatiView(
        source,
        preamble=(),
        dependent="1e-11",
        noise="1e-13",
        idle="1e-14",
        most_rounds="6",
        opened="0.1",
        loose="1e-8",
        wild="1e2",
        elements=tuple(function_texts("transfer", each, "double_own") for each in elements),
        beams=beams,
        header=f"transfer{suffix}",
        kernels=f"transfer_riccati_kernels{suffix}",
        sweep=f"transfer_sweep{suffix}",
        guard=f"SYMGEN_TRANSFER{suffix.upper()}_H",
    )
