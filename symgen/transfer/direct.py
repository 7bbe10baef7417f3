"""The direct method: the deduced overall transfer equation in numbers, solved, and all states by substitution back.

From the tips on, the state of every port is a matrix times the unknowns of the tips; the relative accelerations of a
main hinge are eliminated with the force rows of the hinge at the output of the body behind it. What remains is one small
system, whose order does not depend on how long the branches are.

The price is a product of transfer matrices: rounding errors grow with each body, with a factor 3.7 for a slender rod
and without bound where an output is the centre of percussion of its input. The condition of the equation is known in
every solution; where it leaves less than eight digits the method refuses.

Source: see `symgen.transfer.deduction`; growth and its bound: docs/transfer-matrices.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.errors import AccuracyError
from symgen.library.rotations import Array
from symgen.simulate.scale import unit_of_length
from symgen.transfer.deduction import (
    USE_RICCATI,
    DeducedBody,
    Entry,
    OverallEquation,
    RowBlock,
    Variant,
    deduce_equation,
)
from symgen.transfer.direct_elements import PLANE_A, PLANE_W, DirectElements, DirectHinge, direct_elements, pairing
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system import TransferSystem

#: Rounding error times condition beyond which a solution is refused.
LARGEST_ERROR = 1e-8
#: A row smaller than this part of the terms that it was formed from has vanished.
_VANISHED = 1e-12
#: Vectors of signs that find what wrong rows do to the states.
_SIGNS = 8
_EPS = float(np.finfo(np.float64).eps)


def solve_direct(snapshot: Snapshot, system: TransferSystem, *, variant: Variant | None = None) -> Solution:
    """Return accelerations and joint wrenches by the overall transfer equation.

    Parameters
    ----------
    snapshot : the state.
    system : with one root for the equation of the theorem; several give a main equation each.
    variant : see `symgen.transfer.deduction.deduce_equation`.

    Returns
    -------
    Solution
        its figures: `order`, `condition` of the scaled equation, `accuracy` = eps * condition, and `violation`, the
        largest part of a hinge's force rows that the states do not fulfil.

    Raises
    ------
    MechanismError
        Hinges in sequence have unequal freedoms.
    AccuracyError
        A pivot is singular (names body and hinges), or the equation is too ill conditioned (says by how much).
    """
    return DirectMethod(system, variant).solve(snapshot)


class DirectMethod:
    """The direct method for one system: deduced once, solved at any time.

    Parameters
    ----------
    system, variant : see `solve_direct`.

    Raises
    ------
    MechanismError
        Hinges in sequence have unequal freedoms.
    """

    def __init__(self, system: TransferSystem, variant: Variant | None = None) -> None:
        self.equation = deduce_equation(system, variant)
        self._unit = unit_of_length(system.mechanism)

    def solve(self, snapshot: Snapshot) -> Solution:
        """Return accelerations and joint wrenches in a state; see `solve_direct`."""
        return _Solve(self.equation, snapshot.scaled(self._unit), snapshot.unit).solution()


@dataclass(frozen=True)
class _Port:
    """A state as a matrix (2 d, unknowns + 1), and the sizes of the terms it was formed from."""

    z: Array
    size: Array


class _Solve:
    def __init__(self, equation: OverallEquation, now: Snapshot, unit: float) -> None:
        self.equation, self.now, self.unit, self.width = equation, now, unit, equation.width
        self.elements: DirectElements = direct_elements(now, equation)
        self.columns = equation.unknowns
        self.opaque = equation.variant == "opaque"
        self.p = pairing(self.width)
        self.mass = float(np.mean(now.mass[: len(now.mass) - 1])) or 1.0
        self.scale = np.ones(self.columns)
        self.tips = self._tips()
        self.inputs: dict[tuple[int, int], _Port] = {}
        self.outputs: dict[int, _Port] = {}
        self.roots: dict[int, Array] = {}
        self.rows: list[tuple[RowBlock, Array, Array]] = []

    def solution(self) -> Solution:
        """Return the solution in the units of the snapshot that was given."""
        with np.errstate(over="ignore", invalid="ignore"):  # products of long branches overflow, and are refused
            return self._solution()

    def _solution(self) -> Solution:
        for step in self.equation.bodies:
            self._step(step)
        self._root_states()
        matrix, right = self._matrix()
        known, condition = self._solve_rows(matrix, right)
        states = {k: port.z @ known for k, port in self.outputs.items()}
        accuracy = max(_EPS * condition, self._expected_error(matrix, known, states))
        if not accuracy <= LARGEST_ERROR:
            raise self._refusal("its states lose their digits when they are put back", accuracy)
        violation = self._violation(known)
        if not violation <= LARGEST_ERROR:
            raise self._refusal(f"the force rows of its hinges are fulfilled to {violation:.1e} only", violation)
        figures = {
            "order": float(self.equation.order), "condition": condition, "accuracy": accuracy,
            "violation": violation,
        }  # fmt: skip
        return Solution(self._accelerations(states), self._wrenches(states, known), figures=figures)

    # -- tips and roots ----------------------------------------------------------------------------------------------

    def _tips(self) -> dict[int, Array]:
        """Return the state (2 d, unknowns + 1) of each tip."""
        found, first, d = {}, 0, self.width
        for tip in self.equation.tips:
            z = np.zeros((2 * d, self.columns + 1))
            if tip.kind == "ground":
                self._beside_ground(z, self.elements.hinges[tip.joint], first, -1.0)
            else:
                z[: tip.unknowns, first : first + tip.unknowns] = np.eye(tip.unknowns)
                self.scale[first + d : first + tip.unknowns] = self.mass
            found[tip.number], first = z, first + tip.unknowns
        self.first_root = first
        return found

    def _beside_ground(self, z: Array, hinge: DirectHinge, first: int, sign: float) -> None:
        """Write the states at the inboard side of a hinge to the ground; `sign` -1 where the wrench is of the ground."""
        d, (columns, rest), (basis, given) = self.width, hinge.held, hinge.wrenches
        free = columns.shape[1]
        z[:d, first : first + free], z[:d, -1] = columns, rest
        z[d:, first + free : first + d], z[d:, -1] = sign * basis, sign * given
        self.scale[first + free : first + d] = self.mass

    def _root_states(self) -> None:
        """Bind the states at the roots: main equations, or the rows of the hinges there."""
        d, first = self.width, self.first_root
        for step in self.equation.roots:
            k, output = step.body.body, step.body.output
            hinge = self.elements.hinges[output.joint] if output is not None else None
            port = self.outputs[k]
            if self.opaque:
                if hinge is not None and step.output_freedoms < d:
                    rows = hinge.locked @ hinge.x
                    self._add("root", k, 0, rows @ port.z[:d], np.abs(rows) @ port.size[:d], hinge.locked @ hinge.eta)
                continue
            z = np.zeros((2 * d, self.columns + 1))
            if hinge is None:
                z[:d, first : first + d] = np.eye(d)
            else:
                self._beside_ground(z, hinge, first, 1.0)
            self._add("main", k, 0, port.z - z, port.size + np.abs(z))
            first += d

    # -- from the inputs of a body to its output ---------------------------------------------------------------------

    def _step(self, step: DeducedBody) -> None:
        d, k = self.width, step.body.body
        body = self.elements.bodies[k]
        ports = [self._enter(entry) for entry in step.entries]
        main, *others = ports
        gained = sum((m @ port.z for m, port in zip(body.others, others, strict=True)), np.zeros_like(main.z))
        gained_size = sum(
            (np.abs(m) @ port.size for m, port in zip(body.others, others, strict=True)), np.zeros_like(main.z)
        )
        u, rest = body.transfer[: 2 * d, : 2 * d], body.transfer[: 2 * d, 2 * d]
        gained[:, -1] += rest
        if step.eliminates:
            main = self._eliminate_opaque(step, main, gained) if self.opaque else self._eliminate_ball(step, ports, gained)
        self.inputs[k, step.entries[0].input] = main
        for entry, port in zip(step.entries[1:], others, strict=True):
            self.inputs[k, entry.input] = port
        out = _Port(u @ main.z + gained, np.abs(u) @ main.size + gained_size)
        out.size[:, -1] += np.abs(rest)
        self.outputs[k] = out
        for (entry, port), (slope, shift) in zip(zip(step.entries[1:], others, strict=True), body.geometric, strict=True):
            self._geometric(step, entry, port, slope, shift)
        if self.opaque:
            self._leftover(step)

    def _enter(self, entry: Entry) -> _Port:
        """Return the state behind the hinge of an input, its relative accelerations left out."""
        if entry.tip:
            z = self.tips[entry.tip]
            size = np.abs(z)
        else:
            z, size = self.outputs[entry.source].z, self.outputs[entry.source].size
        if not entry.joint:
            return _Port(z, size)
        d, hinge = self.width, self.elements.hinges[entry.joint]
        if entry.tip and entry.freedoms and self.opaque:
            self._add_force(entry.joint, self.equation.tips[entry.tip - 1].body, z[d:], size[d:])
        passed = np.vstack([hinge.x @ z[:d], hinge.xw @ z[d:]])
        passed[:d, -1] += hinge.eta
        return _Port(passed, np.vstack([np.abs(hinge.x) @ size[:d], np.abs(hinge.xw) @ size[d:]]))

    def _eliminate_opaque(self, step: DeducedBody, main: _Port, gained: Array) -> _Port:
        """Add the relative accelerations of the main hinge, from the force rows at the output."""
        d, body = self.width, self.elements.bodies[step.body.body]
        u = body.transfer[: 2 * d, : 2 * d]
        h = self.elements.hinges[step.entries[0].joint].h
        rows, wanted = self._far_side(step, u[:d, :d] @ h)
        pivot = rows @ u[d:, :d] @ h
        self._check_pivot(step, pivot, np.abs(rows) @ body.sizes @ np.abs(h))
        missing = -rows @ (u @ main.z + gained)[d:]
        missing[:, -1] += wanted
        more = h @ np.linalg.solve(pivot, missing)
        return _Port(
            np.vstack([main.z[:d] + more, main.z[d:]]), np.vstack([main.size[:d] + np.abs(more), main.size[d:]])
        )

    def _far_side(self, step: DeducedBody, columns: Array) -> tuple[Array, Array]:
        """Return rows (f, d) on the wrench at the output and what they give (f,).

        Where the whole wrench at the output is known, its power in the motions that are sought is taken.
        """
        output = step.body.output
        hinge = self.elements.hinges[output.joint] if output is not None else None
        if hinge is not None and (step.output_freedoms < self.width or columns.shape[1] == self.width):
            return hinge.power, hinge.tau
        rows = columns.T[:, np.argsort(self.p)]
        return rows, rows @ (hinge.wrenches[1] if hinge is not None else np.zeros(self.width))

    def _eliminate_ball(self, step: DeducedBody, ports: Sequence[_Port], gained: Array) -> _Port:
        """Replace the angular acceleration of the main input by that which the known moments give (balls, pins)."""
        d, body, main = self.width, self.elements.bodies[step.body.body], ports[0]
        turns, moments = self._rotations()
        u = body.transfer[: 2 * d, : 2 * d]
        known = main.z.copy()
        known[turns] = 0.0
        known[moments] = 0.0
        known[moments, -1] = self._moment(step.entries[0].joint, inboard=False)
        away = u[moments] @ known + gained[moments]
        for other, entry, port in zip(body.others, step.entries[1:], ports[1:], strict=True):
            if entry.joint:  # the other moments are known too
                gap = port.z[moments].copy()
                gap[:, -1] -= self._moment(entry.joint, inboard=False)
                away -= other[np.ix_(moments, moments)] @ gap
        if step.body.output is not None:
            away[:, -1] -= self._moment(step.body.output.joint, inboard=True)
        pivot = u[np.ix_(moments, turns)]
        self._check_pivot(step, pivot, body.sizes[np.ix_(moments - d, turns)])
        z, size = main.z.copy(), main.size.copy()
        z[turns] = -np.linalg.solve(pivot, away)
        size[turns] = np.abs(z[turns])
        return _Port(z, size)

    def _rotations(self) -> tuple[Array, Array]:
        """Return the places of the angular accelerations and of the moments in a state."""
        if self.width == 6:
            return np.arange(3, 6), np.arange(6, 9)
        return np.array([2]), np.array([3])

    def _moment(self, joint: str, *, inboard: bool) -> Array:
        """Return the known moment that a ball or pin transmits, or 0 at a free root."""
        hinge = self.elements.hinges[joint]
        given = hinge.wrenches[1]
        wrench = given if inboard else hinge.xw @ given
        found: Array = wrench[self._rotations()[1] - self.width]
        return found

    # -- rows --------------------------------------------------------------------------------------------------------

    def _add(self, kind: str, body: int, place: int, z: Array, size: Array, rest: Array | None = None) -> None:
        """Add rows that are to vanish: their coefficients, last the column of the 1."""
        block = next(b for b in self._blocks_of(kind, body) if b.input == place)
        if rest is not None:
            z = z.copy()
            z[:, -1] += rest
        self.rows.append((block, z, size))

    def _blocks_of(self, kind: str, body: int) -> list[RowBlock]:
        return [block for block in self.equation.blocks if block.kind == kind and block.body == body]

    def _add_force(self, joint: str, body: int, wrench: Array, size: Array) -> None:
        hinge = self.elements.hinges[joint]
        block = next(b for b in self._blocks_of("leftover", body) if b.joint == joint)
        rows = hinge.power @ wrench
        rows[:, -1] -= hinge.tau
        self.rows.append((block, rows, np.abs(hinge.power) @ size))

    def _geometric(self, step: DeducedBody, entry: Entry, port: _Port, slope: Array, shift: Array) -> None:
        """Accelerations of an input from the output and from its hinge agree in what the hinge holds."""
        d, k, out = self.width, step.body.body, self.outputs[step.body.body]
        hinge = self.elements.hinges[entry.joint] if entry.joint else None
        locked = hinge.locked if hinge is not None else np.eye(d)
        if not len(locked):
            return
        rows = locked @ (slope @ out.z[:d] - port.z[:d])
        size = np.abs(locked) @ (np.abs(slope) @ out.size[:d] + port.size[:d])
        rows[:, -1] += locked @ shift
        if hinge is not None and not self.opaque:
            moments = self._rotations()[1]
            known = port.z[moments].copy()
            known[:, -1] -= self._moment(entry.joint, inboard=False)
            rows, size = np.vstack([rows, known]), np.vstack([size, port.size[moments]])
        self._add("geometric", k, entry.input, rows, size)

    def _leftover(self, step: DeducedBody) -> None:
        """Add the force rows at the output that no elimination has used."""
        d, output, out = self.width, step.body.output, self.outputs[step.body.body]
        used = step.entries[0].freedoms if step.eliminates else 0
        if step.output_freedoms == used:
            return
        if output is not None and not used:
            self._add_force(output.joint, step.body.body, out.z[d:], out.size[d:])
            return
        rows, given = np.eye(d), np.zeros(d)
        if output is not None:
            given = self.elements.hinges[output.joint].wrenches[1]
        if used:
            u = self.elements.bodies[step.body.body].transfer
            columns = u[:d, :d] @ self.elements.hinges[step.entries[0].joint].h
            rows = np.linalg.qr(columns, mode="complete")[0][:, used:].T[:, np.argsort(self.p)]
        found = rows @ out.z[d:]
        found[:, -1] -= rows @ given
        joint = output.joint if output is not None else ""
        block = next(b for b in self._blocks_of("leftover", step.body.body) if b.joint == joint)
        self.rows.append((block, found, np.abs(rows) @ out.size[d:]))

    def _supplements(self) -> None:
        """Both sides of a cut: equal accelerations, opposite wrenches."""
        d = self.width
        sign = np.concatenate([-np.ones(d), np.ones(d)])[:, None]
        for tip in self.equation.tips:
            if tip.kind == "cut body":
                one, two = self.tips[tip.number], self.tips[tip.partner]
                block = next(b for b in self._blocks_of("supplement", tip.body) if b.joint == tip.joint)
                self.rows.append((block, one + sign * two, np.abs(one) + np.abs(two)))

    # -- the equation ------------------------------------------------------------------------------------------------

    def _matrix(self) -> tuple[Array, Array]:
        """Return the scaled matrix and right-hand side of the overall equation.

        Columns are in units of the mechanism's size and mass, rows of length one; no row may have vanished before.
        """
        self._supplements()
        rows = np.vstack([z for _, z, _ in self.rows])
        if rows.shape != (self.columns, self.columns + 1):
            raise AssertionError(f"{rows.shape[0]} rows, {self.columns} unknowns")
        if not np.all(np.isfinite(rows)):
            raise self._refusal("its coefficients overflow", float("inf"))
        matrix = rows[:, :-1] * self.scale
        sizes = np.vstack([size for _, _, size in self.rows])[:, :-1] * self.scale
        lengths = np.linalg.norm(matrix, axis=1)
        lost = lengths <= _VANISHED * np.linalg.norm(sizes, axis=1)
        if np.any(lost):
            owner = np.repeat(np.arange(len(self.rows)), [len(z) for _, z, _ in self.rows])[int(np.argmax(lost))]
            block = self.rows[owner][0]
            raise self._refusal(f"a row of the block {block.kind} {self.equation.label(block)} vanishes", float("inf"))
        self.lengths = lengths
        return matrix / lengths[:, None], -rows[:, -1] / lengths

    def _solve_rows(self, matrix: Array, right: Array) -> tuple[Array, float]:
        """Return the unknowns with a 1 behind, and the condition."""
        sizes = np.linalg.svd(matrix, compute_uv=False)
        condition = float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else float("inf")
        if not _EPS * condition <= LARGEST_ERROR:
            words = f"its condition is {condition:.1e}" if condition < 1.0 / _EPS else "it is singular in double precision"
            raise self._refusal(words, _EPS * condition)
        return np.append(self.scale * np.linalg.solve(matrix, right), 1.0), condition

    def _expected_error(self, matrix: Array, known: Array, states: dict[int, Array]) -> float:
        """Return the relative error of accelerations and wrenches that rounding makes expect.

        Rounding leaves each row wrong by eps times the terms it was formed from; what follows from that is found with
        some vectors of signs, and the states get the rounding of their own terms besides.
        """
        d, size = self.width, np.abs(known)
        wrong = _EPS * (np.vstack([terms for *_, terms in self.rows]) @ size) / self.lengths
        signs = np.random.default_rng(1).choice((-1.0, 1.0), (len(wrong), _SIGNS))
        shifts = self.scale[:, None] * np.linalg.solve(matrix, wrong[:, None] * signs)
        typical = self._typical_acceleration(states)
        worst = 0.0
        for k, port in self.outputs.items():
            error = np.abs(port.z[:, :-1] @ shifts).max(axis=1) + _EPS * (port.size @ size)
            largest = float(np.abs(states[k][d:]).max()) + self.mass * typical
            worst = max(worst, float(error[:d].max()) / typical, float(error[d:].max()) / largest)
        # Errors of the opaque variant add up along a branch; the main equations of the other one bound them from above.
        steps = np.sqrt(len(self.equation.bodies)) if self.opaque else 1.0
        return worst * float(steps) if np.isfinite(worst) else float("inf")

    def _typical_acceleration(self, states: dict[int, Array]) -> float:
        """Return the largest acceleration, or what loads and rates would give, in units of the size; not zero."""
        now, n = self.now, len(self.now.mass) - 1
        loads = np.linalg.norm(now.force[:n], axis=1) / np.maximum(now.mass[:n], self.mass)
        rates = np.sum(now.omega[:n] ** 2, axis=1)
        found = max(float(np.abs(state[: self.width]).max()) for state in states.values())
        return max(found, float(loads.max()), float(rates.max())) or 1.0

    def _check_pivot(self, step: DeducedBody, pivot: Array, sizes: Array) -> None:
        """Refuse a pivot that is singular beside the terms it was formed from."""
        scaled, terms = pivot.copy(), sizes.copy()
        for axis in (1, 0):
            largest = terms.max(axis=axis, keepdims=True)
            largest[largest == 0.0] = 1.0
            scaled, terms = scaled / largest, terms / largest
        least = float(np.linalg.svd(scaled, compute_uv=False)[-1]) if np.all(np.isfinite(scaled)) else 0.0
        if least * LARGEST_ERROR > _EPS:
            return
        main, output = step.entries[0].joint, step.body.output
        far = f"the force rows of {output.joint}" if output is not None else "its free output"
        why = (
            "the output of the body is the centre of percussion of its input, or the axes of the two hinges do not bear "
            "on each other"
        )
        raise AccuracyError(
            f"singular pivot at body {step.body.id}: hinge {main} cannot be eliminated with {far}; the pivot is "
            f"{least:.1e} of its terms and loses the digits of all that follows ({why}); {USE_RICCATI}"
        )

    def _refusal(self, words: str, error: float) -> AccuracyError:
        return AccuracyError(
            f"the overall transfer equation of order {self.equation.order} is refused: {words}. A relative error of "
            f"{error:.1e} is to be expected (eps * condition), {error / LARGEST_ERROR:.1e} times what is accepted. "
            "Products of transfer matrices lose digits with every body of a branch, and redundant constraints leave the "
            f"equation singular; {USE_RICCATI}"
        )

    # -- back --------------------------------------------------------------------------------------------------------

    def _violation(self, known: Array) -> float:
        """Return the largest part of a hinge's force rows that is not fulfilled, of the terms of its body's balance."""
        worst, d = 0.0, self.width
        for step in self.equation.bodies:
            if step.body.output is None:
                continue
            k, hinge = step.body.body, self.elements.hinges[step.body.output.joint]
            body = self.elements.bodies[k]
            terms = np.abs(body.transfer[d:-1, -1])
            for matrix, entry in zip((body.transfer[:-1, :-1], *body.others), step.entries, strict=True):
                terms = terms + np.abs(matrix[d:]) @ np.abs(self.inputs[k, entry.input].z @ known)
            largest = float(max(terms.max(), np.abs(hinge.tau).max(initial=0.0)))  # in the unit of length all compare
            gap = np.abs(hinge.power @ (self.outputs[k].z[d:] @ known) - hinge.tau).max(initial=0.0)
            worst = max(worst, float(gap) / largest if largest > 0.0 else 0.0)
        return worst if np.isfinite(worst) else float("inf")

    def _accelerations(self, states: dict[int, Array]) -> Array:
        """Return the accelerations (n, 6) of the centres of mass, SI."""
        found = np.zeros((len(self.now.mechanism.bodies), 6))
        for k, state in states.items():
            a = self._spread(state[: self.width], PLANE_A)
            arm, omega = self.now.centre[k] - self.elements.outputs[k], self.now.omega[k]
            found[k, :3] = (a[:3] + np.cross(a[3:], arm) + np.cross(omega, np.cross(omega, arm))) * self._lengths
            found[k, 3:] = a[3:]
        return found

    @property
    def _lengths(self) -> float:
        """Unit of length of this solve in that of the snapshot."""
        return self.now.unit / self.unit

    def _spread(self, values: Array, places: tuple[int, ...]) -> Array:
        if self.width == 6:
            return values
        found = np.zeros(6)
        found[list(places)] = values
        return found

    def _wrenches(self, states: dict[int, Array], known: Array) -> dict[str, Array]:
        """Return force and moment that the first body of each joint exerts on its second, at the centre there."""
        inboard = {step.body.output.joint: states[step.body.body] for step in self.equation.bodies if step.body.output}
        reverse = {hinge.joint: hinge.reverse for hinge in self.equation.system.hinges}
        for tip in self.equation.tips:
            if tip.kind == "ground":
                inboard[tip.joint] = -(self.tips[tip.number] @ known)  # it holds what the ground exerts
                reverse[tip.joint] = next(e.reverse for e in self.equation.system.loops if e.joint == tip.joint)
            elif tip.kind == "cut hinge":
                inboard[tip.joint] = self.tips[tip.number] @ known
                step = self.equation.by_index[tip.body]
                reverse[tip.joint] = next(entry.reverse for entry in step.entries if entry.tip == tip.number)
        found = {}
        for joint in self.now.mechanism.joints:
            wrench, hinge = inboard[joint.id][self.width :], self.elements.hinges[joint.id]
            w = self._spread(-wrench if reverse[joint.id] else hinge.xw @ wrench, PLANE_W)
            found[joint.id] = np.concatenate([w[3:] * self._lengths, w[:3] * self._lengths**2])
        return found
