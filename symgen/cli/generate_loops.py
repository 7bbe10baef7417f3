"""``symgen generate --mechanism MECH --loops``: the loop constraints of one mechanism."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.name_lists import names_of
from symgen.cli.publishing import Replacement, check_destination, publish, staging, tell_module
from symgen.errors import MechanismError
from symgen.model.load import load
from symgen.naming import module_name
from symgen.topology.loops.coordinates import number_coordinates
from symgen.topology.loops.reference_configuration import reference_configuration, reference_values
from symgen.topology.loops.topological_graph import build_topological_graph

if TYPE_CHECKING:
    from symgen.printers.c99 import Math, Precision


@dataclass(frozen=True)
class LoopRequest:
    """What the command line asks for; lists of joints are as written there."""

    mechanism: str
    order: int
    cotree: str | None
    reverse: str | None
    name: str | None
    math: Math


def generate_loops(
    request: LoopRequest,
    out: Path,
    precisions: tuple[Precision, ...],
    backends: tuple[str, ...],
    replacement: Replacement,
) -> tuple[str, list[Path]]:
    """Write the module of a mechanism's loops below `out`; return its id and its files.

    The manifest holds the values of the geometry ports if the mechanism has its joint frames.
    """
    from symgen.pipeline import generate_loop_texts

    mechanism = load(request.mechanism)
    mechanism.require_uncoupled("generating loop constraints")
    module = module_name(request.name, mechanism.name or Path(request.mechanism).stem, "loops")
    cotree = None if request.cotree is None else names_of(request.cotree)
    graph = build_topological_graph(mechanism, cotree=cotree, turned=names_of(request.reverse or ""))
    for file in check_destination(out, [module], replacement):
        click.echo(f"--force: {file} is discarded", err=True)
    started = time.perf_counter()
    try:
        coordinates = number_coordinates(graph)
        reference = reference_values(reference_configuration(mechanism, graph, coordinates), graph, coordinates)
    except MechanismError:  # structure alone: the code is the same, its user brings the numbers
        reference = None
    with staging(out) as folder:
        texts = generate_loop_texts(
            graph,
            module,
            order=request.order,
            reference=reference,
            precisions=precisions,
            backends=backends,
            math=request.math,
        )
        (folder / module).mkdir()
        for name, text in texts.items():
            (folder / module / name).write_text(text, encoding="utf-8", newline="\n")
        files = publish(folder, out, replacement)
    tell_module(module, out, time.perf_counter() - started)
    if reference is None:
        click.echo("the mechanism has no joint frames: the manifest has no values for the geometry ports", err=True)
    return module, files
