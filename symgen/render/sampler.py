"""The view of the discrete Fourier transform of a sampled trigonometric polynomial in C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit.names import inner_routines
from symgen.ir.nodes import Routine, Samples
from symgen.printers.c99 import REAL_WORDS, Written

#: What coefficients above the degree may be, relative to the sum of the others: far above rounding, far below a term.
LEAK: dict[str, str] = {"double": "1e-09", "float": "1e-04F"}
NUMPY_SAMPLER: tuple[tuple[str, float], ...] = (("_SAMPLING_LEAK", 1e-9),)


@dataclass(frozen=True)
class SamplerView:
    """Numbers, types and functions in one precision."""

    real: str
    leak: str
    literal_0: str
    literal_1: str
    literal_2: str
    turn: str
    absolute: str
    cos: str
    sin: str


def samplers(routines: Sequence[Routine], precision: Written) -> tuple[SamplerView, ...]:
    """Return the view, or nothing if no routine samples."""
    every = (*inner_routines(routines), *routines)
    if not any(isinstance(s, Samples) for routine in every for s in routine.body):
        return ()
    words = REAL_WORDS[precision]
    return (
        SamplerView(
            real=words.real,
            leak=words.choice(LEAK),
            literal_0=words.literal("0.0"),
            literal_1=words.literal("1.0"),
            literal_2=words.literal("2.0"),
            turn=words.literal("6.283185307179586"),
            absolute=words.function("fabs"),
            cos=words.function("cos"),
            sin=words.function("sin"),
        ),
    )
