"""The files of an FMU: its description, its sources, a library for this machine, a page about it, the manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

from symgen.build.errors import NoCompilerError
from symgen.emit.folding import INDENT, folded
from symgen.errors import InputError
from symgen.export.backend import Asked, Product, manifest_of, manifest_text
from symgen.export.fmu.description import (
    Variable,
    build_description,
    first_result,
    model_description,
    start_time,
    variables_of,
)
from symgen.export.fmu.platform import compiled
from symgen.export.host import Host
from symgen.export.step import literal, meanings, step_view, tangent_call, writes_singular
from symgen.export.subject import Subject, begins_at
from symgen.naming import free_text
from symgen.pipeline.texts import render_view
from symgen.render.documentation import WIDTH, title_line
from symgen.render.export import FmuView, names_of
from symgen.resources import templates_folder
from symgen.status import Status

MANIFEST = "extra/symgen/manifest.json"
#: Names that the functions of FMI and the files around them have.
_TAKEN = frozenset({"fmu", "fmi2", "fmi3", "fmu_model"})
_NO_TANGENT = "directional derivatives are not provided: {}"
_MOVES = (
    "inputs begin with the rates of the motion: connect them, or set rates and accelerations to 0 for an input that "
    "stands still. A value that stays constant while its rate is not zero describes another motion, and the branch is "
    "lost"
)
_HELD = (
    "co-simulation: inputs are held constant over a step, so results at its end are those of the inputs at its "
    "beginning: one step of delay. Model exchange has no delay"
)


def bundle(subject: Subject, asked: Asked) -> Product:
    """Return the files of an FMU.

    Raises
    ------
    InputError
        The caller chooses the branches, no result is left, or a name is taken.
    """
    fmi = asked.settings["fmi"]
    if subject.branch_is_input:
        raise InputError("--branch input: an FMU has its branches compiled in; give numbers, reference or follow")
    if subject.prefix.lower() in _TAKEN:
        raise InputError(f"--prefix {subject.prefix}: this is the name of a file of every FMU; take another")
    start = begins_at(subject, _solved(subject, asked.command))
    variables = variables_of(subject, start)
    if not any(v.causality == "output" for v in variables):
        raise InputError("--results: all of them are inputs of the FMU; ask for others, or give --drives laws")
    code = _solver(subject, asked.command)
    texts = code | _model(subject, start, "", fmi, asked.command)
    names = sorted(name for name in texts if name.endswith(".c"))
    token = _token(texts, model_description(subject, variables, fmi, "", names))
    texts = code | _model(subject, start, token, fmi, asked.command)
    sources = {f"sources/{name}": text for name, text in texts.items()}
    files: dict[str, str | bytes] = {"modelDescription.xml": model_description(subject, variables, fmi, token, names)}
    files |= sources
    if fmi == "3":
        files["sources/buildDescription.xml"] = build_description(subject.prefix, names)
    result = next(v.reference for v in variables if v.causality == "output")
    library = compiled(sources, fmi, subject.prefix, token, result, start_time(subject))
    files |= library.files
    notes = [*subject.notes]
    if not subject.by_law:
        notes.append(_HELD)
    if subject.following is not None and not subject.by_law:
        notes.append(_MOVES)
    if subject.tangent is None:
        notes.append(_NO_TANGENT.format(subject.no_tangent))
    if library.begins is False:
        notes.append("the mechanism cannot be solved at the start values of its inputs: set other start values")
    not_run = [library.missing] if library.missing else []
    manifest = manifest_of(
        subject, files, asked, fmi=f"{fmi}.0", token=token, notes=notes, not_run=not_run,
        variables={v.name: v.reference for v in variables},
    )  # fmt: skip
    files[MANIFEST] = manifest_text(manifest)
    return Product(files, manifest, _said(fmi, subject, variables, library.files), (), tuple(notes), tuple(not_run))


def _said(fmi: str, subject: Subject, variables: Sequence[Variable], library: Mapping[str, bytes]) -> tuple[str, ...]:
    counts = [sum(v.causality == kind for v in variables) for kind in ("input", "output")]
    derivatives = "exact" if subject.tangent is not None else "no"
    where = f", a library for {next(iter(library)).split('/')[1]}" if library else ""
    return (
        f"{free_text(subject.title)}: FMI {fmi}.0, model exchange and co-simulation, {counts[0]} inputs, {counts[1]} "
        f"outputs, {derivatives} directional derivatives{where}",
    )


def _solved(subject: Subject, command: str) -> Iterator[tuple[float, ...]]:
    """Yield the inputs of steps that are solved; without a compiler nobody can tell."""
    try:
        host = Host(subject, {f"src/{name}": text for name, text in _solver(subject, command).items()})
    except NoCompilerError:
        return
    host.begin()
    yield from (trial.inputs for trial in subject.trials if host.step(trial.inputs)[0] is Status.OK)


def _solver(subject: Subject, request: str) -> dict[str, str]:
    """Return the step and the solver behind it by name."""
    step = step_view(subject)
    return {
        f"{subject.prefix}.h": render_view("export/header.h.j2", step, request),
        f"{subject.prefix}.c": render_view("export/step.c.j2", step, request),
        **dict(subject.texts),
    }


def _model(subject: Subject, start: Sequence[float], token: str, fmi: str, request: str) -> dict[str, str]:
    """Return what makes an FMU of it: two files that are the same for all, and what they need to know."""
    folder = templates_folder() / "export" / "fmu"
    fixed = {name: (folder / name).read_text(encoding="utf-8") for name in ("fmu.h", f"fmi{fmi}.c")}
    return {**fixed, "fmu_model.h": render_view("export/fmu/fmu_model.h.j2", _view(subject, start, token), request)}


def _view(subject: Subject, start: Sequence[float], token: str) -> FmuView:
    given, call = tangent_call(subject)
    words = {**meanings(subject), Status.BAD_INPUT: "an input is not a number, infinite, or out of its range"}
    if subject.following is not None and not subject.by_law:
        words[Status.BAD_INPUT] += "; or the first one is not where the motion begins"
    elif subject.routine.level == "group":
        words[Status.BAD_INPUT] += "; or a quaternion is not of unit length"
    group = "return motion->group;" if subject.routine.marks else "(void)motion;\n    return 0;"
    passing = (
        ("motion->since = 0;", "motion->period = time;")
        if subject.following is not None and not subject.by_law
        else ("(void)motion, (void)time;",)
    )
    return FmuView(
        preamble=(),
        title=title_line(subject.title),
        prefix=subject.prefix,
        names=names_of(subject.prefix),
        solver_header=subject.header,
        token=token,
        first_result=first_result(subject),
        start_time=literal(start_time(subject), "double"),
        by_law=int(subject.by_law),
        follows=int(subject.following is not None),
        derives=int(subject.tangent is not None),
        writes_singular=int(writes_singular(subject)),
        start=_listed([literal(x, "double") for x in start]),
        least=_listed(["-DBL_MAX" if v.least is None else literal(v.least, "double") for v in subject.inputs]),
        most=_listed(["DBL_MAX" if v.most is None else literal(v.most, "double") for v in subject.inputs]),
        input_names=tuple(json.dumps(free_text(v.name)) for v in subject.inputs),
        meanings=tuple(
            f"case SYMGEN_{status.name}: return {json.dumps(f'{status.name}, {free_text(text)}')};"
            for status, text in words.items()
        ),
        group=group,
        passing=passing,
        tangent_symbol=subject.tangent_symbol,
        given=given,
        call=call,
    )


def _listed(texts: Sequence[str]) -> str:
    return f"\n{INDENT}".join(folded(texts, WIDTH - len(INDENT)))


def _token(texts: Mapping[str, str], description: str) -> str:
    """Return what tells this FMU from others: a digest of what it is made of, hexadecimal digits and dashes."""
    content = json.dumps([description, *sorted(texts.items())])
    digits = hashlib.sha256(content.encode()).hexdigest()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))
