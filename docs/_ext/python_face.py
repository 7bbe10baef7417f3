"""The Python reference: what `import symgen` binds and the classes that come back, from their docstrings.

symgen's docstrings say ``name : meaning`` and leave the type to the annotation; numpydoc would take the meaning for a
type. Here it becomes the description.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, NumpyDocstring

import symgen
from symgen.callable_module import CallableModule

#: Heading -> what is below it. A name without a dot is bound by symgen itself.
SECTIONS: dict[str, tuple[str, ...]] = {
    "Mechanisms": (
        "load", "Mechanism", "symgen.model.parts.Body", "symgen.model.parts.Joint", "symgen.model.parts.JointFrame",
        "symgen.model.parts.MultipleJoint", "symgen.model.parts.Pose", "symgen.model.parts.Beam",
        "symgen.model.parts.DriveLaw", "symgen.model.parts.Initial", "symgen.model.parts.Spring",
        "symgen.model.parts.AppliedForce", "symgen.model.parts.AppliedTorque", "symgen.model.parts.JointForce",
        "symgen.model.special.SpecialGeometry", "symgen.model.couplings.Gear", "symgen.model.couplings.Rack",
        "symgen.model.couplings.Belt", "symgen.model.couplings.Relation",
    ),
    "Structure": (
        "analyse", "Structure", "symgen.topology.structure.Group", "symgen.topology.structure.Finding",
        "symgen.topology.structure.PairEnd", "symgen.topology.structure.GroupChain", "transform",
        "symgen.topology.transformations.records.Transformations",
        "symgen.topology.transformations.records.RankedChoice",
    ),
    "Solved types": (
        "library", "symgen.library.open.Library", "symgen.library.solved_type.SolvedType",
        "symgen.library.solved_type.SolvedLevel", "symgen.library.solved_type.SolvedFunction",
    ),
    "Kinematics": (
        "solve", "symgen.solve.result.MotionResult", "symgen.solve.result.GroupTrack", "symgen.solve.result.Event",
        "symgen.solve.tracks.BodyTrack", "symgen.solve.trajectory.PointTrack", "symgen.solve.trajectory.JointTrack",
        "symgen.solve.trajectory.Quantity", "symgen.solve.newton.Certificates",
        "assemblies", "symgen.solve.assemblies.Assemblies", "symgen.solve.assemblies.Assembly", "follow_assemblies",
    ),
    "Dynamics": (
        "simulate", "symgen.simulate.results.result.SimulationResult", "symgen.simulate.results.records.JointReaction",
        "symgen.simulate.results.records.Run", "symgen.simulate.results.records.Failure",
        "symgen.simulate.stopping.SimulationStopped", "accelerations",
        "symgen.transfer.acceleration_result.AccelerationResult",
        "symgen.transfer.acceleration_result.BodyAcceleration", "symgen.transfer.acceleration_result.JointLoad",
        "vibrations", "symgen.vibrations.analysis.Vibrations", "symgen.vibrations.analysis.Mode",
        "symgen.vibrations.analysis.BodyShape", "symgen.vibrations.analysis.BeamShape",
    ),
    "Joint reactions": (
        "reactions", "symgen.reactions.result.ReactionsResult", "symgen.reactions.result.SourceUniqueness",
        "symgen.reactions.result.SetUniqueness", "symgen.reactions.result.ResultantUniqueness",
        "symgen.reactions.state_values.ReactionValues", "symgen.reactions.state_values.ReactionValue",
    ),
    "Statuses and errors": (
        "Status", "SymgenError", "symgen.errors.InputError", "symgen.errors.MechanismError",
        "symgen.errors.StructureError", "symgen.errors.UnsolvedTypeError", "symgen.errors.SolveError",
        "symgen.errors.AccuracyError", "symgen.errors.BuildError",
    ),
}  # fmt: skip
_SECTION = re.compile(r"^(Parameters|Attributes|Other Parameters)$")
_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (.*)$")
_NAPOLEON = Config(napoleon_use_rtype=False)


def described(lines: Sequence[str]) -> list[str]:
    """Return the lines of a docstring with the meaning of each parameter as its description."""
    found: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        ahead = lines[number + 1] if number + 1 < len(lines) else ""
        if ahead.startswith("---") and line:
            inside = _SECTION.match(line) is not None
        entry = _ENTRY.match(line) if inside else None
        found += [entry[1], f"    {entry[2]}"] if entry else [line]
    return found


def _function(name: str) -> Iterator[str]:
    """Yield the reStructuredText of a public function; of a package that can be called, that of its function."""
    found = getattr(symgen, name)
    if isinstance(found, CallableModule):
        found = type(found).find()
    signature = str(inspect.signature(found)).replace("'", "")
    text = "\n".join(described((inspect.getdoc(found) or "").splitlines()))
    yield f".. py:function:: symgen.{name}{signature}"
    yield ""
    yield from (f"   {line}".rstrip() for line in str(NumpyDocstring(text, _NAPOLEON, what="function")).splitlines())


def _part(name: str) -> Iterator[str]:
    home = name if "." in name else f"symgen.{name}"
    is_class = "." in name or inspect.isclass(getattr(symgen, name))
    if not is_class:
        yield from _function(name)
    else:
        inherited = name.endswith("Result")
        yield f".. autoclass:: {home}"
        yield "   :members:"
        yield from ["   :inherited-members:"] if inherited else []
    yield ""


def _fill(app: Sphinx, docname: str, content: list[str]) -> None:
    if docname != "api":
        return
    blocks = []
    for heading, names in SECTIONS.items():
        lines = [f"## {heading}", "", "````{eval-rst}", *(line for name in names for line in _part(name)), "````", ""]
        blocks.append("\n".join(lines))
    content[0] = re.sub(r"```\{python-face\}\n.*?```", lambda _: "\n".join(blocks), content[0], flags=re.S)


def _describe(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = described(lines)


def _hide_constructor(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, arguments: str | None, *_: Any
) -> tuple[str, None] | None:
    """Leave the call of a class away: users get these objects from functions."""
    return ("", None) if what in ("class", "exception") and arguments else None


def _set_dashes(app: Sphinx, doctree: nodes.document) -> None:
    """Set the dash between a parameter and its meaning; elsewhere two hyphens begin an option."""
    for text in [each for each in doctree.findall(nodes.Text) if each.startswith(" -- ")]:
        text.parent.replace(text, nodes.Text(" \u2013 " + text.removeprefix(" -- ")))


def setup(app: Sphinx) -> dict[str, Any]:
    """Fill api.md when it is read; mend docstrings before napoleon reads them."""
    app.connect("source-read", _fill)
    app.connect("autodoc-process-docstring", _describe, priority=400)
    app.connect("doctree-read", _set_dashes)
    app.connect("autodoc-process-signature", _hide_constructor)
    return {"parallel_read_safe": True}
