"""Trigonometric polynomials of a derivation that are known by their values: sampled, transformed, zeros polished.

A polynomial of degree n has 2 n + 1 coefficients, which as many values at evenly spaced angles give; sampling on the
unit circle is perfectly conditioned. More samples than needed give coefficients above the degree that must vanish: a
test of the degree and of the values at every call.

Source: docs/closed-forms.md, "Sampling"; discrete Fourier transform, any text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.algebra import Expr
from symgen.derive.derivation import Derivation
from symgen.derive.items import Inner, SamplesStep
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector

#: Samples beyond the least number: three coefficients above the degree are looked at.
GUARD = 7


def sampled(
    d: Derivation, name: str, routine: Inner, degree: int, inputs: Mapping[str, Vector | Expr], meaning: str
) -> tuple[Expr, ...]:
    """Name the coefficients `<name>_0`, `<name>_c1`, `<name>_s1`, ... of what an inner routine evaluates.

    Parameters
    ----------
    routine : its first two ports are cosine and sine of the angle, its result is the value.
    inputs : port -> value, for its other ports.
    """
    groups = tuple(components(inputs[port.name]) for port in routine.inputs[2:])
    labels = ["0", *(f"{letter}{k}" for k in range(1, degree + 1) for letter in "cs")]
    targets = tuple(f"{name}_{label}" for label in labels)
    item = SamplesStep(name, routine, groups, targets, 2 * degree + 1 + GUARD, meaning, d.current_part)
    return d.append(item, [value for group in groups for value in group], targets)


def components(value: Vector | Quaternion | Sequence[Expr] | Expr) -> tuple[Expr, ...]:
    """Return the components of a value that a port takes."""
    if isinstance(value, (Vector, Quaternion)):
        return value.components
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)  # type: ignore[return-value]
