"""The files of an external function: its C, its library, an example, the manifest.

CasADi finds a function ``f`` by the names of its symbols: ``f``, ``f_n_in``, ``f_sparsity_in``, ``jac_f`` and so on
(J. Andersson et al., CasADi User Guide, "Using the generated code", "External functions"). Patterns are column by
column: rows, columns, where each column begins, and the row of each entry.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from symgen.build.compiler import find_compiler
from symgen.build.errors import NoCompilerError
from symgen.emit.folding import INDENT, folded
from symgen.errors import BuildError, InputError
from symgen.export.backend import Asked, Product, manifest_of, manifest_text
from symgen.export.code import code_files
from symgen.export.linking import ENDINGS, link, system_of
from symgen.export.step import abi, literal, refusals, tangent_call, writes_singular
from symgen.export.subject import Subject, refuse_prefix
from symgen.naming import free_text
from symgen.pipeline.texts import render_view
from symgen.render.documentation import WIDTH, title_line
from symgen.render.export import CasadiView, names_of

MANIFEST = "manifest.json"
_HELD = "a value, its rate and its acceleration are three independent inputs: pass the rate that belongs to the value"
_NO_JACOBIAN = "there is no exact Jacobian: {}; give casadi.external the options enable_fd, or other inputs"


def bundle(subject: Subject, asked: Asked) -> Product:
    """Return the files of an external function.

    Raises
    ------
    InputError
        It would need a memory: the branch is followed, or the caller's.
    """
    if subject.following is not None:
        raise InputError(
            f"{subject.title}: its branches are followed from step to step, but a function of CasADi has no memory of "
            "the step before. Give --branch with numbers, or export --for shared or fmu, which have a memory"
        )
    if subject.branch_is_input:
        raise InputError(
            "--branch input: a function of CasADi takes real numbers only; give the numbers of the branches"
        )
    refuse_prefix(subject.prefix, ("jac", "hess", "null"), "CasADi reserves this name")
    code = code_files(subject, asked.command)
    prefix = subject.prefix
    unit = f"src/{prefix}_casadi.c"
    code[unit] = render_view("export/casadi/function.c.j2", _view(subject), asked.command)
    files: dict[str, str | bytes] = {**code}
    library, missing = _library(subject, code)
    files |= library
    name = next(iter(library), f"lib/lib{prefix}.so")
    files["examples/jacobian.py"] = render_view(
        "export/casadi/jacobian.py.j2", _view(subject, library=json.dumps(Path(name).name)), asked.command
    )
    notes = [*subject.notes]
    if not subject.by_law and subject.stage == "all" and subject.routine.level == "mechanism":
        notes.append(_HELD)
    if subject.tangent is None:
        notes.append(_NO_JACOBIAN.format(subject.no_tangent))
    manifest = manifest_of(
        subject, files, asked, abi=abi(subject), function=prefix, library=name if library else None,
        jacobian=None if subject.tangent is None else {"entries": len(_entries(subject)), "calls": _calls(subject)[1]},
        notes=notes, not_run=[missing] if missing else [],
    )  # fmt: skip
    files[MANIFEST] = manifest_text(manifest)
    said = (
        f"{free_text(subject.title)}: function {prefix}, {len(subject.inputs)} inputs, {len(subject.results)} results, "
        + ("no Jacobian" if subject.tangent is None else f"exact Jacobian with {len(_entries(subject))} entries"),
    )
    return Product(files, manifest, said, (), tuple(notes), (missing,) if missing else ())


def _library(subject: Subject, code: dict[str, str]) -> tuple[dict[str, bytes], str]:
    """Return the library by its path, or why there is none."""
    try:
        compiler = find_compiler()
    except NoCompilerError as error:
        return {}, f"the library: {error}"
    system = system_of(compiler.machine)
    if system is None:
        return {}, f"the library: symgen does not know how to link libraries for {compiler.machine}"
    name = f"lib{subject.prefix}{ENDINGS[system]}"
    with tempfile.TemporaryDirectory(prefix="symgen-export-") as folder:
        target = Path(folder) / name
        try:
            link(compiler, code, ("include", "src"), (), target)
        except BuildError as error:
            return {}, f"the library: {str(error).splitlines()[0]}"
        return {f"lib/{name}": target.read_bytes()}, ""


def _entries(subject: Subject) -> list[tuple[int, int]]:
    """Return the entries of the Jacobian that are not always zero, column by column: (row, column)."""
    return [
        (row, column)
        for column, value in enumerate(subject.inputs)
        for row, result in enumerate(subject.results)
        if value.name in result.depends_on
    ]


def _calls(subject: Subject) -> tuple[tuple[int, ...], int]:
    """Return the call that finds each column, and how many there are: columns without a row in common share one.

    A. Curtis, M. Powell, J. Reid, "On the estimation of sparse Jacobian matrices", 1974.
    """
    rows: dict[int, set[int]] = {column: set() for column in range(len(subject.inputs))}
    for row, column in _entries(subject):
        rows[column].add(row)
    found: list[int] = []
    taken: list[set[int]] = []
    for column in range(len(subject.inputs)):
        call = next((k for k, seen in enumerate(taken) if not seen & rows[column]), len(taken))
        if call == len(taken):
            taken.append(set())
        taken[call] |= rows[column]
        found.append(call)
    return tuple(found), len(taken)


def _view(subject: Subject, *, library: str = "") -> CasadiView:
    entries, (calls, count) = _entries(subject), _calls(subject)
    rows, columns = len(subject.results), len(subject.inputs)
    begins = [sum(column < k for _, column in entries) for k in range(columns + 1)]
    given, call = tangent_call(subject)
    return CasadiView(
        preamble=(),
        title=title_line(subject.title),
        prefix=subject.prefix,
        names=names_of(subject.prefix),
        jacobian=f"jac_{subject.prefix}",
        functions=_described(subject.prefix, {"inputs": "INPUTS"}, {"results": "RESULTS"}),
        jacobian_functions=_described(
            f"jac_{subject.prefix}", {"inputs": "INPUTS", "out_results": "RESULTS"}, {"jac_results_inputs": "PATTERN"}
        ),
        solver_header=subject.header,
        good="status == SYMGEN_OK" + (" || status == SYMGEN_SINGULAR" if writes_singular(subject) else ""),
        starts=_numbers([literal(value.begin, "double") for value in subject.inputs]),
        pattern=_numbers([str(n) for n in (rows, columns, *begins, *(row for row, _ in entries))]),
        row_of=_numbers([str(row) for row, _ in entries] or ["0"]),
        column_of=_numbers([str(column) for _, column in entries] or ["0"]),
        call_of=_numbers([str(each) for each in calls]),
        entries=len(entries),
        calls=count,
        tangent_symbol=subject.tangent_symbol,
        refused=tuple(refusals(subject)),
        given=given,
        call=call,
        library=library,
    )


def _described(name: str, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the functions by which CasADi asks what a function takes and gives: name -> pattern of each."""
    lines: list[str] = []

    def add(kind: str, ending: str, parameters: str, body: str) -> None:
        head = f"SHOWN {kind}{name}_{ending}({parameters})"
        lines.extend([f"{head};", f"{head} {{ {body} }}"])

    for side, found in (("in", inputs), ("out", outputs)):
        add("casadi_int ", f"n_{side}", "void", f"return {len(found)};")
        for kind, ending, texts in (
            ("const char *", "name", [json.dumps(each) for each in found]),
            ("const casadi_int *", "sparsity", list(found.values())),
        ):
            chosen = "".join(f"i == {k} ? {text} : " for k, text in enumerate(texts))
            add(kind, f"{ending}_{side}", "casadi_int i", f"return {chosen}NULL;")
    sizes = ", ".join(f"casadi_int *{size}" for size in ("sz_arg", "sz_res", "sz_iw", "sz_w"))
    body = f"*sz_arg = {len(inputs)}; *sz_res = {len(outputs)}; *sz_iw = 0; *sz_w = 0; return 0;"
    add("int ", "work", sizes, body)
    return tuple(lines)


def _numbers(texts: list[str]) -> str:
    return f"\n{INDENT}".join(folded(texts, WIDTH - 2 * len(INDENT)))
