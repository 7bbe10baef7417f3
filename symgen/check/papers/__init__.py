"""The formulas of the papers that symgen is built on, transcribed as claims, a file a paper."""

from __future__ import annotations

from pathlib import Path


def paper_files() -> list[str]:
    """Return the claims files that are shipped, in the order of their names."""
    return [str(path) for path in sorted(Path(__file__).parent.glob("*.toml"))]
