"""A whole installation against its certificates, modules side by side in processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from symgen.certificates.certificate import Fault, certify, figures_of, verify, verify_files
from symgen.certificates.place import certificate_name
from symgen.errors import InputError, SymgenError
from symgen.library.catalogue import Module, load_catalogue
from symgen.model.nearest import did_you_mean, show
from symgen.resources import generated_folder
from symgen.status import Status

T = TypeVar("T")
_ORDER = tuple(status.name for status in Status)


@dataclass(frozen=True)
class Verified:
    """What was found of one module.

    Parameters
    ----------
    functions : how many were run; none of the engines, whose files are looked at only.
    ulp : the worst certified difference from exact values, in spacings of numbers.
    statuses : those that the points reach.
    """

    module: str
    functions: int
    ulp: float
    statuses: tuple[str, ...]
    faults: tuple[Fault, ...]
    seconds: float


def module_names() -> tuple[str, ...]:
    """Return the ids of all modules of the library, then the folders of the engines."""
    modules = [module.manifest.id for module in load_catalogue().modules]
    others = sorted(
        place.name
        for place in generated_folder().iterdir()
        if (place / f"{place.name}.json").is_file() and place.name not in modules
    )
    return (*modules, *others)


def chosen_names(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the names of modules that were asked for; if none was, all but those of others without a certificate.

    Raises
    ------
    InputError
        There is no such module; names the nearest.
    """
    every = module_names()
    for name in wanted:
        if name not in every:
            raise InputError(f"--module: there is no module {show(name)}{did_you_mean(name, every)}")
    if wanted:
        return tuple(dict.fromkeys(wanted))
    return tuple(name for name in every if not _is_uncertified(name))


def _is_uncertified(name: str) -> bool:
    """Tell whether a module is of a derivation that is not symgen's, and nobody has certified it."""
    module = _module(name)
    if module is None or not module.manifest.origin:
        return False
    return not (module.folder / certificate_name(name)).is_file()


def verify_all(names: Sequence[str], *, jobs: int, progress: Callable[[], None]) -> tuple[Verified, ...]:
    """Verify modules against their certificates."""
    found = dict(_each(_verified, names, jobs, progress))
    return tuple(found[name] for name in names)


def certify_all(
    names: Sequence[str], *, jobs: int, progress: Callable[[], None], own: Sequence[str] = ()
) -> tuple[Path, ...]:
    """Derive modules again and write their certificates beside the sources.

    Parameters
    ----------
    own : derivations that are not symgen's, as of `symgen.derivations.sources.load`; run in each process.

    Raises
    ------
    InputError
        The library is an archive.
    """
    named = {module.manifest.id: module for module in load_catalogue().modules}
    if not all(isinstance(named[name].folder, Path) for name in names if name in named):
        raise InputError("--certify: the library of this installation is an archive; certify in a checkout")
    texts = dict(_each(_certified, [name for name in names if name in named], jobs, progress, tuple(own)))
    written = []
    for name, text in texts.items():
        folder = named[name].folder
        assert isinstance(folder, Path)  # noqa: S101 - asked above
        path = folder / certificate_name(name)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return tuple(written)


def _each(
    work: Callable[[str], T],
    names: Iterable[str],
    jobs: int,
    progress: Callable[[], None],
    own: tuple[str, ...] = (),
) -> Iterator[tuple[str, T]]:
    with ProcessPoolExecutor(jobs, get_context("spawn"), _know, (own,)) as pool:
        futures = {pool.submit(work, name): name for name in names}
        for future in as_completed(futures):
            progress()
            yield futures[future], future.result()


def _know(own: tuple[str, ...]) -> None:
    """Load derivations that are not symgen's."""
    for text in own:
        from symgen.derivations.sources import load

        load(text)


def _module(name: str) -> Module | None:
    return next((module for module in load_catalogue().modules if module.manifest.id == name), None)


def _certified(name: str) -> str:
    module = _module(name)
    assert module is not None  # noqa: S101 - names come from the catalogue
    return certify(module)


def _verified(name: str) -> Verified:
    began = time.perf_counter()
    module = _module(name)
    if module is None:
        faults = tuple(verify_files(generated_folder() / name, name))
        return Verified(name, 0, 0.0, (), faults, time.perf_counter() - began)
    try:
        faults = tuple(verify(module))
    except SymgenError as error:
        faults = (Fault(name, f"cannot be run: {error}"),)
    figures = figures_of(module)
    reached = {status for each in figures.values() for status in each.get("statuses", ())}
    ulp = max((each["exact"]["ulp"] for each in figures.values() if "exact" in each), default=0.0)
    statuses = tuple(status for status in _ORDER if status in reached)
    return Verified(name, len(module.manifest.functions), ulp, statuses, faults, time.perf_counter() - began)
