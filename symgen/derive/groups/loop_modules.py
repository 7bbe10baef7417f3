"""The modules of the spatial loops with a spherical pair: a kernel each, all arrangements on it.

A module of its own is also made for a loop in which one freedom of a C or U pair is driven: C with a driven angle
slides like a P, U with one driven angle turns like an R (docs/closed-forms.md).
"""

from __future__ import annotations

from symgen.derive.groups import loops
from symgen.derive.groups.loops import FAMILIES, SOURCE, Family, derive_kernel
from symgen.derive.module import Arrangement, ModuleDerivation, overview
from symgen.derive.rings.chain import make_chain
from symgen.derive.rings.group import RingGroup
from symgen.derive.rings.paired import PairedClosing
from symgen.derive.rings.words import spherical_cut
from symgen.ir.nodes import Routine

_Joint = tuple[str, tuple[str, ...]]
_SPHERE: _Joint = ("S", ())


def _arrangement(joints: tuple[_Joint, ...], family: Family, position: Routine) -> Arrangement:
    chain = make_chain(joints)
    cut = spherical_cut(chain)
    assert cut is not None  # noqa: S101 - there is one
    return RingGroup(chain, PairedClosing(cut, family), position).arrangement()


def _derive_loop(family: Family, a: _Joint, module_id: str) -> ModuleDerivation:
    """Derive a family whose pair A is played by the given pair, some freedoms driven."""
    b: _Joint = (family.b, ())
    orders = ((a, _SPHERE, b), (a, b, _SPHERE), (b, a, _SPHERE))
    return ModuleDerivation(
        id=module_id,
        title=family.title,
        space="spatial",
        degree=family.modes,
        source=SOURCE,
        summary=overview(loops.__doc__),
        kernel=derive_kernel(family),
        arrange=lambda position: tuple(_arrangement(order, family, position) for order in orders),
    )


def derive_plain(index: str) -> ModuleDerivation:
    """Derive a family with both pairs as they are: R.U.S, R.S.U, U.R.S and so on."""
    family = FAMILIES[int(index)]
    return _derive_loop(family, (family.a, ()), family.id)


def derive_driven(index: str, type_: str, freedom: str) -> ModuleDerivation:
    """Derive a family whose pair A is another pair with one driven freedom: what is left of it is an R or a P."""
    family = FAMILIES[int(index)]
    return _derive_loop(family, (type_, (freedom,)), f"{family.id}_{type_.lower()}_{freedom}")
