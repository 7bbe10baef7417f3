"""One large linkage in a process of its own: ``python -m benchmarks.scaling FAMILY BODIES`` prints one JSON line."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.linkages import FAMILIES


@dataclass(frozen=True)
class Run:
    """Seconds are of the processor; memory [MB] is the peak of the process, before and with the analysis."""

    family: str
    bodies: int
    pairs: int
    groups: int
    largest: int
    status: str
    complete: bool
    seconds: float
    memory_before: float
    memory: float


def run(family: str, bodies: int) -> Run:
    """Measure in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.scaling", family, str(bodies)]
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    return Run(**json.loads(done.stdout))


def _measure(family: str, bodies: int) -> Run:
    from symgen.topology.analysis import analyse_pairs

    linkage = FAMILIES[family](bodies)
    columns = linkage.columns()
    pairs, bodies = len(linkage.pairs), linkage.bodies
    del linkage
    before = _peak()
    start = time.process_time()
    structure = analyse_pairs(*columns)
    seconds = time.process_time() - start
    peak = _peak()
    largest = max(len(group.bodies) for group in structure.groups)
    complete = all(finding.kind != "unchecked" for finding in structure.diagnosis)
    return Run(family, bodies, pairs, len(structure.groups), largest, structure.status, complete, seconds, before, peak)


def _peak() -> float:
    """Return the peak of this process [MB]; what getrusage says may include that of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM:")), None)
        if line is not None:
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2])).__dict__))
