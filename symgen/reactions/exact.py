"""Verdicts in exact arithmetic, where the file gives the joints by decimal numbers in the world.

What a joint transmits are the wrenches without power on its screws, what a drive does is a wrench with power on its own
freedom alone; both modulo the prime 2^61 - 1, with which no rank is greater than the true one. The null space of the
equations of equilibrium is then a reduced echelon form, and what it leaves open a rank: no tolerance anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symgen.reactions.directions import farthest_axis
from symgen.reactions.wrenches import Source, WrenchSystem
from symgen.topology.rank.exact_screws import PLANE, ExactJoint, exact_joints
from symgen.topology.rank.generic import reduce_rows
from symgen.topology.rank.twists import PRIME, Vector, annihilator, cross_product

#: Equations beyond which the elimination takes seconds.
MOST_EQUATIONS = 1500

_Sparse: TypeAlias = dict[int, int]
_SPACE = tuple(range(6))
_UNITS: tuple[Vector, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@dataclass(frozen=True)
class ExactVerdicts:
    """What exact arithmetic says.

    Parameters
    ----------
    rank : of the equations of equilibrium.
    open : joint or drive -> how many of its directions are open.
    components : joint or drive -> component -> whether it is unique.
    """

    rank: int
    open: Mapping[str, int]
    components: Mapping[str, Mapping[str, bool]]


def exact_verdicts(system: WrenchSystem) -> ExactVerdicts | None:
    """Return the verdicts of a system at the position of the drawing; None where the file has no exact numbers for it.

    None too where a slide of a plane pair is driven whose direction the file leaves open.
    """
    if system.equations > MOST_EQUATIONS:
        return None
    joints = exact_joints(system.mechanism, system.mechanism.joints)
    if joints is None:
        return None
    found = [_wrenches(source, joints[source.joint.id], system.parts) for source in system.sources]
    wrenches = [each for each in found if each is not None]
    if len(wrenches) < len(found):
        return None
    pivots = reduce_rows(_equations(system, wrenches))
    null = _null_space(pivots, sum(map(len, wrenches)))
    open_, components = dict[str, int](), dict[str, dict[str, bool]]()
    start = 0
    for source, mine in zip(system.sources, wrenches, strict=True):
        loads = null[start : start + len(mine)]
        start += len(mine)
        open_[source.name] = len(reduce_rows(loads))
        if source.freedom is None:
            ways = _ways(source, joints[source.joint.id])
            components[source.name] = {name: not _sum(map(way, mine), loads) for name, way in ways.items()}
        else:
            components[source.name] = dict.fromkeys(source.directions, not open_[source.name])
    return ExactVerdicts(len(pivots), open_, components)


def _wrenches(source: Source, joint: ExactJoint, parts: Sequence[int]) -> list[Vector] | None:
    """Return what a source transmits: (M, F) about the world's origin, six parts in the plane too."""
    if source.freedom is None:
        if len(parts) == len(_SPACE):
            return annihilator(joint.screws, len(_SPACE))
        flat = annihilator([tuple(screw[k] for k in PLANE) for screw in joint.screws], len(PLANE))
        return [tuple(dict(zip(PLANE, each, strict=True)).get(k, 0) for k in _SPACE) for each in flat]
    if source.joint.type == "PL" and source.freedom != "angle" and joint.axis2 is None:
        return None
    screw = joint.screws[source.joint.freedoms.index(source.freedom)]
    turns, slides = screw[:3], screw[3:]
    if source.joint.type == "H":
        turns, slides = (0, 0, 0), turns
    # A moment about the axis of a turn, a force along a slide through the joint centre: no power on other freedoms.
    return [(*turns, 0, 0, 0) if any(turns) else (*cross_product(joint.at, slides), *slides)]


def _equations(system: WrenchSystem, wrenches: Sequence[Sequence[Vector]]) -> list[_Sparse]:
    """Return the rows of A: equilibrium of every moving body."""
    parts = _SPACE if len(system.parts) == len(_SPACE) else PLANE
    rows: list[_Sparse] = [{} for _ in range(system.equations)]
    column = 0
    for source, mine in zip(system.sources, wrenches, strict=True):
        for wrench in mine:
            for body, sign in zip(source.ends, (-1, 1), strict=True):
                for row, part in enumerate(parts, len(parts) * (body - 1)):
                    if body and wrench[part]:
                        rows[row][column] = sign * wrench[part] % PRIME
            column += 1
    return rows


def _null_space(pivots: Mapping[int, _Sparse], columns: int) -> list[_Sparse]:
    """Return the rows of a basis of the null space: of each column its parts of the vectors that are not zero."""
    free = {column: k for k, column in enumerate(c for c in range(columns) if c not in pivots)}
    return [
        {free[column]: 1} if column in free else {free[c]: -x % PRIME for c, x in pivots[column].items()}
        for column in range(columns)
    ]


def _ways(source: Source, joint: ExactJoint) -> dict[str, Callable[[Vector], int]]:
    """Return component -> a wrench's part along it, about the joint centre, as `named_directions` has them."""
    axes: dict[str, Vector] = dict(zip("xyz", _UNITS, strict=True))
    if "Fn" in source.directions:  # in the plane across a slide, in space across the slot and in the plane of it
        along = joint.axis2 or joint.axis or _UNITS[0]
        axes["n"] = cross_product(_UNITS[2] if source.joint.type == "P" else joint.axis or _UNITS[2], along)
    if joint.axis is not None:
        axes["u"] = joint.axis
        axes["n1"] = cross_product(joint.axis, _UNITS[farthest_axis(source.axis)])
        axes["n2"] = cross_product(joint.axis, axes["n1"])
        axes["uv"] = cross_product(joint.axis, joint.axis2 or _UNITS[0])
    return {name: _way(name, axes[name[1:]], joint.at) for name in source.directions}


def _way(name: str, axis: Vector, at: Vector) -> Callable[[Vector], int]:
    def part(wrench: Vector) -> int:
        moment, force = wrench[:3], wrench[3:]
        shift = cross_product(at, force)
        about = tuple(m - s for m, s in zip(moment, shift, strict=True))
        return sum(a * b for a, b in zip(axis, force if name[0] == "F" else about, strict=True)) % PRIME

    return part


def _sum(factors: Iterable[int], rows: Iterable[_Sparse]) -> _Sparse:
    """Return a sum of rows; zeros are not kept."""
    found = _Sparse()
    for factor, row in zip(factors, rows, strict=True):
        for k, x in row.items():
            found[k] = (found.get(k, 0) + factor * x) % PRIME
    return {k: x for k, x in found.items() if x}
