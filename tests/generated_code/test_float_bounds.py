"""The float versions keep the bounds that their headers state, on instances they were not measured on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from oracle.modules import ARRANGEMENTS, EPSILON, KERNELS, Arranged, call_batch, home, routines

from benchmarks.float_geometry import placed, random_ports
from symgen.library.manifest import FloatAccuracy, Manifest, Ratios, read_manifest
from symgen.poses import Array
from symgen.printers.float_bounds import WELL_CONDITIONED, float_bounds
from symgen.render.documentation import accuracy_lines
from symgen.status import Status

pytestmark = pytest.mark.kinds

ROWS, SEED = 40, 77
#: Farther away than this, relative to the size of the group, a solution is another one.
OTHER = 0.01


@dataclass(frozen=True)
class _Solved:
    """One branch of all rows."""

    status: Array
    values: dict[str, Array]
    poses: Array  # (rows, bodies, 4, 4)


def _solve(backend: str, arranged: Arranged, ports: dict[str, Array], branch: int) -> _Solved:
    """Return positions, and rates where they are regular."""
    _, status, values = call_batch(
        backend, arranged.module, arranged.function("position"), {**ports, "branch": branch}, ROWS
    )
    _, whole, rates = call_batch(backend, arranged.module, arranged.function("all"), {**ports, "branch": branch}, ROWS)
    values = {**rates, **values, "whole": whole == Status.OK}
    poses = np.stack([placed(np.asarray(values[name], dtype=float)) for name in arranged.tree["bodies"]], axis=1)
    return _Solved(status, values, poses)


def _condition(arranged: Arranged, ports: dict[str, Array], solved: _Solved) -> Array:
    if all(f["name"] != arranged.function("condition") for f in arranged.manifest["functions"]):
        return np.ones(ROWS)
    _, status, found = call_batch(
        "double", arranged.module, arranged.function("condition"), {**ports, **solved.values}, ROWS
    )
    return np.where((status == Status.OK) & (solved.status == Status.OK), found["condition"], np.inf)


@pytest.mark.sampled(3)
@pytest.mark.extension
@pytest.mark.parametrize("arranged", ARRANGEMENTS, ids=str)
def test_float_keeps_the_bounds_of_its_header(arranged: Arranged) -> None:
    bounds = float_bounds(arranged.module)
    assert bounds is not None
    space = arranged.manifest["space"]
    typed = next(a for a in read_manifest(_path(arranged.module)).arrangements if a.id == arranged.id)
    ports = random_ports(space, typed, ROWS, SEED)
    ranked, width = arranged.manifest["branch_order"] == "rank", 2 if space == "planar" else 3
    given = np.max([np.abs(v[:, :width]).max(axis=1) for name, v in ports.items() if name[0] in "kf"], axis=0)
    single = [_solve("float", arranged, ports, k) for k in range(arranged.manifest["branches"])]
    written = np.stack([np.isin(each.status, (Status.OK, Status.SINGULAR)) for each in single], axis=1)
    compared = 0
    for branch in range(arranged.manifest["branches"]):
        double = _solve("double", arranged, ports, branch)
        condition = _condition(arranged, ports, double)
        for row in np.flatnonzero((double.status == Status.OK) & (condition < WELL_CONDITIONED)):
            true = double.poses[row]
            size = max(given[row], np.abs(true[:, :3, 3]).max())
            gaps = [_gap(each.poses[row], true, size) for each in single]
            allowed = bounds["position"]["bound"] * condition[row] * EPSILON["float"]
            choices = [k for k in range(len(single)) if written[row, k] and (ranked or k == branch)]
            other = min(choices, key=lambda k: gaps[k], default=None)
            if other is None or gaps[other] > OTHER:
                assert bounds["lost"], (row, branch, "lost, but the header says that none was", condition[row])
                continue
            assert gaps[other] < allowed, (row, branch, gaps[other], allowed)
            compared += 1
            _hold_rates(arranged, double, single[other], row, condition[row], bounds)
    assert compared


def _gap(found: Array, true: Array, size: float) -> float:
    off = np.abs(found - true)
    return float(max(off[:, :3, 3].max() / size, off[:, :3, :3].max()))


def _hold_rates(
    arranged: Arranged, double: _Solved, single: _Solved, row: int, condition: float, bounds: dict[str, Any]
) -> None:
    if not single.values["whole"][row]:
        return
    names = arranged.tree["bodies"]
    speed = max(1.0, max(float(np.abs(double.values[f"v_{name}"][row]).max()) for name in names))
    quick = max(speed**2, max(float(np.abs(double.values[f"a_{name}"][row]).max()) for name in names))
    for level, stage, scale in (("v", "velocity", speed), ("a", "acceleration", quick)):
        pairs = [(double.values[f"{level}_{n}"][row], single.values[f"{level}_{n}"][row]) for n in names]
        off = max(float(np.abs(true - found).max()) for true, found in pairs)
        allowed = bounds[stage]["bound"] * condition**2 * EPSILON["float"] * scale
        assert off < allowed, (row, stage, off, allowed)


def _path(module: str) -> Path:
    return home(module) / f"{module}.json"


def test_every_shipped_module_is_measured() -> None:
    every = {arranged.module for arranged in ARRANGEMENTS}
    assert sorted(module for module in every if float_bounds(module) is None) == []


@pytest.mark.parametrize("module", KERNELS[:3])
def test_the_header_of_float_states_its_bounds_and_that_of_double_does_not(module: str) -> None:
    bounds = float_bounds(module)
    assert bounds is not None
    single, double = (
        " ".join(accuracy_lines(module, list(routines(module).values()), precision))
        for precision in ("float", "double")
    )
    assert f"{bounds['position']['bound']:g}*condition*FLT_EPSILON" in single
    assert f"{bounds['well_conditioned']:,} solutions" in single
    assert "FLT_EPSILON of the group's size" not in double


def _with_losses(module: str, lost: int | None) -> Manifest:
    found = read_manifest(_path(module))
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
    found = _with_losses(module, lost)
    assert found.is_complete("float") is complete
    assert found.is_complete("double")
