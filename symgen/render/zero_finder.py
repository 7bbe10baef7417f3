"""The view of the search for real zeros of a trigonometric polynomial in C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit.names import bounds_zeros, searches
from symgen.ir.nodes import Assemblies, Routine, Zeros
from symgen.printers.c99 import REAL_TYPE, Precision
from symgen.printers.zero_finder import BAND, DOUBTS, NEARBY, NOISE, ROUNDS


@dataclass(frozen=True)
class FinderView:
    """One function that finds zeros: its head, whether it takes a least cosine, and how near each other is doubtful."""

    head: str
    bound: bool
    doubts: str


@dataclass(frozen=True)
class ZeroFinderView:
    """Numbers, types and functions in one precision; `most` is the largest number of zeros in the module."""

    real: str
    most: int
    rounds: int
    band: str
    nearby: str
    noise: str
    epsilon: str
    limit: str
    zero: str
    one: str
    literal_0: str
    literal_half: str
    literal_1: str
    literal_2: str
    literal_8: str
    inside: str
    outside: str
    turn: str
    finders: tuple[FinderView, ...]
    absolute: str
    sqrt: str
    cos: str
    sin: str
    atan2: str


def degrees_of(routines: Sequence[Routine]) -> tuple[int, ...]:
    """Return the degrees of all polynomials whose zeros the routines take."""
    return tuple(s.degree for routine in routines for s in routine.body if isinstance(s, (Zeros, Assemblies)))


def takes_zeros(routines: Sequence[Routine]) -> bool:
    """Tell whether a routine takes a zero by itself."""
    return any(isinstance(s, Zeros) for routine in routines for s in routine.body)


def _finders(routines: Sequence[Routine], precision: Precision) -> tuple[FinderView, ...]:
    real, found = REAL_TYPE[precision], []
    if takes_zeros(routines):
        bound = bounds_zeros(routines)
        least = f"{real} least, " if bound else ""
        head = f"real_zeros(const {real} *c, int32_t degree, {least}complex_number *found)"
        found.append(FinderView(head, bound, ""))
    if searches(routines):
        ports = f"const {real} *c, int32_t degree, {real} least, complex_number *found, int *doubtful"
        found.append(FinderView(f"every_zero({ports})", True, DOUBTS[precision]))
    return tuple(found)


def zero_finders(routines: Sequence[Routine], precision: Precision) -> tuple[ZeroFinderView, ...]:
    """Return the view, or nothing if no routine takes zeros."""
    degrees = degrees_of(routines)
    if not degrees:
        return ()
    end, suffix, prefix = ("F", "f", "FLT") if precision == "float" else ("", "", "DBL")
    return (
        ZeroFinderView(
            real=REAL_TYPE[precision],
            most=2 * max(degrees),
            rounds=ROUNDS,
            band=BAND[precision],
            nearby=NEARBY[precision],
            noise=NOISE[precision],
            epsilon=f"{prefix}_EPSILON",
            limit=f"{prefix}_MAX",
            zero=f"{{0.0{end}, 0.0{end}}}",
            one=f"{{1.0{end}, 0.0{end}}}",
            literal_0=f"0.0{end}",
            literal_half=f"0.5{end}",
            literal_1=f"1.0{end}",
            literal_2=f"2.0{end}",
            literal_8=f"8.0{end}",
            inside=f"0.75{end}",
            outside=f"1.25{end}",
            finders=_finders(routines, precision),
            turn=f"6.283185307179586{end}",
            absolute=f"fabs{suffix}",
            sqrt=f"sqrt{suffix}",
            cos=f"cos{suffix}",
            sin=f"sin{suffix}",
            atan2=f"atan2{suffix}",
        ),
    )
