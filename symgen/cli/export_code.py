"""Code for another system: what is exported is read, the system's backend makes files, which are written whole."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symgen.cli.options.name_lists import names_given
from symgen.cli.options.own import entries_of_file, is_own_file
from symgen.cli.terminal.files import tell_written, write_bytes
from symgen.cli.terminal.progress import progress_bar
from symgen.cli.terminal.publishing import replace_folder, staging
from symgen.errors import InputError
from symgen.export.backend import Asked, DynamicsBackend, ExportBackend, Product, as_bytes

if TYPE_CHECKING:
    from symgen.export.subject import ExportStage, Subject
    from symgen.library.catalogue import Entry
    from symgen.printers.c99 import Math, Precision
    from symgen.whole.asked import Checks
    from symgen.whole.layout import Drives

_MECHANISM_ENDS = (".toml", ".json", ".m", ".urdf", ".xml")
_IGNORED = {"__pycache__"}
#: The first date that an archive can hold: every file has it, so that the same files are the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class CodeRequest:
    """What the command line asks for; what is None was not given."""

    what: str
    out: str
    force: bool
    as_json: bool
    settings: Mapping[str, Any]
    command: str
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
    batch: bool
    iterative: int | None
    begin: float | None
    assembly: int | None


def export_code(request: CodeRequest, backend: ExportBackend) -> None:
    """Write an export; print what there is to know of it."""
    out = Path(request.out)
    if not request.out.strip():
        raise InputError("--out: give a folder")
    backend.check(request.settings)
    if "--math" not in backend.common:  # it has functions of its own
        request = replace(request, math="libm")
    packed = _is_archive(out, backend)
    check = check_archive if packed else check_folder
    check(out, backend.manifest, force=request.force)
    with progress_bar("exporting", quiet=request.as_json):
        product = _product(request, backend)
    given_up = check(out, backend.manifest, force=request.force, title=product.manifest["title"])
    if packed:
        write_bytes(out, archive(product.files))
    else:
        with staging(out.parent) as stage:
            folder = stage / out.name
            for name, text in product.files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(as_bytes(text))
            replace_folder(folder, out)
    for file in given_up:
        click.echo(f"--force: {file} is discarded", err=True)
    _tell(product, as_json=request.as_json)
    tell_written(out, f" ({len(product.files)} files)")


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """Return files as one archive: stored as they are, in order of their names, without a date of today.

    What compresses differs from machine to machine in its bytes.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            packed.writestr(entry, as_bytes(files[name]))
    return stream.getvalue()


def _is_archive(out: Path, backend: ExportBackend) -> bool:
    """Tell whether `--out` names one file.

    Raises
    ------
    InputError
        The name ends in something else than the backend's ending, or its folder is missing.
    """
    if not backend.archive:
        return False
    if out.suffix == backend.archive:
        if out.is_dir():
            raise InputError(
                f"--out {out}: this is a folder; give another name, or one that does not end in {out.suffix}"
            )
        if not out.parent.is_dir():
            raise InputError(f"--out {out}: there is no folder {str(out.parent)!r}; make it first")
        return True
    if out.suffix and not out.is_dir():
        raise InputError(
            f"--out {out}: the name of a file must end in {backend.archive}, that of a folder has no suffix"
        )
    return False


def is_mechanism(what: str) -> bool:
    """Tell whether an argument is a mechanism file; else it is a type."""
    return Path(what).suffix.lower() in _MECHANISM_ENDS or (Path(what).is_file() and not is_own_file(what))


def _product(request: CodeRequest, backend: ExportBackend) -> Product:
    asked = Asked(request.command, request.settings)
    if request.settings.get("dynamics") and isinstance(backend, DynamicsBackend):
        from symgen.model.load import load

        return backend.dynamics(load(request.what), request.prefix, asked)
    return backend.files(_subject(request, tangent=backend.tangent), asked)


def _subject(request: CodeRequest, *, tangent: bool) -> Subject:
    import symgen
    from symgen.export.ranges import read_ranges

    given = None if request.ranges is None else read_ranges(Path(request.ranges))
    if not is_mechanism(request.what):
        return _type_subject(request, given, tangent=tangent)
    from symgen.export.mechanism import MechanismRequest, mechanism_subject
    from symgen.model.load import load
    from symgen.whole.asked import RESULTS

    if request.arrangement is not None:
        raise click.UsageError(
            "--arrangement belongs to a TYPE; the file of a mechanism defines the arrangement of its joints"
        )
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
            command=request.command,
            begin=request.begin or 0.0,
            assembly=request.assembly,
            tangent=tangent,
        ),
    )


def _type_subject(request: CodeRequest, ranges: Mapping[str, tuple[float, float]] | None, *, tangent: bool) -> Subject:
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
        request.command, tangent,
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

    found = entries_of_file(text) if is_own_file(text) else entries_of(symgen.library(), text)
    if not found[0].manifest.files:
        raise InputError(
            f"{text}: there is no closed form, only certified Newton from a start; export a mechanism of it"
        )
    names = [entry.arrangement.id for entry in found]
    if arrangement is None and len(found) > 1:
        raise InputError(f"{text}: there are several arrangements; choose one with --arrangement {'|'.join(names)}")
    if arrangement is not None and arrangement not in names:
        raise InputError(
            f"--arrangement {arrangement}: not one of {', '.join(names)}{did_you_mean(arrangement, names)}"
        )
    return found[0] if arrangement is None else found[names.index(arrangement)]


def _tell(product: Product, *, as_json: bool) -> None:
    """Print what an export takes and gives, and what it costs."""
    from symgen.cli.tables.table import numbers, print_table, texts
    from symgen.cli.terminal.console import table_console

    if as_json:
        click.echo(json.dumps(product.manifest, indent=2))
    else:
        for line in product.said:
            click.echo(line)
        if product.table:
            head, *rows = product.table
            first = next((k for k in range(len(head)) if isinstance(rows[0][k], (int, float))), len(head))
            titles = [str(title) for title in head]
            print_table(table_console(), [*texts(*titles[:first]), *numbers(*titles[first:])], rows)
    for note in product.notes:
        click.echo(f"note: {note}", err=True)
    for reason in product.not_run:
        click.echo(f"not run: {reason}", err=True)


def check_archive(out: Path, manifest: str, *, force: bool, title: str | None = None) -> list[Path]:
    """Refuse a file that symgen did not export, or that has been edited since; as `check_folder`."""
    if out.is_symlink() or (out.exists() and not out.is_file()):
        raise InputError(f"--out {out}: this is a link or not a file; give another name")
    if not out.exists():
        return []
    try:
        with zipfile.ZipFile(out) as packed:
            found = {name: packed.read(name) for name in packed.namelist() if not name.endswith("/")}
        tree = json.loads(found.pop(manifest))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        found, tree = {}, None
    digests = _digests(tree)
    if digests is None:
        raise InputError(f"--out {out}: symgen did not export this file; give another name")
    _check_title(out, tree, title, force=force)
    edited = found.keys() != digests.keys() or any(_digest(found[name]) != digests[name] for name in found)
    if edited and not force:
        raise InputError(f"--out {out}: it has been edited; give another name, or --force")
    return [out] if edited else []


def _digests(tree: object) -> dict[str, str] | None:
    """Return the digests of a manifest of an export; None if it is none."""
    is_ours = isinstance(tree, dict) and str(tree.get("schema")).startswith("symgen/export/")
    digests = tree.get("files") if is_ours and isinstance(tree, dict) else None
    return digests if isinstance(digests, dict) else None


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _check_title(out: Path, tree: Any, title: str | None, *, force: bool) -> None:
    if title not in (None, tree.get("title")) and not force:
        raise InputError(f"--out {out}: holds the export of {tree.get('title')}; choose another name, or give --force")


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
        tree = None
    digests = _digests(tree)
    if digests is None:
        first = min(path.name for path in out.iterdir())
        raise InputError(f"--out {out}: holds {first!r}, which symgen did not export there; choose another folder")
    _check_title(out, tree, title, force=force)
    found = {
        path.relative_to(out).as_posix()
        for path in out.rglob("*")
        if path.is_file() and _IGNORED.isdisjoint(path.relative_to(out).parts)
    }
    foreign = sorted(found - set(digests) - {manifest})
    if foreign:
        raise InputError(
            f"--out {out}: holds {foreign[0]!r}, which symgen did not export there; move it away, or choose another "
            "folder"
        )
    edited = [
        out / name for name in sorted(found & set(digests)) if _digest((out / name).read_bytes()) != digests[name]
    ]
    if edited and not force:
        raise InputError(f"{edited[0]} has been edited; choose another --out, or give --force")
    return edited
