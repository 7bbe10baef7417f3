"""How wrong the float version of a module may be: measured numbers, and the words in which headers state them.

`float_bounds.json` is written by `python -m benchmarks float-bounds`, which says how it measures; the generator reads
it. A module that is not in it (one derived on demand) was not measured.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

SCHEMA = "symgen/float-bounds/1"
DATA = Path(__file__).with_suffix(".json")
#: Solutions of a higher condition are not counted as lost: float has no digits for them.
WELL_CONDITIONED = 1000.0


@cache
def _modules() -> dict[str, dict[str, Any]]:
    tree = json.loads(DATA.read_text(encoding="utf-8"))
    found: dict[str, dict[str, Any]] = tree["modules"]
    return found


def float_bounds(module: str) -> dict[str, Any] | None:
    """Return what was measured of a module, or None if it was not.

    Keys: `instances`, `solutions`, `well_conditioned` (solutions with a condition below `WELL_CONDITIONED`), `lost` (of
    those), `instances_with_lost`; `position`, `velocity`, `acceleration`, each with `most` (of 99 solutions in 100),
    `worst` and `bound`, in units of condition * FLT_EPSILON * size (positions; angles: without size) or
    condition^2 * FLT_EPSILON * largest rate.
    """
    return _modules().get(module)


def float_text(module: str) -> tuple[str, ...]:
    """Return what the header of a module's float version says of its accuracy, a paragraph each."""
    bounds = float_bounds(module)
    if bounds is None:
        return ("Accuracy of this float version: only measured for the modules that ship with symgen.",)
    position, velocity, acceleration = (bounds[name] for name in ("position", "velocity", "acceleration"))
    return (
        f"Accuracy of this float version, from {bounds['solutions']:,} solutions of {bounds['instances']:,} random"
        " instances against the double version: poses are wrong by less than"
        f" {position['bound']:g}*condition*FLT_EPSILON of the group's size (angles: of 1 rad; worst seen"
        f" {position['worst']:g}, 99 in 100 below {position['most']:g}), velocities by less than"
        f" {velocity['bound']:g}*condition^2*FLT_EPSILON of the largest velocity, accelerations by less than"
        f" {acceleration['bound']:g}*condition^2*FLT_EPSILON of the largest acceleration or squared velocity. Size is"
        " the largest coordinate of a body or joint frame, velocities and accelerations count as 1 at least; condition"
        " is the result of the condition function, or 1 if there is none.",
        lost_text(bounds),
    )


def lost_text(bounds: dict[str, Any]) -> str:
    """Return what is said of solutions that float does not find."""
    counted = f"{bounds['well_conditioned']:,} solutions with a condition below {WELL_CONDITIONED:g}"
    if not bounds["lost"]:
        return f"Branches: none of {counted} was lost."
    return (
        f"Branches: {bounds['lost']:,} of {counted} were lost, in {bounds['instances_with_lost']:,} of"
        f" {bounds['instances']:,} instances: where zeros of a polynomial lie close together, or the geometry is close"
        " to degenerate, a branch may be missed or wrong by more than 1 in 100. The solutions found may be incomplete."
    )
