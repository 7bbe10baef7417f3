"""The yardsticks: careful hand-written C."""

from __future__ import annotations

from benchmarks.entrant import Entrant
from benchmarks.native import DEFAULT, KERNELS, O2, O3, Kernel, compile_entrant, flat
from benchmarks.problems import Problem

FREE, STRICT = "hand C, no input checks", "hand C, same contract"
_FLAGS = (("-O3", O3), ("-O2", O2), ("symgen's flags", DEFAULT))
_CONTRACT = "hand_rrr_contract"
_ARGUMENTS = (
    "x, x + 2, x[4], x[5], x + 6, x + 8, x + 10, x + 12, branch[i], y, y + 2, y + 4, y + 5, y + 6, y + 8, y + 9"
)
_PARAMETERS = (
    "const double *, const double *, double, double, const double *, const double *, const double *, const double *, "
    "int32_t, double *, double *, double *, double *, double *, double *, double *"
)
#: What a caller adds to get both link angles from the centres.
ANGLES = "y[10] = atan2(y[1] - x[1], y[0] - x[0]); y[11] = atan2(y[1] - x[3], y[0] - x[2]);"


def entrants(problem: Problem) -> list[Entrant | Kernel]:
    """Return the hand-written kernels under three sets of flags, and plain loops over rows."""
    kernels = [_unchecked(problem, form, flags) for form, flags in _FLAGS]
    loops = [flat(FREE, "loop, -O3", _source(problem), problem.hand_symbol, flags=O3, inline=True)]
    if problem.name.startswith("rrr"):
        kernels += [contract_kernel(problem, form, flags) for form, flags in _FLAGS]
        loops.append(contract_kernel(problem, "loop, -O3", O3, inline=True))
    return [*kernels, *(compile_entrant(loop, problem, "batch") for loop in loops)]


def _source(problem: Problem) -> str:
    defines = "".join(f"#define {name}\n" for name in problem.hand_defines)
    return defines + (KERNELS / problem.hand_source).read_text(encoding="utf-8")


def _unchecked(problem: Problem, form: str, flags: tuple[str, ...]) -> Kernel:
    column = f"{FREE}, -O3" if flags == O3 else ""
    return flat(FREE, form, _source(problem), problem.hand_symbol, flags=flags, yardstick=column)


def contract_kernel(problem: Problem, form: str, flags: tuple[str, ...], *, inline: bool = False) -> Kernel:
    """Return the hand-written R.R.R kernel that takes, checks and refuses what the generated one does."""
    angles = problem.name == "rrr"
    return Kernel(
        STRICT,
        form,
        (KERNELS / "rrr_contract.c").read_text(encoding="utf-8"),
        _CONTRACT,
        f"(void){_CONTRACT}({_ARGUMENTS});{ANGLES if angles else ''}",
        f"#include <math.h>\nint32_t {_CONTRACT}({_PARAMETERS});",
        flags,
        inline=inline,
        yardstick=f"{STRICT}, -O3" if flags == O3 and not inline else "",
    )
