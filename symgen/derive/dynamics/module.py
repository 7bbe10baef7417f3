"""All that the dynamics engine is made of: kernels of bodies, tree and forces, and the constraints of every pair.

The engine integrates any mechanism: central differences of the Newton-Euler equations in quaternions, projected on the
directions that the constraints leave free, solved by Newton's method in every step. Unknowns are the coordinates of a
spanning tree (loops are closed by rows of constraints, open trees eliminated body by body), or the poses of all bodies.

Source: H. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import Expr
from symgen.derive.constraints.module import ElementKind, derive_constraints
from symgen.derive.dynamics.extrapolation import extrapolation_weights
from symgen.derive.dynamics.freedoms import FREEDOMS
from symgen.derive.dynamics.kernels import DynamicsKernel, engine_kernels
from symgen.derive.module import overview

SOURCE = "G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected"
ID = "dynamics"


@dataclass(frozen=True)
class DynamicsModule:
    """Kernels and constraints of the dynamics.

    Parameters
    ----------
    freedoms : pairs and freedoms in the order of their codes.
    extrapolation : weights of a smooth motion, `extrapolation_weights`.
    """

    id: str
    title: str
    source: str
    summary: tuple[str, ...]
    kernels: tuple[DynamicsKernel, ...]
    kinds: tuple[ElementKind, ...]
    freedoms: tuple[tuple[str, str], ...]
    extrapolation: tuple[tuple[tuple[Expr, ...], ...], ...]


def derive_dynamics() -> DynamicsModule:
    """Derive the module."""
    return DynamicsModule(
        ID,
        "dynamics of mechanisms",
        SOURCE,
        overview(__doc__),
        engine_kernels(),
        derive_constraints("newton_spatial").kinds,
        tuple((pair, name) for pair, names in FREEDOMS.items() for name in names),
        extrapolation_weights(),
    )
