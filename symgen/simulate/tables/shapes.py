"""What an engine is compiled for: room for the numbers of things of a mechanism, the same for many mechanisms.

An engine takes its mechanism as data, the numbers of bodies, joints and forces too. Only how much its arrays can hold
is compiled: for mechanisms of up to 4, 8 or 16 bodies, so that one engine of each size serves all of them. Larger ones,
and those with uncommonly many joints or forces, get an engine with just the room that they need.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Bodies that the common engines have room for.
COMMON = (4, 8, 16)
#: Sizes that stay macros, as code depends on them.
FIXED = ("TREE", "ELIMINATION", "AT_ONCE")
#: Unknowns of a joint that are eliminated together at most, in engines that serve all mechanisms.
MOST_AT_ONCE = 3
#: Sizes that only Python reads.
UNUSED = ("POINT_DAMPERS",)


def common_room(sizes: Mapping[str, int]) -> dict[str, int] | None:
    """Return the room of the smallest common engine that a mechanism fits in; None if there is none.

    Parameters
    ----------
    sizes : of the mechanism's tables.
    """
    if sizes.get("BEAMS", 0):
        return None  # their arrays have shapes of their own
    for bodies in COMMON:
        room = _room(bodies, tree=bool(sizes["TREE"]), elimination=bool(sizes["ELIMINATION"]))
        needed = {name: count for name, count in sizes.items() if name not in (*FIXED, *UNUSED)}
        if all(count <= room[name] for name, count in needed.items()):
            return {name: room[name] for name in needed}
    return None


def _room(bodies: int, *, tree: bool, elimination: bool) -> dict[str, int]:
    """Return room for common mechanisms of so many bodies."""
    unknowns = 3 * bodies if tree else 6 * bodies
    rows = 0 if elimination else unknowns + 6
    return {
        "BODIES": bodies, "MOTIONS": 2 * bodies, "BALLS": bodies, "MOST_MOTIONS": 6, "ELEMENTS": 4 * bodies,
        "CUT_ELEMENTS": 4 * bodies, "ROWS": rows, "SPRINGS": bodies, "JOINT_FORCES": bodies, "PUSHES": bodies,
        "WATCHED": 3 * bodies, "UNKNOWNS": unknowns, "FREEDOMS": unknowns, "RANK": unknowns, "LAWS": 6 * bodies,
        "RATES": 6 * bodies, "SECONDS": 6 * bodies, "LAW_RUNS": 1000, "LAW_STEPS": 2000, "LAW_VALUES": 3000,
        "OPEN": rows * bodies // 2, "SLOTS": rows, "CLOSINGS": rows, "INVERSES": rows * rows,
        "INFLUENCES": rows * rows, "MOST_CLOSED": rows,
    }  # fmt: skip
