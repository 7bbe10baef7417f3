"""The mechanisms for the dynamics: loaded, described, with mass where it is needed, and as heavy as published."""

from __future__ import annotations

from pathlib import Path

import pytest

import symgen

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "dynamics"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/mechanism.toml"))


@pytest.mark.parametrize("name", NAMES)
def test_every_body_has_mass_and_every_example_says_how_to_run_it(name: str) -> None:
    mechanism = symgen.load(FOLDER / name / "mechanism.toml")
    for body in mechanism.bodies:
        assert body.mass, body.id
        assert body.com is not None, body.id
        assert body.inertia is not None, body.id
    text = (FOLDER / name / "README.md").read_text(encoding="utf-8")
    assert f"symgen simulate examples/dynamics/{name}/mechanism.toml" in text
    assert f"({name}/README.md)" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_masses_are_those_of_the_benchmarks() -> None:
    published = {
        "spinning_top": 15.0, "double_four_bar": 5.0, "bricard": 5.0, "spatial_slider_crank": 2.62,
        "andrews": 0.04325 + 0.00365 + 0.02373 + 0.00706 + 0.07050 + 0.00706 + 0.05498,
        "flyball_governor": 0.3 + 3.0 + 2 * (0.3 + 5.0),
    }  # fmt: skip
    found = {
        name: sum(body.mass or 0.0 for body in symgen.load(FOLDER / name / "mechanism.toml").bodies) for name in NAMES
    }
    assert found == pytest.approx(published)


@pytest.mark.parametrize(("name", "mobility"), [
    ("spinning_top", 3), ("double_four_bar", 1), ("bricard", 0), ("andrews", 1), ("spatial_slider_crank", 1),
    ("flyball_governor", 4),
])  # fmt: skip
def test_mobility_by_count_is_as_described(name: str, mobility: int) -> None:
    assert symgen.analyse(symgen.load(FOLDER / name / "mechanism.toml")).mobility == mobility
