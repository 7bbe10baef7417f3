"""A mechanism over time, group by group.

The package is also the public function ``symgen.solve(mechanism, times)``:
importing any of its modules binds the name ``solve`` in ``symgen`` to this
module, so the module itself can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """The type of this package; calling it calls `symgen.solve.motion.solve`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from symgen.solve.motion import solve

        return solve(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
