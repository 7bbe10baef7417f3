"""By what known bodies and joint frames are displaced to see what roundings of places do to a group.

The numbers of a known body are those of generated code, too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symgen.poses import Array, multiply

#: Numbers of a pose -> what is added to each, times the size for places, times how far: in no direction that a
#: mechanism is likely to have. Planar [x, y, phi], spatial [r, q].
ASIDE: dict[int, tuple[float, ...]] = {3: (0.61, 0.43, 0.37), 7: (0.61, 0.43, 0.67, 0.29, 0.41, 0.23, 0.31)}
#: Of these numbers, how many are places.
PLACES: dict[int, int] = {3: 2, 7: 3}
#: Fractions of the golden ratio and of its like in the plane spread evenly whatever their number is.
_SPREAD = 0.6180339887498949, 0.7548776662466927


def displaced_frames(
    frames: Mapping[str, tuple[Array, Array]], way: int, part: float, size: float
) -> dict[str, tuple[Array, Array]]:
    """Return joint frames, each displaced in a direction of its own by up to `part` of the size and in radians.

    Parameters
    ----------
    frames : joint -> frame on first and second body as ports hold it, (3,) or (7,).
    way : 0, 1: other directions.
    """
    found: dict[str, tuple[Array, Array]] = {}
    count = 0
    for joint, sides in frames.items():
        moved = []
        for frame in sides:
            numbers = 3 if len(frame) == 3 else 6
            steps = 2.0 * np.modf((count + np.arange(1, numbers + 1)) * _SPREAD[way])[0] - 1.0
            count += numbers
            if numbers == 3:
                moved.append(frame + part * steps * np.array([size, size, 1.0]))
                continue
            turn = np.concatenate([[1.0], 0.5 * part * steps[3:]])
            moved.append(np.concatenate([frame[:3] + part * size * steps[:3], multiply(frame[3:], turn)]))
        found[joint] = moved[0], moved[1]
    return found
