"""The code on docs/own-derivations.md runs: the formula is proved, refused where the page says so, found and called."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import symgen
from symgen.cli.main import main
from symgen.derive import catalogue


def blocks(repository: Path) -> list[str]:
    page = (repository / "docs" / "own-derivations.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", page, re.S)


def test_the_code_of_the_page_runs(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalogue, "_OWN", {})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", "no-such-compiler")  # NumPy does: what C gives is compared elsewhere
    file, use, call, legs, chain = blocks(repository)
    assert file.startswith("# file: piston.py\n")
    Path("piston.py").write_text(file.partition("\n")[2], encoding="utf-8")

    wrong = file.replace("r * r * s * s - rod * rod]", "r * r * s * s + rod * rod]")
    Path("wrong.py").write_text(wrong, encoding="utf-8")
    assert main(["generate", "wrong.py", "--out", "solvers"]) == 2
    said = capsys.readouterr().err
    page = (repository / "docs" / "own-derivations.md").read_text(encoding="utf-8")
    assert said.strip().replace("wrong.py", "piston.py") in page
    assert not Path("solvers").exists()

    pipe = repository / "examples" / "own_derivation" / "symgen_instruments" / "pipe.py"
    assert main(["generate", "piston.py:derive", str(pipe), "--out", "solvers"]) == 0
    assert main(["check", "--own", "piston.py", "--show", "piston_v"]) == 0
    (claims,) = (block for block in re.findall(r"```toml\n(.*?)```", page, re.S) if "symgen/claims/1" in block)
    Path("claims.toml").write_text(claims, encoding="utf-8")
    assert main(["check", "--own", "piston.py", "claims.toml"]) == 0
    monkeypatch.setenv("SYMGEN_LIBRARY", "solvers")
    for text in (use, chain):
        assert text.startswith("# with: SYMGEN_LIBRARY=solvers\n")
    names: dict[str, object] = {}
    exec(use, names)  # noqa: S102 - the page's own code
    turn, r, rod, rate = np.array([0.5, 1.0]), 0.1, 0.3, 20.0
    end = r * np.exp(1j * turn)  # the rod from the crank's pin to the axis, and how the pin moves
    place = end.real + np.sqrt(rod**2 - end.imag**2)
    speed = (1j * rate * end).real - end.imag * (1j * rate * end).imag / (place - end.real)
    assert names["found"].x == pytest.approx(place, rel=1e-14)  # type: ignore[attr-defined]
    assert names["found"].v == pytest.approx(speed, rel=1e-14)  # type: ignore[attr-defined]
    exec(chain, names)  # noqa: S102
    assert names["closed_to_open"].shape == (400,)  # type: ignore[attr-defined]

    assert legs.startswith("# file: legs.py\n")
    Path("legs.py").write_text(legs.partition("\n")[2], encoding="utf-8")
    assert main(["generate", "legs.py:derive", "--out", "solvers"]) == 0
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    origin, bases, tops = rng.normal(size=3), rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    kernel = symgen.library()["legs"].kernel
    found = kernel.position(origin, *turn, bases.ravel(), tops.ravel())
    assert found.lengths == pytest.approx(np.linalg.norm(origin + tops @ turn.T - bases, axis=1), rel=1e-14)

    monkeypatch.syspath_prepend(str(tmp_path))
    exec(call.replace('"solvers"', '"others"'), names)  # noqa: S102
    assert (tmp_path / "others" / "piston" / "piston.json").is_file()
