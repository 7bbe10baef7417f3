"""Prove the claims of a derivation, or stop the generator.

Two methods, and the manifest says which: *symbolic* (the claim unfolds to a rational function whose numerator is the
zero polynomial modulo the given squares) and *50-digit residual* (the steps are evaluated with 50 digits at random
inputs; far above rounding would be a wrong formula, not bad luck).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import mpmath

from symgen.algebra import Expr, replace, symbol_names, vanishes
from symgen.derive.derivation import Derivation
from symgen.derive.items import Identity, Step, ZeroClaim
from symgen.errors import DerivationError
from symgen.ir.nodes import Routine
from symgen.lower import lower
from symgen.proofs.points import DIGITS, POINTS, point_text, solved_points
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
            port = max(claim.ports, key=lambda name: worst[name][0])
            size, inputs = worst[port]
            if not size < mpmath.mpf(_BOUND):
                which = _which(claim.ports.index(port), len(claim.ports))
                raise DerivationError(
                    f"{derivation.name}: claim {claim.name!r} fails: residual {mpmath.nstr(size, 3)}{which} "
                    f"at {point_text(inputs)}"
                )
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
    for number, residual in enumerate(claim.residuals):
        if not vanishes(unfold(residual, definitions, claim.keep), squares):
            verdict, why = _why_not(derivation, claim, residual)
            which = _which(number, len(claim.residuals))
            raise DerivationError(
                f"{derivation.name}: claim {claim.name!r} {verdict}: {claim.statement}{which}, written with "
                f"{', '.join(sorted(symbol_names(residual)))}; {why}"
            )
    return _proof(derivation, claim, "symbolic", "0")


def _which(number: int, count: int) -> str:
    return f" ({number + 1} of {count})" if count > 1 else ""


def _why_not(derivation: Derivation, claim: Identity, residual: Expr) -> tuple[str, str]:
    """Return a verdict, and a point at which a residual does not vanish; or that it does at all that were tried."""
    probe = copy(derivation)
    for name, value in vars(derivation).items():
        if isinstance(value, (list, dict, set)):
            setattr(probe, name, value.copy())
    probe.claim_zero("tried", claim.statement, [residual])
    port = probe.zero_claims[-1].ports[0]
    try:
        worst, inputs = _worst_residuals(lower(probe, "proof"))[port]
    except DerivationError as error:
        return "is not proved", f"and no point contradicts it: {error}"
    if not worst < mpmath.mpf(_BOUND):
        return "does not hold", f"it is {mpmath.nstr(worst, 3)}, not 0, at {point_text(inputs)}"
    return (
        "is not proved",
        f"it may well be true, for it vanishes at {POINTS} random points: name with keep= the steps to take as symbols "
        "and with squares= what their squares equal (a root: its radicand), or claim it with claim_zero",
    )


def unfold(value: Expr, definitions: Mapping[str, Expr], keep: tuple[str, ...]) -> Expr:
    """Replace steps by their definitions until only ports and kept symbols are left."""
    while True:
        names = [n for n in symbol_names(value) if n in definitions and n not in keep]
        if not names:
            return value
        value = replace(value, {n: definitions[n] for n in names})


def _worst_residuals(routine: Routine) -> dict[str, tuple[Any, Mapping[str, Any]]]:
    """Return the largest residual of each port over random points, and the inputs where it is found."""
    worst: dict[str, tuple[Any, Mapping[str, Any]]] = {}
    for inputs, residuals in solved_points(routine):
        for name, (value,) in residuals.items():
            if name not in worst or abs(value) > worst[name][0]:
                worst[name] = abs(value), inputs
    return worst
