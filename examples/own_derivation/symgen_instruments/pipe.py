"""Liquid in a straight pipe without friction, swinging: an element of transfer matrices for pressure and flow.

Pressure p and flow q at frequency w, a quarter period apart, obey dp/dx = -w L q and dq/dx = w C p:

    p_root = cos(kappa) p - Z sin(kappa) q        q_root = sin(kappa)/Z p + cos(kappa) q

with the inertance L = rho/area, the capacitance C = area/(rho c^2), Z = sqrt(L/C) = rho c/area, kappa = w length/c.

Source: E. B. Wylie, V. L. Streeter, Fluid Transients in Systems, 1993, chapter 12, without friction.
"""

from symgen.derivations import ONE, Derivation, ModuleDerivation, cos, element, give_transfer_matrix, sin

SOURCE = "E. B. Wylie, V. L. Streeter 1993, chapter 12"


def derive() -> ModuleDerivation:
    """Derive the matrix from the tip end to the root end."""
    d = Derivation("pipe", level="kernel", title="transfer matrix of a liquid line", source=SOURCE)
    length = d.input_scalar("length", meaning="length of the pipe", unit="m")
    area = d.input_scalar("area", meaning="area of its bore", unit="m^2", range="> 0")
    density = d.input_scalar("density", meaning="density of the liquid", unit="kg/m^3", range="> 0")
    speed = d.input_scalar("speed", meaning="speed of sound in the filled pipe", unit="m/s", range="> 0")
    frequency = d.input_scalar("frequency", meaning="angular frequency", unit="rad/s")

    kappa = d.scalar("kappa", frequency * length / speed, "angle of the wave along the pipe", "rad")
    c = d.scalar("c", cos(kappa), "its cosine")
    s = d.scalar("s", sin(kappa), "its sine")
    z = d.scalar("z", density * speed / area, "characteristic impedance", "Pa s/m^3")
    y = d.scalar("y", ONE / z, "its reciprocal", "m^3/(Pa s)")
    state = (("p", "Pa"), ("q", "m^3/s"))
    give_transfer_matrix(d, state, [[c, -z * s], [y * s, c]], pairs=(("p", "q"),), squares={"s": ONE - c * c},
                         keep=("c", "z"))  # fmt: skip
    return element(d, id="liquid_line")
