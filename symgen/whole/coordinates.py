"""Joint coordinates of the mechanism from those of a group's arrangement: turned joints, planes read from behind."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.algebra import Expr, cos, number, sin
from symgen.derive.vectors import Vector
from symgen.library.fit import FittedJoint
from symgen.whole.steps import Steps

Triple = tuple[Expr, ...]


def slot_coordinates(
    steps: Steps, prefix: str, fitted: FittedJoint, pool: Mapping[str, tuple[Expr, ...]]
) -> dict[str, Triple]:
    """Return freedom -> value, and rate and acceleration where the group gave them, under the mechanism's names.

    A spherical pair has none: the solvers leave its orientation free of coordinates.
    """
    slot = fitted.slot
    if slot.type == "S":
        return {}
    ports = [pool[p] for p in (f"{order}_{slot.name}" for order in ("q", "qd", "qdd")) if p in pool]
    found = {freedom: tuple(port[k] for port in ports) for k, freedom in enumerate(slot.freedoms)}
    if not fitted.turned:
        return found
    if slot.type == "PL":
        return _turned_plane(steps, f"{prefix}_{slot.name}", found)
    turned: dict[str, Triple] = {}
    for freedom, triple in found.items():
        name = f"{prefix}_{slot.name}_{freedom}_back"
        names = [f"{name}_{order}" for order in range(len(triple))]
        comment = f"{freedom} of the joint, written the other way round"
        turned[fitted.freedom(freedom)] = steps.lets(name, names, [-value for value in triple], comment, {})
    return turned


def _turned_plane(steps: Steps, name: str, found: Mapping[str, Triple]) -> dict[str, Triple]:
    """Return the coordinates of a planar pair with its bodies exchanged (`symgen.library.joint_coordinates`)."""
    c = steps.let(f"{name}_cb", cos(found["angle"][0]), "cosine of the angle of the planar pair")
    s = steps.let(f"{name}_sb", sin(found["angle"][0]), "sine of the angle of the planar pair")
    place = [Vector((x, y)) for x, y in zip(found["x"], found["y"], strict=True)]
    moved = [place[0]]
    if len(place) == 3:
        _, rate, growth = found["angle"]
        moved.append(place[1] - place[0].turned() * rate)
        coriolis = place[1].turned() * (number(2) * rate)
        moved.append(place[2] - coriolis - place[0].turned() * growth - place[0] * (rate * rate))
    comment = "coordinates of the planar pair, written the other way round"
    rows = []
    for order, vector in enumerate(moved):
        back = vector.turned() * s - vector * c
        rows.append(steps.lets(f"{name}_b{order}", [f"{name}_b{order}_{a}" for a in "xy"], tuple(back), comment, {}))
    names = [f"{name}_ba{order}" for order in range(len(moved))]
    angle = steps.lets(f"{name}_ba", names, [-value for value in found["angle"]], comment, {})
    return {"x": tuple(row[0] for row in rows), "y": tuple(row[1] for row in rows), "angle": angle}
