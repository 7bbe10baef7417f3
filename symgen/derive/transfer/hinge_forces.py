"""Forces in hinges: springs, dampers, actuators; hinges that are driven; what an actuator has to give."""

from __future__ import annotations

from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.ports import SOURCE, array_port, counted, matrix_port, put_scalar, swapped

_H = "m or 1 per unit of the coordinate"


def force() -> Derivation:
    """Derive the force of spring, damper and actuator along one coordinate, on the outboard side."""
    d = kernel("hinge_force", "force of spring, damper and actuator along a coordinate", SOURCE)
    load, stiffness, damping, value, rest, rate = (
        d.input_scalar(name, meaning=meaning, unit=unit)
        for name, meaning, unit in (
            ("load", "force or moment of the actuator on the outboard side", "N or N m"),
            ("stiffness", "stiffness of the spring", "N/m or N m/rad"),
            ("damping", "damping coefficient", "N s/m or N m s/rad"),
            ("coordinate", "coordinate, of the outboard side relative to the inboard side", "m or rad"),
            ("rest", "coordinate at which the spring is free of force", "m or rad"),
            ("rate", "rate of the coordinate", "m/s or rad/s"),
        )
    )
    tau = load - stiffness * (value - rest) - damping * rate
    put_scalar(Results(d), "tau", tau, "tau of H^T P w_O = tau", "N or N m")
    return d


def driven(freedoms: int) -> Derivation:
    """Derive eta of a hinge whose columns h follow laws: they leave H, their accelerations enter eta."""
    d = kernel(f"hinge_driven_{freedoms}", f"eta of a hinge with {counted(freedoms, 'driven coordinate')}", SOURCE)
    h = matrix_port(d, "h", (6, freedoms), "columns of the driven coordinates, rows [rdd wd]", _H)
    second = array_port(d, "qdd", freedoms, "their accelerations by the laws", "m/s^2 or rad/s^2")
    eta = array_port(d, "eta", 6, "eta of the hinge, all coordinates free, [rdd wd]", "m/s^2, rad/s^2")
    found = [a + b for a, b in zip(h.times(second), eta, strict=True)]
    Results(d).put("eta_out", found, "eta with these coordinates driven, [rdd wd]", "m/s^2, rad/s^2")
    return d


def effort(freedoms: int) -> Derivation:
    """Derive the hinge force from the wrench: what an actuator gives along driven coordinates."""
    d = kernel(f"hinge_effort_{freedoms}", f"force along {counted(freedoms, 'coordinate')}, H^T P w_O", SOURCE)
    h = matrix_port(d, "h", (6, freedoms), "columns of the coordinates, rows [rdd wd]", _H)
    w = array_port(d, "w", 6, "wrench at the outboard port, [m q]", "N m, N")
    Results(d).put("tau", h.transposed.times(swapped(w)), "force along each coordinate", "N or N m")
    return d
