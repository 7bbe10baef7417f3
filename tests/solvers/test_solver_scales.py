"""Units do not matter: lengths scaled by a power of two give results scaled alike, to the last bit, or a refusal.

Where squares and products of lengths leave the range of the numbers, a solver must not say OK to what is left.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from oracle.cases import Ports, solved_inputs
from oracle.kernel_motion import LETTERS
from oracle.modules import DTYPE, MODULES, Tree, call_batch, function, inputs_of, is_unwritten, manifest, outputs_of

from symgen.status import Status

pytestmark = pytest.mark.kinds

#: Powers of ten, rounded to powers of two: from where lengths themselves vanish to where they overflow.
POWERS = {
    "double": (
        *(-300, -200, *range(-166, -145, 2), -120, *range(-110, -48, 6), -30, -10, 0, 10, 30, 45),
        *(*range(50, 110, 3), 120, *range(145, 162, 2), 200, 300),
    ),
    "float": (-37, -30, -25, *range(-22, 19), 18.6, 18.9, 19, 19.2, 19.5, 19.8, 20, 21, 22, 25, 30, 37),
}
#: Results that are OK may have lost digits to numbers below the normal range, half of them at most.
LOST = {"double": 2.0**-26, "float": 2.0**-11}
#: What is searched closes to 1024 EPSILON, 1.2e-4 in float, and rates lose by the condition besides: measured 1.3e-3.
LOST_IN_SEARCH = {"double": 2.0**-26, "float": 2.0**-8}
HUGE = {"double": (1e78, 1e120, 1e155, 1e300), "float": (1e10, 1e19, 1e25, 1e38)}
#: How many lengths a unit is made of.
LENGTHS = {"m": 1, "m/rad": 1, "m/s": 1, "m/s^2": 1, "m^2": 2}

backends = pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.compiler) for b in ("double", "float"))]
)
modules = pytest.mark.parametrize("module", MODULES)


def _units(port: Tree, module: str) -> list[str]:
    """Return the unit of each element of a port."""
    size = port["shape"][0] if port["shape"] else 1
    parts = [part.strip() for part in port["unit"].split(",")]
    if parts == ["SI"]:  # coordinates of pair A, then of both freedoms of pair B
        square = {"rates": "/s", "accelerations": "/s^2"}[port["name"]]
        if module in LETTERS:
            slides = {p["name"] for p in outputs_of(function(module, "kernel_position"))}
            return [("m" if f"slide_{k}" in slides else "rad") + square for k in range(1, size + 1)]
        pair_a, pair_b = module.split("_")[1][:2]
        kinds = [{"r": "rad", "p": "m"}[pair_a], {"u": "rad", "c": "m"}[pair_b], "rad"]
        return [kind + square for kind in kinds]
    if len(parts) == size:
        return parts
    if len(parts) == 1:
        return parts * size
    first, second = parts  # a place and a quaternion, or a linear and an angular part
    return [first] * 3 + [second] * (size - 3)


def _factors(port: Tree, module: str, scales: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return by what the elements of a port grow with the lengths, a row for each scale."""
    powers = np.array([LENGTHS.get(unit, 0) for unit in _units(port, module)])
    return (scales[:, None] ** powers).reshape(len(scales), *port["shape"])


def _scaled(entry: Tree, module: str, ports: Ports, scales: np.ndarray[Any, Any], dtype: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for port in inputs_of(entry):
        value = np.asarray(ports[port["name"]])
        if port["kind"] == "int":
            found[port["name"]] = np.full(len(scales), value, dtype=np.int32)
        else:
            found[port["name"]] = (value.astype(dtype) * _factors(port, module, scales)).astype(dtype)
    return found


@cache
def _cases(module: str) -> list[tuple[Tree, Ports]]:
    """Return functions with inputs that they solve; not the condition number, which mixes lengths and angles."""
    return [
        (entry, ports)
        for entry in manifest(module)["functions"]
        if entry["stage"] != "condition"
        for ports in solved_inputs(module, entry["arrangement"], 1)
    ]


def _run(
    backend: str, module: str, entry: Tree, ports: Ports, scales: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
    rows = _scaled(entry, module, ports, scales, DTYPE[backend])
    _, statuses, results = call_batch(backend, module, entry["name"], rows, len(scales))
    return statuses, results


def _losses(
    entry: Tree,
    module: str,
    scales: np.ndarray[Any, Any],
    results: dict[str, Any],
    wanted: dict[str, Any],
    here: int,
) -> dict[str, np.ndarray[Any, Any]]:
    """Return how far each result is from what is wanted at one scale, for every scale."""
    found = {}
    for port in outputs_of(entry):
        array = np.asarray(results[port["name"]], dtype=float)
        factors = _factors(port, module, scales)
        back = (array / factors).reshape(len(scales), -1)
        right = (np.asarray(wanted[port["name"]], dtype=float)[here] / factors[here]).reshape(-1)
        loss = np.abs(back - right).max(axis=1) / (1 + np.abs(right).max())
        # a result near the end of the range is rounded to what is there
        tiny = np.abs(array).reshape(len(scales), -1).max(axis=1)
        kind = np.asarray(results[port["name"]]).dtype
        found[port["name"]] = np.where(tiny < 2.0**30 * np.finfo(kind).tiny, 0.0, loss)
    return found


def _is_another_branch(
    backend: str,
    module: str,
    entry: Tree,
    ports: Ports,
    scales: np.ndarray[Any, Any],
    k: int,
    results: dict[str, Any],
    lost: float,
) -> bool:
    """Return whether what was found at a scale is, as a whole, what a neighbouring branch is at scale 1."""
    here = int(np.nonzero(scales == 1.0)[0][0])
    for branch in (int(ports["branch"]) - 1, int(ports["branch"]) + 1):
        statuses, others = _run(backend, module, entry, {**ports, "branch": branch}, scales)
        if statuses[here] != Status.OK:
            continue
        losses = _losses(entry, module, scales, results, others, here)
        if all(loss[k] <= lost for loss in losses.values()):
            return True
    return False


@pytest.mark.sampled(4)
@backends
@modules
def test_lengths_of_any_scale_are_solved_alike_or_refused(module: str, backend: str) -> None:
    precision = "float" if backend == "float" else "double"
    lost = (LOST_IN_SEARCH if manifest(module)["branch_order"] == "rank" else LOST)[precision]
    with np.errstate(all="ignore"):
        scales = np.exp2(np.round(np.array(POWERS[precision]) * np.log2(10.0)))
        here, wrong = POWERS[precision].index(0), []
        shifted: set[int] = set()
        # The search of a float may miss a zero (the manifest says how often): from there on ranks name other branches,
        # each right in itself.
        misses = precision == "float" and bool((manifest(module).get("float_accuracy") or {}).get("lost"))
        placed: dict[tuple[str, int], np.ndarray[Any, Any]] = {}  # statuses of positions: the same for every stage
        for entry, ports in _cases(module):
            statuses, results = _run(backend, module, entry, ports, scales)
            if statuses[here] != Status.OK:
                continue  # within float's margin of a fold
            # rates are those of a position: where that is refused there is none
            position = function(module, f"{entry['arrangement'] or 'kernel'}_position")
            key = position["name"], ports["branch"]
            if key not in placed:
                placed[key] = statuses if entry is position else _run(backend, module, position, ports, scales)[0]
            is_ok = (statuses == Status.OK) & (placed[key] == Status.OK)
            losses = _losses(entry, module, scales, results, results, here)
            bad = {k for loss in losses.values() for k in np.nonzero(is_ok & ~(loss <= lost))[0]}
            for k in sorted(bad):
                if misses and _is_another_branch(backend, module, entry, ports, scales, k, results, lost):
                    shifted.add(k)
                    continue
                wrong += [
                    f"{entry['name']}.{name} at 1e{POWERS[precision][k]}: off by {loss[k]:.1e}"
                    for name, loss in losses.items()
                    if not loss[k] <= lost
                ]
    assert len(shifted) <= 1, f"a zero is missed at {len(shifted)} of {len(scales)} scales"
    assert not wrong, f"{len(wrong)} wrong, such as {wrong[:: max(len(wrong) // 8, 1)]}"


@pytest.mark.sampled(2)
@backends
@modules
def test_one_huge_number_never_gives_ok_without_finite_results(module: str, backend: str) -> None:
    precision = "float" if backend == "float" else "double"
    for entry in {entry["name"]: entry for entry, _ in _cases(module)}.values():
        # all branches in one call: NumPy takes a thousand rows nearly as soon as a hundred
        rows: dict[str, list[Any]] = {p["name"]: [] for p in inputs_of(entry)}
        every = [ports for other, ports in _cases(module) if other is entry]
        for ports, port in itertools.product(every, inputs_of(entry)):
            if port["kind"] == "int":
                continue
            for huge in (*HUGE[precision], *(-x for x in HUGE[precision])):
                for place in range(port["shape"][0] if port["shape"] else 1):
                    changed = np.array(ports[port["name"]], dtype=float).reshape(-1)
                    changed[place] = huge
                    for name, column in rows.items():
                        column.append(changed.reshape(port["shape"]) if name == port["name"] else ports[name])
        stacked = {k: np.array(v, dtype=np.int32 if k == "branch" else DTYPE[backend]) for k, v in rows.items()}
        count = len(next(iter(stacked.values())))
        _, statuses, results = call_batch(backend, module, entry["name"], stacked, count)
        for k in range(count):
            written = statuses[k] == Status.OK or (statuses[k] == Status.SINGULAR and entry["stage"] == "position")
            for name, array in results.items():
                good = np.isfinite(array[k]).all() if written else is_unwritten(backend, array[k])
                assert good, (entry["name"], name, Status(int(statuses[k])), {p: v[k] for p, v in stacked.items()})


@pytest.mark.sampled(4)
@backends
@modules
def test_rates_are_not_singular_because_lengths_are_large(module: str, backend: str) -> None:
    """Where a group has rates, it has them at every scale, or its inputs are refused."""
    precision = "float" if backend == "float" else "double"
    powers = [power for power in POWERS[precision] if power >= 0]
    wrong = []
    with np.errstate(all="ignore"):
        scales = np.exp2(np.round(np.array(powers) * np.log2(10.0)))
        for entry in manifest(module)["functions"]:
            for ports in solved_inputs(module, entry["arrangement"], 1)[:4]:
                statuses, _ = _run(backend, module, entry, ports, scales)
                if statuses[0] == Status.SINGULAR:
                    continue  # within float's margin of a fold
                wrong += [f"{entry['name']} at 1e{powers[k]}" for k in np.nonzero(statuses == Status.SINGULAR)[0]]
    assert not wrong, f"{len(wrong)} wrong, such as {wrong[:: max(len(wrong) // 8, 1)]}"
