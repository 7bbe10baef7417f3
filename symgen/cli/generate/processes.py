"""Generating many modules at once: a process each, published as they are done; what is up to date is left alone.

A module is up to date if this very generator (the sources of its family and of all stages, the templates, and the
libraries they stand on) made it with the same choices and nobody has touched its files since. That is remembered
beside the cache of compiled modules, as the name of an empty file: the digest of all of this. Without it, or without a
cache, a module is simply made again.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.options.numbers import WholeNumber
from symgen.cli.terminal.progress import progress_bar
from symgen.cli.terminal.publishing import is_as_written, publish, staging

if TYPE_CHECKING:
    from symgen.cli.generate.destination import Destination
    from symgen.printers.c99 import Math, Precision

jobs_option = click.option(
    "--jobs", metavar="N", type=WholeNumber("processes", 1, 256), help="Processes.  [default: one per processor]"
)


@dataclass(frozen=True)
class Choice:
    """What is written of each module."""

    precisions: tuple[Precision, ...]
    backends: tuple[str, ...]
    math: Math = "own"


def generate_modules(modules: Sequence[str], destination: Destination, choice: Choice, jobs: int | None) -> list[Path]:
    """Write modules, each as soon as it is done; return all their files, sorted.

    Parameters
    ----------
    modules : their ids; each becomes a folder.
    jobs : how many processes at most; None: one for each processor.
    """
    target = destination.out
    stale = [module for module in modules if not _is_up_to_date(target / module, choice)]
    files = [path for module in modules if module not in stale for path in _files(target / module)]
    with staging(target) as folder, progress_bar("generating", len(modules)) as progress:

        def tell(module: str, words: str) -> None:
            progress.advance()
            progress.line(f"[{progress.done:.0f}/{len(modules)}] {module}: {words}")

        for module in modules:
            if module not in stale:
                tell(module, "up to date")
        for module, seconds in _made(stale, folder, choice, jobs or processors()):
            files += publish(folder / module, target, destination.replacement)
            _remember(target / module, choice)
            tell(module, f"written: {target / module} ({seconds:.1f} s)")
    return sorted(files)


def _made(modules: Sequence[str], folder: Path, choice: Choice, jobs: int) -> Iterator[tuple[str, float]]:
    """Make modules in folders of their own below `folder`; give each with its seconds when it is done."""
    workers = min(jobs, len(modules))
    if workers < 2:
        for module in modules:
            yield module, _make(module, folder / module, choice)
        return
    # Threads of a progress bar and forked processes do not go together: "spawn".
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        # The long ones are at the end of the library: they begin first.
        waiting: dict[Future[float], str] = {
            pool.submit(_make, module, folder / module, choice): module for module in reversed(modules)
        }
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda each: modules.index(waiting[each])):
                    yield waiting.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _make(module: str, folder: Path, choice: Choice) -> float:
    """Derive and write one module below `folder`; return the seconds it took."""
    from symgen import pipeline

    started = time.perf_counter()
    folder.mkdir()
    pipeline.generate([module], folder, precisions=choice.precisions, backends=choice.backends, math=choice.math)
    return time.perf_counter() - started


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()]


def _is_up_to_date(folder: Path, choice: Choice) -> bool:
    mark = _mark(folder, choice)
    return mark is not None and mark.is_file() and is_as_written(folder)


def _remember(folder: Path, choice: Choice) -> None:
    mark = _mark(folder, choice)
    if mark is not None:
        with suppress(OSError):  # a cache that cannot be written costs time only
            mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark.touch(mode=0o600)


def _mark(folder: Path, choice: Choice) -> Path | None:
    """Return the file whose being there says that this generator made the module in `folder`; None without one."""
    from symgen.build.entries import cache_place
    from symgen.build.generator import generator_digest
    from symgen.pipeline import module_sources

    try:
        manifest = (folder / f"{folder.name}.json").read_bytes()
    except OSError:
        return None
    made, maker = hashlib.sha256(manifest).hexdigest(), generator_digest(module_sources(folder.name))
    facts = (maker, folder.name, choice.precisions, choice.backends, choice.math, made)
    return cache_place() / "made" / hashlib.sha256(repr(facts).encode()).hexdigest()


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
