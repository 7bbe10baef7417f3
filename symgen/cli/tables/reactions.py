"""What ``symgen reactions`` prints for people: joints, sets, resultants, values, what to do; and its pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from symgen.cli.tables.counts import count
from symgen.cli.tables.table import Column, print_table, texts

if TYPE_CHECKING:
    from rich.console import Console

    from symgen.poses import Array
    from symgen.reactions.result import ReactionsResult, SourceUniqueness
    from symgen.reactions.state_values import ReactionValues

_MOST_NAMED = 12
_EXACT = {
    True: ", confirmed in exact arithmetic",
    False: "; not confirmed by the digits of the file, which may be rounded",
    None: "",
}


def print_reactions(result: ReactionsResult, *, explain: bool = False) -> None:
    """Print the verdicts.

    Parameters
    ----------
    explain : print the steps of the tool too.
    """
    from symgen.cli.terminal.console import table_console

    console = table_console()
    open_ = sum(not each.unique for each in result.joints.values())
    console.print(
        f"{result.mechanism.name}: {count(len(result.joints), 'joint')}, "
        f"{count(result.redundant, 'redundant constraint')}, {_verdict(open_)}"
    )
    console.print()
    _print_joints(console, result)
    if result.sets:
        console.print()
        _print_sets(console, result)
    if result.resultants:
        console.print()
        _print_resultants(console, result)
    if result.directions:
        console.print()
        rows = [(name, _word(unique)) for name, unique in result.directions.items()]
        print_table(console, [Column("direction"), Column("unique")], rows)
    if result.values is not None:
        console.print()
        _print_values(console, result.values, result.size)
    console.print()
    print_table(console, [Column(), *texts("")], _facts(result))
    if explain:
        console.print()
        for step in result.steps:
            console.print(step)
    for note in result.notes:
        console.print(f"note: {note}")
    for warning in result.warnings:
        console.print(f"warning: {warning}", style="yellow")


def _verdict(open_: int) -> str:
    return f"reactions of {count(open_, 'joint')} not unique" if open_ else "all reactions unique"


def _print_joints(console: Console, result: ReactionsResult) -> None:
    columns = [Column("joint"), Column("type"), Column("unique"), *texts("directions", "unique parts", "open parts")]
    types = {joint.id: joint.type for joint in result.mechanism.joints}
    rows = [(name, types[name], *_cells(each)) for name, each in result.joints.items()]
    rows += [(name, "drive", *_cells(each)) for name, each in result.drives.items()]
    print_table(console, columns, rows)


def _cells(each: SourceUniqueness) -> tuple[str, str, str, str]:
    known = [name for name, unique in each.components.items() if unique]
    open_ = [name for name, unique in each.components.items() if not unique]
    aside = ""
    if len(each.open) == 1 and len(open_) > 1:  # no component tells which direction it is
        aside = f" ({_direction(each.open[0])})"
    return (
        "yes" if each.unique else "no",
        f"{each.unique_directions} of {each.directions}",
        ", ".join(known) or "-",
        (", ".join(open_) or "-") + aside,
    )


def _direction(row: Array) -> str:
    """Return a wrench in words: the parts that are not zero."""
    force, moment = row[:3], row[3:]
    found = []
    for what, part in (("force", force), ("moment", moment)):
        if float(abs(part).max()) > 1e-9:
            found.append(f"{what} along [{' '.join(f'{x:.4g}' for x in part + 0.0)}]")
    return " with ".join(found)


def _print_sets(console: Console, result: ReactionsResult) -> None:
    from symgen.reactions.uniqueness import readings

    columns = [Column("set"), Column("reactions unique"), Column("effect unique"), Column("rank")]
    rows = [
        (name, _word(each.unique), _word(each.effect_unique), f"{each.rank}/{each.constraints}")
        for name, each in result.sets.items()
    ]
    print_table(console, columns, rows)
    for name, words in readings(result).items():
        console.print(f"{name}: {words}")


def _print_resultants(console: Console, result: ReactionsResult) -> None:
    columns = [Column("resultant"), Column("unique"), *texts("open parts", "about")]
    rows = [
        (
            name,
            _word(each.unique),
            ", ".join(part for part, unique in each.components.items() if not unique) or "-",
            " ".join(f"{x:.5g}" for x in each.point + 0.0),
        )
        for name, each in result.resultants.items()
    ]
    print_table(console, columns, rows)


def _print_values(console: Console, values: ReactionValues, size: float) -> None:
    from symgen.model.rounding import rounding, shown

    columns = [Column("joint"), Column("force [N]"), Column("moment [N m]"), *texts("")]
    force = rounding(each.force for each in values.joints.values())
    moment = max(rounding(each.moment for each in values.joints.values()), force * size)

    def vector(parts: Array, least: float) -> str:
        return " ".join(f"{shown(float(part), least):11.5g}" for part in parts)

    rows = [
        (name, vector(each.force, force), vector(each.moment, moment), _marked(each.components))
        for name, each in values.joints.items()
    ]
    print_table(console, columns, rows, title=f"reactions at t = {values.time:g} s, without springs and actuators")
    for name, value in values.efforts.items():
        console.print(f"effort of {name}: {value:.5g}")


def _marked(components: Mapping[str, bool]) -> str:
    open_ = [name for name, unique in components.items() if not unique]
    return f"least norm, not unique: {', '.join(open_)}" if open_ else ""


def _word(value: bool) -> str:
    return "yes" if value else "no"


def _facts(result: ReactionsResult) -> Iterator[tuple[str, str]]:
    yield "status", result.status
    yield "tool", result.tool
    yield "constraints", f"{result.constraints}, rank {result.rank}, {result.redundant} redundant"
    yield "freedoms", f"{result.dof} with drives held"
    yield "decided by", f"a gap of {result.gap:.2g}{_EXACT[result.exact]}"
    if result.redundant:
        named = sorted(
            {body for name, each in result.joints.items() if not each.unique for body in _bodies(result, name)}
        )
        yield "open joints on", _listed([name for name in named if name != result.mechanism.ground])
        if result.flexible:
            yield "to make all unique", f"model as flexible: {_listed(list(result.flexible))}"


def _bodies(result: ReactionsResult, joint: str) -> tuple[str, str]:
    return result.mechanism.joint(joint).bodies


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (", ".join(names[:_MOST_NAMED]) or "-") + more


def picture(result: ReactionsResult) -> str:
    """Return the mechanism with its joints marked, as SVG."""
    from symgen.draw.reactions_svg import uniqueness_svg

    joints, drives = ({name: each.unique for name, each in every.items()} for every in (result.joints, result.drives))
    return uniqueness_svg(result.mechanism, result.poses, joints, drives)


def page(result: ReactionsResult) -> str:
    """Return the picture with the table of joints below it as one HTML page; nothing is fetched."""
    from symgen.draw.svg_text import plain

    every = {**result.joints, **result.drives}
    rows = "\n".join(
        f"<tr><td>{plain(name)}</td>{''.join(f'<td>{plain(cell)}</td>' for cell in _cells(each))}</tr>"
        for name, each in every.items()
    )
    heads = "".join(f"<th>{word}</th>" for word in ("joint", "unique", "directions", "unique parts", "open parts"))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>{plain(result.mechanism.name)}</title>\n"
        "<style>body { font-family: sans-serif; margin: 24px; } table { border-collapse: collapse; } "
        "td, th { text-align: left; padding: 3px 12px; border-bottom: 1px solid #cbd2d9; }</style></head>\n"
        f"<body>\n{picture(result)}\n<table>\n<tr>{heads}</tr>\n{rows}\n</table>\n</body>\n</html>\n"
    )
