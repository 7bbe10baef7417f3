"""A bent beam in motion: points of its axis, its far end, and what one mode does to them.

The floating frame (along, aside, across: right-handed) is held at one end. Assumed modes stretch the axis by u, deflect
it by v and w, and turn sections by an angle; what bends is shortened by f = 1/2 eta^T H(s) eta, H = int phi' phi'^T ds,
without which a spinning beam would soften:

    r(s) = (s + u - f) along + v aside + w across.

Inertia is that of mass points along the axis; sections have polar inertia about the straight axis. The far end turns
by its slopes, first v' about across, then -w' about aside, then by the twist about its own axis. Everything comes
from one position, differentiated twice, so that energy is what the mass points have.

Source: T. R. Kane, R. R. Ryan, A. K. Banerjee, Dynamics of a cantilever beam attached to a moving base, J. Guidance 10
(1987); A. A. Shabana, Dynamics of Multibody Systems, 2005, chapter 5; derived anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, ZERO, Expr, cos, derivative, name_of, ratio, replace, sin
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.dynamics.ports import Results, kernel, pose_port, pose_result
from symgen.derive.quaternions import Quaternion
from symgen.derive.transfer.beam_shapes import SHAPES, shapes
from symgen.derive.transfer.bodies import spatial_inertia
from symgen.derive.transfer.hinge_motion import Clock
from symgen.derive.transfer.ports import array_port, omega_port, packed, symmetric_port, triangle, zeros
from symgen.derive.transfer.unfolding import unfolded
from symgen.derive.vectors import Vector

SOURCE = "T. R. Kane, R. R. Ryan, A. K. Banerjee 1987; A. A. Shabana 2005, chapter 5; derived anew"
_AXES = ("along", "aside", "across")
_TWICE = "position, differentiated twice by the chain rule"


def shape_values() -> Derivation:
    """Derive the shapes at a place by Bonnet's recursion, int P_i = (P_i+1 - P_i-1)/(2i + 1): stable, unlike powers."""
    d = kernel("beam_shape_values", "assumed shapes of a beam at a place of it", SOURCE)
    xi = d.input_scalar("xi", meaning="s/L, from the held end", unit="1")
    x = d.scalar("x", 2 * xi - 1, "argument of Legendre's polynomials", "1")
    p = [ONE, x]
    for i in range(1, SHAPES + 1):
        p.append(d.scalar(f"p_{i + 1}", ((2 * i + 1) * x * p[i] - i * p[i - 1]) * ratio(1, i + 1), "P", "1"))
    psi = [xi] + [d.scalar(f"psi_{i}", (p[i + 1] - p[i - 1]) * ratio(1, 2 * (2 * i + 1)), "int P", "1")
                  for i in range(1, SHAPES + 1)]  # fmt: skip
    phi = [xi * xi * ratio(1, 2), (psi[2] - xi) * ratio(1, 6)]
    phi += [(psi[i + 1] - psi[i - 1]) * ratio(1, 2 * (2 * i + 1)) for i in range(2, SHAPES)]
    results = Results(d)
    results.put("phi", phi, "shapes of bending; times L they have the slope psi", "1", "")
    results.put("psi", psi[:SHAPES], "shapes of stretching and torsion", "1", "")
    for name, found, times in (("bending", phi, 2), ("rod", psi[:SHAPES], 1)):
        wanted = [replace(each, {"xi": xi}) for each in shapes(times)]
        gaps = [a - b for a, b in zip(found, wanted, strict=True)]
        d.claim_identity(name, "the shapes, Legendre's polynomials integrated from the held end", gaps, squares={})
    return d


@dataclass(frozen=True)
class _AxisPoint:
    """Coordinates of a point of the axis in the floating frame with their rates, and the shortening."""

    at: tuple[Expr, ...]
    rate: tuple[Expr, ...]
    drawn: tuple[Expr, ...]

    @property
    def position(self) -> Vector:
        """Components along the axes of the frame."""
        return Vector((self.at[0] - self.drawn[0], self.at[1], self.at[2]))

    @property
    def speed(self) -> Vector:
        """Rates of these components."""
        return Vector((self.rate[0] - self.drawn[1], self.rate[1], self.rate[2]))


def _place_ports(d: Derivation, whose: str) -> _AxisPoint:
    at = _numbers(d, "at", f"s + u, v, w of {whose}", "m")
    rate = _numbers(d, "rate", "their rates", "m/s")
    drawn = _numbers(
        d, "drawn", "shortening f, its rate, and its second one while those of the modes stay", "m, m/s, m/s^2"
    )
    return _AxisPoint(at, rate, drawn)


def _numbers(d: Derivation, name: str, meaning: str, unit: str) -> tuple[Expr, ...]:
    return d.input_array(name, [f"{name}_{k}" for k in range(3)], meaning=meaning, unit=unit, frame="floating")


def _axes_ports(d: Derivation) -> tuple[Vector, ...]:
    return tuple(
        d.input_vector(name, 3, meaning=f"axis of the floating frame: {name} the straight beam", unit="1", range="unit")
        for name in _AXES
    )


def _world(axes: Sequence[Vector], parts: Sequence[Expr] | Vector) -> Vector:
    found = axes[0] * parts[0]
    for axis, part in zip(axes[1:], tuple(parts)[1:], strict=True):
        found = found + axis * part
    return found


def _own(axes: Sequence[Vector]) -> dict[str, Expr]:
    """Return the axes in components along themselves: the formulas are of dot and cross products, so any axes do."""
    return {name_of(value): ONE if i == k else ZERO for k, axis in enumerate(axes) for i, value in enumerate(axis)}


class _Motion:
    """A single mode in a frame that moves anyhow: at = s + shape eta, f = 1/2 k eta^2; what proofs differentiate."""

    def __init__(self, d: Derivation, omega: Vector) -> None:
        declared = array_port(d, "one_mode", 5, "s, k, eta and its two rates, any, for the proof", "SI")
        self.s, self.k, self.eta, self.etad, self.etadd = declared
        self.shape = array_port(d, "any_shape", 3, "any shape, for the proof", "1")
        self.alpha = Vector(array_port(d, "any_alpha", 3, "any angular acceleration, for the proof", "rad/s^2"))
        self.omega, self.clock = omega, Clock()
        self.clock.set([self.eta, self.etad], [self.etad, self.etadd])
        self.clock.set(omega, self.alpha)
        self.at = (self.s + self.shape[0] * self.eta, self.shape[1] * self.eta, self.shape[2] * self.eta)
        self.drawn = ratio(1, 2) * self.k * self.eta * self.eta

    def turned(self, vector: Vector) -> Vector:
        """Return the rate of a vector given in components along the turning axes."""
        return self.clock.rate(vector) + self.omega.cross(vector)

    def ports(self) -> dict[str, Expr]:
        """Return what the ports `at`, `rate`, `drawn` are."""
        rates = self.clock.rate(Vector(self.at))
        found = {f"at_{k}": value for k, value in enumerate(self.at)}
        found |= {f"rate_{k}": value for k, value in enumerate(rates)}
        square = self.k * self.etad * self.etad
        return found | {"drawn_0": self.drawn, "drawn_1": self.k * self.eta * self.etad, "drawn_2": square}

    @property
    def position(self) -> Vector:
        """Return the point in components of the frame."""
        return Vector((self.at[0] - self.drawn, self.at[1], self.at[2]))


def _put(d: Derivation, by: dict[str, Expr], values: Sequence[Expr]) -> list[Expr]:
    return [replace(value, by) for value in unfolded(d, list(values))]


def _swing(d: Derivation, axes: Sequence[Vector], place: _AxisPoint, omega: Vector) -> tuple[Vector, Vector, Vector]:
    """Name lever, velocity in the frame, and the acceleration that needs no accelerations of modes."""
    lever = d.vector("r", _world(axes, place.position), "from the held end", "m")
    speed = d.vector("speed", _world(axes, place.speed), "velocity in the frame", "m/s")
    turned = d.vector("turned", omega.cross(lever) + speed * 2, "omega x r and Coriolis' part", "m/s")
    bias = d.vector(
        "bias", omega.cross(turned) - axes[0] * place.drawn[2], "acceleration, modes at constant rates", "m/s^2"
    )
    return lever, speed, bias


def station() -> Derivation:
    """Derive a mass point of a bent beam: its inertia and load as the floating frame feels them."""
    d = kernel("beam_station", "a mass point of a bent beam in its floating frame", SOURCE)
    mass = d.input_scalar("mass", meaning="mass of the point", unit="kg")
    axes, place = _axes_ports(d), _place_ports(d, "the point")
    omega = omega_port(d, whose="the frame")
    gravity = d.input_vector("gravity", 3, meaning="acceleration of gravity", unit="m/s^2")
    lever, speed, bias = _swing(d, axes, place, omega)
    force = d.vector("force", (gravity - bias) * mass, "weight minus inertia, modes at constant rates", "N")
    results = Results(d)
    results.put("r_out", list(lever), "from the held end", "m")
    results.put("speed_out", list(speed), "velocity in the frame", "m/s")
    results.put("force_out", list(force), "weight minus inertia, modes at constant rates", "N")
    inertia = spatial_inertia(mass, zeros(3, 3), lever)
    results.put("inertia", packed(inertia), "inertia about the held end, rows [q m], columns [rdd wd]: lower triangle",
                "kg, kg m, kg m^2")  # fmt: skip
    load = (*force, *lever.cross(force))
    results.put("load", list(load), "the same force with its moment about the held end, [q m]", "N, N m")
    motion = _Motion(d, omega)
    own = _own(axes) | motion.ports()
    velocity = motion.turned(motion.position)
    second = motion.turned(velocity)
    shape = _slopes(motion)
    parts = [*_put(d, own, list(bias)), *_put(d, own, list(lever))]
    moved = Vector(tuple(parts[:3])) + motion.alpha.cross(Vector(tuple(parts[3:]))) + shape * motion.etadd
    d.claim_identity("differentiated", _TWICE, list(second - moved), squares={})
    rdd = Vector(array_port(d, "any_rdd", 3, "any acceleration of the held end, for the proof", "m/s^2"))
    pushed = (rdd + motion.alpha.cross(lever)) * mass
    gaps = [a - b for a, b in zip(inertia.times([*rdd, *motion.alpha]), [*pushed, *lever.cross(pushed)], strict=True)]
    d.claim_identity("inertia", "m a and its moment, a = rdd + wd x r", gaps, squares={})
    return d


def _slopes(motion: _Motion) -> Vector:
    """Return the derivative of the position for eta."""
    return Vector(tuple(derivative(value, name_of(motion.eta)) for value in motion.position))


def _mode_ports(d: Derivation) -> tuple[tuple[Expr, ...], Expr]:
    shape = _numbers(d, "shape", "what the mode adds to u, v, w", "1")
    return shape, d.input_scalar("draws", meaning="what it adds to the shortening: its row of H eta", unit="1")


def station_mode() -> Derivation:
    """Derive what one mode does to a mass point: its column, the inertia between mode and frame, and its load."""
    d = kernel("beam_station_mode", "one mode at a mass point of a bent beam", SOURCE)
    mass = d.input_scalar("mass", meaning="mass of the point", unit="kg")
    axes = _axes_ports(d)
    lever = d.input_vector("r", 3, meaning="from the held end to the point", unit="m")
    force = d.input_vector("force", 3, meaning="weight minus inertia, modes at constant rates", unit="N")
    shape, draws = _mode_ports(d)
    column = d.vector(
        "column",
        _world(axes, (shape[0] - draws, shape[1], shape[2])),
        "displacement of the point per unit of the mode",
        "1",
    )
    carried = d.vector("carried", column * mass, "its momentum for unit rate", "kg")
    results = Results(d)
    results.put("column_out", list(column), "displacement of the point per unit of the mode", "1")
    results.put("coupling", [*carried, *lever.cross(carried)], "inertia between mode and frame, [q m]", "kg, kg m")
    load = d.scalar("driving", column.dot(force), "generalised force on the mode", "N")
    d.output("load", load, meaning="generalised force on the mode", unit="N", frame="")
    motion = _Motion(d, omega_port(d, whose="the frame"))
    by = _own(axes) | {f"shape_{k}": value for k, value in enumerate(motion.shape)}
    by["draws"] = motion.k * motion.eta
    found = Vector(tuple(_put(d, by, list(column))))
    second = motion.turned(motion.turned(motion.position))
    gaps = [derivative(value, name_of(motion.etadd)) for value in second - found * motion.etadd]
    d.claim_identity("column", "how the point's acceleration depends on that of the mode", gaps, squares={})
    return d


def twist() -> Derivation:
    """Derive what sections' polar inertia does: T = 1/2 int polar (omega along + twist rate)^2 ds."""
    d = kernel("beam_twist", "polar inertia of the sections of a beam", SOURCE)
    polar = d.input_scalar("polar", meaning="polar inertia of the whole beam", unit="kg m^2")
    along = d.input_vector("along", 3, meaning="the straight beam", unit="1", range="unit")
    omega = omega_port(d, whose="the frame")
    spin = d.input_scalar("spin", meaning="momentum of the modes: sum of int polar phi ds times their rates",
                          unit="kg m^2/s")  # fmt: skip
    momentum = d.vector("momentum", along * (polar * omega.dot(along) + spin), "angular momentum", "N m s")
    load = -omega.cross(momentum)
    results = Results(d)
    inertia = Matrix(tuple(tuple(polar * a * b for b in along) for a in along))
    results.put("inertia", packed(inertia), "inertia of the frame's turning: lower triangle", "kg m^2")
    results.put("load", list(load), "gyroscopic moment on the frame", "N m")
    clock = Clock()
    alpha = Vector(array_port(d, "any_alpha", 3, "any angular acceleration, for the proof", "rad/s^2"))
    spun = array_port(d, "any_spin", 1, "any rate of the modes' momentum, for the proof", "N m")[0]
    clock.set(omega, alpha)
    clock.set(along, omega.cross(along))
    clock.set([spin], [spun])
    whole = along * (polar * omega.dot(along) + spin)
    gaps = clock.rate(whole) - inertia.apply(alpha) - along * spun + load
    d.claim_identity("differentiated", "rate of the angular momentum", list(gaps), squares={})
    return d


def _turns(d: Derivation, slope: Sequence[Expr]) -> tuple[Expr, Expr, Expr]:
    angles = (("turn", slope[0], "about across"), ("nod", -slope[1], "about aside"), ("roll", slope[2], "about along"))
    return tuple(d.scalar(name, value, f"angle {how}", "rad") for name, value, how in angles)  # type: ignore[return-value]


def _turned(q: Quaternion, angle: Expr, d: Derivation, name: str, k: int) -> Quaternion:
    half = [d.scalar(f"{name}_{part}", of(ratio(1, 2) * angle), f"{part} of half the {name}", "1")
            for part, of in (("c", cos), ("s", sin))]  # fmt: skip
    parts = [half[1] if i == k else ZERO for i in range(3)]
    return d.quaternion(f"q_{name}", q * Quaternion((half[0], *parts)), f"orientation after the {name}")  # type: ignore[arg-type]


def end() -> Derivation:
    """Derive the frame at the far end of a bent beam, the axes of its turns, its acceleration at constant rates."""
    d = kernel("beam_end", "the far end of a bent beam", SOURCE)
    origin, held = pose_port(d, "frame", "floating frame at the held end, x along the straight beam", "f")
    place = _place_ports(d, "the far end")
    slope = _numbers(d, "slope", "v', w' and twist at the far end", "rad")
    spins = _numbers(d, "spin", "their rates", "rad/s")
    omega = omega_port(d, whose="the frame")
    triad = d.triad("e", held, "floating frame")
    axes = (triad.x, triad.y, triad.z)
    lever, _, bias = _swing(d, axes, place, omega)
    turn, nod, roll = _turns(d, slope)
    q = _turned(held, turn, d, "turn", 2)
    q = _turned(q, nod, d, "nod", 1)
    q = _turned(q, roll, d, "roll", 0)
    cs = [d.scalar(f"{part}_{name}", of(angle), f"of the {name}", "1")
          for name, angle in (("turn", turn), ("nod", nod)) for part, of in (("cos", cos), ("sin", sin))]  # fmt: skip
    about = [
        axes[2],
        d.vector("second", axes[1] * cs[0] - axes[0] * cs[1], "axis of the nod", "1"),
        d.vector("third", (axes[0] * cs[0] + axes[1] * cs[1]) * cs[2] - axes[2] * cs[3], "axis of the roll", "1"),
    ]
    rates = (spins[0], -spins[1], spins[2])
    carried, bent = omega, Vector((ZERO,) * 3)
    for axis, rate in zip(about, rates, strict=True):
        bent = bent + carried.cross(axis) * rate
        carried = carried + axis * rate
    pose_result(d, d.vector("o", origin + lever, "far end", "m"), q, "frame at the far end, x along the beam there")
    results = Results(d)
    results.put("axes", [value for axis in about for value in axis], "axes of its turns: 3 x 3, row by row", "1")
    results.put("swept", [*bias, *bent], "acceleration beyond that of the frame, modes at constant rates",
                "m/s^2, rad/s^2")  # fmt: skip
    results.put(
        "held", [value for axis in axes for value in axis], "axes of the floating frame: 3 x 3, row by row", "1"
    )
    _claim_end(d, about, bent, cs, slope, spins, omega)
    return d


def _claim_end(
    d: Derivation, about: Sequence[Vector], bent: Vector, cs: Sequence[Expr], slope: Sequence[Expr],
    spins: Sequence[Expr], omega: Vector,
) -> None:  # fmt: skip
    """Claim the end's angular acceleration by differentiating its angular velocity, and the tangent by its slopes."""
    unit = {f"f_{k}": ONE if k == 0 else ZERO for k in range(4)}
    keep = [name_of(each) for each in cs]
    local = [Vector(tuple(replace(v, unit) for v in unfolded(d, list(axis), keep=keep))) for axis in about]
    motion = _Motion(d, omega)
    second = array_port(d, "any_bends", 3, "any accelerations of the slopes, for the proof", "rad/s^2")
    motion.clock.set(cs, [-cs[1] * spins[0], cs[0] * spins[0], cs[3] * spins[1], -cs[2] * spins[1]])
    motion.clock.set(spins, second)
    spin = local[0] * spins[0] - local[1] * spins[1] + local[2] * spins[2]
    wanted = motion.turned(spin) + motion.alpha
    found = Vector(tuple(replace(value, unit) for value in unfolded(d, list(bent), keep=keep)))
    found = found + local[0] * second[0] - local[1] * second[1] + local[2] * second[2] + motion.alpha
    squares = {name_of(cs[k + 1]): ONE - cs[k] * cs[k] for k in (0, 2)}
    d.claim_identity("differentiated", "angular velocity, differentiated by the chain rule", list(wanted - found),
                     squares=squares, keep=keep)  # fmt: skip
    straight = {name_of(each): ZERO if k % 2 else ONE for k, each in enumerate(cs)}
    tilts = {name_of(cs[1]): slope[0], name_of(cs[3]): -slope[1]}  # sines for small angles
    tangent = [replace(value, {**straight, **tilts}) for value in local[2]]
    gaps = [replace(derivative(value, name_of(slope[k])), {name_of(each): ZERO for each in slope})
            - (ONE if i == k + 1 else ZERO) for k in (0, 1) for i, value in enumerate(tangent)]  # fmt: skip
    d.claim_identity("tangent", "small slopes tilt the end by v' aside and w' across", gaps, squares={})


def end_mode() -> Derivation:
    """Derive what one mode does to the far end: displacement, and turn about the axes of the end."""
    d = kernel("beam_end_mode", "one mode at the far end of a bent beam", SOURCE)
    axes = _axes_ports(d)
    turning = array_port(d, "turning", 9, "axes of the end's turns: 3 x 3, row by row", "1")
    about = [Vector(turning[3 * k : 3 * k + 3]) for k in range(3)]
    shape, draws = _mode_ports(d)
    slope = _numbers(d, "slope", "what the mode adds to v', w' and twist", "rad/m")
    results = Results(d)
    way = _world(axes, (shape[0] - draws, shape[1], shape[2]))
    turned = about[0] * slope[0] - about[1] * slope[1] + about[2] * slope[2]
    results.put("column", [*way, *turned], "displacement and rotation of the far end per unit of the mode", "1, rad/m")
    motion = _Motion(d, omega_port(d, whose="the frame"))
    by = _own(axes) | {f"shape_{k}": value for k, value in enumerate(motion.shape)}
    by["draws"] = motion.k * motion.eta
    found = Vector(tuple(replace(value, by) for value in way))
    velocity = motion.turned(motion.position)
    gaps = [derivative(value, name_of(motion.etad)) for value in velocity - found * motion.etad]
    d.claim_identity("column", "how the velocity of the end depends on that of the mode", gaps, squares={})
    return d


def energy() -> Derivation:
    """Derive the energies of a beam's mass points from what the floating frame feels; that of the modes is apart."""
    d = kernel("beam_energy", "energies of a bent beam, from its floating frame", SOURCE)
    inertia = symmetric_port(d, "inertia", 6, "inertia about the held end, rows [q m], columns [rdd wd]", "kg, kg m^2")
    twist = array_port(d, "twist", 6, "velocity of the held end and angular velocity", "m/s, rad/s")
    momentum = array_port(d, "momentum", 6, "of the modes: coupling times their rates, [q m]", "kg m/s, N m s")
    at = d.input_vector("at", 3, meaning="the held end", unit="m")
    gravity = d.input_vector("gravity", 3, meaning="acceleration of gravity", unit="m/s^2")
    carried = inertia.times(twist)
    kinetic = ratio(1, 2) * _sum(twist, carried) + _sum(twist, momentum)
    first = Vector((inertia.rows[5][1], inertia.rows[3][2], inertia.rows[4][0]))
    weight = -(gravity.dot(at) * inertia.rows[0][0] + gravity.dot(first))
    for name, value, what in (("kinetic", kinetic, "kinetic energy without the part of the modes alone"),
                              ("potential", weight, "potential energy of gravity")):  # fmt: skip
        d.output(name, d.scalar(f"{name}_value", value, what, "J"), meaning=what, unit="J", frame="")
    mass, *rest = array_port(d, "any_point", 7, "mass, place and velocity in the frame of a point, for the proof", "SI")
    lever, speed = Vector(tuple(rest[:3])), Vector(tuple(rest[3:]))
    point = spatial_inertia(mass, zeros(3, 3), lever)
    by = {name_of(port): value for port, value in zip([inertia.rows[i][j] for i, j in triangle(6)], packed(point),
                                                      strict=True)}  # fmt: skip
    by |= {name_of(p): v for p, v in zip(momentum, [*(speed * mass), *(lever.cross(speed) * mass)], strict=True)}
    velocity = Vector(tuple(twist[:3])) + Vector(tuple(twist[3:])).cross(lever) + speed
    gap = replace(kinetic, by) + ratio(1, 2) * mass * (speed.dot(speed) - velocity.dot(velocity))
    d.claim_identity("point", "m v^2/2 and -m g r of a mass point", [gap, replace(weight, by) + mass * gravity.dot(
        at + lever)], squares={})  # fmt: skip
    return d


def _sum(one: Sequence[Expr], two: Sequence[Expr]) -> Expr:
    total = ZERO
    for a, b in zip(one, two, strict=True):
        total = total + a * b
    return total


def beam_motion_kernels() -> tuple[Derivation, ...]:
    """Derive the kernels of beams in motion."""
    return shape_values(), station(), station_mode(), twist(), end(), end_mode(), energy()
