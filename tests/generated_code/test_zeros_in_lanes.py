"""Zeros of one polynomial side by side in vector registers: the same bits as one after the other, on every machine."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from cffi import FFI
from oracle.compilers import COMPILERS, IS_X86_64, MACHINES, need, once
from oracle.instances import random_instance
from oracle.modules import ARRANGEMENTS, DTYPE, SENTINEL, Arranged, function, home, inputs_of

from symgen.build.compiler import FLAGS
from symgen.library.sources import declarations, declarations_in_float, status_declaration
from symgen.status import Status

pytestmark = pytest.mark.compiler

INSTANCES = 12


def _source(arranged: Arranged, precision: str) -> Path:
    ending = "" if precision == "double" else "_f32"
    return home(arranged.module) / f"{arranged.module}{ending}.c"


#: One arrangement of each module that searches zeros; the search itself is the module's.
SEARCHING = [
    arranged
    for arranged in {each.module: each for each in reversed(ARRANGEMENTS)}.values()
    if "MOST_ZEROS" in _source(arranged, "double").read_text(encoding="utf-8")
]
#: Optimisation and flags that leave loops alone, and those that the library compiles with.
PLAIN = ("-std=c99", "-O1", "-ffp-contract=off", "-fPIC")
BUILDS = {
    "plain": ("gcc", *PLAIN),
    **{f"gcc-{machine}": ("gcc", *FLAGS, "-O3", *flags) for machine, flags in MACHINES.items()},
    "clang": ("clang", *FLAGS, "-O3"),
}


@lru_cache(maxsize=64)
def _rows(arranged: Arranged) -> dict[str, np.ndarray]:
    """Return random instances in every branch, and rows whose geometry is of zeros or of numbers that are none."""
    ports = inputs_of(function(arranged.module, arranged.function("position")))
    found: dict[str, list[object]] = {port["name"]: [] for port in ports}
    branches = arranged.manifest["branches"]
    for seed in range(INSTANCES):
        instance = random_instance(arranged.manifest, arranged.tree, seed)
        for branch in range(branches):
            for name, values in found.items():
                values.append(branch if name == "branch" else instance.ports[name])
    rows = {name: np.array(values) for name, values in found.items()}
    for name, array in rows.items():
        if name != "branch":
            array[-1], array[-2] = 0.0, np.nan
    return rows


def _solve(arranged: Arranged, precision: str, shared: Path) -> list[np.ndarray]:
    """Return results and statuses of all rows, solved one by one."""
    ffi, prefix = FFI(), "symgen" if precision == "double" else "symgenf"
    told = declarations(_source(arranged, "double").with_suffix(".h").read_text(encoding="utf-8"))
    ffi.cdef(status_declaration() + (told if precision == "double" else declarations_in_float(told, arranged.module)))
    name = f"{prefix}_{arranged.module}_{arranged.function('position')}_batch"
    rows = _rows(arranged)
    count = len(rows["branch"])
    given = [
        np.ascontiguousarray(array, dtype=np.int32 if name == "branch" else DTYPE[precision])
        for name, array in rows.items()
    ]
    found = [
        np.full((count, *port["shape"]), SENTINEL, dtype=DTYPE[precision])
        for port in function(arranged.module, arranged.function("position"))["ports"]
        if port["direction"] == "out"
    ]
    found.append(np.full(count, -1, dtype=np.int32))
    types = {"float64": "double *", "float32": "float *", "int32": "int32_t *"}
    arguments = [ffi.cast(types[str(array.dtype)], array.ctypes.data) for array in (*given, *found)]
    getattr(ffi.dlopen(str(shared)), name)(count, *arguments)
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("build", [name for name in BUILDS if name != "plain"])
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("arranged", SEARCHING, ids=str)
def test_zeros_in_lanes_have_the_bits_of_one_after_the_other(
    arranged: Arranged, precision: str, build: str, objects: Path
) -> None:
    found = {}
    for name in ("plain", build):
        compiler, *flags = BUILDS[name]
        target = f"zeros_{arranged.module}_{precision}_{name}.so"
        shared = once(objects, target, need(compiler), *flags, "-shared", _source(arranged, precision), "-lm")
        found[name] = _solve(arranged, precision, shared)
    statuses = found["plain"][-1]
    assert (statuses == Status.OK).sum() >= INSTANCES // 2  # a few instances have no zero in single precision
    assert len(set(statuses.tolist())) > 1
    for one, other in zip(*found.values(), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.skipif(not IS_X86_64, reason="counts the registers of x86-64")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("arranged", SEARCHING, ids=str)
def test_compilers_move_all_zeros_at_once(arranged: Arranged, tmp_path: Path) -> None:
    source = _source(arranged, "double")
    command = [need(COMPILERS[0]), *FLAGS, "-O3", "-fopt-info-vec-optimized", "-c", source, "-o", tmp_path / "x.o"]
    told = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stderr
    lines = source.read_text(encoding="utf-8").splitlines()
    for head in ("bool find_zeros(", "void polish("):
        begin = next(k for k, line in enumerate(lines) if head in line)
        loop = next(k for k in range(begin, len(lines)) if "EACH_ZERO" in lines[k]) + 1
        assert re.search(rf":{loop}:\d+: optimized: loop vectorized using (32|64) byte vectors", told), head
