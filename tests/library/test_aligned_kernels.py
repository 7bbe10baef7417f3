"""Kernels with ranked branches, called directly on groups as in drawings: no search of the library stands behind them.

The number in a file's name is how many isolated assemblies there are, by Newton's method on the joints' equations from
many random starts, written apart from symgen (see test_aligned_groups.py).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.library.adapt import GroupAdapter
from symgen.library.closure import closes
from symgen.library.fit import fit_group
from symgen.library.instance import GroupInstance, load_instance
from symgen.library.open import Library
from symgen.library.stages import run_stages
from symgen.status import Status

FILES = sorted((Path(__file__).parent / "aligned_kernels").glob("*.json"))
every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def expected(file: Path) -> int:
    return int(file.stem.rsplit("_", 1)[1])


def called(library: Library, instance: GroupInstance) -> tuple[Any, int]:
    """Return the positions of all ranks, from one call with a row for each, and how many branches the type has."""
    fit = fit_group(library.catalogue, instance.space, instance.bodies, instance.joints)
    solved = library.of(fit.entry)
    ports = GroupAdapter(fit).ports(instance.known, instance.frames, instance.drives, instance.pitches)
    taken = {p.name for p in solved.position.inputs} - {"branch"}
    given: dict[str, Any] = {name: value for name, value in ports.items() if name in taken}
    found = solved.position(**given, branch=np.arange(solved.branches))
    return found, solved.branches


def poses(found: Any, rows: int) -> np.ndarray:
    parts = [np.asarray(value)[:rows] for name, value in sorted(found._asdict().items()) if name.startswith("b")]
    return np.concatenate(parts, axis=-1)


@pytest.mark.sampled(1)
@every_file
def test_ranks_are_all_assemblies_and_no_more_whatever_the_backend(file: Path) -> None:
    instance, count = load_instance(file), expected(file)
    placed = {}
    for backend in ("c", "numpy"):
        found, branches = called(symgen.library(backend=backend), instance)
        wanted = [Status.OK] * count + [Status.BRANCH_LOST] * (branches - count)
        assert [Status(int(status)) for status in found.status] == wanted
        placed[backend] = poses(found, count)
    # Both close the same equations to rounding; conditions are below 1e4, lengths of order 1 (slides a few of 10).
    assert np.abs(placed["c"] - placed["numpy"]).max() < 1e-9


@pytest.mark.sampled(1)
@pytest.mark.extension
@every_file
def test_every_rank_closes_and_is_another_assembly(file: Path) -> None:
    instance, library = load_instance(file), symgen.library(backend="c")
    fit = fit_group(library.catalogue, instance.space, instance.bodies, instance.joints)
    solved, adapter = library.of(fit.entry), GroupAdapter(fit)
    ports = adapter.ports(instance.known, instance.frames, instance.drives, instance.pitches)
    seen: list[np.ndarray] = []
    for branch in range(expected(file)):
        found = run_stages(solved, ports, branch, condition=True)
        assert Status(int(found.status)) is Status.OK
        assert found.condition is not None
        assert math.isfinite(float(found.condition))
        motion = adapter.motion(ports, found.values)
        assert closes(instance, motion, "double")
        pose = np.concatenate([body.pose for body in motion.bodies.values()])
        assert all(np.abs(pose - other).max() > 1e-5 for other in seen)
        seen.append(pose)
