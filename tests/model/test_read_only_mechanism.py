"""What a mechanism shows cannot be changed behind its back: it would be shown, and computed with nowhere."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.model.read_only import ReadOnly

_TREE: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "lift",
    "space": "planar",
    "ground": "frame",
    "parameters": {"s": 0.01, "rate": "2*s"},
    "bodies": {
        "frame": {"points": {"O": [0.0, 0.0]}},
        "table": {"points": {"P": [0.0, "s"]}, "mass": 1.0, "com": [0.0, 0.0], "inertia": [0, 0, 0.1, 0, 0, 0]},
        "crank": {},
    },
    "joints": {
        "A": {"type": "P", "bodies": ["frame", "table"], "at": [0.0, 0.0], "axis": [1.0, 0.0], "driven": 1},
        "B": {"type": "R", "bodies": ["frame", "crank"], "at": [0.0, 0.0]},
    },
    "drives": {"A": "rate*t"},
    "initial": {"joints": {"B": {"angle": 0.0, "rate": 1.0}}},
}


def test_a_parameter_that_is_set_is_refused_with_the_way_to_do_it() -> None:
    mechanism = Mechanism.from_dict(_TREE)
    with pytest.raises(InputError, match=r"m = m\.with_parameters\(NAME=NUMBER\)"):
        mechanism.parameters["s"] = 0.02  # type: ignore[index]  # what a user would try
    with pytest.raises(TypeError):  # as of any other table that cannot be changed
        mechanism.parameters["s"] = 0.02  # type: ignore[index]
    assert mechanism.with_parameters(s=0.02).parameters == {"s": 0.02, "rate": 0.04}


def test_no_table_that_a_mechanism_shows_can_be_changed() -> None:
    mechanism = Mechanism.from_dict(_TREE)
    for chosen in (mechanism, copy.deepcopy(mechanism), copy.copy(mechanism)):
        found = list(_containers(chosen, "mechanism"))
        tables = [value for _, value in found if isinstance(value, Mapping)]
        assert len(tables) > 10
        wrong = [path for path, value in found if not isinstance(value, (ReadOnly, tuple))]
        assert not wrong
        for table in tables:
            kind, made_of = table.__reduce__()  # how it goes to another process
            assert kind(*made_of) == table
            for change in (
                lambda it: it.__setitem__("x", 1), lambda it: it.update(x=1), lambda it: it.clear(),
                lambda it: it.setdefault("x", 1), lambda it: it.popitem(), lambda it: it.pop("x", None),
                lambda it: it.__delitem__("x"), lambda it: it.__ior__({"x": 1}),
            ):  # fmt: skip
                with pytest.raises(InputError, match="read-only"):
                    change(table)
        assert chosen == mechanism


def test_the_tree_of_a_mechanism_is_a_copy_that_can_be_changed() -> None:
    mechanism = Mechanism.from_dict(_TREE)
    tree = mechanism.to_dict()
    assert tree == _TREE
    assert json.loads(json.dumps(mechanism.source)) == _TREE
    tree["bodies"]["table"]["points"]["P"][0] = 0.5
    assert Mechanism.from_dict(tree).body("table").points["P"][0] == 0.5
    assert mechanism.body("table").points["P"][0] == 0.0
    assert mechanism.to_dict() == _TREE


def _containers(value: object, path: str) -> Iterator[tuple[str, object]]:
    """Give everything that could be changed in place, at any depth, with where it stands."""
    if is_dataclass(value):
        for each in fields(value):
            yield from _containers(getattr(value, each.name), f"{path}.{each.name}")
    elif isinstance(value, Mapping):
        yield path, value
        for key, entry in value.items():
            yield from _containers(entry, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple, set)):
        yield path, value
        for k, entry in enumerate(value):
            yield from _containers(entry, f"{path}[{k}]")
