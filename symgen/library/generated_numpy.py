"""NumPy files of the engines in ``generated/``, as Python modules."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from symgen.errors import InputError
from symgen.library.python_files import load_python
from symgen.resources import generated_folder


@lru_cache(maxsize=4)
def load_routines(module: str, name: str) -> ModuleType:
    """Return a generated NumPy file of ``generated/<module>/`` as a Python module.

    Raises
    ------
    InputError
        The file is missing.
    """
    path = generated_folder() / module / name
    if not path.is_file():
        raise InputError(f"{path} is missing: symgen is not fully installed")
    return load_python(f"symgen_engine_{module}", path)
