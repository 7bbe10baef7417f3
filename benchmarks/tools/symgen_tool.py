"""symgen: the committed code, found through its manifest: C kernel, batch twin, NumPy, and the library from Python."""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import symgen
from benchmarks import ups_legs
from benchmarks.entrant import ROWS, Entrant, LeftOutError
from benchmarks.native import DEFAULT, KERNELS, O3, Kernel, branches, compile_entrant, flat
from benchmarks.problems import Problem
from benchmarks.python_loop import python_entrant
from symgen.resources import generated_folder

TOOL = f"symgen {symgen.__version__}"


@dataclass(frozen=True)
class Binding:
    """Where a problem's numbers are among a kernel's ports.

    inputs, outputs : port -> index of its first number; the port "branch" is symgen's branch number.
    """

    module: str
    signature: str
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    after: str = ""
    form: str = ""


_RRR_IN = {"a": 0, "b": 2, "l_a": 4, "l_b": 5, "v_a": 6, "v_b": 8, "a_a": 10, "a_b": 12}
_RRR_OUT = {"p": 0, "v_p": 2, "omega_1": 4, "omega_2": 5, "a_p": 6, "alpha_1": 8, "alpha_2": 9}
_RRR_ANGLES = "y[10] = atan2(y[1] - x[1], y[0] - x[0]); y[11] = atan2(y[1] - x[3], y[0] - x[2]);"

BINDINGS = {
    "rrr_na": Binding("dyad_rrr", "R.R.R 2D", _RRR_IN, _RRR_OUT),
    # The kernel gives points, not angles: the caller takes two arc tangents.
    "rrr": Binding("dyad_rrr", "R.R.R 2D", _RRR_IN, _RRR_OUT, _RRR_ANGLES, " and the caller's two atan2"),
}


@dataclass(frozen=True)
class Module:
    """A generated module: its folder, manifest, and the kernel function for the whole problem."""

    folder: Path
    manifest: Mapping[str, Any]
    function: Mapping[str, Any]

    @property
    def source(self) -> str:
        """C text in double."""
        return (self.folder / self.manifest["files"]["double"][0]).read_text(encoding="utf-8")

    @property
    def header(self) -> str:
        """Name of the header."""
        return str(self.manifest["files"]["double"][1])

    @property
    def symbol(self) -> str:
        """Name of the function in C, double."""
        return str(self.function["symbol"]["double"])


def entrants(problem: Problem) -> list[Entrant]:
    """Return the C kernel under two sets of flags, the batch twin, NumPy, and the prepared call from Python."""
    if problem.name == "ups6":
        return _legs(problem)
    if problem.name not in BINDINGS:
        raise LeftOutError("no generated module has a kernel for this problem")
    binding = BINDINGS[problem.name]
    module = _kernel_module(binding)
    found = [
        compile_entrant(_kernel(module, binding, f"C kernel, {form}{binding.form}", flags), problem)
        for form, flags in (("default flags", DEFAULT), ("-O3", O3))
    ]
    if not binding.after:  # arrays and Python entries give what the kernel gives, nothing on top
        found += [_batch(module, binding, problem), _numpy(module, binding, problem), _prepared(binding, problem)]
    return found


def _manifest(module_id: str) -> tuple[Path, Mapping[str, Any]]:
    folder = generated_folder() / module_id
    path = folder / f"{module_id}.json"
    if not path.is_file():
        raise LeftOutError(f"generated/{module_id} is not there: make generate")
    return folder, msgspec.json.decode(path.read_bytes())


def _kernel_module(binding: Binding) -> Module:
    folder, manifest = _manifest(binding.module)
    for function in manifest["functions"]:
        if function["level"] == "kernel" and function["stage"] == "all":
            ports = {port["name"] for port in function["ports"]}
            wanted = {*binding.inputs, *binding.outputs, "branch"}
            if ports != wanted:
                raise LeftOutError(f"the kernel's ports are {sorted(ports)}, the problem's {sorted(wanted)}")
            return Module(folder, manifest, function)
    raise LeftOutError(f"generated/{binding.module} has no kernel function for all stages")


#: What the six-leg adapter passes to the ports of the group U.P.S; an output port is passed under its own name.
_LEG_INPUTS = {
    "k1": "one",
    "v_k1": "zero",
    "a_k1": "zero",
    "k2": "pose",
    "v_k2": "twist",
    "a_k2": "acceleration",
    "f_j1_k1": "universal",
    "f_j1_b1": "one",
    "f_j2_b1": "one",
    "f_j2_b2": "one",
    "f_j3_k2": "spherical",
    "f_j3_b2": "one",
    "branch": "0",
}


def _derived_legs(problem: Problem) -> Entrant:
    """Return the legs derived and emitted for the problem: one routine for all six."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ups_legs.write_c(folder)
        source = (folder / f"{ups_legs.MODULE}.c").read_text(encoding="utf-8")
        symbol = f"symgen_{ups_legs.MODULE}_kernel_position"
        call = f"(void){symbol}(x, x + 3, x + 7, x + 10, x + 13, x + 16, x + 19, x + 37, y);"
        include = f'#include "{ups_legs.MODULE}.h"'
        form = "C, derived legs, default flags"
        made_in = time.perf_counter() - started
        kernel = Kernel(TOOL, form, source, symbol, call, include, DEFAULT, folder, made_in=made_in)
        return compile_entrant(kernel, problem)


def _legs(problem: Problem) -> list[Entrant]:
    """Return six calls of the U.P.S group, wrapped into the problem's numbers."""
    folder, manifest = _manifest("loop_pus")
    arrangements = [one["id"] for one in manifest["arrangements"] if one["key"] == "U.P.S 3D"]
    for function in manifest["functions"]:
        if function["stage"] == "all" and function["arrangement"] in arrangements:
            module = Module(folder, manifest, function)
            arguments = [_LEG_INPUTS.get(port["name"], port["name"]) for port in function["ports"]]
            template = (KERNELS / "ups6_symgen.c.in").read_text(encoding="utf-8")
            call = f"{module.symbol}({', '.join(arguments)})"
            adapter = template.replace("@HEADER@", module.header).replace("@CALL@", call)
            kernel = flat(
                TOOL,
                "C, six calls of the U.P.S group",
                f"{module.source}\n{adapter}",
                "symgen_ups6",
                flags=DEFAULT,
                include=folder,
            )
            return [_derived_legs(problem), compile_entrant(kernel, problem)]
    raise LeftOutError("generated/loop_pus has no function for all stages of U.P.S 3D")


def _kernel(module: Module, binding: Binding, form: str, flags: tuple[str, ...]) -> Kernel:
    arguments = []
    for port in module.function["ports"]:
        if port["name"] == "branch":
            arguments.append("branch[i]")
        elif port["direction"] == "in":
            start = binding.inputs[port["name"]]
            arguments.append(f"x + {start}" if port["shape"] else f"x[{start}]")
        else:
            arguments.append(f"y + {binding.outputs[port['name']]}")
    call = f"(void){module.symbol}({', '.join(arguments)}); {binding.after}"
    declaration = f'#include <math.h>\n#include "{module.header}"'
    return Kernel(TOOL, form, module.source, module.symbol, call, declaration, flags, module.folder)


def _split(module: Module, binding: Binding, problem: Problem, rows: int) -> dict[str, np.ndarray]:
    """Return the problem's instances as one contiguous array for each input port."""
    instances = problem.instances(rows)
    arrays = {"branch": branches(problem, instances)}
    for port in module.function["ports"]:
        if port["direction"] == "in" and port["name"] != "branch":
            start, size = binding.inputs[port["name"]], int(np.prod(port["shape"], dtype=int))
            part = instances[:, start : start + size]
            arrays[port["name"]] = np.ascontiguousarray(part if port["shape"] else part[:, 0])
    return arrays


def _join(outputs: Mapping[str, np.ndarray], binding: Binding, problem: Problem, rows: int) -> np.ndarray:
    """Return output ports as rows of the problem's numbers."""
    joined = np.full((rows, problem.size_out), np.nan)
    for name, start in binding.outputs.items():
        part = np.asarray(outputs[name]).reshape(rows, -1)
        joined[:, start : start + part.shape[1]] = part
    return joined


def _library_call(binding: Binding, problem: Problem, rows: int | None) -> tuple[Any, float]:
    """Return a prepared call of the library, filled with the problem's instances, and what it took to get it."""
    started = time.perf_counter()
    call = symgen.library()[binding.signature].kernel.all.prepare(rows)
    made_in = time.perf_counter() - started
    count = 1 if rows is None else rows
    instances = problem.instances(count)
    for name, array in call.inputs.items():
        if name == "branch":
            array[...] = branches(problem, instances).reshape(array.shape)
        else:
            start = binding.inputs[name]
            array[...] = instances[:, start : start + array.size // count].reshape(array.shape)
    return call, made_in


def _batch(module: Module, binding: Binding, problem: Problem) -> Entrant:
    rows = ROWS["batch"]
    call, made_in = _library_call(binding, problem, rows)

    def answers() -> np.ndarray:
        call()
        return _join(call.outputs, binding, problem, rows)

    return python_entrant(TOOL, "C batch twin, as the library builds it", "batch", call.run, answers, made_in)


def _prepared(binding: Binding, problem: Problem) -> Entrant:
    call, made_in = _library_call(binding, problem, None)

    def answers() -> np.ndarray:
        call()
        return _join(call.outputs, binding, problem, 1)

    return python_entrant(TOOL, "library, prepared call", "python", call.run, answers, made_in)


def _numpy(module: Module, binding: Binding, problem: Problem) -> Entrant:
    started = time.perf_counter()
    path = module.folder / module.manifest["files"]["numpy"][0]
    spec = importlib.util.spec_from_file_location(module.manifest["id"], path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    made_in = time.perf_counter() - started
    rows = ROWS["batch"]
    ports = module.function["ports"]
    arrays = _split(module, binding, problem, rows)
    inputs = [arrays[port["name"]] for port in ports if port["direction"] == "in"]
    names = [port["name"] for port in ports if port["direction"] == "out"]
    function = getattr(loaded, module.function["name"])

    def answers() -> np.ndarray:
        *values, _status = function(*inputs)
        return _join(dict(zip(names, values, strict=True)), binding, problem, rows)

    return python_entrant(TOOL, "NumPy", "batch", partial(function, *inputs), answers, made_in)
