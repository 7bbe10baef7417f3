"""Between which numbers the inputs of an export lie: from ``[ranges]`` of a mechanism file, or a file of their own."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from symgen.errors import InputError
from symgen.export.subject import Input
from symgen.model.nearest import did_you_mean
from symgen.printers.c99 import Precision
from symgen.printers.tolerances import TOLERANCE_FLOAT, TOLERANCE_VALUE

Ranges = Mapping[str, tuple[float, float]]


def with_ranges(inputs: Sequence[Input], ranges: Ranges | None, precision: Precision) -> tuple[Input, ...]:
    """Return inputs with their ranges, as numbers of the precision that lie within.

    Raises
    ------
    InputError
        A range of no input, or one that is empty or not finite.
    """
    names = [each.name for each in inputs]
    for name, (least, most) in (ranges or {}).items():
        if name not in names:
            some = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
            raise InputError(f"ranges: {name!r} is not an input{did_you_mean(name, names)}; inputs: {some}")
        if not (math.isfinite(least) and math.isfinite(most) and least < most):
            raise InputError(f"ranges: {name} = [{least:g}, {most:g}]: give two numbers, the first below the second")
    angles = {each.name for each in inputs if each.unit == "rad"}
    for name, pair in (ranges or {}).items():
        largest = (TOLERANCE_FLOAT if precision == "float" else TOLERANCE_VALUE)["LARGEST_ANGLE"]
        if name in angles and max(map(abs, pair)) > largest:
            raise InputError(
                f"ranges: {name} = [{pair[0]:g}, {pair[1]:g}]: angles may reach {largest:g} rad in {precision}: take "
                "whole turns off the angle"
            )
    found = {name: _within(name, pair, precision) for name, pair in (ranges or {}).items()}
    return tuple(
        replace(each, least=float(found[each.name][0]), most=float(found[each.name][1])) if each.name in found else each
        for each in inputs
    )


def _within(name: str, pair: tuple[float, float], precision: Precision) -> tuple[float, float]:
    """Return the widest range of numbers of a precision within another."""
    if precision == "double":
        return pair
    with np.errstate(over="ignore"):
        least, most = map(np.float32, pair)
    least = np.nextafter(least, np.float32(np.inf)) if float(least) < pair[0] else least
    most = np.nextafter(most, np.float32(-np.inf)) if float(most) > pair[1] else most
    if not (np.isfinite(least) and np.isfinite(most) and least < most):
        raise InputError(
            f"ranges: {name} = [{pair[0]!r}, {pair[1]!r}]: float cannot represent it: its numbers reach 3.4e38 and "
            "have 7 digits; widen the range, or give --precision double"
        )
    return float(least), float(most)


def read_ranges(path: Path) -> dict[str, tuple[float, float]]:
    """Return the ranges of a TOML file: ``"A.angle" = [LEAST, MOST]``, by themselves or below ``[ranges]``.

    Raises
    ------
    InputError
        It cannot be read, or something in it is no range.
    """
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--ranges {path}: {(error.strerror or str(error)).lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"--ranges {path}: this is not TOML: {error}") from None
    table = tree["ranges"] if set(tree) == {"ranges"} and isinstance(tree["ranges"], dict) else tree
    return ranges_of(table, str(path))


def ranges_of(table: Mapping[str, object], where: str) -> dict[str, tuple[float, float]]:
    """Return the ranges of a table; keys without quotes are tables of their own."""
    found: dict[str, tuple[float, float]] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            found |= {f"{key}.{name}": pair for name, pair in ranges_of(value, where).items()}
            continue
        numbers = value if isinstance(value, (list, tuple)) else ()
        if len(numbers) != 2 or not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in numbers):
            raise InputError(f"{where}: {key} = {value!r}: give two numbers [LEAST, MOST]")
        found[key] = (float(numbers[0]), float(numbers[1]))
    return found
