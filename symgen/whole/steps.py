"""Statements of one routine as they are put together: what is a number is computed, what is known is not asked again.

Seven things happen to every step on its way in. What is fixed in a frame stays numbers times its axes, so that what
steps do to frames and back again is not computed (`symgen.algebra.fixed_vectors`). Names that stand for numbers or for
other names are replaced by them; an operation on numbers becomes a number; a value that a step before has already gets
that step's name; a difference that takes back what a step added is what was there before; the cosine and sine of an
angle that came from atan2(y, x) become x and y over their root sum of squares, or over the square of a link's length,
which needs no trigonometry; and what lies in a range that the geometry alone decides (`symgen.whole.ranges`) is not
checked.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace

from symgen.algebra import (
    HALF,
    TOLERANCES,
    ZERO,
    Expr,
    angle_parts,
    difference,
    exactly,
    float_of,
    fold,
    is_number,
    is_sum_of_squares,
    is_symbol,
    is_zero,
    name_of,
    name_radicands,
    other_summand,
    reciprocal,
    sqrt,
    summands,
    symbol,
    symbol_names,
    turn_of,
    turned_length2,
    turned_vectors,
    without_positive_parts,
)
from symgen.algebra.fixed_vectors import VectorReading
from symgen.errors import MechanismError
from symgen.ir.nodes import (
    Call,
    Flag,
    Guard,
    Kernel,
    Let,
    LoopAssemblies,
    Mark,
    Routine,
    Samples,
    Solve,
    Statement,
    System,
    Zeros,
)
from symgen.printers.tolerances import TOLERANCE_FLOAT, TOLERANCE_VALUE
from symgen.status import Status
from symgen.whole.fixed_steps import FixedSteps
from symgen.whole.ranges import Range, range_of

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
#: Between what they are in double and in float, and a little more.
_TOLERANCES = {name: (0.5 * TOLERANCE_VALUE[name], 2.0 * TOLERANCE_FLOAT[name]) for name in TOLERANCE_VALUE}
_TABLES = tuple({name: exactly(value) for name, value in t.items()} for t in (TOLERANCE_VALUE, TOLERANCE_FLOAT))


class Steps:
    """The body of a routine under construction.

    Parameters
    ----------
    given : names of the routine's inputs.
    where : what an error says first: the mechanism.
    planar : the groups that will be written in are planar.
    oriented : quaternions are asked for; else axes are not taken from them.
    """

    def __init__(self, given: Sequence[str], where: str, *, planar: bool = False, oriented: bool = True) -> None:
        self.body: list[Statement] = []
        self._given = frozenset(given)
        self._where = where
        self._group = ""
        self._planar, self._rigid = planar, set[str]()
        self._seen: dict[Expr, Expr] = {}
        self._values: dict[str, Expr] = {}
        self._lets: dict[str, Let] = {}
        self._angles: dict[str, tuple[Expr, Expr]] = {}
        self._asked: set[tuple[Expr, str, Expr]] = set()
        self._ranges: dict[str, Range] = dict(_TOLERANCES)
        self.frames = FixedSteps(self.lets, None if oriented else self.let_of)
        #: What checks that the geometry decides would have looked at.
        self.settled: list[Expr] = []
        #: How far the constants of loops whose assemblies are searched are displaced, in parts of the loop.
        self.displaced: Expr | None = None

    def apart(self, given: Sequence[str]) -> Steps:
        """Return the steps of a routine of its own, for what belongs to the same group."""
        own = Steps(given, self._where, planar=self._planar)
        own._group = self._group
        return own

    def mark(self, group: int, comment: str) -> None:
        """Say that what follows belongs to a group."""
        self._group = comment if group else ""
        self.body.append(Mark(group, comment))

    def let(self, name: str, value: Expr, comment: str) -> Expr:
        """Name a value; return the number, the step before or the name that stands for it."""
        (found,) = self.lets(name, (name,), (value,), comment, {})
        return found

    def lets(
        self, name: str, targets: Sequence[str], values: Sequence[Expr], comment: str, known: Mapping[str, Expr]
    ) -> tuple[Expr, ...]:
        """Name the components of a step; return what stands for each."""
        kept: list[tuple[str, Expr]] = []
        answers: list[Expr] = []
        fresh: dict[Expr, Expr] = {}
        for target, value in zip(targets, values, strict=True):
            folded = self._folded(target, value, comment, known)
            if is_number(folded) or is_symbol(folded):
                answers.append(folded)
                continue
            here = self._seen.get(folded) or fresh.get(folded)
            if here is None:
                here = fresh[folded] = symbol(target)
                kept.append((target, folded))
            answers.append(here)
        if kept:
            let = Let(name, tuple(t for t, _ in kept), tuple(v for _, v in kept), comment)
            self.body.append(let)
            for target, value in kept:
                self._lets[target] = let
                self._seen[value] = symbol(target)
                self._values[target] = value
                found_range = range_of(value, self._ranges)
                if found_range is not None:
                    self._ranges[target] = found_range
                parts = angle_parts(value)
                if parts is not None:
                    self._angles[target] = parts
                    if self._planar and self._group:
                        self._rigid.add(target)
        return tuple(answers)

    def _folded(self, target: str, value: Expr, comment: str, known: Mapping[str, Expr]) -> Expr:
        """Return a value with what is known put in, its radicands named."""
        bare, radicands = name_radicands(value, target)
        inner = dict(known)
        for name, radicand in radicands:
            inner[name] = self.let(name, self._fold(radicand, inner), f"{comment}: radicand")
        folded = without_positive_parts(self._fold(bare, inner), self._is_positive)
        both = summands(folded)
        if both is not None and self._are_opposite(*both):
            return exactly(0.0)
        gap = difference(folded)
        if gap is not None and gap[0] in self._values:  # (part + y) - part
            rest = other_summand(self._values[gap[0]], gap[1])
            folded = folded if rest is None else rest
        turn = turn_of(folded)
        if turn is not None and turn[1] in self._angles:
            return self._unturned(turn)
        return folded

    def _is_positive(self, value: Expr) -> bool:
        found = range_of(value, self._ranges)
        return (found is not None and found[0] > 0.0) or is_sum_of_squares(self._values_of(value))

    def _are_opposite(self, first: str, second: str) -> bool:
        """Tell whether one of two names was given as the other with its sign changed."""
        pairs = ((first, second), (second, first))
        return any(one in self._values and self._values[one] == -symbol(other) for one, other in pairs)

    def _fold(self, value: Expr, known: Mapping[str, Expr]) -> Expr:
        try:
            return fold(value, known)
        except ArithmeticError as error:
            raise MechanismError(f"{self._where}: {self._group}: {error}") from error

    def _unturned(self, turn: tuple[str, str]) -> Expr:
        """Return the cosine or sine of atan2(y, x).

        In the plane a group takes the angle of a link from its vector in the body, (a, b), and in the world, (u, v):
        the closure has made both equally long, so that x = a u + b v is the cosine times a^2 + b^2. Where these are no
        numbers, some groups have divided by that square already; of others the root is taken.
        """
        kind, angle = turn
        y, x = self._angles[angle]
        if angle in self._rigid:
            across, along = self._values_of(y), self._values_of(x)
            length2 = turned_length2(across, along)
            inverse = self._inverse_square(turned_vectors(across, along)) if length2 is None else reciprocal(length2)
            if inverse is not None:
                return (along if kind == "cos" else across) * inverse
        size2 = self.let(f"{angle}_size2", x * x + y * y, "squared length of the vector whose direction is an angle")
        size = self.let(f"{angle}_size", sqrt(size2), "that length")
        inverse = self.let(f"{angle}_inverse", 1 / size, "its reciprocal")
        return (x if kind == "cos" else y) * inverse

    def _inverse_square(self, vectors: Sequence[tuple[Expr, Expr]]) -> Expr | None:
        """Return the step that is the reciprocal of one vector's squared length, if there is one."""
        for a, b in vectors:
            length2 = self._seen.get(a * a + b * b)
            found = None if length2 is None else self._seen.get(1 / length2)
            if found is not None:
                return found
        return None

    def _values_of(self, value: Expr) -> Expr:
        """Return what a name was given."""
        return self._values.get(name_of(value), value) if is_symbol(value) else value

    def let_of(self, name: str) -> Let | None:
        """Return the step that a name is from, None for an input."""
        return self._lets.get(name)

    def put_before(self, let: Let, names: Sequence[Expr], values: Sequence[Expr]) -> Let:
        """Write a step anew with values that mean the same, made of names whose step comes to stand before it."""
        makers = list(dict.fromkeys(id(self._lets[name_of(name)]) for name in names))
        moved = [s for s in self.body if id(s) in makers]
        place = next(k for k, s in enumerate(self.body) if s is let)
        if any(k > place for k, s in enumerate(self.body) if id(s) in makers):
            self.body = [s for s in self.body if id(s) not in makers]
            place = next(k for k, s in enumerate(self.body) if s is let)
            self.body[place:place] = moved
            place += len(moved)
        fresh = replace(let, values=tuple(values))
        self.body[place] = fresh
        for target, value in zip(let.targets, values, strict=True):
            self._lets[target] = fresh
            self._values[target] = value
        return fresh

    def copy(self) -> Steps:
        """Return steps that go on from here, and leave these as they are."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (dict, list, set)):
                setattr(other, name, value.copy())
        other.frames = self.frames.copy(other.lets, other.let_of)
        return other

    def take_over(self, other: Steps) -> None:
        """Go on from where a copy has got to."""
        vars(self).update(vars(other))
        self.frames = other.frames.copy(self.lets, self.let_of)

    def drop_checks(self, start: int, wanted: Sequence[Expr]) -> tuple[str, ...]:
        """Leave out the checks from a statement on that protect nothing of what is wanted; return what they ask.

        A check protects a value if it compares it, or what its step is made of: margins and determinants are named
        before they are asked for. Nothing is left out where an inner loop looks for zeros or assemblies.
        """
        if not all(isinstance(statement, (Let, Guard, Flag, Mark)) for statement in self.body[start:]):
            return ()
        own = {target for s in self.body[start:] if isinstance(s, Let) for target in s.targets}
        live, waiting = set[str](), [name for value in wanted for name in symbol_names(value)]
        while waiting:
            name = waiting.pop()
            if name not in live:
                live.add(name)
                waiting += symbol_names(self._values[name]) if name in self._values else ()
        live &= own
        kept, dropped = [], []
        for statement in self.body[start:]:
            if isinstance(statement, (Guard, Flag)) and statement.status is not Status.BAD_INPUT:
                asked = symbol_names(statement.left)
                made_of = {n for name in asked if name in self._values for n in symbol_names(self._values[name])}
                if not live.intersection(asked) and not live.intersection(made_of):
                    dropped.append(statement.comment)
                    self._asked.discard((statement.left, statement.relation, statement.right))
                    continue
            kept.append(statement)
        self.body[start:] = kept
        return tuple(dict.fromkeys(dropped))

    def kernel(self, kernel: Kernel) -> None:
        """Write the call of a numerical kernel in; what it takes is folded, its targets are names from there on."""
        inputs = tuple((name, tuple(self._fold(value, {}) for value in values)) for name, values in kernel.inputs)
        self.body.append(replace(kernel, inputs=inputs))

    def need(self, left: Expr, right: Expr, comment: str, status: Status = Status.SINGULAR) -> None:
        """Leave with a status unless left > right."""
        self._guard(Guard(left, ">", right, status, comment), self.frames.reading({}, {}, "checked"))

    def inline(
        self, routine: Routine, prefix: str, inputs: Mapping[str, Sequence[Expr]], *, stop_singular: bool
    ) -> dict[str, tuple[Expr, ...]]:
        """Write a routine in; return the values of its output ports.

        Parameters
        ----------
        prefix : put before the names of its steps.
        inputs : values of its input ports; each a number or the name of a step.
        stop_singular : leave with SINGULAR instead of going on to positions without rates.
        """
        known: dict[str, Expr] = {}
        for port in routine.inputs:
            known.update(zip(port.elements, inputs[port.name], strict=True))
        vectors = dict(routine.vectors)
        for statement in routine.body:
            self._write_in(statement, prefix, known, vectors, stop_singular=stop_singular)
        return {o.port.name: tuple(self._fold(v, known) for v in o.values) for o in routine.outputs}

    def _write_in(
        self,
        statement: Statement,
        prefix: str,
        known: dict[str, Expr],
        vectors: Mapping[str, tuple[str, ...]],
        *,
        stop_singular: bool,
    ) -> None:
        reading = self.frames.reading(vectors, known, f"{prefix}_{_name_of(statement)}")
        if isinstance(statement, Let):
            targets = [f"{prefix}_{target}" for target in statement.targets]
            name = f"{prefix}_{statement.name}"
            found = self.frames.lets(statement, name, targets, reading)
            known.update(zip(statement.targets, found, strict=True))
        elif isinstance(statement, Call):
            inputs: dict[str, tuple[Expr, ...]] = {}
            for port, group in zip(statement.routine.inputs, statement.inputs, strict=True):
                names = [f"{prefix}_{statement.prefix}_in_{element}" for element in port.elements]
                inputs[port.name] = self.lets(names[0], names, group, port.meaning, known)
            inner = self.inline(statement.routine, f"{prefix}_{statement.prefix}", inputs, stop_singular=stop_singular)
            for output, names_out in zip(statement.routine.outputs, statement.outputs, strict=True):
                known.update(zip(names_out, inner[output.port.name], strict=True))
        elif isinstance(statement, Zeros):
            name = f"{prefix}_{statement.name}"
            coefficients = [f"{name}_c{k}" for k in range(len(statement.coefficients))]
            values = self.lets(f"{name}_c", coefficients, statement.coefficients, statement.comment, known)
            first, second = (f"{prefix}_{target}" for target in statement.targets)
            rank = self._fold(statement.rank, known)
            least = None if statement.least is None else self._fold(statement.least, known)
            self.body.append(Zeros(name, (first, second), values, rank, statement.comment, least))
            known.update(zip(statement.targets, (symbol(first), symbol(second)), strict=True))
        elif isinstance(statement, (Samples, System, Solve, LoopAssemblies)):
            self._write_in_numerical(statement, prefix, known, stop_singular=stop_singular)
        elif isinstance(statement, Guard):
            self._guard(statement, reading)
        elif isinstance(statement, Flag) and stop_singular:
            relation = _OPPOSITE[statement.relation]
            self._guard(
                Guard(statement.left, relation, statement.right, statement.status, statement.comment),  # type: ignore[arg-type]
                reading,
            )
        elif isinstance(statement, Flag):
            flag = replace(
                statement, left=self._side(statement.left, reading), right=self._side(statement.right, reading)
            )
            if _decided(flag) is not False and not self._is_settled(flag, wanted=False):
                self.body.append(flag)
        else:
            raise TypeError(f"a routine of a group holds {type(statement).__name__}")

    def _write_in_numerical(
        self,
        statement: Samples | System | Solve | LoopAssemblies,
        prefix: str,
        known: dict[str, Expr],
        *,
        stop_singular: bool,
    ) -> None:
        """Write in what a loop of the language does: its names prefixed, what it takes folded."""
        name = f"{prefix}_{statement.name}"
        if isinstance(statement, System):
            matrix = tuple(tuple(self._fold(value, known) for value in row) for row in statement.matrix)
            self.body.append(replace(statement, name=name, matrix=matrix))
            return
        targets = tuple(f"{prefix}_{target}" for target in statement.targets)
        if isinstance(statement, LoopAssemblies):
            taken = tuple(self._fold(value, known) for value in statement.inputs)
            if self.displaced is not None:
                by = {"loop": taken, "by_1": (self.displaced,), "by_2": (ZERO,)}
                nearby = self.inline(statement.parts.displaced, f"{name}_moved", by, stop_singular=stop_singular)
                taken = nearby["displaced"]
            rank, keep = self._fold(statement.rank, known), statement.keep_singular and not stop_singular
            found = replace(statement, name=name, inputs=taken, rank=rank, targets=targets, keep_singular=keep)
            self.body.append(found)
        elif isinstance(statement, Samples):
            inputs = tuple(tuple(self._fold(value, known) for value in group) for group in statement.inputs)
            self.body.append(replace(statement, name=name, inputs=inputs, targets=targets))
        else:
            right = tuple(self._fold(value, known) for value in statement.right)
            system = f"{prefix}_{statement.system}"
            self.body.append(replace(statement, name=name, system=system, targets=targets, right=right))
        known.update(zip(statement.targets, map(symbol, targets), strict=True))

    def _side(self, value: Expr, reading: VectorReading, form: Expr | None = None) -> Expr:
        found = None if form is None else self.frames.number(form, reading)
        return self._fold(self.frames.with_lengths(value, reading), reading.known) if found is None else found

    def _guard(self, guard: Guard, reading: VectorReading) -> None:
        """Write a check in, unless numbers or an earlier one answer it, or it is about the length of our own result."""
        asked = self._check(guard, reading)
        question = (asked.left, asked.relation, asked.right)
        if question in self._asked or self._is_of_unit_length(asked):
            return
        self._asked.add(question)
        answer = _decided(asked)
        if answer is False:
            raise MechanismError(f"{self._where}: {self._group}: {asked.status.name}: {asked.comment}")
        if answer is None and not self._is_settled(asked, wanted=True):
            rather = tuple(each for each in (self._check(r, reading) for r in guard.rather) if not _decided(each))
            self.body.append(replace(asked, rather=rather))

    def _is_settled(self, check: Guard | Flag, *, wanted: bool) -> bool:
        """Tell whether the ranges of what is compared leave but one answer, the one that lets the routine go on."""
        left, right = range_of(check.left, self._ranges), range_of(check.right, self._ranges)
        if left is None or right is None:
            if not wanted or check.relation != ">=" or not self._is_of_squares(check):
                return False
            self.settled.append(check.left)
            return True
        greater, less = left[0] > right[1], left[1] < right[0]
        settled = (
            (greater if check.relation in (">", ">=") else less)
            if wanted
            else (less if check.relation in (">", ">=") else greater)
        )
        if settled:
            self.settled += [check.left, check.right]
        return settled

    def _is_of_squares(self, check: Guard | Flag) -> bool:
        """Tell whether a sum of squares is compared with zero, or with a tolerance's part of itself."""
        value, share = self._values_of(check.left), fold(check.right, {name: HALF for name in TOLERANCES})
        return is_sum_of_squares(value) and (is_zero(share) or share == HALF * check.left)

    def _check(self, guard: Guard, reading: VectorReading) -> Guard:
        left, right = self._side(guard.left, reading, guard.form), self._side(guard.right, reading)
        return replace(guard, left=left, right=right, rather=(), form=None)

    def _is_of_unit_length(self, guard: Guard) -> bool:
        """Tell whether a check asks for the unit length of a quaternion that the routine has computed itself."""
        if not (is_symbol(guard.right) and name_of(guard.right) == "UNIT_TOLERANCE"):
            return False
        return not self._given.intersection(self._sources(symbol_names(guard.left)))

    def _sources(self, names: Sequence[str]) -> set[str]:
        """Return the names, and those that their own steps are made of."""
        found = set(names)
        for statement in self.body:
            if isinstance(statement, Let):
                for target, value in zip(statement.targets, statement.values, strict=True):
                    if target in names:
                        found.update(symbol_names(value))
        return found


def _name_of(statement: Statement) -> str:
    return statement.name if isinstance(statement, Let) else "checked"


def _decided(check: Guard | Flag) -> bool | None:
    """Return what a check of numbers answers in both precisions, else None."""
    answers = set()
    for table in _TABLES:
        left, right = fold(check.left, table), fold(check.right, table)
        if not (is_number(left) and is_number(right)):
            return None
        a, b = float_of(left), float_of(right)
        answers.add({">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b}[check.relation])
    return answers.pop() if len(answers) == 1 else None
