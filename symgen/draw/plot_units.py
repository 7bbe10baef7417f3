"""Units of the columns of a motion, by which a plot is split into panels."""

from __future__ import annotations

from symgen.solve.trajectory import Trajectory

_ENDINGS = (("", ""), (".rate", "/s"), (".acc", "/s^2"))
_POINT = (("", "m"), ("v", "m/s"), ("a", "m/s^2"))
_BODY = (*_POINT, ("w", "rad/s"), ("al", "rad/s^2"))
#: Freedoms that are lengths; all others are angles.
_LENGTHS = frozenset({"slide", "x", "y", "z"})
#: How coordinates of beams' modes begin, which are lengths too.
_MODES = ("bend_", "stretch", "twist")


def column_units(result: Trajectory) -> dict[str, str]:
    """Return the unit of each column that `symgen.solve.columns.columns` names, the time left out; "1" for a q."""
    units: dict[str, str] = {}
    for name in result.points:
        units |= {f"{name}.{part}{axis}": unit for part, unit in _POINT for axis in "xyz"}
    for name in result.bodies:
        units |= {f"{name}.{part}{axis}": unit for part, unit in _BODY for axis in "xyz"}
        units |= {f"{name}.q{k}": "1" for k in range(4)}
        if result.mechanism.space == "planar":
            units[f"{name}.phi"] = "rad"
    for name, joint in result.joints.items():
        for freedom in joint.coordinates:
            base = "m" if freedom in _LENGTHS or freedom.startswith(_MODES) else "rad"
            units |= {f"{name}.{freedom}{ending}": base + per for ending, per in _ENDINGS}
    units |= {name: quantity.unit for name, quantity in result.quantities.items()}
    return units
