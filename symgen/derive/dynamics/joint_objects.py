"""Joints in the coordinates of the direct integration: residual, coordinate rows H and effort rows G of every pair.

H is the derivative of the residual for [r, q] of both bodies (7 columns each), carried forward through the steps of the
residual; G is the Jacobian for twists, as the rows of `symgen.derive.constraints` give it. They are one:

    G = H blkdiag(1, E^T/2)

for each body, as dq = E^T dtheta/2: the "effort" rows are a matrix product. Vectors are carried by q r q*, of degree
two in q, as the source has it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from symgen.algebra import HALF, ONE, ZERO, Expr
from symgen.derive.constraints.pairs import DRIVES, make_rows
from symgen.derive.constraints.rows import ConstraintRow, RowBuilder
from symgen.derive.constraints.sides import Side
from symgen.derive.derived_object import DerivedObject, ObjectDerivation
from symgen.derive.dynamics.differentiate import jacobian
from symgen.derive.dynamics.matrices import Matrix, skew
from symgen.derive.dynamics.rotation_objects import (
    AXES,
    gaps,
    orientation,
    plus,
    point_slope,
    rotated,
    world_rates,
)
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector, unit_vector

#: Joint types and driven freedoms of the model -> rows of `symgen.derive.constraints`. An F has none but when driven.
JOINTS: dict[str, str] = {
    **{pair: pair for pair in ("R", "P", "H", "C", "U", "S", "PL", "L", "W")},
    "ER": "U",
    "FP": "PL",
    **{f"driven_{name}": name for name in DRIVES["spatial"]},
}
#: Type -> driven freedom -> the driven row it adds. F has no rows but these.
DRIVEN_ROWS: dict[str, dict[str, str]] = {
    "R": {"angle": "turn_z"},
    "P": {"slide": "slide_z"},
    "H": {"angle": "turn_z"},
    "C": {"slide": "slide_z", "angle": "turn_z"},
    "U": {"angle1": "turn_z", "angle2": "turn_x"},
    "ER": {"angle1": "turn_z", "angle2": "turn_x"},
    "S": {"yaw": "turn_z", "pitch": "pitch", "roll": "turn_x"},
    "PL": {"x": "slide_x", "y": "slide_y", "angle": "turn_z"},
    "FP": {"x": "slide_x", "y": "slide_y", "angle": "turn_z"},
    "L": {"slide": "slide_x", "angle": "turn_z"},
    "F": {"x": "slide_x", "y": "slide_y", "z": "slide_z", "yaw": "turn_z", "pitch": "pitch", "roll": "turn_x"},
}
_EQUATION = "Eq. (43)-(49), (59)-(62); A. Mueller 2015, Eq. (6)"
_PARTS = ("x", "y", "z", "0", "1", "2", "3")


def joint_rows(joint: str) -> dict[str, DerivedObject]:
    """Derive residual "f", coordinate rows "H", effort rows "G" and "reaction" of a joint or driven freedom.

    A driven freedom has a "rate" too: its residual follows a law u(t) and has the derivative H xdot + rate, with
    rate = df/du du/dt.
    """
    driven = joint.startswith("driven_")
    what = f"driven freedom ({', '.join(driven_by(joint))})" if driven else f"pair {joint}"
    d = ObjectDerivation(joint, f"rows of a {what}", _EQUATION)
    first, second = _side(d, 1), _side(d, 2)
    made = RowBuilder(d, first, second)
    listed = _rows_of(d, made, joint)
    values = [
        d.scalar(f"residual_{k}", row.value, "residual: zero where the pair closes", row.unit)
        for k, row in enumerate(listed)
    ]
    effort = Matrix(tuple((*row.one, *row.two) for row in listed))
    names = [f"x{k}_{part}" for k in (1, 2) for part in _PARTS]
    rows = jacobian(d, values, names)
    d.claim_zero("effort", "G = H blkdiag(1, E^T/2, 1, E^T/2)", gaps(rows @ _turns(d), effort))
    objects = {
        "f": d.give_one_of(f"f_{joint}", "f", values, "m or 1"),
        "H": d.give_one_of(f"H_{joint}", "row", rows, "1, m or 1/m"),
        "G": d.give_one_of(f"G_{joint}", "effort", effort, "1 or m"),
    }
    if driven:
        slope = jacobian(d, values, ["u"], prefix="u")
        speed = d.input_scalar("ud", meaning="rate of the driven freedom", unit="m/s or rad/s")
        objects["rate"] = d.give_one_of(f"rate_{joint}", "rate", [row[0] * speed for row in slope], "m/s or 1/s")
    objects["reaction"] = _reaction(d, joint, made, listed)
    titles = {
        "f": f"residuals of a {what}",
        "H": f"coordinate rows of a {what}: derivatives of the residuals with respect to [r, q] of both bodies",
        "G": f"effort rows of a {what}: the same with respect to the twists of both bodies",
        "rate": f"rate of the residual of a {what} due to its law",
        "reaction": f"force and moment that a {what} exerts on the second body, from the multipliers",
    }
    return {kind: dataclasses.replace(each, title=titles[kind]) for kind, each in objects.items()}


def _rows_of(d: ObjectDerivation, made: RowBuilder, joint: str) -> tuple[ConstraintRow, ...]:
    """Return the rows of a joint; a W is an R that does not turn."""
    if joint == "W":
        return (*make_rows(d, made, "spatial", "R", rates=False).rows, made.turn("x", "y"))
    return make_rows(d, made, "spatial", JOINTS[joint], rates=False).rows


def _reaction(d: ObjectDerivation, joint: str, made: RowBuilder, listed: Sequence[ConstraintRow]) -> DerivedObject:
    """Derive what the first body exerts on the second, from the multipliers: G_2^T lambda about the joint centre.

    The joint centre is the origin of the joint frame on the second body.
    """
    names = [f"lambda_{k}" for k in range(len(listed))]
    factors = d.input_array("multipliers", names, meaning="multipliers of the rows", unit="N or N m")
    forces, moments, held = [], [], Vector((ZERO, ZERO, ZERO))
    for side in (1, 2):
        parts = [tuple((row.one if side == 1 else row.two)[k] for row in listed) for k in range(6)]
        loads = [sum((a * b for a, b in zip(part, factors, strict=True)), ZERO) for part in parts]
        place = made.first.place if side == 1 else made.second.place
        centre = d.vector(f"arm{side}", place - made.second.origin, f"from the joint centre to body {side}", "m")
        force = d.vector(f"force{side}", Vector(tuple(loads[:3])), f"force on body {side}", "N")
        moments.append(d.vector(f"moment{side}", Vector(tuple(loads[3:])) + centre.cross(force), "its moment", "N m"))
        forces.append(force)
    for row, factor in zip(listed, factors, strict=True):
        if row.value in made.apart.components:  # a point held along an axis of the world: bodies apart feel a couple
            held = held + Vector(tuple(row.two[:3])) * factor
    couple = moments[0] + moments[1] - made.apart.cross(held)
    claim = "on the first body it is opposite, but for gap x force of points that are held: none where the pair closes"
    d.claim_zero("balance", claim, gaps(forces[0] + forces[1], Vector((ZERO,) * 3)) + gaps(couple, Vector((ZERO,) * 3)))
    return d.give_one_of(f"reaction_{joint}", "wrench", [*forces[1], *moments[1]], "N, N m")


def driven_by(joint: str) -> tuple[str, ...]:
    """Return the freedoms, as "type.freedom", that a driven row holds."""
    row = joint.removeprefix("driven_")
    return tuple(f"{code}.{name}" for code, names in DRIVEN_ROWS.items() for name, kind in names.items() if kind == row)


def _side(d: ObjectDerivation, number: int) -> Side:
    """Declare coordinates x_k = [r, q] and joint frame of a body; return its side with vectors carried by q r q*."""
    values = d.input_array(
        f"x_{number}", [f"x{number}_{part}" for part in _PARTS], meaning=f"coordinates [r, q] of body {number}",
        unit="m, 1", range="q unit",
    )  # fmt: skip
    frame = d.input_array(
        f"frame_{number}", [f"f{number}_{part}" for part in _PARTS], meaning=f"joint frame on body {number}",
        unit="m, 1", frame=f"body {number}", range="q unit",
    )  # fmt: skip
    q, held = (Quaternion((v[3], v[4], v[5], v[6])) for v in (values, frame))
    place = Vector(values[:3])
    lever = d.vector(f"s{number}", rotated(q, Vector(frame[:3])), f"lever of the joint on body {number}", "m")
    origin = d.vector(f"o{number}", place + lever, f"origin of the joint frame on body {number}", "m")
    axes = {}
    for axis in AXES:
        local = d.vector(f"l{number}{axis}", held.axis(axis), f"{axis} axis of the joint frame in body {number}", "1")
        axes[axis] = d.vector(f"e{number}{axis}", rotated(q, local), f"{axis} axis of the joint on body {number}", "1")
    return Side(d, number, place, lever, origin, axes)


def _turns(d: ObjectDerivation) -> Matrix:
    """Return blkdiag(1, E^T/2, 1, E^T/2), 14 x 12: coordinate rates from twists."""
    rows: list[tuple[Expr, ...]] = []
    for body in (1, 2):
        q = Quaternion(tuple(d.promise(f"x{body}_{k}") for k in range(4)))  # type: ignore[arg-type]
        turning = world_rates(q).transposed * HALF
        before, after = (ZERO,) * (6 * (body - 1)), (ZERO,) * (6 * (2 - body))
        rows += [(*before, *unit_vector(axis), ZERO, ZERO, ZERO, *after) for axis in AXES]
        rows += [(*before, ZERO, ZERO, ZERO, *row, *after) for row in turning]
    return Matrix(tuple(rows))


def free_pair(kind: str) -> DerivedObject:
    """Give the rows of an F: none, with as many columns as others have."""
    columns = {"H": 14, "G": 12}[kind]
    d = ObjectDerivation(
        f"{kind}_F", f"{'coordinate' if kind == 'H' else 'effort'} rows of a free pair F: none", _EQUATION, kind
    )
    _side(d, 1)
    _side(d, 2)
    return d.give_empty((0, columns))


# -- rows of two bodies as the source writes them --------------------------------------------------------------------


def _bodies(d: ObjectDerivation, letter: str, unit: str, *, places: bool) -> list[tuple[Vector, Quaternion, Vector]]:
    found = []
    for k in (1, 2):
        place = Vector((ZERO, ZERO, ZERO))
        if places:
            place = d.input_vector(f"x_{k}", 3, meaning=f"origin of body {k}", unit="m")
        q = orientation(d, f"q_{k}", f"orientation of body {k}")
        found.append(
            (place, q, d.input_vector(f"{letter}_{k}", 3, meaning=f"fixed in body {k}", unit=unit, frame="body"))
        )
    return found


def coincidence(name: str) -> DerivedObject:
    """Derive f_s (two points coincide) or f_v (two vectors are the same)."""
    point = name == "f_s"
    d = ObjectDerivation(name, "two points coincide" if point else "two vectors are the same",
                         "Eq. (71), (79)" if point else "Eq. (80)", name)  # fmt: skip
    (x_1, q_1, r_1), (x_2, q_2, r_2) = _bodies(d, "r" if point else "v", "m" if point else "1", places=point)
    found = x_1 + rotated(q_1, r_1) - x_2 - rotated(q_2, r_2)
    steps = d.vector("apart", found, "from the second to the first", "m" if point else "1")
    for k, (q, r, sign) in enumerate(((q_1, r_1, 1), (q_2, r_2, -1)), start=1):
        slope = jacobian(d, steps.components, [f"q_{k}_{i}" for i in range(4)], prefix=f"d{k}_")
        claim = f"its derivative with respect to the orientation of body {k} is {'' if sign > 0 else '-'}S_p"
        d.claim_identity(f"slope_{k}", claim, gaps(slope, point_slope(q, r) * sign), squares={})
    return d.give(steps, "m" if point else "1")


def constant_term(name: str) -> DerivedObject:
    """Derive b_s or b_v: the right side of the linearised row, row x = b."""
    point = name == "b_s"
    d = ObjectDerivation(name, f"right side of the linearised {'points' if point else 'vectors'}",
                         "Eq. (73)" if point else "Eq. (81)", name)  # fmt: skip
    (_, q_1, r_1), (_, q_2, r_2) = _bodies(d, "r" if point else "v", "m" if point else "1", places=False)
    found = rotated(q_1, r_1) - rotated(q_2, r_2)
    rows = [Vector(point_slope(q, r).times(q.components)) - rotated(q, r) for q, r in ((q_1, r_1), (q_2, r_2))]
    claim = "it is S_p q - R r of the first minus that of the second, S_p q being 2 R r"
    d.claim_identity("homogeneous", claim, gaps(found, rows[0] - rows[1]), squares={})
    return d.give(found, "m" if point else "1")


def linearised_points() -> DerivedObject:
    """Derive the linearised coincidence of two points, before its constant term."""
    d = ObjectDerivation("f_s_linearised", "row of two points, linearised at q_1, q_2, at other coordinates",
                         "Eq. (72)", "f_s")  # fmt: skip
    (_, q_1, r_1), (_, q_2, r_2) = _bodies(d, "r", "m", places=False)
    sides = []
    for k, (q, r) in enumerate(((q_1, r_1), (q_2, r_2)), start=1):
        place = d.input_vector(f"x_{k}_next", 3, meaning=f"origin of body {k}, unknown", unit="m")
        turned = d.input_array(f"q_{k}_next", [f"q_{k}_next_{i}" for i in range(4)],
                               meaning=f"orientation of body {k}, unknown", unit="1")  # fmt: skip
        sides.append(place + Vector(point_slope(q, r).times(turned)) - rotated(q, r))
    found = sides[0] - sides[1]
    after = [Quaternion(tuple(d.promise(f"q_{k}_next_{i}") for i in range(4))) for k in (1, 2)]  # type: ignore[arg-type]
    places = [Vector(tuple(d.promise(f"x_{k}_next_{a}") for a in AXES)) for k in (1, 2)]
    exact = places[0] + rotated(after[0], r_1) - places[1] - rotated(after[1], r_2)
    rest = rotated(plus(after[0], q_1, -1), r_1) - rotated(plus(after[1], q_2, -1), r_2)
    claim = "the neglected part is of second order: R(q_next - q) r of both bodies"
    d.claim_identity("remainder", claim, gaps(exact - found, rest), squares={})
    return d.give(found, "m")


def effort_of_point() -> DerivedObject:
    """Derive the effort rows of a point: [1, -(R r)^]."""
    d = ObjectDerivation("G_s", "effort rows of a point fixed in a body", "Eq. (75)", "G_s")
    q = orientation(d)
    r = d.input_vector("r", 3, meaning="point fixed in the body", unit="m", frame="body")
    turned = skew(rotated(q, r)) * -1
    product = point_slope(q, r) @ world_rates(q).transposed * HALF
    d.claim_identity("product", "the second block is S_p E^T/2", gaps(turned, product), squares={})
    unit = [tuple(ONE if i == j else ZERO for j in range(3)) for i in range(3)]
    return d.give(Matrix(tuple((*unit[i], *turned.rows[i]) for i in range(3))), "1 or m")
