"""Backends: one table, one protocol, and the page that shows how to write one works as written."""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import symgen
from symgen.errors import InputError
from symgen.export import backend as table
from symgen.export.backend import BACKENDS, COMMON, Asked, ExportBackend, backends, checked
from symgen.export.mechanism import MechanismRequest, mechanism_subject

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "export-backends.md").read_text(encoding="utf-8")


def _example(folder: Path) -> ModuleType:
    """Return the module of the page."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    path = folder / "my_signals.py"
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("my_signals", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["my_signals"] = module
    spec.loader.exec_module(module)
    return module


def test_the_backends_of_the_table_are_backends_and_the_page_lists_them() -> None:
    found = backends()
    assert list(found) == list(BACKENDS)
    assert set(re.findall(r"^\| `(\w+)` \| `symgen/export", PAGE, re.MULTILINE)) == set(found)
    for name, each in found.items():
        assert isinstance(each, ExportBackend)
        assert each.name == name
        assert each.common <= set(COMMON)


def test_the_backend_of_the_page_writes_its_file(tmp_path: Path) -> None:
    found = checked(_example(tmp_path).BACKEND, "signals", "my_signals")
    mechanism = symgen.load(REPOSITORY / "examples" / "jansen_leg" / "mechanism.toml")
    request = MechanismRequest(prefix="leg", results=["foot.toe"])
    subject = mechanism_subject(mechanism, symgen.library(), request)
    product = found.files(subject, Asked("export X --for signals", {"separator": ","}))
    rows = list(csv.reader(io.StringIO(str(product.files["leg.csv"]))))
    assert rows[0] == ["kind", "name", "unit"]
    assert [row[1] for row in rows[1:]] == [v.name for v in (*subject.inputs, *subject.results)]
    assert product.manifest["files"].keys() == {"leg.csv"}
    with pytest.raises(InputError, match="one character"):
        found.check({"separator": ""})


def test_what_is_registered_and_is_no_backend_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _example(tmp_path).BACKEND

    def registered(name: str, each: Any) -> None:
        def load() -> Any:
            return 1 // 0 if each is None else each

        point = SimpleNamespace(name=name, value="theirs:BACKEND", load=load)
        monkeypatch.setattr(table, "entry_points", lambda group: [point] if group == "symgen.backends" else [])

    registered("signals", found)
    assert list(backends()) == [*BACKENDS, "signals"]
    registered("fmu", found)
    with pytest.raises(InputError, match="'fmu', a name that is taken"):
        backends()
    registered("broken", None)
    with pytest.raises(InputError, match="--for broken, cannot be loaded: ZeroDivisionError"):
        backends()
    registered("others", found)
    with pytest.raises(InputError, match="calls itself 'signals'"):
        backends()
    registered("signals", SimpleNamespace(name="signals", summary="", files=print))
    with pytest.raises(InputError, match="it has no common, settings"):
        backends()
    with pytest.raises(
        InputError, match=r"--result, which symgen does not define for exports; did you mean \"--results\""
    ):
        checked(type(found)(common=frozenset({"--result"})), "signals", "my_signals")


@pytest.mark.slow
def test_a_backend_of_another_distribution_is_on_the_command_line(tmp_path: Path) -> None:
    _example(tmp_path)
    told = tmp_path / "my_signals-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: my-signals\nVersion: 1.0\n")
    (line,) = re.findall(r"```toml\n\[project.*?\n(.*?)\n```", PAGE, re.DOTALL)
    (told / "entry_points.txt").write_text("[symgen.backends]\n" + line.replace('"', "") + "\n")
    path = os.pathsep.join([str(tmp_path), str(REPOSITORY)])

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "symgen", "export", "R.R.R 2D", "--for", "signals", "--out", "out", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )

    done = run("--prefix", "dyad", "--separator", ";")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "dyad.csv").read_text().startswith("kind;name;unit\ninput;")
    assert "signals" in done.stdout
    refused = run("--fmi", "3")
    assert refused.returncode == 2
    assert "--fmi belongs to --for fmu, not to --for signals" in refused.stderr
