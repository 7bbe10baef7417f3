"""`symgen generate`: what a short form stands for, and that both are the same run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symgen.cli.generate import command
from symgen.cli.generate.short_forms import SUBCOMMANDS, with_subcommand
from symgen.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FOUR_BAR = str(EXAMPLES / "spatial_four_bar" / "mechanism.toml")


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("dyad_rrr --out x", "types dyad_rrr --out x"),
        ("--all", "types --all"),
        ("--mechanism M", "types --mechanism M"),
        ("--mechanism M dyad_rrr", "types --mechanism M dyad_rrr"),
        ("--mechanism M --whole --name n", "mechanism M --name n"),
        ("--whole --mechanism=M", "mechanism M"),
        ("--whole --mechanism=-x.toml", "mechanism -- -x.toml"),
        ("--mechanism M --dynamics --method riccati", "dynamics M --method riccati"),
        ("--out x --mechanism M --loops --order 3", "loops M --out x --order 3"),
        ("H.U.S_3D --newton --math libm", "newton H.U.S_3D --math libm"),
        ("--engines --force", "engines --force"),
        ("-- --whole", "types -- --whole"),
    ],
)
def test_a_short_form_stands_for_a_subcommand(short: str, long: str) -> None:
    assert with_subcommand(short.split(), command.commands) == long.split()
    assert with_subcommand(long.split(), command.commands) == long.split()


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (["driven_r_2d"], ["types", "driven_r_2d"]),
        (["--mechanism", FOUR_BAR, "--loops"], ["loops", FOUR_BAR]),
    ],
    ids=["types", "loops"],
)
def test_both_write_the_same(
    short: list[str],
    long: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = []
    for name, words in (("short", short), ("long", long)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert main(["generate", *words, "--backend", "numpy", "--out", "out", "--json"]) == 0
        files = {path.name: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
        made.append((json.loads(capsys.readouterr().out), files))
    assert made[0] == made[1]


def test_no_short_form_is_a_type_of_the_library() -> None:
    from symgen.pipeline import known_modules

    assert not set(command.commands) & set(known_modules())


def test_messages_know_every_subcommand() -> None:
    assert sorted(SUBCOMMANDS) == sorted(command.commands)


def test_every_subcommand_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for name in command.commands:
        assert main(["generate", name, "--help"]) == 0
        assert f"Usage: symgen generate {name}" in capsys.readouterr().out


def test_nothing_asked_for_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate"]) == 2
    assert "mechanism" in capsys.readouterr().err
