"""Two-body spatial loops without a spherical pair that turn three times: {C,C,C}, {P,U,PL}, {R,C,PL}.

Followed from the first known body to the last, the joints turn about three axes and slide along three others. The first
and the last axis are placed with the known bodies, and the links fix the angles of the middle axis to both: a spherical
triangle with given sides, one square root. It settles all orientations; the slides then follow from a linear system.

In every arrangement the chain of joints is the same in this respect: whichever link is known, three turns lie between
the known bodies. The rates solve two systems of the same kind: the axes of the turns give angular rates and
accelerations, the directions of the slides give sliding rates and accelerations. For {C,C,C} both are one matrix.

Source: docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022.
"""

from __future__ import annotations

from symgen.derive.blocks.planar import give_condition
from symgen.derive.blocks.rotations import axis_system, guard_turns, middle_axis
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector

SOURCE = "docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022"

#: Signs of the square root: one bit.
BITS = (("sigma", "u2 . (u1 x u3) > 0: side on which the middle axis u2 lies of the plane of the outer ones"),)


#: Number of assembly modes over the complex numbers.
MODES = 2


def derive_turning_kernel(module_id: str, title: str) -> Derivation:
    """Derive the triangle of axes on world elements: u1 on one moving body, u3 on the other, u2 between two links."""
    title = f"{title}, the axes of its three turns"
    d = Derivation(f"{module_id} kernel", level="kernel", title=title, source=SOURCE)
    u1, u3 = _axis(d, "u1", "axis of the first turn"), _axis(d, "u3", "axis of the last turn")
    c12, c23 = (
        d.input_scalar(f"c_{k}", meaning=f"cosine of the angle between axes {k[0]} and {k[1]}", unit="", range="-1..1")
        for k in ("12", "23")
    )
    (omega_1, alpha_1), (omega_2, alpha_2) = _spinning(d, "1", "u1"), _spinning(d, "2", "u3")
    (sigma,) = d.input_branch(BITS)
    u2 = middle_axis(d, u1, u3, c12, c23, sigma)
    d.output("u2", u2, meaning="axis of the middle turn", unit="1")
    system = axis_system(d, "turn", (u1, u2, -u3), "axes of the turns", guard_turns)
    with d.part("velocity"):
        opening = d.vector("opening", omega_2 - omega_1, "angular velocity at which the loop would open", "rad/s")
        rates = tuple(
            d.scalar(f"rate_{k}", x, f"rate of turn {k}", "rad/s") for k, x in enumerate(system.solve(opening), 1)
        )
        d.output(
            "rates",
            rates,
            meaning="rates of the three turns; the third is that of the second link against its body",
            unit="rad/s",
            frame="joint",
        )
        turn_1 = d.vector("turn_1", u1 * rates[0], "angular velocity of the first turn", "rad/s")
        turn_3 = d.vector("turn_3", u3 * rates[2], "angular velocity of the last turn", "rad/s")
        omega_s1 = d.vector("omega_s1", omega_1 + turn_1, "angular velocity of the link from axis 1 to axis 2", "rad/s")
        omega_s2 = d.vector("omega_s2", omega_2 + turn_3, "angular velocity of the link from axis 3 to axis 2", "rad/s")
        d.output("omega_s1", omega_s1, meaning="angular velocity of the link from axis 1 to axis 2", unit="rad/s")
        d.output("omega_s2", omega_s2, meaning="angular velocity of the link from axis 3 to axis 2", unit="rad/s")
    with d.part("acceleration"):
        near = d.vector("near", alpha_1 + omega_1.cross(u1) * rates[0], "of link 1 at constant rates", "rad/s^2")
        far = d.vector("far", alpha_2 + omega_2.cross(u3) * rates[2], "of link 2 at constant rates", "rad/s^2")
        middle = d.vector("middle", omega_s1.cross(u2) * rates[1], "of link 2 against link 1 at these", "rad/s^2")
        opened = d.vector("opened", far - near - middle, "angular acceleration at which the loop would open", "rad/s^2")
        accelerations = tuple(
            d.scalar(f"acc_{k}", x, f"acceleration of turn {k}", "rad/s^2")
            for k, x in enumerate(system.solve(opened), 1)
        )
        d.output(
            "accelerations",
            accelerations,
            meaning="accelerations of the three turns",
            unit="rad/s^2",
            frame="joint",
        )
        for k, axis, base, grown in (("1", u1, near, accelerations[0]), ("2", u3, far, accelerations[2])):
            text = f"angular acceleration of the link from axis {'1' if k == '1' else '3'} to axis 2"
            d.output(
                f"alpha_s{k}",
                d.vector(f"alpha_s{k}", base + axis * grown, text, "rad/s^2"),
                meaning=text,
                unit="rad/s^2",
            )
    with d.part("condition"):
        give_condition(d, system.condition)
    turned = u2 * rates[1]
    d.claim_zero("links", "both links turn against each other about the middle axis", [*(omega_s2 - omega_s1 - turned)])
    return d


def _axis(d: Derivation, name: str, meaning: str) -> Vector:
    vector = d.input_vector(name, 3, meaning=meaning, unit="1", range="unit")
    d.guard_unit(name, vector.dot(vector), name)
    return vector


def _spinning(d: Derivation, k: str, axis: str) -> tuple[Vector, Vector]:
    omega = d.input_vector(f"omega_{k}", 3, meaning=f"angular velocity of the body that carries {axis}", unit="rad/s")
    alpha = d.input_vector(
        f"alpha_{k}", 3, meaning=f"angular acceleration of the body that carries {axis}", unit="rad/s^2"
    )
    return omega, alpha
