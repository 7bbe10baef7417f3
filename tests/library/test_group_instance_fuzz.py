"""Whatever an instance says, the answer is a document of finite numbers or a refusal of our own."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symgen
from symgen.errors import SymgenError
from symgen.library.instance import instance_of
from symgen.library.solve_instance import solve_instance

SPATIAL: dict[str, Any] = {
    "schema": "symgen/group-instance/1",
    "known": {"K1": {"omega": [0.1, 0, 0.3]}, "K2": {"r": [0.5, 0.2, 0.1], "v": [0, 1, 0]}},
    "bodies": ["b1", "b2"],
    "joints": {
        "A": {
            "type": "R",
            "bodies": ["K1", "b1"],
            "frames": {"K1": {"at": [0, 0, 0], "axis": [0, 0, 1]}, "b1": {"at": [0, 0, 0], "axis": [0, 0, 1]}},
        },
        "B": {
            "type": "S",
            "bodies": ["b1", "b2"],
            "frames": {"b1": {"at": [0.4, 0, 0.1]}, "b2": {"at": [0, 0, 0]}},
        },
        "C": {
            "type": "U",
            "bodies": ["K2", "b2"],
            "frames": {
                "K2": {"at": [0, 0, 0], "axis": [1, 0, 0]},
                "b2": {"at": [0.5, 0, 0], "axis2": [0, 1, 0]},
            },
        },
    },
}

numbers = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0, 1, -1, 1e-300, 1e300, 1e-12, 3, 10**400]),
)
rubbish = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all entries of a tree."""
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [found for key, value in entries for found in ((*path, key), *places(value, (*path, key)))]


def with_value(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    tree = copy.deepcopy(SPATIAL)
    inner: Any = tree
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return tree


PLACES = places(SPATIAL)
NUMBERS = [path for path in PLACES if isinstance(path[-1], int) and path[-2] not in ("bodies",)]


@pytest.fixture(scope="module")
def library() -> Any:
    return symgen.library(backend="numpy")


def test_the_instance_itself_is_solved(library: Any) -> None:
    assert solve_instance(library, instance_of(SPATIAL))["status"] == "OK"


@settings(max_examples=150, deadline=None)
@given(path=st.sampled_from(PLACES), value=rubbish)
def test_a_changed_entry_is_solved_or_refused(library: Any, path: tuple[Any, ...], value: Any) -> None:
    try:
        answer = solve_instance(library, instance_of(with_value(path, value)))
    except SymgenError:
        return
    json.dumps(answer, allow_nan=False)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(path=st.sampled_from(NUMBERS), value=numbers)
def test_a_changed_number_is_solved_or_refused(library: Any, path: tuple[Any, ...], value: float) -> None:
    try:
        answer = solve_instance(library, instance_of(with_value(path, value)))
    except SymgenError:
        return
    json.dumps(answer, allow_nan=False)
    assert (answer["status"] in ("OK", "SINGULAR")) == bool(answer["branches"])


@given(rubbish)
def test_rubbish_is_refused(tree: Any) -> None:
    with pytest.raises(SymgenError):
        instance_of(tree)
