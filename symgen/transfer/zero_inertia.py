"""The refusal of a freedom that moves no mass: a point mass on a ball, a massless link at a tip."""

from __future__ import annotations

from symgen.errors import MechanismError
from symgen.transfer.system.system import TransferBody, TransferSystem


class ZeroInertiaError(MechanismError):
    """A freedom of a joint moves no mass that the tree carries there."""


def zero_inertia(system: TransferSystem, body: TransferBody) -> ZeroInertiaError:
    """Return the refusal of a body whose output lets it move without moving any mass."""
    way = "the free root" if body.output is None else f"joint {body.output.joint}"
    held = ", cut another joint of a loop (--cut), or use method multiplier" if system.loops else ""
    return ZeroInertiaError(
        f"zero articulated inertia: {way} lets it move without moving any mass; give it mass and inertia in that "
        f"freedom{held}",
        file=system.mechanism.file,
        field=f"bodies.{body.id}",
    )
