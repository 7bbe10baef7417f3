"""Numbers of the linkages for the tools that do not read a mechanism file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

GRAVITY = np.array([0.0, -9.81, 0.0])
#: Moments of inertia of a rod of 1 m and 1 kg with a square section of 0.1 m [kg m^2].
SECTION_ALONG, SECTION_ACROSS = 0.1**2 / 6, (1.0 + 0.1**2) / 12


@dataclass(frozen=True)
class Ring:
    """Rods (name, start, end, axis of the joint at the start); the axis at the end of the last, which is held."""

    rods: tuple[tuple[str, np.ndarray, np.ndarray, np.ndarray], ...]
    last_axis: np.ndarray


def _bricard() -> Ring:
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    x, y, z = np.eye(3)
    names, axes = ("AB", "BC", "CD", "DE", "EF"), (y, z, x, y, z)
    return Ring(tuple(zip(names, corners[:-1], corners[1:], axes, strict=True)), x)


BRICARD = _bricard()
