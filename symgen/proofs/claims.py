"""Prove the claims of a derivation, or stop the generator.

Two methods, and the manifest says which: *symbolic* (the claim unfolds to a rational function whose numerator is the
zero polynomial modulo the given squares) and *50-digit residual* (the steps are evaluated with 50 digits at random
inputs; far above rounding would be a wrong formula, not bad luck). What a derivation says of squares is never believed:
squares, and the identities themselves, are evaluated at random points before they are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from typing import Any

import mpmath

from symgen.algebra import Expr, replace, symbol, symbol_names, vanishes
from symgen.derive.derivation import Derivation
from symgen.derive.items import Identity, Step, ZeroClaim, inner_parts
from symgen.errors import DerivationError
from symgen.ir.evaluate import REFERENCE_TOLERANCES
from symgen.ir.nodes import Call, Let, LoopAssemblies, Output, Port, Routine, Samples, Solve, Statement, Zeros
from symgen.lower import lower
from symgen.proofs.points import DIGITS, POINTS, point_text, solved_points
from symgen.proofs.record import Proof
from symgen.proofs.sizes import sizes

#: Residuals are sums of order-one products: 50 digits less what a badly conditioned random point costs.
_BOUND = "1e-35"


def prove(derivation: Derivation) -> tuple[Proof, ...]:
    """Prove every claim of a derivation, and of the inner parts that it calls.

    Raises
    ------
    DerivationError
        If a claim, or what it says that a square equals, does not hold.
    """
    _check_squares(derivation)
    proofs = [_prove_identity(derivation, claim) for claim in derivation.identities]
    _check_identities(derivation)
    if derivation.zero_claims:
        worst = _worst_residuals(lower(derivation, "proof"))
        for claim in derivation.zero_claims:
            port = max(claim.ports, key=lambda name: worst[name].excess)
            residual = worst[port]
            if not residual.vanishes:
                which = _which(claim.ports.index(port), len(claim.ports))
                raise DerivationError(
                    f"{derivation.name}: claim {claim.name!r} fails: residual {residual.text}{which} "
                    f"at {point_text(residual.inputs)}"
                )
            method = f"{DIGITS}-digit residual at {POINTS} random points"
            proofs.append(_proof(derivation, claim, method, _BOUND))
    for part in inner_parts(derivation):
        own = prove(part.derivation)
        proofs += [
            replace_fields(p, name=f"{part.name}_{p.name}", level=derivation.level, arrangement=derivation.arrangement)
            for p in own
        ]
    return tuple(proofs)


@dataclass(frozen=True)
class _Residual:
    """A value that ought to vanish, the size of the terms it is made of, and where it is so large."""

    value: Any
    size: Any
    inputs: Mapping[str, Any]

    @property
    def excess(self) -> Any:
        """How many times the bound it is; NaN is infinitely many."""
        if mpmath.isnan(self.value):
            return mpmath.inf
        return self.value / min(mpmath.mpf(1), self.size) if self.value else self.value

    @property
    def vanishes(self) -> bool:
        """True if it is below the bound, and is not just as small as its terms are."""
        return bool(self.excess < mpmath.mpf(_BOUND))

    @property
    def text(self) -> str:
        """The value, and that its terms are no larger, where that is why it does not vanish."""
        value = str(mpmath.nstr(self.value, 3))
        return f"{value} of terms of the size {mpmath.nstr(self.size, 3)}" if self.value < mpmath.mpf(_BOUND) else value


def _check_squares(derivation: Derivation) -> None:
    """Refuse what claims say of squares where it is false: a proof that uses it would prove anything."""
    ports = {element: port for port in derivation.inputs.values() for element in port.elements}
    said: list[tuple[Identity, str, Expr]] = []
    for claim in derivation.identities:
        for name, square in claim.squares.items():
            where = f"{derivation.name}: claim {claim.name!r}, squares: {name!r}"
            if name in ports and ports[name].range not in ("unit", "q unit"):
                raise DerivationError(
                    f"{where} is the input {ports[name].name!r}, which takes any value; only of an input of unit "
                    'length (range="unit", "q unit") is a square known. For a relation between inputs, claim what it '
                    "is of steps"
                )
            said.append((claim, name, square))
    gaps = [symbol(name) * symbol(name) - square for _, name, square in said]
    for (claim, name, square), residual in zip(said, _at_points(derivation, "squares", gaps), strict=True):
        if not residual.vanishes:
            raise DerivationError(
                f"{derivation.name}: claim {claim.name!r}, squares: the square of {name!r} is not {square}; "
                f"they differ by {residual.text} at {point_text(residual.inputs)}"
            )


def _check_identities(derivation: Derivation) -> None:
    """Evaluate what was proved with squares: an independent look at it."""
    said = [(c, k, r) for c in derivation.identities if c.squares for k, r in enumerate(c.residuals)]
    found = _at_points(derivation, "identities", [residual for _, _, residual in said])
    for (claim, number, _), residual in zip(said, found, strict=True):
        if not residual.vanishes:
            which = _which(number, len(claim.residuals))
            raise DerivationError(
                f"{derivation.name}: claim {claim.name!r} does not hold: {claim.statement}{which}; it is "
                f"{residual.text}, not 0, at {point_text(residual.inputs)}"
            )


def _at_points(derivation: Derivation, what: str, residuals: Sequence[Expr]) -> list[_Residual]:
    """Return the worst of each of several residuals over random points."""
    if not residuals:
        return []
    probe = derivation.copied()
    probe.claim_zero(f"tried_{what}", what, residuals)
    ports = probe.zero_claims[-1].ports
    probe.output_part = {n: p for n, p in probe.output_part.items() if p != "proof" or n in ports}
    probe.outputs = {n: p for n, p in probe.outputs.items() if n in probe.output_part}
    worst = _worst_residuals(lower(probe, "proof"))
    return [worst[port] for port in ports]


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
    try:
        (worst,) = _at_points(derivation, "residual", [residual])
    except DerivationError as error:
        return "is not proved", f"and no point contradicts it: {error}"
    if not worst.vanishes:
        return "does not hold", f"it is {worst.text}, not 0, at {point_text(worst.inputs)}"
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


def _worst_residuals(routine: Routine) -> dict[str, _Residual]:
    """Return the worst residual of each port over random points."""
    names = [e for port in routine.inputs for e in port.elements]
    names += [target for statement in routine.body for target in _targets(statement)]
    every = Port("every_name", "out", "real", (len(names),), tuple(names), "", "", "all names")
    watched = replace_fields(routine, outputs=(*routine.outputs, Output(every, tuple(symbol(n) for n in names))))
    worst: dict[str, _Residual] = {}
    try:
        for inputs, results in solved_points(watched):
            values = {name: mpmath.mpf(text) for name, text in REFERENCE_TOLERANCES.items()}
            values |= zip(names, results.pop(every.name), strict=True)
            size = sizes(routine, values)
            for output in routine.outputs:
                (value,) = results[output.port.name]
                found = _Residual(abs(value), size[output.port.elements[0]], inputs)
                if output.port.name not in worst or found.excess > worst[output.port.name].excess:
                    worst[output.port.name] = found
    except ZeroDivisionError as error:
        raise DerivationError(f"{routine.name}: a step or a claim divides by zero at a random point") from error
    return worst


def _targets(statement: Statement) -> tuple[str, ...]:
    """Return the names that a statement gives values to."""
    if isinstance(statement, Call):
        return tuple(name for names in statement.outputs for name in names)
    return statement.targets if isinstance(statement, (Let, Zeros, Samples, LoopAssemblies, Solve)) else ()
