"""Systems that the special engines take: bodies on ball joints, planar bodies on pins, as tables in postorder."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import Array
from symgen.simulate.special.loops import SpecialLoop

Kind = Literal["ball", "planar"]
Integers = NDArray[np.int64]
GROUND = -1
#: The engine keeps what any two loops have in common: more of them are the general engine's.
MOST_LOOPS = 64
#: Which joints, in which space, make which kind.
_JOINTS: dict[str, tuple[Kind, str]] = {"spatial": ("ball", "S"), "planar": ("planar", "R")}
_SIZES: dict[Kind, int] = {"ball": 3, "planar": 2}


@dataclass(frozen=True)
class SpecialTree:
    """A forest of n bodies, each carried by one ball joint (or pin), in postorder: what a body carries comes before it.

    Parameters
    ----------
    parent : (n,) number of the body that carries it, -1 for the ground.
    mass : (n,) [kg].
    inertia : (n, 6) xx yy zz xy xz yz about the centre of mass, body axes, as entries of the matrix; planar (n,).
    output : (n, 3) or (n, 2) from its centre of mass to the joint that carries it [m, body axes].
    input : (n, 3) or (n, 2) the same joint on the body that carries it, from that one's centre of mass [m, its axes];
        on the ground its place in the world.
    gravity : (3,) or (2,) [m/s^2, world].
    order : (n,) which body of the caller each one is.
    loops : joints besides those of the tree; their bodies are numbers of the tree.
    joints : (n,) which joint of the mechanism carries it; empty without a mechanism.
    sides : (n,) which of that joint's bodies it is, 0 or 1.
    """

    kind: Kind
    parent: Integers
    mass: Array
    inertia: Array
    output: Array
    input: Array
    gravity: Array
    order: Integers
    loops: tuple[SpecialLoop, ...] = ()
    joints: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    sides: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.parent)

    @property
    def inputs(self) -> Integers:
        """How many bodies each one carries, (n,)."""
        return np.bincount(self.parent[self.parent >= 0], minlength=self.bodies)


def make_tree(
    kind: Kind,
    parent: Sequence[int] | Integers,
    mass: Array,
    inertia: Array,
    output: Array,
    input: Array,
    gravity: Array,
    loops: Sequence[SpecialLoop] = (),
) -> SpecialTree:
    """Return the tree of bodies in any order; arguments as in `SpecialTree`.

    Raises
    ------
    MechanismError
        `parent` holds a circle.
    """
    given = np.asarray(parent, dtype=np.int64)
    order = postorder(given)
    index = np.empty(len(order), dtype=np.int64)
    index[order] = np.arange(len(order))
    sorted_parent = given[order]
    renamed = np.where(sorted_parent >= 0, index[sorted_parent], GROUND)
    size = _SIZES[kind]
    shape = (-1, 6) if kind == "ball" else (-1,)
    return SpecialTree(
        kind,
        renamed,
        np.asarray(mass, dtype=np.float64)[order],
        np.asarray(inertia, dtype=np.float64).reshape(shape)[order],
        np.asarray(output, dtype=np.float64).reshape(-1, size)[order],
        np.asarray(input, dtype=np.float64).reshape(-1, size)[order],
        np.asarray(gravity, dtype=np.float64)[:size],
        order,
        tuple(SpecialLoop(_renamed(index, loop.bodies), loop.points) for loop in loops),
    )


def _renamed(index: Integers, bodies: tuple[int, int]) -> tuple[int, int]:
    first, second = (GROUND if body == GROUND else int(index[body]) for body in bodies)
    return first, second


def postorder(parent: Integers) -> Integers:
    """Return bodies so that each comes after all it carries, the largest of what it carries first: few trees wait.

    Raises
    ------
    MechanismError
        The parents form a circle.
    """
    count = len(parent)
    children: list[list[int]] = [[] for _ in range(count + 1)]
    for body, carrier in enumerate(parent.tolist()):
        children[carrier].append(body)  # the last list is the ground's
    from_roots: list[int] = []
    waiting = list(reversed(children[GROUND]))
    while waiting:
        body = waiting.pop()
        from_roots.append(body)
        waiting += children[body]
    if len(from_roots) != count:
        raise MechanismError("bodies carry each other in a circle: in a tree, every body must hang from the ground")
    weight = [1] * (count + 1)
    for body in reversed(from_roots):
        weight[parent[body]] += weight[body]
    found: list[int] = []
    waiting = list(children[GROUND])
    while waiting:  # from the roots on, the lightest first: backwards it is what we want
        body = waiting.pop()
        found.append(body)
        waiting += sorted(children[body], key=lambda each: (-weight[each], each))
    return np.array(found[::-1], dtype=np.int64)


def special_tree(mechanism: Mechanism) -> SpecialTree | None:
    """Return the tree of a mechanism with its loops, or None if a special engine does not take it.

    It is one of bodies on undriven ball joints (planar: revolute joints) that all hang on the ground, under gravity
    alone. Of the joints those of a breadth-first tree from the ground are the tree's, the others close loops.
    """
    kind, pair = _JOINTS[mechanism.space]
    joints, bodies = mechanism.joints, mechanism.bodies
    if mechanism.forces or not joints or len(joints) > len(bodies) + MOST_LOOPS:
        return None
    if any(joint.type != pair or joint.driven or joint.frames is None for joint in joints):
        return None
    if any(body.mass is None or body.inertia is None for body in bodies):
        return None
    carried = _carriers(mechanism)
    if carried is None:
        return None
    size = _SIZES[kind]
    output, input_ = np.zeros((len(bodies), size)), np.zeros((len(bodies), size))
    parent = np.zeros(len(bodies), dtype=np.int64)
    for body, (carrier, joint, side) in enumerate(carried):
        parent[body] = carrier
        output[body] = _on_body(mechanism, joint, side)[:size]
        input_[body] = _on_body(mechanism, joint, 1 - side)[:size]
    inertia = np.array([body.inertia for body in bodies], dtype=np.float64)
    tree = make_tree(
        kind,
        parent,
        np.array([body.mass for body in bodies], dtype=np.float64),
        inertia if kind == "ball" else inertia[:, 2],
        output,
        input_,
        np.array(mechanism.gravity),
        _loops(mechanism, {joint.id for _, joint, _ in carried}, size),
    )
    numbers = {joint.id: k for k, joint in enumerate(joints)}
    return replace(
        tree,
        joints=np.array([numbers[joint.id] for _, joint, _ in carried], dtype=np.int64)[tree.order],
        sides=np.array([side for _, _, side in carried], dtype=np.int64)[tree.order],
    )


def _loops(mechanism: Mechanism, carrying: set[str], size: int) -> list[SpecialLoop]:
    """Return the joints that carry nothing."""
    number = _numbers(mechanism)
    found = []
    for joint in mechanism.joints:
        if joint.id not in carrying:
            first, second = (number[name] for name in joint.bodies)
            points = _on_body(mechanism, joint, 0)[:size], _on_body(mechanism, joint, 1)[:size]
            found.append(SpecialLoop((first, second), points))
    return found


def _numbers(mechanism: Mechanism) -> dict[str, int]:
    return {body.id: k for k, body in enumerate(mechanism.bodies)} | {mechanism.ground: GROUND}


def _on_body(mechanism: Mechanism, joint: Joint, side: int) -> Array:
    """Return the joint's centre from the centre of mass of one of its bodies, (3,); from the origin of the ground."""
    if joint.frames is None:  # the caller looks
        raise ValueError(f"joints.{joint.id}: has no geometry")
    name = joint.bodies[side]
    com = (0.0, 0.0, 0.0) if name == mechanism.ground else mechanism.body(name).com or (0.0, 0.0, 0.0)
    found: Array = np.array(joint.frames[side].at) - np.array(com)
    return found


def _carriers(mechanism: Mechanism) -> list[tuple[int, Joint, int]] | None:
    """Return of each body: carrier, joint, which of the joint's bodies it is; None unless all hang on the ground."""
    number = _numbers(mechanism)
    beside: dict[int, list[tuple[int, Joint, int]]] = {k: [] for k in number.values()}
    for joint in mechanism.joints:
        first, second = (number[name] for name in joint.bodies)
        beside[first].append((second, joint, 1))
        beside[second].append((first, joint, 0))
    found: dict[int, tuple[int, Joint, int]] = {}
    waiting = deque([GROUND])
    while waiting:
        carrier = waiting.popleft()
        for body, joint, side in beside[carrier]:
            if body != GROUND and body not in found:
                found[body] = carrier, joint, side
                waiting.append(body)
    if len(found) != len(mechanism.bodies):
        return None
    return [found[k] for k in range(len(found))]
