"""Assemblies of bodies with handles, joined two at a time; all joins of one level of the binary tree in batches.

What an assembly is and how two become one: `symgen.derive.transfer.assembly`, whose routines are called here. A handle
is one side of a joint that is not joined yet, at the joint's outboard centre. Joins of a level that have as many
handles and hold as many motions are one batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symgen.library.element_routines import call
from symgen.poses import Array
from symgen.transfer.elements import inertia_entries

_LOWER = np.tril_indices(6)
#: A pivot of U below this part of the terms it was made of is none.
NOTHING = 1e-12


class SingularJoinError(Exception):
    """U of a hinge is singular: what it holds is held by other joints already. `joint` is its id."""

    def __init__(self, joint: str) -> None:
        self.joint = joint
        super().__init__(joint)


@dataclass(frozen=True, eq=False)
class JoinedHinge:
    """A joint as assemblies meet it, at its outboard centre.

    Parameters
    ----------
    joint : its id.
    ends : numbers of the bodies on its inboard and outboard side.
    point : (3,) its outboard centre.
    held : (6, c) T, wrenches [q m] that it transmits.
    gap : (6,) eta, with both sides taken at the same point.
    active : (6,) wrench [q m] on the outboard side that springs and actuators in it exert.
    """

    joint: str
    ends: tuple[int, int]
    point: Array
    held: Array
    gap: Array
    active: Array


@dataclass(frozen=True, eq=False)
class JoinedBodies:
    """Bodies that are joined already.

    Parameters
    ----------
    bodies : their numbers.
    handles : (joint, body) of each handle.
    phi : (h, h, 6, 6) Phi_kl; `rest` : (h, 6) phi_k.
    """

    bodies: tuple[int, ...]
    handles: tuple[tuple[str, int], ...]
    phi: Array
    rest: Array


@dataclass(frozen=True, eq=False)
class Join:
    """Two assemblies that became one.

    Parameters
    ----------
    hinge : the joint between them; `first` is on its inboard side, `second` on its outboard side.
    found : what they became; its handles are the other ones of the first, then of the second.
    w, rest : (21,) and (6,) of the hinge.
    left : (h, 6, 6) Phi of the handles of `found` and the hinge, minus that for those of the second.
    """

    hinge: JoinedHinge
    first: JoinedBodies
    second: JoinedBodies
    found: JoinedBodies
    w: Array
    rest: Array
    left: Array


@dataclass(frozen=True, eq=False)
class Masses:
    """Bodies as they are joined: mass (n,), inertia (n, 3, 3), centre, omega, force, moment (n, 3), world axes."""

    mass: Array
    inertia: Array
    centre: Array
    omega: Array
    force: Array
    moment: Array


def leaves(masses: Masses, hinges: Sequence[JoinedHinge], bodies: Sequence[int]) -> list[JoinedBodies]:
    """Return each body as an assembly with a handle for each of its joints."""
    handles: dict[int, list[tuple[str, int]]] = {body: [] for body in bodies}
    points: dict[int, list[Array]] = {body: [] for body in bodies}
    for hinge in hinges:
        for body in hinge.ends:
            if body in handles:
                handles[body].append((hinge.joint, body))
                points[body].append(hinge.point)
    found: dict[int, JoinedBodies] = {}
    by_count: dict[int, list[int]] = {}
    for body in bodies:
        by_count.setdefault(len(handles[body]), []).append(body)
    for count, members in by_count.items():
        k = np.array(members)
        arms = np.array([points[body] for body in members]).reshape(len(k), count, 3) - masses.centre[k, None]
        inertia = inertia_entries(masses.inertia[k])
        (phi,) = call(
            "handle_pair", masses.mass[k, None, None], inertia[:, None, None], arms[:, :, None], arms[:, None]
        )
        (rest,) = call(
            "handle_rest", masses.mass[k, None], inertia[:, None], arms, masses.omega[k, None], masses.force[k, None],
            masses.moment[k, None],
        )  # fmt: skip
        for place, body in enumerate(members):
            block = phi.reshape(len(k), count, count, 6, 6)[place]
            found[body] = JoinedBodies((body,), tuple(handles[body]), block, rest.reshape(len(k), count, 6)[place])
    return [found[body] for body in bodies]


def ground(joint: str, body: int) -> JoinedBodies:
    """Return the ground as an assembly with one handle: nothing moves it."""
    return JoinedBodies((), ((joint, body),), np.zeros((1, 1, 6, 6)), np.zeros((1, 6)))


def join_level(pairs: Sequence[tuple[JoinedHinge, JoinedBodies, JoinedBodies]]) -> list[Join]:
    """Join pairs of assemblies, `first` on the inboard side; as many calls as there are different shapes.

    Raises
    ------
    SingularJoinError
        A hinge holds what is held already.
    """
    found: dict[int, Join] = {}
    shapes: dict[tuple[int, int, int], list[int]] = {}
    for number, (hinge, one, two) in enumerate(pairs):
        shapes.setdefault((len(one.handles), len(two.handles), hinge.held.shape[1]), []).append(number)
    for (_, _, held), numbers in shapes.items():
        joined = _join([pairs[k] for k in numbers], held)
        found |= dict(zip(numbers, joined, strict=True))
    return [found[k] for k in range(len(pairs))]


def _join(pairs: Sequence[tuple[JoinedHinge, JoinedBodies, JoinedBodies]], held: int) -> list[Join]:
    outer = [_outer(hinge, one, two) for hinge, one, two in pairs]
    count = len(pairs)
    one_phi = np.array([one.phi[np.ix_(a, a)] for (_, one, _), (a, _) in zip(pairs, outer, strict=True)])
    two_phi = np.array([two.phi[np.ix_(b, b)] for (_, _, two), (_, b) in zip(pairs, outer, strict=True)])
    one_rest = np.array([one.rest[a] for (_, one, _), (a, _) in zip(pairs, outer, strict=True)])
    two_rest = np.array([two.rest[b] for (_, _, two), (_, b) in zip(pairs, outer, strict=True)])
    hinges = [hinge for hinge, _, _ in pairs]
    gap = np.array([hinge.gap for hinge in hinges]) + one_rest[:, -1] - two_rest[:, -1]
    active = np.array([hinge.active for hinge in hinges])
    if held:
        given = np.array([hinge.held for hinge in hinges]).reshape(count, 6 * held)
        phi = (one_phi[:, -1, -1] + two_phi[:, -1, -1])[:, _LOWER[0], _LOWER[1]]
        w, rest, pivots, scales = call(f"assembly_join_{held}", phi, given, gap, active)
        for hinge, pivot, scale in zip(hinges, pivots, scales, strict=True):
            if not np.all(pivot > NOTHING * scale):  # not: NaN must not pass
                raise SingularJoinError(hinge.joint)
    else:
        w, rest = np.zeros((count, 21)), active
    left = np.concatenate([one_phi[:, :-1, -1], -two_phi[:, :-1, -1]], axis=1)
    rests = np.concatenate([one_rest[:, :-1], two_rest[:, :-1]], axis=1)
    most, size = one_phi.shape[1] - 1, left.shape[1]
    own: Array = np.zeros((count, size, size, 6, 6))
    own[:, :most, :most], own[:, most:, most:] = one_phi[:, :-1, :-1], two_phi[:, :-1, :-1]
    if size:
        flat = left.reshape(count, size, 36)
        (own,) = call(
            "assembly_carry", own.reshape(count, size, size, 36), flat[:, :, None], w[:, None, None], flat[:, None]
        )
        (rests,) = call("assembly_move", rests, flat, -rest[:, None])
    own = own.reshape(count, size, size, 6, 6)
    found = []
    for k, ((hinge, one, two), (a, b)) in enumerate(zip(pairs, outer, strict=True)):
        handles = (*(one.handles[i] for i in a[:-1]), *(two.handles[i] for i in b[:-1]))
        assembly = JoinedBodies((*one.bodies, *two.bodies), handles, own[k], rests[k])
        found.append(Join(hinge, one, two, assembly, w[k], rest[k], left[k]))
    return found


def _outer(hinge: JoinedHinge, one: JoinedBodies, two: JoinedBodies) -> tuple[list[int], list[int]]:
    """Return the handles of both assemblies, that of the hinge last."""
    found = []
    for assembly in (one, two):
        mine = next(k for k, (joint, _) in enumerate(assembly.handles) if joint == hinge.joint)
        found.append([*(k for k in range(len(assembly.handles)) if k != mine), mine])
    return found[0], found[1]


Wrenches = Mapping[tuple[str, int], Array]


def wrenches_of(levels: Sequence[Sequence[Join]], outer: Wrenches | None = None) -> dict[tuple[str, int], Array]:
    """Return what every hinge exerts on each of its bodies, (joint, body) -> [q m] (6,), from the last level back.

    Parameters
    ----------
    outer : wrenches on the handles that are left.
    """
    found: dict[tuple[str, int], Array] = dict(outer or {})
    for joins in reversed(levels):
        sizes: dict[int, list[Join]] = {}
        for join in joins:
            sizes.setdefault(len(join.found.handles), []).append(join)
        for size, group in sizes.items():
            w, rest = np.array([join.w for join in group]), np.array([join.rest for join in group])
            given = np.array([[found[handle] for handle in join.found.handles] for join in group])
            left = np.array([join.left for join in group]).reshape(len(group), size, 6, 6)
            more = np.einsum("nhij,nhi->nj", left, given.reshape(len(group), size, 6))
            (exerted,) = call("assembly_share", rest, w, more)
            for join, wrench in zip(group, exerted, strict=True):
                inboard, outboard = join.hinge.ends
                found[join.hinge.joint, inboard], found[join.hinge.joint, outboard] = -wrench, wrench
    return found


def at_centres(masses: Masses, hinges: Sequence[JoinedHinge], wrenches: Wrenches, bodies: Sequence[int]) -> Array:
    """Return the accelerations (n, 6) of the centres of mass under the wrenches of hinges."""
    k = np.array(bodies, dtype=int)
    inertia = inertia_entries(masses.inertia)
    none = np.zeros((len(k), 3))
    (rest,) = call("handle_rest", masses.mass[k], inertia[k], none, masses.omega[k], masses.force[k], masses.moment[k])
    found = np.zeros((len(masses.mass), 6))
    found[k] = rest
    sides = [(hinge, body) for hinge in hinges for body in hinge.ends if body in set(bodies)]
    if sides:
        on = np.array([body for _, body in sides])
        arms = np.array([hinge.point for hinge, _ in sides]) - masses.centre[on]
        (phi,) = call("handle_pair", masses.mass[on], inertia[on], np.zeros((len(on), 3)), arms)
        given = np.array([wrenches[hinge.joint, body] for hinge, body in sides])
        (more,) = call("assembly_move", np.zeros((len(on), 6)), phi, given)
        np.add.at(found, on, more)
    return found
