"""The structure of a mechanism to read: what it is made of, its groups in solving order and how each is solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from symgen.report.document import Cell, Heading, Paragraph, Part, Picture, Table

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.model.parts import Joint
    from symgen.topology.structure import Group, Structure

_STATUS = {
    "determined": "the inputs fix every body",
    "underdetermined": "some bodies lack constraints or inputs",
    "overdetermined": "some bodies carry too many constraints or inputs",
    "singular": "the counts agree, but there is no geometry for which the inputs fix every body",
}
#: Longer tables are told in part.
MOST_ROWS = 200


def structure_parts(
    mechanism: Mechanism,
    structure: Structure,
    solved: Callable[[Group], tuple[bool, str | None]],
    pictures: Sequence[tuple[str, str]] = (),
) -> Iterator[Part]:
    """Yield the part of a report that tells a mechanism's structure.

    Parameters
    ----------
    solved : tells of a group whether it is solved, and by which method.
    pictures : SVG documents, each with its caption.
    """
    yield Heading("Mechanism and structure", 1)
    yield Paragraph(_summary(structure))
    for svg, caption in pictures:
        yield Picture(svg, caption)
    yield Heading("Joints")
    rows = [
        (joint.id, joint.type, "-".join(joint.bodies), _driven(mechanism, joint))
        for joint in mechanism.joints[:MOST_ROWS]
    ]
    yield Table(("joint", "type", "bodies", "driven"), tuple(rows))
    yield from _more(len(mechanism.joints), "joints")
    if mechanism.couplings:
        names = ", ".join(coupling.id for coupling in mechanism.couplings)
        yield Paragraph(f"Couplings ({names}) are not counted here: each removes one freedom from the counts given.")
    if structure.groups:
        yield Heading("Structural groups in solving order")
        yield Paragraph(
            "A group is the smallest set of bodies whose motion follows from bodies solved before. Its signature names "
            "its joints in reading order; a star is a driven freedom."
        )
        yield Table(
            ("group", "level", "bodies", "type", "signature", "solved", "depends on"),
            tuple(_group(group, solved) for group in structure.groups[:MOST_ROWS]),
        )
        yield from _more(len(structure.groups), "groups")
    if structure.diagnosis:
        yield Heading("Findings")
        rows_found: list[tuple[Cell, ...]] = [
            (finding.kind.replace("_", " "), f"{finding.advice}.") for finding in structure.diagnosis
        ]
        yield Table(("finding", "advice"), tuple(rows_found))


def _summary(structure: Structure) -> str:
    words = (
        f"{structure.space.capitalize()}, {structure.bodies} bodies with the frame, {structure.joints} joints; "
        f"mobility {structure.mobility}, {structure.driven} {'input' if structure.driven == 1 else 'inputs'}; "
        f"{structure.status}: {_STATUS[structure.status]}."
    )
    found = structure.instantaneous
    if found is None:
        return words
    if isinstance(found, str):
        return f"{words} Instantaneous mobility not computed: {found}."
    return f"{words} Instantaneous mobility in the reference configuration {found.mobility} (rank {found.rank})."


def _driven(mechanism: Mechanism, joint: Joint) -> str:
    """Return which freedoms of a joint are driven, with the law where the file gives one."""
    if not joint.driven:
        return ""
    if not joint.driven_freedoms:
        return f"{joint.driven} of its freedoms"
    laws = [mechanism.drives.get((joint.id, freedom)) for freedom in joint.driven_freedoms]
    return ", ".join(
        freedom if law is None else f"{freedom} = {law.value.text}"
        for freedom, law in zip(joint.driven_freedoms, laws, strict=True)
    )


def _group(group: Group, solved: Callable[[Group], tuple[bool, str | None]]) -> tuple[Cell, ...]:
    is_solved, method = solved(group)
    return (
        str(group.number), str(group.level), ", ".join(group.bodies), group.type, group.signature,
        (method or "yes") if is_solved else "no",
        ", ".join(map(str, group.depends_on)) if group.depends_on else "frame",
    )  # fmt: skip


def _more(count: int, what: str) -> Iterator[Part]:
    if count > MOST_ROWS:
        yield Paragraph(f"... and {count - MOST_ROWS} more {what}; `symgen analyse MECH --json` lists all.")
