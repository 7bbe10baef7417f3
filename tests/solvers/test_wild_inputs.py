"""Whatever the inputs are, a call returns a status of the table; OK means finite results, failures write nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle.cases import solved_inputs
from oracle.modules import DTYPE, MODULES, call_batch, inputs_of, is_unwritten, manifest

from symgen.status import Status

pytestmark = pytest.mark.kinds

ROWS = 192

#: Zeros, subnormals, squares that vanish or overflow, the ends of the range, and what is no number at all.
SPECIAL = {
    "double": [0.0, -0.0, 5e-324, 2.2e-308, 1e-300, 1e-160, 1e-155, 1e-30, 1e30, 1e150, 1e155, 1e160, 1e300],
    "float": [0.0, -0.0, 1e-45, 1.1e-38, 1e-30, 1e-22, 1e-19, 1e-6, 1e6, 1e18, 2e19, 1e22, 3e38],
}
ENDS = {"double": float(np.finfo(np.float64).max), "float": float(np.finfo(np.float32).max)}

backends = pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.extension) for b in ("double", "float"))]
)


def _wild(
    module: str, arrangement: str | None, precision: str, seed: int, share: float, value: float
) -> dict[str, Any]:
    """Return rows of well-formed inputs of which a share of the elements is replaced by special numbers."""
    rng = np.random.default_rng(seed)
    good = solved_inputs(module, arrangement, 1)
    pool = np.array([*SPECIAL[precision], value, 1.0, -1.0, ENDS[precision], np.nan, np.inf])
    # whole rows of one scale too: lengths, places and rates all tiny or all huge
    scales = rng.choice(pool[np.isfinite(pool)], ROWS) if seed % 2 else np.ones(ROWS)
    rows: dict[str, Any] = {}
    for name, base in good[0].items():
        if name == "branch":
            rows[name] = rng.integers(-1, manifest(module)["branches"] + 1, ROWS).astype(np.int32)
            continue
        array = np.broadcast_to(np.asarray(base, dtype=float), (ROWS, *np.shape(base))).copy()
        with np.errstate(all="ignore"):
            if array.ndim == 1:
                array *= scales
            elif array.shape[1] == 7:
                array[:, :3] *= scales[:, None]
            elif array.shape[1] != 3 or not np.allclose(np.linalg.norm(array[0]), 1.0):
                array *= scales[:, None]
        replaced = rng.random(array.shape) < share
        signs = rng.choice([-1.0, 1.0], array.shape)
        rows[name] = np.where(replaced, signs * rng.choice(pool, array.shape), array)
    return rows


@pytest.mark.sampled(4)
@backends
@pytest.mark.parametrize("module", MODULES)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.0, 0.01, 0.03, 0.1, 0.5]),
    value=st.floats(allow_nan=False, allow_infinity=False, width=32),
)
def test_ok_means_finite_and_failures_write_nothing(
    module: str, backend: str, seed: int, share: float, value: float
) -> None:
    precision = "float" if backend == "float" else "double"
    table = {int(s) for s in Status}
    for arrangement in (None, *(a["id"] for a in manifest(module)["arrangements"])):
        values = _wild(module, arrangement, precision, seed, share, value)
        for entry in manifest(module)["functions"]:
            if entry["arrangement"] != arrangement:
                continue
            with np.errstate(over="ignore"):  # rounding 1e300 to float
                ports = {p["name"]: values[p["name"]] for p in inputs_of(entry)}
                ports = {k: v if v.dtype == np.int32 else v.astype(DTYPE[backend]) for k, v in ports.items()}
            worst, status, results = call_batch(backend, module, entry["name"], ports, ROWS)
            status = np.broadcast_to(status, ROWS)
            assert set(status.tolist()) <= table & {int(Status[s]) for s in entry["statuses"]}
            failed = status[status != 0]
            assert worst == (failed[0] if failed.size else 0)
            written = status == Status.OK
            if entry["stage"] == "position":
                written = written | (status == Status.SINGULAR)
            for port, array in results.items():
                finite = np.isfinite(array).reshape(ROWS, -1).all(axis=1)
                bad = np.nonzero(written & ~finite)[0]
                assert not bad.size, (entry["name"], port, array[bad[0]], {k: v[bad[0]] for k, v in ports.items()})
                assert is_unwritten(backend, array[~written]), (entry["name"], port)
