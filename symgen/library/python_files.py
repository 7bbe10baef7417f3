"""Generated NumPy files as Python modules, from a folder or from the archive of a wheel."""

from __future__ import annotations

import importlib.abc
import importlib.util
from pathlib import Path
from types import CodeType, ModuleType

from symgen.errors import InputError
from symgen.resources import Place


class _Archived(importlib.abc.InspectLoader):
    """Loads one file of an archive, which Python cannot keep compiled."""

    def __init__(self, path: Place) -> None:
        self._path = path

    def get_source(self, fullname: str) -> str:
        return self._path.read_text(encoding="utf-8")

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_source(fullname), str(self._path))

    def is_package(self, fullname: str) -> bool:
        return False


def load_python(name: str, path: Place) -> ModuleType:
    """Return a Python file as a module of this name, which is not put into `sys.modules`.

    Raises
    ------
    InputError
        It is no Python file, or cannot be read as one.
    """
    if isinstance(path, Path):
        spec = importlib.util.spec_from_file_location(name, path)
    else:
        spec = importlib.util.spec_from_loader(name, _Archived(path), origin=str(path))
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file")
    python = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(python)
    except SyntaxError as error:
        raise InputError(f"{path}: line {error.lineno}: {error.msg}") from error
    return python
