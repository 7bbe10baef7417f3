"""Solved types: found by signature, loaded, called with arrays.

The package is also the public function ``symgen.library()``: importing any of
its modules binds the name ``library`` in ``symgen`` to this module, so the
module itself can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgen.callable_module import make_callable


def _find() -> Callable[..., Any]:
    from symgen.library.open import library

    return library


make_callable(__name__, _find)
