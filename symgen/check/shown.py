"""A derived object for a reader: the named steps that its entries are made of, and what is proved of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence

from symgen.algebra import Expr, is_symbol, name_of, symbol, symbol_names
from symgen.derive.derived_object import DerivedObject
from symgen.derive.items import Step
from symgen.printers.c99 import C99Printer
from symgen.printers.latex import latex, letter
from symgen.printers.numpy import NumPyPrinter
from symgen.printers.plain import PlainPrinter
from symgen.proofs import Proof, prove

_NUMBERED = re.compile(r"entry_\d+")


def entries_as(found: DerivedObject, form: str) -> list[str]:
    """Return the steps of an object and its entries, a line each, in the order of the derivation, then the whole.

    As text every entry has its place: ``entry [0, 1] = ...``. In the other forms an assignment of the whole follows.

    Parameters
    ----------
    form : text, latex, python or c.
    """
    steps = {
        target: value
        for item in found.derivation.items
        if isinstance(item, Step)
        for target, value in zip(item.targets, item.values, strict=True)
        if target not in found.signs
    }
    order = {name: k for k, name in enumerate([e for a in found.arguments for e in a.elements] + list(steps))}
    write = _writer(form, order)
    wanted = _needed(found.entries, steps)
    used = {name for step in wanted for name in symbol_names(steps[step])}
    ends = {name for name in wanted - used if _NUMBERED.fullmatch(name)}  # an entry, named after its number
    entries = [steps[name_of(e)] if is_symbol(e) and name_of(e) in ends else e for e in found.entries]
    lines = [write(name, value) for name, value in steps.items() if name in wanted - ends]
    if form == "text":
        return lines + [write(word, e) for word, e in zip(_places(found.shape), entries, strict=True)]
    cells: list[Expr] = []
    for k, entry in enumerate(entries):
        is_short = is_symbol(entry) or not symbol_names(entry)
        if not is_short:
            lines.append(write(f"entry_{k}", entry))
        cells.append(entry if is_short else symbol(f"entry_{k}"))
    own = found.name if found.name not in order else f"{found.name}_whole"
    return [*lines, _whole(own, found.shape, [_value(write("", cell)) for cell in cells], form)]


def commented(lines: Iterable[str], form: str) -> list[str]:
    """Return lines as comments of a form; text has none."""
    before = {"text": "", "latex": "% ", "python": "# ", "c": "// "}[form]
    return [f"{before}{line}" for line in lines]


def _places(shape: tuple[int, ...]) -> list[str]:
    if not shape:
        return ["value"]
    return [f"entry [{', '.join(map(str, place))}]" for place in itertools.product(*map(range, shape))]


def _value(assignment: str) -> str:
    """Return what an assignment assigns."""
    return assignment.partition("= ")[2].rstrip(";")


def _whole(name: str, shape: tuple[int, ...], cells: Sequence[str], form: str) -> str:
    """Return the assignment of a scalar, a vector or a matrix to its name."""
    if not shape:
        row = "".join(cells)
        return {"latex": f"{letter(name)} = {row}", "python": f"{name} = {row}", "c": f"const double {name} = {row};"}[
            form
        ]
    width = shape[1] if len(shape) == 2 else 1
    rows = [cells[k : k + width] for k in range(0, len(cells), width)]
    if form == "latex":
        inner = " \\\\ ".join(" & ".join(row) for row in rows)
        return f"{letter(name)} = \\begin{{bmatrix}} {inner} \\end{{bmatrix}}"
    lists = [", ".join(row) for row in rows] if len(shape) == 2 else []
    if form == "python":
        inner = f"[{'], ['.join(lists)}]" if lists else ", ".join(cells)
        return f"{name} = np.array([{inner}])"
    inner = f"{{{'}, {'.join(lists)}}}" if lists else ", ".join(cells)
    return f"const double {name}{''.join(f'[{size}]' for size in shape)} = {{{inner}}};"


def _needed(entries: tuple[Expr, ...], steps: dict[str, Expr]) -> set[str]:
    needed: set[str] = set()
    waiting = [name for entry in entries for name in symbol_names(entry)]
    while waiting:
        name = waiting.pop()
        if name in steps and name not in needed:
            needed.add(name)
            waiting += symbol_names(steps[name])
    return needed


def _writer(form: str, order: dict[str, int]) -> Callable[[str, Expr], str]:
    if form == "latex":
        return lambda name, value: f"{letter(name)} = {latex(value)}"
    if form == "c":
        c = C99Printer({}, order, "double")
        return lambda name, value: f"const double {name} = {c.print_expression(value)};"
    python = NumPyPrinter({}, order) if form == "python" else PlainPrinter({}, order)
    return lambda name, value: f"{name} = {python.print_expression(value)}"


def proofs_of(found: DerivedObject) -> tuple[Proof, ...]:
    """Prove the claims of an object's derivation and return the proofs.

    Raises
    ------
    DerivationError
        A claim does not hold: a fault of ours.
    """
    return prove(found.derivation)


def proof_line(proof: Proof) -> str:
    """Return one proof as a line: only what is symbolic is proved, points are a check."""
    return f"{'proved' if proof.method == 'symbolic' else 'checked'}: {proof.statement} ({proof.method})"
