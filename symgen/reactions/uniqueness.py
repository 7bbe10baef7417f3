"""`symgen.reactions`: which joint reactions of a rigid mechanism are unique, at one position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from symgen.blas_threads import one_blas_thread
from symgen.errors import InputError, MechanismError
from symgen.model.face import MechanismOrPath, loaded
from symgen.model.mechanism import Mechanism
from symgen.model.named import Named, UnknownNameError
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.poses import IDENTITY, Array, matrix
from symgen.reactions.assembly_method import AssemblyMethod
from symgen.reactions.decision import CLEAR
from symgen.reactions.exact import exact_verdicts
from symgen.reactions.flexible import flexible_bodies
from symgen.reactions.questions import along, directions_of, effect_of, resultant, whole_of
from symgen.reactions.result import (
    ReactionsResult,
    ResultantUniqueness,
    SetUniqueness,
    SourceUniqueness,
    least_margin,
)
from symgen.reactions.self_stress import TOOLS, Openness, SelfStresses, self_stresses
from symgen.reactions.singular import does_work_in_a_part
from symgen.reactions.state_values import MechanismState, has_masses, state_at
from symgen.reactions.wrenches import WrenchSystem, wrench_system
from symgen.simulate.start.freedom_count import is_singular_by_positions_nearby
from symgen.simulate.start.initial import assembled
from symgen.simulate.tables.joint_rows import JointRows

Names: TypeAlias = str | Sequence[str]
#: Bodies beyond which positions nearby would cost more than all else.
_MOST = 100
#: Constraints this close to dependent are worth a word: numbers of files carry some seven digits.
_NEARLY = 1e-6


@one_blas_thread
def reactions(
    mechanism: MechanismOrPath,
    *,
    tool: str = "nullspace",
    sets: Iterable[Names] = (),
    resultants: Iterable[str] = (),
    directions: Iterable[str] = (),
    time: float | None = None,
) -> ReactionsResult:
    """Return which joint reactions of a mechanism are unique, and which parts of those that are not.

    Parameters
    ----------
    mechanism : joints with geometry; masses and laws only for values. Or the path of its file.
    tool : ``"nullspace"``: null space of the equations with loops cut; ``"rank"``, ``"qr"``, ``"svd"``: of the whole
        matrix of equilibrium, by ranks, pivoted orthogonalisation, singular values; ``"dca"``: divide and conquer.
    sets : of joints and drives ("joint.freedom"), each as names or one text with commas: are all their reactions
        unique, is what they do together unique.
    resultants : "body:A,B" or "body.point:A,B": is what these joints exert on the body unique, about its centre of
        mass or a named point.
    directions : "joint:x,y,z" or "joint:x,y,z,a,b,c": is the part x Fx + y Fy + z Fz (+ a Mx + b My + c Mz) of its
        reaction unique, world axes, about the joint centre on its second body.
    time : find the reactions in numbers too, at this time [s]: 0 is the initial state, later ones are simulated.
        Without masses the drives alone say where the bodies are then, and there are no numbers.

    Returns
    -------
    ReactionsResult
        ``.ok`` is False where ranks are ill-decided, in a singular configuration, and where no reactions fit.

    Raises
    ------
    MechanismError
        Geometry is lacking, joints do not close, a pair type without constraints, a flexible body.
    InputError
        A tool, joint or body that there is not; a joint of a resultant that is not on the body.

    Notes
    -----
    Source: M. Wojtyra, J. Fraczek 2013 (four tools); docs/reactions.md (functionals, cut loops, blocks).
    """
    given = loaded(mechanism, "reactions")
    if tool not in (*TOOLS, "dca"):
        raise InputError(f"tool {show(tool)}: use one of {', '.join((*TOOLS, 'dca'))}{did_you_mean(tool, TOOLS)}")
    if time is not None and not (np.isfinite(time) and time >= 0.0):
        raise InputError(f"time {time!r}: give a number of seconds, 0 or more")
    _check(given)
    state = state_at(given, time) if time is not None and has_masses(given) else None
    rows, poses = assembled(given, time=time or 0.0)
    if state is not None:
        poses = state.poses
    answer = _Answer(given, rows, poses, tool)
    if time and state is None:
        answer.require_place(time)
    return answer.result(list(map(_listed, sets)), list(resultants), list(directions), time, state)


def _check(mechanism: Mechanism) -> None:
    for body in mechanism.bodies:
        if body.beam is not None:
            raise MechanismError(
                "is a flexible beam: its stiffness decides what rigid bodies leave open, and `symgen accelerations` "
                "marks the joints that are still not unique. To ask about the rigid mechanism, remove `beam`",
                file=mechanism.file,
                field=f"bodies.{body.id}.beam",
            )
    mechanism.require_uncoupled("reactions")
    mechanism.require_frames()


def _listed(names: Names) -> list[str]:
    found = names.split(",") if isinstance(names, str) else list(names)
    found = [name.strip() for name in found if name.strip()]
    if not found:
        raise InputError(f"a set {names!r} names nothing; give joints separated by commas")
    return found


class _Answer:
    """Answers questions about one position."""

    def __init__(self, mechanism: Mechanism, rows: JointRows, poses: Array, tool: str) -> None:
        self.mechanism, self.rows, self.poses, self.tool = mechanism, rows, poses, tool
        self.system: WrenchSystem = wrench_system(rows, poses)
        self.stresses: SelfStresses = self_stresses(self.system, "nullspace" if tool == "dca" else tool)
        self.number = {source.name: k for k, source in enumerate(self.system.sources)}
        self._seen: list[Openness] = []
        self._assemblies = AssemblyMethod(self.system) if tool == "dca" else None
        self._apart: dict[str, None] = {}
        if self._assemblies is not None and self._assemblies.stresses.redundant != self.stresses.redundant:
            self._apart["how many constraints are redundant"] = None

    def result(
        self,
        sets: list[list[str]],
        resultants: list[str],
        directions: list[str],
        time: float | None,
        state: MechanismState | None,
    ) -> ReactionsResult:
        answered = {source.name: self._source(k) for k, source in enumerate(self.system.sources)}
        joints = {joint.id: answered[joint.id] for joint in self.mechanism.joints}
        drives = {s.name: answered[s.name] for s in self.system.sources if s.freedom is not None}
        asked = {",".join(names): self._set(names) for names in sets}
        exerted = {text: self._resultant(text) for text in resultants}
        ways = {text: self._direction(text) for text in directions}
        margin = least_margin([each.closest for each in self._seen])
        exact = self._exact(answered)
        flexible = flexible_bodies(self.stresses)
        notes, warnings = self._notes(time, state), list(state.messages if state is not None else ())
        if flexible is None:
            notes.append(
                "too many constraints are redundant to search for bodies that would make all reactions unique if they "
                "were flexible"
            )
        status = self._status(margin, state, warnings, notes)
        return ReactionsResult(
            mechanism=self.mechanism,
            status=status,
            tool=self.tool,
            time=time or 0.0,
            size=self.system.size,
            equations=self.system.equations,
            constraints=self.system.columns,
            rank=self.stresses.rank,
            gap=self.stresses.gap,
            margin=margin,
            exact=exact,
            joints=Named("joint", joints),
            drives=Named("drive", drives),
            sets=Named("set", asked),
            resultants=Named("resultant", exerted),
            directions=Named("direction", ways),
            flexible=tuple(flexible or ()),
            poses=self._frames(),
            values=None if state is None else state.values,
            assemblies=None if self._assemblies is None else self._assemblies.verdicts,
            steps=self._steps(),
            notes=tuple(notes),
            warnings=tuple(warnings),
        )

    def require_place(self, time: float) -> None:
        """Refuse a time at which drives alone do not say where the bodies are.

        Raises
        ------
        MechanismError
            Drives have no laws, or motions are left to forces.
        """
        self.mechanism.require_drives()
        free = self.system.equations - self.stresses.rank
        if free:
            raise MechanismError(
                f"where it is at t = {time:g} s is not known: {free} motions depend on forces, and masses or inertias "
                "are missing; give them, or drive all freedoms",
                file=self.mechanism.file,
            )

    # -- questions ---------------------------------------------------------------------------------------------------

    def _open(self, name: str, of: Callable[[SelfStresses], Openness]) -> int:
        """Return how much of a functional is open; with divide and conquer it is asked of both, who should agree."""
        found = of(self.stresses)
        self._seen.append(found)
        if self._assemblies is not None and of(self._assemblies.stresses).count != found.count:
            self._apart[name] = None
        return found.count

    def _source(self, number: int) -> SourceUniqueness:
        source = self.system.sources[number]
        count = self._open(source.name, partial(whole_of, number=number))
        components = {
            name: count == 0 or self._along(number, direction) for name, direction in source.directions.items()
        }
        found = directions_of(self.stresses, number, count)
        if self._assemblies is not None and self._assemblies.verdicts.joints.get(source.name, True) is not (count == 0):
            self._apart[source.name] = None
        return SourceUniqueness(count == 0, source.count, source.count - count, components, found.unique, found.open)

    def _numbers(self, names: Sequence[str], what: str) -> list[int]:
        for name in names:
            if name not in self.number:
                near = did_you_mean(name, self.number) or f"; there are {list_names(self.number)}"
                raise UnknownNameError(f"{what}: no joint or drive {show(name)}{near}")
        return [self.number[name] for name in dict.fromkeys(names)]

    def _along(self, number: int, direction: Array) -> bool:
        name = self.system.sources[number].name
        return self._open(name, partial(along, number=number, direction=direction)) == 0

    def _set(self, names: list[str]) -> SetUniqueness:
        text = f"the set {','.join(names)}"
        numbers = self._numbers(names, f"set {','.join(names)}")
        effect = effect_of(self.system, numbers)
        alone = sum(self._open(text, partial(whole_of, number=k)) for k in numbers)
        known = self._open(text, effect.openness_in) == 0
        method, once = self._assemblies, list(dict.fromkeys(names))
        if method is not None and all(map(method.holds, once)) and method.asks(once) != (known, alone == 0):
            self._apart[text] = None
        return SetUniqueness(alone == 0, known, effect.on, effect.rank, effect.columns)

    def _direction(self, text: str) -> bool:
        name, colon, numbers = text.rpartition(":")
        way = [number_or_none(each) for each in numbers.split(",")]
        if not colon or None in way or len(way) not in (3, 6) or not any(way):
            raise InputError(
                f"direction {show(text)}: write JOINT:x,y,z (of the force) or JOINT:x,y,z,a,b,c (and of the moment), "
                "numbers that are not all zero"
            )
        (number,) = self._numbers([name.strip()], f"direction {text}")
        wrench = np.array([*way, 0.0, 0.0, 0.0][:6], dtype=np.float64)
        wrench[3:] *= self.system.size  # the basis has moments over the size
        return self._along(number, wrench)

    def _resultant(self, text: str) -> ResultantUniqueness:
        where, colon, names = text.partition(":")
        if not colon:
            raise InputError(f"resultant {show(text)}: write BODY:A,B with the joints that act on the body")
        body, point = self._place(where.strip(), text)
        numbers = self._numbers(_listed(names), f"resultant {text}")
        for k in numbers:
            source = self.system.sources[k]
            if body not in source.ends:
                first, second = source.joint.bodies
                raise InputError(
                    f"resultant {show(text)}: {source.name} joins {first} and {second}, so it does not act on {where}"
                )
        asked = resultant(self.system, body, numbers, point)
        components = {name: self._open(f"the resultant {text}", part) == 0 for name, part in asked.items()}
        return ResultantUniqueness(all(components.values()), components, point)

    def _place(self, where: str, text: str) -> tuple[int, Array]:
        """Return the number of a body and a point (3,) [m, world]: a named one, or its centre of mass."""
        name, dot, point = where.partition(".")
        if name not in self.mechanism.body_ids:
            near = did_you_mean(name, self.mechanism.body_ids) or f"; there are {list_names(self.mechanism.body_ids)}"
            raise UnknownNameError(f"resultant {show(text)}: no body {show(name)}{near}")
        number, body = self.mechanism.body_ids.index(name), self.mechanism.body(name)
        pose = self.poses[number - 1] if number else IDENTITY
        if not dot:
            return number, np.array(pose[:3])
        if point not in body.points:
            near = did_you_mean(point, body.points) or f"; there are {list_names(body.points)}"
            raise UnknownNameError(f"resultant {show(text)}: body {name} has no point {show(point)}{near}")
        centre = np.array((body.com if number else None) or (0.0, 0.0, 0.0))
        return number, pose[:3] + matrix(pose[3:]) @ (np.array(body.points[point]) - centre)

    # -- what the answer is worth ------------------------------------------------------------------------------------

    def _steps(self) -> tuple[str, ...]:
        """Return how the tool came to its answer, in sentences."""
        if self._assemblies is not None:
            return self._assemblies.verdicts.steps
        how = {
            "nullspace": "the null space of D = Z^T A_c, loops cut and the tree's motions Z",
            "svd": "the null space of A by singular values",
            "qr": "the null space of A by orthogonalisation of A^T with pivoting",
            "rank": "ranks of A with rows L below it: rank [A; L] = rank A where L is unique",
        }[self.tool]
        blocks = [each.block for each in self.stresses.blocks]
        alone = sum(len(block.sources) == 1 for block in blocks)
        found = [
            f"{len(self.system.sources)} joints and drives hold {self.system.columns} constraints, "
            f"{self.system.equations} equations of equilibrium",
            f"{len(blocks)} parts that share no loop; {alone} of them are a single joint, which is unique",
        ]
        for each in self.stresses.blocks:
            if each.null.shape[1]:
                names = list_names(source.name for source in each.block.sources)
                found.append(
                    f"{names}: {each.block.columns} constraints of rank {each.decision.rank}, "
                    f"{each.null.shape[1]} redundant, gap {each.decision.gap:.2g}"
                )
        return (*found, f"verdicts by {how}: what a self-stress loads is not unique")

    def _frames(self) -> dict[str, Array]:
        """Return the place and orientation (7,) of every moving body's frame."""
        found = {}
        for body, pose in zip(self.mechanism.bodies, self.poses, strict=True):
            place = pose[:3] - matrix(pose[3:]) @ np.array(body.com or (0.0, 0.0, 0.0))
            found[body.id] = np.concatenate([place, pose[3:]])
        return found

    def _is_drawn(self) -> bool:
        """Tell whether the position is that of the drawing."""
        drawn = np.array([[*body.pose.r, *body.pose.q] for body in self.mechanism.bodies])
        coms = np.array([body.com or (0.0, 0.0, 0.0) for body in self.mechanism.bodies])
        drawn[:, :3] += (matrix(drawn[:, 3:]) @ coms[..., None])[..., 0]
        return bool(np.abs(drawn - self.poses).max(initial=0.0) <= 1e-9 * max(1.0, self.system.size))

    def _exact(self, answered: Mapping[str, SourceUniqueness]) -> bool | None:
        """Tell whether exact arithmetic gives the same rank and verdicts; None where it cannot be asked."""
        found = exact_verdicts(self.system) if self._is_drawn() else None
        if found is None:
            return None
        return found.rank == self.stresses.rank and all(
            found.open[name] == each.directions - each.unique_directions
            and dict(found.components[name]) == dict(each.components)
            for name, each in answered.items()
        )

    def _status(self, margin: float, state: MechanismState | None, warnings: list[str], notes: list[str]) -> str:
        if state is not None and not state.in_equilibrium:
            return "not_in_equilibrium"
        if self._apart:
            warnings.append(
                f"divide and conquer and the null space differ on {list_names(self._apart)}: G squares the condition "
                "of the constraints"
            )
            return "ill_decided"
        if not self.stresses.clear or margin < CLEAR:
            warnings.append(
                f"ranks are decided by a gap of {min(self.stresses.gap, margin):.3g} only (at least {CLEAR:g} is "
                "needed): give the geometry with all digits"
            )
            return "ill_decided"
        if self.stresses.least < _NEARLY:
            warnings.append(
                f"some constraints are dependent except for {self.stresses.least:.2g} of their size: if they are meant "
                "to be redundant, give the geometry with all digits"
            )
        if self.stresses.redundant and self._is_singular(notes):
            warnings.append(
                "the configuration is singular: joints hold less in it than nearby, or motions of first order cannot "
                "be continued; the verdicts are valid for this position only"
            )
            return "singular_configuration"
        return "OK"

    def _is_singular(self, notes: list[str]) -> bool:
        """Tell whether the position is singular: by second derivatives, and by positions nearby if that is cheap."""
        if does_work_in_a_part(self.stresses, self.rows, self.poses):
            return True
        if len(self.mechanism.bodies) <= _MOST:
            return is_singular_by_positions_nearby(self.mechanism, self.rows, self.poses)
        notes.append(
            f"beyond {_MOST} bodies symgen does not examine positions nearby: only second derivatives distinguish "
            "singular configurations from redundancy"
        )
        return False

    def _notes(self, time: float | None, state: MechanismState | None) -> list[str]:
        found = []
        if time is not None and state is None:
            found.append("no numerical reactions: masses, inertias or laws of drives are missing")
        return found


def number_or_none(text: str) -> float | None:
    """Return the finite number that a text is, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def readings(result: ReactionsResult) -> Mapping[str, str]:
    """Return for each set, in words, which question was asked."""
    found = {}
    for name, each in result.sets.items():
        count = len(set(name.split(",")))
        together = "what it does" if count == 1 else "what they do together"
        what = "the reaction is" if count == 1 else f"each of the {count} reactions is"
        on = (
            f"{together} to the mechanism freed from the ground"
            if each.effect_on == "mechanism"
            else f"{together} to each body"
        )
        found[name] = f"'reactions unique' asks whether {what} known, 'effect unique' whether {on} is"
    return found
