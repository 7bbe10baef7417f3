"""The stages of ``symgen demo`` for one example: structure, derivation, compiler, motion, pictures."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from symgen.cli.tables.solve import print_groups
from symgen.cli.terminal.files import write_text, write_whole
from symgen.cli.terminal.progress import progress_bar
from symgen.cli.terminal.publishing import check_destination, publish, staging

if TYPE_CHECKING:
    from rich.console import Console

    from symgen.library.catalogue import Module
    from symgen.library.open import Library
    from symgen.model.mechanism import Mechanism
    from symgen.resources import Place
    from symgen.solve.result import MotionResult

_STEPS = 1000
_SECONDS = 1.0


def run_example(console: Console, folder: Path, out: Path) -> bool:
    """Run one example and print what happens.

    Parameters
    ----------
    folder : of the example.
    out : folder for solvers, motion and pictures.

    Returns
    -------
    bool
        Whether every time was solved.
    """
    import symgen

    mechanism = symgen.load(folder / "mechanism.toml")
    console.print(f"{mechanism.name}  ({folder / 'mechanism.toml'})", style="bold")
    console.print()
    library = symgen.library()
    modules = _show_structure(console, mechanism, library, out)
    _derive(console, modules, out)
    _compile(console, mechanism, modules, library)
    result = _solve(console, mechanism, library)
    _draw(console, result, out)
    return result.ok


def _show_structure(console: Console, mechanism: Mechanism, library: Library, out: Path) -> list[Module]:
    """Take the mechanism apart; return the modules that solve its groups, each once."""
    from symgen.draw.structure_svg import write_structure
    from symgen.solve.plan import GroupPlan, make_plan

    with _timed() as clock:
        plan = make_plan(mechanism, library)
    structure = plan.structure
    _line(
        console,
        "structure",
        f"{structure.bodies} bodies with the frame, {structure.joints} joints, {_count(structure.driven, 'input')}: "
        f"{_count(len(structure.groups), 'structural group')} on "
        f"{_count(max(group.level for group in structure.groups), 'level')}",
        clock,
    )
    write_structure(structure, out / "structure.svg")
    solved = [group.solved.entry.module for group in plan.groups if isinstance(group, GroupPlan)]
    modules = {module.manifest.id: module for module in solved}
    return [modules[name] for name in sorted(modules)]


def _derive(console: Console, modules: Sequence[Module], out: Path) -> None:
    """Derive the solvers again from their equations and write them; say whether they are what is shipped."""
    from symgen import pipeline

    solvers = out / "solvers"
    names = [module.manifest.id for module in modules]
    check_destination(solvers, names)  # edited solvers are not written over
    for module, name in zip(modules, names, strict=True):
        with progress_bar(f"deriving {name}"), _timed() as clock, staging(solvers) as stage:
            pipeline.generate([name], stage)
            publish(stage, solvers)
        manifest = module.manifest
        _line(
            console,
            "derived",
            f"{manifest.title}: {_count(len(module.steps()), 'named step')}, "
            f"{_count(len(manifest.proofs), 'proof')}, {_count(manifest.branches, 'branch', 'branches')}",
            clock,
        )
        console.print(f"              {solvers / name}: {_sizes(solvers / name)}")
        if not _same(solvers / name, module.folder):
            console.print("              differs from the shipped library; the steps below run the shipped one")


def _compile(console: Console, mechanism: Mechanism, modules: Sequence[Module], library: Library) -> None:
    """Compile the solvers, and what hands arrays on to them: solving for two times does."""
    from concurrent.futures import ThreadPoolExecutor

    import symgen

    # The compiler runs in processes of its own.
    with _timed() as clock, ThreadPoolExecutor(2) as pool, progress_bar("compiling", len(modules)) as progress:
        backends = []
        for backend in pool.map(library.backend_of, modules):
            backends.append(backend)
            progress.advance()
        symgen.solve(mechanism, [0.0, _SECONDS / _STEPS], library=library)
    names = sorted({backend.name for backend in backends})
    if names == ["c"]:
        _line(console, "compiled", f"{_count(len(modules), 'module')}; those in the cache are only loaded", clock)
    else:
        _line(
            console,
            "not compiled",
            ("NumPy runs the solvers; `symgen doctor` shows what is wrong with the compiler"),
            clock,
        )


def _solve(console: Console, mechanism: Mechanism, library: Library) -> MotionResult:
    import symgen

    times = np.linspace(0.0, _SECONDS, _STEPS + 1)
    with _timed() as clock:
        result: MotionResult = symgen.solve(mechanism, times, library=library)
    each = 1e6 * clock.seconds / len(times)
    words = f"{len(times)} times, position, velocity and acceleration of all bodies: {each:.3g} us a time"
    _line(console, "solved", words, clock)
    print_groups(console, result.groups)
    failure = result.first_failure()
    console.print(
        "every group OK at every time" if failure is None else f"first failure {failure}",
        style="green" if failure is None else "red",
    )
    console.print()
    return result


def _draw(console: Console, result: MotionResult, out: Path) -> None:
    from symgen.draw.animate import animate
    from symgen.draw.plot_svg import plot_columns
    from symgen.solve.document import write_csv

    with _timed() as clock:
        write_whole(out / "motion.csv", lambda stream: write_csv(result, stream))
        write_text(out / "motion.svg", animate(result, ".svg"))
        write_text(out / "motion.html", animate(result, ".html"))
        write_text(out / "joints.svg", plot_columns(result))
    _line(console, "written", f"{out}: motion.html motion.svg joints.svg structure.svg motion.csv", clock)
    console.print()


class _Stopwatch:
    """Seconds that a stage took."""

    seconds = 0.0


@contextmanager
def _timed() -> Iterator[_Stopwatch]:
    clock, started = _Stopwatch(), time.perf_counter()
    yield clock
    clock.seconds = time.perf_counter() - started


def _line(console: Console, stage: str, words: str, clock: _Stopwatch) -> None:
    took = f"{clock.seconds:.1f} s" if clock.seconds >= 0.95 else f"{1e3 * clock.seconds:.0f} ms"
    console.print(f"{stage:<13} {words}  ({took})")


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _sizes(folder: Path) -> str:
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix in (".c", ".h", ".py", ".json"))
    return ", ".join(f"{path.name} {-(-path.stat().st_size // 1000)} kB" for path in files if path.stem == folder.name)


def _same(made: Path, shipped: Place) -> bool:
    names = sorted(path.name for path in made.iterdir() if path.is_file())
    return all(
        (shipped / name).is_file() and (shipped / name).read_bytes() == (made / name).read_bytes() for name in names
    )
