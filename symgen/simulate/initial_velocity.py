"""Initial velocities: the given ones as far as the joints allow, the rest at least kinetic energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.errors import MechanismError
from symgen.library.rotations import Array, matrix
from symgen.model.mechanism import Mechanism
from symgen.simulate.joint_rows import JointRows, RowElement

#: Singular values below this (of rows scaled by the size, so of order 1) are none: redundant rows of closed joints have
#: 1e-15, a position at 1e-7 rad from a singular one 1e-8.
_RANK = 1e-9
#: Given velocities that differ by more than this part of the largest from what the joints allow are said to be changed.
_AGREE = 1e-8


@dataclass(frozen=True)
class Velocities:
    """Initial velocities.

    Parameters
    ----------
    twists : (n, 6) [velocity of the centre of mass, angular velocity], world.
    misfit : which given velocities do not fit the joints and by how much, or None if all do.
    changed : largest change of a given velocity [rad/s, or m/s over the size of the mechanism].
    mobility : velocity freedoms of the position, drives held; None where all is at rest (it is not counted then).
    open : freedoms that the given velocities leave open: those are at rest as far as possible.
    """

    twists: Array
    misfit: str | None
    changed: float
    mobility: int | None
    open: int


@dataclass(frozen=True)
class _Datum:
    """One given component: row (6 n,) times the scaled twists should be `value`; `unit` scales it for messages."""

    name: str
    row: Array
    value: float
    unit: str
    scale: float


def initial_velocities(
    mechanism: Mechanism, rows: JointRows, held: Sequence[RowElement], poses: Array, time: float
) -> Velocities:
    """Return the twists nearest to the given velocities.

    Parameters
    ----------
    held : elements of the pairs and drives, closed at `poses`.

    Raises
    ------
    MechanismError
        The laws of the drives contradict each other.
    """
    given = [*_rate_data(mechanism, rows, poses), *_body_data(mechanism, rows)]
    speeds = {place: float(law.evaluate(time)[1]) for place, law in mechanism.drives.items()}
    rates = np.array([speeds.get((each.joint.id, each.freedom or ""), 0.0) for each in held])
    nothing = np.zeros((len(poses), 6))
    if not any(datum.value for datum in given) and not rates.any():
        return Velocities(nothing, None, 0.0, None, 0)
    jacobian = rows.linearise(held, poses).jacobian
    particular, free = _allowed(mechanism, jacobian, -rows.rates(held, poses, rates))
    matrix_, values = _stack(given, jacobian.shape[1])
    inner, rest = _solve(matrix_ @ free, values - matrix_ @ particular)
    twist = particular + free @ inner
    if rest.shape[1]:
        weight = _root_of_mass(mechanism, poses, rows.size)
        loose = free @ rest
        twist = twist + loose @ np.linalg.lstsq(weight @ loose, -weight @ twist, rcond=_RANK)[0]
    lacks = matrix_ @ twist - values
    changed, misfit = _misfit(given, values, lacks)
    scaled = twist.reshape(-1, 6) * np.array([rows.size] * 3 + [1.0] * 3)
    return Velocities(scaled, misfit, changed, free.shape[1], rest.shape[1])


def _allowed(mechanism: Mechanism, jacobian: Array, right: Array) -> tuple[Array, Array]:
    """Return a solution of J t = right and a basis of the null space of J."""
    if not jacobian.shape[0]:
        return np.zeros(jacobian.shape[1]), np.eye(jacobian.shape[1])
    u, s, vt = np.linalg.svd(jacobian)
    rank = int(np.sum(s > _RANK * s[0])) if s.size else 0
    particular = vt[:rank].T @ ((u[:, :rank].T @ right) / s[:rank])
    lack = np.abs(jacobian @ particular - right).max()
    if not lack <= _AGREE * max(1.0, np.abs(right).max()):
        raise MechanismError(
            f"the laws ask for speeds that the joints do not allow together (by {lack:.3g} rad/s or sizes/s); the "
            "position is singular, or more freedoms are driven than there are",
            file=mechanism.file,
            field="drives",
        )
    return particular, vt[rank:].T


def _solve(matrix_: Array, right: Array) -> tuple[Array, Array]:
    """Return the least-squares solution of least length and a basis of what it leaves open."""
    if not matrix_.shape[0] or not matrix_.shape[1]:
        return np.zeros(matrix_.shape[1]), np.eye(matrix_.shape[1])
    u, s, vt = np.linalg.svd(matrix_)
    rank = int(np.sum(s > _RANK * max(1.0, s[0])))
    return vt[:rank].T @ ((u[:, :rank].T @ right) / s[:rank]), vt[rank:].T


def _stack(given: Sequence[_Datum], unknowns: int) -> tuple[Array, Array]:
    if not given:
        return np.zeros((0, unknowns)), np.zeros(0)
    return np.array([datum.row for datum in given]), np.array([datum.value for datum in given])


def _rate_data(mechanism: Mechanism, rows: JointRows, poses: Array) -> list[_Datum]:
    places = [(each.joint, freedom, rate) for each in mechanism.initial.joints for freedom, rate in each.rates.items()]
    if not places:
        return []
    joints = {name: mechanism.joint(name) for name, _, _ in places}
    elements = [rows.freedom_element(joints[j], f, rows.coordinate(joints[j], f, poses)) for j, f, _ in places]
    jacobian = rows.linearise(elements, poses).jacobian
    # The row's rate is J t + r(rate), linear in the rate: divided by r of a unit rate it gives the rate itself.
    units = rows.rates(elements, poses, np.ones(len(elements)))
    found = []
    for (joint, freedom, rate), row, unit in zip(places, jacobian, units, strict=True):
        slides = freedom in ("x", "y", "z", "slide")
        scale = rows.size if slides else 1.0
        name = f"{joint}.{freedom}.rate"
        found.append(_Datum(name, -row / (unit * scale), rate / scale, "m/s" if slides else "rad/s", scale))
    return found


def _body_data(mechanism: Mechanism, rows: JointRows) -> list[_Datum]:
    found = []
    for given in mechanism.initial.bodies:
        first = 6 * rows.number[given.body]
        for part, vector, offset, scale, unit in (
            ("v", given.v, 0, rows.size, "m/s"),
            ("omega", given.omega, 3, 1.0, "rad/s"),
        ):
            for k, value in enumerate(vector or ()):
                row = np.zeros(6 * len(rows.number))
                row[first + offset + k] = 1.0
                found.append(_Datum(f"{given.body}.{part}[{k}]", row, value / scale, unit, scale))
    return found


def _root_of_mass(mechanism: Mechanism, poses: Array, size: float) -> Array:
    """Return W with 2 T = |W t|^2 for scaled twists; bodies without mass have none."""
    found = np.zeros((6 * len(poses), 6 * len(poses)))
    for k, body in enumerate(mechanism.bodies):
        xx, yy, zz, xy, xz, yz = body.inertia or (0.0,) * 6
        values, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        turn = matrix(poses[k, 3:])
        place = slice(6 * k, 6 * k + 3)
        found[place, place] = np.sqrt(body.mass or 0.0) * size * np.eye(3)
        place = slice(6 * k + 3, 6 * k + 6)
        found[place, place] = np.sqrt(np.maximum(values, 0.0))[:, None] * (turn @ axes).T
    return found


def _misfit(given: Sequence[_Datum], values: Array, lacks: Array) -> tuple[float, str | None]:
    if not given:
        return 0.0, None
    changed = float(np.abs(lacks).max())
    if changed <= _AGREE * float(np.abs(values).max()):
        return changed, None
    worst = sorted(range(len(given)), key=lambda k: -abs(lacks[k]))[:3]
    said = [
        f"{given[k].name} is {given[k].value * given[k].scale:.6g} {given[k].unit}, the joints allow "
        f"{(given[k].value + lacks[k]) * given[k].scale:.6g} {given[k].unit}"
        for k in worst
        if abs(lacks[k]) > _AGREE * float(np.abs(values).max())
    ]
    more = int(np.sum(np.abs(lacks) > _AGREE * float(np.abs(values).max()))) - len(said)
    others = f" (and {more} more)" if more > 0 else ""
    return changed, f"the given velocities do not fit the joints and were projected: {'; '.join(said)}{others}"
