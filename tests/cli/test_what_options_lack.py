"""Words and numbers that are nearly right: the message names them, what is allowed, and the likely fix."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import symgen
from symgen.cli.main import main
from symgen.errors import InputError, SymgenError

SLIDER = "isosceles_slider_crank"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["library", "build", "engine"], "did you mean 'engines'?"),
        (["library", "build", "dyad_rr"], "did you mean 'dyad_rrr'?"),
        (["library", "show", "dyad_rr"], "did you mean 'dyad_rrr'?"),
        (["library", "show", "triad_rr"], "names that begin so are triad_rr_pr_pr, triad_rr_pr_rp"),
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


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["library", "show", "legs.py"], "`symgen generate legs.py --out DIR` makes a module of it"),
        (["library", "build", "m.toml"], "m.toml is a file, and here a type is named"),
        (["library", "show", "m.toml"], "`symgen analyse m.toml` tells its types"),
        (["generate", "legs"], "`symgen generate legs.py:NAME` another function"),
        (["generate", "legs:line"], "`symgen generate legs.py:line`"),
        (["generate", "./legs"], "did you mean the file ./legs.py?"),
    ],
)
def test_files_where_a_type_is_named(
    words: list[str], meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("legs.py", "m.toml"):
        (tmp_path / name).touch()
    assert main(words) == 2
    assert meant in capsys.readouterr().err


@pytest.mark.parametrize("words", [["library", "show"], ["library", "build"], ["generate"]])
@pytest.mark.parametrize(
    ("signature", "found", "near"),
    [
        ("R.R.Q 2D", "no pair type 'Q'", "nearest are R.R.R 2D"),
        ("R.R.R 2d", "found '2d', expected '2D'", "nearest are R.R.R 2D"),
    ],
)
def test_a_signature_that_is_none_is_answered_with_the_nearest(
    words: list[str], signature: str, found: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, signature]) == 2
    said = capsys.readouterr().err
    assert found in said
    assert near in said


@pytest.mark.parametrize(
    ("beside", "variable", "said"),
    [
        ("", "", "set SYMGEN_LIBRARY to the folder that it was generated into (--out); SYMGEN_LIBRARY is not set"),
        ("solvers/piston/piston.json", "", "The folder solvers/piston holds a module of this name; it is found with "),
        ("piston/piston.json", "", "it is found with SYMGEN_LIBRARY=."),
        ("piston.py", "", "There is a file piston.py: if it is the derivation, `symgen generate piston.py --out "),
        ("", "empty", "No folder of SYMGEN_LIBRARY=empty holds a module 'piston'"),
        ("solvers/piston/piston.json", "empty", "it is found with SYMGEN_LIBRARY=solvers:empty"),
    ],
)
def test_a_module_of_ones_own_that_is_not_found(
    beside: str,
    variable: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir(mode=0o700)
    if beside:
        (tmp_path / beside).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / beside).write_text("{}")
    monkeypatch.setenv("SYMGEN_LIBRARY", variable)
    assert main(["library", "show", "piston"]) == 2
    assert said in capsys.readouterr().err
    with pytest.raises(SymgenError, match=re.escape(said)):
        symgen.library()["piston"]


def test_a_file_beside_the_type_that_is_none_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "legs.py").write_text("")
    assert main(["generate", "legs"]) == 2
    said = capsys.readouterr().err
    assert "did you mean the file legs.py?" in said
    assert "`symgen generate legs.py:NAME`" in said


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("generate", "did you mean `symgen generate`?"),
        ("lst", 'did you mean "list"?'),
        ("qqq", "there are list, show, build, clean, solve"),
    ],
)
def test_words_that_are_no_subcommands_of_library(word: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", word]) == 2
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
