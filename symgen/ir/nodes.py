"""The intermediate representation: straight-line routines as frozen dataclasses.

The leaves are expressions (`symgen.algebra.Expr`); a routine is a list of statements between input ports
and output ports. There are no loops and no branches besides guards: what needs one is a named call, `Zeros`,
`Samples`, `LoopAssemblies`, `System` and `Solve`, or a `Kernel`. A routine of stage "inner" is a part of others, which
no user calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self

from symgen.status import Status

if TYPE_CHECKING:
    from symgen.algebra import Expr

Stage = Literal[
    "position", "velocity", "acceleration", "all", "condition", "proof", "inner",
    "follow", "begin", "poses", "closure", "jacobian", "bias", "cut", "cut_jacobian", "constraint", "constraint_bias",
    "part", "element", "tangent",
]  # fmt: skip
Level = Literal["kernel", "group", "loops", "joint", "mechanism"]


@dataclass(frozen=True)
class Port:
    """One argument of a routine; `elements` are the names of its components, in order.

    `shared` arrays are the same for all rows of a batch.
    """

    name: str
    direction: Literal["in", "out"]
    kind: Literal["real", "int"]
    shape: tuple[int, ...]
    elements: tuple[str, ...]
    unit: str
    frame: str
    meaning: str
    range: str = "finite"
    shared: bool = False


@dataclass(frozen=True)
class HalfTurn:
    """The turn of which a step is the cosine or sine of half the angle: beginning of its names, what turns."""

    name: str
    what: str


class Node:
    """What every statement says of itself, so that nobody else needs to know all kinds of them.

    A statement that has nothing to say of one of these says nothing.
    """

    @property
    def reads(self) -> tuple[Expr, ...]:
        """The values that it takes."""
        return ()

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of numbers that it sets."""
        return ()

    @property
    def own_names(self) -> tuple[str, ...]:
        """Other names that it has in the code."""
        return ()

    @property
    def calls(self) -> tuple[Routine, ...]:
        """The routines that it calls."""
        return ()

    @property
    def inner(self) -> tuple[Routine, ...]:
        """Those of them that are parts of others, which no user calls."""
        return self.calls

    @property
    def own_statuses(self) -> tuple[Status, ...]:
        """The statuses that it can lead to by itself."""
        return ()

    @property
    def passed_on(self) -> tuple[Routine, ...]:
        """Those of the routines that it calls whose status becomes that of the caller."""
        return ()

    @property
    def text(self) -> str:
        """What it is called in messages."""
        return type(self).__name__.lower()

    def with_inner(self, change: Callable[[Routine], Routine]) -> Self:
        """Return the statement with its inner routines changed."""
        return self


@dataclass(frozen=True)
class Let(Node):
    """Name one or more values: the components of one step of the derivation.

    `forms` say the same in vectors: one vector expression, or as many numbers as there are values; none where nothing
    was found (`symgen.passes.write_in_vectors`). `turn` is set where the step belongs to half a turn.
    """

    name: str
    targets: tuple[str, ...]
    values: tuple[Expr, ...]
    comment: str
    forms: tuple[Expr, ...] = ()
    turn: HalfTurn | None = None

    @property
    def reads(self) -> tuple[Expr, ...]:
        """Its values."""
        return self.values

    @property
    def sets(self) -> tuple[str, ...]:
        """Its targets."""
        return self.targets

    @property
    def text(self) -> str:
        """The step."""
        return f"step {self.name}"


@dataclass(frozen=True)
class Guard(Node):
    """Leave with `status` unless `left relation right` holds; a NaN on either side does not hold.

    `rather` are asked in turn where it does not hold: the first that fails too gives the answer. `also` are asked with
    it, for the same status. `form` is the left side in vectors.
    """

    left: Expr
    relation: Literal[">", ">=", "<", "<="]
    right: Expr
    status: Status
    comment: str
    rather: tuple[Guard, ...] = ()
    also: tuple[Guard, ...] = ()
    form: Expr | None = None

    @property
    def checks(self) -> tuple[Guard, ...]:
        """The check and all that are asked with it or after it."""
        return (self, *self.also, *self.rather)

    @property
    def reads(self) -> tuple[Expr, ...]:
        """Both sides of all checks, its own first."""
        return tuple(value for check in self.checks for value in (check.left, check.right))

    @property
    def own_statuses(self) -> tuple[Status, ...]:
        """That of the check, and those that may be asked rather; those with it have the same."""
        return (self.status, *(check.status for check in self.rather))

    @property
    def text(self) -> str:
        """What it says."""
        return self.comment


@dataclass(frozen=True)
class Flag(Node):
    """Go on, but return `status` at the end, if `left relation right` holds."""

    left: Expr
    relation: Literal[">", ">=", "<", "<="]
    right: Expr
    status: Status
    comment: str

    @property
    def reads(self) -> tuple[Expr, ...]:
        """Both sides."""
        return self.left, self.right

    @property
    def own_statuses(self) -> tuple[Status, ...]:
        """Its status."""
        return (self.status,)

    @property
    def text(self) -> str:
        """What it says."""
        return self.comment


@dataclass(frozen=True)
class Call(Node):
    """Call another routine of the module; leave with its status unless it is OK.

    With `keep_singular` SINGULAR goes on and becomes the status at the end. Local arrays are named `<prefix>_<port>`.
    With `trusting` C calls the function inside, which leaves the arguments' ranges to the caller.
    """

    prefix: str
    routine: Routine
    inputs: tuple[tuple[Expr, ...], ...]
    outputs: tuple[tuple[str, ...], ...]
    comment: str
    keep_singular: bool = True
    trusting: bool = False

    @property
    def is_inside(self) -> bool:
        """Whether C calls a function inside the file."""
        return self.trusting or self.routine.stage == "inner"

    @property
    def reads(self) -> tuple[Expr, ...]:
        """All that is passed."""
        return tuple(value for group in self.inputs for value in group)

    @property
    def sets(self) -> tuple[str, ...]:
        """All that comes back."""
        return tuple(name for group in self.outputs for name in group)

    @property
    def own_names(self) -> tuple[str, ...]:
        """What its local arrays begin with."""
        return (self.prefix,)

    @property
    def calls(self) -> tuple[Routine, ...]:
        """The routine."""
        return (self.routine,)

    @property
    def inner(self) -> tuple[Routine, ...]:
        """The routine, if it is a part of others."""
        return self.calls if self.routine.stage == "inner" else ()

    @property
    def passed_on(self) -> tuple[Routine, ...]:
        """The routine."""
        return self.calls

    @property
    def text(self) -> str:
        """The routine."""
        return f"call of {self.routine.name}"

    def with_inner(self, change: Callable[[Routine], Routine]) -> Self:
        """See `Node.with_inner`."""
        return replace(self, routine=change(self.routine)) if self.inner else self


@dataclass(frozen=True)
class Zeros(Node):
    """Take one of the real zeros of a trigonometric polynomial: its cosine and sine.

    f(q) = c[0] + sum over k of c[2 k - 1] cos(k q) + c[2 k] sin(k q). The zeros are ranked by angle, -pi to pi;
    `rank` says which; with `least` only those with a cosine from there on count. Leave with NO_ASSEMBLY if there is
    none, with BRANCH_LOST if there are fewer.
    """

    name: str
    targets: tuple[str, str]
    coefficients: tuple[Expr, ...]
    rank: Expr
    comment: str
    least: Expr | None = None

    @property
    def reads(self) -> tuple[Expr, ...]:
        """All that is taken."""
        return (*self.coefficients, self.rank) if self.least is None else (*self.coefficients, self.rank, self.least)

    @property
    def own_statuses(self) -> tuple[Status, ...]:
        """No zero, too few, or none found."""
        return Status.NO_ASSEMBLY, Status.BRANCH_LOST, Status.NOT_CONVERGED

    @property
    def sets(self) -> tuple[str, ...]:
        """Its targets."""
        return self.targets

    @property
    def own_names(self) -> tuple[str, ...]:
        """What its local arrays begin with."""
        return (self.name,)

    @property
    def text(self) -> str:
        """Kind and name."""
        return f"zeros {self.name}"

    @property
    def degree(self) -> int:
        """Degree of the polynomial; it has at most twice as many zeros."""
        return len(self.coefficients) // 2


@dataclass(frozen=True)
class Samples(Node):
    """Name the coefficients of a trigonometric polynomial that an inner routine evaluates.

    The first two ports of `routine` are cosine and sine of the angle, `inputs` are the values of the others; its one
    result is the value. It is evaluated at `count` angles, evenly spaced; coefficients of `Zeros` follow by a discrete
    Fourier transform. Those above the degree must vanish: leave with NOT_CONVERGED if they do not, or if a value is
    no number.
    """

    name: str
    routine: Routine
    inputs: tuple[tuple[Expr, ...], ...]
    targets: tuple[str, ...]
    count: int
    comment: str

    @property
    def degree(self) -> int:
        """Degree of the polynomial."""
        return len(self.targets) // 2

    @property
    def reads(self) -> tuple[Expr, ...]:
        """What is passed besides the angle."""
        return tuple(value for group in self.inputs for value in group)

    @property
    def calls(self) -> tuple[Routine, ...]:
        """The routine that is sampled."""
        return (self.routine,)

    @property
    def own_statuses(self) -> tuple[Status, ...]:
        """Coefficients above the degree do not vanish."""
        return (Status.NOT_CONVERGED,)

    def with_inner(self, change: Callable[[Routine], Routine]) -> Self:
        """See `Node.with_inner`."""
        return replace(self, routine=change(self.routine))

    @property
    def sets(self) -> tuple[str, ...]:
        """Its targets."""
        return self.targets

    @property
    def own_names(self) -> tuple[str, ...]:
        """What its local arrays begin with."""
        return (self.name,)

    @property
    def text(self) -> str:
        """Kind and name."""
        return f"samples {self.name}"


@dataclass(frozen=True)
class System(Node):
    """Factorise a square matrix once, for `Solve`: LU with partial pivoting on equilibrated rows and columns.

    Rows and columns are brought to the same size first, so that units do not matter. Leave with SINGULAR unless the
    smallest pivot then exceeds SINGULAR_TOLERANCE. `matrix` holds rows.
    """

    name: str
    matrix: tuple[tuple[Expr, ...], ...]
    comment: str

    @property
    def size(self) -> int:
        """Number of equations."""
        return len(self.matrix)

    @property
    def reads(self) -> tuple[Expr, ...]:
        """The matrix by rows."""
        return tuple(value for row in self.matrix for value in row)

    @property
    def own_names(self) -> tuple[str, ...]:
        """What its local arrays begin with."""
        return (self.name,)

    @property
    def own_statuses(self) -> tuple[Status, ...]:
        """A pivot vanishes."""
        return (Status.SINGULAR,)

    @property
    def text(self) -> str:
        """Kind and name."""
        return f"system {self.name}"


@dataclass(frozen=True)
class Solve(Node):
    """Name the solution of a factorised system for one right side."""

    name: str
    system: str
    targets: tuple[str, ...]
    right: tuple[Expr, ...]
    comment: str

    @property
    def reads(self) -> tuple[Expr, ...]:
        """The right side."""
        return self.right

    @property
    def sets(self) -> tuple[str, ...]:
        """Its targets."""
        return self.targets

    @property
    def own_names(self) -> tuple[str, ...]:
        """What its local arrays begin with."""
        return (self.name,)

    @property
    def text(self) -> str:
        """Kind and name."""
        return f"solution {self.name}"


@dataclass(frozen=True)
class LoopParts:
    """The inner routines by which a loop is solved; the first port of all but `stepped` holds the loop's constants.

    polynomial  constants -> coefficients, least: a trigonometric polynomial as in `Zeros`
    recovery    constants, cosine and sine of a zero -> coordinates
    closure     constants, coordinates -> what each closing equation lacks; its derivatives by rows; what is open
                altogether, relative to the loop's size; cosine and sine of the angle that ranks assemblies
    stepped     coordinates, steps -> coordinates
    displaced   constants, two small numbers -> constants of a loop nearby that has nothing special
    """

    polynomial: Routine
    recovery: Routine
    closure: Routine
    stepped: Routine
    displaced: Routine

    @property
    def routines(self) -> tuple[Routine, ...]:
        """All five."""
        return self.polynomial, self.recovery, self.closure, self.stepped, self.displaced


@dataclass(frozen=True)
class LoopAssemblies(Node):
    """Take one of the assemblies of a loop: its coordinates.

    Every real zero of the polynomial is made an assembly, which Newton's method on all closing equations closes. Where
    anything is doubtful (an odd number, zeros that meet or do not close, no polynomial), loops displaced a little are
    solved too and carried back. Assemblies are ranked by the angle that the closure gives, -pi to pi; `rank` says
    which. Leave with NO_ASSEMBLY if there is none, with BRANCH_LOST if there are fewer, with DEGENERATE if
    there may be infinitely many. With `keep_singular` SINGULAR goes on and becomes the status at the
    end. `degree` is that of the polynomial.
    """

    name: str
    parts: LoopParts
    inputs: tuple[Expr, ...]
    rank: Expr
    targets: tuple[str, ...]
    degree: int
    comment: str
    keep_singular: bool = True

    @property
    def size(self) -> int:
        """Number of closing equations, and of steps."""
        return len(self.parts.stepped.inputs[1].elements)

    @property
    def reads(self) -> tuple[Expr, ...]:
        """The loop's constants and the rank."""
        return (*self.inputs, self.rank)

    @property
    def calls(self) -> tuple[Routine, ...]:
        """The parts of the loop."""
        return self.parts.routines

    @property
    def own_statuses(self) -> tuple[Status, ...]:
        """No assembly, too few, infinitely many, or two that meet."""
        return Status.NO_ASSEMBLY, Status.BRANCH_LOST, Status.DEGENERATE, Status.SINGULAR

    def with_inner(self, change: Callable[[Routine], Routine]) -> Self:
        """See `Node.with_inner`."""
        return replace(self, parts=LoopParts(*map(change, self.parts.routines)))

    @property
    def sets(self) -> tuple[str, ...]:
        """Its targets."""
        return self.targets

    @property
    def own_names(self) -> tuple[str, ...]:
        """What its local arrays begin with."""
        return (self.name,)

    @property
    def text(self) -> str:
        """Kind and name."""
        return f"assemblies {self.name}"


@dataclass(frozen=True)
class PairRows:
    """Constraints of one kind of pair or driven freedom, as `symgen.derive.constraints` derives them.

    `constraint` gives residual, Jacobians and what faces, `bias` rate and bias; both are inner routines. The last four
    say which second derivatives the rows have (docs/certified-newton.md).
    """

    name: str
    rows: int
    constraint: Routine
    bias: Routine
    points: int
    slides: int
    turns: int
    helices: int


@dataclass(frozen=True)
class Kernel(Node):
    """Call a numerical kernel that the templates write once for each language; leave with its status unless it is OK.

    Parameters
    ----------
    name : what the names of its local arrays begin with.
    kernel : the function.
    function : an inner routine that is passed to it, if any.
    integers, inputs, scratch, outputs : arrays by name, in the order of the call; scratch gives sizes ("work" of reals,
        "pivots" of integers), which NumPy has no use for.
    pairs : what the kernel calls by number.
    statuses : what it may return besides OK.
    keep_singular : SINGULAR goes on and becomes the status at the end.
    keep_ambiguous : AMBIGUOUS does, too, and comes before SINGULAR.
    """

    name: str
    kernel: str
    function: Routine | None
    integers: tuple[tuple[str, tuple[int, ...]], ...]
    inputs: tuple[tuple[str, tuple[Expr, ...]], ...]
    scratch: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, tuple[str, ...]], ...]
    pairs: tuple[PairRows, ...]
    statuses: tuple[Status, ...]
    keep_singular: bool
    comment: str
    keep_ambiguous: bool = False

    @property
    def sets(self) -> tuple[str, ...]:
        """All names that it sets."""
        return tuple(target for _, targets in self.outputs for target in targets)

    @property
    def own_names(self) -> tuple[str, ...]:
        """What its local arrays begin with."""
        return (self.name,)

    @property
    def reads(self) -> tuple[Expr, ...]:
        """All that it takes."""
        return tuple(value for _, values in self.inputs for value in values)

    @property
    def own_statuses(self) -> tuple[Status, ...]:
        """What it may return besides OK."""
        return self.statuses

    @property
    def passed_on(self) -> tuple[Routine, ...]:
        """The routine that is passed to it."""
        return () if self.function is None else (self.function,)

    @property
    def text(self) -> str:
        """Kind and name."""
        return f"kernel {self.name}"

    @property
    def calls(self) -> tuple[Routine, ...]:
        """The inner routines that it calls."""
        pairs = tuple(routine for pair in self.pairs for routine in (pair.constraint, pair.bias))
        return pairs if self.function is None else (*pairs, self.function)

    def with_inner(self, change: Callable[[Routine], Routine]) -> Self:
        """See `Node.with_inner`; the rows of pairs are as their module has them."""
        return self if self.function is None else replace(self, function=change(self.function))


@dataclass(frozen=True)
class Mark(Node):
    """What follows belongs to a structural group of a whole mechanism; 0: to the mechanism itself.

    The last mark before a return is what the function's result `group` says.
    """

    group: int
    comment: str


Statement = Let | Guard | Flag | Call | Zeros | Samples | System | Solve | LoopAssemblies | Kernel | Mark


@dataclass(frozen=True)
class Output:
    """The values of one output port."""

    port: Port
    values: tuple[Expr, ...]


@dataclass(frozen=True)
class Routine:
    """One function to emit.

    `finite` names the values whose finiteness implies that of all outputs (none: guards see to it); `branches` is how
    many there are, and `lost_by_stage` says that one branch may be out of reach while another is not. `vectors` are
    those that the code names as a whole, with their components. `unchecked` says what is not checked, since no result
    needs it.
    """

    name: str
    title: str
    level: Level
    arrangement: str | None
    stage: Stage
    inputs: tuple[Port, ...]
    body: tuple[Statement, ...]
    outputs: tuple[Output, ...]
    finite: tuple[Expr, ...]
    branches: int
    lost_by_stage: bool = False
    vectors: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unchecked: tuple[tuple[int, str], ...] = ()

    @property
    def ports(self) -> tuple[Port, ...]:
        """All ports in call order."""
        return self.inputs + tuple(output.port for output in self.outputs)

    @property
    def has_branch(self) -> bool:
        """Whether the caller picks a branch."""
        return any(port.kind == "int" for port in self.inputs)

    @property
    def marks(self) -> bool:
        """Whether the routine says which structural group it could not solve."""
        return any(isinstance(statement, Mark) for statement in self.body)
