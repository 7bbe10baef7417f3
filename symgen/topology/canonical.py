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

from collections import deque
from collections.abc import Collection, Mapping, Sequence
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
    walk: list[tuple[list[list[int]], list[int], list[int], tuple[int, ...]]] = [(start, *_branches(start, edges), ())]
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
        walk.append((split, *_branches(split, edges), (*fixed, vertex)))
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


def _branches(parts: list[list[int]], edges: Sequence[Mapping[int, Any]]) -> tuple[list[int], list[int]]:
    """Return the vertices of the first smallest part with several to single out, and an empty list of those tried."""
    several = [part for part in parts if len(part) > 1]
    if not several:
        return [], []
    choices = min(several, key=len)
    return ([choices[0]] if _are_interchangeable(several, edges) else choices[::-1]), []


def _are_interchangeable(parts: list[list[int]], edges: Sequence[Mapping[int, Any]]) -> bool:
    """Tell whether any permutation of a part extends to a symmetry, so that one choice stands for all.

    So it is if no edge lies within a part, and parts are joined one vertex to one
    vertex, in a pattern of parts without cycles (the legs of a platform). The parts must be stable.
    """
    home = {v: number for number, part in enumerate(parts) for v in part}
    leader = list(range(len(parts)))
    for number, part in enumerate(parts):
        across = [home[u] for u in edges[part[0]] if u in home]
        if number in across or len(set(across)) < len(across):
            return False
        for other in (o for o in across if o > number):
            if len(parts[other]) != len(part):
                return False
            first, second = _leader(leader, number), _leader(leader, other)
            if first == second:
                return False
            leader[second] = first
    return True


def _leader(leader: list[int], number: int) -> int:
    while leader[number] != number:
        number = leader[number]
    return number


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
    """Split parts until all vertices of a part have the same labels into every part.

    Only vertices next to the splitting part are looked at, and of the pieces of a
    part the largest need not split others again (J. Hopcroft, 1971): nearly linear.
    """
    # A part is known by its place: the number of vertices in the parts before it. It survives splits of other parts.
    cells: dict[int, set[int]] = {}
    home: dict[int, int] = {}
    count = 0
    for part in parts:
        cells[count] = set(part)
        home.update(dict.fromkeys(part, count))
        count += len(part)
    pending = deque(cells)
    is_pending = set(cells)
    while pending:
        place = pending.popleft()
        is_pending.discard(place)
        for cell, pieces in _split(cells, home, _labels_into(cells[place], edges)):
            where, largest = cell, max(range(len(pieces)), key=lambda k: len(pieces[k]))
            was_pending = cell in is_pending
            for number, piece in enumerate(pieces):
                if number:
                    cells[where] = set(piece)
                    home.update(dict.fromkeys(piece, where))
                if where not in is_pending and (was_pending or number != largest):
                    pending.append(where)
                    is_pending.add(where)
                where += len(piece)
    return [sorted(cells[cell]) for cell in sorted(cells)]


def _labels_into(splitter: set[int], edges: Sequence[Mapping[int, Any]]) -> dict[int, tuple[Any, ...]]:
    """Return, for every vertex next to the part, the sorted labels of its edges into it."""
    labels: dict[int, list[Any]] = {}
    for u in splitter:
        for v, label in edges[u].items():
            labels.setdefault(v, []).append(label)
    return {v: tuple(sorted(into)) for v, into in labels.items()}


def _split(
    cells: dict[int, set[int]], home: dict[int, int], keys: dict[int, tuple[Any, ...]]
) -> list[tuple[int, list[Collection[int]]]]:
    """Return the parts that fall apart, in order, with their pieces; the first piece stays in place in `cells`."""
    touched: dict[int, list[int]] = {}
    for v in keys:
        touched.setdefault(home[v], []).append(v)
    result = []
    for cell in sorted(touched):
        groups: list[Collection[int]] = [*_by_key(touched[cell], keys)]
        if len(touched[cell]) == len(cells[cell]):
            cells[cell] = set(groups[0])
            pieces = groups
        else:
            cells[cell].difference_update(touched[cell])
            pieces = [cells[cell], *groups]
        if len(pieces) > 1:
            result.append((cell, pieces))
    return result
