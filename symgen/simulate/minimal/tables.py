"""Tables of a mechanism in minimal coordinates for the engine's C: the file ``inputs.h`` beside ``problem.h``."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import DRIVE
from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.minimal.coordinates import MinimalCoordinates
from symgen.simulate.minimal.module import ID, MechanismModule
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.laws import literal
from symgen.simulate.tables.mechanism_tables import Table
from symgen.simulate.tables.problem import Problem, make_problem
from symgen.simulate.tables.problem_text import table_lines
from symgen.solve.branches import mechanism_size


@dataclass(frozen=True)
class MinimalProblem:
    """A mechanism in minimal coordinates.

    Parameters
    ----------
    problem : masses, forces, joints and laws; bodies in the engine's order.
    module : the groups.
    drives : (k,) rows `symgen.engine_tables.DRIVE` of each driven freedom, in the module's order.
    inputs : (f,) of each coordinate: which driven freedom it is.
    module_bodies : (n,) of each of the engine's bodies: its index in the module.
    lift : (n,) height of the centres of mass above the plane [m]; zero in space.
    branch : of each group, at the start.
    groups : (n,) index of the group of each of the engine's bodies, -1 if it has none of its own.
    branches : how many each group has.
    ranked : of each group, whether its branches are ranked zeros.
    reach : length that makes turns comparable with displacements [m].
    """

    problem: Problem
    module: MechanismModule
    drives: Table
    inputs: NDArray[np.int32]
    module_bodies: NDArray[np.int32]
    lift: Array
    branch: tuple[int, ...]
    groups: NDArray[np.int32]
    branches: tuple[int, ...]
    ranked: tuple[bool, ...]
    reach: float
    planar: bool


def make_minimal_problem(
    mechanism: Mechanism,
    manifest: DynamicsManifest,
    coordinates: MinimalCoordinates,
    module: MechanismModule,
    rows: JointRows,
) -> MinimalProblem:
    """Return a mechanism as tables."""
    count = len(coordinates.freedoms)
    problem = make_problem(mechanism, manifest, "dense", lambda: count, rows, unit=1.0)
    laws = {".".join(key): k for k, key in enumerate(mechanism.drives)}
    own = {".".join(key): k for k, key in enumerate(coordinates.freedoms)}
    last = problem.sizes["RATES"] - 1
    plan = coordinates.plan.in_closed_form("minimal coordinates")
    ranked = tuple(group.ranked for group in plan)
    drives = [(own.get(name, -1), laws.get(name, last)) for name in module.manifest.drives]
    inputs = [module.manifest.drives.index(name) for name in own]
    sizes = {
        **problem.sizes, "COORDINATES": count, "DRIVES": len(drives), "PLANAR": int(mechanism.space == "planar"),
        "GROUPS": len(plan), "RANKED": sum(ranked), "BRANCHED": int(any(group.branches > 1 for group in plan)),
    }  # fmt: skip
    group_of = {body: k for k, group in enumerate(module.manifest.groups) for body in group.bodies}
    com = [mechanism.bodies[k].com or (0.0, 0.0, 0.0) for k in problem.order]
    return MinimalProblem(
        replace(problem, sizes=sizes, watched=coordinates.freedoms),
        module,
        DRIVE.of_rows(drives),
        np.array(inputs, dtype=np.int32),
        np.array(problem.order, dtype=np.int32),
        np.array([place[2] if mechanism.space == "planar" else 0.0 for place in com]),
        coordinates.branch,
        np.array([group_of.get(mechanism.bodies[k].id, -1) for k in problem.order], dtype=np.int32),
        tuple(group.branches for group in plan),
        ranked,
        mechanism_size(coordinates.plan),
        mechanism.space == "planar",
    )


def inputs_header(minimal: MinimalProblem) -> str:
    """Return the text of ``inputs.h``: which driven freedom is a coordinate, and the call of the module."""
    values = {"u": "u", "ud": "ud", "udd": "udd", "branch": "branch", "group": "group"}
    arguments = [values.get(port.name, f"m->{port.name}") for port in minimal.module.motion.ports]
    unused = [f"    (void){name};" for name in ("u", "ud", "udd", "branch") if name not in arguments]
    table = [
        ("int32_t", "INPUT[AT_LEAST_1(COORDINATES)]", _listed(minimal.inputs)),
        ("int32_t", "MODULE_BODY[BODIES]", _listed(minimal.module_bodies)),
    ]
    table.append(("int32_t", "BODY_GROUP[BODIES]", _listed(minimal.groups)))
    if max(minimal.branches) > 1:
        table.append(("int32_t", "GROUP_BRANCHES[GROUPS]", _listed(np.array(minimal.branches, dtype=np.int32))))
        table.append(("int32_t", "GROUP_RANKED[GROUPS]", _listed(np.array(minimal.ranked, dtype=np.int32))))
    if minimal.planar:
        table.append(("double", "LIFT[BODIES]", ", ".join(literal(value) for value in minimal.lift.tolist())))
    return "\n".join(
        [
            "/* What the groups of one mechanism are given, and the call of their module. */",
            f"#define REACH {literal(minimal.reach)} /* length that makes turns comparable with displacements [m] */",
            *table_lines("DRIVE", minimal.drives),
            *(f"static const {kind} {name} = {{{text}}};" for kind, name, text in table),
            "",
            "static inline symgen_status find_motion(",
            "    const double *u, const double *ud, const double *udd, const int32_t *branch, group_motion *m,",
            "    int32_t *group)",
            "{",
            *unused,
            f"    return symgen_{ID}_motion({', '.join(arguments)});",
            "}",
            "",
        ]
    )


def _listed(values: NDArray[np.int32]) -> str:
    return ", ".join(map(str, values.tolist())) or "0"
