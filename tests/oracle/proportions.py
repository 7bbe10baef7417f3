"""Kernels exactly at a fold, their lengths in all proportions: built with many digits, rounded only when called.

Each case is a tangency: two circles, a line and a circle, a line and a sphere, a line and a cylinder, a circle and a
sphere, a universal pair whose second axis lies in one plane with the line to the spherical centre, or three axes of
turns in one plane (there angles stand for lengths). One length is the largest, 1; others are as small as asked for. A
step moves the case off its fold by that part of the largest length: negative steps inwards, where two solutions are,
positive ones out of reach.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpf
from oracle.kernel_motion import TURNING
from oracle.modules import function, inputs_of, manifest
from oracle.motion_forms import Vector, cross, dot, minus

#: Small lengths, as parts of the largest one.
RATIOS = ("1e-1", "1e-2", "1e-3", "1e-4")


@dataclass(frozen=True)
class Case:
    """A kernel at its fold.

    Attributes
    ----------
    smallest : the smallest length, as a part of the largest one.
    at : step -> exact inputs, but for the branch.
    meeting : the point where the solutions meet.
    branches : the branches that meet there.
    """

    module: str
    name: str
    smallest: Any
    at: Callable[[Any], dict[str, Any]]
    meeting: Vector
    branches: tuple[int, ...]


def unit(x: Vector) -> Vector:
    length = mpmath.sqrt(dot(x, x))
    return [value / length for value in x]


def plus(*terms: Vector) -> Vector:
    return [sum(values) for values in zip(*terms, strict=True)]


def times(factor: Any, x: Vector) -> Vector:
    return [factor * value for value in x]


def _vector(rng: random.Random, size: int) -> Vector:
    return [mpf(rng.uniform(-1, 1)) for _ in range(size)]


def _frame(rng: random.Random) -> tuple[Vector, Vector, Vector]:
    """Return a random right-handed triad."""
    x = unit(_vector(rng, 3))
    y = unit(cross(x, _vector(rng, 3)))
    return x, y, cross(x, y)


def _rates(module: str, rng: random.Random) -> dict[str, Any]:
    """Return random velocities and accelerations for a kernel."""
    found: dict[str, Any] = {}
    for port in inputs_of(function(module, "kernel_all")):
        if port["name"].startswith(("v_", "a_", "omega_", "alpha_")):
            numbers = _vector(rng, (port["shape"] or [1])[0])
            found[port["name"]] = numbers if port["shape"] else numbers[0]
    return found


# -- planar ----------------------------------------------------------------------------------------------------------


def _two_circles(module: str, rng: random.Random, l_a: Any, l_b: Any, *, stretched: bool) -> tuple[Any, Vector]:
    """Links in line: stretched, or the shorter one folded back on the longer one."""
    a, w, rates = _vector(rng, 2), unit(_vector(rng, 2)), _rates(module, rng)
    apart, outwards = (l_a + l_b, 1) if stretched else (abs(l_a - l_b), -1)
    side = 1 if stretched or l_a > l_b else -1

    def at(step: Any) -> dict[str, Any]:
        reach = apart + outwards * step * max(l_a, l_b, apart)
        return {"a": a, "b": plus(a, times(reach, w)), "l_a": l_a, "l_b": l_b, **rates}

    return at, plus(a, times(side * l_a, w))


def _circle_and_line(module: str, rng: random.Random, l_a: Any, slide: Any, offset: Any) -> tuple[Any, Vector]:
    """Link at a right angle to the slide, whose point is `slide` back and `offset` beside."""
    a, w, rates = _vector(rng, 2), unit(_vector(rng, 2)), _rates(module, rng)
    n = times(rng.choice((-1, 1)), [w[1], -w[0]])
    beside = [-n[1], n[0]]
    meeting = plus(a, times(l_a, w))

    def at(step: Any) -> dict[str, Any]:
        moved = times(step * max(l_a, abs(slide), abs(offset)), w)
        c = plus(meeting, moved, times(-slide, n), times(-offset, beside))
        return {"a": a, "l_a": l_a, "c": c, "n": n, "e": offset, **rates}

    return at, meeting


# -- spatial ---------------------------------------------------------------------------------------------------------


def _second_axis(rng: random.Random, e: Vector) -> tuple[Vector, Any]:
    """Return a first axis and the part of e along the second one, well away from any fold."""
    w = unit(e)
    side = unit(cross(w, _vector(rng, 3)))
    u = unit(plus(times(mpf("0.6"), w), times(mpf("0.8"), side)))
    return u, mpf("0.1") * mpmath.sqrt(dot(e, e))  # e is 0.8 of its length across u, and may turn by 30 degrees


def _line_and_cylinder(module: str, rng: random.Random, radius: Any, slide: Any, height: Any) -> tuple[Any, Vector]:
    """Slide that touches the cylinder: its zero is `slide` back, its point `height` along the cylinder's axis."""
    (w, u, side), rates, c = _frame(rng), _rates(module, rng), _vector(rng, 3)
    a = plus(times(mpf("0.6"), u), times(mpf("0.8"), side))
    meeting = plus(c, times(height, u), times(radius, w))

    def at(step: Any) -> dict[str, Any]:
        moved = times(step * max(radius, abs(slide), abs(height)), w)
        s0 = plus(meeting, moved, times(-slide, a))
        return {"a": a, "s0": s0, "c": c, "u": u, "rad2": radius**2, **rates}

    return at, meeting


def _line_and_sphere(module: str, rng: random.Random, radius: Any, slide: Any) -> tuple[Any, Vector]:
    """Slide that touches the sphere: its zero is `slide` back."""
    (w, a, _), rates, c = _frame(rng), _rates(module, rng), _vector(rng, 3)
    u, kappa = _second_axis(rng, times(radius, w))
    meeting = plus(c, times(radius, w))

    def at(step: Any) -> dict[str, Any]:
        s0 = plus(meeting, times(step * max(radius, abs(slide)), w), times(-slide, a))
        return {"a": a, "s0": s0, "c": c, "u": u, "rho2": radius**2, "kappa": kappa, **rates}

    return at, meeting


def _circle_and_sphere(
    module: str, rng: random.Random, radius: Any, beside: Any, above: Any, along: Any
) -> tuple[Any, Vector]:
    """Circle that touches the sphere.

    Its centre is `along` the axis from the axis point; the sphere's centre is `beside` it (negative: beyond the axis,
    the touching point is the farthest one) and `above` its plane.
    """
    (w, side, a), rates, p = _frame(rng), _rates(module, rng), _vector(rng, 3)
    middle = plus(p, times(along, a))
    meeting = plus(middle, times(radius, w))
    c = plus(middle, times(beside, w), times(above, a))
    e = minus(meeting, c)
    rho = mpmath.sqrt(dot(e, e))
    u, kappa = _second_axis(rng, e)
    start = mpf(rng.uniform(0.5, 2.5))
    s0 = plus(middle, times(radius * mpmath.cos(start), w), times(radius * mpmath.sin(start), side))
    outwards = 1 if beside < 0 else -1  # the touching point is the farthest or the nearest one
    size = max(radius, abs(beside), abs(above), abs(along), rho)

    def at(step: Any) -> dict[str, Any]:
        rho2 = (rho + outwards * step * size) ** 2
        return {"a": a, "p": p, "s0": s0, "c": c, "u": u, "rho2": rho2, "kappa": kappa, **rates}

    return at, meeting


def _universal(module: str, rng: random.Random, across: Any, carried: Any) -> tuple[Any, Vector]:
    """Second axis in one plane with e, which is `across` the first axis and 1 along it; S was `carried` there."""
    (u, w, _), rates, c = _frame(rng), _rates(module, rng), _vector(rng, 3)
    e = plus(u, times(across, w))
    meeting = plus(c, e)
    rho2 = dot(e, e)
    size = max(mpf(1), abs(carried))
    # pair A moves S neither towards the universal centre nor straight away from it
    a = unit(plus(times(mpf("0.6"), unit(e)), times(mpf("0.8"), unit(cross(e, _vector(rng, 3))))))

    def at(step: Any) -> dict[str, Any]:
        given = {"c": c, "u": u, "rho2": rho2, "kappa": across + step * size, **rates}
        if module == "loop_pus":
            return {"a": a, "s0": plus(meeting, times(-carried, a)), **given}
        arm = unit(cross(a, e))
        p = plus(meeting, times(-carried, plus(times(mpf("0.8"), arm), times(mpf("0.6"), cross(a, arm)))))
        turned = minus(meeting, p)
        return {"a": a, "p": p, "s0": plus(p, times(mpf("0.6"), turned), times(mpf("-0.8"), cross(a, turned))), **given}

    return at, meeting


def _triangle(module: str, rng: random.Random, side_12: Any, side_23: Any, *, stretched: bool) -> tuple[Any, Vector]:
    """Three axes in one plane: sides of the triangle of axes in line, or one folded back on the other."""
    (u1, w, _), rates = _frame(rng), _rates(module, rng)

    def towards(angle: Any) -> Vector:
        return plus(times(mpmath.cos(angle), u1), times(mpmath.sin(angle), w))

    apart, outwards = (side_12 + side_23, 1) if stretched else (abs(side_12 - side_23), -1)
    forwards = 1 if stretched or side_12 > side_23 else -1

    def at(step: Any) -> dict[str, Any]:
        u3 = towards(apart + outwards * step)
        return {"u1": u1, "u3": u3, "c_12": mpmath.cos(side_12), "c_23": mpmath.cos(side_23), **rates}

    return at, towards(forwards * side_12)


# -- all -------------------------------------------------------------------------------------------------------------


def cases(module: str, seed: int = 0) -> list[Case]:
    """Return the cases of a module's kernel, in all proportions."""
    rng = random.Random(seed)
    found: list[Case] = []

    def add(name: str, build: Callable[..., tuple[Any, Vector]], *lengths: Any, **how: Any) -> None:
        at, meeting = build(module, rng, *(mpf(x) for x in lengths), **how)
        branches = tuple(range(manifest(module)["branches"]))
        if build is _universal:  # only where S is: growing slide, or angle for which the distance shrinks
            branches = (0, 2) if module == "loop_pus" else (1, 3)
        found.append(Case(module, f"{name} (seed {seed})", small, at, meeting, branches))

    with mpmath.workdps(50):
        for text in RATIOS:
            small, rest = mpf(text), 1 - mpf(text)
            if module == "dyad_rrr":
                for stretched in (True, False):
                    word = "stretched" if stretched else "folded back"
                    add(f"{word}, second link {text}", _two_circles, 1, small, stretched=stretched)
                    add(f"{word}, first link {text}", _two_circles, small, 1, stretched=stretched)
                add(f"folded back, centres {text} apart, first longer", _two_circles, 1, rest, stretched=False)
                add(f"folded back, centres {text} apart, second longer", _two_circles, rest, 1, stretched=False)
            elif module == "dyad_rrp":
                add(f"link {text} of the slide", _circle_and_line, small, 1, "0.3")
                add(f"link {text} of the offset", _circle_and_line, small, "0.3", 1)
                add(f"link {text} of a negative offset", _circle_and_line, small, small, -1)
                add(f"slide and offset {text} of the link", _circle_and_line, 1, small, small)
            elif module in TURNING:
                for stretched in (True, False):
                    word = "stretched" if stretched else "folded back"
                    add(f"{word}, first side {text}", _triangle, small, 1, stretched=stretched)
                    add(f"{word}, second side {text}", _triangle, 1, small, stretched=stretched)
                add(f"folded back, outer axes {text} apart", _triangle, 1, rest, stretched=False)
            elif module == "loop_pcs":
                add(f"cylinder {text} of the slide", _line_and_cylinder, small, 1, "0.3")
                add(f"cylinder {text} of the height", _line_and_cylinder, small, "0.3", 1)
                add(f"slide and height {text} of the cylinder", _line_and_cylinder, 1, small, small)
            elif module == "loop_pus":
                add(f"sphere {text} of the slide", _line_and_sphere, small, 1)
                add(f"slide {text} of the sphere", _line_and_sphere, 1, small)
                add(f"second axis, e {text} across", _universal, small, "0.5")
                add(f"second axis, e {text} across, carried little", _universal, small, small)
                add(f"second axis, e little across and {text} of the slide", _universal, "0.5", 1 / small)
            else:
                assert module == "loop_rus"
                add(f"circle {text}, touched from outside", _circle_and_sphere, small, 1, "0.5", "0.5")
                add(f"circle {text}, touched from beyond", _circle_and_sphere, small, -1, "0.5", "0.5")
                add(f"centre {text} beside the axis", _circle_and_sphere, 1, small, "0.5", "0.5")
                add(f"centre {text} beyond the axis", _circle_and_sphere, 1, -small, "0.5", "0.5")
                add(f"centre {text} above the circle", _circle_and_sphere, "0.5", 1, small, "0.5")
                add(f"sphere {text}", _circle_and_sphere, rest, 1, 0, "0.5")
                add(f"circle and centre {text} of the axis point", _circle_and_sphere, small, -small, small, 1)
                add(f"second axis, e {text} across", _universal, small, "0.5")
                add(f"second axis, e {text} across, carried little", _universal, small, small)
                add(f"second axis, e little across and {text} of the arm", _universal, "0.5", 1 / small)
    return found
