"""Tables for people of ``symgen library``; the numbers come from the JSON documents."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from symgen.cli.tables.table import Column, numbers, print_table, texts
from symgen.cli.terminal.console import table_console
from symgen.model.rounding import rounding, shown


def _console() -> Console:
    return table_console()


def print_types(document: dict[str, Any]) -> None:
    """Print what is solved."""
    rows = document["types"]
    formulas = document["formulas"]
    columns = [
        *texts("type"),
        Column("module"),
        *texts("method"),
        *numbers("degree", "branches", "kernel", "group", "in", "out"),
        *texts("source"),
    ]
    cells = []
    for row in (*rows, *formulas):
        operations = row["operations"]
        each = (
            row["key"],
            row["module"],
            row["method"],
            row["degree"],
            row["branches"],
            operations["kernel"],
            operations.get("group"),
            *(len(row["ports"][side]) for side in ("inputs", "outputs")),
            row["source"],
        )
        cells.append(each)
    later = document["on_first_use"]
    cells += [(row["key"], row["module"], row["made"], *[""] * (len(columns) - 3)) for row in later]
    offered = document["offered"]
    cells += [
        (row["name"], row["name"], f"{row['kind']}, made on first use", *[""] * (len(columns) - 4), row["package"])
        for row in offered
    ]
    console = _console()
    more = f", {len(formulas)} formulas" if formulas else ""
    more += f", {len(offered)} offered by packages" if offered else ""
    title = f"{len(rows)} solved types{more}, {len(later)} more are made on first use"
    print_table(console, columns, cells, title=title)
    console.print(
        "kernel, group: operations for position, velocity and acceleration together; in, out: ports of the group. "
        "ER counts as U."
    )
    engines = "; ".join(f"{engine['module']}: {', '.join(engine['pairs'])}" for engine in document["engines"])
    console.print(
        f"Any other group is solved by certified Newton ({engines}), or in a closed form that is derived on demand: "
        "`symgen library show TYPE` shows which."
    )


def print_type(document: dict[str, Any], *, steps: bool) -> None:
    """Print one solved type."""
    console = _console()
    console.print(Text(f"{document['key']}: {document['title']} (module {document['module']})", style="bold"))
    if "note" in document:
        console.print(f"{document['note']}; {document['source']}")
        console.print("branches: those near a start (start_b1, ...); `symgen library solve` searches from many starts")
    else:
        degree = f", degree {document['degree']}" if document["arrangement"]["joints"] else ""
        console.print(f"{document['method']}{degree}; {document['source']}")
        _print_branches(console, document)
    if document.get("origin"):
        said = ", ".join(f"{key} {value}" for key, value in document["origin"].items())
        console.print(f"from outside symgen: {said}", markup=False, highlight=False)
    if document["arrangement"]["joints"]:
        _print_joints(console, document["arrangement"])
    for function in document["functions"]:
        _print_function(console, function)
    print_table(console, [Column("status"), *texts("meaning")], document["statuses"].items(), title="\nstatuses")
    if steps:
        _print_steps(console, document["derivation"])
    _print_proofs(console, document["proofs"])
    accuracy = document["float_accuracy"]
    for paragraph in accuracy["text"] if accuracy else ():
        console.print(Text(f"\n{paragraph}"))
    files = dict.fromkeys(name for names in document["files"].values() for name in names)
    if files:
        console.print(f"\nfiles in {document['folder']}: {', '.join(files)}")


def _print_branches(console: Console, document: dict[str, Any]) -> None:
    bits, ranked = document["branch_bits"], document["branch_order"] == "rank"
    choice = ", ranked zeros of one polynomial" if ranked else "" if bits else ", no choice to make"
    console.print(f"branches: {document['branches']}{choice}")
    for bit in bits:
        console.print(f"  bit {bit['bit']} ({bit['name']}) {bit['meaning']}")


def _print_joints(console: Console, arrangement: dict[str, Any]) -> None:
    rows = [
        (
            joint["name"],
            joint["type"],
            "-".join(joint["bodies"]),
            joint["coordinates"],
            ", ".join(joint["driven"]) or None,
            ", ".join(joint["frames"]),
        )
        for joint in arrangement["joints"]
    ]
    columns = [Column("joint"), Column("type"), *texts("bodies", "coordinates", "driven", "frames")]
    print_table(console, columns, rows, title="\njoints")


def _print_function(console: Console, function: dict[str, Any]) -> None:
    operations = ", ".join(f"{count} {name}" for name, count in function["operations"].items() if count)
    lanes = "; batches in lanes" if function["lanes"] else ""
    said = f"{operations or 'no operations counted'}{lanes}"
    head = f"\n{function['level']} {function['stage']}: {function['name']} ({said})"
    rows = []
    for port in function["ports"]:
        shape = "x".join(map(str, port["shape"])) or "1"
        kind = port["direction"] if port["kind"] == "real" else f"{port['direction']} {port['kind']}"
        rows.append((port["name"], kind, shape, port["unit"], port["frame"], port["range"], port["meaning"]))
    columns = [Column("port"), Column(), *(Column(title) for title in ("shape", "unit", "frame"))]
    print_table(console, [*columns, *texts("range", "meaning")], rows, title=head)


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
    rows = [
        (proof["level"], proof["name"], proof["statement"], proof["method"], proof["bound"] or None) for proof in proofs
    ]
    columns = [Column("of"), Column("name"), *texts("statement", "method", "bound")]
    print_table(console, columns, rows, title="\nproofs")


def print_solution(answer: dict[str, Any]) -> None:
    """Print the branches of a solved instance."""
    from symgen.solve.turns import ANGLES

    console = _console()
    found = f"{answer['type']}: {answer['status']}, {len(answer['branches'])} branches"
    if answer["branches"] and not answer["complete"]:
        found += f" ({answer['method']}: branches found by a search)"
    console.print(Text(found, style="bold"))
    least = _rounding(answer)
    for branch in answer["branches"]:
        condition = "" if branch["condition"] is None else f", condition {branch['condition']:.4g}"
        title = f"\nbranch {branch['branch']}: {branch['status']}{condition}"
        rows: list[tuple[object, ...]] = []
        for body, motion in branch["bodies"].items():
            names = (("r", "v", "a"), ("q" if "q" in motion else "phi", "omega", "alpha"))
            for keys in names:
                rows.append((f"{body} {', '.join(keys)}", *(_digits(motion[key], least[key]) for key in keys)))
        for joint, freedoms in branch["joints"].items():
            for freedom, triple in freedoms.items():
                turns = freedom in ANGLES
                keys = ("phi", "omega", "alpha") if turns else ("r", "v", "a")
                cells = (_digits(value, least[key]) for value, key in zip(triple, keys, strict=True))
                rows.append((f"{joint}.{freedom}", *cells))
        print_table(console, [Column(), *texts("value", "rate", "acceleration")], rows, title=title)


def _rounding(answer: dict[str, Any]) -> dict[str, float]:
    """Return for each quantity of a body below what it is rounding of the others; of angles and quaternions, of 1."""
    every = [motion for branch in answer["branches"] for motion in branch["bodies"].values()]
    least = {key: rounding(_numbers(motion.get(key)) for motion in every) for key in ("r", "v", "a", "omega", "alpha")}
    return {**least, "phi": rounding([[1.0]]), "q": rounding([[1.0]])}


def _numbers(value: Any) -> list[float]:
    return [] if value is None else [float(each) for each in value] if isinstance(value, list) else [float(value)]


def _digits(value: Any, least: float) -> str | None:
    if value is None:
        return None
    if isinstance(value, list):
        return "[" + ", ".join(str(_digits(each, least)) for each in value) + "]"
    return f"{shown(value, least):.9g}"
