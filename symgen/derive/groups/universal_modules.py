"""The modules of spatial loops of cylindrical and universal pairs: a kernel each, all arrangements on it."""

from __future__ import annotations

from symgen.derive.groups.turning_loops import SOURCE
from symgen.derive.module import Arrangement, ModuleDerivation, overview
from symgen.derive.rings.chain import make_chain
from symgen.derive.rings.group import RingGroup
from symgen.derive.rings.universal import WORDS, UniversalClosing, UniversalWord
from symgen.ir.nodes import Routine

#: Module -> its word and arrangements, joints from k1 to k2.
FAMILIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "loop_ccu": ("CCU", ("CUC", "CCU")),
    "loop_cuu": ("CUU", ("CUU", "UCU")),
    "loop_uuu": ("UUU", ("UUU",)),
}


def _arrangement(joints: str, word: UniversalWord, position: Routine) -> Arrangement:
    chain = make_chain([(joint, ()) for joint in joints])
    return RingGroup(chain, UniversalClosing(chain, word), position).arrangement()


def derive(module_id: str) -> ModuleDerivation:
    """Derive one of `FAMILIES` by its id."""
    name, orders = FAMILIES[module_id]
    word = WORDS[name]
    return ModuleDerivation(
        id=module_id,
        title=f"{{{','.join(name)}}} loop",
        space="spatial",
        degree=word.modes,
        source=SOURCE,
        summary=overview(word.summary),
        kernel=word.derive_kernel(),
        arrange=lambda position: tuple(_arrangement(joints, word, position) for joints in orders),
    )
