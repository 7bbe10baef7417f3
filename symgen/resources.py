"""Where templates, the shipped library and the examples are: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    inside = _PACKAGE / f"_{name}"
    beside = _PACKAGE.parent / name
    folder = inside if inside.is_dir() else beside
    if not folder.is_dir():
        raise FileNotFoundError(f"symgen is installed without its {name} folder (looked for {inside.name} and {name})")
    return folder


def templates_folder() -> Path:
    """Return the folder of the Jinja templates."""
    return _folder("templates")


def generated_folder() -> Path:
    """Return the folder of the shipped solver modules."""
    return _folder("generated")


def examples_folder() -> Path:
    """Return the folder of the examples, one folder each."""
    return _folder("examples")
