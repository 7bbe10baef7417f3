"""A whole installation against its certificates, modules side by side in processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from symgen.certificates.certificate import AnyProbe, Fault, certify, figures_of, verify
from symgen.certificates.kernels import KernelProbe
from symgen.certificates.place import certificate_name
from symgen.certificates.probe import Probe
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
    functions : how many were run; of an engine, its kernels.
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


def verify_all(names: Sequence[str], *, jobs: int, progress: Callable[[str], None]) -> tuple[Verified, ...]:
    """Verify modules against their certificates.

    Parameters
    ----------
    jobs : how many processes.
    progress : called with the name of every module that is done.
    """
    found = dict(_each(_verified, names, jobs, progress))
    return tuple(found[name] for name in names)


def certify_all(
    names: Sequence[str], *, jobs: int, progress: Callable[[str], None], own: Sequence[str] = ()
) -> tuple[Path, ...]:
    """Derive modules again and write their certificates beside the sources.

    Parameters
    ----------
    jobs, progress : as of `verify_all`.
    own : derivations that are not symgen's, as of `symgen.derivations.sources.load`; run in each process.

    Raises
    ------
    InputError
        The library is an archive.
    """
    if not all(isinstance(probe_of(name).folder, Path) for name in names):
        raise InputError("--certify: the library of this installation is an archive; certify in a checkout")
    texts = dict(_each(_certified, names, jobs, progress, tuple(own)))
    written = []
    for name, text in texts.items():
        folder = probe_of(name).folder
        assert isinstance(folder, Path)  # noqa: S101 - asked above
        path = folder / certificate_name(name)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return tuple(written)


def probe_of(name: str) -> AnyProbe:
    """Return what asks a module of the library, or an engine, at its points.

    Raises
    ------
    InputError
        The manifest of an engine cannot be read.
    """
    module = _module(name)
    return KernelProbe(generated_folder() / name) if module is None else Probe(module)


def _module(name: str) -> Module | None:
    return next((module for module in load_catalogue().modules if module.manifest.id == name), None)


def _each(
    work: Callable[[str], T],
    names: Iterable[str],
    jobs: int,
    progress: Callable[[str], None],
    own: tuple[str, ...] = (),
) -> Iterator[tuple[str, T]]:
    with ProcessPoolExecutor(jobs, get_context("spawn"), _know, (own,)) as pool:
        futures = {pool.submit(work, name): name for name in names}
        for future in as_completed(futures):
            progress(futures[future])
            yield futures[future], future.result()


def _know(own: tuple[str, ...]) -> None:
    """Load derivations that are not symgen's."""
    for text in own:
        from symgen.derivations.sources import load

        load(text)


def _certified(name: str) -> str:
    return certify(probe_of(name))


def _verified(name: str) -> Verified:
    began = time.perf_counter()
    try:
        probe = probe_of(name)
        faults = tuple(verify(probe))
    except SymgenError as error:
        return Verified(name, 0, 0.0, (), (Fault(name, f"cannot be run: {error}"),), time.perf_counter() - began)
    figures = figures_of(probe)
    reached = {status for each in figures.values() for status in each.get("statuses", ())}
    ulp = max((each["exact"]["ulp"] for each in figures.values() if "exact" in each), default=0.0)
    statuses = tuple(status for status in _ORDER if status in reached)
    return Verified(name, len(probe.functions), ulp, statuses, faults, time.perf_counter() - began)
