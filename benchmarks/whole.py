"""Whole mechanisms in one generated function, against C written by hand for the one mechanism; and six legs at once."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import symgen
from benchmarks.entrant import LeftOutError
from benchmarks.forward import forward_lines
from benchmarks.native import COMPILER, DEFAULT, KERNELS, STRICT
from benchmarks.pylinkage_lane import pylinkage_lane
from symgen.model.mechanism import Mechanism
from symgen.pipeline import generate_whole_texts
from symgen.whole.module import whole_module

TITLE = "## Whole mechanisms"
_ROWS = 1024

FOUR_BAR: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "four-bar",
    "space": "planar",
    "bodies": {"crank": {}, "coupler": {"points": {"P": [3.0, 2.5]}}, "rocker": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
        "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [1, 0]},
        "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [4, 2.5]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [4, 0]},
    },
    "drives": {"A": "t"},
}
SLIDER_CRANK: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "slider-crank",
    "space": "planar",
    "bodies": {"crank": {}, "rod": {}, "block": {"points": {"P": [0.0, 0.0]}}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
        "B": {"type": "R", "bodies": ["crank", "rod"], "at": [1, 0]},
        "C": {"type": "R", "bodies": ["rod", "block"], "at": [4, 0]},
        "D": {"type": "P", "bodies": ["ground", "block"], "at": [4, 0], "axis": [1, 0]},
    },
    "drives": {"A": "t"},
}

_LANE = """
double {lane}(const double *u, long rows, long passes, double *out)
{{
    static const int32_t branch[2] = {{0, 0}};
    struct timespec t0, t1;
    int32_t group;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (long pass = 0; pass < passes; ++pass) {{
        for (long i = 0; i < rows; ++i) {{
            {symbol}(u + i, branch, out + 2*i, &group);
        }}
        __asm__ volatile("" ::: "memory");
    }}
    clock_gettime(CLOCK_MONOTONIC, &t1);
    return (double)(t1.tv_sec - t0.tv_sec) + 1e-9*(double)(t1.tv_nsec - t0.tv_nsec);
}}
"""

_STEWART = """
double lane_stewart(const double *t, long rows, long passes, double *out)
{{
    static const int32_t branch[{groups}] = {{{branches}}};
    struct timespec t0, t1;
    int32_t group;
    {arrays}
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (long pass = 0; pass < passes; ++pass) {{
        for (long i = 0; i < rows; ++i) {{
            symgen_stewart_motion(t[i], branch, {names}, &group);
        }}
        __asm__ volatile("" ::: "memory");
    }}
    clock_gettime(CLOCK_MONOTONIC, &t1);
    out[0] = poses[0];
    return (double)(t1.tv_sec - t0.tv_sec) + 1e-9*(double)(t1.tv_nsec - t0.tv_nsec);
}}
"""


@dataclass(frozen=True)
class _Case:
    name: str
    title: str
    tree: Mapping[str, Any]


_CASES = (
    _Case("four_bar", "four-bar, a point of the coupler", FOUR_BAR),
    _Case("slider_crank", "slider-crank, the block", SLIDER_CRANK),
)


def _stewart(folder: Path) -> str:
    """Write the module of the six-legged platform, and return the text of its lane."""
    example = Path(__file__).resolve().parent.parent / "examples" / "stewart_inverse" / "mechanism.toml"
    module = whole_module(
        symgen.load(example), symgen.library(), module_id="stewart", results=("bodies", "coordinates")
    )
    for name, text in generate_whole_texts(module, precisions=("double",), backends=("c",)).items():
        (folder / name).write_text(text, encoding="utf-8")
    from symgen.whole.layout import result_ports

    ports = result_ports(module.layout, "all")[:-1]
    branch = module.branch or (0,) * len(module.layout.branches)
    return _STEWART.format(
        groups=len(branch),
        branches=", ".join(map(str, branch)),
        arrays=" ".join(f"double {port.name}[{port.shape[0]}];" for port in ports),
        names=", ".join(port.name for port in ports),
    )


def _build(folder: Path) -> ctypes.CDLL:
    """Compile generated modules, hand-written C and the loops around them; calls go from file to file."""
    lanes = ["#define _POSIX_C_SOURCE 199309L", "#include <stdint.h>", "#include <time.h>", '#include "stewart.h"']
    stewart = _stewart(folder)
    for case in _CASES:
        module = whole_module(
            Mechanism.from_dict(case.tree),
            symgen.library(),
            module_id=case.name,
            drives="inputs",
            results=("points",),
        )
        for name, text in generate_whole_texts(module, precisions=("double",), backends=("c",)).items():
            (folder / name).write_text(text, encoding="utf-8")
        lanes.append(f'#include "{case.name}.h"')
        for kind in ("bare", "same"):
            lanes.append(f"int {kind}_{case.name}(const double *, const int32_t *, double *, int32_t *);")
            lanes.append(_LANE.format(lane=f"lane_{kind}_{case.name}", symbol=f"{kind}_{case.name}"))
        lanes.append(_LANE.format(lane=f"lane_{case.name}", symbol=f"symgen_{case.name}_position"))
    (folder / "lanes.c").write_text("\n".join([*lanes, stewart]), encoding="utf-8")
    sources = [folder / "lanes.c", KERNELS / "whole.c", folder / "stewart.c"]
    sources += [folder / f"{case.name}.c" for case in _CASES]
    target = folder / "whole.so"
    command = [COMPILER, *STRICT, *DEFAULT, "-fPIC", "-shared", "-I", str(folder), *map(str, sources)]
    subprocess.run([*command, "-lm", "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))


def _lane(library: ctypes.CDLL, name: str) -> Any:
    function = getattr(library, f"lane_{name}")
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_void_p]
    return function


def whole_section(rounds: int) -> str:
    """Measure, competitors alternating in each round, and return the section of the report."""
    with tempfile.TemporaryDirectory() as name:
        library = _build(Path(name))
        lines = [
            TITLE,
            "",
            "One call solves a mechanism, with the geometry folded in. It is compared with C written by hand for "
            "this one mechanism and this one point (`benchmarks/kernels/whole.c`). *Bare* tests only whether the "
            "links reach. *Same* meets the contract of generated code (status, folds, NaN, nothing written without a "
            "result). Times are nanoseconds per position, medians; ratios are medians of the ratios within each "
            "round.",
            "",
            "| mechanism | symgen, ns | bare, ns | same, ns | over bare | over same | deviation "
            "| pylinkage, ns (over symgen) |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        angles = np.linspace(0.0, 6.28, _ROWS)
        beside: list[str] = []
        for case in _CASES:
            lanes = [_lane(library, n) for n in (case.name, f"bare_{case.name}", f"same_{case.name}")]
            outs = [np.zeros((_ROWS, 2)) for _ in lanes]
            times = np.empty((rounds, 4))
            peer = _peer(case.name, angles, outs[0], lanes[0], beside)
            for row in times:
                row[3] = peer()
                for k, lane in enumerate(lanes):
                    row[k] = lane(angles.ctypes.data, _ROWS, 40, outs[k].ctypes.data) / (40 * _ROWS) * 1e9
            error = max(float(np.max(np.abs(out - outs[0]))) for out in outs)
            middle, ratios = np.median(times, axis=0), [np.median(times[:, 0] / times[:, k]) for k in (1, 2)]
            cells = [case.title, *(f"{x:.1f}" for x in middle[:3]), *(f"**{x:.2f}**" for x in ratios), f"{error:.0e}"]
            over = "-" if np.isnan(middle[3]) else f"{middle[3]:.0f} ({np.median(times[:, 3] / times[:, 0]):.1f})"
            lines.append(f"| {' | '.join([*cells, over])} |")
        lines += ["", *dict.fromkeys(beside)]
        clock, out = np.linspace(0.0, 1.0, 64), np.zeros(1)
        lane = _lane(library, "stewart")
        spans = [lane(clock.ctypes.data, 64, 3, out.ctypes.data) / (3 * 64) * 1e6 for _ in range(rounds)]
        lines += [
            "",
            "Six legs S-P-U under a driven platform (`examples/stewart_inverse`): positions, velocities and "
            "accelerations of all 13 bodies, and all joint coordinates except those of balls, take "
            f"**{np.median(spans):.2f} us** in one call "
            f"(min {min(spans):.2f}). The six-leg kernel above gives only lengths and directions of the legs.",
            *forward_lines(rounds),
        ]
    return "\n".join(lines)


def _peer(name: str, angles: np.ndarray, symgen_places: np.ndarray, lane: Any, notes: list[str]) -> Callable[[], float]:
    """Return nanoseconds a position of pylinkage's compiled loop; NaN if it is not there or its answers differ."""
    try:
        peer = pylinkage_lane(name, angles)
    except LeftOutError as error:
        notes.append(f"pylinkage is left out ({error}).")
        return lambda: float("nan")
    lane(angles.ctypes.data, len(angles), 1, symgen_places.ctypes.data)
    peer.run()  # compiles
    off = float(np.max(np.abs(peer.places() - symgen_places)))
    if not off < 1e-9:  # it adds up a thousand steps of the crank
        notes.append(f"pylinkage is left out ({name}: another answer, by {off:.0e}).")
        return lambda: float("nan")
    notes.append(
        "pylinkage is called through its compiled simulation loop (numba), with its own arrays; it moves the crank "
        "in equal steps."
    )
    return lambda: peer.run() / len(angles) * 1e9


def section_of(document: str) -> str:
    """Return this section of a document, or nothing."""
    _, found, rest = document.partition(f"{TITLE}\n")
    return f"{found}{rest.partition(chr(10) + '## ')[0]}".strip()
