"""The conventions that the pages state hold: order of turns in joints, senses of bending and its names."""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.poses import compose
from symgen.solve.coordinates import measure
from symgen.topology.loops.joint_motions import JOINT_MOTIONS

_LINE = re.compile(r"^([A-Z]+(?:, [A-Z]+)*)\s+F_2 = F_1 (.+)$", re.MULTILINE)
_FACTOR = re.compile(r"([TR])([xyz])\(([a-z0-9 ]+)\)")
PITCH = 0.37


def formulas(repository: Path) -> dict[str, list[tuple[str, str, str]]]:
    """Return the motions of each pair as docs/mechanism-file.md writes them: T or R, axis, coordinate."""
    text = (repository / "docs" / "mechanism-file.md").read_text(encoding="utf-8")
    return {
        code: _FACTOR.findall(line.group(2)) for line in _LINE.finditer(text) for code in line.group(1).split(", ")
    }  # fmt: skip


def motion(kind: str, axis: str, value: float) -> Any:
    """Return a slide along, or a turn about, an axis as a pose (7,)."""
    found = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    k = "xyz".index(axis)
    if kind == "T":
        found[k] = value
    else:
        found[3], found[4 + k] = np.cos(value / 2), np.sin(value / 2)
    return found


def test_every_pair_with_coordinates_has_a_formula(repository: Path) -> None:
    assert set(formulas(repository)) == set(JOINT_MOTIONS) - {"W"}


@pytest.mark.parametrize("code", sorted(set(JOINT_MOTIONS) - {"W"}))
def test_coordinates_are_those_of_the_formula(repository: Path, code: str) -> None:
    factors = formulas(repository)[code]
    rng = np.random.default_rng(3)
    for _ in range(5):
        values = {freedom: float(rng.uniform(-1.4, 1.4)) for *_, freedom in factors if freedom != "pitch angle"}
        given = {**values, "pitch angle": PITCH * values.get("angle", 0.0)}
        q = rng.normal(size=4)
        first = np.concatenate([rng.normal(size=3), q / np.linalg.norm(q)])
        second = reduce(compose, (motion(kind, axis, given[freedom]) for kind, axis, freedom in factors), first)
        found = {freedom: float(value) for freedom, value in measure(code, first, second).items()}
        assert found == pytest.approx(values, abs=1e-14)


# -- beams -------------------------------------------------------------------------------------------------------------

EI_Y, EI_Z, EA, GJ = 40.0, 90.0, 3.0e4, 25.0


def cantilever(gravity: list[float]) -> symgen.Mechanism:
    beam = {"length": 1.0, "mass_per_length": 2.0, "bending": [EI_Y, EI_Z], "axial": EA, "torsion": GJ, "polar": 0.01,
            "modes": 1}  # fmt: skip
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": gravity, "bodies": {"b": {"beam": beam}},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0, 0]}},
    })  # fmt: skip


def test_bending_about_y_deflects_along_z_and_the_other_way_round() -> None:
    """EI_y and EI_z as the page says, in vibrations: deflection, sense of the turn, frequency ratio."""
    slow, fast = symgen.vibrations(cantilever([0.0, 0.0, 0.0]), modes=2).modes
    assert fast.frequency / slow.frequency == pytest.approx(np.sqrt(EI_Z / EI_Y), rel=1e-9)
    for mode, along, about, sense in ((slow, 2, 1, -1.0), (fast, 1, 2, 1.0)):
        r, theta = mode.beams["b"].r[-1], mode.beams["b"].theta[-1]
        assert abs(r[along]) > 0.99 * np.linalg.norm(r)
        assert sense * theta[about] * r[along] > 0.0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("axis", "name"), list(enumerate(["stretch1", "bend_y1", "bend_z1"])))
def test_a_mode_is_named_for_the_way_that_its_far_end_goes(axis: int, name: str) -> None:
    gravity = [0.0, 0.0, 0.0]
    gravity[axis] = 1.0
    run = symgen.simulate(cantilever(gravity), until=2e-3, step=1e-4, method="riccati")
    beam = run.beams["b"]
    moved = beam.values[-1]
    place = beam.names.index(name)
    assert moved[place] > 0.0
    # shortening by bending couples the others in second order only
    assert np.abs(np.delete(moved, place)).max() < 1e-4 * moved[place]
    assert (beam.section(1.0).r[-1] - [1.0, 0.0, 0.0])[axis] > 0.0
