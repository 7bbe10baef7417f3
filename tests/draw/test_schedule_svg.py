"""The picture of a schedule shows every group once on its core, to scale, and the critical path bold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path

import pytest

import symgen
from symgen.cli.main import main
from symgen.draw.schedule_svg import schedule_svg
from symgen.errors import InputError
from symgen.library.catalogue import load_catalogue
from symgen.library.solver_costs import operation_costs
from symgen.topology.scheduling.group_costs import GroupCost, GroupCosts
from symgen.topology.scheduling.schedule import plan_schedule

SVG = "{http://www.w3.org/2000/svg}"
MADE_BY = {
    "rotor_structure.svg": ["analyse", "examples/rotor/mechanism.toml", "--draw"],
    "rotor_schedule.svg": ["schedule", "examples/rotor/mechanism.toml", "--draw"],
    "stewart_schedule.svg": ["schedule", "examples/stewart_inverse/mechanism.toml", "--draw"],
}


def _plan(repository: Path, cores: int = 2):
    structure = symgen.analyse(symgen.load(repository / "examples" / "rotor" / "mechanism.toml"))
    return plan_schedule(structure, operation_costs(structure, load_catalogue()), cores=cores)


def test_bars_are_to_scale_and_the_critical_path_is_bold(repository: Path) -> None:
    plan = _plan(repository)
    root = ET.fromstring(schedule_svg(plan))  # noqa: S314 - our own text
    bars = {}
    for each in root.iter(f"{SVG}g"):
        title, rect = each.findtext(f"{SVG}title"), each.find(f"{SVG}rect")
        if rect is not None and title is not None and rect.get("class").startswith("task"):
            bars[int(title.partition(":")[0].removeprefix("group "))] = rect
    assert sorted(bars) == list(range(1, 10))
    width = float(bars[4].get("width"))
    scale = width / plan.graph.cost[3]
    # Numbers are written to 0.01: a place is off by half of that, and by as much of the scale as the width is.
    off = 0.005 * (1 + 600 / width) + 0.005
    for placement in plan.chosen.placements:
        bar = bars[placement.task + 1]
        assert float(bar.get("width")) == pytest.approx(scale * (placement.end - placement.start), abs=off)
        assert float(bar.get("x")) == pytest.approx(66.0 + scale * placement.start, abs=off)
    assert {number for number, bar in bars.items() if bar.get("class") == "taskbold"} == set(plan.critical_groups)
    bold = {each.findtext(f"{SVG}title") for each in root.iter(f"{SVG}path") if each.get("class") == "needs bold"}
    assert bold == {f"group {b} needs group {a}" for a, b in pairwise(plan.critical_groups)}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", sorted(MADE_BY))
def test_the_pictures_of_the_documents_are_what_the_commands_draw_under_any_hash_seed(
    name: str, repository: Path, tmp_path: Path
) -> None:
    committed = (repository / "docs" / "images" / name).read_bytes()
    for seed in ("1", "77"):
        target = tmp_path / f"{seed}_{name}"
        subprocess.run(
            [sys.executable, "-m", "symgen", *MADE_BY[name], str(target)],
            check=True, cwd=repository, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True,
        )  # fmt: skip
        command = f"symgen {' '.join(MADE_BY[name])} docs/images/{name}"
        assert target.read_bytes() == committed, f"{command}, look at it, commit it"


def test_seconds_are_shown_in_the_unit_that_they_fill(repository: Path) -> None:
    plan = _plan(repository)
    for seconds, words in ((2.5e-7, "2.25 µs in all"), (4e-9, "36 ns in all"), (0.5, "4.5 s in all")):
        costs = GroupCosts("s", {group.number: GroupCost(seconds, "measured") for group in plan.structure.groups})
        assert words in schedule_svg(plan_schedule(plan.structure, costs))


def test_costs_without_time_and_too_many_cores(repository: Path) -> None:
    plan = _plan(repository)
    nothing = GroupCosts("", {group.number: GroupCost(0.0, "given") for group in plan.structure.groups})
    ET.fromstring(schedule_svg(plan_schedule(plan.structure, nothing)))  # noqa: S314 - our own text
    with pytest.raises(InputError, match="at most 400 on 64"):
        schedule_svg(_plan(repository, cores=65))


def test_the_verb_prints_a_table_or_one_document(
    repository: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = str(repository / "examples" / "literature" / "delta.toml")
    assert main(["schedule", file, "--cores", "3"]) == 0
    text = capsys.readouterr().out
    assert "6 sequential, 13 parallel" in text
    assert "no solver in the library" in text
    assert main(["schedule", file, "--json", "--routes", "1"]) == 0
    first = capsys.readouterr().out
    document = json.loads(first)
    assert document["schema"] == "symgen/schedule/1"
    assert [group["cost_from"] for group in document["groups"]].count("estimated") == 1
    assert main(["schedule", file, "--json", "--routes", "1"]) == 0
    assert capsys.readouterr().out == first
    costs = tmp_path / "costs.json"
    costs.write_text('{"schema": "symgen/costs/1", "unit": "us", "default": 2}', encoding="utf-8")
    assert main(["schedule", file, "--costs", str(costs)]) == 0
    assert "one after the other 8 us" in capsys.readouterr().out
    assert main(["schedule", file, "--costs", "mesure"]) == 2
    assert 'did you mean "measure"' in capsys.readouterr().err


def test_measured_costs_are_times_of_solutions_that_assemble(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what cannot depend on the machine: every solver measured, of placements that assemble, larger than none."""
    from symgen.library import solver_costs

    monkeypatch.setattr(solver_costs, "_ROUND_SECONDS", 1e-5)
    monkeypatch.setattr(solver_costs, "_ROUNDS", 1)
    structure = symgen.analyse(symgen.load(repository / "examples" / "rotor" / "mechanism.toml"))
    words: list[str] = []
    costs = solver_costs.measured_costs(structure, symgen.library(backend="numpy"), words.append)
    assert (costs.unit, costs.notices) == ("s", ())
    assert all(cost.source == "measured" and 0.0 < cost.value < 1.0 for cost in costs.of.values())
    assert len(words) == len({group.signature for group in structure.groups})


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_nothing_of_the_task_graph_or_the_bars_covers_another(repository: Path, cores: int) -> None:
    root = ET.fromstring(schedule_svg(_plan(repository, cores)))  # noqa: S314 - our own text
    bars = []
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") in ("task", "taskbold"):
            x, y = float(rect.get("x")), float(rect.get("y"))
            bars.append((x, y, x + float(rect.get("width")), y + float(rect.get("height"))))
    circles = []
    for group in root.iter(f"{SVG}g"):
        circle = group.find(f"{SVG}circle")
        if circle is not None:
            x, y, r = (float(circle.get(key)) for key in ("cx", "cy", "r"))
            words = [text for text in group.iter(f"{SVG}text") if float(text.get("y")) > y + r]
            half = max([r, *(3.4 * len(text.text or "") for text in words)])
            circles.append((x - half, y - r, x + half, max([y + r, *(float(text.get("y")) + 2 for text in words)])))
    assert len(bars) == len(circles) == 9
    for boxes in (bars, circles):
        for (a, b, c, d), (x, y, u, v) in combinations(boxes, 2):
            # Bars follow each other without a gap; places are rounded to a hundredth of a pixel.
            assert min(c, u) - max(a, x) <= 0.02 or min(d, v) - max(b, y) <= 0.02


def _boxes(root: ET.Element) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of the boxes of the panel of routes."""
    found = []
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") in ("step", "stepbold"):
            x, y = float(rect.get("x")), float(rect.get("y"))
            found.append((x, y, x + float(rect.get("width")), y + float(rect.get("height"))))
    return found


@pytest.mark.parametrize(("name", "boxes"), [("mechanism", 24), ("original_inputs", 94)])
def test_routes_are_drawn_as_a_tree_or_a_lattice_whose_boxes_do_not_touch(
    name: str, boxes: int, repository: Path
) -> None:
    """24 ideals of the rotor (its 282 routes make no readable tree); 49 routes with the original inputs."""
    structure = symgen.analyse(symgen.load(repository / "examples" / "rotor" / f"{name}.toml"))
    plan = plan_schedule(structure, operation_costs(structure, load_catalogue()))
    root = ET.fromstring(schedule_svg(plan))  # noqa: S314 - our own text
    places = _boxes(root)
    for (a, b, c, d), (x, y, u, v) in combinations(places, 2):
        assert min(c, u) < max(a, x) or min(d, v) < max(b, y)
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") in ("time", "timebold")]
    if name == "mechanism":
        assert (len(places), bars) == (boxes, [])
        bold = sum(rect.get("class") == "stepbold" for rect in root.iter(f"{SVG}rect"))
        assert bold == len(plan.best[0].steps) + 1
    else:
        assert len(bars) == plan.counts.on_cores == 49
        best, *others = bars  # the best route stands on top, its bar is as long as its time
        assert best.get("class") == "timebold"
        assert {rect.get("class") for rect in others} == {"time"}
        scale = float(best.get("width")) / plan.best[0].cost
        assert max(float(rect.get("width")) for rect in bars) == pytest.approx(scale * plan.graph.total, abs=0.02)


def test_routes_that_are_too_many_to_draw_are_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    joints = {f"J{k}": {"type": "R", "bodies": ["ground", f"b{k}"], "driven": 1} for k in range(30)}
    tree = {"schema": "symgen/mechanism/1", "space": "planar", "bodies": {f"b{k}": {} for k in range(30)}}
    path, target = tmp_path / "many.json", tmp_path / "many.svg"
    path.write_text(json.dumps({**tree, "joints": joints}), encoding="utf-8")
    assert main(["schedule", str(path), "--draw", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert "Too many to draw: a tree of at most 60 routes or 80 sets of solved groups" in text
    assert 'class="step' not in text
    capsys.readouterr()


def test_long_routes_are_cut_in_the_table_and_whole_in_the_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    joints = {f"J{k}": {"type": "R", "bodies": [f"b{k}", f"b{k + 1}"], "driven": 1} for k in range(30)}
    tree = {"schema": "symgen/mechanism/1", "space": "planar", "ground": "b0"}
    path = tmp_path / "long.json"
    path.write_text(json.dumps({**tree, "bodies": {f"b{k}": {} for k in range(1, 31)}, "joints": joints}))
    assert main(["schedule", str(path)]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.endswith("... and 10 more"))
    assert line.split()[4:-4] == [str(k) for k in range(1, 21)]
    assert main(["schedule", str(path), "--json"]) == 0
    (route,) = json.loads(capsys.readouterr().out)["best_routes"]
    assert route["steps"] == [[k] for k in range(1, 31)]
