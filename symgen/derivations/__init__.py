"""Derivations of your own: the names that a file of yours imports, and the call that proves and writes it.

A file defines a function without arguments that returns a module: `formula(...)` of a kernel, `element(...)` of
transfer matrices, or a `ModuleDerivation` with arrangements, a structural group. `symgen generate FILE.py:FUNCTION`
proves it and writes C, NumPy and manifest; `generate` here does the same from Python. The page is
docs/own-derivations.md, the vocabulary docs/derivations.md.

What is listed in ``__all__`` stays; what is imported from elsewhere in symgen may change. Importing this package loads
SymPy. Using what was generated does not.
"""

from __future__ import annotations

from symgen.algebra import (
    FOLD_TOLERANCE,
    HALF,
    ONE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    TWO,
    UNIT_TOLERANCE,
    ZERO,
    Expr,
    absolute,
    atan2,
    cos,
    exactly,
    not_below_zero,
    number,
    ratio,
    sin,
    sqrt,
)
from symgen.derivations.element import element, give_transfer_matrix
from symgen.derivations.formula import formula
from symgen.derivations.writing import generate
from symgen.derive import planar_group as planar
from symgen.derive import spatial_group as spatial
from symgen.derive.blocks.planar import linear_pair
from symgen.derive.blocks.spatial import linear_triple
from symgen.derive.derivation import Derivation
from symgen.derive.items import Inner
from symgen.derive.joints import pair_model
from symgen.derive.module import Arrangement, JointSlot, ModuleDerivation, overview
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector
from symgen.errors import DerivationError
from symgen.ir.nodes import Routine
from symgen.status import Status

__all__ = [
    "FOLD_TOLERANCE", "HALF", "ONE", "REACH_TOLERANCE", "SINGULAR_TOLERANCE", "SMALL_LENGTH", "TINY", "TWO",
    "UNIT_TOLERANCE", "ZERO",
    "Arrangement", "Derivation", "DerivationError", "Expr", "Inner", "JointSlot", "ModuleDerivation", "Quaternion",
    "Routine", "Status", "Vector",
    "absolute", "atan2", "cos", "element", "exactly", "formula", "generate", "give_transfer_matrix", "linear_pair",
    "linear_triple", "not_below_zero", "number", "overview", "pair_model", "planar", "ratio", "sin", "spatial", "sqrt",
]  # fmt: skip
