"""``symgen report``: a derivation as a document: a mechanism with its solved types and equations, or a solved type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symgen.cli.options.name_lists import names_given
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.report.document import Document
    from symgen.transfer.overall.equation import Variant

_SUFFIXES = (".html", ".tex", ".pdf", ".md")


@click.command(name="report", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("subject", metavar="TYPE|MECH")
@click.option(
    "--out",
    metavar="FILE.html|.tex|.pdf|.md",
    help="Write the document; by default it is printed as Markdown. HTML is one file that needs no network; PDF needs "
    "chromium, or LaTeX.",
)
@click.option("--picture", metavar="FILE.svg", help="Write the topology with the numbers of the elements.")
@click.option("--root", metavar="JOINT", help="The joint to the ground that is the root; the others are tips.")
@click.option("--cut", "cuts", metavar="A,B,...", multiple=True, help="Joints that close the loops, all of them.")
@click.option(
    "--variant",
    type=click.Choice(["transparent", "opaque"]),
    help="transparent: the variant of the theorem, for balls only (in the plane: pins); opaque: for hinges of any "
    "type. By default the first that applies.",
)
@click.option(
    "--numbers",
    is_flag=True,
    help="Add accelerations and joint reactions in the initial state, and the equation's condition.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON document (symgen/overall-equation/1, symgen/mechanism-report/1 where there is no such "
    "equation, symgen/solved-type/1).",
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

    For TYPE, a solved type from `symgen library list`, the document contains:
    when it can be solved, its branches and singular set, its derivation step by
    step beside the generated C, proofs, functions and accuracy.

    For MECH, a mechanism file (bodies and joint types are enough), it contains
    the structure, the derivation of each solved type, and the overall transfer
    equation with tips, root, cuts and element numbers. The main, geometric and
    supplement equations are products of transfer matrices, with boundary
    conditions, the blocks of the whole equation and its order.
    """
    from symgen.cli.terminal.files import check_distinct, check_target

    check_distinct({"--out": out, "--picture": picture})
    for option, name, suffixes in (("--out", out, _SUFFIXES), ("--picture", picture, (".svg",))):
        if name is not None:
            check_target(option, name, suffixes)
    has_pictures = out is not None and Path(out).suffix.lower() in (".html", ".pdf", ".tex")
    if not _is_file(subject):
        options = {"--picture": picture, "--root": root, "--cut": cuts, "--variant": variant, "--numbers": numbers}
        _refuse({option: value for option, value in options.items() if value}, subject)
        from symgen.cli.report_subjects import type_report

        data, document = type_report(subject, pictures=has_pictures)
    else:
        from symgen.cli.report_subjects import OverallChoices, mechanism_report

        cuts = tuple(names_given("--cut", cuts))
        chosen: Variant | None = None if variant is None else "opaque" if variant == "opaque" else "transparent"
        asked = OverallChoices(root, cuts, chosen, numbers, picture)
        data, document = mechanism_report(subject, asked, pictures=has_pictures, whole=out is not None or not as_json)
    _give(data, document, out, as_json)


def _is_file(subject: str) -> bool:
    """Tell whether a mechanism file is meant: one that is there, or a name that ends as one."""
    return Path(subject).exists() or Path(subject).suffix.lower() in (".toml", ".json")


def _refuse(options: dict[str, object], subject: str) -> None:
    if options:
        raise InputError(
            f"{', '.join(options)}: for mechanisms only; {subject!r} is not a mechanism file and is taken as a type"
        )


def _give(data: Any, document: Document, out: str | None, as_json: bool) -> None:
    from symgen.cli.terminal.files import tell_written

    if out is not None:
        _write(document, Path(out))
        tell_written(out)
    if as_json:
        click.echo(json.dumps(data))
    elif out is None:
        from symgen.report.markdown import markdown

        click.echo(markdown(document), nl=False)


def _write(document: Document, path: Path) -> None:
    """Write the document in the form that the name's end says."""
    from symgen.cli.terminal.files import write_bytes, write_text

    suffix = path.suffix.lower()
    if suffix == ".html":
        from symgen.report.html import html

        write_text(path, html(document))
    elif suffix == ".tex":
        from symgen.report.latex import latex

        write_text(path, latex(document))
    elif suffix == ".pdf":
        from symgen.report.pdf import pdf

        write_bytes(path, pdf(document))
    else:
        from symgen.report.markdown import markdown

        write_text(path, markdown(document))
