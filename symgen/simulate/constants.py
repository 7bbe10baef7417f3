"""Numbers of the engine, which the C says and NumPy takes from there.

Each is a line ``#define NAME value`` of a header that is compiled into engines, with its reason beside it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache

from symgen.resources import generated_folder

#: Below `generated/`.
_HEADERS = ("dynamics/dynamics_constants.h", "dynamics/symgen_steps.h", "transfer/transfer_numbers.h")
_LINE = re.compile(r"^#define ([A-Z_0-9]+) ([^/\n]+?) *(?:/\*.*)?$", re.MULTILINE)
_ROUNDING = re.compile(r"\((\d+)\*DBL_EPSILON\)")


def constant(name: str) -> float:
    """Return a number of the engine.

    Raises
    ------
    KeyError
        It has none of that name.
    ValueError
        It has several under that name: see `constants`.
    """
    (value,) = constants(name)
    return value


def constants(name: str) -> tuple[float, ...]:
    """Return the numbers that stand together under a name."""
    return _read()[name]


@cache
def _read() -> Mapping[str, tuple[float, ...]]:
    texts = [generated_folder().joinpath(name).read_text(encoding="utf-8") for name in _HEADERS]
    return {
        name: tuple(_value(each) for each in text.split(",")) for text in texts for name, text in _LINE.findall(text)
    }


def _value(text: str) -> float:
    times = _ROUNDING.fullmatch(text.strip())
    return int(times[1]) * sys.float_info.epsilon if times else float(text)
