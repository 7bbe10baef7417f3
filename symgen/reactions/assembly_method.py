"""Uniqueness by divide and conquer: the paper's method, step by step.

The bodies are joined two by two by the joints between them to one assembly whose handles are the joints to the ground
(`symgen.transfer.assemblies.assemblies`). With Phi its compound inverse inertia and T what the ground joints transmit,
G = T^T Phi T belongs to their reactions: four tools ask of a set of columns whether their effect G_T lambda_T is
unique, and whether each of them is. What joints between bodies transmit follows by steps from body to body, whole
reactions only. Back down the tree, the null space of G gives the self-stress of every joint, and with it components,
sets and resultants (L N = 0), which the paper leaves open. G squares the condition of the constraints: see
docs/reactions.md.

Numbers stand for the names of the sources of a `WrenchSystem`; a joint and its drives are joined as one.

Source: the divide-and-conquer form of the uniqueness analysis of M. Wojtyra, J. Fraczek 2013, on assemblies of
R. Featherstone 1999.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.reactions.decision import Decision, decide, judge, pivoted_null, rank_of
from symgen.reactions.self_stress import SelfStresses, given_stresses, open_part
from symgen.reactions.wrenches import Source, WrenchSystem
from symgen.topology.loops.spanning_tree import forest
from symgen.transfer.assemblies.assemblies import JoinedHinge, Masses, SingularJoinError, leaves, wrenches_of
from symgen.transfer.assemblies.method import BinaryTree, grow

_INSTEAD = "the general method (--tool nullspace) can"


@dataclass(frozen=True, eq=False)
class AssemblyVerdicts:
    """What the method finds.

    Parameters
    ----------
    size, rank : of G.
    ground : joint to the ground (or its drive) -> whether its reaction is unique.
    joints : the same of all joints and drives, after the steps from body to body.
    steps : how it came to that, in sentences.
    """

    size: int
    rank: int
    ground: Mapping[str, bool]
    joints: Mapping[str, bool]
    steps: tuple[str, ...]


class AssemblyMethod:
    """The method on one mechanism at one position.

    Raises
    ------
    InputError
        Joints between moving bodies close a loop, or hold one body to another twice (U is singular).
    """

    def __init__(self, system: WrenchSystem) -> None:
        self._system = system
        self._steps: list[str] = []
        self._joined = _composites(system)
        ground = [name for name, each in self._joined.items() if 0 in each[0].ends]
        self._columns: dict[str, slice] = {}
        tree = self._join([name for name in self._joined if name not in ground])
        self.matrix, self._scales = self._compound(tree, ground)
        self._tools = _tools(self.matrix)
        self.stresses = self._back(tree, ground)
        self.verdicts = self._verdicts(ground)

    # -- assembling --------------------------------------------------------------------------------------------------

    def _join(self, inner: Sequence[str]) -> BinaryTree:
        mechanism, system = self._system.mechanism, self._system
        _refuse_loops(mechanism, {name: self._joined[name][0].ends for name in inner})
        masses = self._masses()
        hinges = {name: self._hinge(name) for name in self._joined}
        every = [hinges[name] for name in self._joined]
        try:
            tree = grow(leaves(masses, every, range(len(mechanism.bodies))), [hinges[name] for name in inner])
        except SingularJoinError as singular:
            raise InputError(
                f"tool dca: U of joint {singular.joint} is singular, because its drives and constraints hold the same "
                f"motion twice: {_INSTEAD}"
            ) from None
        self._say(
            f"step 1: {len(system.mechanism.bodies)} bodies, each an assembly of its own with a handle for each joint. "
            "All have the same mass and inertia; this changes no verdict"
        )
        for number, joins in enumerate(tree.levels, start=1):
            words = ", ".join(
                f"{join.hinge.joint} ({len(join.first.bodies)} + {len(join.second.bodies)} bodies)"
                for join in joins[:8]
            )
            more = f" and {len(joins) - 8} more" if len(joins) > 8 else ""
            self._say(f"step 2, level {number}: joined by {words}{more}; every U is regular")
        return tree

    def _masses(self) -> Masses:
        """Return the bodies in sizes, all of mass one and inertia one.

        Masses change no verdict; a light body on a heavy one would only spoil the condition of G.
        """
        count = len(self._system.mechanism.bodies)
        none = np.zeros((count, 3))
        inertia = np.tile(np.eye(3), (count, 1, 1))
        return Masses(np.ones(count), inertia, self._system.places / self._system.size, none, none, none)

    def _hinge(self, name: str) -> JoinedHinge:
        sources = self._joined[name]
        first, second = sources[0].ends
        held = np.concatenate([source.basis for source in sources], axis=1)
        point = sources[0].centre / self._system.size
        return JoinedHinge(name, (first - 1, second - 1), point, held, np.zeros(6), np.zeros(6))

    def _compound(self, tree: BinaryTree, ground: Sequence[str]) -> tuple[Array, Array]:
        """Return G = T^T Phi T of all ground joints, columns of unit size, and the sizes they had."""
        start = 0
        for name in ground:
            for source in self._joined[name]:
                self._columns[source.name] = slice(start, start + source.count)
                start += source.count
        found = np.zeros((start, start))
        order = 0
        for assembly in tree.roots:
            names = [joint for joint, _ in assembly.handles]
            order += 6 * len(names)
            for i, one in enumerate(names):
                for j, two in enumerate(names):
                    for a in self._joined[one]:
                        for b in self._joined[two]:
                            part = self._sided(a).T @ assembly.phi[i, j] @ self._sided(b)
                            found[self._columns[a.name], self._columns[b.name]] = part
        sizes = np.sqrt(np.maximum(np.diag(found), 0.0))
        scales = np.where(sizes > 0.0, sizes, 1.0)
        self._say(
            f"step 3: Phi of the whole {order} x {order}, T {order} x {start}, G = T^T Phi T {start} x {start}: "
            f"{len(ground)} joints to the ground"
        )
        return found / np.outer(scales, scales), scales

    def _back(self, tree: BinaryTree, ground: Sequence[str]) -> SelfStresses:
        """Return the self-stresses: the null space of G on the ground, what they are in each joint down the tree."""
        decision = self._tools[1] if self._tools else decide(self.matrix)
        given = decision.null / self._scales[:, None]
        amounts: dict[str, Array] = {name: given[columns] for name, columns in self._columns.items()}
        for k in range(given.shape[1]):
            outer = {}
            for name in ground:
                sources = self._joined[name]
                wrench = sum(self._sided(source) @ amounts[source.name][:, k] for source in sources)
                outer[name, max(sources[0].ends) - 1] = np.asarray(wrench)
            exerted = wrenches_of(tree.levels, outer)
            for name in self._joined:
                if name not in ground:
                    self._share(amounts, name, exerted[name, self._joined[name][0].ends[1] - 1], k, given.shape[1])
        for source in self._system.sources:
            amounts.setdefault(source.name, np.zeros((source.count, 0)))
        return given_stresses(self._system, amounts, decision)

    def _share(self, amounts: dict[str, Array], name: str, wrench: Array, k: int, count: int) -> None:
        """Fill in what a joint between bodies and its drives make up a wrench on its second body of."""
        sources = self._joined[name]
        found = np.linalg.lstsq(np.concatenate([source.basis for source in sources], axis=1), wrench, rcond=None)[0]
        for source, part in zip(sources, np.split(found, np.cumsum([s.count for s in sources])[:-1]), strict=True):
            amounts.setdefault(source.name, np.zeros((source.count, count)))[:, k] = part

    def _sided(self, source: Source) -> Array:
        """Return the wrenches on the moving body."""
        return source.basis if source.ends[0] == 0 else -source.basis

    # -- verdicts ----------------------------------------------------------------------------------------------------

    def _verdicts(self, ground: Sequence[str]) -> AssemblyVerdicts:
        rank = self._tools[0].rank if self.matrix.size else 0
        found = {source.name: self.asks([source.name])[1] for name in ground for source in self._joined[name]}
        open_ = [name for name, unique in found.items() if not unique]
        self._say(
            f"step 4: rank G = {rank} of {len(self.matrix)}; "
            + (f"not unique on the ground: {', '.join(open_)}" if open_ else "all reactions on the ground are unique")
        )
        known = {name: all(found[source.name] for source in self._joined[name]) for name in ground}
        for name in found:
            self._say(self._compared(name, unique=found[name]))
        self._propagate(known)
        self._say(
            f"back down the tree: the null space of G, {len(self.matrix) - rank} of {len(self.matrix)}, gives "
            "self-stresses of every joint: components, sets, resultants by L N = 0, compared with the null space of A"
        )
        joints = dict(found)
        for name, unique in known.items():
            for source in self._joined[name]:
                if source.name not in joints:
                    if not unique and len(self._joined[name]) > 1:
                        raise InputError(
                            f"tool dca: joint {name} between moving bodies is driven, and not unique together with its "
                            f"drive; the steps decide about whole reactions, not about their parts: {_INSTEAD}"
                        )
                    joints[source.name] = unique
        return AssemblyVerdicts(len(self.matrix), rank, found, joints, tuple(self._steps))

    def _compared(self, name: str, *, unique: bool) -> str:
        """Return what the four tools say of one source on the ground."""
        one, two, whole = self._ranks([name])
        sign = "=" if one + two == whole else ">"
        return (
            f"step 4, {name}: rank G_T + rank G_R = {one} + {two} {sign} {whole} = rank G: "
            f"{'unique' if unique else 'not unique'}; QR, SVD and null space of G say the same"
        )

    def _ranks(self, names: Sequence[str]) -> tuple[int, int, int]:
        """Return rank of G_T, the columns of a set of ground joints, of G_R, the others, and of G."""
        mine = self._own(names)
        others = np.setdiff1d(np.arange(len(self.matrix)), mine)
        return rank_of(self.matrix[:, mine]), rank_of(self.matrix[:, others]), rank_of(self.matrix)

    def _own(self, names: Sequence[str]) -> NDArray[Any]:
        return np.concatenate([np.arange(len(self.matrix))[self._columns[name]] for name in names])

    def asks(self, names: Sequence[str]) -> tuple[bool, bool]:
        """Return whether the effect of a set of ground joints is unique, and whether each reaction is.

        Raises
        ------
        InputError
            The four tools do not agree: G is too ill-conditioned to tell.
        """
        mine = self._own(names)
        one, two, whole = self._ranks(names)
        effects = [one + two == whole]
        for tool in self._tools:
            image = self.matrix[:, mine] @ tool.null[mine]
            effects.append(open_part(image, tool.tolerance).count == 0 if image.size else True)
        if len(set(effects)) > 1:
            raise InputError(
                f"tool dca: ranks, QR, SVD and null space of G do not agree on {', '.join(names)} ({effects}): "
                f"G squares the condition of the constraints; {_INSTEAD}"
            )
        return effects[0], effects[0] and one == len(mine)

    def holds(self, name: str) -> bool:
        """Tell whether a joint or drive acts on the ground."""
        return name in self._columns

    def _propagate(self, known: dict[str, bool]) -> None:
        """Decide the other joints body by body."""
        on: dict[int, list[str]] = {k: [] for k in range(1, len(self._system.mechanism.bodies) + 1)}
        for name, sources in self._joined.items():
            for body in sources[0].ends:
                if body:
                    on[body].append(name)
        bodies = self._system.mechanism.bodies
        while True:
            decided = False
            for body, joints in on.items():
                left = [name for name in joints if name not in known]
                if len(left) != 1:
                    continue
                open_ = [name for name in joints if name not in left and not known[name]]
                if len(open_) > 1:
                    continue
                (name,) = left
                known[name] = not open_
                decided = True
                self._say(_step(bodies[body - 1].id, name, len(joints), open_))
            if not decided:
                break
        undecided = [name for name in self._joined if name not in known]
        if undecided:
            raise InputError(
                f"tool dca: the steps do not decide {', '.join(undecided[:8])}, because bodies with several open "
                f"joints are in between; {_INSTEAD}"
            )

    def _say(self, words: str) -> None:
        self._steps.append(words)


def _step(body: str, joint: str, count: int, open_: Sequence[str]) -> str:
    if count == 1:
        return f"step 5: {body} has one joint, {joint}, which is unique"
    if count == 2:
        word = "not unique, as the other one" if open_ else "unique, as the other one"
        return f"step 6: {body} has two joints: {joint} is {word}"
    if open_:
        return (
            f"step 8: all joints of {body} but {joint} are decided, and {open_[0]} alone is open: {joint} is not unique"
        )
    return f"step 7: all other joints of {body} are unique: {joint} is unique"


def _composites(system: WrenchSystem) -> dict[str, list[Source]]:
    """Return joint -> itself and its drives, of joints that transmit anything."""
    found: dict[str, list[Source]] = {}
    for source in system.sources:
        if source.count:
            found.setdefault(source.joint.id, []).append(source)
    return found


def _refuse_loops(mechanism: Mechanism, ends: Mapping[str, tuple[int, int]]) -> None:
    names = list(ends)
    parents, _ = forest(len(mechanism.bodies) + 1, [ends[name] for name in names])
    used = set(parents)
    closing = [name for k, name in enumerate(names) if k not in used]
    if closing:
        raise InputError(
            f"tool dca joins assemblies by one joint at a time, and {', '.join(closing[:8])} "
            f"close{'s' if len(closing) == 1 else ''} a loop between moving bodies, where U is singular: {_INSTEAD}"
        )


def _tools(matrix: Array) -> list[Decision]:
    """Return the null space of G by orthogonalisation, singular values and eigenvectors."""
    if not matrix.size:
        return []
    values, vectors = np.linalg.eigh(matrix)
    rank, gap, least, tolerance = judge(values[::-1], len(matrix))
    return [
        pivoted_null(matrix),
        decide(matrix),
        Decision(rank, gap, least, tolerance, vectors[:, : len(matrix) - rank]),
    ]
