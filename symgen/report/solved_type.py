"""A solved type to read: what it solves, its derivation step by step, proofs, functions, accuracy in float."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from symgen.report.document import Document, Formulas, Heading, Paragraph, Part, Table

Described = Mapping[str, Any]


def solved_type_document(name: str, described: Sequence[Described]) -> Document:
    """Return the report.

    Parameters
    ----------
    name : what was asked for: a signature, a key or a module's id.
    described : documents ``symgen/solved-type/1`` of what that means, one for each arrangement of a module.
    """
    first = described[0]
    parts: list[Part] = [Paragraph(_summary(first))]
    for each in described:
        if len(described) > 1:
            parts.append(Heading(each["signature"]))
        parts += [
            part for section in (_joints(each), _derivation(each), _proofs(each), _functions(each)) for part in section
        ]
    parts += [*_statuses(first), *_accuracy(first)]
    title = first["title"] if len(described) == 1 or first["title"] else name
    return Document(f"{title}: {first['signature'] if len(described) == 1 else name}", tuple(parts))


def _summary(one: Described) -> str:
    words = [f"{one['space']}, {one['method']}" + (f" of degree {one['degree']}" if one["degree"] else "")]
    if one["branches"]:
        words.append(f"{one['branches']} {'branch' if one['branches'] == 1 else 'branches'}")
    bits = "; ".join(f"bit {bit['bit']} ({bit['name']}) {bit['meaning']}" for bit in one["branch_bits"])
    note = f" {one['note']}." if one.get("note") else ""
    return f"{', '.join(words)}{f': {bits}' if bits else ''}. Source: {one['source']}.{note}"


def _joints(one: Described) -> Iterator[Part]:
    rows = [
        (joint["name"], joint["type"], "-".join(joint["bodies"]), joint.get("coordinates") or "",
         ", ".join(joint.get("driven", ())))
        for joint in one["arrangement"]["joints"]
    ]  # fmt: skip
    yield Heading("Joints")
    yield Table(("joint", "type", "bodies", "coordinates", "driven"), tuple(rows))


def _derivation(one: Described) -> Iterator[Part]:
    """Yield the steps level by level; a source is told once for the steps that follow from it."""
    for where, found in groupby(one["derivation"], key=lambda step: f"{step['level']} {step['stage']}".strip()):
        yield Heading(f"Derivation: {where}" if where else "Derivation")
        for source, steps in groupby(found, key=lambda step: step["source"]):
            if source:
                yield Paragraph(f"Source: {source}.")
            yield Formulas(tuple(line for step in steps for line in _step(step)))


def _step(step: Described) -> tuple[str, str]:
    unit = f"   [{step['unit']}]" if step["unit"] else ""
    return f"{step['formula'] or step['name']}{unit}", f"        {step['meaning']}"


def _proofs(one: Described) -> Iterator[Part]:
    if one["proofs"]:
        yield Heading("Proofs")
        rows = [(each["name"], each["statement"], each["method"], each["bound"]) for each in one["proofs"]]
        yield Table(("claim", "statement", "proved by", "bound"), tuple(rows))


def _functions(one: Described) -> Iterator[Part]:
    if not one["functions"]:
        return
    yield Heading("Functions")
    rows = []
    for function in one["functions"]:
        operations = ", ".join(f"{count} {name}" for name, count in function["operations"].items() if count)
        sides = [
            ", ".join(port["name"] for port in function["ports"] if port["direction"] == side) for side in ("in", "out")
        ]
        rows.append((function["name"], *sides, operations))
    yield Table(("function", "from", "to", "operations"), tuple(rows))
    ports = {port["name"]: port for function in one["functions"] for port in function["ports"]}
    listed = [
        (name, " x ".join(str(size) for size in port["shape"]) or "1", port["unit"], port["frame"], port["range"],
         port["meaning"])
        for name, port in ports.items()
    ]  # fmt: skip
    yield Heading("Arguments and results")
    yield Table(("name", "shape", "unit", "frame", "range", "meaning"), tuple(listed))


def _statuses(one: Described) -> Iterator[Part]:
    if one["statuses"]:
        yield Heading("Status")
        yield Table(("status", "meaning"), tuple(one["statuses"].items()))


def _accuracy(one: Described) -> Iterator[Part]:
    if one["float_accuracy"]:
        yield Heading("Accuracy in float")
        yield Paragraph(" ".join(one["float_accuracy"]["text"]))
