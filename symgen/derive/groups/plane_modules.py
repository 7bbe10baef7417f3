"""The modules of rings with a planar joint: a kernel each, all arrangements of its joints along the chain.

What is left of the joints beside the planar one when driven freedoms are taken off makes the word: three turns
(`ring_rrre`), of which two may be a universal pair (`loop_rue`), or two turns and a slide (`ring_rrpe`, `ring_rpre`).
Where one multiset of joints has arrangements of both last words, each word has a module with the arrangements that read
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

from symgen.derive.derivation import Derivation
from symgen.derive.groups import plane_kernel, plane_turning_kernel, plane_universal_kernel
from symgen.derive.groups.plane_groups import SOURCE, JointType, PlaneGroup, PlaneWord
from symgen.derive.joints import PairModel, pair_model
from symgen.derive.module import Arrangement, JointSlot, ModuleDerivation, overview
from symgen.ir.nodes import Routine
from symgen.topology.signatures import Bond, GroupShape, read_chain

PLANE: JointType = ("PL", ())


@dataclass(frozen=True)
class PlaneFamily:
    """One word: its kernel, branches, and what it says of itself."""

    word: PlaneWord
    degree: int
    title: str
    text: str | None
    kernel: Callable[[], Derivation]

    def input_branch(self, d: Derivation) -> None:
        """Declare the branch as the kernel does."""
        if self.word.letters.count("R") == 2:
            d.input_branch(plane_turning_kernel.BITS)
        elif self.word.concurrent:
            d.input_branch(plane_universal_kernel.BITS)  # the kernel says whether another branch is within reach
        else:
            plane_kernel.input_branch(d)


def _turning(letters: str) -> PlaneFamily:
    return PlaneFamily(
        PlaneWord(letters),
        2,
        f"{{{','.join(letters)},PL}} ring",
        plane_turning_kernel.__doc__,
        lambda: plane_turning_kernel.derive_kernel(letters),
    )


FAMILIES = {
    "rrr": PlaneFamily(PlaneWord("RRR"), 4, "{R,R,R,PL} ring", plane_kernel.__doc__, plane_kernel.derive_kernel),
    "ur": PlaneFamily(
        PlaneWord("RRR", concurrent=True),
        4,
        "{R,U,PL} loop",
        plane_universal_kernel.__doc__,
        plane_universal_kernel.derive_kernel,
    ),
    "rrp": _turning("RRP"),
    "rpr": _turning("RPR"),
}

_R: JointType = ("R", ())
_P: JointType = ("P", ())
_U: JointType = ("U", ())

#: module id -> word, and the joints beside the planar one.
MODULES: dict[str, tuple[str, tuple[JointType, ...]]] = {
    "loop_rue": ("ur", (_R, _U)),
    "ring_rrre": ("rrr", (_R, _R, _R)),
    "ring_rrpe": ("rrp", (_R, _R, _P)),
    "ring_rpre": ("rpr", (_R, _R, _P)),
}


def arrangements_of(joints: tuple[JointType, ...]) -> tuple[tuple[JointType, ...], ...]:
    """Return all orders of the joints and a planar one along a chain, each in the direction its signature reads."""
    found: dict[tuple[JointType, ...], None] = {}
    for order in permutations((*joints, PLANE)):
        backwards = order[::-1]
        if order not in found and backwards not in found:
            found[_as_read(order)] = None
    return tuple(found)


def _as_read(order: tuple[JointType, ...]) -> tuple[JointType, ...]:
    bonds = [Bond(type_, len(driven), k) for k, (type_, driven) in enumerate(order)]
    outer = ((bonds[0],), *(() for _ in bonds[2:-1]), (bonds[-1],))
    inner = tuple((k, k + 1, bond) for k, bond in enumerate(bonds[1:-1]))
    reading = read_chain(GroupShape("spatial", outer, inner))
    if reading is None:
        return order
    return tuple(order[bond.number] for bond in reading.bonds)


def letters_of(order: tuple[JointType, ...]) -> str:
    """Return the word that a chain reads, from the planar joint along the side of k2 and on along that of k1."""
    cut = order.index(PLANE)
    word = ""
    for type_, driven in (*order[cut + 1 :], *order[:cut]):
        word += "".join(p.kind for p in pair_model(type_, driven).free)
    return word


def plane_arrangement(family: PlaneFamily, order: tuple[JointType, ...], kernel: Routine) -> Arrangement:
    """Derive and describe one arrangement: pair types and driven freedoms along the chain."""
    pairs: tuple[PairModel, ...] = tuple(pair_model(*joint) for joint in order)
    names = ["".join((type_, *(f"*{f}" for f in driven))) for type_, driven in order]
    id_ = "_".join(name.lower().replace("*", "_") for name in names)
    title = f"{'.'.join(names)} group between two moving bodies"
    d = Derivation(f"{family.word.letters} {id_}", level="group", title=title, source=SOURCE, arrangement=id_)
    group = PlaneGroup(d, family.word, pairs, kernel)
    family.input_branch(d)
    group.derive()
    slots = tuple(
        JointSlot(
            joint.name, joint.pair.type, joint.bodies, tuple(p.freedom for p in joint.pair.free), joint.pair.driven
        )
        for joint in group.chain.joints
    )
    bodies = tuple(f"b{k}" for k in range(1, len(order)))
    return Arrangement(id_, "spatial", ("k1", "k2"), bodies, slots, d)


def derive(module_id: str) -> ModuleDerivation:
    """Derive one of `MODULES` by its id."""
    name, joints = MODULES[module_id]
    family = FAMILIES[name]
    words = (family.word.letters, family.word.letters[::-1])
    orders = [order for order in arrangements_of(joints) if letters_of(order) in words]
    return ModuleDerivation(
        id=module_id,
        title=family.title,
        space="spatial",
        degree=family.degree,
        source=SOURCE,
        summary=overview(family.text),
        kernel=family.kernel(),
        arrange=lambda position: tuple(plane_arrangement(family, order, position) for order in orders),
    )
