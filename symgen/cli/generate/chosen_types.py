"""Which modules ``symgen generate types`` is asked for: by id, by signature, by a mechanism, by a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.generate.short_forms import SUBCOMMANDS
from symgen.cli.options.couplings import load_uncounted
from symgen.errors import InputError, StructureError, UnsolvedTypeError

if TYPE_CHECKING:
    from symgen.derivations.sources import Own


def separated(ids: list[str], others: dict[str, Own], own: tuple[str, ...]) -> tuple[list[str], dict[str, Own]]:
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


def derivations_among(types: tuple[str, ...], known: tuple[str, ...]) -> dict[str, Own]:
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


def types_chosen(
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
    from symgen.demand import is_module_on_demand
    from symgen.model.nearest import did_you_mean, nearest

    is_signature = "." in text or " " in text  # such as "R.R.R 2D"
    if not is_signature and is_module_on_demand(text):
        return {text}
    stem, colon, name = text.partition(":")
    if Path(f"{stem}.py").is_file():
        raise InputError(
            f"no type {text!r}; did you mean the file {stem}.py? Give it with its ending: "
            f"`symgen generate {stem}.py{colon}{name}`"
            + ("" if colon else f" calls `derive` in it, `symgen generate {stem}.py:NAME` another function")
        )
    if is_signature:
        return _modules_of_signature(text)
    subcommand = nearest(text, SUBCOMMANDS)
    if subcommand is not None:
        raise InputError(f"no type {text!r}; did you mean the subcommand `symgen generate {subcommand}`?")
    raise InputError(f"no type {text!r}{did_you_mean(text, known)} (types: {', '.join(known)})")


def _modules_of_signature(signature: str) -> set[str]:
    """Return the modules that solve a signature; several if it leaves open which freedom is driven."""
    from symgen.library.catalogue import load_catalogue
    from symgen.library.first_use import modules_on_first_use

    catalogue = load_catalogue()
    found = {entry.manifest.id for entry in catalogue.matching(signature)}
    if found:
        return found.union(modules_on_first_use(signature))
    catalogue.check(signature)
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
