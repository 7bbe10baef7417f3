"""Finding solved types: by signature in either direction, by key, with ER for U; refusing what is not a manifest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symgen
from symgen.errors import InputError, MechanismError, UnsolvedTypeError
from symgen.library.catalogue import Catalogue, library_folders, load_catalogue, modules_in, solution_of
from symgen.library.manifest import read_manifest
from symgen.library.signatures import chain_of

FUNCTION = {"name": "f", "level": "kernel", "stage": "all", "inputs": [], "outputs": []}
FIXTURES = Path(__file__).resolve().parent.parent / "build" / "data" / "library"


def manifest_of(signature: str, key: str, module: str, space: str = "spatial") -> dict[str, Any]:
    return {
        "schema": "symgen/module/3",
        "id": module,
        "space": space,
        "method": "closed form",
        "arrangements": [
            {"id": "a", "signature": signature, "key": key, "known": ["k1", "k2"], "bodies": ["b1", "b2"], "joints": []}
        ],
        "functions": [],
        "files": {},
    }


def write(folder: Path, tree: dict[str, Any]) -> Path:
    inside = folder / str(tree["id"])
    inside.mkdir(parents=True)
    path = inside / f"{tree['id']}.json"
    path.write_text(json.dumps(tree))
    return path


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    for signature, key, module in (
        ("R.U.S 3D", "R.U.S 3D", "loop_rus"),
        ("U.C*.S 3D", "U.C*slide.S 3D", "loop_rus_slide"),
        ("U.C*.S 3D", "U.C*angle.S 3D", "loop_pus_angle"),
        ("R.U*.C 3D", "R.U*angle1.C 3D", "loop_turn"),
        ("<R|R|R; 1-2R 1-3R 2-3R> 3D", "<R|R|R; 1-2R 1-3R 2-3R> 3D", "triad"),
    ):
        write(tmp_path, manifest_of(signature, key, module))
    return Catalogue(modules_in(tmp_path))


@pytest.mark.parametrize("text", ["R.U.S 3D", "S.U.R 3D", "R.ER.S 3D", "S.ER.R 3D", " R.U.S 3D "])
def test_a_type_is_found_in_either_direction_and_er_is_u(catalogue: Catalogue, text: str) -> None:
    assert catalogue.find(text).manifest.id == "loop_rus"


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("U.C*slide.S 3D", "loop_rus_slide"),
        ("S.C*slide.U 3D", "loop_rus_slide"),
        ("ER.C*angle.S 3D", "loop_pus_angle"),
        # An inner U that is read from its other end drives its other angle.
        ("C.U*angle2.R 3D", "loop_turn"),
        ("<R|R|R; 1-2R 1-3R 2-3R> 3D", "triad"),
    ],
)
def test_a_key_says_which_freedom_is_driven(catalogue: Catalogue, text: str, module: str) -> None:
    assert catalogue.find(text).manifest.id == module


def test_a_key_that_drives_another_freedom_is_not_found(catalogue: Catalogue) -> None:
    with pytest.raises(UnsolvedTypeError):
        catalogue.find("C.U*angle1.R 3D")


def test_a_signature_of_several_types_is_refused_with_their_keys(catalogue: Catalogue) -> None:
    with pytest.raises(InputError, match=r'"U.C\*slide.S 3D"') as caught:
        catalogue.find("ER.C*.S 3D")
    assert '"U.C*angle.S 3D"' in str(caught.value)


@pytest.mark.parametrize("text", ["R.U.C 3D", "R.U.S 2D", "nonsense", "", "R..S 3D", "r.u.s 3D"])
def test_an_unsolved_type_is_refused_with_what_to_do(catalogue: Catalogue, text: str) -> None:
    with pytest.raises(UnsolvedTypeError, match="symgen library list"):
        catalogue.find(text)


def test_an_unsolved_type_names_the_nearest(catalogue: Catalogue) -> None:
    with pytest.raises(UnsolvedTypeError, match=r"nearest are R\.U\.S 3D"):
        catalogue.find("R.U.P 3D")


words = st.builds(
    lambda code, stars: code + "*" * stars, st.sampled_from(["R", "P", "C", "U", "S", "ER", "PL"]), st.integers(0, 2)
)


@given(st.lists(words, min_size=1, max_size=5), st.sampled_from(["2D", "3D"]))
def test_the_reading_direction_does_not_matter(row: list[str], space: str) -> None:
    assert chain_of(f"{'.'.join(row)} {space}") == chain_of(f"{'.'.join(row[::-1])} {space}")


@pytest.mark.slow
@given(st.text(max_size=30))
def test_any_text_may_be_asked_for(text: str) -> None:
    solved, method = solution_of(text)
    assert solved or method is None


def test_the_users_folders_are_searched_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    write(own, {**manifest_of("X.X 3D", "X.X 3D", "mine"), "method": "first"})
    write(other, {**manifest_of("X.X 3D", "X.X 3D", "mine"), "method": "second"})
    assert solution_of("X.X 3D") == (False, None)
    monkeypatch.setenv("SYMGEN_LIBRARY", os.pathsep.join([str(own), "", str(other)]))
    assert library_folders()[:2] == (own.resolve(), other.resolve())
    assert solution_of("X.X 3D") == (True, "first")


@pytest.mark.slow
def test_a_new_module_is_seen_without_a_new_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path))
    assert solution_of("X.X 3D") == (False, None)
    write(tmp_path, manifest_of("X.X 3D", "X.X 3D", "mine"))
    assert solution_of("X.X 3D") == (True, "closed form")
    assert load_catalogue() is load_catalogue()


@pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")
@pytest.mark.parametrize("where", ["", "mine", "mine/mine.py", "mine/__pycache__", "mine/symgen_status.h"])
def test_a_library_others_may_write_to_is_refused(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, manifest_of("X.X 3D", "X.X 3D", "mine"))
    for name in ("mine.py", "symgen_status.h"):
        (tmp_path / "mine" / name).touch(mode=0o644)
    (tmp_path / "mine" / "__pycache__").mkdir(mode=0o755)
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path))
    assert solution_of("X.X 3D") == (True, "closed form")
    place = tmp_path / where
    place.chmod(place.stat().st_mode | 0o002)
    (tmp_path / "mine" / "mine.json").touch()  # something changed: it is read again
    with pytest.raises(InputError, match=r"SYMGEN_LIBRARY.*every user.*chmod o-w") as caught:
        load_catalogue()
    assert str(place) in str(caught.value)


def test_a_folder_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=r"SYMGEN_LIBRARY.*nowhere"):
        load_catalogue()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "symgen/module/1"}, "found 'symgen/module/1', this symgen reads 'symgen/module/3'"),
        ({"schema": None}, "found None"),
        ({"space": "curved"}, r"\$\.space"),
        ({"arrangements": 3}, r"\$\.arrangements"),
        ({"id": "a b"}, "not an identifier"),
        ({"files": {"double": ["../../evil.c"]}}, "not a plain file name"),
        ({"functions": [{**FUNCTION, "symbol": {"double": "f;g"}}]}, r"functions\.f\.symbol\.double: found 'f;g'"),
        ({"functions": [{**FUNCTION, "level": "group", "arrangement": "x"}]}, "arrangements are a"),
        ({"functions": [{**FUNCTION, "inputs": ["p"]}], "ports": {"kernel": []}}, "ports: no port 'p' is described"),
        ({"functions": [{**FUNCTION, "inputs": ["p"]}]}, "ports: no port 'kernel' is described"),
        ({"ports": {"kernel": [{"name": "a;b", "kind": "real"}]}}, r"ports\.kernel: found 'a;b'"),
        ({"derivation": "../x.steps"}, "derivation: found '../x.steps', which is not a plain file name"),
    ],
)
def test_a_wrong_manifest_is_refused_with_file_and_field(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    tree = manifest_of("R.U.S 3D", "R.U.S 3D", "loop")
    path = write(tmp_path, tree)
    path.write_text(json.dumps({**tree, **change}))
    with pytest.raises(MechanismError, match=message) as caught:
        read_manifest(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00", '{"schema": "symgen/module/3"}'])
def test_a_broken_manifest_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(MechanismError):
        read_manifest(path)


def test_fields_of_a_newer_generator_are_ignored(tmp_path: Path) -> None:
    path = write(tmp_path, {**manifest_of("R.U.S 3D", "R.U.S 3D", "loop"), "invented_later": 1})
    assert read_manifest(path).id == "loop"


def test_the_library_is_a_collection_of_keys() -> None:
    library = symgen.library(backend="numpy")
    assert len(library) == len(list(library)) > 0
    assert all(key in library and library[key].key == key for key in library)
    assert "nonsense" not in library


QUIET_USE = """
import pathlib, sys
import symgen, symgen.resources
symgen.resources.generated_folder = lambda: pathlib.Path(FOLDER)
assert "numpy" not in sys.modules, "import symgen loads NumPy"
library = symgen.library()
toy = library["R.R.R 2D"]
toy.kernel.position([0, 0], [2, 0], 1.5, 1.5, branch=0)
assert toy.entry.manifest.id == "toy_dyad"
heavy = {"sympy", "jinja2", "cffi", "pycparser", "symgen.pipeline", "symgen.derive", "rich"} & set(sys.modules)
assert not heavy, heavy
"""


@pytest.mark.extension
def test_using_a_built_type_loads_neither_sympy_nor_the_generator(tmp_path: Path) -> None:
    # The fixture stands in for the shipped library, so that the signature is its own.
    shutil.copytree(FIXTURES / "toy_dyad", tmp_path / "library" / "toy_dyad")
    shutil.copy(FIXTURES / "symgen_status.h", tmp_path / "library")
    catalogue = Catalogue(modules_in(tmp_path / "library"))
    from symgen.library.backends import CBackend

    CBackend(catalogue.modules[0], "double")  # built, so that the process below only loads
    script = QUIET_USE.replace("FOLDER", repr(str(tmp_path / "library")))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(
    "signature",
    ["nonsense", "Q.R 2D", "R.R 3D", "R.EO 2D", "R.R.R 2D [planar]", "<13 bodies #12461f3f78dad179> 3D", "R.CTRP 3D"],
)
def test_generation_is_recommended_for_what_may_be_derived_alone(catalogue: Catalogue, signature: str) -> None:
    with pytest.raises(UnsolvedTypeError) as caught:
        catalogue.find(signature)
    assert "symgen generate" not in str(caught.value)


def test_a_group_that_is_derived_on_demand_is_recommended_for_generation() -> None:
    for signature in ("R.R.R.S 3D", "R.R.P*.R 2D"):
        with pytest.raises(UnsolvedTypeError, match="symgen generate"):
            Catalogue(()).find(signature)
