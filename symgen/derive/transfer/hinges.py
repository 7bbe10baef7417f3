"""Hinges: X, H, eta of every pair, as routines.

    a_O = X a_I + H qdd + eta,    w_O = X w_I,    H^T P w_O = tau

A (inboard, tip side) and B (outboard, root side) are the ports; s = r_B - r_A, v_r = v_B - v_A - omega_A x s,
omega_r = omega_B - omega_A; coordinates are those of B relative to A, tau acts on B. Where s = 0 always, X = 1 and is
no result. Axes are fixed in A but where said otherwise, and of unit length, in world axes.

eta is written in closed form here, and proved by differentiating the constraint of the pair twice
(`symgen.derive.transfer.hinge_motion`).
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ONE, TWO, ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, columns
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer import hinge_motion as motion
from symgen.derive.transfer.ports import SOURCE, array_port, counted, matrix_port, omega_port, shifting, unit
from symgen.derive.vectors import AXES, Vector, unit_vector

_COLUMN_UNIT = "m or 1 per unit of the coordinate"
_BIAS_UNIT = "m/s^2, rad/s^2"
_STILL = Vector((ZERO, ZERO, ZERO))


def axis_port(d: Derivation, name: str = "axis", meaning: str = "axis of the hinge, fixed in A") -> Vector:
    """Declare an axis of unit length, in world axes."""
    return d.input_vector(name, 3, meaning=meaning, unit="1", range="unit")


def _rates(d: Derivation) -> tuple[Vector, Vector]:
    inboard = omega_port(d, "omega_a", "the inboard side A")
    return inboard, omega_port(d, "omega_b", "the outboard side B")


def _apart(d: Derivation) -> tuple[Vector, Vector]:
    s = d.input_vector("s", 3, meaning="from the inboard port to the outboard port, r_B - r_A", unit="m")
    meaning = "velocity of B relative to A as A sees it: v_B - v_A - omega_A x s"
    return s, d.input_vector("v_r", 3, meaning=meaning, unit="m/s")


def _turn_bias(d: Derivation, axis: Vector, inboard: Vector, outboard: Vector) -> Vector:
    """Return omega_A x axis times the rate of the angle."""
    rate = d.scalar("rate", axis.dot(outboard - inboard), "rate of the angle", "rad/s")
    return inboard.cross(axis) * rate


def _slide_bias(d: Derivation, inboard: Vector, s: Vector, v_r: Vector) -> Vector:
    """Return the centripetal and the Coriolis acceleration of B's port, omega_A x (omega_A x s + 2 v_r)."""
    drift = d.vector("drift", inboard.cross(s) + v_r * TWO, "omega_A x s + 2 v_r", "m/s")
    return inboard.cross(drift)


def _give(
    d: Derivation, moved: Sequence[Vector], turned: Sequence[Vector], eta: tuple[Vector, Vector], s: Vector | None
) -> None:
    """Declare X (where the hinge translates), H by columns [rdd part; wd part], and eta as results."""
    results = Results(d)
    if s is not None:
        results.put("x", shifting(s, -1).entries, "X of a_O = X a_I + H qdd + eta: 6 x 6, row by row", "1 or m")
    pairs = zip(moved, turned, strict=True)
    matrix = columns(*(Vector((*one, *two)) for one, two in pairs))
    size = f"6 x {len(moved)}, row by row"
    results.put("h", matrix.entries, f"H of a_O = X a_I + H qdd + eta, rows [rdd wd]: {size}", _COLUMN_UNIT)
    results.put("eta", (*eta[0], *eta[1]), "eta of a_O = X a_I + H qdd + eta, [rdd wd]", _BIAS_UNIT)


def revolute() -> Derivation:
    """Derive the revolute hinge (pin)."""
    d = kernel("hinge_revolute", "revolute hinge", SOURCE)
    axis = axis_port(d)
    inboard, outboard = _rates(d)
    eta = _turn_bias(d, axis, inboard, outboard)
    _give(d, [_STILL], [axis], (_STILL, eta), None)
    motion.claim(d, motion.turn_about(axis))
    return d


def prismatic() -> Derivation:
    """Derive the prismatic hinge."""
    d = kernel("hinge_prismatic", "prismatic hinge", SOURCE)
    axis = axis_port(d)
    s, v_r = _apart(d)
    inboard = omega_port(d, "omega_a", "the inboard side A")
    _give(d, [axis], [_STILL], (_slide_bias(d, inboard, s, v_r), _STILL), s)
    motion.claim(d, motion.slide_along(axis))
    return d


def screw() -> Derivation:
    """Derive the screw hinge; the coordinate is the angle."""
    d = kernel("hinge_screw", "screw hinge, coordinate: the angle", SOURCE)
    axis = axis_port(d)
    pitch = d.input_scalar("pitch", meaning="advance per angle", unit="m/rad")
    s, v_r = _apart(d)
    inboard, outboard = _rates(d)
    eta = _slide_bias(d, inboard, s, v_r), _turn_bias(d, axis, inboard, outboard)
    _give(d, [axis * pitch], [axis], eta, s)
    motion.claim(d, motion.screw_along(axis, pitch))
    return d


def cylindrical() -> Derivation:
    """Derive the cylindrical hinge; coordinates: slide, angle."""
    d = kernel("hinge_cylindrical", "cylindrical hinge, coordinates: slide, angle", SOURCE)
    axis = axis_port(d)
    s, v_r = _apart(d)
    inboard, outboard = _rates(d)
    eta = _slide_bias(d, inboard, s, v_r), _turn_bias(d, axis, inboard, outboard)
    _give(d, [axis, _STILL], [_STILL, axis], eta, s)
    motion.claim(d, motion.slides_and_turn((axis,), axis))
    return d


def universal() -> Derivation:
    """Derive the universal hinge: first axis fixed in A, second in B."""
    d = kernel("hinge_universal", "universal hinge, coordinates: both angles", SOURCE)
    first, second = axis_port(d, "axis1", "first axis, fixed in A"), axis_port(d, "axis2", "second axis, fixed in B")
    inboard, outboard = _rates(d)
    rates = [d.input_scalar(f"rate{k}", meaning=f"rate of angle {k}", unit="rad/s") for k in (1, 2)]
    eta = inboard.cross(first) * rates[0] + outboard.cross(second) * rates[1]
    _give(d, [_STILL, _STILL], [first, second], (_STILL, eta), None)
    motion.claim(d, motion.two_turns(first, second, rates))
    return d


def planar_pair() -> Derivation:
    """Derive the planar pair; coordinates: two slides in the plane, the angle about its normal."""
    d = kernel("hinge_planar", "planar pair, coordinates: slide x, slide y, angle", SOURCE)
    across = [axis_port(d, f"axis_{a}", f"direction {a} in the plane, fixed in A") for a in "xy"]
    normal = axis_port(d, "axis_n", "normal of the plane, fixed in A")
    s, v_r = _apart(d)
    inboard, outboard = _rates(d)
    eta = _slide_bias(d, inboard, s, v_r), _turn_bias(d, normal, inboard, outboard)
    _give(d, [*across, _STILL], [_STILL, _STILL, normal], eta, s)
    motion.claim(d, motion.slides_and_turn(across, normal))
    return d


def pin_in_slot() -> Derivation:
    """Derive the pin in a slot; coordinates: slide along the slot in A, angle about the pin."""
    d = kernel("hinge_pin_in_slot", "pin in a slot, coordinates: slide, angle", SOURCE)
    along = axis_port(d, "axis_slide", "direction of the slot, fixed in A")
    normal = axis_port(d, "axis_n", "axis of the pin, fixed in A")
    s, v_r = _apart(d)
    inboard, outboard = _rates(d)
    eta = _slide_bias(d, inboard, s, v_r), _turn_bias(d, normal, inboard, outboard)
    _give(d, [along, _STILL], [_STILL, normal], eta, s)
    motion.claim(d, motion.slides_and_turn((along,), normal))
    return d


def ball() -> Derivation:
    """Derive the ball-and-socket hinge; coordinates are the components of the relative angular acceleration.

    Its columns may be any three axes; those given are taken, world axes if they are the unit vectors.
    """
    d = kernel("hinge_ball", "ball-and-socket hinge, coordinates: turns about three axes at rest", SOURCE)
    axes = [axis_port(d, f"axis_{a}", f"axis {a} of the coordinates, at rest in the world") for a in AXES]
    _give(d, [_STILL] * 3, axes, (_STILL, _STILL), None)
    motion.claim(d, motion.ball(axes))
    return d


def slide_planar() -> Derivation:
    """Derive the prismatic hinge in the plane."""
    return _planar("hinge_prismatic_planar", "prismatic hinge in the plane", slot=False)


def slot_planar() -> Derivation:
    """Derive the pin in a slot in the plane; coordinates: slide, angle."""
    return _planar("hinge_pin_in_slot_planar", "pin in a slot in the plane, coordinates: slide, angle", slot=True)


def _planar(name: str, title: str, *, slot: bool) -> Derivation:
    """Derive a hinge that slides in the plane: for programs whose states are planar, in C or NumPy.

    symgen's own solvers have the joint frames in space and take the plane's components of the spatial hinges.
    """
    d = kernel(name, title, SOURCE)
    axis = d.input_vector("axis", 2, meaning="direction of the slide, fixed in A", unit="1", range="unit")
    s = d.input_vector("s", 2, meaning="from the inboard port to the outboard port, r_B - r_A", unit="m")
    meaning = "velocity of B relative to A as A sees it: v_B - v_A - omega_A x s"
    v_r = d.input_vector("v_r", 2, meaning=meaning, unit="m/s")
    inboard = d.input_scalar("omega_a", meaning="angular velocity of the inboard side A", unit="rad/s")
    eta = v_r.turned() * (inboard * 2) - s * (inboard * inboard)
    results, turned = Results(d), -s
    x = Matrix(((ONE, ZERO, turned.turned()[0] * -1), (ZERO, ONE, turned.turned()[1] * -1), (ZERO, ZERO, ONE)))
    results.put("x", x.entries, "X of a_O = X a_I + H qdd + eta: 3 x 3, row by row", "1 or m")
    pair = [Vector((*axis, ZERO)), *([unit_vector("z")] if slot else [])]
    matrix = columns(*pair)
    size = f"3 x {len(pair)}, row by row"
    results.put("h", matrix.entries, f"H of a_O = X a_I + H qdd + eta, rows [ax ay alpha]: {size}", _COLUMN_UNIT)
    results.put("eta", (*eta, ZERO), "eta of a_O = X a_I + H qdd + eta, [ax ay alpha]", _BIAS_UNIT)
    motion.claim_planar(d, axis, slot=slot)
    return d


def reverse(freedoms: int) -> Derivation:
    """Derive a hinge passed the other way round: X^-1, -X^-1 H, -X^-1 eta; qdd stays the joint's own."""
    d = kernel(
        f"hinge_reverse_{freedoms}", f"hinge with {counted(freedoms, 'freedom')}, in the reverse direction", SOURCE
    )
    s = d.input_vector("s", 3, meaning="from the joint's own inboard port to its outboard port", unit="m")
    h = matrix_port(d, "h", (6, freedoms), "H in the joint's own direction, rows [rdd wd]", _COLUMN_UNIT)
    eta = array_port(d, "eta", 6, "eta in the joint's own direction, [rdd wd]", _BIAS_UNIT)
    back = shifting(s)
    results = Results(d)
    results.put("x_out", back.entries, "X of the hinge in the reverse direction: 6 x 6, row by row", "1 or m")
    found = (back @ h) * -1
    results.put("h_out", found.entries, f"H in the reverse direction, rows [rdd wd]: 6 x {freedoms}, row by row",
                _COLUMN_UNIT)  # fmt: skip
    bias = [value * -1 for value in back.times(eta)]
    results.put("eta_out", bias, "eta in the reverse direction, [rdd wd]", _BIAS_UNIT)
    _claim_reversal(d, s, h, eta, (found, bias))
    return d


def _claim_reversal(
    d: Derivation, s: Vector, h: Matrix, eta: Sequence[Expr], found: tuple[Matrix, Sequence[Expr]]
) -> None:
    """Claim that going there and back leaves accelerations and relative acceleration as they are."""
    there = shifting(s, -1)
    gap = there @ shifting(s) - unit(6)
    d.claim_identity("inverse", "X X' = 1", gap.entries, squares={})
    gap = there @ found[0] + h
    d.claim_identity("columns", "X H' + H = 0", gap.entries, squares={})
    rest = [a + b for a, b in zip(there.times(found[1]), eta, strict=True)]
    d.claim_identity("bias", "X eta' + eta = 0", rest, squares={})
