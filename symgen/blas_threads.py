"""Linear algebra on one thread while symgen works.

A mechanism asks for many solutions of small matrices. NumPy's BLAS wakes all its threads for some of them (from about
32 rows on); on a busy machine each waits until the last has been given time, and what takes a millisecond takes a
second. Threads pay for matrices of some thousand rows, which symgen does not have.
"""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from functools import lru_cache
from typing import Any


class OneBlasThread(ContextDecorator):
    """Decorates functions, or is entered: inside, the whole process has one BLAS thread.

    It may be entered again inside. Of several threads the first that is in it limits and restores; others leave alone
    what it does, so that none restores what another has limited.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._depth = 0
        self._limits: Any = None

    def __enter__(self) -> OneBlasThread:
        me = threading.get_ident()
        with self._lock:
            if self._owner is None:
                self._limits, self._owner = _libraries().limit(limits=1, user_api="blas"), me
            self._depth += self._owner == me
        return self

    def __exit__(self, *failure: object) -> None:
        with self._lock:
            if self._owner != threading.get_ident():
                return
            self._depth -= 1
            if not self._depth:
                self._limits.restore_original_limits()
                self._owner = None


@lru_cache(maxsize=1)
def _libraries() -> Any:
    """Return the BLAS libraries of this process; NumPy's are there once it is imported."""
    import numpy  # noqa: F401 - loads its BLAS, which is then found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


one_blas_thread = OneBlasThread()
