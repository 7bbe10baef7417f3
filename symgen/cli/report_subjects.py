"""What `symgen report` reports on, gathered from all rooms: a solved type, a mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from symgen.errors import InputError, MechanismError

if TYPE_CHECKING:
    from symgen.library.catalogue import Catalogue, Entry
    from symgen.model.mechanism import Mechanism
    from symgen.report.document import Document, Part
    from symgen.topology.structure import Structure
    from symgen.transfer.overall.equation import OverallEquation, Variant

_MOST_NAMED = 6
MECHANISM_SCHEMA = "symgen/mechanism-report/1"


@dataclass(frozen=True)
class OverallChoices:
    """What a user chooses of the overall transfer equation."""

    root: str | None
    cuts: tuple[str, ...]
    variant: Variant | None
    numbers: bool
    picture: str | None

    @property
    def is_equation_asked(self) -> bool:
        """Whether the report is of no use without the equation."""
        return bool(self.root or self.cuts or self.variant or self.numbers or self.picture)


# -- solved types ----------------------------------------------------------------------------------------------------


def type_report(name: str, *, pictures: bool) -> tuple[Any, Document]:
    """Return a solved type as data and as a document."""
    import symgen
    from symgen.cli.library import entries_of
    from symgen.report.solved_type import solved_type_document

    described = _described(entries := entries_of(symgen.library(), name))
    document = solved_type_document(name, described, _code(entries[0]), _pictures(described) if pictures else {})
    return described[0] if len(described) == 1 else described, document


def _described(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    from symgen.library.description import describe_newton, describe_type
    from symgen.report.solved_type import conditions_data

    found = []
    for entry in entries:
        if entry.manifest.files:
            described = describe_type(entry)
            found.append({**described, "conditions": conditions_data(described, _code(entry))})
        else:
            found.append(describe_newton(entry))
    return found


def _code(entry: Entry) -> str:
    """Return the C of a module; empty where it has none of its own."""
    for name in entry.manifest.files.get("double", ()):
        if name == f"{entry.manifest.id}.c":
            return (entry.module.folder / name).read_bytes().decode("utf-8")
    return ""


def _pictures(described: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the structure of each type as SVG: its bodies and joints, known bodies as the frame."""
    from symgen.draw.structure_svg import structure_svg
    from symgen.model.mechanism import Mechanism
    from symgen.topology.analysis import analyse

    found = {}
    for one in described:
        arrangement = one["arrangement"]
        known = set(arrangement["known"])
        joints = {
            joint["name"]: {
                "type": joint["type"],
                "bodies": ["known" if body in known else body for body in joint["bodies"]],
                **({"driven": list(joint["driven"])} if joint.get("driven") else {}),
            }
            for joint in arrangement["joints"]
        }
        tree = {
            "schema": "symgen/mechanism/1", "name": one["signature"], "space": one["space"], "ground": "known",
            "bodies": {body: {} for body in arrangement["bodies"]}, "joints": joints,
        }  # fmt: skip
        try:
            found[one["signature"]] = structure_svg(analyse(Mechanism.from_dict(tree)), "graph")
        except (InputError, MechanismError):  # a pair that only a file with geometry can say in full
            continue
    return found


# -- mechanisms ------------------------------------------------------------------------------------------------------


def mechanism_report(file: str, asked: OverallChoices, *, pictures: bool, whole: bool) -> tuple[Any, Document]:
    """Return a mechanism as data and as a document; write the picture that is asked for.

    Parameters
    ----------
    whole : whether the document will be shown; the data do not need the derivations in it.
    """
    from symgen.cli.options.deriving import derivable
    from symgen.library.catalogue import load_catalogue
    from symgen.library.solutions import solutions_of
    from symgen.model.load import load
    from symgen.report.document import Document
    from symgen.report.kinematics import structure_parts
    from symgen.topology.analysis import analyse

    if asked.numbers and asked.variant is not None:
        raise InputError("--numbers uses the variant that symgen chooses for the mechanism; omit --variant")
    mechanism = load(file)
    if asked.is_equation_asked:
        mechanism.require_uncoupled("the overall transfer equation")
    equation_data, equation_parts, reason = _equation_part(mechanism, asked, pictures=pictures)
    structure = analyse(mechanism)
    solved = solutions_of(structure, derivable() if structure.groups else None)
    catalogue = load_catalogue()
    types = _types_of(structure, catalogue)
    parts: list[Part] = []
    if whole:
        parts += structure_parts(
            mechanism, structure, solved, list(_mechanism_pictures(mechanism, structure)) if pictures else []
        )
        parts += _type_parts(types, structure, pictures=pictures)
        parts += equation_parts
    data = {
        **(equation_data or {"schema": MECHANISM_SCHEMA, "mechanism": mechanism.name, "space": mechanism.space}),
        "structure": {**structure.to_dict(solved), "results_sa": None},  # bodies times bodies: `symgen analyse` has it
        "solved_types": {name: [_brief(entry) for entry in entries] for name, entries in types.items()},
    }
    if reason is not None:
        data["no_overall_equation"] = reason
    return data, Document(mechanism.name or "A mechanism", tuple(parts))


def _brief(entry: Entry) -> dict[str, Any]:
    return {"key": entry.key, "module": entry.manifest.id, "method": entry.manifest.method}


def _mechanism_pictures(mechanism: Mechanism, structure: Structure) -> Iterator[tuple[str, str]]:
    """Yield the pictures that can be drawn: the mechanism where it stands in the file, and its structure."""
    from symgen.draw.structure_svg import structure_svg

    if structure.instantaneous is not None and not isinstance(structure.instantaneous, str):
        import numpy as np

        from symgen.draw.motion_svg import motion_svg
        from symgen.draw.scene import still_scene

        poses = {body.id: body.pose for body in (mechanism.ground_body, *mechanism.bodies)}
        placed = {name: np.array([[*pose.r, *pose.q]]) for name, pose in poses.items()}
        yield motion_svg(still_scene(mechanism, np.zeros(1), placed)), "The mechanism as its file draws it"
    try:
        yield structure_svg(structure, "both"), "Structure: bodies and joints, and groups in solving order"
    except InputError:  # too many bodies for a picture
        return


def _types_of(structure: Structure, catalogue: Catalogue) -> dict[str, list[Entry]]:
    """Return the solved types of the groups that the library holds, by name; what it does not hold has none."""
    from symgen.library.solutions import name_of

    found: dict[str, list[Entry]] = {}
    for group in structure.groups:
        if (group.chain is not None or len(group.bodies) <= _MOST_BODIES) and group.signature not in found:
            name = name_of(structure, group)
            if name not in found:
                found[name] = list(catalogue.matching(name))
    return found


#: Of groups that may have a closed form.
_MOST_BODIES = 8


def _type_parts(types: dict[str, list[Entry]], structure: Structure, *, pictures: bool) -> Iterator[Part]:
    """Yield a chapter for each module that solves groups of the mechanism."""
    from symgen.report.document import Heading, Paragraph
    from symgen.report.solved_type import how_to_read, solved_type_parts

    modules: dict[str, list[Entry]] = {}
    for entries in types.values():
        for entry in entries:
            if entry not in modules.setdefault(entry.manifest.id, []):
                modules[entry.manifest.id].append(entry)
    for entries in modules.values():
        described = _described(entries)
        names = ", ".join(entry.arrangement.signature for entry in entries)
        yield Heading(f"{entries[0].manifest.title}: {names}", 1)
        yield from solved_type_parts(described, _code(entries[0]), _pictures(described) if pictures else {})
    if modules:
        yield from how_to_read(1)
    others = [name for name, entries in types.items() if not entries]
    if others:
        shown = ", ".join(f"`symgen report '{each}'`" for each in others[:_MOST_NAMED])
        yield Heading("Other groups", 1)
        yield Paragraph(
            "The library holds no closed form for these groups: it is derived when they are solved, or certified "
            "Newton solves them (docs/certified-newton.md). Each has a separate report: "
            f"{shown}{' ...' if len(others) > _MOST_NAMED else ''}"
        )


# -- the overall transfer equation -----------------------------------------------------------------------------------


def _equation_part(
    mechanism: Mechanism, asked: OverallChoices, *, pictures: bool
) -> tuple[dict[str, Any] | None, list[Part], str | None]:
    """Return the overall transfer equation as data and parts; or, if it is not asked for, why there is none."""
    from symgen.report.document import Heading, Paragraph
    from symgen.transfer.overall.deduction import NoOverallEquationError

    try:
        mechanism.require_uncoupled("the overall transfer equation")
        equation, root = _equation(mechanism, asked)
    except (MechanismError, InputError) as error:
        if asked.is_equation_asked:
            raise
        reason = error.facts if isinstance(error, NoOverallEquationError) else str(error)
        title = f"Overall transfer equation of {mechanism.name or 'the mechanism'}"
        words = (
            f"There is no overall transfer equation to report: {reason}. Another choice of --root or --cut may have "
            "one; `symgen accelerations` needs none."
        )
        return None, [Heading(title, 1), Paragraph(words)], reason
    from symgen.report.overall_equation import overall_equation_data, overall_equation_parts

    data, more = overall_equation_data(equation), []
    if asked.numbers:
        from symgen.report.initial_state import initial_state_data, initial_state_parts, solve_initial_state

        result, refusal = solve_initial_state(mechanism, root=root, cuts=asked.cuts)
        data["initial_state"] = initial_state_data(result, refusal)
        more = list(initial_state_parts(result, refusal))
    drawn = _transfer_picture(equation, asked.picture, wanted=pictures)
    return data, list(overall_equation_parts(equation, drawn, more)), None


def _transfer_picture(equation: OverallEquation, file: str | None, *, wanted: bool) -> str | None:
    """Return the topology as SVG, and write it if a file is named; too many bodies are refused only then."""
    from pathlib import Path

    from symgen.cli.terminal.files import tell_written, write_text
    from symgen.draw.transfer_svg import transfer_svg

    if file is None and not wanted:
        return None
    try:
        drawn = transfer_svg(equation)
    except InputError:
        if file is not None:
            raise
        return None
    if file is not None:
        write_text(Path(file), drawn)
        tell_written(file)
    return drawn


def _equation(mechanism: Mechanism, asked: OverallChoices) -> tuple[OverallEquation, str | None]:
    """Return the overall equation and its root; where the usual one has none and the user names none, another one's."""
    from symgen.transfer.overall.deduction import NoOverallEquationError, deduce_equation
    from symgen.transfer.system.system import deduce

    root = asked.root
    others = [joint.id for joint in mechanism.joints if mechanism.ground in joint.bodies] if root is None else []
    first: NoOverallEquationError | None = None
    for chosen in (root, *others):
        try:
            equation = deduce_equation(deduce(mechanism, root=chosen, cuts=asked.cuts, single_root=True), asked.variant)
        except NoOverallEquationError as error:
            first = first or error
        except MechanismError:
            if first is None:
                raise
        else:
            if first is not None:
                click.echo(
                    f"note: the overall transfer equation starts from joint {chosen}; "
                    f"from the usual root there is none: {first.facts}",
                    err=True,
                )
            return equation, chosen
    if first is None:
        raise AssertionError("no root was tried")
    if not asked.is_equation_asked:
        raise first
    raise MechanismError(
        f"there is no overall transfer equation to report: {first.facts}. {_instead(mechanism, root)}",
        file=first.file,
        field=first.field,
    ) from first


def _instead(mechanism: Mechanism, root: str | None) -> str:
    """Return what can be reported and computed of a mechanism without an overall transfer equation."""
    from symgen.topology.analysis import analyse

    other = "--cut" if root is None else "--root or --cut"
    words = f"Another {other} may have one; `symgen accelerations` needs none"
    structure = analyse(mechanism)
    if structure.status != "determined":
        return words
    types = list(dict.fromkeys(group.signature for group in structure.groups))
    shown = ", ".join(f"`symgen report '{each}'`" for each in types[:_MOST_NAMED])
    return f"{words}. Its kinematics are derived group by group: {shown}{' ...' if len(types) > _MOST_NAMED else ''}"
