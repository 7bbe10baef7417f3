"""Numbers so large that a motion could not be computed with them are refused before anything overflows."""

from __future__ import annotations

from collections.abc import Iterator

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parameters import LARGEST
from symgen.solve.turns import ANGLES

#: Angle [rad] beyond which the rounding of a double is no longer next to nothing of a turn.
_LARGEST_ANGLE = 1e9


def check_magnitudes(mechanism: Mechanism) -> None:
    """Refuse numbers of bodies, gravity and the initial state that are too large to be computed with.

    Raises
    ------
    MechanismError
        Names the field.
    """
    for field, value in _magnitudes(mechanism):
        if not abs(value) <= LARGEST:
            raise MechanismError(
                f"found {value:g}: above {LARGEST:g}, too large to compute with", file=mechanism.file, field=field
            )
    for each in mechanism.initial.joints:
        for freedom, value in each.coordinates.items():
            if freedom in ANGLES and not abs(value) <= _LARGEST_ANGLE:
                raise MechanismError(
                    f"found {value:g} rad: after so many turns rounding is visible; allowed is at most "
                    f"{_LARGEST_ANGLE:g} rad; leave whole turns out",
                    file=mechanism.file,
                    field=f"initial.joints.{each.joint}.{freedom}",
                )


def _magnitudes(mechanism: Mechanism) -> Iterator[tuple[str, float]]:
    yield from (("gravity", value) for value in mechanism.gravity)
    for part in mechanism.bodies:
        yield f"bodies.{part.id}.mass", part.mass or 0.0
        yield from ((f"bodies.{part.id}.com", value) for value in part.com or ())
        yield from ((f"bodies.{part.id}.inertia", value) for value in part.inertia or ())
        yield from ((f"bodies.{part.id}.pose", value) for value in part.pose.r)
    for each in mechanism.initial.joints:
        for values, what in ((each.coordinates, ""), (each.rates, "rate.")):
            for freedom, value in values.items():
                if what or freedom not in ANGLES:
                    yield f"initial.joints.{each.joint}.{what}{freedom}", value
    for body in mechanism.initial.bodies:
        for name, vector in (("v", body.v), ("omega", body.omega)):
            yield from ((f"initial.bodies.{body.body}.{name}", value) for value in vector or ())
