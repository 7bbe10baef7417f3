"""Every way of failing has its status, leaves outputs alone, and is reached."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest
from oracle.cases import degenerate, fold, plain_ports
from oracle.instances import random_instance
from oracle.modules import SOLVED, Arranged, call, call_batch, function, inputs_of, is_unwritten

from symgen.status import Status

pytestmark = pytest.mark.kinds

RRR, RRP, RPR = Arranged("dyad_rrr", "rrr"), Arranged("dyad_rrp", "rrp"), Arranged("dyad_rrp", "rpr")
PRP, RPP = Arranged("dyad_prp", "prp"), Arranged("dyad_prp", "rpp")
RATES = ("velocity", "acceleration", "all", "condition")

backends = pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.extension) for b in ("double", "float"))]
)


def _run(backend: str, arranged: Arranged, stage: str, ports: dict[str, Any]) -> tuple[Status, dict[str, Any]]:
    """Call a stage; what does not come out of a solved position is refused with outputs untouched."""
    status, results = call(backend, arranged.module, arranged.function(stage), ports)
    written = status is Status.OK or (status is Status.SINGULAR and stage == "position")
    for name, value in results.items():
        if written:
            assert np.isfinite(value).all(), (stage, status, name, value)
        else:
            assert is_unwritten(backend, value), (stage, status, name, value)
    return status, results


def _run_all(backend: str, arranged: Arranged, stage: str, cases: list[dict[str, Any]]) -> list[Status]:
    """Do the same for many cases in one batch, which is a loop of single calls (`test_backends_agree`)."""
    names = [port["name"] for port in inputs_of(function(arranged.module, arranged.function(stage)))]
    stacked = {name: np.array([case[name] for case in cases]) for name in names}
    _, statuses, results = call_batch(backend, arranged.module, arranged.function(stage), stacked, len(cases))
    found = [Status(int(status)) for status in statuses]
    for row, status in enumerate(found):
        written = status is Status.OK or (status is Status.SINGULAR and stage == "position")
        for name, array in results.items():
            good = np.isfinite(array[row]).all() if written else is_unwritten(backend, array[row])
            assert good, (stage, status, name, array[row])
    return found


def _refuses_rates(backend: str, arranged: Arranged, ports: dict[str, Any], status: Status) -> None:
    """Where branches meet the position is returned and everything about rates refused."""
    found, position = _run(backend, arranged, "position", ports)
    assert found is status
    known = {**ports, **position}
    for joint in arranged.tree["joints"]:
        if joint["coordinates"]:
            known[joint["coordinates"].replace("q_", "qd_", 1)] = [0.0] * len(joint["freedoms"])
    known |= {f"v_{b}": [0.0] * (3 if arranged.manifest["space"] == "planar" else 6) for b in arranged.tree["bodies"]}
    for stage in RATES:
        assert _run(backend, arranged, stage, known)[0] is status, stage


# -- planar, by hand -----------------------------------------------------------------------------------------------


def _rrr(first: float, second: float, apart: float, branch: int = 0) -> dict[str, Any]:
    """Outer joints at (0, 0) and (apart, 0), links of these lengths."""
    return plain_ports(
        RRR,
        k2=[apart, 0.0, 0.0],
        f_j2_b1=[first, 0.0, 0.0],
        f_j2_b2=[second, 0.0, 0.0],
        branch=branch,
    )


@backends
@pytest.mark.parametrize("branch", [0, 1])
def test_rrr_stretched_has_one_double_solution_without_rates(backend: str, branch: int) -> None:
    ports = _rrr(1.0, 1.0, 2.0, branch)
    status, results = _run(backend, RRR, "position", ports)
    assert status is Status.SINGULAR
    assert list(results["b1"]) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)  # C = (1, 0)
    assert list(results["b2"][:2]) == pytest.approx([2.0, 0.0], abs=1e-6 if backend == "float" else 1e-15)
    assert abs(results["b2"][2]) == pytest.approx(math.pi)
    _refuses_rates(backend, RRR, ports, Status.SINGULAR)


@backends
@pytest.mark.parametrize("lengths", [(3.0, 1.0), (1.0, 3.0)])
def test_rrr_folded_back_is_a_double_solution_too(backend: str, lengths: tuple[float, float]) -> None:
    _refuses_rates(backend, RRR, _rrr(*lengths, 2.0), Status.SINGULAR)


@backends
@pytest.mark.parametrize("lengths", [(0.9, 1.0), (3.0, 0.5), (0.5, 3.0)])
def test_rrr_out_of_reach_has_no_assembly(backend: str, lengths: tuple[float, float]) -> None:
    for branch in (0, 1):
        for stage in ("position", "all"):
            assert _run(backend, RRR, stage, _rrr(*lengths, 2.0, branch))[0] is Status.NO_ASSEMBLY


@backends
@pytest.mark.parametrize("lengths", [(1.0, 1.0), (1.0, 0.5)])
def test_rrr_with_coinciding_outer_joints_is_degenerate(backend: str, lengths: tuple[float, float]) -> None:
    for stage in ("position", "all"):
        assert _run(backend, RRR, stage, _rrr(*lengths, 0.0))[0] is Status.DEGENERATE


@backends
@pytest.mark.parametrize("lengths", [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0)])
def test_links_without_length_are_bad_input(backend: str, lengths: tuple[float, float]) -> None:
    for stage in ("position", "all"):
        assert _run(backend, RRR, stage, _rrr(*lengths, 2.0))[0] is Status.BAD_INPUT


@backends
def test_rrp_with_the_link_at_a_right_angle_to_the_slide_is_a_double_solution(backend: str) -> None:
    # link of length 1 from the origin, slide along x at height 1: C = (0, 1)
    ports = plain_ports(RRP, k2=[0.0, 1.0, 0.0], f_j2_b1=[1.0, 0.0, 0.0])
    status, results = _run(backend, RRP, "position", ports)
    assert status is Status.SINGULAR
    assert results["b1"][2] == pytest.approx(math.pi / 2, abs=1e-6)
    _refuses_rates(backend, RRP, ports, Status.SINGULAR)


@backends
def test_rrp_out_of_reach_has_no_assembly(backend: str) -> None:
    ports = plain_ports(RRP, k2=[0.0, 1.125, 0.0], f_j2_b1=[1.0, 0.0, 0.0])
    for stage in ("position", "all"):
        assert _run(backend, RRP, stage, ports)[0] is Status.NO_ASSEMBLY


@backends
def test_rpr_with_the_offset_as_long_as_the_frame_is_a_double_solution(backend: str) -> None:
    # frame of length 1; the slide on b1 passes through j1, on b2 it lies 1 beside j3
    ports = plain_ports(RPR, k2=[1.0, 0.0, 0.0], f_j2_b2=[0.0, 1.0, 0.0])
    _refuses_rates(backend, RPR, ports, Status.SINGULAR)
    ports["f_j2_b2"] = [0.0, 1.125, 0.0]
    assert _run(backend, RPR, "position", ports)[0] is Status.NO_ASSEMBLY


@backends
@pytest.mark.parametrize("angle", [0.0, math.pi])
def test_parallel_slides_are_degenerate(backend: str, angle: float) -> None:
    parallel = plain_ports(PRP, k2=[0.0, 1.0, angle])
    assert _run(backend, PRP, "position", parallel)[0] is Status.DEGENERATE
    both = plain_ports(RPP, f_j3_k2=[0.0, 1.0, angle], f_j3_b2=[0.0, 0.0, angle])
    assert _run(backend, RPP, "position", both)[0] is Status.DEGENERATE
    crossing = plain_ports(PRP, k2=[0.0, 1.0, math.pi / 2])
    assert _run(backend, PRP, "all", crossing)[0] is Status.OK


# -- spatial, by hand ----------------------------------------------------------------------------------------------


def _at(x: float, y: float, z: float) -> list[float]:
    return [x, y, z, 1.0, 0.0, 0.0, 0.0]


@backends
def test_a_revolute_axis_through_the_universal_centre_turns_nothing(backend: str) -> None:
    arranged = Arranged("loop_rus", "r_s_u")
    # R about z through the origin, U at (0, 0, 1), S at (1, 0, 0) on b1: always sqrt(2) away
    for length in (math.sqrt(2.0), 1.25):
        ports = plain_ports(arranged, f_j2_b1=_at(1, 0, 0), f_j3_k2=_at(0, 0, 1), f_j2_b2=_at(0.0, length, 0.0))
        for stage in ("position", "all"):
            assert _run(backend, arranged, stage, ports)[0] in (Status.DEGENERATE, Status.NO_ASSEMBLY)


@pytest.mark.sampled(1)
@backends
def test_a_leg_in_line_is_degenerate(backend: str) -> None:
    """ER-C*-S with both centres on the C axis: the rotation of C is idle."""
    arranged = Arranged("loop_rus_c_slide", "u_c_slide_s")
    ports = plain_ports(arranged, u_j2=[0.5], k2=_at(0, 0, 1.5), f_j2_b1=_at(0, 0, 1), f_j3_b2=_at(0, 0, 0))
    for stage in ("position", "all"):
        assert _run(backend, arranged, stage, ports)[0] is Status.DEGENERATE


@pytest.mark.sampled(1)
@backends
def test_a_slide_parallel_to_the_cylindrical_axis_is_degenerate(backend: str) -> None:
    arranged = Arranged("loop_pcs", "p_s_c")
    ports = plain_ports(arranged, k2=_at(1, 0, 0), f_j2_b2=_at(1, 0, 0))
    for stage in ("position", "all"):
        assert _run(backend, arranged, stage, ports)[0] is Status.DEGENERATE


@pytest.mark.sampled(1)
@backends
def test_a_universal_pair_pointing_along_its_first_axis_is_degenerate(backend: str) -> None:
    # line through (0, 0, 1) along (0, 0.6, 0.8), sphere of radius 1 about the origin: one solution is e = (0, 0, 1) = u
    kernel = {
        "a": [0.0, 0.6, 0.8],
        "s0": [0.0, 0.0, 1.0],
        "c": [0.0, 0.0, 0.0],
        "u": [0.0, 0.0, 1.0],
        "rho2": 1.0,
        "kappa": 0.0,
    }
    found = {}
    for branch in range(4):
        status, results = call(backend, "loop_pus", "kernel_position", {**kernel, "branch": branch})
        found[branch] = status
        assert status is Status.OK or all(is_unwritten(backend, value) for value in results.values())
    assert found == {0: Status.DEGENERATE, 1: Status.OK, 2: Status.DEGENERATE, 3: Status.OK}


def _three_tubes(turned: float, beside: float = 0.0) -> dict[str, Any]:
    """C.C.C: axes 0.4 and 0.6 rad apart on the links, the outer ones `turned`, all about y and in y = 0."""

    def frame(x: float, y: float, z: float, angle: float) -> list[float]:
        return [x, y, z, math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]

    tubes = Arranged("loop_ccc", "c_c_c")
    links = {"f_j2_b1": frame(0.3, 0.0, 0.1, 0.4), "f_j3_b2": frame(0.1, 0.0, 0.2, 0.6)}
    return plain_ports(tubes, **links, f_j3_k2=frame(0.5, beside, 0.7, turned))


@backends
@pytest.mark.parametrize("branch", [0, 1])
def test_three_cylindrical_axes_in_one_plane_slide_at_will_or_never_close(backend: str, branch: int) -> None:
    arranged = Arranged("loop_ccc", "c_c_c")
    flat = {**_three_tubes(1.0), "branch": branch}
    status, results = _run(backend, arranged, "position", flat)
    assert status is Status.SINGULAR
    # turned about y by nothing and by 0.4: to half of the digits
    assert np.abs(results["b1"][4:]) == pytest.approx([0, 0, 0], abs=1e-3 if backend == "float" else 1e-7)
    assert abs(results["q_j1"][0]) < 2
    assert _run(backend, arranged, "all", flat)[0] is Status.SINGULAR
    for stage in ("position", "all"):
        assert _run(backend, arranged, stage, {**_three_tubes(1.01), "branch": branch})[0] is Status.NO_ASSEMBLY
        assert _run(backend, arranged, stage, {**_three_tubes(0.9, 0.1), "branch": branch})[0] is Status.OK
    assert _run(backend, arranged, "position", {**_three_tubes(1.0, 0.5), "branch": branch})[0] in (
        Status.NO_ASSEMBLY,
        Status.SINGULAR,  # where rounding leaves a determinant: slides then are as long as its inverse
    )


#: One square root settles the spherical centre on a sphere about the universal one: the radius is the link's length.
SPHERES = [a for a in SOLVED if a.module.startswith(("loop_rus", "loop_pus"))]


def _joint_of(arranged: Arranged, code: str) -> dict[str, Any]:
    return next(joint for joint in arranged.tree["joints"] if joint["type"] == code and not joint["driven"])


@backends
@pytest.mark.parametrize("arranged", SPHERES, ids=str)
def test_coinciding_centres_in_one_link_are_degenerate_whether_in_reach_or_not(
    backend: str, arranged: Arranged
) -> None:
    ball, cross = _joint_of(arranged, "S"), _joint_of(arranged, "U")
    both = set(ball["bodies"]) & set(cross["bodies"])
    for seed in range(3):
        ports = random_instance(arranged.manifest, arranged.tree, seed).ports
        if not both:  # the link is the frame: its two parts come to one place
            ports["k2"] = ports["k1"]
        at_ball, at_cross = (
            next(f"f_{joint['name']}_{body}" for body in joint["bodies"] if body in (both or {"k1", "k2"}))
            for joint in (ball, cross)
        )
        ports[at_ball] = [*ports[at_cross][:3], *ports[at_ball][3:]]
        for branch in range(arranged.manifest["branches"]):
            assert _run(backend, arranged, "position", {**ports, "branch": branch})[0] is Status.DEGENERATE


# -- every arrangement ---------------------------------------------------------------------------------------------


def _statuses(arranged: Arranged, stage: str) -> set[Status]:
    names = function(arranged.module, arranged.function(stage))["statuses"]
    return {Status[name] for name in names} - {Status.NOT_CONVERGED}  # a bound on rounds that no input is known to meet


@pytest.mark.sampled(4)
@pytest.mark.parametrize("arranged", SOLVED, ids=str)
def test_every_status_that_is_announced_is_reached_and_no_other(arranged: Arranged) -> None:
    cases: list[dict[str, Any]] = []
    for seed in range(24):
        ports = random_instance(arranged.manifest, arranged.tree, seed).ports
        cases += [{**ports, "branch": k} for k in range(arranged.manifest["branches"])]
    far = copy.deepcopy(cases[0])
    far["k2"][0] += 100.0
    bad = copy.deepcopy(cases[0])
    bad["k1"][0] = math.nan
    cases += [far, bad]
    odd = degenerate(arranged, 0)
    cases += [{**odd, "branch": k} for k in range(arranged.manifest["branches"])] if odd else []
    if arranged.manifest["degree"] > 1:
        at, end, beyond = fold(arranged, 0)
        # where zeros are found by iteration, C and NumPy end their bands a few roundings apart
        cases += [at(end), at(beyond), at(beyond + 1e-6), *(at(end * (1 - k * 1e-14)) for k in (1, 4, 16))]
        cases += [at(end * (1 + k * 1e-12)) for k in range(-30, 31, 5)]
    for stage in ("position", "all"):
        for backend in ("numpy", "double"):
            reached = set(_run_all(backend, arranged, stage, cases))
            announced = _statuses(arranged, stage)
            if odd is None:  # no geometry is known that is degenerate in spite of rounding
                announced, reached = announced - {Status.DEGENERATE}, reached - {Status.DEGENERATE}
            assert reached == announced, (stage, backend)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("arranged", SOLVED, ids=str)
def test_a_branch_is_lost_if_and_only_if_another_one_is_there(arranged: Arranged) -> None:
    branches = arranged.manifest["branches"]
    cases = []
    for seed in range(24):
        ports = random_instance(arranged.manifest, arranged.tree, seed).ports
        ports["k2"][0] += 0.5 * (seed % 4)
        cases += [{**ports, "branch": k} for k in range(branches)]
    for backend in ("numpy", "double"):
        every = _run_all(backend, arranged, "position", cases)
        for seed in range(24):
            found = every[seed * branches : (seed + 1) * branches]
            solved = any(s in (Status.OK, Status.SINGULAR) for s in found)
            for status in found:
                assert status not in (Status.NO_ASSEMBLY if solved else Status.BRANCH_LOST,), (seed, found)
