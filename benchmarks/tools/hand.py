"""The yardstick: careful hand-written C."""

from __future__ import annotations

from benchmarks.entrant import Entrant
from benchmarks.native import DEFAULT, KERNELS, O2, O3, compile_entrant, flat
from benchmarks.problems import Problem

TOOL = "hand-written C"


def entrants(problem: Problem) -> list[Entrant]:
    """Return the hand-written kernel under three sets of flags, and a plain loop over rows."""
    defines = "".join(f"#define {name}\n" for name in problem.hand_defines)
    source = defines + (KERNELS / problem.hand_source).read_text(encoding="utf-8")
    kernels = [
        flat(TOOL, form, source, problem.hand_symbol, flags=flags)
        for form, flags in (("-O3", O3), ("-O2", O2), ("symgen's flags", DEFAULT))
    ]
    loop = flat(TOOL, "loop, -O3", source, problem.hand_symbol, flags=O3, inline=True)
    return [*(compile_entrant(kernel, problem) for kernel in kernels), compile_entrant(loop, problem, "batch")]
