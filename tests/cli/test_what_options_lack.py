"""Words and numbers that are nearly right: the message names them, what is allowed, and the likely fix."""

from __future__ import annotations

from pathlib import Path

import pytest

import symgen
from symgen.cli.main import main
from symgen.errors import InputError

SLIDER = "isosceles_slider_crank"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["library", "build", "engine"], "did you mean 'engines'?"),
        (["library", "build", "dyad_rr"], "did you mean 'dyad_rrr'?"),
        (["library", "show", "dyad_rr"], "did you mean 'dyad_rrr'?"),
        (["generate", "dynamic"], "the subcommand `symgen generate dynamics`"),
        (["generate", "engine"], "the subcommand `symgen generate engines`"),
        (["generate", "mechanisms", "four_bar.toml"], "the subcommand `symgen generate mechanism`"),
        (["generate", "dyad_rr"], 'did you mean "dyad_rrr"?'),
    ],
)
def test_words_that_are_nearly_subcommands_or_modules(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert meant in capsys.readouterr().err


def test_a_word_that_is_like_no_engine_is_not_offered_engines_by_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "show", "engine"]) == 2
    assert "engines" not in capsys.readouterr().err


def test_engines_are_not_built_in_float_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "build", "engines", "--precision", "float"]) == 2
    said = capsys.readouterr().err
    assert "--precision float" in said
    assert "double only" in said


@pytest.mark.parametrize(
    ("option", "value", "found", "fix"),
    [
        ("--step", "0", "--step 0.0", "such as 0.001, or a tolerance"),
        ("--step", "nan", "--step nan", "such as 0.001"),
        ("--tolerance", "-1e-6", "--tolerance -1e-06", "such as 1e-6, or a step"),
        ("--until", "inf", "--until inf", "give the last time"),
        ("--sample", "0", "--sample 0.0", "or leave it out"),
    ],
)
def test_times_that_are_none(
    option: str, value: str, found: str, fix: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"--step": "0.01", "--until": "1"} if option != "--tolerance" else {"--until": "1"}
    words = [word for pair in {**given, option: value}.items() for word in pair]
    assert main(["simulate", str(repository / "examples" / "dynamics" / "bricard" / "mechanism.toml"), *words]) == 2
    said = capsys.readouterr().err
    assert found in said
    assert "must be a positive, finite number of" in said
    assert fix in said


def test_python_names_its_arguments_without_dashes(repository: Path) -> None:
    mechanism = symgen.load(repository / "examples" / "dynamics" / "bricard" / "mechanism.toml")
    with pytest.raises(InputError, match=r"^step 0: must be a positive, finite number of seconds; give"):
        symgen.simulate(mechanism, step=0, until=1.0)


@pytest.mark.parametrize("column", ["A.angle.effort", "A.effort", "A.reaction.fx", "A.angle against A.angle.effort"])
def test_columns_of_reactions_need_their_option(
    column: str, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(repository / "examples" / SLIDER / "mechanism.toml")
    words = ["simulate", file, "--step", "0.01", "--until", "0.02", "--plot", str(tmp_path / "plot.svg")]
    assert main([*words, "--columns", column]) == 2
    assert "add --reactions" in capsys.readouterr().err
    assert not (tmp_path / "plot.svg").exists()


def test_other_unknown_columns_have_nothing_to_do_with_reactions(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(repository / "examples" / SLIDER / "mechanism.toml")
    words = ["simulate", file, "--step", "0.01", "--until", "0.02", "--plot", str(tmp_path / "plot.svg")]
    assert main([*words, "--columns", "A.angel"]) == 2
    said = capsys.readouterr().err
    assert '"A.angle"' in said
    assert "--reactions" not in said
