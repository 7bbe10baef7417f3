"""A mechanism over time, group by group.

The package is also the public function ``symgen.solve(mechanism, times)``:
importing any of its modules binds the name ``solve`` in ``symgen`` to this
module, so the module itself can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgen.callable_module import make_callable


def _find() -> Callable[..., Any]:
    from symgen.solve.motion import solve

    return solve


make_callable(__name__, _find)
