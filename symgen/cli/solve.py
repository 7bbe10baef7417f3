"""``symgen solve MECH``: positions, velocities and accelerations over time, group by group."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from symgen.cli.options.couplings import load_without, without_couplings
from symgen.cli.options.deriving import no_derive
from symgen.cli.options.numbers import WholeNumber
from symgen.cli.terminal.files import check_distinct, check_target
from symgen.cli.terminal.motion_files import STANDARD_OUTPUT, motion_targets, tell_files, write_motion
from symgen.cli.terminal.progress import progress_bar
from symgen.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symgen.library.solved_type import BackendName
    from symgen.solve.result import MotionResult

_EXIT_NO = 1
_MOST_STEPS = 10_000_000
_MOST_EVENTS = 10
#: A law's phase has no digits left long before: a double of this size resolves 0.1 ms [s].
_LATEST = 1e12


@click.command(name="solve", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option("--from", "start", metavar="T0", type=float, default=0.0, show_default=True, help="First time [s].")
@click.option("--to", "stop", metavar="T1", type=float, help="Last time [s]; not needed with --assemblies.")
@click.option(
    "--steps",
    metavar="N",
    type=WholeNumber("steps", 1, _MOST_STEPS),
    default=100,
    show_default=True,
    help="Number of equal steps; both ends are included, so there are N + 1 rows.",
)
@click.option(
    "--branch",
    "choices",
    metavar="GROUP=K[@T]",
    multiple=True,
    help="Use branch K of a group (given by number or signature), at T0 or from the time T on, instead of the branch "
    "of the reference configuration.",
)
@click.option("--assemblies", "listing", is_flag=True, help="List all assemblies at T0 instead of following one.")
@click.option("--all-branches", is_flag=True, help="Follow every assembly of T0; file names get its number.")
@click.option("--draw", metavar="FILE.svg", help="With --assemblies: draw them side by side.")
@click.option(
    "--assembly",
    metavar="K",
    type=WholeNumber("assembly", 1, 1_000_000),
    help="Follow assembly K of those that --assemblies lists for T0.",
)
@click.option(
    "--most",
    metavar="N",
    type=WholeNumber("assemblies", 1, 1_000_000),
    help="Refuse more than N assemblies.  [default: 4096 with --assemblies, 64 with --all-branches]",
)
@click.option("--output", metavar="FILE.csv", help="Write the motion as CSV; - for standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/motion/1).")
@click.option("--plot", metavar="FILE.svg", help="Write a plot of --columns over time.")
@click.option(
    "--columns", metavar="NAME,...", help="Columns of the CSV for --plot; default: the free joint coordinates."
)
@click.option("--animate", metavar="FILE.html|FILE.svg", help="Write the motion as a moving picture for a browser.")
@click.option("--backend", default="auto", show_default=True, type=click.Choice(["auto", "c", "numpy"]))
@no_derive
@without_couplings
def command(
    mechanism: str,
    start: float,
    stop: float | None,
    steps: int,
    choices: tuple[str, ...],
    listing: bool,
    all_branches: bool,
    draw: str | None,
    assembly: int | None,
    most: int | None,
    output: str | None,
    as_json: bool,
    plot: str | None,
    columns: str | None,
    animate: str | None,
    backend: BackendName,
    derive: bool | None,
    left_out: bool,
) -> None:
    """Solve the kinematics of a mechanism over time.

    MECH is a mechanism file with geometry and drive laws. Each structural group is
    solved on the branch of the reference configuration: in closed form (derived once
    if no module holds it yet), otherwise by certified Newton iteration. The motion
    passes smoothly through change points, for any choice of times; a row at a change
    point is SINGULAR and holds the limit of the smooth motion. The exit status is 1
    if a time cannot be solved; its row then holds nan and the status.

    The CSV has, in SI units and world axes: t; for each point P of body b:
    b.P.x ... b.P.az; for each body: b.x b.y b.z b.q0 ... b.alz, in
    the plane b.phi; for each joint freedom: A.angle A.angle.rate A.angle.acc; status.

    --assemblies lists every assembly of the mechanism at T0, with the branch of each
    group (--draw shows them). --all-branches follows each assembly, --assembly K one
    of them. For groups without a closed form a search finds the branches; the list
    then contains complete: false.
    """
    many = listing or all_branches
    if stop is None and not listing:
        raise click.UsageError("Missing option '--to'.")
    if listing and (all_branches or output or plot or animate):
        raise InputError("--assemblies only lists; --all-branches with --output or --animate follows every assembly")
    if most is not None and not (many or assembly):
        raise InputError("--most N limits --assemblies and --all-branches; give one of them")
    if draw is not None and not listing:
        raise InputError("--draw FILE.svg shows what --assemblies lists; add --assemblies")
    if assembly is not None and (many or choices):
        raise InputError(
            "--assembly K follows one assembly; it cannot be combined with --assemblies, --all-branches or --branch"
        )
    if all_branches and output == STANDARD_OUTPUT:
        raise InputError("--all-branches writes a file for each assembly; give --output FILE.csv")
    branch = read_branches(choices)
    targets = motion_targets(output, plot, animate, columns, as_json=as_json)
    if draw is not None:
        targets["--draw"] = check_target("--draw", draw, (".svg",))
        check_distinct(targets)
    import symgen
    from symgen.build.notices import first_compiling_told

    click.get_current_context().with_resource(first_compiling_told(quiet=as_json))
    loaded = load_without(mechanism, left_out)
    library = symgen.library(backend=backend, derive=derive)
    if many:
        from symgen.cli.solve_assemblies import list_assemblies, solve_all_branches

        with progress_bar("assembling", quiet=as_json) as progress:
            if listing or stop is None:
                picture = targets.get("--draw")
                list_assemblies(loaded, start, library, most, branch, progress.at, picture, as_json=as_json)
            else:
                from symgen.cli.terminal.memory import memory_for_rows

                axis = time_axis(start, stop, steps)
                with memory_for_rows(loaded, len(axis), "take fewer --steps, or --assembly K, one after the other"):
                    solve_all_branches(loaded, axis, library, most, branch, targets, progress.at, as_json=as_json)
        return
    if stop is None:
        return
    started = time.perf_counter()
    axis = time_axis(start, stop, steps)
    chosen = None
    if assembly is not None:
        from symgen.cli.solve_assemblies import one_assembly

        chosen = one_assembly(loaded, start, library, most, assembly)
    from symgen.cli.terminal.memory import memory_for_rows
    from symgen.solve.document import write_csv

    with memory_for_rows(loaded, len(axis), "take fewer --steps, or solve one interval of time after the other"):
        with progress_bar("solving", quiet=as_json) as progress:
            result = symgen.solve(
                loaded, axis, branch=branch or None, assembly=chosen, library=library, progress=progress.at
            )
        seconds = time.perf_counter() - started
        written = write_motion(result, targets, columns, lambda stream: write_csv(result, stream))
        if output == STANDARD_OUTPUT:
            write_csv(result, sys.stdout)
        if as_json:
            click.echo(json.dumps(result.to_dict(), allow_nan=False))
    if not as_json:
        from symgen.cli.tables.solve import print_result

        print_result(result, seconds, error_stream=output == STANDARD_OUTPUT)
    print_events(result)
    tell_files(written, output, as_json=as_json)
    failure = result.first_failure()
    if failure is not None:
        click.echo(f"first failure {failure}", err=True)
        raise SystemExit(_EXIT_NO)


def print_events(result: MotionResult) -> None:
    """Say on standard error where branches meet and why one cannot be followed."""
    for event in result.events[:_MOST_EVENTS]:
        click.echo(str(event), err=True)
    if len(result.events) > _MOST_EVENTS:
        click.echo(f"... and {len(result.events) - _MOST_EVENTS} more; --json lists all", err=True)


def read_branches(choices: tuple[str, ...]) -> dict[int | str, int | Mapping[float, int]]:
    """Return the words ``GROUP=K`` and ``GROUP=K@T`` as a table: group -> time -> branch.

    Raises
    ------
    InputError
        A word has another form, or two name the same group and time.
    """
    import math

    table: dict[int | str, dict[float, int]] = {}
    for word in choices:
        group, equals, rest = word.rpartition("=")
        branch, at, text = rest.partition("@")
        if not equals or not group.strip() or not branch.strip().isdecimal():
            raise InputError(
                f'--branch {word!r}: write GROUP=K, such as --branch 2=1 or --branch "R.R.R 2D=1", or GROUP=K@T for '
                "branch K from the time T [s] on"
            )
        time = -math.inf
        if at:
            try:
                time = float(text)
            except ValueError:
                time = math.nan
            if not math.isfinite(time):
                raise InputError(f"--branch {word!r}: {text!r} is not a time [s]; write GROUP=K@T, such as 2=1@0.25")
        times = table.setdefault(group.strip(), {})
        if time in times:
            when = f" from {time:g} s on" if at else ""
            raise InputError(f"--branch {word!r}: group {group.strip()} is given twice{when}")
        times[time] = int(branch)
    return {group: times[-math.inf] if set(times) == {-math.inf} else times for group, times in table.items()}


def time_axis(start: float, stop: float, steps: int) -> NDArray[np.float64]:
    """Return ``steps + 1`` equally spaced times, both ends included."""
    import math

    import numpy as np

    for name, value in (("--from", start), ("--to", stop)):
        if not math.isfinite(value):
            raise InputError(f"{name} {value}: must be a finite number of seconds")
        if abs(value) > _LATEST:
            raise InputError(f"{name} {value:g}: times are within +-{_LATEST:g} s")
    if stop <= start:
        raise InputError(f"--to {stop:g} must be later than --from {start:g}")
    times = np.linspace(start, stop, steps + 1)
    if not np.all(np.diff(times) > 0.0):
        raise InputError(
            f"--from {start:.17g} --to {stop:.17g} --steps {steps}: the steps are below the rounding of the times; "
            "take fewer steps or a longer interval"
        )
    return times
