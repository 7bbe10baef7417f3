"""Euler's equations in quaternion coordinates: residual and Jacobian, written with symgen's own vocabulary.

A body with inertia J under a moment, its orientation q, q', q'' in body axes:

    w = 2 G(q) q'        G(a) b = -G(b) a                   bilinear: one matrix for all derivatives
    e = 2 G(q) q''       for G(q') q' = 0
    f = J e + w x J w - moment
    df/dq'' = 2 J G(q)   df/dq' = 2 K G(q),  K = w~ J - (J w)~
    df/dq   = -2 (J G(q'') + K G(q'))

Source: elementary; Nikravesh, Computer-Aided Analysis of Mechanical Systems (1988), chapter 6, for G.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import TWO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.module import ModuleDerivation, overview
from symgen.derive.vectors import Vector
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.pipeline.modules import LoweredModule, module_texts

MODULE = "quaternion_jacobian"
_SOURCE = "elementary; Nikravesh (1988), chapter 6"

Rows = tuple[tuple[Expr, ...], ...]


def _g(p: Sequence[Expr]) -> Rows:
    """Return G(p), 3 x 4."""
    return ((-p[1], p[0], p[3], -p[2]), (-p[2], -p[3], p[0], p[1]), (-p[3], p[2], -p[1], p[0]))


def _times(rows: Sequence[Sequence[Expr]], column: Sequence[Expr]) -> list[Expr]:
    return [_dot(row, column) for row in rows]


def derive_jacobian() -> Derivation:
    """Derive residual and Jacobian; all numbers are row-major, as results."""
    d = Derivation(f"{MODULE} kernel", level="kernel", title="Euler's equations and their Jacobian", source=_SOURCE)
    q, s, t = (
        d.input_array(name, [f"{name}{k}" for k in range(4)], meaning=meaning, unit=unit)
        for name, meaning, unit in (
            ("q", "orientation of the body", "1"),
            ("qd", "its rate", "1/s"),
            ("qdd", "its second derivative", "1/s^2"),
        )
    )
    names = ("j_xx", "j_yy", "j_zz", "j_xy", "j_xz", "j_yz")
    xx, yy, zz, xy, xz, yz = d.input_array("inertia", names, meaning="inertia in body axes", unit="kg m^2")
    moment = d.input_array("moment", ("m_x", "m_y", "m_z"), meaning="moment in body axes", unit="N m")
    inertia = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    doubled = [d.scalar(f"t{k}", TWO * value, "twice a component of the quaternion") for k, value in enumerate(q)]
    turn = _g(doubled)
    w = d.vector("w", Vector(tuple(_times(turn, s))), "angular velocity", "rad/s")
    e = d.vector("e", Vector(tuple(_times(turn, t))), "angular acceleration", "rad/s^2")
    spin = d.vector("spin", Vector(tuple(_times(inertia, w.components))), "angular momentum", "kg m^2/s")
    f = Vector(tuple(_times(inertia, e.components))) + w.cross(spin) - Vector(tuple(moment))
    d.output("f", d.vector("f", f, "residual", "N m"), meaning="residual of Euler's equations", unit="N m")
    tilde = ((None, -w[2], w[1]), (w[2], None, -w[0]), (-w[1], w[0], None))
    own = ((None, spin[2], -spin[1]), (-spin[2], None, spin[0]), (spin[1], -spin[0], None))
    k = []
    for row in range(3):
        there = [j for j in range(3) if j != row]
        values = []
        for column in range(3):
            terms = [tilde[row][j] * inertia[j][column] for j in there]
            more = own[row][column]
            values.append(terms[0] + terms[1] if more is None else terms[0] + terms[1] + more)
        k.append(d.vector(f"k_{row}", Vector(tuple(values)), "derivative by the angular velocity, a row", "kg m^2/s"))
    rate = _g([TWO * value for value in s])
    second = _g([TWO * value for value in t])
    by_q, by_rate, by_second = [], [], []
    for row in range(3):
        for column in range(4):
            down, before, after = ([each[j][column] for j in range(3)] for each in (turn, rate, second))
            name = f"{row}{column}"
            by_second.append(d.scalar(f"a{name}", _dot(inertia[row], down), "derivative by the second derivative"))
            by_rate.append(d.scalar(f"b{name}", _dot(k[row], down), "derivative by the rate"))
            value = -(_dot(inertia[row], after) + _dot(k[row], before))
            by_q.append(d.scalar(f"c{name}", value, "derivative by the orientation"))
    for name, values in (("by_q", by_q), ("by_qd", by_rate), ("by_qdd", by_second)):
        d.output(name, tuple(values), meaning=f"derivative of f {name.replace('_', ' ')}, row-major", unit="N m")
    # Euler's theorem on homogeneous functions: J e is of degree 1 in q'' and in q, w x J w of degree 2 in q' and in q.
    gyration = w.cross(spin)
    residuals = []
    for row in range(3):
        part = slice(4 * row, 4 * row + 4)
        level = f[row] + moment[row] - gyration[row]
        residuals += [
            _dot(by_second[part], t) - level,
            _dot(by_rate[part], s) - TWO * gyration[row],
            _dot(by_q[part], q) - level - TWO * gyration[row],
        ]
    d.claim_zero(
        "homogeneous",
        "derivatives times their variables give back the parts of the residual, as often as their degree",
        residuals,
    )
    return d


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def derive() -> ModuleDerivation:
    """Return the equations as a module: a kernel without arrangements."""
    return ModuleDerivation(
        id=MODULE,
        title="Euler's equations in quaternion coordinates, with their Jacobian",
        space="spatial",
        degree=1,
        source=_SOURCE,
        summary=overview(__doc__),
        kernel=derive_jacobian(),
        arrange=lambda position: (),
    )


def generate_texts() -> dict[str, str]:
    """Return the module's files by name, made by the pipeline's own stages."""
    module = derive()
    routine = run_passes(lower(module.kernel, "all"))
    return module_texts(
        LoweredModule(module, (), (routine,)), "benchmarks/quaternion_jacobian.py", precisions=("double",)
    )
