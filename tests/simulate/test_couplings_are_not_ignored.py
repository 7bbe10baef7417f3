"""What is not used yet is never left out in silence: couplings are refused by all that moves, limits are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli.main import main
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.write import write_mechanism
from symgen.solve.assemblies import assemblies
from symgen.vibrations.analysis import vibrations

SOLID = {"mass": 1.0, "com": [0.07, 0, 0], "inertia": [0.01, 0.01, 0.01, 0, 0, 0]}


def arm(driven: int = 1, **more: Any) -> Mechanism:
    joints = {
        "A": {"type": "R", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0], "driven": driven},
        "B": {"type": "R", "bodies": ["a", "b"], "at": [0.2, 0, 0], "axis": [0, 1, 0], "driven": driven},
    }
    tree = {
        "schema": "symgen/mechanism/1",
        "name": "arm",
        "space": "spatial",
        "bodies": {"a": SOLID, "b": SOLID},
        "joints": joints,
        **({"drives": {"A": "t", "B": "-2*t"}} if driven else {}),
        **more,
    }
    return Mechanism.from_dict(tree)


COUPLED = {"couplings": {"mimic": {"relation": "B.angle = -2*A.angle"}}}
MOVERS: dict[str, Callable[[Mechanism], object]] = {
    "solve": lambda m: symgen.solve(m, [0.0, 0.1]),
    "assemblies": lambda m: assemblies(m, 0.0),
    **{
        f"simulate {method}": lambda m, method=method: symgen.simulate(m, method=method, step=0.01, until=0.02)
        for method in ("dimcd", "variational", "group", "riccati", "transfer")
    },
    **{
        f"accelerations {method}": lambda m, method=method: symgen.accelerations(m, method)
        for method in ("riccati", "transfer", "multiplier")
    },
    "vibrations": vibrations,
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", MOVERS)
def test_couplings_are_refused_by_name_and_can_be_left_out(name: str) -> None:
    driven = 1 if name in ("solve", "assemblies") else 0
    spring = {"kind": "joint", "joint": "A", "stiffness": 1.0}
    more = {"forces": {"k": spring, "l": {**spring, "joint": "B"}}} if name == "vibrations" else {}
    coupled = arm(driven, **COUPLED, **more)
    with pytest.raises(MechanismError, match="does not use couplings yet") as refusal:
        MOVERS[name](coupled)
    assert refusal.value.field == "couplings.mimic"
    MOVERS[name](coupled.without_couplings())
    assert coupled.without_couplings() == arm(driven, **more)


def test_beams_do_not_hide_a_coupling() -> None:
    beam = {"length": 1.0, "mass_per_length": 1.0, "bending": [50.0, 50.0], "modes": 1}
    joints = {"A": {"type": "R", "bodies": ["ground", "beam"], "at": [0, 0, 0], "axis": [0, 1, 0]}}
    tree = {"schema": "symgen/mechanism/1", "space": "spatial", "bodies": {"beam": {"beam": beam}}, "joints": joints}
    coupled = Mechanism.from_dict({**tree, "couplings": {"c": {"relation": "A.angle = 1"}}})
    for name in ("simulate riccati", "accelerations riccati", "accelerations multiplier", "vibrations"):
        with pytest.raises(MechanismError, match="does not use couplings yet"):
            MOVERS[name](coupled)


@pytest.mark.slow
def test_the_motion_says_which_limits_it_passes_and_when(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = {"A.angle": [-1, 0.5], "B.angle": [-3, 3]}
    solved = symgen.solve(arm(limits=limits), np.linspace(0, 1, 11))
    (note,) = solved.notes
    assert note == (
        "symgen does not stop a motion at its limits, and this motion exceeds them: "
        "A.angle is 0.6 at t = 0.6 s, beyond [-1, 0.5]"
    )
    assert solved.to_dict()["notes"] == [note]
    (kept,) = symgen.solve(arm(limits=limits), [0.0, 0.5]).notes  # on the limit is not beyond it
    assert "keeps within all of them" in kept
    assert symgen.solve(arm(), [0.0, 1.0]).notes == ()
    file = tmp_path / "arm.toml"
    file.write_text(write_mechanism(arm(limits=limits)), encoding="utf-8")
    for words in ([], ["--all-branches"]):
        assert main(["solve", str(file), "--to", "1", "--steps", "10", *words]) == 0
        assert note in " ".join(capsys.readouterr().out.split())
    moved = symgen.simulate(arm(0, limits=limits, initial={"joints": {"A": {"rate": 1.0}}}), step=0.01, until=1.0)
    assert any(warning.startswith("symgen does not stop a motion at its limits") for warning in moved.run.warnings)


def test_verbs_refuse_leave_out_or_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(write_mechanism(arm(**COUPLED)), encoding="utf-8")
    assert main(["solve", str(file), "--to", "1", "--steps", "2"]) == 2
    assert "couplings.mimic: solving group by group does not use couplings yet" in capsys.readouterr().err
    assert main(["solve", str(file), "--to", "1", "--steps", "2", "--without-couplings", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["status"] == "OK"
    assert "note: couplings left out: mimic" in told.err
    for verb in ("simulate", "accelerations", "vibrations"):
        more = ["--step", "0.1", "--until", "0.2"] if verb == "simulate" else []
        assert main([verb, str(file), *more]) == 2
        assert "does not use couplings yet" in capsys.readouterr().err
    for verb in ("analyse", "graph", "schedule", "transform"):
        assert main([verb, str(file)]) == 0, verb
        assert "note: couplings (mimic) are not counted yet" in capsys.readouterr().err
    assert main(["analyse", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["couplings_not_counted"] == ["mimic"]
    for words in (["generate", "--mechanism", str(file), "--loops"], ["generate", "--mechanism", str(file), "--whole"]):
        assert main([*words, "--out", str(tmp_path / "out")]) == 2
        assert "does not use couplings yet" in capsys.readouterr().err
    assert main(["generate", "--dynamics", "--mechanism", str(file), "--out", str(tmp_path / "out")]) == 2
    assert "does not use couplings yet" in capsys.readouterr().err
    assert main(["report", str(file)]) == 0  # its structure; in place of the equation, why there is none
    assert "does not use couplings yet" in capsys.readouterr().out
    assert main(["report", str(file), "--numbers"]) == 2
    assert "does not use couplings yet" in capsys.readouterr().err
