"""What the elements of a kernel do over time, by geometry alone: the oracle of kernel velocities and accelerations.

A kernel is given points, unit axes and lengths in the world and how the bodies that carry them move. Here they are
moved on: points along parabolas or with their body, axes with a rotating frame, so that they stay unit to all digits.
What the kernel finds there is put in three forms that can be differenced without knowing its formulas: plain numbers,
directions in a plane (whose angle turns) and right-handed triads of unit vectors (whose orientation turns). The
orientation of a link is read off two directions that are fixed in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
from mpmath import mpf
from oracle.kinematics import moved, pose_matrix, rotation_log
from oracle.modules import function, inputs_of, manifest
from oracle.motion_forms import (
    Configuration,
    Direction,
    Form,
    Kernel,
    Numbers,
    Orientation,
    Ports,
    Vector,
    along,
    body_rotation,
    cross,
    dot,
    minus,
    orientation,
    turned,
)
from oracle.planar_motion import PLANAR, TRIAD
from oracle.rod_motion import PLANE_RING, ROD

#: Loops of three turns, without a spherical pair.
TURNING = ("loop_ccc", "loop_pue", "loop_rce")
#: Loops whose kernel takes six letters, held.
LETTERS = ("loop_ccu", "loop_cuu", "loop_uuu")

#: Rods between two balls, with one freedom besides.
RODS = ("loop_rss", "loop_pss")

#: Rings of three turns and a planar joint.
PLANE_RINGS = ("loop_rue", "ring_rrre")

#: Port of a velocity -> port of the acceleration that goes with it.
ACCELERATION_OF = {
    **{"v_p": "a_p", "v_s": "a_s", "v_g": "a_g", "rates": "accelerations"},
    **{"omega_1": "alpha_1", "omega_2": "alpha_2", "omega_s1": "alpha_s1", "omega_s2": "alpha_s2"},
    **{"omega": "alpha", "omega_legs": "alpha_legs"},
    **{"slide_rates": "slide_accs"},
    **{"s_rate": "s_acc", "s1_rate": "s1_acc", "s2_rate": "s2_acc"},
}


# -- kernels ---------------------------------------------------------------------------------------------------------


def _loop_later(s: Ports, t: Any) -> dict[str, Any]:
    """Move body 1 (pair A: axis, its point, the spherical centre at zero) and body 2 (pair B: axis, centre)."""
    first, second = body_rotation(s, "1", t), body_rotation(s, "2", t)
    ref = "p" if "p" in s else "s0"
    at = along(s[ref], s["v_1"], s["a_1"], t)
    zero = [x + y for x, y in zip(at, turned(first, minus(s["s0"], s[ref])), strict=True)]
    found = {**s, "a": turned(first, s["a"]), "s0": zero, ref: at}
    return {**found, "u": turned(second, s["u"]), "c": along(s["c"], s["v_2"], s["a_2"], t)}


def _loop_forms(start: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    least = min(range(3), key=lambda k: abs(start["u"][k]))
    x = orientation(start["u"], [mpf(int(k == least)) for k in range(3)]).matrix[:3, 1]
    x = turned(body_rotation(start, "2", t), list(x))  # fixed in body 2, at a right angle to u
    y = cross(s["u"], x)
    e = minus(r["y"], s["c"])
    if "cos_q" in r:
        pair_a: Form = Direction(r["cos_q"][0], r["sin_q"][0])
        link_1 = orientation(s["a"], minus(r["y"], s["p"]))
    else:
        pair_a = Numbers(r["slide"])
        link_1 = Orientation(body_rotation(start, "1", t))
    if "v" in r:  # the second axis turns about the first one in body 2, S about the second one
        v = r["v"]
        pair_b: list[Form] = [Direction(dot(v, x), dot(v, y)), Direction(dot(e, s["u"]), dot(e, cross(v, s["u"])))]
        link_2 = orientation(v, e)
    else:
        pair_b = [Numbers([dot(e, s["u"])]), Direction(dot(e, x), dot(e, y))]
        link_2 = orientation(s["u"], e)
    return {"rates": [pair_a, *pair_b], "v_s": [Numbers(r["y"])], "omega_s1": [link_1], "omega_s2": [link_2]}


def _loop_columns(s: Ports, r: Ports) -> list[Vector]:
    e = minus(r["y"], s["c"])
    first = cross(s["a"], minus(r["y"], s["p"])) if "p" in s else s["a"]
    return [first, *((cross(s["u"], e), cross(r["v"], e)) if "v" in r else (s["u"], cross(s["u"], e)))]


def _turning_later(s: Ports, t: Any) -> dict[str, Any]:
    first, second = body_rotation(s, "1", t), body_rotation(s, "2", t)
    return {**s, "u1": turned(first, s["u1"]), "u3": turned(second, s["u3"])}


def _fixed_across(start: Ports, axis: str, body: str, t: Any) -> Vector:
    """Return a direction fixed in a body, at a right angle to an axis of it."""
    least = min(range(3), key=lambda k: abs(start[axis][k]))
    x = orientation(start[axis], [mpf(int(k == least)) for k in range(3)]).matrix[:3, 1]
    return turned(body_rotation(start, body, t), list(x))


def _turning_forms(start: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    u1, u2, u3 = s["u1"], r["u2"], s["u3"]
    x1, x3 = _fixed_across(start, "u1", "1", t), _fixed_across(start, "u3", "2", t)
    # how far link 2, which carries u3, is turned about u2 against link 1, which carries u1
    middle = Direction(dot(u1, u3) - dot(u1, u2) * dot(u2, u3), dot(u2, cross(u1, u3)))
    first, third = (Direction(dot(u2, x), dot(u2, cross(axis, x))) for axis, x in ((u1, x1), (u3, x3)))
    return {
        "rates": [first, middle, third],
        "omega_s1": [orientation(u1, u2)],
        "omega_s2": [orientation(u3, u2)],
    }


def _turning_columns(s: Ports, r: Ports) -> list[Vector]:
    return [s["u1"], r["u2"], s["u3"]]


def _driven(space: str) -> Kernel:
    def later(s: Ports, t: Any) -> dict[str, Any]:
        e = moved(s["e"], s["v_e"], s["a_e"], t, space)
        return {**s, "e": e, "u_j": along(s["u_j"], s["ud_j"], s["udd_j"], t)}

    def forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
        if space == "planar":
            return {"v_g": [Numbers(r["g"])]}
        m = pose_matrix(r["g"], space)
        place = [m[k, 3] for k in range(3)]
        for k in range(3):
            m[k, 3] = 0
        return {"v_g": [Numbers(place), Orientation(m)]}

    return Kernel(later, forms, lambda s, r: [[mpf(1)]])


_LOOP = Kernel(_loop_later, _loop_forms, _loop_columns)
_TURNING = Kernel(_turning_later, _turning_forms, _turning_columns)


#: Modules of other arrangements on a dyad's kernel.
_SHARED = {"dyad_rrr_driven": "dyad_rrr", "slot_rl": "dyad_rrp", "slot_pl": "dyad_prp"}


def kernel_of(module: str) -> Kernel:
    """Return the motion of a module's kernel. A module that is of no family here has no oracle: an error."""
    module = _SHARED.get(module, module)
    if module in PLANAR:
        return PLANAR[module]
    if module.startswith("triad_"):
        return TRIAD
    if module.startswith("driven_"):
        return _driven(manifest(module)["space"])
    if module in TURNING:
        return _TURNING
    if module in LETTERS:
        from oracle.letters_motion import LETTERS_MOTION

        return LETTERS_MOTION
    if {"s", "t", "a1"} <= {port["name"] for port in inputs_of(function(module, "kernel_position"))}:
        from oracle.regional_motion import REGIONAL

        return REGIONAL
    if module in RODS:
        return ROD
    if module in PLANE_RINGS:
        return PLANE_RING
    assert module.startswith("loop_"), f"no motion of the elements of {module} is known here"
    return _LOOP


# -- what the tests ask ----------------------------------------------------------------------------------------------


def exact_inputs(module: str, ports: Ports) -> dict[str, Any]:
    """Return the inputs of the kernel with axes and quaternions made unit in the present precision."""
    found: dict[str, Any] = {}
    for port in inputs_of(function(module, "kernel_all")):
        value = ports[port["name"]]
        if port["kind"] == "int" or not port["shape"]:
            found[port["name"]] = value if port["kind"] == "int" else mpf(float(value))
            continue
        numbers = [mpf(float(x)) for x in value]
        if port["range"] in ("unit", "q unit"):
            first = 3 if len(numbers) == 7 else 0
            length = mpmath.sqrt(dot(numbers[first:], numbers[first:]))
            numbers[first:] = [x / length for x in numbers[first:]]
        found[port["name"]] = numbers
    return found


def condition(module: str, inputs: Ports, results: Ports) -> Any:
    """Return the Frobenius condition number of the system of rates, from its columns."""
    columns = kernel_of(module).columns(inputs, results)
    system = mpmath.matrix(columns)
    return mpmath.norm(system, 2) * mpmath.norm(mpmath.inverse(system), 2)


def _turns(form: Form, now: Form) -> Sequence[Any]:
    """Return the change of a form from `now`, as numbers whose differences are rates."""
    if isinstance(form, Numbers) and isinstance(now, Numbers):
        return minus(form.values, now.values)
    if isinstance(form, Direction) and isinstance(now, Direction):
        sine = now.cosine * form.sine - now.sine * form.cosine
        return [mpmath.atan2(sine, now.cosine * form.cosine + now.sine * form.sine)]
    assert isinstance(form, Orientation)
    assert isinstance(now, Orientation)
    return rotation_log(form.matrix * now.matrix.T)


def rates_by_differences(
    before: Configuration, now: Configuration, after: Configuration, h: Any
) -> dict[str, list[Any]]:
    """Return velocities and accelerations by central differences of configurations at -h, 0 and h, by port."""
    found: dict[str, list[Any]] = {}
    for name, forms in now.items():
        back = [x for f, g in zip(before[name], forms, strict=True) for x in _turns(f, g)]
        ahead = [x for f, g in zip(after[name], forms, strict=True) for x in _turns(f, g)]
        found[name] = [(p - m) / (2 * h) for m, p in zip(back, ahead, strict=True)]
        found[ACCELERATION_OF[name]] = [(p + m) / (h * h) for m, p in zip(back, ahead, strict=True)]
    return found
