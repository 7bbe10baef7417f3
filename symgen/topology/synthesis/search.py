"""The whole search: chains of a family, types on their pairs, frame links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.errors import InputError
from symgen.topology.synthesis.chains import ChainFamily, Progress, find_chains
from symgen.topology.synthesis.document import ChainList, GroupList
from symgen.topology.synthesis.group_types import FoundGroup, GroupFamily, find_groups
from symgen.topology.synthesis.joint_types import TypedChain, assign_types, check_types, grade_of
from symgen.topology.synthesis.mechanisms import find_inversions


def search_chains(
    family: ChainFamily,
    types: Sequence[str] = ("R",),
    *,
    at_most: Mapping[str, int] | None = None,
    fractionated: bool = True,
    mechanisms: bool = False,
    progress: Progress | None = None,
) -> ChainList:
    """Return all chains of a family with these pair types, each once.

    Parameters
    ----------
    family : links, mobility, space; mobility 0 means trusses. Its grade must be that of the types.
    types : pair types, all of one grade.
    at_most : largest number of joints of a type.
    fractionated : False leaves out chains that fall apart when one link is cut.
    mechanisms : True adds the choices of the frame link, up to symmetry.

    Raises
    ------
    InputError
        if sizes do not fit together, or types are unknown, of several grades or not those of the family.
    """
    check_types(types, family.space)
    if grade_of(types) != family.grade:
        raise InputError(f"pairs {', '.join(types)} have {grade_of(types)} freedoms, the family has {family.grade}")
    for code, most in (at_most or {}).items():
        if code not in types or most < 0:
            raise InputError(
                f"at most {most} of {code[:20]!r}: the type must be one of {', '.join(types)}, the number positive"
            )
    chains = [chain for chain in find_chains(family, progress) if fractionated or not chain.fractionated]
    found: list[TypedChain] = []
    for done, chain in enumerate(chains):
        if progress is not None:
            progress(done, len(chains), "types")
        found += assign_types(chain, family, types, at_most)
    inversions = None
    if mechanisms:
        inversions = tuple(tuple(find_inversions(typed)) for typed in found)
    return ChainList(family, tuple(found), inversions)


def search_groups(family: GroupFamily, *, regular: bool = False, progress: Progress | None = None) -> GroupList:
    """Return all structural groups of a family, each once; with `regular` only those of full generic rank.

    Raises
    ------
    InputError
        if sizes are out of range or a pair type is not known.
    """
    found: list[FoundGroup] = []
    for done, group in enumerate(find_groups(family), start=1):
        if progress is not None and done % 16 == 0:
            progress(done, done, "groups")
        if group.regular or not regular:
            found.append(group)
    return GroupList(family, tuple(found))
