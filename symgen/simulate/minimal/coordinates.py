"""Independent coordinates: freedoms of joints that are driven, so that the mechanism falls into groups in closed form.

They are chosen as structural transformations are ranked (largest share of solved groups, most groups), or by the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, islice, product

import numpy as np

from symgen.errors import InputError, MechanismError, SolveError, StructureError, SymgenError, UnsolvedTypeError
from symgen.library.group_key import on_demand_name
from symgen.library.on_demand import is_wanted
from symgen.model.expressions import constant
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import Space
from symgen.model.parts import Body, DriveLaw, Joint, Pose
from symgen.poses import Array, matrix
from symgen.simulate.start.initial import InitialState
from symgen.solve.branches import choose_branches
from symgen.solve.newton import NewtonPlan
from symgen.solve.plan import Plan, make_plan

Freedom = tuple[str, str]

#: Choices of joints that are tried before the first that has closed forms throughout.
_MOST_TRIED = 24
_WHAT = "minimal coordinates"


@dataclass(frozen=True)
class MinimalCoordinates:
    """Independent coordinates of a mechanism.

    Parameters
    ----------
    freedoms : (joint, freedom) of each.
    driven : the mechanism with these driven, in the initial configuration; see `drive`.
    plan : its groups.
    branch : of each group, as the initial configuration has it.
    """

    freedoms: tuple[Freedom, ...]
    driven: Mechanism
    plan: Plan
    branch: tuple[int, ...]


def choose_coordinates(
    mechanism: Mechanism, start: InitialState, mobility: int, wanted: Sequence[str] | None
) -> MinimalCoordinates:
    """Return the independent coordinates of a mechanism.

    Parameters
    ----------
    start : initial state; the groups' branches are those of its configuration.
    mobility : velocity freedoms of the mechanism where it is regular.
    wanted : ``"joint.freedom"``, or ``"joint"`` for all its freedoms; None to have them chosen.

    Raises
    ------
    InputError
        `wanted` names no freedom, or one that is driven.
    StructureError
        The mechanism is overconstrained, or `wanted` does not determine it.
    UnsolvedTypeError
        A group has no closed form; the message names it.
    SolveError
        The initial configuration is singular for `wanted`, or for all choices.
    """
    if wanted is not None:
        freedoms = read_freedoms(mechanism, wanted)
        _check_count(mechanism, len(freedoms), mobility)
        return _advised(mechanism, lambda: _wanted(mechanism, start, freedoms))
    return _advised(mechanism, lambda: _chosen(mechanism, start, mobility))


def _advised(mechanism: Mechanism, find: Callable[[], MinimalCoordinates]) -> MinimalCoordinates:
    """Say what to use instead where the groups cannot serve."""
    try:
        return find()
    except (StructureError, UnsolvedTypeError) as error:
        raise type(error)(f"{error}\nmethod group cannot be used here; use method dimcd or variational") from error
    except SolveError as error:
        raise SolveError(
            f"{error}\nmethod group starts in a singular position; choose other coordinates, or use method dimcd",
            error.status,
            meaning=error.meaning,
        ) from error


def read_freedoms(mechanism: Mechanism, wanted: Sequence[str]) -> tuple[Freedom, ...]:
    """Return the freedoms that are named, in the order of the file.

    Raises
    ------
    InputError
        There is no such joint or freedom, or it is driven.
    """
    joints = {joint.id: joint for joint in mechanism.joints}
    named: list[Freedom] = []
    for text in wanted:
        name, _, freedom = text.strip().partition(".")
        if name not in joints:
            near = did_you_mean(name, joints) or f"; joints are {list_names(joints)}"
            raise InputError(f"coordinates: no joint {show(name)}{near}")
        joint = joints[name]
        if freedom and freedom not in joint.freedoms:
            near = did_you_mean(freedom, joint.freedoms) or f"; it has {list_names(joint.freedoms)}"
            raise InputError(f"coordinates: joint {name} has no freedom {show(freedom)}{near}")
        for each in (freedom,) if freedom else joint.freedoms:
            if each in (joint.driven_freedoms or ()):
                raise InputError(f"coordinates: {name}.{each} is driven by a law; name a freedom that is not")
            named.append((name, each))
    return tuple(
        (joint.id, freedom) for joint in mechanism.joints for freedom in joint.freedoms if (joint.id, freedom) in named
    )


def _check_count(mechanism: Mechanism, count: int, mobility: int) -> None:
    if count != mobility:
        where = mechanism.file or mechanism.name or "mechanism"
        raise InputError(
            f"{where}: {count} coordinates are named, but the mechanism has {mobility} freedoms that can move"
        )


def _chosen(mechanism: Mechanism, start: InitialState, mobility: int) -> MinimalCoordinates:
    first: SymgenError | None = None
    waiting: list[tuple[Freedom, ...]] = []
    refusals = (UnsolvedTypeError, SolveError, StructureError, MechanismError)
    for freedoms in islice(_choices(mechanism, mobility), _MOST_TRIED):
        try:
            prepared = _prepared(mechanism, start, freedoms, derive=False)
        except refusals as error:
            first = first or error
            continue
        if prepared is not None:
            return prepared
        waiting.append(freedoms)
    for freedoms in waiting:  # a derivation takes up to a minute: only where nothing else serves
        try:
            prepared = _prepared(mechanism, start, freedoms)
        except refusals as error:
            first = first or error
            continue
        if prepared is not None:
            return prepared
    if first is not None:
        raise first
    raise StructureError(f"{mechanism.file or mechanism.name}: no joint's freedoms can serve as coordinates")


def _choices(mechanism: Mechanism, mobility: int) -> Iterator[tuple[Freedom, ...]]:
    """Yield sets of freedoms, the best joints first."""
    held = {joint.id: joint.driven for joint in mechanism.joints if joint.driven}
    if mobility == 0:
        yield ()
        return
    from symgen.library.catalogue import solution_of
    from symgen.topology.transformations.transform import transform

    solved = lru_cache(maxsize=None)(lambda signature: solution_of(signature)[0])
    found = transform(mechanism, must=held, by=("solved", "groups", "largest"), solved=solved, limit=_MOST_TRIED)
    count = sum(joint.driven for joint in mechanism.joints) + mobility
    if found.inputs != count:
        where = mechanism.file or mechanism.name or "mechanism"
        raise StructureError(
            f"{where}: is overconstrained: {mobility} of its freedoms can move, but its structure counts "
            f"{found.inputs - count + mobility}, so its groups do not determine it"
        )
    joints = {joint.id: joint for joint in mechanism.joints}
    for choice in found.choices:
        if any(name not in joints for name in choice.inputs):
            continue  # of a multiple joint, pairs of another tree
        if any(choice.inputs.get(name, 0) < least for name, least in held.items()):
            continue
        parts = [
            list(combinations(_free(joints[name]), number - held.get(name, 0)))
            for name, number in choice.inputs.items()
        ]
        for picked in product(*parts):
            yield tuple((name, freedom) for name, part in zip(choice.inputs, picked, strict=True) for freedom in part)


def _free(joint: Joint) -> list[str]:
    """Return the freedoms of a joint that are not driven; turns about its first axis come first."""
    return [freedom for freedom in joint.freedoms if freedom not in (joint.driven_freedoms or ())]


def _wanted(mechanism: Mechanism, start: InitialState, freedoms: tuple[Freedom, ...]) -> MinimalCoordinates:
    found = _prepared(mechanism, start, freedoms, derive=False) or _prepared(mechanism, start, freedoms)
    assert found is not None  # noqa: S101 - with derivations it is there or an error is raised
    return found


def _prepared(
    mechanism: Mechanism, start: InitialState, freedoms: tuple[Freedom, ...], *, derive: bool = True
) -> MinimalCoordinates | None:
    """Return the mechanism with these freedoms driven, its groups and branches.

    Parameters
    ----------
    derive : whether closed forms that the library lacks are derived; without, None is returned where all those can be,
        and it is known at once where one cannot.
    """
    import symgen

    driven = drive(mechanism, freedoms, start)
    plan = make_plan(driven, symgen.library(backend="numpy", derive=None if derive else False))
    iterated = [group for group in plan.groups if isinstance(group, NewtonPlan)]
    derivable = [] if derive else [group for group in iterated if _can_be_derived(mechanism.space, group)]
    replace(plan, groups=tuple(group for group in plan.groups if group not in derivable)).in_closed_form(_WHAT)
    if derivable:
        return None
    return MinimalCoordinates(freedoms, driven, plan, choose_branches(plan))


def _can_be_derived(space: Space, group: NewtonPlan) -> bool:
    """Tell whether a closed form of a group can be derived, without deriving it."""
    name = on_demand_name(space, group.bodies, group.joints) if is_wanted() else None
    if name is None:
        return False
    from symgen.demand import can_be_derived  # loads SymPy, as the module of the whole mechanism will

    return can_be_derived(name)


def drive(mechanism: Mechanism, freedoms: Sequence[Freedom], start: InitialState) -> Mechanism:
    """Return the mechanism in its initial configuration with freedoms driven (laws of zero stand for the unknowns).

    The only points of a body are its centre of mass and, in the plane, one 1 m along its x axis from there: of the
    motion of both the module of the whole mechanism gives, no angle has to be taken.
    """
    rest = DriveLaw(constant(0.0), constant(0.0), constant(0.0))
    more: dict[str, list[str]] = {}
    for joint, freedom in freedoms:
        more.setdefault(joint, []).append(freedom)
    joints = tuple(_driven(joint, more.get(joint.id, ())) for joint in mechanism.joints)
    laws: Mapping[Freedom, DriveLaw] = {**mechanism.drives, **dict.fromkeys(freedoms, rest)}
    drives = {
        (joint.id, freedom): laws[joint.id, freedom] for joint in joints for freedom in joint.driven_freedoms or ()
    }
    bodies = tuple(
        _posed(body, start.poses[k], planar=mechanism.space == "planar") for k, body in enumerate(mechanism.bodies)
    )
    return replace(mechanism, joints=joints, drives=drives, bodies=bodies, forces=())


def _driven(joint: Joint, more: Sequence[str]) -> Joint:
    if not more:
        return joint
    every = {*(joint.driven_freedoms or ()), *more}
    names = tuple(freedom for freedom in joint.freedoms if freedom in every)
    return replace(joint, driven=len(names), driven_freedoms=names)


def _posed(body: Body, pose: Array, *, planar: bool) -> Body:
    """Return a body with its frame where its centre of mass and axes (7,) say."""
    centre = body.com or (0.0, 0.0, 0.0)
    com = np.array(centre)
    x, y, z = map(float, pose[:3] - matrix(pose[3:]) @ com)
    q = tuple(map(float, pose[3:]))
    placed = Pose((x, y, z), (q[0], q[1], q[2], q[3]))
    points = {"com": centre, "tip": (centre[0] + 1.0, centre[1], centre[2])} if planar else {"com": centre}
    return replace(body, pose=placed, pose_given=True, points=points)
