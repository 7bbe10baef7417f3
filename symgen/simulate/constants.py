"""Numbers of the engine, which the C says and NumPy takes from there.

Each is a line ``#define NAME value`` of a header below templates/c99, with its reason beside it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from symgen.resources import templates_folder

_HEADERS = ("dynamics/dynamics_constants.h", "steps/symgen_steps.h", "transfer/riccati/transfer_numbers.h")
_LINE = re.compile(r"^#define ([A-Z_0-9]+) ([^/\n]+?) *(?:/\*.*)?$", re.MULTILINE)
_ROUNDING = re.compile(r"\((\d+)\*DBL_EPSILON\)")


def constant(name: str) -> float:
    """Return a number of the engine.

    Raises
    ------
    KeyError
        It has none, or several, of that name.
    """
    (value,) = constants(name)
    return value


def constants(name: str) -> tuple[float, ...]:
    """Return the numbers that stand together under a name."""
    return _read(templates_folder() / "c99")[name]


@cache
def _read(folder: Path) -> Mapping[str, tuple[float, ...]]:
    found = [line for name in _HEADERS for line in _LINE.findall((folder / name).read_text(encoding="utf-8"))]
    return {name: tuple(_value(each) for each in text.split(",")) for name, text in found}


def _value(text: str) -> float:
    times = _ROUNDING.fullmatch(text.strip())
    return int(times[1]) * sys.float_info.epsilon if times else float(text)
