"""The sign of no single entry of a vibrating element, a hinge or a beam can be turned without its law noticing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.transfer_elements import Elements
from oracle.transfer_laws import LAWS

from symgen.derive.transfer.vibration_kernels import vibration_kernels

#: Everything right is better than this by orders, everything wrong is worse by orders.
NOTICED = 1e-6


class Turned:
    """An element with the sign of one entry of one of its results turned."""

    def __init__(self, element: str, place: int, entry: int) -> None:
        self._right, self._place, self._entry = getattr(Elements(), element), place, entry

    def __call__(self, *arguments: Any) -> Any:
        results = self._right(*arguments)
        if not isinstance(results, list):
            return self._turn(results)
        return [self._turn(result) if k == self._place else result for k, result in enumerate(results)]

    def _turn(self, result: Any) -> Any:
        flat = np.atleast_1d(np.array(result, dtype=float))
        flat[self._entry] *= -1.0
        return flat if np.ndim(result) else float(flat[0])


def _entries(element: str) -> list[tuple[int, int]]:
    """Return result and entry of all that is not zero, or rounding, whenever the law asks for the element."""
    seen: dict[tuple[int, int], float] = {}
    right = getattr(Elements(), element)

    def watched(*arguments: Any) -> Any:
        results = right(*arguments)
        for place, result in enumerate(results if isinstance(results, list) else [results]):
            sizes = np.abs(np.atleast_1d(np.asarray(result, dtype=float)))
            for entry in np.flatnonzero(sizes > 1e-10 * sizes.max()):
                seen[place, int(entry)] = 1.0
        return results

    LAWS[element](Elements({element: watched}))
    return list(seen)


@pytest.mark.parametrize("element", LAWS)
def test_a_turned_sign_of_an_entry_is_noticed(element: str) -> None:
    law, entries = LAWS[element], _entries(element)
    assert law(Elements()) < NOTICED * 1e-3
    assert entries
    unnoticed = [each for each in entries if not law(Elements({element: Turned(element, *each)})) > NOTICED]
    assert unnoticed == []


def test_every_vibrating_element_has_a_law() -> None:
    assert {derivation.name for derivation in vibration_kernels()} <= set(LAWS)
