"""The modules of spatial loops: a kernel each, all three arrangements, re-rooted."""

from __future__ import annotations

from symgen.derive.groups.loop_groups import Form, loop_arrangement
from symgen.derive.groups.loops import FAMILIES, SOURCE, Family, derive_kernel
from symgen.derive.module import ModuleDerivation

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
        degree=2 ** len(family.bits),
        source=SOURCE,
        summary=(
            "Two bodies between two known bodies, joined by three pairs of which one is spherical.",
            "Link X carries the pairs A and B, which are not spherical; the kernel works in the frame of X.",
        ),
        kernel=kernel,
        arrange=lambda position: tuple(loop_arrangement(family, form, position, a, b) for form in FORMS),
        proofs=(),
    )


def derive_rus() -> ModuleDerivation:
    """Derive R.U.S, R.S.U and U.R.S."""
    return derive_loop(FAMILIES[0], ("R", _NO_DRIVE), ("U", _NO_DRIVE), "loop_rus")


def derive_pus() -> ModuleDerivation:
    """Derive P.U.S, P.S.U and U.P.S."""
    return derive_loop(FAMILIES[1], ("P", _NO_DRIVE), ("U", _NO_DRIVE), "loop_pus")


def derive_pcs() -> ModuleDerivation:
    """Derive P.C.S, P.S.C and C.P.S."""
    return derive_loop(FAMILIES[2], ("P", _NO_DRIVE), ("C", _NO_DRIVE), "loop_pcs")
