"""What is left out of beams at rest: that loads across them make them sag."""

from __future__ import annotations

import numpy as np

from symgen.poses import matrix
from symgen.vibrations.rest import Rest
from symgen.vibrations.system import VibratingSystem

#: Slopes [rad] whose squares change frequencies by less than a millionth.
_STRAIGHT = 1e-3


def sag_notes(system: VibratingSystem, rest: Rest) -> list[str]:
    """Return a sentence about the beam that would sag most, if any would.

    The slope is about M L/(2 EI), M the larger of the moments at its port and amid a pinned beam, q L^2/8.
    """
    found = []
    for k, element in enumerate(system.elements):
        beam = element.beam
        if beam is None:
            continue
        axis = matrix(element.pose[3:])[:, 0]
        moment = rest.ports[k][3:] - (axis @ rest.ports[k][3:]) * axis
        weight = beam.mass_per_length * np.cross(axis, system.mechanism.gravity)
        most = max(float(np.linalg.norm(moment)), float(np.linalg.norm(weight)) * beam.length**2 / 8.0)
        found.append((0.5 * most * beam.length / min(beam.bending), system.mechanism.bodies[element.body].id))
    far = [each for each in found if each[0] > _STRAIGHT]
    if not far:
        return []
    slope, name = max(far)
    others = f" (and {len(far) - 1} more, by less)" if len(far) > 1 else ""
    return [
        f"beam {name}{others} sags at rest by slopes of about {slope:.2g} rad. This is left out: beams are taken as "
        "straight at rest, and only loads along them count"
    ]
