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
    lines, tips = _Near(), _Near()
    for name, line in points.items():
        for k, (x, y) in enumerate(line):
            lines.add(x, y, name)
            if k >= len(line) - _ARROW_POINTS:
                tips.add(x, y, name)
    taken = [(pill.x, pill.y, pill.half_width, pill.half_height) for pill in bodies]
    found: dict[str, Point] = {}
    # Short curves have fewer places for their labels: they choose first.
    for name in sorted(ways, key=lambda each: (_length(points[each]), each)):
        half = widths[name] / 2
        reach = [(x, y, wide, high) for x, y, wide, high in taken if _is_near(points[name], x, y, half + wide, high)]
        prices = [
            (
                price
                + _COVERED * _covered(place, half, reach)
                + _ARROW * tips.count(place, half + 3, HEIGHT / 2 + 3, None)
                + _LINE * lines.count(place, half + 1, HEIGHT / 2 + 1, name),
                rank,
                place,
            )
            for rank, (place, price) in enumerate(_candidates(ways[name]))
        ]
        x, y = found[name] = min(prices)[2]
        taken.append((x, y, half, HEIGHT / 2))
    return found


class _Near:
    """Points in cells, so that those about a place are found without looking at all."""

    _WIDTH, _HEIGHT = 40.0, 20.0

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[tuple[float, float, str]]] = {}

    def add(self, x: float, y: float, name: str) -> None:
        """Add a point of a line."""
        self._cells.setdefault((int(x // self._WIDTH), int(y // self._HEIGHT)), []).append((x, y, name))

    def count(self, place: Point, half_width: float, half_height: float, own: str | None) -> int:
        """Return how many points lie in a patch, those of the line `own` left out."""
        x, y = place
        columns = range(int((x - half_width) // self._WIDTH), int((x + half_width) // self._WIDTH) + 1)
        rows = range(int((y - half_height) // self._HEIGHT), int((y + half_height) // self._HEIGHT) + 1)
        near = (point for column in columns for row in rows for point in self._cells.get((column, row), ()))
        return sum(abs(x - u) < half_width and abs(y - v) < half_height and name != own for u, v, name in near)


def _is_near(line: Sequence[Point], x: float, y: float, half_width: float, half_height: float) -> bool:
    """Tell whether any label on or beside a line can touch a patch."""
    wide, high = half_width + 4, half_height + HEIGHT + 20
    left, right = min(u for u, _ in line), max(u for u, _ in line)
    top, bottom = min(v for _, v in line), max(v for _, v in line)
    return left - wide < x < right + wide and top - high < y < bottom + high


def _covered(place: Point, half: float, taken: Sequence[Patch]) -> int:
    """Return how many bodies and labels a label here would cover."""
    x, y = place
    return sum(abs(x - u) < half + wide + 2 and abs(y - v) < HEIGHT / 2 + high + 1 for u, v, wide, high in taken)


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
