"""What is solved: the modules of the shipped library and of ``$SYMGEN_LIBRARY``, found by signature.

Reads manifests only: neither NumPy nor a compiler is needed to know what is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from symgen.build.notices import say_once
from symgen.build.trust import reason_for_distrust
from symgen.errors import InputError, MechanismError, UnsolvedTypeError
from symgen.library.first_use import keys_on_first_use
from symgen.library.group_key import may_be_derived
from symgen.library.manifest import (
    DerivationStep,
    Manifest,
    ManifestArrangement,
    is_of_another_kind,
    is_ours,
    read_manifest,
    read_steps,
)
from symgen.library.own_modules import VARIABLE, advice_for_own
from symgen.library.signatures import ChainKey, chain_of, check_signature, tidy
from symgen.naming import nearest_few
from symgen.resources import Place, generated_folder
from symgen.third_party import Offer, library_places

#: Method of modules that iterate from a start; as `symgen.library.newton.problem.METHOD`, which needs NumPy.
ITERATED = "certified Newton"


@dataclass(frozen=True)
class Module:
    """A generated module and the folder that holds its files."""

    manifest: Manifest
    folder: Place

    def steps(self) -> tuple[DerivationStep, ...]:
        """Return the steps of the derivation, in the order they were derived; read each time, for few ask."""
        name = self.manifest.derivation
        return () if name is None else read_steps(self.folder / name)

    def steps_of(self, arrangement: str) -> tuple[DerivationStep, ...]:
        """Return the steps of the kernel and of one arrangement of the group."""
        return tuple(step for step in self.steps() if step.arrangement in (None, arrangement))


@dataclass(frozen=True)
class Entry:
    """One solved type: an arrangement of a module."""

    module: Module
    arrangement: ManifestArrangement

    @property
    def manifest(self) -> Manifest:
        """The manifest of the module."""
        return self.module.manifest

    @property
    def key(self) -> str:
        """The exact name: the signature with the names of driven freedoms."""
        return self.arrangement.key or self.arrangement.signature


class Catalogue:
    """All solved types, by signature and key; the order is by module id, then as in the manifest."""

    def __init__(self, modules: tuple[Module, ...]) -> None:
        self.modules = modules
        self.entries = tuple(Entry(module, arr) for module in modules for arr in module.manifest.arrangements)
        #: Modules that are a formula or an element and no group: found by their ids.
        self.formulas = tuple(Entry(each, _formula(each)) for each in modules if not each.manifest.arrangements)
        self._by_text: dict[str, list[Entry]] = {}
        self._by_chain: dict[ChainKey, list[Entry]] = {}
        for entry in (*self.entries, *self.formulas):
            self._index(entry)

    def _index(self, entry: Entry) -> None:
        texts = {entry.arrangement.signature, entry.key}
        chains = {chain for text in texts for chain in _chains(text)}
        for text in texts:
            self._by_text.setdefault(text, []).append(entry)
        for chain in chains:
            self._by_chain.setdefault(chain, []).append(entry)

    def matching(self, signature: str) -> tuple[Entry, ...]:
        """Return the solved types with this signature or key, in either reading direction, ER read as U.

        Those that iterate from a start only if there is no closed form.
        """
        signature = tidy(signature)
        found = self._by_text.get(signature)
        if found is None:
            chain = chain_of(signature)
            found = self._by_chain.get(chain, []) if chain else []
        found = [entry for entry in found if entry.manifest.method != ITERATED] or found
        exact = [entry for entry in found if entry.key == signature]
        return tuple(exact or found)

    def find(self, signature: str) -> Entry:
        """Return the one solved type with this signature or key.

        Raises
        ------
        UnsolvedTypeError
            There is none; the message names the nearest.
        InputError
            The signature has several, which differ in the driven freedom; the message lists their keys.
        """
        found = self.matching(signature)
        if not found:
            raise UnsolvedTypeError(self._unsolved(signature))
        keys = [entry.key for entry in found]
        keys += [key for key in keys_on_first_use(signature) if key not in keys]
        if len(keys) == 1:
            return found[0]
        raise _several(signature, keys)

    def only(self, signature: str) -> Entry:
        """Return the one solved type of a catalogue that was made for a signature, however that writes its group.

        Raises
        ------
        InputError
            The signature has several; the message lists their keys.
        """
        found = self.matching(signature) or self.entries or self.formulas
        if len(found) == 1:
            return found[0]
        raise _several(signature, [entry.key for entry in found])

    def module(self, module_id: str) -> Module | None:
        """Return the module of this id, or None."""
        return next((module for module in self.modules if module.manifest.id == module_id), None)

    def nearest(self, signature: str, count: int = 3) -> tuple[str, ...]:
        """Return the signatures that look most like this one."""
        known = list(dict.fromkeys(entry.arrangement.signature for entry in self.entries))
        return nearest_few(signature, known, count=count, likeness=0.4)

    def check(self, text: str) -> None:
        """Refuse a text that can be no signature or key.

        Raises
        ------
        InputError
            What was found, what is allowed, the nearest types; of a name how one's own module of this name is found.
        """
        try:
            check_signature(text)
        except InputError as error:
            raise InputError(self._unreadable(text, error)) from None

    def _unreadable(self, text: str, error: InputError) -> str:
        near = self.nearest(text)
        hint = f"; nearest are {', '.join(near)}" if near else ""
        own = advice_for_own(text)
        return f"{error}{hint}. `symgen library list` shows the solved types{'. ' if own else ''}{own}"

    def _unsolved(self, signature: str) -> str:
        from symgen.topology.findings.regularity import irregularity

        try:
            check_signature(signature)
        except InputError as error:
            return self._unreadable(signature, error)
        reason = irregularity(signature)
        if reason is not None:
            return reason
        near = self.nearest(signature)
        hint = f"; nearest are {', '.join(near)}" if near else ""
        text = f'no solved type "{signature}" in the library{hint}. `symgen library list` shows all'
        if not may_be_derived(signature):
            return f"{text}; no closed form can be derived for this one"
        return (
            f"{text}. If a closed form is known for it, it is derived when a group asks for it, or by `symgen "
            f"generate '{signature}' --out DIR`, and found with {VARIABLE}=DIR"
        )


def _formula(module: Module) -> ManifestArrangement:
    """Return what stands for the arrangement of a module that has none: nothing is between bodies, the id names it."""
    name = module.manifest.id
    return ManifestArrangement(id="formula", signature=name, key=name, known=(), bodies=(), joints=())


def _several(signature: str, keys: Sequence[str]) -> InputError:
    listed = ", ".join(f'"{key}"' for key in keys)
    return InputError(f'"{signature}" is solved for more than one choice: write one of {listed}')


def _chains(text: str) -> Iterator[ChainKey]:
    chain = chain_of(text)
    if chain is not None:
        yield chain


def library_folders() -> tuple[Path, ...]:
    """Return the folders that are searched: those of ``$SYMGEN_LIBRARY`` first, then the shipped one.

    Raises
    ------
    InputError
        ``$SYMGEN_LIBRARY`` names something that is not a folder, or one to which others may write.
    """
    folders = []
    for text in os.environ.get(VARIABLE, "").split(os.pathsep):
        if not text:
            continue
        folder = Path(text).expanduser().resolve()
        if not folder.is_dir():
            raise InputError(
                f"{VARIABLE}: {text!r} is not a folder; give folders that hold generated modules, "
                f"separated by {os.pathsep!r}"
            )
        if is_ours(folder / f"{folder.name}.json"):
            raise InputError(f"{VARIABLE}: {text!r} is a module; give the folder that holds it: {str(folder.parent)!r}")
        _check_trusted(folder)
        folders.append(folder)
    shipped = _shipped_folder()
    return (*folders, *((shipped,) if shipped else ()))


def _shipped_folder() -> Place | None:
    """Return the folder that came with symgen, trusted as symgen is; None in a damaged installation.

    `symgen doctor` reports such a one; the user's own folders still work.
    """
    with suppress(FileNotFoundError):
        return generated_folder()
    return None


def _check_trusted(path: Path) -> None:
    """Refuse a place in a user's library where somebody else could have put the code that would be run."""
    reason = reason_for_distrust(path)
    if reason is not None:
        raise InputError(f"{VARIABLE}: {path} {reason}; symgen would run the code in it. Use a copy of your own")


def _check_module(folder: Path) -> None:
    """Check a module's folder and all that is in it, Python's cache of compiled files too."""
    for path in (folder, *sorted(folder.rglob("*"))):
        if path.exists():
            _check_trusted(path)


def modules_in(folder: Place) -> tuple[Module, ...]:
    """Read the modules of one folder, ``<folder>/<id>/<id>.json``, in the order of their ids."""
    found = []
    for inside in sorted(folder.iterdir(), key=_name):
        path = inside / f"{inside.name}.json"
        if path.is_file() and not is_of_another_kind(path):
            found.append(Module(read_manifest(path), inside))
    return tuple(found)


def _name(place: Place) -> str:
    return place.name


def load_catalogue() -> Catalogue:
    """Return the catalogue of all folders; read once for each set of folders and their state."""
    folders = library_folders()
    packages = library_places()
    states = [_state(folder) for folder in (*folders, *(place for _, place in packages if place is not None))]
    return _load(folders, packages, tuple(states))


def _state(folder: Place) -> tuple[tuple[str, int], ...]:
    """What tells that a folder has changed: its manifests and their times; an archive is read once."""
    seen: list[tuple[str, int]] = []
    if not isinstance(folder, Path):
        return ()
    for inside in os.scandir(folder):
        try:
            seen.append((inside.name, os.stat(os.path.join(inside.path, f"{inside.name}.json")).st_mtime_ns))
        except OSError:  # not a module
            continue
    return tuple(sorted(seen))


@lru_cache(maxsize=8)
def _load(
    folders: tuple[Place, ...],
    packages: tuple[tuple[Offer, Path | None], ...],
    _states: tuple[tuple[tuple[str, int], ...], ...],
) -> Catalogue:
    by_id: dict[str, Module] = {}
    for folder in folders:
        for module in _modules_of_user(folder):
            if folder != _shipped_folder() and isinstance(module.folder, Path):
                _check_module(module.folder)
            by_id.setdefault(module.manifest.id, module)  # the user's folders come first and win
    owners: dict[str, Offer] = {}
    for offer, place in packages:
        for module in _modules_of_package(offer, place):
            _add_from_package(module, offer, by_id, owners)
    return Catalogue(tuple(by_id[name] for name in sorted(by_id)))


def _modules_of_user(folder: Place) -> tuple[Module, ...]:
    try:
        return modules_in(folder)
    except MechanismError as error:
        if folder == _shipped_folder():
            raise
        raise InputError(
            f"{error}. It is in a folder of {VARIABLE}: generate the module again, or take it out of there"
        ) from error


def _modules_of_package(offer: Offer, place: Path | None) -> tuple[Module, ...]:
    """Read the modules that a package ships; one that cannot be read is told, and the others go on."""
    try:
        if place is None:
            raise InputError("there is no such folder")
        reason = reason_for_distrust(place)
        if reason is not None:
            raise InputError(f"{place} {reason}")
        found = modules_in(place)
        for module in found:
            if isinstance(module.folder, Path):
                _check_module(module.folder)
    except (InputError, OSError) as error:
        say_once(offer.text, f"warning: {offer.text} is left out: {error}")
        return ()
    return found


def _add_from_package(module: Module, offer: Offer, by_id: dict[str, Module], owners: dict[str, Offer]) -> None:
    """Add a module that a package ships, unless its id or one of its types is taken: a user's own folder is first."""
    name = module.manifest.id
    keys = {each.key or each.signature for each in module.manifest.arrangements}
    taken = [
        other
        for other, known in by_id.items()
        if other == name or keys & {each.key or each.signature for each in known.manifest.arrangements}
    ]
    if not taken:
        by_id[name] = module
        owners[name] = offer
        return
    other = taken[0]
    said = owners[other].text if other in owners else "symgen" if _is_shipped(by_id[other]) else ""
    if said:
        what = f"a module {name!r}" if other == name else f"a module for {', '.join(sorted(keys))} ({other})"
        say_once(f"{offer.text} {name}", f"warning: module {name!r} of {offer.text} is left out: {said} has {what}")


def own_modules() -> list[Module]:
    """Return the modules that are found in the folders of ``$SYMGEN_LIBRARY``."""
    folders = set(library_folders()) - {_shipped_folder()}
    return [module for module in load_catalogue().modules if module.folder.parent in folders]


def _is_shipped(module: Module) -> bool:
    shipped = _shipped_folder()
    return shipped is not None and str(module.folder).startswith(str(shipped))


def solution_of(signature: str) -> tuple[bool, str | None]:
    """Tell whether the library solves a type, and how.

    Parameters
    ----------
    signature : a signature (``"R.S.U 3D"``) or key (``"U.C*slide.S 3D"``), read in either direction.

    Returns
    -------
    tuple of bool and str or None
        Whether there is a module, and its method (``"closed form"``); (False, None) for an unknown signature.
    """
    found = load_catalogue().matching(signature)
    return (True, found[0].manifest.method or None) if found else (False, None)
