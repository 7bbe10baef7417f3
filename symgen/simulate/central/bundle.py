"""The dynamics of one mechanism as C files to take away: the engine, its tables, and a program that runs it."""

from __future__ import annotations

from symgen.library.sources import COMMON_HEADER
from symgen.model.mechanism import Mechanism
from symgen.resources import generated_folder
from symgen.simulate.bundles.files import EXAMPLE, bundle_files
from symgen.simulate.bundles.run import ExampleRun, held, libm_of, sampled
from symgen.simulate.contract import EngineState
from symgen.simulate.manifest import FOLDER, read_dynamics
from symgen.simulate.start.freedom_count import count_freedoms
from symgen.simulate.start.idle_bodies import check_masses
from symgen.simulate.start.initial import initial_state
from symgen.simulate.start.started import require_masses, start_state
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.mechanism_tables import Structure
from symgen.simulate.tables.problem import Problem, make_problem
from symgen.simulate.tables.problem_text import problem_header
from symgen.simulate.tables.scale import size_of_mechanism

_GUESS = 1e-3


def dynamics_bundle(mechanism: Mechanism, name: str, structure: Structure) -> dict[str, str]:
    """Return the texts of the files by name.

    Parameters
    ----------
    name : of the folder, its files and their symbols, an identifier.
    structure : "tree" or "dense", see `symgen.simulate`.

    Raises
    ------
    MechanismError
        As `symgen.simulate`.
    """
    return dynamics_bundle_and_run(mechanism, name, structure)[0]


def dynamics_bundle_and_run(
    mechanism: Mechanism, name: str, structure: Structure = "tree"
) -> tuple[dict[str, str], ExampleRun]:
    """Return the texts of the files by name, and the run that the example makes; see `dynamics_bundle`."""
    require_masses(mechanism)
    start, rows, manifest = (
        initial_state(mechanism),
        JointRows(mechanism, size_of_mechanism(mechanism)),
        read_dynamics(),
    )
    check_masses(mechanism, rows, start)

    def freedoms() -> int:
        return count_freedoms(mechanism, rows, start, _GUESS)

    problem = make_problem(mechanism, manifest, structure, freedoms, rows, unit=1.0)
    folder = generated_folder() / FOLDER
    files = {each: (folder / each).read_text(encoding="utf-8") for each in manifest.files["double"]}
    files[COMMON_HEADER] = (folder / COMMON_HEADER).read_text(encoding="utf-8")
    files["problem.h"] = problem_header(problem)
    run = _run(mechanism, problem, start_state(mechanism, problem, start))
    files[EXAMPLE] = _example(run, _workspace(problem))
    return bundle_files(mechanism, name, "dynamics.c", files, structure=structure), run


def _run(mechanism: Mechanism, problem: Problem, state: EngineState) -> ExampleRun:
    parts = {
        "coordinates": state.coordinates, "rate": state.rate, "twist": state.twist, "angle": state.angle,
        "watched": state.watched,
    }  # fmt: skip
    none = "(double)NAN"
    return ExampleRun(
        symbol="symgen_dynamics",
        headers=("dynamics.h",),
        bodies=tuple(mechanism.bodies[k].id for k in problem.order),
        held=tuple(held(part, values.reshape(-1).tolist(), problem) for part, values in parts.items()),
        members="0",
        figures=("correction",),
        samples=sampled(problem),
        pushes=problem.pushes,
        settings={
            "start": "0", "step": "1e-3", "tolerance": "1e-10", "renewal": "1e-14", "coarse": "1e-3",
            "steps": "1000", "every": "100", "most_iterations": "10",
        },
        function="run_central",
        ahead=(),
        beyond=1,
        refused=(
            ("a step of no length", {"step": "0"}),
            ("a step back", {"step": "-1e-3"}),
            ("fewer steps than none", {"steps": "-1"}),
            ("no steps to a sample", {"every": "0"}),
            ("a tolerance that is not a number", {"tolerance": none}),
            ("a tolerance so loose that nothing is solved", {"tolerance": "1"}),
            ("no iterations", {"most_iterations": "0"}),
        ),
        libm=libm_of(problem),
    )  # fmt: skip


def _example(run: ExampleRun, workspace: int) -> str:
    """Return a program that runs one second and prints the energy."""
    rows = {each.name: each.row for each in run.samples}
    six = rows["twists"]
    said = "".join(f"\n * {line}." for line in run.switched)
    warned = "".join(f"    fprintf(stderr, {each});\n" for each in run.warned)
    declared = "\n".join(line for each in run.held for line in each.initialised)
    return f"""/* Runs the dynamics of this mechanism for a second by steps of a millisecond, and prints its energy.
 *
 *     cc -std=c99 -O2 example.c dynamics.c -lm && ./a.out
 *
 * Bodies in the order of the tables: {", ".join(run.bodies)}.{said}
 */
#include <stdint.h>
#include <stdio.h>

#include "dynamics.h"

#define ROWS 11
static double workspace[{workspace}];

int main(void)
{{
{declared}
    static double poses[ROWS*{rows["poses"]}], twists[ROWS*{six}], accelerations[ROWS*{six}];
    static double reactions[ROWS*{six}], angles[ROWS*{rows["angles"]}], scalars[ROWS*5];
    {run.active}
    int64_t progress[2] = {{0, 0}};
    symgen_dynamics_settings settings = {{{", ".join(run.settings.values())}}};
    symgen_dynamics_state state = {run.state};
    symgen_dynamics_samples samples = {{poses, twists, accelerations, reactions, angles, scalars}};
    if (symgen_dynamics_workspace_size() > (int64_t)sizeof workspace) {{
        return 1;
    }}
    const symgen_status status = {run.call("(symgen_dynamics_workspace *)(void *)workspace")};
    for (int row = 0; row < ROWS && status == SYMGEN_OK; ++row) {{
        printf("t = %.1f s, energy %.12g J\\n", 0.1*row, scalars[5*row] + scalars[5*row + 1]);
    }}
{warned}    if (status != SYMGEN_OK) {{
        fprintf(stderr, "status %d: symgen_status.h says what it means\\n", (int)status);
    }}
    return status == SYMGEN_OK ? 0 : 1;
}}
"""


def _workspace(problem: Problem) -> int:
    """Return doubles enough for the workspace: more than all its arrays, by the sizes of the tables."""
    sizes = problem.sizes
    unknowns, rows = sizes["UNKNOWNS"] + 1, sizes["ROWS"] + 1
    configuration = 7 * (sizes["BODIES"] + 1) + 7 * sizes["MOTIONS"] + 6 * unknowns + 4 * sizes["BALLS"] + 16
    per_body = 6 * 12 + 36 + 30
    dampers = 16 * (sizes["SPRINGS"] + sizes["JOINT_FORCES"] + 1)
    system = rows * (unknowns + 4) + 2 * sizes["FREEDOMS"] * unknowns + 10 * unknowns
    return (
        3 * configuration
        + per_body * (sizes["BODIES"] + 1)
        + dampers
        + system
        + 2 * sizes["LAWS"]
        + sizes["WATCHED"]
        + 256
    )
