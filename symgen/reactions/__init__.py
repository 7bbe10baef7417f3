"""Joint reactions of rigid mechanisms: which of them can be known.

The package is also the public function ``symgen.reactions(mechanism, ...)``: importing any of its modules binds the
name ``reactions`` in ``symgen`` to this module, so the module itself can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgen.callable_module import make_callable


def _find() -> Callable[..., Any]:
    from symgen.reactions.uniqueness import reactions

    return reactions


make_callable(__name__, _find)
