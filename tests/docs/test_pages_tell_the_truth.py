"""What the pages say of keys, options, attributes and pages is so: each is looked up in what the program gives."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from symgen.cli.generate import command as generate
from symgen.cli.generate.short_forms import with_subcommand
from symgen.cli.main import VERBS, cli, main
from symgen.derive.loops.cut_joint import CUT_CONSTRAINTS
from symgen.simulate.results.records import Run
from symgen.simulate.results.result import SimulationResult

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", *sorted(DOCS.glob("*.md")), *sorted((REPOSITORY / "examples").glob("**/README.md"))]

#: Documents of verbs: page, arguments, and keys that hold tables by name (ids, columns), whose keys are the user's.
PENDULUM = "examples/dynamics/bricard/mechanism.toml"
DOCUMENTS = {
    "analyse": ("structure.md", "examples/literature/klann.toml", ()),
    "solve": ("solving.md", "examples/quick_return/mechanism.toml --to 1 --steps 2", ("rows", "statuses")),
    "solve --assemblies": ("solving.md", "examples/quick_return/mechanism.toml", ("bodies", "branches")),
    "simulate": ("simulate-output.md", f"{PENDULUM} --step 0.01 --until 0.02", ("rows", "resultants", "reactions")),
    "accelerations": ("transfer-matrices.md", PENDULUM, ("bodies", "joints")),
    "reactions": (
        "reactions.md",
        "examples/reactions/slider_crank.toml --time 0 --set A1,A2 --resultant crank:A1,A2 --tool dca",
        ("joints", "drives", "components", "sets", "resultants", "efforts", "ground_joints", "propagated"),
    ),
    "transform": ("transformations.md", "examples/spatial_four_bar/mechanism.toml", ("inputs",)),
    "graph": ("topological-graphs.md", "examples/graphs/parallel_manipulator.toml", ()),
    "schedule": ("schedule.md", "examples/nine_bar/mechanism.toml", ()),
}


def keys_of(value: Any, named: tuple[str, ...]) -> Iterator[str]:
    """Keys at any depth; of a table by name those of its entries only."""
    if isinstance(value, list):
        for each in value[:3]:
            yield from keys_of(each, named)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key != "schema":
                yield key
            inside = list(each.values()) if key in named and isinstance(each, dict) else each
            yield from keys_of(inside, named)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_key_of_a_document_is_on_its_page(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    page, arguments, named = DOCUMENTS[name]
    assert main([*name.split(), *arguments.split(), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    text = (DOCS / page).read_text(encoding="utf-8")
    assert {key for key in keys_of(document, named) if not re.search(rf"\b{key}\b", text)} == set()
    assert document["schema"] in text


def test_the_table_of_simulation_keys_is_that_of_the_document(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    file = str(tmp_path / "motion.csv")
    assert main(["simulate", PENDULUM, "--step", "0.01", "--until", "0.02", "--json", "--output", file]) == 0
    document = json.loads(capsys.readouterr().out)
    table = (
        (DOCS / "simulate-output.md").read_text(encoding="utf-8").partition("| key | holds |")[2].partition("\n\n")[0]
    )
    told = set(re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in table.splitlines()[2:])))
    assert told == document.keys() - {"schema"}


def options_of(command: click.Command, words: list[str]) -> set[str]:
    """Options of a verb (and of the command below it that the words name)."""
    found = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    if isinstance(command, click.Group) and words and words[0] in command.commands:
        found |= options_of(command.commands[words[0]], words[1:])
    return found | {"--help", "--version"}


def test_options_on_the_pages_are_those_of_the_verbs() -> None:
    context = click.Context(cli)
    verbs = {verb: command for verb in VERBS if (command := cli.get_command(context, verb)) is not None}  # type: ignore[attr-defined]
    wrong = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for command in re.findall(r"(?:`|^\$ )symgen ([a-z]+[^`\n]*)", text, re.M):
            verb, *words = command.split("#")[0].split()
            if verb not in verbs:
                wrong.append(f"{page.name}: symgen {verb}")
                continue
            # other programs follow a pipe or a semicolon
            own = re.split(r"[;|&]| - ", command)[0]
            if verb == "generate":  # a short form has the options of what it stands for
                words = with_subcommand(words, generate.commands)
                own = " ".join(with_subcommand(own.split()[1:], generate.commands))
            known = options_of(verbs[verb], words)
            wrong += [
                f"{page.name}: symgen {verb} {option}"
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", own)
                if option not in known
            ]
    assert wrong == []


def test_what_the_page_names_of_a_result_is_there() -> None:
    text = (DOCS / "simulate-output.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmotion\.(\w+)", text)) - {"csv", "svg", "html"}
    fields = {field.name for field in dataclasses.fields(SimulationResult)}
    assert {name for name in named if name not in fields and not hasattr(SimulationResult, name)} == set()
    (told,) = re.findall(r"motion\.run  # (.*)", text)
    assert set(told.split(", ")) == {field.name for field in dataclasses.fields(Run)}


def test_a_measurement_is_linked_to_the_page_that_it_writes() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    writes = dict(re.findall(r"make (bench[a-z-]*) .*write docs/([\w-]+\.md)", makefile))
    assert len(writes) == 4
    for page in PAGES:
        for line in page.read_text(encoding="utf-8").splitlines():
            for target in re.findall(r"`make (bench[a-z-]*)`", line):
                linked = re.findall(r"(benchmarks[a-z-]*\.md)", line)
                assert not linked or writes[target] in linked, f"{page.name}: {line}"


def test_the_table_of_cut_joints_is_what_is_derived() -> None:
    text = (DOCS / "topological-graphs.md").read_text(encoding="utf-8")
    lines = text.partition("| joint | constraints h |")[2].partition("\n\n")[0].splitlines()[2:]
    told: dict[tuple[str, str], str] = {}
    for joints, constraints in (line.strip("| ").split(" | ") for line in lines):
        space = "planar" if joints.endswith(" in the plane") else "spatial"
        told.update({(space, code): constraints for code in joints.removesuffix(" in the plane").split(", ")})

    def places_and_turns(space: str, code: str) -> list[str]:
        found = re.findall(r"\w1·(?:d|\w2)(?= *[,;(]|$)", told[space, code])
        return [
            each
            for other in re.findall(r"those of (\w+)", told[space, code])
            for each in places_and_turns(space, other)
        ] + found

    for space, types in CUT_CONSTRAINTS.items():
        assert {code for where, code in told if where == space} == set(types)
        for code, (places, turns) in types.items():
            derived = [*(f"{axis}1·d" for axis in places), *(f"{one}1·{two}2" for one, two in turns)]
            shown = places_and_turns(space, code)
            # an H names behind its constraints the numbers that its helix is made of
            assert (shown[: len(derived)] if code == "H" else shown) == derived, code


def test_what_the_page_says_of_the_rotor_is_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    text = " ".join((DOCS / "transformations.md").read_text(encoding="utf-8").split())
    assert (
        "All nine groups are solved in closed form, as are the seven of the present inputs. Row 3 has one level" in text
    )
    assert main(["transform", "examples/rotor_original/mechanism.toml", "--limit", "3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    first, _, third, *_ = document["choices"]
    assert (first["groups"], first["solved"]) == (9, 9)
    assert (document["current"]["groups"], document["current"]["solved"]) == (7, 7)
    assert third["levels"] == first["levels"] - 1
