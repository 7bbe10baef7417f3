"""Initial velocities: the given ones as far as the joints allow, the rest at least kinetic energy.

In a singular position the joints allow, to first order, more than any motion has: there the velocities are those of one
of the branches that meet, see `symgen.simulate.start.branches`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.poses import Array, matrix
from symgen.simulate.start.branches import branch_tangents
from symgen.simulate.tables.joint_rows import JointRows, RowElement

#: Singular values below this (of rows scaled by the size, so of order 1) are none: redundant rows of closed joints have
#: 1e-15, a position at 1e-7 rad from a singular one 1e-8.
_RANK = 1e-9
#: Given velocities that differ by more than this part of the largest from what the joints allow are said to be changed.
_AGREE = 1e-8
#: Given velocities that differ by less than this part of the largest are taken as they are.
_FITS = 1e-12
#: Squared singular values above this part of the largest: the rows are independent beyond doubt.
_REGULAR = 1e-12
#: Velocities of two branches that differ by less, relative, are the same.
_SAME = 1e-6


@dataclass(frozen=True)
class Velocities:
    """Initial velocities.

    Parameters
    ----------
    twists : (n, 6) [velocity of the centre of mass, angular velocity], world.
    misfit : which given velocities do not fit the joints and by how much, or which branches of a singular position they
        leave open; None if all fit.
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
    speeds = {freedom: float(law.evaluate(time)[1]) for freedom, law in mechanism.drives.items()}
    rates = np.array([speeds.get((each.joint.id, each.freedom or ""), 0.0) for each in held])
    nothing = np.zeros((len(poses), 6))
    if not any(datum.value for datum in given) and not rates.any():
        return Velocities(nothing, None, 0.0, None, 0)
    now = rows.linearise(held, poses)
    right = -rows.rates(held, poses, rates)
    stacked = _stack(given, now.jacobian.shape[1])
    known = _as_given(mechanism, now.jacobian, right, stacked)
    if known is not None:
        twist, mobility = known
        return Velocities(twist * np.array([rows.size] * 3 + [1.0] * 3), None, 0.0, mobility, 0)
    particular, free = _allowed(mechanism, now.jacobian, right)
    weight = _root_of_mass(mechanism, poses, rows.size)
    pairs = [each for each in held if not each.freedom]
    tangents = branch_tangents(rows, pairs, poses)
    if tangents:
        driven = np.array([bool(held[k].freedom) for k in now.owner], dtype=bool)
        fits = _branch_fits(mechanism, tangents, now.jacobian[driven], right[driven], stacked, weight)
        best, misfit = _choose(mechanism, rows, poses, fits, given, stacked)
    else:
        best = _fit(particular, free, stacked, weight)
        misfit = _misfit(given, stacked[1], best.lacks)
    still = float(np.abs(best.twist).max()) <= _AGREE * float(np.abs(stacked[1]).max(initial=0.0))
    scaled = (0.0 if still else 1.0) * best.twist.reshape(-1, 6) * np.array([rows.size] * 3 + [1.0] * 3)
    return Velocities(scaled, misfit, best.changed, free.shape[1], best.open)


def _as_given(
    mechanism: Mechanism, jacobian: Array, right: Array, stacked: tuple[Array, Array]
) -> tuple[Array, int] | None:
    """Return the scaled twists (n, 6) of a file that gives those of all bodies, and the mobility.

    None if they do not fit, or the rows of the joints are not independent. Else there is nothing to choose; the
    singular values of all rows would take seconds for some hundred bodies.
    """
    given = mechanism.initial.bodies
    whole = {each.body for each in given if each.v is not None and each.omega is not None}
    if len(whole) < len(mechanism.bodies):
        return None
    matrix_, values = stacked
    own = np.count_nonzero(matrix_, axis=1) == 1  # a component of a body; rates of joints have more
    twist = np.zeros(jacobian.shape[1])
    twist[np.argmax(matrix_[own] != 0.0, axis=1)] = values[own]
    largest = float(np.abs(twist).max(initial=0.0))
    if np.abs(jacobian @ twist - right).max(initial=0.0) > _FITS * largest:
        return None
    if np.abs(matrix_ @ twist - values).max(initial=0.0) > _FITS * largest:
        return None
    inside = jacobian
    if mechanism.space == "planar":  # what moves in the plane is held by rows of its own
        inside = jacobian.reshape(len(jacobian), -1, 6)[:, :, [0, 1, 5]].reshape(len(jacobian), -1)
        inside = inside[np.abs(inside).max(axis=1, initial=0.0) > _RANK]
    sizes = np.linalg.eigvalsh(inside @ inside.T) if len(inside) else np.ones(1)
    return (twist.reshape(-1, 6), inside.shape[1] - len(inside)) if sizes[0] > _REGULAR * sizes[-1] else None


@dataclass(frozen=True)
class _Fit:
    """Twists (6 n,) in sizes nearest to what is given, what they lack to it, freedoms left open, root of the energy."""

    twist: Array
    lacks: Array
    open: int
    energy: float

    @property
    def changed(self) -> float:
        """Largest lack."""
        return float(np.abs(self.lacks).max(initial=0.0))

    @property
    def distance(self) -> float:
        """All lacks together."""
        return float(np.linalg.norm(self.lacks))


def _fit(particular: Array, free: Array, stacked: tuple[Array, Array], weight: Array) -> _Fit:
    matrix_, values = stacked
    inner, rest = _solve(matrix_ @ free, values - matrix_ @ particular)
    twist = particular + free @ inner
    if rest.shape[1]:
        loose = free @ rest
        twist = twist + loose @ np.linalg.lstsq(weight @ loose, -weight @ twist, rcond=_RANK)[0]
    return _Fit(twist, matrix_ @ twist - values, rest.shape[1], float(np.linalg.norm(weight @ twist)))


def _branch_fits(
    mechanism: Mechanism, tangents: Sequence[Array], driven: Array, right: Array, stacked: tuple[Array, Array],
    weight: Array,
) -> list[_Fit]:  # fmt: skip
    """Return the fit on every branch that the laws allow.

    Parameters
    ----------
    driven, right : rows of the drives and what they should be.

    Raises
    ------
    MechanismError
        None allows them.
    """
    fits: list[_Fit] = []
    refused: MechanismError | None = None
    for tangent in tangents:
        aside = np.eye(len(tangent)) - tangent @ tangent.T
        try:
            particular, free = _allowed(
                mechanism, np.vstack([aside, driven]), np.concatenate([np.zeros(len(aside)), right])
            )
        except MechanismError as error:
            refused = error
            continue
        fits.append(_fit(particular, free, stacked, weight))
    if not fits and refused is not None:
        raise refused
    return fits


def _choose(
    mechanism: Mechanism, rows: JointRows, poses: Array, fits: Sequence[_Fit], given: Sequence[_Datum],
    stacked: tuple[Array, Array],
) -> tuple[_Fit, str | None]:  # fmt: skip
    """Return the fit of the branch that is meant, and what is to be said of it."""
    values = stacked[1]
    largest = float(np.abs(values).max(initial=0.0)) or max(float(np.abs(fit.twist).max()) for fit in fits)
    least = min(fit.distance for fit in fits)
    near: list[_Fit] = []
    for fit in sorted(fits, key=lambda each: each.energy):
        apart = all(np.abs(fit.twist - other.twist).max() > _SAME * largest for other in near)
        if fit.distance <= least + _AGREE * largest and apart:
            near.append(fit)
    best = near[0]
    where = f"the position is singular, {len(fits)} branches meet in it"
    if least > _AGREE * largest:
        return best, f"{where}, and none of them has the given velocities: {_misfit(given, values, best.lacks)}"
    if len(near) == 1:
        return best, None
    return (
        best,
        f"{where}, and {len(near)} have the given velocities; give more rates: {_differ(mechanism, rows, poses, near)}",
    )


def _differ(mechanism: Mechanism, rows: JointRows, poses: Array, fits: Sequence[_Fit]) -> str:
    """Return the joint's rate that tells most of the fits apart, with its values, that of the chosen fit first."""
    best: tuple[int, str] = (1, "of more joints or bodies")
    for joint in mechanism.joints:
        for freedom in joint.freedoms:
            element = rows.freedom_element(joint, freedom, rows.coordinate(joint, freedom, poses))
            row = rows.linearise([element], poses).jacobian[0]
            unit = float(rows.rates([element], poses, np.ones(1))[0])
            if abs(unit) < _RANK:
                continue  # turned away at a singular attitude
            rates = [round(float(-row @ fit.twist / unit), 9) + 0.0 for fit in fits]
            kinds = list(dict.fromkeys(rates))
            if len(kinds) > best[0]:
                best = (
                    len(kinds),
                    f"{joint.id}.{freedom}.rate, {' or '.join(f'{rate:.6g}' for rate in kinds)} (the first is taken)",
                )
    return best[1]


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
            f"the laws prescribe speeds that the joints do not allow together (the misfit is {lack:.3g} rad/s or "
            "sizes/s); the position is singular, or more freedoms are driven than there are",
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
        part = slice(6 * k, 6 * k + 3)
        found[part, part] = np.sqrt(body.mass or 0.0) * size * np.eye(3)
        part = slice(6 * k + 3, 6 * k + 6)
        found[part, part] = np.sqrt(np.maximum(values, 0.0))[:, None] * (turn @ axes).T
    return found


def _misfit(given: Sequence[_Datum], values: Array, lacks: Array) -> str | None:
    if not given:
        return None
    changed = float(np.abs(lacks).max())
    if changed <= _AGREE * float(np.abs(values).max()):
        return None
    worst = sorted(range(len(given)), key=lambda k: -abs(lacks[k]))[:3]
    said = [
        f"{given[k].name} is {given[k].value * given[k].scale:.6g} {given[k].unit}, the joints allow "
        f"{(given[k].value + lacks[k]) * given[k].scale:.6g} {given[k].unit}"
        for k in worst
        if abs(lacks[k]) > _AGREE * float(np.abs(values).max())
    ]
    more = int(np.sum(np.abs(lacks) > _AGREE * float(np.abs(values).max()))) - len(said)
    others = f" (and {more} more)" if more > 0 else ""
    return f"the given velocities do not fit the joints and were projected: {'; '.join(said)}{others}"
