"""C, NumPy and 50 digits say the same, to what the conditioning of each input allows.

The measure is the problem's own: the reference is run again with every input moved by a unit in its last place, up or
down. An algorithm as good as its input differs from the reference by a small multiple of what that does to the
results. Each backend gets the same bits as the reference.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from oracle.cases import Ports, solved_inputs
from oracle.modules import DTYPE, EPSILON, MODULES, Tree, call, call_batch, inputs_of, manifest, outputs_of, routines

from symgen.ir.evaluate import REFERENCE_TOLERANCES, evaluate
from symgen.status import Status

pytestmark = pytest.mark.kinds

#: Results may be this many times as far off as one rounding of every input makes them (operations round too: some
#: tens to hundreds in sequence), plus so many units of the largest result (the last operations' own rounding).
TIMES, UNITS = 60, 16
PROBES = 3

mp.dps = 50


def _rounded(ports: Ports, backend: str) -> Ports:
    """Return the inputs as the backend gets them."""
    return {k: v if k == "branch" else np.asarray(v, dtype=DTYPE[backend]).tolist() for k, v in ports.items()}


def _moved(ports: Ports, epsilon: float, rng: random.Random) -> Ports:
    """Return the inputs with every number moved by one unit in its last place."""

    def move(value: Any) -> Any:
        return [mpf(float(x)) * (1 + rng.choice((-1, 1)) * mpf(epsilon)) for x in np.atleast_1d(value)]

    return {k: v if k == "branch" else (move(v) if np.ndim(v) else move(v)[0]) for k, v in ports.items()}


def _reference(module: str, entry: Tree, ports: Ports) -> dict[str, list[Any]] | None:
    status, results = evaluate(routines(module)[entry["name"]], ports)
    return results if status is Status.OK else None


def _largest(values: list[Any]) -> Any:
    return max((abs(x) for x in values), default=mpf(0))


@cache
def _expected(module: str, name: str, seed: int, branch: int, precision: str) -> tuple[Ports, Any, Any] | None:
    """Return rounded inputs, the reference's results and how far off each result may be."""
    entry = next(f for f in manifest(module)["functions"] if f["name"] == name)
    found = solved_inputs(module, entry["arrangement"], seed)
    ports = _rounded(found[branch % len(found)], precision)
    ports = {p["name"]: ports[p["name"]] for p in inputs_of(entry)}
    truth = _reference(module, entry, ports)
    if truth is None:
        return None
    epsilon, rng = EPSILON[precision], random.Random(seed)
    spread = {port: [mpf(0)] * len(values) for port, values in truth.items()}
    for _ in range(PROBES):
        other = _reference(module, entry, _moved(ports, epsilon, rng))
        if other is None:
            return None
        for port, values in truth.items():
            spread[port] = [max(s, abs(x - y)) for s, x, y in zip(spread[port], other[port], values, strict=True)]
    # coefficients of a polynomial are rounded too, which moved inputs do not tell, and Newton's method on the closing
    # equations ends where they hold to 1024 units
    more = 20 if manifest(module)["branch_order"] == "rank" else 1
    # a result is bound by the worst of its port: components of one vector share their rounding
    allowed = {p: more * (TIMES * _largest(spread[p]) + UNITS * mpf(epsilon) * (_largest(truth[p]) + 1)) for p in truth}
    return ports, truth, allowed


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.extension) for b in ("double", "float"))]
)
@pytest.mark.parametrize("module", MODULES)
def test_every_function_is_as_good_as_its_inputs(module: str, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # the reference must take quaternions and axes that are unit only as far as the backend's numbers can be
    for name in ("UNIT_TOLERANCE",):
        monkeypatch.setitem(REFERENCE_TOLERANCES, name, "1e-5" if backend == "float" else "1e-9")
    precision = "float" if backend == "float" else "double"
    wrong, checked = [], 0
    for entry in manifest(module)["functions"]:
        if backend == "float" and manifest(module)["branch_order"] == "rank" and entry["stage"] in ("position", "all"):
            continue  # ranks of zeros in float may differ from the reference's: test_float_bounds holds them
        branches = manifest(module)["branches"] if entry["stage"] in ("position", "all") else 1
        for seed, branch in [(s, b) for s in (3, 4) for b in range(branches)]:
            expected = _expected(module, entry["name"], seed, branch, precision)
            if expected is None:
                continue  # rounding the inputs to float took the solution away
            ports, truth, allowed = expected
            status, results = call(backend, module, entry["name"], ports)
            if status is Status.SINGULAR and backend == "float":
                continue  # within float's FOLD_TOLERANCE of a fold (margin 5e-4), as one random instance in ten is
            if status is not Status.OK:
                wrong.append(f"{entry['name']} seed {seed} branch {branch}: {status.name}")
                continue
            checked += 1
            for port in outputs_of(entry):
                pairs = zip(np.atleast_1d(results[port["name"]]), truth[port["name"]], strict=True)
                worst = max((abs(mpf(float(x)) - y) for x, y in pairs), default=mpf(0))
                if worst > allowed[port["name"]]:
                    over = float(worst / allowed[port["name"]])
                    wrong.append(f"{entry['name']}.{port['name']} seed {seed} branch {branch}: {over:.3g} times")
    assert not wrong, wrong
    assert checked >= sum(entry["stage"] not in ("position", "all") for entry in manifest(module)["functions"])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.extension) for b in ("double", "float"))]
)
@pytest.mark.parametrize("module", MODULES)
def test_a_batch_is_a_loop_of_single_calls(module: str, backend: str) -> None:
    for entry in manifest(module)["functions"]:
        found = [p for seed in (1, 2, 3) for p in solved_inputs(module, entry["arrangement"], seed)]
        rows = [{p["name"]: np.array(r[p["name"]]) for p in inputs_of(entry)} for r in found]
        spoilt = next(p for p in inputs_of(entry) if p["kind"] == "real")
        rows.append({**rows[0], spoilt["name"]: np.full(spoilt["shape"], np.nan)})
        if "branch" in rows[0]:
            rows.insert(2, {**rows[0], "branch": np.array(99)})
        stacked = {name: np.array([r[name] for r in rows]) for name in rows[0]}
        worst, status, results = call_batch(backend, module, entry["name"], stacked, len(rows))
        alone = [call(backend, module, entry["name"], r) for r in rows]
        assert [Status(int(s)) for s in status] == [s for s, _ in alone]
        assert worst == next((s for s, _ in alone if s is not Status.OK), Status.OK)
        for name, array in results.items():
            for row, (_, single) in zip(array, alone, strict=True):
                # NumPy may choose other instructions for arrays than for single numbers: last place only
                if backend == "numpy":
                    np.testing.assert_allclose(row, single[name], rtol=1e-11, atol=1e-12, equal_nan=True)
                else:
                    assert np.array_equal(np.atleast_1d(row), np.atleast_1d(single[name]), equal_nan=True)


@pytest.mark.parametrize("module", [m for m in MODULES if manifest(m)["branches"] > 1])
def test_numpy_takes_all_branches_of_one_group_in_one_call(module: str) -> None:
    """An array for the branch beside single arguments is a batch: NumPy's rules of broadcasting hold."""
    branches = np.arange(manifest(module)["branches"])
    for entry in manifest(module)["functions"]:
        if entry["stage"] != "position":
            continue
        ports = solved_inputs(module, entry["arrangement"], 1)[0]
        _, together, _ = call_batch("numpy", module, entry["name"], {**ports, "branch": branches}, len(branches))
        alone = [call("numpy", module, entry["name"], {**ports, "branch": int(k)})[0] for k in branches]
        assert [Status(int(s)) for s in together] == alone


@pytest.mark.sampled(3)
@pytest.mark.parametrize("backend", ["double", "float"])
@pytest.mark.parametrize("module", MODULES)
@pytest.mark.extension
def test_a_batch_without_rows_is_ok(module: str, backend: str) -> None:
    for entry in manifest(module)["functions"]:
        empty = {p["name"]: np.zeros((0, *p["shape"])) for p in inputs_of(entry)}
        worst, status, _ = call_batch(backend, module, entry["name"], empty, 0)
        assert worst == Status.OK
        assert status.size == 0
