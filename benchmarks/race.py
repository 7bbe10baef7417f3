"""C against C: all kernels of a problem in one executable, alternating in every round; no interpreter takes part."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.entrant import ROWS, LeftOutError
from benchmarks.harness import SPAN
from benchmarks.native import KERNELS, STRICT, Kernel, branches, gcc, include_flags, loop_text
from benchmarks.problems import Problem


@dataclass(frozen=True)
class Lane:
    """One kernel's part of a race.

    times : (rounds,) nanoseconds for one row.
    answers : (rows, numbers) its results.
    made_in : seconds from expressions to an object file; None for hand-written code.
    """

    kernel: Kernel
    times: np.ndarray
    answers: np.ndarray
    made_in: float | None


def race(kernels: Sequence[Kernel], problem: Problem, rounds: int) -> tuple[list[Lane], list[str]]:
    """Compile every kernel into one executable and run it.

    Returns
    -------
    lanes, left_out
        A kernel that the compiler refuses is left out, with the reason.
    """
    kept: list[tuple[Kernel, float | None]] = []
    left_out: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kernel in kernels:
            try:
                seconds = _compile_lane(kernel, problem, len(kept), folder)
            except LeftOutError as error:
                left_out.append(f"{kernel.tool}, {kernel.form} ({error})")
            else:
                kept.append((kernel, None if kernel.made_in is None else kernel.made_in + seconds))
        if not kept:
            return [], left_out
        times, answers = _run(folder, len(kept), problem, rounds)
    return [Lane(kernel, times[:, k], answers[k], made) for k, (kernel, made) in enumerate(kept)], left_out


def _compile_lane(kernel: Kernel, problem: Problem, number: int, folder: Path) -> float:
    """Make ``lane<number>.o`` with no other global symbol; return what compiling the kernel took."""
    started = time.perf_counter()
    lane, options = f"lane_{number}", [*kernel.flags, *STRICT, *include_flags(kernel)]
    (folder / "kernel.c").write_text(kernel.source)
    gcc([*options, "-c", "kernel.c", "-o", "kernel.o"], folder)
    taken = time.perf_counter() - started
    (folder / "loop.c").write_text(loop_text(kernel, problem, lane))
    gcc([*options, "-c", "loop.c", "-o", "loop.o"], folder)
    gcc(["-r", "-nostdlib", "kernel.o", "loop.o", "-o", f"{lane}.o"], folder)
    try:
        subprocess.run(["objcopy", f"--keep-global-symbol={lane}", f"{lane}.o"], cwd=folder, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise LeftOutError("objcopy, which keeps the names of the lanes apart, is not installed or fails") from error
    return taken


def _run(folder: Path, lanes: int, problem: Problem, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    rows = ROWS["kernel"]
    (folder / "lanes.h").write_text("".join(f"LANE({k})\n" for k in range(lanes)))
    sizes = [f"-DROWS={rows}", f"-DSIZE_IN={problem.size_in}", f"-DSIZE_OUT={problem.size_out}"]
    objects = [f"lane_{k}.o" for k in range(lanes)]
    gcc(["-O2", "-std=c99", *sizes, "-I", ".", str(KERNELS / "race.c"), *objects, "-o", "race", "-lm"], folder)
    inputs = np.ascontiguousarray(problem.instances(rows))
    (folder / "input").write_bytes(inputs.tobytes() + branches(problem, inputs).tobytes())
    printed = subprocess.run(
        [str(folder / "race"), "input", "output", str(rounds), repr(SPAN)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout
    times = np.array([[float(text) for text in line.split()] for line in printed.splitlines()])
    answers = np.frombuffer((folder / "output").read_bytes()).reshape(lanes, rows, problem.size_out)
    return times, answers
