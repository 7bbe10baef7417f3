"""Vibrations of a mechanism about rest: ``symgen.vibrations``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

from symgen.blas_threads import one_blas_thread
from symgen.errors import InputError
from symgen.model.brief import Brief
from symgen.model.face import MechanismOrPath, loaded
from symgen.model.mechanism import Mechanism
from symgen.model.named import Named
from symgen.model.parts import JointForce, Spring
from symgen.poses import Array, matrix
from symgen.simulate.start.initial import initial_state
from symgen.transfer.elements import shifting
from symgen.vibrations.amount import bounded
from symgen.vibrations.chain import make_chain
from symgen.vibrations.modes import Shapes, inside, mode_shapes
from symgen.vibrations.rest import forces_at_rest
from symgen.vibrations.riccati import Recursion
from symgen.vibrations.roots import Roots, find_roots
from symgen.vibrations.sag import sag_notes
from symgen.vibrations.search import search
from symgen.vibrations.settle import body_poses
from symgen.vibrations.settle import settle as come_to_rest
from symgen.vibrations.system import VibratingSystem, check_masses, make_system

Progress = Callable[[float], None]
_MODES = 10
METHODS = ("riccati", "determinant")
#: Places of a beam's shape that are given out for each of its parts.
_SAMPLES = 8


@dataclass(frozen=True, eq=False, repr=False)
class BodyShape(Brief):
    """Amplitude of a body frame: displacement `r` (3,) [m] of its origin, turn `theta` (3,) [rad], world."""

    r: Array
    theta: Array


@dataclass(frozen=True, eq=False, repr=False)
class BeamShape(Brief):
    """Amplitude along a beam at `x` (n,) [m] from its origin: `r` (n, 3) [m], `theta` (n, 3) [rad], world."""

    x: Array
    r: Array
    theta: Array


@dataclass(frozen=True, eq=False, repr=False)
class Mode(Brief):
    """One mode of vibration; amplitudes are those of a modal mass of 1 kg.

    Parameters
    ----------
    frequency : [Hz].
    bodies : amplitude of each body frame; of a beam that of its end at x = 0.
    joints : joint -> freedom -> amplitude of its coordinate [rad or m]; freedoms that are not driven.
    beams : amplitudes along each beam.
    """

    frequency: float
    bodies: Mapping[str, BodyShape]
    joints: Mapping[str, Mapping[str, float]]
    beams: Mapping[str, BeamShape]

    @property
    def omega(self) -> float:
        """Angular frequency [rad/s]."""
        return math.tau * self.frequency


@dataclass(frozen=True, eq=False, repr=False)
class Vibrations:
    """Vibrations of a mechanism about rest.

    Parameters
    ----------
    mechanism : what vibrates; `poses` (n, 7) of its body frames at rest, in the order of the file.
    modes : by frequency.
    zero : how many motions meet no resistance (frequency zero).
    resolution : frequency [Hz] below which rounding beside the stiffest part cannot tell a motion from such.
    growth : rates [1/s] of motions that grow: rest is not stable.
    notes : what the numbers leave out, one sentence each.
    method : how the frequencies were found.
    """

    mechanism: Mechanism
    poses: Array
    modes: tuple[Mode, ...]
    zero: int
    growth: tuple[float, ...]
    notes: tuple[str, ...] = field(default=())
    method: str = "riccati"
    resolution: float = 0.0

    def __repr__(self) -> str:
        """Say what there is in a line."""
        name = self.mechanism.name or "a mechanism"
        span = f", {self.modes[0].frequency:.4g} to {self.modes[-1].frequency:.4g} Hz" if self.modes else ""
        return f"Vibrations({name!r}: {len(self.modes)} modes{span}, {self.zero} zero, {len(self.growth)} growing)"

    @property
    def frequencies(self) -> Array:
        """Eigenfrequencies (n,) [Hz], ascending; multiple ones as often as they are."""
        return np.array([mode.frequency for mode in self.modes])


@one_blas_thread
def vibrations(
    mechanism: MechanismOrPath,
    *,
    modes: int | None = None,
    to: float | None = None,
    settle: bool = False,
    method: str = "riccati",
    progress: Progress | None = None,
) -> Vibrations:
    """Return eigenfrequencies and mode shapes of a mechanism, linearised about its rest configuration.

    That is the initial configuration of the file, in which it must be at rest: velocities are not looked at, driven
    freedoms are held, dampers are left out, forces have their value of t = 0. Weight and the forces of springs stiffen
    or soften (a pendulum swings). Beams are exact, each a transfer matrix of the Rayleigh-Krylov functions.

    Parameters
    ----------
    mechanism : with frames for every joint, mass and inertia for every rigid body; or the path of its file.
    modes : how many, from the lowest on; by default 10, or with `to` all.
    to : highest frequency [Hz].
    settle : let it come to rest first, downhill from the initial configuration (beams as straight rods).
    method : "riccati", counts by the recursion of Riccati, for any mechanism; or "determinant", zeros of the
        characteristic determinant of the overall transfer matrix, for chains of bodies, beams and hinges.
    progress : called with the part that is done.

    Returns
    -------
    Vibrations
        Fewer modes than wanted where the mechanism has no more.

    Raises
    ------
    MechanismError
        The mechanism is not at rest (with `settle`: finds none); lacks geometry or mass; a freedom moves neither mass
        nor spring. With "determinant": it is no chain, or the determinant has lost its digits.
    AccuracyError
        A frequency is not that of its shape by Rayleigh's quotient: rounding has hidden the right one.
    InputError
        `modes` or `to` is not positive, or beams have thousands of modes up to there; the method is unknown.
    """
    if method not in METHODS:
        raise InputError(f"method: found {method!r}; there are {' and '.join(map(repr, METHODS))}")
    if modes is not None and not (isinstance(modes, Integral) and modes >= 1):
        raise InputError(f"modes: must be a whole number of at least 1, found {modes!r}")
    if to is not None and not (isinstance(to, Real) and 0.0 < to < math.inf):
        raise InputError(f"to: must be a positive frequency [Hz], found {to!r}")
    mechanism = loaded(mechanism, "vibrations")
    check_masses(mechanism)
    recursion = linearise(come_to_rest(mechanism) if settle else mechanism)
    wanted: int | None = _MODES if modes is None and to is None else modes
    wanted, to = bounded(recursion.system, wanted, to)
    largest = None if to is None else (math.tau * to) ** 2
    roots = _roots(recursion, method, wanted, largest, progress)
    shapes = mode_shapes(recursion, roots.positive, largest=roots.largest, refine=method == METHODS[0])
    found = tuple(
        _mode(recursion.system, square, shape, place) for shape, place, square in shapes
    )  # fmt: skip
    growth = tuple(math.sqrt(-float(square)) for square in roots.negative)
    poses = np.empty((len(mechanism.bodies), 7))
    for element in recursion.system.elements:
        poses[element.body] = element.pose
    resolution = math.sqrt(roots.resolution) / math.tau
    return Vibrations(mechanism, poses, found, roots.zero, growth, tuple(_notes(recursion)), method, resolution)


def _roots(
    recursion: Recursion, method: str, wanted: int | None, largest: float | None, progress: Progress | None
) -> Roots:
    if method == "riccati":
        return find_roots(recursion, wanted=wanted, largest=largest, progress=progress)
    file = recursion.system.mechanism.file
    return search(make_chain(recursion), wanted=wanted, largest=largest, file=file, progress=progress)


def linearise(mechanism: Mechanism) -> Recursion:
    """Return a mechanism at rest, ready for any frequency.

    Raises
    ------
    MechanismError
        As `vibrations`.
    """
    system = make_system(mechanism, body_poses(mechanism, initial_state(mechanism).poses))
    return Recursion(system, forces_at_rest(system))


def _notes(recursion: Recursion) -> list[str]:
    mechanism, found = recursion.system.mechanism, []
    damped = any(isinstance(force, Spring | JointForce) and force.damping != 0.0 for force in mechanism.forces)
    if damped or any(body.beam is not None and body.beam.damping != 0.0 for body in mechanism.bodies):
        found.append("dampers are left out: these are the frequencies without damping")
    found += sag_notes(recursion.system, recursion.rest)
    if mechanism.drives:
        found.append("driven freedoms are held at their values at t = 0, whatever the rates of their laws")
    if any(given.rates for given in mechanism.initial.joints) or mechanism.initial.bodies:
        found.append("initial velocities are left out")
    if not recursion.rest.unique:
        found.append("joints are redundant: of their possible forces at rest symgen takes the smallest")
    return found


def _mode(system: VibratingSystem, square: float, shapes: Shapes, k: int) -> Mode:
    names = [body.id for body in system.mechanism.bodies]
    bodies: dict[str, BodyShape] = {}
    joints: dict[str, dict[str, float]] = {}
    beams: dict[str, BeamShape] = {}
    for e, element in enumerate(system.elements):
        name = names[element.body]
        moved = shifting(element.pose[:3] - element.port) @ shapes.ports[e][:, k]
        if element.beam is not None:
            beams[name] = _beam(shapes, e, k, square, element.pose)
            moved = shapes.nodes[e][0][:, k]
        bodies[name] = BodyShape(moved[:3], moved[3:])
        for step, change in zip(element.steps, shapes.steps[e][:, k], strict=True):
            if step.joint:
                joints.setdefault(step.joint, {})[step.freedom] = float(change)
    cut_steps = [step for cut in system.cuts for step in cut.steps]
    for step, change in zip(cut_steps, shapes.cuts[:, k], strict=True):
        joints.setdefault(step.joint, {})[step.freedom] = float(change)
    sign = _sign(bodies, beams)
    order = system.mechanism.joints
    return Mode(
        math.sqrt(square) / math.tau,
        Named("body", {name: BodyShape(sign * bodies[name].r, sign * bodies[name].theta) for name in names}),
        Named("joint", {j.id: _in_order(joints[j.id], j.freedoms, sign) for j in order if j.id in joints}),
        Named("beam", {n: BeamShape(b.x, sign * b.r, sign * b.theta) for n, b in beams.items()}),
    )


def _in_order(changes: Mapping[str, float], freedoms: tuple[str, ...], sign: float) -> dict[str, float]:
    return {freedom: sign * changes[freedom] for freedom in freedoms if freedom in changes}


def _sign(bodies: Mapping[str, BodyShape], beams: Mapping[str, BeamShape]) -> float:
    """Return the sign that makes the largest displacement positive (of equal ones the first); turns where none is."""
    every: list[BodyShape | BeamShape] = [*bodies.values(), *beams.values()]
    moved = np.concatenate([np.ravel(b.r) for b in every])
    if float(np.abs(moved).max(initial=0.0)) < 1e-9:
        moved = np.concatenate([np.ravel(b.theta) for b in every])
    first = int(np.argmax(np.abs(moved) > (1.0 - 1e-6) * np.abs(moved).max()))
    return -1.0 if moved[first] < 0.0 else 1.0


def _beam(shapes: Shapes, e: int, k: int, square: float, pose: Array) -> BeamShape:
    """Return the shape along a beam from its parts."""
    along = matrix(pose[3:])[:, 0]
    rows: list[tuple[float, Array]] = []
    for stretch in shapes.stretches[e]:
        samples = max(1, _SAMPLES * 3 // max(3, len(shapes.stretches[e])))
        turn = np.kron(np.eye(2), stretch.piece.axes)
        shares = tuple(step / samples for step in range(samples + 1))
        for share, moved in zip(shares, inside(stretch, shares, square)[:, :, k], strict=True):
            place = stretch.start + share * stretch.piece.length * stretch.piece.axes[:, 0]
            rows.append((float((place - pose[:3]) @ along), turn @ moved))
    rows.sort(key=lambda row: row[0])
    kept = [rows[0]]
    for row in rows[1:]:
        if row[0] - kept[-1][0] > 1e-9 * abs(rows[-1][0]):
            kept.append(row)
    moved = np.array([row[1] for row in kept])
    return BeamShape(np.array([row[0] for row in kept]), moved[:, :3], moved[:, 3:])


def document(result: Vibrations) -> dict[str, Any]:
    """Return the result as a JSON document, ``symgen/vibrations/1``."""
    return {
        "schema": "symgen/vibrations/1",
        "mechanism": result.mechanism.name,
        "status": "OK",
        "method": result.method,
        "zero": result.zero,
        "resolution": result.resolution,
        "growth": list(result.growth),
        "stable": not result.growth,
        "notes": list(result.notes),
        "modes": [
            {
                "number": number,
                "frequency": mode.frequency,
                "omega": mode.omega,
                "bodies": {n: {"r": b.r.tolist(), "theta": b.theta.tolist()} for n, b in mode.bodies.items()},
                "joints": {n: dict(each) for n, each in mode.joints.items()},
                "beams": {
                    n: {"x": b.x.tolist(), "r": b.r.tolist(), "theta": b.theta.tolist()} for n, b in mode.beams.items()
                },
            }
            for number, mode in enumerate(result.modes, 1)
        ],
    }
