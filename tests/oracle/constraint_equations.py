"""The constraint equations of a mechanism on body poses, from joint centres and axes in the drawing.

Unknown is the displacement of each body from the drawing, of which the body frames say nothing: planar (x, y, c, s)
with c^2 + s^2 = 1, spatial r and a unit quaternion. Everything is polynomial in them and in sine and cosine of the
driven angles. Centres and axes are taken from the file's own expressions to all digits: rounded to doubles, a
parallelogram is none (its sides differ by 1e-16, so that it folds or turns back within 1e-8 of its flat position).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import mpmath
from oracle.exact_series import BITS, ONE, Equations, Formula, Node, fixed, over, real, times

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint

Vector: TypeAlias = tuple[int, int, int]
Nodes: TypeAlias = list[Node]

ZERO: Vector = (0, 0, 0)
#: sin and cos as functions of time besides the law itself: places 0, 1, 2 of a law's three series.
LAW, SINE, COSINE = 0, 1, 2


def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return (
        times(a[1], b[2]) - times(a[2], b[1]),
        times(a[2], b[0]) - times(a[0], b[2]),
        times(a[0], b[1]) - times(a[1], b[0]),
    )


def unit(a: Vector) -> Vector:
    """Return a / |a|."""
    with mpmath.workprec(BITS + 40):
        size = fixed(mpmath.sqrt(sum(real(x) ** 2 for x in a)))
    return over(a[0], size), over(a[1], size), over(a[2], size)


def across(a: Vector) -> Vector:
    """Return a unit vector normal to a unit vector."""
    least = min(range(3), key=lambda k: abs(a[k]))
    other = tuple(ONE if k == least else 0 for k in range(3))
    return unit(cross(a, other))  # type: ignore[arg-type]  # three entries


class Placed:
    """One body: its displacement as nodes, its rotation matrix, points and directions carried by it."""

    def __init__(self, equations: Equations, planar: bool, fixed_body: bool) -> None:
        self._equations = e = equations
        self.first = len(e.unknowns)
        zero, one = e.linear([]), e.linear([], ONE)
        if fixed_body:
            self.r: Nodes = [zero] * 3
            self.m = [[one if i == j else zero for j in range(3)] for i in range(3)]
            self.start: list[int] = []
            return
        if planar:
            x, y, c, s = (e.unknown() for _ in range(4))
            self.r = [x, y, zero]
            self.m = [[c, e.linear([(-ONE, s)]), zero], [s, c, zero], [zero, zero, one]]
            e.rows.append(e.linear([(ONE, c * c), (ONE, s * s)], -ONE))
            self.start = [0, 0, ONE, 0]
            return
        self.r = [e.unknown() for _ in range(3)]
        self.q = [e.unknown() for _ in range(4)]
        p = {(i, j): self.q[i] * self.q[j] for i in range(4) for j in range(i, 4)}
        ww, xx, yy, zz = (p[k, k] for k in range(4))
        wx, wy, wz, xy, xz, yz = p[0, 1], p[0, 2], p[0, 3], p[1, 2], p[1, 3], p[2, 3]
        two = 2 * ONE
        self.m = [
            [_sum(e, ww, xx, -1, yy, -1, zz), e.linear([(two, xy), (-two, wz)]), e.linear([(two, xz), (two, wy)])],
            [e.linear([(two, xy), (two, wz)]), _sum(e, ww, yy, -1, xx, -1, zz), e.linear([(two, yz), (-two, wx)])],
            [e.linear([(two, xz), (-two, wy)]), e.linear([(two, yz), (two, wx)]), _sum(e, ww, zz, -1, xx, -1, yy)],
        ]
        e.rows.append(e.linear([(ONE, ww), (ONE, xx), (ONE, yy), (ONE, zz)], -ONE))
        self.start = [0, 0, 0, ONE, 0, 0, 0]

    def turn(self, v: Vector) -> Nodes:
        """Return where a direction of the drawing points."""
        return [self._equations.linear([(v[j], self.m[i][j]) for j in range(3) if v[j]]) for i in range(3)]

    def point(self, p: Vector) -> Nodes:
        """Return where a point of the drawing is."""
        return [self._equations.linear([(ONE, a), (ONE, b)]) for a, b in zip(self.r, self.turn(p), strict=True)]


def _sum(e: Equations, plus: Node, plus_too: Node, *rest: Any) -> Node:
    return e.linear([(ONE, plus), (ONE, plus_too), (rest[0] * ONE, rest[1]), (rest[2] * ONE, rest[3])])


def dot(e: Equations, a: Sequence[Node], b: Sequence[Node]) -> Node:
    """Return a . b."""
    return e.linear([(ONE, x * y) for x, y in zip(a, b, strict=True)])


class MechanismEquations:
    """Bodies, equations and laws of a mechanism; joints by `at`, `axis`, `axis2`, all coordinates 0 in the drawing."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.planar = mechanism.space == "planar"
        self.parameters: Mapping[str, Any] = mechanism.source.get("parameters", {})
        self._values: dict[str, int] = {}
        self.equations = Equations()
        names = (mechanism.ground, *(body.id for body in mechanism.bodies))
        self.bodies = {name: Placed(self.equations, self.planar, fixed_body=name == mechanism.ground) for name in names}
        self.laws: list[Formula] = []
        #: Spin of a rod on two balls: the row that holds it (see `hold_spins`), by body.
        self.spins: dict[str, tuple[Node, Vector]] = {}
        for joint in mechanism.joints:
            self._joint(joint)
        if not self.planar:
            self._idle_rods()
        self.equations.prune()

    @property
    def start(self) -> list[int]:
        """The unknowns in the drawing."""
        return [x for body in self.bodies.values() for x in body.start]

    def _vector(self, written: Sequence[float | str]) -> Vector:
        found = [Formula(x, self.parameters, self._values).value() for x in written]
        return found[0], found[1], found[2] if len(found) > 2 else 0

    def pose(self, body: str) -> tuple[Vector, list[int]]:
        """Return place and quaternion of a body's frame in the drawing."""
        pose = self.mechanism.source["bodies"].get(body, {}).get("pose", {})
        r = self._vector(pose["r"]) if "r" in pose else ZERO
        if "angle" in pose:
            half = Formula(pose["angle"], self.parameters, self._values).value() // 2
            with mpmath.workprec(BITS + 40):
                return r, [fixed(mpmath.cos(real(half))), 0, 0, fixed(mpmath.sin(real(half)))]
        q = [Formula(x, self.parameters, self._values).value() for x in pose.get("q", [1, 0, 0, 0])]
        with mpmath.workprec(BITS + 40):
            size = fixed(mpmath.sqrt(sum(real(x) ** 2 for x in q)))
        return r, [over(x, size) for x in q]

    def at(self, joint: Joint) -> Vector:
        """Return the centre of a joint in the drawing."""
        table = self.mechanism.source["joints"][joint.multiple or joint.id]
        if "frames" in table:
            raise ValueError("the reference reads joints by at and axis")
        return self._vector(table["at"]) if "at" in table else ZERO

    def _axes(self, joint: Joint) -> tuple[Vector, Vector, Vector]:
        """Return x, y, z of the joint frame in the drawing; of a planar P, x runs along the slide."""
        table = self.mechanism.source["joints"][joint.multiple or joint.id]
        axis = unit(self._vector(table["axis"])) if "axis" in table else (0, 0, ONE)
        if self.planar:
            along = "axis2" if joint.type == "L" else "axis" if joint.type == "P" else None
            x = unit(self._vector(table[along])) if along else (ONE, 0, 0)
            return x, (-x[1], x[0], 0), (0, 0, ONE)
        if joint.type in ("F", "FP", "S", "W"):
            return (ONE, 0, 0), (0, ONE, 0), (0, 0, ONE)
        x = unit(self._vector(table["axis2"])) if "axis2" in table else across(axis)
        return x, cross(axis, x), axis

    def _joint(self, joint: Joint) -> None:
        e = self.equations
        one, two = (self.bodies[name] for name in joint.bodies)
        at, (x, y, z) = self.at(joint), self._axes(joint)
        gap = [b - a for a, b in zip(one.point(at), two.point(at), strict=True)]
        shift = {k: dot(e, one.turn(v), gap) for k, v in enumerate((x, y, z))}
        part = lambda a, b: dot(e, one.turn(a), two.turn(b))  # noqa: E731  # a name for a product, used twenty times
        if self.planar:
            rows = {
                "R": gap[:2],
                "P": [shift[1], part(y, x)],
                "L": [shift[1]],
                "W": [*gap[:2], part(y, x)],
                "FP": [],
            }[joint.type]
            shifts = {"slide": shift[0], "x": shift[0], "y": shift[1]}
        else:
            upright = [part(x, z), part(y, z)]
            rows = {
                "R": [*gap, *upright],
                "P": [shift[0], shift[1], *upright, part(y, x)],
                "C": [shift[0], shift[1], *upright],
                "U": [*gap, part(z, x)],
                "ER": [*gap, part(z, x)],
                "S": gap,
                "PL": [shift[2], *upright],
                "W": [*gap, *upright, part(y, x)],
                "F": [],
                "FP": [shift[2], *upright],
            }[joint.type]
            shifts = {"slide": shift[2], "x": shift[0], "y": shift[1], "z": shift[2]}
        e.rows += rows
        for freedom in joint.driven_freedoms or ():
            law, sine, cosine = self._law(joint.id, freedom)
            if freedom in shifts:
                e.rows.append(shifts[freedom] - law)
                continue
            if freedom == "pitch":
                raise ValueError("the reference does not drive a pitch")
            a, b = {
                "angle": (part(y, x), part(x, x)), "yaw": (part(y, x), part(x, x)),
                "angle1": (part(y, x), part(x, x)), "angle2": (part(z, y), part(z, z)),
                "roll": (part(z, y), part(z, z)),
            }[freedom]  # fmt: skip
            e.rows.append(a * cosine - b * sine)

    def _law(self, joint: str, freedom: str) -> tuple[Node, Node, Node]:
        table = self.mechanism.source["drives"]
        given = table.get(joint, table.get(f"{joint}.{freedom}"))
        number = len(self.laws)
        self.laws.append(
            Formula(given[freedom] if isinstance(given, Mapping) else given, self.parameters, self._values)
        )
        law, sine, cosine = (self.equations.known(3 * number + k) for k in (LAW, SINE, COSINE))
        return law, sine, cosine

    def _idle_rods(self) -> None:
        """Give each body held by two S and nothing else a row for the spin that says nothing."""
        for body in self.mechanism.bodies:
            held = [joint for joint in self.mechanism.joints if body.id in joint.bodies]
            if [joint.type for joint in held] == ["S", "S"]:
                one, two = (self.at(joint) for joint in held)
                along = unit((two[0] - one[0], two[1] - one[1], two[2] - one[2]))
                row = self.equations.linear([(ONE, node) for node in self.bodies[body.id].q])
                self.equations.rows.append(row)
                self.spins[body.id] = row, along

    def hold_spins(self, x: Sequence[int]) -> None:
        """Hold the idle spins to those at x: q stays normal to q e, the change of q that the spin would make."""
        for name, (row, e) in self.spins.items():
            k = self.bodies[name].first + 3
            w, a, b, c = x[k : k + 4]
            share = (
                -times(a, e[0]) - times(b, e[1]) - times(c, e[2]),
                times(w, e[0]) + times(b, e[2]) - times(c, e[1]),
                times(w, e[1]) + times(c, e[0]) - times(a, e[2]),
                times(w, e[2]) + times(a, e[1]) - times(b, e[0]),
            )
            row.terms = list(zip(share, self.bodies[name].q, strict=True))
