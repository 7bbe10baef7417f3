"""The files of an export for embedded controllers: code, self-test, example, packagings, manifest, README."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from symgen import __version__
from symgen.emit.folding import INDENT, folded
from symgen.export.backend import Asked, Product, manifest_of, manifest_text
from symgen.export.code import code_files
from symgen.export.embedded.packaging import packages
from symgen.export.embedded.provers import DRIVER, ProverReport, driver_files, require_ranges, shell_lines, why_not
from symgen.export.embedded.provers import prove as prove_files
from symgen.export.embedded.targets import ALWAYS, AVR, RISCV, CoreFamily, Targets, measure
from symgen.export.following import period_notes
from symgen.export.host import Host, SelfTestVector, run_vectors
from symgen.export.step import abi, following_words, literal, meanings, writes_singular, zero
from symgen.export.subject import Input, Subject, begins_at
from symgen.naming import free_text
from symgen.pipeline.texts import render_view
from symgen.printers.newton import TRIES
from symgen.printers.operations import bound_of_search, count_operations
from symgen.render.documentation import WIDTH, overview_line, title_line
from symgen.render.environment import render
from symgen.render.export import (
    ExampleView,
    PackageView,
    SelfTestView,
    StepPackageView,
    VectorView,
    names_of,
)
from symgen.status import Status

MANIFEST = "manifest.json"
#: What results hold before a step of the self-test: no result of a mechanism, and exact in both types.
_UNTOUCHED = "-123456.75"
_KEYWORDS = "kinematics, mechanism"
_PARAGRAPH = (
    "Solves the kinematics of one mechanism, one step at a time: no heap, no state of its own, the same bits on every"
    " board."
)
_UNSOLVED = (
    "no step of the self-test is solved, so it proves little: give ranges in which the mechanism can be assembled, "
    "another branch, another time with --at, or --precision double where float is too coarse"
)
#: Ticks of the example.
_TICKS = 100
UNASKED = "Cortex-M, as it was asked not to"


def bundle(
    subject: Subject,
    packagings: Sequence[str],
    request: str,
    *,
    targets: bool = True,
    families: Sequence[CoreFamily] = ALWAYS,
    prove: bool = False,
) -> dict[str, str]:
    """Return the files of an export by path, the manifest last.

    Parameters
    ----------
    packagings : of `PACKAGINGS`.
    request : the command behind ``symgen`` that makes it again.
    targets : build and run it for microcontrollers, if the tools are there: those of `families`.
    prove : look at a step within its ranges with Frama-C, if it is there.

    Raises
    ------
    BuildError
        This machine has no C compiler: the vectors of the self-test cannot be calculated.
    InputError
        There is to be a proof, and an input has no range.
    """
    if prove:
        require_ranges(subject)
    files = code_files(subject, request)
    subject = replace(subject, notes=(*subject.notes, *period_notes(subject, files)))
    host = Host(subject, files)
    vectors = run_vectors(subject, host)
    if not any(vector.status is Status.OK for vector in vectors):
        subject = replace(subject, notes=(*subject.notes, _UNSOLVED))
    files["test/vectors.h"] = render_view("export/embedded/vectors.h.j2", _vectors_view(subject, vectors), request)
    files["test/selftest.c"] = render_view(
        "export/embedded/selftest.c.j2", _program_view(subject, len(vectors)), request
    )
    files["examples/fixed_rate.c"] = render_view(
        "export/embedded/fixed_rate.c.j2", _example_view(subject, vectors), request
    )
    files |= driver_files(subject, request)
    proved = _proved(subject, files) if prove else None
    programs = {
        name: render(f"export/embedded/{name}.j2", _program_view(subject, len(vectors)))
        for name in ("measure.c", RISCV.program, *([AVR.program] if subject.real == "float" else []))
    }
    if targets:
        libm = "another <math.h> may give other bits (--math libm)" if subject.math == "libm" else ""
        measured = measure(files, {**programs, **_sizes(subject.prefix, subject.real)}, libm, families)
    else:
        measured = Targets((), (UNASKED,))
    subject = replace(subject, notes=(*subject.notes, *measured.notes(subject.real)))
    view = _package_view(
        subject, packagings, request, vectors, host.state_bytes, measured, proved, has_driver=DRIVER in files
    )
    headers = [f"{subject.prefix}.h", "symgen_status.h", *([subject.header] if subject.batch else [])]
    files |= packages(packagings, view, headers, _KEYWORDS, request)
    files["README.md"] = render_view("export/embedded/README.md.j2", view, request)
    tree = manifest_of(
        subject,
        files,
        Asked(request, {}),
        abi=abi(subject),
        state_bytes=host.state_bytes,
        vectors=dict(Counter(vector.status.name for vector in vectors)),
        figures={
            "operations": count_operations(subject.routine) if subject.following is None else None,
            "bound": bound_of(subject),
            "targets": {each.name: each.as_json() for each in measured.found},
        },
        proofs={"eva": proved.as_json()} if isinstance(proved, ProverReport) else {},
        not_run=list(_not_run(measured, proved)),
        notes=list(subject.notes),
    )
    files[MANIFEST] = manifest_text(tree)
    return files


def _proved(subject: Subject, files: Mapping[str, str]) -> ProverReport | str:
    return why_not(subject) or prove_files(files, own_math=subject.math == "own")


def _not_run(measured: Targets, proved: ProverReport | str | None) -> tuple[str, ...]:
    return (*measured.not_run, proved) if isinstance(proved, str) else measured.not_run


def product_of(files: Mapping[str, str]) -> Product:
    """Return an export with what the command line tells of it: sizes, what it costs where, the steps of its test."""
    manifest = json.loads(files[MANIFEST])
    found = ", ".join(f"{count} {name}" for name, count in manifest["vectors"].items())
    proofs = [told_of(tree) for tree in manifest["proofs"].values()]
    return Product(
        files,
        manifest,
        (
            f"{manifest['title']}: {len(manifest['inputs'])} inputs, {len(manifest['results'])} results, "
            f"{manifest['precision']}, a state of {manifest['state_bytes']} B",
            f"self-test: {sum(manifest['vectors'].values())} steps ({found})",
            *proofs,
        ),
        target_table(manifest),
        tuple(manifest["notes"]),
        tuple(manifest["not_run"]),
    )


def told_of(proof: Mapping[str, Any]) -> str:
    """Return a proof in a line."""
    count = proof["alarms"]
    kinds = ", ".join(f"{number} {kind}" for kind, number in proof["kinds"].items())
    return f"{proof['tool']} EVA within the ranges: {count} alarm{'' if count == 1 else 's'}" + (
        f" ({kinds})" if kinds else ""
    )


def bound_of(subject: Subject) -> dict[str, Any] | None:
    """Return what a step takes at most where it searches or iterates; None where every step does the same.

    `parts` are those into which a step by laws is cut, `search` is of one of them, `newton_steps` of one solution.
    """
    search = bound_of_search(subject.routine)
    parts = TRIES if subject.following is not None and subject.by_law else 1
    if search is None and subject.steps is None and parts == 1:
        return None
    return {"parts": parts, "search": None if search is None else asdict(search), "newton_steps": subject.steps}


def target_table(manifest: Mapping[str, Any]) -> tuple[tuple[object, ...], ...]:
    """Return the figures of a manifest as a table: head, then a row for each core; nothing without cores."""
    rows: list[tuple[object, ...]] = []
    for name, target in manifest["figures"]["targets"].items():
        differ, cost = target["selftest_differ"], target.get("instructions") or target["cycles"]
        counted = None if cost["mean"] is None else f"{cost['mean']} ({cost['min']} to {cost['max']})"
        counted = f"{counted} cycles" if counted and "cycles" in target else counted
        tested = "built only" if differ is None else f"{differ} differ"
        rows.append((name, tested, target["code_bytes"], target["stack_bytes"], counted))
    head = ("core", "self-test", "code [B]", "stack [B]", "instructions a step")
    return (head, *rows) if rows else ()


def bits_in_c(value: float, real: str) -> str:
    """Return a number in C by its bits."""
    suffix = "F" if real == "float" else ""
    if math.isnan(value):
        return f"({real})NAN"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}({real})INFINITY"
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}{suffix}" if "." in mantissa else f"{value.hex()}{suffix}"


def _vectors_view(subject: Subject, vectors: Sequence[SelfTestVector]) -> SelfTestView:
    real = subject.real
    rows = []
    for vector in vectors:
        written = vector.results is not None
        branch = f" {{ {', '.join(map(str, vector.trial.branch))} }}," if vector.trial.branch else ""
        head = f"{{ {int(vector.trial.fresh)}, {int(vector.status)}, {int(written)},{branch}"
        results = vector.results or (0.0,)
        rows.append(
            VectorView(
                head,
                braced([bits_in_c(x, real) for x in vector.trial.inputs]) + ",",
                braced([bits_in_c(x, real) for x in results] if written else [zero(real)]) + " },",
                free_text(f"{vector.trial.what}: {vector.status.name}"),
            )
        )
    size = len(subject.branches)
    return _self_test(
        subject,
        (f"int32_t branch[{size}]; /* what the state holds */",) if subject.branch_is_input else (),
        tuple(rows),
    )


def _program_view(subject: Subject, count: int) -> SelfTestView:
    """Return the view of what takes the steps: the self-test, and the program that measures."""
    size = len(subject.branches)

    def copied(row: str) -> tuple[str, ...]:
        loop = f"for (int k = 0; k < {size}; ++k) {{", f"{INDENT}state.branch[k] = {row}branch[k];", "}"
        return loop if subject.branch_is_input else ()

    view = _self_test(subject, copied("wanted->"), ())
    return replace(view, set=copied(f"{view.names.vectors}[row]."), count=count)


def _self_test(subject: Subject, given: tuple[str, ...], rows: tuple[VectorView, ...]) -> SelfTestView:
    upper = subject.prefix.upper()
    suffix = "F" if subject.real == "float" else ""
    return SelfTestView(
        (), free_text(subject.title), subject.prefix, names_of(subject.prefix), f"{upper}_VECTORS_H", subject.real,
        f"{_UNTOUCHED}{suffix}", given, (), rows, len(rows),
    )  # fmt: skip


def braced(values: Sequence[str]) -> str:
    """Return numbers in C between braces, folded."""
    return "{ " + f"\n{2 * INDENT}  ".join(folded(values, WIDTH - 2 * len(INDENT))) + " }"


def _example_view(subject: Subject, vectors: Sequence[SelfTestVector]) -> ExampleView:
    """Return an example whose drives go on from where the motion begins at the rates they have there."""
    real = subject.real
    begins = begins_at(subject, (v.trial.inputs for v in vectors if v.status is Status.OK))
    period = 1e-3 if subject.following is None else subject.following.period
    lines = []
    for value, begin, rate in _moving(subject, begins, _TICKS * period):
        moving = f" + {literal(rate, real)}*t" if rate != 0.0 else ""
        lines.append(f"inputs[{value.c_name}] = {literal(begin, real)}{moving};")
    if not any("*t" in line for line in lines):
        lines.append("(void)t; /* all inputs stand still here */")
    good_statuses = "status == SYMGEN_OK" + (" || status == SYMGEN_SINGULAR" if writes_singular(subject) else "")
    return ExampleView(
        (), title_line(subject.title), subject.prefix, names_of(subject.prefix), real, literal(period, real), _TICKS,
        subject.results[0].c_name, good_statuses, tuple(lines),
    )  # fmt: skip


def _moving(subject: Subject, begins: Sequence[float], span: float) -> Iterator[tuple[Input, float, float]]:
    """Yield each input with where it begins and its constant rate, back or none if the range ends within a time [s]."""
    inputs = subject.inputs
    if subject.by_law:
        yield inputs[0], begins[0], _staying(inputs[0], begins[0], 1.0, span)
    elif subject.stage != "all" or subject.routine.level != "mechanism":
        yield from ((value, begin, 0.0) for value, begin in zip(inputs, begins, strict=True))
    else:
        for k in range(0, len(inputs), 3):
            (value, rate, acceleration), begin = inputs[k : k + 3], begins[k]
            moved = _staying(value, begin, begins[k + 1], span, rate)
            yield value, begin, moved
            yield rate, rate.within(moved), 0.0
            yield acceleration, acceleration.within(0.0), 0.0


def _staying(value: Input, begin: float, rate: float, span: float, rates: Input | None = None) -> float:
    """Return a rate at which an input stays in its range for a time [s], the given one if it does."""
    found = (
        each for each in (rate, -rate, 0.0)
        if value.holds(begin + each*span) and (rates is None or rates.holds(each))
    )  # fmt: skip
    return next(found, rate)


def _package_view(
    subject: Subject,
    packagings: Sequence[str],
    request: str,
    vectors: Sequence[SelfTestVector],
    state: int,
    measured: Targets,
    proved: ProverReport | str | None,
    *,
    has_driver: bool,
) -> PackageView:
    sources = [f"src/{subject.prefix}.c", *(f"src/{name}" for name in sorted(subject.texts) if name.endswith(".c"))]
    operations = ", ".join(f"{n} {kind}" for kind, n in count_operations(subject.routine).items() if n)
    found = Counter(vector.status.name for vector in vectors)
    # what calls and kernels of a followed step do is not counted
    counted = (("operations of a step", operations),) if subject.following is None else ()
    own = subject.math == "own"
    alarms = (
        ((f"alarms of Frama-C {proved.version} EVA", str(proved.count)),) if isinstance(proved, ProverReport) else ()
    )
    figures = (
        *counted,
        ("size of the state on the machine that exported it", f"{state} B"),
        ("statuses in the self-test", ", ".join(f"{n} {name}" for name, n in found.items())),
        *alarms,
    )
    return StepPackageView(
        preamble=(),
        title=title_line(subject.title),
        about=tuple(map(overview_line, subject.about)),
        prefix=subject.prefix,
        upper=subject.prefix.upper(),
        names=names_of(subject.prefix),
        real=subject.real,
        version=__version__,
        sources=tuple(sources),
        purpose="Kinematics of a mechanism, one step at a time",
        paragraph=_PARAGRAPH,
        inputs=tuple(
            row_of(
                (
                    str(k),
                    f"`{free_text(v.name)}`",
                    v.unit,
                    _range(v.least, v.most),
                    _or_blank(None if v.start is None else v.begin),
                )
            )
            for k, v in enumerate(subject.inputs)
        ),
        results=tuple(
            row_of((str(k), f"`{free_text(v.name)}`", v.unit, free_text(_listed(v.depends_on))))
            for k, v in enumerate(subject.results)
        ),
        figures=tuple(map(row_of, figures)),
        targets=tuple(row_of(each.cells) for each in measured.found),
        linked="one step",
        counted="one step of the self-test that is solved: mean (least to most)",
        notes=tuple(free_text(note) for note in subject.notes),
        not_run=tuple(free_text(reason) for reason in _not_run(measured, proved)),
        vectors=len(vectors),
        request=free_text(request),
        own_math=own,
        statuses=tuple(
            row_of((str(int(status)), status.name, free_text(text))) for status, text in meanings(subject).items()
        ),
        following=following_words(subject),
        ports=tuple(free_text(f"`{each.name}`: {each.meaning}") for each in subject.ports),
        eva=shell_lines(own_math=own) if has_driver else (),
    )


def row_of(cells: Sequence[str]) -> str:
    """Return a row of a table of Markdown."""
    return f"| {' | '.join(cells)} |"


def _range(least: float | None, most: float | None) -> str:
    return "" if least is None or most is None else f"{least:g} to {most:g}"


def _or_blank(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return f"{shown} and {len(names) - 6} more" if len(names) > 6 else shown or "nothing"


def _sizes(prefix: str, real: str) -> dict[str, str]:
    """Return a program that takes a step and one that takes none; volatile, so that nothing is known beforehand."""
    upper = prefix.upper()
    head = (
        f'#include "{prefix}.h"\nvolatile float seen;\nstatic {prefix}_state state;\n'
        f"int main(void) {{ static {real} inputs[{upper}_INPUTS], results[{upper}_RESULTS];"
    )
    step = f"{prefix}_init(&state); {prefix}_step(&state, inputs, results);"
    tail = f"seen = (float)(results[0] + inputs[0] + ({real})state.abi); return 0; }}\n"
    return {"with.c": f"{head} {step} {tail}", "without.c": f"{head} {tail}"}
