"""Stewart's forward problem: certified Newton in one generated function, against the library's solver of any group."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import symgen
from benchmarks.native import COMPILER, DEFAULT, STRICT
from symgen.library.adapt import BodyMotion
from symgen.library.frames import port_pose
from symgen.pipeline import generate_whole_texts
from symgen.solve.newton import NewtonPlan
from symgen.solve.plan import make_plan
from symgen.whole.layout import result_ports
from symgen.whole.module import whole_module

_EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "stewart_forward" / "mechanism.toml"
_STEPS, _SPAN = 256, 0.5

_LANE = """
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <string.h>
#include <time.h>
#include "forward.h"
double lane(const double *t, long rows, double *last)
{{
    struct timespec t0, t1;
    int32_t group, failed = 0;
    double start[{start}], before[{state}];
    {arrays}
    symgen_forward_begin(start, before, &group);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (long i = 0; i < rows; ++i) {{
        failed += symgen_forward_follow(t[i], i > 0 ? t[i] - t[i - 1] : 0.0, before, {names}, &group) != 0;
        memcpy(before, state, sizeof before);
    }}
    clock_gettime(CLOCK_MONOTONIC, &t1);
    memcpy(last, poses, sizeof poses);
    return failed ? -1.0 : (double)(t1.tv_sec - t0.tv_sec) + 1e-9*(double)(t1.tv_nsec - t0.tv_nsec);
}}
"""


def _build(folder: Path) -> tuple[ctypes.CDLL, list[str]]:
    module = whole_module(symgen.load(_EXAMPLE), symgen.library(), module_id="forward", results=("bodies",))
    for name, text in generate_whole_texts(module, precisions=("double",), backends=("c",)).items():
        (folder / name).write_text(text, encoding="utf-8")
    ports = result_ports(module.layout, "follow")[:-1]
    (start,) = [port.shape[0] for port in module.layout.inputs_of("all") if port.name == "start"]
    text = _LANE.format(
        start=start,
        state=module.layout.state_size,
        arrays=" ".join(f"double {port.name}[{port.shape[0]}];" for port in ports),
        names=", ".join(port.name for port in ports),
    )
    (folder / "lane.c").write_text(text, encoding="utf-8")
    target = folder / "forward.so"
    sources = [str(folder / name) for name in ("lane.c", "forward.c")]
    command = [COMPILER, *STRICT, *DEFAULT, "-fPIC", "-shared", "-I", str(folder), *sources, "-lm", "-o", str(target)]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(target)), list(module.layout.bodies)


def _library_lane(times: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return a call of the library's solver over all times, and the place of the platform at the last."""
    mechanism = symgen.load(_EXAMPLE)
    plan = make_plan(mechanism, symgen.library())
    (group,) = plan.groups
    if not isinstance(group, NewtonPlan):
        raise TypeError("the forward problem has a closed form now: race that")
    solved = symgen.solve(mechanism, times)
    ground = BodyMotion(port_pose(mechanism.ground_body.pose, "spatial"))
    drives = {key: np.stack(law.evaluate(times), axis=-1) for key, law in mechanism.drives.items()}
    newton = group.newton
    given = newton.given({mechanism.ground: ground}, drives, len(times))
    start = newton.poses(given, {body: solved.bodies[body].pose[0] for body in group.bodies})

    def run() -> float:
        began = time.perf_counter()
        newton.engine.track(newton.plan, given.inputs, times, start)
        return time.perf_counter() - began

    return run, np.concatenate([solved.bodies[body].pose[-1] for body in solved.bodies if body != mechanism.ground])


def forward_lines(rounds: int) -> list[str]:
    """Measure, both alternating in each round, and return lines of the report."""
    times = np.linspace(0.0, _SPAN, _STEPS)
    with tempfile.TemporaryDirectory() as name:
        library, bodies = _build(Path(name))
        lane = library.lane
        lane.restype = ctypes.c_double
        lane.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p]
        other, wanted = _library_lane(times)
        last, spans = np.zeros(7 * len(bodies)), np.empty((rounds, 2))
        for row in spans:
            row[0] = lane(times.ctypes.data, _STEPS, last.ctypes.data) / _STEPS * 1e6
            row[1] = other() / _STEPS * 1e6
        if spans.min() < 0.0:
            raise RuntimeError("the generated function lost the branch")
        pairs = zip(last.reshape(-1, 7), wanted.reshape(-1, 7), strict=True)
        error = max(float(np.abs(np.outer(a[3:], a[3:]) - np.outer(b[3:], b[3:])).max()) for a, b in pairs)
    one, two = np.median(spans, axis=0)
    return [
        "",
        "The forward problem of that platform (`examples/stewart_forward`, one group of 13 bodies without a closed "
        "form) is followed over time by the generated function `follow` and by the library's solver. Position, "
        f"velocity, acceleration and certificate take **{one:.1f} us** with `follow` and {two:.1f} us with the "
        f"library, ratio **{np.median(spans[:, 0] / spans[:, 1]):.2f}**; orientations differ by {error:.0e}.",
    ]
