"""A whole mechanism as a module: its plan, the layout of inputs and results, and the words about it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from symgen.errors import SolveError
from symgen.ir.nodes import Routine, Stage
from symgen.library.solved_type import Library
from symgen.model.mechanism import Mechanism
from symgen.naming import check_identifier, identifier_from
from symgen.solve.branches import choose_branches
from symgen.solve.plan import GroupPlan, Plan, make_plan
from symgen.whole.compose import Routines, compose
from symgen.whole.layout import RESULTS, Drives, Geometry, Layout, make_layout

STAGES: tuple[Stage, ...] = ("position", "all")


@dataclass(frozen=True)
class WholeModule:
    """A mechanism ready to be composed.

    Parameters
    ----------
    id : name of the module.
    branch : branch of each group that the reference configuration lies on, None if it does not tell.
    """

    id: str
    plan: Plan
    layout: Layout
    branch: tuple[int, ...] | None

    @property
    def groups(self) -> tuple[GroupPlan, ...]:
        """The groups in solving order."""
        return self.plan.in_closed_form("whole mechanisms")

    @property
    def title(self) -> str:
        """What the files are about."""
        return f"whole mechanism {self.plan.mechanism.name}" if self.plan.mechanism.name else "whole mechanism"

    @property
    def source(self) -> str:
        """Where the equations come from."""
        modules = dict.fromkeys(group.solved.entry.manifest.id for group in self.groups)
        return f"the closed forms of its structural groups: {', '.join(modules)}"

    @property
    def summary(self) -> tuple[str, ...]:
        """Lines about what the functions solve."""
        laws = "the laws of its drives are compiled in" if self.layout.by_law else "its drives are inputs"
        frames = "its joint frames are inputs" if self.layout.geometry else "its geometry is folded in"
        text = f"All structural groups in solving order, each from those before; {laws}, {frames}."
        rows = [f"  {number}  {each.group.signature}: {', '.join(each.group.bodies)}" for number, each in self._groups]
        ranked = [str(number) for number, each in self._groups if each.solved.ranked]
        last = (
            f"Branches of group {', '.join(ranked)} are real zeros in ascending order: the number of a branch may"
            " change while the mechanism moves. Whoever follows one compares with the pose before; symgen solve does."
            if ranked
            else "A branch keeps its number until it meets another one (SINGULAR)."
        )
        return (*textwrap.wrap(text, 110), "", *rows, "", *textwrap.wrap(last, 110))

    @property
    def bits(self) -> tuple[str, ...]:
        """What the bits of the branch numbers mean, one line each."""
        return tuple(
            f"group {number}, bit {bit.bit} {bit.meaning}"
            for number, each in self._groups
            for bit in each.solved.entry.manifest.branch_bits
        )

    def routines(self, source: Routines) -> tuple[Routine, ...]:
        """Compose the routines of all stages."""
        return tuple(compose(self.plan, self.layout, source, stage) for stage in STAGES)

    @property
    def _groups(self) -> list[tuple[int, GroupPlan]]:
        return list(enumerate(self.groups, start=1))


def whole_module(
    mechanism: Mechanism,
    library: Library,
    *,
    module_id: str | None = None,
    drives: Drives = "laws",
    geometry: Geometry = "constants",
    results: Sequence[str] = RESULTS,
) -> WholeModule:
    """Take a mechanism apart and lay its module out.

    Parameters
    ----------
    library : where the solved types are found; nothing of it is compiled.
    module_id : name of the module; by default the mechanism's with ``_mechanism``.
    drives, geometry, results : see `symgen.whole.layout.make_layout`.

    Raises
    ------
    StructureError, MechanismError, UnsolvedTypeError
        As `symgen.solve` does: it is not determined, lacks geometry or laws, or a group has no solver.
    InputError
        The name cannot stand in code, or a result is unknown.
    """
    plan = make_plan(mechanism, library)
    plan.in_closed_form("whole mechanisms")
    name = check_identifier(module_id or f"{identifier_from(mechanism.name, 'whole')}_mechanism")
    try:
        branch: tuple[int, ...] | None = choose_branches(plan)
    except SolveError:  # the code is the same; whoever calls it chooses
        branch = None
    return WholeModule(name, plan, make_layout(plan, drives, geometry, results), branch)
