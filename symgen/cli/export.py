"""``symgen export TYPE|MECH --for PROGRAM``: a solver or a mechanism for another system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from symgen.cli.numbers import WholeNumber
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.export.subject import ExportStage
    from symgen.printers.c99 import Math, Precision
    from symgen.whole.asked import Checks
    from symgen.whole.layout import Drives

_SCRIPT = "User_Data.m"


@click.command(name="export", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("what", metavar="TYPE|MECH")
@click.option(
    "--for",
    "program",
    required=True,
    type=click.Choice(["embedded", "mbssa3d"]),
    help="embedded: C for a controller, with self-test and figures; mbssa3d: the script User_Data.m.",
)
@click.option("--out", metavar="DIR|FILE.m", help="Write it here; mbssa3d without it: to standard output.")
@click.option("--prefix", metavar="P", help="What all names of the C begin with.  [default: from the name]")
@click.option("--precision", type=click.Choice(["float", "double"]), default="float", show_default=True)
@click.option(
    "--results",
    metavar="A,B,...",
    help="Of MECH, what comes out: kinds, and BODY, JOINT, JOINT.FREEDOM, BODY.POINT.  [default: bodies,joints,points]",
)
@click.option(
    "--stages",
    "stage",
    type=click.Choice(["position", "all"]),
    default="all",
    show_default=True,
    help="Positions alone, or with rates and accelerations.",
)
@click.option(
    "--drives",
    type=click.Choice(["inputs", "laws"]),
    help="Of MECH: drives are inputs, or functions of the time, which is compiled in.  [default: inputs]",
)
@click.option(
    "--branch",
    metavar="WAY",
    help="reference: as MECH is drawn (default); follow: on through change points; input: the caller's; K,K,...: one a "
    "group. Of TYPE: K (default 0) or input.",
)
@click.option("--arrangement", metavar="ID", help="Of TYPE: which joint lies where, if there are several.")
@click.option("--period", metavar="S", type=float, help="Time between two steps, if followed [s].  [default: 0.001]")
@click.option("--ranges", metavar="FILE", help="TOML with the ranges of inputs; beside [ranges] of MECH.")
@click.option(
    "--math",
    type=click.Choice(["own", "libm"]),
    default="own",
    show_default=True,
    help="Whose sin, cos, atan2: ours, with the same bits everywhere, or the machine's.",
)
@click.option("--checks", type=click.Choice(["needed", "all"]), help="Of MECH: as of symgen generate.")
@click.option(
    "--packaging",
    metavar="A,B,...",
    default="cmake",
    show_default=True,
    help="For which build systems: cmake, platformio, arduino, zephyr.",
)
@click.option("--batch", is_flag=True, help="Write functions over rows, too.")
@click.option(
    "--allow-iterative",
    "iterative",
    metavar="N",
    type=WholeNumber("steps of Newton's method", 1, 1000),
    help="Allow groups without a closed form: N steps of Newton's method a solution, then NOT_CONVERGED.",
)
@click.option("--at", "begin", metavar="T0", type=float, help="Of MECH: when a followed motion begins.  [default: 0]")
@click.option(
    "--assembly", metavar="K", type=WholeNumber("assembly", 1, 1_000_000), help="Of MECH: begin with this one."
)
@click.option("--targets/--no-targets", default=True, help="Build and run it for Cortex-M, if the tools are here.")
@click.option("--force", is_flag=True, help="Also replace exported files that were edited.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest.")
def command(what: str, program: str, out: str | None, **options: Any) -> None:
    """Write a solved type or a mechanism for another system.

    --for embedded writes C for a controller below --out DIR: a function that takes
    one step, from drives to results, a self-test that compares bits on any machine,
    an example, a README with what it costs. TYPE is a signature ("R.R.R 2D") or a
    module (dyad_rrr), MECH a mechanism file. --for mbssa3d writes the structure of
    MECH as the script User_Data.m of MBSSA3D, which `symgen import` reads back.
    """
    if program == "mbssa3d":
        context = click.get_current_context()
        given = [
            each.opts[0] for each in context.command.params
            if each.name in options and context.get_parameter_source(each.name) is not ParameterSource.DEFAULT
        ]  # fmt: skip
        if given:
            raise click.UsageError(f"{given[0]} belongs to --for embedded")
        _export_script(what, out)
        return
    if out is None:
        raise click.UsageError("--for embedded writes a folder: give --out DIR")
    _export_embedded(what, out, **options)


def _export_embedded(
    what: str,
    out: str,
    *,
    prefix: str | None,
    precision: Precision,
    results: str | None,
    stage: ExportStage,
    drives: Drives | None,
    branch: str | None,
    arrangement: str | None,
    period: float | None,
    ranges: str | None,
    math: Math,
    checks: Checks | None,
    packaging: str,
    batch: bool,
    iterative: int | None,
    begin: float | None,
    assembly: int | None,
    targets: bool,
    force: bool,
    as_json: bool,
) -> None:
    from symgen.cli.export_embedded import EmbeddedRequest, export_embedded

    if period is not None and not 1e-9 <= period <= 1e6:
        raise InputError(f"--period {period:g}: give the time between two steps, 1e-9 to 1e6 seconds")
    export_embedded(
        EmbeddedRequest(
            what, out, prefix, precision, math, stage, drives, results, checks, arrangement, branch, period, ranges,
            packaging, batch, iterative, begin, assembly, targets, force, as_json,
        )
    )  # fmt: skip


def _export_script(mechanism: str, out: str | None) -> None:
    from symgen.cli.files import check_target, write_text
    from symgen.model.load import load
    from symgen.model.write_user_data import write_user_data
    from symgen.topology.multiple_joints import choose_trees

    target = None
    if out is not None:
        path = Path(out)
        target = check_target("--out", str(path / _SCRIPT if path.is_dir() else path), (".m",))
        if target.exists() and target.resolve() == Path(mechanism).resolve():
            raise InputError(f"--out {out}: this is the mechanism file itself; give another name")
    written = write_user_data(choose_trees(load(mechanism)))
    for note in written.notes:
        click.echo(f"note: {note}", err=True)
    if target is None:
        click.echo(written.text, nl=False)
    else:
        write_text(target, written.text)
        click.echo(f"written: {target}", err=True)
