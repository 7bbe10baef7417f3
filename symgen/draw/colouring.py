"""Colours of bodies: two that share a joint differ, and so do others as far as the palette reaches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symgen.draw.svg_text import COLOURS


def body_colours(bodies: Sequence[str], joints: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the colour of each body.

    Bodies in their order take the colour least used so far among those that no neighbour has (greedy colouring, which
    needs no more colours than the largest number of neighbours plus one); where neighbours have them all, the one
    that the fewest neighbours have.

    Parameters
    ----------
    bodies : those drawn.
    joints : pairs of bodies; one that is not drawn, such as the ground, does not count.
    """
    neighbours: dict[str, set[str]] = {body: set() for body in bodies}
    for first, second in joints:
        if first != second and first in neighbours and second in neighbours:
            neighbours[first].add(second)
            neighbours[second].add(first)
    number: dict[str, int] = {}
    uses = [0] * len(COLOURS)
    for body in bodies:
        near = [0] * len(COLOURS)
        for other in neighbours[body]:
            if other in number:
                near[number[other]] += 1
        best = min(range(len(COLOURS)), key=lambda k: (near[k], uses[k], k))
        number[body] = best
        uses[best] += 1
    return {body: COLOURS[k] for body, k in number.items()}
