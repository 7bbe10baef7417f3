"""``symgen generate``: derive structural groups and write their solver modules."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from symgen.cli.publishing import check_destination, publish, staging
from symgen.errors import InputError, StructureError, UnsolvedTypeError

if TYPE_CHECKING:
    from symgen.printers.c99 import Precision

Word = TypeVar("Word", bound=str)

PRECISIONS: tuple[Precision, ...] = ("double", "float")
BACKENDS: tuple[str, ...] = ("c", "numpy")


@click.command(name="generate")
@click.argument("types", metavar="[TYPE]...", nargs=-1)
@click.option("--mechanism", metavar="MECH", help="Generate what this mechanism file's structural groups need.")
@click.option("--loops", is_flag=True, help="Generate the loop constraints of MECH instead of its groups' solvers.")
@click.option(
    "--order",
    metavar="N",
    type=click.IntRange(1, 8),
    default=2,
    show_default=True,
    help="With --loops: highest derivative of the closure.",
)
@click.option("--cotree", metavar="A,B,...", help="With --loops: joints outside the spanning tree; see symgen graph.")
@click.option("--reverse", metavar="A,B,...", help="With --loops: joints whose coordinates change sign.")
@click.option("--name", metavar="ID", help="With --loops: name of the module.  [default: the mechanism's, _loops]")
@click.option("--all", "everything", is_flag=True, help="Generate every type that symgen can derive.")
@click.option("--out", metavar="DIR", default="generated", show_default=True, help="Folder to write into.")
@click.option("--precision", default="double,float", show_default=True, help="Which real types: double, float.")
@click.option("--backend", default="c,numpy", show_default=True, help="Which languages: c, numpy.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document of the files written.")
def command(
    types: tuple[str, ...],
    mechanism: str | None,
    loops: bool,
    order: int,
    cotree: str | None,
    reverse: str | None,
    name: str | None,
    everything: bool,
    out: str,
    precision: str,
    backend: str,
    as_json: bool,
) -> None:
    """Derive structural groups and write their solvers in C and NumPy.

    A TYPE is a module (dyad_rrr) or a signature ("R.R.R 2D"). Each module
    becomes a folder of its own below DIR: C source and header, NumPy, and a
    manifest. A folder that symgen did not write is never replaced.
    """
    precisions = _choice("--precision", precision, PRECISIONS)
    backends = _choice("--backend", backend, BACKENDS)
    if loops:
        if mechanism is None or types or everything:
            raise click.UsageError("--loops takes --mechanism MECH, and neither TYPE nor --all")
        from symgen.cli.generate_loops import LoopRequest, generate_loops

        request = LoopRequest(mechanism, order, cotree, reverse, name)
        module, written = generate_loops(request, Path(out), precisions, backends)
        if as_json:
            click.echo(json.dumps(_document(Path(out), [module], written), indent=2))
        return
    if cotree or reverse or name:
        raise click.UsageError("--cotree, --reverse and --name belong to --loops")
    from symgen import pipeline

    modules = _chosen(pipeline.known_modules(), types, mechanism, everything)
    target = Path(out)
    check_destination(target, modules)
    files: list[Path] = []
    with staging(target) as folder:
        for number, module in enumerate(modules, start=1):
            started = time.perf_counter()
            pipeline.generate([module], folder, precisions=precisions, backends=backends)
            files += publish(folder, target)
            seconds = time.perf_counter() - started
            click.echo(f"[{number}/{len(modules)}] {module}: {target / module}  ({seconds:.1f} s)", err=True)
    if as_json:
        click.echo(json.dumps(_document(target, modules, files), indent=2))


def _chosen(known: tuple[str, ...], types: tuple[str, ...], mechanism: str | None, everything: bool) -> list[str]:
    """Return the modules to generate, each once, in the order of `known`."""
    wanted: set[str] = set(known) if everything else set()
    for text in types:
        wanted |= _modules_of_type(text, known)
    if mechanism is not None:
        wanted |= _modules_of_mechanism(mechanism)
    if not wanted:
        raise click.UsageError(f"say what to generate: a TYPE, --mechanism MECH or --all (types: {', '.join(known)})")
    return [module for module in known if module in wanted]


def _modules_of_type(text: str, known: tuple[str, ...]) -> set[str]:
    if text in known:
        return {text}
    if "." in text or " " in text:  # a signature, such as "R.R.R 2D"
        return _modules_of_signature(text)
    from symgen.model.nearest import did_you_mean

    raise InputError(f"no type {text!r}{did_you_mean(text, known)} (types: {', '.join(known)})")


def _modules_of_signature(signature: str) -> set[str]:
    """Return the modules that solve a signature; several if it leaves open which freedom is driven."""
    from symgen.library.catalogue import load_catalogue

    catalogue = load_catalogue()
    found = {entry.manifest.id for entry in catalogue.matching(signature)}
    if not found:
        from symgen.library.signatures import check_signature

        check_signature(signature)
        from symgen.topology.regularity import irregularity

        reason = irregularity(signature)
        if reason is not None:
            raise UnsolvedTypeError(reason)
        near = catalogue.nearest(signature)
        hint = f"; nearest are {', '.join(near)}" if near else ""
        raise UnsolvedTypeError(f'symgen cannot derive the type "{signature}"{hint}')
    return found


def _modules_of_mechanism(file: str) -> set[str]:
    import symgen

    structure = symgen.analyse(symgen.load(file))
    found: set[str] = set()
    for group in structure.groups:
        try:
            found |= _modules_of_signature(group.signature)
        except UnsolvedTypeError as error:
            raise UnsolvedTypeError(f"{file}: group {group.number} ({', '.join(group.bodies)}): {error}") from error
    if not found:
        raise StructureError(f"{file}: no structural group was found; `symgen analyse {file}` says why")
    return found


def _document(out: Path, modules: list[str], files: Iterable[Path]) -> dict[str, object]:
    names = sorted({path.relative_to(out).as_posix() for path in files})
    return {"schema": "symgen/generate/1", "out": str(out), "modules": modules, "files": names}


def _choice(option: str, text: str, allowed: tuple[Word, ...]) -> tuple[Word, ...]:
    """Split a comma-separated option; the answer is in the order of `allowed`."""
    from symgen.model.nearest import did_you_mean

    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in allowed:
            raise InputError(f"{option}: {word!r} is not one of {', '.join(allowed)}{did_you_mean(word, allowed)}")
    if not words:
        raise InputError(f"{option}: nothing chosen; give one or more of {','.join(allowed)}")
    return tuple(name for name in allowed if name in words)
