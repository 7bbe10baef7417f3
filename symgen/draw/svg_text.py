"""Numbers, paths and texts as SVG wants them: short, the same on every machine."""

from __future__ import annotations

import math
import unicodedata
from html import escape

from symgen.poses import Array

INK, GREY, PALE, RED = "#1f2933", "#7b8794", "#cbd2d9", "#b91c1c"
#: Body colours, told apart on white and by people who do not see red and green (Okabe and Ito, 2008, darkened).
COLOURS = ("#0072b2", "#c25100", "#00845f", "#a8478a", "#8a6d00", "#3b8fc4", "#5d5fbf", "#6b4226")
FONT = "'DejaVu Sans', Arial, sans-serif"


def number(value: float, digits: int = 1) -> str:
    """Return a number with at most `digits` decimals, without a needless zero or sign."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
    return "0" if text in ("-0", "") else text


def plain(text: str) -> str:
    """Return a text for SVG or HTML: markup escaped, control characters left out."""
    return escape("".join(c for c in text if unicodedata.category(c)[0] != "C"), quote=True)


def path(points: Array, *, closed: bool = False) -> str:
    """Return the path through points (k, 2); it is broken where one is not finite."""
    parts = []
    pen_down = False
    for x, y in points:
        if not (math.isfinite(x) and math.isfinite(y)):
            pen_down = False
            continue
        parts.append(f"{'L' if pen_down else 'M'}{number(x)},{number(y)}")
        pen_down = True
    return "".join(parts) + ("Z" if closed and parts else "")


def round_steps(low: float, high: float, most: int) -> list[float]:
    """Return at most `most` + 1 round numbers (1, 2 or 5 times a power of ten apart) within low ... high."""
    span = high - low
    if not span > 0.0:
        return [low]
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= raw * (1.0 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [step * k for k in range(first, last + 1)]


def short(value: float) -> str:
    """Return a number for a label."""
    return f"{value:.6g}"


def short4(value: float) -> str:
    """Return a number with four digits, whole if it is whole."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e9 else f"{value:.4g}"
