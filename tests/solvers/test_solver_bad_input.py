"""What no mechanism has (NaN, infinite, off unit length, no such branch) is refused by every function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from oracle.cases import Ports, solved_inputs
from oracle.modules import DTYPE, MODULES, Tree, call, call_batch, inputs_of, is_unwritten, manifest

from symgen.status import Status

pytestmark = pytest.mark.kinds

NOT_FINITE = (math.nan, math.inf, -math.inf)

backends = pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.extension) for b in ("double", "float"))]
)
modules = pytest.mark.parametrize("module", MODULES)


def _functions(module: str, backend: str) -> list[tuple[Tree, Ports]]:
    """Return every function with inputs that it solves; float's margins of a fold are wider than double's."""
    found = []
    for entry in manifest(module)["functions"]:
        every = (ports for seed in range(1, 9) for ports in solved_inputs(module, entry["arrangement"], seed))
        solved = (p for p in every if call(backend, module, entry["name"], p)[0] is Status.OK)
        found.append((entry, next(solved)))
    return found


def _with(ports: Ports, port: Tree, value: Any) -> Ports:
    return {**ports, port["name"]: value}


def _spoilt(entry: Tree, ports: Ports) -> list[tuple[str, Ports]]:
    """Return the inputs with one element after the other not finite."""
    found = []
    for port in inputs_of(entry):
        if port["kind"] == "int":
            continue
        for bad in NOT_FINITE:
            if not port["shape"]:
                found.append((f"{port['name']} = {bad}", _with(ports, port, bad)))
                continue
            for place in range(port["shape"][0]):
                changed = np.array(ports[port["name"]], dtype=float)
                changed[place] = bad
                found.append((f"{port['name']}[{place}] = {bad}", _with(ports, port, changed)))
    return found


def _stacked(entry: Tree, rows: list[Ports]) -> dict[str, Any]:
    return {p["name"]: np.array([row[p["name"]] for row in rows]) for p in inputs_of(entry)}


@pytest.mark.sampled(1)
@backends
@modules
def test_a_number_that_is_not_finite_is_bad_input_or_changes_nothing(module: str, backend: str) -> None:
    """Inputs are not searched on the fast path: a number no result depends on may be anything."""
    wrong = []
    for entry, ports in _functions(module, backend):
        cases = _spoilt(entry, ports)
        rows = [ports, *(row for _, row in cases)]
        _, statuses, results = call_batch(backend, module, entry["name"], _stacked(entry, rows), len(rows))
        assert statuses[0] == Status.OK
        for k, (what, _) in enumerate(cases, start=1):
            if statuses[k] == Status.BAD_INPUT:
                good = all(is_unwritten(backend, r[k]) for r in results.values())
            else:
                same = all(np.array_equal(r[k], r[0]) for r in results.values())
                good = statuses[k] == Status.OK and same
            if not good:
                wrong.append(f"{entry['name']}: {what}: {Status(int(statuses[k])).name}")
    assert not wrong, f"{len(wrong)} wrong, such as {wrong[:: max(len(wrong) // 8, 1)]}"


@pytest.mark.sampled(2)
@backends
@modules
def test_positions_and_all_in_one_refuse_every_number_that_is_not_finite(module: str, backend: str) -> None:
    """There is none that these results do not depend on."""
    wrong = []
    for entry, ports in _functions(module, backend):
        if entry["stage"] not in ("position", "all"):
            continue
        cases = _spoilt(entry, ports)
        _, statuses, results = call_batch(
            backend, module, entry["name"], _stacked(entry, [row for _, row in cases]), len(cases)
        )
        for k, (what, _) in enumerate(cases):
            if statuses[k] != Status.BAD_INPUT or not all(is_unwritten(backend, r[k]) for r in results.values()):
                wrong.append(f"{entry['name']}: {what}: {Status(int(statuses[k])).name}")
    assert not wrong, f"{len(wrong)} wrong, such as {wrong[:: max(len(wrong) // 8, 1)]}"


#: Beyond what can be multiplied four times, well below what overflows by itself.
FAR = {"numpy": 1e100, "double": 1e100, "float": 1e30}


@backends
@modules
def test_a_body_so_far_away_that_products_overflow_is_bad_input(module: str, backend: str) -> None:
    """What overflow does to a guard is no answer about geometry."""
    wrong = []
    for entry, ports in _functions(module, backend):
        if entry["stage"] not in ("position", "all") or entry["level"] != "group":
            continue
        cases = []
        for name in ("k1", "k2"):
            for place in range(2) if name in ports else ():
                changed = np.array(ports[name], dtype=float)
                changed[place] = FAR[backend]
                cases.append((f"{name}[{place}]", {**ports, name: changed}))
        rows = _stacked(entry, [row for _, row in cases])
        _, statuses, results = call_batch(backend, module, entry["name"], rows, len(cases))
        for k, (what, _) in enumerate(cases):
            status = Status(int(statuses[k]))
            if status in (Status.OK, Status.SINGULAR):  # nothing is multiplied
                assert all(np.isfinite(value[k]).all() for value in results.values()) or status is Status.SINGULAR
            elif status is not Status.BAD_INPUT:
                wrong.append(f"{entry['name']}: {what}: {status.name}")
    assert not wrong, wrong


#: What can be multiplied, and is so large that all other lengths are rounding; then what overflows in products.
LARGE = {"numpy": (1e60, 1e77, 1e155, 1e250), "double": (1e60, 1e77, 1e155, 1e250), "float": (1e8, 1e11, 1e20, 1e36)}


@pytest.mark.sampled(4)
@backends
@modules
def test_branches_do_not_meet_because_something_overflows(module: str, backend: str) -> None:
    """A number that is large against all others says the same however large it is, until it is bad input."""
    wrong = []
    for entry, ports in _functions(module, backend):
        if entry["stage"] not in ("position", "all"):
            continue
        scaled = [port for port in inputs_of(entry) if port["kind"] == "real" and port["range"] != "unit"]
        cases = [(port, factor) for port in scaled for factor in LARGE[backend]]
        rows = []
        for port, factor in cases:
            changed = np.atleast_1d(np.array(ports[port["name"]], dtype=float))
            changed[: {7: 3, 3: 2 if "rad" in port["unit"] else 3}.get(changed.size, changed.size)] *= factor
            rows.append({**ports, port["name"]: changed.reshape(np.shape(ports[port["name"]]))})
        _, statuses, _ = call_batch(backend, module, entry["name"], _stacked(entry, rows), len(cases))
        many = len(LARGE[backend])
        for k, (port, factor) in enumerate(cases):
            if statuses[k] == Status.SINGULAR and statuses[k - k % many] != Status.SINGULAR:
                wrong.append(f"{entry['name']}: {port['name']} times {factor}")
    assert not wrong, f"{len(wrong)} wrong, such as {wrong[:: max(len(wrong) // 8, 1)]}"


@backends
@modules
def test_a_length_that_is_not_positive_is_bad_input_in_every_stage(module: str, backend: str) -> None:
    """Squared lengths are results of groups: none at all is a geometry that has a status of its own."""
    smallest, largest = (float(getattr(np.finfo(DTYPE[backend]), name)) for name in ("smallest_subnormal", "max"))
    wrong = []
    for entry, ports in _functions(module, backend):
        for port in inputs_of(entry):
            if not port["range"].startswith(">"):
                continue
            for bad in (0.0, -0.0, -1.0, -smallest, -largest, *NOT_FINITE):
                status, results = call(backend, module, entry["name"], _with(ports, port, bad))
                refused = status is Status.BAD_INPUT
                if port["unit"] == "m^2" and math.isfinite(bad):
                    refused = refused or status in (Status.NO_ASSEMBLY, Status.DEGENERATE)
                if not refused or not all(is_unwritten(backend, value) for value in results.values()):
                    wrong.append(f"{entry['name']}: {port['name']} = {bad}: {status.name}")
    assert not wrong, wrong


@pytest.mark.sampled(4)
@backends
@modules
def test_an_axis_or_quaternion_off_unit_length_is_bad_input_or_changes_nothing(module: str, backend: str) -> None:
    wrong = []
    for entry, ports in _functions(module, backend):
        cases = []
        for port in inputs_of(entry):
            if port["range"] in ("unit", "q unit"):
                for factor in (0.0, 0.999, 1.001, -2.0):
                    changed = np.array(ports[port["name"]], dtype=float)
                    changed[3 if len(changed) == 7 else 0 :] *= factor
                    cases.append((f"{port['name']} times {factor}", _with(ports, port, changed)))
        if not cases:
            continue
        rows = [ports, *(row for _, row in cases)]
        _, statuses, results = call_batch(backend, module, entry["name"], _stacked(entry, rows), len(rows))
        for k, (what, _) in enumerate(cases, start=1):
            same = all(np.array_equal(r[k], r[0]) for r in results.values())
            refused = statuses[k] == Status.BAD_INPUT and all(is_unwritten(backend, r[k]) for r in results.values())
            if not (refused or (statuses[k] == Status.OK and same)):
                wrong.append(f"{entry['name']}: {what}: {Status(int(statuses[k])).name}")
    assert not wrong, f"{len(wrong)} wrong, such as {wrong[:: max(len(wrong) // 8, 1)]}"


@backends
@modules
def test_a_branch_that_is_none_is_bad_input(module: str, backend: str) -> None:
    for entry, ports in _functions(module, backend):
        if any(p["kind"] == "int" for p in inputs_of(entry)):
            for branch in (-1, manifest(module)["branches"], 2**31 - 1, -(2**31)):
                status, results = call(backend, module, entry["name"], {**ports, "branch": branch})
                assert status is Status.BAD_INPUT, (entry["name"], branch)
                assert all(is_unwritten(backend, value) for value in results.values())
