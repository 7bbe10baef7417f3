"""A solved type to read: what it solves, when it can, its derivation beside the C, proofs, functions, accuracy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any

from symgen.report.c_listing import Condition, Listed, read_listing
from symgen.report.derivation import Level, plain_condition
from symgen.report.document import (
    Cell,
    CodeName,
    DerivedStep,
    DerivedSteps,
    Document,
    Heading,
    Mathematics,
    Paragraph,
    Part,
    Picture,
    Table,
    Unit,
    cell_text,
)
from symgen.report.layout import MINUS, Digits, Letter, Scripts, Words, row

Described = Mapping[str, Any]
#: Statuses of places where branches meet or a quantity is lost.
_SINGULAR = ("SINGULAR", "DEGENERATE")
#: More branches than this are told by the bits alone.
_MOST_BRANCHES = 16
_ELEMENT = re.compile(r"\Aelement \d+ of")
_RESULTS_FINITE = "NaN or overflow"


def solved_type_document(
    name: str, described: Sequence[Described], code: str = "", pictures: Mapping[str, str] | None = None
) -> Document:
    """Return the report.

    Parameters
    ----------
    name : what was asked for: a signature, a key or a module's id.
    described : documents ``symgen/solved-type/1`` of what that means, one for each arrangement of a module.
    code : the generated C of the module, shown beside the derivation; none, and only formulas are shown.
    pictures : signature -> its structure as SVG.
    """
    first = described[0]
    title = first["title"] if len(described) == 1 or first["title"] else name
    parts = [*solved_type_parts(described, code, pictures or {}), *(how_to_read() if first["derivation"] else ())]
    return Document(f"{title}: {first['signature'] if len(described) == 1 else name}", tuple(parts))


def solved_type_parts(
    described: Sequence[Described], code: str = "", pictures: Mapping[str, str] | None = None
) -> Iterator[Part]:
    """Yield the report without its title: the kernel once, then each arrangement; parameters as above."""
    first, listing = described[0], read_listing(code)
    numbers = count(1)
    kernel = _level(first, "kernel", listing)
    yield Paragraph(_summary(first))
    several = len(described) > 1
    if several:
        yield from _branches(first, kernel)
        yield from _derivation(kernel, numbers, 2)
    for each in described:
        level = 3 if several else 2
        group = _level(each, each["arrangement"]["id"], listing)
        if several:
            yield Heading(each["signature"])
        drawn = (pictures or {}).get(each["signature"])
        if drawn is not None:
            yield Picture(drawn, f"Structure of {each['signature']}: its unknown bodies between known ones (frame)")
        yield from _joints(each, level)
        if not several:
            yield from _branches(first, kernel)
        yield from _conditions([group] if several else [kernel, group], level)
        if not several:
            yield from _derivation(kernel, numbers, level)
        yield from _derivation(group, numbers, level)
        yield from _proofs(each, level)
        yield from _functions(each, level)
    if several:
        yield from _conditions([kernel], 2)
    yield from _statuses(first)
    yield from _accuracy(first)


def conditions_data(described: Described, code: str) -> list[dict[str, Any]]:
    """Return what must hold for an answer, for machines: condition in C, its meaning, the status otherwise."""
    listing = read_listing(code)
    return [
        {
            "function": f"{level.id}_{stage}", "condition": condition.test, "must_hold": condition.holds,
            "status": condition.status, "answers": not condition.ends, "meaning": condition.meaning,
        }
        for level in (Level("kernel", (), listing), Level(described["arrangement"]["id"], (), listing))
        for stage, condition in level.conditions()
    ]  # fmt: skip


def _level(one: Described, name: str, listing: Mapping[str, Listed]) -> Level:
    is_kernel = name == "kernel"
    steps = [step for step in one["derivation"] if (step["arrangement"] is None) == is_kernel]
    return Level(name, steps, listing, one["module"])


def _summary(one: Described) -> str:
    has_degree = one["degree"] and one["arrangement"]["joints"]
    words = [f"{one['space']}, {one['method']}" + (f" of degree {one['degree']}" if has_degree else "")]
    if one["branches"]:
        words.append(f"{one['branches']} {'branch' if one['branches'] == 1 else 'branches'}")
    bits = "; ".join(f"bit {bit['bit']} ({bit['name']}) {bit['meaning']}" for bit in one["branch_bits"])
    note = f" {one['note']}." if one.get("note") else ""
    what = ", ".join(words)
    return f"{what[0].upper()}{what[1:]}{f': {bits}' if bits else ''}. Source: {one['source']}.{note}"


def _branches(one: Described, kernel: Level) -> Iterator[Part]:
    """Yield the table of branches: the sign that each takes of each root."""
    number = one["branches"] or 0
    if number < 2:
        return
    if not one["branch_bits"]:
        order = " in the order of the zeros that are found" if one["branch_order"] == "rank" else ""
        yield Heading("Branches")
        yield Paragraph(f"There are up to {number} branches, numbered from 0{order}.")
        return
    yield Heading("Branches")
    bits = one["branch_bits"]
    yield Table(
        ("bit", "sign", "clear: +1", "set: -1"),
        tuple(
            (str(bit["bit"]), _symbol(kernel, bit["name"]), bit["meaning"].removeprefix("clear: "), "the opposite")
            for bit in bits
        ),
    )
    if number > _MOST_BRANCHES or one["branch_order"] != "signs":
        return
    rows: list[tuple[Cell, ...]] = []
    for branch in range(number):
        signs = ["+" if branch >> bit["bit"] & 1 == 0 else "-" for bit in bits]
        rows.append((str(branch), *(Mathematics(_one(sign), f"{sign}1") for sign in signs)))
    yield Table(("branch", *(_symbol(kernel, bit["name"]) for bit in bits)), tuple(rows))


def _symbol(level: Level, name: str) -> Mathematics:
    return Mathematics(level.notation.symbol(name), name)


def _one(sign: str) -> Any:
    return row(MINUS, Digits("1")) if sign == "-" else Digits("+1")


def _joints(one: Described, level: int) -> Iterator[Part]:
    if not one["arrangement"]["joints"]:  # a formula by itself
        return
    rows = [
        (joint["name"], joint["type"], "-".join(joint["bodies"]), CodeName(joint.get("coordinates") or ""),
         ", ".join(joint.get("driven", ())))
        for joint in one["arrangement"]["joints"]
    ]  # fmt: skip
    yield Heading("Joints", level)
    yield Table(("joint", "type", "bodies", "coordinates", "driven"), tuple(rows))


# -- conditions ------------------------------------------------------------------------------------------------------


def _conditions(levels: Sequence[Level], at: int) -> Iterator[Part]:
    """Yield what must hold for an answer, and where branches meet or a quantity is lost."""
    found = [
        (level, stage, condition)
        for level in levels
        for stage, condition in level.conditions()
        if condition.meaning != _RESULTS_FINITE
    ]
    if not found:
        return
    yield Heading("Conditions of validity", at)
    yield Paragraph(
        "What must hold for an answer; otherwise the function returns the status (in brackets: it still returns an "
        "answer, with this status). NaN fails every condition, and a result that is not finite is BAD_INPUT."
    )
    rows: dict[str, tuple[Cell, ...]] = {}
    where: dict[str, dict[str, list[str]]] = {}
    for level, stage, condition in found:
        row_of = _condition(level, condition)
        key = f"{cell_text(row_of[0])} {row_of[1:]}"
        rows.setdefault(key, row_of)
        where.setdefault(key, {}).setdefault(level.id, []).append(stage)
    functions = ("; ".join(f"{name} {', '.join(stages)}" for name, stages in where[key].items()) for key in rows)
    yield Table(
        ("condition", "otherwise", "because", "function"),
        tuple((*row, of) for row, of in zip(rows.values(), functions, strict=True)),
    )
    edges: dict[str, tuple[Cell, ...]] = {}
    for level, _, condition in found:
        shown = level.shown(condition) if condition.status in _SINGULAR else None
        if shown is not None and shown[1] is not None:
            edges.setdefault(shown[1].text, (shown[1], condition.status, condition.meaning))
    if edges:
        yield Heading("Singular set", at)
        yield Paragraph(
            "Where these are zero, without rounding: branches meet, or a direction is undetermined. Rates are refused "
            "there, and everywhere nearer than the tolerances above."
        )
        yield Table(("zero", "status", "meaning"), tuple(edges.values()))


def _condition(level: Level, condition: Condition) -> tuple[Cell, ...]:
    shown = level.shown(condition)
    cell: Cell = CodeName(plain_condition(condition.test, condition.holds)) if shown is None else shown[0]
    status = condition.status if condition.ends else f"({condition.status})"
    return cell, status, condition.meaning


# -- derivation ------------------------------------------------------------------------------------------------------


def _derivation(level: Level, numbers: Iterator[int], at: int) -> Iterator[Part]:
    """Yield the steps stage by stage; a source is told once for the steps that follow from it."""
    stages: dict[str, list[tuple[str, DerivedStep]]] = {}
    where = "kernel" if level.id == "kernel" else "group"
    for stage, source, step in level.derived():
        stages.setdefault(stage, []).append((source, step))
    for stage, found in stages.items():
        yield Heading(f"Derivation: {where} {stage}".strip(), at)
        for source, steps in groupby(found, key=lambda each: each[0]):
            together = _together([step for _, step in steps])
            yield DerivedSteps(tuple(replace(step, number=str(next(numbers))) for step in together), source)


def _together(steps: Sequence[DerivedStep]) -> Iterator[DerivedStep]:
    """Yield steps; those of one meaning, such as the three axes of a body or the elements of an array, as one."""

    def key(step: DerivedStep) -> tuple[str, str, bool]:
        return _ELEMENT.sub("elements of", step.meaning), step.unit, bool(step.lines)

    for (meaning, _, _), same in groupby(steps, key=key):
        found = list(same)
        first = found[0]
        if len(found) == 1 or not first.lines:
            yield from found
            continue
        yield DerivedStep(
            "",
            "\n".join(step.formula for step in found),
            meaning,
            first.unit,
            tuple(line for step in found for line in step.lines),
            "\n".join(dict.fromkeys(line for step in found if (line := step.code))),
        )


def _proofs(one: Described, level: int) -> Iterator[Part]:
    if one["proofs"]:
        yield Heading("Proofs", level)
        yield Paragraph(
            "Each step above defines a quantity by those before it. The following was proved of the results when the "
            "code was generated: a symbolic proof leaves no remainder, a residual was computed with 50 digits."
        )
        rows = [(each["name"], each["statement"], each["method"], each["bound"]) for each in one["proofs"]]
        yield Table(("claim", "statement", "proved by", "bound"), tuple(rows))


def _functions(one: Described, level: int) -> Iterator[Part]:
    if not one["functions"]:
        return
    yield Heading("Functions", level)
    rows: list[tuple[Cell, ...]] = []
    for function in one["functions"]:
        operations = ", ".join(f"{number} {name}" for name, number in function["operations"].items() if number)
        sides = [
            ", ".join(port["name"] for port in function["ports"] if port["direction"] == side) for side in ("in", "out")
        ]
        rows.append((CodeName(function["name"]), *map(CodeName, sides), operations))
    yield Table(("function", "from", "to", "operations"), tuple(rows))
    ports = {port["name"]: port for function in one["functions"] for port in function["ports"]}
    listed: list[tuple[Cell, ...]] = [
        (CodeName(name), " x ".join(str(size) for size in port["shape"]) or "1", Unit(port["unit"]), port["frame"],
         port["range"], port["meaning"])
        for name, port in ports.items()
    ]  # fmt: skip
    yield Heading("Arguments and results", level)
    yield Table(("name", "shape", "unit", "frame", "range", "meaning"), tuple(listed))


def _statuses(one: Described) -> Iterator[Part]:
    if one["statuses"]:
        yield Heading("Status")
        yield Table(("status", "meaning"), tuple(one["statuses"].items()))


def _accuracy(one: Described) -> Iterator[Part]:
    if one["float_accuracy"]:
        yield Heading("Accuracy in float")
        yield Paragraph(" ".join(one["float_accuracy"]["text"]))


def how_to_read(level: int = 2) -> Iterator[Part]:
    """Yield how names of the code are written as mathematics."""

    def below(letter: str, index: str) -> Any:
        return Scripts(Letter(letter, "bold"), Letter(index, "upright"))

    yield Heading("Notation" if level == 2 else "Notation of the derivations", level)
    yield Table(
        ("written", "in the code", "meaning"),
        (
            (Mathematics(below("r", "j1"), "r_j1"), CodeName("j1_at, k1"), "place of a joint, origin of a body"),
            (Mathematics(Scripts(Letter("e", "bold"), row(Letter("x"), Letter("j1", "upright"))), "e_x,j1"),
             CodeName("j1_x, k1_ex"), "axes of a joint's frame, of a body's"),
            (Mathematics(below("q", "b1"), "q_b1"), CodeName("q_b1, j1_o, k1_q"),
             "orientation, a unit quaternion; a small circle is its product, and with an axis after it, it turns "
             "that axis"),
            (Mathematics(below("f", "j1"), "f_j1,k1"), CodeName("f_j1_k1"), "where joint j1 sits in body k1"),
            (Mathematics(Scripts(Letter("i"), Letter("det", "upright")), "i_det"), CodeName("i_det"),
             "reciprocal of the quantity below"),
            (Mathematics(Scripts(Letter("epsilon"), Words("fold")), "FOLD_TOLERANCE"),
             CodeName("SYMGEN_FOLD_TOLERANCE"), "a tolerance of the generated code"),
        ),
    )  # fmt: skip
    yield Paragraph(
        "Vectors are bold, their components are not. A step without code beside it is written into the steps that use "
        "it, serves only as a condition, or is not needed for a result. In the plane a cross product is a number, and "
        "a vector with the sign of a right angle is turned by a quarter turn."
    )
