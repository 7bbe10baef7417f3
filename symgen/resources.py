"""Where templates, the shipped library, examples and sources are: beside the package, or inside it in a wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import zipfile

#: A file or folder on disk, or inside the archive that an installed wheel holds; either is read in the same way.
Place: TypeAlias = "Path | zipfile.Path"

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


@cache
def generated_folder() -> Place:
    """Return the folder of the shipped solver modules; in a wheel they are an archive, a fifth as large."""
    archive = _PACKAGE / "_generated.zip"
    if not archive.is_file():
        return _folder("generated")
    import io
    import zipfile

    # In memory: an open file would be shared with processes that are forked.
    found = zipfile.ZipFile(io.BytesIO(archive.read_bytes()))
    found.filename = str(archive)  # what messages name
    return zipfile.Path(found)


def examples_folder() -> Path:
    """Return the folder of the examples, one folder each."""
    return _folder("examples")


def source_path(module: str) -> Path:
    """Return where the source of one of symgen's own Python modules is, or would be: ``symgen.model.parts``."""
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
