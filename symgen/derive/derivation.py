"""The vocabulary of a derivation: ports, named steps, guards, branch bits, calls.

A derivation is written from top to bottom as a person would write it on paper. Every step gets a name, a meaning
and a unit, and later steps use the name, so expressions stay short and the emitted code keeps the names. Nothing is
simplified: the structure of the mathematics is in the steps.

`symgen.lower` cuts slices out of a derivation: the steps between chosen inputs and chosen outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Literal, get_args

from symgen.algebra import (
    ONE,
    UNIT_TOLERANCE,
    Expr,
    absolute,
    name_of,
    sign_of_branch,
    symbol,
)
from symgen.derive.calls import CallResults, arguments_of, check_parts, check_prefix, name_of_part
from symgen.derive.items import (
    BranchBit,
    CallStep,
    Check,
    Identity,
    Inner,
    Item,
    Relation,
    Step,
    When,
    ZeroClaim,
    ZerosStep,
)
from symgen.derive.ports import Ports
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.refusals import check_list, check_texts, check_word, kind_of
from symgen.derive.vectors import AXES, Vector
from symgen.errors import DerivationError
from symgen.ir.nodes import Port
from symgen.naming import did_you_mean
from symgen.status import Status

if TYPE_CHECKING:
    from symgen.ir.nodes import HalfTurn, Routine


class Derivation(Ports):
    """An ordered list of named steps with ports.

    Parameters
    ----------
    name : what is derived, for messages.
    level : "kernel" (joint elements in the world), "group" (poses of bodies and joint frames), "loops" (a mechanism) or
        "joint" (one pair).
    arrangement : id of the arrangement for groups, None for kernels.
    title : one line that heads the documentation of each routine.
    source : author, year, equation, for steps that give none of their own.
    """

    def input_branch(self, bits: Sequence[tuple[str, str]], *, lost_by_stage: bool = False) -> tuple[Expr, ...]:
        """Declare the branch index; return its signs (+1 for a clear bit), one a bit, as named steps.

        Parameters
        ----------
        bits : (name of the sign, meaning of a clear bit), least significant first.
        lost_by_stage : one branch may be out of reach while another is not.
        """
        self.branches, self.lost_by_stage = 2 ** len(bits), lost_by_stage
        meaning = "; ".join(f"bit {k} clear: {text}" for k, (_, text) in enumerate(bits))
        port = Port(
            "branch", "in", "int", (), ("branch",), "", "", f"branch index; {meaning}", f"0..{self.branches - 1}"
        )
        self.inputs["branch"] = port
        self._known.add("branch")
        signs = []
        for k, (name, text) in enumerate(bits):
            self.bits.append(BranchBit(k, name, text))
            signs.append(self.scalar(name, sign_of_branch(symbol("branch"), k), f"+1 for {text}"))
        return tuple(signs)

    # -- steps ---------------------------------------------------------------------------------------------------

    def scalar(
        self,
        name: str,
        value: Expr,
        meaning: str,
        unit: str = "",
        *,
        recovered: Expr | None = None,
        combined: Expr | None = None,
        source: str = "",
        turn: HalfTurn | None = None,
    ) -> Expr:
        """Name a scalar."""
        others = (None if recovered is None else (recovered,), None if combined is None else (combined,))
        self._step(name, (name,), (value,), others, meaning, unit, source, turn)
        return symbol(name)

    def vector(
        self,
        name: str,
        value: Vector,
        meaning: str,
        unit: str = "",
        *,
        recovered: Vector | None = None,
        source: str = "",
    ) -> Vector:
        """Name a vector; its components become `name_x`, `name_y` (and `name_z`)."""
        if not isinstance(value, Vector):
            raise DerivationError(f"{self.name}: step {name!r} is no Vector but {value!r}; scalar(...) names a scalar")
        targets = tuple(f"{name}_{axis}" for axis in AXES[: len(value)])
        others = (None if recovered is None else recovered.components, None)
        self._step(name, targets, value.components, others, meaning, unit, source)
        return Vector(tuple(symbol(t) for t in targets))

    def quaternion(self, name: str, value: Quaternion, meaning: str, *, source: str = "") -> Quaternion:
        """Name a quaternion; its components become `name_0` to `name_3`."""
        a, b, c, e = (f"{name}_{k}" for k in range(4))
        self._step(name, (a, b, c, e), value.components, (None, None), meaning, "1", source)
        return Quaternion((symbol(a), symbol(b), symbol(c), symbol(e)))

    def zero(
        self,
        name: str,
        coefficients: Sequence[Expr],
        rank: Expr,
        meaning: str,
        *,
        least: Expr | None = None,
        source: str = "",
    ) -> tuple[Expr, Expr]:
        """Name cosine `cos_<name>` and sine `sin_<name>` of the real zero of that rank of a trigonometric polynomial.

        Parameters
        ----------
        coefficients : c[0], then those of cos(k q) and sin(k q), k = 1 .. degree.
        rank : which of the zeros, counted from 0 in the order of the angle.
        least : only zeros with a cosine from there on count.
        """
        self._require((*coefficients, rank, *([] if least is None else [least])), f"zero {name!r}")
        targets = (f"cos_{name}", f"sin_{name}")
        self._define(targets)
        item = ZerosStep(name, targets, tuple(coefficients), rank, meaning, source or self.source, self._part, least)
        self.items.append(item)
        return symbol(targets[0]), symbol(targets[1])

    def append(self, item: Item, used: Sequence[Expr], targets: Sequence[str]) -> tuple[Expr, ...]:
        """Add an item of another kind that uses values and names targets; return these."""
        self._require(used, f"item {targets[0]!r}" if targets else "item")
        self._define(targets)
        self.items.append(item)
        return tuple(symbol(t) for t in targets)

    def triad(self, name: str, value: Quaternion, meaning: str) -> FrameAxes:
        """Name the three axes `name_x`, `name_y`, `name_z` of a frame; unused ones are dropped by slicing."""
        axes = [self.vector(f"{name}{axis}", value.axis(axis), f"axes of {meaning}", "1") for axis in AXES]
        return FrameAxes(*axes)

    def guard(
        self,
        left: Expr,
        relation: Relation,
        right: Expr,
        status: Status,
        meaning: str,
        *,
        when: When = "always",
        port: str = "",
    ) -> None:
        """Leave with `status` unless the relation holds; NaN does not hold. `port`: what a "used" guard checks."""
        self._check("guard", left, relation, right, status, meaning, when, port)

    def guard_unit(self, port: str, squared_length: Expr, what: str) -> None:
        """Refuse a port that is not of unit length, in every routine that takes it."""
        size = self.scalar(f"norm2_{port}", squared_length, f"{what}: squared length")
        off = absolute(size - ONE)
        self.guard(off, "<=", UNIT_TOLERANCE, Status.BAD_INPUT, f"{what} is not of unit length", when="used", port=port)

    def flag(self, left: Expr, relation: Relation, right: Expr, status: Status, meaning: str) -> None:
        """Go on, but return `status` at the end if the relation holds."""
        self._check("flag", left, relation, right, status, meaning, "always")

    def call(
        self, routine: Routine | Inner, inputs: Mapping[str, Vector | Quaternion | Expr], prefix: str, meaning: str
    ) -> CallResults:
        """Call a routine of the same module; results are named `<prefix>_<port>`.

        Raises
        ------
        DerivationError
            An argument is missing, has no name that the routine knows, or has more or fewer numbers than it takes.
        """
        return self._call(f"call of {name_of_part(self.name, routine)}", routine, inputs, prefix, meaning)

    def _call(
        self,
        what: str,
        routine: Routine | Inner,
        inputs: Mapping[str, Vector | Quaternion | Expr],
        prefix: str,
        meaning: str,
    ) -> CallResults:
        call = f"{self.name}: {what}"
        check_prefix(call, prefix)
        arguments = arguments_of(call, routine.inputs, inputs, may_be_more=not isinstance(routine, Inner))
        results: dict[str, tuple[Expr, ...]] = {}
        targets = []
        for port in routine.results if isinstance(routine, Inner) else [output.port for output in routine.outputs]:
            names = tuple(f"{prefix}_{element}" for element in port.elements)
            targets.append(names)
            values = tuple(symbol(n) for n in names)
            results[port.name] = values
        for group in arguments:
            self._require(group, what)
        self._define([n for names in targets for n in names])
        self.items.append(CallStep(prefix, routine, tuple(arguments), tuple(targets), meaning, self._part))
        return CallResults(call, results)

    def call_each(
        self,
        routine: Routine | Inner,
        shared: Mapping[str, Vector | Quaternion | Expr],
        each: Sequence[Mapping[str, Vector | Quaternion | Expr]],
        prefix: str,
        meaning: str,
    ) -> list[CallResults]:
        """Call a routine for several parts that are alike; results are named `<prefix><number>_<port>`, from 1.

        In C they are solved side by side where the routine allows it (`symgen.emit.side_by_side`).

        Parameters
        ----------
        shared : what all calls take.
        each : what each of them takes besides.
        meaning : of all of them.

        Raises
        ------
        DerivationError
            There are no parts, or an argument stands in both; see also `call`.
        """
        name = name_of_part(self.name, routine)
        may_be_more = not isinstance(routine, Inner)
        calls = f"{self.name}: calls of {name}"
        check_parts(calls, routine.inputs, shared, each, may_be_more=may_be_more)
        check_prefix(calls, prefix)
        return [
            self._call(f"call of {name}, part {number}", routine, {**shared, **own}, f"{prefix}{number}", meaning)
            for number, own in enumerate(each, 1)
        ]

    def witness(self, stage: str, values: Sequence[Expr]) -> None:
        """Say which steps of a stage are not finite whenever any of its results is not.

        Default: all results of the last part. None, if guards exclude overflow beforehand.
        """
        self.witnesses[stage] = tuple(name_of(v) for v in values)

    # -- claims --------------------------------------------------------------------------------------------------

    def claim_identity(
        self,
        name: str,
        statement: str,
        residuals: Sequence[Expr],
        *,
        squares: Mapping[str, Expr] | None = None,
        keep: Sequence[str] = (),
    ) -> None:
        """Claim that expressions vanish identically, given the squares of some symbols; these are checked, too."""
        self._require_residuals(name, residuals)
        given = self._squares_of(name, squares)
        if keep:
            check_list(f"{self.name}: what claim {name!r} keeps", keep, "names of steps")
        self._require(residuals, f"claim {name!r}")
        self._require([symbol(root) for root in given], f"squares of claim {name!r}")
        self._require(tuple(given.values()), f"squares of claim {name!r}")
        self.identities.append(Identity(name, statement, tuple(residuals), (*keep, *given), given))

    def claim_zero(self, name: str, statement: str, residuals: Sequence[Expr]) -> None:
        """Claim that values vanish for every input that is solved; checked with many digits at random points."""
        self._require_residuals(name, residuals)
        ports = []
        with self.part("proof"):
            for k, residual in enumerate(residuals):
                port = f"residual_{name}_{k}"
                self.output(port, self.scalar(port, residual, statement), meaning=statement, unit="", frame="")
                ports.append(port)
        self.zero_claims.append(ZeroClaim(name, statement, tuple(ports)))

    def _require_residuals(self, name: str, residuals: Sequence[Expr]) -> None:
        if isinstance(residuals, (list, tuple)) and not residuals:
            raise DerivationError(
                f"{self.name}: claim {name!r} has no residuals, so it says nothing; give the differences of both sides "
                "that must vanish"
            )
        check_list(f"{self.name}: what claim {name!r} says vanishes", residuals, "differences of both sides")

    def _squares_of(self, name: str, squares: Mapping[str, Expr] | None) -> dict[str, Expr]:
        if not isinstance(squares, (Mapping, NoneType)) or not all(isinstance(root, str) for root in squares or ()):
            raise DerivationError(
                f"{self.name}: squares of claim {name!r} are names and what their squares equal, {{name: value, ...}}; "
                f"found {kind_of(squares)}"
            )
        return dict(squares or {})

    # -- inner ---------------------------------------------------------------------------------------------------

    def _step(
        self,
        name: str,
        targets: tuple[str, ...],
        values: tuple[Expr, ...],
        others: tuple[tuple[Expr, ...] | None, tuple[Expr, ...] | None],
        meaning: str,
        unit: str,
        source: str,
        turn: HalfTurn | None = None,
    ) -> None:
        self._require(values, f"step {name!r}")
        check_texts(f"{self.name}: step {name!r}", meaning=meaning, unit=unit, source=source)
        self._define(targets)
        self.items.append(Step(name, targets, values, *others, meaning, unit, source or self.source, self._part, turn))

    def _check(
        self,
        kind: Literal["guard", "flag"],
        left: Expr,
        relation: Relation,
        right: Expr,
        status: Status,
        meaning: str,
        when: When,
        port: str = "",
    ) -> None:
        where = f"{self.name}: {kind} {meaning!r}"
        check_word(where, "relation", relation, get_args(Relation))
        check_word(where, "time to ask", when, get_args(When))
        if not isinstance(status, Status) or status is Status.OK:
            hint = did_you_mean(str(status), Status.__members__) if status is not Status.OK else ""
            found = "Status.OK" if status is Status.OK else kind_of(status)
            raise DerivationError(
                f"{where}: its status is that of rows that fail, such as Status.DEGENERATE; found {found}{hint}"
            )
        self._require((left, right), f"{kind} {meaning!r}")
        self.items.append(Check(kind, left, relation, right, status, meaning, self._part, when, port))
