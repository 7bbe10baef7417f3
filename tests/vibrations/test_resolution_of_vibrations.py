"""What is too slow to be told from a motion without resistance is counted so, and how slow that is is said."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import pytest

import symgen
from symgen.cli.main import main


def wagons(*stiffness: float) -> dict[str, object]:
    """Return wagons of 1 kg in a row, the first held to the ground."""
    names = ["ground", *(f"b{k}" for k in range(len(stiffness)))]
    return {
        "schema": "symgen/mechanism/1", "space": "planar",
        "bodies": {name: {"mass": 1.0, "inertia": [0, 0, 0.1, 0, 0, 0], "pose": {"r": [k + 1.0, 0.0]}}
                   for k, name in enumerate(names[1:])},
        "joints": {f"J{k}": {"type": "P", "bodies": list(pair), "at": [k, 0], "axis": [1, 0]}
                   for k, pair in enumerate(itertools.pairwise(names))},
        "forces": {f"f{k}": {"kind": "joint", "joint": f"J{k}", "stiffness": each}
                   for k, each in enumerate(stiffness)},
    }  # fmt: skip


@pytest.mark.parametrize("method", ["riccati", "determinant"])
@pytest.mark.parametrize("stiff", [1e9, 1e13])
def test_a_slow_mode_is_found_or_below_the_resolution(stiff: float, method: str) -> None:
    """Two wagons on a spring of 1 N/m, held together by one far stiffer: 2 kg swing at sqrt(1/2) rad/s."""
    found = symgen.vibrations(symgen.Mechanism.from_dict(wagons(1.0, stiff)), method=method)
    slow = math.sqrt(0.5) / math.tau
    assert len(found.modes) + found.zero == 2
    assert (found.zero == 1) == (slow < found.resolution)
    assert (found.zero == 1) == (stiff == 1e13)
    if not found.zero:
        # 1/2 of the square 2e9 is a part of 2.5e-10: counts keep 1e-16 of the largest, so 1e-6 of it
        assert found.frequencies[0] == pytest.approx(slow, rel=1e-6)


def test_the_table_says_below_which_frequency(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wagons.json"
    file.write_text(json.dumps(wagons(1.0, 1e13)), encoding="utf-8")
    assert main(["vibrations", str(file)]) == 0
    assert "1 motion without resistance: frequency zero, or below " in capsys.readouterr().out
