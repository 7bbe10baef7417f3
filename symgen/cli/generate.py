"""``symgen generate``: derive structural groups and write their solver modules."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from click.core import ParameterSource

from symgen.cli.couplings import load_uncounted
from symgen.cli.generation import Choice, generate_modules, processors
from symgen.cli.numbers import WholeNumber
from symgen.cli.own import know, own_option
from symgen.cli.publishing import Replacement, check_destination
from symgen.errors import InputError, StructureError, UnsolvedTypeError

if TYPE_CHECKING:
    from symgen.derivations.sources import Own
    from symgen.printers.c99 import Math, Precision
    from symgen.simulate.mechanism_tables import Structure
    from symgen.whole.asked import Checks
    from symgen.whole.layout import Drives, Geometry

Word = TypeVar("Word", bound=str)

PRECISIONS: tuple[Precision, ...] = ("double", "float")
BACKENDS: tuple[str, ...] = ("c", "numpy")
_EXIT_NO = 1


@click.command(name="generate")
@click.argument("types", metavar="[TYPE]...", nargs=-1)
@click.option(
    "--mechanism", metavar="MECH", help="Generate the solvers that the structural groups of this mechanism need."
)
@click.option("--dynamics", is_flag=True, help="Write the C of MECH's dynamics: engine, tables, example.")
@click.option(
    "--structure",
    default="tree",
    type=click.Choice(["tree", "dense"]),
    help="With --dynamics: unknowns, as for symgen simulate.  [default: tree]",
)
@click.option(
    "--method",
    type=click.Choice(["dimcd", "riccati"]),
    help="With --dynamics: method of the engine, as for symgen simulate.  [default: dimcd]",
)
@click.option("--loops", is_flag=True, help="Generate the loop constraints of MECH instead of its groups' solvers.")
@click.option(
    "--order",
    metavar="N",
    type=WholeNumber("derivatives", 1, 8),
    default=2,
    show_default=True,
    help="With --loops: highest derivative of the closure.",
)
@click.option("--cotree", metavar="A,B,...", help="With --loops: joints outside the spanning tree; see symgen graph.")
@click.option("--reverse", metavar="A,B,...", help="With --loops: joints whose coordinates change sign.")
@click.option("--whole", is_flag=True, help="Generate one module that solves all of MECH in one call.")
@click.option(
    "--geometry",
    type=click.Choice(["constants", "parameters"]),
    help="With --whole: compile the joint frames in, or make them an input.  [default: constants]",
)
@click.option(
    "--drives",
    type=click.Choice(["laws", "inputs"]),
    help="With --whole: compile the drive laws in, or make values, rates and accelerations inputs.  [default: laws]",
)
@click.option(
    "--results",
    metavar="A,B,...",
    help="With --whole: the results: kinds, and BODY, JOINT, JOINT.FREEDOM, BODY.POINT.  [default: "
    "bodies,joints,points]",
)
@click.option(
    "--math",
    type=click.Choice(["libm", "own"]),
    help="sin, cos and atan2 in the C code: symgen's own (symgen_math.h), with the same bits on every machine, or "
    "those of <math.h>. Not for --dynamics and --engines.  [default: own]",
)
@click.option(
    "--checks",
    type=click.Choice(["needed", "all"]),
    help="With --whole: solve only the groups that the results need, or check all groups.  [default: needed]",
)
@click.option(
    "--at",
    "begin",
    metavar="T0",
    type=float,
    help="With --whole: time at which followed branches begin [s].  [default: 0]",
)
@click.option(
    "--assembly",
    metavar="K",
    type=WholeNumber("assembly", 1, 1_000_000),
    help="With --whole: begin with assembly K of `symgen solve MECH --assemblies --from T0`.",
)
@click.option(
    "--name",
    metavar="ID",
    help="With --loops, --whole, --dynamics: name of the module.  [default: from the name of MECH]",
)
@click.option(
    "--newton", is_flag=True, help="Generate certified Newton for each TYPE (a signature); it needs a starting pose."
)
@click.option(
    "--engines", is_flag=True, help="Generate the certified Newton solvers for any group, one planar and one spatial."
)
@click.option("--all", "everything", is_flag=True, help="Generate every type that symgen can derive.")
@click.option("--out", metavar="DIR", default="generated", show_default=True, help="Folder to write into.")
@click.option("--precision", default="double,float", show_default=True, help="Precisions: double, float.")
@click.option("--backend", default="c,numpy", show_default=True, help="Languages: c, numpy.")
@own_option
@click.option(
    "--force",
    is_flag=True,
    help="Also replace files that were edited, and remove those that are no longer generated.",
)
@click.option(
    "--jobs", metavar="N", type=WholeNumber("processes", 1, 256), help="Processes.  [default: one per processor]"
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document of the files written.")
def command(
    types: tuple[str, ...],
    mechanism: str | None,
    dynamics: bool,
    structure: Structure,
    method: str | None,
    loops: bool,
    order: int,
    cotree: str | None,
    reverse: str | None,
    whole: bool,
    geometry: Geometry | None,
    drives: Drives | None,
    results: str | None,
    math: Math | None,
    checks: Checks | None,
    begin: float | None,
    assembly: int | None,
    name: str | None,
    newton: bool,
    engines: bool,
    everything: bool,
    out: str,
    precision: str,
    backend: str,
    own: tuple[str, ...],
    force: bool,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Derive structural groups and write their solvers in C and NumPy.

    A TYPE is a module (dyad_rrr) or a signature ("R.R.R 2D"): one of the library,
    or any spatial chain with a free S or three turns ("R.P.C*slide.S 3D"), which is
    derived on demand; or a derivation of your own, FILE.py:NAME (NAME is "derive"
    if it is left out; the file is run), or one that an installed package offers, by
    its name (docs/own-derivations.md). Each module is written to its own folder
    below DIR: C source and header, NumPy, and a manifest. An existing module is
    replaced, unless its files have been edited, or it holds C, NumPy or a precision
    that this run does not write; use --force then. Files that symgen did not write
    are never changed; a module that is up to date is kept. The exit status is 1 if
    only a part of MECH could be divided into groups.
    """
    precisions = _choice("--precision", precision, PRECISIONS)
    backends = _choice("--backend", backend, BACKENDS)
    know(own)
    target = Path(out)
    replacement = _replacement(target, precisions, backends, force)
    if not whole and (geometry or drives or results is not None or checks or begin is not None or assembly):
        raise click.UsageError("--geometry, --drives, --results, --checks, --at and --assembly belong to --whole")
    if math and (dynamics or engines):
        raise click.UsageError("--math belongs to TYPE, --whole, --loops and --newton: engines have only one form")
    if whole:
        if mechanism is None or types or everything or loops or cotree or reverse:
            raise click.UsageError("--whole takes --mechanism MECH, and neither TYPE nor --all nor --loops")
        from symgen.cli.generate_whole import WholeRequest, generate_whole

        chosen = WholeRequest(
            mechanism,
            drives or "laws",
            geometry or "constants",
            "bodies,joints,points" if results is None else results,
            checks or "needed",
            math or "own",
            name,
            0.0 if begin is None else begin,
            assembly,
        )
        module, written = generate_whole(chosen, target, precisions, backends, replacement)
        if as_json:
            click.echo(json.dumps(_document(target, [module], written), indent=2))
        return
    if method and not dynamics:
        raise click.UsageError("--method belongs to --dynamics")
    if dynamics:
        if mechanism is None or types or everything or loops:
            raise click.UsageError("--dynamics takes --mechanism MECH, and neither TYPE nor --all nor --loops")
        _require_c_in_double()
        from symgen.cli.generate_dynamics import generate_dynamics

        module, written = generate_dynamics(mechanism, name, method or "dimcd", structure, target, replacement)
        if as_json:
            click.echo(json.dumps(_document(target, [module], written), indent=2))
        return
    if loops:
        if mechanism is None or types or everything:
            raise click.UsageError("--loops takes --mechanism MECH, and neither TYPE nor --all")
        from symgen.cli.generate_loops import LoopRequest, generate_loops

        request = LoopRequest(mechanism, order, cotree, reverse, name, math or "own")
        module, written = generate_loops(request, target, precisions, backends, replacement)
        if as_json:
            click.echo(json.dumps(_document(target, [module], written), indent=2))
        return
    if newton:
        if not types or mechanism is not None or everything or engines:
            raise click.UsageError('--newton takes signatures, such as "H.U.S 3D", and nothing else')
        from symgen.cli.generate_newton import generate_newton

        made, written = generate_newton(types, target, precisions, backends, math or "own", replacement)
        if as_json:
            click.echo(json.dumps(_document(target, made, written), indent=2))
        return
    from symgen import pipeline

    if engines:
        if mechanism is not None or types or everything:
            raise click.UsageError("--engines takes neither TYPE, --mechanism nor --all")
        modules = [*pipeline.known_engines()]
        lacking: list[str] = []
        others: dict[str, Own] = {}
    else:
        if cotree or reverse or name:
            raise click.UsageError("--cotree, --reverse belong to --loops, --name to --loops, --whole, --dynamics")
        if everything and (types or mechanism is not None):
            raise click.UsageError("--all takes every type: give neither TYPE nor --mechanism beside it")
        others = _others(types, pipeline.known_modules())
        ours = tuple(text for text in types if text not in others)
        modules, lacking = [], []
        if ours or everything or mechanism is not None or not others:
            chosen_ids, lacking = _chosen(pipeline.known_modules(), ours, mechanism, everything)
            modules, others = _apart(chosen_ids, others, own)
    own_ids = [each.module.id for each in others.values()]
    for file in check_destination(target, [*modules, *own_ids], replacement):
        click.echo(f"--force: {file} is discarded", err=True)
    choice = Choice(precisions, backends, math or "own")
    files = (
        generate_modules(modules, target, choice, replacement, jobs or processors()) if modules or not others else []
    )
    if others:
        from symgen.cli.generate_own import generate_own

        files = sorted([*files, *generate_own([*others.values()], target, choice, replacement)])
        modules = [*modules, *own_ids]
    if as_json:
        click.echo(json.dumps(_document(target, modules, files), indent=2))
    if lacking:
        click.echo(f"{mechanism}: solvers were written only for the groups that could be found:", err=True)
        for words in lacking:
            click.echo(f"- {words}.", err=True)
        raise SystemExit(_EXIT_NO)


def _require_c_in_double() -> None:
    """Refuse a precision or language that the engine of the dynamics is not written in, if one was asked for.

    Raises
    ------
    click.UsageError
        Names the option.
    """
    context = click.get_current_context()
    for option, only, why in (
        ("precision", "double", "its constraints hold to the rounding of double"),
        ("backend", "c", "for NumPy use symgen simulate --backend numpy"),
    ):
        given = {word.strip() for word in str(context.params[option]).split(",")}
        if context.get_parameter_source(option) != ParameterSource.DEFAULT and given != {only}:
            raise click.UsageError(
                f"--{option} {context.params[option]}: --dynamics is written for {only} only ({why}); give --{option} "
                f"{only}, or omit it"
            )


def _replacement(target: Path, precisions: Iterable[str], backends: Iterable[str], force: bool) -> Replacement:
    """Say what this run makes, and what a user can do if more than that is there."""
    from symgen.resources import generated_folder

    kinds = (*(precisions if "c" in backends else ()), *(["numpy"] if "numpy" in backends else []))
    way_out = "choose another --out, or give --force"
    if str(target.resolve()) == str(generated_folder()):
        way_out = "this is symgen's own library; choose another --out, such as --out solvers, or give --force"
    return Replacement(kinds, force, way_out)


def _apart(ids: list[str], others: dict[str, Own], own: tuple[str, ...]) -> tuple[list[str], dict[str, Own]]:
    """Return which modules are symgen's, and the others with those that are not among the ones chosen by signature.

    Raises
    ------
    InputError
        A module of the library is of a derivation that nobody has named.
    """
    from symgen.library.catalogue import load_catalogue

    catalogue = load_catalogue()
    foreign = [each for each in ids if (module := catalogue.module(each)) is not None and module.manifest.origin]
    if not foreign:
        return ids, others
    from symgen.derivations.sources import is_offered, load

    loaded = {found.module.id: found for found in map(load, own)}
    for each in foreign:
        if any(found.module.id == each for found in others.values()):
            continue
        if each in loaded or is_offered(each):
            others = {**others, each: loaded[each] if each in loaded else load(each)}
            continue
        module = catalogue.module(each)
        origin = ":".join(module.manifest.origin.values()) if module is not None else ""
        raise InputError(f"module {each!r} is of a derivation of your own ({origin}): name it with --own FILE.py:NAME")
    return [each for each in ids if each not in foreign], others


def _others(types: tuple[str, ...], known: tuple[str, ...]) -> dict[str, Own]:
    """Load the derivations among the types that are not ours: files, and names that installed packages offer."""
    from symgen.derivations.sources import is_file, is_offered, load

    found: dict[str, Own] = {}
    for text in types:
        if is_file(text) or (text not in known and text.isidentifier() and is_offered(text)):
            found[text] = load(text)
    ids = [own.module.id for own in found.values()]
    twice = sorted({each for each in ids if ids.count(each) > 1})
    if twice:
        listed = ", ".join(own.where for own in found.values() if own.module.id == twice[0])
        raise InputError(f"the id {twice[0]!r} is given twice, by {listed}; each module has its own")
    return found


def _chosen(
    known: tuple[str, ...], types: tuple[str, ...], mechanism: str | None, everything: bool
) -> tuple[list[str], list[str]]:
    """Return the modules to generate, each once, in the order of `known`, and what of the mechanism they lack."""
    wanted: set[str] = set(known) if everything else set()
    lacking: list[str] = []
    for text in types:
        wanted |= _modules_of_type(text, known)
    if mechanism is not None:
        found, lacking = _modules_of_mechanism(mechanism)
        wanted |= found
    if not wanted and mechanism is None:
        raise click.UsageError(f"say what to generate: a TYPE, --mechanism MECH or --all (types: {', '.join(known)})")
    on_demand = sorted(wanted - set(known))
    return [*(module for module in known if module in wanted), *on_demand], lacking


def _modules_of_type(text: str, known: tuple[str, ...]) -> set[str]:
    if text in known:
        return {text}
    if "." in text or " " in text:  # a signature, such as "R.R.R 2D"
        return _modules_of_signature(text)
    from symgen.demand import is_module_on_demand
    from symgen.model.nearest import did_you_mean

    if is_module_on_demand(text):
        return {text}
    raise InputError(f"no type {text!r}{did_you_mean(text, known)} (types: {', '.join(known)})")


def _modules_of_signature(signature: str) -> set[str]:
    """Return the modules that solve a signature; several if it leaves open which freedom is driven."""
    from symgen.library.catalogue import load_catalogue
    from symgen.library.first_use import modules_on_first_use

    found = {entry.manifest.id for entry in load_catalogue().matching(signature)}
    if found:
        return found.union(modules_on_first_use(signature))
    from symgen.demand import modules_on_demand

    return set(modules_on_demand(signature))


def _modules_of_mechanism(file: str) -> tuple[set[str], list[str]]:
    """Return the modules of the groups that were found, and in words what kept others from being found."""
    import symgen
    from symgen.library.solutions import solutions_of
    from symgen.model.nearest import list_names

    structure = symgen.analyse(load_uncounted(file))
    newton = solutions_of(structure)
    found: set[str] = set()
    iterated = 0
    for group in structure.groups:
        where = f"{file}: group {group.number} ({list_names(group.bodies)})"
        try:
            found |= _modules_of_signature(group.signature)
        except UnsolvedTypeError as error:
            if not newton(group)[0]:
                raise UnsolvedTypeError(f"{where}: {error}") from error
            iterated += 1
            click.echo(f"{where}: {group.signature} is solved by certified Newton; nothing to generate", err=True)
    if not found and not iterated:
        raise StructureError(f"{file}: no structural group was found; `symgen analyse {file}` shows why")
    if structure.status == "determined":
        return found, []
    return found, [f"{finding.kind.replace('_', ' ')}: {finding.advice}" for finding in structure.diagnosis]


def _document(out: Path, modules: list[str], files: Iterable[Path]) -> dict[str, object]:
    names = sorted({path.relative_to(out).as_posix() for path in files})
    return {"schema": "symgen/generate/1", "out": str(out), "modules": modules, "files": names}


def _choice(option: str, text: str, allowed: tuple[Word, ...]) -> tuple[Word, ...]:
    """Split a comma-separated option; the answer is in the order of `allowed`."""
    from symgen.model.nearest import did_you_mean

    words = [word.strip() for word in text.split(",")]
    if not any(words):
        raise InputError(f"{option}: nothing chosen; give one or more of {','.join(allowed)}")
    for word in words:
        if not word:
            raise InputError(f"{option} {text}: a name is missing between two commas; write {','.join(allowed)}")
        if word not in allowed:
            raise InputError(f"{option}: {word!r} is not one of {', '.join(allowed)}{did_you_mean(word, allowed)}")
    return tuple(name for name in allowed if name in words)
