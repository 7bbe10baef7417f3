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
    """Move on the fixed points and lines of the legs."""
    found = dict(s)
    for k in "123":
        if f"a{k}" in s:
            found[f"a{k}"] = along(s[f"a{k}"], s[f"v_a{k}"], s[f"a_a{k}"], t)
        else:
            found[f"c{k}"] = along(s[f"c{k}"], s[f"v_c{k}"], s[f"a_c{k}"], t)
            found[f"n{k}"] = turned(_planar_rotation(s, f"c{k}", t), s[f"n{k}"])
    return found


def _on_platform(r: Ports, x: Vector) -> Vector:
    c, n = r["cos_phi"][0], r["sin_phi"][0]
    return [c * x[0] - n * x[1], n * x[0] + c * x[1]]


def _triad_tips(s: Ports, r: Ports) -> list[Vector]:
    """Return the legs' points of the platform in the world."""
    arms = [[mpf(0), mpf(0)], *(_on_platform(r, s[f"d{k}"]) for k in "23")]
    return [[x + y for x, y in zip(r["p"], arm, strict=True)] for arm in arms]


def _triad_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    tips = _triad_tips(s, r)
    found: Configuration = {"v_p": [Numbers(r["p"])], "omega": [Direction(r["cos_phi"][0], r["sin_phi"][0])]}
    links = [Direction(*minus(tip, s[f"a{k}"])) for k, tip in enumerate(tips, 1) if f"l{k}" in s]
    if links:
        found["omega_legs"] = [*links]
    slides = [
        dot(s[f"n{k}"], minus(tip, s[f"c{k}"])) if f"n{k}" in s
        else dot(_on_platform(r, s[f"m{k}"]), minus(s[f"a{k}"], tip))
        for k, tip in enumerate(tips, 1) if f"l{k}" not in s
    ]  # fmt: skip
    if slides:
        found["slide_rates"] = [Numbers(slides)]
    return found


def _triad_columns(s: Ports, r: Ports) -> list[Vector]:
    """Return the columns of v_x, v_y and of omega, the last one in units of the arms of the legs' forces."""
    forces, arms = [], []
    for k, tip in enumerate(_triad_tips(s, r), 1):
        if f"l{k}" in s:
            force, at = minus(tip, s[f"a{k}"]), tip
        else:
            along_line = s[f"n{k}"] if f"n{k}" in s else _on_platform(r, s[f"m{k}"])
            force, at = [-along_line[1], along_line[0]], tip if f"n{k}" in s else s[f"a{k}"]
        size = mpmath.sqrt(dot(force, force))
        forces.append([x / size for x in force])
        arms.append(minus(at, r["p"]))
    size = mpmath.sqrt(sum(dot(arm, arm) for arm in arms))
    turning = [(arm[0] * f[1] - arm[1] * f[0]) / size for arm, f in zip(arms, forces, strict=True)]
    return [[f[0] for f in forces], [f[1] for f in forces], turning]


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


def _plane_points(s: Ports) -> list[str]:
    """Return the port with a point of each axis."""
    return [f"p{k}" if f"p{k}" in s else "o" for k in (1, 2, 3)]


def _plane_later(s: Ports, t: Any) -> dict[str, Any]:
    """Move body 1, which carries all held elements, and body 2, which carries the plane wanted."""
    first, second = body_rotation(s, "1", t), body_rotation(s, "2", t)
    names = _plane_points(s)
    at = along(s[names[0]], s["v_1"], s["a_1"], t)
    found = {**s, "n": turned(second, s["n"]), "c": along(s["c"], s["v_2"], s["a_2"], t)}
    found |= {name: turned(first, s[name]) for name in ("a1", "a2", "a3", "n0")}
    for name in (*names, "c0"):
        found[name] = [x + y for x, y in zip(at, turned(first, minus(s[name], s[names[0]])), strict=True)]
    return found


def _plane_placed(s: Ports, r: Ports) -> tuple[Matrix, Vector, list[tuple[Vector, Vector]]]:
    """Return how the carried plane is turned, where c0 is, and axis and point of each turn, by matrices."""
    rotation, at, placed = mpmath.eye(4), [mpf(0)] * 3, []
    for name, k in zip(_plane_points(s), "123", strict=True):
        angle = mpmath.atan2(r[f"sin_{k}"][0], r[f"cos_{k}"][0])
        axis = turned(rotation, s[f"a{k}"])
        point = [x + y for x, y in zip(at, turned(rotation, s[name]), strict=True)]
        placed.append((axis, point))
        rotation = rotation_exp([x * angle for x in axis]) * rotation
        at = minus(point, turned(rotation, s[name]))
    return rotation, [x + y for x, y in zip(at, turned(rotation, s["c0"]), strict=True)], placed


def _plane_forms(start: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    rotation, tip, _ = _plane_placed(s, r)
    rates: list[Form] = [Direction(r[f"cos_{k}"][0], r[f"sin_{k}"][0]) for k in "123"]
    link = Orientation(rotation * body_rotation(start, "1", t))
    return {"rates": rates, "v_s": [Numbers(tip)], "omega_s1": [link]}


def _plane_columns(s: Ports, r: Ports) -> list[Vector]:
    """Return how each turn tilts the normal and lifts the carried point, in units of the largest arm."""
    _, tip, placed = _plane_placed(s, r)
    size = max(mpmath.sqrt(dot(minus(tip, point), minus(tip, point))) for _, point in placed)
    found = []
    for axis, point in placed:
        lift = dot(s["n"], cross(axis, minus(tip, point))) / size
        found.append([x + y * lift for x, y in zip(cross(s["n"], axis), s["n"], strict=True)])
    return found


def _rod_later(s: Ports, t: Any) -> dict[str, Any]:
    """Move body 1 (pair A: axis, its point, the ball at zero) and body 2 (the other ball, the reference's line)."""
    first, second = body_rotation(s, "1", t), body_rotation(s, "2", t)
    ref = "p" if "p" in s else "s0"
    at = along(s[ref], s["v_1"], s["a_1"], t)
    zero = [x + y for x, y in zip(at, turned(first, minus(s["s0"], s[ref])), strict=True)]
    moved_on = {"a": turned(first, s["a"]), "s0": zero, ref: at, "e0": turned(second, s["e0"])}
    return {**s, **moved_on, "c": along(s["c"], s["v_2"], s["a_2"], t)}


def _rod_forms(start: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    if "cos_q" in r:
        pair: Form = Direction(r["cos_q"][0], r["sin_q"][0])
        link = orientation(s["a"], minus(r["y"], s["p"]))
    else:
        pair, link = Numbers(r["slide"]), Orientation(body_rotation(start, "1", t))
    e = minus(r["y"], s["c"])
    length = mpmath.sqrt(dot(e, e))
    across = cross(s["e0"], [x / length for x in e])
    sine = mpmath.sqrt(dot(across, across))
    angle = mpmath.atan2(sine, dot(s["e0"], e) / length)
    rod = Orientation(rotation_exp([x * angle / sine for x in across]) * body_rotation(start, "2", t))
    return {"rates": [pair], "v_s": [Numbers(r["y"])], "omega_s1": [link], "omega_s2": [rod]}


def _rod_columns(s: Ports, r: Ports) -> list[Vector]:
    """Return the path of the ball and two directions across the rod: what path and sphere's tangent plane leave."""
    path = cross(s["a"], minus(r["y"], s["p"])) if "p" in s else s["a"]
    size = mpmath.sqrt(dot(path, path))
    e = minus(r["y"], s["c"])
    length = mpmath.sqrt(dot(e, e))
    frame = orientation([x / length for x in e], [mpf(int(abs(x) == min(map(abs, e)))) for x in e]).matrix
    return [[x / size for x in path], list(frame[:3, 1]), list(frame[:3, 2])]


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
    "dyad_rrr": Kernel(_rrr_later, _rrr_forms, lambda s, r: [minus(r["p"], s["a"]), minus(r["p"], s["b"])]),
    "dyad_rrp": Kernel(_rrp_later, _rrp_forms, lambda s, r: [[s["a"][1] - r["p"][1], r["p"][0] - s["a"][0]], s["n"]]),
    "dyad_prp": Kernel(_prp_later, _prp_forms, lambda s, r: [s["n1"], s["n2"]]),
}
_LOOP = Kernel(_loop_later, _loop_forms, _loop_columns)
_TURNING = Kernel(_turning_later, _turning_forms, _turning_columns)


_TRIAD = Kernel(_triad_later, _triad_forms, _triad_columns)
#: Modules of other arrangements on a dyad's kernel.
_SHARED = {"dyad_rrr_driven": "dyad_rrr", "slot_rl": "dyad_rrp", "slot_pl": "dyad_prp"}


def kernel_of(module: str) -> Kernel:
    """Return the motion of a module's kernel. A module that is of no family here has no oracle: an error."""
    module = _SHARED.get(module, module)
    if module in _PLANAR:
        return _PLANAR[module]
    if module.startswith("triad_"):
        return _TRIAD
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
        return Kernel(_rod_later, _rod_forms, _rod_columns)
    if module in PLANE_RINGS:
        return Kernel(_plane_later, _plane_forms, _plane_columns)
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
