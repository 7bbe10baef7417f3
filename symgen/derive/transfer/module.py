"""Elements of the transfer matrix method for multibody systems, in accelerations.

State of a port, 13 numbers in world axes: z = [rdd, wd, m, q, 1]. rdd is the acceleration of the port's point
(gravity not subtracted), wd the angular acceleration of its rigid piece; the neighbour on the side of the tips
exerts the moment m about the point and the force q on the neighbour on the side of the root. A body
receives (m, q) at its inputs and (-m, -q) at its output. In the plane z = [ax, ay, alpha, m, qx, qy, 1]. In short:
a = [rdd, wd], w = [m, q]; P swaps m and q. Weight is a force of the body at its centre of mass.

From the tips to the root: inboard (input I) is the side of the tips, outboard (output O) the side of the root. A
body has one output and one or more inputs; its levers lead from an input to the output. A hinge is
a_O = X a_I + H qdd + eta, w_O = X w_I, H^T P w_O = tau: its coordinates are those of the outboard side relative
to the inboard side, tau acts on the outboard side. The Riccati form is w = S a + e; the symmetric P S is stored
as its lower triangle with rows [q m] and columns [rdd wd].

Matrices are flat arrays, row by row.

Source: X. Rui et al. 2018, doi 10.1177/1687814018788752.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.derive.dynamics.kernels import DynamicsKernel
from symgen.derive.module import overview
from symgen.derive.transfer.kernels import transfer_kernels
from symgen.derive.transfer.ports import SOURCE

ID = "transfer"


@dataclass(frozen=True)
class TransferModule:
    """The kernels of the transfer matrix method."""

    id: str
    title: str
    source: str
    summary: tuple[str, ...]
    kernels: tuple[DynamicsKernel, ...]


def derive_transfer() -> TransferModule:
    """Derive the module."""
    return TransferModule(ID, "elements of transfer matrices", SOURCE, overview(__doc__), transfer_kernels())
