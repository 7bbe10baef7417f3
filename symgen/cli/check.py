"""``symgen check [CLAIMS]``: printed formulas against derived objects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symgen.cli.check_list import argument_text, described, list_objects, shape_text
from symgen.cli.options.numbers import WholeNumber
from symgen.cli.terminal.progress import progress_bar
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.certificates.installation import Verified
    from symgen.check.run import ClaimResult
    from symgen.check.verdict import Counterexample

_EXIT_NO = 1
_SHORTEST, _LONGEST = 1.0, 86_400.0
_STYLES = {"holds": "green", "fails": "red", "undecided": "yellow"}


@click.command(name="check", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", metavar="[CLAIMS | WORD...]", nargs=-1)
@click.option(
    "--list", "listed", is_flag=True, help="List the derived objects that claims can name, those with every WORD."
)
@click.option(
    "--family",
    metavar="NAME",
    help="With --list: dynamics, loops, structure, reactions, transfer, or a solved type such as dyad_rrr or "
    "'R.R.R 2D'.",
)
@click.option(
    "--own",
    metavar="FILE.py:NAME",
    multiple=True,
    help="Also take the steps of a derivation of your own (the file is run), or of one that an installed package "
    "offers, by its name; repeatable.",
)
@click.option("--show", metavar="NAME", help="Show one derived object: arguments, source, entries, proofs.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "latex", "python", "c"]),
    help="With --show: how the entries are written.  [default: text]",
)
@click.option(
    "--library",
    is_flag=True,
    help="Verify the installed modules: their files by digest, their functions by the bits of their results.",
)
@click.option(
    "--module", "modules", metavar="ID", multiple=True, help="With --library: check only this module; repeatable."
)
@click.option(
    "--certify",
    is_flag=True,
    help="With --library: derive again and write the certificates, in a checkout, or of derivations given with --own.",
)
@click.option("--limit", metavar="S", type=float, help="Seconds for a claim.  [default: 60]")
@click.option("--jobs", metavar="N", type=WholeNumber("processes", 1, 256), help="Processes.  [default: processors]")
@click.option("--page", metavar="FILE.md", help="Also write the verdicts as a page.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    words: tuple[str, ...],
    listed: bool,
    family: str | None,
    own: tuple[str, ...],
    show: str | None,
    form: str | None,
    library: bool,
    modules: tuple[str, ...],
    certify: bool,
    limit: float | None,
    jobs: int | None,
    page: str | None,
    as_json: bool,
) -> None:
    """Check printed formulas against derived objects, with proof.

    CLAIMS is a claims file, TOML or JSON. Each claim states what a source
    prints and which derived object it should equal. A claim holds only if this
    is proved. A claim that fails is reported with exact numbers for which it
    is wrong, and often with the formula that was meant. Otherwise it is
    undecided. The exit status is 1 unless all claims hold.

    --library verifies the installation: it compares generated files and the
    results of their code with certificates that were written when the code was
    derived.

    --list names objects; the first time takes seconds. With words it names
    those that have every WORD in name, title, arguments or source.

    Without CLAIMS, symgen checks the formulas of the papers that it is built
    on. The exit status is then 0 if the known errata fail and all others hold.
    """
    if form is not None and show is None:
        raise click.UsageError("--as belongs to --show")
    if family is not None and not listed:
        raise click.UsageError("--family belongs to --list")
    if (modules or certify) and not library:
        raise click.UsageError("--module and --certify belong to --library")
    if sum((bool(words) and not listed, listed, show is not None, library)) > 1:
        raise click.UsageError("give only one of CLAIMS, --list, --show NAME and --library")
    if len(words) > 1 and not listed:
        raise click.UsageError(f"give one claims file; found {len(words)}: {', '.join(words)}")
    if (listed or show is not None or library) and (limit, page) != (None, None):
        raise click.UsageError("--limit and --page belong to the check of claims")
    if (listed or show is not None) and jobs is not None:
        raise click.UsageError("--jobs belongs to checks, not to --list and --show")
    if own and library and not certify:
        raise click.UsageError("--own belongs to CLAIMS, --list, --show and --certify")
    if library:
        _library(modules, jobs, own, certify=certify, as_json=as_json)
        return
    _load_own(own, family, show)
    if listed:
        list_objects(words, family, has_own=bool(own), as_json=as_json)
    elif show is not None:
        _show(show, form or "text", as_json=as_json)
    else:
        from symgen.check.run import TIME_LIMIT

        limit = TIME_LIMIT if limit is None else limit
        if not _SHORTEST <= limit <= _LONGEST:
            raise InputError(f"--limit {limit:g}: give {_SHORTEST:g} to {_LONGEST:g} seconds")
        _check(words[0] if words else None, limit, jobs, page, own, as_json=as_json)


def _load_own(own: tuple[str, ...], family: str | None, show: str | None) -> None:
    """Load what --own names; of installed packages also what --family and --show name, which nobody else has."""
    wanted = list(own)
    if family is not None or show is not None:
        from symgen.third_party import derivations

        wanted += [
            offer.name
            for offer in derivations()
            if offer.name not in own and (offer.name == family or (show or "").startswith(f"{offer.name}_"))
        ]
    for text in dict.fromkeys(wanted):
        from symgen.derivations.sources import load

        load(text)


def _check(
    file: str | None, limit: float, jobs: int | None, target: str | None, own: tuple[str, ...], *, as_json: bool
) -> None:
    from symgen.check.claims import read_claims
    from symgen.check.page import page
    from symgen.check.papers import paper_files
    from symgen.check.run import STEPS, check
    from symgen.cli.generate.processes import processors
    from symgen.cli.terminal.files import check_target, tell_written

    if target is not None:
        check_target("--page", target, (".md",))
    read = [read_claims(each) for each in ([file] if file is not None else paper_files())]
    claims = [claim for each in read for claim in each.claims]
    with progress_bar("checking", STEPS * len(claims), quiet=as_json) as progress:
        results = check(claims, limit=limit, jobs=jobs or processors(), own=own, progress=progress.advance)
    if target is not None:
        waiting = iter(results)
        found = [(each.source or each.file, [next(waiting) for _ in each.claims]) for each in read]
        again = " ".join(["symgen check", *([file] if file is not None else []), "--page", target])
        Path(target).write_text(page(found, again, [each.note for each in read]), encoding="utf-8")
        tell_written(target)
    if as_json:
        source = "; ".join(each.source for each in read)
        tree = {"schema": "symgen/check/1", "source": source, "claims": list(map(_as_json, results))}
        click.echo(json.dumps(tree))
    else:
        waiting = iter(results)
        for each in read:
            _print([next(waiting) for _ in each.claims], each.source)
    is_well = all(r.is_expected if file is None else r.finding.verdict == "holds" for r in results)
    if not as_json and file is None:
        click.echo("the known errata fail, all others hold" if is_well else _surprises(results))
    if not is_well:
        raise SystemExit(_EXIT_NO)


def _library(wanted: Sequence[str], jobs: int | None, own: Sequence[str], *, certify: bool, as_json: bool) -> None:
    from symgen.certificates.installation import certify_all, chosen_names, verify_all
    from symgen.cli.generate.processes import processors

    if own and not wanted:
        from symgen.derivations.sources import load

        wanted = [load(text).module.id for text in own]
    names = chosen_names(wanted)
    count = jobs or processors()
    if certify:
        from symgen.cli.terminal.files import tell_written

        with progress_bar("certifying", len(names), quiet=as_json) as progress:
            written = certify_all(names, jobs=count, progress=progress.advance, own=own)
        for path in written:
            tell_written(str(path))
    with progress_bar("checking", len(names), quiet=as_json) as progress:
        results = verify_all(names, jobs=count, progress=progress.advance)
    is_well = not any(each.faults for each in results)
    if as_json:
        click.echo(json.dumps({"schema": "symgen/installation/1", "modules": [_module_as_json(r) for r in results]}))
    else:
        _print_library(results)
    if not is_well:
        raise SystemExit(_EXIT_NO)


def _module_as_json(found: Verified) -> dict[str, Any]:
    return {
        "module": found.module,
        "functions": found.functions,
        "exact_ulp": found.ulp,
        "statuses": list(found.statuses),
        "faults": [{"where": fault.where, "what": fault.what} for fault in found.faults],
        "seconds": round(found.seconds, 3),
    }


def _print_library(results: Sequence[Verified]) -> None:
    from symgen.cli.tables.table import numbers, print_table, texts
    from symgen.cli.terminal.console import table_console

    console = table_console()
    rows = [
        (
            r.module, "as certified", str(r.functions), f"{r.ulp:g}", " ".join(r.statuses), f"{r.seconds:.1f}",
        )
        if not r.faults
        else (r.module, "differs", "-", "-", "-", f"{r.seconds:.1f}")
        for r in results
    ]  # fmt: skip
    styles = ["green" if not r.faults else "red" for r in results]
    columns = [*texts("module", "verdict"), *numbers("functions", "ulp from exact"), *texts("statuses reached")]
    print_table(console, [*columns, *numbers("s")], rows, styles=styles)
    for result in results:
        for fault in result.faults:
            console.print(f"{result.module}: {fault.where} {fault.what}", soft_wrap=True, markup=False, highlight=False)
    wrong = sum(bool(r.faults) for r in results)
    console.print()
    one = len(results) == 1
    said = ("as certified" if one else "all as certified") if not wrong else f"{wrong} differ{'' if wrong > 1 else 's'}"
    console.print(f"{len(results)} module{'' if one else 's'}: {said}", highlight=False)


def _surprises(results: Sequence[ClaimResult]) -> str:
    found = ", ".join(f"{r.claim.id} ({r.finding.verdict})" for r in results if not r.is_expected)
    return f"not as known: {found}"


def _as_json(result: ClaimResult) -> dict[str, Any]:
    finding = result.finding
    return {
        "id": result.claim.id,
        "where": result.claim.where,
        "verdict": finding.verdict,
        "evidence": finding.evidence,
        "difference": finding.difference or None,
        "counterexample": None if finding.counterexample is None else _example(finding.counterexample),
        "suggestion": result.suggestion or None,
        "erratum": result.claim.erratum or None,
        "seconds": round(result.seconds, 3),
    }


def _example(found: Counterexample) -> dict[str, Any]:
    return {
        "values": {name: str(value) for name, value in found.values.items()},
        "entry": list(found.place),
        "printed": found.printed,
        "derived": found.derived,
    }


def _print(results: Sequence[ClaimResult], source: str) -> None:
    from symgen.check.page import counted
    from symgen.cli.tables.table import numbers, print_table, texts
    from symgen.cli.terminal.console import table_console

    console = table_console()
    if source:
        console.print(source, markup=False, highlight=False)
    rows = [
        (r.claim.id, r.claim.where, r.claim.object or "a formula", r.finding.verdict, f"{r.seconds:.1f}")
        for r in results
    ]
    styles = [_STYLES[r.finding.verdict] for r in results]
    print_table(console, [*texts("claim", "where", "compared with", "verdict"), *numbers("s")], rows, styles=styles)
    for result in results:
        if result.finding.verdict != "holds":
            console.print()
            for line in _lines(result):
                console.print(line, soft_wrap=True, markup=False, highlight=False)
    counts: Counter[str] = Counter(result.finding.verdict for result in results)
    console.print()
    console.print(counted({word: counts[word] for word in _STYLES}))


def _lines(result: ClaimResult) -> Iterator[str]:
    claim, finding = result.claim, result.finding
    where = f" ({claim.where})" if claim.where else ""
    yield f"{claim.id}{where}: {finding.verdict}"
    yield f"  printed:    {claim.text}"
    if finding.verdict == "undecided":
        yield f"  because:    {finding.evidence}"
    if finding.difference:
        yield f"  difference: {finding.difference}"
    if finding.counterexample is not None:
        yield f"  such as:    {finding.counterexample.text}"
    if result.suggestion:
        yield f"  meant?      {result.suggestion}"
    if claim.erratum:
        yield f"  known:      {claim.erratum}"


def _show(name: str, form: str, *, as_json: bool) -> None:
    from symgen.check.catalogue import derived_objects
    from symgen.check.shown import commented, entries_as, proof_line, proofs_of

    objects = derived_objects()
    if name not in objects:
        raise InputError(f"--show {name}: there is no such derived object{objects.near(name)}; --list names them")
    found = objects[name]
    entries = entries_as(found, form)
    if as_json:
        records = [vars(proof) for proof in proofs_of(found)]
        click.echo(json.dumps({**described(found), "entries": entries, "proofs": records}))
        return
    from symgen.cli.tables.table import print_table, texts
    from symgen.cli.terminal.console import table_console

    head = [f"{found.name}: {found.title}", f"{shape_text(found.shape)} [{found.unit}]; {found.source}"]
    proofs = [proof_line(proof) for proof in proofs_of(found)]
    if form == "text":
        console = table_console()
        for line in head:
            console.print(line, markup=False, highlight=False)
        rows = [
            (argument_text(a.name, a.shape), a.unit, a.frame, a.meaning, " ".join(a.elements)) for a in found.arguments
        ]
        print_table(console, texts("argument", "unit", "frame", "meaning", "elements"), rows)
        click.echo()
    else:
        head += [
            f"{argument_text(a.name, a.shape)} [{a.unit}]{a.frame and f', {a.frame}'}: {a.meaning}: "
            f"{' '.join(a.elements)}"
            for a in found.arguments
        ]
    for line in [*commented(head if form != "text" else [], form), *entries, *commented(proofs, form)]:
        click.echo(line)
