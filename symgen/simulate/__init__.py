"""Dynamics: a mechanism moves under its forces.

The package is also the public function ``symgen.simulate(mechanism, ...)``: importing any of its modules binds the name
``simulate`` in ``symgen`` to this module, so the module itself can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """The type of this package; calling it calls `symgen.simulate.simulation.simulate`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from symgen.simulate.simulation import simulate

        return simulate(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
