"""A whole mechanism as a module: its plan, the layout of inputs and results, and the words about it."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.ir.nodes import Routine, Stage
from symgen.library.frames import port_pose
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.naming import module_name
from symgen.solve.branches import mechanism_size
from symgen.solve.newton import NewtonPlan
from symgen.solve.plan import GroupPlan, Plan, make_plan
from symgen.whole.asked import RESULTS, Checks
from symgen.whole.beginning import Beginning, choose_beginning
from symgen.whole.compose import Pairs, Routines, compose, compose_begin
from symgen.whole.iterated import Iterated, iterated_group
from symgen.whole.layout import Drives, Geometry, PortLayout, make_layout

STAGES: tuple[Stage, ...] = ("position", "all")


@dataclass(frozen=True)
class WholeModule:
    """A mechanism ready to be composed.

    Parameters
    ----------
    id : name of the module.
    branch : branch of each group to begin with, None if the reference configuration does not tell.
    beginning : of followed branches, None if there are none, or if nothing tells where they begin.
    size : length of the mechanism [m].
    doubt : why the reference configuration does not tell the branches, in words; empty if it does.
    fixed, in_one, at_joints : as of `symgen.whole.compose.compose`.
    """

    id: str
    plan: Plan
    layout: PortLayout
    branch: tuple[int, ...] | None
    beginning: Beginning | None
    size: float
    doubt: str = ""
    fixed: tuple[int, ...] | None = None
    in_one: bool = False
    at_joints: bool = True

    @property
    def groups(self) -> tuple[GroupPlan | NewtonPlan, ...]:
        """The groups in solving order."""
        return self.plan.groups

    @property
    def title(self) -> str:
        """What the files are about."""
        return f"whole mechanism {self.plan.mechanism.name}" if self.plan.mechanism.name else "whole mechanism"

    @property
    def source(self) -> str:
        """Where the equations come from."""
        modules = dict.fromkeys(each.module for _, each in self._groups if isinstance(each, GroupPlan))
        parts = [f"the closed forms of its structural groups: {', '.join(modules)}"] if modules else []
        if self.layout.iterated:
            parts.append(
                "certified Newton (L. V. Kantorovich 1948) on the constraints of their pairs (A. Mueller 2015)"
            )
        return "; ".join(parts)

    @property
    def summary(self) -> tuple[str, ...]:
        """Lines about what the functions solve, and what branches mean to them."""
        return (*self.overview, "", *textwrap.wrap(self.about_branches(), 110))

    @property
    def overview(self) -> tuple[str, ...]:
        """Lines about what is solved, group by group."""
        laws = "the laws of its drives are compiled in" if self.layout.by_law else "its drives are inputs"
        frames = "its joint frames are inputs" if self.layout.geometry else "its geometry is folded in"
        text = f"All structural groups in solving order, each solved from those before it; {laws}, {frames}."
        rows = [
            f"  {number}  {each.group.signature}: {', '.join(each.group.bodies)}"
            f"{'' if number in self.layout.solved else ' (left out)'}"
            for number, each in enumerate(self.groups, start=1)
        ]
        if self.left_out:
            text += (
                " Groups that no result needs are left out, with their checks: OK does not mean that they can be "
                "assembled."
            )
        return (*textwrap.wrap(text, 110), "", *rows)

    def about_branches(self) -> str:
        """Say in words what numbers of branches mean and how they are followed."""
        signs = [str(number) for number, each in self._groups if each.branches > 1 and not each.ranked]
        ranked = [str(number) for number, each in self._groups if each.ranked]
        iterated = [str(each.number) for each in self.layout.iterated]
        parts = []
        if signs:
            parts.append(
                f"Branches of group {', '.join(signs)} are signs of square roots. They name a branch until it meets "
                "another one: after a change point the smooth motion has other signs."
            )
        if ranked:
            parts.append(
                f"Branches of group {', '.join(ranked)} are real zeros in ascending order: the number of a branch may"
                " change while the mechanism moves."
            )
        if iterated:
            parts.append(
                f"Group {', '.join(iterated)} has no closed form: position and motion give the solution that Newton's "
                "method finds from `start`, which are poses near it, such as those of the time before."
            )
        if not parts:
            return "Every group has one branch."
        rule = "" if self.layout.by_law else "; then take shorter steps: drives are not known between two calls"
        begin = "begin gives the state to begin with; " if self.beginning is not None else ""
        parts.append(
            f"{begin}follow continues smoothly from the state it gave for the time before, also through change points: "
            "SINGULAR at one and next to it (it writes the expected values of the smooth motion, and the state "
            f"continues), BRANCH_LOST or AMBIGUOUS if no branch is clearly the smooth one{rule}."
        )
        return " ".join(parts)

    @property
    def bits(self) -> tuple[str, ...]:
        """What the bits of the branch numbers mean, one line each."""
        return tuple(
            f"group {number}, bit {bit.bit} {bit.meaning}"
            for number, each in self._groups
            if isinstance(each, GroupPlan)
            for bit in each.solved.entry.manifest.branch_bits
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that there can be a routine of."""
        followed: tuple[Stage, ...] = ("follow",) if self.layout.followed else ()
        return (*STAGES, *followed, *(() if self.beginning is None else ("begin",)))

    def routines(self, source: Routines, pairs: Pairs, stages: Collection[Stage] | None = None) -> tuple[Routine, ...]:
        """Compose the routines of some stages, or of all; `pairs` are asked for only if a group has no closed form."""
        wanted = [stage for stage in self.stages if stages is None or stage in stages]
        iterated = self._iterated(pairs)
        found = [self._routine(source, iterated, stage) for stage in wanted if stage != "begin"]
        if self.beginning is not None and "begin" in wanted:
            found.append(compose_begin(self.layout, self.beginning.state, found[0].title))
        return tuple(found)

    def _routine(self, source: Routines, iterated: Mapping[int, Iterated], stage: Stage) -> Routine:
        """Compose one routine; no branch is fixed where it tries others when one is out of reach."""

        def composed(fixed: Sequence[int] | None) -> Routine:
            given = self.plan, self.layout, source, iterated, self.size, stage, fixed
            return compose(*given, in_one=self.in_one, at_joints=self.at_joints)

        found = composed(None)
        return found if self.fixed is None or found.lost_by_stage else composed(self.fixed)

    def _iterated(self, pairs: Pairs) -> dict[int, Iterated]:
        """Return what the kernel needs of each group that it solves; all share the kinds of pairs."""
        groups = [(number, each) for number, each in self._groups if isinstance(each, NewtonPlan)]
        if not groups:
            return {}
        every = pairs(self.plan.mechanism.space)
        used = {element.kind for _, each in groups for element in each.newton.plan.elements}
        used.add("turn_z")  # of all that the dispatch passes on, something has to use each
        own = [each for name, each in every.items() if name in used]
        given = {body: port_pose(self.plan.mechanism.body(body).pose, self.plan.mechanism.space)
                 for body in self.plan.mechanism.body_ids}  # fmt: skip
        return {number: iterated_group(each, number, given, own) for number, each in groups}

    @property
    def _groups(self) -> list[tuple[int, GroupPlan | NewtonPlan]]:
        """The groups that are solved, with their numbers."""
        return [each for each in enumerate(self.groups, start=1) if each[0] in self.layout.solved]

    @property
    def left_out(self) -> list[tuple[int, GroupPlan | NewtonPlan]]:
        """The groups that lead to no result, with their numbers."""
        return [each for each in enumerate(self.groups, start=1) if each[0] not in self.layout.solved]


def unchecked_lines(routines: Sequence[Routine]) -> tuple[str, ...]:
    """Say in words what position and motion do not check, since no result needs it; nothing if they check all."""
    groups: dict[str, list[int]] = {}
    for number, what in dict.fromkeys(each for routine in routines for each in routine.unchecked):
        groups.setdefault(what, []).append(number)
    if not groups:
        return ()
    text = (
        "Of some groups only joint coordinates are requested. They are solved without the rest of their group, and "
        "conditions that they do not need are not checked; --checks all checks these:"
    )
    rows = [f"  group {', '.join(map(str, numbers))}: {what}" for what, numbers in groups.items()]
    wrapped = [line for row in rows for line in textwrap.wrap(row, 110, subsequent_indent="    ")]
    return ("", *textwrap.wrap(text, 110), *wrapped)


def whole_module(
    mechanism: Mechanism,
    library: Library,
    *,
    module_id: str | None = None,
    drives: Drives = "laws",
    geometry: Geometry = "constants",
    results: Sequence[str] = RESULTS,
    checks: Checks = "needed",
    time: float = 0.0,
    assembly: int | None = None,
) -> WholeModule:
    """Take a mechanism apart and lay its module out.

    Parameters
    ----------
    library : where the solved types are found; nothing of it is compiled.
    module_id : name of the module; by default the mechanism's with ``_mechanism``.
    drives, geometry, results, checks : see `symgen.whole.layout.make_layout`.
    time : where followed branches begin [s].
    assembly : number of the assembly to begin with, as `symgen.assemblies(mechanism, time)` lists them; by default the
        one of the reference configuration.

    Raises
    ------
    StructureError, MechanismError, UnsolvedTypeError
        As `symgen.solve` does: it is not determined, lacks geometry or laws, or a group has no solver.
    InputError
        The name cannot stand in code, a result is unknown, or there is no assembly of this number.
    """
    plan = make_plan(mechanism, library)
    name = module_name(module_id, mechanism.name or Path(mechanism.file or "").stem, "mechanism", "whole")
    layout = make_layout(plan, drives, geometry, results, checks)
    branch, beginning, doubt = choose_beginning(mechanism, plan, layout, library, time, assembly)
    return WholeModule(name, plan, layout, branch, beginning, mechanism_size(plan), doubt)
