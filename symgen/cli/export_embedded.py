"""``symgen export TYPE|MECH --for embedded``: C for a controller, with its proof."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symgen.cli.files import tell_written
from symgen.cli.name_lists import names_given, names_of
from symgen.cli.publishing import replace_folder, staging
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.export.subject import ExportStage, Subject
    from symgen.library.catalogue import Entry
    from symgen.printers.c99 import Math, Precision
    from symgen.whole.asked import Checks
    from symgen.whole.layout import Drives

_MECHANISM_ENDS = (".toml", ".json", ".m", ".urdf", ".xml")
_IGNORED = {"__pycache__"}


@dataclass(frozen=True)
class EmbeddedRequest:
    """What the command line asks for; what is None was not given."""

    what: str
    out: str
    prefix: str | None
    precision: Precision
    math: Math
    stage: ExportStage
    drives: Drives | None
    results: str | None
    checks: Checks | None
    arrangement: str | None
    branch: str | None
    period: float | None
    ranges: str | None
    packagings: str
    batch: bool
    iterative: int | None
    begin: float | None
    assembly: int | None
    targets: bool
    force: bool
    as_json: bool


def export_embedded(request: EmbeddedRequest) -> None:
    """Write the tree of an export; print what it holds."""
    from symgen.export.bundle import MANIFEST, PACKAGINGS, bundle
    from symgen.model.nearest import did_you_mean

    out = Path(request.out)
    packagings = names_of(request.packagings)
    for name in packagings:
        if name not in PACKAGINGS:
            hint = did_you_mean(name, PACKAGINGS)
            raise InputError(f"--packaging {name}: not known{hint} (allowed: {', '.join(PACKAGINGS)})")
    if not request.out.strip():
        raise InputError("--out: give a folder")
    check_folder(out, MANIFEST, force=request.force)
    subject = _subject(request)
    files = bundle(subject, packagings, _command(request), targets=request.targets)
    with staging(out.parent) as stage:
        folder = stage / out.name
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        for file in check_folder(out, MANIFEST, force=request.force, title=subject.title):
            click.echo(f"--force: {file} is given up", err=True)
        replace_folder(folder, out)
    manifest = json.loads(files[MANIFEST])
    if request.as_json:
        click.echo(json.dumps(manifest, indent=2))
    else:
        _tell(manifest)
    for note in manifest["notes"]:
        click.echo(f"note: {note}", err=True)
    for reason in manifest["not_run"]:
        click.echo(f"not run: {reason}", err=True)
    tell_written(out, f" ({len(files)} files)")


def is_mechanism(what: str) -> bool:
    """Tell whether an argument is a mechanism file; else it is a type."""
    return Path(what).suffix.lower() in _MECHANISM_ENDS or Path(what).is_file()


def _subject(request: EmbeddedRequest) -> Subject:
    import symgen
    from symgen.export.ranges import read_ranges

    given = None if request.ranges is None else read_ranges(Path(request.ranges))
    if not is_mechanism(request.what):
        return _type_subject(request, given)
    from symgen.export.mechanism import MechanismRequest, mechanism_subject
    from symgen.model.load import load
    from symgen.whole.asked import RESULTS

    if request.arrangement is not None:
        raise click.UsageError("--arrangement belongs to a TYPE; a mechanism says itself how its joints lie")
    mechanism = load(request.what)
    return mechanism_subject(
        mechanism,
        symgen.library(),
        MechanismRequest(
            prefix=request.prefix,
            precision=request.precision,
            math=request.math,
            stage=request.stage,
            drives=request.drives or "inputs",
            results=RESULTS if request.results is None else names_given("--results", (request.results,)),
            checks=request.checks or "needed",
            branch=request.branch or "reference",
            period=1e-3 if request.period is None else request.period,
            ranges=given,
            iterative=request.iterative,
            batch=request.batch,
            own_period=request.period is not None,
            command=_command(request),
            begin=request.begin or 0.0,
            assembly=request.assembly,
        ),
    )


def _type_subject(request: EmbeddedRequest, ranges: Mapping[str, tuple[float, float]] | None) -> Subject:
    from symgen.export.solved_type import TypeRequest, type_subject

    for option, value in (
        ("--drives", request.drives), ("--results", request.results), ("--checks", request.checks),
        ("--period", request.period), ("--allow-iterative", request.iterative), ("--at", request.begin),
        ("--assembly", request.assembly),
    ):  # fmt: skip
        if value is not None:
            raise click.UsageError(f"{option} belongs to a mechanism; {request.what} is a type")
    asked = TypeRequest(
        request.prefix, request.precision, request.math, request.stage, request.branch, ranges, request.batch,
        _command(request),
    )  # fmt: skip
    return type_subject(_entry(request.what, request.arrangement), asked)


def _entry(text: str, arrangement: str | None) -> Entry:
    """Return the one solved type that is meant.

    Raises
    ------
    InputError
        There is none in closed form, or several, and which one is not said.
    """
    import symgen
    from symgen.cli.library import entries_of
    from symgen.model.nearest import did_you_mean

    found = entries_of(symgen.library(), text)
    if not found[0].manifest.files:
        raise InputError(
            f"{text}: there is no closed form, only certified Newton from a start; export a mechanism of it"
        )
    names = [entry.arrangement.id for entry in found]
    if arrangement is None and len(found) > 1:
        raise InputError(f"{text}: there are several arrangements; say which with --arrangement {'|'.join(names)}")
    if arrangement is not None and arrangement not in names:
        raise InputError(
            f"--arrangement {arrangement}: not one of {', '.join(names)}{did_you_mean(arrangement, names)}"
        )
    return found[0] if arrangement is None else found[names.index(arrangement)]


def _command(request: EmbeddedRequest) -> str:
    """Return the command that makes the export again, without the places of files on this machine."""
    words = ["export", Path(request.what).name if is_mechanism(request.what) else request.what, "--for", "embedded"]
    options: Sequence[tuple[str, Any, Any]] = (
        ("--prefix", request.prefix, None), ("--precision", request.precision, "float"),
        ("--math", request.math, "own"), ("--stages", request.stage, "all"), ("--drives", request.drives, None),
        ("--results", request.results, None), ("--checks", request.checks, None),
        ("--arrangement", request.arrangement, None), ("--branch", request.branch, None),
        ("--period", request.period, None), ("--ranges", request.ranges and Path(request.ranges).name, None),
        ("--packaging", request.packagings, "cmake"), ("--allow-iterative", request.iterative, None),
        ("--at", request.begin, None), ("--assembly", request.assembly, None),
    )  # fmt: skip
    for option, value, usual in options:
        if value is not None and value != usual:
            words += [option, str(value)]
    return shlex.join([*words, *(["--batch"] if request.batch else []), "--out", "DIR"])


def _tell(manifest: Mapping[str, Any]) -> None:
    """Print what an export takes and gives, and what it costs."""
    from symgen.cli.console import table_console
    from symgen.cli.table import numbers, print_table, texts

    click.echo(
        f"{manifest['title']}: {len(manifest['inputs'])} inputs, {len(manifest['results'])} results, "
        f"{manifest['precision']}, a state of {manifest['state_bytes']} B"
    )
    rows = []
    for name, told in manifest["figures"]["targets"].items():
        differ, cost = told["selftest_differ"], told["instructions"]
        rows.append(
            (
                name,
                "built only" if differ is None else f"{differ} differ",
                told["code_bytes"],
                told["stack_bytes"],
                None if cost["mean"] is None else f"{cost['mean']} ({cost['min']} to {cost['max']})",
            )
        )
    if rows:
        columns = [*texts("core", "self-test"), *numbers("code [B]", "stack [B]", "instructions a step")]
        print_table(table_console(), columns, rows)
    found = ", ".join(f"{count} {name}" for name, count in manifest["vectors"].items())
    click.echo(f"self-test: {sum(manifest['vectors'].values())} steps ({found})")


def check_folder(out: Path, manifest: str, *, force: bool, title: str | None = None) -> list[Path]:
    """Refuse a folder that holds what symgen did not export there, or what has been edited since.

    Parameters
    ----------
    title : of what takes its place; None if it is not known yet.

    Returns
    -------
    list of Path
        Edited files that are given up because `force` allows it.

    Raises
    ------
    InputError
        With the file that stands in the way.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise InputError(f"--out {out}: this is a file or a link; give a folder")
    if not out.is_dir() or not any(out.iterdir()):
        return []
    try:
        tree = json.loads((out / manifest).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        tree = {}
    is_ours = isinstance(tree, dict) and str(tree.get("schema")).startswith("symgen/export/")
    digests = tree.get("files") if is_ours else None
    if not isinstance(digests, dict):
        first = min(path.name for path in out.iterdir())
        raise InputError(f"--out {out}: holds {first!r}, which symgen did not export there; choose another folder")
    if title not in (None, tree.get("title")) and not force:
        raise InputError(
            f"--out {out}: holds the export of {tree.get('title')}; choose another folder, or give --force"
        )
    found = {
        path.relative_to(out).as_posix()
        for path in out.rglob("*")
        if path.is_file() and _IGNORED.isdisjoint(path.relative_to(out).parts)
    }
    foreign = sorted(found - set(digests) - {manifest})
    if foreign:
        raise InputError(
            f"--out {out}: holds {foreign[0]!r}, which symgen did not export there; move it away, or take"
            " another folder"
        )
    edited = [
        out / name for name in sorted(found & set(digests))
        if hashlib.sha256((out / name).read_bytes()).hexdigest() != digests[name]
    ]  # fmt: skip
    if edited and not force:
        raise InputError(f"{edited[0]} has been edited; choose another --out, or give --force")
    return edited
