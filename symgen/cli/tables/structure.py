"""The tables of ``symgen analyse --tables``: groups and the matrix Results_SA as the paper prints them.

Source: A. Celdran, M. Saura, D. Dopico, 2022, Tables 7 to 12 and Eq. (11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symgen.cli.tables.table import Column, numbers, print_table, texts
from symgen.topology.structure import pair_string

if TYPE_CHECKING:
    from rich.console import Console

    from symgen.topology.structure import Structure

_MOST_ROWS = 200
#: Wider matrices are left to --json.
MOST_COLUMNS = 100


def print_tables(console: Console, structure: Structure) -> None:
    """Print the groups with their pair lists, ``20&1R.18&21S.``, and Results_SA."""
    if structure.groups:
        _print_groups(console, structure)
    _print_matrix(console, structure)


def _print_groups(console: Console, structure: Structure) -> None:
    columns = [
        *numbers("SG", "number of bodies"),
        *texts("bodies", "type", "external KP", "internal KP", "DOFs to external KP"),
        *numbers("inputs"),
    ]
    rows = []
    for group in structure.groups[:_MOST_ROWS]:
        cells = (
            str(group.number),
            str(len(group.bodies)),
            ", ".join(group.bodies),
            group.type,
            *(pair_string(pairs) or "-" for pairs in (group.external, group.internal, group.assigns)),
            str(group.driven),
        )
        rows.append(cells)
    console.print()
    print_table(console, columns, rows)
    if len(structure.groups) > _MOST_ROWS:
        console.print("... --json lists all groups.")


def _print_matrix(console: Console, structure: Structure) -> None:
    console.print()
    if structure.bodies > MOST_COLUMNS:
        console.print(
            f"Results_SA has {structure.bodies} rows and columns, too many to print (at most {MOST_COLUMNS}); see "
            "--json"
        )
        return
    names = [members[0] + (f" +{len(members) - 1}" if len(members) > 1 else "") for members in structure.rigid]
    rows = [(name, *row) for name, row in zip(names, structure.results_sa, strict=True)]
    print_table(console, [Column("Results_SA"), *numbers(*names)], rows)
    console.print()
