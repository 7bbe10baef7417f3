"""The deduced overall transfer equation of a mechanism to read: elements, boundary conditions, equations, order.

Source: X. Rui et al., automatic deduction of the overall transfer equation; see `symgen.transfer.overall.deduction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from symgen.report.document import Formulas, Heading, Paragraph, Part, Picture, Table
from symgen.transfer.overall.blocks import (
    branch_members,
    coefficients,
    hinge_number,
    output_product,
    path,
    write_product,
)
from symgen.transfer.overall.equation import DeducedBody, OverallEquation, RowBlock, RowKind, Tip
from symgen.transfer.system.system import GROUND

SCHEMA = "symgen/overall-equation/1"
_KINDS: tuple[RowKind, ...] = ("main", "leftover", "geometric", "root", "supplement")
_WORDS = {
    "main": "main equation", "geometric": "geometric equation", "supplement": "supplement equation",
    "leftover": "leftover force rows", "root": "root",
}  # fmt: skip
_MEANS = {
    "main": "The state at a root is the sum of what the tips contribute; T_j is the product along the way of tip j.",
    "geometric": "The accelerations at every input of a body but its main input follow from its output",
    "leftover": "Force rows of hinges that no elimination has used: the wrench along the free directions is known.",
    "root": "The accelerations that the hinge at the root holds.",
    "supplement": "Both sides of a cut: equal accelerations, opposite wrenches, D = diag(I, I, -I, -I).",
}


def overall_equation_parts(
    equation: OverallEquation, picture: str | None = None, more: Iterable[Part] = ()
) -> Iterator[Part]:
    """Yield this part of a report.

    Parameters
    ----------
    picture : the topology as SVG.
    more : parts at its end.
    """
    mechanism = equation.system.mechanism
    yield Heading(f"Overall transfer equation of {mechanism.name or 'the mechanism'}", 1)
    yield Paragraph(_summary(equation))
    if picture is not None:
        yield Picture(picture, "Topology with the numbers of the elements, tips and root")
    yield Heading("Elements")
    yield from _elements(equation)
    yield Heading("Tips and boundary conditions")
    yield from _tips(equation)
    yield from _equations(equation)
    yield Heading("Overall equation in blocks")
    yield _pattern(equation)
    yield Heading("Order")
    yield Formulas((_order(equation),))
    yield Heading("Notation")
    yield Table(("symbol", "meaning"), tuple(_notation(equation)), is_notated=True)
    yield from more


def overall_equation_data(equation: OverallEquation) -> dict[str, Any]:
    """Return the report for machines, ``symgen/overall-equation/1``."""
    system = equation.system
    return {
        "schema": SCHEMA,
        "mechanism": system.mechanism.name,
        "space": system.mechanism.space,
        "variant": equation.variant,
        "state": 2 * equation.width + 1,
        "order": equation.order,
        "elements": [
            {"number": number, "kind": kind, "id": name, "type": pair, "inboard": inboard, "outboard": outboard}
            for number, kind, name, pair, inboard, outboard in _element_rows(equation)
        ],
        "branches": [
            {"number": step.branch, "body": step.body.id, "elements": list(branch_members(equation, step))}
            for step in equation.bodies
            if step.branch
        ],
        "roots": [
            {"body": step.body.id, "joint": _root_joint(step) or None, "tips": list(step.tips)}
            for step in equation.roots
        ],
        "tips": [
            {
                "number": tip.number, "kind": tip.kind, "body": system.mechanism.bodies[tip.body].id,
                "joint": tip.joint or None, "partner": tip.partner or None, "unknowns": tip.unknowns,
                "product": [str(factor) for factor in path(equation, tip.number)],
            }
            for tip in equation.tips
        ],
        "blocks": [
            {
                "kind": block.kind, "at": equation.label(block), "rows": block.rows,
                "terms": {str(each.tip): str(each) for each in coefficients(equation, block)},
            }
            for block in equation.blocks
        ],
        "pattern": {kind: found for kind in _KINDS if (found := equation.pattern(kind))},
    }  # fmt: skip


# -- parts -----------------------------------------------------------------------------------------------------------


def _summary(equation: OverallEquation) -> str:
    system, size = equation.system, 2 * equation.width + 1
    ends = sum(tip.partner == 0 for tip in equation.tips)
    counts = (
        _many(len(system.bodies), "body", "bodies"), _many(ends, "tip"),
        _many((len(equation.tips) - ends) // 2, "loop"), _many(len(equation.roots), "root"),
    )  # fmt: skip
    which = {
        "transparent": f"transparent variant (all hinges are {'balls' if equation.width == 6 else 'pins'})",
        "opaque": "opaque variant (hinges of any type)",
    }[equation.variant]
    return (
        f"{system.mechanism.space}, {', '.join(counts)}; transfer matrices {size} x {size}, {which}; "
        f"order of the overall equation {equation.order}."
    )


def _many(count: int, one: str, several: str | None = None) -> str:
    return f"{count} {one if count == 1 else several or one + 's'}"


def _element_rows(equation: OverallEquation) -> Iterator[tuple[int, str, str, str, str, str]]:
    """Yield number, kind, id, type, inboard and outboard side of all elements, by number."""
    system = equation.system
    mechanism = system.mechanism
    name = {GROUND: mechanism.ground, **{k: body.id for k, body in enumerate(mechanism.bodies)}}
    flexible = {body.id for body in mechanism.bodies if body.beam is not None}
    rows = [(body.number, "beam" if body.id in flexible else "body", body.id, "", "", "") for body in system.bodies]
    for step in equation.bodies:
        for entry in step.entries:
            if entry.joint:
                kind, other = "hinge", name[entry.source]
                if entry.tip:
                    kind, other = "loop hinge", name[equation.partner(equation.tips[entry.tip - 1]).body]
                place = f"{step.body.id}.{entry.input}"
                rows.append((entry.number, kind, entry.joint, mechanism.joint(entry.joint).type, other, place))
    grounded = [loop for loop in system.loops if loop.outboard == GROUND]
    for loop in grounded:
        pair = mechanism.joint(loop.joint).type
        rows.append((loop.number, "ground hinge", loop.joint, pair, name[loop.inboard], mechanism.ground))
    yield from sorted(rows)


def _elements(equation: OverallEquation) -> Iterator[Part]:
    rows = [
        (str(number), kind, name, pair, f"{inboard} -> {outboard}" if inboard else "")
        for number, kind, name, pair, inboard, outboard in _element_rows(equation)
    ]
    mechanism = equation.system.mechanism
    for step in equation.roots:
        joint = _root_joint(step)
        way = f"{step.body.id} -> {mechanism.ground if joint else 'nothing: free root'}"
        rows.append(("0", "root", joint, mechanism.joint(joint).type if joint else "", way))
    yield Table(("number", "element", "id", "type", "inboard -> outboard.input"), tuple(rows))
    branches = [step for step in equation.bodies if step.branch]
    if branches:
        yield Paragraph(
            "A body of several inputs forms a branch subsystem with its hinges; the main input comes first."
        )
        found = []
        for step in branches:
            members = ", ".join(str(number) for number in branch_members(equation, step))
            inputs = ", ".join(f"{entry.input} ({entry.joint or f'tip {entry.tip}'})" for entry in step.entries)
            found.append((str(step.branch), step.body.id, members, inputs))
        yield Table(("branch", "body", "elements", "inputs"), tuple(found))


def _tips(equation: OverallEquation) -> Iterator[Part]:
    rows = [(f"z_{tip.number}", *_boundary(equation, tip), str(tip.unknowns)) for tip in equation.tips]
    if equation.root_unknowns:
        for k, step in enumerate(equation.roots):
            rows.append((_root_state(equation, k), *_root_boundary(equation, step), str(equation.root_unknowns)))
    yield Table(("state", "where", "known", "unknown", "count"), tuple(rows), is_notated=True)


def _boundary(equation: OverallEquation, tip: Tip) -> tuple[str, str, str]:
    """Return where a tip is, what is known there and what is not."""
    body = equation.system.mechanism.bodies[tip.body].id
    if tip.kind == "free":
        return f"free end of {body}", "m = 0, q = 0", "rdd, Wd"
    if tip.kind == "ground":
        known = ("rdd = 0, m", "Wd, q")
        if equation.variant == "opaque":
            known = ("what the joint holds, forces in its freedoms", "accelerations in its freedoms, other wrenches")
        return f"{body} at {tip.joint} to the ground", *known
    side = f"{body}, cut at {tip.joint}" if tip.kind == "cut body" else f"inboard side of {tip.joint}, into {body}"
    return side, f"see the supplement equation with z_{tip.partner}", "rdd, Wd, m, q"


def _root_joint(step: DeducedBody) -> str:
    return step.body.output.joint if step.body.output is not None else ""


def _root_boundary(equation: OverallEquation, step: DeducedBody) -> tuple[str, str, str]:
    output, name = step.body.output, step.body.id
    if output is None:
        return f"output of {name}, free", "m = 0, q = 0", "rdd, Wd"
    if equation.system.mechanism.joint(output.joint).grade == equation.width:
        return f"output of {name}, free by {output.joint}", "m, q", "rdd, Wd"
    return f"output of {name} at {output.joint} to the ground", "rdd = 0, m", "Wd, q"


def _root_state(equation: OverallEquation, k: int) -> str:
    return "z_r" if len(equation.roots) == 1 else f"z_r{k + 1}"


def _equations(equation: OverallEquation) -> Iterator[Part]:
    for kind, found in groupby(sorted(equation.blocks, key=lambda b: _KINDS.index(b.kind)), key=lambda b: b.kind):
        blocks = list(found)
        title = _WORDS[kind] if kind in ("leftover", "root") or len(blocks) == 1 else f"{_WORDS[kind]}s"
        yield Heading(title[0].upper() + title[1:])
        yield Paragraph(_meaning(equation, blocks[0]), is_notated=True)
        if kind == "main":
            yield from _main(equation, blocks)
        else:
            yield Formulas(tuple(line for block in blocks for line in _lines(equation, block)))


def _meaning(equation: OverallEquation, block: RowBlock) -> str:
    if block.kind != "geometric":
        return _MEANS[block.kind]
    transparent = equation.variant == "transparent"
    return _MEANS["geometric"] + (
        "; at a hinge its moment is known." if transparent else ", as far as the hinge holds."
    )


def _main(equation: OverallEquation, blocks: list[RowBlock]) -> Iterator[Part]:
    lines = [
        f"{_root_state(equation, k)} = " + " + ".join(f"T_{tip} z_{tip}" for tip in block.tips)
        for k, block in enumerate(blocks)
    ]
    lines += [f"T_{tip.number} = {write_product(path(equation, tip.number))}" for tip in equation.tips]
    yield Formulas(tuple(lines))


def _lines(equation: OverallEquation, block: RowBlock) -> Iterator[str]:
    """Yield the equation of a block, one line a tip."""
    terms = [(str(each), f"z_{each.tip}") for each in coefficients(equation, block)]
    label, rows = equation.label(block), _many(block.rows, "row")
    if block.kind == "supplement":
        one, two = (next(z for c, z in terms if c == sign) for sign in ("I", "-D"))
        yield f"{label}: {one} - D {two} = 0   ({rows})"
        return
    sums = [f"{'  ' if k == 0 else '+ '}{coefficient} {state}" for k, (coefficient, state) in enumerate(terms)]
    known = "= known" if block.kind == "leftover" else "= 0"
    yield f"{label}:   ({rows})"
    yield from (f"    {text}" for text in sums[:-1])
    yield f"    {sums[-1]} {known}"


def _pattern(equation: OverallEquation) -> Table:
    roots = [_root_state(equation, k) for k in range(len(equation.roots))] if equation.root_unknowns else []
    titles = ("rows", "block", "at", *roots, *(f"z_{tip.number}" for tip in equation.tips))
    rows = []
    mains = [block for block in equation.blocks if block.kind == "main"]
    for block in equation.blocks:
        by_tip = {each.tip: str(each) for each in coefficients(equation, block)}
        at_root = ["-I" if block is main else "0" for main in mains]
        letters = {"main": "T_{}", "geometric": "G", "leftover": "F", "root": "R", "supplement": ""}
        cells = [
            "0" if tip.number not in by_tip else letters[block.kind].format(tip.number) or by_tip[tip.number]
            for tip in equation.tips
        ]
        rows.append((str(block.rows), _WORDS[block.kind], equation.label(block), *at_root, *cells))
    return Table(titles, tuple(rows), is_notated=True)


def _order(equation: OverallEquation) -> str:
    """Return the count of rows and of unknowns."""
    counts: dict[str, list[int]] = {}
    for block in equation.blocks:
        counts.setdefault(block.kind, []).append(block.rows)
    rows = " + ".join(_product_of(found) + f" ({kind})" for kind, found in counts.items())
    unknowns = _product_of([tip.unknowns for tip in equation.tips]) + " (tips)"
    if equation.root_unknowns:
        unknowns += f" + {_product_of([equation.root_unknowns] * len(equation.roots))} (root)"
    return f"rows {rows} = {equation.order} = unknowns {unknowns}"


def _product_of(found: list[int]) -> str:
    """Return a sum as products: ``3 x 6 + 2 x 12``."""
    each = [(size, found.count(size)) for size in sorted(set(found))]
    return " + ".join(str(size) if count == 1 else f"{count} x {size}" for size, count in each)


def _notation(equation: OverallEquation) -> Iterator[tuple[str, str]]:
    size = 2 * equation.width
    used = " ".join(str(each) for block in equation.blocks for each in coefficients(equation, block))
    used += " ".join(write_product(output_product(equation, step.body.body, step.tips[0])) for step in equation.roots)
    yield "z", f"state of a port: accelerations rdd, Wd, wrench m, q ({size} entries) and a 1; z_j of tip j"
    if equation.root_unknowns:
        yield "z_r", "state at the root"
    yield "U_n", "transfer matrix of element n; that of a hinge contains the far-side condition of the body it enters"
    if any(body.beam is not None for body in equation.system.mechanism.bodies):
        yield (
            "",
            ("of a beam: its modes are eliminated by the wrenches at its ends; its G_n,k contains these wrenches too"),
        )
    if any(step.branch for step in equation.bodies):
        yield "U_n,k", "branch subsystem n: contribution of input k to the output, body and hinges taken as one"
    if "G_" in used:
        yield "G_n,k", "branch body n: accelerations at input k from the state at the output"
        both = " and, where it passes a moment, that" if equation.variant == "transparent" else ""
        yield (
            "K_n",
            (f"hinge n: selects the accelerations at its inboard side that it holds{both}; K_0 without a hinge: all"),
        )
    if any(block.kind == "leftover" for block in equation.blocks):
        yield "F_n", "hinge n: wrench along its free directions, given by its springs and actuators; F_0 at the root"
    if any(block.kind == "root" for block in equation.blocks):
        yield "R", "hinge at the root: the accelerations it holds"
    if any(hinge_number(equation, tip.joint) and tip.partner for tip in equation.tips):
        yield "D", "diag(I, I, -I, -I): equal accelerations, opposite wrenches"
