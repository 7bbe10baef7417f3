"""What a derivation is made of: steps, checks, calls and claims; see `symgen.derive.derivation`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from symgen.algebra import Expr
from symgen.status import Status

if TYPE_CHECKING:
    from symgen.derive.derivation import Derivation
    from symgen.ir.nodes import HalfTurn, Port, Routine

Part = Literal["position", "geometry", "velocity", "acceleration", "condition", "proof"]
When = Literal["always", "given", "combined", "cold", "used"]
Relation = Literal[">", ">=", "<", "<="]


@dataclass(frozen=True)
class Step:
    """A named value (scalar, vector or quaternion).

    `recovered` says how to get the same value from a solved configuration, for slices that do not solve positions;
    `combined` how to get it where rates are computed in the same routine, and divisions can be shared. `turn` is set
    where it is the cosine or sine of half the angle of a turn.
    """

    name: str
    targets: tuple[str, ...]
    values: tuple[Expr, ...]
    recovered: tuple[Expr, ...] | None
    combined: tuple[Expr, ...] | None
    meaning: str
    unit: str
    source: str
    part: Part
    turn: HalfTurn | None = None


@dataclass(frozen=True)
class Check:
    """A guard (leave with the status unless it holds) or a flag (go on, return the status at the end if it holds).

    `when` says in which routines it is asked:

    always    in all that cover its part
    given     where the position is given; where it is solved, other guards imply this one
    combined  where position, velocity and acceleration are solved together
    used      in every routine, of whatever part, that takes the port it checks
    cold      always, but where all is solved together only if one of the guards after it fails, which imply it
    """

    kind: Literal["guard", "flag"]
    left: Expr
    relation: Relation
    right: Expr
    status: Status
    meaning: str
    part: Part
    when: When = "always"
    port: str = ""


@dataclass(frozen=True)
class CallStep:
    """A call of a routine of the same module, or of an inner part."""

    prefix: str
    routine: Routine | Inner
    inputs: tuple[tuple[Expr, ...], ...]
    targets: tuple[tuple[str, ...], ...]
    meaning: str
    part: Part


@dataclass(frozen=True)
class ZerosStep:
    """Cosine and sine of a real zero of a trigonometric polynomial, see `symgen.ir.nodes.Zeros`."""

    name: str
    targets: tuple[str, str]
    coefficients: tuple[Expr, ...]
    rank: Expr
    meaning: str
    source: str
    part: Part
    least: Expr | None = None


@dataclass(frozen=True, eq=False)
class Inner:
    """A part that others call or sample: the position results of a derivation of its own, lowered with them."""

    name: str
    derivation: Derivation

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Its ports, all of which its results need."""
        return tuple(self.derivation.inputs.values())

    @property
    def results(self) -> tuple[Port, ...]:
        """Its result ports; residuals of its claims are not among them."""
        part = self.derivation.output_part
        return tuple(port for name, port in self.derivation.outputs.items() if part[name] == "position")


def inner_parts(derivation: Derivation) -> tuple[Inner, ...]:
    """Return the inner parts that a derivation calls, each once."""
    called = [item.routine for item in derivation.items if isinstance(item, CallStep)]
    return tuple(dict.fromkeys(routine for routine in called if isinstance(routine, Inner)))


@dataclass(frozen=True)
class SamplesStep:
    """The coefficients of a sampled trigonometric polynomial, see `symgen.ir.nodes.Samples`."""

    name: str
    routine: Inner
    inputs: tuple[tuple[Expr, ...], ...]
    targets: tuple[str, ...]
    count: int
    meaning: str
    part: Part


@dataclass(frozen=True)
class AssembliesStep:
    """The coordinates of one assembly of a loop, see `symgen.ir.nodes.LoopAssemblies`; `parts` in the order there."""

    name: str
    parts: tuple[Inner, Inner, Inner, Inner, Inner]
    inputs: tuple[Expr, ...]
    rank: Expr
    targets: tuple[str, ...]
    degree: int
    meaning: str
    part: Part


@dataclass(frozen=True)
class SystemStep:
    """A square matrix, factorised, see `symgen.ir.nodes.System`; its part covers the check that it is regular."""

    name: str
    matrix: tuple[tuple[Expr, ...], ...]
    meaning: str
    part: Part


@dataclass(frozen=True)
class SolveStep:
    """The solution of a system for one right side."""

    name: str
    system: str
    targets: tuple[str, ...]
    right: tuple[Expr, ...]
    meaning: str
    part: Part


Item = Step | Check | CallStep | ZerosStep | SamplesStep | AssembliesStep | SystemStep | SolveStep


@dataclass(frozen=True)
class Identity:
    """A claim that an expression vanishes identically, to be proved by polynomial reduction.

    Definitions of steps are unfolded, except of those in `keep`; `squares` says what the squares of some kept symbols
    equal (a sign: 1; a root: its radicand).
    """

    name: str
    statement: str
    residuals: tuple[Expr, ...]
    keep: tuple[str, ...]
    squares: Mapping[str, Expr]


@dataclass(frozen=True)
class ZeroClaim:
    """A claim that steps vanish, to be checked with 50 digits at random points; `ports` are their result ports."""

    name: str
    statement: str
    ports: tuple[str, ...]


@dataclass(frozen=True)
class BranchBit:
    """One bit of the branch index."""

    bit: int
    name: str
    meaning: str
