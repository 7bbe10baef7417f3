"""A chain that certified Newton solves as a module of its own: it gives what the library's solver gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from library.test_newton_entry import _ports
from oracle.compilers import LANGUAGES, WARNINGS, need, run

import symgen
from symgen.cli.main import main
from symgen.errors import InputError, UnsolvedTypeError
from symgen.library.catalogue import Catalogue, modules_in
from symgen.library.fit import fit_group
from symgen.library.group_joints import GroupJoint
from symgen.library.newton.entry import newton_entry
from symgen.library.open import Library
from symgen.pipeline import generate_chain_texts
from symgen.resources import generated_folder
from symgen.status import Status
from symgen.whole.chain import chain_module

pytestmark = pytest.mark.extension
SEEDS = (1, 2, 5, 7)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("chains")
    assert main(["generate", "H.U.S 3D", "R.R*.R.R 2D", "--newton", "--out", str(out)]) in (0, None)
    return out


@pytest.fixture(scope="module")
def ports() -> dict[str, np.ndarray]:
    rows = [_ports(seed)[0] for seed in SEEDS]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def _library(folder: Path, precision: str = "double", backend: str = "c") -> Library:
    return Library(Catalogue(modules_in(folder)), precision, backend)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("precision", "backend", "close"),
    # rates of the second instance carry its condition, 1e4: a part of 1e-12 in double; float has 1e-7 of it left
    [("double", "c", 1e-7), ("double", "numpy", 1e-7), ("float", "c", None)],
)
def test_a_module_of_its_own_gives_what_the_solver_of_the_library_gives(
    precision: str, backend: str, close: float | None, folder: Path, ports: dict[str, np.ndarray]
) -> None:
    solved = _library(folder, precision, backend)["H.U.S 3D"]
    assert solved.entry.manifest.method == "certified Newton"
    assert solved.entry.manifest.files
    entry = newton_entry("H.U.S 3D")
    assert entry is not None
    wanted = symgen.library().of(entry).all(**ports)
    found = solved.all(**ports)
    assert found.status.tolist() == [Status.OK] * len(SEEDS)
    np.testing.assert_allclose(found.b1, wanted.b1, atol=1e-10 if close else 1e-3)
    np.testing.assert_allclose(found.b2, wanted.b2, atol=1e-10 if close else 1e-3)
    if close is None:
        return
    for name in ("v_b1", "v_b2", "a_b1", "a_b2", "q_j1", "q_j2", "qd_j1", "qd_j2", "qdd_j1", "qdd_j2"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=close)
    np.testing.assert_array_equal(found.certificates[:, 0], 1.0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_what_is_wrong_with_the_inputs_is_bad_input(backend: str, folder: Path, ports: dict[str, np.ndarray]) -> None:
    solved = _library(folder, backend=backend)["H.U.S 3D"]
    long = ports["f_j2_b1"].copy()
    long[:, 3:] *= 1.1
    for wrong in ({"pitch_j1": 0.0}, {"f_j2_b1": long}, {"k2": np.full(7, np.nan)}):
        found = solved.all(**{**ports, **wrong}, check=False)
        assert found.status.tolist() == [Status.BAD_INPUT] * len(SEEDS)
        assert np.isnan(found.b1).all()


def test_a_group_is_not_laid_over_a_module_that_wants_a_start(folder: Path) -> None:
    joints = [
        GroupJoint("A", "H", ("k1", "b1")), GroupJoint("B", "U", ("b1", "b2")), GroupJoint("C", "S", ("k2", "b2"))
    ]  # fmt: skip
    with pytest.raises(UnsolvedTypeError):
        fit_group(Catalogue(modules_in(folder)), "spatial", ["b1", "b2"], joints)


def test_a_closed_form_goes_before_a_module_that_iterates(tmp_path: Path) -> None:
    assert main(["generate", "R.R.R 2D", "--newton", "--backend", "numpy", "--out", str(tmp_path)]) in (0, None)
    both = Catalogue((*modules_in(tmp_path), *modules_in(generated_folder())))
    assert both.find("R.R.R 2D").manifest.id == "dyad_rrr"
    assert Catalogue(modules_in(tmp_path)).find("R.R.R 2D").manifest.id == "newton_r_r_r_planar"


def test_a_chain_that_cannot_be_made_says_why() -> None:
    with pytest.raises(UnsolvedTypeError, match="not a structural group"):
        chain_module("S.S 3D")
    with pytest.raises(UnsolvedTypeError, match="regular chain"):
        chain_module("foo")
    with pytest.raises(InputError, match="say which of slide, angle"):
        chain_module("H.C*.H.S 3D")


@pytest.mark.slow
def test_same_signature_same_bytes() -> None:
    first, second = (generate_chain_texts(chain_module("H.U.S 3D"), precisions=("double",)) for _ in range(2))
    assert first == second


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_files_compile_without_a_word(compiler: str, folder: Path, tmp_path: Path) -> None:
    for file in sorted(folder.rglob("*.c")):
        for flags in LANGUAGES.values():
            run(need(compiler), *WARNINGS, *flags, "-O1", "-c", file, "-o", tmp_path / "o")
