"""Automatic deduction of the overall transfer equation of any topology: tips, columns, row blocks and their order.

The states of the tips are carried to the roots. Every input of a body but one, its main input, gives a geometric
equation; every loop, cut at the inboard side of its loop hinge, gives two tips and a supplement equation. In the
transparent variant (all hinges balls, in the plane all pins) a main equation binds the state of each root; in the
opaque one (any hinges) a root gives the equations of its hinge, and the force rows of a hinge stand in the overall
equation where no elimination has used them up: the leftover rows.

A hinge is eliminated with the force rows of the hinge at the output of its outboard body, which must have as many
freedoms. Main inputs and the sides of loop hinges are chosen so where there is a choice; what remains is refused.

Source: X. Rui et al., Automatic deduction theorem of overall transfer equation of multibody systems (2014) and the
acceleration form of 2018; opaque variant, leftover rule and tips on the ground: ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.errors import MechanismError
from symgen.model.parts import Joint
from symgen.transfer.overall.equation import (
    BodyInput,
    DeducedBody,
    OverallEquation,
    RowBlock,
    Tip,
    Variant,
    freedoms_of,
    is_root,
)
from symgen.transfer.system.system import GROUND, Loop, TransferSystem

USE_RICCATI = 'use method "riccati", which needs no such condition'


class NoOverallEquationError(MechanismError):
    """A mechanism has no overall transfer equation; `facts` say why, without what a solver could use instead."""

    def __init__(self, facts: str, *, file: str | None, field: str) -> None:
        self.facts = facts
        super().__init__(f"{facts}; {USE_RICCATI}", file=file, field=field)


def deduce_equation(system: TransferSystem, variant: Variant | None = None) -> OverallEquation:
    """Return the overall transfer equation of a system.

    Parameters
    ----------
    system : from `deduce`; for one overall equation with one root as the theorem has it, deduced
        with ``single_root=True``. Several roots give a main equation each.
    variant : by default transparent where all hinges allow it, else opaque.

    Raises
    ------
    MechanismError
        The far-side assumption does not hold: hinges in sequence have unequal freedoms, with their ids; or the
        transparent variant is asked for where a hinge is no ball (in the plane: no pin) or a body is flexible.
    """
    return _Deduction(system, variant).equation()


class _Deduction:
    def __init__(self, system: TransferSystem, variant: Variant | None) -> None:
        self.system, self.mechanism = system, system.mechanism
        self.width = self.mechanism.freedom_count
        self.joints = {joint.id: joint for joint in self.mechanism.joints}
        self.tips: list[Tip] = []
        flexible = [body.id for body in self.mechanism.bodies if body.beam is not None]
        self.variant: Variant = variant or ("opaque" if flexible or self._opaque_joints() else "transparent")
        if variant == "transparent" and flexible:
            raise MechanismError(
                "moves its output also by the moment at its other end, which the transparent variant passes on "
                "unchanged; use the opaque variant",
                file=self.mechanism.file,
                field=f"bodies.{flexible[0]}.beam",
            )
        if variant == "transparent" and (wrong := self._opaque_joints()):
            pair = "ball joints (S)" if self.width == 6 else "pins (R)"
            raise MechanismError(
                f"is of type {wrong[0].type}{' and driven' if wrong[0].driven else ''}; the transparent variant is for "
                f"systems of undriven {pair} only, the opaque one for any hinges",
                file=self.mechanism.file,
                field=f"joints.{wrong[0].id}",
            )

    def _opaque_joints(self) -> list[Joint]:
        """Return the joints that the transparent variant does not take."""
        smooth = "S" if self.width == 6 else "R"
        free_roots = {
            hinge.joint
            for hinge in self.system.roots
            if hinge is not None and freedoms_of(self.joints[hinge.joint]) == self.width
        }
        return [
            joint
            for joint in self.mechanism.joints
            if (joint.type != smooth or joint.driven) and joint.id not in free_roots
        ]

    def equation(self) -> OverallEquation:
        entries = self._entries()
        self._number_tips(entries)
        steps = self._steps(entries)
        self._refuse_unequal(steps)
        transparent = self.variant == "transparent"
        equation = OverallEquation(
            self.system, self.variant, self.width, tuple(self.tips), steps, tuple(self._blocks(steps)),
            self.width if transparent else 0,
        )  # fmt: skip
        _assert_square(equation)
        return equation

    # -- inputs ------------------------------------------------------------------------------------------------------

    def _entries(self) -> dict[int, list[BodyInput]]:
        """Return the inputs of each body, the main input first; tips are numbered later."""
        found = {
            body.body: [
                BodyInput(
                    hinge.input, hinge.joint, hinge.reverse, hinge.number, self._free(hinge.joint), hinge.inboard, 0
                )
                for hinge in body.inputs
            ]
            for body in self.system.bodies
        }

        def add(body: int, joint: str, number: int, *, reverse: bool, tip: int) -> None:
            free = self._free(joint) if joint else 0
            found[body].append(BodyInput(len(found[body]) + 1, joint, reverse, number, free, GROUND, tip))

        # A tip is known by its loop for the moment: its number, negative on the side of the hinge.
        self.loops = [self._directed(loop) for loop in self.system.loops]
        for loop in self.loops:
            add(loop.inboard, "", 0, reverse=False, tip=loop.number)
            if loop.outboard != GROUND:
                add(loop.outboard, loop.joint, loop.number, reverse=loop.reverse, tip=-loop.number)
        for body, listed in found.items():
            if not listed:
                add(body, "", 0, reverse=False, tip=0)
            self._main_first(body, listed)
        return found

    def _free(self, joint: str) -> int:
        return freedoms_of(self.joints[joint])

    def _output_freedoms(self, body: int) -> int:
        output = self.system.by_index[body].output
        return self.width if output is None else self._free(output.joint)

    def _fits(self, freedoms: int, body: int) -> bool:
        """Tell whether a hinge with these freedoms can be the main input of a body."""
        return freedoms in (0, self._output_freedoms(body)) or self._output_freedoms(body) == self.width

    def _directed(self, loop: Loop) -> Loop:
        """Return a loop, the other way round if its hinge then is no main input that does not fit."""
        tip = not self.system.by_index[loop.outboard].inputs if loop.outboard != GROUND else False
        if not tip or self._fits(self._free(loop.joint), loop.outboard):
            return loop
        other = self.system.by_index[loop.inboard]
        if other.inputs or self._fits(self._free(loop.joint), loop.inboard):
            return Loop(loop.joint, loop.outboard, loop.inboard, not loop.reverse, loop.number, loop.closes)
        return loop

    def _main_first(self, body: int, listed: list[BodyInput]) -> None:
        """Move the main input to the front: a hinge of the tree that fits, else a tip on the body, else the first."""
        tree = [entry for entry in listed if entry.source != GROUND and self._fits(entry.freedoms, body)]
        bare = [entry for entry in listed if not entry.joint]
        cut = [entry for entry in listed if self._fits(entry.freedoms, body)]
        main = next(iter((*tree, *bare, *cut)), listed[0])
        listed.remove(main)
        listed.insert(0, main)

    def _number_tips(self, entries: dict[int, list[BodyInput]]) -> None:
        number_of: dict[int, int] = {}
        loops = {loop.number: loop for loop in self.loops}
        for body, listed in entries.items():
            for k, entry in enumerate(listed):
                if entry.source != GROUND:
                    continue
                number = len(self.tips) + 1
                listed[k] = BodyInput(
                    entry.input, entry.joint, entry.reverse, entry.number, entry.freedoms, GROUND, number
                )
                self.tips.append(self._tip(number, body, entry.tip, loops))
                number_of[entry.tip] = number
        for k, tip in enumerate(self.tips):
            if tip.kind in ("cut body", "cut hinge"):
                loop = next(loop for loop in self.loops if loop.joint == tip.joint)
                partner = number_of[-loop.number if tip.kind == "cut body" else loop.number]
                self.tips[k] = Tip(tip.number, tip.kind, tip.body, tip.joint, partner, tip.unknowns)

    def _tip(self, number: int, body: int, mark: int, loops: Mapping[int, Loop]) -> Tip:
        if mark == 0:
            return Tip(number, "free", body, "", 0, self.width)
        loop = loops[abs(mark)]
        if loop.outboard == GROUND:
            return Tip(number, "ground", body, loop.joint, 0, self.width)
        return Tip(number, "cut body" if mark > 0 else "cut hinge", body, loop.joint, 0, 2 * self.width)

    # -- steps and rows ----------------------------------------------------------------------------------------------

    def _steps(self, entries: Mapping[int, Sequence[BodyInput]]) -> tuple[DeducedBody, ...]:
        highest = max(
            [body.number for body in self.system.bodies]
            + [hinge.number for hinge in self.system.hinges]
            + [loop.number for loop in self.system.loops]
        )
        carried: dict[int, tuple[int, ...]] = {}
        steps = []
        for body in self.system.bodies:
            listed = tuple(entries[body.body])
            tips = sorted(k for entry in listed for k in (carried[entry.source] if not entry.tip else (entry.tip,)))
            carried[body.body] = tuple(tips)
            highest += len(listed) > 1
            branch = highest if len(listed) > 1 else 0
            steps.append(
                DeducedBody(body, listed, listed[0].freedoms > 0, self._output_freedoms(body.body), branch, tuple(tips))
            )
        return tuple(steps)

    def _refuse_unequal(self, steps: Sequence[DeducedBody]) -> None:
        found = []
        for step in steps:
            main = step.entries[0]
            if self._fits(main.freedoms, step.body.body) or step.body.output is None:
                continue
            one, two = self.joints[main.joint], self.joints[step.body.output.joint]
            found.append((one, two, step.body.id))
        if not found:
            return
        words = [
            f"{one.id} ({_freedoms(one)}) enters {body}, whose output is {two.id} ({_freedoms(two)})"
            for one, two, body in found[:3]
        ]
        more = f", and {len(found) - 3} more such pairs" if len(found) > 3 else ""
        raise NoOverallEquationError(
            f"unequal freedoms: {'; '.join(words)}{more}. The direct transfer method eliminates a hinge with the force "
            "rows of the next one, which needs equal freedoms",
            file=self.mechanism.file,
            field=f"joints.{found[0][0].id}",
        )

    def _blocks(self, steps: Sequence[DeducedBody]) -> list[RowBlock]:
        opaque = self.variant == "opaque"
        blocks = [] if opaque else [block for step in steps if is_root(step.body) for block in self._root(step)]
        blocks += [block for step in steps for block in self._leftover(step)] if opaque else []
        blocks += [block for step in steps for block in self._geometric(step)]
        blocks += [block for step in steps if is_root(step.body) for block in self._root(step)] if opaque else []
        pairs = [(tip, self.tips[tip.partner - 1]) for tip in self.tips if tip.kind == "cut body"]
        for tip, other in pairs:
            both = tuple(sorted((tip.number, other.number)))
            blocks.append(RowBlock("supplement", tip.body, 0, tip.joint, 2 * self.width, both))
        return blocks

    def _root(self, step: DeducedBody) -> list[RowBlock]:
        joint = step.body.output.joint if step.body.output is not None else ""
        if self.variant == "transparent":
            return [RowBlock("main", step.body.body, 0, joint, 2 * self.width, step.tips)]
        rows = self.width - step.output_freedoms
        return [RowBlock("root", step.body.body, 0, joint, rows, step.tips)] if rows else []

    def _leftover(self, step: DeducedBody) -> list[RowBlock]:
        """Force rows of loop hinges at their tips, and of the output as far as no elimination used them up."""
        found = [
            RowBlock("leftover", step.body.body, 0, entry.joint, entry.freedoms, (entry.tip,))
            for entry in step.entries
            if entry.tip and entry.freedoms
        ]
        rows = step.output_freedoms - (step.entries[0].freedoms if step.eliminates else 0)
        joint = step.body.output.joint if step.body.output is not None else ""
        return [*found, *([RowBlock("leftover", step.body.body, 0, joint, rows, step.tips)] if rows else [])]

    def _geometric(self, step: DeducedBody) -> list[RowBlock]:
        found = []
        for entry in step.entries[1:]:
            rows = self.width if self.variant == "transparent" else self.width - entry.freedoms
            if rows:
                found.append(RowBlock("geometric", step.body.body, entry.input, entry.joint, rows, step.tips))
        return found


def _freedoms(joint: Joint) -> str:
    free = freedoms_of(joint)
    return f"{joint.type}, {free} {'freedom' if free == 1 else 'freedoms'}"


def _assert_square(equation: OverallEquation) -> None:
    """Assert the order that the theorem gives; a fault of ours if it is not."""
    width = equation.width
    ends = sum(tip.kind in ("free", "ground") for tip in equation.tips)
    loops, roots = (len(equation.tips) - ends) // 2, len(equation.roots)
    if equation.variant == "transparent":
        rows = 2 * width * roots + width * (len(equation.tips) - roots) + 2 * width * loops
    else:
        rows = width * ends + 4 * width * loops
    if not equation.order == equation.unknowns == rows:
        raise AssertionError(f"{equation.order} rows, {equation.unknowns} unknowns; the theorem gives {rows}")
