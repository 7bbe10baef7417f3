"""Tables for people of ``symgen schedule``; the numbers come from the JSON document."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from symgen.cli.tables.counts import count
from symgen.cli.tables.table import Column, numbers, print_table, texts
from symgen.cli.terminal.console import table_console
from symgen.model.nearest import list_names

_MOST_ROWS = 60
_MOST_STEPS = 20
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


def print_schedule(document: dict[str, Any]) -> None:
    """Print groups, cores, routes and notices."""
    console = table_console()
    document = _in_readable_seconds(document)
    groups, unit = document["groups"], document["unit"]
    path = document["critical_path"]
    console.print(
        f"{document['mechanism']}: {count(len(groups), 'group')} on {count(len(document['levels']), 'level')}; "
        f"one after the other {_cost(document['total'], unit)}"
    )
    console.print(
        f"critical path {' > '.join(map(str, path['groups'][:_MOST_ROWS]))}: {_cost(path['cost'], unit)}, so no "
        f"number of cores is faster than {document['best_speed_up']:.3g} times"
    )
    if document["status"] != "determined":
        console.print(document["reason"].removeprefix("is "))
    _print_groups(console, document)
    _print_cores(console, document)
    _print_placements(console, document)
    _print_routes(console, document)
    console.print("time of a route: all cores wait for the slowest group of a step; of `cores`: no core waits.")
    if document["notices"]:
        console.print()
    for notice in document["notices"]:
        console.print(f"- {notice}")


def _print_groups(console: Console, document: dict[str, Any]) -> None:
    columns = [
        *numbers("group", "level"),
        *texts("signature"),
        *numbers("cost", "earliest", "slack"),
        *texts("depends on", ""),
    ]
    rows: list[tuple[object, ...]] = []
    for group in document["groups"][:_MOST_ROWS]:
        cells = (
            group["number"],
            group["level"],
            group["signature"],
            _cost(group["cost"]) + ("?" if group["cost_from"] == "estimated" else ""),
            _cost(group["earliest"]),
            _cost(group["slack"]),
            list_names(map(str, group["depends_on"])) if group["depends_on"] else "frame",
            "critical" if group["critical"] else "",
        )
        rows.append(cells)
    _show(console, columns, rows, len(document["groups"]))


def _print_cores(console: Console, document: dict[str, Any]) -> None:
    rows: list[tuple[object, ...]] = []
    for row in document["cores"]:
        cells = (
            row["cores"],
            _cost(row["makespan"]),
            f"{row['speed_up']:.3f}",
            f"{100 * row['efficiency']:.0f} %",
            _cost(row["lower_bound"]),
            "shortest" if row["optimal"] else "not proved shortest",
        )
        rows.append(cells)
    _show(console, [*numbers("cores", "time", "speed-up", "efficiency", "lower bound"), *texts("")], rows)


def _print_placements(console: Console, document: dict[str, Any]) -> None:
    schedule = document["schedule"]
    by_core: dict[int, list[str]] = {}
    for row in schedule["groups"]:
        by_core.setdefault(row["core"], []).append(str(row["group"]))
    console.print()
    for core in sorted(by_core)[:_MOST_ROWS]:
        names = by_core[core]
        more = f" ... and {len(names) - _MOST_ROWS} more" if len(names) > _MOST_ROWS else ""
        console.print(f"core {core}: groups {' '.join(names[:_MOST_ROWS])}{more}")
    console.print()


def _print_routes(console: Console, document: dict[str, Any]) -> None:
    counts, cores = document["routes"], document["schedule"]["cores"]
    if counts["sequential"] is None:
        console.print("routes: too many to count")
    else:
        parallel, limited = (_number(counts[key]) for key in ("parallel", "on_cores"))
        console.print(
            f"routes: {_number(counts['sequential'])} sequential, {parallel} parallel, {limited} with at most "
            f"{count(cores, 'group')} per step"
        )
    if not document["best_routes"]:
        return
    rows: list[tuple[object, ...]] = []
    for number, route in enumerate(document["best_routes"], start=1):
        steps = "  ".join("+".join(map(str, step)) for step in route["steps"][:_MOST_STEPS])
        if len(route["steps"]) > _MOST_STEPS:
            steps += f"  ... and {len(route['steps']) - _MOST_STEPS} more"
        rows.append((number, _cost(route["cost"]), f"{route['speed_up']:.3f}", _number(route["ways"]), steps))
    columns = [*numbers("route", "time", "speed-up", "ways"), *texts("steps, groups solved at once joined by +")]
    _show(console, columns, rows)


def _show(console: Console, columns: list[Column], rows: list[tuple[object, ...]], count_of_groups: int = 0) -> None:
    console.print()
    print_table(console, columns, rows)
    if count_of_groups > _MOST_ROWS:
        console.print(f"... and {count_of_groups - _MOST_ROWS} more groups; --json lists all.")


def _number(value: int | None) -> str:
    if value is None:
        return "too many to count"
    return f"{value:,}" if value < 10**15 else f"{value:.3e}" if value < 10**300 else "more than 1e300"


def _cost(value: float, unit: str | None = None) -> str:
    text = f"{value:.0f}" if value == round(value) and abs(value) < 1e9 else f"{value:.4g}"
    return f"{text} {unit}".rstrip() if unit else text


def _in_readable_seconds(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with seconds turned into the largest unit in which the whole is at least one."""
    if document["unit"] != "s":
        return document
    size, unit = next((size, unit) for size, unit in _SECONDS if document["total"] >= size)
    scale = 1.0 / (size or 1e-9)
    times = {"cost", "earliest", "slack", "total", "makespan", "lower_bound", "start", "end"}

    def turned(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: turned(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [turned(item) for item in value]
        return value * scale if key in times else value

    return {**turned(document), "unit": unit}
