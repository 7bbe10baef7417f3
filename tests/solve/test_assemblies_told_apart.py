"""What is said of assemblies: places that tell them apart, and why there are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import symgen
from symgen.cli.main import main
from symgen.cli.tables.assembly_places import telling_places
from symgen.errors import SolveError
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.status import Status

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# The ball lies on the axis of the rocker: coupler and rocker turn about it as they like.
IDLE: dict[str, Any] = {
    "schema": "symgen/mechanism/1", "space": "spatial", "bodies": {"crank": {}, "coupler": {}, "rocker": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 0, 1], "driven": 1},
        "B": {"type": "S", "bodies": ["crank", "coupler"], "at": [0.1, 0, 0]},
        "C": {"type": "U", "bodies": ["coupler", "rocker"], "at": [0.3, 0.3, 0.1], "axis": [0, 1, 0],
              "axis2": [1, 0, 0]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [0.3, 0, 0], "axis": [1, 0, 0]},
    },
    "drives": {"A": "2*pi*t"},
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["nine_bar", "jansen_leg", "double_coupler"])
def test_the_places_shown_tell_all_assemblies_apart(name: str, numpy_library: Library) -> None:
    found = symgen.assemblies(symgen.load(EXAMPLES / name / "mechanism.toml"), library=numpy_library)
    places = telling_places(found)
    rows = list(zip(*(texts for _, texts in places), strict=True))
    assert len(set(rows)) == len(rows) == len(found)
    assert not any("-0," in f"{text}," or "e-1" in text for row in rows for text in row)


def test_infinitely_many_solutions_are_not_called_out_of_reach(numpy_library: Library) -> None:
    mechanism = Mechanism.from_dict(IDLE)
    assert symgen.assemblies(mechanism, library=numpy_library).reason is Status.DEGENERATE
    with pytest.raises(SolveError, match="no solution or infinitely many solutions") as caught:
        symgen.solve(mechanism, [0.0], library=numpy_library)
    assert caught.value.status is Status.DEGENERATE


def test_a_whole_module_of_what_does_not_close_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames = {"A": ([0, 0], [0, 0]), "B": ([0.1, 0], [0, 0]), "C": ([0.1, 0], [0, 0]), "D": ([0.1, 0], [1, 0])}
    ends = {"A": ("ground", "a"), "B": ("a", "b"), "C": ("b", "c"), "D": ("c", "ground")}
    lines = ['schema = "symgen/mechanism/1"', 'space = "planar"', "[bodies]", "a = {}", "b = {}", "c = {}"]
    for joint, (one, two) in ends.items():
        lines += [f"[joints.{joint}]", 'type = "R"', f'bodies = ["{one}", "{two}"]']
        lines += [f"frames.{body} = {{ at = {list(at)} }}" for body, at in zip((one, two), frames[joint], strict=True)]
        lines += ["driven = 1"] * (joint == "A")
    file = tmp_path / "open.toml"
    file.write_text("\n".join([*lines, "[drives]", 'A = "t"', ""]), encoding="utf-8")
    assert main(["generate", "--mechanism", str(file), "--whole", "--name", "bars", "--out", str(tmp_path)]) == 0
    assert "gives no initial branches" in (said := capsys.readouterr().err)
    assert "no real solution in the reference configuration" in said
