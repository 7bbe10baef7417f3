"""Flexible beams of the file: a body with ``beam``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import Beam

MOST_MODES = 8
"""Assumed modes of one plane: they are made of twelve shapes, which give eight modes well."""


def read_beam(body: Mapping[str, Any], path: str, numbers: Numbers) -> Beam:
    """Return the beam that a body is.

    Parameters
    ----------
    body : the body's table; `path` is where it stands.
    """
    table = body["beam"]
    for key in ("mass", "com", "inertia"):
        if key in body:
            raise refuse(
                f"{path}.{key}",
                "a beam has its mass along its length; give beam.mass_per_length, or weld a rigid body to the beam",
            )
    where = f"{path}.beam"
    beam = Beam(
        length=_positive(numbers, table["length"], f"{where}.length"),
        mass_per_length=_positive(numbers, table["mass_per_length"], f"{where}.mass_per_length"),
        bending=_bending(table["bending"], f"{where}.bending", numbers),
        axial=_positive(numbers, table["axial"], f"{where}.axial") if "axial" in table else None,
        torsion=_positive(numbers, table["torsion"], f"{where}.torsion") if "torsion" in table else None,
        polar=_not_negative(numbers, table.get("polar", 0.0), f"{where}.polar"),
        modes=_modes(table.get("modes", 4), f"{where}.modes", numbers),
        end_shapes=_end_shapes(table["end_shapes"], f"{where}.end_shapes", numbers) if "end_shapes" in table else None,
        damping=_not_negative(numbers, table.get("damping", 0.0), f"{where}.damping"),
    )
    if beam.torsion is not None and beam.polar == 0.0 and numbers.space == "spatial":
        raise refuse(f"{where}.polar", "is missing: a beam with torsion needs a polar inertia per length [kg m]")
    return beam


def _bending(value: Any, path: str, numbers: Numbers) -> tuple[float, float]:
    """Return EI_y and EI_z; a planar mechanism may give the second alone."""
    if not isinstance(value, (list, tuple)):
        if numbers.space == "spatial":
            raise refuse(path, "must be a list, [EI_y, EI_z]; only planar mechanisms may give EI_z alone")
        value = [value, value]
    about_y, about_z = (_positive(numbers, each, f"{path}[{k}]") for k, each in enumerate(value))
    return about_y, about_z


def _positive(numbers: Numbers, value: Any, path: str) -> float:
    found = numbers.number(value, path)
    if not found > 0.0:
        raise refuse(path, f"must be positive, found {found:g}")
    return found


def _not_negative(numbers: Numbers, value: Any, path: str) -> float:
    found = numbers.number(value, path)
    if not found >= 0.0:
        raise refuse(path, f"must not be negative, found {found:g}")
    return found


def _modes(value: Any, path: str, numbers: Numbers) -> int:
    found = numbers.number(value, path)
    if found != int(found) or not 1 <= found <= MOST_MODES:
        raise refuse(path, f"must be a whole number from 1 to {MOST_MODES}, found {found:g}")
    return int(found)


def _end_shapes(value: Any, path: str, numbers: Numbers) -> int:
    found = numbers.number(value, path)
    if found not in (0, 1, 2):
        raise refuse(path, f"must be 0, 1 (of a force at the far end) or 2 (of a moment too), found {found:g}")
    return int(found)
