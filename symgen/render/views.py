"""What a template may see: frozen dataclasses of text, numbers and tuples, made from routines by the emitters.

A template places what it is given. It computes nothing, compares nothing and puts no names together
(tests/render/test_templates_only_place_text.py): whatever needs that is a field here. Every text that a person wrote
has passed `symgen.naming.free_text`, every name `symgen.naming.check_identifier`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from symgen.emit import c99, c99_signature, numpy
from symgen.emit.folding import INDENT, enclosed, folded
from symgen.emit.lanes import lane_texts, numbers_in_lanes, runs_in_lanes, widths_of_rows
from symgen.emit.names import bounds_zeros, inner_routines, parts_of_others, used_tolerances
from symgen.emit.side_by_side import NO_PLACES, has_sides, run_side_by_side, side_places
from symgen.emit.unit_checks import UnitCheck, c_unit_checks, numpy_unit_checks
from symgen.ir.linear_system import SWEEPS
from symgen.ir.nodes import Call, Routine
from symgen.lower import statuses
from symgen.naming import check_identifier, free_text
from symgen.printers.c99 import REAL_WORDS, Written, calls_own, serves_both
from symgen.printers.tolerances import TOLERANCE_TEXT, TOLERANCE_VALUE
from symgen.printers.zero_finder import NUMPY
from symgen.render import documentation as words
from symgen.render.linear_solver import LinearSolverView, linear_solvers, solves_systems
from symgen.render.sampler import NUMPY_SAMPLER, SamplerView, samplers
from symgen.render.search import NUMPY_SEARCH, NumPySearchView, SearchView, c_searches, numpy_searches
from symgen.render.vectors import NumPyVectorFunctionView, numpy_vector_functions
from symgen.render.zero_finder import ZeroFinderView, degrees_of, takes_zeros, zero_finders
from symgen.status import MEANING, Status

_WIDTH = 110
#: What inputs may be so that another status than OK says something about geometry.
_LARGEST = "SYMGEN_LARGEST_INPUT"
_LIMITS = {"LARGEST_INPUT", "LARGEST_OF_RATES"}


@dataclass(frozen=True)
class FunctionView:
    """One function in any language: documentation and texts.

    `ports` are lines; `solver` is the function inside that trusts its arguments.
    """

    name: str
    solver: str
    title: str
    stage: str
    ports: tuple[str, ...]
    status_names: str
    operations: str
    branches: int
    has_branch: bool
    lost_by_stage: bool
    body: str


@dataclass(frozen=True)
class LanesView:
    """What the macros of ``symgen_lanes.h`` are told of a function."""

    name: str
    sizes: str
    fits: str
    waits: str
    arguments: str
    takes: str
    reads: str
    gives: str


@dataclass(frozen=True)
class CFunctionView(FunctionView):
    """One function in C; `name` is its external name.

    `number` counts the functions of a module from 1. `lanes` is there if rows of it run side by side; `is_scalar_only`
    says that they do not, in a module where others do.
    """

    number: int
    runs_in_lanes: bool
    is_scalar_only: bool
    lanes: LanesView
    columns_name: str
    batch_name: str
    linkage: str
    outcome: str
    parameters: str
    inner_parameters: str
    batch_parameters: str
    arguments: str
    batch_arguments: str
    scratch: tuple[str, ...]
    scratch_arguments: str
    finite_inputs: str
    input_count: int
    largest: str
    largest_of_singular: str


@dataclass(frozen=True)
class NumPyFunctionView(FunctionView):
    """One function in NumPy."""

    definition: str
    solver_definition: str
    prepared: str
    answer: str
    unpack: str
    results: str
    returned: str
    keeps_status: bool
    result_names: str
    statuses: tuple[str, ...]
    branch_index: int
    writes_singular: bool


@dataclass(frozen=True)
class StatusView:
    """One row of the table of statuses; `separator` stands between it and the next."""

    name: str
    value: int
    separator: str
    meaning: str


@dataclass(frozen=True)
class ModuleView:
    """One module in any language. `summary`, `source`, `branch_bits` and `conventions` are lines of documentation."""

    module: str
    title: str
    summary: tuple[str, ...]
    source: str
    branch_bits: tuple[str, ...]
    conventions: tuple[str, ...]
    preamble: tuple[str, ...]
    tolerances: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CModuleView(ModuleView):
    """One pair of C files; `written_for` names the precision in words, `includes` are lines.

    `is_either` says that `real` and its functions come from ``symgen_real.h``; `has_lanes`, that the text can also be
    compiled for rows side by side; `last_in_lanes` is the number of the last function whose batches can.
    """

    written_for: str
    includes: tuple[str, ...]
    is_either: bool
    has_lanes: bool
    lane_includes: tuple[str, ...]
    widths_of_rows: tuple[int, ...]
    last_in_lanes: int
    has_vectors: bool
    unit_checks: tuple[UnitCheck, ...]
    calling: tuple[str, ...]
    accuracy: tuple[str, ...]
    returned: tuple[str, ...]
    example: tuple[str, ...]
    header: str
    include_guard: str
    real: str
    limit: str
    absolute: str
    one: str
    mantissa: str
    digits: int
    zero_finders: tuple[ZeroFinderView, ...]
    linear_solvers: tuple[LinearSolverView, ...]
    samplers: tuple[SamplerView, ...]
    searches: tuple[SearchView, ...]
    inner_functions: tuple[CFunctionView, ...]
    functions: tuple[CFunctionView, ...]


@dataclass(frozen=True)
class SingleView:
    """The files for float of a module whose text serves both precisions.

    `twins` are the functions, each with what it is called in float; `names` are what the text calls otherwise and the
    header does not tell; `body` is the text, or the line that includes it.
    """

    title: str
    preamble: tuple[str, ...]
    header: str
    told_in: str
    include_guard: str
    calling: tuple[str, ...]
    twins: tuple[tuple[str, str], ...]
    names: tuple[tuple[str, str], ...]
    body: str


@dataclass(frozen=True)
class RealHeaderView:
    """The common header of files for both precisions."""

    preamble: tuple[str, ...]


@dataclass(frozen=True)
class NumPyModuleView(ModuleView):
    """One NumPy file; the flags say which of its inner functions are needed."""

    statuses: tuple[StatusView, ...]
    has_vectors: bool
    unit_checks: tuple[UnitCheck, ...]
    vector_functions: tuple[NumPyVectorFunctionView, ...]
    loses_branches: bool
    stacks: bool
    has_sides: bool
    parts_whole: bool
    finds_zeros: bool
    bounds_zeros: bool
    solves_systems: bool
    samples: bool
    takes_zeros: bool
    searches: tuple[NumPySearchView, ...]
    inner_functions: tuple[NumPyFunctionView, ...]
    sweeps: int
    functions: tuple[NumPyFunctionView, ...]


@dataclass(frozen=True)
class StatusHeaderView:
    """The common header."""

    preamble: tuple[str, ...]
    statuses: tuple[StatusView, ...]


def status_views(prefix: str = "SYMGEN_") -> tuple[StatusView, ...]:
    """Return the table of statuses."""
    last = max(Status)
    return tuple(StatusView(prefix + s.name, int(s), "" if s is last else ",", MEANING[s]) for s in Status)


def _joined(texts: Sequence[str], depth: int, width: int = _WIDTH) -> str:
    """Join arguments by commas; lines after the first stand in as far as the template puts the first."""
    return f"\n{depth * INDENT}".join(folded(texts, width - depth * len(INDENT)))


def _spaced(texts: Sequence[str], depth: int) -> str:
    """Write macros one after the other, over as many lines as they need."""
    wide = textwrap.wrap(" ".join(text.replace(" ", "\0") for text in texts), _WIDTH - depth * len(INDENT))
    return f"\n{depth * INDENT}".join(wide).replace("\0", " ")


def _indented(lines: Sequence[str]) -> tuple[str, ...]:
    """Put a space before every line that is not empty, for comments whose lines begin with a star."""
    return tuple(f" {line}" if line else "" for line in lines)


def _c_function_view(
    module: str,
    routine: Routine,
    precision: Written,
    ports: tuple[str, ...] = (),
    *,
    with_body: bool = True,
    is_part: bool = False,
    with_batch: bool = True,
    with_lanes: bool = False,
    beside: Collection[str] = (),
    number: int = 0,
    is_called: bool = False,
) -> CFunctionView:
    singular = _largest_of_singular(routine, precision)
    in_lanes = with_lanes and runs_in_lanes(routine)
    places = side_places(routine) if in_lanes and number and not is_called else NO_PLACES
    texts = c99.emit_function(
        module, routine, precision, with_body=with_body, in_lanes=in_lanes, beside=beside, places=places
    )
    lanes = LanesView("", "", "", "", "", "", "", "")
    if in_lanes and number:
        names = {port: c99_signature.parameter_name(port) for port in routine.ports}
        macros = lane_texts(routine, names, places.given | places.found)
        lanes = LanesView(
            name=routine.name,
            sizes=macros.sizes,
            fits=macros.fits,
            waits=macros.waits,
            arguments=_joined(macros.arguments, 1),
            takes=_spaced(macros.takes, 2),
            reads=_spaced(macros.reads, 1),
            gives=_spaced(macros.gives, 2),
        )
    return CFunctionView(
        number=number,
        runs_in_lanes=in_lanes,
        is_scalar_only=with_lanes and not in_lanes,
        lanes=lanes,
        columns_name=f"{texts.symbol}_columns" if lanes.name and with_batch else "",
        name=texts.symbol,
        solver=c99_signature.solver_name(routine),
        title=free_text(routine.title),
        stage=words.STAGE_TITLES[routine.stage],
        ports=ports,
        status_names=", ".join(status.name for status in statuses(routine)),
        operations=words.operations_line(routine),
        branches=routine.branches,
        has_branch=routine.has_branch,
        lost_by_stage=routine.lost_by_stage,
        body="\n".join(texts.body),
        batch_name=f"{texts.symbol}_batch" if with_batch else "",
        linkage=_linkage(routine, is_part=is_part, in_lanes=in_lanes),
        outcome=texts.outcome,
        parameters=_joined(texts.parameters, 1),
        inner_parameters=_joined(texts.inner_parameters, 1),
        batch_parameters=_joined(("int32_t rows", *texts.batch_parameters, "int32_t *status"), 1),
        arguments=_joined(texts.arguments, 2),
        batch_arguments=_joined(texts.batch_arguments, 2),
        scratch=texts.scratch,
        scratch_arguments=_joined(texts.scratch_arguments, 4),
        finite_inputs=_joined(texts.finite_inputs, 2),
        input_count=len(texts.finite_inputs),
        largest=_LARGEST if singular == _LARGEST else f"status == SYMGEN_SINGULAR ? {singular} : {_LARGEST}",
        largest_of_singular=singular,
    )


def _largest_of_singular(routine: Routine, precision: Written) -> str:
    """Return how large inputs may be so that SINGULAR says something: of positions, which are written, of rates."""
    if words.writes_singular(routine):
        return REAL_WORDS[precision].limit("MAX")
    return "SYMGEN_LARGEST_OF_RATES" if Status.SINGULAR in statuses(routine) else _LARGEST


def _linkage(routine: Routine, *, is_part: bool, in_lanes: bool) -> str:
    if is_part:
        return "INLINED"
    if not in_lanes:
        return "static"
    return "SYMGEN_OF_SIDES SOLVER" if has_sides(routine) else "SOLVER"


@dataclass(frozen=True)
class FunctionText:
    """A function inside a file: its name, what it does, and its texts."""

    solver: str
    title: str
    parameters: str
    body: str


def function_texts(module: str, routine: Routine, precision: Written, *, in_place: bool = False) -> FunctionText:
    """Return a routine as a function inside a C file; with `in_place` results are calculated where they are written."""
    texts = c99.emit_function(module, routine, precision, in_place=in_place)
    return FunctionText(
        c99_signature.solver_name(routine),
        free_text(routine.title),
        _joined(texts.inner_parameters, 1),
        "\n".join(texts.body),
    )


def c_module_view(
    module: str,
    title: str,
    summary: tuple[str, ...],
    source: str,
    branch_bits: tuple[str, ...],
    preamble: tuple[str, ...],
    routines: Sequence[Routine],
    precision: Written,
    *,
    with_bodies: bool = True,
    with_batches: bool = True,
    with_lanes: bool = False,
) -> CModuleView:
    """Return the view of a module's C files in one precision, or for both; a header needs no bodies.

    With `with_lanes` batches can be compiled for rows side by side.
    """
    inner, real = inner_routines(routines), REAL_WORDS[precision]
    used = _LIMITS | {name for routine in (*inner, *routines) for name in used_tolerances(routine)}
    stem = check_identifier(module) if real.precision == "double" else f"{check_identifier(module)}_f32"
    first = c99.emit_function(module, routines[0], precision, with_body=False)
    parts = parts_of_others((*inner, *routines)) if serves_both(precision) else frozenset()
    lanes = with_lanes and with_batches
    beside = run_side_by_side((*inner, *routines)) if lanes else frozenset()
    called = {statement.routine.name for each in routines for statement in each.body if isinstance(statement, Call)}
    inner_functions = tuple(
        _c_function_view(
            module,
            routine,
            precision,
            with_body=with_bodies,
            is_part=routine.name in parts,
            with_lanes=lanes,
            beside=beside,
        )
        for routine in inner
    )
    functions = tuple(
        _c_function_view(
            module,
            routine,
            precision,
            ports,
            with_body=with_bodies,
            is_part=routine.name in parts,
            with_batch=with_batches,
            with_lanes=lanes,
            beside=beside,
            number=number,
            is_called=routine.name in called,
        )
        for number, (routine, ports) in enumerate(
            zip(routines, words.argument_lines(routines, c99_signature.parameter_name), strict=True), 1
        )
    )
    zeros = zero_finders((*inner, *routines), precision)
    return CModuleView(
        module=module,
        title=words.title_line(title),
        summary=_indented([words.overview_line(line) for line in summary]),
        source=free_text(source),
        branch_bits=tuple(free_text(text) for text in branch_bits),
        conventions=words.convention_lines(routines),
        preamble=tuple(free_text(line) for line in preamble),
        tolerances=tuple(
            (c99_signature.c_tolerance(n), real.choice(t)) for n, t in TOLERANCE_TEXT.items() if n in used
        ),
        written_for=f"double, or float where {stem}_f32.c includes it" if serves_both(precision) else real.real,
        includes=(*_includes(stem, precision), *_own_math(precision), *_of_machines(zeros)),
        is_either=serves_both(precision),
        has_lanes=lanes,
        lane_includes=_of_lanes(precision) if lanes else (),
        widths_of_rows=widths_of_rows(routines) if lanes else (),
        last_in_lanes=max(numbers_in_lanes(routines).values(), default=0),
        has_vectors=any(routine.vectors for routine in (*inner, *routines)),
        unit_checks=c_unit_checks([function.body for function in (*inner_functions, *functions)]),
        calling=words.calling_lines(
            routines, real.precision, with_batches=with_batches, with_lanes=lanes and any(map(runs_in_lanes, routines))
        ),
        accuracy=words.accuracy_lines(module, routines, real.precision),
        returned=words.status_table(routines, "SYMGEN_"),
        example=words.example_lines(routines[0], first.symbol, first.parameters, first.arguments),
        header=f"{stem}.h",
        include_guard=f"SYMGEN_{stem.upper()}_H",
        real=real.real,
        limit=real.limit("MAX"),
        absolute=real.function("fabs"),
        one=real.literal("1.0"),
        mantissa=real.limit("MANT_DIG"),
        digits=24 if real.precision == "float" else 53,
        zero_finders=zeros,
        linear_solvers=linear_solvers((*inner, *routines), precision),
        samplers=samplers(routines, precision),
        searches=c_searches((*inner, *routines), precision),
        inner_functions=inner_functions,
        functions=functions,
    )


def _includes(stem: str, precision: Written) -> tuple[str, ...]:
    if serves_both(precision):
        return either_includes(f"{stem}.h", f"{stem}_f32.h")
    return (f'#include "{stem}.h"',)


def _own_math(written: Written) -> tuple[str, ...]:
    """Return the lines that include our own elementary functions; a text of float by itself says which are meant."""
    if not calls_own(written):
        return ()
    of_float = not serves_both(written) and REAL_WORDS[written].precision == "float"
    return (*(["#define SYMGEN_SINGLE"] if of_float else []), '#include "symgen_math.h"')


def _of_machines(zeros: Sequence[ZeroFinderView]) -> tuple[str, ...]:
    """Return the line that includes what zeros side by side need; nothing where no zeros are taken."""
    return ('#include "symgen_machines.h"',) if zeros else ()


def _of_lanes(written: Written) -> tuple[str, ...]:
    """Return the lines that include batches in lanes; a text of float by itself says which reals are meant."""
    own = '#include "symgen_lanes.h"'
    if calls_own(written) or serves_both(written) or REAL_WORDS[written].precision == "double":
        return (own,)
    return "#define SYMGEN_SINGLE", own


def either_includes(double: str, single: str) -> tuple[str, ...]:
    """Return the lines that include one of two headers, by the precision that a text is compiled in."""
    return ("#ifdef SYMGEN_SINGLE", f'#include "{single}"', "#else", f'#include "{double}"', "#endif")


def single_view(view: CModuleView, told_in: str, body: str, more: Sequence[tuple[str, str]] = ()) -> SingleView:
    """Return the view of the files for float of a module.

    Parameters
    ----------
    view : the module's, in float.
    told_in : the header for double, which documents the functions; empty if that of float does.
    body : the text that serves both precisions, or the line that includes it.
    more : names besides those of the functions, each with what it is called in float.
    """
    external = [name for f in view.functions for name in (f.name, f.batch_name, f.columns_name) if name]
    twins = tuple((f"symgen{name.removeprefix('symgenf')}", name) for name in external)
    return SingleView(
        title=view.title,
        preamble=view.preamble,
        header=view.header,
        told_in=told_in,
        include_guard=view.include_guard,
        calling=view.accuracy if told_in else (*view.calling, *view.accuracy),
        twins=twins,
        names=tuple(more) if told_in else (*twins, *more),
        body=body,
    )


def numpy_module_view(
    module: str,
    title: str,
    summary: tuple[str, ...],
    source: str,
    branch_bits: tuple[str, ...],
    preamble: tuple[str, ...],
    routines: Sequence[Routine],
) -> NumPyModuleView:
    """Return the view of a module's NumPy file."""
    inner = inner_routines(routines)
    used = _LIMITS | {name for routine in (*inner, *routines) for name in used_tolerances(routine)}
    documented = words.argument_lines(routines, lambda port: port.name)
    functions = tuple(_numpy_function_view(each, ports) for each, ports in zip(routines, documented, strict=True))
    inner_functions = tuple(_numpy_function_view(routine) for routine in inner)
    bodies = [function.body for function in (*inner_functions, *functions)]
    checks = numpy_unit_checks(bodies)
    return NumPyModuleView(
        module=check_identifier(module),
        title=words.title_line(title),
        summary=tuple(words.overview_line(line) for line in summary),
        source=free_text(source),
        branch_bits=tuple(free_text(text) for text in branch_bits),
        conventions=words.convention_lines(routines),
        preamble=tuple(free_text(line) for line in preamble),
        tolerances=(
            *((numpy.numpy_tolerance(n), repr(v)) for n, v in TOLERANCE_VALUE.items() if n in used),
            *((name, repr(value)) for name, value in NUMPY if degrees_of(routines)),
            *((name, repr(value)) for name, value in NUMPY_SAMPLER if samplers(routines, "double")),
            *((name, repr(value)) for name, value in NUMPY_SEARCH if numpy_searches(routines)),
        ),
        statuses=status_views(""),
        has_vectors=any(routine.vectors for routine in (*inner, *routines)),
        unit_checks=checks,
        vector_functions=numpy_vector_functions([*bodies, *(f"{check.numpy_dot}(" for check in checks)]),
        loses_branches=any(routine.lost_by_stage for routine in routines),
        stacks=any("_stack(" in function.body for function in functions),
        has_sides=any(map(has_sides, (*inner, *routines))),
        parts_whole=any("_parts(" in text for f in (*inner_functions, *functions) for text in (f.results, f.unpack)),
        finds_zeros=bool(degrees_of(routines)),
        bounds_zeros=bounds_zeros(routines),
        solves_systems=solves_systems(routines),
        samples=bool(samplers(routines, "double")),
        takes_zeros=takes_zeros(routines),
        searches=numpy_searches(routines),
        inner_functions=inner_functions,
        sweeps=SWEEPS,
        functions=functions,
    )


def _tuple(texts: Sequence[str]) -> list[str]:
    """Write a tuple, and the comma after it, over as many lines as it needs."""
    if not texts:
        return ["(),"]
    return enclosed("", texts, ",", _WIDTH) if len(texts) > 1 else [f"({texts[0]},),"]


def _members(texts: Sequence[str]) -> list[str]:
    """Return the texts with which a tuple is written: one alone has a comma."""
    return list(texts) if len(texts) > 1 else [f"{text}," for text in texts]


def _answer(routine: Routine, solver: str, texts: numpy.NumPyFunction) -> list[str]:
    """Return the statement with which a NumPy function answers."""
    options = [f"branches={routine.branches}"] if routine.has_branch else []
    options += ["lost=True"] if routine.lost_by_stage else []
    options += ["singular=True"] if words.writes_singular(routine) else []
    given, sizes = ("".join(_tuple(each)).removesuffix(",") for each in (texts.parameters, texts.sizes))
    lines = [f"return _solved({', '.join([solver, given, sizes, *options])})"]
    if len(lines[0]) <= _WIDTH:
        return lines
    several = [*_tuple(texts.parameters), *_tuple(texts.sizes), *(f"{option}," for option in options)]
    return ["return _solved(", *(INDENT + line for line in (f"{solver},", *several)), ")"]


def _numpy_function_view(routine: Routine, ports: tuple[str, ...] = ()) -> NumPyFunctionView:
    texts = numpy.emit_function(routine)
    solver = numpy.solver_name(routine)
    return NumPyFunctionView(
        name=texts.name,
        solver=solver,
        title=free_text(routine.title),
        stage=words.STAGE_TITLES[routine.stage],
        ports=ports,
        statuses=words.status_lines(routine),
        status_names=", ".join(status.name for status in statuses(routine)),
        operations=words.operations_line(routine),
        branches=routine.branches,
        has_branch=routine.has_branch,
        lost_by_stage=routine.lost_by_stage,
        body="\n".join(texts.body),
        definition="\n".join(enclosed(f"def {texts.name}", texts.parameters, ":", _WIDTH)),
        solver_definition="\n".join(enclosed(f"def {solver}", (*texts.inner_parameters, "batch"), ":", _WIDTH)),
        prepared=f"\n{2 * INDENT}".join([*_tuple(texts.parameters), *_tuple(texts.sizes)]),
        answer=f"\n{INDENT}".join(_answer(routine, solver, texts)),
        unpack="\n".join(texts.unpack),
        results=f"\n{2 * INDENT}".join(folded([*texts.results, ""], _WIDTH - 8)).rstrip(),
        returned=f"\n{INDENT}".join(enclosed("return ", _members(texts.results), f", {texts.outcome}", _WIDTH)),
        keeps_status=texts.outcome != "status",
        result_names=", ".join([o.port.name for o in routine.outputs] + ["status"]),
        branch_index=next((k for k, p in enumerate(routine.inputs) if p.kind == "int"), -1),
        writes_singular=words.writes_singular(routine),
    )
