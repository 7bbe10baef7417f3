"""What ``symgen accelerations`` prints for people: a table of bodies, a table of joints, how it was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from symgen.library.rotations import Array
    from symgen.transfer.acceleration_result import AccelerationResult

_MOST_NAMED = 12
#: Part of the largest number of a column that is printed as zero.
_NOTHING = 1e-13


def print_accelerations(result: AccelerationResult) -> None:
    """Print accelerations of bodies, loads and accelerations of joints, and how they were found."""
    from rich.table import Table
    from rich.text import Text

    from symgen.cli.console import table_console
    from symgen.cli.counts import count

    console = table_console()
    console.print(
        f"{result.mechanism.name}: {count(len(result.bodies), 'body', 'bodies')}, {count(len(result.joints), 'joint')}"
    )
    console.print()
    console.print(_bodies(result))
    console.print()
    console.print(_joints(result))
    console.print()
    facts = Table(box=None, pad_edge=False, show_header=False)
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, words in _facts(result):
        facts.add_row(name, Text(words))
    console.print(facts)
    for note in result.notes:
        console.print(f"note: {note}")
    for warning in result.warnings:
        console.print(f"warning: {warning}", style="yellow")


def _bodies(result: AccelerationResult) -> Table:
    table = _table("body", "acceleration [m/s^2]", "angular [rad/s^2]")
    every = list(result.bodies.values())
    least = _rounding([each.a for each in every]), _rounding([each.alpha for each in every])
    for name, each in result.bodies.items():
        table.add_row(name, _vector(each.a, least[0]), _vector(each.alpha, least[1]))
    return table


def _joints(result: AccelerationResult) -> Table:
    from symgen.simulate.scale import unit_of_length

    table = _table("joint", "force [N]", "moment [N m]", "coordinates [rad/s^2, m/s^2]", "")
    every = list(result.joints.values())
    forces = [each.force for each in every]
    levers = [unit_of_length(result.mechanism) * force for force in forces]  # without moments, all are rounding
    least = _rounding(forces), _rounding([*(each.moment for each in every), *levers])
    for name, each in result.joints.items():
        rates = ", ".join(f"{freedom} {value:.5g}" for freedom, value in each.accelerations.items())
        table.add_row(
            name,
            _vector(each.force, least[0]),
            _vector(each.moment, least[1]),
            rates,
            "" if each.unique else "not unique",
        )
    return table


def _table(*titles: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, no_wrap=True)
    return table


def _rounding(vectors: Sequence[Array]) -> float:
    """Return below what numbers are rounding of the others in a column."""
    return _NOTHING * max((float(abs(vector).max()) for vector in vectors), default=0.0)


def _vector(values: Array, least: float) -> str:
    return " ".join(f"{value if abs(value) > least else 0.0:11.5g}" for value in values)


def _facts(result: AccelerationResult) -> Iterator[tuple[str, str]]:
    yield "method", result.method
    if result.roots:
        yield "roots", _listed(result.roots)
    if result.loops:
        yield "cut", _listed(result.loops)
    if result.rows:
        more = f", {result.redundant} redundant" if result.redundant else ""
        yield "constraints", f"{result.rows} solved for, rank {result.rank}{more}"
    open_ = [name for name, each in result.joints.items() if not each.unique]
    if open_:
        yield "not unique", f"{_listed(open_)}: redundant constraints; the shortest multipliers are given"
    for name, value in result.figures.items():
        yield name, f"{value:.3g}"
    yield "residual", f"{result.residual:.2g} of the largest terms"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
