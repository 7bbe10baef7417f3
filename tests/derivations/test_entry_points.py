"""What installed packages offer is found by its entry points, imported only when asked for, and told if it fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symgen
from symgen import third_party
from symgen.build.notices import forget_notices
from symgen.cli.main import main
from symgen.derive import catalogue
from symgen.library.catalogue import load_catalogue

FORMULA = """
from symgen.derivations import Derivation, formula

def derive(id="{id}"):
    d = Derivation("test", level="kernel", title="a square", source="s")
    x = d.input_scalar("x", meaning="x", unit="m")
    y = d.scalar("y", x * x, "its square", "m^2")
    d.output("y", y, meaning="its square", unit="m^2")
    d.claim_identity("parts", "(x + 1)(x - 1) and 1", [(x + 1) * (x - 1) + 1 - y])
    return formula(d, id=id)
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder on the path, for packages."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(catalogue, "_OWN", {})
    monkeypatch.setattr(catalogue, "_FINDERS", [])
    third_party._offers.cache_clear()
    forget_notices()
    return folder


def install(site: Path, name: str, points: dict[str, dict[str, str]], files: dict[str, str] | None = None) -> None:
    """Lay a distribution out as an installer does."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in each.items()) for group, each in points.items()]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    for file, text in (files or {}).items():
        path = site / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    third_party._offers.cache_clear()
    # what a finder of modules remembers of the folder
    __import__("importlib").invalidate_caches()


def test_the_example_declares_what_the_test_of_packages_uses(repository: Path) -> None:
    import tomllib

    text = (repository / "examples" / "own_derivation" / "pyproject.toml").read_text(encoding="utf-8")
    points = tomllib.loads(text)["project"]["entry-points"]
    assert set(points) <= {third_party.GROUPS, third_party.ELEMENTS, third_party.LIBRARY}
    for group in points.values():
        for value in group.values():
            module = value.partition(":")[0].replace(".", "/")
            assert (repository / "examples" / "own_derivation" / f"{module}.py").is_file()


def test_what_is_offered_is_listed_without_importing_it(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(site, "offers", {"symgen.groups": {"mine": "offers_mine:derive"}}, {"offers_mine.py": "raise SystemExit"})
    assert main(["library", "list", "--json"]) == 0
    offered = json.loads(capsys.readouterr().out)["offered"]
    assert offered == [{"name": "mine", "kind": "derivation", "package": "offers 1.0"}]
    assert "offers_mine" not in sys.modules


def test_an_offered_derivation_is_generated_by_its_name(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(site, "squares", {"symgen.groups": {"square": "squares_own:derive"}},
            {"squares_own.py": FORMULA.format(id="square")})  # fmt: skip
    out = tmp_path / "lib"
    assert main(["generate", "square", "--out", str(out), "--backend", "numpy"]) == 0
    manifest = json.loads((out / "square" / "square.json").read_text(encoding="utf-8"))
    assert manifest["origin"] == {"package": "squares 1.0", "group": "symgen.groups", "name": "square"}
    assert manifest["method"] == "formula"
    assert main(["check", "--show", "square_y"]) == 0
    assert "y = x*x" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "file", "told"),
    [
        ("broken_own:derive", "import nothere\n", "ModuleNotFoundError: No module named 'nothere'"),
        ("broken_own:other", FORMULA.format(id="broken"), "AttributeError"),
        ("broken_none:derive", "", "ModuleNotFoundError"),
        ("broken_own:derive", "def derive(:\n", "invalid syntax"),
        ("broken_own:derive", "def derive():\n    return 1\n", "found int"),
        ("broken_own:derive", FORMULA.format(id="another"), "its module is called 'another'"),
    ],
)
def test_a_package_that_fails_is_named_with_its_entry_point(
    value: str, file: str, told: str, site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sys.modules.pop("broken_own", None)
    install(site, "broken", {"symgen.groups": {"broken": value}}, {"broken_own.py": file})
    assert main(["generate", "broken", "--out", str(tmp_path / "lib")]) == 2
    said = capsys.readouterr().err
    assert f"entry point 'broken' of symgen.groups ({value}, package broken 1.0)" in said
    assert told in said
    assert "Traceback" not in said
    assert not (tmp_path / "lib").exists()
    sys.modules.pop("broken_own", None)


def test_a_package_that_fails_does_not_keep_others_from_being_asked(site: Path, tmp_path: Path) -> None:
    from symgen.derivations.offered import offered_modules

    install(site, "bad", {"symgen.groups": {"bad": "bad_own:derive"}}, {"bad_own.py": "1/0\n"})
    install(site, "good", {"symgen.groups": {"good": "good_own:derive"}}, {"good_own.py": FORMULA.format(id="good")})
    found, warnings = offered_modules("good")
    assert [own.module.id for own in found] == ["good"]
    assert warnings == []
    found, warnings = offered_modules("L.FP** 2D")
    assert found == []
    (warning,) = warnings
    assert "entry point 'bad' of symgen.groups" in warning
    assert "ZeroDivisionError" in warning


def test_one_name_of_two_packages_is_refused(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("first", "second"):
        install(site, name, {"symgen.groups": {"twice": f"{name}_own:derive"}},
                {f"{name}_own.py": FORMULA.format(id="twice")})  # fmt: skip
    assert main(["generate", "twice", "--out", str(tmp_path / "lib")]) == 2
    said = capsys.readouterr().err
    assert "'twice' is offered more than once" in said
    assert "package first 1.0" in said
    assert "package second 1.0" in said


def test_a_claims_file_loads_nothing(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from symgen.check.catalogue import derived_objects

    install(site, "lurking", {"symgen.groups": {"lurk": "lurking_own:derive"}}, {"lurking_own.py": "raise SystemExit"})
    assert "lurk_y" not in derived_objects()
    assert "lurking_own" not in sys.modules


def generated(site: Path, package: str, text: str, id: str) -> None:
    """Let a package ship a generated folder."""
    source = site.parent / f"{package}_source.py"
    source.write_text(text, encoding="utf-8")
    assert main(["generate", str(source), "--out", str(site / package / "made"), "--backend", "numpy"]) == 0
    (site / package / "__init__.py").write_text("raise SystemExit\n", encoding="utf-8")
    install(site, package, {"symgen.library": {"all": f"{package}:made"}})


def test_a_shipped_folder_is_found_and_nothing_else_is_loaded(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generated(site, "shipped", FORMULA.format(id="square"), "square")
    code = (
        "import sys, symgen\n"
        "square = symgen.library(backend='numpy')['square']\n"
        "assert float(square.kernel.position(x=3.0).y) == 9\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('sympy', 'mpmath', 'shipped')])\n"
    )
    home = Path(symgen.__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(home), str(site)])},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_folders_that_cannot_be_taken_are_told_and_left_out(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generated(site, "shipped", FORMULA.format(id="square"), "square")
    generated(site, "again", FORMULA.format(id="square"), "square")
    install(site, "missing", {"symgen.library": {"all": "missing:made"}})
    (site / "ours" / "made").mkdir(parents=True)
    shutil.copytree(site / "shipped" / "made" / "square", site / "ours" / "made" / "dyad_rrr")
    made = site / "ours" / "made" / "dyad_rrr"
    text = (made / "square.json").read_text(encoding="utf-8").replace('"id": "square"', '"id": "dyad_rrr"')
    (made / "dyad_rrr.json").write_text(text, encoding="utf-8")
    install(site, "ours", {"symgen.library": {"all": "ours:made"}}, {"ours/__init__.py": ""})
    capsys.readouterr()
    found = load_catalogue()
    said = capsys.readouterr().err
    assert found.module("square") is not None
    assert found.module("dyad_rrr") is not None
    assert str(found.module("dyad_rrr").folder).startswith(str(site)) is False  # type: ignore[union-attr]
    assert "missing:made, package missing 1.0) is left out: there is no such folder" in said
    assert "module 'square' of entry point 'all' of symgen.library (shipped:made, package shipped 1.0)" in said
    assert "module 'dyad_rrr' of entry point 'all' of symgen.library (ours:made" in said
    assert "symgen has a module 'dyad_rrr'" in said


@pytest.mark.slow
def test_a_mechanism_is_solved_by_what_a_package_derives(site: Path, repository: Path, tmp_path: Path) -> None:
    example = repository / "examples" / "own_derivation"
    shutil.copytree(example / "symgen_instruments", site / "symgen_instruments")
    install(site, "instruments", {"symgen.groups": {"trocar": "symgen_instruments.trocar:derive",
                                                    "bad": "symgen_instruments.nothing:derive"}})  # fmt: skip
    home = Path(symgen.__file__).resolve().parents[1]
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join([str(home), str(site)]), "SYMGEN_CACHE": str(tmp_path / "cache"),
        "SYMGEN_DERIVE": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "symgen", "solve", str(example / "trocar.toml"), "--from", "0", "--to", "1",
               "--steps", "4", "--backend", "numpy", "--json"]  # fmt: skip
    for _ in range(2):  # derived, then kept: what is wrong is told each time
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        groups = {group["module"]: group["branches"] for group in json.loads(done.stdout)["groups"]}
        assert groups == {"driven_p_2d": 1, "trocar": 2}
        assert "entry point 'bad' of symgen.groups (symgen_instruments.nothing:derive" in done.stderr


def test_the_doctor_names_packages_and_what_they_lack(site: Path) -> None:
    from symgen.cli.doctor import BROKEN, OK, examine

    install(site, "offers", {"symgen.groups": {"mine": "offers_mine:derive"}})
    install(site, "missing", {"symgen.library": {"all": "missing:made"}})
    found = {finding.name: finding for finding in examine()}
    assert (found["package offers 1.0"].state, found["package missing 1.0"].state) == (OK, BROKEN)
    assert "offers mine" in found["package offers 1.0"].found
