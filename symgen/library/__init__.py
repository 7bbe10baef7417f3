"""Solved types: found by signature, loaded, called with arrays.

The package is also the public function ``symgen.library()``: importing any of
its modules binds the name ``library`` in ``symgen`` to this module, so the
module itself can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """The type of this package; calling it calls `symgen.library.catalogue.library`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from symgen.library.catalogue import library

        return library(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
