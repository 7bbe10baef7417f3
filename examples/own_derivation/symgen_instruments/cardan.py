"""Cardan (Hooke) joint between two shafts that meet at an angle: a formula with rates.

The pins of the two forks, each square to its shaft, are square to each other. With turns that are zero where the first
pin lies in the plane of the shafts:

    tan(out) = tan(angle)/cos(bend)        d out/d angle = cos(bend)/(1 - sin(bend)^2 cos(angle)^2)

Source: R. Hooke 1676; F. M. Dimentberg 1965; derived anew.
"""

from symgen.derivations import (
    ONE,
    TWO,
    ZERO,
    Derivation,
    ModuleDerivation,
    Status,
    Vector,
    atan2,
    cos,
    exactly,
    formula,
    sin,
)

SOURCE = "R. Hooke 1676; derived anew"


def derive() -> ModuleDerivation:
    """Derive turn, angular velocity and acceleration of the second shaft."""
    d = Derivation("Cardan joint", level="kernel", title="turn of the second shaft of a Cardan joint", source=SOURCE)
    angle = d.input_scalar(
        "angle", meaning="turn of the first shaft, 0 where its pin lies in the plane of both", unit="rad"
    )
    bend = d.input_scalar("bend", meaning="angle between the shafts", unit="rad", range="-1.5 .. 1.5")
    rate = d.input_scalar("rate", meaning="angular velocity of the first shaft", unit="rad/s")
    growth = d.input_scalar("growth", meaning="angular acceleration of the first shaft", unit="rad/s^2")

    c = d.scalar("c", cos(angle), "cosine of the turn")
    s = d.scalar("s", sin(angle), "sine of the turn")
    k = d.scalar("k", cos(bend), "cosine of the bend")
    d.guard(k, ">", exactly(0.05), Status.BAD_INPUT, "the shafts are bent by more than 87 degrees")
    x = d.scalar("x", c * k, "cosine of the second shaft's turn, scaled")
    out = d.scalar("out", atan2(s, x), "turn of the second shaft", "rad")
    d.output("out", out, meaning="turn of the second shaft, in [-pi, pi]", unit="rad", frame="shaft")

    with d.part("velocity"):
        n2 = d.scalar("n2", x * x + s * s, "squared length of the pin's image")
        i_n2 = d.scalar("i_n2", ONE / n2, "its reciprocal; it is at least cos(bend)^2")
        gain = d.scalar("gain", k * i_n2, "ratio of the angular velocities")
        turned = d.scalar("out_rate", gain * rate, "angular velocity of the second shaft", "rad/s")
        d.output("gain", gain, meaning="ratio of the angular velocities", unit="1", frame="shaft")
        d.output("out_rate", turned, meaning="angular velocity of the second shaft", unit="rad/s", frame="shaft")
    with d.part("acceleration"):
        bent = d.scalar("bent2", ONE - k * k, "squared sine of the bend")
        swing = d.scalar("swing", -(TWO * bent * s * c * i_n2), "how the ratio grows with the turn, for each ratio")
        second = d.scalar(
            "out_growth", gain * (growth + swing * rate * rate), "angular acceleration of the second shaft", "rad/s^2"
        )
        d.output(
            "out_growth", second, meaning="angular acceleration of the second shaft", unit="rad/s^2", frame="shaft"
        )

    # Shafts along z and along (sin bend, 0, cos bend). The first fork's pin is at `angle` from the plane of the shafts;
    # the second one's, n times as long, in the plane normal to its shaft.
    sine = d.scalar("sine", sin(bend), "sine of the bend, for the proof")
    shaft, pin = Vector((sine, ZERO, k)), Vector((c, s, ZERO))
    other = Vector((-s * k, x, s * sine))
    squares = {"s": ONE - c * c, "sine": ONE - k * k}
    d.claim_identity("cross", "the pins are square to each other, the second one to its shaft",
                     [other.dot(pin), other.dot(shaft)], squares=squares)  # fmt: skip
    d.claim_identity("image", "n2 is the squared length of the second pin", [other.dot(other) - n2], squares=squares)
    d.claim_identity("ratio", "Hooke: the ratio is cos(bend)/(1 - sin(bend)^2 cos(angle)^2)",
                     [gain * (ONE - sine * sine * c * c) - k], squares=squares)  # fmt: skip
    d.claim_zero("turn", "tan(out) = tan(angle)/cos(bend)", [s * cos(out) - x * sin(out)])
    d.claim_identity("rate", "(1 - sin(bend)^2 cos(angle)^2) d out/dt = cos(bend) d angle/dt",
                     [turned * (ONE - sine * sine * c * c) - k * rate], squares=squares)  # fmt: skip
    d.claim_identity("growth", "the derivative of that for time",
                     [second * (ONE - sine * sine * c * c) + TWO * sine * sine * c * s * rate * turned - k * growth],
                     squares=squares)  # fmt: skip
    return formula(d, id="cardan_joint")
