"""The bits of the results do not depend on how hard the compiler tries; the declarations alone are enough to call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cffi import FFI
from oracle.cases import solved_inputs
from oracle.compilers import COMPILERS, Unit, chosen_units, need, once
from oracle.modules import DTYPE, inputs_of, manifest, outputs_of

from symgen.library.sources import declarations, declarations_in_float, status_declaration

pytestmark = pytest.mark.compiler

#: Level -> flags; the last invites what the file forbids. libm is the same shared object for all.
LEVELS = {"O0": ("-O0",), "O3": ("-O3", "-ffp-contract=fast")}


def _shared(objects: Path, unit: Unit, compiler: str, level: str) -> Path:
    flags = ("-std=c99", "-shared", "-fPIC", *LEVELS[level])
    return once(objects, f"{unit}.{compiler}.{level}.so", need(compiler), *flags, unit.source, "-lm")


def _results(library: Path, unit: Unit) -> dict[str, bytes]:
    """Run every function on solved inputs of all branches through nothing but the manifest's declarations."""
    ffi = FFI()
    tree = manifest(unit.module)
    told = declarations((unit.source.parent / f"{unit.module}.h").read_text(encoding="utf-8"))
    if unit.precision == "float":  # its header takes what it declares from that for double
        told = declarations_in_float(told, unit.module)
    ffi.cdef(status_declaration() + told)
    lib = ffi.dlopen(str(library))
    found: dict[str, bytes] = {}
    for entry in tree["functions"]:
        cases = [p for seed in range(6) for p in solved_inputs(unit.module, entry["arrangement"], seed)]
        arrays: dict[str, Any] = {}
        for port in inputs_of(entry):
            dtype = np.int32 if port["kind"] == "int" else DTYPE[unit.precision]
            arrays[port["name"]] = np.array([c[port["name"]] for c in cases]).astype(dtype)
        for port in outputs_of(entry):
            arrays[port["name"]] = np.zeros((len(cases), *port["shape"]), dtype=DTYPE[unit.precision])
        status = np.zeros(len(cases), dtype=np.int32)
        arguments = []
        for port in entry["ports"]:
            kind = "int32_t" if port["kind"] == "int" else unit.precision
            arguments.append(ffi.from_buffer(f"{kind}[]", arrays[port["name"]]))
        call = getattr(lib, entry["symbol"][unit.precision] + "_batch")
        call(len(cases), *arguments, ffi.from_buffer("int32_t[]", status))
        for name in ("status", *(p["name"] for p in outputs_of(entry))):
            found[f"{entry['name']}.{name}"] = (status if name == "status" else arrays[name]).tobytes()
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("unit", chosen_units(), ids=str)
def test_results_are_the_same_bits_at_every_level(unit: Unit, objects: Path) -> None:
    plain, hard = (_results(_shared(objects, unit, "gcc", level), unit) for level in LEVELS)
    assert [name for name in plain if plain[name] != hard[name]] == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("unit", [u for u in chosen_units() if u.precision == "double"], ids=str)
def test_results_are_the_same_bits_with_both_compilers(unit: Unit, objects: Path) -> None:
    first, second = (_results(_shared(objects, unit, compiler, "O0"), unit) for compiler in COMPILERS)
    assert [name for name in first if first[name] != second[name]] == []
