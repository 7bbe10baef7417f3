"""Where the links of a chain go when it is drawn as a small graph.

Distances in the picture follow the distances in the graph (T. Kamada, S. Kawai,
1989), by majorisation (E. Gansner, Y. Koren, S. North, 2004) from starts on a
circle; where these leave crossings, also from a long cycle on the circle with the
rest within it (W. T. Tutte, 1963). The picture with the fewest crossings wins,
then the least strain. No random numbers: same chain, same picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from symgen.poses import Array

_STEPS = 60
_STARTS = 7
_CYCLES = 10  # long cycles tried
_MOST_PATHS = 20_000  # looked at in the search for cycles


def lay_out_chain(links: int, joints: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    """Return a place for each link, in a square from -1 to 1, y down.

    Parameters
    ----------
    links : number of links.
    joints : pairs of links; the chain is connected.
    """
    distance = _distances(links, joints)
    around = _neighbours(links, joints)
    rounds = [_judge(_relax(_circle(_order(around, start)), distance), distance, joints) for start in range(_STARTS)]
    best = min(rounds, key=lambda found: found[:2])
    if best[0]:
        for cycle in _long_cycles(around):
            placed = _within_cycle(cycle, around)
            for steps in (_STEPS, 4):
                found = _judge(_relax(placed, distance, steps), distance, joints)
                if found[:2] < best[:2]:
                    best = found
    return _fit(best[2])


def _judge(places: Array, distance: Array, joints: Sequence[tuple[int, int]]) -> tuple[int, float, Array]:
    return _crossings(places, joints), round(_strain(places, distance), 6), places


def _neighbours(links: int, joints: Sequence[tuple[int, int]]) -> list[list[int]]:
    around: list[list[int]] = [[] for _ in range(links)]
    for a, b in joints:
        around[a].append(b)
        around[b].append(a)
    return around


def _long_cycles(around: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return a few of the longest cycles, each once from its lowest link, in a fixed order."""
    found: list[list[int]] = []
    paths = [[link] for link in range(len(around))]
    for _ in range(_MOST_PATHS):
        if not paths:
            break
        path = paths.pop()
        for link in around[path[-1]]:
            if link == path[0] and len(path) > 2 and path[1] < path[-1]:
                found.append(path)
            elif link > path[0] and link not in path:
                paths.append([*path, link])
    return sorted(found, key=lambda cycle: (-len(cycle), cycle))[:_CYCLES]


def _within_cycle(cycle: Sequence[int], around: Sequence[Sequence[int]]) -> Array:
    """Place a cycle on a circle and every other link amid its neighbours."""
    places = np.zeros((len(around), 2))
    size = len(cycle) / (2.0 * math.pi)
    for position, link in enumerate(cycle):
        angle = 2.0 * math.pi * position / len(cycle) + 0.1
        places[link] = (size * math.cos(angle), size * math.sin(angle))
    inner = [link for link in range(len(around)) if link not in cycle]
    for _ in range(40):
        for link in inner:
            places[link] = places[list(around[link])].mean(axis=0)
    return places


def _distances(links: int, joints: Sequence[tuple[int, int]]) -> Array:
    distance = np.full((links, links), float(links))
    np.fill_diagonal(distance, 0.0)
    for a, b in joints:
        distance[a, b] = distance[b, a] = 1.0
    for k in range(links):
        distance = np.minimum(distance, distance[:, k : k + 1] + distance[k : k + 1, :])
    return distance


def _order(around: Sequence[Sequence[int]], start: int) -> list[int]:
    """Return the links as a depth-first walk meets them, a different walk for every start."""
    walk, seen = [start * (len(around) - 1) // max(_STARTS - 1, 1)], []
    while walk:
        link = walk.pop()
        if link not in seen:
            seen.append(link)
            walk += sorted(around[link], reverse=bool(start % 2))
    return seen


def _circle(order: Sequence[int]) -> Array:
    places = np.zeros((len(order), 2))
    for position, link in enumerate(order):
        angle = 2.0 * math.pi * position / len(order)
        # not quite round, so that opposite links do not pull along one line
        places[link] = (1.1 * math.cos(angle), math.sin(angle + 0.03))
    return places * len(order) / (2.0 * math.pi)


def _relax(places: Array, distance: Array, steps: int = _STEPS) -> Array:
    count = len(places)
    weight = np.divide(1.0, distance**2, out=np.zeros_like(distance), where=distance > 0.0)
    total = weight.sum(axis=1)
    for _ in range(steps if count > 2 else 1):
        apart = places[:, None, :] - places[None, :, :]
        length = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-9)
        pull = (weight * distance / length)[..., None] * apart
        places = ((weight[..., None] * places[None, :, :]).sum(axis=1) + pull.sum(axis=1)) / total[:, None]
    return places


def _strain(places: Array, distance: Array) -> float:
    apart = places[:, None, :] - places[None, :, :]
    length = np.hypot(apart[..., 0], apart[..., 1])
    scaled = np.divide(length - distance, distance, out=np.zeros_like(distance), where=distance > 0.0)
    return float((scaled**2).sum())


def _crossings(places: Array, joints: Sequence[tuple[int, int]]) -> int:
    """Count crossings of joints, and links that lie on or close to a joint that is not theirs (twice)."""
    at = [(float(x), float(y)) for x, y in places]
    count = 0
    for (a, b), (c, d) in combinations(joints, 2):
        if len({a, b, c, d}) == 4 and _side(at[a], at[b], at[c]) * _side(at[a], at[b], at[d]) < 0:
            count += _side(at[c], at[d], at[a]) * _side(at[c], at[d], at[b]) < 0
    for a, b in joints:
        count += 2 * sum(_is_close(at[v], at[a], at[b]) for v in range(len(at)) if v not in (a, b))
    return count


def _side(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _is_close(p: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> bool:
    along = (b[0] - a[0], b[1] - a[1])
    square = along[0] ** 2 + along[1] ** 2
    if square < 1e-12:
        return True
    t = max(0.0, min(1.0, ((p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1]) / square))
    return math.hypot(p[0] - a[0] - t * along[0], p[1] - a[1] - t * along[1]) < 0.25


def _fit(places: Array) -> list[tuple[float, float]]:
    """Turn the longest extent level, and scale to the square."""
    centred = places - places.mean(axis=0)
    xx, yy = float((centred[:, 0] ** 2).sum()), float((centred[:, 1] ** 2).sum())
    angle = 0.5 * math.atan2(2.0 * float((centred[:, 0] * centred[:, 1]).sum()), xx - yy)
    cosine, sine = math.cos(angle), math.sin(angle)
    turned = [(cosine * x + sine * y, cosine * y - sine * x) for x, y in centred.tolist()]
    left, right = min(x for x, _ in turned), max(x for x, _ in turned)
    top, bottom = min(y for _, y in turned), max(y for _, y in turned)
    scale = 2.0 / max(right - left, bottom - top, 1e-9)
    return [(scale * (x - (left + right) / 2), scale * (y - (top + bottom) / 2)) for x, y in turned]
