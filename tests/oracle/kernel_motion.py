"""What the elements of a kernel do over time, by geometry alone: the oracle of kernel velocities and accelerations.

A kernel is given points, unit axes and lengths in the world and how the bodies that carry them move. Here they are
moved on: points along parabolas or with their body, axes with a rotating frame, so that they stay unit to all digits.
What the kernel finds there is put in three forms that can be differenced without knowing its formulas: plain numbers,
directions in a plane (whose angle turns) and right-handed triads of unit vectors (whose orientation turns). The
orientation of a link is read off two directions that are fixed in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpf
from oracle.kinematics import Matrix, moved, pose_matrix, rotation_exp, rotation_log, turn
from oracle.modules import function, inputs_of, manifest

Ports = Mapping[str, Any]
Vector = list[Any]

#: Loops of three turns, without a spherical pair.
TURNING = ("loop_ccc", "loop_pue", "loop_rce")
#: Loops whose kernel takes six letters, held.
LETTERS = ("loop_ccu", "loop_cuu", "loop_uuu")

#: Port of a velocity -> port of the acceleration that goes with it.
ACCELERATION_OF = {
    **{"v_p": "a_p", "v_s": "a_s", "v_g": "a_g", "rates": "accelerations"},
    **{"omega_1": "alpha_1", "omega_2": "alpha_2", "omega_s1": "alpha_s1", "omega_s2": "alpha_s2"},
    **{"omega": "alpha", "omega_legs": "alpha_legs"},
    **{"s_rate": "s_acc", "s1_rate": "s1_acc", "s2_rate": "s2_acc"},
}


@dataclass(frozen=True)
class Numbers:
    """Plain numbers: their rates are their differences."""

    values: Vector


@dataclass(frozen=True)
class Direction:
    """A direction in a plane (any length): its rate is that of its angle."""

    cosine: Any
    sine: Any


@dataclass(frozen=True)
class Orientation:
    """A rotation matrix (4 x 4): its rate is the angular velocity."""

    matrix: Matrix


Form = Numbers | Direction | Orientation
#: Velocity port -> the forms that its numbers are the rates of, in order.
Configuration = dict[str, list[Form]]


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Vector, b: Vector) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))


def minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def along(p: Vector, v: Vector, a: Vector, t: Any) -> Vector:
    """Return a point after time t on its parabola."""
    return [x + y * t + z * t * t / 2 for x, y, z in zip(p, v, a, strict=True)]


def turned(rotation: Matrix, x: Vector) -> Vector:
    return [sum(rotation[i, j] * x[j] for j in range(len(x))) for i in range(len(x))]


def orientation(first: Vector, second: Vector) -> Orientation:
    """Return the triad of a unit vector and of what a second vector is across it."""
    across = minus(second, [x * dot(first, second) for x in first])
    length = mpmath.sqrt(dot(across, across))
    y = [x / length for x in across]
    m = mpmath.eye(4)
    for j, column in enumerate((first, y, cross(first, y))):
        for i in range(3):
            m[i, j] = column[i]
    return Orientation(m)


# -- kernels ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kernel:
    """How the elements of a kernel move, what its results are, and the columns of its system of rates."""

    later: Callable[[Ports, Any], dict[str, Any]]
    forms: Callable[[Ports, Ports, Ports, Any], Configuration]
    columns: Callable[[Ports, Ports], list[Vector]]


def _rrr_later(s: Ports, t: Any) -> dict[str, Any]:
    return {**s, "a": along(s["a"], s["v_a"], s["a_a"], t), "b": along(s["b"], s["v_b"], s["a_b"], t)}


def _rrr_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    return {
        "v_p": [Numbers(r["p"])],
        "omega_1": [Direction(*minus(r["p"], s["a"]))],
        "omega_2": [Direction(*minus(r["p"], s["b"]))],
    }


def _planar_rotation(s: Ports, k: str, t: Any) -> Matrix:
    return turn(2, s[f"omega_{k}"] * t + s[f"alpha_{k}"] * t * t / 2)


def _rrp_later(s: Ports, t: Any) -> dict[str, Any]:
    return {
        **s,
        "a": along(s["a"], s["v_a"], s["a_a"], t),
        "c": along(s["c"], s["v_c"], s["a_c"], t),
        "n": turned(_planar_rotation(s, "2", t), s["n"]),
    }


def _rrp_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    return {
        "v_p": [Numbers(r["p"])],
        "omega_1": [Direction(*minus(r["p"], s["a"]))],
        "s_rate": [Numbers(r["s"])],
    }


def _prp_later(s: Ports, t: Any) -> dict[str, Any]:
    found = dict(s)
    for k in "12":
        found[f"p{k}"] = along(s[f"p{k}"], s[f"v_p{k}"], s[f"a_p{k}"], t)
        found[f"n{k}"] = turned(_planar_rotation(s, k, t), s[f"n{k}"])
    return found


def _prp_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    return {"v_p": [Numbers(r["p"])], "s1_rate": [Numbers(r["s1"])], "s2_rate": [Numbers(r["s2"])]}


def _triad_later(s: Ports, t: Any) -> dict[str, Any]:
    return {**s, **{f"a{k}": along(s[f"a{k}"], s[f"v_a{k}"], s[f"a_a{k}"], t) for k in "123"}}


def _triad_tips(s: Ports, r: Ports) -> tuple[list[Vector], list[Vector]]:
    """Return the arms from the first to each tip, and the legs."""
    c, n = r["cos_phi"][0], r["sin_phi"][0]
    arms = [[mpf(0), mpf(0)], *([c * x - n * y, n * x + c * y] for x, y in (s["d2"], s["d3"]))]
    tips = [[x + y for x, y in zip(r["p"], arm, strict=True)] for arm in arms]
    return arms, [minus(tip, s[f"a{k}"]) for k, tip in enumerate(tips, 1)]


def _triad_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    _, legs = _triad_tips(s, r)
    platform = [Direction(r["cos_phi"][0], r["sin_phi"][0])]
    return {"v_p": [Numbers(r["p"])], "omega": platform, "omega_legs": [Direction(*leg) for leg in legs]}


def _triad_columns(s: Ports, r: Ports) -> list[Vector]:
    """Return the columns of v_x, v_y and of omega, the last one in units of the platform's size."""
    arms, legs = _triad_tips(s, r)
    size = mpmath.sqrt(sum(dot(arm, arm) for arm in arms))
    turning = [(arm[0] * leg[1] - arm[1] * leg[0]) / size for arm, leg in zip(arms, legs, strict=True)]
    return [[leg[0] for leg in legs], [leg[1] for leg in legs], turning]


def body_rotation(s: Ports, k: str, t: Any) -> Matrix:
    return rotation_exp(along([mpf(0)] * 3, s[f"omega_{k}"], s[f"alpha_{k}"], t))


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


_PLANAR = {
    "triad_rr_rr_rr": Kernel(_triad_later, _triad_forms, _triad_columns),
    "dyad_rrr": Kernel(_rrr_later, _rrr_forms, lambda s, r: [minus(r["p"], s["a"]), minus(r["p"], s["b"])]),
    "dyad_rrp": Kernel(_rrp_later, _rrp_forms, lambda s, r: [[s["a"][1] - r["p"][1], r["p"][0] - s["a"][0]], s["n"]]),
    "dyad_prp": Kernel(_prp_later, _prp_forms, lambda s, r: [s["n1"], s["n2"]]),
}
_LOOP = Kernel(_loop_later, _loop_forms, _loop_columns)
_TURNING = Kernel(_turning_later, _turning_forms, _turning_columns)


def kernel_of(module: str) -> Kernel:
    """Return the motion of a module's kernel. A module that is of no family here has no oracle: an error."""
    if module in _PLANAR:
        return _PLANAR[module]
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
