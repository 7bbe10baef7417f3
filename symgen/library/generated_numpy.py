"""NumPy files of the engines in ``generated/``, as Python modules."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from types import ModuleType

from symgen.errors import InputError
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
    spec = importlib.util.spec_from_file_location(f"symgen_engine_{module}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"{path} is missing: symgen is not fully installed")
    python = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(python)
    return python
