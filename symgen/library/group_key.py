"""The key of a group as a mechanism writes it: its signature with the driven freedoms by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from symgen.library.group_joints import TURNED_NAME, GroupJoint
from symgen.library.signatures import chain_of
from symgen.model.pairs import PAIR_TYPES, Space
from symgen.topology.signatures import Bond, GroupShape, read_chain, signature_of


@dataclass(frozen=True, slots=True)
class _NamedBond(Bond):
    """A pair that reads as it does in a key."""

    shown: str = ""

    @property
    def text(self) -> str:
        """The pair in a key."""
        return self.shown


def group_key(space: str, bodies: Sequence[str], joints: Sequence[GroupJoint]) -> str:
    """Return the key of a group, such as ``"C.S*yaw.S* 3D"``.

    Parameters
    ----------
    bodies : the unknown bodies; every other body that a joint names is known.

    Returns
    -------
    str
        ER is called U. Freedoms are named where only a part of a pair's are driven, as they read from the first body
        to the last; a group that is no chain, and is named by its digest, does not say them.
    """
    shape = _shape(space, bodies, joints)
    chain = read_chain(shape)
    if chain is None:
        return signature_of(shape)
    ends: list[str | None] = [None, *(bodies[number] for number in chain.bodies[:-1]), None]
    words = []
    for place, bond in enumerate(chain.bonds):
        joint = joints[bond.number]
        first = ends[place] if len(bodies) > 1 else None
        turned = joint.bodies[0] in bodies if first is None else joint.bodies[0] != first
        words.append(_word(joint, turned))
    return f"{'.'.join(words)} {shape.suffix}"


def on_demand_name(space: str, bodies: Sequence[str], joints: Sequence[GroupJoint]) -> str | None:
    """Return the text by which a group's closed form may be derived; None if there is surely none.

    That of a chain is its key; of another group its signature, which leaves open which freedoms are driven.
    """
    if not has_letters(space, [joint.solver_type for joint in joints]) or len(bodies) > MOST_BODIES:
        return None
    shape = _shape(space, bodies, joints)
    if read_chain(shape) is not None:
        chain = chain_of(group_key(space, bodies, joints))
        return None if chain is None else chain.text
    plain = [Bond(joint.solver_type, len(joint.driven), number) for number, joint in enumerate(joints)]
    return signature_of(_shape(space, bodies, joints, plain)) if space == "planar" else None


def offered_name(space: str, bodies: Sequence[str], joints: Sequence[GroupJoint]) -> str:
    """Return the text by which a package's derivation of a group is found: its key, of whatever pairs."""
    text = group_key(space, bodies, joints)
    chain = chain_of(text)
    return text if chain is None else chain.text


#: Pairs that closed forms on demand take, and the most bodies of a group: a chain of one-freedom pairs has five.
_LETTERS = {"spatial": frozenset({"R", "P", "C", "U", "S", "PL"}), "planar": frozenset({"R", "P", "L"})}
MOST_BODIES = 8


def has_letters(space: str, types: Sequence[str]) -> bool:
    """Tell whether closed forms are derived of groups with these pairs (ER is called U)."""
    return set(types) <= _LETTERS[space]


def may_be_derived(signature: str) -> bool:
    """Tell whether it is worth asking the generator for a closed form: pair types and size are of those it knows."""
    chain = chain_of(signature)
    if chain is not None:
        codes = ["U" if joint.type == "ER" else joint.type for joint in chain.joints]
        return has_letters(chain.space, codes) and len(codes) - 1 <= MOST_BODIES
    if not signature.startswith("<") or not signature.endswith("> 2D") or "#" in signature or "~" in signature:
        return False  # several loops in space, more bodies than a name lists, reduced by special geometry
    return has_letters("planar", re.findall(r"[A-Z]+", signature.removesuffix(" 2D")))


def _shape(
    space: str, bodies: Sequence[str], joints: Sequence[GroupJoint], bonds: Sequence[Bond] | None = None
) -> GroupShape:
    outer: list[list[Bond]] = [[] for _ in bodies]
    inner = []
    place = {body: number for number, body in enumerate(bodies)}
    for number, joint in enumerate(joints):
        bond = bonds[number] if bonds else _bond(joint, number)
        ends = [place[body] for body in joint.bodies if body in place]
        if len(ends) == 1:
            outer[ends[0]].append(bond)
        else:
            inner.append((ends[0], ends[1], bond))
    kind: Space = "planar" if space == "planar" else "spatial"
    return GroupShape(kind, tuple(map(tuple, outer)), tuple(inner))


def _bond(joint: GroupJoint, number: int) -> Bond:
    return _NamedBond(joint.solver_type, len(joint.driven), number, _word(joint, turned=False, sided=False))


def _word(joint: GroupJoint, turned: bool, *, sided: bool = True) -> str:
    """Return a joint in a key; `turned` if it is written against the direction of reading."""
    names: tuple[str, ...] = ()
    if len(joint.driven) < len(PAIR_TYPES[joint.type].freedoms):
        named = [TURNED_NAME.get((joint.solver_type, name), name) if turned else name for name in joint.driven]
        names = tuple(name for name in PAIR_TYPES[joint.type].freedoms if name in named)
    if joint.type == "L" and sided:  # its slot is on the first body; a key says what the later one carries
        names = (*names, "slot" if turned else "pin")
    return joint.solver_type + "*" * len(joint.driven) + "+".join(names)
