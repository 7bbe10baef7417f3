"""The head of a module says what a pose is in its own space, however many coordinates it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.cli.main import main


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", [["--whole"], ["--loops"]], ids=["whole", "loops"])
@pytest.mark.parametrize("example", ["quick_return", "jansen_leg"])  # quick_return: seven coordinates, as a pose has
def test_a_planar_mechanism_has_no_quaternions_in_its_head(
    example: str, words: list[str], repository: Path, tmp_path: Path
) -> None:
    file = repository / "examples" / example / "mechanism.toml"
    assert main(["generate", "--mechanism", str(file), *words, "--name", "made", "--out", str(tmp_path)]) == 0
    for name in ("made.h", "made.py"):
        text = " ".join((tmp_path / "made" / name).read_text(encoding="utf-8").replace(" * ", " ").split())
        assert "Poses are [x, y, phi]" in text
        assert "quaternion" not in text.split("SI units", 1)[1].split("Inputs are const", 1)[0][:900]


def test_a_spatial_mechanism_has_them(repository: Path, tmp_path: Path) -> None:
    file = repository / "examples" / "spatial_four_bar" / "mechanism.toml"
    assert main(["generate", "--mechanism", str(file), "--whole", "--name", "made", "--out", str(tmp_path)]) == 0
    text = " ".join((tmp_path / "made" / "made.h").read_text(encoding="utf-8").replace(" * ", " ").split())
    assert "Poses are [x, y, z, q0, q1, q2, q3]" in text
    assert "[x, y, phi]" not in text
