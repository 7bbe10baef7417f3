"""``symgen library``: what is solved; compile it; solve one group; clean the cache."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from symgen.cli.options.deriving import no_derive
from symgen.cli.options.name_lists import names_of
from symgen.cli.terminal.progress import progress_bar
from symgen.errors import InputError
from symgen.naming import did_you_mean

if TYPE_CHECKING:
    from symgen.build.recipe import ModuleSources
    from symgen.library.catalogue import Entry, Module
    from symgen.library.lanes import Form
    from symgen.library.manifest import Function
    from symgen.library.open import Library
    from symgen.library.solved_type import BackendName, Precision

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_EXIT_NO, _EXIT_BAD_INPUT = 1, 2
#: What stands for the engines of dynamics among types.
_ENGINES = "engines"
if TYPE_CHECKING:
    #: Compiles something and says what.
    _Job = Callable[[], dict[str, Any]]
    #: A module and precision to compile; with a function and a form: that function in lanes, for batches of that form.
    _Work = tuple[Module, str, tuple[Function, Form] | None]


class _OfTypes(click.Group):
    """Subcommands; a verb of symgen among them is answered with the verb."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand; an unknown one is refused with what is meant, or with those there are."""
        word = args[0]
        if word not in self.commands and not word.startswith("-"):
            verbs = ctx.parent.command if ctx.parent is not None else None
            if isinstance(verbs, click.Group) and word in verbs.list_commands(ctx):
                raise click.UsageError(f"no subcommand {word!r}; did you mean `symgen {word}`?", ctx=ctx)
            near = did_you_mean(word, self.commands) or f"; there are {', '.join(self.commands)}"
            raise click.UsageError(f"no subcommand {word!r}{near}", ctx=ctx)
        return super().resolve_command(ctx, args)


@click.group(name="library", cls=_OfTypes, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """List, show and build solved types, solve one group, or clean the cache.

    Solved types ship with symgen; folders in $SYMGEN_LIBRARY are searched first.
    """


@command.command(name="list")
@_JSON
def list_types(as_json: bool) -> None:
    """List the solved types."""
    from symgen.library.catalogue import load_catalogue
    from symgen.library.description import describe_catalogue

    document = describe_catalogue(load_catalogue())
    if as_json:
        click.echo(json.dumps(document, indent=2))
        return
    from symgen.cli.tables.library import print_types

    print_types(document)


@command.command(name="show")
@click.argument("type_", metavar="TYPE")
@click.option("--steps/--no-steps", default=True, show_default=True, help="Show the derivation.")
@no_derive
@_JSON
def show_type(type_: str, steps: bool, derive: bool | None, as_json: bool) -> None:
    """Show one solved type: ports, branches, statuses, derivation, proofs, files.

    TYPE is a signature ("R.S.U 3D"), a key that names the driven freedom
    ("U.C*slide.S 3D"), or a module (dyad_rrr). A closed form that no module
    holds yet is derived, once.
    """
    import symgen
    from symgen.library.description import describe_newton, describe_type

    entries = entries_of(symgen.library(derive=derive), type_)
    documents = [describe_type(entry) if entry.manifest.files else describe_newton(entry) for entry in entries]
    if as_json:
        shown: Any = documents[0] if len(documents) == 1 else documents
        click.echo(json.dumps(shown, indent=2))
        return
    from symgen.cli.tables.library import print_type

    for document in documents:
        print_type(document, steps=steps)


@command.command(name="build")
@click.argument("types", metavar="[TYPE]...", nargs=-1)
@click.option("--precision", default="double,float", show_default=True, help="Precisions: double, float.")
@click.option(
    "--lanes",
    is_flag=True,
    help="Also compile batches for vector registers, each function for rows and for columns: half a minute for a "
    "planar type, a minute or more for a spatial one, in each precision. Otherwise the first batch of 1024 rows or "
    "more in Python compiles the one it needs, and `symgen solve` goes row by row.",
)
@no_derive
@_JSON
def build(types: tuple[str, ...], precision: str, lanes: bool, derive: bool | None, as_json: bool) -> None:
    """Compile solved types into the cache; all of them if no TYPE is given.

    The word engines stands for the engines of `symgen simulate` that serve
    mechanisms of up to 16 bodies: 15 engines of some three seconds each.
    Otherwise the first simulation compiles the one that it needs.
    """
    precisions = _precisions(precision)
    if _ENGINES in types and "double" not in precisions:
        raise InputError(
            f"--precision {precision}: the {_ENGINES} of symgen simulate are compiled in double only, to whose "
            "rounding they keep constraints; leave --precision out, or add double"
        )
    import symgen

    library = symgen.library(derive=derive)
    named = [text for text in types if text != _ENGINES]
    entries = [entry for text in named for entry in entries_of(library, text, beside=(_ENGINES,))]
    for entry in entries:
        if not entry.manifest.files:
            click.echo(f"{entry.key}: solved by certified Newton; there is no separate module to build", err=True)
    modules = [entry.module for entry in entries if entry.manifest.files] if types else library.catalogue.modules
    chosen = {module.manifest.id: module for module in modules}
    work: list[_Work] = [(module, each, None) for module in chosen.values() for each in precisions]
    if lanes:
        from symgen.library.lanes import FORMS

        work += [
            (module, each, (function, form))
            for module, each, _ in tuple(work)
            for function in module.manifest.functions
            if function.lanes
            for form in FORMS
        ]
        for name, module in chosen.items():
            if types and not any(function.lanes for function in module.manifest.functions):
                click.echo(f"{name}: its functions iterate, so their batches go row by row, without lanes", err=True)
    _check_cache()
    jobs: list[_Job] = [partial(_build_one, *each) for each in work]
    if _ENGINES in types:
        from symgen.simulate.common_engines import common_engines

        jobs += [partial(_build_engine, *each) for each in common_engines()]
    rows = _build_all(jobs, quiet=as_json)
    if as_json:
        click.echo(json.dumps({"schema": "symgen/build-report/1", "modules": rows}, indent=2))


def _check_cache() -> None:
    """Refuse to compile what would be lost.

    Raises
    ------
    InputError
        The cache cannot be written.
    """
    from symgen.build.entries import VARIABLE, cache_place
    from symgen.build.upkeep import survey

    place = cache_place()
    if survey(place) is None:
        raise InputError(
            f"the cache folder {place} cannot be written, so nothing would be kept; set {VARIABLE} to a folder that can"
        )


@command.command(name="clean")
@click.option("--all", "everything", is_flag=True, help="Remove everything that no running process uses.")
@_JSON
def clean(everything: bool, as_json: bool) -> None:
    """Clean the cache of compiled modules and derived closed forms.

    Removes damaged and incomplete entries. If the cache is larger than
    $SYMGEN_CACHE_LIMIT (default 500 MB; a size such as "2 GB", or "none"), it
    also removes the entries that were unused for longest. The same happens
    automatically whenever something is compiled. Entries that a running
    process uses stay. Removed entries are made again when they are needed.
    """
    from symgen.build.entries import cache_place
    from symgen.build.upkeep import clean as clean_cache

    place = cache_place()
    done = clean_cache(place, everything)
    if as_json:
        report = {"schema": "symgen/clean-report/1", "cache": str(place), **asdict(done)}
        click.echo(json.dumps(report, indent=2))
        return
    click.echo(
        f"{place}: removed {_entries(done.removed, done.removed_bytes)}, kept {_entries(done.kept, done.kept_bytes)}"
    )


def _entries(count: int, size: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'} of {size / 1e6:.1f} MB"


@command.command(name="solve")
@click.argument("instance", metavar="INSTANCE")
@click.option("--precision", default="double", show_default=True, type=click.Choice(["double", "float"]))
@click.option("--backend", default="auto", show_default=True, type=click.Choice(["auto", "c", "numpy"]))
@no_derive
@_JSON
def solve(instance: str, precision: Precision, backend: BackendName, derive: bool | None, as_json: bool) -> None:
    """Solve one group between bodies of known motion, all branches.

    INSTANCE is a file symgen/group-instance/1, TOML or JSON. A closed form that
    no module holds yet is derived, once; a group without one is solved by
    certified Newton iteration. Exit status 1 if the group does not assemble.
    """
    import symgen
    from symgen.library.instance import load_instance
    from symgen.library.solve_instance import solve_instance

    library = symgen.library(precision=precision, backend=backend, derive=derive)
    answer = solve_instance(library, load_instance(instance))
    if as_json:
        click.echo(json.dumps(answer, indent=2, allow_nan=False))
    else:
        from symgen.cli.tables.library import print_solution

        print_solution(answer)
    if "reason" in answer:
        click.echo(f"{instance}: {answer['reason']}", err=True)
    if answer["status"] == "BAD_INPUT":
        raise SystemExit(_EXIT_BAD_INPUT)
    if not answer["branches"]:
        raise SystemExit(_EXIT_NO)


def entries_of(library: Library, text: str, *, beside: tuple[str, ...] = ()) -> list[Entry]:
    """Return the solved types meant by a signature, a key or a module's id.

    Parameters
    ----------
    beside : words that mean something else there, offered like ids to somebody who misspells one.
    """
    catalogue = library.catalogue
    if catalogue.module(text) is not None:
        every = (*catalogue.entries, *catalogue.formulas)
        return [entry for entry in every if entry.manifest.id == text]
    found = list(catalogue.matching(text))
    offered = None if found else library.offered_for(text)
    if offered is not None:
        return list(offered.matching(text) or offered.entries or offered.formulas)
    if not found:
        _check_word(text, [*beside, *(module.manifest.id for module in catalogue.modules)])
        catalogue.check(text)
        found = _beside_the_catalogue(library, text)
    return found or [catalogue.find(text)]


def _check_word(text: str, known: list[str]) -> None:
    """Refuse a file, the beginning of names that are known, and what is nearly one; signatures have dots or blanks."""
    from symgen.library.own_modules import seen_nearby
    from symgen.model.nearest import list_names, nearest

    if os.path.isfile(text):
        raise InputError(
            f"{text} is a file, and here a type is named, such as 'R.S.U 3D' or dyad_rrr. "
            + (
                f"If it is a derivation of your own, `symgen generate {text} --out DIR` makes a module of it"
                if text.endswith(".py")
                else f"If it is a mechanism, `symgen analyse {text}` tells its types"
            )
        )
    longer = [name for name in known if name.startswith(f"{text}_")]
    if longer and not seen_nearby(text):
        raise InputError(f"no type {text!r}; names that begin so are {list_names(longer)}")
    near = None if "." in text or " " in text else nearest(text, known)
    if near is not None and not seen_nearby(text):
        raise InputError(f"no type {text!r}; did you mean {near!r}?")


def _beside_the_catalogue(library: Library, text: str) -> list[Entry]:
    """Return what is derived for a signature or key, or its solved type by certified Newton."""
    from symgen.library.newton.entry import newton_entry

    iterated = newton_entry(text)
    more = library.derived_for(text)
    if more is not None:
        return list(more.matching(text) or more.entries)
    return [] if iterated is None else [iterated]


def _precisions(text: str) -> list[str]:
    words = list(dict.fromkeys(names_of(text)))
    for word in words:
        if word not in ("double", "float"):
            raise InputError(f"--precision: {word!r} is not one of double, float")
    if not words:
        raise InputError("--precision: nothing chosen; give double, float or both")
    return words


def _build_all(jobs: list[_Job], quiet: bool) -> list[dict[str, Any]]:
    """Compile on two threads (the compiler runs in processes of its own); rows come in the order of `jobs`."""
    from concurrent.futures import ThreadPoolExecutor

    from symgen.build.load import build_module
    from symgen.library.rows_call import rows_sources

    build_module(rows_sources())  # what hands arrays to all of them
    rows = []
    with progress_bar("compiling", len(jobs), quiet=quiet) as progress, ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(job) for job in jobs]
        try:
            for future in futures:
                row = future.result()
                rows.append(row)
                what = " ".join(filter(None, (row["module"], row["precision"], row.get("lanes"), row.get("form"))))
                progress.advance(what)
                if row["compiled"] and not quiet and not sys.stderr.isatty():  # on a terminal it was said before
                    progress.line(f"{what}: compiled")
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    if not quiet:
        fresh = sum(row["compiled"] for row in rows)
        cached = f"{len(rows) - fresh} {'was' if len(rows) - fresh == 1 else 'were'} in the cache"
        click.echo(f"{fresh} compiled, {cached}" if fresh else f"nothing to compile: {cached}", err=True)
    return rows


def _build_engine(name: str, sources: ModuleSources) -> dict[str, Any]:
    """Compile an engine of dynamics."""
    from symgen.build.load import build_module

    built = build_module(sources)
    return {
        "module": name,
        "precision": "double",
        "compiled": built.fresh,
        "key": built.key,
        "file": str(built.library),
    }


def _build_one(module: Module, precision: str, in_lanes: tuple[Function, Form] | None) -> dict[str, Any]:
    """Compile a module, or one of its functions in lanes for rows or for columns."""
    from symgen.build.load import build_module
    from symgen.library.lanes import lanes_sources
    from symgen.library.sources import sources_of

    sources = sources_of(module, precision) if in_lanes is None else lanes_sources(module, precision, *in_lanes)
    built = build_module(sources)
    return {
        "module": module.manifest.id,
        "precision": precision,
        **({} if in_lanes is None else {"lanes": in_lanes[0].name, "form": in_lanes[1]}),
        "compiled": built.fresh,
        "key": built.key,
        "file": str(built.library),
    }
