"""From a mechanism to the files that solve the whole of it, or a chain of its groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache

from symgen import __version__
from symgen.derive.catalogue import derive_module
from symgen.derive.constraints.module import ENGINES, derive_constraints
from symgen.emit.lanes import numbers_in_lanes
from symgen.ir.nodes import Call, LoopAssemblies, PairRows, Routine, Samples, Stage
from symgen.manifest import (
    chain_manifest,
    whole_manifest,
)
from symgen.passes import WHOLE_PASSES, run_passes
from symgen.passes.guard_divisors import guard_divisors
from symgen.passes.tangent import tangent
from symgen.passes.write_in_vectors import write_in_vectors
from symgen.pipeline.engines import lower_kind
from symgen.pipeline.modules import angles_checked, lower_module
from symgen.pipeline.texts import add_manifest, lane_headers, math_header, render_view
from symgen.printers.c99 import Math, Precision, written_with
from symgen.printers.newton import ROUNDS
from symgen.printers.operations import count_operations
from symgen.render.environment import render
from symgen.render.views import (
    StatusHeaderView,
    status_views,
)
from symgen.render.whole_views import WholeNumbers, chain_c_view, chain_numpy_view, whole_c_view, whole_numpy_view
from symgen.whole.chain import ChainModule
from symgen.whole.module import WholeModule, unchecked_lines


def lower_whole(module: WholeModule, stages: Collection[Stage] | None = None) -> tuple[Routine, ...]:
    """Return the routines of a whole mechanism, put together from those of its groups; of some stages or of all.

    A point lies in its body's frame. Where points are asked for and frames are inputs, the way by the frame may be the
    shorter one: the routine with fewer operations is taken.
    """

    def routine_of(module_id: str, arrangement: str, stage: Stage) -> Routine:
        return _in_vectors(module_id, arrangement, stage)

    ways = [module]
    if module.layout.geometry and module.layout.points:
        ways = [replace(module, at_joints=False), module]
    found = [
        [run_passes(routine, WHOLE_PASSES) for routine in way.routines(routine_of, _pair_rows, stages)] for way in ways
    ]
    return tuple(min(same, key=_operations) for same in zip(*found, strict=True))


def _operations(routine: Routine) -> int:
    return sum(count_operations(routine).values())


def lower_tangent(routine: Routine) -> Routine:
    """Return the routine of the exact derivatives of a routine, see `symgen.passes.tangent`."""
    return run_passes(tangent(routine), WHOLE_PASSES)


@cache
def _pair_rows(space: str) -> dict[str, PairRows]:
    """Return the kinds of pairs of a space with their constraints as inner routines."""
    (engine,) = [name for name, each in ENGINES.items() if each == space]
    found = {}
    for kind in derive_constraints(engine).kinds:
        constraint, bias = (replace(routine, stage="inner") for routine in lower_kind(kind))
        found[kind.name] = PairRows(
            kind.name, kind.rows, constraint, bias, kind.points, kind.slides, kind.turns, kind.helices
        )
    return found


@cache
def _library_routines(module_id: str) -> tuple[Routine, ...]:
    """Return the routines of a module; a mechanism may hold its groups many times, a program many mechanisms."""
    return lower_module(derive_module(module_id)).routines


def group_text(module_id: str) -> str:
    """Return all that the code of a module's groups is made of: what stands for it in an address by content.

    Raises
    ------
    InputError
        Nobody here knows a derivation of this id.
    """
    return repr(_library_routines(module_id))


@cache
def _in_vectors(module_id: str, arrangement: str, stage: Stage) -> Routine:
    """Return a group's routine with vector forms, as those that it calls: they tell what is fixed in a frame."""
    found = _library_routines(module_id)
    return _with_forms(
        next(r for r in found if r.level == "group" and r.arrangement == arrangement and r.stage == stage)
    )


def _with_forms(routine: Routine) -> Routine:
    body = [replace(s, routine=_with_forms(s.routine)) if isinstance(s, Call) else s for s in routine.body]
    found = write_in_vectors(replace(routine, body=tuple(body)))
    kept = [
        old if isinstance(old, (LoopAssemblies, Samples)) else new for old, new in zip(body, found.body, strict=True)
    ]
    return replace(found, body=tuple(kept))  # inner loops are emitted as they are, in components


def generate_whole_texts(
    module: WholeModule,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
    math: Math = "own",
    stages: Collection[Stage] | None = None,
    batches: bool = True,
    rounds: int = ROUNDS,
    request: str = "--mechanism MECH --whole",
    tangents: bool = False,
) -> dict[str, str]:
    """Return the texts of a whole mechanism's module by name; see `symgen.whole.module.whole_module`.

    `math` says whose sine, cosine and atan2 the C calls, `stages` which functions there are (None: all), `batches`
    whether C has functions over rows, too. Newton's method takes at most `rounds` steps in C.
    `request` is what the files say that they are made by. With `tangents` there are functions of exact derivatives,
    too (`symgen.passes.tangent`).
    """
    routines = lower_whole(module, stages)
    if tangents:
        routines = (*routines, *map(lower_tangent, routines))
    routines = angles_checked(routines, math)
    summary = (*module.summary, *unchecked_lines(routines))
    about = (module.id, module.title, summary, module.source, module.bits)
    layout = module.layout
    offsets = tuple(offset for each in layout.followed for _, offset in each.bodies)
    marks = tuple((each.mark, each.number) for each in layout.followed if not each.iterated)
    numbers = WholeNumbers(
        layout.branches, layout.planar, layout.by_law, layout.state_size, offsets, marks, module.size, rounds
    )
    texts: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    cdef: dict[str, str] = {}
    in_lanes: dict[str, int] = {}
    if "c" in backends:
        texts["symgen_status.h"] = render_view(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
        texts |= math_header(math)
        divided = tuple(map(guard_divisors, routines))
        in_lanes = numbers_in_lanes(divided) if batches and math == "own" else {}
        for precision in precisions:
            view = whole_c_view(about, divided, precision, numbers, math, with_batches=batches)
            stem = view.header.removesuffix(".h")
            texts[f"{stem}.c"] = render_view("c99/whole.c.j2", view, request)
            texts[view.header] = render_view("c99/module.h.j2", view, request)
            files[precision] = [f"{stem}.c", view.header]
            cdef[precision] = render("c99/_declarations.h.j2", view)
            texts |= lane_headers(view)
    if "numpy" in backends:
        numpy_view = whole_numpy_view(about, routines, numbers)
        texts[f"{module.id}.py"] = render_view("numpy/whole.py.j2", numpy_view, request)
        files["numpy"] = [f"{module.id}.py"]
    manifest = whole_manifest(module, routines, __version__, files, cdef, math, in_lanes)
    add_manifest(texts, manifest)
    return texts


def generate_chain_texts(
    module: ChainModule,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
    math: Math = "own",
) -> dict[str, str]:
    """Return the texts of a chain that certified Newton solves by name; see `symgen.whole.chain.chain_module`."""
    pairs = _pair_rows("planar" if module.planar else "spatial")
    routines = angles_checked([run_passes(routine, WHOLE_PASSES) for routine in module.routines(pairs)], math)
    about = (module.id, module.title, module.summary, module.source, ())
    request = f"'{module.signature}' --newton"
    texts: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    if "c" in backends:
        texts["symgen_status.h"] = render_view(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
        texts |= math_header(math)
        for precision in precisions:
            view = chain_c_view(about, routines, written_with(precision, math), planar=module.planar)
            stem = view.header.removesuffix(".h")
            texts[f"{stem}.c"] = render_view("c99/newton/chain.c.j2", view, request)
            texts[view.header] = render_view("c99/module.h.j2", view, request)
            files[precision] = [f"{stem}.c", view.header]
    if "numpy" in backends:
        numpy_view = chain_numpy_view(about, routines, planar=module.planar)
        texts[f"{module.id}.py"] = render_view("numpy/chain.py.j2", numpy_view, request)
        files["numpy"] = [f"{module.id}.py"]
    manifest = chain_manifest(module, routines, __version__, files)
    add_manifest(texts, {**manifest, "math": math})
    return texts
