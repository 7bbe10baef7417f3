"""The view of the engine that integrates by the Riccati form of the transfer matrices: that of the dynamics, numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields

from symgen.render.dynamics import DynamicsView

RICCATI_TEMPLATES = ("transfer.h.j2", "transfer_tree.h.j2", "transfer_sweep.h.j2", "transfer.c.j2")


@dataclass(frozen=True)
class RiccatiView(DynamicsView):
    """What the templates of the engine see beside kernels and rows of the dynamics.

    Parameters
    ----------
    dependent : pivots of the multipliers' matrix, scaled to a unit diagonal, below which rows depend on each other.
    unmoved : part of the largest diagonal below which a row moves nothing.
    idle : part of what an inertia was made of below which it is none.
    most_rounds, opened, loose : of the closing of loops: rounds; how far open at most; how far open it may stay.
    wild : way of an unknown in a step [rad or units of length] that no motion goes.
    """

    dependent: str
    unmoved: str
    idle: str
    most_rounds: str
    opened: str
    loose: str
    wild: str


def riccati_view(view: DynamicsView, source: str) -> RiccatiView:
    """Return the view of the engine from that of the dynamics."""
    held = {each.name: getattr(view, each.name) for each in fields(view)} | {"source": source}
    return RiccatiView(
        **held, dependent="1e-11", unmoved="1e-20", idle="1e-14", most_rounds="6", opened="0.1", loose="1e-8", wild="1e2"
    )
