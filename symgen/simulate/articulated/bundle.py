"""The engine of method riccati for one mechanism as C files to take away, with a program that runs it."""

from __future__ import annotations

import hashlib
import json

from symgen.library.sources import COMMON_HEADER
from symgen.model.mechanism import Mechanism
from symgen.resources import generated_folder
from symgen.simulate.articulated.beams import bend, has_beams
from symgen.simulate.articulated.engine import RiccatiState, riccati_files
from symgen.simulate.articulated.loops import loops_header, make_loops
from symgen.simulate.articulated.simulation import first_state
from symgen.simulate.initial import InitialState, initial_state
from symgen.simulate.joint_rows import JointRows
from symgen.simulate.manifest import FOLDER, SCHEMA, read_dynamics
from symgen.simulate.minimal.schemes import choose_explicit
from symgen.simulate.problem import Problem, make_problem
from symgen.simulate.scale import size_of_mechanism
from symgen.simulate.simulation import require_masses
from symgen.simulate.tables import initialised, problem_header

_KERNELS = "dynamics_kernels.h"


def riccati_bundle(mechanism: Mechanism, name: str) -> dict[str, str]:
    """Return the texts of the files by name.

    Parameters
    ----------
    name : of the folder and its manifest, an identifier.

    Raises
    ------
    MechanismError
        As `symgen.simulate`.
    """
    start, problem, taken = _tables(mechanism)
    folder = generated_folder() / FOLDER
    files = {each: (folder / each).read_text(encoding="utf-8") for each in (_KERNELS, COMMON_HEADER)}
    files |= {each: text.decode() for each, text in riccati_files(problem).items()}
    files["problem.h"] = problem_header(problem)
    files["loops.h"] = loops_header(problem, make_loops(problem))
    files["example.c"] = _example(taken, problem, first_state(taken, problem, start, 1e-3))
    own = {
        "schema": SCHEMA,
        "id": name,
        "mechanism": mechanism.name,
        "method": "riccati",
        "files": {"double": sorted(set(files) - {COMMON_HEADER})},
        "sha256": {each: hashlib.sha256(text.encode()).hexdigest() for each, text in sorted(files.items())},
    }
    files[f"{name}.json"] = json.dumps(own, indent=1) + "\n"
    return files


def _tables(mechanism: Mechanism) -> tuple[InitialState, Problem, Mechanism]:
    """Return where it starts and its tables in metres, and the mechanism that they are of: beams have two bodies."""
    if has_beams(mechanism):
        bent = bend(mechanism, read_dynamics(), unit=1.0)
        require_masses(bent.rigid)
        return bent.start(initial_state(bent.rigid)), bent.problem, bent.split
    require_masses(mechanism)
    rows = JointRows(mechanism, size_of_mechanism(mechanism))
    problem = make_problem(mechanism, read_dynamics(), "tree", lambda: 0, rows, unit=1.0)
    return initial_state(mechanism), problem, mechanism


def _example(mechanism: Mechanism, problem: Problem, state: RiccatiState) -> str:
    """Return a program that runs one second and prints the energy."""
    scheme = choose_explicit(4, None)
    arrays = {part: list(getattr(state, part).reshape(-1)) for part in ("place", "angle", "watched")}
    tables = {part: list(getattr(scheme, part).reshape(-1)) for part in ("nodes", "slopes", "fine", "coarse", "dense")}
    declared = "\n".join(
        line
        for kind, held in (("", arrays), ("static const ", tables))
        for part, values in held.items()
        for line in initialised(f"{kind}double {part}", values or [0.0])
    )
    bodies, watched = problem.sizes["BODIES"], max(problem.sizes["WATCHED"], 1)
    pushes = max(len(problem.pushes), 1)
    stem, modes = "transfer_beams" if problem.sizes.get("BEAMS") else "transfer", problem.sizes.get("MODES", 0)
    more = ", modes" if modes else ""
    declared += f"\n    static double modes[ROWS*{3 * modes}];" if modes else ""
    order = ", ".join(mechanism.bodies[k].id for k in problem.order)
    return f"""/* Runs the dynamics of this mechanism for a second by steps of a millisecond, and prints its energy.
 *
 *     cc -std=c99 -O2 example.c {stem}.c -lm && ./a.out
 *
 * Bodies in the order of the tables: {order}.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "{stem}.h"

#define ROWS 11

int main(void)
{{
{declared}
    static double poses[ROWS*{7 * bodies}], twists[ROWS*{6 * bodies}], accelerations[ROWS*{6 * bodies}];
    static double reactions[ROWS*{6 * bodies}], angles[ROWS*{watched}], scalars[ROWS*5];
    int32_t rank[{max(len(state.rank), 1)}] = {{{", ".join(map(str, state.rank)) or "-1"}}};
    int32_t active[{pushes}] = {{{", ".join(["1"] * pushes)}}};
    int64_t progress[2] = {{0, 0}};
    const symgen_transfer_scheme scheme = {{{scheme.stages}, {scheme.width}, nodes, slopes, fine, coarse, dense}};
    const symgen_transfer_settings settings = {{0, 1, 0, 1, 0, 1, 10, 100, 1000000}};
    symgen_transfer_state state = {{place, angle, watched, rank, 1e-3, 0, 0, 0, 0, -1}};
    const symgen_transfer_samples samples = {{poses, twists, accelerations, reactions, angles, scalars{more}}};
    symgen_transfer_workspace *workspace = malloc((size_t)symgen_transfer_workspace_size());
    if (!workspace) {{
        return 1;
    }}
    const symgen_status status =
        symgen_transfer_run(workspace, &scheme, &settings, &state, active, &samples, progress);
    for (int row = 0; row < ROWS && status == SYMGEN_OK; ++row) {{
        printf("t = %.1f s, energy %.12g J\\n", 0.1*row, scalars[5*row] + scalars[5*row + 1]);
    }}
    free(workspace);
    return status == SYMGEN_OK ? 0 : 1;
}}
"""
