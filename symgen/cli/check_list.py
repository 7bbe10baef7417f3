"""``symgen check --list [WORD]...``: the derived objects that claims can name.

To list them is to derive them all once, which takes ten seconds; names, shapes and sources are then kept in the cache
of built modules, under the digest of the generator.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symgen.cli.terminal.progress import progress_bar
from symgen.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from symgen.derive.derived_object import DerivedObject

_FORMAT = "symgen/listed/1"
_NAME = "objects.json"
#: Lines of a listing go no further where there is room for more.
_WIDTH = 110
_EXIT_NO = 1

#: An object as JSON data.
Described = dict[str, Any]


def list_objects(words: Sequence[str], family: str | None, *, has_own: bool, as_json: bool) -> None:
    """Print the derived objects of a family, or all, in which every word stands.

    Parameters
    ----------
    words : in any case; they may stand in names, titles, arguments and sources.
    has_own : families of derivations of one's own are there, which are not in the cache.
    """
    with progress_bar("deriving", quiet=as_json):
        families, types = _families(family, has_own=has_own)
    chosen = {name: [o for o in objects if _has(o, words)] for name, objects in families.items()}
    found = [each for objects in chosen.values() for each in objects]
    near = [name for name in types if all(word.lower() in name for word in words)]
    if as_json:
        click.echo(json.dumps({"schema": "symgen/objects/1", "objects": found, "families": near}))
    else:
        _print(chosen, near, has_words=bool(words))
    if not found and not near:
        lacks = f"has {' and '.join(words)} in its name, title, arguments or source"
        none = f"no derived object {lacks}" if words else f"the family {family!r} has no derived objects"
        click.echo(none, err=True)
        raise SystemExit(_EXIT_NO)


def _has(found: Described, words: Sequence[str]) -> bool:
    parts = [found["name"], found["title"], found["source"]]
    parts += [text for each in found["arguments"] for text in (each["name"], each["meaning"])]
    text = "\n".join(parts).lower()
    return all(word.lower() in text for word in words)


def _families(family: str | None, *, has_own: bool) -> tuple[dict[str, list[Described]], list[str]]:
    """Return the objects by family, and the solved types that are families besides."""
    whole = _kept()
    known: dict[str, list[Described]] = whole["families"]
    if family is None:
        if not has_own:
            return known, whole["types"]
        from symgen.derive.group_objects import families

        return known, list(families())
    if family in known:
        return {family: known[family]}, []
    from symgen.check.catalogue import derived_objects

    return {name: list(map(described, derived_objects().family(name).values())) for name in _meant(family)}, []


def _kept() -> dict[str, Any]:
    """Return all objects of the general families, and the names of the solved types: from the cache, or derived."""
    from symgen.build.cache import Cache, is_unwritable, private_cache
    from symgen.build.entries import cache_place
    from symgen.build.generator import generator_digest

    key = hashlib.sha256(f"{_FORMAT}\0{generator_digest()}".encode()).hexdigest()
    try:
        built = Cache(cache_place()).obtain(key, _make, {"module": "derived objects"})
    except OSError as error:
        if not is_unwritable(error):
            raise
        built = private_cache(error).obtain(key, _make, {"module": "derived objects"})
    tree: dict[str, Any] = json.loads(built.library.read_text(encoding="utf-8"))
    return tree


def _make(folder: Path) -> Path:
    from symgen.check.catalogue import derived_objects, general_families
    from symgen.derive.catalogue import module_ids

    objects = derived_objects()
    families = {name: list(map(described, objects.family(name).values())) for name in general_families()}
    path = folder / _NAME
    path.write_text(json.dumps({"families": families, "types": list(module_ids())}), encoding="utf-8")
    return path


def _meant(text: str) -> tuple[str, ...]:
    """Return the families that a text names: one by its name, or the modules of a signature such as ``R.R.R 2D``."""
    from symgen.check.catalogue import families, general_families

    if text in families():
        return (text,)
    if "." in text or " " in text:
        from symgen.library.catalogue import load_catalogue

        found = {entry.manifest.id for entry in load_catalogue().matching(text)}
        if found.intersection(families()):
            return tuple(name for name in families() if name in found)
    from symgen.model.nearest import did_you_mean, show

    near = did_you_mean(text, families())
    allowed = f"{', '.join(general_families())}, or a module or a signature of `symgen library list`"
    raise InputError(f"--family: {show(text)} is not a family; allowed: {allowed}{near}")


def _print(families: dict[str, list[Described]], types: Sequence[str], *, has_words: bool) -> None:
    """Print each object as ``name(arguments): shape [unit]``, with its title below."""
    from symgen.cli.terminal.console import table_console

    console = table_console()
    for name, objects in families.items():
        if objects:
            console.print(name, style="bold")
            for each in objects:
                arguments = ", ".join(argument_text(a["name"], a["shape"]) for a in each["arguments"])
                unit = f" [{each['unit']}]" if each["unit"] else ""
                _line(console, f"  {each['name']}({arguments}): {shape_text(each['shape'])}{unit}")
                _line(console, f"      {each['title']}")
            console.print()
    if types:
        have = "of these solved types" if has_words else "of a solved type"
        console.print(f"Each named step {have} is an object, too: symgen check --list --family TYPE, of")
        _line(console, ", ".join(types))


def _line(console: Console, text: str) -> None:
    from symgen.cli.terminal.console import folded

    first, *others = folded(text, min(console.width, _WIDTH))
    for line in (first, *(f"    {other}" for other in others)):
        console.print(line, soft_wrap=True)


def argument_text(name: str, shape: Sequence[int]) -> str:
    """Return an argument with its shape: ``q[4]``."""
    return f"{name}[{', '.join(map(str, shape))}]" if shape else name


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape in words: ``3 x 3``, ``scalar``."""
    return " x ".join(map(str, shape)) or "scalar"


def described(found: DerivedObject) -> Described:
    """Return a derived object without its entries as JSON data."""
    return {
        "name": found.name,
        "title": found.title,
        "arguments": [
            {
                "name": a.name,
                "shape": list(a.shape),
                "unit": a.unit,
                "frame": a.frame,
                "elements": list(a.elements),
                "meaning": a.meaning,
            }
            for a in found.arguments
        ],
        "shape": list(found.shape),
        "unit": found.unit,
        "source": found.source,
    }
