"""``modelDescription.xml`` of FMI 2.0 and 3.0: variables with units, ranges and start values, and what depends on what.

FMI specification 2.0.4, section 2.2; 3.0.1, section 2.4.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass

from symgen import __version__
from symgen.export.fmu.units import exponents
from symgen.export.subject import Subject
from symgen.naming import free_text

CATEGORIES = ("logStatusWarning", "logStatusDiscard", "logStatusError")


@dataclass(frozen=True)
class Variable:
    """One variable of the FMU: `reference` is its value reference, `depends_on` names others."""

    name: str
    reference: int
    causality: str
    unit: str
    said: str
    start: float | None = None
    least: float | None = None
    most: float | None = None
    depends_on: tuple[str, ...] = ()


def variables_of(subject: Subject, start: Sequence[float]) -> tuple[Variable, ...]:
    """Return the time, the inputs, and the results that are no inputs themselves.

    Value references: 0 is the time, inputs follow, then results in the order of the step.
    """
    names = {value.name for value in subject.inputs} | {value.name for value in subject.results}
    time = "time"
    while time in names:
        time += "_"
    found = [Variable(time, 0, "independent", "s", "time")]
    if not subject.by_law:
        found += [
            Variable(v.name, k, "input", v.unit, _said(v.name), begin, v.least, v.most)
            for k, (v, begin) in enumerate(zip(subject.inputs, start, strict=True), start=1)
        ]
    taken = {variable.name for variable in found}
    for k, v in enumerate(subject.results, start=first_result(subject)):
        if v.name not in taken:
            depends_on = (time,) if subject.by_law and v.depends_on else v.depends_on
            found.append(Variable(v.name, k, "output", v.unit, _said(v.name), depends_on=depends_on))
    return tuple(found)


def first_result(subject: Subject) -> int:
    """Return the value reference of the first result."""
    return 1 if subject.by_law else 1 + len(subject.inputs)


_KINDS = {
    "x": "position along x", "y": "position along y", "z": "position along z", "phi": "angle",
    "rate": "its rate", "acc": "its acceleration",
    "q0": "quaternion, scalar part", "q1": "quaternion, x", "q2": "quaternion, y", "q3": "quaternion, z",
    "vx": "velocity along x", "vy": "velocity along y", "vz": "velocity along z",
    "wx": "angular velocity about x", "wy": "angular velocity about y", "wz": "angular velocity about z",
    "ax": "acceleration along x", "ay": "acceleration along y", "az": "acceleration along z",
    "alx": "angular acceleration about x", "aly": "angular acceleration about y", "alz": "angular acceleration about z",
}  # fmt: skip


def _said(name: str) -> str:
    """Say in words what a result is, by the ending of its name."""
    of, _, ending = name.rpartition(".")
    kind = _KINDS.get(ending)
    return f"{free_text(of)}: {kind}" if kind and of else free_text(name)


def model_description(
    subject: Subject, variables: Sequence[Variable], fmi: str, token: str, sources: Sequence[str]
) -> str:
    """Return the text of ``modelDescription.xml``; `sources` are the C files to compile."""
    return _text(_tree_2(subject, variables, token, sources) if fmi == "2" else _tree_3(subject, variables, token))


def build_description(identifier: str, sources: Sequence[str]) -> str:
    """Return the text of ``sources/buildDescription.xml`` of FMI 3.0."""
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = ET.SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    sets = ET.SubElement(configuration, "SourceFileSet", language="C99")
    for name in sources:
        ET.SubElement(sets, "SourceFile", name=name)
    return _text(root)


def _head(subject: Subject, version: str, **more: str) -> ET.Element:
    title = free_text(subject.title)
    attributes = {
        "fmiVersion": version,
        "modelName": subject.prefix,  # programs make names of files and targets of it
        **more,
        "description": f"Kinematics of {title}: {free_text(subject.source)}",
        "generationTool": f"symgen {__version__}",
        "variableNamingConvention": "flat",
    }
    return ET.Element("fmiModelDescription", attributes)


def _truth(value: object) -> str:
    return "true" if value else "false"


def _tree_2(subject: Subject, variables: Sequence[Variable], token: str, sources: Sequence[str]) -> ET.Element:
    root = _head(subject, "2.0", guid=token)
    root.set("numberOfEventIndicators", "0")
    both = {
        "modelIdentifier": subject.prefix, "canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true",
        "providesDirectionalDerivative": _truth(subject.tangent),
    }  # fmt: skip
    exchange = {"completedIntegratorStepNotNeeded": _truth(subject.following is None)}
    for kind, more in (
        ("ModelExchange", exchange),
        ("CoSimulation", {"canHandleVariableCommunicationStepSize": "true"}),
    ):
        files = ET.SubElement(ET.SubElement(root, kind, {**both, **more}), "SourceFiles")
        for name in sources:
            ET.SubElement(files, "File", name=name)
    if not subject.by_law:  # nothing depends on the time, and FMI Library takes it for a fault
        variables = [v for v in variables if v.causality != "independent"]
    _units_and_more(root, subject, variables)
    index = {variable.name: str(k) for k, variable in enumerate(variables, start=1)}
    listed = ET.SubElement(root, "ModelVariables")
    for v in variables:
        scalar = ET.SubElement(listed, "ScalarVariable", _named(v))
        if v.causality == "output":
            scalar.set("initial", "calculated")
        ET.SubElement(scalar, "Real", _numbers(v))
    structure = ET.SubElement(root, "ModelStructure")
    outputs = [v for v in variables if v.causality == "output"]
    for kind in ("Outputs", "InitialUnknowns"):
        unknowns = ET.SubElement(structure, kind)
        for v in outputs:
            depends_on = " ".join(index[name] for name in v.depends_on)
            ET.SubElement(unknowns, "Unknown", index=index[v.name], dependencies=depends_on)
    return root


def _tree_3(subject: Subject, variables: Sequence[Variable], token: str) -> ET.Element:
    root = _head(subject, "3.0", instantiationToken=token)
    both = {
        "modelIdentifier": subject.prefix, "canGetAndSetFMUState": "true", "canSerializeFMUState": "true",
        "providesDirectionalDerivatives": _truth(subject.tangent),
    }  # fmt: skip
    follows = _truth(subject.following is not None)
    ET.SubElement(root, "ModelExchange", both, needsCompletedIntegratorStep=follows)
    ET.SubElement(root, "CoSimulation", both, canHandleVariableCommunicationStepSize="true", hasEventMode="true")
    _units_and_more(root, subject, variables)
    references = {variable.name: str(variable.reference) for variable in variables}
    listed = ET.SubElement(root, "ModelVariables")
    for v in variables:
        number = ET.SubElement(listed, "Float64", {**_named(v), **_numbers(v)})
        if v.causality == "output":
            number.set("initial", "calculated")
    structure = ET.SubElement(root, "ModelStructure")
    outputs = [v for v in variables if v.causality == "output"]
    for kind in ("Output", "InitialUnknown"):
        for v in outputs:
            depends_on = " ".join(references[name] for name in v.depends_on)
            ET.SubElement(structure, kind, valueReference=references[v.name], dependencies=depends_on)
    return root


def _units_and_more(root: ET.Element, subject: Subject, variables: Sequence[Variable]) -> None:
    units = ET.SubElement(root, "UnitDefinitions")
    for name in sorted({v.unit for v in variables}):
        powers = exponents(name)
        if powers is not None:
            base = {unit: str(power) for unit, power in powers.items()}
            ET.SubElement(ET.SubElement(units, "Unit", name=name), "BaseUnit", base)
    categories = ET.SubElement(root, "LogCategories")
    for name in CATEGORIES:
        ET.SubElement(categories, "Category", name=name)
    experiment = {"startTime": repr(float(start_time(subject)))}
    if subject.following is not None:
        experiment["stepSize"] = repr(float(subject.following.period))
    ET.SubElement(root, "DefaultExperiment", experiment)


def start_time(subject: Subject) -> float:
    """Return when the motion begins [s]."""
    if subject.by_law:
        return subject.inputs[0].start or 0.0
    return 0.0 if subject.following is None else subject.following.time


def _named(v: Variable) -> dict[str, str]:
    return {
        "name": v.name, "valueReference": str(v.reference), "causality": v.causality, "variability": "continuous",
        "description": v.said,
    }  # fmt: skip


def _numbers(v: Variable) -> dict[str, str]:
    found = {"unit": v.unit} if exponents(v.unit) is not None else {}
    for name, value in (("min", v.least), ("max", v.most), ("start", v.start)):
        if value is not None:
            found[name] = repr(float(value))
    return found


def _text(root: ET.Element) -> str:
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
