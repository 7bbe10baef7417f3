"""Multiple joints of the file: several bodies on one pin, declared once.

A type may hold more than two bodies if its relative motions form a group (rotations about one axis, motions in one
plane, ...): then the motion between any two of the bodies is of the type again, so that any spanning tree of pairs
says the same. The subgroups of the displacement group are listed by J. M. Herve, 1978.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import SHARED_TYPES, PairType
from symgen.model.parameters import refuse
from symgen.model.parts import Ends, Joint, MultipleJoint, pair_name
from symgen.model.read_drives import Laws, resolve_driven
from symgen.model.shapes import Problems, below


def check_type(code: str, path: str) -> None:
    """Refuse types for which more than two bodies on one joint have no meaning."""
    if code in SHARED_TYPES:
        return
    why = (
        "constrains nothing, so a joint of several bodies has no effect"
        if code in ("F", "FP")
        else "between bodies 1, 2 and between 2, 3 does not make it one between 1, 3"
    )
    raise refuse(
        f"{path}.bodies", f"{code} {why}; joints of more than two bodies may be {', '.join(SHARED_TYPES)}; write pairs"
    )


def read_trees(
    entry: Mapping[str, Any], bodies: tuple[str, ...], driven: int, path: str
) -> tuple[tuple[Ends, ...] | None, tuple[Ends, ...]]:
    """Return the pairs that `tree` fixes (None if it is not given) and the pairs that `between` names."""
    between = _read_between(entry, bodies, driven, path)
    tree = None
    if "tree" in entry:
        tree = _read_pairs(entry["tree"], bodies, f"{path}.tree")
        if len(tree) != len(bodies) - 1:
            wants = f"{len(bodies)} bodies are held together by {len(bodies) - 1} pairs"
            raise refuse(f"{path}.tree", f"must have {len(bodies) - 1} pairs, found {len(tree)}; {wants}")
        inside = {frozenset(ends) for ends in tree}
        for ends in between:
            if frozenset(ends) not in inside:
                raise refuse(f"{path}.tree", f"lacks the driven pair {show(list(ends))}; replace another pair by it")
    return tree, between


def _read_between(entry: Mapping[str, Any], bodies: tuple[str, ...], driven: int, path: str) -> tuple[Ends, ...]:
    if "between" not in entry:
        if driven:
            first, second = bodies[:2]
            raise refuse(
                f"{path}.driven",
                f"does not say which of the {len(bodies)} bodies move relative to each other; add "
                f'between = ["{first}", "{second}"], or several such pairs in a list',
            )
        return ()
    if not driven:
        raise refuse(
            f"{path}.between", ("names a driven pair, but driven is missing; add driven = 1, or remove `between`")
        )
    value = entry["between"]
    several = all(isinstance(each, (list, tuple)) for each in value)
    if not several and (len(value) != 2 or not all(isinstance(each, str) for each in value)):
        raise refuse(f"{path}.between", "must be two bodies, or a list of pairs of bodies")
    return _read_pairs(value if several else [value], bodies, f"{path}.between")


def _read_pairs(value: Sequence[Sequence[str]], bodies: tuple[str, ...], path: str) -> tuple[Ends, ...]:
    """Return pairs that make no circle."""
    part = {body: body for body in bodies}
    pairs: list[Ends] = []
    for index, (first, second) in enumerate(value):
        for body in (first, second):
            if body not in part:
                known = did_you_mean(body, bodies) or f"; they are {list_names(bodies)}"
                raise refuse(f"{path}[{index}]", f"{show(body)} is not a body of this joint{known}")
        old, new = part[first], part[second]
        if old == new:
            raise refuse(
                f"{path}[{index}]",
                f"{show(first)} and {show(second)} are already held together by the pairs before; remove this one",
            )
        part = {body: new if leader == old else leader for body, leader in part.items()}
        pairs.append((first, second))
    return tuple(pairs)


def multiple_entries(table: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the entries of more than two bodies; the shape of the table has been checked."""
    return ((name, entry) for name, entry in table.items() if len(entry["bodies"]) > 2)


def name_pairs(table: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids of all possible pairs of all multiple joints: id of the pair -> id of the joint.

    Raises
    ------
    MechanismError
        if such an id is that of another joint, or of two pairs.
    """
    found: dict[str, str] = {}
    for name, entry in multiple_entries(table):
        joint = MultipleJoint(name, entry["type"], tuple(dict.fromkeys(entry["bodies"])))
        for ends in permutations(joint.bodies, 2):
            pair = pair_name(name, ends)
            if pair in table or pair in found:
                holder = pair if pair in table else found[pair]
                what = f"{show(pair)} is the pair of {ends[0]} and {ends[1]} on this joint"
                raise refuse(below("joints", name), f"{what}, and joint {show(holder)} has that name too; rename one")
            found[pair] = name
    return found


def read_multiple(
    name: str,
    entry: Mapping[str, Any],
    pair: PairType,
    driven: tuple[int, tuple[str, ...] | None],
    laws: dict[str, Laws],
) -> MultipleJoint:
    """Return a multiple joint without its frames; a law under its id becomes that of its driven pair.

    Parameters
    ----------
    driven : of each driven pair: how many freedoms are inputs, and their names if they are known.
    laws : laws by joint; changed.
    """
    path = below("joints", name)
    bodies = tuple(entry["bodies"])
    check_type(pair.code, path)
    tree, between = read_trees(entry, bodies, driven[0], path)
    joint = MultipleJoint(name, pair.code, bodies, tree, between, driven[0])
    if name in laws and len(between) == 1:
        laws.setdefault(joint.pair_id(between[0]), {}).update(laws.pop(name))
    elif name in laws:
        if not between:
            raise refuse(below("drives", name), f"a law is given, but joint {show(name)} has no driven freedom")
        keys = ", ".join(f'"{joint.pair_id(ends)}"' for ends in between)
        raise refuse(below("drives", name), f"joint {show(name)} has {len(between)} driven pairs; give laws for {keys}")
    names = tuple(
        resolve_driven(joint.pair_id(ends), pair, *driven, laws.get(joint.pair_id(ends), {})) for ends in between
    )
    return replace(joint, driven_freedoms=names)


def check_laws(
    laws: Mapping[str, Laws], names: Mapping[str, str], joints: Mapping[str, Joint], problems: Problems
) -> None:
    """Note laws of pairs of multiple joints that are not driven; `names`: id of a pair -> id of its joint."""
    for name in laws:
        if name in names and not (name in joints and joints[name].driven):
            advice = "name the pair under `between` of that joint and write driven = 1"
            problems.note(below("drives", name), f"this pair of joint {show(names[name])} is not driven; {advice}")


def fixed_pairs(joint: MultipleJoint) -> tuple[Joint, ...]:
    """Return the pairs that are part of every tree: those the user may name."""
    return tuple(map(joint.joint, joint.tree if joint.tree is not None else joint.between))
