"""Tables for people of ``symgen library``; the numbers come from the JSON documents."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from symgen.cli.console import table_console


def _console() -> Console:
    return table_console()


def _table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return table


def _row(table: Table, *cells: object) -> None:
    table.add_row(*(Text("-" if cell is None else str(cell)) for cell in cells))


def print_types(document: dict[str, Any]) -> None:
    """Print what is solved."""
    rows = document["types"]
    count = ("degree", "branches", "kernel", "group", "in", "out")
    table = _table(f"{len(rows)} solved types", "type", "module", "method", *count, "source", right=count)
    for row in rows:
        operations = row["operations"]
        _row(
            table,
            row["key"],
            row["module"],
            row["method"],
            row["degree"],
            row["branches"],
            operations["kernel"],
            operations["group"],
            *(len(row["ports"][side]) for side in ("inputs", "outputs")),
            row["source"],
        )
    console = _console()
    console.print(table)
    console.print(
        "kernel, group: operations for position, velocity and acceleration together; in, out: ports of the group. "
        "ER counts as U."
    )
    engines = "; ".join(f"{engine['module']}: {', '.join(engine['pairs'])}" for engine in document["engines"])
    console.print(
        f"Any other group is solved by certified Newton ({engines}), or in closed form that is derived when it is "
        "asked for: `symgen library show TYPE` says which."
    )


def print_type(document: dict[str, Any], *, steps: bool) -> None:
    """Print one solved type."""
    console = _console()
    console.print(Text(f"{document['key']}: {document['title']} (module {document['module']})", style="bold"))
    if "note" in document:
        console.print(f"{document['note']}; {document['source']}")
        console.print("branches: those near a start (start_b1, ...); `symgen library solve` searches from many starts")
    else:
        console.print(f"{document['method']}, degree {document['degree']}; {document['source']}")
        _print_branches(console, document)
    _print_joints(console, document["arrangement"])
    for function in document["functions"]:
        _print_function(console, function)
    table = _table("\nstatuses", "status", "meaning")
    for name, meaning in document["statuses"].items():
        _row(table, name, meaning)
    console.print(table)
    if steps:
        _print_steps(console, document["derivation"])
    _print_proofs(console, document["proofs"])
    accuracy = document["float_accuracy"]
    for paragraph in accuracy["text"] if accuracy else ():
        console.print(Text(f"\n{paragraph}"))
    files = [name for names in document["files"].values() for name in names]
    if files:
        console.print(f"\nfiles in {document['folder']}: {', '.join(files)}")


def _print_branches(console: Console, document: dict[str, Any]) -> None:
    bits, ranked = document["branch_bits"], document["branch_order"] == "rank"
    choice = ", ranked zeros of one polynomial" if ranked else "" if bits else ", no choice to make"
    console.print(f"branches: {document['branches']}{choice}")
    for bit in bits:
        console.print(f"  bit {bit['bit']} ({bit['name']}) {bit['meaning']}")


def _print_joints(console: Console, arrangement: dict[str, Any]) -> None:
    table = _table("\njoints", "joint", "type", "bodies", "coordinates", "driven", "frames")
    for joint in arrangement["joints"]:
        _row(
            table,
            joint["name"],
            joint["type"],
            "-".join(joint["bodies"]),
            joint["coordinates"],
            ", ".join(joint["driven"]) or None,
            ", ".join(joint["frames"]),
        )
    console.print(table)


def _print_function(console: Console, function: dict[str, Any]) -> None:
    operations = ", ".join(f"{count} {name}" for name, count in function["operations"].items() if count)
    head = f"\n{function['level']} {function['stage']}: {function['name']} ({operations or 'no operations counted'})"
    table = _table(head, "port", "", "shape", "unit", "frame", "range", "meaning")
    for port in function["ports"]:
        shape = "x".join(map(str, port["shape"])) or "1"
        kind = port["direction"] if port["kind"] == "real" else f"{port['direction']} {port['kind']}"
        _row(table, port["name"], kind, shape, port["unit"], port["frame"], port["range"], port["meaning"])
    console.print(table)


def _print_steps(console: Console, steps: list[dict[str, Any]]) -> None:
    part = None
    for step in steps:
        if part != (step["level"], step["stage"]):
            part = (step["level"], step["stage"])
            console.print(Text(f"\n{part[0]} {part[1]}, step by step", style="bold"))
        formula = step["formula"] if "=" in step["formula"] else f"{step['name']} = {step['formula']}"
        unit = f" [{step['unit']}]" if step["unit"] else ""
        console.print(f"  {formula}")
        console.print(Text(f"      {step['meaning']}{unit}", style="dim"))


def _print_proofs(console: Console, proofs: list[dict[str, Any]]) -> None:
    if not proofs:
        return
    table = _table("\nproofs", "of", "name", "statement", "method", "bound")
    for proof in proofs:
        _row(table, proof["level"], proof["name"], proof["statement"], proof["method"], proof["bound"] or None)
    console.print(table)


def print_solution(answer: dict[str, Any]) -> None:
    """Print the branches of a solved instance."""
    console = _console()
    found = f"{answer['type']}: {answer['status']}, {len(answer['branches'])} branches"
    if answer["branches"] and not answer["complete"]:
        found += f" ({answer['method']}: those that a search finds)"
    console.print(Text(found, style="bold"))
    for branch in answer["branches"]:
        condition = "" if branch["condition"] is None else f", condition {branch['condition']:.4g}"
        title = f"\nbranch {branch['branch']}: {branch['status']}{condition}"
        table = _table(title, "", "value", "rate", "acceleration")
        for body, motion in branch["bodies"].items():
            names = (("r", "v", "a"), ("q" if "q" in motion else "phi", "omega", "alpha"))
            for keys in names:
                _row(table, f"{body} {', '.join(keys)}", *(_digits(motion[key]) for key in keys))
        for joint, freedoms in branch["joints"].items():
            for freedom, triple in freedoms.items():
                _row(table, f"{joint}.{freedom}", *map(_digits, triple))
        console.print(table)


def _digits(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, list):
        return "[" + ", ".join(str(_digits(each)) for each in value) + "]"
    return f"{value:.9g}"
