"""What a template may see: frozen dataclasses of text, numbers and tuples, made from routines by the emitters."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit import c99, numpy
from symgen.ir.nodes import Port, Routine
from symgen.lower import statuses
from symgen.naming import free_text
from symgen.printers.c99 import REAL_TYPE, Precision
from symgen.printers.operations import count_operations
from symgen.printers.tolerances import TOLERANCE_TEXT, TOLERANCE_VALUE
from symgen.status import MEANING, Status


@dataclass(frozen=True)
class PortView:
    """One argument in a documentation comment: lines of text."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class FunctionView:
    """One function: documentation and texts."""

    symbol: str
    title: str
    stage: str
    ports: tuple[PortView, ...]
    statuses: str
    operations: str
    branches: int
    lost_by_stage: bool
    has_branch: bool
    parameters: str
    batch_parameters: str
    arguments: str
    batch_arguments: str
    scratch: tuple[str, ...]
    scratch_arguments: str
    finite_inputs: str
    body: str


@dataclass(frozen=True)
class StatusView:
    """One row of the table of statuses."""

    name: str
    value: int
    meaning: str


@dataclass(frozen=True)
class CModuleView:
    """One pair of C files."""

    module: str
    title: str
    summary: tuple[str, ...]
    source: str
    branch_bits: tuple[str, ...]
    preamble: tuple[str, ...]
    header: str
    include_guard: str
    real: str
    limit: str
    absolute: str
    mantissa: str
    digits: int
    tolerances: tuple[tuple[str, str], ...]
    functions: tuple[FunctionView, ...]


@dataclass(frozen=True)
class NumPyFunctionView:
    """One NumPy function: documentation and texts."""

    name: str
    title: str
    stage: str
    parameters: str
    shapes: str
    ports: tuple[PortView, ...]
    statuses: str
    unpack: str
    body: str
    results: tuple[str, ...]
    result_names: str
    branches: int
    lost_by_stage: bool
    has_branch: bool
    branch_index: int
    writes_singular: bool


@dataclass(frozen=True)
class NumPyModuleView:
    """One NumPy file."""

    module: str
    title: str
    summary: tuple[str, ...]
    source: str
    branch_bits: tuple[str, ...]
    preamble: tuple[str, ...]
    tolerances: tuple[tuple[str, str], ...]
    functions: tuple[NumPyFunctionView, ...]
    singular: int = int(Status.SINGULAR)
    no_assembly: int = int(Status.NO_ASSEMBLY)
    branch_lost: int = int(Status.BRANCH_LOST)
    bad_input: int = int(Status.BAD_INPUT)


STAGE_TITLES = {
    "position": "Position",
    "velocity": "Velocity, given the position",
    "acceleration": "Acceleration, given position and velocity",
    "all": "Position, velocity and acceleration in one call",
    "condition": "Condition of the system of rates, given the position",
}


@dataclass(frozen=True)
class StatusHeaderView:
    """The common header."""

    preamble: tuple[str, ...]
    statuses: tuple[StatusView, ...]


def _overview(line: str) -> str:
    """Return a line of the overview with its indentation: formulas stand apart."""
    text = free_text(line)
    return f"{' ' * (len(line) - len(line.lstrip()))}{text}" if text else ""


def status_views() -> tuple[StatusView, ...]:
    """Return the table of statuses."""
    return tuple(StatusView(s.name, int(s), MEANING[s]) for s in Status)


def _port_view(port: Port, name: str) -> PortView:
    size = "x".join(str(n) for n in port.shape) or ("integer" if port.kind == "int" else "scalar")
    range_ = port.range if port.direction == "in" else ""
    unit = f" [{free_text(port.unit)}]" if port.unit else ""
    frame = f"; frame: {free_text(port.frame)}" if port.frame else ""
    text = f"{port.direction} {name} ({size}){unit}: {free_text(port.meaning)}{frame}{f'; {range_}' if range_ else ''}."
    return PortView(tuple(textwrap.wrap(text, 106, subsequent_indent="    ")))


def _operations_text(routine: Routine) -> str:
    counts = count_operations(routine)
    return ", ".join(f"{number} {kind}" for kind, number in counts.items() if number)


def _statuses_text(routine: Routine, prefix: str) -> str:
    return ", ".join(prefix + s.name for s in statuses(routine))


def c_function_view(module: str, routine: Routine, precision: Precision) -> FunctionView:
    """Return the view of one routine in C."""
    texts = c99.emit_function(module, routine, precision)
    return FunctionView(
        symbol=texts.symbol,
        title=free_text(routine.title),
        stage=STAGE_TITLES[routine.stage],
        ports=tuple(_port_view(p, c99.parameter_name(p)) for p in routine.ports),
        statuses=_statuses_text(routine, "SYMGEN_"),
        operations=_operations_text(routine),
        branches=routine.branches,
        lost_by_stage=routine.lost_by_stage,
        has_branch=routine.has_branch,
        parameters=_folded(texts.parameters),
        batch_parameters=_folded(("int32_t rows", *texts.batch_parameters, "int32_t *status")),
        arguments=_folded(texts.arguments),
        batch_arguments=_folded(texts.batch_arguments, 8),
        scratch=texts.scratch,
        scratch_arguments=_folded(texts.scratch_arguments, 12),
        finite_inputs=texts.finite_inputs.replace(" && ", "\n        && "),
        body="\n".join(texts.body),
    )


def _folded(texts: Sequence[str], indent: int = 4) -> str:
    """Join texts by commas, broken into lines of at most about 110 letters."""
    lines, line = [], ""
    for text in texts:
        if line and len(line) + len(text) + indent > 106:
            lines.append(line)
            line = ""
        line = f"{line}, {text}" if line else text
    lines.append(line)
    return (",\n" + " " * indent).join(lines)


def c_module_view(
    module: str,
    title: str,
    summary: tuple[str, ...],
    source: str,
    branch_bits: tuple[str, ...],
    preamble: tuple[str, ...],
    routines: Sequence[Routine],
    precision: Precision,
) -> CModuleView:
    """Return the view of a module's C files in one precision."""
    used = {name for r in routines for name in c99.emit_function(module, r, precision).tolerances}
    stem = module if precision == "double" else f"{module}_f32"
    return CModuleView(
        module=module,
        title=free_text(title),
        summary=tuple(_overview(line) for line in summary),
        source=free_text(source),
        branch_bits=tuple(free_text(text) for text in branch_bits),
        preamble=preamble,
        header=f"{stem}.h",
        include_guard=f"SYMGEN_{stem.upper()}_H",
        real=REAL_TYPE[precision],
        limit="FLT_MAX" if precision == "float" else "DBL_MAX",
        absolute="fabsf" if precision == "float" else "fabs",
        mantissa="FLT_MANT_DIG" if precision == "float" else "DBL_MANT_DIG",
        digits=24 if precision == "float" else 53,
        tolerances=tuple((n, t[precision]) for n, t in TOLERANCE_TEXT.items() if n in used),
        functions=tuple(c_function_view(module, r, precision) for r in routines),
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
    return NumPyModuleView(
        module=module,
        title=free_text(title),
        summary=tuple(_overview(line) for line in summary),
        source=free_text(source),
        branch_bits=tuple(free_text(text) for text in branch_bits),
        preamble=preamble,
        tolerances=tuple((name, repr(value)) for name, value in TOLERANCE_VALUE.items()),
        functions=tuple(_numpy_function_view(r) for r in routines),
    )


def _numpy_function_view(routine: Routine) -> NumPyFunctionView:
    texts = numpy.emit_function(routine)
    return NumPyFunctionView(
        name=texts.name,
        title=free_text(routine.title),
        stage=STAGE_TITLES[routine.stage],
        parameters=_folded(texts.parameters),
        shapes=_folded(texts.shapes, 8),
        ports=tuple(_port_view(p, p.name) for p in routine.ports),
        statuses=_statuses_text(routine, ""),
        unpack="\n".join(texts.unpack),
        body="\n".join(texts.body),
        results=texts.results,
        result_names=", ".join([o.port.name for o in routine.outputs] + ["status"]),
        branches=texts.branches,
        lost_by_stage=texts.lost_by_stage,
        has_branch=routine.has_branch,
        branch_index=next((k for k, p in enumerate(routine.inputs) if p.kind == "int"), -1),
        writes_singular=routine.stage == "position",
    )
