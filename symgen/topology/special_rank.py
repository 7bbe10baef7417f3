"""Test L3 for groups in declared sub-chains: axes at random, but parallel or concurrent as declared.

Rows of all constraints are taken, the redundant ones too; the group is regular if they have full rank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from symgen.model.nearest import list_names
from symgen.model.special import SpecialGeometry
from symgen.topology.elimination import eliminate
from symgen.topology.structure import Finding, Group, Structure
from symgen.topology.twists import (
    PRIME,
    Placement,
    Vector,
    annihilator,
    constraint_rows,
    cross_product,
    has_rows,
    slide,
    turn,
)

if TYPE_CHECKING:
    from symgen.model.mechanism import Joint


@dataclass
class Setting:
    """Random common geometry of one sub-chain: a point, a direction and two directions normal to it."""

    placement: Placement
    point: Vector = field(init=False)
    u: Vector = field(init=False)
    v: Vector = field(init=False)
    axis: Vector = field(init=False)

    def __post_init__(self) -> None:
        self.point, self.u, self.v = (self.placement.vector() for _ in range(3))
        self.axis = cross_product(self.u, self.v)

    def across(self) -> Vector:
        """Return a random direction normal to the axis."""
        a, b = self.placement.vector(2)
        return tuple((a * x + b * y) % PRIME for x, y in zip(self.u, self.v, strict=True))


def _planar(s: Setting, code: str) -> list[Vector]:
    point = s.placement.vector()
    if code == "R":
        return [turn(point, s.axis)]
    return [slide(s.across())] if code == "P" else [slide(s.u), slide(s.v), turn(point, s.axis)]


def _spherical(s: Setting, code: str) -> list[Vector]:
    count = {"R": 1, "U": 2, "ER": 2, "S": 3}[code]
    return [turn(s.point, s.placement.vector()) for _ in range(count)]


def _on_axis(point: Vector, axis: Vector, code: str, pitch: int) -> list[Vector]:
    spin = {"R": [turn(point, axis)], "H": [turn(point, axis, pitch)], "C": [turn(point, axis), slide(axis)]}
    return spin[code]


def _cylindrical(s: Setting, code: str) -> list[Vector]:
    return [slide(s.axis)] if code == "P" else _on_axis(s.point, s.axis, code, s.placement.number())


def _schoenflies(s: Setting, code: str) -> list[Vector]:
    if code == "P":
        return [slide(s.placement.vector())]
    if code == "PL":
        return _planar(s, code)
    return _on_axis(s.placement.vector(), s.axis, code, s.placement.number())


_TWISTS: dict[str, Callable[[Setting, str], list[Vector]]] = {
    "planar": _planar,
    "spherical": _spherical,
    "cylindrical": _cylindrical,
    "schoenflies": _schoenflies,
}
_KNOWN = {"R", "P", "H", "C", "U", "ER", "S", "PL", "FP"}


def judge_special(structure: Structure, specials: Sequence[SpecialGeometry]) -> list[Finding]:
    """Report groups in declared sub-chains whose constraints are dependent at every placement that is declared."""
    declared: dict[str, SpecialGeometry] = {}
    for special in reversed(specials):
        declared.update(dict.fromkeys(special.joints, special))
    known = {finding.bodies for finding in structure.diagnosis if finding.kind.startswith("singular")}
    joints = {joint.id: joint for joint in structure.mechanism.joints}
    leaders = {body: members[0] for members in structure.rigid for body in members}
    findings = []
    for group in structure.groups:
        pairs = [joints[pair.joint] for pair in (*group.external, *group.internal)]
        if not known & {group.bodies} and any((joint.multiple or joint.id) in declared for joint in pairs):
            finding = _judge(group, pairs, declared, leaders, structure.space)
            findings += [finding] if finding is not None else []
    return findings


def _judge(
    group: Group, pairs: list[Joint], declared: dict[str, SpecialGeometry], leaders: dict[str, str], space: str
) -> Finding | None:
    """Return the fault of a group; None too where nothing can be said (proportions, higher pairs, size)."""
    position = {body: number for number, body in enumerate(dict.fromkeys(leaders[body] for body in group.bodies))}
    if space == "planar":
        return None
    settings: dict[str, Setting] = {}
    placement = Placement(len(pairs))
    matrix: list[dict[int, int]] = []
    for joint in pairs:
        special = declared.get(joint.multiple or joint.id)
        if special is None or special.kind == "translational":
            if not has_rows(space, joint.type):
                return None
            rows = constraint_rows(space, joint.type, joint.driven, placement)
        elif special.kind in _TWISTS and joint.type in _KNOWN:
            setting = settings.setdefault(special.id, Setting(placement))
            twists = _TWISTS[special.kind](setting, joint.type)
            rows = [*annihilator(twists, 6), *(placement.vector(6) for _ in range(joint.driven))]
        else:
            return None
        matrix += [_spread(row, joint, position, leaders) for row in rows]
    echelon = eliminate(matrix, 6 * len(position))
    if echelon is None or not echelon.free:
        return None
    missing = len(echelon.free)
    moving = {c // 6 for motion in echelon.random_motions(1) for c in motion}
    names = tuple(body for body in group.bodies if position[leaders[body]] in moving)
    return Finding(
        "singular_rank",
        names,
        tuple(joint.id for joint in pairs),
        None,
        missing,
        f"group {group.number} counts right, but with the special geometry declared {missing} of its constraints "
        f"{'is' if missing == 1 else 'are'} lost: {list_names(names)} can still move. Choose other inputs",
    )


def _spread(row: Vector, joint: Joint, position: dict[str, int], leaders: dict[str, str]) -> dict[int, int]:
    entries: dict[int, int] = {}
    for body, sign in zip(joint.bodies, (-1, 1), strict=True):
        if leaders[body] in position:
            start = 6 * position[leaders[body]]
            entries.update((start + c, sign * x % PRIME) for c, x in enumerate(row) if x)
    return entries
