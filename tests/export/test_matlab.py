"""Function files of MATLAB: Octave gives what the C gives; what has no place in one is refused."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from oracle.compilers import need

import symgen
from symgen.cli.main import main
from symgen.export.backend import Asked, as_bytes, backends
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.printers.matlab import MatlabPrinter

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.extension


def _written(name: str, folder: Path, **asked: Any) -> dict[str, Any]:
    mechanism = symgen.load(EXAMPLES / name / "mechanism.toml")
    request = MechanismRequest(**{"prefix": "moved", "precision": "double", "math": "libm", **asked})
    subject = mechanism_subject(mechanism, symgen.library(), request)
    product = backends()["matlab"].files(subject, Asked("export X --for matlab", {}))
    for file, text in product.files.items():
        (folder / file).write_bytes(as_bytes(text))
    return dict(product.manifest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("jansen_leg", {"results": ["foot.toe"]}),
        ("jansen_leg", {"drives": "laws", "ranges": {"t": (0.0, 2.0)}}),
        ("stewart_inverse", {}),
        ("stewart_inverse", {"stage": "position"}),
        ("spatial_four_bar", {}),
        ("isosceles_slider_crank", {"branch": "0,1"}),
        ("rotor", {}),
    ],
)
def test_octave_gives_what_the_c_gives(name: str, asked: dict[str, Any], tmp_path: Path) -> None:
    manifest = _written(name, tmp_path, **asked)
    assert manifest["vectors"] > 10
    command = [need("octave-cli"), "--quiet", "--no-init-file", "--eval", "differ = test_moved(); disp(differ)"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    found = re.search(r"moved: (\d+) steps, (\d+) differ", done.stdout)
    assert found is not None, done.stdout + done.stderr
    assert int(found[1]) > 10
    assert int(found[2]) == 0


def test_the_file_says_what_it_takes_and_gives(tmp_path: Path) -> None:
    _written("jansen_leg", tmp_path, results=["foot.toe"])
    text = (tmp_path / "moved.m").read_text(encoding="utf-8")
    assert text.startswith("function [results, status, group] = moved(inputs)\n%MOVED ")
    for told in (
        "(1) axle.angle [rad]",
        "(6) foot.toe.ay [m/s^2]",
        "1 NO_ASSEMBLY",
        "% squared distance of the centres",
    ):
        assert told in text
    assert max(map(len, text.splitlines())) <= 125
    assert "sqrt(" not in text.split("function y = root(x)")[0]  # it would be complex out of reach


def test_numbers_are_printed_for_matlab() -> None:
    from symgen.algebra import sign_of_branch, symbol

    printer = MatlabPrinter({"branch": "2"}, {})
    assert printer.print_expression(sign_of_branch(symbol("branch"), 1)) == "(-1)"
    assert printer.print_expression(sign_of_branch(symbol("branch"), 0)) == "1"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["jansen_leg", "--branch", "follow"], "has no memory"),
        (["jansen_leg", "--branch", "input"], "are compiled in"),
        (["jansen_leg", "--math", "libm"], "--math belongs to"),
        (["jansen_leg", "--prefix", "root"], "'my_root'"),
        (["jansen_leg", "--prefix", "found"], "'my_found'"),
        (["R.R.R 2D"], "takes a mechanism"),
    ],
)
def test_what_is_not_allowed_is_refused(arguments: list[str], said: str, tmp_path: Path, capsys: Any) -> None:
    what, *options = arguments
    path = EXAMPLES / what / "mechanism.toml"
    words = ["export", str(path) if path.is_file() else what, "--for", "matlab", *options]
    assert main([*words, "--out", str(tmp_path / "x")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_what_is_followed_by_itself_is_refused(tmp_path: Path, capsys: Any) -> None:
    file = str(EXAMPLES / "rotor_original" / "mechanism.toml")
    assert main(["export", file, "--for", "matlab", "--out", str(tmp_path / "x")]) == 2
    assert "its branches are followed" in capsys.readouterr().err


@pytest.mark.slow
def test_integers_are_not_rounded_and_laws_without_a_value_have_a_status(tmp_path: Path) -> None:
    _written("jansen_leg", tmp_path, results=["foot.toe"])
    tree = symgen.load(EXAMPLES / "jansen_leg" / "mechanism.toml").to_dict()
    tree["drives"] = {"axle": "log(t) + sqrt(t) + (1 + t)**1.5 + 0.1*asin(t - 1)"}
    subject = mechanism_subject(
        symgen.Mechanism.from_dict(tree), symgen.library(),
        MechanismRequest(prefix="law", precision="double", math="libm", drives="laws", results=["foot.toe"]),
    )  # fmt: skip
    for file, text in backends()["matlab"].files(subject, Asked("export X --for matlab", {})).files.items():
        (tmp_path / file).write_bytes(as_bytes(text))
    program = (
        "[a, s] = moved(int32([1 0 0])); [b, t] = moved([1 0 0]); [c, u] = law(-1); [d, v] = law(1.2); "
        "differ = test_law(); disp([s t isequal(a, b) u all(isnan(c)) v differ])"
    )
    command = [need("octave-cli"), "--quiet", "--no-init-file", "--eval", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    first, second, equal, lost, nothing, good, differ = map(int, done.stdout.split("\n")[-2].split())
    assert (first, second, equal, nothing, good, differ) == (0, 0, 1, 1, 0, 0)
    assert lost != 0


@pytest.mark.slow
def test_a_test_that_would_compare_nothing_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    manifest = _written("jansen_leg", tmp_path, results=["foot.toe"])
    assert manifest["vectors"] == 0
    assert set(manifest["files"]) == {"moved.m"}
    (reason,) = manifest["not_run"]
    assert "test_moved.m is not written" in reason
    assert "no-such-compiler" in reason


def test_one_input_is_asked_for_in_good_english(tmp_path: Path) -> None:
    manifest = _written("jansen_leg", tmp_path, results=["foot.toe"], stage="position")
    text = (tmp_path / "moved.m").read_text(encoding="utf-8")
    assert "inputs: give 1 real number, found" in text
    rows = (tmp_path / "test_moved.m").read_text(encoding="utf-8").count("}, ... %")
    assert manifest["vectors"] == rows > 10
