"""The loops with modules of their own: one kernel each, all arrangements on it.

A module of its own is also made for a loop in which one freedom of a C or U pair is driven: C with a driven angle
slides like a P, U with one driven angle turns like an R (docs/closed-forms.md).
"""

from __future__ import annotations

from symgen.derive.module import Arrangement, ModuleDerivation
from symgen.derive.rings.chain import chains_of
from symgen.derive.rings.group import RingGroup
from symgen.derive.rings.modules import find_solver
from symgen.ir.nodes import Routine

_ROD = "a rod with its idle spin by convention"

#: Module -> title, and its chains in the direction in which their signatures read; in the order of the library.
LOOPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "loop_rus": ("{R,U,S} loop", ("R.S.U", "R.U.S", "U.R.S")),
    "loop_pus": ("{P,U,S} loop", ("P.S.U", "P.U.S", "U.P.S")),
    "loop_pcs": ("{P,C,S} loop", ("P.S.C", "P.C.S", "C.P.S")),
    "loop_rcs": ("{R,C,S} loop", ("R.S.C", "R.C.S", "C.R.S")),
    "loop_rus_c_slide": ("{R,U,S} loop", ("C*slide.S.U", "C*slide.U.S", "U.C*slide.S")),
    "loop_ccu": ("{C,C,U} loop", ("C.U.C", "C.C.U")),
    "loop_cuu": ("{C,U,U} loop", ("C.U.U", "U.C.U")),
    "loop_uuu": ("{U,U,U} loop", ("U.U.U",)),
    "loop_ccc": ("{C,C,C} loop", ("C.C.C",)),
    "loop_pue": ("{P,U,PL} loop", ("P.U.PL", "P.PL.U", "U.P.PL")),
    "loop_rce": ("{R,C,PL} loop", ("R.C.PL", "R.PL.C", "C.R.PL")),
    "loop_rue": ("{R,U,PL} loop", ("R.U.PL", "R.PL.U", "U.R.PL")),
    "ring_rrre": ("{R,R,R,PL} ring", ("R.R.R.PL", "R.R.PL.R")),
    "loop_rss": (f"{{R,S,S}} loop, {_ROD}", ("R.S.S",)),
    "loop_pss": (f"{{P,S,S}} loop, {_ROD}", ("P.S.S",)),
}

#: Loops with one driven freedom of a C or U: rare, and as long as the others; made on first use.
RARE: dict[str, tuple[str, tuple[str, ...]]] = {
    "loop_rus_u_angle1": ("{R,U,S} loop", ("U*angle1.S.U", "U*angle1.U.S", "U.U*angle1.S")),
    "loop_rus_u_angle2": ("{R,U,S} loop", ("U*angle2.S.U", "U*angle2.U.S", "U.U*angle2.S")),
    "loop_pus_c_angle": ("{P,U,S} loop", ("C*angle.S.U", "C*angle.U.S", "U.C*angle.S")),
    "loop_pcs_c_angle": ("{P,C,S} loop", ("C*angle.S.C", "C*angle.C.S", "C.C*angle.S")),
}


def derive(module_id: str) -> ModuleDerivation:
    """Derive one of `LOOPS` or `RARE` by its id."""
    title, texts = {**LOOPS, **RARE}[module_id]
    solved = []
    for text in texts:
        (chain,) = chains_of(f"{text} 3D")
        solver = find_solver(chain, (module_id, title))
        assert solver is not None, text  # noqa: S101 - all of them have kernels
        solved.append((chain, solver))
    _, first = solved[0]

    def arrange(position: Routine) -> tuple[Arrangement, ...]:
        return tuple(RingGroup(chain, solver.closing, position).arrangement() for chain, solver in solved)

    return ModuleDerivation(
        id=module_id,
        title=title,
        space="spatial",
        degree=first.modes,
        source=first.source,
        summary=first.summary,
        kernel=first.kernel(),
        arrange=arrange,
    )
