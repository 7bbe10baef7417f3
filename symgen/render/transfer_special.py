"""The view of the kernels of a special engine: trees of bodies on ball joints, planar trees of bodies on pins.

The engines themselves are plain C (templates/c99/transfer/special).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.ir.nodes import Routine
from symgen.render.views import FunctionText, function_texts

#: Of the kernels of each engine.
SPECIAL_TEMPLATE = "transfer_kernels.h.j2"


@dataclass(frozen=True)
class SpecialEngineView:
    """What the template of the kernels sees."""

    title: str
    source: str
    preamble: tuple[str, ...]
    functions: tuple[FunctionText, ...]


def special_engine_view(title: str, source: str, kernels: Sequence[Routine]) -> SpecialEngineView:
    """Return the view of the kernels of an engine, double precision."""
    texts = tuple(function_texts("transfer", routine, "double_own") for routine in kernels)
    return SpecialEngineView(title, source, preamble=(), functions=texts)
