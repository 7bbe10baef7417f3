"""What the templates of a whole mechanism's module see: as other modules, with a branch for each structural group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from symgen.emit.folding import INDENT
from symgen.ir.nodes import Routine
from symgen.printers.c99 import Precision
from symgen.render.views import (
    CFunctionView,
    CModuleView,
    NumPyFunctionView,
    NumPyModuleView,
    c_module_view,
    numpy_module_view,
)

About = tuple[str, str, tuple[str, ...], str, tuple[str, ...]]


@dataclass(frozen=True)
class WholeCFunctionView(CFunctionView):
    """One function in C: what makes its branches wrong, how many groups there are and how many branches each has."""

    branch_refusal: str
    groups: int
    branch_counts: str
    has_inputs: bool


@dataclass(frozen=True)
class WholeNumPyFunctionView(NumPyFunctionView):
    """One function in NumPy; bounds of branches that are not read are as large as can be."""

    branch_counts: str
    branch_bounds: str


def whole_c_view(
    about: About, routines: Sequence[Routine], precision: Precision, branches: Sequence[int]
) -> CModuleView:
    """Return the view of the C files of a mechanism whose groups have these numbers of branches."""
    view = c_module_view(*about, (), routines, precision)
    refusal = f"\n{2 * INDENT}|| ".join(
        f"branch[{k}] < 0 || branch[{k}] >= {count}" for k, count in enumerate(branches) if count > 1
    )
    functions = tuple(
        WholeCFunctionView(
            **{f.name: getattr(function, f.name) for f in fields(function)},
            branch_refusal=refusal,
            groups=len(branches),
            branch_counts=", ".join(map(str, branches)),
            has_inputs=bool(function.finite_inputs),
        )
        for function in view.functions
    )
    return replace(view, functions=functions)


def whole_numpy_view(about: About, routines: Sequence[Routine], branches: Sequence[int]) -> NumPyModuleView:
    """Return the view of the NumPy file."""
    view = numpy_module_view(*about, (), routines)
    functions = tuple(
        WholeNumPyFunctionView(
            **{f.name: getattr(function, f.name) for f in fields(function)},
            branch_counts=", ".join(map(str, branches)),
            branch_bounds=", ".join(str(count) if count > 1 else "np.inf" for count in branches),
        )
        for function in view.functions
    )
    return replace(view, functions=functions)
