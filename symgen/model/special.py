"""Special geometry a file declares: a sub-chain whose joints are placed so that some constraints say nothing new.

Motions that stay in a subgroup of the displacement group (Herve, 1978) need d instead of B numbers: a loop of
revolute joints with parallel axes in space closes by d = 3 equations, the other B - d of its constraints follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symgen.errors import MechanismError
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import WELD
from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import Joint, MultipleJoint
from symgen.model.shapes import Problems, below


@dataclass(frozen=True)
class Subgroup:
    """A kind of sub-chain: dimension of its motions, the pair types it may have, what its geometry must be."""

    dimension: int
    types: tuple[str, ...]
    condition: str


SUBGROUPS: dict[str, Subgroup] = {
    "planar": Subgroup(
        3,
        ("R", "P", "PL", "FP", "L", "EO", "EPI", "RP", "RD"),
        "axes of R and normals of PL parallel, P normal to them",
    ),
    "spherical": Subgroup(3, ("R", "U", "ER", "S"), "all axes and centres in one point"),
    "translational": Subgroup(3, ("P",), "P alone, in any directions"),
    "cylindrical": Subgroup(2, ("R", "P", "H", "C"), "all axes on one line, P parallel to it"),
    "schoenflies": Subgroup(4, ("R", "P", "H", "C", "PL"), "axes of R, H, C, normals of PL parallel, P free"),
}
"""Subgroups of the motions in space; in the plane only ``translational``, of dimension 2, says something."""

KINDS = (*SUBGROUPS, "parallelogram", "proportions")


@dataclass(frozen=True)
class SpecialGeometry:
    """One declaration.

    Parameters
    ----------
    id : its name.
    kind : one of `KINDS`.
    joints : ids of its joints, each once, multiple joints by their own id.
    dimension : of the subgroup its motions stay in; None for ``proportions`` (and a parallelogram in the plane).
    redundant : constraints that follow from the others beyond those of the subgroup.
    """

    id: str
    kind: str
    joints: tuple[str, ...]
    dimension: int | None
    redundant: int = 0


Declared = Joint | MultipleJoint


def read_special(
    table: Mapping[str, Any], joints: Mapping[str, Declared], numbers: Numbers, problems: Problems
) -> tuple[SpecialGeometry, ...]:
    """Return the declarations in file order; problems are noted one by one.

    Parameters
    ----------
    joints : as declared, by id, multiple joints among them.
    """
    found: list[SpecialGeometry] = []
    taken: dict[str, str] = {}
    leaders = _welded(joints.values())
    for name, entry in table.items():
        path = below("special", name)
        try:
            names = _read_names(entry, joints, path)
            _check_together(names, joints, leaders, path)
            special = _read(name, entry, names, joints, numbers, path)
            if _loops(names, joints, leaders) < 1:
                raise refuse(
                    path,
                    f"joints {list_names(names)} close no loop, so none of their constraints follows from the others; "
                    "add the joints that close one, or remove this entry",
                )
            if special.dimension is not None:
                for joint in names:
                    other = taken.setdefault(joint, name)
                    if other != name:
                        what = f"joint {show(joint)} belongs to special.{other[:60]} already"
                        raise refuse(path, f"{what}; its constraints cannot be left out twice; merge the two")
            found.append(special)
        except MechanismError as error:
            problems.keep(error)
    for special in found:
        try:
            _check_redundant(special, found, joints, leaders, 6 if numbers.space == "spatial" else 3)
        except MechanismError as error:
            problems.keep(error)
    return tuple(found)


def _welded(joints: Iterable[Declared]) -> dict[str, str]:
    """Return for each body one that stands for it and all that welds hold to it."""
    leaders = {body: body for joint in joints for body in joint.bodies}

    def find(body: str) -> str:
        while leaders[body] != body:
            leaders[body] = body = leaders[leaders[body]]
        return body

    for joint in joints:
        if joint.type == WELD.code:
            for body in joint.bodies[1:]:
                leaders[find(body)] = find(joint.bodies[0])
    return {body: find(body) for body in leaders}


def _loops(names: Sequence[str], joints: Mapping[str, Declared], leaders: Mapping[str, str]) -> int:
    """Return the number of independent loops that joints which hang together close."""
    ends = [{leaders[body] for body in joints[name].bodies} for name in names]
    return sum(len(bodies) - 1 for bodies in ends) - len(set().union(*ends)) + 1


def _check_together(
    names: Sequence[str], joints: Mapping[str, Declared], leaders: Mapping[str, str], path: str
) -> None:
    if len(names) < 2:
        raise refuse(path, "names fewer than two joints; a sub-chain has at least two")
    _check_connected([tuple(leaders[body] for body in joints[name].bodies) for name in names], path)


def _check_redundant(
    special: SpecialGeometry,
    others: Iterable[SpecialGeometry],
    joints: Mapping[str, Declared],
    leaders: Mapping[str, str],
    freedoms: int,
) -> None:
    """Refuse more redundant constraints than the loop equations can lose: their rank is that of a joint at least."""
    if special.kind != "proportions":
        return
    inside = set(special.joints)
    kept = min(
        (each.dimension for each in others if each.dimension is not None and inside <= set(each.joints)),
        default=freedoms,
    )
    loops = _loops(special.joints, joints, leaders)
    least = min(joints[name].pair.grade for name in special.joints if joints[name].type != WELD.code)
    most = loops * kept - least
    if special.redundant > most:
        raise refuse(
            f"{below('special', special.id)}.redundant",
            f"{special.redundant} constraints cannot follow from others: these joints close "
            f"{'1 loop' if loops == 1 else f'{loops} loops'} of {kept} equations each, of which at least {least} "
            f"{'stays' if least == 1 else 'stay'}; allowed are at most {most}",
        )


def _read_names(entry: Mapping[str, Any], joints: Mapping[str, Declared], path: str) -> tuple[str, ...]:
    if ("joints" in entry) == ("bodies" in entry):
        raise refuse(path, "give either its joints or its bodies (which stand for all joints between them)")
    if "joints" in entry:
        seen: set[str] = set()
        for index, name in enumerate(entry["joints"]):
            if name not in joints:
                known = did_you_mean(name, joints) or f"; joints are {list_names(joints)}"
                raise refuse(f"{path}.joints[{index}]", f"no joint has the id {show(name)}{known}")
            if name in seen:
                raise refuse(f"{path}.joints[{index}]", f"joint {show(name)} is named twice")
            seen.add(name)
        return tuple(entry["joints"])
    bodies = set(entry["bodies"])
    known_bodies = dict.fromkeys(body for joint in joints.values() for body in joint.bodies)
    for index, body in enumerate(entry["bodies"]):
        if body not in known_bodies:
            near = did_you_mean(body, known_bodies)
            raise refuse(f"{path}.bodies[{index}]", f"no joint has a body {show(body)}{near}")
    inside = []
    for joint in joints.values():
        count = len(bodies.intersection(joint.bodies))
        if count == len(joint.bodies):
            inside.append(joint.id)
        elif count > 1:
            outside = list_names(body for body in joint.bodies if body not in bodies)
            raise refuse(f"{path}.bodies", f"joint {show(joint.id)} holds {outside} too; add it, or give `joints`")
    return tuple(inside)


def _read(
    name: str,
    entry: Mapping[str, Any],
    names: tuple[str, ...],
    joints: Mapping[str, Declared],
    numbers: Numbers,
    path: str,
) -> SpecialGeometry:
    kind: str = entry["kind"]
    freedoms = 6 if numbers.space == "spatial" else 3
    if kind == "proportions":
        count = numbers.number(entry["redundant"], f"{path}.redundant")
        if count != int(count) or not 0 < count <= 100:
            raise refuse(f"{path}.redundant", f"must be a whole number from 1 to 100, found {show(entry['redundant'])}")
        return SpecialGeometry(name, kind, names, None, int(count))
    if kind == "parallelogram":
        _check_types(kind, ("R",), names, joints, path)
        cranks = len(parallelogram_cranks([joints[joint].bodies for joint in names], path))
        return SpecialGeometry(name, kind, names, 3 if freedoms == 6 else None, cranks - 2)
    subgroup = SUBGROUPS[kind]
    if freedoms == 3 and kind != "translational":
        raise refuse(f"{path}.kind", f"a planar mechanism has no special {kind} sub-chain; remove it")
    _check_types(kind, subgroup.types, names, joints, path)
    return SpecialGeometry(name, kind, names, 2 if freedoms == 3 else subgroup.dimension)


def _check_types(
    kind: str, types: tuple[str, ...], names: Sequence[str], joints: Mapping[str, Declared], path: str
) -> None:
    for name in names:
        if joints[name].type not in types:
            raise refuse(
                f"{path}.joints",
                f"{joints[name].type} {show(name)} is not allowed in a {kind} sub-chain ({', '.join(types)})",
            )


def _check_connected(ends: Sequence[tuple[str, ...]], path: str) -> None:
    reached = set(ends[0])
    left = list(ends[1:])
    while left:
        near = [each for each in left if reached.intersection(each)]
        if not near:
            raise refuse(
                path, f"its joints are not connected: {list_names(sorted(reached))} are separate from the rest"
            )
        reached.update(body for each in near for body in each)
        left = [each for each in left if each not in near]


def parallelogram_cranks(ends: Sequence[tuple[str, ...]], path: str) -> list[tuple[int, int]]:
    """Return for each crank the numbers of its joints, first that at the body that most cranks share first.

    Raises
    ------
    MechanismError
        if the joints are not those of two or more cranks between the same two bodies.
    """
    around: dict[str, list[int]] = {}
    for number, bodies in enumerate(ends):
        for body in bodies:
            around.setdefault(body, []).append(number)
    wide = [body for body, numbers in around.items() if len(numbers) == len(ends) / 2]
    cranks = [body for body in around if body not in wide[:2]]
    if len(ends) == 4:  # one parallelogram: opposite bodies are alike
        first = next(iter(around))
        wide = [first, *(body for body in around if not set(around[body]) & set(around[first]))]
        cranks = [body for body in around if body not in wide]
    if len(ends) < 4 or len(wide) != 2 or any(len(around[crank]) != 2 for crank in cranks):
        raise refuse(f"{path}.joints", "must be two joints for each crank between the same two bodies")
    pairs = []
    for crank in cranks:
        at_base = [number for number in around[crank] if number in around[wide[0]]]
        at_coupler = [number for number in around[crank] if number in around[wide[1]]]
        if len(at_base) != 1 or len(at_coupler) != 1:
            raise refuse(f"{path}.joints", f"crank {show(crank)} does not join {show(wide[0])} and {show(wide[1])}")
        pairs.append((at_base[0], at_coupler[0]))
    return pairs
