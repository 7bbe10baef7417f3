"""The trees that a mechanism may be taken apart into, best first, and what is wrong with given roots and cuts.

A tree is the better the fewer massless bodies it has that carry none with mass, and then the cheaper its recursion is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, product

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import list_names
from symgen.model.parts import Joint
from symgen.transfer.system.tree import GROUND, Ways, grow, links_of

#: Choices of single roots that are compared, with each other and with a tree from all roots.
_MOST_CHOICES, _ALSO_TRIED = 64, 8
#: Pair types with a hinge of the element library.
HINGE_TYPES = ("W", "R", "P", "H", "C", "U", "ER", "L", "S", "PL", "FP", "F")


def trees_of(
    mechanism: Mechanism, root: str | None = None, cuts: Sequence[str] = (), *, single_root: bool = False
) -> list[Ways]:
    """Return the trees that were compared, best first; arguments and errors of `deduce`."""
    links = links_of(mechanism)
    _check_joints(mechanism)
    roots = _allowed_roots(mechanism, root)
    check_connected(mechanism)
    barred = _cuts(mechanism, cuts)
    choices = _choices(mechanism, roots, root, barred)
    if root is None and not single_root:  # from all roots; without cuts, one may still be cheaper: loops close early
        choices = [barred, *(choices[:_ALSO_TRIED] if not cuts else ())]
    if root is not None and root in barred:
        raise MechanismError("is both root and cut", file=mechanism.file, field=f"joints.{root}")
    if cuts:
        choices = _fitting(mechanism, links, barred, choices)
    grown: dict[tuple[str, ...], Ways] = {}
    for bars in choices:
        for ways in grow(mechanism, links, bars):
            grown.setdefault(ways.cut_ids, ways)
    return sorted(grown.values(), key=lambda ways: (ways.idle, ways.cost))


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
                f"dangling hinge: both sides are on {joint.bodies[0]!r}; a joint connects two different bodies",
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
    words = f"joints to the ground are {list_names(roots)}" if roots else "no joint is, because the system is free"
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


def check_connected(mechanism: Mechanism) -> None:
    """Refuse bodies apart from the ground, unless the whole mechanism is one free system."""
    parts = _parts(mechanism, frozenset())
    grounded = bool(_to_ground(mechanism))
    apart = parts[1:] if not grounded else [part for part in parts if mechanism.ground not in part]
    if apart:
        first = next(body.id for body in mechanism.bodies if body.id in apart[0])
        named = [body.id for body in mechanism.bodies if body.id in apart[0]]
        raise MechanismError(
            f"disconnected topology: no joint leads from {list_names(named)} to "
            f"{'the ground' if grounded else 'the other bodies'}; if a body should be free, give it a joint of type "
            f"F to {mechanism.ground!r}",
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
    held, advice = "", "cut one joint in every loop"
    if others:  # one root: the other joints to the ground are cut whatever the user cuts
        held = f" and one root, so that of the joints to the ground all but one are cut (here {list_names(others)})"
        advice = "cut these and one joint in every further loop, or choose the root"
    raise MechanismError(
        f"loop count mismatch: {_count(sorted(cuts))} cut ({list_names(sorted(cuts))}); the mechanism has "
        f"{loops} independent loop{'' if loops == 1 else 's'}{held}{more}; {advice}",
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
