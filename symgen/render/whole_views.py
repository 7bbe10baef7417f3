"""What the templates of a whole mechanism's module see: as other modules, with a branch for each structural group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from symgen.emit.c99_signature import solver_name as c_solver
from symgen.emit.folding import INDENT
from symgen.emit.names import inner_routines
from symgen.emit.numpy import solver_name as numpy_solver
from symgen.ir.nodes import Assemblies, Kernel, PairRows, Routine
from symgen.printers.c99 import Precision
from symgen.printers.newton import FOLLOWED
from symgen.render.documentation import convention_lines
from symgen.render.newton import EngineView, KindView, arguments_of, engine_view
from symgen.render.views import (
    CFunctionView,
    CModuleView,
    NumPyFunctionView,
    NumPyModuleView,
    c_module_view,
    numpy_module_view,
)

About = tuple[str, str, tuple[str, ...], str, tuple[str, ...]]


@dataclass(frozen=True)
class WholeCFunctionView(CFunctionView):
    """One function in C: what makes its branches wrong, how many groups there are and how many branches each has."""

    branch_refusal: str
    groups: int
    branch_counts: str
    has_inputs: bool


@dataclass(frozen=True)
class WholeNumPyFunctionView(NumPyFunctionView):
    """One function in NumPy; bounds of branches that are not read are as large as can be."""

    branch_counts: str
    branch_bounds: str


@dataclass(frozen=True)
class FollowerView:
    """Numbers and functions for following ranked branches: points of a body, their axes, numbers of its motion."""

    planar: bool
    points: int
    dimensions: int
    width: int
    meeting: str
    sqrt: str
    cos: str
    sin: str


@dataclass(frozen=True)
class NumPyKindView:
    """One kind of pair in NumPy: tuples of argument names as text, whether it has a rate, and what faces."""

    name: str
    rows: int
    constraint: str
    constraint_arguments: str
    bias: str
    bias_arguments: str
    driven: int
    faces: int
    points: int
    slides: int
    turns: int
    helix: int


@dataclass(frozen=True)
class NumPyEngineView:
    """Certified Newton in NumPy."""

    planar: bool
    freedoms: int
    places: int
    dimensions: int
    singles: int
    rounds: int
    halvings: int
    close: str
    loose: str
    meeting: str
    worst: str
    far: str
    kinds: tuple[NumPyKindView, ...]


@dataclass(frozen=True)
class WholeCModuleView(CModuleView):
    """The C files of a mechanism: with certified Newton, and with branches that are followed, where they are needed.

    `searching_functions` are inner functions that search assemblies: they stand behind the searches.
    """

    searching_functions: tuple[CFunctionView, ...]
    engines: tuple[EngineView, ...]
    followers: tuple[FollowerView, ...]


@dataclass(frozen=True)
class WholeNumPyModuleView(NumPyModuleView):
    """The NumPy file of a mechanism."""

    calls_kernels: bool
    engines: tuple[NumPyEngineView, ...]
    followers: tuple[FollowerView, ...]


def _kernels(routines: Sequence[Routine]) -> list[Kernel]:
    return [s for routine in routines for s in routine.body if isinstance(s, Kernel)]


def _pairs(routines: Sequence[Routine]) -> tuple[PairRows, ...]:
    """Return the kinds of pairs of certified Newton, none if nothing is iterated."""
    return next((kernel.pairs for kernel in _kernels(routines) if kernel.pairs), ())


def _followers(routines: Sequence[Routine], planar: bool, precision: Precision) -> tuple[FollowerView, ...]:
    if not any(kernel.function is not None for kernel in _kernels(routines)):
        return ()
    end = "f" if precision == "float" else ""
    shape = (3, 2, 9) if planar else (4, 3, 19)
    return (FollowerView(planar, *shape, FOLLOWED[precision], f"sqrt{end}", f"cos{end}", f"sin{end}"),)


def _engines(module: str, pairs: Sequence[PairRows], planar: bool, precision: Precision) -> tuple[EngineView, ...]:
    if not pairs:
        return ()
    kinds = [
        KindView(
            code, pair.name, pair.rows, c_solver(pair.constraint), arguments_of(pair.constraint), c_solver(pair.bias),
            arguments_of(pair.bias), pair.points, pair.slides, pair.turns,
            "bend_of_helix(pitch, slope, place)" if pair.helices else "0",
        )
        for code, pair in enumerate(pairs)
    ]  # fmt: skip
    return (engine_view(module, "planar" if planar else "spatial", kinds, precision),)


def _numpy_engines(module: str, pairs: Sequence[PairRows], planar: bool) -> tuple[NumPyEngineView, ...]:
    return tuple(
        NumPyEngineView(
            engine.planar, engine.freedoms, engine.places, engine.dimensions, 3, engine.rounds, engine.halvings,
            engine.close, engine.loose, engine.meeting, engine.worst, engine.far,
            tuple(_numpy_kind(pair) for pair in pairs),
        )
        for engine in _engines(module, pairs, planar, "double")
    )  # fmt: skip


def _numpy_kind(pair: PairRows) -> NumPyKindView:
    outputs = [[output.port.name for output in routine.outputs] for routine in (pair.constraint, pair.bias)]
    names = [
        "(" + "".join(f'"{p.name}", ' for p in routine.inputs).rstrip() + ")"
        for routine in (pair.constraint, pair.bias)
    ]
    return NumPyKindView(
        pair.name, pair.rows, numpy_solver(pair.constraint), names[0], numpy_solver(pair.bias), names[1],
        int("rate" in outputs[1]), int("facing" in outputs[0]), pair.points, pair.slides, pair.turns, pair.helices,
    )  # fmt: skip


def _fields(view: CModuleView | NumPyModuleView, routines: Sequence[Routine], planar: bool) -> dict[str, Any]:
    """Return the fields of a view, with the conventions of the space: seven coordinates of joints are no pose."""
    own = {f.name: getattr(view, f.name) for f in fields(view)}
    return {**own, "conventions": convention_lines(routines, planar=planar)}


def whole_c_view(
    about: About, routines: Sequence[Routine], precision: Precision, branches: Sequence[int], *, planar: bool
) -> WholeCModuleView:
    """Return the view of the C files of a mechanism whose groups have these numbers of branches."""
    view = c_module_view(*about, (), routines, precision)
    refusal = f"\n{2 * INDENT}|| ".join(
        f"branch[{k}] < 0 || branch[{k}] >= {count}" for k, count in enumerate(branches) if count > 1
    )
    functions = tuple(
        WholeCFunctionView(
            **{f.name: getattr(function, f.name) for f in fields(function)},
            branch_refusal=refusal,
            groups=len(branches),
            branch_counts=", ".join(map(str, branches)),
            has_inputs=bool(function.finite_inputs),
        )
        for function in view.functions
    )
    # an inner routine that searches all assemblies of a loop stands behind what searches
    late = {c_solver(r) for r in inner_routines(routines) if any(isinstance(s, Assemblies) for s in r.body)}
    inner = tuple(function for function in view.inner_functions if function.solver not in late)
    own = _fields(view, routines, planar) | {"functions": functions, "inner_functions": inner}
    return WholeCModuleView(
        **own,
        searching_functions=tuple(function for function in view.inner_functions if function.solver in late),
        engines=_engines(view.module, _pairs(routines), planar, precision),
        followers=_followers(routines, planar, precision),
    )


def whole_numpy_view(
    about: About, routines: Sequence[Routine], branches: Sequence[int], *, planar: bool
) -> WholeNumPyModuleView:
    """Return the view of the NumPy file."""
    view = numpy_module_view(*about, (), routines)
    functions = tuple(
        WholeNumPyFunctionView(
            **{f.name: getattr(function, f.name) for f in fields(function)},
            branch_counts=", ".join(map(str, branches)),
            branch_bounds=", ".join(str(count) if count > 1 else "np.inf" for count in branches),
        )
        for function in view.functions
    )
    own = _fields(view, routines, planar) | {"functions": functions}
    return WholeNumPyModuleView(
        **own,
        calls_kernels=bool(_kernels(routines)),
        engines=_numpy_engines(view.module, _pairs(routines), planar),
        followers=_followers(routines, planar, "double"),
    )


def chain_c_view(about: About, routines: Sequence[Routine], precision: Precision, *, planar: bool) -> WholeCModuleView:
    """Return the view of the C files of a chain that certified Newton solves."""
    view = c_module_view(*about, (), routines, precision)
    own = _fields(view, routines, planar)
    engines = _engines(view.module, _pairs(routines), planar, precision)
    return WholeCModuleView(**own, searching_functions=(), engines=engines, followers=())


def chain_numpy_view(about: About, routines: Sequence[Routine], *, planar: bool) -> WholeNumPyModuleView:
    """Return the view of its NumPy file."""
    view = numpy_module_view(*about, (), routines)
    own = _fields(view, routines, planar)
    engines = _numpy_engines(view.module, _pairs(routines), planar)
    return WholeNumPyModuleView(**own, calls_kernels=True, engines=engines, followers=())
