"""Why a group instance has no solution, in words: counts that do not match, links of length zero, out of reach."""

from __future__ import annotations

import numpy as np

from symgen.errors import MechanismError
from symgen.library.instance import GroupInstance
from symgen.library.manifest import Manifest
from symgen.model.pairs import PAIR_TYPES
from symgen.status import Status


def refuse_wrong_count(instance: GroupInstance) -> None:
    """Refuse a group whose joints do not determine its bodies: freedoms against constraints and driven freedoms.

    Raises
    ------
    MechanismError
        A body without a joint, or too few or too many constraints.
    """
    used = {body for joint in instance.joints for body in joint.bodies}
    for index, body in enumerate(instance.bodies):
        if body not in used:
            raise MechanismError(f"no joint holds the body {body}", file=instance.file, field=f"bodies[{index}]")
    each = 3 if instance.space == "planar" else 6
    freedoms = each * len(instance.bodies)
    units = sum(each - PAIR_TYPES[joint.type].grade + len(joint.driven) for joint in instance.joints)
    if units == freedoms or (units < freedoms and units + _idle_rods(instance) == freedoms):
        return
    many = len(instance.bodies) > 1
    lack = f"{freedoms - units} missing" if units < freedoms else f"{units - freedoms} too many"
    raise MechanismError(
        f"{len(instance.bodies)} {'bodies have' if many else 'body has'} {freedoms} freedoms, "
        f"joints and driven freedoms impose {units} constraints: {lack}",
        file=instance.file,
        field="joints",
    )


def _idle_rods(instance: GroupInstance) -> int:
    """Return how many unknown bodies hang on two undriven S joints only: each spins idly, which is no freedom left."""
    around = [[joint for joint in instance.joints if body in joint.bodies] for body in instance.bodies]
    return sum(len(joints) == 2 and all(j.type == "S" and not j.driven for j in joints) for joints in around)


def reason_of(status: Status, instance: GroupInstance, manifest: Manifest) -> str:
    """Return one sentence on why no branch has a solution."""
    if status is Status.NO_ASSEMBLY and status.name not in manifest.meanings:
        return "the bodies cannot reach each other: no branch has a real solution"
    if status is Status.BAD_INPUT and out_of_range(instance):
        return reason_of_range(instance)
    links = _zero_links(instance) if status in (Status.BAD_INPUT, Status.DEGENERATE) else []
    if links:
        return "; ".join(links)
    return f"the solver of this group reports: {manifest.meaning(status)}"


#: As LARGEST_INPUT of the generated code in double.
_LARGEST = 1e75


def reason_of_range(instance: GroupInstance) -> str:
    """Return the sentence on numbers that overflow."""
    return f"lengths and rates of {', '.join(out_of_range(instance))} are out of range: products of them overflow"


def out_of_range(instance: GroupInstance) -> list[str]:
    """Return known bodies and joints with a number that double cannot multiply four times."""
    given = {name: (body.pose, body.twist, body.acceleration) for name, body in instance.known.items()}
    rows = {**given, **instance.frames}
    for (joint, _), values in instance.drives.items():
        rows[joint] = (*rows[joint], values)
    return [name for name, arrays in rows.items() if any(np.abs(a).max() > _LARGEST for a in arrays if a is not None)]


def _zero_links(instance: GroupInstance) -> list[str]:
    """Return the unknown bodies on which two joint centres coincide; joints that slide have no such length."""
    cut = 2 if instance.space == "planar" else 3
    found = []
    for body in instance.bodies:
        held = [joint for joint in instance.joints if body in joint.bodies and joint.type in ("R", "U", "ER", "S")]
        for index, first in enumerate(held):
            for second in held[index + 1 :]:
                one, other = (instance.frames[joint.name][joint.bodies.index(body)][:cut] for joint in (first, second))
                if np.array_equal(one, other):
                    found.append(f"zero length between joints {first.name} and {second.name} of {body}")
    return found
