"""Vibrations of a mechanism about rest: eigenfrequencies and mode shapes by transfer matrices.

The package is also the public function ``symgen.vibrations(mechanism, ...)``: importing any of its modules binds the
name ``vibrations`` in ``symgen`` to this module, so the module itself can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgen.callable_module import make_callable


def _find() -> Callable[..., Any]:
    from symgen.vibrations.analysis import vibrations

    return vibrations


make_callable(__name__, _find)
