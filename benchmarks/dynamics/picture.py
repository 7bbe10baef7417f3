"""Curves in a double-logarithmic frame, as an SVG that needs nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

#: Colours that stay apart for colour-blind readers (Okabe, Ito, 2002); symgen's curves come first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31", "#7F7F7F", "#6A3D9A")
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 960, 520, 80, 350, 40, 60


@dataclass(frozen=True)
class Curve:
    """A named curve of positive numbers."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


def log_log(title: str, x_title: str, y_title: str, curves: Sequence[Curve]) -> str:
    """Return the picture."""
    shown = [curve for curve in curves if curve.points]
    xs = _decades([x for curve in shown for x, _ in curve.points])
    ys = _decades([y for curve in shown for _, y in curve.points])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - xs[0]) / (xs[-1] - xs[0])
        up = (math.log10(y) - ys[0]) / (ys[-1] - ys[0])
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
        ' font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="15">{escape(title)}</text>',
    ]
    for k in xs:
        (x, low), (_, high) = place(10.0**k, 10.0 ** ys[0]), place(10.0**k, 10.0 ** ys[-1])
        out.append(f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{x:.1f}" y="{low + 18:.1f}" text-anchor="middle">{_power(k)}</text>')
    for k in ys:
        (left, y), (right, _) = place(10.0 ** xs[0], 10.0**k), place(10.0 ** xs[-1], 10.0**k)
        out.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{_power(k)}</text>')
    middle = (_HEIGHT - _BOTTOM + _TOP) / 2
    centre = f'x="{(_LEFT + _WIDTH - _RIGHT) / 2:.1f}" y="{_HEIGHT - 16}" text-anchor="middle"'
    out.append(f"<text {centre}>{escape(x_title)}</text>")
    out.append(
        f'<text transform="translate(20 {middle:.1f}) rotate(-90)" text-anchor="middle">{escape(y_title)}</text>'
    )
    for number, curve in enumerate(shown):
        colour, dash = COLOURS[number % len(COLOURS)], ' stroke-dasharray="6 4"' if curve.dashed else ""
        spots = [place(*point) for point in curve.points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots]
        y = _TOP + 12 + 20 * number
        x = _WIDTH - _RIGHT + 16
        out.append(f'<path d="M{x} {y - 4}h22" stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(f'<text x="{x + 28}" y="{y}">{escape(curve.name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def _decades(values: Sequence[float]) -> range:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return range(low, max(high, low + 1) + 1)


def _power(exponent: int) -> str:
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}"
