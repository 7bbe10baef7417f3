"""One Newton step on E1 E2 E3 s = t: it gives back what the coefficients of a polynomial have lost.

The zero of the polynomial is as good as its coefficients are, which are products of several lengths; the step closes
the loop to rounding. It is held back at folds, where its determinant vanishes.

Source: Newton's method; docs/closed-forms.md, "Rings".
"""

from __future__ import annotations

from symgen.algebra import FOLD_TOLERANCE, ONE, TINY, Expr
from symgen.derive.blocks.spatial import column
from symgen.derive.derivation import Derivation
from symgen.derive.rings.elements import Elements, Solved
from symgen.derive.rings.turns import turned_about
from symgen.derive.vectors import Vector


def closed_better(d: Derivation, e: Elements, solved: tuple[Solved, ...]) -> tuple[Solved, ...]:
    """Name `cos_k`, `sin_k` or `slide_k` of all letters, one step of Newton's method better than given."""
    first, second, third = solved
    at = _moved(d, e, third, 3, e.s, "s")
    a3 = _direction(d, e, second, 2, e.axes[2], "a3")
    p3 = None if e.points[2] is None else _moved(d, e, second, 2, e.points[2], "p3")
    at = _moved(d, e, second, 2, at, "s")
    a2, a3 = (_direction(d, e, first, 1, a, n) for a, n in ((e.axes[1], "a2"), (a3, "a3")))
    p2 = None if e.points[1] is None else _moved(d, e, first, 1, e.points[1], "p2")
    p3 = None if p3 is None else _moved(d, e, first, 1, p3, "p3")
    at = _moved(d, e, first, 1, at, "s")
    gap = d.vector("open_t", e.t - at, "what the zero of the polynomial leaves open", "m")
    columns = []
    for k, (axis, point) in enumerate(((e.axes[0], e.points[0]), (a2, p2), (a3, p3)), 1):
        moves = column("P", axis, at, at) if point is None else column("R", axis, point, at)
        columns.append(d.vector(f"c_{k}", moves, f"how s moves with letter {k}", "m" if point is not None else "1"))
    c1, c2, c3 = columns
    n = d.vector("c_23", c2.cross(c3), "normal of the second and third")
    det = d.scalar("det_c", c1.dot(n), "determinant of the step")
    outer = d.scalar("outer", c1.dot(c1) * c3.dot(c3), "squared lengths of the first and third; not zero")
    squares = outer * (c2.dot(c2) + TINY * (c1.dot(c1) + c3.dot(c3)))
    kept = d.scalar("kept", det * det + FOLD_TOLERANCE * squares, "its square, kept from zero at folds")
    inverse = d.scalar("step_inverse", det / kept, "its reciprocal, nothing at folds")
    crossed = d.vector("gap_c1", gap.cross(c1), "what is open, crossed by the first")
    steps = (gap.dot(n), -crossed.dot(c3), crossed.dot(c2))
    better = []
    for k, (values, step) in enumerate(zip(solved, steps, strict=True), 1):
        better.append(_stepped(d, k, values, step * inverse))
    return tuple(better)


def _stepped(d: Derivation, k: int, values: Solved, step: Expr) -> Solved:
    unit = "m" if len(values) == 1 else "rad"
    step = d.scalar(f"step_{k}", step, f"step of letter {k}", unit)
    if len(values) == 1:
        return (d.scalar(f"slide_{k}", values[0] + step, f"slide of letter {k}", "m"),)
    cosine, sine = values
    length = d.scalar(f"shorten_{k}", ONE / (ONE + step * step / 2), "length of the stepped direction, back to 1")
    return (
        d.scalar(f"cos_{k}", (cosine - sine * step) * length, f"cosine of the angle of letter {k}"),
        d.scalar(f"sin_{k}", (sine + cosine * step) * length, f"sine of the angle of letter {k}"),
    )


def _direction(d: Derivation, e: Elements, values: Solved, k: int, vector: Vector, name: str) -> Vector:
    if len(values) == 1:
        return vector
    turned = turned_about(e.axes[k - 1], values[0], values[1], vector)
    return d.vector(f"{name}_by_{k}", turned, f"{name} moved by letter {k}")


def _moved(d: Derivation, e: Elements, values: Solved, k: int, point: Vector, name: str) -> Vector:
    if len(values) == 1:
        return d.vector(f"{name}_by_{k}", point + e.axes[k - 1] * values[0], f"{name} moved by letter {k}", "m")
    base = e.point(k)
    arm = d.vector(f"{name}_arm_{k}", point - base, f"{name} from axis {k}", "m")
    moved = base + turned_about(e.axes[k - 1], values[0], values[1], arm)
    return d.vector(f"{name}_by_{k}", moved, f"{name} moved by letter {k}", "m")
