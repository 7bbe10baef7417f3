"""Newton-Euler equations with multipliers, all at once: the method that knows nothing of transfer elements.

    M a = F + J^T lam,    J a = -b

with the rows of every joint (generated for the dynamics engine) and masses at the centres of mass. With M = C C^T,
y = C^T a and A = J C^-T the accelerations are the least change of the free ones: y = y_0 + A^+ (-b - A y_0), unique
also where constraints are redundant; of the reactions the least are taken (`symgen.transfer.self_stress`). Bodies
without mass or inertia: the whole system of equations, scaled, by its singular values. Flexible beams have their modes
as further unknowns.

Source: Newton-Euler equations with Lagrange multipliers; redundancy: F. E. Udwadia, R. E. Kalaba 1992.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symgen.errors import MechanismError
from symgen.library.generated_numpy import load_routines
from symgen.model.parts import Joint, JointForce
from symgen.poses import Array
from symgen.simulate.central.numpy_rows import Surroundings
from symgen.simulate.central.numpy_spaces import Routines
from symgen.simulate.manifest import FOLDER, read_dynamics
from symgen.simulate.start.started import first_values
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.problem import Problem, make_problem
from symgen.transfer.beams.multipliers import ModesBeside
from symgen.transfer.multipliers.masses import BlockMasses, MassMatrix, WholeMasses
from symgen.transfer.multipliers.whole import solve_whole
from symgen.transfer.self_stress import force_in, with_least_reactions
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system.tree import GROUND

#: Singular values of the rows, each of length one, below this are none.
RANK = 1e-9
#: A body is idle where a motion that moves nothing has more than this part of itself in it.
_IDLE = 1e-6
#: Of a body's twist: what a planar mechanism moves in.
_PLANAR = (0, 1, 5)
_REFINEMENTS = 2


def solve_multiplier(snapshot: Snapshot, unit: float) -> Solution:
    """Return accelerations and joint wrenches.

    Parameters
    ----------
    unit : a length of the mechanism's size [m], for which ranks are judged; best a power of two.

    Raises
    ------
    MechanismError
        A body moves without moving any mass.
    """
    return _Equations(snapshot.scaled(unit)).solve()


@dataclass(frozen=True)
class _Solved:
    accelerations: Array
    multipliers: Array
    stresses: Array
    rank: int


class _Equations:
    """Bodies in the order of the problem's tables; lengths in the snapshot's unit."""

    def __init__(self, snapshot: Snapshot) -> None:
        mechanism, manifest = snapshot.mechanism, read_dynamics()
        self._now, self._mechanism = snapshot, mechanism
        rows = JointRows(mechanism, snapshot.unit)
        self._problem = make_problem(mechanism, manifest, "dense", lambda: 0, rows, snapshot.unit)
        self._do = Routines(load_routines(FOLDER, f"{FOLDER}.py"))
        self._around = Surroundings(self._problem, manifest, self._do)
        order = np.array(self._problem.order)
        self._order, self._count = order, len(order)
        self._poses = np.hstack([snapshot.centre[order], snapshot.q[order]])
        self._twists = np.hstack([snapshot.velocity[order], snapshot.omega[order]])
        self._mass, self._inertia = snapshot.mass[order], snapshot.inertia[order]
        self._law = self._problem.law_values(snapshot.time)  # of forces that do not act, perhaps none
        found = self._around.rows(self._poses, self._twists, self._law, self._problem.sizes["ELEMENTS"])
        self._owner = _owners(self._problem, rows, len(found.bias))
        used = _PLANAR if mechanism.space == "planar" else range(6)
        self._used = list(used)
        self._columns = np.array([6 * body + k for body in range(self._count) for k in used])
        lengths = np.linalg.norm(found.jacobian[:, self._columns], axis=1)
        self._kept = np.flatnonzero(lengths > RANK)
        self._bias = found.bias[self._kept]
        self._jacobian = found.jacobian[self._kept]
        self._modes = ModesBeside(snapshot, order)
        if self._modes.count:
            self._add_modes()

    def _add_modes(self) -> None:
        """Add the columns of modes behind those of bodies."""
        owners = self._owner[self._kept]
        own = np.zeros((len(self._kept), self._modes.count))
        for joint in dict.fromkeys(owners):
            own[owners == joint] = self._modes.rows(str(joint), self._jacobian[owners == joint])
        self._jacobian = np.hstack([self._jacobian, own])
        self._columns = np.append(self._columns, 6 * self._count + np.arange(self._modes.count))

    def solve(self) -> Solution:
        """Return the solution in SI units."""
        load = self._load()
        solved = self._with_masses(load) if self._all_heavy() else self._with_singular_values(load)
        bodies = 6 * self._count
        accelerations = solved.accelerations[:bodies].reshape(-1, 6)[np.argsort(self._order)]
        unit = self._now.unit
        wrenches, stresses = self._joints(solved)
        found = Solution(accelerations=accelerations, wrenches=wrenches, rows=len(self._kept), rank=solved.rank)
        if solved.stresses.shape[1]:
            found = with_least_reactions(self._now, found, stresses)
        return replace(
            found,
            accelerations=accelerations * np.array([unit] * 3 + [1.0] * 3),
            wrenches={name: wrench * np.array([unit] * 3 + [unit**2] * 3) for name, wrench in found.wrenches.items()},
            bent=self._modes.bent(solved.accelerations[bodies:]),
        )

    # -- equations ---------------------------------------------------------------------------------------------------

    def _load(self) -> Array:
        """Return forces and torques (6 n,) at the centres of mass, gyroscopic ones included; then those on modes."""
        forces = [each for each in self._mechanism.forces if isinstance(each, JointForce)]
        angle = np.array([*first_values(self._mechanism, [(each.joint, each.freedom) for each in forces]), 0.0])
        time = self._now.time
        active: NDArray[np.int32] = np.array(
            [start <= time <= until for start, until in self._problem.pushes], dtype=np.int32
        )
        found = self._around.forces(self._poses, self._twists, self._law, active, angle)
        twists = self._twists.reshape(-1)
        load = found.wrench.reshape(-1) - found.rows.T @ (found.damping * (found.rows @ twists))
        omega = self._twists[:, 3:]
        turning = np.cross(omega, (self._inertia @ omega[..., None])[..., 0])
        load.reshape(-1, 6)[:, 3:] -= turning
        now, joints = self._now, self._mechanism.joints
        within = {joint.id: force_in(now, joint) for joint in joints} if self._modes.count else {}
        return np.append(load, self._modes.loads(within))

    def _mass_blocks(self) -> Array:
        blocks = np.zeros((self._count, 6, 6))
        blocks[:, range(3), range(3)] = self._mass[:, None]
        blocks[:, 3:, 3:] = self._inertia
        return blocks[:, self._used][:, :, self._used]

    def _mass_matrix(self) -> Array:
        """Return masses and modes as one matrix over all unknowns."""
        bodies, width = 6 * self._count, len(self._used)
        found = np.eye(len(self._columns))
        for k, block in enumerate(self._mass_blocks()):
            part = slice(width * k, width * (k + 1))
            found[part, part] = block
        inner = self._columns < bodies
        shared = self._modes.inertia()[self._columns[inner]]
        found[np.ix_(inner, ~inner)], found[np.ix_(~inner, inner)] = shared, shared.T
        return found

    def _all_heavy(self) -> bool:
        """Tell whether every body has mass and inertia; each is measured by its own."""
        first = 2 if self._mechanism.space == "planar" else 3
        turning = np.linalg.eigvalsh(self._mass_blocks()[:, first:, first:])
        return bool(np.all(self._mass > 0.0)) and bool(np.all(turning[:, 0] > 1e-12 * turning[:, -1]))

    def _with_masses(self, load: Array) -> _Solved:
        """Solve with the Cholesky factors of the mass matrix; refined, as the multipliers lose digits twice."""
        masses: MassMatrix = WholeMasses(self._mass_matrix()) if self._modes.count else BlockMasses(self._mass_blocks())
        jacobian = self._jacobian[:, self._columns]
        rows = masses.weighted(jacobian)
        scale = 1.0 / (np.linalg.norm(rows, axis=1) if len(rows) else np.ones(0))
        left, sizes, right = np.linalg.svd(scale[:, None] * rows, full_matrices=len(rows) > rows.shape[1])
        rank = int(np.sum(sizes > RANK * sizes.max(initial=0.0)))
        u, s, v = left[:, :rank], sizes[:rank], right[:rank].T

        def step(force: Array, gap: Array) -> tuple[Array, Array]:
            free = masses.half(force, forward=True)
            inner = (u.T @ (scale * (gap - rows @ free))) / s
            return masses.half(free + v @ inner, forward=False), scale * (u @ (inner / s))

        force, gap = load[self._columns], -self._bias
        accelerations, multipliers = step(force, gap)
        for _ in range(_REFINEMENTS):
            inertial = masses.times(accelerations)
            more = step(force + jacobian.T @ multipliers - inertial, gap - jacobian @ accelerations)
            accelerations, multipliers = accelerations + more[0], multipliers + more[1]
        return self._solved(accelerations, multipliers, scale[:, None] * left[:, rank:], rank)

    def _with_singular_values(self, load: Array) -> _Solved:
        """Solve all equations at once, where a body lacks mass or inertia."""
        bodies = 6 * self._count  # places and turns of each body, then modes one by one
        groups = np.where(self._columns < bodies, self._columns // 3, self._columns)
        jacobian, force = self._jacobian[:, self._columns], load[self._columns]
        found = solve_whole(self._mass_matrix(), jacobian, force, -self._bias, groups)
        idle = np.abs(found.idle[: len(self._used) * self._count]).max(axis=1, initial=0.0)
        if idle.max(initial=0.0) > _IDLE:
            raise self._idle(int(self._columns[int(np.argmax(idle))]) // 6)
        rank = len(self._bias) - found.stresses.shape[1]
        return self._solved(found.accelerations, found.multipliers, found.stresses, rank)

    def _solved(self, accelerations: Array, multipliers: Array, stresses: Array, rank: int) -> _Solved:
        every = np.zeros(6 * self._count + self._modes.count)
        every[self._columns] = accelerations
        return _Solved(every, multipliers, stresses, rank)

    def _idle(self, place: int) -> MechanismError:
        body = self._mechanism.bodies[int(self._order[place])]
        return MechanismError(
            "can move without moving any mass: its acceleration is not determined; give it mass and inertia",
            file=self._mechanism.file,
            field=f"bodies.{body.id}",
        )

    # -- joints ------------------------------------------------------------------------------------------------------

    def _joints(self, solved: _Solved) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return the wrench of every joint, and what self-stresses make it transmit, (6, s)."""
        wrenches: dict[str, Array] = {}
        stresses: dict[str, Array] = {}
        used = np.array([*_PLANAR]) if self._mechanism.space == "planar" else np.arange(6)
        for joint in self._mechanism.joints:
            mine = np.flatnonzero(self._owner[self._kept] == joint.id)
            to_joint = self._to_joint(joint, self._jacobian[mine])
            wrenches[joint.id] = np.zeros(6)
            wrench = to_joint @ solved.multipliers[mine] + force_in(self._now, joint)
            wrenches[joint.id][used] = wrench[used]
            stresses[joint.id] = to_joint @ solved.stresses[mine]
        return wrenches, stresses

    def _to_joint(self, joint: Joint, jacobian: Array) -> Array:
        """Return the matrix (6, m) from multipliers to the wrench on the second body about the joint centre on it."""
        second, sign = self._now.index[joint.bodies[1]], 1.0
        if second == GROUND:
            second, sign = self._now.index[joint.bodies[0]], -1.0
        place = int(np.flatnonzero(self._order == second)[0])
        block = sign * jacobian[:, 6 * place : 6 * place + 6].T
        lever = self._now.centre[second] - self._now.frames[joint.id].centres[1]
        moved = block.copy()
        moved[3:] += np.cross(lever, block[:3].T).T
        return moved


def _owners(problem: Problem, rows: JointRows, count: int) -> NDArray[np.str_]:
    """Return the joint of each row."""
    driven = [
        rows.freedom_element(joint, freedom, 0.0)
        for joint in rows.mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]
    kinds = {kind.code: kind.rows for kind in read_dynamics().kinds}
    elements = rows.joint_elements() + driven
    names = [
        element.joint.id
        for element, record in zip(elements, problem.tables["ELEMENT"], strict=True)
        for _ in range(kinds[int(record["kind"])])
    ]
    return np.array(names[:count], dtype=np.str_) if names else np.zeros(0, dtype=np.str_)
