"""Accelerations and joint wrenches of a mechanism in absolute coordinates, from the definitions of its joints.

Bodies are free: state r, R of the centre of mass, v, omega. A joint is equations between two frames
(`transfer.oracle_pairs`), differentiated by power series: the Jacobian from unit displacements, the bias from the
motion with the present velocities and no accelerations. Gauss' principle then is a least-norm problem,

    min |M^(1/2) (a - a_free)|  with  J a = -bias,

solved by an orthogonal factorisation, or by singular values where equations are redundant. Multipliers are what the
equations exert. Nothing of the transfer matrices, elements, trees or rows of the package is used, only the numbers of
the mechanism file.

Source: F. E. Udwadia, R. E. Kalaba, "A new perspective on constrained motion", Proc. R. Soc. A 439, 1992.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from transfer.oracle_pairs import coordinate, driven_residual, residuals
from transfer.oracle_series import Array, constant, matmul, transposed

#: Singular values below this part of the largest are none: rows are of order one (or a few metres).
RANK = 1e-9


def rotation(q: Any) -> Array:
    """Return the matrix of a unit quaternion."""
    w, x, y, z = np.asarray(q, dtype=np.float64) / np.linalg.norm(q)
    return np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ])  # fmt: skip


def tilde(a: Any) -> Array:
    """Return the matrix of a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@dataclass(frozen=True)
class State:
    """Places and velocities of the centres of mass, world: r (n, 3), turn (n, 3, 3), v (n, 3), omega (n, 3)."""

    r: Array
    turn: Array
    v: Array
    omega: Array


@dataclass(frozen=True)
class Answer:
    """Accelerations and what joints exert.

    Parameters
    ----------
    a : body -> acceleration of the body-frame origin [m/s^2], world, gravity not subtracted.
    alpha : body -> angular acceleration [rad/s^2], world.
    force, moment : joint -> what its first body exerts on its second, about the joint centre on the second, world.
    unique : joint -> whether these are the only ones possible.
    rank, redundant : of the constraints.
    """

    a: dict[str, Array]
    alpha: dict[str, Array]
    force: dict[str, Array]
    moment: dict[str, Array]
    unique: dict[str, bool]
    rank: int
    redundant: int
    com: Array = field(repr=False)


class Multibody:
    """A mechanism as free bodies and equations."""

    def __init__(self, mechanism: Any) -> None:
        self.mechanism = mechanism
        self.names = [body.id for body in mechanism.bodies]
        self.mass = np.array([body.mass for body in mechanism.bodies])
        self.com = np.array([body.com or (0.0, 0.0, 0.0) for body in mechanism.bodies]).reshape(-1, 3)
        self.inertia = np.array([_inertia(body.inertia) for body in mechanism.bodies]).reshape(-1, 3, 3)
        self.gravity = np.array(mechanism.gravity)
        self.planar = mechanism.space == "planar"

    # -- states ------------------------------------------------------------------------------------------------------

    def state(self) -> State:
        """Return the state of the file: poses, and velocities of `[initial.bodies]` (zero where not given)."""
        n = len(self.names)
        turn = np.array([rotation(body.pose.q) for body in self.mechanism.bodies]).reshape(n, 3, 3)
        r = np.array([body.pose.r for body in self.mechanism.bodies]).reshape(n, 3) + np.einsum(
            "nij,nj->ni", turn, self.com
        )
        v, omega = np.zeros((n, 3)), np.zeros((n, 3))
        for given in self.mechanism.initial.bodies:
            k = self.names.index(given.body)
            v[k] = given.v if given.v is not None else 0.0
            omega[k] = given.omega if given.omega is not None else 0.0
        return State(r, turn, v, omega)

    # -- constraints -------------------------------------------------------------------------------------------------

    def _frame(self, side: int, joint: Any, now: State) -> tuple[Array, Array]:
        """Return place (3, 13, 3) and axes (3, 13, 3, 3) of a joint's frame.

        Batch 0 to 11: unit displacements (six of the first body, six of the second); 12: the motion.
        """
        frame, body = joint.frames[side], joint.bodies[side]
        at, axes = np.array(frame.at), rotation(frame.q)
        if body not in self.names:
            return constant(np.tile(at, (13, 1))), constant(np.tile(axes, (13, 1, 1)))
        k = self.names.index(body)
        turn, r = constant(np.tile(now.turn[k], (13, 1, 1))), constant(np.tile(now.r[k], (13, 1)))
        spin = tilde(now.omega[k])
        turn[1, 12], turn[2, 12], r[1, 12] = spin @ now.turn[k], 0.5 * spin @ spin @ now.turn[k], now.v[k]
        for axis in range(3):
            r[1, 6 * side + axis, axis] = 1.0
            turn[1, 6 * side + 3 + axis] = tilde(np.eye(3)[axis]) @ now.turn[k]
        return r + turn @ (at - self.com[k]), turn @ axes

    def relative(self, joint: Any, now: State) -> tuple[Array, Array]:
        """Return place (3, 13, 3) and turn (3, 13, 3, 3) of the second frame in the first, series."""
        (one, first), (two, second) = (self._frame(side, joint, now) for side in (0, 1))
        back = transposed(first)
        return matmul(back, (two - one)[..., None])[..., 0], matmul(back, second)

    def rows(self, joint: Any, now: State, time: float) -> tuple[Array, Array, Array, Array]:
        """Return residuals (k,), Jacobian (k, 12), rates of the laws (k,) and bias (k,) of a joint with its drives."""
        place, turn = self.relative(joint, now)
        found = list(residuals(joint.type, place, turn, joint.pitch))
        rates = [0.0] * len(found)
        for freedom in joint.driven_freedoms or ():
            value, rate, acceleration = (float(x) for x in self.mechanism.drives[joint.id, freedom].evaluate(time))
            law = constant(np.full(13, value))
            law[1, 12], law[2, 12] = rate, 0.5 * acceleration
            found.append(driven_residual(joint.type, freedom, place, turn, joint.pitch, law))
            still = np.zeros((3, 13))
            still[0], still[1, 12] = value, rate
            frozen = (constant(place[0]), constant(turn[0]))
            rates.append(-float(driven_residual(joint.type, freedom, *frozen, joint.pitch, still)[1, 12]))
        if not found:
            return np.zeros(0), np.zeros((0, 12)), np.zeros(0), np.zeros(0)
        series = np.stack(found, axis=-1)
        return series[0, 12], series[1, :12].T, np.array(rates), 2.0 * series[2, 12]

    def constraints(self, now: State, time: float = 0.0) -> tuple[Array, Array, Array, Array, list[str]]:
        """Return residuals, Jacobian (k, 6 n), rates of laws, bias and the joint of each row."""
        n = len(self.names)
        parts: list[tuple[Array, Array, Array, Array]] = []
        owners: list[str] = []
        for joint in self.mechanism.joints:
            residual, local, rates, bias = self.rows(joint, now, time)
            wide = np.zeros((len(residual), 6 * n))
            for side, body in enumerate(joint.bodies):
                if body in self.names:
                    k = self.names.index(body)
                    wide[:, 6 * k : 6 * k + 6] += local[:, 6 * side : 6 * side + 6]
            parts.append((residual, wide, rates, bias))
            owners += [joint.id] * len(residual)
        if not parts:
            return np.zeros(0), np.zeros((0, 6 * n)), np.zeros(0), np.zeros(0), owners
        stacked = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
        return stacked[0], stacked[1], stacked[2], stacked[3], owners

    def kept(self) -> Array:
        """Return the columns (6 n) of motions the space has."""
        n = len(self.names)
        return np.array([6 * k + i for k in range(n) for i in ((0, 1, 5) if self.planar else range(6))], dtype=int)

    def velocities(self, now: State, wish: Array, time: float = 0.0) -> State:
        """Return the state with the velocities nearest to `wish` (n, 6) that joints and laws allow."""
        _, jacobian, rates, _, _ = self.constraints(now, time)
        columns = self.kept()
        local = jacobian[:, columns]
        twist = np.zeros(6 * len(self.names))
        start = wish.reshape(-1)[columns]
        for _ in range(2):  # twice: the second removes the rounding of the first
            start = start + _least_norm(local, rates - local @ start)
        twist[columns] = start
        both = twist.reshape(-1, 6)
        return State(now.r, now.turn, both[:, :3], both[:, 3:])

    def least_norm(self, jacobian: Array, right: Array) -> Array:
        """Return the smallest displacement (6 n,) of what the space has with J x = right."""
        columns, found = self.kept(), np.zeros(6 * len(self.names))
        found[columns] = _least_norm(jacobian[:, columns], right)
        return found

    # -- forces ------------------------------------------------------------------------------------------------------

    def applied(self, now: State, time: float) -> tuple[Array, dict[str, Array]]:
        """Return wrenches (n, 6) at the centres of mass, and by joint what its forces exert on both bodies (2, 6)."""
        wrench = np.zeros((len(self.names) + 1, 6))
        wrench[:-1, :3] = self.mass[:, None] * self.gravity
        in_joints: dict[str, Array] = {}
        for element in self.mechanism.forces:
            kind = type(element).__name__
            if kind == "Spring":
                self._spring(element, now, wrench)
            elif kind == "JointForce":
                self._joint_force(element, now, time, wrench, in_joints)
            elif element.start <= time <= element.until:
                k = self.names.index(element.body)
                value = np.array([float(law.evaluate({"t": np.array(time)})) for law in element.value])
                value = now.turn[k] @ value if element.axes == "body" else value
                if kind == "AppliedForce":
                    arm = now.turn[k] @ (np.array(element.at) - self.com[k])
                    wrench[k] += np.concatenate([value, np.cross(arm, value)])
                else:
                    wrench[k, 3:] += value
        return wrench[:-1], in_joints

    def _number(self, body: str) -> int:
        return self.names.index(body) if body in self.names else len(self.names)

    def _spring(self, spring: Any, now: State, wrench: Array) -> None:
        ends = []
        for body, point in spring.between:
            at, k = np.array(self.mechanism.body(body).points[point]), self._number(body)
            if k == len(self.names):
                ends.append((k, np.zeros(3), at, np.zeros(3)))
                continue
            arm = now.turn[k] @ (at - self.com[k])
            ends.append((k, arm, now.r[k] + arm, now.v[k] + np.cross(now.omega[k], arm)))
        (i, arm_i, p_i, v_i), (j, arm_j, p_j, v_j) = ends
        length = float(np.linalg.norm(p_j - p_i))
        along = (p_j - p_i) / length if length > 0.0 else np.zeros(3)
        pull = spring.stiffness * (length - spring.length) + spring.damping * float(along @ (v_j - v_i))
        wrench[i] += np.concatenate([pull * along, np.cross(arm_i, pull * along)])
        wrench[j] -= np.concatenate([pull * along, np.cross(arm_j, pull * along)])

    def _joint_force(self, element: Any, now: State, time: float, wrench: Array, in_joints: dict[str, Array]) -> None:
        joint = self.mechanism.joint(element.joint)
        place, turn = self.relative(joint, now)
        series = coordinate(joint.type, element.freedom, place, turn, joint.pitch)
        value, rate, gradient = series[0, 12], series[1, 12], series[1, :12]
        given = {start.joint: start.coordinates for start in self.mechanism.initial.joints}.get(joint.id, {})
        if element.freedom in given:  # whole turns are not seen in the poses
            value += 2 * np.pi * np.round((given[element.freedom] - value) / (2 * np.pi))
        effort = float(element.value.evaluate({"t": np.array(time)}))
        effort -= element.stiffness * (value - element.rest) + element.damping * rate
        shares = in_joints.setdefault(joint.id, np.zeros((2, 6)))
        for side, body in enumerate(joint.bodies):
            share = effort * gradient[6 * side : 6 * side + 6]
            shares[side] += share
            wrench[self._number(body)] += share

    # -- accelerations -----------------------------------------------------------------------------------------------

    def solve(self, now: State | None = None, time: float = 0.0) -> Answer:
        """Return accelerations and joint wrenches of a state (of the file's, if none is given)."""
        now = self.state() if now is None else now
        n = len(self.names)
        applied, in_joints = self.applied(now, time)
        turned = now.turn @ self.inertia @ np.swapaxes(now.turn, 1, 2)
        applied[:, 3:] -= np.cross(now.omega, np.einsum("nij,nj->ni", turned, now.omega))
        _, jacobian, _, bias, owners = self.constraints(now, time)
        columns = self.kept()
        mass = np.zeros((n, 6, 6))
        mass[:, :3, :3], mass[:, 3:, 3:] = self.mass[:, None, None] * np.eye(3), turned
        width = len(columns) // n
        mass = mass[:, columns[:width, None], columns[:width]]
        local = jacobian[:, columns]
        there = np.abs(local).max(axis=1, initial=0.0) > 1e-12  # in a plane, equations of motions that it has
        local, bias = local[there], bias[there]
        owners = [owner for owner, is_there in zip(owners, there, strict=True) if is_there]
        acceleration, multipliers, null = _gauss(mass, local, applied.reshape(-1)[columns], bias)
        full = np.zeros(6 * n)
        full[columns] = acceleration
        return self._answer(now, full.reshape(n, 6), local, columns, multipliers, null, owners, in_joints)

    def _answer(
        self, now: State, com: Array, local: Array, columns: Array, multipliers: Array, null: Array, owners: list[str],
        in_joints: dict[str, Array],
    ) -> Answer:  # fmt: skip
        a, alpha = {}, {}
        for k, name in enumerate(self.names):
            arm, w = -now.turn[k] @ self.com[k], now.omega[k]
            a[name] = com[k, :3] + np.cross(com[k, 3:], arm) + np.cross(w, np.cross(w, arm))
            alpha[name] = com[k, 3:]
        force, moment, unique = {}, {}, {}
        owner = np.array(owners, dtype=object)
        for joint in self.mechanism.joints:
            mine = np.flatnonzero(owner == joint.id)
            # on the second body, or, the ground being second, the reverse of what the first gets
            side = 1 if joint.bodies[1] in self.names else 0
            k = self.names.index(joint.bodies[side])
            wide = np.zeros((len(mine), 6 * len(self.names)))
            wide[:, columns] = local[mine]
            block = wide[:, 6 * k : 6 * k + 6]
            wrench = block.T @ multipliers[mine]
            if joint.id in in_joints:
                wrench = wrench + in_joints[joint.id][side]
            sign = 1.0 if side == 1 else -1.0
            centre = self._centre(joint, now)
            force[joint.id] = sign * wrench[:3]
            moment[joint.id] = sign * (wrench[3:] + np.cross(now.r[k] - centre, wrench[:3]))
            unique[joint.id] = bool(np.abs(null[:, mine]).max(initial=0.0) < 1e-7)
        return Answer(a, alpha, force, moment, unique, len(owners) - len(null), len(null), com)

    def _centre(self, joint: Any, now: State) -> Array:
        at, body = np.array(joint.frames[1].at), joint.bodies[1]
        if body not in self.names:
            return at
        k = self.names.index(body)
        return now.r[k] + now.turn[k] @ (at - self.com[k])


def _inertia(six: Any) -> Array:
    xx, yy, zz, xy, xz, yz = six or (0.0,) * 6
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _least_norm(rows: Array, right: Array) -> Array:
    """Return the shortest x with rows x = right."""
    rows, right = rows[there := np.abs(rows).max(axis=1, initial=0.0) > 1e-12], right[there]
    if not len(rows):
        return np.zeros(rows.shape[1])
    q, r = np.linalg.qr(rows.T)
    diagonal = np.abs(np.diag(r))
    if rows.shape[0] <= rows.shape[1] and diagonal.min() > 1e-6 * diagonal.max():
        return q @ np.linalg.solve(r.T, right)
    return np.linalg.lstsq(rows, right, rcond=RANK)[0]


def _gauss(mass: Array, jacobian: Array, force: Array, bias: Array) -> tuple[Array, Array, Array]:
    """Return accelerations, multipliers and the left null space (rows) of the Jacobian; `mass` by body (n, 6, 6).

    With y = M^(1/2) (a - a_free), B = J M^(-1/2): B y = -bias - J a_free. B^T = Q R; a second pass with residuals in
    extended precision removes the rounding of the first. Where bodies lack mass, the equations of motion and the
    constraints are solved together.
    """
    if np.linalg.eigvalsh(mass).min() <= 0.0:
        return _together(mass, jacobian, force, bias)
    count, width = mass.shape[:2]
    back = np.swapaxes(np.linalg.inv(np.linalg.cholesky(mass)), 1, 2)  # M^-1 = back back^T
    free = (back @ np.swapaxes(back, 1, 2) @ force.reshape(count, width, 1)).reshape(-1)
    if not len(jacobian):
        return free, np.zeros(0), np.zeros((0, 0))
    b = np.einsum("mki,kij->mkj", jacobian.reshape(len(jacobian), count, width), back).reshape(len(jacobian), -1)
    scale = np.linalg.norm(b, axis=1)
    scale[scale == 0.0] = 1.0
    b = b / scale[:, None]
    q, r = np.linalg.qr(b.T)
    diagonal = np.abs(np.diag(r))
    regular = b.shape[0] <= b.shape[1] and diagonal.min() > 1e-6 * diagonal.max()
    if regular:
        null = np.zeros((0, len(b)))
    else:
        u, values, vt = np.linalg.svd(b, full_matrices=True)
        rank = int(np.sum(values > RANK * values[0]))
        null = u[:, rank:].T / scale  # multipliers of the rows as they were
        null /= np.linalg.norm(null, axis=1)[:, None]

    def pseudo(right: Array) -> tuple[Array, Array]:
        if regular:
            y = q @ np.linalg.solve(r.T, right)
            return y, np.linalg.solve(r, q.T @ y)
        part = (u[:, :rank].T @ right) / values[:rank]
        return vt[:rank].T @ part, u[:, :rank] @ (part / values[:rank])

    right = -(bias + jacobian @ free) / scale
    y, multipliers = pseudo(right)
    for _ in range(2):
        long = np.longdouble
        rest = (right.astype(long) - b.astype(long) @ y.astype(long)).astype(np.float64)
        dy, dm = pseudo(rest)
        y, multipliers = y + dy, multipliers + dm
    acceleration = free + (back @ y.reshape(count, width, 1)).reshape(-1)
    return acceleration, multipliers / scale, null


def _together(mass: Array, jacobian: Array, force: Array, bias: Array) -> tuple[Array, Array, Array]:
    """As `_gauss`, from [M -J^T; J 0] [a; multipliers] = [F; -bias]."""
    rows, columns = jacobian.shape
    whole = np.zeros((columns, columns))
    for k, block in enumerate(mass):
        place = slice(k * len(block), (k + 1) * len(block))
        whole[place, place] = block
    system = np.block([[whole, -jacobian.T], [jacobian, np.zeros((rows, rows))]])
    found = np.linalg.lstsq(system, np.concatenate([force, -bias]), rcond=1e-13)[0]
    u, values, _ = np.linalg.svd(jacobian)
    rank = int(np.sum(values > RANK * values[0]))
    return found[:columns], found[columns:], u[:, rank:].T
