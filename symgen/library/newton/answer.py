"""One group instance by certified Newton, as the answer of ``symgen library solve``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from symgen.errors import UnsolvedTypeError
from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.group_key import group_key
from symgen.library.newton.assemblies import NewtonAssembly, Search
from symgen.library.newton.group import Given, NewtonGroup
from symgen.library.newton.problem import METHOD, can_solve, make_problem
from symgen.library.reasons import out_of_range, reason_of_range
from symgen.status import Status

if TYPE_CHECKING:
    from symgen.library.instance import GroupInstance
    from symgen.library.open import Library

#: Report of a solution: radius in which a root is proved to be.
_RADIUS = 3


def solve_by_newton(
    library: Library, instance: GroupInstance
) -> tuple[dict[str, Any], list[tuple[NewtonAssembly, GroupMotion]]]:
    """Return the head of the answer, and each solution found with its motion.

    Raises
    ------
    UnsolvedTypeError
        A pair type has no joint frames, or for no geometry the joints determine the bodies.
    """
    if not can_solve(instance.space, [joint.type for joint in instance.joints]):
        codes = sorted({j.type for j in instance.joints if not can_solve(instance.space, [j.type])})
        raise UnsolvedTypeError(
            f"the library has no closed form for this group, and none can be derived with {', '.join(codes)}. "
            "Certified Newton cannot solve it either: this pair has no joint frames"
        )
    signature, type_ = _names(instance)
    head = {"signature": signature, "type": type_, "module": f"newton_{instance.space}", "method": METHOD}
    if out_of_range(instance):
        refused = {"status": Status.BAD_INPUT.name, "reason": reason_of_range(instance)}
        return {**refused, **head, "complete": False}, []
    problem = make_problem(instance.space, instance.bodies, instance.joints, instance.frames, instance.pitches)
    group = NewtonGroup(problem, library.precision, library.backend)
    given = group.given(instance.known, instance.drives)
    search = _search(group, given, instance)
    found = search.assemblies
    solved = [(each, _motion(group, given, each)) for each in found]
    answer = {"status": _status(search).name, **head, "complete": False, "continuum": search.continuum}
    reason = _reason(search, bool(instance.start))
    return answer | ({"reason": reason} if reason else {}), solved


def _status(search: Search) -> Status:
    for status in (Status.OK, Status.SINGULAR):
        if any(each.status is status for each in search.assemblies):
            return status
    return Status.DEGENERATE if search.continuum else Status.NO_ASSEMBLY


def _reason(search: Search, from_start: bool) -> str | None:
    """Return why there is no branch, or what there is besides."""
    if search.continuum and search.assemblies:
        return "besides these branches the group has infinitely many solutions: symgen found a curve of them"
    if search.continuum:
        return (
            "infinitely many solutions: the group moves on a curve of them (a freedom is idle, or the geometry special)"
        )
    if search.assemblies:
        return None
    near = "from the start given" if from_start else f"from {search.starts} starts"
    return f"no solution was found {near}; this is a search, not a proof that there is none"


def certificate(assembly: NewtonAssembly) -> dict[str, Any]:
    """Return what is proved of a solution: certified, and the radius around it in units of the group's size and rad."""
    radius = float(assembly.report[_RADIUS]) if assembly.certified else None
    return {"certified": assembly.certified, "radius": radius}


def _search(group: NewtonGroup, given: Given, instance: GroupInstance) -> Search:
    if not instance.start:
        return group.search(given)
    near = group.near(given, group.poses(given, instance.start))
    if near is None:
        return Search((), False, 1)
    curved = group.is_on_curve(given, near)
    return Search(() if curved else (near,), curved, 1)


def _motion(group: NewtonGroup, given: Given, assembly: NewtonAssembly) -> GroupMotion:
    shape = (1, *assembly.poses.shape[:-1], group.problem.freedoms)
    twists, seconds = np.full(shape, np.nan), np.full(shape, np.nan)
    if assembly.status is Status.OK:
        tracked = group.engine.track(group.plan, given.inputs, np.zeros(1), assembly.poses)
        twists, seconds = tracked.twists, tracked.accelerations
    motion = group.motion(given, assembly.poses[None], twists, seconds)
    bodies = {name: BodyMotion(*(_first(part) for part in _parts(each))) for name, each in motion.bodies.items()}
    joints = {joint: {name: _first(row) for name, row in rows.items()} for joint, rows in motion.joints.items()}
    return GroupMotion(bodies, joints)


def _parts(motion: BodyMotion) -> tuple[Any, Any, Any]:
    return motion.pose, motion.twist, motion.acceleration


def _first(rows: Any) -> Any:
    return np.asarray(rows).reshape(-1, np.shape(rows)[-1])[0]


def _names(instance: GroupInstance) -> tuple[str, str]:
    """Return signature and key; refuse a group that for no geometry is determined.

    A group that splits into several is solved as a whole; its parts are named.
    """
    from symgen.model.mechanism import Mechanism
    from symgen.topology.analysis import analyse

    structure = analyse(Mechanism.from_dict(_mechanism(instance)))
    if structure.status != "determined":
        words = " ".join(finding.advice for finding in structure.diagnosis)
        names = ", ".join(instance.bodies)
        raise UnsolvedTypeError(f"bodies {names} are not a structural group: {structure.status}. {words}".rstrip())
    if len(structure.groups) > 1:
        parts = " + ".join(group.signature for group in structure.groups)
        return parts, parts
    signature = structure.groups[0].signature
    return signature, group_key(instance.space, instance.bodies, instance.joints) if instance.joints else signature


def _mechanism(instance: GroupInstance) -> Mapping[str, Any]:
    """Return a mechanism with this group alone; every joint to a known body has one of its own, welded to the frame.

    A mechanism's bodies have one joint between two of them; a further one here (two pins in two slots) gets a body of
    its own, welded to that which it is on.
    """
    bodies: dict[str, Any] = {f"b{k}": {} for k in range(len(instance.bodies))}
    number = {body: f"b{k}" for k, body in enumerate(instance.bodies)}
    joints: dict[str, Any] = {}
    joined: set[frozenset[str]] = set()
    for k, joint in enumerate(instance.joints):
        ends = [number.get(body, f"k{k}") for body in joint.bodies]
        if frozenset(ends) in joined:
            bodies[f"m{k}"] = {}
            joints[f"v{k}"] = {"type": "W", "bodies": [ends[1], f"m{k}"]}
            ends[1] = f"m{k}"
        joined.add(frozenset(ends))
        joints[f"j{k}"] = {"type": joint.type, "bodies": ends, "driven": list(joint.driven)}
        if f"k{k}" in ends:
            bodies[f"k{k}"] = {}
            joints[f"w{k}"] = {"type": "W", "bodies": ["frame", f"k{k}"]}
    return {
        "schema": "symgen/mechanism/1", "name": "group", "space": instance.space, "ground": "frame",
        "bodies": bodies, "joints": joints,
    }  # fmt: skip
