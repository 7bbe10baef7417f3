"""The forces of a mechanism at rest: from the tips to the roots, with those of cut joints as unknowns.

Wrenches are [q m], force and moment that the tip side exerts on the root side, about the place they are named at. Those
of cut joints follow from the equations of all free hinges, H^T w = effort, by least squares (of least size where joints
are redundant). What remains open says that the mechanism is not at rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.errors import MechanismError
from symgen.poses import Array
from symgen.simulate.tables.spanning_tree import GROUND
from symgen.transfer.elements import shifting
from symgen.vibrations.system import CutJoint, HingeFreedom, VibratingSystem

#: Unbalanced forces up to this part of the largest force (moments: times the size), or displacements of a spring up to
#: this part of the size or 1 rad, are rounding of the file.
_BALANCED = 1e-6
#: What decimals of a file leave of balance, as part of the force that springs have at a displacement of the size.
_ROUNDED = 1e-11


@dataclass(frozen=True)
class Rest:
    """Wrenches at rest.

    Parameters
    ----------
    steps : of each element, (steps, 6) wrench at the point of each hinge on its way out.
    ports : (elements, 6) wrench that each element hands on at its port.
    ends : (elements, 6) the same at the end of its joint, on the root side.
    cuts : (cuts, 6) wrench of each cut joint on its outboard side, at its end.
    unique : False where redundant joints leave the wrenches open.
    unbalanced : force in the sense of each hinge that nothing balances, hinges of elements first, then of cut joints.
    """

    steps: tuple[Array, ...]
    ports: Array
    ends: Array
    cuts: Array
    unique: bool
    unbalanced: Array


def forces_at_rest(system: VibratingSystem, *, strict: bool = True) -> Rest:
    """Return the wrenches at rest.

    Parameters
    ----------
    strict : refuse a mechanism that is not at rest.

    Raises
    ------
    MechanismError
        The mechanism is not at rest: names the hinge with the largest unbalanced force.
    """
    count = 6 * len(system.cuts)
    held = _cut_columns(system, count)
    ends: list[Array] = []
    ports: list[Array] = []
    chains: list[Array] = []
    equations: list[tuple[HingeFreedom, Array]] = []
    for k, element in enumerate(system.elements):
        wrench: Array = np.zeros((6, count + 1))
        for load in element.loads:
            wrench[:, -1] += shifting(load.point - element.port).T @ np.concatenate([load.force, load.moment])
        if element.beam is not None:
            weight = element.mass * np.array(system.mechanism.gravity)
            wrench[:, -1] += shifting(element.centre - element.port).T @ np.concatenate([weight, np.zeros(3)])
        for point, columns in held[k]:
            wrench[:, :-1] += shifting(point - element.port).T @ columns
        for child in element.children:
            wrench += shifting(system.elements[child].end - element.port).T @ ends[child]
        ports.append(wrench)
        chain = [shifting(element.port - step.point).T @ wrench for step in element.steps]
        equations += [(step, here) for step, here in zip(element.steps, chain, strict=True)]
        chains.append(np.array(chain).reshape(len(chain), 6, count + 1))
        ends.append(shifting(element.port - element.end).T @ wrench)
    for c, cut in enumerate(system.cuts):
        own: Array = np.zeros((6, count + 1))
        own[:, 6 * c : 6 * c + 6] = np.eye(6)
        equations += [(step, shifting(cut.end - step.point).T @ own) for step in cut.steps]
    found, unique, unbalanced = _solve(equations, count)
    if strict:
        _check_rest(system, equations, np.append(found, 1.0), unbalanced)
    known = np.append(found, 1.0)
    return Rest(
        tuple(chain @ known for chain in chains), np.array([port @ known for port in ports]),
        np.array([end @ known for end in ends]), found.reshape(-1, 6), unique,
        unbalanced,
    )  # fmt: skip


def column_of(step: HingeFreedom) -> Array:
    """Return H (6,) of a hinge."""
    return np.concatenate([step.along, step.about])


def _cut_columns(system: VibratingSystem, count: int) -> list[list[tuple[Array, Array]]]:
    """Return for each element the places of cut joints and their wrenches on it, (6, count)."""
    held: list[list[tuple[Array, Array]]] = [[] for _ in system.elements]
    for c, cut in enumerate(system.cuts):
        for body, point, columns in _sides(cut):
            if body != GROUND:
                wide = np.zeros((6, count))
                wide[:, 6 * c : 6 * c + 6] = columns
                held[system.place[body]].append((point, wide))
    return held


def _sides(cut: CutJoint) -> tuple[tuple[int, Array, Array], tuple[int, Array, Array]]:
    back = -shifting(cut.end - cut.port).T
    return (cut.inboard, cut.port, back), (cut.outboard, cut.end, np.eye(6))


def _solve(equations: list[tuple[HingeFreedom, Array]], count: int) -> tuple[Array, bool, Array]:
    """Return the wrenches of cut joints, whether they are unique, and what no hinge balances."""
    if not equations:
        return np.zeros(count), count == 0, np.zeros(0)
    rows = np.array([column_of(step) @ wrench for step, wrench in equations])
    right = np.array([step.effort for step, _ in equations]) - rows[:, -1]
    found, unique = np.zeros(count), True
    if count:
        found, _, rank, _ = np.linalg.lstsq(rows[:, :-1], right, rcond=1e-9)
        unique = int(rank) == count
    return found, unique, right - rows[:, :-1] @ found


def _check_rest(
    system: VibratingSystem, equations: list[tuple[HingeFreedom, Array]], known: Array, unbalanced: Array
) -> None:
    """Refuse a mechanism that is not at rest."""
    if not equations:
        return
    force, size = _scales(system, equations, known)
    rounding = _ROUNDED * max(
        [float(np.abs(tie.stiffness).max(initial=0.0)) * size for tie in system.ties]
        + [abs(step.stiffness) * (1.0 / size if step.about.any() else size) for step, _ in equations], default=0.0
    )  # fmt: skip
    for (step, _), gap in sorted(zip(equations, unbalanced, strict=True), key=lambda pair: -abs(float(pair[1]))):
        lever, turn = (size, 1.0) if step.about.any() else (1.0, size)
        if abs(gap) > _BALANCED * (force * lever + abs(step.stiffness) * turn) + rounding * lever:
            raise _not_at_rest(system, step, float(gap))


def _scales(system: VibratingSystem, equations: list[tuple[HingeFreedom, Array]], known: Array) -> tuple[float, float]:
    """Return the largest force at rest, moments divided by the size, and the size."""
    places = np.array([element.port for element in system.elements] + [element.centre for element in system.elements])
    size = max(float(np.ptp(places, axis=0).max()), 1e-3 * float(np.abs(places).max()), 1e-12)
    wrenches = np.array([wrench @ known for _, wrench in equations])
    loads = [load.force for element in system.elements for load in element.loads]
    force = max([float(np.abs(wrenches[:, :3]).max()), float(np.abs(wrenches[:, 3:]).max()) / size,
                 *(float(np.abs(load).max()) for load in loads)])  # fmt: skip
    efforts = [abs(step.effort) / (1.0 if not step.about.any() else size) for step, _ in equations]
    return max([force, *efforts]), size


def _not_at_rest(system: VibratingSystem, step: HingeFreedom, gap: float) -> MechanismError:
    mechanism = system.mechanism
    what = f"joints.{step.joint}.{step.freedom}" if step.joint else "bodies"
    slides = step.along.any() and not step.about.any()
    unit = "N" if slides else "N m"
    return MechanismError(
        f"not at rest: {abs(gap):.3g} {unit} are not balanced in the configuration of the file; vibrations are small "
        "motions about rest. --settle (settle=True) lets the mechanism come to rest first; otherwise change the pose "
        "or [initial.joints]",
        file=mechanism.file, field=what,
    )  # fmt: skip
