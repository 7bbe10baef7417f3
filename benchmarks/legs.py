"""Six U-P-S legs of a parallel platform, inverse problem, written with symgen's own vocabulary.

The platform's motion is given; of each leg the length, its rate and acceleration, the unit vector along it and its
angular velocity (without spin about the leg) are sought. With b the platform point relative to the platform's origin,
L the leg from its base point to that point, and p, g the point's velocity and acceleration,

    g    = a + M b,  M = alpha~ + omega~ omega~              one matrix for all legs
    u    = L / l,    l = |L|,  1/l = l (1/l^2)               the quotient does not wait for the root
    l'   = p . u
    c    = u x p,    turn = c / l                            the leg's angular velocity
    l''  = g . u + c . turn                                  the part of p across the leg turns it

Source: elementary kinematics of rigid bodies; the last line is (|p|^2 - l'^2) / l written without a difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ONE, SMALL_LENGTH, TWO, Expr, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.items import Inner
from symgen.derive.module import ModuleDerivation, overview
from symgen.derive.vectors import AXES, Vector
from symgen.ir.nodes import Routine
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.pipeline.modules import LoweredModule, module_texts
from symgen.status import Status

MODULE = "stewart_legs"
LEGS = tuple(range(1, 7))
_SOURCE = "elementary kinematics of rigid bodies"
_LEG_UNITS = "m, m/s, m/s^2, 1, rad/s"
_FOUND = "length, rate, acceleration, unit vector, angular velocity"
#: What all legs take: of the platform's motion, and the rows of two matrices.
_OF_ALL = (
    ("r", "origin of the platform", "m"),
    ("v", "its velocity", "m/s"),
    ("w", "angular velocity of the platform", "rad/s"),
    ("a", "acceleration of its origin", "m/s^2"),
    *((f"rot_{k}", f"rotation matrix of the platform, row {k}", "1") for k in (1, 2, 3)),
    *((f"m_{k}", f"map from an arm to its relative acceleration, row {k}", "1/s^2") for k in (1, 2, 3)),
)

Matrix = tuple[Vector, Vector, Vector]


def _points(d: Derivation, port: str, meaning: str, frame: str) -> list[Vector]:
    """Declare six points as one array."""
    names = [f"{port}{leg}_{axis}" for leg in LEGS for axis in AXES]
    given = d.input_array(port, names, meaning=meaning, unit="m", frame=frame)
    return [Vector(given[3 * k : 3 * k + 3]) for k in range(len(LEGS))]


def _scalars(d: Derivation, values: dict[str, Expr], meaning: str, unit: str = "") -> list[Expr]:
    return [d.scalar(name, value, meaning, unit) for name, value in values.items()]


def _rotation(d: Derivation, q: Sequence[Expr]) -> Matrix:
    """Name the rows of the rotation matrix, products shared."""
    q0, q1, q2, q3 = q
    x, y, z = _scalars(d, {"x2": TWO * q1, "y2": TWO * q2, "z2": TWO * q3}, "twice a component of the quaternion")
    squares = {"xx": x * q1, "yy": y * q2, "zz": z * q3}
    xx, yy, zz = _scalars(d, squares, "twice the square of a component")
    products = {"xy": x * q2, "xz": x * q3, "yz": y * q3, "sx": x * q0, "sy": y * q0, "sz": z * q0}
    xy, xz, yz, sx, sy, sz = _scalars(d, products, "twice a product of components")
    return (
        d.vector("rot_1", Vector((ONE - (yy + zz), xy - sz, xz + sy)), "rotation matrix, first row"),
        d.vector("rot_2", Vector((xy + sz, ONE - (xx + zz), yz - sx)), "rotation matrix, second row"),
        d.vector("rot_3", Vector((xz - sy, yz + sx, ONE - (xx + yy))), "rotation matrix, third row"),
    )


def _turning(d: Derivation, w: Vector, e: Vector) -> Matrix:
    """Name the rows of M = alpha~ + omega~ omega~, which maps an arm to its relative acceleration."""
    squares = {f"w{k}{k}": w[k] * w[k] for k in range(3)}
    xx, yy, zz = _scalars(d, squares, "square of a component of the angular velocity", "1/s^2")
    products = {"w01": w[0] * w[1], "w02": w[0] * w[2], "w12": w[1] * w[2]}
    xy, xz, yz = _scalars(d, products, "product of components of the angular velocity", "1/s^2")
    meaning = "map from an arm to its relative acceleration"
    return (
        d.vector("m_1", Vector((-(yy + zz), xy - e[2], xz + e[1])), f"{meaning}, first row", "1/s^2"),
        d.vector("m_2", Vector((xy + e[2], -(xx + zz), yz - e[0])), f"{meaning}, second row", "1/s^2"),
        d.vector("m_3", Vector((xz - e[1], yz + e[0], -(xx + yy))), f"{meaning}, third row", "1/s^2"),
    )


def _times(matrix: Sequence[Vector], vector: Vector) -> Vector:
    return Vector(tuple(row.dot(vector) for row in matrix))


def derive_leg() -> Inner:
    """Derive one leg from the platform's motion and the matrices that all legs share."""
    d = Derivation("stewart_leg", level="kernel", title="One U-P-S leg below a moving platform", source=_SOURCE)
    given = [d.input_vector(name, 3, meaning=meaning, unit=unit) for name, meaning, unit in _OF_ALL]
    r, v, w, a, *rows = given
    base = d.input_vector("base", 3, meaning="centre of the universal joint", unit="m", frame="world")
    top = d.input_vector("top", 3, meaning="centre of the spherical joint", unit="m", frame="platform")
    arm = d.vector("arm", _times(rows[:3], top), "platform point from the platform's origin", "m")
    line = d.vector("line", r - base + arm, "from base to platform", "m")
    size2 = d.scalar("size2", line.dot(line), "squared length", "m^2")
    d.guard(size2, ">", SMALL_LENGTH, Status.DEGENERATE, "the leg has no length")
    length = d.scalar("length", sqrt(size2), "length", "m")
    inverse2 = d.scalar("i_size2", 1 / size2, "reciprocal of that square", "1/m^2")
    inverse = d.scalar("i_length", length * inverse2, "reciprocal of the length", "1/m")
    u = d.vector("u", line * inverse, "unit vector along the leg")
    p = d.vector("p", v + w.cross(arm), "velocity of the platform point", "m/s")
    rate = d.scalar("rate", p.dot(u), "rate of the length", "m/s")
    c = d.vector("c", u.cross(p), "velocity across the leg, turned by a right angle", "m/s")
    turn = d.vector("turn", c * inverse, "angular velocity", "rad/s")
    g = d.vector("g", a + _times(rows[3:], arm), "acceleration of the platform point", "m/s^2")
    second = d.scalar("second", g.dot(u) + c.dot(turn), "acceleration of the length", "m/s^2")
    d.output("found", (length, rate, second, *u, *turn), meaning=_FOUND, unit=_LEG_UNITS)
    d.witness("position", [])  # asked of all legs at once, below
    moved = turn.cross(line) + u * rate - p
    d.claim_zero("rates", "rate and turning together move the platform point", [*moved])
    squared = line.dot(g) + p.dot(p) - rate * rate - length * second
    d.claim_zero("accelerations", "second derivative of the squared length", [squared])
    return Inner("stewart_leg", d)


def derive_legs() -> Derivation:
    """Derive all six legs on one platform."""
    d = Derivation(
        "stewart_legs kernel", level="kernel", title="six U-P-S legs below a moving platform", source=_SOURCE
    )
    pose = d.input_array(
        "pose",
        ("r_x", "r_y", "r_z", "q0", "q1", "q2", "q3"),
        meaning="pose of the platform",
        unit="m, 1",
        range="q unit",
    )
    r, q = Vector(pose[:3]), pose[3:]
    twist = d.input_array(
        "twist", ("v_x", "v_y", "v_z", "w_x", "w_y", "w_z"), meaning="twist of the platform", unit="m/s, rad/s"
    )
    v, w = Vector(twist[:3]), Vector(twist[3:])
    grown = d.input_array(
        "acceleration",
        ("a_x", "a_y", "a_z", "e_x", "e_y", "e_z"),
        meaning="acceleration of the platform",
        unit="m/s^2, rad/s^2",
    )
    a, e = Vector(grown[:3]), Vector(grown[3:])
    base = _points(d, "base", "centres of the universal joints", "world")
    top = _points(d, "top", "centres of the spherical joints", "platform")
    d.guard_unit("pose", q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], "the platform's quaternion")
    values = [r, v, w, a, *_rotation(d, q), *_turning(d, w, e)]
    shared = {name: value for (name, _, _), value in zip(_OF_ALL, values, strict=True)}
    each = [{"base": base[k], "top": top[k]} for k in range(len(LEGS))]
    legs = d.call_each(derive_leg(), shared, each, "line", "Legs: length, unit vector, rates and accelerations")
    for leg, found in zip(LEGS, legs, strict=True):
        d.output(f"leg{leg}", found.values["found"], meaning=f"leg {leg}: {_FOUND}", unit=_LEG_UNITS)
    d.witness("all", [value for found in legs for value in found.values["found"][1:3]])
    return d


def derive() -> ModuleDerivation:
    """Return the legs as a module: a kernel without arrangements, for nothing is unknown that needs a group."""
    return ModuleDerivation(
        id=MODULE,
        title="Six U-P-S legs, inverse problem",
        space="spatial",
        degree=1,
        source=_SOURCE,
        summary=overview(__doc__),
        kernel=derive_legs(),
        arrange=lambda position: (),
    )


def routines_of(module: ModuleDerivation) -> tuple[Routine, ...]:
    """Return the one routine that is compared: all stages together."""
    return (run_passes(lower(module.kernel, "all")),)


def generate_texts() -> dict[str, str]:
    """Return the module's files by name, made by the pipeline's own stages."""
    module = derive()
    return module_texts(LoweredModule(module, (), routines_of(module)), "benchmarks/legs.py", precisions=("double",))
