"""How the structural groups of a mechanism are solved: in closed form, else by certified Newton."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from symgen.library.catalogue import solution_of
from symgen.library.signatures import JointWord, chain_of
from symgen.third_party import derivations

if TYPE_CHECKING:
    from symgen.model.parts import Joint
    from symgen.topology.structure import Group, Structure

#: As `symgen.library.newton.problem.METHOD` and its table, which need NumPy.
NEWTON = "certified Newton"
#: A closed form that no module holds, but that is derived when the group is solved.
ON_DEMAND = "closed form on demand"
#: Of an L without geometry, which may be a cam of any curve: what is solved is a pin in a straight slot.
IF_STRAIGHT = ", if L is a straight slot"
#: Pairs with joint frames, which certified Newton takes; F and the planar FP leave all freedoms.
WITH_FRAMES = {
    "spatial": ("R", "P", "H", "C", "U", "ER", "S", "PL", "L", "FP", "F"),
    "planar": ("R", "P", "L", "FP"),
}


def solutions_of(
    structure: Structure, can_be_derived: Callable[[str], bool] | None = None
) -> Callable[[Group], tuple[bool, str | None]]:
    """Return a function that tells whether a group of this mechanism is solved, and by which method.

    Each type is looked up once. Only groups with a pair that has no joint frames (a higher pair) are not solved.

    Parameters
    ----------
    can_be_derived : tells whether there is a closed form for a signature or key; without it none is derived.
    """
    known: dict[str, tuple[bool, str | None]] = {}
    counted = structure.counted
    solved_counted = None if counted is None else solutions_of(counted, can_be_derived)
    types = {*WITH_FRAMES[structure.space], "W"}
    joints = cache(lambda: {joint.id: joint for joint in structure.mechanism.joints})

    def solved(group: Group) -> tuple[bool, str | None]:
        name = group.signature
        if group.driven and group.chain is not None:  # which freedom is driven may decide
            name = _name([joints()[joint] for joint in group.chain.joints], structure.space)
        if name not in known:
            found = solution_of(name)
            if not found[0] and can_be_derived is not None and _may_be_derived(structure.space, group):
                found = (True, ON_DEMAND) if can_be_derived(name) else found
            if not found[0] and counted is not None and solved_counted is not None:  # with U for balls that spin
                found = solved_counted(counted.groups[group.number - 1])
            if not found[0] and {pair.type for pair in (*group.external, *group.internal)} <= types:
                found = True, NEWTON
            known[name] = found
        if known[name][0] and any(
            p.type == "L" and joints()[p.joint].lacking for p in (*group.external, *group.internal)
        ):
            return True, f"{known[name][1]}{IF_STRAIGHT}"
        return known[name]

    return solved


def name_of(structure: Structure, group: Group) -> str:
    """Return the name by which the library knows a group: its signature, with the driven freedoms if it has some."""
    if not (group.driven and group.chain is not None):
        return group.signature
    joints = {joint.id: joint for joint in structure.mechanism.joints}
    return _name([joints[joint] for joint in group.chain.joints], structure.space)


def _may_be_derived(space: str, group: Group) -> bool:
    """Tell whether it is worth asking for a closed form: that loads the generator."""
    from symgen.library.group_key import MOST_BODIES, has_letters

    if derivations():  # what installed packages offer may be any group
        return True
    codes = ["U" if pair.type == "ER" else pair.type for pair in (*group.external, *group.internal)]
    chain = chain_of(group.signature) is not None
    return (chain or space == "planar") and len(group.bodies) <= MOST_BODIES and has_letters(space, codes)


def _name(joints: Sequence[Joint], space: str) -> str:
    """Return the signature of a chain with the driven freedoms by name, where the mechanism says which."""
    words = []
    for joint in joints:
        named = (joint.driven_freedoms or ()) if joint.driven < joint.grade else ()
        words.append(JointWord("U" if joint.type == "ER" else joint.type, joint.driven, named).text)
    return f"{'.'.join(words)} {'2D' if space == 'planar' else '3D'}"
