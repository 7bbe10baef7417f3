"""``symgen generate --mechanism MECH --whole``: one module that solves a whole mechanism."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.name_lists import names_of
from symgen.cli.publishing import Replacement, check_destination, publish, staging, tell_module
from symgen.model.load import load
from symgen.simulate.laws import functions_of_libm

if TYPE_CHECKING:
    from symgen.printers.c99 import Math, Precision
    from symgen.whole.asked import Checks
    from symgen.whole.layout import Drives, Geometry
    from symgen.whole.module import WholeModule


@dataclass(frozen=True)
class WholeRequest:
    """What the command line asks for; `results` is as written there."""

    mechanism: str
    drives: Drives
    geometry: Geometry
    results: str
    checks: Checks
    math: Math
    name: str | None
    time: float
    assembly: int | None


def generate_whole(
    request: WholeRequest,
    out: Path,
    precisions: tuple[Precision, ...],
    backends: tuple[str, ...],
    replacement: Replacement,
) -> tuple[str, list[Path]]:
    """Write the module of a whole mechanism below `out`; return its id and its files."""
    import symgen
    from symgen.pipeline import generate_whole_texts
    from symgen.whole.module import whole_module

    started = time.perf_counter()
    module = whole_module(
        load(request.mechanism),
        symgen.library(),
        module_id=request.name,
        drives=request.drives,
        geometry=request.geometry,
        results=names_of(request.results),
        checks=request.checks,
        time=request.time,
        assembly=request.assembly,
    )
    for file in check_destination(out, [module.id], replacement):
        click.echo(f"--force: {file} is discarded", err=True)
    with staging(out) as folder:
        texts = generate_whole_texts(module, precisions=precisions, backends=backends, math=request.math)
        (folder / module.id).mkdir()
        for name, text in texts.items():
            (folder / module.id / name).write_text(text, encoding="utf-8", newline="\n")
        files = publish(folder, out, replacement)
    tell_module(module.id, out, time.perf_counter() - started)
    for note in (*_notes(module), *(_notes_of_math(module) if request.math == "own" and "c" in backends else ())):
        click.echo(note, err=True)
    return module.id, files


def _notes_of_math(module: WholeModule) -> list[str]:
    """Say which functions of the laws have other bits on other machines, in spite of `--math own`."""
    if not module.layout.by_law:
        return []
    laws = [module.plan.mechanism.drives[key] for key in module.layout.drives]
    found = functions_of_libm([part for law in laws for part in (law.value, law.rate, law.acceleration)])
    if not found:
        return []
    return [
        f"the laws of the drives call {', '.join(found)}, which only <math.h> has, so bits may differ between "
        "machines; --drives inputs leaves the laws out"
    ]


def _notes(module: WholeModule) -> list[str]:
    """Say what the caller of the module has to know about branches."""
    notes = []
    if module.branch is None:
        notes.append(
            f"the manifest gives no initial branches: {module.doubt}\nthe code is the same for all branches: pass "
            "`branch` in each call, or write the manifest with --assembly K, numbered as in `symgen solve MECH "
            "--assemblies`"
        )
    else:
        notes.append(f"initial branches: {{{', '.join(map(str, module.branch))}}}")
    if module.left_out:
        listed = ", ".join(str(number) for number, _ in module.left_out)
        notes.append(
            f"left out, because no result needs them: group {listed}. Their checks are not made; --checks all makes "
            "them"
        )
    if module.layout.alone:
        listed = ", ".join(map(str, module.layout.alone))
        notes.append(
            f"only coordinates of group {listed} are requested: position and motion may leave out checks; the header "
            "lists them, --checks all keeps them"
        )
    late = ", ".join(str(each.number) for each in module.layout.followed)
    if late and module.beginning is not None:
        notes.append(
            f"group {late}: `begin` gives the state at t = {module.beginning.time:g} s, `follow` continues from it; "
            "`position` and `motion` have no memory"
        )
    elif late:
        notes.append(
            f"group {late}: nothing determines where to begin, so there is no `begin`; choose with --assembly K and "
            "--at T0"
        )
    return notes
