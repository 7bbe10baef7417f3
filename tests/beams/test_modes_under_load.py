"""Assumed modes of a beam under a load along itself: the first frequency is off by what docs/vibrations.md says."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vibrations.test_vibrations_of_columns import CRITICAL, EI, MU, L, theory

import symgen
from symgen.beams.modes import mode_families
from symgen.beams.sections import sections_of

#: Row of the table -> ends, static shapes.
ROWS = {
    "pinned, pinned": ("pinned", 2),
    "clamped, free (`end_shapes = 2`)": ("clamped-free", 2),
    "clamped, free (`end_shapes = 0`)": ("clamped-free", 0),
    "clamped, clamped": ("clamped-clamped", 2),
}
PARTS = (0.0, 0.5, 0.9, 0.99)


def first_frequency(ends: str, part: float, end_shapes: int) -> float:
    """Return the first frequency [Hz] of a beam with four assumed modes: by Ritz."""
    beam = {"length": L, "mass_per_length": MU, "bending": EI, "modes": 4, "end_shapes": end_shapes}
    body = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "bodies": {"b": {"beam": beam}},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0]}},
    }).bodies[0]  # fmt: skip
    assert body.beam is not None
    nodes, weights = np.polynomial.legendre.leggauss(30)
    places, weights = 0.5 * L * (nodes + 1.0), 0.5 * L * MU * weights
    along = sections_of(body.beam, places, planar=True, backwards=False)
    end = sections_of(body.beam, np.array([L]), planar=True, backwards=False)
    tip, slope, shape = end.shape[0, :, 1], end.slope[0, :, 0], along.shape[:, :, 1]
    stiffness = np.diag(mode_families(body.beam, True)[0].omega ** 2)
    draws, basis = end.draws[0], np.eye(len(tip))
    if ends == "pinned":  # the frame turns, so that the far end stays on the line
        shape, draws = shape - np.outer(places, tip) / L, draws - np.outer(tip, tip) / L
    elif ends == "clamped-clamped":
        basis = np.linalg.qr(np.array([tip, slope]).T, mode="complete")[0][:, 2:]
    push = part * CRITICAL[ends] * math.pi**2 * EI / L**2
    mass, held = (basis.T @ each @ basis for each in ((shape * weights[:, None]).T @ shape, stiffness - push * draws))
    root = np.linalg.inv(np.linalg.cholesky(mass))
    return math.sqrt(float(np.linalg.eigvalsh(root @ held @ root.T)[0])) / math.tau


def table(repository: Path) -> dict[str, list[float]]:
    """Return the rows of the page."""
    text = (repository / "docs" / "vibrations.md").read_text(encoding="utf-8")
    text = text[text.index("**Under a load along the beam**") :]
    rows: dict[str, Any] = {}
    for name in ROWS:
        line = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", text, re.MULTILINE)
        assert line is not None, name
        rows[name] = [float(cell) for cell in line.group(1).split("|")]
    return rows


@pytest.mark.parametrize("row", ROWS)
def test_a_load_makes_assumed_modes_as_wrong_as_the_page_says(repository: Path, row: str) -> None:
    ends, end_shapes = ROWS[row]
    for part, said in zip(PARTS, table(repository)[row], strict=True):
        error = first_frequency(ends, part, end_shapes) / theory(ends, part, 1)[0] - 1.0
        # one digit is printed; Ritz's frequencies are from above, to rounding
        assert -1e-9 < error == pytest.approx(said, rel=0.5, abs=1e-9)
