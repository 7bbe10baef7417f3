"""Families of mechanisms that pass change points, miss them closely, or end: seeded, as trees of mechanism files.

Lengths are parameters and centres are expressions of them, so that special lengths are special to all digits for the
reference, while a solver gets them rounded to doubles. Laws are 0 at t = 0: there the mechanism is as drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Random = np.random.Generator
Point = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """One mechanism of a family.

    Parameters
    ----------
    name : family and seed.
    tree : as for `symgen.Mechanism.from_dict`.
    until : the motion is asked for from 0 to here [s].
    ends : True if the motion is meant to end in a fold.
    change_points : True if it is meant to go through some.
    """

    name: str
    tree: dict[str, Any]
    until: float
    ends: bool = False
    change_points: bool = True


@dataclass
class Sketch:
    """A planar drawing, turned and moved as a whole; points are expressions in its own axes.

    Parameters
    ----------
    random : where turn and place come from.
    parameters : names and values or expressions.
    """

    random: Random
    parameters: dict[str, Any] = field(default_factory=dict)
    bodies: dict[str, Any] = field(default_factory=dict)
    joints: dict[str, Any] = field(default_factory=dict)
    drives: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        turn, x, y = self.random.uniform(-math.pi, math.pi), *self.random.uniform(-0.5, 0.5, 2)
        self.parameters |= {"turn": turn, "x0": x, "y0": y, "ct": "cos(turn)", "st": "sin(turn)"}

    def let(self, **values: float | str) -> None:
        """Add parameters."""
        self.parameters |= {name: v if isinstance(v, str) else float(v) for name, v in values.items()}

    def place(self, point: Point) -> list[str]:
        """Return a point in world axes."""
        x, y = point
        return [f"x0 + ct*({x}) - st*({y})", f"y0 + st*({x}) + ct*({y})"]

    def joint(
        self, name: str, kind: str, bodies: Sequence[str], at: Point, axis: Point | None = None, driven: bool = False
    ) -> None:
        """Add a joint; bodies that are new get a frame somewhere. The order of the bodies of an R is left to chance."""
        for body in bodies:
            if body != "ground" and body not in self.bodies:
                place, angle = self.random.uniform(-0.3, 0.3, 2), self.random.uniform(-3, 3)
                given = {"pose": {"r": place.tolist(), "angle": float(angle)}}
                self.bodies[body] = given if self.random.random() < 0.5 else {}
        pair = list(bodies)
        if not driven and self.random.random() < 0.3:
            pair.reverse()
        table: dict[str, Any] = {"type": kind, "bodies": pair, "at": self.place(at)}
        if axis is not None:
            x, y = axis
            table["axis"] = [f"ct*({x}) - st*({y})", f"st*({x}) + ct*({y})"]
        if driven:
            table["driven"] = 1
        self.joints[name] = table

    def dyad(self, name: str, one: Point, two: Point, lengths: Point, side: int) -> Point:
        """Name the point at two lengths from two points, to the left (+1) of the line from one to two or right."""
        (ax, ay), (bx, by), (p, q) = one, two, lengths
        n = name
        self.let(**{
            f"{n}dx": f"({bx}) - ({ax})", f"{n}dy": f"({by}) - ({ay})", f"{n}d2": f"{n}dx**2 + {n}dy**2",
            f"{n}s": f"({n}d2 + ({p})**2 - ({q})**2)/(2*{n}d2)", f"{n}h": f"sqrt(({p})**2/{n}d2 - {n}s**2)",
            f"{n}x": f"({ax}) + {n}s*{n}dx - ({side})*{n}h*{n}dy",
            f"{n}y": f"({ay}) + {n}s*{n}dy + ({side})*{n}h*{n}dx",
        })  # fmt: skip
        return f"{n}x", f"{n}y"

    def tree(self, name: str) -> dict[str, Any]:
        """Return the tree of the mechanism file."""
        return {
            "schema": "symgen/mechanism/1", "name": name, "space": "planar", "parameters": self.parameters,
            "bodies": self.bodies, "joints": self.joints, "drives": self.drives,
        }  # fmt: skip


def _law(random: Random) -> tuple[str, float]:
    """Return a law that takes a crank round or to and fro by more than half a turn, and the time it takes."""
    w = float(random.uniform(2.0, 9.0)) * (1 if random.random() < 0.5 else -1)
    turn = 2 * math.pi / abs(w)
    kind = int(random.integers(0, 4))
    if kind == 0:
        return "2*pi*t", 1.0
    if kind == 1:
        return f"{w!r}*t", 1.1 * turn
    if kind == 2:
        a, b = random.uniform(0.1, 0.3), random.uniform(0.8, 2.2)
        return f"{w!r}*t + {a!r}*sin({b * abs(w)!r}*t)", 1.15 * turn
    return f"{float(random.uniform(3.4, 4.5))!r}*sin({w / 4!r}*t)", 3.3 * turn


def _four_bar(sketch: Sketch, points: Sequence[Point], law: str, names: str = "ABCD") -> None:
    a, b, c, d = points
    sketch.joint(names[0], "R", ["ground", "crank"], a, driven=True)
    sketch.joint(names[1], "R", ["crank", "coupler"], b)
    sketch.joint(names[2], "R", ["coupler", "rocker"], c)
    sketch.joint(names[3], "R", ["ground", "rocker"], d)
    sketch.drives[names[0]] = law


def _start(random: Random) -> float:
    """Return a crank angle at least 0.35 rad away from the line of the ground, where most of these lie flat."""
    return float(random.uniform(0.35, math.pi - 0.35)) * (1 if random.random() < 0.5 else -1)


def _parallelogram_points(sketch: Sketch) -> tuple[Point, Point, Point, Point]:
    r = float(sketch.random.uniform(0.1, 0.5))
    sketch.let(r=r, g=float(r * sketch.random.uniform(1.2, 4.0)), th=_start(sketch.random))
    sketch.let(bx="r*cos(th)", by="r*sin(th)")
    return ("0", "0"), ("bx", "by"), ("bx + g", "by"), ("g", "0")


def parallelogram(random: Random) -> Case:
    """Opposite links equal; both flat positions are change points to the antiparallelogram."""
    sketch = Sketch(random)
    law, until = _law(random)
    _four_bar(sketch, _parallelogram_points(sketch), law)
    return Case("", sketch.tree("parallelogram"), until)


def antiparallelogram(random: Random) -> Case:
    """The same links crossed: legs and diagonals of an isosceles trapezium."""
    sketch = Sketch(random)
    p, q, h = random.uniform(0.2, 0.5), random.uniform(0.2, 0.5), random.uniform(0.1, 0.3)
    sketch.let(p=p, q=q, h=h)
    law, until = _law(random)
    _four_bar(sketch, [("-p", "0"), ("-q", "h"), ("p", "0"), ("q", "h")], law)
    return Case("", sketch.tree("antiparallelogram"), until)


def kite(random: Random) -> Case:
    """Crank and coupler equal, ground and rocker equal: the last joint passes the crank's centre."""
    sketch = Sketch(random)
    d = random.uniform(0.3, 0.8)
    sketch.let(d=d, p=random.uniform(-0.1, 0.4) * d, h=random.uniform(0.1, 0.3))
    law, until = _law(random)
    _four_bar(sketch, [("p", "h"), ("0", "0"), ("p", "-h"), ("d", "0")], law)
    return Case("", sketch.tree("kite"), until)


def galloway(random: Random) -> Case:
    """Ground and crank equal, coupler and rocker equal: the crank goes round twice for a turn of the rocker.

    The crank's pin passes the rocker's centre, where coupler and rocker lie on each other and could turn together.
    """
    sketch = Sketch(random)
    d = random.uniform(0.3, 0.8)
    sketch.let(d=d, p=random.uniform(-0.2, 0.35) * d, h=random.uniform(0.1, 0.3))
    law, until = _law(random)
    _four_bar(sketch, [("0", "0"), ("p", "h"), ("d", "0"), ("p", "-h")], law)
    return Case("", sketch.tree("Galloway"), until)


def _slider(sketch: Sketch, points: Sequence[Point], law: str, axis: Point = ("1", "0")) -> None:
    a, b, c = points
    sketch.joint("A", "R", ["ground", "crank"], a, driven=True)
    sketch.joint("B", "R", ["crank", "rod"], b)
    sketch.joint("C", "R", ["rod", "block"], c)
    sketch.joint("D", "P", ["ground", "block"], c, axis=axis)
    sketch.drives["A"] = law


def isosceles_slider_crank(random: Random) -> Case:
    """Crank and rod equal, the guide through the crank's centre: the block passes it."""
    sketch = Sketch(random)
    sketch.let(r=random.uniform(0.1, 0.5), th=math.pi / 2 + _start(random))
    sketch.let(bx="r*cos(th)", by="r*sin(th)")
    law, until = _law(random)
    _slider(sketch, [("0", "0"), ("bx", "by"), ("2*bx", "0")], law)
    return Case("", sketch.tree("isosceles slider-crank"), until)


def grazing_slider_crank(random: Random) -> Case:
    """The rod stands upright on the guide where the crank's pin is farthest from it: an R.R.P dyad that folds."""
    sketch = Sketch(random)
    r = random.uniform(0.1, 0.3)
    sketch.let(r=r, e=random.uniform(0.3, 1.5) * r, th=math.pi / 2 + _start(random))
    sketch.let(bx="r*cos(th)", by="r*sin(th)", side=1.0 if random.random() < 0.5 else -1.0)
    sketch.let(cx="bx + side*sqrt((r + e)**2 - (by + e)**2)")
    law, until = _law(random)
    _slider(sketch, [("0", "0"), ("bx", "by"), ("cx", "-e")], law)
    return Case("", sketch.tree("grazing slider-crank"), until)


def grazing_slot(random: Random) -> Case:
    """An R.P.R dyad: a lever's slot, beside the lever's pin by as much as the crank's pin comes near it."""
    sketch = Sketch(random)
    r = random.uniform(0.1, 0.3)
    sketch.let(r=r, g=random.uniform(1.3, 3.0) * r, th=_start(random))
    sketch.let(bx="g + r*cos(th)", by="r*sin(th)", side=1.0 if random.random() < 0.5 else -1.0)
    sketch.let(phi="atan2(by, bx) + side*asin((g - r)/sqrt(bx**2 + by**2))")
    law, until = _law(random)
    sketch.joint("A", "R", ["ground", "crank"], ("g", "0"), driven=True)
    sketch.joint("B", "R", ["crank", "stone"], ("bx", "by"))
    sketch.joint("C", "P", ["stone", "lever"], ("bx", "by"), axis=("cos(phi)", "sin(phi)"))
    sketch.joint("D", "R", ["ground", "lever"], ("0", "0"))
    sketch.drives["A"] = law
    return Case("", sketch.tree("grazing slot"), until)


def two_driven_cranks(random: Random) -> Case:
    """A five-bar with two inputs: both cranks point outwards at one time, where the dyad between is stretched."""
    sketch = Sketch(random)
    r1, r2, g = random.uniform([0.1, 0.1, 0.5], [0.3, 0.3, 0.9]).tolist()
    until = float(random.uniform(0.8, 1.6))
    w1, w2 = (float(random.uniform(2.0, 4.0)) * (1 if random.random() < 0.5 else -1) for _ in range(2))
    tc = until * float(random.uniform(0.4, 0.7))
    sketch.let(r1=r1, r2=r2, g=g, tc=tc, w1=w1, w2=w2, share=random.uniform(0.4, 0.6))
    sketch.let(th1="pi - w1*tc", th2="-w2*tc", p="share*(g + r1 + r2)", q="(1 - share)*(g + r1 + r2)")
    one, two = ("r1*cos(th1)", "r1*sin(th1)"), ("g + r2*cos(th2)", "r2*sin(th2)")
    pin = sketch.dyad("c", one, two, ("p", "q"), 1 if random.random() < 0.5 else -1)
    sketch.joint("A", "R", ["ground", "left"], ("0", "0"), driven=True)
    sketch.joint("B", "R", ["left", "arm"], one)
    sketch.joint("C", "R", ["arm", "forearm"], pin)
    sketch.joint("D", "R", ["right", "forearm"], two)
    sketch.joint("E", "R", ["ground", "right"], ("g", "0"), driven=True)
    sketch.drives = {"A": f"{w1!r}*t", "E": f"{w2!r}*t"}
    return Case("", sketch.tree("two driven cranks"), until)


def _second_parallelogram(sketch: Sketch, centre: Point, pin: Point, ground: Point, body: str) -> None:
    (x, y), (u, v), (a, b) = pin, ground, centre
    sketch.joint("E", "R", [body, "link"], pin)
    sketch.joint("F", "R", ["link", "follower"], (f"{x} + {u}", f"{y} + {v}"))
    sketch.joint("G", "R", ["follower", "ground"], (f"{a} + {u}", f"{b} + {v}"))


def two_at_once(random: Random) -> Case:
    """Two parallelograms on one crank, or one behind the other, that are flat at the same time."""
    sketch = Sketch(random)
    points = _parallelogram_points(sketch)
    law, until = _law(random)
    _four_bar(sketch, points, law)
    sketch.let(g2=random.uniform(1.2, 3.0) * sketch.parameters["r"], k=random.uniform(0.5, 0.95))
    if random.random() < 0.5:
        _second_parallelogram(sketch, ("0", "0"), ("k*bx", "k*by"), ("-g2", "0"), "crank")
    else:
        _second_parallelogram(sketch, ("g", "0"), ("g + k*bx", "k*by"), ("g2", "0"), "rocker")
    return Case("", sketch.tree("two at once"), until)


def one_after_another(random: Random) -> Case:
    """Two parallelograms, the second behind the first and its ground in another direction."""
    sketch = Sketch(random)
    points = _parallelogram_points(sketch)
    law, until = _law(random)
    _four_bar(sketch, points, law)
    angle = sketch.parameters["th"] + _start(random)
    sketch.let(g2=random.uniform(1.2, 3.0) * sketch.parameters["r"], k=random.uniform(0.5, 0.95), ga=angle)
    _second_parallelogram(sketch, ("g", "0"), ("g + k*bx", "k*by"), ("g2*cos(ga)", "g2*sin(ga)"), "rocker")
    return Case("", sketch.tree("one after another"), until)


def _swing(crank: float, angles: Any, side: int) -> Any:
    """Return how far the rocker of `behind_a_crank_rocker` has turned since the first of the crank's angles."""
    x, y = 0.4 - crank * np.cos(angles), -crank * np.sin(angles)  # from the crank's pin to the rocker's centre
    d = np.hypot(x, y)
    corner = np.arccos((d**2 + 0.2**2 - 0.38**2) / (2 * d * 0.2))
    turned = np.arctan2(-y, -x) - side * corner
    return (turned - turned[0] + math.pi) % (2 * math.pi) - math.pi


def behind_a_crank_rocker(random: Random) -> Case:
    """A crank-rocker without change points swings the crank of an isosceles slider-crank through its own."""
    sketch = Sketch(random)
    law, until = _law(random)
    r, th, side = float(random.uniform(0.1, 0.12)), _start(random), 1 if random.random() < 0.5 else -1
    sketch.let(r=r, th=th)
    one, two = ("r*cos(th)", "r*sin(th)"), ("0.4", "0")
    pin = sketch.dyad("c", one, two, ("0.38", "0.2"), side)
    _four_bar(sketch, [("0", "0"), one, pin, two], law)
    # The block passes the rocker's centre within the rocker's swing, away from its ends and from the drawing.
    swing = _swing(r, th + np.linspace(0.0, 2 * math.pi, 100), side)
    low, high = float(swing.min()), float(swing.max())
    passing = [low + (high - low) * share for share in random.uniform(0.2, 0.8, 20).tolist()]
    sketch.let(k=random.uniform(0.1, 0.2), de=-next(x for x in passing if abs(x) > 0.08))
    sketch.let(al=random.uniform(-3.0, 3.0))
    u, v = "k*cos(al + pi/2 + de)", "k*sin(al + pi/2 + de)"
    sketch.joint("E", "R", ["rocker", "rod"], (f"0.4 + {u}", v))
    sketch.let(f="-2*k*sin(de)")
    block = ("0.4 + f*cos(al)", "f*sin(al)")
    sketch.joint("F", "R", ["rod", "block"], block)
    sketch.joint("G", "P", ["block", "ground"], block, axis=("cos(al)", "sin(al)"))
    return Case("", sketch.tree("behind a crank-rocker"), until)


def _stops(random: Random, law: str, until: float) -> Case:
    sketch = Sketch(random)
    points = _parallelogram_points(sketch)
    sketch.let(uc="pi - th" if sketch.parameters["th"] > 0 else "-pi - th")
    _four_bar(sketch, points, law)
    return Case("", sketch.tree("stops at a change point"), until)


def turns_back_at_it(random: Random) -> Case:
    """The drive stops exactly in the flat position and turns back: branches differ in acceleration."""
    w = float(random.uniform(1.0, 3.0))
    return _stops(random, f"uc*sin({w!r}*t)", 2.6 / w)


def rests_on_it(random: Random) -> Case:
    """The drive rests in the flat position, without acceleration, and goes on: branches differ in the third order."""
    tc = float(random.uniform(0.6, 1.3))
    return _stops(random, f"uc*(1 + (t/{tc!r} - 1)**3)", 1.8 * tc)


def _off(random: Random, by: float) -> Case:
    """A parallelogram with a rocker too long, or an isosceles slider-crank with a rod too long: they go on, sharply."""
    sketch = Sketch(random)
    law, until = _law(random)
    until *= 0.6  # past one or two sharp turns; each costs the reference some fifty pieces
    r = random.uniform(0.1, 0.4)
    # Where lengths are too short by up to a fifth, the drawing must close: cosine and sine of the angle below 0.8.
    start = _start(random) if by > 0 else float(random.uniform(0.68, 0.85)) * (1 if random.random() < 0.5 else -1)
    sketch.let(r=r, g=random.uniform(1.3, 3.0) * r, th=start, off=by)
    one, side = ("r*cos(th)", "r*sin(th)"), 1 if random.random() < 0.5 else -1
    if random.random() < 0.6:
        pin = sketch.dyad("c", one, ("g", "0"), ("g", "r*(1 + off)"), side)
        _four_bar(sketch, [("0", "0"), one, pin, ("g", "0")], law)
    else:
        sketch.let(cx=f"r*cos(th) + ({side})*sqrt((r*(1 + off))**2 - (r*sin(th))**2)")
        _slider(sketch, [("0", "0"), one, ("cx", "0")], law)
    return Case("", sketch.tree(f"lengths off by {by:g}"), until, change_points=False)


def near_miss_3(random: Random) -> Case:
    """Lengths off by 1e-3."""
    return _off(random, 1e-3)


def near_miss_6(random: Random) -> Case:
    """Lengths off by 1e-6."""
    return _off(random, 1e-6)


def fold(random: Random) -> Case:
    """A rocker or a rod too short by a tenth to a fifth: the motion ends."""
    case = _off(random, -float(random.uniform(0.1, 0.2)))
    return Case("", case.tree | {"name": "fold"}, case.until, ends=True, change_points=False)


def planar_platform(random: Random) -> Case:
    """Three legs with driven strokes (3-RPR), made for a motion of the platform through a singular position.

    Strokes are those of a given motion of the platform, so that it is a solution also where the legs' lines meet in
    a point; there another one crosses it. Base and platform are similar triangles (or equal: the legs are parallel
    then), so this is where both are turned alike, wherever the platform is.
    """
    sketch = Sketch(random)
    until = float(random.uniform(0.8, 1.4))
    k = 1.0 if random.random() < 0.3 else float(random.uniform(0.3, 0.6))
    rate = float(random.uniform(0.8, 1.5)) * (1 if random.random() < 0.5 else -1)
    ph0 = -rate * until * float(random.uniform(0.35, 0.6))
    vx, vy = random.uniform(-0.1, 0.1, 2).tolist()
    cx, cy = random.uniform(-0.2, 0.2, 2) + (0.5 if k == 1.0 else 0.0)
    angles = np.array([0.1, 2.2, 4.1]) + random.uniform(-0.2, 0.2, 3)
    base = random.uniform(0.4, 0.7, 3)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    sketch.let(k=k, ph0=ph0, cx=cx, cy=cy)
    for i, (x, y) in enumerate(base, 1):
        sketch.let(**{f"b{i}x": float(x), f"b{i}y": float(y)})
        sketch.let(**{f"p{i}x": f"cx + k*(cos(ph0)*b{i}x - sin(ph0)*b{i}y)"})
        sketch.let(**{f"p{i}y": f"cy + k*(sin(ph0)*b{i}x + cos(ph0)*b{i}y)"})
        sketch.let(**{f"l{i}": f"sqrt((p{i}x - b{i}x)**2 + (p{i}y - b{i}y)**2)"})
        a, p = (f"b{i}x", f"b{i}y"), (f"p{i}x", f"p{i}y")
        sketch.joint(f"A{i}", "R", ["ground", f"tube{i}"], a)
        sketch.joint(f"B{i}", "P", [f"tube{i}", f"bar{i}"], a, axis=(f"p{i}x - b{i}x", f"p{i}y - b{i}y"), driven=True)
        sketch.joint(f"C{i}", "R", [f"bar{i}", "platform"], p)
        c, s = f"cos(ph0 + {rate!r}*t)", f"sin(ph0 + {rate!r}*t)"
        x, y = f"cx + {vx!r}*t + k*({c}*b{i}x - {s}*b{i}y)", f"cy + {vy!r}*t + k*({s}*b{i}x + {c}*b{i}y)"
        sketch.drives[f"B{i}"] = f"sqrt(({x} - b{i}x)**2 + ({y} - b{i}y)**2) - l{i}"
    return Case("", sketch.tree("planar platform"), until)


def piston_through_dead_centres(random: Random) -> Case:
    """A slider-crank driven at the slider as its turning crank would: it turns back exactly where the crank is in line.

    For any other law the motion would end there.
    """
    sketch = Sketch(random)
    r, w = float(random.uniform(0.1, 0.3)), float(random.uniform(2.0, 8.0)) * (1 if random.random() < 0.5 else -1)
    sketch.let(r=r, th=_start(random), l=random.uniform(1.5, 3.0) * r, e=random.uniform(0.0, 0.4) * r)
    place = "r*cos({0}) + sqrt(l**2 - (r*sin({0}) - e)**2)"
    sketch.let(cx=place.format("th"))
    one, two = ("r*cos(th)", "r*sin(th)"), ("cx", "e")
    sketch.joint("A", "R", ["ground", "crank"], ("0", "0"))
    sketch.joint("B", "R", ["crank", "rod"], one)
    sketch.joint("C", "R", ["rod", "piston"], two)
    sketch.joint("D", "P", ["ground", "piston"], two, axis=("1", "0"), driven=True)
    sketch.drives["D"] = place.format(f"(th + {w!r}*t)") + " - cx"
    return Case("", sketch.tree("piston through dead centres"), 1.1 * 2 * math.pi / abs(w))


def three_cranks(random: Random) -> Case:
    """A platform on three equal parallel cranks whose centres are not in line: regular in the flat position, too."""
    sketch = Sketch(random)
    points = _parallelogram_points(sketch)
    law, until = _law(random)
    _four_bar(sketch, points, law)
    sketch.let(hx=random.uniform(0.3, 0.7) * sketch.parameters["g"], hy=random.uniform(0.2, 0.5))
    sketch.joint("E", "R", ["ground", "third"], ("hx", "hy"))
    sketch.joint("F", "R", ["third", "coupler"], ("hx + bx", "hy + by"))
    tree = sketch.tree("three cranks")
    tree["special"] = {"cranks": {"kind": "parallelogram", "joints": list("ABCDEF")}}
    return Case("", tree, until, change_points=False)


# --- in space ------------------------------------------------------------------------------------------------------

Place = tuple[str, str, str]


@dataclass
class SpaceSketch:
    """A drawing in space, turned and moved as a whole."""

    random: Random
    parameters: dict[str, Any] = field(default_factory=dict)
    bodies: dict[str, Any] = field(default_factory=dict)
    joints: dict[str, Any] = field(default_factory=dict)
    drives: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = ("qa", "qb", "qc", "qd", "x0", "y0", "z0")
        self.let(**dict(zip(names, [*self.random.normal(size=4), *self.random.uniform(-0.3, 0.3, 3)], strict=True)))
        self.let(
            qn="qa**2 + qb**2 + qc**2 + qd**2",
            m00="(qa**2 + qb**2 - qc**2 - qd**2)/qn", m01="2*(qb*qc - qa*qd)/qn", m02="2*(qb*qd + qa*qc)/qn",
            m10="2*(qb*qc + qa*qd)/qn", m11="(qa**2 - qb**2 + qc**2 - qd**2)/qn", m12="2*(qc*qd - qa*qb)/qn",
            m20="2*(qb*qd - qa*qc)/qn", m21="2*(qc*qd + qa*qb)/qn", m22="(qa**2 - qb**2 - qc**2 + qd**2)/qn",
        )  # fmt: skip

    def let(self, **values: float | str) -> None:
        """Add parameters."""
        self.parameters |= {name: v if isinstance(v, str) else float(v) for name, v in values.items()}

    def direction(self, v: Place) -> list[str]:
        """Return a direction in world axes."""
        return [" + ".join(f"m{i}{j}*({v[j]})" for j in range(3)) for i in range(3)]

    def joint(
        self, name: str, kind: str, bodies: Sequence[str], at: Place,
        axis: Place | None = None, axis2: Place | None = None, driven: int = 0,
    ) -> None:  # fmt: skip
        """Add a joint; bodies that are new get a frame somewhere, rods (by name) one at this joint."""
        centre = [f"{o} + {x}" for o, x in zip(("x0", "y0", "z0"), self.direction(at), strict=True)]
        for body in bodies:
            if body == "ground" or body in self.bodies:
                continue
            q = self.random.normal(size=4)
            place = centre if body.startswith("rod") else self.random.uniform(-0.3, 0.3, 3).tolist()
            given = {"pose": {"r": place, "q": (q / np.linalg.norm(q)).tolist()}}
            self.bodies[body] = given if body.startswith("rod") or self.random.random() < 0.5 else {}
        table: dict[str, Any] = {"type": kind, "bodies": list(bodies), "at": centre}
        for key, value in (("axis", axis), ("axis2", axis2)):
            if value is not None:
                table[key] = self.direction(value)
        if driven:
            table["driven"] = driven
        self.joints[name] = table

    def rod(self, one: tuple[str, Place], two: tuple[str, Place]) -> None:
        """Join two bodies by a rod: on two balls, or on a ball and a universal joint."""
        self.joint("B", "S", [one[0], "rod"], one[1])
        if self.random.random() < 0.5:
            self.joint("C", "S", ["rod", two[0]], two[1])
            return
        along = [f"{b} - ({a})" for a, b in zip(one[1], two[1], strict=True)]
        # Two axes normal to each other: the rod's axis2 along (-y, x, 0) of it, the other body's z: never parallel to
        # the rod in these mechanisms, whose rods lie far from upright.
        self.joint("C", "U", [two[0], "rod"], two[1], axis=("0", "0", "1"), axis2=(f"-({along[1]})", along[0], "0"))

    def tree(self, name: str) -> dict[str, Any]:
        """Return the tree of the mechanism file."""
        return {
            "schema": "symgen/mechanism/1", "name": name, "space": "spatial", "parameters": self.parameters,
            "bodies": self.bodies, "joints": self.joints, "drives": self.drives,
        }  # fmt: skip


UP: Place = ("0", "0", "1")


def _space_crank(sketch: SpaceSketch) -> tuple[str, str]:
    r = sketch.random.uniform(0.1, 0.4)
    sketch.let(r=r, g=sketch.random.uniform(1.3, 3.0) * r, th=_start(sketch.random), h=sketch.random.uniform(-0.1, 0.1))
    sketch.let(bx="r*cos(th)", by="r*sin(th)")
    return "bx", "by"


def rod_parallelogram(random: Random) -> Case:
    """R.S.S: equal cranks on parallel axes, in planes apart; the rod is as long as the ground seen along the axes."""
    sketch = SpaceSketch(random)
    x, y = _space_crank(sketch)
    law, until = _law(random)
    sketch.joint("A", "R", ["ground", "crank"], ("0", "0", "0.05"), UP, driven=1)
    sketch.rod(("crank", (x, y, "0")), ("rocker", (f"{x} + g", y, "h")))
    sketch.joint("D", "R", ["rocker", "ground"], ("g", "0", "-0.1"), UP)
    sketch.drives["A"] = law
    return Case("", sketch.tree("rod parallelogram"), until)


def rod_isogram(random: Random) -> Case:
    """R.S.S: axes that meet, and pins on cones about them: a spherical linkage with equal opposite sides.

    It has a half turn about z, which takes the first axis to the last pin and the first pin to the last axis; how
    far along their lines from the centre the pins lie does not matter.
    """
    sketch = SpaceSketch(random)
    a = random.uniform(0.3, 0.6)
    sketch.let(a=a, ux=math.sin(a), uz=math.cos(a), b=random.uniform(0.35, 0.9), ph=random.uniform(0.6, 2.4))
    sketch.let(wx="sin(b)*cos(ph)", wy="sin(b)*sin(ph)", wz="cos(b)", k1=random.uniform(0.3, 0.6))
    sketch.let(k2=random.uniform(0.3, 0.6))
    law, until = _law(random)
    first, last = ("ux", "0", "uz"), ("-wx", "-wy", "wz")
    sketch.joint("A", "R", ["ground", "crank"], ("0", "0", "0"), first, driven=1)
    pin, other = ("k1*wx", "k1*wy", "k1*wz"), ("-k2*ux", "0", "k2*uz")
    sketch.rod(("crank", pin), ("rocker", other))
    sketch.joint("D", "R", ["ground", "rocker"], ("0", "0", "0"), last)
    sketch.drives["A"] = law
    return Case("", sketch.tree("rod isogram"), until)


def rod_slider_crank(random: Random) -> Case:
    """P.S.S: an isosceles slider-crank whose rod leads out of the crank's plane."""
    sketch = SpaceSketch(random)
    sketch.let(r=random.uniform(0.1, 0.4), th=math.pi / 2 + _start(random), h=random.uniform(-0.1, 0.1))
    sketch.let(bx="r*cos(th)", by="r*sin(th)")
    law, until = _law(random)
    sketch.joint("A", "R", ["ground", "crank"], ("0", "0", "0"), UP, driven=1)
    sketch.rod(("crank", ("bx", "by", "0")), ("block", ("2*bx", "0", "h")))
    sketch.joint("D", "P", ["ground", "block"], ("2*bx", "0", "h"), ("1", "0", "0"))
    sketch.drives["A"] = law
    return Case("", sketch.tree("rod slider-crank"), until)


def parallelogram_in_space(random: Random) -> Case:
    """Four revolute joints with parallel axes, declared planar: certified Newton solves it."""
    sketch = SpaceSketch(random)
    x, y = _space_crank(sketch)
    law, until = _law(random)
    sketch.joint("A", "R", ["ground", "crank"], ("0", "0", "0"), UP, driven=1)
    sketch.joint("B", "R", ["crank", "coupler"], (x, y, "0"), UP)
    sketch.joint("C", "R", ["coupler", "rocker"], (f"{x} + g", y, "0.1"), UP)
    sketch.joint("D", "R", ["ground", "rocker"], ("g", "0", "0"), UP)
    sketch.drives["A"] = law
    tree = sketch.tree("parallelogram in space")
    tree["special"] = {"plane": {"kind": "planar", "joints": list("ABCD")}}
    return Case("", tree, until)


def hexapod(random: Random) -> Case:
    """Six driven legs (6-UPS) that turn the platform through a quarter turn from the base, which is singular (Fichter).

    Strokes are those of a given motion: turning about the upright axis, lifted.
    """
    sketch = SpaceSketch(random)
    until = float(random.uniform(0.8, 1.2))
    rate = float(random.uniform(0.5, 1.0)) * (1 if random.random() < 0.5 else -1)
    sketch.let(ph0=math.copysign(math.pi / 2, rate) - rate * until * float(random.uniform(0.35, 0.6)))
    sketch.let(k=random.uniform(0.4, 0.7), z=random.uniform(0.5, 0.8))
    lift = float(random.uniform(-0.1, 0.1))
    # The long sides of the base lie across from the short ones of the platform: similar hexagons are always singular.
    sketch.let(near=random.uniform(0.2, 0.4), far=random.uniform(0.65, 0.85))
    for i in range(6):
        sign = "+" if i % 2 else "-"
        base_angle, tip_angle = f"2*pi/3*{i // 2} {sign} near", f"2*pi/3*{i // 2} {sign} far"
        sketch.let(**{f"b{i}x": f"0.5*cos({base_angle})", f"b{i}y": f"0.5*sin({base_angle})"})
        sketch.let(**{f"t{i}x": f"0.5*k*cos({tip_angle})", f"t{i}y": f"0.5*k*sin({tip_angle})"})
        x, y = f"({{0}}*t{i}x - {{1}}*t{i}y)", f"({{1}}*t{i}x + {{0}}*t{i}y)"
        sketch.let(**{f"p{i}x": x.format("cos(ph0)", "sin(ph0)"), f"p{i}y": y.format("cos(ph0)", "sin(ph0)")})
        length = f"sqrt(({{0}} - b{i}x)**2 + ({{1}} - b{i}y)**2 + ({{2}})**2)"
        sketch.let(**{f"l{i}": length.format(f"p{i}x", f"p{i}y", "z")})
        base, tip = (f"b{i}x", f"b{i}y", "0"), (f"p{i}x", f"p{i}y", "z")
        along = (f"p{i}x - b{i}x", f"p{i}y - b{i}y", "z")
        # The first axis lies in the base, normal to the leg; the second is normal to both.
        flat = (f"-({along[1]})", along[0], "0")
        across = (f"-({along[0]})*z", f"-({along[1]})*z", f"({along[0]})**2 + ({along[1]})**2")
        sketch.joint(f"U{i}", "U", ["ground", f"tube{i}"], base, flat, across)
        sketch.joint(f"P{i}", "P", [f"tube{i}", f"bar{i}"], base, along, driven=1)
        sketch.joint(f"S{i}", "S", [f"bar{i}", "platform"], tip)
        c, s = f"cos(ph0 + {rate!r}*t)", f"sin(ph0 + {rate!r}*t)"
        sketch.drives[f"P{i}"] = length.format(x.format(c, s), y.format(c, s), f"z + {lift!r}*t") + f" - l{i}"
    return Case("", sketch.tree("hexapod"), until)


FAMILIES: dict[str, Callable[[Random], Case]] = {
    each.__name__: each
    for each in (
        parallelogram, antiparallelogram, kite, galloway, isosceles_slider_crank, grazing_slider_crank, grazing_slot,
        two_driven_cranks, two_at_once, one_after_another, behind_a_crank_rocker, turns_back_at_it, rests_on_it,
        near_miss_3, near_miss_6, fold, piston_through_dead_centres, three_cranks,
        planar_platform, rod_parallelogram, rod_isogram, rod_slider_crank, parallelogram_in_space, hexapod,
    )
}  # fmt: skip

#: Those with groups that certified Newton solves, slower than closed forms.
SEARCHED = ("planar_platform", "parallelogram_in_space", "hexapod")


def make_case(family: str, seed: int) -> Case:
    """Return one mechanism; the same for the same seed, on every machine."""
    case = FAMILIES[family](np.random.default_rng([seed, *family.encode()]))
    return replace(case, name=f"{family} {seed}")
