"""The code on docs/derivations.md runs: it derives, proves, generates and agrees with the shipped solver."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import symgen
from symgen import pipeline
from symgen.derive import catalogue
from symgen.errors import DerivationError
from symgen.library.catalogue import Catalogue, modules_in
from symgen.library.open import Library
from symgen.proofs import prove


def block(repository: Path, title: str) -> str:
    page = (repository / "docs" / "derivations.md").read_text(encoding="utf-8")
    found = [text for text in re.findall(r"```python\n(.*?)```", page, re.S) if text.startswith(f"# derive: {title}\n")]
    assert len(found) == 1
    return found[0].partition("\n")[2]


def loaded(text: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return __import__(name)


def test_the_kernel_is_refused_for_its_wrong_claim_and_proved_without(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = block(repository, "slider kernel")
    wrong = loaded(text, "slider_wrong", tmp_path, monkeypatch)
    with pytest.raises(DerivationError, match="slider kernel: claim 'rigid' fails: residual"):
        prove(wrong.derive_kernel())
    assert "- a[1] * v_a[1]])" in text
    right = loaded(text.replace("- a[1] * v_a[1]])", "+ a[1] * v_a[1]])"), "slider_right", tmp_path, monkeypatch)
    assert [(proof.name, proof.method.split()[0]) for proof in prove(right.derive_kernel())] == [
        ("length", "symbolic"),
        ("rigid", "50-digit"),
    ]


def test_the_group_is_generated_and_agrees_with_the_shipped_one(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = loaded(block(repository, "turntable"), "turntable", tmp_path, monkeypatch)
    monkeypatch.setitem(sys.modules, "symgen.derive.planar.turntable", module)
    monkeypatch.setitem(catalogue._HOMES, "turntable", ("planar.turntable", "derive", ()))
    mine = tmp_path / "mine"
    mine.mkdir()
    pipeline.generate(["turntable"], mine)

    shipped = symgen.library(backend="numpy")["R* 2D"]
    assert shipped.entry.manifest.id == "driven_r_2d"
    described = Library(Catalogue(modules_in(mine)), backend="numpy")["R* 2D"]
    assert described.entry.manifest.id == "turntable"

    random = np.random.default_rng(5)
    inputs = {port.name: random.normal(size=(20, *port.shape)) for port in shipped.all.inputs}
    for ours, theirs in zip(described.all(**inputs), shipped.all(**inputs), strict=True):
        # Sums in another order: some roundings of numbers up to ten.
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-13)
