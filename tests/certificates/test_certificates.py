"""Certificates of generated code: an installation as it was verifies, and whatever is changed in one is told."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from symgen.build.errors import CompilerFailedError
from symgen.certificates.certificate import _check_near, certify, verify
from symgen.certificates.installation import chosen_names, module_names, probe_of
from symgen.certificates.kernels import KernelProbe
from symgen.certificates.place import certificate_name
from symgen.certificates.probe import Probe
from symgen.cli.main import main
from symgen.errors import InputError, SolveError, SymgenError
from symgen.library.catalogue import modules_in
from symgen.resources import generated_folder
from symgen.status import Status

#: Of the library, and the engines behind them.
MODULES = module_names()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The folder of a small module, to be tampered with."""
    folder = tmp_path / "library" / "dyad_rrr"
    shutil.copytree(Path(str(generated_folder())) / "dyad_rrr", folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def faults(folder: Path) -> list[str]:
    (module,) = modules_in(folder.parent)
    return [f"{fault.where} {fault.what}" for fault in verify(Probe(module))]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def sign_again(folder: Path) -> None:
    """Make manifest and certificate agree with changed files, as one would who wants to hide a change."""
    manifest = folder / "dyad_rrr.json"
    text = manifest.read_text(encoding="utf-8")
    for name, digest in json.loads(text)["sha256"].items():
        text = text.replace(digest, hashlib.sha256((folder / name).read_bytes()).hexdigest())
    before = hashlib.sha256(manifest.read_bytes()).hexdigest()
    manifest.write_text(text, encoding="utf-8")
    certificate = folder / certificate_name("dyad_rrr")
    change(certificate, before, hashlib.sha256(manifest.read_bytes()).hexdigest())
    text, key, _ = certificate.read_text(encoding="utf-8").rpartition('"sha256": "')
    certificate.write_text(f'{text}{key}{hashlib.sha256(text.encode()).hexdigest()}"\n}}\n', encoding="utf-8")


@pytest.mark.sampled(1)
@pytest.mark.extension
@pytest.mark.kinds
@pytest.mark.parametrize("name", MODULES)
def test_what_is_shipped_is_as_certified(name: str) -> None:
    assert [f"{fault.where} {fault.what}" for fault in verify(probe_of(name))] == []


@pytest.mark.extension
@pytest.mark.slow
@pytest.mark.parametrize("name", ["driven_h_3d", "dyad_rrr", "loop_rss", "newton_planar"])
def test_certifying_again_gives_the_same_certificate(name: str) -> None:
    probe = probe_of(name)
    assert certify(probe) == (probe.folder / certificate_name(name)).read_text(encoding="utf-8")


@pytest.mark.kinds
@pytest.mark.parametrize("name", MODULES)
def test_certificates_say_what_was_proved_and_found(name: str) -> None:
    """Results agree with exact ones to what the conditions of random points allow: 1e5 ulp are 2e-11."""
    probe = probe_of(name)
    tree = json.loads((probe.folder / certificate_name(name)).read_text(encoding="utf-8"))
    assert tree["proofs"] == list(probe.proofs)
    assert tree["proofs"] or name in ("dynamics", "newton_planar", "newton_spatial")
    assert set(tree["functions"]) == {function.name for function in probe.functions}
    for function in probe.functions:
        found = tree["functions"][function.name]
        assert found["exact"]["points"] > 0, function.name
        assert found["exact"]["ulp"] < 1e5
        assert found["operations"] == function.operations
        assert "OK" in found["statuses"]
        assert set(found["statuses"]) <= {*function.statuses, "OK"}
        if "branches" in found:
            assert found["branches"]["distinct"]


@pytest.mark.parametrize("name", ["dyad_rrr.c", "dyad_rrr.py", "dyad_rrr.steps", "dyad_rrr_f32.h"])
def test_one_changed_byte_is_told(name: str, copied: Path) -> None:
    data = bytearray((copied / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copied / name).write_bytes(bytes(data))
    assert faults(copied) == [f"{name} was changed after it was generated"]


def test_files_that_lack_or_are_too_many_are_told(copied: Path) -> None:
    (copied / "dyad_rrr.py").unlink()
    (copied / "more.c").write_text("int more;\n")
    assert faults(copied) == ["dyad_rrr.py is missing", "more.c is none of the module's files"]


def test_a_changed_manifest_is_told(copied: Path) -> None:
    change(copied / "dyad_rrr.json", "R.R.R dyad", "R.R.R Dyad")
    assert faults(copied)[0] == "dyad_rrr.json is not the file that was certified"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "is missing"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"schema": "other/1", "functions": {}, "manifest": ""}', "has the schema 'other/1'"),
    ],
)
def test_certificates_that_lack_or_say_nothing_are_told(text: str | None, said: str, copied: Path) -> None:
    place = copied / certificate_name("dyad_rrr")
    if text is None:
        place.unlink()
    else:
        place.write_text(text)
    (fault,) = faults(copied)
    assert fault.startswith(place.name)
    assert said in fault


@pytest.mark.extension
@pytest.mark.slow
def test_a_formula_that_is_changed_and_signed_again_gives_other_bits(copied: Path) -> None:
    """Digests agree here: only what the code gives tells it, in C and beside NumPy."""
    change(copied / "dyad_rrr.c", "total2 = total*total;", "total2 = total*total*R(1.0000000000000004);")
    sign_again(copied)
    found = faults(copied)
    assert any("other bits in double" in fault for fault in found)
    assert not any("other bytes" in fault or "is not the file" in fault for fault in found)


@pytest.mark.slow
def test_what_the_derivation_does_not_give_is_not_certified(copied: Path) -> None:
    """Digests agree, the numbers hardly differ: the files are compared with what deriving again gives."""
    change(copied / "dyad_rrr.c", "total2 = total*total;", "total2 = total*total*R(1.0000000000000004);")
    sign_again(copied)
    (module,) = modules_in(copied.parent)
    with pytest.raises(InputError, match=r"dyad_rrr\.c is not what its derivation gives"):
        certify(Probe(module))


@pytest.mark.slow
def test_a_proof_that_nobody_made_is_not_certified(copied: Path) -> None:
    change(copied / "dyad_rrr.json", "C has the given distances from A and B", "P = NP")
    (module,) = modules_in(copied.parent)
    with pytest.raises(InputError, match=r"dyad_rrr\.json is not what its derivation gives"):
        certify(Probe(module))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"points": 0, "ulp": 0.0, "refused": 0}, "solves none of its points"),
        ({"points": 6, "ulp": 0.0, "refused": 1}, "where its derivation has none"),
        ({"points": 6, "ulp": 2.7e16, "refused": 0}, "2.7e[+]16 spacings"),
    ],
)
def test_what_is_far_from_exact_values_is_not_certified(found: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        _check_near("dyad_rrr", "kernel_all", {"exact": found})


def test_a_changed_certificate_is_told(copied: Path) -> None:
    for old, new in (('"refused": 0', '"refused": 1'), ("}\n}", "}\n} ")):
        change(copied / certificate_name("dyad_rrr"), old, new)
        assert faults(copied) == ["dyad_rrr.certificate.json was changed after it was written"]


@pytest.mark.extension
def test_a_kernel_of_an_engine_that_is_changed_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "newton_planar"
    shutil.copytree(Path(str(generated_folder())) / "newton_planar", folder)
    assert list(verify(KernelProbe(folder))) == []
    change(folder / "newton_planar.c", "+", "-")
    assert [fault.where for fault in verify(KernelProbe(folder))] == ["newton_planar.c"]


def test_a_manifest_of_an_engine_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "transfer"
    folder.mkdir()
    for text in ("", "[]", '{"functions": [{"name": "x; int y", "ports": []}], "files": {}}'):
        (folder / "transfer.json").write_text(text)
        with pytest.raises(InputError, match=r"transfer\.json: cannot be read"):
            KernelProbe(folder)


@pytest.mark.parametrize(
    "error", [CompilerFailedError(("cc", "-c"), "no\nsuch"), SolveError("lost", Status.BRANCH_LOST, "shift it")]
)
def test_errors_pass_between_processes(error: SymgenError) -> None:
    again = copy.copy(error)  # by what processes exchange
    assert (type(again), str(again)) == (type(error), str(error))


def test_a_module_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="dyad_rrr"):
        chosen_names(["dyad_rr"])


@pytest.mark.slow
@pytest.mark.extension
def test_the_command_line_tells_and_answers(capsys: Any) -> None:
    assert main(["check", "--library", "--module", "driven_r_2d", "--jobs", "1", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["modules"]
    assert found["module"] == "driven_r_2d"
    assert found["faults"] == []
    assert found["functions"] == 8
    assert main(["check", "--module", "driven_r_2d"]) == 2
    assert "belong to --library" in capsys.readouterr().err
