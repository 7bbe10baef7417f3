"""The float versions keep the bounds that their headers state, on instances they were not measured on."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from oracle.closure import body_matrices, distance, unknown
from oracle.instances import Instance, random_instance
from oracle.modules import ARRANGEMENTS, EPSILON, KERNELS, Arranged, call, manifest, routines

from symgen.library.manifest import FloatAccuracy, Manifest, Ratios, read_manifest
from symgen.printers.float_bounds import WELL_CONDITIONED, float_bounds
from symgen.render.documentation import calling_lines
from symgen.resources import generated_folder
from symgen.status import Status

SEEDS = range(5000, 5004)


def _solutions(backend: str, arranged: Arranged, instance: Instance) -> dict[int, dict[str, Any]]:
    """Return what position, velocity and acceleration give, by branch; float may call a branch SINGULAR."""
    found = {}
    for branch in range(arranged.manifest["branches"]):
        values: dict[str, Any] = {**instance.ports, "branch": branch}
        status, results = call(backend, arranged.module, arranged.function("position"), values)
        if status is Status.OK or (status is Status.SINGULAR and backend == "float"):
            status, rates = call(backend, arranged.module, arranged.function("all"), values)
            found[branch] = {**results, **(rates if status is Status.OK else {})}
    return found


def _condition(arranged: Arranged, instance: Instance, results: dict[str, Any]) -> float:
    if all(f["name"] != arranged.function("condition") for f in arranged.manifest["functions"]):
        return 1.0
    status, more = call("double", arranged.module, arranged.function("condition"), {**instance.ports, **results})
    return float(more["condition"]) if status is Status.OK else np.inf


def _size(instance: Instance, bodies: dict[str, Any]) -> float:
    width = 2 if instance.space == "planar" else 3
    given = [abs(x) for name, port in instance.ports.items() if name[0] in "kf" for x in port[:width]]
    return float(max([*given, *(abs(bodies[name][k, 3]) for name in unknown(instance) for k in range(3))]))


@pytest.mark.extension
@pytest.mark.parametrize("arranged", ARRANGEMENTS, ids=str)
def test_float_keeps_the_bounds_of_its_header(arranged: Arranged) -> None:
    bounds = float_bounds(arranged.module)
    if bounds is None:
        pytest.skip("not measured")
    for seed in SEEDS:
        instance = random_instance(arranged.manifest, arranged.tree, seed)
        single = _solutions("float", arranged, instance)
        placed = {branch: body_matrices(instance, results) for branch, results in single.items()}
        for branch, results in _solutions("double", arranged, instance).items():
            condition = _condition(arranged, instance, results)
            if condition >= WELL_CONDITIONED:
                continue
            bodies = body_matrices(instance, results)
            size = max(1.0, _size(instance, bodies))  # of lengths, whose bound is relative to it; entries of axes are 1
            gaps = {other: distance(bodies, place, unknown(instance)) / size for other, place in placed.items()}
            other = min(gaps, key=lambda k: gaps[k]) if arranged.manifest["branch_order"] == "rank" else branch
            allowed = bounds["position"]["bound"] * condition * EPSILON["float"]
            if bounds["lost"] and gaps.get(other, np.inf) > 0.01:
                continue  # the header says that this may happen
            assert other in gaps, (seed, branch, "lost", condition)
            assert gaps[other] < allowed, (seed, branch, gaps[other], allowed)
            _hold_rates(arranged, results, single[other], condition, bounds, seed)


def _hold_rates(
    arranged: Arranged, double: dict[str, Any], single: dict[str, Any], condition: float, bounds: Any, seed: int
) -> None:
    names = arranged.tree["bodies"]
    if f"v_{names[0]}" not in single:
        return
    speed = max(1.0, max(float(np.abs(double[f"v_{name}"]).max()) for name in names))
    quick = max(speed**2, max(float(np.abs(double[f"a_{name}"]).max()) for name in names))
    for level, stage, scale in (("v", "velocity", speed), ("a", "acceleration", quick)):
        off = max(float(np.abs(double[f"{level}_{n}"] - single[f"{level}_{n}"]).max()) for n in names)
        allowed = bounds[stage]["bound"] * condition**2 * EPSILON["float"] * scale
        assert off < allowed, (seed, stage, off, allowed)


def test_every_shipped_module_is_measured() -> None:
    every = {arranged.module for arranged in ARRANGEMENTS}
    assert sorted(module for module in every if float_bounds(module) is None) == []


@pytest.mark.parametrize("module", KERNELS[:3])
def test_the_header_of_float_states_its_bounds_and_that_of_double_does_not(module: str) -> None:
    bounds = float_bounds(module)
    assert bounds is not None
    single, double = (
        " ".join(calling_lines(module, list(routines(module).values()), precision)) for precision in ("float", "double")
    )
    assert f"{bounds['position']['bound']:g}*condition*FLT_EPSILON" in single
    assert f"{bounds['well_conditioned']:,} solutions" in single
    assert "FLT_EPSILON of the group's size" not in double


def _with_losses(module: str, lost: int | None) -> Manifest:
    found = read_manifest(generated_folder() / module / f"{module}.json")
    if lost is None:
        return msgspec.structs.replace(found, float_accuracy=None)
    ratios = Ratios(most=1.0, worst=2.0, bound=8.0)
    measured = FloatAccuracy(
        instances=10,
        solutions=20,
        well_conditioned=20,
        lost=lost,
        instances_with_lost=min(lost, 1),
        position=ratios,
        velocity=ratios,
        acceleration=ratios,
    )
    return msgspec.structs.replace(found, float_accuracy=measured)


@pytest.mark.parametrize(
    ("module", "lost", "complete"),
    [
        ("loop_uuu", 3, False),
        ("loop_uuu", 0, True),
        ("loop_uuu", None, False),
        ("dyad_rrr", None, True),
        ("dyad_rrr", 1, False),
    ],
)
def test_float_claims_completeness_only_if_it_lost_nothing(module: str, lost: int | None, complete: bool) -> None:
    assert manifest(module)["id"] == module
    found = _with_losses(module, lost)
    assert found.is_complete("float") is complete
    assert found.is_complete("double")
