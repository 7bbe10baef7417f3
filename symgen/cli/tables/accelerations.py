"""What ``symgen accelerations`` prints for people: a table of bodies, a table of joints, how it was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symgen.cli.tables.table import Column, print_table, texts
from symgen.model.rounding import shown

if TYPE_CHECKING:
    from rich.console import Console

    from symgen.poses import Array
    from symgen.transfer.acceleration_result import AccelerationResult
    from symgen.transfer.acceleration_rounding import Least

_MOST_NAMED = 12


def print_accelerations(result: AccelerationResult) -> None:
    """Print accelerations of bodies, loads and accelerations of joints, and how they were found."""
    from symgen.cli.tables.counts import count
    from symgen.cli.terminal.console import table_console
    from symgen.transfer.acceleration_rounding import least_of

    console = table_console()
    console.print(
        f"{result.mechanism.name}: {count(len(result.bodies), 'body', 'bodies')}, {count(len(result.joints), 'joint')}"
    )
    console.print()
    least = least_of(result)
    _print_bodies(console, result, least)
    console.print()
    _print_joints(console, result, least)
    console.print()
    print_table(console, [Column(), *texts("")], _facts(result))
    for note in result.notes:
        console.print(f"note: {note}")
    for warning in result.warnings:
        console.print(f"warning: {warning}", style="yellow")


def _print_bodies(console: Console, result: AccelerationResult, least: Least) -> None:
    columns = [Column("body"), Column("acceleration [m/s^2]"), Column("angular [rad/s^2]")]
    rows = [
        (name, _vector(each.a, least.linear), _vector(each.alpha, least.turning))
        for name, each in result.bodies.items()
    ]
    print_table(console, columns, rows)


def _print_joints(console: Console, result: AccelerationResult, least: Least) -> None:
    from symgen.solve.turns import ANGLES

    columns = [Column("joint"), Column("force [N]"), Column("moment [N m]"), *texts("coordinates [rad/s^2, m/s^2]", "")]
    rows = [
        (
            name,
            _vector(each.force, least.force),
            _vector(each.moment, least.moment),
            ", ".join(
                f"{freedom} {shown(value, least.turning if freedom in ANGLES else least.linear):.5g}"
                for freedom, value in each.accelerations.items()
            ),
            "" if each.unique else f"not unique: {', '.join(k for k, known in each.components.items() if not known)}",
        )
        for name, each in result.joints.items()
    ]
    print_table(console, columns, rows)


def _vector(values: Array, least: float) -> str:
    return " ".join(f"{shown(value, least):11.5g}" for value in values)


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
        yield "not unique", f"{_listed(open_)}: redundant constraints; the smallest ones are given"
    for name, value in result.figures.items():
        yield name, f"{value:.3g}"
    yield "residual", f"{result.residual:.2g} of the largest terms"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
