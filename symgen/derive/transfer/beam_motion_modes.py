"""What the modes of a bent beam have by themselves: inertia between two of them, elastic and damping forces, energies.

The second half of `beam_motion`: there the floating frame takes part, here it stays out, but for the moment that
sections with polar inertia exert on it as they twist.
"""

from __future__ import annotations

from symgen.algebra import Expr, derivative, name_of, ratio
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.ports import array_port, omega_port

SOURCE = "T. R. Kane, R. R. Ryan, A. K. Banerjee 1987; A. A. Shabana 2005, chapter 5; derived anew"


def _result(d: Derivation, name: str, value: Expr, what: str, unit: str) -> None:
    d.output(name, d.scalar(f"{name}_value", value, what, unit), meaning=what, unit=unit, frame="")


def pair() -> Derivation:
    """Derive the inertia between two modes at a mass point: the mixed derivative of its energy for their rates."""
    d = kernel("beam_mode_pair", "two modes at a mass point of a bent beam", SOURCE)
    mass = d.input_scalar("mass", meaning="mass of the point", unit="kg")
    one = d.input_vector("first", 3, meaning="displacement of the point per unit of one mode", unit="1")
    two = d.input_vector(
        "second", 3, meaning="displacement of the point per unit of the other mode, or of the same", unit="1"
    )
    between = mass * one.dot(two)
    _result(d, "between", between, "inertia between the modes", "kg")
    rates = array_port(d, "any_rates", 2, "any rates of the modes, for the proof", "m/s")
    speed = one * rates[0] + two * rates[1]
    energy = ratio(1, 2) * mass * speed.dot(speed)
    mixed = derivative(derivative(energy, name_of(rates[0])), name_of(rates[1]))
    d.claim_identity("energy", "mixed derivative of m v^2/2 with respect to the rates", [mixed - between], squares={})
    return d


def resistance() -> Derivation:
    """Derive what resists a mode, and what its twisting is to the frame."""
    d = kernel("beam_mode_force", "elasticity, damping and twist of one mode", SOURCE)
    stiffness = d.input_scalar("stiffness", meaning="square of the angular frequency, modal mass 1 kg", unit="N/m")
    damping = d.input_scalar("damping", meaning="of the mode", unit="N s/m")
    turning = d.input_scalar("turning", meaning="int polar phi ds of its twist", unit="kg m")
    along = d.input_vector("along", 3, meaning="the straight beam", unit="1", range="unit")
    value = d.input_scalar("value", meaning="coordinate of the mode", unit="m")
    rate = d.input_scalar("rate", meaning="its rate", unit="m/s")
    load = -(stiffness * value) - damping * rate
    spin = turning * rate
    results = Results(d)
    results.put("coupling", list(along * turning), "inertia between the mode and the frame's turning, m", "kg m")
    _result(d, "load", load, "generalised force on the mode", "N")
    _result(d, "spin", spin, "momentum of its twist along the beam", "kg m^2/s")
    omega = omega_port(d, whose="the frame")
    stored, lost = ratio(1, 2) * stiffness * value * value, ratio(1, 2) * damping * rate * rate
    forces = derivative(stored, name_of(value)) + derivative(lost, name_of(rate))
    d.claim_identity("load", "derivatives of elastic energy and of Rayleigh's dissipation", [load + forces], squares={})
    mixed = omega.dot(along) * turning * rate  # of int polar (omega along + phi rate)^2/2 ds, what has both
    gaps = [derivative(derivative(mixed, name_of(w)), name_of(rate)) - turning * a
            for w, a in zip(omega, along, strict=True)]  # fmt: skip
    gaps.append(mixed - omega.dot(along) * spin)
    d.claim_identity("twist", "the energy that turning frame and twisting mode share", gaps, squares={})
    return d


def energies() -> Derivation:
    """Derive the energies of one mode, those between two modes shared by halves."""
    d = kernel("beam_mode_energy", "energies of one mode of a bent beam", SOURCE)
    stiffness = d.input_scalar("stiffness", meaning="square of the angular frequency, modal mass 1 kg", unit="N/m")
    value = d.input_scalar("value", meaning="coordinate of the mode", unit="m")
    rate = d.input_scalar("rate", meaning="its rate", unit="m/s")
    momentum = d.input_scalar("momentum", meaning="sum over modes: inertia between both times rate", unit="kg m/s")
    kinetic, elastic = ratio(1, 2) * momentum * rate, ratio(1, 2) * stiffness * value * value
    _result(d, "kinetic", kinetic, "its part of the modes' kinetic energy", "J")
    _result(d, "elastic", elastic, "elastic energy", "J")
    force = stiffness * value
    d.claim_identity("elastic", "its force is k q", [derivative(elastic, name_of(value)) - force], squares={})
    d.claim_identity("kinetic", "half of rate times momentum", [kinetic + kinetic - momentum * rate], squares={})
    return d


def beam_mode_kernels() -> tuple[Derivation, ...]:
    """Derive the kernels of modes by themselves."""
    return pair(), resistance(), energies()
