"""Groups whose axes and centres lie along the coordinate axes, as in drawings: assemblies share what eliminations keep.

The number in a file's name is how many isolated assemblies there are, by Newton's method on the joints' equations from
many random starts, written apart from symgen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import symgen
from symgen.library.instance import load_instance
from symgen.library.solve_instance import solve_instance

FILES = sorted((Path(__file__).parent / "aligned_groups").glob("*.json"))


@pytest.mark.sampled(1)
@pytest.mark.extension
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_all_assemblies_are_found_and_close(file: Path) -> None:
    answer = solve_instance(symgen.library(backend="c"), load_instance(file))
    assert answer["status"] == "OK"
    assert len(answer["branches"]) == int(file.stem.rsplit("_", 1)[1])
    assert [branch["status"] for branch in answer["branches"]] == ["OK"] * len(answer["branches"])
    # regular: the condition is far from that of a fold, so that poses are good to about 1e-13 of the size
    assert max(branch["condition"] for branch in answer["branches"]) < 1e4
