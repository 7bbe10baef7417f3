"""A mechanism that welds hold together has an answer of every verb, and no internal fault."""

from __future__ import annotations

import json

import pytest

from symgen.cli.main import main
from symgen.errors import StructureError
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse
from symgen.topology.scheduling.group_costs import GroupCosts
from symgen.topology.scheduling.schedule import plan_schedule
from symgen.topology.transformations.transform import transform

TREE = {
    "schema": "symgen/mechanism/1",
    "name": "statue",
    "space": "spatial",
    "bodies": {"a": {}, "b": {}},
    "joints": {"A": {"type": "W", "bodies": ["ground", "a"]}, "B": {"type": "W", "bodies": ["a", "b"]}},
}


@pytest.fixture
def statue(tmp_path):
    path = tmp_path / "statue.json"
    path.write_text(json.dumps(TREE), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_there_is_nothing_to_drive(statue, capsys, extra):
    assert main(["transform", statue, *extra]) == 1
    out, err = capsys.readouterr()
    assert "no freedom to drive: welds hold all bodies to the frame" in err
    if extra:
        document = json.loads(out)
        assert (document["status"], document["choices"]) == ("none", [])
        assert "nothing moves" in document["reason"]


def test_there_is_nothing_to_schedule_and_that_is_no_failure(statue, capsys, tmp_path):
    assert main(["schedule", statue]) == 0
    assert capsys.readouterr().out == "statue has nothing to solve: welds hold all bodies to the frame\n"
    assert main(["schedule", statue, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], document["groups"], document["reason"] is None) == ("determined", [], False)
    assert main(["schedule", statue, "--draw", str(tmp_path / "s.svg")]) == 1  # what was asked for cannot be drawn
    assert "nothing to solve" in capsys.readouterr().err
    assert not (tmp_path / "s.svg").exists()


def test_the_functions_say_so_too():
    mechanism = Mechanism.from_dict(TREE)
    with pytest.raises(StructureError, match="nothing moves"):
        transform(mechanism)
    with pytest.raises(StructureError, match="nothing to solve"):
        plan_schedule(analyse(mechanism), GroupCosts("", {}))
    hinge = {**TREE, "joints": {**TREE["joints"], "C": {"type": "W", "bodies": ["ground", "b"]}}}
    assert analyse(Mechanism.from_dict(hinge)).status == "determined"  # welds may close a circle
