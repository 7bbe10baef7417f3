"""``symgen simulate MECH``: the motion of a mechanism under forces."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from symgen.cli.options.couplings import load_without, without_couplings
from symgen.cli.options.own import know, own_option
from symgen.cli.terminal.motion_files import motion_targets
from symgen.cli.terminal.progress import progress_bar
from symgen.signals import Interrupted, StopRequest

if TYPE_CHECKING:
    from symgen.simulate.tables.mechanism_tables import Structure


@click.command(name="simulate", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option(
    "--method",
    type=click.Choice(["dimcd", "variational", "group", "riccati", "transfer"]),
    help="dimcd: central differences, any forces; variational: no velocity-dependent forces, order 2, 4 or 6; group: "
    "minimal coordinates through structural groups in closed form, any forces, order 4 or 8; riccati: coordinates of "
    "a spanning tree, transfer matrices in their Riccati form, any forces, order 4 or 8, the fastest for many bodies; "
    "transfer: the same by the overall transfer equation, in NumPy, for small systems.  "
    "[default: dimcd; with --tolerance the cheaper of dimcd and variational]",
)
@click.option("--order", type=click.IntRange(2, 8), help="variational: 2, 4 or 6 [default: 2]; other methods: 4 or 8.")
@click.option("--step", metavar="H", type=float, help="Largest time step [s]; or give --tolerance.")
@click.option(
    "--tolerance",
    metavar="E",
    type=float,
    help="Choose method, order and step for an error of E [m or rad] at the end, from short runs.",
)
@click.option("--until", metavar="T", type=float, required=True, help="Last time [s].")
@click.option("--sample", metavar="DT", type=float, help="Time between rows [s].  [default: every step]")
@click.option(
    "--structure",
    default="tree",
    show_default=True,
    type=click.Choice(["tree", "dense"]),
    help=(
        "Unknowns: coordinates of a spanning tree, or poses of all bodies; both give the same motion, the first is "
        "faster."
    ),
)
@click.option(
    "--coordinates",
    metavar="JOINT.FREEDOM,...",
    help="For method group: coordinates.  [default: chosen]",
)
@click.option(
    "--loops",
    type=click.Choice(["projection", "stabilised", "free"]),
    help=(
        "For riccati, transfer: close loops after every step, stabilise them through their accelerations, or let "
        "them open.  [default: projection]"
    ),
)
@click.option("--strict", is_flag=True, help="Refuse initial velocities that do not fit the joints.")
@click.option("--output", metavar="FILE.csv", help="Write the motion as CSV; - for standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/simulation/1).")
@click.option("--plot", metavar="FILE.svg", help="Write a plot of --columns over time.")
@click.option("--columns", metavar="NAME,...", help='Columns for --plot; "y against x" draws one over another.')
@click.option("--animate", metavar="FILE.html|FILE.svg", help="Write the motion as a moving picture for a browser.")
@click.option("--reactions", is_flag=True, help="Also write forces and moments of joints as columns.")
@click.option("--backend", default="auto", show_default=True, type=click.Choice(["auto", "c", "numpy"]))
@own_option
@without_couplings
def command(
    mechanism: str,
    method: str | None,
    order: int | None,
    step: float | None,
    tolerance: float | None,
    until: float,
    sample: float | None,
    structure: Structure,
    coordinates: str | None,
    loops: str | None,
    strict: bool,
    output: str | None,
    as_json: bool,
    plot: str | None,
    columns: str | None,
    animate: str | None,
    reactions: bool,
    backend: str,
    own: tuple[str, ...],
    left_out: bool,
) -> None:
    """Simulate a mechanism under its forces from the initial state at t = 0.

    MECH is a mechanism file with geometry, masses and inertias. Joints may be
    redundant, loops may be of any kind, and drives are laws of time.
    Constraints hold to rounding in every step, unless --loops changes this.
    Method riccati also accepts flexible beams. The exit status is 1 if the
    motion could not be integrated to the end, 130 after Ctrl-C, 143 after
    SIGTERM; the output then holds the rows up to that time.

    The CSV has the columns of `symgen solve`, and kinetic, potential, total
    energy [J] and violation, the largest residual of the constraints.
    """
    if (step is None) == (tolerance is None):
        raise click.UsageError("give either --step H or --tolerance E")
    if own and method != "group":
        raise click.UsageError("--own belongs to --method group: the other methods derive no groups")
    if method == "group":
        know(own)
    targets = motion_targets(output, plot, animate, columns, as_json=as_json)
    from symgen.build.notices import first_compiling_told
    from symgen.cli.tables.simulate import check_columns, finish
    from symgen.cli.terminal.memory import memory_for_rows
    from symgen.simulate.simulation import simulate
    from symgen.simulate.stopping import SimulationStopped
    from symgen.simulate.stretches import check_times

    check_times(**{"--step": step, "--tolerance": tolerance, "--until": until, "--sample": sample})

    click.get_current_context().with_resource(first_compiling_told(quiet=as_json))
    started = time.perf_counter()
    loaded = load_without(mechanism, left_out)
    check_columns(loaded, columns, reactions=reactions)
    apart = sample or step
    rows = until / apart + 1 if apart else None
    exit_status = 1
    with memory_for_rows(loaded, rows, "give a longer time between rows with --sample DT, or a shorter --until T"):
        try:
            with progress_bar("simulating", quiet=as_json) as progress:
                result = simulate(
                    loaded, method=method, order=order, step=step, tolerance=tolerance, until=until, sample=sample,
                    structure=structure, loops=loops, strict=strict, reactions=reactions, backend=backend,
                    progress=progress.part, coordinates=None if coordinates is None else coordinates.split(","),
                )  # fmt: skip
        except SimulationStopped as stop:
            if stop.result is None:
                raise
            result, exit_status = stop.result, stop.exit_status
        with StopRequest() as writing:
            writing.hold()  # the rows are written all the same, unless another signal comes
            finish(
                result, targets, columns=columns, output=output, as_json=as_json, every=reactions,
                seconds=time.perf_counter() - started, exit_status=exit_status,
            )  # fmt: skip
    if writing.number is not None:
        raise Interrupted(writing.number)
    if exit_status != 1:  # the signal came at the very end
        raise SystemExit(exit_status)
