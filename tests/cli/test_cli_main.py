"""The command line: verbs are found, refused with the nearest, and failures become messages and exit statuses."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from symgen.cli import main as cli
from symgen.errors import DerivationError, InputError, StructureError, SymgenError


def _fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    @click.command(name="analyse")
    def command() -> None:
        raise error

    monkeypatch.setitem(cli.VERBS, "analyse", ("a.module.of.this.test", "summary"))
    monkeypatch.setattr(cli, "import_module", lambda name: SimpleNamespace(command=command))


@pytest.mark.parametrize("verb", list(cli.VERBS))
def test_each_verb_has_a_command_of_its_name_and_a_help(verb: str) -> None:
    command = import_module(cli.VERBS[verb][0]).command
    assert isinstance(command, click.Command)
    assert command.name == verb
    assert command.help


def test_help_lists_every_verb_and_imports_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    printed = capsys.readouterr().out
    for verb in cli.VERBS:
        assert f"\n  {verb} " in printed


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("symgen")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["analyze"], "no verb 'analyze'; did you mean 'analyse'?"),
        (["xyzzy"], "no verb 'xyzzy'; verbs: analyse, graph, transform, generate"),
        (["--frobnicate"], "--frobnicate"),
        (["schema", "--frobnicate"], "--frobnicate"),
        ([], "Usage: symgen"),
    ],
)
def test_usage_errors_go_to_standard_error_with_status_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


@pytest.mark.parametrize(
    ("error", "status"),
    [(InputError("m"), 2), (StructureError("m"), 1), (DerivationError("m"), 3), (SymgenError("m"), 3)],
)
def test_errors_on_purpose_give_their_message_and_status(
    error: SymgenError, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _fail_with(monkeypatch, error)
    assert cli.main(["analyse"]) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "error: m\n"


def test_an_unexpected_error_is_an_internal_fault_without_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SYMGEN_TRACEBACK", raising=False)
    _fail_with(monkeypatch, ZeroDivisionError("division by zero\nsecond line"))
    assert cli.main(["analyse"]) == 3
    error = capsys.readouterr().err
    assert error.startswith("error: internal fault: ZeroDivisionError: division by zero\n")
    assert "report" in error
    assert "SYMGEN_TRACEBACK=1" in error
    assert "Traceback" not in error


def test_the_traceback_comes_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SYMGEN_TRACEBACK", "1")
    _fail_with(monkeypatch, ZeroDivisionError("division by zero"))
    assert cli.main(["analyse"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_a_file_the_system_refuses_is_named_without_asking_for_a_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _fail_with(monkeypatch, PermissionError(13, "Permission denied", "out.csv"))
    assert cli.main(["analyse"]) == 2
    assert capsys.readouterr().err == "error: out.csv: Permission denied\n"


def test_ctrl_c_stops_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _fail_with(monkeypatch, KeyboardInterrupt())
    assert cli.main(["analyse"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_verbs_integer_is_the_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(monkeypatch, click.exceptions.Exit(1))
    assert cli.main(["analyse"]) == 1


def test_a_reader_that_goes_away_leaves_no_noise() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "symgen", "--help"], stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "arguments", [["library", "list"], ["schema"], ["analyse", "MECH"], ["solve", "MECH", "--to", "1"]]
)
def test_the_status_is_141_whatever_verb_loses_its_reader(arguments: list[str], repository: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = _run_verb(arguments, repository, write)
    os.close(write)
    noise = [line for line in done.stderr.splitlines() if not line.startswith("symgen: compiling")]  # a cold cache
    assert (done.returncode, noise) == (141, [])


@pytest.mark.sampled(1)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [["library", "list"], ["schema"], ["analyse", "MECH"], ["solve", "MECH", "--to", "1", "--output", "-"], ["--help"]],
)
def test_a_full_standard_output_is_named_and_no_fault_of_ours(arguments: list[str], repository: Path) -> None:
    with open("/dev/full", "w") as full:
        done = _run_verb(arguments, repository, full.fileno())
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last) == (2, "error: standard output: no space left on device")


def test_a_closed_standard_output_is_no_fault() -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m symgen schema >&-"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def _run_verb(arguments: list[str], repository: Path, stdout: int) -> subprocess.CompletedProcess[str]:
    words = _words(arguments, repository)
    return subprocess.run(
        [sys.executable, "-m", "symgen", *words], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )


def test_messages_have_no_colour_when_nobody_watches() -> None:
    done = subprocess.run([sys.executable, "-m", "symgen", "analyze"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr


@pytest.mark.sampled(2)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [["library", "list", "--json"], ["analyse", "MECH", "--json"], ["library", "list"], ["schema"], ["--help"]],
)
@pytest.mark.parametrize("buffered", [True, False])
def test_no_verb_ends_with_0_when_its_document_is_cut(
    arguments: list[str], buffered: bool, repository: Path, tmp_path: Path
) -> None:
    # A file of at most 512 bytes is a disk that fills up in the middle of the document: the system takes a part of it.
    target = tmp_path / "document"
    for place, limit in ((target, 512), (Path("/dev/full"), None)):
        with place.open("w") as stream:
            done = subprocess.run(
                [sys.executable, *([] if buffered else ["-u"]), "-m", "symgen", *_words(arguments, repository)],
                stdout=stream, stderr=subprocess.PIPE, text=True, check=False,
                preexec_fn=None if limit is None else lambda: _limit_files(512),
            )  # fmt: skip
        assert done.returncode == 2, place
        assert done.stderr.splitlines()[-1].startswith("error: standard output: ")
    assert target.stat().st_size <= 512


def test_an_unbuffered_document_is_whole(repository: Path) -> None:
    texts = {
        subprocess.run(
            [sys.executable, *flags, "-m", "symgen", "library", "list", "--json"], capture_output=True, check=True
        ).stdout
        for flags in ([], ["-u"])
    }
    assert len(texts) == 1


def test_too_little_memory_is_no_fault_and_says_what_needed_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _fail_with(monkeypatch, MemoryError("Unable to allocate 74.5 GiB for an array with shape (100000, 100000)"))
    assert cli.main(["analyse"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("error: out of memory (unable to allocate 74.5 GiB for an array with shape")
    assert "fault" not in printed
    _fail_with(monkeypatch, MemoryError())
    assert cli.main(["analyse"]) == 2
    assert capsys.readouterr().err.startswith("error: out of memory; request less")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "MECH", "--to", "1", "--steps", "200"], "201 rows of "),
        (["simulate", "MECH", "--step", "0.5", "--until", "1"], "3 rows of "),
    ],
)
def test_a_motion_that_does_not_fit_says_what_it_needs(
    arguments: list[str],
    words: str,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def no_room(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 229. MiB for an array")

    monkeypatch.setattr("symgen.solve", no_room)
    monkeypatch.setattr("symgen.simulate.simulation.simulate", no_room)
    assert cli.main(_words(arguments, repository)) == 2
    printed = capsys.readouterr().err
    assert words in printed
    assert "kB" in printed
    assert "229. MiB" in printed
    assert ("--steps" if arguments[0] == "solve" else "--sample") in printed


def _words(arguments: list[str], repository: Path) -> list[str]:
    mechanism = str(repository / "examples" / "jansen_leg" / "mechanism.toml")
    return [mechanism if word == "MECH" else word for word in arguments]


def _limit_files(size: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.extension
def test_a_full_disk_names_the_place_that_is_full(repository: Path, tmp_path: Path) -> None:
    # What cannot be written is the cache, or a picture: standard output is well.
    cache = tmp_path / "cache"
    for words, place in (
        (["solve", "MECH", "--to", "1", "--steps", "2"], cache),
        (["analyse", "MECH", "--draw", str(tmp_path / "a.svg")], tmp_path / "a.svg"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "symgen", *_words(words, repository)],
            capture_output=True, text=True, check=False, env={**os.environ, "SYMGEN_CACHE": str(cache)},
            preexec_fn=lambda: _limit_files(512),
        )  # fmt: skip
        assert done.returncode == 2
        assert done.stderr.splitlines()[-1].startswith(f"error: {place}: ")
        assert not [path for path in tmp_path.iterdir() if path.is_file()]
