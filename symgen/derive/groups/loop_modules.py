"""The modules of spatial loops: a kernel each, all three arrangements, re-rooted.

A driven freedom inside a joint is no new type: C with a driven slide turns like an R, C with a driven angle slides
like a P, U with one driven angle turns like an R (docs/closed-forms.md).
"""

from __future__ import annotations

from symgen.derive.groups import loops
from symgen.derive.groups.loop_groups import loop_arrangement
from symgen.derive.groups.loop_positions import Form
from symgen.derive.groups.loops import FAMILIES, SOURCE, Family, derive_kernel
from symgen.derive.module import ModuleDerivation, overview

FORMS: tuple[Form, ...] = ("a_s_b", "a_b_s", "b_a_s")
_NO_DRIVE: tuple[str, ...] = ()


def derive_loop(
    family: Family, a: tuple[str, tuple[str, ...]], b: tuple[str, tuple[str, ...]], module_id: str
) -> ModuleDerivation:
    """Derive a family with its pairs played by the given types, some freedoms driven."""
    kernel = derive_kernel(family)
    return ModuleDerivation(
        id=module_id,
        title=family.title,
        space="spatial",
        degree=family.modes,
        source=SOURCE,
        summary=overview(loops.__doc__),
        kernel=kernel,
        arrange=lambda position: tuple(loop_arrangement(family, form, position, a, b) for form in FORMS),
    )


def derive_plain(index: str) -> ModuleDerivation:
    """Derive a family with both pairs as they are: R.U.S, R.S.U, U.R.S and so on."""
    family = FAMILIES[int(index)]
    return derive_loop(family, (family.a, _NO_DRIVE), (family.b, _NO_DRIVE), family.id)


def derive_driven(index: str, type_: str, freedom: str) -> ModuleDerivation:
    """Derive a family whose pair A is another pair with one driven freedom: what is left of it is an R or a P."""
    family = FAMILIES[int(index)]
    return derive_loop(family, (type_, (freedom,)), (family.b, _NO_DRIVE), f"{family.id}_{type_.lower()}_{freedom}")
