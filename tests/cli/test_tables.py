"""Tables for people: on no terminal is a number or an id cut, whichever verb prints it."""

from __future__ import annotations

import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symgen.cli.main import VERBS, main
from symgen.cli.tables.table import Column, numbers, print_table, texts
from symgen.cli.terminal.console import table_console

WIDTHS = (100, 80, 60, 30)

#: Every way of the verbs to print a table -> the parts of the JSON document whose ids and numbers it shows.
_PRINTS: dict[str, tuple[list[str], list[str]]] = {
    "analyse": (["analyse", "micro_manipulator"], ["groups.*.bodies", "groups.*.type", "groups.*.signature"]),
    "analyse tables": (["analyse", "quick_return", "--tables"], ["groups.*.bodies", "results_sa"]),
    "graph": (["graph", "stewart_forward"], ["arcs.*.joint", "cycles.*.joint"]),
    "transform": (["transform", "quick_return"], []),
    "solve": (["solve", "nine_bar", "--to", "0.1", "--steps", "2"], []),
    "assemblies": (["solve", "jansen_leg", "--assemblies"], ["assemblies.*.number"]),
    "simulate": (["simulate", "dynamics/bricard", "--step", "0.01", "--until", "0.1"], []),
    "accelerations": (["accelerations", "transfer/tree23"], ["bodies", "joints"]),
    "accelerations planar": (["accelerations", "transfer/slider_crank"], ["bodies", "joints"]),
    "reactions": (["reactions", "reactions/slider_crank.toml", "--time", "0"], ["values.efforts", "flexible"]),
    "vibrations": (["vibrations", "transfer/spring_chain"], ["modes.*.frequency", "modes.*.omega"]),
    "schedule": (["schedule", "nine_bar"], ["groups.*.number", "groups.*.signature"]),
    "check": (["check", "--show", "G4"], []),
    "library list": (["library", "list"], ["types.*.key", "types.*.module", "types.*.degree"]),
    "library show": (["library", "show", "R.R.R 2D"], ["arrangement.joints.*.name", "functions.*.ports.*.name"]),
    "library solve": (["library", "solve", "instances/dyad_rrr.json"], []),
}  # fmt: skip
#: Verbs without a table of their own; a new verb has to be put into one list or the other.
_WITHOUT = {"generate", "report", "export", "synthesise", "import", "demo", "doctor", "schema"}


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _printed(words: list[str], width: int | None, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a verb prints on a terminal of a width, or (None) into a pipe; colours taken away."""
    stream = io.StringIO() if width is None else _Terminal()
    monkeypatch.setenv("COLUMNS", str(width or 80))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(words) in (0, 1)
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


def _tokens(text: str) -> Counter[str]:
    return Counter(text.split())


def _file(word: str, repository: Path) -> str:
    for path in (repository / "examples" / word / "mechanism.toml", repository / "examples" / word):
        if path.is_file():
            return str(path)
    return word


def test_every_verb_that_prints_a_table_is_looked_at() -> None:
    assert {words[0] for words, _ in _PRINTS.values()} | _WITHOUT == set(VERBS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", _PRINTS)
def test_no_terminal_is_too_narrow_for_a_number_or_an_id(
    name: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, shown = _PRINTS[name]
    given = [_file(word, repository) for word in words]
    # 'took 0.0123 s' differs from run to run
    wide = re.sub(r"took.*", "", _printed(given, None, monkeypatch))
    assert "…" not in wide
    if shown:
        document = json.loads(_printed([*given, "--json"], None, monkeypatch))
        for part in shown:
            found = list(_values(document, part.split(".")))
            assert found, part
            for value in found:
                assert _is_shown(value, wide), (part, value)
    for width in WIDTHS:
        narrow = re.sub(r"took.*", "", _printed(given, width, monkeypatch))
        assert "…" not in narrow
        lost = _tokens(wide) - _tokens(narrow)
        # Of titles a block has its own; what stands below them is all there.
        titles = {token for line in wide.splitlines() for token in line.split() if not re.search(r"\d", token)}
        assert not {token for token in lost if token not in titles}, width
        assert not {token for token in lost if token not in narrow}, width
        for line in narrow.splitlines() if width >= 60 else ():  # wider is at most one word with its title
            assert len(line) <= width or len(line.split()) <= 4 or max(map(len, line.split())) > width // 3, line


def _values(document: Any, path: list[str]) -> Iterator[object]:
    """Give the ids and numbers at a path of a document; ``*`` is any entry."""
    if not path:
        if isinstance(document, dict):
            yield from document
            for entry in document.values():
                yield from _values(entry, [])
        elif isinstance(document, list):
            for entry in document:
                yield from _values(entry, [])
        elif isinstance(document, (str, int, float)) and not isinstance(document, bool):
            yield document
        return
    head, *rest = path
    for entry in document if head == "*" else [document[head]]:
        yield from _values(entry, rest)


def _is_shown(value: object, text: str) -> bool:
    if isinstance(value, str):
        keys = ("a", "alpha", "force", "moment", "accelerations", "unique", "components", *WRENCH)
        return value in text or value in keys
    found = re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", text)
    # five digits at least are printed of a number; a rounding of others is 0
    assert isinstance(value, (int, float))
    return any(abs(float(each) - value) <= 5e-5 * abs(value) + 1e-9 for each in found)


#: Parts of a wrench, which a table names where they are not unique.
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
_ARM = "upper_control_arm_of_the_left_front_suspension_of_the_second_prototype_of_this_year"


@pytest.mark.parametrize(
    "words", [["analyse"], ["graph"], ["solve", "--to", "1"], ["accelerations"], ["vibrations"], ["schedule"]]
)
def test_the_longest_ids_are_whole(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1",
        "space": "planar",
        "gravity": [0.0, -9.81],
        "bodies": {_ARM: {"mass": 1.0, "com": [0.0, -0.1], "inertia": 0.01}},
        "joints": {f"{_ARM}_pin": {"type": "R", "bodies": ["ground", _ARM], "at": [0.0, 0.0]}},
    }
    if words[0] not in ("accelerations", "vibrations"):
        tree["joints"][f"{_ARM}_pin"]["driven"] = 1
        tree["drives"] = {f"{_ARM}_pin": "t"}
    file = tmp_path / "m.json"
    file.write_text(json.dumps(tree), encoding="utf-8")
    named = {"graph": 3, "accelerations": 2, "vibrations": 1, "schedule": 0}.get(words[0], 1)
    for width in (None, 80, 60):
        text = _printed([words[0], str(file), *words[1:]], width, monkeypatch)
        assert text.count(_ARM) >= named
        assert text.replace(_ARM, "").count(_ARM[:20]) == 0


@pytest.mark.parametrize("width", [*WIDTHS, 12])
def test_a_table_keeps_every_word_whole(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    stream = _Terminal()
    rows = [
        (
            "a_very_long_identifier_of_a_joint",
            "-1.23456789012e-123",
            "one two three four five six seven eight nine ten",
        ),
        ("b", 0, None),
    ]
    print_table(table_console(stream), [Column("joint"), *numbers("force [N]"), *texts("words about it")], rows)
    text = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    for row in rows:
        for cell in row:
            for word in str("-" if cell is None else cell).split():
                assert re.search(rf"(?<!\S){re.escape(word)}(?!\S)", text), word


def test_a_wide_terminal_has_a_line_for_each_row() -> None:
    stream = io.StringIO()
    print_table(table_console(stream), [Column("id"), *numbers("n")], [("a", 1), ("bb", 22)], title="two of them")
    assert stream.getvalue().splitlines() == ["two of them", "id   n", "a    1", "bb  22"]


def test_wide_letters_take_two_places(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    print_table(
        table_console(stream), [Column("id"), *numbers("n")], [("\N{CJK UNIFIED IDEOGRAPH-6A5F}", 1), ("abc", 2)]
    )
    assert stream.getvalue().splitlines() == ["id   n", "\N{CJK UNIFIED IDEOGRAPH-6A5F}   1", "abc  2"]
