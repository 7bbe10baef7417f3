"""Mechanisms given as arrays: bodies are numbers, names are made only where they are asked for.

For networks of hundreds of thousands of bodies, where reading a file and a record for
each body and joint would cost more than the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, overload

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean
from symgen.model.pairs import PAIR_TYPES, Space, pair_types
from symgen.model.parts import Joint
from symgen.topology.graph import WELD, PairGraph, list_incident

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = Sequence[int] | NDArray[np.integer]

_T = TypeVar("_T")


class _MadeOnDemand(Sequence[_T]):
    """A sequence whose entries are made from their numbers when they are read."""

    def __init__(self, count: int, make: Callable[[int], _T]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[_T]:
        return map(self._make, range(self._count))

    @overload
    def __getitem__(self, place: int) -> _T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, place: int | slice) -> _T | tuple[_T, ...]:
        numbers = range(self._count)[place]
        return tuple(map(self._make, numbers)) if isinstance(numbers, range) else self._make(numbers)


@dataclass(frozen=True)
class PairTable:
    """What the structural analysis reads of a mechanism; ids are ``"0"`` (the frame), ``"1"``, ..., and ``"j0"``, ...

    Attributes
    ----------
    name : what people call it.
    space : ``"spatial"`` or ``"planar"``.
    body_ids, joints : as of a `Mechanism`, made when they are read.
    end : body of each half-edge, two for each pair.
    kinds : type and number of driven freedoms of each pair.
    """

    name: str
    space: Space
    body_ids: Sequence[str]
    joints: Sequence[Joint]
    end: Sequence[int]
    kinds: Sequence[tuple[str, int]]


def read_pair_table(
    space: Space, bodies: int, first: Numbers, second: Numbers, types: str | Sequence[str], driven: Numbers | int
) -> PairTable:
    """Check the arrays; see `symgen.topology.analysis.analyse_pairs`."""
    if space not in ("planar", "spatial"):
        raise InputError(f"space {space!r}: allowed are 'planar' and 'spatial'")
    one, other = _numbers("first", first), _numbers("second", second)
    codes = [types] * len(one) if isinstance(types, str) else [str(code) for code in types]
    inputs = [driven] * len(one) if isinstance(driven, int) else _numbers("driven", driven)
    for name, values in (("second", other), ("types", codes), ("driven", inputs)):
        if len(values) != len(one):
            raise InputError(f"{name} has {len(values)} entries, first has {len(one)}: each pair needs one in both")
    known: dict[tuple[str, int], tuple[str, int]] = {}
    kinds = [known.setdefault(kind, kind) for kind in zip(codes, inputs, strict=True)]
    for kind in known:
        _check_kind(space, kind, kinds)
    end = [body for pair in zip(one, other, strict=True) for body in pair]
    if not bodies >= 1:
        raise InputError(f"bodies is {bodies}: the frame is one of them, so there is at least 1")
    for p, (i, j) in enumerate(zip(one, other, strict=True)):
        if i == j or not (0 <= i < bodies and 0 <= j < bodies):
            raise InputError(
                f"pair {p} connects bodies {i} and {j}: allowed are two different ones of 0 (the frame) to {bodies - 1}"
            )

    def make_joint(p: int) -> Joint:
        type_, count = kinds[p]
        return Joint(f"j{p}", type_, (str(end[2 * p]), str(end[2 * p + 1])), count, None if count else ())

    return PairTable(
        f"{bodies} bodies", space, _MadeOnDemand(bodies, str), _MadeOnDemand(len(kinds), make_joint), end, kinds
    )


def graph_of_table(table: PairTable) -> PairGraph:
    """Return the pair graph; nothing is welded, so vertices are bodies."""
    freedoms = 3 if table.space == "planar" else 6
    bodies = len(table.body_ids)
    units_of = {kind: freedoms - PAIR_TYPES[kind[0]].grade + kind[1] for kind in set(table.kinds)}
    graph = PairGraph(
        freedoms,
        _MadeOnDemand(bodies, lambda v: (str(v),)),
        table.joints,
        table.end,
        [units_of[kind] for kind in table.kinds],
        list_incident(bodies, table.end),
        (),
    )
    vars(graph).update(kinds=table.kinds, named={}, shared={})  # known already: no joint need be made for them
    return graph


def _numbers(name: str, values: Numbers) -> list[int]:
    listed: list[int] = values.tolist() if hasattr(values, "tolist") else list(values)
    if not all(isinstance(value, int) for value in listed):
        raise InputError(f"{name}: expected whole numbers in one row, one for each pair")
    return listed


def _check_kind(space: Space, kind: tuple[str, int], kinds: Sequence[tuple[str, int]]) -> None:
    type_, driven = kind
    allowed = [pair.code for pair in pair_types(space) if pair.code != WELD]
    where = f"pair {kinds.index(kind)}"
    if type_ not in allowed:
        weld = "; welded bodies are one: give them one number" if type_ == WELD else did_you_mean(type_, allowed)
        raise InputError(f"{where}: no pair type {type_[:20]!r} here{weld} (types: {', '.join(allowed)})")
    if not 0 <= driven <= PAIR_TYPES[type_].grade:
        raise InputError(f"{where}: {driven} freedoms driven, {type_} has {PAIR_TYPES[type_].grade}")
