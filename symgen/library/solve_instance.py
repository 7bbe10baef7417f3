"""Solve one group instance: all branches, with rates and condition, as the answer of ``symgen library solve``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symgen.errors import UnsolvedTypeError
from symgen.library.adapt import BodyMotion, GroupAdapter, GroupMotion
from symgen.library.closure import closes
from symgen.library.instance import GroupInstance
from symgen.library.manifest import Manifest
from symgen.library.open import Library
from symgen.library.reasons import reason_of, refuse_wrong_count
from symgen.library.stages import run_stages
from symgen.poses import Array
from symgen.status import Status

SCHEMA_NAME = "symgen/group-solution/1"
#: Polynomials of a higher degree than this have been sampled or multiplied out.
_FEW = 6
#: Poses nearer than this, relative to their size, are one.
_ALIKE = {"double": 1e-7, "float": 1e-3}


def solve_instance(library: Library, instance: GroupInstance) -> dict[str, Any]:
    """Return the answer as a JSON tree (contract, ``library solve``).

    ``status`` is OK if a branch is, else SINGULAR if one is, else why there is none. Branches without a real
    solution are left out. What is not determined is null: rates of a SINGULAR branch, rates of an S in gimbal lock.

    Every branch is held to its joints: one that does not close is no branch. Where the closed form ends because
    assemblies share what it keeps (symmetric geometry of groups with ranked branches), certified Newton goes on.

    A closed form that no module has is derived, if `library` may. A group without one is solved by certified Newton:
    all branches that a search from many starts finds (``complete`` is false), or the one near ``start``.

    Raises
    ------
    MechanismError
        The joints do not determine the bodies: the count is given.
    UnsolvedTypeError
        No geometry makes the joints determine the bodies, or a pair type has no joint frames.
    """
    refuse_wrong_count(instance)
    try:
        fit = library.fit(instance.space, instance.bodies, instance.joints)
    except UnsolvedTypeError:
        return _by_newton(library, instance)
    adapter = GroupAdapter(fit)
    solved = library.of(fit.entry)
    ports = adapter.ports(instance.known, instance.frames, instance.drives, instance.pitches)
    branches: list[dict[str, Any]] = []
    seen: list[Status] = []
    torn = 0
    for branch in range(solved.branches):
        found = run_stages(solved, ports, branch, condition=True)
        status = Status(int(found.status))
        seen.append(status)
        if status not in (Status.OK, Status.SINGULAR):
            continue
        motion = adapter.motion(ports, found.values)
        if not closes(instance, motion, library.precision):
            torn += 1
            seen[-1] = Status.NOT_CONVERGED
            continue
        branches.append(
            {
                "branch": branch,
                "status": status.name,
                **_motion(motion, instance),
                "condition": None if found.condition is None else _number(found.condition),
            }
        )
    whole = overall(seen)
    doubtful = bool(torn) or _is_doubtful(fit.entry.manifest, seen)
    if doubtful or _is_searched_too(library, fit.entry.manifest):
        more = _distinct(branches, library.precision) + (0 if doubtful else 1)
        other = _searched(library, instance, more)
        if other is not None:
            return other
    reason = {} if branches else {"reason": reason_of(whole, instance, fit.entry.manifest)}
    return {
        "schema": SCHEMA_NAME,
        "status": whole.name,
        **reason,
        "signature": fit.signature,
        "type": solved.key,
        "module": fit.entry.manifest.id,
        "method": fit.entry.manifest.method,
        "complete": fit.entry.manifest.is_complete(library.precision),
        "branches": branches,
    }


def _is_doubtful(manifest: Manifest, seen: Sequence[Status]) -> bool:
    """Tell whether the closed form may have ended before all assemblies were found: they may share what it keeps."""
    if manifest.branch_order != "rank":
        return False
    ended = {Status.SINGULAR, Status.DEGENERATE, Status.NOT_CONVERGED}
    return bool(ended.intersection(seen)) or (manifest.degree > _FEW and Status.OK not in seen)


def _is_searched_too(library: Library, manifest: Manifest) -> bool:
    """Whether a search stands behind the closed form: zeros of a polynomial may coincide where assemblies do not.

    In C it takes a fraction of a second; in NumPy many, and is left to where the closed form itself is in doubt. In
    float it stands behind types of which measurements lost solutions.
    """
    lossy = library.precision == "double" or not manifest.is_complete(library.precision)
    return manifest.branch_order == "rank" and lossy and library.backend != "numpy"


def _distinct(branches: Sequence[dict[str, Any]], precision: str) -> int:
    """Return how many of the branches are different configurations."""
    alike = _ALIKE[precision]
    kept: list[Array] = []
    for branch in branches:
        pose = np.array([x for body in branch["bodies"].values() for x in np.ravel(_pose_of(body))])
        if all(np.abs(pose - other).max() > alike * (1.0 + np.abs(other).max()) for other in kept):
            kept.append(pose)
    return len(kept)


def _pose_of(body: dict[str, Any]) -> list[float]:
    """Return the place of a body, and its orientation so that equal ones have equal numbers."""
    if "q" in body:
        q = np.array(body["q"])
        return [*body["r"], *np.outer(q, q).ravel()]
    return [*body["r"], math.cos(body["phi"]), math.sin(body["phi"])]


def _searched(library: Library, instance: GroupInstance, wanted: int) -> dict[str, Any] | None:
    """Return the answer of certified Newton if it has as many solutions as are wanted, at least one.

    In double they have to be proved. Numbers of seven digits prove little: in float it is enough that they are regular.
    """
    try:
        other = _by_newton(library, replace(instance, start={}))
    except UnsolvedTypeError:
        return None
    regular = library.precision == "float"
    count = sum(each["certified"] or (regular and each["status"] == Status.OK.name) for each in other["branches"])
    return other if count >= max(wanted, 1) else None


def _by_newton(library: Library, instance: GroupInstance) -> dict[str, Any]:
    """Return the answer for a group that the library has no closed form for."""
    from symgen.library.newton.answer import certificate, solve_by_newton

    head, solved = solve_by_newton(library, instance)
    branches = [
        {
            "branch": number,
            "status": assembly.status.name,
            **_motion(motion, instance),
            "condition": _number(assembly.condition) if assembly.status is Status.OK else None,
            **certificate(assembly),
        }
        for number, (assembly, motion) in enumerate(solved)
    ]
    return {"schema": SCHEMA_NAME, **head, "branches": branches}


def _motion(motion: GroupMotion, instance: GroupInstance) -> dict[str, Any]:
    """Return bodies and joints of one branch."""
    return {
        "bodies": {name: _body(motion.bodies[name], instance.space) for name in instance.bodies},
        "joints": {
            joint.name: {freedom: _numbers(triple) for freedom, triple in motion.joints[joint.name].items()}
            for joint in instance.joints
        },
    }


def overall(seen: Sequence[Status]) -> Status:
    """Return the status of a group from those of its branches."""
    for status in (Status.OK, Status.SINGULAR, Status.BAD_INPUT, Status.DEGENERATE, Status.NOT_CONVERGED):
        if status in seen:
            return status
    return Status.NO_ASSEMBLY


def _body(motion: BodyMotion, space: str) -> dict[str, Any]:
    rows = (motion.pose, motion.twist, motion.acceleration)
    if space == "spatial":
        names, cut = (("r", "q"), ("v", "omega"), ("a", "alpha")), 3
    else:
        names, cut = (("r", "phi"), ("v", "omega"), ("a", "alpha")), 2
    answer: dict[str, Any] = {}
    for (place, turn), row in zip(names, rows, strict=True):
        determined = row is not None and bool(np.all(np.isfinite(row)))
        answer[place] = _numbers(row[:cut]) if determined and row is not None else None
        answer[turn] = None
        if determined and row is not None:
            answer[turn] = _numbers(row[cut:]) if space == "spatial" else _number(row[cut])
    return answer


def _numbers(values: Array) -> list[float | None]:
    return [_number(value) for value in values]


def _number(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
