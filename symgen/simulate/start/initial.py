"""The state a simulation starts from: what the file gives, made to fit the joints.

Positions: poses of the reference configuration, closed; then drives and given coordinates at their values. The poses
of an open tree follow from its coordinates (`symgen.simulate.start.tree_poses`), those of loops are moved in steps of
at most half a radian, so that a loop stays in its assembly mode. Each step is closed by Levenberg-Marquardt with the
damping of Yamashita and Fukushima (2001), lambda = |f|^2: corrections of least length near a solution, quadratic
where constraints are redundant or the position is singular.

Velocities: of all that joints and drives allow, those that agree best with the given rates and velocities (least
squares, lengths in units of the size); of these the one of least kinetic energy, so that nothing moves that need not.

Source: E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989 (assembly); N. Yamashita,
M. Fukushima, "On the rate of convergence of the Levenberg-Marquardt method", 2001.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from symgen.blas_threads import one_blas_thread
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import Array, matrix, move
from symgen.simulate.start.initial_velocity import Velocities, initial_velocities
from symgen.simulate.start.magnitudes import check_magnitudes
from symgen.simulate.start.tree_poses import tree_poses
from symgen.simulate.tables.joint_rows import JointRows, Linearised, RowElement
from symgen.simulate.tables.scale import size_of_mechanism

#: A residual below this [1] is closed; files carry double precision. What is closed is not touched.
CLOSED = 1e-13
#: What an assembly may leave open where rounding stops it: some hundred joints of rounded rows.
_ACCEPTED = 1e-11
#: The same for a mechanism far from the origin, in units of the last place of its coordinates.
_ROUNDED = 100 * float(np.finfo(np.float64).eps)
_ROUNDS, _LARGEST_TURN = 100, 0.5


@dataclass(frozen=True)
class InitialState:
    """Where a simulation starts.

    Parameters
    ----------
    poses : (n, 7) [x y z q0 q1 q2 q3] of the centres of mass [m], axes of the bodies, world; in the file's order.
    twists : (n, 6) [velocity of the centre of mass [m/s], angular velocity [rad/s]], world.
    moved : largest displacement [m] of a centre of mass by the assembly.
    velocities : the velocities with what was given and how far it was changed.
    messages : warnings, one sentence each.
    """

    poses: Array
    twists: Array
    moved: float
    velocities: Velocities
    messages: tuple[str, ...]


@one_blas_thread
def initial_state(mechanism: Mechanism, *, time: float = 0.0, strict: bool = False) -> InitialState:
    """Return the consistent initial state of a mechanism.

    Parameters
    ----------
    mechanism : with frames for every joint and laws for every drive; mass and inertia may be missing (taken as none).
    time : when it starts [s]: drives have their values and rates of then.
    strict : refuse given velocities that do not fit the joints, instead of projecting them.

    Raises
    ------
    MechanismError
        There are couplings; the joints do not close with the given coordinates (names the joint farthest open);
        drives contradict each other; a number is too large to be computed with; or `strict` and the given velocities
        do not fit.
    """
    mechanism.require_uncoupled("dynamics")
    mechanism.require_frames()
    mechanism.require_drives()
    check_magnitudes(mechanism)
    rows = JointRows(mechanism, size_of_mechanism(mechanism))
    start = _reference_poses(mechanism)
    poses, held = _assemble(rows, start, time)
    found = initial_velocities(mechanism, rows, held, poses, time)
    if strict and found.misfit is not None:
        raise MechanismError(found.misfit, file=mechanism.file, field="initial")
    messages = (found.misfit,) if found.misfit is not None else ()
    moved = float(np.max(np.linalg.norm((poses - start)[:, :3], axis=1)))
    return InitialState(poses, found.twists, moved, found, messages)


@one_blas_thread
def assembled(mechanism: Mechanism, *, time: float = 0.0) -> tuple[JointRows, Array]:
    """Return the rows of a mechanism's joints and its poses (n, 7) at the start, without velocities.

    Parameters
    ----------
    mechanism : with frames for every joint; drives without a law stay where the drawing has them.
    time : for which drives have their values [s].

    Raises
    ------
    MechanismError
        As `initial_state` does.
    """
    check_magnitudes(mechanism)
    rows = JointRows(mechanism, size_of_mechanism(mechanism))
    poses, _ = _assemble(rows, _reference_poses(mechanism), time)
    return rows, poses


def _reference_poses(mechanism: Mechanism) -> Array:
    poses = np.array([[*body.pose.r, *body.pose.q] for body in mechanism.bodies])
    coms = np.array([body.com or (0.0, 0.0, 0.0) for body in mechanism.bodies])
    poses[:, :3] += (matrix(poses[:, 3:]) @ coms[..., None])[..., 0]
    return poses


def _assemble(rows: JointRows, poses: Array, time: float) -> tuple[Array, list[RowElement]]:
    """Return closed poses and the elements that hold them: pairs and drives."""
    mechanism = rows.mechanism
    pairs = rows.joint_elements()
    targets: dict[tuple[str, str], float] = {}
    for given in mechanism.initial.joints:
        targets |= {(given.joint, freedom): value for freedom, value in given.coordinates.items()}
    drives = {freedom: float(law.evaluate(time)[0]) for freedom, law in mechanism.drives.items()}
    _check_driven(mechanism, targets, drives)
    targets |= drives
    held = [*pairs, *(rows.freedom_element(mechanism.joint(j), f, value) for (j, f), value in drives.items())]
    closed = max(CLOSED, 0.1 * _rounding(rows, poses))
    if np.abs(rows.residual(pairs, poses)).max(initial=0.0) > closed:
        poses = _close(rows, pairs, poses, f"from the poses of the file, at t = {time:g} s")
    placed = tree_poses(mechanism, poses, targets, rows.size, closed) if targets else poses
    if placed is None or (targets and not _keeps(rows, placed, pairs, targets)):
        placed = _move_to(rows, pairs, poses, targets)
    return placed, held


def _keeps(rows: JointRows, poses: Array, pairs: list[RowElement], targets: dict[tuple[str, str], float]) -> bool:
    """Tell whether pairs and given coordinates are kept."""
    given = [rows.freedom_element(rows.mechanism.joint(j), f, value) for (j, f), value in targets.items()]
    open_ = np.abs(rows.residual([*pairs, *given], poses)).max(initial=0.0)
    return bool(open_ <= max(_ACCEPTED, _rounding(rows, poses)))


def _check_driven(
    mechanism: Mechanism, targets: dict[tuple[str, str], float], drives: dict[tuple[str, str], float]
) -> None:
    for (joint, freedom), value in targets.items():
        law = drives.get((joint, freedom))
        if law is not None and abs(law - value) > 1e-9 * max(1.0, abs(law)):
            raise MechanismError(
                f"is {value:.9g}, but the freedom is driven and its law starts with {law:.9g}; leave it out",
                file=mechanism.file,
                field=f"initial.joints.{joint}.{freedom}",
            )


def _move_to(rows: JointRows, pairs: list[RowElement], poses: Array, targets: dict[tuple[str, str], float]) -> Array:
    joints = {joint: rows.mechanism.joint(joint) for joint, _ in targets}
    now = {freedom: rows.coordinate(joints[freedom[0]], freedom[1], poses) for freedom in targets}
    way = {freedom: _way(joints[freedom[0]], freedom[1], targets[freedom] - value) for freedom, value in now.items()}
    far = max((_measure(rows, joints[j], f, length) for (j, f), length in way.items()), default=0.0)
    steps = math.ceil(far / _LARGEST_TURN) if far > CLOSED else 0
    for step in range(1, steps + 1):
        share = step / steps
        held = [
            rows.freedom_element(joints[j], f, now[j, f] + share * length if step < steps else targets[j, f])
            for (j, f), length in way.items()
        ]
        names = ", ".join(f"{j}.{f} = {targets[j, f]:.6g}" for j, f in targets)
        poses = _close(rows, [*pairs, *held], poses, f"with {names}")
    return poses


def _way(joint: Joint, freedom: str, length: float) -> float:
    """Return how far a freedom has to go: angles the shorter way round."""
    turns = joint.type != "H" and freedom not in ("x", "y", "z", "slide")
    return math.remainder(length, math.tau) if turns else length


def _measure(rows: JointRows, joint: Joint, freedom: str, length: float) -> float:
    return abs(length) / (rows.size if freedom in ("x", "y", "z", "slide") else 1.0)


def _rounding(rows: JointRows, poses: Array) -> float:
    """Return what coordinates of that size cannot tell apart, in sizes."""
    return _ROUNDED * float(np.abs(poses[:, :3]).max(initial=0.0)) / rows.size


def _close(rows: JointRows, elements: list[RowElement], poses: Array, how: str) -> Array:
    """Return the nearest poses that close the elements."""
    now = rows.linearise(elements, poses)
    error = float(np.linalg.norm(now.residual))
    damping = 1.0
    accepted = max(_ACCEPTED, _rounding(rows, poses))
    for _ in range(_ROUNDS):
        if error <= CLOSED:
            break
        unknowns = now.jacobian.shape[1]
        weight = math.sqrt(damping) * min(error, 1.0)
        system = np.vstack([now.jacobian, weight * np.eye(unknowns)])
        right = np.concatenate([-now.residual, np.zeros(unknowns)])
        step = np.linalg.lstsq(system, right, rcond=None)[0].reshape(-1, 6)
        step /= max(1.0, float(np.abs(step[:, 3:]).max()))
        trial = move(poses, step * np.array([rows.size] * 3 + [1.0] * 3))
        after = rows.linearise(elements, trial)
        new = float(np.linalg.norm(after.residual))
        if not new < error:  # not: NaN must not pass
            damping *= 16.0
            if damping > 1e12:
                break
            continue
        small = new > 0.5 * error and error <= accepted
        damping = max(1.0, damping / 16.0)
        poses, now, error = trial, after, new
        if small:
            break
    _check_closed(rows, elements, now, accepted, how)
    return poses


def _check_closed(rows: JointRows, elements: list[RowElement], now: Linearised, accepted: float, how: str) -> None:
    residual, owner, facing = now.residual, now.owner, now.facing
    worst = int(np.argmax(np.abs(residual)))
    open_, turned = elements[int(owner[worst])].joint, np.flatnonzero(~(facing > 0.0))
    mechanism = rows.mechanism
    if not abs(residual[worst]) <= accepted:
        raise MechanismError(
            f"does not close {how}: {abs(residual[worst]):.3g} of the size ({rows.size:.3g} m) or rad remain; the "
            "links cannot reach each other, or more coordinates are given than there are freedoms: give fewer "
            "coordinates, or poses nearer to a solution",
            file=mechanism.file,
            field=f"joints.{open_.id}",
        )
    if turned.size:
        raise MechanismError(
            f"closes {how} only with one side turned by half a turn; turn the body's pose or the axis of one side",
            file=mechanism.file,
            field=f"joints.{elements[int(turned[0])].joint.id}",
        )
