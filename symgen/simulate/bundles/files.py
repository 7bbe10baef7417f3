"""The files of a bundle under its own name: two bundles stand in one folder, one program, one translation unit."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from symgen.errors import InputError
from symgen.library.sources import COMMON_HEADER, MATH_HEADER, STEPS_HEADER
from symgen.model.mechanism import Mechanism
from symgen.simulate.manifest import SCHEMA

EXAMPLE = "example.c"
#: Headers that all bundles share.
_COMMON = (COMMON_HEADER, MATH_HEADER, STEPS_HEADER)
#: What the engine's own files say.
_MADE_BY, _MADE_FOR_ONE = "Do not edit; run: symgen generate --engines", "Do not edit: it was made for one mechanism."
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
#: Engines call their parts after themselves; in a bundle its own name takes the place of these words.
_STEM = re.compile(r"(?:dynamics|transfer)_?")
_PREFIX = re.compile(r"\b(symgen|SYMGEN)_(dynamics|transfer|DYNAMICS|TRANSFER)_")


def bundle_files(
    mechanism: Mechanism, name: str, unit: str, files: Mapping[str, str], **about: object
) -> dict[str, str]:
    """Return the texts by file, every file but the example's and every symbol called after the bundle.

    Parameters
    ----------
    name : of the bundle, an identifier: of its files, ``symgen_NAME_...`` and ``SYMGEN_NAME_...``.
    unit : the file to compile; of the others those stay that it or the example includes.
    files : texts of the engine, the mechanism's tables and the example.
    about : more for the manifest.

    Raises
    ------
    InputError
        Two files would have one name.
    """
    needed = _included(files, unit, EXAMPLE)
    kept = {file: text for file, text in files.items() if file in needed}
    new = {file: file if file in (*_COMMON, EXAMPLE) else own_file(file, name) for file in kept}
    twice = sorted({file for file in new.values() if list(new.values()).count(file) > 1})
    if twice:
        raise InputError(f"--name {name}: two files would be {twice[0]}; take another name")
    # not the templates of the preambles, which stay what they are
    old = re.compile(r"(?<![\w/])(?:" + "|".join(map(re.escape, new)) + r")(?!\w|\.j2)")
    texts = {}
    for file, text in kept.items():
        said = old.sub(lambda found: new[found[0]], text)
        texts[new[file]] = text if file in _COMMON else renamed(said, name).replace(_MADE_BY, _MADE_FOR_ONE)
    own: dict[str, Any] = {
        "schema": SCHEMA,
        "id": name,
        "title": f"dynamics of {mechanism.name or 'a mechanism'}",
        "mechanism": mechanism.name,
        **about,
        "files": {"double": sorted(set(texts) - set(_COMMON))},
        "sha256": {file: hashlib.sha256(text.encode()).hexdigest() for file, text in sorted(texts.items())},
    }
    texts[f"{name}.json"] = json.dumps(own, indent=1) + "\n"
    return texts


def renamed(text: str, name: str) -> str:
    """Return C with the symbols of a bundle instead of those of an engine."""
    return _PREFIX.sub(lambda found: f"{found[1]}_{name if found[1].islower() else name.upper()}_", text)


def own_file(file: str, name: str) -> str:
    """Return the name that a file of an engine has in a bundle."""
    rest = _STEM.sub("", file, count=1) if _STEM.match(file) else file
    return f"{name}{rest}" if rest.startswith(".") else f"{name}_{rest}"


def _included(files: Mapping[str, str], *units: str) -> set[str]:
    """Return the units and what of `files` they include, at any depth."""
    found: set[str] = set()
    waiting = list(units)
    while waiting:
        file = waiting.pop()
        if file in files and file not in found:
            found.add(file)
            waiting += _INCLUDE.findall(files[file])
    return found
