"""Ports of a derivation, the names that are taken, and the part that steps belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Self, get_args

from symgen.algebra import (
    TOLERANCES,
    Expr,
    has_floats,
    is_expression,
    is_symbol,
    is_undefined,
    name_of,
    symbol,
    symbol_names,
)
from symgen.derive.calls import numbers_of
from symgen.derive.items import (
    BranchBit,
    Identity,
    Item,
    Part,
    ZeroClaim,
)
from symgen.derive.quaternions import Quaternion
from symgen.derive.refusals import check_list, check_texts, check_word, kind_of, near_name
from symgen.derive.vectors import AXES, Vector
from symgen.errors import DerivationError
from symgen.ir.nodes import Level, Port
from symgen.naming import check_identifier

#: Names that templates use around the body of a routine.
TAKEN_BY_ROUTINES = frozenset(
    {"rows", "row", "status", "worst", "one", "other", "reached", "batch", "flagged", "results", "given"}
    | {"argument", "real", "vec2", "vec3", "quat", "add", "sub", "scaled", "negated", "dot", "cross", "along_axes"}
    | {"add2", "sub2", "scaled2", "negated2", "dot2", "cross2", "turned2", "rotated2", "along_axes2"}
)
#: Names inside the macros of batches (``symgen_lanes.h``), which take the arguments of a function by name: with one of
#: these for an argument they do not compile.
TAKEN_BY_BATCHES = frozenset(
    {
        "ahead",
        "all_right",
        "all_solved",
        "any",
        "begin",
        "block_rows",
        "column_size",
        "failed",
        "far_rows",
        "first",
        "full_rows",
        "goes_on",
        "in_blocks",
    }
    | {"is_large", "kept", "lane", "made", "most_rows", "part", "shared", "streams", "taken", "tells", "turned", "wide"}
)


class Ports:
    """Ports, parts and names of a derivation; see `Derivation`."""

    def __init__(self, name: str, *, level: Level, title: str, source: str, arrangement: str | None = None) -> None:
        check_word(name, "level", level, get_args(Level))
        check_texts(name, title=title, source=source)
        self.name, self.level, self.title, self.source, self.arrangement = name, level, title, source, arrangement
        self.items: list[Item] = []
        self.inputs: dict[str, Port] = {}
        self.outputs: dict[str, Port] = {}
        self.output_part: dict[str, Part] = {}
        self.bits: list[BranchBit] = []
        self.identities: list[Identity] = []
        self.zero_claims: list[ZeroClaim] = []
        self.branches = 1
        self.ranked = False
        self.lost_by_stage = False
        self.witnesses: dict[str, tuple[str, ...]] = {}
        self._known: set[str] = set()
        self._part: Part = "position"

    def copied(self) -> Self:
        """Return a derivation that can be added to without changing this one."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (list, dict, set)):
                setattr(other, name, value.copy())
        return other

    @contextmanager
    def part(self, part: Part) -> Iterator[None]:
        """Say which part of the derivation the following steps belong to.

        Raises
        ------
        DerivationError
            There is no such part.
        """
        check_word(self.name, "part", part, get_args(Part))
        before, self._part = self._part, part
        try:
            yield
        finally:
            self._part = before

    @property
    def current_part(self) -> Part:
        """The part that steps belong to now."""
        return self._part

    def input_scalar(self, name: str, *, meaning: str, unit: str, frame: str = "", range: str = "finite") -> Expr:
        """Declare a real argument."""
        self._declare(name, (name,), (), unit, frame, meaning, range)
        return symbol(name)

    def input_vector(
        self, name: str, size: int, *, meaning: str, unit: str, frame: str = "world", range: str = "finite"
    ) -> Vector:
        """Declare a vector argument with 2 or 3 components."""
        if size not in (2, 3):
            raise DerivationError(
                f"{self.name}: input {name!r} has size {kind_of(size)}; a vector has 2 or 3 components, "
                "input_scalar declares a number, input_array more"
            )
        elements = tuple(f"{name}_{axis}" for axis in AXES[:size])
        self._declare(name, elements, (size,), unit, frame, meaning, range)
        return Vector(tuple(symbol(e) for e in elements))

    def input_array(
        self,
        name: str,
        elements: Sequence[str],
        *,
        meaning: str,
        unit: str,
        frame: str = "world",
        range: str = "finite",
    ) -> tuple[Expr, ...]:
        """Declare an array argument whose elements have names of their own."""
        check_list(f"{self.name}: what input {name!r} is made of", elements, "names")
        self._declare(name, tuple(elements), (len(elements),), unit, frame, meaning, range)
        return tuple(symbol(e) for e in elements)

    def input_rank(self, count: int, text: str) -> Expr:
        """Declare a branch index that ranks the zeros of one polynomial; return it."""
        self.branches, self.ranked = count, True
        meaning = f"branch index: rank of {text}"
        self.inputs["branch"] = Port("branch", "in", "int", (), ("branch",), "", "", meaning, f"0..{count - 1}")
        self._known.add("branch")
        return symbol("branch")

    def output(
        self,
        name: str,
        values: Vector | Quaternion | Sequence[Expr] | Expr,
        *,
        meaning: str,
        unit: str,
        frame: str = "world",
    ) -> None:
        """Declare a result; its components must be steps, so that other slices can take them as inputs."""
        components = numbers_of(values)
        check_list(f"{self.name}: output {name!r}", components, "steps")
        check_texts(f"{self.name}: output {name!r}", unit=unit, frame=frame, meaning=meaning)
        for value in components:
            if not is_symbol(value) or name_of(value) not in self._known:
                hint = "; name it before: d.scalar(name, value, meaning)"
                if is_symbol(value):
                    hint = near_name(name_of(value), self._known_names())
                raise DerivationError(f"{self.name}: output {name!r}: {value} is not a step{hint}")
        shape = (len(components),) if isinstance(values, (Vector, Quaternion, tuple, list)) else ()
        elements = tuple(name_of(v) for v in components)
        if name in self.outputs or name in self.inputs:
            raise DerivationError(f"{self.name}: port {name!r} declared twice")
        self.outputs[name] = Port(name, "out", "real", shape, elements, unit, frame, meaning)
        self.output_part[name] = self._part

    @property
    def branch(self) -> Expr:
        """The branch index itself, to pass on to a call."""
        return symbol("branch")

    def promise(self, name: str) -> Expr:
        """Return the symbol of a later step, for use in `recovered` only."""
        return symbol(name)

    def _declare(
        self,
        name: str,
        elements: tuple[str, ...],
        shape: tuple[int, ...],
        unit: str,
        frame: str,
        meaning: str,
        range: str,
    ) -> None:
        check_texts(f"{self.name}: input {name!r}", unit=unit, frame=frame, meaning=meaning, range=range)
        if name in self.inputs:
            raise DerivationError(f"{self.name}: port {name!r} declared twice")
        if name in TAKEN_BY_ROUTINES:
            raise DerivationError(f"{self.name}: the name {name!r} is taken by the emitted code around a routine")
        self._define(elements)
        self.inputs[name] = Port(name, "in", "real", shape, elements, unit, frame, meaning, range)

    def _define(self, names: Sequence[str]) -> None:
        for name in names:
            if name in TAKEN_BY_ROUTINES:
                raise DerivationError(f"{self.name}: the name {name!r} is taken by the emitted code around a routine")
            check_identifier(name)
            if name in self._known:
                raise DerivationError(f"{self.name}: the name {name!r} is used twice")
            self._known.add(name)

    def _require(self, values: Sequence[Expr], where: str) -> None:
        for value in values:
            if not is_expression(value):
                hint = "number(2), ratio(1, 3) and exactly(0.1) make one of a number"
                if isinstance(value, (Vector, Quaternion)):
                    hint = "vector(...) and quaternion(...) name others"
                found = f"{value!r}" if isinstance(value, (int, float)) else f"a {type(value).__name__}"
                raise DerivationError(f"{self.name}: {where} is {found} where a scalar expression is wanted; {hint}")
            if is_undefined(value):
                raise DerivationError(f"{self.name}: {where} divides by zero, whatever the inputs are")
            if has_floats(value):
                raise DerivationError(
                    f"{self.name}: {where} holds a number that is not exact: write exactly(0.1), which prints as "
                    "0.1, or ratio(1, 10)"
                )
            for used in symbol_names(value):
                if used not in self._known and used not in TOLERANCES:
                    hint = near_name(used, self._known_names())
                    raise DerivationError(
                        f"{self.name}: {where} uses {used!r}, which is neither a port nor an earlier step{hint}; "
                        f"ports are {', '.join(self.inputs)}"
                    )

    def _known_names(self) -> list[str]:
        return sorted(self._known)
