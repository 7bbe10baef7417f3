"""Idle rotations taken away: a body hung on two S joints gets a U in the place of the second."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from symgen.model.mechanism import Mechanism
from symgen.model.parameters import Numbers
from symgen.model.quaternions import Vector3, cross, difference, direction, perpendicular


def fix_idle_rotations(mechanism: Mechanism) -> tuple[Mechanism, tuple[str, ...]]:
    """Return the mechanism with U for one S of every body that hangs on two undriven S joints, and their ids.

    The other motions are not touched: the rotation about the line of the two centres moves no other body. Of the two
    joints the one later in the file is changed, unless a body before needs it as it is. Where both stand in the world
    (`at`), the axes of the U are normal to the line, so that it stops just this rotation; otherwise the U has no axes
    yet.
    """
    changed: dict[str, dict[str, Any]] = {}
    table: Mapping[str, Any] = mechanism.source.get("joints", {})
    numbers = Numbers(mechanism.parameters, mechanism.space)
    for body in mechanism.body_ids[1:]:
        around = [joint for joint in mechanism.joints if body in joint.bodies and joint.grade - joint.driven < 6]
        balls = [joint for joint in around if joint.type == "S" and not joint.driven and joint.multiple is None]
        if len(around) != 2 or len(balls) != 2 or any(joint.id in changed for joint in balls):
            continue
        entries = [table[joint.id] for joint in balls]
        made = {key: value for key, value in entries[1].items() if key in ("bodies", "at")}
        made["type"] = "U"
        if all("at" in entry for entry in entries):
            ends = [numbers.vector(entry["at"], "at") for entry in entries]
            made.update(_axes(difference(ends[1], ends[0])))
        changed[balls[1].id] = made
    if not changed:
        return mechanism, ()
    tree = {**mechanism.source, "joints": {name: changed.get(name, entry) for name, entry in table.items()}}
    return Mechanism.from_dict(tree, mechanism.file), tuple(name for name in table if name in changed)


def _axes(line: Vector3) -> dict[str, list[float]]:
    if not math.hypot(*line):
        return {}
    along = direction(line)
    first = perpendicular(along)
    return {"axis": list(first), "axis2": list(cross(along, first))}
