"""Prove the claims of a derivation, or stop the generator.

Two methods, and the manifest says which: *symbolic* (the claim unfolds to a rational function whose numerator is the
zero polynomial modulo the given squares) and *50-digit residual* (the steps are evaluated with 50 digits at random
inputs; far above rounding would be a wrong formula, not bad luck).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath

from symgen.algebra import Expr, replace, symbol_names, vanishes
from symgen.derive.derivation import Derivation
from symgen.derive.items import Identity, Step, ZeroClaim
from symgen.errors import DerivationError
from symgen.ir.nodes import Routine
from symgen.lower import lower
from symgen.proofs.points import DIGITS, POINTS, solved_points
from symgen.proofs.record import Proof

#: Residuals are sums of order-one products: 50 digits less what a badly conditioned random point costs.
_BOUND = "1e-35"


def prove(derivation: Derivation) -> tuple[Proof, ...]:
    """Prove every claim of a derivation.

    Raises
    ------
    DerivationError
        If a claim does not hold.
    """
    proofs = [_prove_identity(derivation, claim) for claim in derivation.identities]
    if derivation.zero_claims:
        worst = _worst_residuals(lower(derivation, "proof"))
        for claim in derivation.zero_claims:
            size = max(worst[port] for port in claim.ports)
            if not size < mpmath.mpf(_BOUND):
                raise DerivationError(f"{derivation.name}: claim {claim.name!r} fails: residual {mpmath.nstr(size, 3)}")
            method = f"{DIGITS}-digit residual at {POINTS} random points"
            proofs.append(_proof(derivation, claim, method, _BOUND))
    return tuple(proofs)


def _proof(derivation: Derivation, claim: Identity | ZeroClaim, method: str, bound: str) -> Proof:
    return Proof(claim.name, claim.statement, method, bound, derivation.level, derivation.arrangement)


def _prove_identity(derivation: Derivation, claim: Identity) -> Proof:
    definitions = {
        target: value
        for item in derivation.items
        if isinstance(item, Step)
        for target, value in zip(item.targets, item.values, strict=True)
    }
    squares = {name: unfold(square, definitions, claim.keep) for name, square in claim.squares.items()}
    for residual in claim.residuals:
        if not vanishes(unfold(residual, definitions, claim.keep), squares):
            raise DerivationError(f"{derivation.name}: claim {claim.name!r} does not hold: {claim.statement}")
    return _proof(derivation, claim, "symbolic", "0")


def unfold(value: Expr, definitions: Mapping[str, Expr], keep: tuple[str, ...]) -> Expr:
    """Replace steps by their definitions until only ports and kept symbols are left."""
    while True:
        names = [n for n in symbol_names(value) if n in definitions and n not in keep]
        if not names:
            return value
        value = replace(value, {n: definitions[n] for n in names})


def _worst_residuals(routine: Routine) -> dict[str, Any]:
    worst = {output.port.name: mpmath.mpf(0) for output in routine.outputs}
    for _, residuals in solved_points(routine):
        for name, (value,) in residuals.items():
            worst[name] = max(worst[name], abs(value))
    return worst
