"""The document of the mechanism file tells the truth: its files load, its messages exist, its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from symgen.errors import MechanismError
from symgen.model.load import parse_text, schema
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import PAIR_TYPES


@pytest.fixture
def document(repository: Path) -> str:
    return (repository / "docs" / "mechanism-file.md").read_text(encoding="utf-8")


def test_every_file_in_it_loads(document: str) -> None:
    blocks = re.findall(r"```(toml|json)\n(.*?)```", document, re.DOTALL)
    assert len(blocks) >= 4
    mechanisms = [Mechanism.from_dict(parse_text(text, f".{kind}")) for kind, text in blocks]
    for mechanism in mechanisms[1:]:  # the first is structure only, as its heading says
        mechanism.require_frames()
        mechanism.require_drives()


def test_every_pair_type_and_freedom_is_in_it(document: str) -> None:
    rows = "\n".join(line for line in document.splitlines() if line.startswith("|"))
    for pair in PAIR_TYPES.values():
        assert re.search(rf"\b{pair.code}\b", rows), pair.code
        assert all(freedom in rows for freedom in pair.freedoms)


def test_every_key_of_the_file_is_in_it(document: str) -> None:
    def keys(rules: object) -> set[str]:
        if isinstance(rules, list):
            return {key for each in rules for key in keys(each)}
        if not isinstance(rules, dict):
            return set()
        own = set(rules.get("properties", {}))
        return own | {key for each in rules.values() for key in keys(each)}

    assert {key for key in keys(schema()) if not re.search(rf"\b{key}\b", document)} == set()


def explained(joint: dict[str, Any] | None = None, /, **top: Any) -> dict[str, Any]:
    made = {"type": "R", "bodies": ["ground", "crank"], "driven": 1, **(joint or {})}
    return {
        "schema": "symgen/mechanism/1",
        "space": "spatial",
        "bodies": {"crank": {}, "2": {}},
        "joints": {"A": made},
        **top,
    }


EXPLAINED = [
    ("must have 3 entries, found 2", explained({"at": [0, 0]})),
    ('found "revolute"; did you mean "R" (revolute)?', explained({"type": "revolute"})),
    ("has no meaning in a planar mechanism", explained({"type": "S"}, space="planar")),
    ('no body has the id "crnk"; did you mean "crank"?', explained({"bodies": ["ground", "crnk"]})),
    ('joins "2" with itself', explained({"bodies": ["2", "2"]})),
    (
        "does not say which of the 3 bodies move relative to each other",
        explained({"bodies": ["ground", "crank", "2"]}),
    ),
    (
        "L between bodies 1, 2 and between 2, 3 does not make it one between 1, 3",
        explained({"type": "L", "driven": 0, "bodies": ["ground", "crank", "2"]}),
    ),
    ('expression "2*T", character 3: unknown name "T"; did you mean "t"?', explained(drives={"A": "2*T"})),
    ('division of 1 by zero in "1/L" (at L = 0)', explained(parameters={"L": 0, "k": "1/L"})),
    ("defined by itself: a -> b -> a", explained(parameters={"a": "b", "b": "a"})),
    ("must be a direction, found a vector of length 0", explained({"at": [0, 0, 0], "axis": [0, 0, 0]})),
    ("is parallel to axis", explained({"at": [0, 0, 0], "axis": [0, 0, 1], "axis2": [0, 0, 1]})),
    (
        "must be a quaternion of unit length, found length 2; scalar first",
        explained(bodies={"crank": {"pose": {"q": [2, 0, 0, 0]}}}),
    ),
    ("(both sides at once) and frames (each side) exclude each other", explained({"at": [0, 0, 0], "frames": {}})),
    ("known to the structural analysis only", explained({"type": "EO", "at": [0, 0, 0]})),
    ("must be a whole number from 0 to 1", explained({"driven": 2})),
    ('a law is given, but joint "A" has no driven freedom', explained({"driven": 0}, drives={"A": "t"})),
    ("driven = 1 does not say which of slide, angle this law is for", explained({"type": "C"}, drives={"A": "t"})),
    ("no body has this inertia", explained(bodies={"crank": {"inertia": [1, 1, 1, 9, 0, 0]}})),
    ("driven angle has no law", explained()),
    ("the geometry is not complete: R lacks axis", explained({"driven": 0, "at": [0, 0, 0]})),
]


@pytest.mark.parametrize(("message", "tree"), EXPLAINED)
def test_the_messages_it_explains_are_those_a_user_sees(document: str, message: str, tree: dict[str, Any]) -> None:
    assert message in document
    with pytest.raises(MechanismError, match=re.escape(message)):
        require_all(Mechanism.from_dict(tree))


def require_all(mechanism: Mechanism) -> None:
    mechanism.require_drives()
    mechanism.require_frames()
