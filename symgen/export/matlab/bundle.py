"""The files of an export for MATLAB: the function, steps of the C to compare it with, the manifest."""

from __future__ import annotations

from symgen.build.errors import NoCompilerError
from symgen.emit.matlab import TAKEN, matlab_lines, matlab_results, why_not_in_matlab
from symgen.errors import InputError
from symgen.export.backend import Asked, Product, manifest_of, manifest_text
from symgen.export.code import code_files
from symgen.export.host import Host, SelfTestVector, run_vectors
from symgen.export.step import meanings
from symgen.export.subject import Subject, refuse_prefix
from symgen.naming import free_text
from symgen.pipeline.texts import render_view
from symgen.printers.tolerances import TOLERANCE_VALUE
from symgen.render.documentation import title_line
from symgen.render.export import MatlabView
from symgen.status import Status

MANIFEST = "manifest.json"


def bundle(subject: Subject, asked: Asked) -> Product:
    """Return the files of a function of MATLAB.

    Raises
    ------
    InputError
        It is a solved type, iterates, or would need a memory.
    """
    if subject.routine.level != "mechanism":
        raise InputError(
            f"{subject.title}: --for matlab takes a mechanism only; write a mechanism file with this type, and export "
            "it"
        )
    if subject.following is not None:
        raise InputError(
            f"{subject.title}: its branches are followed from step to step, but a function of MATLAB has no memory of "
            "the step before. Give --branch with numbers, or export --for shared or fmu, which have a memory"
        )
    if subject.branch_is_input:
        raise InputError("--branch input: the branches are compiled in; give their numbers")
    refuse_prefix(subject.prefix, TAKEN, "MATLAB, or the file itself, uses this name for something else")
    lacking = why_not_in_matlab(subject.routine)
    if lacking:
        raise InputError(
            f"{subject.title}: only groups with a closed form by square roots are written for MATLAB ({lacking}); "
            "--for shared makes a library for MATLAB's loadlibrary"
        )
    vectors, missing = _vectors(subject, asked)
    view = _view(subject, vectors)
    prefix = subject.prefix
    files: dict[str, str | bytes] = {
        f"{prefix}.m": render_view("export/matlab/function.m.j2", view, asked.command),
    }
    if view.vectors:  # a test that compares nothing would pass
        files[f"test_{prefix}.m"] = render_view("export/matlab/test.m.j2", view, asked.command)
    manifest = manifest_of(
        subject, files, asked, function=prefix, vectors=len(view.vectors), notes=list(subject.notes),
        not_run=[missing] if missing else [],
    )  # fmt: skip
    manifest["math"] = "MATLAB"
    files[MANIFEST] = manifest_text(manifest)
    said = (
        f"{free_text(subject.title)}: function {prefix}, {len(subject.inputs)} inputs, {len(subject.results)} results",
    )
    return Product(files, manifest, said, (), subject.notes, (missing,) if missing else ())


def _vectors(subject: Subject, asked: Asked) -> tuple[list[SelfTestVector], str]:
    """Return steps of the C, of the same steps as the function, or why there are none and no test."""
    try:
        return run_vectors(subject, Host(subject, code_files(subject, asked.command))), ""
    except NoCompilerError as error:
        return [], f"test_{subject.prefix}.m is not written, because there are no steps to compare with: {error}"


def _view(subject: Subject, vectors: list[SelfTestVector]) -> MatlabView:
    given: dict[str, str] = {}
    taken = 0
    stride = 3 if subject.stage == "all" and not subject.by_law else 1
    for port in subject.routine.inputs:
        for k, element in enumerate(port.elements):
            if port.kind == "int":
                given[element] = str((subject.chosen or (0,))[k])
            elif subject.by_law:
                given[element] = f"inputs({taken + 1})"
                taken += 1
            elif port.name in ("u", "ud", "udd"):
                given[element] = f"inputs({stride * k + ('u', 'ud', 'udd').index(port.name) + 1})"
            else:
                given[element] = f"inputs({k + 1})"
    ranges = [
        f"inputs({k}) >= {value.least!r} && inputs({k}) <= {value.most!r}"
        for k, value in enumerate(subject.inputs, start=1)
        if value.least is not None and value.most is not None
    ]
    words = {**meanings(subject), Status.BAD_INPUT: "an input is not finite, or out of its range"}
    return MatlabView(
        preamble=(),
        title=title_line(subject.title),
        prefix=subject.prefix,
        upper=subject.prefix.upper(),
        test=f"test_{subject.prefix}",
        test_upper=f"TEST_{subject.prefix.upper()}",
        about=tuple(free_text(line) for line in subject.about),
        inputs=tuple(_port_words(k, v.name, v.unit) for k, v in enumerate(subject.inputs, start=1)),
        results=tuple(_port_words(k, v.name, v.unit) for k, v in enumerate(subject.results, start=1)),
        statuses=tuple(f"{int(status)} {status.name}: {free_text(text)}" for status, text in words.items()),
        columns=len(subject.inputs),
        wanted="1 real number" if len(subject.inputs) == 1 else f"{len(subject.inputs)} real numbers",
        rows=len(subject.results),
        largest=repr(TOLERANCE_VALUE["LARGEST_INPUT"]),
        bad_input=int(Status.BAD_INPUT),
        ranges=tuple(ranges),
        body=tuple(matlab_lines(subject.routine, given)),
        values=tuple(f"{text};" for text in matlab_results(subject.routine, given)),
        vectors=tuple(
            f"{{[{_row(v.trial.inputs)}], {int(v.status)}, [{_row(v.results or ())}]}}, ... % {free_text(v.trial.what)}"
            for v in vectors
            if not v.trial.what.startswith("at the border")  # found to the last bit of the C
        ),
    )


def _port_words(k: int, name: str, unit: str) -> str:
    return free_text(f"({k}) {name} [{unit}]")


def _row(values: tuple[float, ...]) -> str:
    return " ".join(f"{value!r}".replace("nan", "NaN").replace("inf", "Inf") for value in values)
