"""The engine of method riccati for one mechanism as C files to take away, with a program that runs it."""

from __future__ import annotations

import textwrap

from symgen.library.sources import COMMON_HEADER
from symgen.model.mechanism import Mechanism
from symgen.resources import generated_folder
from symgen.simulate.articulated.beams import bend, has_beams
from symgen.simulate.articulated.engine import RiccatiState, riccati_files
from symgen.simulate.articulated.loops import loops_header, make_loops
from symgen.simulate.articulated.simulation import first_state
from symgen.simulate.articulated.sizes import SIZES, names_of, sizes_header
from symgen.simulate.bundles.files import EXAMPLE, bundle_files
from symgen.simulate.bundles.run import ExampleRun, Held, held, libm_of, sampled
from symgen.simulate.explicit.schemes_header import SCHEMES, schemes_header
from symgen.simulate.manifest import FOLDER, read_dynamics
from symgen.simulate.start.idle_bodies import check_masses
from symgen.simulate.start.initial import InitialState, initial_state
from symgen.simulate.start.started import require_masses
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.problem import Problem, make_problem
from symgen.simulate.tables.problem_text import problem_header
from symgen.simulate.tables.scale import size_of_mechanism

_WIDTH = 120


def riccati_bundle(mechanism: Mechanism, name: str) -> dict[str, str]:
    """Return the texts of the files by name.

    Parameters
    ----------
    name : of the folder, its files and their symbols, an identifier.

    Raises
    ------
    MechanismError
        As `symgen.simulate`.
    """
    return riccati_bundle_and_run(mechanism, name)[0]


def riccati_bundle_and_run(mechanism: Mechanism, name: str) -> tuple[dict[str, str], ExampleRun]:
    """Return the texts of the files by name, and the run that the example makes; see `riccati_bundle`."""
    start, problem, taken = _tables(mechanism)
    folder = generated_folder() / FOLDER
    loops = make_loops(problem)
    shared = (*read_dynamics().files["double"], COMMON_HEADER)
    files = {each: (folder / each).read_text(encoding="utf-8") for each in shared}
    files |= {each: text.decode() for each, text in riccati_files().items()}
    files["problem.h"] = problem_header(problem)
    files["loops.h"] = loops_header(problem, loops)
    files[SIZES] = sizes_header(problem, loops, names_of(problem, [body.id for body in taken.bodies]))
    files[SCHEMES] = schemes_header("transfer.h")
    run = _run(taken, problem, first_state(taken, problem, start, 1e-3))
    files[EXAMPLE] = _example(run, problem)
    return bundle_files(mechanism, name, "transfer.c", files, method="riccati"), run


def _tables(mechanism: Mechanism) -> tuple[InitialState, Problem, Mechanism]:
    """Return where it starts and its tables in metres, and the mechanism that they are of: beams have two bodies."""
    if has_beams(mechanism):
        bent = bend(mechanism, read_dynamics(), unit=1.0)
        return bent.start(_start(bent.rigid)), bent.problem, bent.split
    start, rows = _start(mechanism), JointRows(mechanism, size_of_mechanism(mechanism))
    return start, make_problem(mechanism, read_dynamics(), "tree", lambda: 0, rows, unit=1.0), mechanism


def _start(mechanism: Mechanism) -> InitialState:
    """Return where a mechanism starts; refuse what could only answer that it is singular."""
    require_masses(mechanism)
    start = initial_state(mechanism)
    check_masses(mechanism, JointRows(mechanism, size_of_mechanism(mechanism)), start)
    return start


def _run(mechanism: Mechanism, problem: Problem, state: RiccatiState) -> ExampleRun:
    none = "(double)NAN"
    rank = tuple(map(int, state.rank))
    parts = {"coordinates_and_rates": state.vector, "angle": state.angle, "watched": state.watched}
    return ExampleRun(
        symbol="symgen_transfer",
        headers=("transfer.h", SCHEMES),
        bodies=tuple(mechanism.bodies[k].id for k in problem.order),
        held=(
            *(held(part, values.reshape(-1).tolist(), problem) for part, values in parts.items()),
            Held("rank", rank or (-1,), len(rank), "int32_t"),
        ),
        members="1e-3, 0, 0, 0, 0, -1",
        figures=("time", "opened"),
        samples=sampled(problem, problem.sizes.get("MODES", 0)),
        pushes=problem.pushes,
        settings={
            "start": "0", "end": "1", "tolerance": "0", "length": "1", "recall": "0", "project": "1",
            "samples": "ROWS - 1", "every": "100", "most": "1000000",
        },
        function="run",
        ahead=("&symgen_transfer_order_4",),
        beyond=0,
        refused=(
            ("a step of no length", {"end": "0"}),
            ("a step back", {"end": "-1"}),
            ("no samples", {"samples": "0"}),
            ("no steps to a sample", {"every": "0"}),
            ("a tolerance that is not a number", {"tolerance": none}),
            ("fewer steps allowed than asked for", {"most": "1"}),
        ),
        libm=libm_of(problem),
    )  # fmt: skip


def _example(run: ExampleRun, problem: Problem) -> str:
    """Return a program that runs one second and prints the energy."""
    declared = "\n".join(line for each in run.held if each.name != "rank" for line in each.initialised)
    rank = next(each for each in run.held if each.name == "rank").initialised[0].strip()
    modes = problem.sizes.get("MODES", 0)
    more = ", modes" if modes else ""
    declared += "\n    static double modes[ROWS*3*SYMGEN_TRANSFER_MODES];" if modes else ""
    watched = "SYMGEN_TRANSFER_WATCHED" if problem.sizes["WATCHED"] else "1"
    order = textwrap.fill(
        f"Bodies in the order of the tables: {', '.join(run.bodies)}.",
        _WIDTH, initial_indent=" * ", subsequent_indent=" * ", break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    said = "".join(f"\n * {line}." for line in run.switched)
    warned = "".join(f"    fprintf(stderr, {each});\n" for each in run.warned)
    return f"""/* Runs the dynamics of this mechanism for a second by steps of a millisecond, and prints its energy.
 *
 *     cc -std=c99 -O2 example.c transfer.c -lm && ./a.out
 *
 * What the arguments are is in transfer.h, what has which number in transfer_sizes.h. For steps that are
 * chosen give symgen_transfer_order_8 and a tolerance: settings {{0, 1, 1e-11, 1, 0, 1, 10, 1, 1000000}}.
 *
{order}{said}
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "transfer.h"
#include "{SCHEMES}"

#define ROWS 11
#define BODIES SYMGEN_TRANSFER_BODIES

int main(void)
{{
{declared}
    static double poses[ROWS*7*BODIES], twists[ROWS*6*BODIES], accelerations[ROWS*6*BODIES];
    static double reactions[ROWS*6*BODIES], angles[ROWS*{watched}], scalars[ROWS*5];
    {rank}
    {run.active}
    int64_t progress[2] = {{0, 0}};
    /* start, end, tolerance, length, recall, project, samples, every, most */
    const symgen_transfer_settings settings = {{{", ".join(run.settings.values())}}};
    symgen_transfer_state state = {run.state};
    const symgen_transfer_samples samples = {{poses, twists, accelerations, reactions, angles, scalars{more}}};
    symgen_transfer_workspace *workspace = malloc((size_t)symgen_transfer_workspace_size());
    if (!workspace) {{
        return 1;
    }}
    const symgen_status status = {run.call("workspace")};
    for (int row = 0; row < ROWS && status == SYMGEN_OK; ++row) {{
        printf("t = %.1f s, energy %.12g J\\n", 0.1*row, scalars[5*row] + scalars[5*row + 1]);
    }}
{warned}    if (status != SYMGEN_OK) {{
        fprintf(stderr, "status %d at t = %g s: symgen_status.h says what it means\\n", (int)status, state.time);
    }}
    free(workspace);
    return status == SYMGEN_OK ? 0 : 1;
}}
"""
