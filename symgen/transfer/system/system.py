"""A mechanism as a transfer system: bodies and hinges from the tips to the roots, loops closed by cut joints.

Every body has one output, the joint on its way to the ground, and as many inputs as it carries bodies. Joints that are
not on such a way are cut: each closes one independent loop, or holds a tip to the ground.

Inboard is the tip side, outboard the root side, and numbers grow from the tips to the root (Rui et al., automatic
deduction of the overall transfer equation). A hinge to the ground is a boundary condition, no element: its number is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.transfer.system.tree import GROUND, Ways, common_body, heights
from symgen.transfer.system.tree_choice import trees_of

__all__ = ["GROUND", "Hinge", "Loop", "TransferBody", "TransferSystem", "deduce", "deduce_others"]


@dataclass(frozen=True)
class Hinge:
    """A joint of the tree.

    Parameters
    ----------
    joint : its id.
    inboard : index in ``mechanism.bodies`` of the body on its tip side, whose output it is.
    outboard : of the body on its root side; `GROUND` for a root hinge.
    input : which input of the outboard body it is, from 1; 0 at the ground.
    reverse : True where the joint's first body is the outboard one: its coordinates then count the other way.
    number : of the element; 0 for a root hinge.
    """

    joint: str
    inboard: int
    outboard: int
    input: int
    reverse: bool
    number: int


@dataclass(frozen=True)
class TransferBody:
    """A body between its inputs and its output.

    Parameters
    ----------
    body : index in ``mechanism.bodies``.
    id : its id.
    output : the hinge towards the root; None for a free root.
    inputs : hinges of the bodies it carries, the first input first; none for a tip.
    number : of the element.
    """

    body: int
    id: str
    output: Hinge | None
    inputs: tuple[Hinge, ...]
    number: int


@dataclass(frozen=True)
class Loop:
    """A cut joint, which closes a loop.

    Parameters
    ----------
    joint : its id.
    inboard : index of the body on one side: that of the joint's first body, or the moving one at the ground.
    outboard : index of the other; `GROUND` for a grounded tip.
    reverse : True where the joint's first body is the outboard one.
    number : of the element; those of loops are the highest.
    closes : index of the first body whose subtree holds both sides; `GROUND` where the ground is the first.
    """

    joint: str
    inboard: int
    outboard: int
    reverse: bool
    number: int
    closes: int


@dataclass(frozen=True)
class TransferSystem:
    """Bodies in an order from tips to roots, the roots, and the loops.

    Parameters
    ----------
    mechanism : what it was deduced from.
    bodies : a body comes after all it carries.
    roots : the root hinge of each tree, None for a free root.
    loops : by number.
    """

    mechanism: Mechanism = field(repr=False)
    bodies: tuple[TransferBody, ...]
    roots: tuple[Hinge | None, ...]
    loops: tuple[Loop, ...]

    @cached_property
    def by_index(self) -> Mapping[int, TransferBody]:
        """Bodies by their index in ``mechanism.bodies``."""
        return {body.body: body for body in self.bodies}

    @cached_property
    def hinges(self) -> tuple[Hinge, ...]:
        """The hinges of the tree in the order of the bodies whose output they are, root hinges included."""
        return tuple(body.output for body in self.bodies if body.output is not None)

    @property
    def tips(self) -> tuple[TransferBody, ...]:
        """Bodies that carry none."""
        return tuple(body for body in self.bodies if not body.inputs)


def deduce(
    mechanism: Mechanism, *, root: str | None = None, cuts: Sequence[str] = (), single_root: bool = False
) -> TransferSystem:
    """Return tips, roots, loops and numbers of a mechanism.

    Parameters
    ----------
    root : a joint to the ground; the tree grows from it alone, other joints to the ground hold tips.
    cuts : the joints that close the loops, all of them (beside a `root`, other joints to the ground may be left out);
        by default chosen: short ways to the ground, few loops open at once.
    single_root : grow from one joint to the ground, chosen if `root` is not given.

    Raises
    ------
    MechanismError
        A joint that holds nothing, or of a type without a hinge; bodies without a way to the ground; a root that is no
        joint to the ground; cuts that are not as many as there are loops, or leave a body with two ways to the root
        (two outputs), or with none.
    """
    return _number(mechanism, trees_of(mechanism, root, cuts, single_root=single_root)[0])


def deduce_others(mechanism: Mechanism) -> Iterator[TransferSystem]:
    """Return what `deduce` would choose next: other trees, for where the first one meets a freedom without inertia."""
    for ways in trees_of(mechanism)[1:]:
        yield _number(mechanism, ways)


# -- numbers ---------------------------------------------------------------------------------------------------------


def _number(mechanism: Mechanism, ways: Ways) -> TransferSystem:
    """Return the system of a tree, its elements numbered level by level: bodies, then their outputs."""
    height = heights(ways)
    order = sorted(range(len(mechanism.bodies)), key=lambda k: (height[k], k))
    rank = {joint.id: k for k, joint in enumerate(mechanism.joints)}
    inputs: dict[int, list[int]] = {k: [] for k in (GROUND, *order)}
    for body, (joint, parent) in ways.output.items():
        if joint is not None:
            inputs[parent].append(body)
    for carried in inputs.values():
        carried.sort(key=lambda body: rank[_id(ways, body)])
    numbers: dict[tuple[str, int], int] = {}
    for level in range(max(height.values()) + 1):
        members = [k for k in order if height[k] == level]
        inner = [k for k in members if ways.output[k][0] is not None and ways.output[k][1] != GROUND]
        for kind, each in (("body", members), ("hinge", inner)):
            numbers |= {(kind, k): len(numbers) + 1 + i for i, k in enumerate(each)}
    hinges = {k: _hinge(mechanism, ways, inputs, k, numbers.get(("hinge", k), 0)) for k in order}
    bodies = tuple(
        TransferBody(
            k, mechanism.bodies[k].id, hinges[k],
            tuple(hinge for each in inputs[k] if (hinge := hinges[each]) is not None), numbers["body", k],
        )
        for k in order
    )  # fmt: skip
    roots = tuple(body.output for body in bodies if body.output is None or body.output.outboard == GROUND)
    loops = tuple(_loop(mechanism, ways, joint, len(numbers) + 1 + k) for k, joint in enumerate(ways.cut))
    return TransferSystem(mechanism, bodies, roots, loops)


def _id(ways: Ways, body: int) -> str:
    joint = ways.output[body][0]
    return joint.id if joint is not None else ""


def _hinge(
    mechanism: Mechanism, ways: Ways, inputs: Mapping[int, Sequence[int]], body: int, number: int
) -> Hinge | None:
    joint, parent = ways.output[body]
    if joint is None:
        return None
    outboard = mechanism.ground if parent == GROUND else mechanism.bodies[parent].id
    place = 0 if parent == GROUND else inputs[parent].index(body) + 1
    return Hinge(joint.id, body, parent, place, joint.bodies[0] == outboard, number)


def _loop(mechanism: Mechanism, ways: Ways, joint: Joint, number: int) -> Loop:
    index = {body.id: k for k, body in enumerate(mechanism.bodies)}
    one, two = (index.get(name, GROUND) for name in joint.bodies)
    reverse = one == GROUND
    inboard, outboard = (two, one) if reverse else (one, two)
    return Loop(joint.id, inboard, outboard, reverse, number, common_body(ways, inboard, outboard))
