"""The view of the engine that integrates by the Riccati form of the transfer matrices: the dynamics' and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from symgen.ir.nodes import Routine
from symgen.render.dynamics import DynamicsView
from symgen.render.views import FunctionText, function_texts

#: Elements of the transfer matrices that the engine calls.
RICCATI_ELEMENTS = (
    "lever", "twist_along", "carrier_swept", "column_swept", "quaternion_rate", "damper_force",
    "riccati_centre", "riccati_input", "riccati_swept", "riccati_reaction",
    *(f"{element}_{count}" for element in (
        "riccati_hinge", "riccati_back", "loop_column_hinge", "loop_row_hinge") for count in (1, 2, 3)),
    "loop_column_shift", "loop_row_swept", "loop_recall", "loop_hold", "loop_stiffen", "loop_column_close",
    "loop_row_close", "loop_load_close", "loop_multiplier",
    "riccati_size", "riccati_input_size", "riccati_hinge_size", "loop_hinge_size",
)  # fmt: skip
RICCATI_TEMPLATES = (
    "transfer_riccati_kernels.h.j2",
    "transfer.h.j2",
    "transfer_tree.h.j2",
    "transfer_sweep.h.j2",
    "transfer.c.j2",
)


@dataclass(frozen=True)
class RiccatiView(DynamicsView):
    """What the templates of the engine see beside kernels and rows of the dynamics.

    Parameters
    ----------
    dependent : pivots of the multipliers' matrix, scaled by what its diagonal could be, below which rows depend on
        each other.
    noise : rounding of these pivots, times the least pivot taken before.
    idle : part of what an inertia was made of below which it is none.
    most_rounds, opened, loose : of the closing of loops: rounds; how far open at most; how far open it may stay.
    wild : way of an unknown in a step [rad or units of length] that no motion goes.
    """

    dependent: str
    noise: str
    idle: str
    most_rounds: str
    opened: str
    loose: str
    wild: str
    elements: tuple[FunctionText, ...]


def riccati_view(view: DynamicsView, source: str, elements: Sequence[Routine]) -> RiccatiView:
    """Return the view of the engine from that of the dynamics; `elements` hold those that it calls."""
    held = {each.name: getattr(view, each.name) for each in fields(view)} | {"source": source}
    return RiccatiView(
        **held,
        dependent="1e-11",
        noise="1e-13",
        idle="1e-14",
        most_rounds="6",
        opened="0.1",
        loose="1e-8",
        wild="1e2",
        elements=tuple(
            function_texts("transfer", each, "double") for each in elements if each.name in RICCATI_ELEMENTS
        ),
    )
