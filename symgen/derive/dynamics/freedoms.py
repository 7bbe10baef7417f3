"""The freedoms of pairs as functions of the poses of two bodies: value, and row for the twists of both.

With o, x, y, z the joint frames on the first (1) and second (2) body and d = o_2 - o_1, as the contract of joint
frames has it (F_2 = F_1 M_1(q_1) M_2(q_2) ...):

    slide along an axis a     a_1 . d
    angle about z             atan2(x_2 . y_1, x_2 . x_1)
    angle2 about x            atan2(z_1 . y_2, z_1 . z_2)        of U: F_2 = F_1 Rz Rx
    yaw, pitch, roll          of F_2 = F_1 Rz Ry Rx: x_2 = F_1 (cos y cos p, sin y cos p, -sin p),
                              z_1 = F_2 (-sin p, cos p sin r, cos p cos r)

A row is the derivative of the value for twists [v, omega] where the pair closes: omega_2 - omega_1 is a sum of rates
times axes, and the row of a rate is the vector of the dual basis. z_1 and x_2 of a U are their own; with yaw, pitch and
roll, n = z_1 x x_2 / cos p between them is its own, and (z_1 + sin p x_2)/cos^2 p, (x_2 + sin p z_1)/cos^2 p are those
of the others: no freedom has a rate where cos p = 0. Angles are in (-pi, pi]; who follows a motion adds whole turns.

Source: contract of the mechanism file, "Joint frames"; dual basis: any text on linear algebra.
"""

from __future__ import annotations

from symgen.algebra import ONE, ZERO, Expr, atan2, sqrt
from symgen.derive.constraints.sides import Side, spatial_side
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.vectors import Vector

SOURCE = "contract of the mechanism file, Joint frames; dual basis of the joint axes"

#: Pair -> freedom -> how its value and row are found. ER is a U here, FP a PL.
FREEDOMS: dict[str, dict[str, str]] = {
    "R": {"angle": "turn_z"},
    "P": {"slide": "slide_z"},
    "H": {"angle": "turn_z"},
    "C": {"slide": "slide_z", "angle": "turn_z"},
    "U": {"angle1": "turn_z", "angle2": "turn_x"},
    "S": {"yaw": "yaw", "pitch": "pitch", "roll": "roll"},
    "PL": {"x": "slide_x", "y": "slide_y", "angle": "turn_z"},
    "F": {"x": "slide_x", "y": "slide_y", "z": "slide_z", "yaw": "yaw", "pitch": "pitch", "roll": "roll"},
    "L": {"slide": "slide_x", "angle": "turn_z"},
}


def freedom(pair: str, name: str) -> Derivation:
    """Derive value and row of one freedom of a pair."""
    kind = FREEDOMS[pair][name]
    d = kernel(f"freedom_{pair}_{name}".lower(), f"freedom {name} of a pair {pair}", SOURCE)
    first, second = spatial_side(d, 1, rates=False), spatial_side(d, 2, rates=False)
    if kind.startswith("slide"):
        _slide(d, first, second, kind[-1])
    elif kind.startswith("turn"):
        _turn(d, first, second, kind[-1])
    else:
        _attitude(d, first, second, kind)
    return d


def _slide(d: Derivation, first: Side, second: Side, axis: str) -> None:
    apart = d.vector("apart", second.origin - first.origin, "from the first joint origin to the second", "m")
    across = d.vector(
        "across", second.origin - first.place, "from the centre of mass of the first body to the second joint", "m"
    )
    a = first.axis(axis)
    value = d.scalar("way", a.dot(apart), f"slide along the first {axis} axis", "m")
    one, two = (*-a, *-across.cross(a)), (*a, *second.lever.cross(a))
    _put(d, value, one, two, "m")


def _turn(d: Derivation, first: Side, second: Side, axis: str) -> None:
    if axis == "z":
        x1, y1, x2 = first.axis("x"), first.axis("y"), second.axis("x")
        value, along = atan2(x2.dot(y1), x2.dot(x1)), first.axis("z")
    else:
        z1, y2, z2 = first.axis("z"), second.axis("y"), second.axis("z")
        value, along = atan2(z1.dot(y2), z1.dot(z2)), second.axis("x")
    _put_turn(d, d.scalar("turned", value, f"angle about the {axis} axis", "rad"), along)


def _attitude(d: Derivation, first: Side, second: Side, name: str) -> None:
    x1, y1, z1 = (first.axis(a) for a in "xyz")
    x2, y2, z2 = (second.axis(a) for a in "xyz")
    across, along = d.scalar("xy", x2.dot(y1), "cos p sin y", "1"), d.scalar("xx", x2.dot(x1), "cos p cos y", "1")
    rise = d.scalar("sp", -x2.dot(z1), "sine of the pitch", "1")
    level2 = d.scalar("cp2", across * across + along * along, "squared cosine of the pitch", "1")
    if name == "yaw":
        value = atan2(across, along)
        row = (z1 + x2 * rise) * d.scalar("i_cp2", ONE / level2, "its reciprocal", "1")
    elif name == "pitch":
        level = d.scalar("cp", sqrt(level2), "cosine of the pitch", "1")
        value = atan2(rise, level)
        row = z1.cross(x2) * d.scalar("i_cp", ONE / level, "its reciprocal", "1")
    else:
        value = atan2(z1.dot(y2), z1.dot(z2))
        row = (x2 + z1 * rise) * d.scalar("i_cp2", ONE / level2, "its reciprocal", "1")
    dual = d.vector("dual", row, "vector of the dual basis", "1")
    _put_turn(d, d.scalar("turned", value, name, "rad"), dual)
    place = ("yaw", "pitch", "roll").index(name)
    axes = (z1, z1.cross(x2), x2)  # the second is cos p times its axis
    wants = [ONE if k == place else ZERO for k in range(3)]
    wants[1] = d.scalar("level_again", sqrt(level2), "cosine of the pitch", "1") if place == 1 else ZERO
    gaps = [dual.dot(axis) - want for axis, want in zip(axes, wants, strict=True)]
    d.claim_zero("dual", "the row gives one for its own rate and nothing for the others", gaps)


def _put_turn(d: Derivation, value: Expr, along: Vector) -> None:
    none = (ZERO, ZERO, ZERO)
    _put(d, value, (*none, *-along), (*none, *along), "rad")


def _put(d: Derivation, value: Expr, one: tuple[Expr, ...], two: tuple[Expr, ...], unit: str) -> None:
    d.output("value", value, meaning="value of the freedom", unit=unit, frame="")
    results = Results(d)
    results.put("row_1", one, "derivative of the value with respect to the twist of the first body", "1 or m")
    results.put("row_2", two, "derivative of the value with respect to the twist of the second body", "1 or m")
