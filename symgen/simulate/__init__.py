"""Dynamics: a mechanism moves under its forces.

The package is also the public function ``symgen.simulate(mechanism, ...)``: importing any of its modules binds the name
``simulate`` in ``symgen`` to this module, so the module itself can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgen.callable_module import make_callable


def _find() -> Callable[..., Any]:
    from symgen.simulate.simulation import simulate

    return simulate


make_callable(__name__, _find)
