"""Ports of special configurations: exact numbers, made poses, degenerate frames, the way to a fold."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf
from oracle.instances import Instance, random_instance
from oracle.kernel_motion import LETTERS, PLANE_RINGS, RODS, TURNING
from oracle.kinematics import inverse, matrix_pose, pose_matrix, rotation_exp
from oracle.modules import Arranged, Tree, call, call_batch, function, inputs_of, manifest
from oracle.motion_forms import cross, dot

from symgen.status import Status

Ports = dict[str, Any]

#: Rates, accelerations and drives of hand-made cases: nothing special about them.
_MOVING = (0.3, -0.2, 0.5, 0.1, -0.4, 0.6)


def plain_ports(arranged: Arranged, **given: Any) -> Ports:
    """Return all ports of an arrangement: poses at the origin, bodies moving, unless given."""
    ports: Ports = {"branch": 0}
    for port in inputs_of(function(arranged.module, arranged.function("all"))):
        name, size = port["name"], (port["shape"] or [1])[0]
        if port["kind"] == "int":
            continue
        if name.startswith(("v_", "a_", "u_", "ud_", "udd_")):
            ports[name] = list(_MOVING[:size])
        elif not port["shape"]:
            ports[name] = _MOVING[0]
        else:
            ports[name] = [0.0] * 3 if size == 3 else [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    unknown = sorted(set(given) - set(ports))
    assert not unknown, f"no such ports: {unknown}"
    return {**ports, **given}


def exact(ports: Ports) -> Ports:
    """Make quaternions unit to 50 digits, as the reference asks for."""
    found: Ports = {}
    for name, values in ports.items():
        if isinstance(values, list) and len(values) == 7:
            numbers = [mpf(float(x)) for x in values]
            size = mpmath.sqrt(sum(x * x for x in numbers[3:]))
            found[name] = numbers[:3] + [x / size for x in numbers[3:]]
        else:
            found[name] = values
    return found


def joints_by_role(arranged: Arranged) -> dict[str, Tree]:
    """Return the joints of a loop by what they are free to do: "a" one freedom, "b" two, "s" three."""
    roles = {1: "a", 2: "b", 3: "s"}
    return {roles[len(j["freedoms"])]: j for j in arranged.tree["joints"]}


def degenerate(arranged: Arranged, seed: int) -> Ports | None:
    """Return ports of a geometry with none or infinitely many solutions, or None if the type has no such status."""
    if "DEGENERATE" not in function(arranged.module, arranged.function("position"))["statuses"]:
        return None
    ports: Ports = {**copy.deepcopy(random_instance(arranged.manifest, arranged.tree, seed).ports), "branch": 0}
    if arranged.manifest["space"] == "planar":
        return _degenerate_in_the_plane(arranged, ports)
    if arranged.module in RODS:
        return _rod_against_its_reference(arranged, ports)
    if arranged.module in PLANE_RINGS:  # all frames are one: axes normal to the plane
        one = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        return {name: list(one) if name[0] in "fk" else value for name, value in ports.items()}
    # The known bodies are one link of the loop: put them together, so that frames of its joints can coincide.
    ports["k2"] = list(ports["k1"])
    if arranged.module.startswith("ring_"):
        return _on_an_axis(arranged, ports)
    if arranged.module in (*TURNING, *LETTERS):
        for other in range(seed, seed + 50):
            ports.update(copy.deepcopy(random_instance(arranged.manifest, arranged.tree, other).ports))
            ports["k2"] = list(ports["k1"])
            if arranged.module in LETTERS:
                _alike_on_one_link(arranged, ports)
            else:
                _make_parallel(arranged, ports)
            status, _ = call("numpy", arranged.module, arranged.function("position"), ports)
            if status is not Status.NO_ASSEMBLY:  # which frames of other joints decide
                return ports
        raise AssertionError(f"{arranged}: always out of reach")

    def shared(first: str, second: str) -> tuple[str, str]:
        """Return the names of the frames of two joints on the link that carries both."""
        joints = joints_by_role(arranged)
        pairs = itertools.product(joints[first]["bodies"], joints[second]["bodies"])
        known = set(arranged.tree["known"])
        one, other = next((b, c) for b, c in pairs if b == c or {b, c} == known)
        return f"f_{joints[first]['name']}_{one}", f"f_{joints[second]['name']}_{other}"

    (a_y, s_y), (a_x, b_x), (b_z, s_z) = shared("a", "s"), shared("a", "b"), shared("b", "s")
    if arranged.module.startswith("loop_rus"):  # the spherical centre lies on the revolute axis
        ports[s_y] = list(ports[a_y])
        return ports
    ports[a_x] = list(ports[b_x])  # the slide runs along the axis of the other pair ...
    if arranged.module.startswith("loop_pus"):  # ... through the spherical centre, across the axis on the other link
        u_first = joints_by_role(arranged)["b"]["frames"][0] == b_x
        ports[a_y] = list(ports[s_y])
        ports[b_x] = ports[b_z] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        along_z, along_x = ports[b_x], [0.0, 0.0, 0.0, 0.5**0.5, 0.0, 0.5**0.5, 0.0]
        ports[a_x] = along_z if u_first else along_x
        ports[s_z] = [0.0, 0.0, 0.7, *ports[b_z][3:]] if u_first else [0.7, 0.0, 0.0, *ports[b_z][3:]]
    return ports


def _alike_on_one_link(arranged: Arranged, ports: Ports) -> None:
    """Make the frames of two joints of one type coincide on the link that carries both."""
    kind = "C" if arranged.module == "loop_ccu" else "U"
    one, other = [j for j in arranged.tree["joints"] if j["type"] == kind][:2]
    known = set(arranged.tree["known"])
    pairs = itertools.product(one["bodies"], other["bodies"])
    first, second = next((b, c) for b, c in pairs if b == c or {b, c} == known)
    ports[f"f_{one['name']}_{first}"] = list(ports[f"f_{other['name']}_{second}"])


def _on_an_axis(arranged: Arranged, ports: Ports) -> Ports:
    """Put the spherical centre on the axis of a neighbouring R, or on the second axis of a U."""
    joints = arranged.tree["joints"]
    cut = next(k for k, j in enumerate(joints) if j["type"] == "S")
    for other in (joints[k] for k in (cut + 1, cut - 1) if 0 <= k < len(joints)):
        shared = next((b for b in other["bodies"] if b in joints[cut]["bodies"]), None)
        if shared is None or not other["freedoms"]:
            continue
        frame = f"f_{other['name']}_{shared}"
        if other["type"] == "U":
            ports[frame] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        offset = 0.7 if other["type"] == "U" else 0.0
        ports[f"f_{joints[cut]['name']}_{shared}"] = [ports[frame][0] + offset, *ports[frame][1:]]
        return ports
    raise AssertionError(f"{arranged}: no pair beside the spherical one")


def _rod_against_its_reference(arranged: Arranged, ports: Ports) -> Ports:
    """Turn the frame of the last ball on k2 until the reference of the rod points away from the other ball."""
    _, results = call("numpy", arranged.module, arranged.function("position"), ports)
    rod, known = pose_matrix(results["b2"], "spatial"), pose_matrix(ports["k2"], "spatial")
    far, near = (pose_matrix(ports[name], "spatial") for name in ("f_j3_b2", "f_j2_b2"))
    line = [near[k, 3] - far[k, 3] for k in range(3)]
    across = cross(line, [mpf(0), mpf(0), mpf(1)])
    size = mpmath.sqrt(dot(across, across))
    wanted = inverse(known) * (rod * rotation_exp([mpmath.pi * x / size for x in across]) * far)
    frame = [float(x) for x in matrix_pose(wanted, "spatial")]
    return {**ports, "f_j3_k2": [*ports["f_j3_k2"][:3], *frame[3:]]}


def _make_parallel(arranged: Arranged, ports: Ports) -> None:
    """Make two axes on one link parallel or, where a P slides, its direction one in the plane of the PL."""
    joints = {j["type"]: j for j in arranged.tree["joints"]}
    if arranged.module == "loop_ccc":
        ports["f_j2_b1"] = list(ports["f_j1_b1"])
        return
    one, other = (joints["P"], joints["PL"]) if arranged.module == "loop_pue" else (joints["R"], joints["C"])
    known = set(arranged.tree["known"])
    pairs = itertools.product(one["bodies"], other["bodies"])
    first, second = next((b, c) for b, c in pairs if b == c or {b, c} == known)
    ports[f"f_{one['name']}_{first}"] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    quarter = [0.5**0.5, 0.5**0.5, 0.0, 0.0]
    orientation = quarter if arranged.module == "loop_pue" else [1.0, 0.0, 0.0, 0.0]
    ports[f"f_{other['name']}_{second}"] = [0.0, 0.0, 0.0, *orientation]


def _degenerate_in_the_plane(arranged: Arranged, ports: Ports) -> Ports | None:
    joints, known = arranged.tree["joints"], arranged.tree["known"]
    frames = [(frame, body) for joint in joints for frame, body in zip(joint["frames"], joint["bodies"], strict=True)]
    if arranged.module in ("triad_rr_rr_rr", "triad_rr_rr_pr"):  # a platform whose three joints are one
        bodies = [body for _, body in frames]
        platform = max(arranged.tree["bodies"], key=bodies.count)
        for frame, body in frames:
            if body == platform:
                ports[frame][:2] = [0.3, 0.1]
        return ports
    if arranged.module == "triad_rr_pr_rp":
        return None  # a line outside on a line of the platform, at that very angle: rounding says one or the other
    if arranged.module in ("triad_pr_pr_rp", "triad_pr_rp_rp"):
        return None  # beside parallel slides the search finds what closes elsewhere, or that nothing does
    if arranged.module in ("dyad_prp", "slot_pl") or (
        arranged.module.startswith("triad") and "rr_rr" not in arranged.module
    ):
        for name in [*known, *(frame for frame, _ in frames)]:
            ports[name][2] = 0.0  # parallel slides
        return ports
    for frame, body in frames:  # all outer joints in one point
        if body in known:
            ports[frame][:2] = [0.0, 0.0]
    for body in known:
        ports[body][:2] = ports[known[0]][:2]
    return ports


@cache
def fold(arranged: Arranged, seed: int) -> tuple[Callable[[float], Ports], float, float]:
    """Return a family of ports over a parameter, the last parameter with a solution and the next one, without.

    The second known body moves away along the world's x or, if slides can follow it, until its joint is where the
    first one's is. The end of branch 0 (or the first real one) is found by bisection to the last bit, so that its
    status is SINGULAR by then.
    """
    instance = random_instance(arranged.manifest, arranged.tree, seed)
    branch = next(b for b in range(arranged.manifest["branches"]) if status_at(arranged, instance, b) is Status.OK)
    if arranged.module in TURNING:
        return _fold_by_turning(arranged, instance, branch)
    if arranged.module == "loop_ccu":
        return _fold_by_any_turn(arranged, instance, branch)
    outer = [f"f_{j['name']}_{b}" for j in arranged.tree["joints"] for b in j["bodies"] if b in arranged.tree["known"]]
    first, last = (
        pose_matrix(instance.ports[body], instance.space) * pose_matrix(instance.ports[frame], instance.space)
        for body, frame in zip(arranged.tree["known"][:2], outer[:2], strict=True)
    )
    size = 2 if instance.space == "planar" else 3
    inner = [
        frame
        for joint in arranged.tree["joints"]
        for frame, body in zip(joint["frames"], joint["bodies"], strict=True)
        if instance.space == "planar"
    ]
    paths = [("k2", [64.0, 0.0, 0.0]), ("k2", [0.999 * float(first[k, 3] - last[k, 3]) for k in range(size)])]
    paths += [(frame, [0.0, 64.0]) for frame in inner]  # a slot that slides can always follow, but not turn to
    for port, path in paths:

        def at(s: float, port: str = port, path: list[float] = path) -> Ports:
            ports: Ports = {**copy.deepcopy(instance.ports), "branch": branch}
            for k in range(size):
                ports[port][k] += s * path[k]
            return ports

        if not _is_solved(arranged, at(1.0)):
            break
    return at, *_end(arranged, at)


def _is_solved(arranged: Arranged, ports: Ports) -> bool:
    status = call("numpy", arranged.module, arranged.function("position"), ports)[0]
    return status in (Status.OK, Status.SINGULAR)


def _are_solved(arranged: Arranged, cases: Sequence[Ports]) -> list[bool]:
    """Tell it of many cases at once: a search of NumPy takes no longer for them than for two."""
    names = [port["name"] for port in inputs_of(function(arranged.module, arranged.function("position")))]
    stacked = {name: np.array([case[name] for case in cases]) for name in names}
    statuses = call_batch("numpy", arranged.module, arranged.function("position"), stacked, len(cases))[1]
    return [int(status) in (Status.OK, Status.SINGULAR) for status in statuses]


#: How many halvings of `_end` are asked about in one call, and down to which width: the last ones are asked about one
#: by one, as arrays may be rounded otherwise than single numbers.
_LEVELS, _WIDE = 4, 2.0**-40


def _end(arranged: Arranged, at: Callable[[float], Ports]) -> tuple[float, float]:
    """Return the last parameter with a solution and the next one, without."""
    inside, outside = 0.0, 1.0
    while arranged.manifest["branch_order"] == "rank" and outside - inside > _WIDE:
        count = 2**_LEVELS  # all the middles that the next halvings may come to
        points = [inside + k * (outside - inside) / count for k in range(count + 1)]
        solved = _are_solved(arranged, [at(point) for point in points[1:-1]])
        low, high = 0, count
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if solved[middle - 1] else (low, middle)
        inside, outside = points[low], points[high]
    while (half := 0.5 * (inside + outside)) not in (inside, outside):
        inside, outside = (half, outside) if _is_solved(arranged, at(half)) else (inside, half)
    return inside, outside


def _fold_by_turning(
    arranged: Arranged, instance: Instance, branch: int
) -> tuple[Callable[[float], Ports], float, float]:
    """Do the same by turning the second known body until the outer axes are parallel: moving it changes no angle."""
    start = pose_matrix(instance.ports["k2"], "spatial")
    joints = arranged.tree["joints"]
    first = next(j for j in joints if j["type"] != "P")  # its axis is fixed to k1: a P does not turn

    def axis_of(joint: Tree) -> Any:
        body, frame = joint["bodies"][0], joint["frames"][0]
        return (instance.bodies[body] * pose_matrix(instance.ports[frame], "spatial"))[:3, 2]

    here, there = axis_of(joints[2]), axis_of(first)
    normal = cross(list(here), list(there))
    sine = mpmath.sqrt(dot(normal, normal))
    angle = mpmath.atan2(sine, dot(list(here), list(there)))

    def at(s: float) -> Ports:
        rotated = rotation_exp([mpf(s) * angle / sine * x for x in normal]) * start
        for k in range(3):
            rotated[k, 3] = start[k, 3]
        pose = [float(x) for x in matrix_pose(rotated, "spatial")]
        return {**copy.deepcopy(instance.ports), "branch": branch, "k2": pose}

    return at, *_end(arranged, at)


def _fold_by_any_turn(
    arranged: Arranged, instance: Instance, branch: int
) -> tuple[Callable[[float], Ports], float, float]:
    """Do the same by turning the second known body: two slides follow it wherever it moves."""
    start = pose_matrix(instance.ports["k2"], "spatial")
    for axis in itertools.product((-1, 0, 1), repeat=3):
        if not any(axis):
            continue

        def at(s: float, axis: tuple[int, ...] = axis) -> Ports:
            rotated = rotation_exp([mpf(2) * mpf(s) * x for x in axis]) * start
            for k in range(3):
                rotated[k, 3] = start[k, 3]
            pose = [float(x) for x in matrix_pose(rotated, "spatial")]
            return {**copy.deepcopy(instance.ports), "branch": branch, "k2": pose}

        if not _is_solved(arranged, at(1.0)):
            return at, *_end(arranged, at)
    raise AssertionError(f"{arranged}: solved however its second body is turned")


def status_at(arranged: Arranged, instance: Instance, branch: int) -> Status:
    return call("numpy", arranged.module, arranged.function("position"), {**instance.ports, "branch": branch})[0]


def _random_kernel(module: str, rng: random.Random) -> Ports:
    ports: Ports = {}
    for port in inputs_of(function(module, "kernel_all")):
        size = (port["shape"] or [1])[0]
        numbers = [rng.uniform(-1, 1) for _ in range(size)]
        if port["range"].startswith(">"):
            numbers = [abs(x) + 0.5 for x in numbers]
        if port["range"] in ("unit", "q unit"):
            first = 3 if size == 7 else 0
            length = sum(x * x for x in numbers[first:]) ** 0.5
            numbers[first:] = [x / length for x in numbers[first:]]
        if port["kind"] == "int":
            ports[port["name"]] = 0
        else:
            ports[port["name"]] = numbers if port["shape"] else numbers[0]
    return ports


@cache
def solved_inputs(module: str, arrangement: str | None, seed: int) -> tuple[Ports, ...]:
    """Return well-formed inputs of all functions of an arrangement (None: the kernel), one for each real branch.

    Results of earlier stages are those of NumPy.
    """
    tree = manifest(module)
    for attempt in range(200):
        if arrangement is None:
            name, base = "kernel_all", _random_kernel(module, random.Random(1000 * seed + attempt))
        else:
            name = f"{arrangement}_all"
            base = random_instance(tree, Arranged(module, arrangement).tree, 1000 * seed + attempt).ports
        branches = np.arange(tree["branches"])  # all at once: what is searched for one is searched for all
        _, statuses, results = call_batch("numpy", module, name, {**base, "branch": branches}, len(branches))
        single = np.ndim(statuses) == 0  # a function without a choice of branches
        found = [
            {**base, "branch": int(k), **{port: array if single else array[k] for port, array in results.items()}}
            for k in branches
            if np.atleast_1d(statuses)[k] == Status.OK
        ]
        if found:
            return tuple(found)
    raise AssertionError(f"{module}: no solvable random input")
