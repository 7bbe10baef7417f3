"""``python -m benchmarks float-bounds``: how wrong the float version of each module is, and what it loses.

Random instances of every arrangement are solved in double and in float, both in C. Each solution in double is looked
for among those in float: one farther away than `LOST` of the group's size counts as lost. Errors of those found are
put in proportion to what rounding must cost,

    poses                           condition * FLT_EPSILON * size
    velocities and accelerations    condition^2 * FLT_EPSILON * (largest rate)

with the condition that the module's own function says; the largest ratios, times a safety factor, are the bounds which
the generated headers state. The rounding of the inputs is part of it. Double is a billion times finer, so its own
errors do not matter: where it loses digits to an elimination, float has none left. Seeds follow from the names: the
same data each time.
"""

from __future__ import annotations

import json
import math
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import symgen
from benchmarks.float_geometry import Ports, placed, random_ports
from symgen.library.catalogue import Entry
from symgen.library.open import Library
from symgen.library.stages import SolvedStages, run_stages
from symgen.poses import Array
from symgen.printers.float_bounds import DATA, SCHEMA, WELL_CONDITIONED
from symgen.status import Status

EPSILON = 2.0**-23
#: A pose farther from the true one than this, relative to the size of the group, is another pose.
LOST = 0.01
SAFETY = 4.0
#: Where the worst ratio is this many times what 99 in 100 stay below, other instances may be worse by far: wider.
_HEAVY, _SAFETY_OF_HEAVY = 30.0, 16.0
_QUANTITIES = ("position", "velocity", "acceleration")


@dataclass
class Tally:
    """What was seen of one module."""

    instances: int = 0
    solutions: int = 0
    well: int = 0
    lost: int = 0
    spoilt_instances: int = 0
    ratios: dict[str, list[Array]] = field(default_factory=lambda: {name: [] for name in _QUANTITIES})


@dataclass(frozen=True)
class _Answers:
    """All branches of all rows: poses (rows, branches, bodies, 4, 4), rates (rows, branches, numbers)."""

    status: Array
    poses: Array
    rates: dict[str, Array]
    condition: Array

    @property
    def found(self) -> Array:
        """Whether there is a pose: a SINGULAR one is."""
        written = (self.status == Status.OK) | (self.status == Status.SINGULAR)
        return np.asarray(written & np.isfinite(self.poses).all(axis=(2, 3, 4)))


def _answers(solved: Any, bodies: Sequence[str], ports: Ports) -> _Answers:
    branches: list[SolvedStages] = [run_stages(solved, ports, k, condition=True) for k in range(solved.branches)]
    poses = [np.stack([placed(np.asarray(b.values[name], dtype=float)) for name in bodies], axis=1) for b in branches]
    rates = {
        level: np.stack(
            [np.concatenate([b.values[f"{level}_{name}"] for name in bodies], axis=1) for b in branches], axis=1
        ).astype(float)
        for level in ("v", "a")
    }
    conditions = [np.ones(len(b.status)) if b.condition is None else b.condition for b in branches]
    return _Answers(np.stack([b.status for b in branches], 1), np.stack(poses, 1), rates, np.stack(conditions, 1))


def _count(entry: Entry, tally: Tally, double: _Answers, single: _Answers, ports: Ports) -> None:
    rows, branches = double.status.shape
    width = 2 if entry.manifest.space == "planar" else 3
    given = [np.abs(v[:, :width]).max(axis=1) for name, v in ports.items() if name[0] in "kf"]
    regular = double.status == Status.OK
    gone = np.zeros(rows, dtype=bool)
    pairs: list[tuple[Array, Array, Array]] = []
    for k in range(branches):
        row = np.flatnonzero(regular[:, k])
        if not row.size:
            continue
        true, size = double.poses[row, k], np.max([g[row] for g in given], axis=0)
        size = np.maximum(size, np.abs(true[..., :3, 3]).max(axis=(1, 2)))
        off = np.abs(single.poses[row] - true[:, None])
        off[..., :3, 3] /= size[:, None, None, None]
        gap = np.where(single.found[row], off.max(axis=(2, 3, 4)), np.inf)
        match = np.full(row.size, k) if entry.manifest.branch_order == "signs" else np.argmin(gap, axis=1)
        error = gap[np.arange(row.size), match]
        condition = double.condition[row, k]
        found, well = error < LOST, condition < WELL_CONDITIONED
        tally.solutions += row.size
        tally.well += int(well.sum())
        tally.lost += int((well & ~found).sum())
        gone[row[well & ~found]] = True
        tally.ratios["position"].append(error[found] / (condition[found] * EPSILON))
        whole = found & (single.status[row, match] == Status.OK)
        pairs.append((row[whole], np.full(int(whole.sum()), k), match[whole]))
    tally.instances += rows
    tally.spoilt_instances += int(gone.sum())
    _count_rates(tally, double, single, pairs)


def _count_rates(tally: Tally, double: _Answers, single: _Answers, pairs: list[tuple[Array, Array, Array]]) -> None:
    for row, k, match in pairs:
        fast = np.maximum(1.0, np.abs(double.rates["v"][row, k]).max(axis=1, initial=0.0))
        quick = np.maximum(fast * fast, np.abs(double.rates["a"][row, k]).max(axis=1, initial=0.0))
        per = double.condition[row, k] ** 2 * EPSILON
        for name, level, scale in (("velocity", "v", fast), ("acceleration", "a", quick)):
            off = np.abs(single.rates[level][row, match] - double.rates[level][row, k]).max(axis=1, initial=0.0)
            tally.ratios[name].append(off / (scale * per))


def _rounded(value: float) -> float:
    """Round up to two digits."""
    if value <= 0.0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit - 1e-9) * unit:.2g}")


def _record(tally: Tally) -> dict[str, Any]:
    record: dict[str, Any] = {
        "instances": tally.instances,
        "solutions": tally.solutions,
        "well_conditioned": tally.well,
        "lost": tally.lost,
        "instances_with_lost": tally.spoilt_instances,
    }
    for name in _QUANTITIES:
        ratios = np.concatenate(tally.ratios[name])
        worst, most = float(ratios.max(initial=0.0)), float(np.quantile(ratios, 0.99))
        safety = _SAFETY_OF_HEAVY if worst > _HEAVY * most else SAFETY
        record[name] = {"most": _rounded(most), "worst": _rounded(worst), "bound": _rounded(safety * worst)}
    return record


def measure_float_bounds(rows: int, modules: Sequence[str] = ()) -> dict[str, Any]:
    """Return the data of all shipped modules (or of some): what `symgen.printers.float_bounds` reads.

    Parameters
    ----------
    rows : instances of each module; its arrangements share them.
    """
    catalogue = symgen.library().catalogue
    every = [e for e in catalogue.entries if not modules or e.manifest.id in modules]
    libraries = Library(catalogue, "double", "c"), Library(catalogue, "float", "c")
    tallies: dict[str, Tally] = {}
    for number, entry in enumerate(every):
        module, arrangement = entry.manifest.id, entry.arrangement
        tally = tallies.setdefault(module, Tally())
        share = max(1, rows // len(entry.manifest.arrangements))
        ports = random_ports(entry.manifest.space, arrangement, share, zlib.crc32(entry.key.encode()))
        answers = [_answers(library.of(entry), arrangement.bodies, ports) for library in libraries]
        _count(entry, tally, *answers, ports)
        print(f"float bounds: {number + 1} of {len(every)}, {module}", file=sys.stderr, flush=True)
    return {"schema": SCHEMA, "modules": {name: _record(tallies[name]) for name in sorted(tallies)}}


def write_float_bounds(rows: int, place: Path = DATA) -> None:
    """Measure and write the data that the generator reads."""
    place.write_text(json.dumps(measure_float_bounds(rows), indent=1) + "\n", encoding="utf-8")
