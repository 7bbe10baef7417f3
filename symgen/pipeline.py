"""From a group type to its files: the stage list, to be read from top to bottom."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from symgen import __version__
from symgen.derive.catalogue import derive_module, module_ids
from symgen.derive.constraints.module import ENGINES, ConstraintModule, Kind, derive_constraints
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.module import ID as DYNAMICS
from symgen.derive.dynamics.module import DynamicsModule, derive_dynamics
from symgen.derive.loops.module import LoopModule, derive_loops
from symgen.derive.module import Arrangement, ModuleDerivation
from symgen.derive.transfer.module import ID as TRANSFER
from symgen.derive.transfer.module import derive_transfer
from symgen.derive.transfer.special import special_engines
from symgen.ir.nodes import PairRows, Routine, Stage
from symgen.lower import lower
from symgen.manifest import (
    chain_manifest,
    dynamics_manifest,
    engine_manifest,
    loop_manifest,
    module_manifest,
    transfer_manifest,
    whole_manifest,
)
from symgen.passes import WHOLE_PASSES, run_passes
from symgen.printers.c99 import Precision
from symgen.proofs import Proof, prove, prove_closure
from symgen.render.dynamics import DYNAMICS_TEMPLATES, DynamicsView, dynamics_view
from symgen.render.environment import render
from symgen.render.newton import EngineModuleView, KindView, arguments_of, engine_module_view, engine_view
from symgen.render.riccati import RICCATI_TEMPLATES, RiccatiView, riccati_view
from symgen.render.transfer import CONVENTIONS, TRANSFER_TEMPLATES, TransferView, transfer_view
from symgen.render.transfer_special import (
    SHARED_FILES,
    SPECIAL_FILES,
    SpecialEngineView,
    special_engine_view,
)
from symgen.render.views import (
    CModuleView,
    NumPyModuleView,
    StatusHeaderView,
    c_module_view,
    numpy_module_view,
    status_views,
)
from symgen.render.whole_views import chain_c_view, chain_numpy_view, whole_c_view, whole_numpy_view
from symgen.topology.topological_graph import TopologicalGraph
from symgen.whole.chain import SOURCE as CHAIN_SOURCE
from symgen.whole.chain import ChainModule
from symgen.whole.module import WholeModule

STAGES: tuple[Stage, ...] = ("position", "velocity", "acceleration", "all", "condition")


def known_modules() -> tuple[str, ...]:
    """Return the ids of all modules that can be generated, in library order."""
    return module_ids()


@dataclass(frozen=True)
class LoweredModule:
    """A module after lowering: its arrangements and all routines, kernel first."""

    module: ModuleDerivation
    arrangements: tuple[Arrangement, ...]
    routines: tuple[Routine, ...]


def lower_module(module: ModuleDerivation) -> LoweredModule:
    """Lower the kernel, derive the arrangements on it, lower them."""
    kernel = _lower_all(module.kernel)
    arrangements = module.arrange(kernel[0])
    groups = [routine for a in arrangements for routine in _lower_all(a.derivation)]
    return LoweredModule(module, arrangements, (*kernel, *groups))


def routines_of(module: ModuleDerivation) -> tuple[Routine, ...]:
    """Return all routines of a derived module, kernel first."""
    return lower_module(module).routines


def prove_module(lowered: LoweredModule) -> tuple[Proof, ...]:
    """Prove the claims of the kernel and of the arrangements, and that every arrangement closes.

    Raises
    ------
    DerivationError
        If a claim does not hold or a joint stays open.
    """
    solving_all = {r.arrangement: r for r in lowered.routines if r.level == "group" and r.stage == "all"}
    proofs = list(prove(lowered.module.kernel))
    for arrangement in lowered.arrangements:
        proofs += prove(arrangement.derivation)
        proofs.append(prove_closure(arrangement, solving_all[arrangement.id]))
    return tuple(proofs)


def _lower_all(derivation: Derivation) -> tuple[Routine, ...]:
    return tuple(run_passes(lower(derivation, stage)) for stage in _stages(derivation))


def _stages(derivation: Derivation) -> tuple[Stage, ...]:
    has_condition = "condition" in derivation.output_part.values()
    return tuple(s for s in STAGES if s != "condition" or has_condition)


def generate(
    modules: Sequence[str],
    out: Path,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
) -> list[Path]:
    """Write the files of modules below `out`, one folder a module.

    Parameters
    ----------
    modules : ids, see `known_modules`.
    out : existing folder; the caller makes the result appear at once (see `symgen.cli.publishing`).

    Returns
    -------
    list of Path
        The files written, in order.
    """
    written: list[Path] = []
    for module_id in modules:
        texts = generate_texts(module_id, precisions=precisions, backends=backends)
        folder = out / module_id
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            path = folder / name
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    return written


def generate_texts(
    module_id: str,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
) -> dict[str, str]:
    """Return the texts of a module's files by name."""
    module = derive_module(module_id)
    lowered = lower_module(module)
    routines = lowered.routines
    bits = tuple(f"bit {b.bit} clear: {b.meaning}" for b in module.kernel.bits)
    texts, files, cdef = _code_texts(module, module.id, bits, routines, precisions, backends)
    manifest = module_manifest(module, lowered.arrangements, routines, prove_module(lowered), __version__, files, cdef)
    texts[f"{module.id}.json"] = _manifest_text(manifest, texts)
    return texts


def _code_texts(
    module: ModuleDerivation | LoopModule | ConstraintModule,
    request: str,
    bits: tuple[str, ...],
    routines: Sequence[Routine],
    precisions: Sequence[Precision],
    backends: Sequence[str],
) -> tuple[dict[str, str], dict[str, list[str]], dict[str, str]]:
    """Return the texts of a module's code by name, its files by precision or language, its declarations.

    `request` is what `symgen generate` was asked for.
    """
    about = (module.id, module.title, module.summary, module.source, bits)
    texts: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    cdef: dict[str, str] = {}
    if "c" in backends:
        texts["symgen_status.h"] = _render(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
        for precision in precisions:
            view = c_module_view(*about, (), routines, precision)
            stem = view.header.removesuffix(".h")
            texts[f"{stem}.c"] = _render("c99/module.c.j2", view, request)
            texts[view.header] = _render("c99/module.h.j2", view, request)
            files[precision] = [f"{stem}.c", view.header]
            cdef[precision] = render("c99/_declarations.h.j2", view)
    if "numpy" in backends:
        numpy_view = numpy_module_view(*about, (), routines)
        texts[f"{module.id}.py"] = _render("numpy/module.py.j2", numpy_view, request)
        files["numpy"] = [f"{module.id}.py"]
    return texts, files, cdef


def lower_loops(module: LoopModule) -> tuple[Routine, ...]:
    """Return the routines of a mechanism's loops, in the order of the module."""
    return tuple(
        run_passes(replace(lower(derivation, "position"), name=name, stage=stage))
        for name, stage, derivation in module.parts
    )


def generate_loop_texts(
    graph: TopologicalGraph,
    module_id: str,
    *,
    order: int = 2,
    reference: Mapping[str, Sequence[float]] | None = None,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
) -> dict[str, str]:
    """Return the texts of the loop constraints of a mechanism by name.

    Parameters
    ----------
    order : highest derivative of the closure.
    reference : values of the geometry ports (`symgen.topology.reference_configuration`), kept in the manifest.
    """
    module = derive_loops(graph, module_id, order=order)
    routines = lower_loops(module)
    texts, files, cdef = _code_texts(module, "--mechanism MECH --loops", (), routines, precisions, backends)
    manifest = loop_manifest(module, routines, reference, __version__, files, cdef)
    texts[f"{module.id}.json"] = _manifest_text(manifest, texts)
    return texts


def known_engines() -> tuple[str, ...]:
    """Return the ids of the engines: solvers for groups of any shape, one a space, the dynamics, transfer matrices."""
    return (*ENGINES, DYNAMICS, TRANSFER)


def generate_engine_texts(
    engine_id: str,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
) -> dict[str, str]:
    """Return the texts of an engine by name: the certified Newton solver of one space, the dynamics, the transfer.

    Of the solver, the routines of all pairs are emitted as those of any module; in C its loops stand behind them.
    """
    if engine_id == DYNAMICS:
        return _dynamics_texts(backends)
    if engine_id == TRANSFER:
        return _transfer_texts(backends)
    module = derive_constraints(engine_id)
    routines = {kind.name: _lower_kind(kind) for kind in module.kinds}
    every = [routine for both in routines.values() for routine in both]
    texts, files, cdef = _code_texts(module, "--engines", (), every, precisions, backends)
    for precision in precisions if "c" in backends else ():
        about = (module.id, module.title, module.summary, module.source, ())
        kinds = [_kind_view(kind, *routines[kind.name]) for kind in module.kinds]
        engine = engine_view(module.id, module.space, kinds, precision)
        view = engine_module_view(c_module_view(*about, (), every, precision), engine)
        unit = view.header.removesuffix(".h") + ".c"
        texts[unit] = _render("c99/newton/module.c.j2", view, "--engines")
        texts[engine.header] = _render("c99/newton/engine.h.j2", view, "--engines")
        files[precision].append(engine.header)
        cdef[precision] = render("c99/newton/_declarations.h.j2", view)
    manifest = engine_manifest(module, routines, __version__, files, cdef)
    texts[f"{module.id}.json"] = _manifest_text(manifest, texts)
    return texts


@cache
def _lower_dynamics() -> tuple[DynamicsModule, list[Routine], list[tuple[int, str, int, Routine, Routine]]]:
    """Return the dynamics with its kernels and constraints (code, name, rows, constraint, bias) as routines."""
    module = derive_dynamics()
    kernels = [
        run_passes(replace(lower(kernel.derivation, "position"), name=kernel.name, stage="part", finite=()))
        for kernel in module.kernels
    ]
    constraints = []
    for kind in module.kinds:
        constraint, bias = (replace(routine, finite=()) for routine in _lower_kind(kind))
        constraints.append((kind.code, kind.name, kind.rows, constraint, bias))
    return module, kernels, constraints


def _dynamics_texts(backends: Sequence[str]) -> dict[str, str]:
    """Return the dynamics engine: C in double precision, to be compiled with the tables of a mechanism, and NumPy."""
    module, kernels, constraints = _lower_dynamics()
    view = dynamics_view(module.title, module.source, module.summary, kernels, constraints, module.freedoms)
    texts: dict[str, str] = {}
    if "c" in backends:
        for name in DYNAMICS_TEMPLATES:
            texts[name.removesuffix(".j2")] = _render(f"c99/dynamics/{name}", view, "--engines")
        texts["symgen_status.h"] = _render(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
    files = {"double": [name for name in sorted(texts) if name != "symgen_status.h"]} if texts else {}
    if "numpy" in backends:
        about = (module.id, module.title, module.summary, module.source, ())
        every = [*kernels, *(routine for kind in constraints for routine in kind[3:])]
        texts[f"{module.id}.py"] = _render("numpy/module.py.j2", numpy_module_view(*about, (), every), "--engines")
        files["numpy"] = [f"{module.id}.py"]
    cdef = render("c99/dynamics/declarations.h.j2", view)
    minimal = render("c99/dynamics/declarations_minimal.h.j2", view)
    manifest = dynamics_manifest(module, kernels, __version__, files, cdef, minimal)
    texts[f"{module.id}.json"] = _manifest_text(manifest, texts)
    return texts


def _special_texts(kernels: Sequence[Routine]) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """Return the C of the special engines of transfer matrices, and what the manifest says of each."""
    by_name = {routine.name: routine for routine in kernels}
    texts: dict[str, str] = {}
    engines: dict[str, dict[str, Any]] = {}
    for engine in special_engines():
        view = special_engine_view(
            engine.title, engine.source, engine.summary, [by_name[name] for name in engine.kernels]
        )
        shared = render("c99/transfer/special/shared_declarations.h.j2", view)
        own = render(f"c99/transfer/special/{engine.kind}_declarations.h.j2", view)
        files = {**SPECIAL_FILES[engine.kind], **SHARED_FILES}
        whole = replace(view, shared=shared, declarations=own)
        bare = replace(view, shared=shared, title="what special engines share", summary=(), functions=())
        for name, template in files.items():
            seen = bare if name in SHARED_FILES else whole
            texts[name] = _render(f"c99/transfer/special/{template}", seen, "--engines")
        engines[engine.kind] = {"title": engine.title, "files": sorted(files), "cdef": f"{shared}\n{own}"}
    return texts, engines


def _transfer_texts(backends: Sequence[str]) -> dict[str, str]:
    """Return the elements of transfer matrices: C in double precision and NumPy; and engines in C that integrate."""
    module = derive_transfer()
    kernels = [
        run_passes(replace(lower(kernel.derivation, "position"), name=kernel.name, stage="element", finite=()))
        for kernel in module.kernels
    ]
    proofs = {kernel.name: prove(kernel.derivation) for kernel in module.kernels}
    texts: dict[str, str] = {}
    special_manifest: dict[str, dict[str, Any]] = {}
    if "c" in backends:
        view = transfer_view(module.title, module.source, module.summary, kernels)
        for name in TRANSFER_TEMPLATES:
            texts[name.removesuffix(".j2")] = _render(f"c99/transfer/{name}", view, "--engines")
        for name in RICCATI_TEMPLATES:
            texts[name.removesuffix(".j2")] = _render(
                f"c99/transfer/riccati/{name}", _riccati_view(kernels), "--engines"
            )
        special, special_manifest = _special_texts(kernels)
        texts |= special
        texts["symgen_status.h"] = _render(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
    files = {"double": [name for name in sorted(texts) if name != "symgen_status.h"]} if texts else {}
    if "numpy" in backends:
        python = numpy_module_view(module.id, module.title, module.summary, module.source, (), (), kernels)
        python = replace(python, conventions=CONVENTIONS)
        texts[f"{module.id}.py"] = _render("numpy/module.py.j2", python, "--engines")
        files["numpy"] = [f"{module.id}.py"]
    manifest = transfer_manifest(module, kernels, proofs, __version__, files)
    manifest["special"] = special_manifest
    manifest["cdef_riccati"] = render("c99/transfer/riccati/declarations_riccati.h.j2", _riccati_view(kernels))
    texts[f"{module.id}.json"] = _manifest_text(manifest, texts)
    return texts


def _riccati_view(elements: Sequence[Routine]) -> RiccatiView:
    """Return the view of the engine that integrates any mechanism: kernels and rows are those of the dynamics."""
    module, kernels, constraints = _lower_dynamics()
    view = dynamics_view(module.title, module.source, module.summary, kernels, constraints, module.freedoms)
    return riccati_view(view, derive_transfer().source, elements)


def _lower_kind(kind: Kind) -> tuple[Routine, Routine]:
    constraint, bias = (lower(derivation, "position") for derivation in (kind.constraint, kind.bias))
    return (
        run_passes(replace(constraint, name=f"{kind.name.lower()}_constraint", stage="constraint")),
        run_passes(replace(bias, name=f"{kind.name.lower()}_bias", stage="constraint_bias")),
    )


def _kind_view(kind: Kind, constraint: Routine, bias: Routine) -> KindView:
    return KindView(
        kind.code,
        kind.name,
        kind.rows,
        f"solve_{constraint.name}",
        arguments_of(constraint),
        f"solve_{bias.name}",
        arguments_of(bias),
        kind.points,
        kind.slides,
        kind.turns,
        "bend_of_helix(pitch, slope, place)" if kind.helices else "0",
    )


def lower_whole(module: WholeModule) -> tuple[Routine, ...]:
    """Return the routines of a whole mechanism, put together from those of its groups."""

    def routine_of(module_id: str, arrangement: str, stage: Stage) -> Routine:
        found = _library_routines(module_id)
        return next(r for r in found if r.level == "group" and r.arrangement == arrangement and r.stage == stage)

    return tuple(run_passes(routine, WHOLE_PASSES) for routine in module.routines(routine_of, _pair_rows))


@cache
def _pair_rows(space: str) -> dict[str, PairRows]:
    """Return the kinds of pairs of a space with their constraints as inner routines."""
    (engine,) = [name for name, each in ENGINES.items() if each == space]
    found = {}
    for kind in derive_constraints(engine).kinds:
        constraint, bias = (replace(routine, stage="inner") for routine in _lower_kind(kind))
        found[kind.name] = PairRows(
            kind.name, kind.rows, constraint, bias, kind.points, kind.slides, kind.turns, kind.helices
        )
    return found


@cache
def _library_routines(module_id: str) -> tuple[Routine, ...]:
    """Return the routines of a module; a mechanism may hold its groups many times, a program many mechanisms."""
    return lower_module(derive_module(module_id)).routines


def generate_whole_texts(
    module: WholeModule,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
) -> dict[str, str]:
    """Return the texts of a whole mechanism's module by name; see `symgen.whole.module.whole_module`."""
    routines = lower_whole(module)
    about = (module.id, module.title, module.summary, module.source, module.bits)
    branches, request = module.layout.branches, "--mechanism MECH --whole"
    texts: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    cdef: dict[str, str] = {}
    if "c" in backends:
        texts["symgen_status.h"] = _render(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
        for precision in precisions:
            view = whole_c_view(about, routines, precision, branches, planar=module.layout.planar)
            stem = view.header.removesuffix(".h")
            texts[f"{stem}.c"] = _render("c99/whole.c.j2", view, request)
            texts[view.header] = _render("c99/module.h.j2", view, request)
            files[precision] = [f"{stem}.c", view.header]
            cdef[precision] = render("c99/_declarations.h.j2", view)
    if "numpy" in backends:
        numpy_view = whole_numpy_view(about, routines, branches, planar=module.layout.planar)
        texts[f"{module.id}.py"] = _render("numpy/whole.py.j2", numpy_view, request)
        files["numpy"] = [f"{module.id}.py"]
    manifest = whole_manifest(module, routines, __version__, files, cdef)
    texts[f"{module.id}.json"] = _manifest_text(manifest, texts)
    return texts


def generate_chain_texts(
    module: ChainModule,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
) -> dict[str, str]:
    """Return the texts of a chain that certified Newton solves by name; see `symgen.whole.chain.chain_module`."""
    pairs = _pair_rows("planar" if module.planar else "spatial")
    routines = [run_passes(routine, WHOLE_PASSES) for routine in module.routines(pairs)]
    about = (module.id, module.title, module.summary, CHAIN_SOURCE, ())
    request = f"'{module.signature}' --newton"
    texts: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    cdef: dict[str, str] = {}
    if "c" in backends:
        texts["symgen_status.h"] = _render(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
        for precision in precisions:
            view = chain_c_view(about, routines, precision, planar=module.planar)
            stem = view.header.removesuffix(".h")
            texts[f"{stem}.c"] = _render("c99/newton/chain.c.j2", view, request)
            texts[view.header] = _render("c99/module.h.j2", view, request)
            files[precision] = [f"{stem}.c", view.header]
            cdef[precision] = render("c99/_declarations.h.j2", view)
    if "numpy" in backends:
        numpy_view = chain_numpy_view(about, routines, planar=module.planar)
        texts[f"{module.id}.py"] = _render("numpy/chain.py.j2", numpy_view, request)
        files["numpy"] = [f"{module.id}.py"]
    manifest = chain_manifest(module, routines, __version__, files, cdef)
    texts[f"{module.id}.json"] = _manifest_text(manifest, texts)
    return texts


def _manifest_text(manifest: dict[str, Any], texts: Mapping[str, str]) -> str:
    """Return the manifest with the digests of the files beside it, by which an edited one is told from our own."""
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(texts.items())}
    return json.dumps({**manifest, "sha256": digests}, indent=1) + "\n"


def _render(
    template: str,
    view: CModuleView
    | EngineModuleView
    | NumPyModuleView
    | StatusHeaderView
    | DynamicsView
    | TransferView
    | SpecialEngineView,
    what: str,
) -> str:
    """Render a view under a preamble that carries its digest."""
    digest = hashlib.sha256(repr(view).encode()).hexdigest()[:16]
    preamble = (
        f"Generated by symgen {__version__} from templates/{template}, digest {digest}.",
        f"Do not edit; run: symgen generate {what}" if what != "symgen_status.h" else "Do not edit.",
        "This file belongs to whoever generated it; its template is free of conditions (MIT-0).",
    )
    return render(template, replace(view, preamble=preamble))
