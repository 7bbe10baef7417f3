"""From derivations to files: modules of the library, engines, whole mechanisms."""

from __future__ import annotations

from symgen.pipeline.engines import (
    generate_engine_texts,
    known_engines,
    routines_of_engine,
)
from symgen.pipeline.files import generate
from symgen.pipeline.modules import (
    STAGES,
    LoweredModule,
    generate_loop_texts,
    generate_texts,
    known_modules,
    lower_loops,
    lower_module,
    module_texts,
    prove_module,
    routines_of,
)
from symgen.pipeline.sources import module_sources
from symgen.pipeline.whole import (
    generate_chain_texts,
    generate_whole_texts,
    lower_whole,
)

__all__ = [
    "STAGES",
    "LoweredModule",
    "generate",
    "generate_chain_texts",
    "generate_engine_texts",
    "generate_loop_texts",
    "generate_texts",
    "generate_whole_texts",
    "known_engines",
    "known_modules",
    "lower_loops",
    "lower_module",
    "lower_whole",
    "module_sources",
    "module_texts",
    "prove_module",
    "routines_of",
    "routines_of_engine",
]
