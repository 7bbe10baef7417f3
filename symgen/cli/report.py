"""``symgen report``: a derivation as a document: the overall transfer equation of a mechanism, or a solved type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symgen.cli.name_lists import names_given
from symgen.errors import InputError, MechanismError

_MOST_NAMED = 6

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.report.document import Document
    from symgen.transfer.overall_equation import OverallEquation, Variant


@click.command(name="report", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("subject", metavar="TYPE|MECH")
@click.option("--out", metavar="FILE.md|FILE.html", help="Write the document; by default it is printed as Markdown.")
@click.option("--picture", metavar="FILE.svg", help="Write the topology with the numbers of the elements.")
@click.option("--root", metavar="JOINT", help="The joint to the ground at the root; others hold tips.")
@click.option("--cut", "cuts", metavar="A,B,...", multiple=True, help="Joints that close the loops, all of them.")
@click.option(
    "--variant",
    type=click.Choice(["transparent", "opaque"]),
    help="The theorem's for balls (in the plane: pins) only, or that for hinges of any type; by default the first one "
    "that can.",
)
@click.option(
    "--numbers",
    is_flag=True,
    help="Add accelerations and joint forces in the initial state, and the equation's condition.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document (symgen/overall-equation/1, symgen/solved-type/1)."
)
def command(
    subject: str,
    out: str | None,
    picture: str | None,
    root: str | None,
    cuts: tuple[str, ...],
    variant: str | None,
    numbers: bool,
    as_json: bool,
) -> None:
    """Write a derivation and its results as a document.

    MECH, a mechanism file (bodies and joint types are enough): how its overall
    transfer equation comes about. Tips, root and cuts are chosen, elements
    numbered; main, geometric and supplement equations are written as products of
    transfer matrices, with boundary conditions, the blocks of the whole and its
    order. TYPE, a solved type as of `symgen library list`: its derivation,
    proofs, functions, and accuracy.
    """
    from symgen.cli.files import check_distinct, check_target

    check_distinct({"--out": out, "--picture": picture})
    for option, name, suffixes in (("--out", out, (".md", ".html")), ("--picture", picture, (".svg",))):
        if name is not None:
            check_target(option, name, suffixes)
    if not _is_file(subject):
        options = {"--picture": picture, "--root": root, "--cut": cuts, "--variant": variant, "--numbers": numbers}
        _refuse({option: value for option, value in options.items() if value}, subject)
        data, document = _type_report(subject)
    else:
        cuts = tuple(names_given("--cut", cuts))
        chosen: Variant | None = None if variant is None else "opaque" if variant == "opaque" else "transparent"
        data, document = _mechanism_report(subject, root, cuts, chosen, picture, page=_is_page(out), numbers=numbers)
    _give(data, document, out, as_json)


def _is_file(subject: str) -> bool:
    """Tell whether a mechanism file is meant: one that is there, or a name that ends as one."""
    return Path(subject).exists() or Path(subject).suffix.lower() in (".toml", ".json")


def _is_page(out: str | None) -> bool:
    return out is not None and Path(out).suffix.lower() == ".html"


def _refuse(options: dict[str, object], subject: str) -> None:
    if options:
        raise InputError(
            f"{', '.join(options)}: for mechanisms only; {subject!r} is no mechanism file and is taken for a type"
        )


def _mechanism_report(
    file: str,
    root: str | None,
    cuts: tuple[str, ...],
    variant: Variant | None,
    picture: str | None,
    *,
    page: bool,
    numbers: bool,
) -> tuple[Any, Document]:
    """Return the overall transfer equation as data and as a document; write its picture."""
    from symgen.cli.files import tell_written, write_text
    from symgen.draw.transfer_svg import transfer_svg
    from symgen.model.load import load
    from symgen.report.overall_equation import overall_equation_data, overall_equation_document

    if numbers and variant is not None:
        raise InputError("--numbers: are of the variant that is chosen for a mechanism; leave out --variant")
    mechanism = load(file)
    mechanism.require_uncoupled("the overall transfer equation")
    equation, root = _equation(mechanism, root, cuts, variant)
    data, more = overall_equation_data(equation), []
    if numbers:
        from symgen.report.initial_state import initial_state_data, initial_state_parts, solve_initial_state

        result, refusal = solve_initial_state(mechanism, root=root, cuts=cuts)
        data["initial_state"] = initial_state_data(result, refusal)
        more = list(initial_state_parts(result, refusal))
    drawn = transfer_svg(equation) if page or picture is not None else None
    if picture is not None and drawn is not None:
        write_text(Path(picture), drawn)
        tell_written(picture)
    return data, overall_equation_document(equation, drawn, more)


def _equation(
    mechanism: Mechanism, root: str | None, cuts: tuple[str, ...], variant: Variant | None
) -> tuple[OverallEquation, str | None]:
    """Return the overall equation and its root; where the usual one has none and the user names none, another one's."""
    from symgen.transfer.deduction import NoOverallEquationError, deduce_equation
    from symgen.transfer.system import deduce

    others = [joint.id for joint in mechanism.joints if mechanism.ground in joint.bodies] if root is None else []
    first: NoOverallEquationError | None = None
    for chosen in (root, *others):
        try:
            equation = deduce_equation(deduce(mechanism, root=chosen, cuts=cuts, single_root=True), variant)
        except NoOverallEquationError as error:
            first = first or error
        except MechanismError:
            if first is None:
                raise
        else:
            if first is not None:
                click.echo(f"root {chosen}: from the usual one there is none, {first.facts}", err=True)
            return equation, chosen
    if first is None:
        raise AssertionError("no root was tried")
    raise MechanismError(
        f"there is no overall transfer equation to report: {first.facts}. {_instead(mechanism, root)}",
        file=first.file,
        field=first.field,
    ) from first


def _instead(mechanism: Mechanism, root: str | None) -> str:
    """Return what can be reported and computed of a mechanism without an overall transfer equation."""
    from symgen.topology.analysis import analyse

    other = "--cut" if root is None else "--root or --cut"
    words = f"Another {other} may have one; `symgen accelerations` needs none"
    structure = analyse(mechanism)
    if structure.status != "determined":
        return words
    types = list(dict.fromkeys(group.signature for group in structure.groups))
    shown = ", ".join(f"`symgen report '{each}'`" for each in types[:_MOST_NAMED])
    return f"{words}. Its kinematics are derived group by group: {shown}{' ...' if len(types) > _MOST_NAMED else ''}"


def _type_report(name: str) -> tuple[Any, Document]:
    """Return a solved type as data and as a document."""
    import symgen
    from symgen.cli.library import entries_of
    from symgen.library.description import describe_newton, describe_type
    from symgen.report.solved_type import solved_type_document

    entries = entries_of(symgen.library(), name)
    described = [describe_type(entry) if entry.manifest.files else describe_newton(entry) for entry in entries]
    return described[0] if len(described) == 1 else described, solved_type_document(name, described)


def _give(data: Any, document: Document, out: str | None, as_json: bool) -> None:
    from symgen.cli.files import tell_written, write_text
    from symgen.report.document import html, markdown

    if out is not None:
        write_text(Path(out), html(document) if _is_page(out) else markdown(document))
        tell_written(out)
    if as_json:
        click.echo(json.dumps(data))
    elif out is None:
        click.echo(markdown(document), nl=False)
