"""Test L3 for groups in declared sub-chains: axes at random, but parallel or concurrent as declared.

Rows of all constraints are taken, the redundant ones too; the group is regular if they have full rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from symgen.model.nearest import list_names
from symgen.model.special import SpecialGeometry
from symgen.topology.rank.elimination import EFFORT, Echelon, eliminate
from symgen.topology.rank.generic import type_rows
from symgen.topology.rank.twists import (
    PRIME,
    RandomSource,
    Vector,
    annihilator,
    cross_product,
    has_rows,
    slide,
    turn,
)
from symgen.topology.structure import Finding, Group, Structure

if TYPE_CHECKING:
    from symgen.model.mechanism import Joint
    from symgen.model.pairs import Space


#: Pairs of grade 2 whose twists are known in a plane alone.
_CONTACTS = ("L", "EO", "EPI", "RP", "RD")


@dataclass
class CommonGeometry:
    """Random common geometry of one sub-chain: a point, a direction and two directions normal to it."""

    placement: RandomSource
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


def _planar(s: CommonGeometry, code: str) -> list[Vector]:
    point = s.placement.vector()
    if code == "R":
        return [turn(point, s.axis)]
    if code == "P":
        return [slide(s.across())]
    if code in _CONTACTS:  # along one line of action, as a pin in a slot or two teeth
        return [slide(s.across()), turn(point, s.axis)]
    return [slide(s.u), slide(s.v), turn(point, s.axis)]


def _spherical(s: CommonGeometry, code: str) -> list[Vector]:
    count = {"R": 1, "U": 2, "ER": 2, "S": 3}[code]
    return [turn(s.point, s.placement.vector()) for _ in range(count)]


def _on_axis(point: Vector, axis: Vector, code: str, pitch: int) -> list[Vector]:
    spin = {"R": [turn(point, axis)], "H": [turn(point, axis, pitch)], "C": [slide(axis), turn(point, axis)]}
    return spin[code]


def _cylindrical(s: CommonGeometry, code: str) -> list[Vector]:
    return [slide(s.axis)] if code == "P" else _on_axis(s.point, s.axis, code, s.placement.number())


def _schoenflies(s: CommonGeometry, code: str) -> list[Vector]:
    if code == "P":
        return [slide(s.placement.vector())]
    if code == "PL":
        return _planar(s, code)
    return _on_axis(s.placement.vector(), s.axis, code, s.placement.number())


_TWISTS: dict[str, Callable[[CommonGeometry, str], list[Vector]]] = {
    "planar": _planar,
    "spherical": _spherical,
    "cylindrical": _cylindrical,
    "schoenflies": _schoenflies,
}
#: Kinds of which the generic geometry is known; of others the counts decide alone.
JUDGED = (*_TWISTS, "translational")


def judge_special(structure: Structure, specials: Sequence[SpecialGeometry], effort: int = EFFORT) -> list[Finding]:
    """Report groups in declared sub-chains whose constraints are dependent at every placement that is declared.

    Groups of which that cannot be told are reported as unchecked: those with pair types of which only the count is
    known, and where the effort (products of entries) runs out. Proportions and parallelograms are not judged here.
    """
    declared = _by_joint(specials)
    leaders = {body: members[0] for members in structure.rigid for body in members}
    space: Space = "planar" if structure.space == "planar" else "spatial"
    findings = []
    for group, pairs in _judged(structure, declared):
        matrix = _rows(group, pairs, declared, leaders, space)
        if isinstance(matrix, str):
            findings.append(_unchecked(group, matrix))
            continue
        width = 3 if space == "planar" else 6
        echelon = eliminate(matrix, width * len({leaders[body] for body in group.bodies}), effort)
        if echelon is None:
            findings.append(_unchecked(group, "it is too large"))
        elif echelon.free:
            findings.append(_singular(group, pairs, echelon, leaders, space))
    return findings


def judged_bodies(structure: Structure, specials: Sequence[SpecialGeometry]) -> set[tuple[str, ...]]:
    """Return the bodies of each group that `judge_special` judges: what was not tested before is told there."""
    return {group.bodies for group, _ in _judged(structure, _by_joint(specials))}


def _by_joint(specials: Sequence[SpecialGeometry]) -> dict[str, SpecialGeometry]:
    declared: dict[str, SpecialGeometry] = {}
    for special in reversed(specials):
        declared.update(dict.fromkeys(special.joints, special))
    return declared


def _judged(structure: Structure, declared: Mapping[str, SpecialGeometry]) -> Iterator[tuple[Group, list[Joint]]]:
    """Yield the groups in declared sub-chains of which the generic geometry is known, with their pairs.

    Of others the counts decide; the finding of the declaration says so.
    """
    known = {finding.bodies for finding in structure.diagnosis if finding.kind.startswith("singular")}
    joints = {joint.id: joint for joint in structure.mechanism.joints}
    for group in structure.groups:
        pairs = [joints[pair.joint] for pair in (*group.external, *group.internal)]
        kinds = {declared[name].kind for joint in pairs if (name := joint.multiple or joint.id) in declared}
        if kinds and kinds.issubset(JUDGED) and group.bodies not in known:
            yield group, pairs


def _rows(
    group: Group, pairs: list[Joint], declared: dict[str, SpecialGeometry], leaders: dict[str, str], space: Space
) -> list[dict[int, int]] | str:
    """Return all constraints of a group at a random placement as declared; in words, why there are none."""
    position = _positions(group, leaders)
    settings: dict[str, CommonGeometry] = {}
    twists: dict[str, list[Vector]] = {}
    placement = RandomSource(len(pairs))
    matrix: list[dict[int, int]] = []
    multiples: dict[str, int] = {}
    for joint in pairs:
        name = joint.multiple or joint.id
        special = declared.get(name)
        in_plane = special is not None and special.kind == "planar" and joint.type in _CONTACTS
        if not in_plane and not has_rows(space, joint.type):
            return f"only the count is known of {joint.type} (joint {joint.id})"
        if special is None or special.kind == "translational":
            shared = None if joint.multiple is None else multiples.setdefault(joint.multiple, len(multiples))
            rows = type_rows(space, joint.type, joint.driven, _named(joint), placement, shared)
        else:
            setting = settings.setdefault(special.id, CommonGeometry(placement))
            if name not in twists:  # pairs of one joint share their axes
                twists[name] = _TWISTS[special.kind](setting, joint.type)
            named = _named(joint)
            free = twists[name]
            if named:  # of joints with named freedoms, which have a twist each
                free = [t for t, freedom in zip(free, joint.freedoms, strict=True) if freedom not in named]
            rows = annihilator(free, 6) + [placement.vector(6) for _ in range(0 if named else joint.driven)]
        matrix += [_spread(row, joint, position, leaders) for row in rows]
    return matrix


def _named(joint: Joint) -> tuple[str, ...]:
    """Return the driven freedoms if only some are driven and the file says which."""
    return (joint.driven_freedoms or ()) if joint.driven < joint.grade else ()


def _positions(group: Group, leaders: dict[str, str]) -> dict[str, int]:
    return {body: number for number, body in enumerate(dict.fromkeys(leaders[body] for body in group.bodies))}


def _unchecked(group: Group, why: str) -> Finding:
    words = (
        f"symgen did not test whether group {group.number} has full rank with the special geometry declared, because "
        f"{why}; its totals agree"
    )
    return Finding("unchecked", group.bodies, (), None, 0, words)


def _singular(group: Group, pairs: list[Joint], echelon: Echelon, leaders: dict[str, str], space: Space) -> Finding:
    missing, width = len(echelon.free), 3 if space == "planar" else 6
    position = _positions(group, leaders)
    moving = {c // width for motion in echelon.random_motions(1) for c in motion}
    names = tuple(body for body in group.bodies if position[leaders[body]] in moving)
    return Finding(
        "singular_rank",
        names,
        tuple(joint.id for joint in pairs),
        None,
        missing,
        f"group {group.number} has the right number of constraints, but with the special geometry declared {missing} "
        f"of them {'follows' if missing == 1 else 'follow'} from the others: {list_names(names)} can still move. "
        "Choose other inputs",
    )


def _spread(row: Vector, joint: Joint, position: dict[str, int], leaders: dict[str, str]) -> dict[int, int]:
    entries: dict[int, int] = {}
    for body, sign in zip(joint.bodies, (-1, 1), strict=True):
        if leaders[body] in position:
            start = len(row) * position[leaders[body]]
            entries.update((start + c, sign * x % PRIME) for c, x in enumerate(row) if x)
    return entries
