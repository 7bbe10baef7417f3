"""A written mechanism reads back as the same mechanism, in both formats, to the last bit of every number."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symgen
from symgen.errors import MechanismError
from symgen.model.load import load, parse_text
from symgen.model.mechanism import Mechanism
from symgen.model.write import Suffix, write_mechanism, write_tree

_FILES = (Path(symgen.__file__).resolve().parents[1] / "examples").glob("*/*.toml")
EXAMPLES = sorted(path for path in _FILES if path.name != "pyproject.toml")
SUFFIXES: tuple[Suffix, ...] = (".toml", ".json")


def read_back(mechanism: Mechanism, suffix: Suffix) -> Mechanism:
    return Mechanism.from_dict(parse_text(write_mechanism(mechanism, suffix), suffix))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_written_reads_back_equal(path: Path, suffix: Suffix) -> None:
    mechanism = load(path)
    assert read_back(mechanism, suffix) == mechanism
    assert list(read_back(mechanism, suffix).parameters) == list(mechanism.parameters)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_everything_a_file_can_hold_reads_back_equal(
    spatial_tree: dict[str, Any], planar_tree: dict[str, Any], suffix: Suffix
) -> None:
    for tree in (spatial_tree, planar_tree):
        mechanism = Mechanism.from_dict(tree)
        assert read_back(mechanism, suffix) == mechanism
        assert parse_text(write_mechanism(mechanism, suffix), suffix) == tree


FINITE = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)


@pytest.mark.slow
@given(x=FINITE, y=FINITE, name=st.text(max_size=20).filter(str.isprintable), suffix=st.sampled_from(SUFFIXES))
def test_every_number_and_name_reads_back_to_the_last_bit(x: float, y: float, name: str, suffix: Suffix) -> None:
    tree = {
        "schema": "symgen/mechanism/1",
        "name": name,
        "space": "planar",
        "bodies": {"a": {"points": {"P": [x, y]}}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "driven": 1, "at": [0, -0.0]}},
        "drives": {"A.angle": "2*pi*t"},
    }
    back = parse_text(write_tree(tree, suffix), suffix)
    assert back == tree
    assert [math.copysign(1.0, n) for n in back["bodies"]["a"]["points"]["P"]] == [
        math.copysign(1.0, n) for n in (x, y)
    ]


def test_the_same_mechanism_is_the_same_bytes_however_its_keys_were_ordered(spatial_tree: dict[str, Any]) -> None:
    turned = dict(reversed(spatial_tree.items()))
    assert write_tree(turned) == write_tree(spatial_tree)
    again = parse_text(write_tree(spatial_tree), ".toml")
    assert write_tree(again) == write_tree(spatial_tree)


def test_a_comment_cannot_become_a_line_of_the_file(spatial_tree: dict[str, Any]) -> None:
    text = write_tree(spatial_tree, comments=["from a\nground = 3", "\x00\x7f\u2028ü"])
    assert text.startswith("# from aground = 3\n# ü\nschema")
    assert parse_text(text, ".toml") == spatial_tree


def test_a_record_that_left_its_tree_is_not_written(spatial_tree: dict[str, Any]) -> None:
    changed = dataclasses.replace(Mechanism.from_dict(spatial_tree), name="another")
    with pytest.raises(MechanismError, match="differs from the tree"):
        write_mechanism(changed)
