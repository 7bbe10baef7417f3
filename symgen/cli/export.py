"""``symgen export TYPE|MECH --for SYSTEM``: a solver or a mechanism for another system."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from symgen.cli.options.numbers import WholeNumber
from symgen.cli.options.own import is_own_file, know, own_option
from symgen.errors import InputError
from symgen.export.backend import ExportBackend, Setting, backends

_SCRIPT, _OF_SCRIPT = "mbssa3d", "User_Data.m"
_BACKENDS = backends()
#: What every export has.
_OF_ALL = ("--for", "--out", "--own", "--help")


def _own_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of all backends."""
    own: dict[str, Setting] = {}
    for backend in _BACKENDS.values():
        for setting in backend.settings:
            if own.setdefault(setting.flag, setting) != setting:
                raise InputError(f"--for {backend.name}: another backend has an option {setting.flag} of another kind")
    for setting in reversed(own.values()):
        users = ", ".join(b.name for b in _BACKENDS.values() if setting in b.settings)
        keywords: dict[str, Any] = {"help": f"For {users}: {setting.help}", "default": setting.default}
        if setting.choices:
            keywords |= {"type": click.Choice(setting.choices), "show_default": setting.default is not None}
        elif setting.metavar:
            keywords |= {"metavar": setting.metavar, "show_default": setting.default is not None}
        elif "/" not in setting.flag:
            keywords["is_flag"] = True
        function = click.option(setting.flag, setting.name, **keywords)(function)
    return function


def _summaries() -> str:
    return "; ".join([*(f"{b.name}: {b.summary}" for b in _BACKENDS.values()), f"{_SCRIPT}: the script {_OF_SCRIPT}"])


@click.command(name="export", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("what", metavar="TYPE|MECH")
@click.option("--for", "program", required=True, type=click.Choice([*_BACKENDS, _SCRIPT]), help=f"{_summaries()}.")
@click.option("--out", metavar="DIR|FILE", help="Where to write; without it mbssa3d is written to standard output.")
@click.option("--prefix", metavar="P", help="Prefix of all names in the C code.  [default: from the name]")
@click.option(
    "--precision",
    type=click.Choice(["float", "double"]),
    help=f"[default: {', '.join(f'{b.precision} for {b.name}' for b in _BACKENDS.values())}]",
)
@click.option(
    "--results",
    metavar="A,B,...",
    help="For MECH, the results: kinds, and BODY, JOINT, JOINT.FREEDOM, BODY.POINT.  [default: bodies,joints,points]",
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
    help="For MECH: drives are inputs, or laws of time that are compiled in.  [default: inputs]",
)
@click.option(
    "--branch",
    metavar="WAY",
    help="reference: the branches in which MECH is drawn (default); follow: follow the motion through change points; "
    "input: the caller sets them; K,K,...: one for each group. For TYPE: K (default 0) or input.",
)
@click.option("--arrangement", metavar="ID", help="For TYPE: the arrangement of the joints, if there are several.")
@click.option(
    "--period", metavar="S", type=float, help="Time between two steps of a followed branch [s].  [default: 0.001]"
)
@click.option("--ranges", metavar="FILE", help="TOML file with ranges of inputs, in addition to [ranges] of MECH.")
@click.option(
    "--math",
    type=click.Choice(["own", "libm"]),
    default="own",
    show_default=True,
    help="sin, cos and atan2: symgen's own, with the same bits on every machine, or those of <math.h>.",
)
@click.option("--checks", type=click.Choice(["needed", "all"]), help="For MECH: as for symgen generate.")
@click.option("--batch", is_flag=True, help="Also write functions over rows.")
@click.option(
    "--allow-iterative",
    "iterative",
    metavar="N",
    type=WholeNumber("steps of Newton's method", 1, 1000),
    help="Allow groups without a closed form: N steps of Newton's method per solution, then NOT_CONVERGED.",
)
@click.option(
    "--at",
    "begin",
    metavar="T0",
    type=float,
    help="For MECH: time at which a followed motion begins [s].  [default: 0]",
)
@click.option(
    "--assembly", metavar="K", type=WholeNumber("assembly", 1, 1_000_000), help="For MECH: begin with this assembly."
)
@_own_options
@own_option
@click.option("--force", is_flag=True, help="Also replace exported files that were edited.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest.")
def command(
    what: str, program: str, out: str | None, own: tuple[str, ...], force: bool, as_json: bool, **options: Any
) -> None:
    """Write a solved type or a mechanism for another system.

    TYPE is a signature ("R.R.R 2D"), a module (dyad_rrr, or a formula of yours) or
    a derivation of your own, FILE.py:NAME, which is run; MECH is a mechanism file.
    Code is written to the folder --out DIR, with a manifest; for some systems to
    one file, --out FILE. --for mbssa3d writes the structure of MECH as the script
    User_Data.m of MBSSA3D, which `symgen import` reads back.
    """
    from symgen.cli.export_code import CodeRequest, export_code

    context = click.get_current_context()
    given = _given(context)
    if program == _SCRIPT:
        _refuse_foreign(_SCRIPT, (), given)
        _export_script(what, out)
        return
    backend = _BACKENDS[program]
    if out is None:
        raise click.UsageError(f"--for {program} writes {_kinds_of(backend)}")
    _refuse_foreign(program, _flags(backend), given)
    if options.get("dynamics"):
        _refuse_with_dynamics(what, given, options)
    period = options["period"]
    if period is not None and not 1e-9 <= period <= 1e6:
        raise InputError(f"--period {period:g}: give the time between two steps, 1e-9 to 1e6 seconds")
    names = {s.name for b in _BACKENDS.values() for s in b.settings}
    settings = {s.name: options[s.name] for s in backend.settings}
    know(own)
    common = {name: value for name, value in options.items() if name not in names}
    common["precision"] = common["precision"] or backend.precision
    export_code(
        CodeRequest(
            what=what, out=out, force=force, as_json=as_json, settings=settings,
            command=_again(context, what, backend), **common,
        ),
        backend,
    )  # fmt: skip


def _kinds_of(backend: ExportBackend) -> str:
    folder = "a folder: give --out DIR"
    return f"a file or a folder: give --out FILE{backend.archive} or --out DIR" if backend.archive else folder


def _given(context: click.Context) -> tuple[str, ...]:
    """Return the options that were given on the command line, but for those that every export has."""
    return tuple(
        each.opts[0] for each in context.command.params
        if isinstance(each, click.Option) and each.name is not None and each.opts[0] not in _OF_ALL
        and context.get_parameter_source(each.name) is not ParameterSource.DEFAULT
    )  # fmt: skip


def _flags(backend: ExportBackend) -> tuple[str, ...]:
    """Return the options that mean something to a backend."""
    return (*sorted(backend.common), *(s.flag.partition("/")[0] for s in backend.settings), "--force", "--json")


def _refuse_foreign(program: str, known: Iterable[str], given: Iterable[str]) -> None:
    """Refuse options that belong to other systems.

    Raises
    ------
    click.UsageError
        With the first, and the systems that it belongs to.
    """
    foreign = next((flag for flag in given if flag not in known), None)
    if foreign is not None:
        owners = [backend.name for backend in _BACKENDS.values() if foreign in _flags(backend)]
        listed = " and ".join([", ".join(owners[:-1]), owners[-1]] if len(owners) > 1 else owners)
        raise click.UsageError(f"{foreign} belongs to --for {listed}, not to --for {program}")


#: Common options that are refused beside --dynamics, and why.
_NOT_OF_DYNAMICS = {
    "--results": "the results are all bodies and the angles of the joints",
    "--stages": "positions, velocities and accelerations are always written together",
    "--drives": "drives are functions of the time, which are compiled in; inputs at each call are not written yet",
    "--branch": "a motion starts from the drawing or from [initial]",
    "--arrangement": "it belongs to a TYPE",
    "--period": "the settings of each run contain its step",
    "--ranges": "there are no inputs",
    "--checks": "there are no groups to check",
    "--batch": "a run returns many rows anyway",
    "--allow-iterative": "no groups are solved one by one",
    "--at": "the settings of each run contain its start",
    "--assembly": "a motion starts from the drawing or from [initial]",
}


def _refuse_with_dynamics(what: str, given: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse what makes no sense for dynamics.

    Raises
    ------
    click.UsageError
        Names the option, and why.
    """
    from symgen.cli.export_code import is_mechanism

    if not is_mechanism(what):
        raise click.UsageError(f"--dynamics takes a mechanism file; {what} is a type")
    for flag in given:
        if flag in _NOT_OF_DYNAMICS:
            raise click.UsageError(f"{flag} does not go with --dynamics: {_NOT_OF_DYNAMICS[flag]}")
    if "--precision" in given and options["precision"] != "double":
        raise click.UsageError(
            f"--precision {options['precision']}: --dynamics is written in double only (its constraints hold to the "
            "rounding of double); give --precision double, or omit it"
        )
    if options["math"] != "own":
        raise click.UsageError(
            f"--math {options['math']}: --dynamics uses only symgen's own functions, whose bits are the same "
            "everywhere; give --math own, or omit it"
        )


def _again(context: click.Context, what: str, backend: ExportBackend) -> str:
    """Return the command that makes the export again, without the places of files on this machine."""
    from symgen.cli.export_code import is_mechanism

    is_file = is_mechanism(what) or is_own_file(what)
    words = ["export", Path(what).name if is_file else what, "--for", backend.name]
    silent = {"program", "out", "force", "as_json"}
    for each in context.command.params:
        value = context.params.get(each.name or "")
        if not isinstance(each, click.Option) or each.name in silent or value is None or value == each.default:
            continue
        if each.name == "precision" and value == backend.precision:
            continue
        if each.name == "own":
            words += [word for text in value for word in ("--own", Path(text).name)]
        elif each.is_flag:
            words += [each.opts[0]] if value else each.secondary_opts[:1]
        else:
            words += [each.opts[0], Path(value).name if each.name == "ranges" else str(value)]
    return shlex.join([*words, "--out", f"FILE{backend.archive}" if backend.archive else "DIR"])


def _export_script(mechanism: str, out: str | None) -> None:
    from symgen.cli.terminal.files import check_target, write_text
    from symgen.model.load import load
    from symgen.model.write_user_data import write_user_data
    from symgen.topology.multiple_joints import choose_trees

    target = None
    if out is not None:
        path = Path(out)
        target = check_target("--out", str(path / _OF_SCRIPT if path.is_dir() else path), (".m",))
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
