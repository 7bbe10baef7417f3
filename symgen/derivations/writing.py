"""From a derivation of somebody's own to its files."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from symgen.derivations.checking import check_ports_used, checked
from symgen.derivations.meanings import meanings_of
from symgen.derivations.sources import Own, blamed
from symgen.derive.module import ModuleDerivation
from symgen.errors import InputError
from symgen.pipeline.modules import lower_module, module_texts
from symgen.printers.c99 import Math, Precision


def own_texts(
    own: Own,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
    math: Math = "own",
) -> dict[str, str]:
    """Prove a derivation and return the texts of its files by name.

    Raises
    ------
    InputError
        A claim does not hold, a joint stays open, or a step is not what it has to be: says where, and at which numbers.
    """
    with blamed(own.where, own.file):
        lowered = lower_module(own.module)
        check_ports_used(lowered.routines, lowered.arrangements)
        derivations = (own.module.kernel, *(each.derivation for each in lowered.arrangements))
        about = {"origin": own.origin, "meanings": meanings_of(derivations, lowered.routines)}
        return module_texts(lowered, own.request, precisions=precisions, backends=backends, math=math, about=about)


def write_own(own: Own, folder: Path) -> None:
    """Write all files of a derivation into ``<folder>/<id>``, which is made; nothing if it is not proved."""
    texts = own_texts(own)
    inside = folder / own.module.id
    inside.mkdir(parents=True)
    for file, text in texts.items():
        (inside / file).write_text(text, encoding="utf-8", newline="\n")


def generate(
    module: ModuleDerivation | Callable[[], ModuleDerivation],
    out: str | Path,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
    math: Math = "own",
) -> Path:
    """Prove a module of your own and write its files: the call for `symgen generate FILE.py:NAME --out OUT`.

    Parameters
    ----------
    module : or a function without arguments that returns it.
    out : folder of a library, made if need be; the module becomes the folder `<out>/<id>`. A folder of a module
        of yours that was generated before is replaced.
    precisions : of the C: "double", "float".
    backends : "c", "numpy".
    math : whose sine, cosine and atan2 the C calls, "own" or "libm".

    Returns
    -------
    Path
        The folder of the module. It appears at once; if something fails, nothing is written.

    Raises
    ------
    InputError
        The module is not proved, or another one's files stand in its place.
    """
    found = module if isinstance(module, ModuleDerivation) else module()
    name = getattr(module, "__name__", "module") if not isinstance(module, ModuleDerivation) else "module"
    own = Own(checked(found, name), f"a derivation of your own, {name}", name, {"name": name})
    texts = own_texts(own, precisions=precisions, backends=backends, math=math)
    target = Path(out) / own.module.id
    _check_replaceable(target, own.module.id)
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=".symgen-staging-", dir=target.parent))
    try:
        new = staged / own.module.id
        new.mkdir()
        for file, text in texts.items():
            (new / file).write_text(text, encoding="utf-8", newline="\n")
        old = staged / "old"
        if target.exists():
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return target


def _check_replaceable(target: Path, id: str) -> None:
    """Refuse to replace what is no generated module of this id, or has been edited since."""
    if not target.exists():
        return
    try:
        digests = json.loads((target / f"{id}.json").read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{target} exists and is not a generated module; move it away or choose another folder"
        ) from error
    for path in sorted(target.iterdir()):
        if path.name in (f"{id}.json", f"{id}.certificate.json", "__pycache__"):
            continue
        if not path.is_file() or digests.get(path.name) != hashlib.sha256(path.read_bytes()).hexdigest():
            raise InputError(f"{path} was not written by symgen, or was edited; move it away or choose another folder")
