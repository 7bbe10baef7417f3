"""The published JSON Schema says the same as the reader about keys and kinds of values.

Checked with the small validator below, which knows the keywords the schema uses and no more.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symgen.errors import MechanismError
from symgen.model.load import load, schema
from symgen.model.mechanism import Mechanism

KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list, tuple),
    "string": (str,),
    "number": (int, float),
    "boolean": (),
}
KEYWORDS = {
    "$schema", "$id", "title", "description", "type", "const", "enum", "pattern", "maxLength", "items", "minItems",
    "maxItems", "properties", "required", "additionalProperties", "propertyNames", "anyOf", "oneOf",
}  # fmt: skip


def valid(value: Any, rules: dict[str, Any]) -> bool:
    assert rules.keys() <= KEYWORDS, rules.keys() - KEYWORDS
    if "anyOf" in rules:
        return any(valid(value, each) for each in rules["anyOf"])
    if "oneOf" in rules:
        return sum(valid(value, each) for each in rules["oneOf"]) == 1
    if "const" in rules:
        return bool(value == rules["const"])
    if "enum" in rules:
        return value in rules["enum"]
    kinds = [rules["type"]] if isinstance(rules["type"], str) else rules["type"]
    if isinstance(value, bool):  # which Python takes for a number
        return "boolean" in kinds
    if not any(isinstance(value, KINDS[kind]) for kind in kinds):
        return False
    if isinstance(value, dict):
        return valid_table(value, rules)
    if isinstance(value, (list, tuple)):
        size = rules["minItems"] <= len(value) <= rules["maxItems"]
        return size and all(valid(entry, rules["items"]) for entry in value)
    if isinstance(value, str):
        return re.search(rules.get("pattern", ""), value) is not None and len(value) <= rules.get(
            "maxLength", len(value)
        )
    return True


def valid_table(value: dict[str, Any], rules: dict[str, Any]) -> bool:
    known, others = rules.get("properties", {}), rules["additionalProperties"]
    if not set(rules.get("required", ())) <= value.keys():
        return False
    for key, entry in value.items():
        if key in known:
            if not valid(entry, known[key]):
                return False
        elif others is False or not re.search(rules["propertyNames"]["pattern"], key) or not valid(entry, others):
            return False
    return True


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(tree, dict):
        for key, entry in tree.items():
            yield from places(entry, (*path, key))
    elif isinstance(tree, list):
        for index, entry in enumerate(tree):
            yield from places(entry, (*path, index))


def with_value(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    if isinstance(tree, dict):
        return {**tree, path[0]: with_value(tree[path[0]], path[1:], value)}
    return [*tree[: path[0]], with_value(tree[path[0]], path[1:], value), *tree[path[0] + 1 :]]


def test_the_schema_is_json_and_names_its_draft() -> None:
    document = json.loads(json.dumps(schema()))
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["properties"]["schema"]["const"] == "symgen/mechanism/1"
    assert document["additionalProperties"] is False


def test_right_trees_are_valid(spatial_tree: dict[str, Any], planar_tree: dict[str, Any]) -> None:
    for tree in (spatial_tree, planar_tree):
        assert valid(tree, schema())


def test_every_example_is_valid_and_loads(repository: Path) -> None:
    for path in sorted((repository / "examples").rglob("*.toml")):
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
        if tree.get("schema") == "symgen/mechanism/1":
            assert valid(tree, schema()), path
            load(path)


@pytest.mark.parametrize("junk", [None, True, 7, "?!", [], {}, {"kind": "?"}, [[1]], {"unknown key": 1}])
def test_whatever_is_put_anywhere_what_the_schema_refuses_the_reader_refuses(
    spatial_tree: dict[str, Any], junk: Any
) -> None:
    rules = schema()
    for path in places(spatial_tree):
        tree = with_value(spatial_tree, path, junk)
        if not valid(tree, rules):
            with pytest.raises(MechanismError):
                Mechanism.from_dict(tree)
