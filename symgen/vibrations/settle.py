"""Let a mechanism come to rest: a configuration downhill where weight, springs and forces balance.

Newton's steps on what is not balanced, by the recursion at w^2 = -s: its stiffness then has s times the masses added
(Levenberg and Marquardt), so that every accepted step lowers the potential energy. It is meant for starts not far from
rest. Beams are taken as straight rods.

Source: J. Nocedal, S. J. Wright, Numerical Optimization, 2006, chapter 10.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from symgen.beams.twin import straight_twin
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, Initial, JointForce, Pose, Spring
from symgen.poses import Array, compose, matrix, move
from symgen.simulate.start.initial import initial_state
from symgen.solve.coordinates import measure
from symgen.solve.rigid import frame_array
from symgen.transfer.elements import shifting
from symgen.vibrations.modes import respond
from symgen.vibrations.rest import Rest, forces_at_rest
from symgen.vibrations.riccati import Recursion
from symgen.vibrations.system import VibratingSystem, make_system

_ROUNDS = 150
#: Largest turn of a step [rad]; what a step may leave of the balance, in the end.
_LARGEST_TURN, _STILL, _NEARLY = 0.5, 1e-11, 1e-6
#: Part of the energy that its rounding hides; least of the masses' multiples that are added to the stiffness [1/s^2].
_FLAT, _SHIFT = 1e-12, 1e-6


def body_poses(mechanism: Mechanism, start: Array) -> Array:
    """Return poses (n, 7) of the body frames from those of the centres of mass."""
    poses = start.copy()
    coms = np.array([body.com or (0.0, 0.0, 0.0) for body in mechanism.bodies])
    poses[:, :3] -= (matrix(poses[:, 3:]) @ coms[..., None])[..., 0]
    return poses


def settle(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with poses at rest; velocities and given coordinates are left out.

    Raises
    ------
    MechanismError
        It does not come to rest: nothing stops it, or every step only shifts rounding about.
    """
    rods = mechanism if all(body.beam is None for body in mechanism.bodies) else straight_twin(mechanism)[0]
    now = _State.of(rods)
    shift = 0.0
    for k in range(_ROUNDS):
        if now.still or (k == 0 and now.nearly):
            return _with_poses(mechanism, now.poses)
        shift, after = _step(now, shift)
        if after is None:
            break
        now = after
    if not now.nearly:
        raise MechanismError(
            f"does not come to rest within {_ROUNDS} steps: perhaps nothing stops it, or rest is far away; give poses "
            "nearer to rest",
            file=mechanism.file,
        )
    return _with_poses(mechanism, now.poses)


@dataclass(frozen=True)
class _State:
    """A configuration with closed joints, its potential energy and what is not balanced there."""

    mechanism: Mechanism
    poses: Array
    system: VibratingSystem
    rest: Rest
    energy: float
    gap: float
    scale: float

    @classmethod
    def of(cls, mechanism: Mechanism) -> _State:
        """Return the state at the poses of a mechanism; joints are closed."""
        poses = body_poses(mechanism, initial_state(mechanism).poses)
        placed = _with_poses(mechanism, poses)
        system = make_system(placed, poses)
        rest = forces_at_rest(system, strict=False)
        energy = potential(placed, poses)
        gap = float(np.abs(rest.unbalanced).max(initial=0.0))
        efforts = [abs(step.effort) for element in system.elements for step in element.steps]
        forces = [float(np.abs(load.force).max()) for element in system.elements for load in element.loads]
        return cls(placed, poses, system, rest, energy, gap, max([*efforts, *forces, 1e-12]))

    @property
    def still(self) -> bool:
        """Whether it is at rest but for rounding."""
        return self.gap <= _STILL * self.scale

    @property
    def nearly(self) -> bool:
        """Whether it is at rest as far as files are."""
        return self.gap <= _NEARLY * self.scale


def _step(now: _State, shift: float) -> tuple[float, _State | None]:
    """Return the shift of the next step and the state after this one; None if no step goes down."""
    recursion = Recursion(now.system, now.rest)
    shift = max(shift / 16.0, _least_shift(recursion))
    for _ in range(40):
        after = _State.of(_with_poses(now.mechanism, _moved(recursion, now.poses, shift)))
        rounding = _FLAT * max(abs(now.energy), now.scale)
        if after.energy < now.energy - rounding or (after.energy < now.energy + rounding and after.gap < now.gap):
            return shift, after
        shift *= 8.0
    return shift, None


def _least_shift(recursion: Recursion) -> float:
    """Return a shift with which no direction goes uphill: above the fastest growing motion."""
    shift = _SHIFT
    while int(recursion.count(np.array([-shift]))[0]) > 0 and shift < 1e12:
        shift *= 4.0
    return shift


def _moved(recursion: Recursion, poses: Array, shift: float) -> Array:
    system = recursion.system
    loads = np.zeros((len(system.elements), 1, 6, 1))
    shapes = respond(recursion, -shift, loads, recursion.rest.unbalanced[:, None])
    steps = np.zeros((len(poses), 6))
    for k, element in enumerate(system.elements):
        steps[element.body] = (shifting(element.pose[:3] - element.port) @ shapes.ports[k])[:, 0]
    steps /= max(1.0, float(np.abs(steps[:, 3:]).max()) / _LARGEST_TURN)
    return move(poses, steps)


def _with_poses(mechanism: Mechanism, poses: Array) -> Mechanism:
    bodies = tuple(
        replace(body, pose=Pose(tuple(pose[:3]), tuple(pose[3:])))
        for body, pose in zip(mechanism.bodies, poses, strict=True)
    )
    return replace(mechanism, bodies=bodies, initial=Initial())


def potential(mechanism: Mechanism, poses: Array) -> float:
    """Return the potential energy [J] of weight, springs, constant forces and joint forces at poses (n, 7)."""
    number = {body.id: k for k, body in enumerate(mechanism.bodies)}

    def place(body: str, at: tuple[float, float, float]) -> Array:
        frame = np.array([*at, 1.0, 0.0, 0.0, 0.0])
        return (compose(poses[number[body]], frame) if body in number else frame)[:3]

    gravity, total = np.array(mechanism.gravity), 0.0
    for body in mechanism.bodies:
        total -= (body.mass or 0.0) * float(gravity @ place(body.id, body.com or (0.0, 0.0, 0.0)))
    for force in mechanism.forces:
        if isinstance(force, Spring):
            (one, p), (two, q) = force.between
            way = place(two, mechanism.body(two).points[q]) - place(one, mechanism.body(one).points[p])
            total += 0.5 * force.stiffness * (float(np.linalg.norm(way)) - force.length) ** 2
        elif isinstance(force, JointForce):
            joint = mechanism.joint(force.joint)
            sides = [
                compose(poses[number[name]], frame_array(frame)) if name in number else frame_array(frame)
                for name, frame in zip(joint.bodies, joint.frames or (), strict=True)
            ]
            value = float(measure(joint.type, sides[0], sides[1])[force.freedom])
            push = float(force.value.evaluate({"t": 0.0} if "t" in force.value.names else {}))
            total += 0.5 * force.stiffness * (value - force.rest) ** 2 - push * value
        elif isinstance(force, AppliedForce | AppliedTorque) and force.start <= 0.0 <= force.until:
            values = np.array([float(law.evaluate({"t": 0.0} if "t" in law.names else {})) for law in force.value])
            if isinstance(force, AppliedForce):
                total -= float(values @ place(force.body, force.at))
            else:  # in the plane its potential; in space none has one, and steps near rest look at the balance alone
                turn = poses[number[force.body], 3:]
                total -= 2.0 * float(values[2]) * float(np.arctan2(turn[3], turn[0]))
    return total
