"""The view of the discrete Fourier transform of a sampled trigonometric polynomial in C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit.names import inner_routines
from symgen.ir.nodes import Routine, Samples
from symgen.printers.c99 import REAL_TYPE, Precision

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


def samplers(routines: Sequence[Routine], precision: Precision) -> tuple[SamplerView, ...]:
    """Return the view, or nothing if no routine samples."""
    every = (*inner_routines(routines), *routines)
    if not any(isinstance(s, Samples) for routine in every for s in routine.body):
        return ()
    end, suffix = ("F", "f") if precision == "float" else ("", "")
    return (
        SamplerView(
            real=REAL_TYPE[precision],
            leak=LEAK[precision],
            literal_0=f"0.0{end}",
            literal_1=f"1.0{end}",
            literal_2=f"2.0{end}",
            turn=f"6.283185307179586{end}",
            absolute=f"fabs{suffix}",
            cos=f"cos{suffix}",
            sin=f"sin{suffix}",
        ),
    )
