"""Numbers of a mechanism file that are too large to be computed with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism

#: Products of some such numbers are still finite.
LARGEST = 1e60


def check_sizes(mechanism: Mechanism) -> None:
    """Refuse numbers whose products would overflow, before anything is computed.

    Raises
    ------
    MechanismError
        Names file and field.
    """
    for field, values in _numbers(mechanism):
        size = float(np.abs(np.asarray(values, dtype=np.float64)).max(initial=0.0))
        if not size <= LARGEST:
            raise MechanismError(
                f"{size:g} is too large to be computed with; {LARGEST:g} at most", file=mechanism.file, field=field
            )


def _numbers(mechanism: Mechanism) -> Iterator[tuple[str, ArrayLike]]:
    yield "gravity", mechanism.gravity
    for body in mechanism.bodies:
        for name in ("mass", "com", "inertia"):
            value = getattr(body, name)
            if value is not None:
                yield f"bodies.{body.id}.{name}", value
        yield f"bodies.{body.id}.pose", body.pose.r
    for joint in mechanism.initial.joints:
        yield f"initial.joints.{joint.joint}", list(joint.coordinates.values())
        yield f"initial.joints.{joint.joint}", list(joint.rates.values())
    for given in mechanism.initial.bodies:
        for name in ("v", "omega"):
            value = getattr(given, name)
            if value is not None:
                yield f"initial.bodies.{given.body}.{name}", value
