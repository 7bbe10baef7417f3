"""What a synthesis found, numbered: the document ``symgen/synthesis/1`` and mechanism files by name.

Links and bodies carry the names they have in the files: links 1, 2, ...; bodies of a group b1, b2, ... .
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symgen.model.mechanism import Mechanism
from symgen.model.write import write_tree
from symgen.topology.analysis import analyse
from symgen.topology.synthesis.chains import ChainFamily, Progress
from symgen.topology.synthesis.files import chain_tree, group_tree
from symgen.topology.synthesis.group_types import FoundGroup, GroupFamily
from symgen.topology.synthesis.joint_types import TypedChain
from symgen.topology.synthesis.mechanisms import Inversion, find_inputs
from symgen.topology.synthesis.small_graphs import shortest_cycle

SCHEMA = "symgen/synthesis/1"
#: First words of every file that a synthesis writes; one that begins otherwise is not written over.
HEAD = "symgen synthesise"


@dataclass(frozen=True, slots=True)
class ChainList:
    """Chains (or trusses) of a family in order, and for each its mechanisms if they were asked for."""

    family: ChainFamily
    chains: tuple[TypedChain, ...]
    inversions: tuple[tuple[Inversion, ...], ...] | None = None

    @property
    def kind(self) -> str:
        """Return ``chains`` or ``trusses``."""
        return "chains" if self.family.mobility else "trusses"

    @property
    def mechanisms(self) -> int | None:
        """Number of mechanisms (of Assur groups, for trusses); None if they were not asked for."""
        return None if self.inversions is None else sum(map(len, self.inversions))

    def to_dict(self) -> dict[str, Any]:
        """Return the document symgen/synthesis/1 as JSON data."""
        family = self.family
        what = "mechanisms" if family.mobility else "groups"
        found: list[dict[str, Any]] = []
        for number, typed in enumerate(self.chains, start=1):
            entry = _chain_data(number, typed)
            if self.inversions is not None:
                own = self.inversions[number - 1]
                entry[what] = [_inversion_data(each, family) for each in own]
            found.append(entry)
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "kind": self.kind,
            "space": family.space,
            "links": family.links,
            "mobility": family.mobility,
            "grade": family.grade,
            "joints": family.pairs,
            "rigid_parts": family.rigid_parts,
            "count": len(self.chains),
        }
        if self.mechanisms is not None:
            document[what] = self.mechanisms
        return {**document, self.kind: found}

    def files(self, progress: Progress | None = None) -> Iterator[tuple[str, str]]:
        """Yield name and text of a mechanism file for each chain, or for each mechanism if these were asked for.

        The frame of a chain is its first link and nothing is driven. Mechanisms have as many inputs as they
        have freedoms; those of trusses need none.
        """
        digits = len(str(len(self.chains)))
        singular = self.kind.removesuffix("es" if self.kind == "trusses" else "s")
        for number, typed in enumerate(self.chains, start=1):
            if progress is not None:
                progress(number, len(self.chains), "writing")
            name = f"{singular}_{number:0{digits}d}"
            title = f"{self.family.links}-link {singular} {number}"
            if self.inversions is None:
                yield f"{name}.toml", self._text(typed, title, 0, ())
                continue
            for inversion in self.inversions[number - 1]:
                driven = find_inputs(inversion, self.family.mobility, self.family.space) or ()
                word = "frame" if self.family.mobility else "without"
                text = self._text(typed, f"{title}, {word} {inversion.frame + 1}", inversion.frame, driven)
                yield f"{name}_{word}_{inversion.frame + 1}.toml", text

    def _text(self, typed: TypedChain, title: str, frame: int, driven: Sequence[int]) -> str:
        tree = chain_tree(typed, self.family.space, title, frame, driven)
        return write_tree(tree, comments=[f"{HEAD} {self.kind}: {title}."])


def _chain_data(number: int, typed: TypedChain) -> dict[str, Any]:
    chain = typed.chain
    return {
        "number": number,
        "joints": [[str(a + 1), str(b + 1), code] for (a, b), code in zip(chain.joints, typed.types, strict=True)],
        "pairs_of_links": [mask.bit_count() for mask in chain.graph],
        "shortest_loop": shortest_cycle(chain.graph),
        "fractionated": chain.fractionated,
        "symmetries": len(typed.symmetries),
    }


def _inversion_data(inversion: Inversion, family: ChainFamily) -> dict[str, Any]:
    data: dict[str, Any] = {
        "frame": str(inversion.frame + 1),
        "alike": [str(link + 1) for link in inversion.alike],
    }
    if not family.mobility:
        data["signature"] = assur_signature(inversion, family)
    return data


def assur_signature(inversion: Inversion, family: ChainFamily) -> str | None:
    """Return the signature of the structural group that a truss becomes when its frame link is taken away.

    None if the types make the truss singular, or if it is no single group.
    """
    structure = analyse(Mechanism.from_dict(chain_tree(inversion.typed, family.space, "", inversion.frame)))
    one = structure.status == "determined" and len(structure.groups) == 1
    return structure.groups[0].signature if one else None


@dataclass(frozen=True, slots=True)
class GroupList:
    """Structural groups of a family in order."""

    family: GroupFamily
    groups: tuple[FoundGroup, ...]

    def to_dict(self, solved: Callable[[str], bool] | None = None) -> dict[str, Any]:
        """Return the document symgen/synthesis/1 as JSON data.

        Parameters
        ----------
        solved : tells of a signature whether the library solves it; without it that is null.
        """
        return {
            "schema": SCHEMA,
            "kind": "groups",
            "space": self.family.space,
            "bodies": self.family.bodies,
            "pairs": list(self.family.pairs),
            "inputs": self.family.inputs,
            "count": len(self.groups),
            "regular": sum(group.regular for group in self.groups),
            "without_rigid_parts": sum(not group.rigid_parts for group in self.groups),
            "types": len({group.type for group in self.groups}),
            "groups": [_group_data(number, group, solved) for number, group in enumerate(self.groups, start=1)],
        }

    def files(self, progress: Progress | None = None) -> Iterator[tuple[str, str]]:
        """Yield name and text of a mechanism file for each group, its outer pairs on the frame."""
        digits = len(str(len(self.groups)))
        for number, group in enumerate(self.groups, start=1):
            if progress is not None and number % 16 == 0:
                progress(number, len(self.groups), "writing")
            comments = [f"{HEAD} groups: {group.signature}."]
            if not group.regular:
                comments.append("Singular: its constraints depend on each other for every geometry.")
            text = write_tree(group_tree(group.shape, group.signature[:200]), comments=comments)
            yield f"group_{number:0{digits}d}.toml", text


def _group_data(number: int, group: FoundGroup, solved: Callable[[str], bool] | None) -> dict[str, Any]:
    shape = group.shape
    return {
        "number": number,
        "signature": group.signature,
        "type": group.type,
        "regular": group.regular,
        "rigid_parts": group.rigid_parts,
        "solved": None if solved is None else solved(group.signature),
        "outer": {f"b{k}": [bond.text for bond in bonds] for k, bonds in enumerate(shape.outer, start=1)},
        "inner": [[f"b{a + 1}", f"b{b + 1}", bond.text] for a, b, bond in shape.inner],
    }
