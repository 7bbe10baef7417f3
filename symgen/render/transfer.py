"""The views of the transfer matrices: their elements in C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit import c99_signature
from symgen.ir.nodes import Routine
from symgen.naming import free_text
from symgen.render import documentation as words
from symgen.render.views import function_texts

#: Templates of c99/transfer that become files of their own, in this order.
TRANSFER_TEMPLATES = ("transfer_elements.h.j2",)
#: What holds for every argument.
CONVENTIONS = ("SI units, angles in rad, world axes unless a frame is named. Inputs are finite.",)


@dataclass(frozen=True)
class ElementView:
    """One element as a static function: `ports` are lines that document its arguments."""

    solver: str
    title: str
    ports: tuple[str, ...]
    operations: str
    parameters: str
    body: str


@dataclass(frozen=True)
class TransferView:
    """What the templates of the transfer matrices see."""

    title: str
    source: str
    summary: tuple[str, ...]
    preamble: tuple[str, ...]
    elements: tuple[ElementView, ...]


def transfer_view(title: str, source: str, summary: Sequence[str], kernels: Sequence[Routine]) -> TransferView:
    """Return the view of the elements, double precision."""
    lines = tuple(f" {words.overview_line(line)}" if line else "" for line in summary)
    documented = words.argument_lines(kernels, c99_signature.parameter_name)
    elements = tuple(_element(routine, ports) for routine, ports in zip(kernels, documented, strict=True))
    return TransferView(words.title_line(title), free_text(source), lines, (), elements)


def _element(routine: Routine, ports: tuple[str, ...]) -> ElementView:
    texts = function_texts("transfer", routine, "double_own", in_place=True)
    title = words.title_line(texts.title)
    return ElementView(texts.solver, title, ports, words.operations_line(routine), texts.parameters, texts.body)
