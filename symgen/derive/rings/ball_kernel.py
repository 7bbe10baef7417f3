"""Two-body spatial loops through one spherical pair: {R,U,S}, {P,U,S}, {R,C,S}, {P,C,S}.

The loop is a triangle of three links: X carries pairs A (R or P) and B (U or C), Y carries A and S, Z carries B and S.
Seen from X, pair A moves the spherical centre on a circle or a line, and pair B keeps it on a sphere about the
universal centre or on a cylinder about the cylindrical axis: one square root, but for a circle and a cylinder, which
meet in up to four points. The pair B is then settled: the second axis of the universal pair by one more square root,
slide and angle of the cylindrical pair directly.

Which link is the known one does not matter: the kernel works in the frame of X, wherever X is. In an arrangement
where X is unknown it is *held* at zero coordinates of its joint to the first known body, the kernel gives the joint
coordinates, and the bodies are placed by them.

Source: docs/closed-forms.md; the C.P.S and U.R.S groups are those of
Celdran, Saura, Dopico 2022, sections 3.4 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import Expr
from symgen.derive.blocks.meeting_axes import universal_axis
from symgen.derive.blocks.quadratic import circle_meets_sphere, line_meets_cylinder, line_meets_sphere
from symgen.derive.blocks.quartic import circle_meets_cylinder
from symgen.derive.blocks.spatial import (
    JointFreedom,
    Kind,
    Passage,
    SpatialMotion,
    acceleration_at,
    column,
    linear_triple,
    pass_acceleration,
    pass_velocity,
)
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector

SOURCE = "docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022"


@dataclass(frozen=True)
class BallRingFamily:
    """One multiset: pair A between X and Y, pair B between X and Z."""

    id: str
    a: str
    b: str
    title: str

    @property
    def modes(self) -> int:
        """Number of assembly modes over the complex numbers."""
        return 4 if self.a + self.b in ("RU", "PU", "RC") else 2

    def input_branch(self, d: Derivation, *, lost_by_stage: bool = False) -> tuple[Expr, ...]:
        """Declare the branch: signs of square roots, or the rank of a zero."""
        if self.a + self.b == "RC":
            text = "the angle of the revolute pair among the real solutions, ascending from -pi"
            return (d.input_rank(self.modes, text),)
        return d.input_branch(self.bits, lost_by_stage=lost_by_stage)

    @property
    def bits(self) -> tuple[tuple[str, str], ...]:
        """Signs of the square roots."""
        first = {
            "RU": "the distance to the universal centre growing with the angle of the revolute pair",
            "PU": "the larger slide of the prismatic pair",
            "PC": "the larger slide of the prismatic pair",
        }[self.a + self.b]
        if self.b == "C":
            return (("sigma_1", first),)
        return (("sigma_1", first), ("sigma_2", "v . (u x e) > 0: flip of the universal pair, e towards S"))


FAMILIES = (
    BallRingFamily("loop_rus", "R", "U", "{R,U,S} loop"),
    BallRingFamily("loop_pus", "P", "U", "{P,U,S} loop"),
    BallRingFamily("loop_pcs", "P", "C", "{P,C,S} loop"),
    BallRingFamily("loop_rcs", "R", "C", "{R,C,S} loop"),
)


def _unit_input(d: Derivation, name: str, meaning: str) -> Vector:
    vector = d.input_vector(name, 3, meaning=meaning, unit="1", range="unit")
    d.guard_unit(name, vector.dot(vector), name)
    return vector


def derive_kernel(family: BallRingFamily) -> Derivation:
    """Derive the loop on world elements, X known: A and B on moving bodies, S between the unknown ones."""
    d = Derivation(
        f"{family.id} kernel", level="kernel", title=f"{family.title}, joint elements in one frame", source=SOURCE
    )
    turns = family.a == "R"
    a = _unit_input(d, "a", "axis of the revolute pair" if turns else "direction of the prismatic pair")
    p = d.input_vector("p", 3, meaning="point of the revolute axis", unit="m") if turns else None
    y0 = d.input_vector("s0", 3, meaning="where the spherical centre lies at zero coordinate of that pair", unit="m")
    centre = "universal centre" if family.b == "U" else "point of the cylindrical axis"
    c = d.input_vector("c", 3, meaning=centre, unit="m")
    u = _unit_input(d, "u", "first axis of the universal pair" if family.b == "U" else "axis of the cylindrical pair")
    if family.b == "U":
        rho2 = d.input_scalar(
            "rho2", meaning="squared distance from the universal to the spherical centre", unit="m^2", range="> 0"
        )
        along = d.input_scalar("kappa", meaning="part of the line between them along the second axis", unit="m")
    else:
        rad2 = d.input_scalar(
            "rad2", meaning="squared distance of the spherical centre from the axis", unit="m^2", range="> 0"
        )
    ref = p if p is not None else y0
    at = "p" if turns else "s0"
    m1 = _moving(d, "1", ref, f"body that carries that pair, at {at}")
    m2 = _moving(d, "2", c, "body that carries the other pair, at c")
    signs = family.input_branch(d, lost_by_stage=family.b == "U")
    if turns and p is not None:
        turned = (
            circle_meets_sphere(d, a, p, y0, c, rho2, signs[0])
            if family.b == "U"
            else circle_meets_cylinder(d, a, p, y0, c, u, rad2, signs[0])
        )
        y, spread = turned.y, turned.spread
        d.output("y", y, meaning="spherical centre", unit="m")
        d.output("cos_q", turned.cosine, meaning="cosine of the angle of the revolute pair", unit="")
        d.output("sin_q", turned.sine, meaning="sine of the angle of the revolute pair", unit="")
    else:
        slid = (
            line_meets_sphere(d, a, y0, c, rho2, signs[0])
            if family.b == "U"
            else line_meets_cylinder(d, a, y0, c, u, rad2, signs[0])
        )
        y, spread = slid.y, slid.spread
        d.output("y", y, meaning="spherical centre", unit="m")
        d.output("slide", slid.slide, meaning="slide of the prismatic pair", unit="m", frame="joint")
    e = Vector(tuple(y)) - c
    rates = {}
    if family.b == "U":
        e = d.vector("e", e, "from the universal to the spherical centre", "m")
        v = universal_axis(d, u, e, rho2, along, signs[1], spread)
        d.output("v", v, meaning="second axis of the universal pair", unit="1")
        columns_b = (column("R", u, c, y), column("R", v, c, y))
    else:
        columns_b = (u, column("R", u, c, y))
    with d.part("geometry"):
        g1 = d.vector("g1", column("R" if turns else "P", a, ref, y), "how S moves with pair A", "m" if turns else "1")
        g2 = d.vector(
            "g2", columns_b[0], "how S moves with the first freedom of pair B", "m" if family.b == "U" else "1"
        )
        g3 = d.vector("g3", columns_b[1], "how S moves with the second freedom of pair B", "m")
    system = linear_triple(d, (g1, g2, g3), "the system of rates at S")
    with d.part("velocity"):
        dv = d.vector(
            "dv", m2.velocity_at(y) - m1.velocity_at(y), "velocity at which S would open at zero rates", "m/s"
        )
        x1, x2, x3 = system.solve(dv)
        rates["a"] = d.scalar("rate_a", x1, "rate of pair A", "rad/s" if turns else "m/s")
        rates["b1"] = d.scalar(
            "rate_b1", -x2, "rate of the first freedom of pair B", "rad/s" if family.b == "U" else "m/s"
        )
        rates["b2"] = d.scalar("rate_b2", -x3, "rate of the second freedom of pair B", "rad/s")
        pass_a, pass_b = _passages(family, a, ref, u, v if family.b == "U" else u, c, rates)
        v_s, omega_1 = pass_velocity(d, "s1", m1, pass_a, y)
        v_other, omega_2 = pass_velocity(d, "s2", m2, pass_b, y)
        d.output(
            "rates",
            (rates["a"], rates["b1"], rates["b2"]),
            meaning="rates of pair A and of both freedoms of pair B",
            unit="SI",
            frame="joint",
        )
        d.output("v_s", v_s, meaning="velocity of the spherical centre", unit="m/s")
        d.output("omega_s1", omega_1, meaning="angular velocity of the link from A to S", unit="rad/s")
        d.output("omega_s2", omega_2, meaning="angular velocity of the link from B to S", unit="rad/s")
    with d.part("acceleration"):
        b1 = pass_acceleration(d, "bias1", m1, pass_a, omega_1, accelerations=None)
        b2 = pass_acceleration(d, "bias2", m2, pass_b, omega_2, accelerations=None)
        s1 = acceleration_at(d, "open1", b1, y, "S on the link from A, at zero joint accelerations")
        s2 = acceleration_at(d, "open2", b2, y, "S on the link from B, at zero joint accelerations")
        da = d.vector("da", s2 - s1, "acceleration at which S would open", "m/s^2")
        x1, x2, x3 = system.solve(da)
        acc = (
            d.scalar("acc_a", x1, "acceleration of pair A", "rad/s^2" if turns else "m/s^2"),
            d.scalar(
                "acc_b1", -x2, "acceleration of the first freedom of pair B", "rad/s^2" if family.b == "U" else "m/s^2"
            ),
            d.scalar("acc_b2", -x3, "acceleration of the second freedom of pair B", "rad/s^2"),
        )
        a_y = d.vector("a_s", s1 + g1 * acc[0], "acceleration of the spherical centre", "m/s^2")
        alpha_1 = d.vector(
            "alpha_s1",
            b1.alpha + a * acc[0] if turns else b1.alpha,
            "angular acceleration of the link from A to S",
            "rad/s^2",
        )
        second = (v if family.b == "U" else u) * acc[2]
        alpha_2 = d.vector(
            "alpha_s2",
            b2.alpha + second + u * acc[1] if family.b == "U" else b2.alpha + second,
            "angular acceleration of the link from B to S",
            "rad/s^2",
        )
        d.output(
            "accelerations",
            acc,
            meaning="accelerations of pair A and of both freedoms of pair B",
            unit="SI",
            frame="joint",
        )
        d.output("a_s", a_y, meaning="acceleration of the spherical centre", unit="m/s^2")
        d.output("alpha_s1", alpha_1, meaning="angular acceleration of the link from A to S", unit="rad/s^2")
        d.output("alpha_s2", alpha_2, meaning="angular acceleration of the link from B to S", unit="rad/s^2")
    opened = [*(v_s - v_other), *(a_y - s2 - g2 * acc[1] - g3 * acc[2])]
    d.claim_zero("other_link", "the spherical centre moves alike on both links", opened)
    return d


def _moving(d: Derivation, k: str, ref: Vector, what: str) -> SpatialMotion:
    v = d.input_vector(f"v_{k}", 3, meaning=f"velocity of the {what}", unit="m/s")
    omega = d.input_vector(f"omega_{k}", 3, meaning=f"angular velocity of the {what}", unit="rad/s")
    a = d.input_vector(f"a_{k}", 3, meaning=f"acceleration of the {what}", unit="m/s^2")
    alpha = d.input_vector(f"alpha_{k}", 3, meaning=f"angular acceleration of the {what}", unit="rad/s^2")
    return SpatialMotion(ref, v, omega, a, alpha)


def _passages(
    family: BallRingFamily, a: Vector, ref: Vector, u: Vector, v: Vector, c: Vector, rates: dict[str, Expr]
) -> tuple[Passage, Passage]:
    kind: Kind = "R" if family.a == "R" else "P"
    first = Passage("joint_a", ref, (JointFreedom(kind, a, rates["a"], None),))
    if family.b == "U":
        second = (JointFreedom("R", u, rates["b1"], None), JointFreedom("R", v, rates["b2"], None))
    else:
        second = (JointFreedom("P", u, rates["b1"], None), JointFreedom("R", u, rates["b2"], None))
    return first, Passage("joint_b", c, second)
