"""``symgen report MECH``: the deduced overall transfer equation as a document."""

from __future__ import annotations

import json
from pathlib import Path

import click

from symgen.errors import InputError


@click.command(name="report", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option("--out", metavar="FILE.md|FILE.html", help="Write the document; by default it is printed as Markdown.")
@click.option("--picture", metavar="FILE.svg", help="Write the topology with the numbers of the elements.")
@click.option("--root", metavar="JOINT", help="The joint to the ground at the root; others hold tips.")
@click.option("--cut", "cuts", metavar="JOINT", multiple=True, help="Joint that closes a loop; all of them.")
@click.option(
    "--variant",
    type=click.Choice(["transparent", "opaque"]),
    help="The theorem's for balls (in the plane: pins) only, or that for hinges of any type; by default the first one "
    "that can.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/overall-equation/1).")
def command(
    mechanism: str,
    out: str | None,
    picture: str | None,
    root: str | None,
    cuts: tuple[str, ...],
    variant: str | None,
    as_json: bool,
) -> None:
    """Write the derivation of a mechanism's overall transfer equation.

    MECH is a mechanism file; bodies and joint types are enough. Tips, root and
    cuts are chosen, elements numbered; main, geometric and supplement equations
    are written as products of transfer matrices, with boundary conditions, the
    blocks of the whole and its order.
    """
    from symgen.cli.files import check_distinct, check_target, write_text
    from symgen.draw.transfer_svg import transfer_svg
    from symgen.model.load import load
    from symgen.report.document import html, markdown
    from symgen.report.overall_equation import overall_equation_data, overall_equation_document
    from symgen.transfer.deduction import deduce_equation
    from symgen.transfer.system import deduce

    check_distinct({"--out": out, "--picture": picture})
    for option, name, suffixes in (("--out", out, (".md", ".html")), ("--picture", picture, (".svg",))):
        if name is not None:
            check_target(option, name, suffixes)
    _refuse_types(mechanism)
    system = deduce(load(mechanism), root=root, cuts=cuts, single_root=True)
    equation = deduce_equation(system, None if variant is None else "opaque" if variant == "opaque" else "transparent")
    if picture is not None:
        write_text(Path(picture), transfer_svg(equation))
        click.echo(f"topology: {picture}", err=True)
    if out is not None:
        pages = Path(out).suffix.lower() == ".html"
        text = html(overall_equation_document(equation, transfer_svg(equation))) if pages else None
        write_text(Path(out), text or markdown(overall_equation_document(equation)))
        click.echo(f"report: {out}", err=True)
    if as_json:
        click.echo(json.dumps(overall_equation_data(equation)))
    elif out is None:
        click.echo(markdown(overall_equation_document(equation)), nl=False)


def _refuse_types(name: str) -> None:
    """Refuse what is no file but looks like a type, with the verb that shows one."""
    if not Path(name).exists() and not Path(name).suffix:
        raise InputError(
            f"{name}: there is no such mechanism file; reports are written of mechanisms. A solved type is shown by "
            f"'symgen library show {name}', its derivation by the manifest and header in generated/"
        )
