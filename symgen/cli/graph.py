"""``symgen graph MECH``: the topological graph with its spanning tree and fundamental cycles."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import click

from symgen.cli.options.couplings import load_uncounted
from symgen.cli.options.name_lists import names_of
from symgen.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from symgen.topology.loops.topological_graph import Signed, TopologicalGraph

# Equal terms of a sum beyond so many are written as a product.
_MOST_TERMS = 3


@click.command(name="graph", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option("--cotree", metavar="A,B,...", help="Joints outside the spanning tree, one for each loop.")
@click.option("--tree", metavar="A,B,...", help="Joints of the spanning tree, instead of --cotree.")
@click.option(
    "--reverse", metavar="A,B,...", help="Joints to be directed from the second body in the file to the first."
)
@click.option(
    "--group",
    metavar="G|A=G,...",
    help=(
        "Dimension of the motion group of all loops, or of the loops closed by the cotree joints A, ...: 1, 2, 3, 4 "
        "or 6."
    ),
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/topological-graph/1).")
@click.option("--draw", metavar="FILE.svg", help="Write the oriented graph as a picture.")
def command(
    mechanism: str,
    cotree: str | None,
    tree: str | None,
    reverse: str | None,
    group: str | None,
    as_json: bool,
    draw: str | None,
) -> None:
    """Show how the bodies of a mechanism are connected (topological graph after Mueller, 2015).

    MECH is a mechanism file; bodies and joint types are enough. A spanning tree
    gives every body a predecessor; every other joint closes one loop with it.
    """
    from symgen.topology.loops.topological_graph import build_topological_graph

    if draw is not None:
        from symgen.cli.terminal.files import check_target

        check_target("--draw", draw, (".svg",))
    graph = build_topological_graph(
        load_uncounted(mechanism),
        cotree=None if cotree is None else names_of(cotree),
        tree=None if tree is None else names_of(tree),
        turned=names_of(reverse or ""),
        dimension=None if group is None else _dimension(group),
    )
    if draw is not None:
        from pathlib import Path

        from symgen.cli.terminal.files import tell_written, write_text
        from symgen.draw.topological_svg import topological_svg

        write_text(Path(draw), topological_svg(graph))
        tell_written(draw)
    if as_json:
        click.echo(json.dumps(graph.to_dict()))
    else:
        _print_graph(graph)


def _dimension(text: str) -> int | dict[str, int]:
    found: dict[str, int] = {}
    for entry in names_of(text):
        joint, _, value = entry.rpartition("=")
        if not value.isdecimal() or len(value) > 3:
            raise InputError(f"--group: {entry!r} is neither a number nor JOINT=number")
        found[joint] = int(value)
    if "" in found:
        if len(found) > 1:
            raise InputError("--group: give one number for all loops, or JOINT=number for each")
        return found[""]
    return found


def _print_graph(graph: TopologicalGraph) -> None:

    from symgen.cli.tables.counts import count
    from symgen.cli.terminal.console import table_console

    console = table_console()
    console.print(
        f"{graph.name}: {graph.space}, {count(len(graph.bodies), 'body', 'bodies')} with the frame, "
        f"{count(len(graph.arcs), 'joint')}, {count(len(graph.cycles), 'fundamental cycle')}"
    )
    freedoms = sum(arc.freedoms for arc in graph.arcs)
    times = Counter(cycle.dimension for cycle in graph.cycles)
    lost = "".join(f" - {g}" * n if n <= _MOST_TERMS else f" - {n} x {g}" for g, n in sorted(times.items()))
    console.print(f"generic mobility {graph.mobility} = {freedoms}{lost}")
    hanging = {entry.joint: entry for entry in graph.tree}
    rows = []
    for arc in graph.arcs:
        entry = hanging.get(arc.joint)
        where = ("cotree", "", "") if entry is None else (entry.body, entry.predecessor, f"{entry.sigma:+d}")
        before = "" if entry is None else graph.predecessor_joint(arc.joint) or "-"
        rows.append((arc.joint, arc.type, f"{arc.tail} -> {arc.head}", *where, before))
    _table(console, ("joint", "type", "arc", "body", "predecessor", "sigma", "joint before"), rows)
    if graph.cycles:
        cycles = [(c.joint, c.start, str(c.dimension), steps_text(c.steps)) for c in graph.cycles]
        _table(console, ("cotree", "from", "g", "cycle"), cycles)


def steps_text(steps: Iterable[Signed]) -> str:
    """Return (joint, sign) pairs for people: joints, a minus before those passed against their arcs."""
    return " ".join(f"{'-' if sign < 0 else '+'}{joint}" for joint, sign in steps)


def _table(console: Console, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from symgen.cli.tables.table import print_table, texts

    console.print()
    print_table(console, texts(*titles), rows)
