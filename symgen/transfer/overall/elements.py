"""Elements of an overall transfer equation in numbers: transfer matrices of all bodies, hinges, boundary conditions.

States are [a, w] without the 1, whose column stands last: a = [rdd, Wd], w = [m, q] in space, a = [ax, ay, Wd],
w = [m, qx, qy] in the plane. The matrices come from the generated routines of the element library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symgen.library.element_routines import call
from symgen.poses import Array
from symgen.transfer.beams.hold import hold_beams
from symgen.transfer.beams.overall import beam_matrices
from symgen.transfer.elements import inertia_entries, reversed_hinge
from symgen.transfer.hinges import HingeMotion, hinge_motion
from symgen.transfer.overall.equation import BodyInput, DeducedBody, OverallEquation, Tip
from symgen.transfer.overall.ports import PLANE_A, PLANE_W, BodyMatrices, pairing
from symgen.transfer.snapshot import Snapshot


@dataclass(frozen=True)
class DirectHinge:
    """A hinge in the components that the equation uses: a_O = x a_I + h qdd + eta, w_O = xw w_I.

    Parameters
    ----------
    motion : in space.
    x, xw : (d, d).
    h : (d, f).
    eta : (d,).
    """

    motion: HingeMotion
    x: Array
    xw: Array
    h: Array
    eta: Array

    @property
    def tau(self) -> Array:
        """Forces along the freedoms, on the outboard side, (f,)."""
        return self.motion.tau

    @cached_property
    def power(self) -> Array:
        """Rows (f, d) on the wrench at the inboard side: power w_I = tau."""
        found: Array = self.h.T @ self.xw[pairing(len(self.eta))]
        return found

    @cached_property
    def locked(self) -> Array:
        """Orthonormal rows (d - f, d) of the accelerations that the hinge does not allow."""
        if not self.h.shape[1]:
            return np.eye(len(self.eta))
        found: Array = np.linalg.qr(self.h, mode="complete")[0][:, self.h.shape[1] :].T
        return found

    @cached_property
    def wrenches(self) -> tuple[Array, Array]:
        """Wrenches at the inboard side that its forces allow: basis (d, d - f) and the one without constraint (d,)."""
        back = (2.0 * np.eye(len(self.eta)) - self.xw)[:, pairing(len(self.eta))]
        free = self.h @ np.linalg.solve(self.h.T @ self.h, self.tau) if len(self.tau) else np.zeros(len(self.eta))
        return back @ self.locked.T, back @ free

    @cached_property
    def held(self) -> tuple[Array, Array]:
        """Accelerations at the inboard side beside the ground: columns (d, f) of the freedoms and the rest (d,)."""
        h, eta = reversed_hinge(self.motion.apart, self.motion.h, self.motion.eta)
        return (h, eta) if len(self.eta) == len(eta) else (h[list(PLANE_A)], eta[list(PLANE_A)])


@dataclass(frozen=True)
class DirectElements:
    """All elements of an equation at one time.

    Parameters
    ----------
    hinges : by joint; those of the tree and of loops as the deduction passes them, joints of tips on the ground from
        the body to the ground.
    bodies : by index.
    outputs : place (3,) of each body's output, by index.
    """

    hinges: Mapping[str, DirectHinge]
    bodies: Mapping[int, BodyMatrices]
    outputs: Mapping[int, Array]


def direct_elements(now: Snapshot, equation: OverallEquation) -> DirectElements:
    """Return the elements of an equation in the state of a snapshot."""
    hinges = {
        joint: _hinge(now, joint, reverse=reverse, planar=equation.width == 3)
        for joint, reverse in _directions(equation).items()
    }
    outputs = {
        step.body.body: now.centre[step.body.body]
        if step.body.output is None
        else hinges[step.body.output.joint].motion.inboard
        for step in equation.bodies
    }
    inputs = {
        step.body.body: [_place(now, equation, hinges, outputs, step, each) for each in step.entries]
        for step in equation.bodies
    }
    bodies = _bodies(now, equation, outputs, inputs)
    for k, beam in hold_beams(now, equation.system).items():
        bodies[k] = beam_matrices(now, k, beam, outputs[k], inputs[k], planar=equation.width == 3)
    return DirectElements(hinges, bodies, outputs)


def _directions(equation: OverallEquation) -> dict[str, bool]:
    """Return whether each joint is passed in reverse."""
    found = {hinge.joint: hinge.reverse for hinge in equation.system.hinges}
    found |= {loop.joint: loop.reverse for loop in equation.system.loops}
    return found | {entry.joint: entry.reverse for step in equation.bodies for entry in step.entries if entry.joint}


def _hinge(now: Snapshot, joint: str, *, reverse: bool, planar: bool) -> DirectHinge:
    motion = hinge_motion(now, now.mechanism.joint(joint), reverse=reverse)
    if not planar:
        return DirectHinge(motion, motion.x, motion.x, motion.h, motion.eta)
    a, w = list(PLANE_A), list(PLANE_W)
    return DirectHinge(motion, motion.x[np.ix_(a, a)], motion.x[np.ix_(w, w)], motion.h[a], motion.eta[a])


def _place(
    now: Snapshot,
    equation: OverallEquation,
    hinges: Mapping[str, DirectHinge],
    outputs: Mapping[int, Array],
    step: DeducedBody,
    entry: BodyInput,
) -> Array:
    """Return the place (3,) of an input on its body."""
    if entry.joint:
        return hinges[entry.joint].motion.outboard
    tip: Tip = equation.tips[entry.tip - 1]
    if tip.joint:
        return hinges[tip.joint].motion.inboard
    k = step.body.body
    if k in now.beams:  # a tip at the output moves as the frame does: no pivot
        return outputs[k]
    com = np.array(now.mechanism.bodies[k].com or (0.0, 0.0, 0.0)) / now.unit
    origin: Array = now.centre[k] - now.rotation[k] @ com
    return origin


def _bodies(
    now: Snapshot, equation: OverallEquation, outputs: Mapping[int, Array], inputs: Mapping[int, list[Array]]
) -> dict[int, BodyMatrices]:
    """Return the matrices of all bodies, each routine called once for all."""
    order = [step.body.body for step in equation.bodies]
    main = np.array([inputs[k][0] for k in order])
    c, lever = now.centre[order] - main, np.array([outputs[k] for k in order]) - main
    planar = equation.width == 3
    transfer = _transfer(now, order, c, lever, planar=planar)
    sizes = call("body_transfer_sizes", now.mass[order], inertia_entries(now.inertia[order]), c, lever)[0].reshape(
        -1, 6, 6
    )
    if planar:
        sizes = sizes[:, PLANE_W, :][:, :, PLANE_A]
    arms = [outputs[k] - at for k in order for at in inputs[k][1:]]
    owners = [k for k in order for _ in inputs[k][1:]]
    others, slopes, rests = _others(now, owners, np.array(arms).reshape(-1, 3), planar=planar)
    found, first = {}, 0
    for row, k in enumerate(order):
        last = first + len(inputs[k]) - 1
        geometric = tuple(zip(slopes[first:last], rests[first:last], strict=True))
        found[k] = BodyMatrices(transfer[row], sizes[row], tuple(others[first:last]), geometric)
        first = last
    return found


def _transfer(now: Snapshot, order: list[int], c: Array, lever: Array, *, planar: bool) -> Array:
    mass, omega, force, moment = now.mass[order], now.omega[order], now.force[order], now.moment[order]
    if planar:
        flat = (c[:, :2], lever[:, :2], omega[:, 2], force[:, :2], moment[:, 2])
        return call("body_transfer_planar", mass, now.inertia[order][:, 2, 2], *flat)[0].reshape(-1, 7, 7)
    given = (inertia_entries(now.inertia[order]), c, lever, omega, force, moment)
    return call("body_transfer_spatial", mass, *given)[0].reshape(-1, 13, 13)


def _others(now: Snapshot, owners: list[int], arms: Array, *, planar: bool) -> tuple[Array, Array, Array]:
    """Return for the inputs that are no main inputs their transfer matrices and geometric rows."""
    width = 3 if planar else 6
    if not owners:
        return np.zeros((0, 2 * width, 2 * width)), np.zeros((0, width, width)), np.zeros((0, width))
    space = "planar" if planar else "spatial"
    lever, omega = (arms[:, :2], now.omega[owners][:, 2]) if planar else (arms, now.omega[owners])
    size = 2 * width + 1
    transfer = call(f"input_transfer_{space}", lever)[0].reshape(-1, size, size)[:, :-1, :-1]
    slope, rest = call(f"geometric_{space}", lever, omega)
    return transfer, slope.reshape(-1, width, width), rest
