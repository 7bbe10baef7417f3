"""Canonical numbering of a small labelled multigraph, the base of the signatures.

Colour refinement splits the vertices by colour and by the labels of the edges
into each part until nothing splits. Where a part of several vertices stays, one
after the other is singled out and refinement goes on; the smallest certificate
of all leaves wins. Two leaves with equal certificates are an automorphism, and
branches that an automorphism maps onto earlier ones are left out.

All choices depend on colours and part numbers only, never on vertex numbers, so
isomorphic graphs get equal certificates, and equal certificates are isomorphisms.

Source: B. D. McKay, "Practical graph isomorphism", 1981, in its simplest form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: (colours by position, edges (position, position, label) sorted)
Certificate = tuple[tuple[Any, ...], tuple[tuple[int, int, Any], ...]]


def canonical_order(colours: Sequence[Any], edges: Sequence[Mapping[int, Any]]) -> tuple[int, ...]:
    """Return the vertices in canonical order.

    Parameters
    ----------
    colours : sortable colour of each vertex.
    edges : for each vertex its neighbours and the sortable label of the edge between.
    """
    start = _refine(_by_key(range(len(colours)), colours), edges)
    best: tuple[Certificate, tuple[int, ...]] | None = None
    symmetries: list[tuple[int, ...]] = []
    # One frame a level: the parts, the vertices to single out, how many were tried, the vertices singled out so far.
    walk: list[tuple[list[list[int]], list[int], list[int], tuple[int, ...]]] = [(start, *_branches(start), ())]
    while walk:
        parts, choices, tried, fixed = walk[-1]
        if not choices and not tried:  # every part is a single vertex: a leaf
            order = tuple(part[0] for part in parts)
            found = certificate(colours, edges, order)
            if best is None or found < best[0]:
                best = (found, order)
            elif found == best[0]:
                image = dict(zip(best[1], order, strict=True))
                symmetries.append(tuple(image[v] for v in range(len(order))))
            walk.pop()
            continue
        while choices and _seen_before(choices[-1], tried, fixed, symmetries):
            choices.pop()
        if not choices:
            walk.pop()
            continue
        vertex = choices.pop()
        tried.append(vertex)
        split = _refine(_single_out(parts, vertex), edges)
        walk.append((split, *_branches(split), (*fixed, vertex)))
    assert best is not None  # noqa: S101 - the walk ends in at least one leaf
    return best[1]


def certificate(colours: Sequence[Any], edges: Sequence[Mapping[int, Any]], order: Sequence[int]) -> Certificate:
    """Describe the graph with its vertices renumbered in the given order."""
    position = {v: number for number, v in enumerate(order)}
    listed = (
        (position[v], position[u], label) for v in order for u, label in edges[v].items() if position[v] < position[u]
    )
    return tuple(colours[v] for v in order), tuple(sorted(listed))


def stable_parts(colours: Sequence[Any], edges: Sequence[Mapping[int, Any]]) -> list[list[int]]:
    """Return the parts that colour refinement alone gives, in canonical order."""
    return _refine(_by_key(range(len(colours)), colours), edges)


def _branches(parts: list[list[int]]) -> tuple[list[int], list[int]]:
    """Return the vertices of the first smallest part with several, and an empty list of those tried."""
    several = [part for part in parts if len(part) > 1]
    return (list(reversed(min(several, key=len))) if several else []), []


def _single_out(parts: list[list[int]], vertex: int) -> list[list[int]]:
    result = []
    for part in parts:
        if vertex in part:
            result.append([vertex])
            part = [v for v in part if v != vertex]
        if part:
            result.append(part)
    return result


def _seen_before(vertex: int, tried: list[int], fixed: tuple[int, ...], symmetries: list[tuple[int, ...]]) -> bool:
    """Tell whether known symmetries that keep `fixed` map a tried vertex onto this one."""
    usable = [s for s in symmetries if all(s[v] == v for v in fixed)]
    stack, orbit = [vertex], {vertex}
    while stack:
        v = stack.pop()
        for s in usable:
            if s[v] not in orbit:
                orbit.add(s[v])
                stack.append(s[v])
    return not orbit.isdisjoint(tried)


def _by_key(vertices: Sequence[int], keys: Sequence[Any] | Mapping[int, Any]) -> list[list[int]]:
    """Group vertices by key, groups in the order of their keys."""
    groups: dict[Any, list[int]] = {}
    for v in vertices:
        groups.setdefault(keys[v], []).append(v)
    return [groups[key] for key in sorted(groups)]


def _refine(parts: list[list[int]], edges: Sequence[Mapping[int, Any]]) -> list[list[int]]:
    """Split parts until all vertices of a part have the same labels into every part."""
    cells = {number: part for number, part in enumerate(parts)}
    home = {v: number for number, part in cells.items() for v in part}
    # A cell's place among all: a tuple that grows as cells split, so that order never has to be rewritten.
    place: dict[int, tuple[int, ...]] = {number: (number,) for number in cells}
    pending = list(cells)
    fresh = len(cells)
    while pending:
        splitter = cells[pending.pop(0)]
        labels: dict[int, list[Any]] = {}
        for u in splitter:
            for v, label in edges[u].items():
                labels.setdefault(v, []).append(label)
        keys = {v: tuple(sorted(into)) for v, into in labels.items()}
        touched = sorted({home[v] for v in keys}, key=place.__getitem__)
        for cell in touched:
            if len(cells[cell]) == 1:
                continue
            for v in cells[cell]:
                keys.setdefault(v, ())
            pieces = _by_key(cells[cell], keys)
            if len(pieces) == 1:
                continue
            where = place.pop(cell)
            del cells[cell]
            for number, piece in enumerate(pieces):
                cells[fresh], place[fresh] = piece, (*where, number)
                home.update(dict.fromkeys(piece, fresh))
                pending.append(fresh)
                fresh += 1
            if cell in pending:
                pending.remove(cell)
    return [cells[cell] for cell in sorted(cells, key=place.__getitem__)]
