"""The view of what is generated in the dynamics engine: tables, kernels, kinds of constraints, freedoms of pairs.

The engine itself is plain C (templates/c99/dynamics), the same for every mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.engine_tables import LAW_ROW_OPERATIONS, MOTION_KINDS, PUSH_KINDS, SCHEMAS, TURN, TableSchema
from symgen.ir.nodes import Routine
from symgen.render.newton import arguments_of
from symgen.render.views import FunctionText, function_texts

#: What is generated; in a file to itself each, which the engine's plain C includes.
DYNAMICS_TEMPLATES = ("dynamics_tables.h.j2", "dynamics_laws.h.j2", "dynamics_kernels.h.j2", "dynamics_kinds.h.j2")


@dataclass(frozen=True)
class ConstraintView:
    """One kind of constraint element: a pair or a driven freedom."""

    code: int
    name: str
    constraint: str
    constraint_arguments: str
    bias: str
    bias_arguments: str


@dataclass(frozen=True)
class FreedomView:
    """One freedom of a pair, as forces in joints know it."""

    code: int
    text: str
    function: str


@dataclass(frozen=True)
class LawOperationView:
    """One operation of rows of laws: its number, its name, what is done for a row `s` of the numbers `value`."""

    code: int
    name: str
    statements: tuple[str, ...]


@dataclass(frozen=True)
class DynamicsView:
    """What the templates of the engine see; `extrapolation` are rows of weights."""

    source: str
    preamble: tuple[str, ...]
    functions: tuple[FunctionText, ...]
    kinds: tuple[ConstraintView, ...]
    row_counts: str
    joint_freedoms: tuple[FreedomView, ...]
    extrapolation: tuple[str, ...]
    tables: tuple[TableSchema, ...] = SCHEMAS
    law_operations: tuple[LawOperationView, ...] = ()
    motion_kinds: str = ", ".join(MOTION_KINDS).upper()
    push_kinds: str = ", ".join(PUSH_KINDS).upper()


def dynamics_view(
    source: str,
    kernels: Sequence[Routine],
    constraints: Sequence[tuple[int, str, int, Routine, Routine]],
    freedoms: Sequence[tuple[str, str]],
    extrapolation: Sequence[Sequence[Sequence[str]]],
) -> DynamicsView:
    """Return the view, double precision.

    Parameters
    ----------
    kernels : routines of bodies, tree and forces.
    constraints : of each kind: code, name, number of rows, routine of residual and Jacobians, routine of the bias.
    freedoms : pairs and freedoms in the order of their codes.
    extrapolation : weights of a polynomial, three times three times three, as C writes them.
    """
    routines = [*kernels, *(routine for kind in constraints for routine in kind[3:])]
    rows = [", ".join(f"{{{', '.join(one)}}}" for one in each) for each in extrapolation]
    return DynamicsView(
        source,
        preamble=(),
        functions=tuple(function_texts("dynamics", routine, "double_own") for routine in routines),
        kinds=tuple(
            ConstraintView(code, name, f"solve_{one.name}", arguments_of(one), f"solve_{two.name}", arguments_of(two))
            for code, name, _, one, two in constraints
        ),
        row_counts=", ".join(str(kind[2]) for kind in constraints),
        joint_freedoms=tuple(
            FreedomView(code, f"{pair} {name}", f"solve_freedom_{pair}_{name}".lower())
            for code, (pair, name) in enumerate(freedoms)
        ),
        extrapolation=tuple(f"{{{row}}}" for row in rows),
        law_operations=tuple(
            LawOperationView(
                code,
                name.replace("*", "times").replace("timestimes", "power").replace("/", "over"),
                _law_statements(name),
            )
            for code, name in enumerate(LAW_ROW_OPERATIONS)
        ),
    )


def _law_statements(operation: str) -> tuple[str, ...]:
    """Return what C does for one row of an operation."""
    formula = LAW_ROW_OPERATIONS[operation]
    letters = [letter for k, letter in enumerate("abcd") if f"{{{k}}}" in formula]
    arguments = [f"const double {letter} = value[s->argument_{k}];" for k, letter in enumerate(letters, 1)]
    if operation == TURN:
        results = ("value[s->result] = turn.sine;", "value[s->result + 1] = turn.cosine;")
        return (*arguments, f"const own_turn turn = {formula.format(*letters)};", *results)
    return (*arguments, f"value[s->result] = {formula.format(*letters)};")
