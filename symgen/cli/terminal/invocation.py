"""How to call symgen from the shell that this process was started in, so that a hint can be pasted."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path


def invocation() -> str:
    """Return ``symgen`` if the shell finds it; else the script beside the interpreter; else ``python -m symgen``."""
    if shutil.which("symgen") is not None:
        return "symgen"
    script = Path(sys.executable).parent / "symgen"
    if script.is_file() and os.access(script, os.X_OK):
        return shlex.quote(_from_here(script))
    return f"{shlex.quote(_from_here(Path(sys.executable)))} -m symgen"


def _from_here(path: Path) -> str:
    # not resolved: the interpreter of a virtual environment is a link, and what it links to knows no symgen
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
