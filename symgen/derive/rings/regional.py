"""Words of three letters as kernels on held elements: positions, then rates between a base and a moving target.

Source: docs/closed-forms.md, "Rings"; groups of Celdran, Saura, Dopico 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import Expr
from symgen.derive.blocks.spatial import (
    JointFreedom,
    Kind,
    Passage,
    SpatialMotion,
    acceleration_at,
    column,
    linear_triple,
    pass_acceleration,
)
from symgen.derive.derivation import Derivation
from symgen.derive.rings import regional_kernels as kernels
from symgen.derive.rings.elements import HeldElements, Solved
from symgen.derive.rings.group import SOURCE, RingGroup
from symgen.derive.rings.layout import HeldPoint
from symgen.derive.rings.regional_loop import RegionalLoop, Solver
from symgen.derive.rings.spherical import Row, SphericalClosing, angle_of, counted
from symgen.derive.rings.turns import turned_about
from symgen.derive.vectors import Vector

_FLIP = ("sigma_2", "v . (u x e) > 0: flip of the universal pair, e towards the point carried")


@dataclass(frozen=True)
class RegionalWord:
    """A kernel of three letters: what they are, how branches are told, the number of complex assembly modes.

    `concurrent`: letters 1 and 2 share their point. `rank` names what ranked branches are ordered by.
    """

    name: str
    letters: str
    what: str
    modes: int
    rank: str = ""
    bits: tuple[tuple[str, str], ...] = ()
    concurrent: bool = False

    @property
    def id(self) -> str:
        """Identifier."""
        return f"regional_{self.name.lower()}"

    def input_branch(self, d: Derivation) -> tuple[Expr, ...]:
        """Declare the branch: signs of square roots, or the rank of a zero."""
        if self.rank:
            text = f"{self.rank} among the real solutions, ascending from -pi"
            return (d.input_rank(self.modes, text),)
        return d.input_branch(self.bits, lost_by_stage=len(self.bits) > 1) if self.bits else ()


_LONGER = "the larger slide of the third letter"
WORDS = {
    word.name: word
    for word in (
        RegionalWord("RRR", "RRR", "three turns", 4, "the middle angle"),
        RegionalWord("RRP", "RRP", "two turns and a slide", 4, "the angle in the middle"),
        RegionalWord("RPR", "RPR", "turn, slide, turn", 4, "the angle of the third letter"),
        RegionalWord("PPR", "PPR", "two slides and a turn", 2, bits=(("sigma", "height growing with the angle"),)),
        RegionalWord("PRP", "PRP", "slide, turn, slide", 2, bits=(("sigma", "the root added, not subtracted"),)),
        RegionalWord("PPP", "PPP", "three slides", 1),
        RegionalWord(
            "UR",
            "RRR",
            "universal pair and turn",
            4,
            bits=(("sigma_1", "the distance to the universal centre growing with the third angle"), _FLIP),
            concurrent=True,
        ),
        RegionalWord("UP", "RRP", "universal pair and slide", 4, bits=(("sigma_1", _LONGER), _FLIP), concurrent=True),
    )
}


_RANKED: dict[str, tuple[Solver, int]] = {
    "RRR": (kernels.three_turns, 1),
    "RRP": (kernels.two_turns_and_slide, 1),
    "RPR": (kernels.slide_between_turns, 2),
}


def _solve(word: RegionalWord, d: Derivation, e: HeldElements, signs: tuple[Expr, ...]) -> tuple[Solved, ...]:
    one: dict[str, Solver] = {"PPR": kernels.two_slides_and_turn, "PRP": kernels.turn_between_slides}
    if word.name in _RANKED:
        solve, ranking = _RANKED[word.name]
        loop = RegionalLoop(word.id, word.letters, lambda part: _elements(word, part), solve, ranking)
        letters = loop.letters_of(d, e, loop.assemblies(d, signs[0]))
        return tuple(_named(d, k, values) for k, values in enumerate(letters, 1))
    if word.name in one:
        return one[word.name](d, e, signs[0])
    if word.name == "PPP":
        return kernels.three_slides(d, e)
    return kernels.with_universal(d, e, signs, turns=word.name == "UR")


def _named(d: Derivation, k: int, values: Solved) -> Solved:
    """Name the coordinates of a letter."""
    if len(values) == 1:
        return (d.scalar(f"slide_{k}", values[0], f"slide of letter {k}", "m"),)
    cosine = d.scalar(f"cos_{k}", values[0], f"cosine of the angle of letter {k}")
    return cosine, d.scalar(f"sin_{k}", values[1], f"sine of the angle of letter {k}")


def _elements(word: RegionalWord, d: Derivation) -> HeldElements:
    """Declare the held elements of a word."""
    axes: list[Vector] = []
    points: list[Vector | None] = []
    for k, kind in enumerate(word.letters, 1):
        what = "axis" if kind == "R" else "direction"
        a = d.input_vector(f"a{k}", 3, meaning=f"held {what} of letter {k}", unit="1", range="unit")
        d.guard_unit(f"a{k}", a.dot(a), f"a{k}")
        axes.append(a)
        if kind == "R" and not (word.concurrent and k == 2):
            both = " and 2" if word.concurrent and k == 1 else ""
            points.append(d.input_vector(f"p{k}", 3, meaning=f"held point of axis {k}{both}", unit="m"))
        else:
            points.append(points[0] if word.concurrent and k == 2 else None)
    s = d.input_vector("s", 3, meaning="held point that is carried", unit="m")
    t = d.input_vector("t", 3, meaning="point that it is carried to", unit="m")
    return HeldElements((axes[0], axes[1], axes[2]), (points[0], points[1], points[2]), s, t)


def derive_regional_kernel(word: RegionalWord) -> Derivation:
    """Derive a word on held elements: positions, then rates between a base and a moving target."""
    d = Derivation(
        f"{word.id} kernel",
        level="kernel",
        title=f"{word.what.capitalize()} that carry a point to a point",
        source=SOURCE,
    )
    elements = _elements(word, d)
    t = elements.t
    names = [("v_1", "velocity", "m/s"), ("omega_1", "angular velocity", "rad/s")]
    names += [("a_1", "acceleration", "m/s^2"), ("alpha_1", "angular acceleration", "rad/s^2")]
    base = [d.input_vector(n, 3, meaning=f"{w} of the body that carries axis 1, at t", unit=u) for n, w, u in names]
    target = [
        d.input_vector(n, 3, meaning=f"{w} of the point to be reached", unit=u)
        for n, w, u in (("v_2", "velocity", "m/s"), ("a_2", "acceleration", "m/s^2"))
    ]
    signs = word.input_branch(d)
    solved = _solve(word, d, elements, signs)
    for k, values in enumerate(solved, 1):
        if len(values) == 1:
            d.output(f"slide_{k}", values[0], meaning=f"slide of letter {k}", unit="m", frame="joint")
        else:
            d.output(f"cos_{k}", values[0], meaning=f"cosine of the angle of letter {k}", unit="")
            d.output(f"sin_{k}", values[1], meaning=f"sine of the angle of letter {k}", unit="")
    placed = _place_letters(d, word, elements, solved)
    motion = SpatialMotion(t, base[0], base[1], base[2], base[3])
    _kernel_rates(d, word, placed, motion, t, target)
    return d


def _place_letters(
    d: Derivation, word: RegionalWord, e: HeldElements, solved: Sequence[Solved]
) -> tuple[tuple[Vector, Vector], ...]:
    """Name axes and points of the letters in the solved configuration; claim that s arrives at t."""

    def carry(vector: Vector, upto: int, *, point: bool) -> Vector:
        for j in range(upto, 0, -1):
            a, values = e.axes[j - 1], solved[j - 1]
            if len(values) == 2:
                base = e.points[j - 1]
                if point and base is not None:
                    arm = d.vector(f"arm_{j}_{tag}", vector - base, f"from axis {j}", "m")
                    vector = base + turned_about(a, values[0], values[1], arm)
                else:
                    vector = turned_about(a, values[0], values[1], vector)
            elif point:
                vector = vector + a * values[0]
            else:
                continue
            what = f"{'point' if point else 'axis'} {tag}, letter {j} done"
            vector = d.vector(f"w{j}_{tag}", vector, what, "m" if point else "1")
        return vector

    placed = []
    with d.part("geometry"):
        for k in (1, 2, 3):
            tag = f"a{k}"
            axis = carry(e.axes[k - 1], k - 1, point=False)
            tag, at = f"p{k}", e.points[k - 1]
            placed.append((axis, carry(at, k - 1, point=True) if at is not None else e.t))
    tag = "s"
    with d.part("proof"):
        arrived = carry(e.s, 3, point=True)
    d.claim_zero("arrival", "the letters carry s to t", [*(arrived - e.t)])
    return tuple(placed)


def _kernel_rates(
    d: Derivation,
    word: RegionalWord,
    placed: Sequence[tuple[Vector, Vector]],
    base: SpatialMotion,
    t: Vector,
    target: Sequence[Vector],
) -> None:
    kinds: list[Kind] = ["R" if kind == "R" else "P" for kind in word.letters]
    units = ["rad" if kind == "R" else "m" for kind in kinds]
    with d.part("geometry"):
        columns = [
            d.vector(f"g{k}", column(kind, axis, at, t), f"how t moves with letter {k}", "m" if kind == "R" else "1")
            for k, (kind, (axis, at)) in enumerate(zip(kinds, placed, strict=True), 1)
        ]
    system = linear_triple(d, columns, "the system of rates at t")
    with d.part("velocity"):
        dv = d.vector("dv", target[0] - base.v, "velocity at which t would open", "m/s")
        rates = tuple(
            d.scalar(f"rate_{k}", x, f"rate of letter {k}", f"{unit}/s")
            for k, (x, unit) in enumerate(zip(system.solve(dv), units, strict=True), 1)
        )
        each = ", ".join(f"{unit}/s" for unit in units)
        d.output("rates", rates, meaning="rates of the three letters", unit=each, frame="joint")
    with d.part("acceleration"):
        carried = base
        for k, (kind, (axis, at), rate) in enumerate(zip(kinds, placed, rates, strict=True), 1):
            passage = Passage(f"letter{k}", at, (JointFreedom(kind, axis, rate, None),))
            turning = carried.omega + axis * rate if kind == "R" else carried.omega
            omega = d.vector(f"omega_behind_{k}", turning, f"angular velocity after letter {k}", "rad/s")
            carried = pass_acceleration(d, f"bias{k}", carried, passage, omega, accelerations=None)
        opened = acceleration_at(d, "opened", carried, t, "t at zero joint accelerations")
        da = d.vector("da", target[1] - opened, "acceleration at which t would open", "m/s^2")
        acc = tuple(
            d.scalar(f"acc_{k}", x, f"acceleration of letter {k}", f"{unit}/s^2")
            for k, (x, unit) in enumerate(zip(system.solve(da), units, strict=True), 1)
        )
        each = ", ".join(f"{unit}/s^2" for unit in units)
        d.output("accelerations", acc, meaning="accelerations of the three letters", unit=each, frame="joint")


class RegionalClosing(SphericalClosing):
    """Closes a chain at its spherical pair by the kernel of its word on held elements."""

    def __init__(self, cut: int, word: RegionalWord) -> None:
        super().__init__(cut)
        self.word = word

    def input_branch(self, d: Derivation) -> object:
        """Declare the branch."""
        return self.word.input_branch(d)

    def solve(self, group: RingGroup, row: Row, carried: HeldPoint, target: HeldPoint) -> tuple[Expr, ...]:
        """Call the kernel."""
        given: dict[str, Vector | Expr] = {"s": carried.world, "t": target.world}
        if self.word.bits or self.word.rank:
            given["branch"] = group.d.branch
        for k, letter in enumerate(row, 1):
            given[f"a{k}"], given[f"p{k}"] = letter.source.axis, letter.source.point
        found = group.d.call(group.kernel, given, "ring", "The three letters between both sides of the spherical pair.")
        return tuple(
            angle_of(letter, found.scalar(f"sin_{k}"), found.scalar(f"cos_{k}"))
            if letter.primitive.kind == "R"
            else counted(letter, found.scalar(f"slide_{k}"))
            for k, letter in enumerate(row, 1)
        )
