"""Pairs as rows of constraints: residual, Jacobian and bias of every pair type, and of every driven freedom.

A driven freedom is one more row on top of its pair's. Rows of a pair, in order, as `symgen.derive.constraints.rows`
makes them; `U` stands for ER too (a pin in a slot removes what a cross does), `PL` for FP. The slot of an L is along x
of the first frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from symgen.algebra import Expr, is_symbol, is_zero, number
from symgen.derive.constraints.rows import SOURCE, ConstraintRow, Drive, RowBuilder
from symgen.derive.constraints.sides import planar_side, spatial_side
from symgen.derive.derivation import Derivation

Space = Literal["spatial", "planar"]

_POINT, _PARALLEL, _ALIGNED = ("0", "1", "2"), ("xz", "yz"), ("xz", "yz", "xy")
#: Space -> pair -> (points and places, turns, what must face the same way). An H adds its helix.
PAIRS: dict[Space, dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]] = {
    "spatial": {
        "S": (_POINT, (), ()),
        "U": (_POINT, ("zx",), ()),
        "R": (_POINT, _PARALLEL, ("zz",)),
        "C": (("x", "y"), _PARALLEL, ("zz",)),
        "H": (("x", "y"), _PARALLEL, ("zz",)),
        "P": (("x", "y"), _ALIGNED, ("zz", "xx")),
        "PL": (("z",), _PARALLEL, ("zz",)),
        "L": (("y", "z"), _PARALLEL, ("zz",)),
    },
    "planar": {"R": (("0", "1"), (), ()), "P": (("y",), ("xy",), ("xx",)), "L": (("y",), (), ())},
}
#: Space -> driven freedom, as a row: slides along x, y, z; turns about the first z, the second x; pitch.
DRIVES: dict[Space, tuple[str, ...]] = {
    "spatial": ("slide_x", "slide_y", "slide_z", "turn_z", "turn_x", "pitch"),
    "planar": ("slide_x", "slide_y", "turn_z"),
}


@dataclass(frozen=True)
class PairConstraint:
    """The rows of one pair or driven freedom, and how they are named."""

    name: str
    rows: tuple[ConstraintRow, ...]
    facing: tuple[Expr, ...]


def derive_constraint(space: Space, name: str) -> Derivation:
    """Derive residual, both Jacobians and what must be positive, of a pair or driven freedom."""
    d = Derivation(f"{name} constraint", level="joint", title=_title(name), source=SOURCE)
    found = _build(d, space, name, rates=False)
    results = _Results(d)
    results.put("residual", [row.value for row in found.rows], "residual: zero where the pair closes", _units(found))
    size = 3 if space == "planar" else 6
    for side, which in ((1, "first"), (2, "second")):
        values = [value for row in found.rows for value in (row.one if side == 1 else row.two)]
        shape = f"{len(found.rows)} x {size} matrix by rows"
        text = f"{shape}: derivative of the residual with respect to the {which} body's twist"
        results.put(f"jacobian_{side}", values, text, "1 or m")
    if found.facing:
        results.put(
            "facing", found.facing, "positive if the axes point in the same direction, not in opposite ones", "1"
        )
    return d


def derive_bias(space: Space, name: str) -> Derivation:
    """Derive rate and bias: what J t and J t' lack to the derivatives of the residual."""
    d = Derivation(f"{name} bias", level="joint", title=_title(name), source=SOURCE)
    found = _build(d, space, name, rates=True)
    results = _Results(d)
    if name in DRIVES[space]:
        results.put("rate", [row.rate for row in found.rows], "residual' = J_1 t_1 + J_2 t_2 + rate", "m/s or 1/s")
    biases = [row.bias for row in found.rows if row.bias is not None]
    results.put("bias", biases, "residual'' = J_1 t_1' + J_2 t_2' + bias", "m/s^2 or 1/s^2")
    return d


def row_count(space: Space, name: str) -> int:
    """Return how many rows a pair or driven freedom has."""
    if name in DRIVES[space]:
        return 1
    places, turns, _ = PAIRS[space][name]
    return len(places) + len(turns) + (name == "H")


def _title(name: str) -> str:
    return f"driven freedom {name}" if "_" in name or name == "pitch" else f"{name} pair"


def _units(found: PairConstraint) -> str:
    return ", ".join(row.unit for row in found.rows)


def _build(d: Derivation, space: Space, name: str, *, rates: bool) -> PairConstraint:
    make = planar_side if space == "planar" else spatial_side
    return make_rows(d, RowBuilder(d, make(d, 1, rates=rates), make(d, 2, rates=rates)), space, name, rates=rates)


def make_rows(d: Derivation, rows: RowBuilder, space: Space, name: str, *, rates: bool) -> PairConstraint:
    """Return the rows of a pair or driven freedom between two sides; declares what else they need as ports."""
    if name in DRIVES[space]:
        return _driven(d, rows, name, rates=rates)
    places, turns, facing = PAIRS[space][name]
    found = [rows.point(int(place)) if place.isdigit() else rows.place(place) for place in places]
    found += [rows.turn(turn[0], turn[1]) for turn in turns]
    ahead = [rows.first.axis(a).dot(rows.second.axis(b)) for a, b in map(tuple, facing)]
    if name == "H":
        pitch = d.input_scalar("pitch", meaning="slide of a turn by one radian", unit="m/rad", range="not zero")
        row, follow = rows.helix(pitch)
        found.append(row)
        ahead.append(follow)
    return PairConstraint(name, tuple(found), tuple(ahead))


def _driven(d: Derivation, rows: RowBuilder, name: str, *, rates: bool) -> PairConstraint:
    kind, _, axis = name.partition("_")
    unit = "m" if kind == "slide" else "rad"
    u = d.input_scalar("u", meaning="value of the driven freedom", unit=unit)
    drive = Drive(u)
    if rates:
        ud = d.input_scalar("ud", meaning="its rate", unit=f"{unit}/s")
        drive = Drive(u, ud, d.input_scalar("udd", meaning="its acceleration", unit=f"{unit}/s^2"))
    if kind == "slide":
        return PairConstraint(name, (rows.place(axis, drive),), ())
    if kind == "pitch":
        return PairConstraint(name, (rows.pitched(drive),), ())
    row, facing = rows.turned_about_z(drive) if axis == "z" else rows.turned_about_x(drive)
    return PairConstraint(name, (row,), (facing,))


class _Results:
    """Names results; entries that are plainly 0, 1 or -1 share a step."""

    def __init__(self, d: Derivation) -> None:
        self.d = d
        self._constants: dict[int, Expr] = {}

    def put(self, name: str, values: Sequence[Expr], meaning: str, unit: str) -> None:
        """Declare an array result."""
        steps = [self._step(value, f"{name}_{k}", meaning) for k, value in enumerate(values)]
        self.d.output(name, steps, meaning=meaning, unit=unit)
        if name in ("residual", "bias"):
            self.d.witness("position", [step for step in steps if step not in self._constants.values()])

    def _step(self, value: Expr, name: str, meaning: str) -> Expr:
        for constant, word in ((0, "zero"), (1, "plus_one"), (-1, "minus_one")):
            if is_zero(value - number(constant)):
                if constant not in self._constants:
                    self._constants[constant] = self.d.scalar(word, number(constant), "constant entries of the results")
                return self._constants[constant]
        return value if is_symbol(value) else self.d.scalar(name, value, meaning.partition(":")[0])
