"""Prove the claims of a derivation, or stop the generator.

Two methods, and the manifest says which: *symbolic* (the claim unfolds to a rational function whose numerator is the
zero polynomial modulo the given squares) and *50-digit residual* (the steps are evaluated with 50 digits at random
inputs; far above rounding would be a wrong formula, not bad luck).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mpmath

from symgen.algebra import Expr, replace, symbol_names, vanishes
from symgen.derive.derivation import Derivation
from symgen.derive.items import Identity, Step
from symgen.errors import DerivationError
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Port, Routine
from symgen.lower import lower
from symgen.status import Status

POINTS = 8
_DIGITS = 50
#: Residuals are sums of order-one products: 50 digits less what a badly conditioned random point costs.
_BOUND = "1e-35"
_TRIES = 400


@dataclass(frozen=True)
class Proof:
    """What was proved, how, and how well."""

    name: str
    statement: str
    method: str
    bound: str


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
            proofs.append(
                Proof(claim.name, claim.statement, f"{_DIGITS}-digit residual at {POINTS} random points", _BOUND)
            )
    return tuple(proofs)


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
    return Proof(claim.name, claim.statement, "symbolic", "0")


def unfold(value: Expr, definitions: Mapping[str, Expr], keep: tuple[str, ...]) -> Expr:
    """Replace steps by their definitions until only ports and kept symbols are left."""
    while True:
        names = [n for n in symbol_names(value) if n in definitions and n not in keep]
        if not names:
            return value
        value = replace(value, {n: definitions[n] for n in names})


def _worst_residuals(routine: Routine) -> dict[str, Any]:
    rng = random.Random(0)  # noqa: S311 - reproducible points, not secrets
    worst = {output.port.name: mpmath.mpf(0) for output in routine.outputs}
    solved = 0
    for _ in range(_TRIES):
        inputs = {port.name: _random_value(port, rng, routine.branches) for port in routine.inputs}
        status, residuals = evaluate(routine, inputs, digits=_DIGITS)
        if status is not Status.OK:
            continue
        for name, (value,) in residuals.items():
            worst[name] = max(worst[name], abs(value))
        solved += 1
        if solved == POINTS:
            return worst
    raise DerivationError(f"{routine.name}: only {solved} of {_TRIES} random points are solved")


def _random_value(port: Port, rng: random.Random, branches: int) -> Any:
    if port.kind == "int":
        return rng.randrange(branches)
    with mpmath.workdps(_DIGITS):
        values = [mpmath.mpf(rng.uniform(-1, 1)) for _ in port.elements]
        if port.range.startswith("> "):
            values = [abs(v) + mpmath.mpf(1) / 2 for v in values]
        if port.range == "unit":
            values = _unit(values)
        if port.range == "q unit":
            values = values[:3] + _unit(values[3:])
    return values if port.shape else values[0]


def _unit(values: list[Any]) -> list[Any]:
    size = mpmath.sqrt(mpmath.fsum(v * v for v in values))
    return [v / size for v in values]
