"""Prove that a solved group closes: at every joint, in position, velocity and acceleration.

At random solved points the second joint frame is compared with the first one moved by the joint's freedoms, all with
two derivatives (`symgen.proofs.jets`). What is compared are the results of the group's routine, so the proof covers
the kernel, its call and the re-rooting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath

from symgen.derive.joints import PRIMITIVES, Primitive
from symgen.derive.module import Arrangement, JointSlot
from symgen.errors import DerivationError
from symgen.ir.nodes import Routine
from symgen.proofs.jets import Displacement, Jet, planar, shift, spatial, turn
from symgen.proofs.points import DIGITS, POINTS, point_text, solved_points
from symgen.proofs.record import Proof

#: Far above the rounding of 50 digits at a badly conditioned random point, far below any wrong formula.
_BOUND = "1e-30"
_STATEMENT = "every joint closes, with its first and second derivative, for all results"
_AXES = ("x", "y", "z")
#: Pairs in the plane: as in space, but a P (and a pin in its slot, L) slides along the x axis of its frame.
_PLANAR = {
    "R": (Primitive("R", "z", "angle"),),
    "P": (Primitive("P", "x", "slide"),),
    "FP": (Primitive("P", "x", "x"), Primitive("P", "y", "y"), Primitive("R", "z", "angle")),
    "L": (Primitive("P", "x", "slide"), Primitive("R", "z", "angle")),
}

Values = Mapping[str, Any]


def prove_closure(arrangement: Arrangement, routine: Routine) -> Proof:
    """Prove that the routine that solves everything of an arrangement closes all its joints.

    Raises
    ------
    DerivationError
        If a joint stays open; names it.
    """
    with mpmath.workdps(DIGITS):
        for inputs, results in solved_points(routine):
            values = {**inputs, **results}
            for joint in arrangement.joints:
                gaps = _open(joint, arrangement, values)
                gap = max(jet.size for jet in gaps)
                if not gap < mpmath.mpf(_BOUND):
                    size, part = mpmath.nstr(gap, 3), _first_open(gaps)
                    where = f"{routine.name}: joint {joint.name} stays open by {size} in {part}"
                    raise DerivationError(f"{where} at {point_text(inputs)}")
    method = f"{DIGITS}-digit residual at {POINTS} random points"
    return Proof("closure", _STATEMENT, method, _BOUND, "group", arrangement.id)


def _first_open(gaps: Sequence[Jet]) -> str:
    """Return where the fault begins: what is wrong in position is wrong in its derivatives, too."""
    for part, values in (("position", [jet.value for jet in gaps]), ("velocity", [jet.rate for jet in gaps])):
        if not all(abs(value) < mpmath.mpf(_BOUND) for value in values):
            return part
    return "acceleration"


def _open(joint: JointSlot, arrangement: Arrangement, values: Values) -> Sequence[Jet]:
    """Return what does not vanish if the joint is open; for a free S only the centres need to meet."""
    first, second = (_frame(joint, body, arrangement, values) for body in joint.bodies)
    if joint.type != "S" or joint.driven:
        for motion in _freedoms(joint, arrangement.space, values):
            first = first.then(motion)
    gaps = [a - b for a, b in zip(first.origin, second.origin, strict=True)]
    if joint.type != "S" or joint.driven:
        rows = zip(first.rotation, second.rotation, strict=True)
        gaps += [a - b for row, other in rows for a, b in zip(row, other, strict=True)]
    return gaps


def _frame(joint: JointSlot, body: str, arrangement: Arrangement, values: Values) -> Displacement:
    moved = planar if arrangement.space == "planar" else spatial
    frame = values[f"f_{joint.name}_{body}"]
    still = [0] * 6 if arrangement.space == "spatial" else [0] * 3
    return moved(values[body], values[f"v_{body}"], values[f"a_{body}"]).then(moved(frame, still, still))


def _freedoms(joint: JointSlot, space: str, values: Values) -> list[Displacement]:
    """Return the joint's elementary motions in order, free and driven ones at their values."""
    motions = []
    if joint.type == "H":
        angle = Jet(*(values[f"u{d}_{joint.name}"][0] for d in ("", "d", "dd")))
        return [shift(2, Jet(values[f"pitch_{joint.name}"]) * angle), turn(2, angle)]
    for primitive in (_PLANAR if space == "planar" else PRIMITIVES)[joint.type]:
        names, letter = (joint.driven, "u") if primitive.freedom in joint.driven else (joint.free, "q")
        place = names.index(primitive.freedom)
        value = Jet(*(values[f"{letter}{d}_{joint.name}"][place] for d in ("", "d", "dd")))
        elementary = turn if primitive.kind == "R" else shift
        motions.append(elementary(_AXES.index(primitive.axis), value))
    return motions
