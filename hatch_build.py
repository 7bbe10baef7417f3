"""Hook of the wheel's build: the shipped solver modules go into one archive, ``symgen/_generated.zip``.

As files they and what pip compiles of them take 23 MB of every installation, as an archive a fifth of it.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: The earliest date that an archive can say: same files, same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)


class ArchiveGenerated(BuildHookInterface):
    """Adds the archive to a wheel; what is installed as editable reads the checkout."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the archive and tell the build of it."""
        if version == "editable":
            return
        self._scratch = tempfile.TemporaryDirectory()
        archive = Path(self._scratch.name) / "_generated.zip"
        write_archive(Path(self.root) / "generated", archive)
        build_data["force_include"][str(archive)] = "symgen/_generated.zip"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written for the build."""
        if version != "editable":
            self._scratch.cleanup()


def write_archive(folder: Path, archive: Path) -> None:
    """Write the files of a folder's modules into an archive, always the same bytes."""
    every = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".keep")
    files = [path for path in every if "__pycache__" not in path.parts]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            out.writestr(entry, path.read_bytes())
