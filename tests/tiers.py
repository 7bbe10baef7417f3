"""Tiers of tests: `make test` takes something of every kind in minutes, `make test-all` takes everything else than what
provers and rare compilers have to say, `make test-slow` takes that. CI takes a share of everything, `make test-share`:
with each commit another one.

A mark says what the default tier leaves out; what it leaves out is deselected, never skipped:

- ``slow``: the test, or one case of it;
- ``kinds``: of the cases that are named after modules, those that are not of a representative module;
- ``sampled(n)``: all cases but `n`, evenly spread over those that the other marks leave; `n` is `CASES` without a mark;
- ``provers``: the test needs long, or tools that are large; `make test-all` leaves it out too.

A test that is named with ``::`` on the command line is run whatever its marks.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from zlib import crc32

import pytest
from oracle.compilers import KINDS

from symgen.resources import generated_folder

VARIABLE = "SYMGEN_EVERYTHING"
EVERYTHING = os.environ.get(VARIABLE, "0") not in ("", "0")
#: "2/8": beside the default tier, that eighth of the tests it leaves out which has number 2; they count from 0.
SHARE_VARIABLE = "SYMGEN_SHARE"
SLOW_VARIABLE = "SYMGEN_SLOW"
SLOW = os.environ.get(SLOW_VARIABLE, "0") not in ("", "0")
#: So many cases of a test the default tier takes where no mark says otherwise.
CASES = 6
#: File of tests -> how many of its tests the default tier has, and how many there are.
COUNTS = pytest.StashKey[dict[str, tuple[int, int]]]()


def few_or_all(few: int, every: int) -> int:
    """Return how often a loop inside a test goes round: `few` times in the default tier."""
    return every if EVERYTHING else few


def with_share(chosen: Sequence[bool], share: str, names: Sequence[str]) -> list[bool]:
    """Add a share to the tests that are chosen: of the others one in so many, by the name and not by the place.

    Raises
    ------
    ValueError
        It is not a number, a stroke, and a larger number.
    """
    if not share:
        return list(chosen)
    found = re.fullmatch(r"([0-9]+)/([0-9]+)", share)
    part, parts = map(int, found.groups()) if found else (0, 0)
    if part >= parts:
        raise ValueError(f"{SHARE_VARIABLE}={share!r}: allowed is a number below another one, such as 2/8")
    numbers = (crc32(name.encode()) for name in names)
    return [is_chosen or number % parts == part for is_chosen, number in zip(chosen, numbers, strict=True)]


def is_of_provers(item: pytest.Item) -> bool:
    """Tell whether a test belongs to `make test-slow` alone."""
    return item.get_closest_marker("provers") is not None


def of_default_tier(items: Sequence[pytest.Item]) -> list[bool]:
    """Tell of each test whether it is in the default tier."""
    modules = {path.name for path in generated_folder().iterdir() if path.is_dir()}
    chosen = [
        item.get_closest_marker("slow") is None and not is_of_provers(item) and _is_of_a_kind(item, modules)
        for item in items
    ]
    families: dict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        if chosen[index]:
            families[item.nodeid.split("[")[0]].append(index)
    for family in families.values():
        mark = items[family[0]].get_closest_marker("sampled")
        taken = spread(len(family), mark.args[0] if mark is not None else CASES)
        for place, index in enumerate(family):
            chosen[index] = place in taken
    return chosen


def _is_of_a_kind(item: pytest.Item, modules: set[str]) -> bool:
    """Tell whether a case is of a representative module, or of no module at all."""
    if item.get_closest_marker("kinds") is None:
        return True
    words = {word.removesuffix("_f32") for word in re.split(r"[-\[\]]", item.name)}
    return bool(words & {*KINDS}) or not words & modules


def spread(count: int, some: int) -> set[int]:
    """Return `some` of `count` places at even distances, the middle of each stretch; all of them if there are fewer."""
    return set(range(count)) if some >= count else {(2 * place + 1) * count // (2 * some) for place in range(some)}
