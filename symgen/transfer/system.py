"""A mechanism as a transfer system: bodies and hinges from the tips to the roots, loops closed by cut joints.

Every body has one output, the joint on its way to the ground, and as many inputs as it carries bodies. Joints that are
not on such a way are cut: each closes one independent loop, or holds a tip to the ground.

Inboard is the tip side, outboard the root side, and numbers grow from the tips to the root (Rui et al., automatic
deduction of the overall transfer equation). A hinge to the ground is a boundary condition, no element: its number is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import list_names
from symgen.model.parts import Joint
from symgen.transfer.tree import GROUND, Ways, common_body, grow, heights, links_of

__all__ = ["GROUND", "Hinge", "Loop", "TransferBody", "TransferSystem", "deduce"]

#: Choices of single roots that are compared, with each other and with a tree from all roots.
_MOST_CHOICES, _ALSO_TRIED = 64, 8
#: Pair types with a hinge of the element library.
HINGE_TYPES = ("W", "R", "P", "H", "C", "U", "ER", "L", "S", "PL", "FP", "F")


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
    links = links_of(mechanism)
    _check_joints(mechanism)
    roots = _allowed_roots(mechanism, root)
    _check_connected(mechanism)
    barred = _cuts(mechanism, cuts)
    choices = _choices(mechanism, roots, root, barred)
    if root is None and not single_root:  # from all roots; without cuts, one may still be cheaper: loops close early
        choices = [barred, *(choices[:_ALSO_TRIED] if not cuts else ())]
    if root is not None and root in barred:
        raise MechanismError("is both root and cut", file=mechanism.file, field=f"joints.{root}")
    if cuts:
        choices = _fitting(mechanism, links, barred, choices)
    ways = min((grow(mechanism, links, bars) for bars in choices), key=lambda found: found.cost)
    return _number(mechanism, ways)


# -- checks ----------------------------------------------------------------------------------------------------------


def _check_joints(mechanism: Mechanism) -> None:
    for joint in mechanism.joints:
        where = f"joints.{joint.id}"
        if joint.type not in HINGE_TYPES:
            raise MechanismError(
                f"{joint.pair.name} ({joint.type}) has no hinge among the transfer elements; there are "
                f"{', '.join(HINGE_TYPES)}",
                file=mechanism.file,
                field=where,
            )
        if joint.bodies[0] == joint.bodies[1]:
            raise MechanismError(
                f"dangling hinge: both sides are on {joint.bodies[0]!r}; a joint holds two different bodies",
                file=mechanism.file,
                field=where,
            )


def _to_ground(mechanism: Mechanism) -> list[str]:
    return [joint.id for joint in mechanism.joints if mechanism.ground in joint.bodies]


def _allowed_roots(mechanism: Mechanism, root: str | None) -> list[str]:
    """Return the joints to the ground; `root` must be one."""
    roots = _to_ground(mechanism)
    if root is None or root in roots:
        return roots
    joint = mechanism.joint(root)
    words = f"joints to the ground are {list_names(roots)}" if roots else "no joint is, the system is free"
    raise MechanismError(
        f"is between {joint.bodies[0]} and {joint.bodies[1]}; a root is a joint to the ground: {words}",
        file=mechanism.file,
        field=f"joints.{root}",
    )


def _choices(
    mechanism: Mechanism, roots: Sequence[str], root: str | None, barred: frozenset[str]
) -> list[frozenset[str]]:
    """Return which joints to bar so that each part of bodies that hang together keeps one joint to the ground."""
    parts = _parts(mechanism, frozenset(roots))
    options: list[list[str]] = []
    for part in parts:
        inside = [name for name in roots if not part.isdisjoint(set(mechanism.joint(name).bodies) - {mechanism.ground})]
        open_ones = [name for name in inside if name not in barred]
        if open_ones:
            options.append([root] if root is not None and root in inside else open_ones)
    kept = islice(product(*options), _MOST_CHOICES)
    return [barred | (frozenset(roots) - frozenset(names)) for names in kept]


def _check_connected(mechanism: Mechanism) -> None:
    """Refuse bodies apart from the ground, unless the whole mechanism is one free system."""
    parts = _parts(mechanism, frozenset())
    grounded = bool(_to_ground(mechanism))
    apart = parts[1:] if not grounded else [part for part in parts if mechanism.ground not in part]
    if apart:
        first = next(body.id for body in mechanism.bodies if body.id in apart[0])
        named = [body.id for body in mechanism.bodies if body.id in apart[0]]
        raise MechanismError(
            f"disconnected topology: no joint leads from {list_names(named)} to "
            f"{'the ground' if grounded else 'the other bodies'}; a joint of type F to {mechanism.ground!r} makes a "
            "body free",
            file=mechanism.file,
            field=f"bodies.{first}",
        )


def _parts(mechanism: Mechanism, without: frozenset[str]) -> list[set[str]]:
    """Return the connected parts of bodies, in file order; the ground is in one of them if a joint holds it."""
    part = {name: {name} for name in mechanism.body_ids}
    for joint in mechanism.joints:
        one, two = (part[name] for name in joint.bodies)
        if joint.id not in without and one is not two:
            one |= two
            for name in two:
                part[name] = one
    found: list[set[str]] = []
    for body in mechanism.bodies:
        if not any(part[body.id] is each for each in found):
            found.append(part[body.id])
    return found


def _cuts(mechanism: Mechanism, cuts: Sequence[str]) -> frozenset[str]:
    for k, name in enumerate(cuts):
        mechanism.joint(name)
        if name in cuts[:k]:
            raise MechanismError("is cut twice; name each joint once", file=mechanism.file, field=f"joints.{name}")
    return frozenset(cuts)


def _fitting(
    mechanism: Mechanism, links: Mapping[int, Sequence[Joint]], cuts: frozenset[str], choices: Sequence[frozenset[str]]
) -> list[frozenset[str]]:
    """Return those of the choices that leave a tree; refuse what is wrong with the first if none does."""
    found, refused = [], None
    for every in choices:
        try:
            _check_count(mechanism, links, every, cuts)
            _check_tree(mechanism, links, every)
            found.append(every)
        except MechanismError as error:
            refused = refused or error
    if refused is not None and not found:
        raise refused
    return found


def _check_count(
    mechanism: Mechanism, links: Mapping[int, Sequence[Joint]], every: frozenset[str], cuts: frozenset[str]
) -> None:
    """Compare the number of cuts with that of loops; `every` holds the joints to the ground that are no roots too."""
    loops = len(mechanism.joints) - len(mechanism.bodies) + (0 if links[GROUND] else 1)
    if len(every) == loops:
        return
    tied = _two_outputs(mechanism, links, every)
    more = "" if tied is None else f"; {tied[0]} still has two outputs, {tied[1]} and {tied[2]}"
    others = sorted(every - cuts)
    held = f", and with one root {_count(others)} cut to the ground ({list_names(others)})" if others else ""
    advice = "; cut one joint in every loop" + (", or choose the root" if others else "")
    raise MechanismError(
        f"loop count mismatch: {_count(sorted(cuts))} cut ({list_names(sorted(cuts))}){held}; the mechanism has "
        f"{loops} independent loop{'' if loops == 1 else 's'}{more}{advice}",
        file=mechanism.file,
        field="joints" if tied is None else f"bodies.{tied[0]}",
    )


def _count(joints: Sequence[str]) -> str:
    return f"{len(joints)} joint{' is' if len(joints) == 1 else 's are'}"


def _check_tree(mechanism: Mechanism, links: Mapping[int, Sequence[Joint]], cuts: frozenset[str]) -> None:
    tied = _two_outputs(mechanism, links, cuts)
    if tied is not None:
        raise MechanismError(
            f"two outputs: both {tied[1]} and {tied[2]} lead from it to the root; cut one of them, or another joint "
            "of that loop",
            file=mechanism.file,
            field=f"bodies.{tied[0]}",
        )
    parts = _parts(mechanism, cuts)
    home = mechanism.ground if _to_ground(mechanism) else mechanism.bodies[0].id
    for part in parts:
        if home not in part:
            name = next(body.id for body in mechanism.bodies if body.id in part)
            closed = [j.id for j in mechanism.joints if j.id in cuts and any(body in part for body in j.bodies)]
            raise MechanismError(
                f"no output: every way to the root is cut ({list_names(closed)}); leave one of them",
                file=mechanism.file,
                field=f"bodies.{name}",
            )


def _two_outputs(
    mechanism: Mechanism, links: Mapping[int, Sequence[Joint]], cuts: frozenset[str]
) -> tuple[str, str, str] | None:
    """Return a body that is reached twice, and the joints that reach it; None for a tree."""
    number = {body.id: k for k, body in enumerate(mechanism.bodies)}
    start = GROUND if links[GROUND] else 0
    reached: dict[int, str] = {start: ""}
    waiting = [start]
    for place in waiting:
        for joint in links[place]:
            if joint.id in cuts or reached[place] == joint.id:
                continue
            one, two = (number.get(name, GROUND) for name in joint.bodies)
            there = two if one == place else one
            if there in reached:
                body = there if reached[there] else place
                return mechanism.bodies[body].id, reached[body], joint.id
            reached[there] = joint.id
            waiting.append(there)
    return None


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
