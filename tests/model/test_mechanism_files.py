"""Files: TOML and JSON give the same mechanism; what cannot be read is refused cleanly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from symgen.errors import MechanismError
from symgen.model import load as loading
from symgen.model.load import load

TOML = """\
schema = "symgen/mechanism/1"
space = "spatial"
ground = "1"
[parameters]
L = 0.4
[bodies.2]
[bodies.1]
points.Q = [0, 0, "L"]
[joints.A]
type = "C"
bodies = ["1", "2"]
driven = ["angle"]
at = [0, 0, 0]
axis = [0, 0, 1]
[drives]
A.angle = "2*pi*t"
"""


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_toml_and_json_of_the_same_tree_are_the_same_mechanism(tmp_path: Path) -> None:
    from_toml = load(write(tmp_path, "slider.toml", TOML))
    tree = {
        "schema": "symgen/mechanism/1",
        "space": "spatial",
        "ground": "1",
        "parameters": {"L": 0.4},
        "bodies": {"2": {}, "1": {"points": {"Q": [0, 0, "L"]}}},
        "joints": {"A": {"type": "C", "bodies": ["1", "2"], "driven": ["angle"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "drives": {"A.angle": "2*pi*t"},
    }
    from_json = load(write(tmp_path, "slider.JSON", json.dumps(tree)))
    assert from_toml == from_json
    assert from_toml.name == "slider"
    assert from_toml.file == str(tmp_path / "slider.toml")
    assert list(from_toml.drives) == [("A", "angle")]


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    assert load(write(tmp_path, "m.toml", b"\xef\xbb\xbf" + TOML.encode())).ground == "1"


UNREADABLE: list[tuple[str, str | bytes, str]] = [
    ("m.toml", "", 'the first line of a mechanism file is schema = "symgen/mechanism/1"'),
    ("m.json", "", "not JSON: Expecting value (at line 1, column 1)"),
    ("m.json", "[]", "must be a table, found a list"),
    ("m.json", "{} x", "not JSON: Extra data"),
    ("m.json", '{"schema": 1, "schema": 2}', 'the key "schema" is given twice'),
    ("m.json", '{"gravity": [0, 0, NaN]}', "NaN is not a JSON number"),
    ("m.json", '{"gravity": [0, 0, -Infinity]}', "-Infinity is not a JSON number"),
    ("m.json", "[" * 100_000, "nested too deep"),
    ("m.json", "9" * 10_000, "cannot be read"),
    ("m.json", '{"a": \n tru}', '(at line 2, column 2): "tru}"'),
    ("m.toml", TOML.replace("[0, 0, 0]", "[0, 0 0]"), '(at line 13, column 12): "at = [0, 0 0]"'),
    ("m.toml", TOML + TOML, "not TOML"),
    ("m.toml", TOML + "A.angle = 1\n", "Cannot overwrite a value"),
    ("m.toml", "a = " + "[" * 5000, "nested too deep"),
    ("m.toml", "a = " + "{a=" * 5000, "nested too deep"),
    ("m.toml", "a." * 500_000 + "a = 1", "a dotted key has more than 32 parts"),
    ("m.toml", "[" + '"a" . ' * 100_000 + "a]", "a dotted key has more than 32 parts"),
    ("m.toml", "a = " + "9" * 10_000, "cannot be read"),
    ("m.toml", TOML.replace("0.4", "inf"), "parameters.L: must be a finite number, found inf"),
    ("m.toml", TOML.replace("0.4", "1979-05-27"), "parameters.L: must be a number or text with an expression"),
    ("m.toml", b'schema = "\xff"', "line 1: byte 0xff is not UTF-8; save the file as UTF-8"),
    ("m.toml", "schema = 'x'\n\x00", "not TOML"),
    ("m.yaml", TOML, 'ends in .toml or .json, not ".yaml"'),
    ("m", TOML, 'ends in .toml or .json, not ""'),
]


@pytest.mark.parametrize(("name", "text", "words"), UNREADABLE)
def test_what_is_no_mechanism_file_is_refused(tmp_path: Path, name: str, text: str | bytes, words: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(MechanismError) as caught:
        load(path)
    assert words in str(caught.value)
    assert caught.value.file == str(path)
    assert len(str(caught.value)) < 1500


def test_a_file_that_is_not_there_is_answered_with_its_neighbour(tmp_path: Path) -> None:
    write(tmp_path, "stewart.toml", TOML)
    with pytest.raises(MechanismError, match=r'there is no such file; did you mean "stewart\.toml"\?'):
        load(tmp_path / "stewert.toml")
    with pytest.raises(MechanismError, match="there is no folder"):
        load(tmp_path / "nowhere" / "stewart.toml")


def test_folders_pipes_and_impossible_names_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(MechanismError, match="this is a folder"):
        load(tmp_path / "folder.toml")
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(MechanismError, match="not a regular file"):
        load(tmp_path / "pipe.toml")
    with pytest.raises(MechanismError):
        load("a\x00b.toml")
    with pytest.raises(MechanismError):
        load(tmp_path / ("x" * 5000 + ".toml"))


def test_a_file_that_is_too_large_is_not_read_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "LARGEST_FILE", 1_000_000)
    path = write(tmp_path, "m.toml", TOML + "#" * 1_000_000)
    with pytest.raises(MechanismError, match="larger than 1 MB"):
        load(path)


def test_reading_a_mechanism_imports_neither_numpy_nor_sympy(tmp_path: Path) -> None:
    path = write(tmp_path, "m.toml", TOML)
    report = "print([m for m in ('numpy', 'sympy', 'msgspec') if m in sys.modules])"
    code = f"import sys, symgen; symgen.load(sys.argv[1]); {report}"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_name_defaults_to_that_of_the_file_only_where_there_is_one(tmp_path: Path) -> None:
    named: dict[str, Any] = {"schema": "symgen/mechanism/1", "space": "planar", "bodies": {"a": {}}, "name": "given"}
    assert load(write(tmp_path, "m.json", json.dumps(named))).name == "given"
