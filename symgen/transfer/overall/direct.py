"""The direct method: the deduced overall transfer equation in numbers, solved, and all states by substitution back.

From the tips on, the state of every port is a matrix times the unknowns of the tips; the relative accelerations of a
main hinge are eliminated with the force rows of the hinge at the output of the body behind it. What remains is one
small system, whose order does not depend on how long the branches are.

The price is a product of transfer matrices: rounding errors grow with each body, with a factor 3.7 for a slender rod
and without bound where an output is the centre of percussion of its input. The error to be expected is known with every
solution; where it leaves less than eight digits the method refuses.

Source: see `symgen.transfer.overall.deduction`; growth and its bound: docs/transfer-matrices.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from symgen.errors import AccuracyError, SymgenError
from symgen.model.nearest import list_names
from symgen.poses import Array
from symgen.simulate.tables.scale import unit_of_length
from symgen.transfer.beams.balance import bend
from symgen.transfer.beams.hold import hold_beams
from symgen.transfer.elements import elsewhere
from symgen.transfer.overall.deduction import USE_RICCATI, deduce_equation
from symgen.transfer.overall.elements import direct_elements
from symgen.transfer.overall.equation import OverallEquation, Variant
from symgen.transfer.overall.ports import EPS, LARGEST_ERROR, PLANE_A, PLANE_W
from symgen.transfer.overall.states import States
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system.system import TransferSystem
from symgen.transfer.zero_inertia import zero_inertia

#: A row smaller than this part of the terms that it was formed from has vanished.
_VANISHED = 1e-12
#: A matrix of a condition above the inverse of this is singular but for rounding.
_SINGULAR = 1e-13
#: Accelerations of a null vector below this part of its loads are none.
_OPEN = 1e-6
#: Products beyond this leave too few digits of what is added to them.
_GROWN = 1e10
#: Beside the root of their number, by which errors of steps add up: as measured on random trees and chains.
_ADDING_UP = 0.5
#: Vectors of signs that find what wrong rows do to the states.
_SIGNS = 8


def solve_direct(snapshot: Snapshot, system: TransferSystem, *, variant: Variant | None = None) -> Solution:
    """Return accelerations and joint wrenches by the overall transfer equation.

    Parameters
    ----------
    snapshot : the state.
    system : with one root for the equation of the theorem; several give a main equation each.
    variant : see `symgen.transfer.overall.deduction.deduce_equation`.

    Returns
    -------
    Solution
        its figures: `order`, `condition` of the scaled equation, `accuracy`, the relative error to be expected (at
        least eps * condition), and `violation`, the largest part of a hinge's force rows that is not fulfilled.

    Raises
    ------
    MechanismError
        Hinges in sequence have unequal freedoms; a body has no inertia in the freedoms of its output.
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
        with np.errstate(over="ignore", invalid="ignore"):  # products of long branches overflow, and are refused
            found = _Solve(self.equation, snapshot.scaled(self._unit), snapshot.unit).solution()
        beams = hold_beams(snapshot, self.equation.system)
        return replace(found, bent=bend(snapshot, beams, found.accelerations, found.wrenches)) if beams else found

    def accelerations(self, snapshot: Snapshot) -> Array:
        """Return the accelerations (n, 6) of the centres of mass, without a judgement of their error.

        For a series of states near each other, of which `solve` judges some.

        Raises
        ------
        AccuracyError
            The equation is singular, or its numbers are not finite.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return _Solve(self.equation, snapshot.scaled(self._unit), snapshot.unit).unjudged()


class _Solve:
    def __init__(self, equation: OverallEquation, now: Snapshot, unit: float) -> None:
        self._equation, self._now, self._unit, self._width = equation, now, unit, equation.width
        self._elements = direct_elements(now, equation)
        self._mass = float(np.mean(now.mass[: len(now.mass) - 1])) or 1.0
        self._states = States(equation, self._elements, self._mass)

    def solution(self) -> Solution:
        """Return the solution in the units of the snapshot that was given."""
        known, condition, expected = self._solve_rows()
        outputs = {k: port.z @ known for k, port in self._states.outputs.items()}
        violation = self._violation(known)
        if not violation <= LARGEST_ERROR:
            raise self._refusal(f"the force rows of its hinges are fulfilled to {violation:.1e} only", violation)
        figures = {
            "order": float(self._equation.order), "condition": condition, "accuracy": max(expected, EPS * condition),
            "violation": violation,
        }  # fmt: skip
        return Solution(self._accelerations(outputs), self._wrenches(outputs, known), figures=figures)

    def unjudged(self) -> Array:
        """Return accelerations in the units of the snapshot that was given."""
        matrix, right, _, _ = self._scaled_rows()
        try:
            known = np.append(self._states.scale * np.linalg.solve(matrix, right), 1.0)
        except np.linalg.LinAlgError:
            raise self._singular("it is singular", matrix, float("inf")) from None
        return self._accelerations({k: port.z @ known for k, port in self._states.outputs.items()})

    # -- the equation ------------------------------------------------------------------------------------------------

    def _scaled_rows(self) -> tuple[Array, Array, Array, Array]:
        """Return matrix and right side of the equation, sizes of the terms of the rows, and what rows were divided by.

        Columns are in units of the mechanism's size and mass, rows of length one; no row may have vanished before.
        """
        rows = np.vstack([each.z for each in self._states.rows])
        sizes = np.vstack([each.size for each in self._states.rows])
        if rows.shape != (self._equation.order, self._equation.order + 1):
            raise AssertionError(f"{rows.shape[0]} rows; the deduction has {self._equation.order}")
        if not np.all(np.isfinite(rows)):
            raise self._refusal(
                "the products of its transfer matrices have grown too large for floating-point numbers", float("inf")
            )
        scale = self._states.scale
        matrix = rows[:, :-1] * scale
        lengths = np.linalg.norm(matrix, axis=1)
        self._refuse_vanished(matrix, lengths, np.linalg.norm(sizes[:, :-1] * scale, axis=1))
        return matrix / lengths[:, None], -rows[:, -1] / lengths, sizes, lengths

    def _solve_rows(self) -> tuple[Array, float, float]:
        """Return the unknowns with a 1 behind, the condition, and the error to be expected."""
        (matrix, right, sizes, lengths), scale = self._scaled_rows(), self._states.scale
        singular = np.linalg.svd(matrix, compute_uv=False)
        condition = float(singular[0] / singular[-1]) if singular[-1] > 0.0 else float("inf")
        if not EPS * condition <= LARGEST_ERROR:
            if condition * _SINGULAR > 1.0:
                raise self._singular("it is singular", matrix, EPS * condition)
            raise self._refusal(f"its condition is {condition:.1e}", EPS * condition)
        known = np.append(scale * np.linalg.solve(matrix, right), 1.0)
        wrong = EPS * (sizes @ np.abs(known)) / lengths
        signs = np.random.default_rng(1).choice((-1.0, 1.0), (len(wrong), _SIGNS))
        expected = self._expected_error(known, scale[:, None] * np.linalg.solve(matrix, wrong[:, None] * signs))
        if not expected <= LARGEST_ERROR:
            raise self._refusal("its states lose their digits in the back-substitution", expected)
        return known, condition, expected

    def _refuse_vanished(self, matrix: Array, lengths: Array, terms: Array) -> None:
        lost = lengths <= _VANISHED * terms
        if np.any(lost):
            owners = [each.block for each in self._states.rows for _ in each.z]
            block = owners[int(np.argmax(lost))]
            words = f"a row of the block {block.kind} {self._equation.label(block)} vanishes"
            kept = matrix / np.where(lost, np.inf, lengths)[:, None]
            raise self._singular(words, kept, float("inf"))

    def _singular(self, words: str, matrix: Array, error: float) -> SymgenError:
        """Return the refusal of a singular equation.

        It says why: products that have grown beyond all digits; the bodies that it lets accelerate, one of which alone
        has no inertia; or the tips that it lets load each other.
        """
        d, states, mechanism = self._width, self._states, self._equation.system.mechanism
        grown = max(float(np.abs(port.z[:d, :-1] * states.scale).max()) for port in states.outputs.values())
        if grown > _GROWN:
            return self._refusal(f"{words}: the products of its transfer matrices have grown to {grown:.0e}", error)
        null = states.scale * np.linalg.svd(matrix)[2][-1]
        moves = {k: float(np.abs(port.z[:d, :-1] @ null).max()) for k, port in states.outputs.items()}
        loads = {n: float(np.abs(z[d:, :-1] @ null).max()) / self._mass for n, z in states.tips.items()}
        most, load = max(moves.values()), max(loads.values())
        if most > _OPEN * load:
            idle = [k for k in moves if moves[k] > 0.1 * most]
            if len(idle) == 1:
                return zero_inertia(self._equation.system, self._equation.by_index[idle[0]].body)
            names = list_names([mechanism.bodies[k].id for k in idle])
            return self._refusal(f"{words}, which leaves open how {names} accelerate", error)
        joints = list(dict.fromkeys(self._equation.tips[n - 1].joint for n in loads if loads[n] > 0.1 * load))
        whose = "transmits: its" if len(joints) == 1 else "transmit: their"
        open_ = f"{words}, which leaves open what {list_names(joints)} {whose} constraints are redundant"
        return self._refusal(open_, error)

    def _expected_error(self, known: Array, shifts: Array) -> float:
        """Return the relative error of accelerations and wrenches that rounding makes expect.

        Rounding leaves each row wrong by eps times the terms it was formed from; `shifts` (unknowns, k) is what follows
        for some choices of signs. The states get the rounding of their own terms besides.
        """
        d, size, worst = self._width, np.abs(known), 0.0
        states = {k: port.z @ known for k, port in self._states.outputs.items()}
        typical = self._typical_acceleration(states)
        for k, port in self._states.outputs.items():
            error = np.abs(port.z[:, :-1] @ shifts).max(axis=1) + EPS * (port.size @ size)
            largest = float(np.abs(states[k][d:]).max()) + self._mass * typical
            worst = max(worst, float(error[:d].max()) / typical, float(error[d:].max()) / largest)
        # The errors of all steps of a branch add up.
        steps = _ADDING_UP * float(np.sqrt(len(states)))
        return worst * steps if np.isfinite(worst) else float("inf")

    def _typical_acceleration(self, states: Mapping[int, Array]) -> float:
        """Return the largest acceleration, or what loads and rates would give, in units of the size; not zero."""
        now, n = self._now, len(self._now.mass) - 1
        loads = np.linalg.norm(now.force[:n], axis=1) / np.maximum(now.mass[:n], self._mass)
        rates = np.sum(now.omega[:n] ** 2, axis=1)
        found = max(float(np.abs(state[: self._width]).max()) for state in states.values())
        return max(found, float(loads.max()), float(rates.max())) or 1.0

    def _refusal(self, words: str, error: float) -> AccuracyError:
        expected = "A relative error of any size"
        if np.isfinite(error):
            expected = f"A relative error of {error:.1e} (eps * condition)"
        return AccuracyError(
            f"the overall transfer equation of order {self._equation.order} is refused: {words}. {expected} is to be "
            f"expected, but at most {LARGEST_ERROR:.0e} is accepted. Products of transfer matrices lose digits with "
            f"every body of a branch, and redundant constraints make the equation singular; {USE_RICCATI}"
        )

    # -- back --------------------------------------------------------------------------------------------------------

    def _violation(self, known: Array) -> float:
        """Return the largest part of a hinge's force rows that is not fulfilled, of the terms of its body's balance."""
        worst, d, states = 0.0, self._width, self._states
        for step in self._equation.bodies:
            if step.body.output is None:
                continue
            k, hinge = step.body.body, self._elements.hinges[step.body.output.joint]
            body = self._elements.bodies[k]
            terms = np.abs(body.transfer[d:-1, -1])
            for matrix, entry in zip((body.transfer[:-1, :-1], *body.others), step.entries, strict=True):
                terms = terms + np.abs(matrix[d:]) @ np.abs(states.inputs[k, entry.input].z @ known)
            largest = float(max(terms.max(), np.abs(hinge.tau).max(initial=0.0)))  # in the unit of length all compare
            gap = np.abs(hinge.power @ (states.outputs[k].z[d:] @ known) - hinge.tau).max(initial=0.0)
            worst = max(worst, float(gap) / largest if largest > 0.0 else 0.0)
        return worst if np.isfinite(worst) else float("inf")

    def _accelerations(self, outputs: Mapping[int, Array]) -> Array:
        """Return the accelerations (n, 6) of the centres of mass."""
        order = list(outputs)
        a = np.array([self._in_space(outputs[k][: self._width], PLANE_A) for k in order])
        arm = self._now.centre[order] - np.array([self._elements.outputs[k] for k in order])
        found = np.zeros((len(self._now.mechanism.bodies), 6))
        found[order] = elsewhere(a, self._now.omega[order], arm) * ([self._lengths] * 3 + [1.0] * 3)
        return found

    @property
    def _lengths(self) -> float:
        """Unit of length of this solve in that of the snapshot."""
        return self._now.unit / self._unit

    def _in_space(self, values: Array, places: tuple[int, ...]) -> Array:
        if self._width == 6:
            return values
        found = np.zeros(6)
        found[list(places)] = values
        return found

    def _wrenches(self, outputs: Mapping[int, Array], known: Array) -> dict[str, Array]:
        """Return force and moment that the first body of each joint exerts on its second, at the centre there."""
        system, tips = self._equation.system, self._states.tips
        inboard = {
            step.body.output.joint: outputs[step.body.body] for step in self._equation.bodies if step.body.output
        }
        reverse = {hinge.joint: hinge.reverse for hinge in system.hinges}
        for tip in self._equation.tips:
            if tip.kind == "ground":
                inboard[tip.joint] = -(tips[tip.number] @ known)  # the tip holds what the ground exerts
                reverse[tip.joint] = next(loop.reverse for loop in system.loops if loop.joint == tip.joint)
            elif tip.kind == "cut hinge":
                inboard[tip.joint] = tips[tip.number] @ known
                entries = self._equation.by_index[tip.body].entries
                reverse[tip.joint] = next(entry.reverse for entry in entries if entry.tip == tip.number)
        found = {}
        for joint in self._now.mechanism.joints:
            wrench, hinge = inboard[joint.id][self._width :], self._elements.hinges[joint.id]
            w = self._in_space(-wrench if reverse[joint.id] else hinge.xw @ wrench, PLANE_W)
            found[joint.id] = np.concatenate([w[3:] * self._lengths, w[:3] * self._lengths**2])
        return found
