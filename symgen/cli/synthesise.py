"""``symgen synthesise``: all chains, mechanisms, trusses or structural groups of a given size, each once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from symgen.cli.options.name_lists import names_of
from symgen.cli.tables.counts import count
from symgen.cli.terminal.progress import progress_bar
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.model.pairs import Space
    from symgen.topology.synthesis.document import ChainList, GroupList

Function = TypeVar("Function", bound=Callable[..., Any])

_HELP = {"help_option_names": ["-h", "--help"]}
_SPACE = click.Choice(["planar", "spatial"])
_MOST_ROWS = 60


@click.group(name="synthesise", context_settings=_HELP)
def command() -> None:
    """Enumerate chains and mechanisms, trusses, or structural groups.

    Each is listed once, up to renumbering. --out writes mechanism files that
    `symgen analyse` accepts; --json prints one document (symgen/synthesis/1).
    """


def _common(function: Function) -> Function:
    for option in reversed(
        (
            click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/synthesis/1)."),
            click.option(
                "--out",
                metavar="DIR",
                help="Write a mechanism file of each into this new or empty folder.",
            ),
        )
    ):
        function = option(function)
    return function


def _of_chains(function: Function) -> Function:
    for option in reversed(
        (
            click.option("--links", metavar="N", type=int, required=True, help="Number of links, including the frame."),
            click.option("--space", type=_SPACE, default="planar", show_default=True),
            click.option(
                "--pairs", metavar="T,...", default="R", show_default=True, help="Pair types, all of one grade: R,P."
            ),
            click.option(
                "--at-most", "bounds", metavar="T=K", multiple=True, help="No more than K joints of type T: P=1."
            ),
            click.option("--allow-rigid", is_flag=True, help="Allow rigid sub-chains (not over-constrained ones)."),
            click.option("--draw", metavar="FILE.svg", help="Draw all of them as small graphs on one sheet."),
        )
    ):
        function = option(function)
    return _common(function)


@command.command(name="chains", context_settings=_HELP)
@click.option("--dof", metavar="F", type=int, default=1, show_default=True, help="Mobility of the chain.")
@click.option("--mechanisms", is_flag=True, help="Also choose the frame link, up to symmetry.")
@click.option("--no-fractionated", is_flag=True, help="Leave out chains that separate when one link is cut.")
@_of_chains
def chains_command(
    dof: int,
    mechanisms: bool,
    no_fractionated: bool,
    links: int,
    space: Space,
    pairs: str,
    bounds: tuple[str, ...],
    allow_rigid: bool,
    draw: str | None,
    as_json: bool,
    out: str | None,
) -> None:
    """Kinematic chains of N links and mobility F.

    Every link has two or more pairs, no two links share two pairs, and no
    sub-chain is rigid. --mechanisms also lists the choices of the frame link;
    files then have as many inputs as freedoms.

    \b
    symgen synthesise chains --links 8 --mechanisms --draw eight.svg
    symgen synthesise chains --links 6 --pairs R,P --at-most P=1 --out six
    """  # noqa: D301 - \b tells click to keep these lines
    if dof < 1:
        raise InputError(
            f"--dof {dof}: a chain has at least one freedom; for chains without freedom use `symgen synthesise trusses`"
        )
    _run_chains(links, dof, space, pairs, bounds, allow_rigid, not no_fractionated, mechanisms, draw, as_json, out)


@command.command(name="trusses", context_settings=_HELP)
@click.option("--groups", is_flag=True, help="Also list the Assur groups: the truss with one link as the frame.")
@_of_chains
def trusses_command(
    groups: bool,
    links: int,
    space: Space,
    pairs: str,
    bounds: tuple[str, ...],
    allow_rigid: bool,
    draw: str | None,
    as_json: bool,
    out: str | None,
) -> None:
    """Baranov trusses of N links, and their Assur groups.

    A truss is a chain without mobility of which no part is rigid. If any of
    its links is the frame, the others form one structural group.

    \b
    symgen synthesise trusses --links 7 --groups
    """  # noqa: D301 - \b tells click to keep these lines
    _run_chains(links, 0, space, pairs, bounds, allow_rigid, True, groups, draw, as_json, out)


@command.command(name="groups", context_settings=_HELP)
@click.option("--bodies", metavar="N", type=int, required=True, help="Number of bodies of the group.")
@click.option("--pairs", metavar="T,...", default="R,P,H,C,U,S,PL", show_default=True, help="Pair types.")
@click.option("--inputs", metavar="K|any", default="0", show_default=True, help="Most driven freedoms in the group.")
@click.option("--space", type=_SPACE, default="spatial", show_default=True)
@click.option("--regular", is_flag=True, help="Only groups whose constraints are independent for generic geometry.")
@_common
def groups_command(
    bodies: int, pairs: str, inputs: str, space: Space, regular: bool, as_json: bool, out: str | None
) -> None:
    """Structural groups of N bodies: every signature from a list of pair types.

    \b
    symgen synthesise groups --bodies 2 --pairs R,P,H,C,U,S,PL
    symgen synthesise groups --bodies 2 --space planar --pairs R,P --inputs 1
    """  # noqa: D301 - \b tells click to keep these lines
    from symgen.topology.synthesis.document import HEAD
    from symgen.topology.synthesis.group_types import GroupFamily
    from symgen.topology.synthesis.search import search_groups

    if inputs != "any" and not inputs.isdecimal():
        raise InputError(f"--inputs {inputs!r}: must be a whole number, or any")
    family = GroupFamily(bodies, _words(pairs), space, None if inputs == "any" else int(inputs))
    _check_out(out, f"{HEAD} groups")
    with progress_bar("synthesis", quiet=as_json) as progress:
        found = search_groups(family, regular=regular, progress=progress.at)
        written = _write(out, f"{HEAD} groups", found, progress.at)
    if as_json:
        click.echo(json.dumps(found.to_dict(_is_solved)))
    else:
        _print_groups(found)
    _tell(written, out)


def _run_chains(
    links: int,
    mobility: int,
    space: Space,
    pairs: str,
    bounds: tuple[str, ...],
    allow_rigid: bool,
    fractionated: bool,
    mechanisms: bool,
    draw: str | None,
    as_json: bool,
    out: str | None,
) -> None:
    from symgen.cli.terminal.files import check_target, tell_written, write_text
    from symgen.topology.synthesis.chains import ChainFamily
    from symgen.topology.synthesis.document import HEAD
    from symgen.topology.synthesis.joint_types import check_types, grade_of
    from symgen.topology.synthesis.search import search_chains

    target = None if draw is None else check_target("--draw", draw, (".svg",))
    types = _words(pairs)
    check_types(types, space)
    family = ChainFamily(links, mobility, space, grade_of(types), allow_rigid)
    _check_out(out, f"{HEAD} {'chains' if mobility else 'trusses'}")
    with progress_bar("synthesis", quiet=as_json) as progress:
        found = search_chains(
            family,
            types,
            at_most=_bounds(bounds),
            fractionated=fractionated,
            mechanisms=mechanisms,
            progress=progress.at,
        )
        sheet = None
        if target is not None:
            from symgen.draw.chain_sheet import chain_sheet

            sheet = chain_sheet(found)
        written = _write(out, f"{HEAD} {found.kind}", found, progress.at)
    if target is not None and sheet is not None:
        write_text(target, sheet)
        tell_written(target)
    if as_json:
        click.echo(json.dumps(found.to_dict()))
    else:
        _print_chains(found)
    _tell(written, out)


def _words(text: str) -> tuple[str, ...]:
    return tuple(names_of(text))


def _bounds(words: tuple[str, ...]) -> dict[str, int]:
    bounds = {}
    for word in words:
        code, equals, count = word.partition("=")
        if not equals or not count.strip().isdecimal() or len(count) > 9:
            raise InputError(f"--at-most {word!r}: write TYPE=NUMBER, such as --at-most P=1")
        bounds[code.strip()] = int(count)
    return bounds


def _check_out(out: str | None, head: str) -> None:
    """Refuse a folder with other things in it before the work, not after."""
    if out is not None:
        from symgen.cli.terminal.new_files import check_folder

        check_folder("--out", out, head)


def _write(out: str | None, head: str, found: ChainList | GroupList, progress: Any) -> int | None:
    if out is None:
        return None
    from symgen.cli.terminal.new_files import write_folder

    return write_folder("--out", out, head, found.files(progress))


def _tell(written: int | None, out: str | None) -> None:
    if written is not None and out is not None:
        from symgen.cli.terminal.files import tell_written

        tell_written(out, f" ({count(written, 'mechanism file')})")


def _print_chains(found: ChainList) -> None:
    family = found.family
    noun = {1: found.kind.removesuffix("es" if found.kind == "trusses" else "s")}.get(len(found.chains), found.kind)
    words = f"{len(found.chains)} {noun}: {family.space}, {family.links} links, {count(family.pairs, 'joint')}"
    if family.mobility:
        words += f", mobility {family.mobility}"
    if found.mechanisms is not None:
        words += f"; {count(found.mechanisms, 'mechanism' if family.mobility else 'Assur group')}"
    click.echo(words)
    if not found.chains:
        click.echo(f"no {found.kind} of this size: {_why_none(found)}")
    for number, typed in enumerate(found.chains[:_MOST_ROWS], start=1):
        joints = " ".join(
            f"{a + 1}-{b + 1}{code}" for (a, b), code in zip(typed.chain.joints, typed.types, strict=True)
        )
        line = f"{number:>5}  {joints}"
        if found.inversions is not None:
            line += "   frames " + " ".join(str(each.frame + 1) for each in found.inversions[number - 1])
        click.echo(line + ("   fractionated" if typed.chain.fractionated else ""))
    _print_rest(len(found.chains))


def _why_none(found: ChainList) -> str:
    """Return why there is no chain: too few pairs for a link of each to have two, or what was asked for."""
    family = found.family
    if family.pairs < family.links:
        return (
            f"{family.links} links with two joints each or more need at least {family.links} joints, but this size has "
            f"{family.pairs}; ask for more links or less mobility"
        )
    if family.pairs > family.links * (family.links - 1) // 2:
        return (
            f"{family.links} links have fewer pairs than {family.pairs}, and no two of them have two joints in common"
        )
    return "none meets all conditions"


def _is_solved(signature: str) -> bool:
    from symgen.library.catalogue import solution_of

    return solution_of(signature)[0]


def _print_groups(found: GroupList) -> None:
    data = found.to_dict()
    family = found.family
    bodies = f"{family.bodies} bod{'y' if family.bodies == 1 else 'ies'}"
    click.echo(
        f"{count(data['count'], 'structural group')} of {bodies}, {family.space}: "
        f"{data['regular']} regular, {count(data['types'], 'type name')}"
    )
    for number, group in enumerate(found.groups[:_MOST_ROWS], start=1):
        marks = [
            "solved" if _is_solved(group.signature) else "",
            "" if group.regular else "singular",
            "rigid part" if group.rigid_parts else "",
        ]
        click.echo(f"{number:>5}  {group.signature:<28} {group.type:<16} {', '.join(filter(None, marks))}".rstrip())
    _print_rest(len(found.groups))


def _print_rest(count: int) -> None:
    if count > _MOST_ROWS:
        click.echo(f"... and {count - _MOST_ROWS} more; --json lists all.")
