"""Places for labels on curves: clear of bodies and other labels, of arrowheads, and, where possible, of other lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from symgen.draw.topological_ways import Curve, Pill, Point, on_curve, points_of

#: Height of a label's patch, and from its top to the line on which the letters stand.
HEIGHT, ASCENT = 15.0, 11.0
# Middle and half the size of something that is not to be covered.
Patch = tuple[float, float, float, float]

# What it costs to lie on a label or body, an arrowhead, another line, and to be off the own line.
_COVERED, _ARROW, _LINE, _OFF = 1000.0, 60.0, 12.0, 30.0
_ARROW_POINTS = 5


def place_labels(ways: Mapping[str, Curve], widths: Mapping[str, float], bodies: Sequence[Pill]) -> dict[str, Point]:
    """Return for each label the middle of its patch.

    Parameters
    ----------
    ways : the curves.
    widths : of the patches.
    bodies : what is not to be covered.
    """
    points = {name: list(points_of(way)) for name, way in ways.items()}
    tips = [point for line in points.values() for point in line[-_ARROW_POINTS:]]
    taken = [(pill.x, pill.y, pill.half_width, pill.half_height) for pill in bodies]
    found: dict[str, Point] = {}
    # Short curves have fewer places for their labels: they choose first.
    for name in sorted(ways, key=lambda each: (_length(points[each]), each)):
        half = widths[name] / 2
        others = [point for other, line in points.items() if other != name for point in line]
        prices = [
            (price + _price(place, half, taken, tips, others), rank, place)
            for rank, (place, price) in enumerate(_candidates(ways[name]))
        ]
        x, y = found[name] = min(prices)[2]
        taken.append((x, y, half, HEIGHT / 2))
    return found


def _price(place: Point, half: float, taken: Sequence[Patch], tips: Sequence[Point], others: Sequence[Point]) -> float:
    """Return what it costs to cover bodies and labels, arrowheads, and other lines."""
    x, y = place
    covered = sum(abs(x - u) < half + wide + 2 and abs(y - v) < HEIGHT / 2 + high + 1 for u, v, wide, high in taken)
    on_tips = sum(abs(x - u) < half + 3 and abs(y - v) < HEIGHT / 2 + 3 for u, v in tips)
    on_lines = sum(abs(x - u) < half + 1 and abs(y - v) < HEIGHT / 2 + 1 for u, v in others)
    return _COVERED * covered + _ARROW * on_tips + _LINE * on_lines


def _candidates(way: Curve) -> list[tuple[Point, float]]:
    """Return places along a curve, and beside it, with what each costs by itself; the middle of the line is free."""
    candidates = []
    for k in range(31):
        t = 0.5 + (k + 1) // 2 * (0.025 if k % 2 else -0.025)
        x, y = on_curve(way, t)
        away = abs(t - 0.5)
        candidates += [((x, y + lift), 20.0 * away + (_OFF if lift else 0.0)) for lift in (0.0, -14.0, 14.0)]
    return candidates


def _length(points: Sequence[Point]) -> float:
    return round(sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in pairwise(points)), 1)
