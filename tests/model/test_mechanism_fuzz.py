"""Whatever a file holds: a Mechanism or a SymgenError with a readable message, nothing else, and soon."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symgen.errors import SymgenError
from symgen.model.load import parse_text
from symgen.model.mechanism import Mechanism

RELAXED = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

VOCABULARY = """A B C D 1 2 3 4 L speed R P S C U F L W angle slide rate at axis axis2 q frames bodies type driven
    pitch kind pose r spring force torque joint spatial planar ground mass points t sin(t) 1/0 sqrt(-1) L*t 2*L ( **
    __import__('os')"""
WORDS = st.sampled_from(VOCABULARY.split())
NUMBERS = st.integers(-3, 7) | st.floats() | st.sampled_from([10**400, -(2**70), 1e308, 5e-324, True, False])
LEAVES = st.none() | NUMBERS | WORDS | st.text(max_size=5)
JUNK = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=4),
    max_leaves=8,
)


def refusal(action: Callable[[], object]) -> str:
    """The message if the action is refused; any other exception fails the test."""
    try:
        action()
    except SymgenError as error:
        return str(error)
    return ""


def check_tree(tree: Any) -> None:
    made: list[Mechanism] = []
    message = refusal(lambda: made.append(Mechanism.from_dict(tree, "fuzz.json")))
    assert made or message
    assert all(line.isprintable() for line in message.split("\n"))
    assert len(message) < 20_000
    for mechanism in made:
        refusal(mechanism.require_drives)
        refusal(mechanism.require_frames)


def check_text(text: str, suffix: str) -> None:
    trees: list[Any] = []
    message = refusal(lambda: trees.append(parse_text(text, suffix, "fuzz")))
    assert message.isprintable()
    for tree in trees:
        check_tree(tree)


def folders(tree: Any) -> list[Any]:
    found = [tree] if isinstance(tree, (dict, list)) and tree else []
    entries = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return found + [each for entry in entries for each in folders(entry)]


@RELAXED
@given(data=st.data())
def test_a_right_tree_with_a_few_wrong_entries(spatial_tree: dict[str, Any], data: st.DataObject) -> None:
    tree = copy.deepcopy(spatial_tree)
    for _edit in range(data.draw(st.integers(1, 3))):
        places = folders(tree)
        folder = places[data.draw(st.integers(0, len(places) - 1))]
        keys = list(folder) if isinstance(folder, dict) else range(len(folder))
        if isinstance(folder, dict) and data.draw(st.booleans()):
            folder[data.draw(WORDS)] = data.draw(JUNK)
        else:
            folder[keys[data.draw(st.integers(0, len(keys) - 1))]] = data.draw(JUNK)
    check_tree(tree)


@RELAXED
@given(JUNK)
def test_any_tree(tree: Any) -> None:
    check_tree(tree)


@RELAXED
@given(
    st.text(max_size=80) | st.text(alphabet="[]{}\"'=.,#\n\t ab01-+eE\\:_truefalsnicyd", max_size=80),
    st.sampled_from([".toml", ".json"]),
)
def test_any_text(text: str, suffix: str) -> None:
    check_text(text, suffix)


@RELAXED
@given(data=st.data())
def test_a_right_text_with_a_few_wrong_characters(spatial_tree: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(spatial_tree)
    for _edit in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.text(alphabet='{}[]",:0e-.\\ L\x00é', max_size=3))
            + text[at + data.draw(st.integers(0, 5)) :]
        )
    check_text(text, ".json")
