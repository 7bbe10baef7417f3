"""The view of the dynamics engine in C: kernels, kinds of constraints, freedoms of pairs, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.ir.nodes import Routine
from symgen.render.newton import arguments_of
from symgen.render.views import FunctionText, function_texts

PREFIX = "symgen_dynamics"
DYNAMICS_TEMPLATES = (
    "dynamics.h.j2",
    "dynamics_kernels.h.j2",
    "dynamics_linear.h.j2",
    "dynamics_tree.h.j2",
    "dynamics_poses.h.j2",
    "dynamics_rows.h.j2",
    "dynamics_momenta.h.j2",
    "dynamics_elimination.h.j2",
    "dynamics_reduced.h.j2",
    "dynamics.c.j2",
    "dynamics_minimal.h.j2",
    "dynamics_inputs.h.j2",
    "dynamics_virtual.h.j2",
    "dynamics_minimal.c.j2",
)


#: Weights at 1 of values, rates and second derivatives at -3, -2, -1, for each derivative: the polynomial through them
#: (symgen/library/smooth.py).
EXTRAPOLATION = (
    "{{5697.0, 2052.0, 216.0}, {-14336.0, -1536.0, -2304.0}, {8640.0, -3456.0, 432.0}}",
    "{{16956.0, 6129.0, 648.0}, {-41472.0, -3968.0, -6720.0}, {24516.0, -9720.0, 1188.0}}",
    "{{43650.0, 15840.0, 1683.0}, {-103680.0, -8640.0, -16928.0}, {60030.0, -23580.0, 2826.0}}",
)


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
class DynamicsView:
    """What the templates of the engine see."""

    title: str
    source: str
    summary: tuple[str, ...]
    preamble: tuple[str, ...]
    prefix: str
    real: str
    sqrt: str
    absolute: str
    floor: str
    half: str
    huge: str
    unit: str
    nearly_unit: str
    farthest: str
    limit: str
    loosest: str
    singular: str
    cancelled: str
    rounded: str
    closed: str
    two_pi: str
    most_slopes: str
    scheme_type: str
    settings_type: str
    indefinite: str
    safety: str
    most_growth: str
    least_growth: str
    nearly: str
    shortest: str
    near: str
    jump: str
    least_jump: str
    quarter: str
    most_halvings: str
    most_placings: str
    unseen: str
    placed: str
    caution: str
    short_way: str
    close: str
    blurred: str
    widest: str
    farthest_meeting: str
    same_meeting: str
    met: str
    newton_part: str
    parting: str
    sample_noise: str
    clear: str
    spacings: str
    extrapolation: tuple[str, ...]
    most_regions: str
    well_inside: str
    limit_places: str
    limit_good: str
    limit_poor: str
    functions: tuple[FunctionText, ...]
    kinds: tuple[ConstraintView, ...]
    row_counts: str
    joint_freedoms: tuple[FreedomView, ...]


def dynamics_view(
    title: str,
    source: str,
    summary: tuple[str, ...],
    kernels: Sequence[Routine],
    constraints: Sequence[tuple[int, str, int, Routine, Routine]],
    freedoms: Sequence[tuple[str, str]],
) -> DynamicsView:
    """Return the view of the engine, double precision.

    Parameters
    ----------
    kernels : routines of bodies, tree and forces.
    constraints : of each kind: code, name, number of rows, routine of residual and Jacobians, routine of the bias.
    freedoms : pairs and freedoms in the order of their codes.
    """
    routines = [*kernels, *(routine for kind in constraints for routine in kind[3:])]
    return DynamicsView(
        title,
        source,
        tuple(f" {line}" if line else "" for line in summary),
        (),
        PREFIX,
        real="double",
        sqrt="sqrt",
        absolute="fabs",
        floor="floor",
        half="0.5",
        huge="1e+6",
        unit="1e-9",
        nearly_unit="1e-6",
        farthest="1e9",
        limit="DBL_MAX",
        loosest="1e-3",  # looser corrections are no solutions
        singular="1e-6",
        cancelled="1e-8",
        rounded="16*DBL_EPSILON",
        closed="1e-8",
        two_pi="6.283185307179586",
        most_slopes="16",
        scheme_type="symgen_dynamics_minimal_scheme",
        settings_type="symgen_dynamics_minimal_settings",
        indefinite="1e-13",
        safety="0.9",
        most_growth="6.0",
        least_growth="0.2",
        nearly="0.999999",
        shortest="1e-9",
        near="1e-3",
        jump="0.5",
        least_jump="1e-6",
        quarter="0.25",
        most_halvings="8",
        most_placings="64",
        unseen="1e-12",
        placed="1e-7",
        caution="1.5",
        short_way="0.1",
        close="0.06",
        blurred="0.04",
        widest="0.1",
        farthest_meeting="0.5",
        same_meeting="0.05",
        met="1e-6",
        newton_part="0.9",
        parting="0.7",
        sample_noise="1e-10",
        clear="0.01",
        spacings="0.03, 0.01, 0.003, 0.001, 0.0001",
        extrapolation=EXTRAPOLATION,
        most_regions="100",
        well_inside="0.9",
        limit_places="12",
        limit_good="1e-10",
        limit_poor="1e-6",
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
    )
