"""From kernels and constraints to the files of the engines: certified Newton, dynamics, transfer matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from symgen import __version__
from symgen.derive.constraints.module import ENGINES, ElementKind, derive_constraints
from symgen.derive.dynamics.module import ID as DYNAMICS
from symgen.derive.dynamics.module import DynamicsModule, derive_dynamics
from symgen.derive.transfer.module import ID as TRANSFER
from symgen.derive.transfer.module import TransferModule, derive_transfer
from symgen.derive.transfer.special import special_engines
from symgen.ir.nodes import Routine
from symgen.lower import lower
from symgen.manifest import (
    dynamics_manifest,
    engine_manifest,
    transfer_manifest,
)
from symgen.passes import WHOLE_PASSES, run_passes
from symgen.passes.check_angles import check_angles
from symgen.pipeline.modules import code_texts, to_be_read
from symgen.pipeline.texts import add_manifest, c_texts, math_header, plain_c, render_view
from symgen.printers.c99 import Precision, Written, written_with
from symgen.proofs import prove
from symgen.render.dynamics import DYNAMICS_TEMPLATES, DynamicsView, dynamics_view
from symgen.render.environment import render
from symgen.render.newton import EngineModuleView, KindView, arguments_of, engine_module_view, engine_view
from symgen.render.riccati import BEAM_ELEMENTS, RICCATI_ELEMENTS, RICCATI_PARTS, RICCATI_TEMPLATE, riccati_view
from symgen.render.transfer import CONVENTIONS, TRANSFER_TEMPLATES, transfer_view
from symgen.render.transfer_special import SPECIAL_TEMPLATE, special_engine_view
from symgen.render.views import (
    StatusHeaderView,
    c_module_view,
    numpy_module_view,
    status_views,
)


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
    routines = {kind.name: _angles_checked(*lower_kind(kind)) for kind in module.kinds}
    every = [routine for both in routines.values() for routine in both]
    read = to_be_read(every)
    texts, files, cdef = code_texts(module, "--engines", (), read, (), backends)
    if "c" in backends:
        about = (module.id, module.title, module.summary, module.source, ())
        kinds = [_kind_view(kind, *routines[kind.name]) for kind in module.kinds]

        def view_of(either: Written, with_bodies: bool) -> EngineModuleView:
            written = written_with(either, "own")
            engine = engine_view(module.id, module.space, kinds, written)
            return engine_module_view(c_module_view(*about, (), read, written, with_bodies=with_bodies), engine)

        single = view_of("float", False).engine
        more = [(f"symgen{name.removeprefix('symgenf')}", name) for name in (single.track, single.search)]
        c, files_of_c = c_texts(view_of, "c99/newton/module.c.j2", "--engines", precisions, more)
        texts, files = {**c, **math_header("own"), **texts}, {**files_of_c, **files}
        for precision in precisions:
            view = view_of(precision, False)
            texts[view.engine.header] = render_view("c99/newton/engine.h.j2", view, "--engines")
            files[precision].append(view.engine.header)
            cdef[precision] = render("c99/newton/_declarations.h.j2", view)
    manifest = engine_manifest(module, routines, __version__, files, cdef)
    add_manifest(texts, manifest)
    return texts


def routines_of_engine(engine_id: str) -> list[Routine]:
    """Return the routines of the kernels of an engine, those of all its kinds of rows; angles are not checked."""
    if engine_id == DYNAMICS:
        return _lower_dynamics()[1]
    if engine_id == TRANSFER:
        return _lower_transfer()[1]
    return [routine for kind in derive_constraints(engine_id).kinds for routine in lower_kind(kind)]


def _angles_checked(constraint: Routine, bias: Routine) -> tuple[Routine, Routine]:
    return check_angles(constraint), check_angles(bias)


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
        constraint, bias = (replace(routine, finite=()) for routine in lower_kind(kind))
        constraints.append((kind.code, kind.name, kind.rows, constraint, bias))
    return module, kernels, constraints


def _dynamics_texts(backends: Sequence[str]) -> dict[str, str]:
    """Return the dynamics engine: C in double precision, to be compiled with the tables of a mechanism, and NumPy."""
    module, kernels, constraints = _lower_dynamics()
    texts: dict[str, str] = {}
    if "c" in backends:
        view = _dynamics_view()
        for name in DYNAMICS_TEMPLATES:
            texts[name.removesuffix(".j2")] = render_view(f"c99/dynamics/{name}", view, "--engines")
        texts |= plain_c("c99/dynamics") | _shared_by_engines()
        texts["symgen_status.h"] = render_view(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
    files = {"double": [name for name in sorted(texts) if name != "symgen_status.h"]} if texts else {}
    if "numpy" in backends:
        about = (module.id, module.title, module.summary, module.source, ())
        every = [*kernels, *(routine for kind in constraints for routine in kind[3:])]
        python = numpy_module_view(*about, (), to_be_read(every))
        texts[f"{module.id}.py"] = render_view("numpy/module.py.j2", python, "--engines")
        files["numpy"] = [f"{module.id}.py"]
    plain = plain_c("c99/dynamics")
    cdef, minimal = (plain[f"{each}_declarations.h"] for each in ("dynamics", "dynamics_minimal"))
    manifest = dynamics_manifest(module, kernels, __version__, files, cdef, minimal)
    add_manifest(texts, manifest)
    return texts


def _dynamics_view() -> DynamicsView:
    module, kernels, constraints = _lower_dynamics()
    weights = [[[f"{weight}.0" for weight in one] for one in each] for each in module.extrapolation]
    return dynamics_view(module.source, kernels, constraints, module.freedoms, weights)


def _special_texts(kernels: Sequence[Routine]) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """Return the C of the special engines of transfer matrices, and what the manifest says of each."""
    by_name = {routine.name: routine for routine in kernels}
    plain = plain_c("c99/transfer/special")
    texts, engines = dict(plain), {}
    for engine in special_engines():
        view = special_engine_view(engine.title, engine.source, [by_name[name] for name in engine.kernels])
        own = f"transfer_{engine.kind}"
        texts[f"{own}_kernels.h"] = render_view(f"c99/transfer/special/{SPECIAL_TEMPLATE}", view, "--engines")
        engines[engine.kind] = {
            "title": engine.title,
            "files": sorted(
                [*(name for name in texts if name.startswith((own, "transfer_special"))), *_shared_by_engines()]
            ),
            "cdef": plain["transfer_special_declarations.h"] + plain[f"{own}_declarations.h"],
        }
    return texts, engines


def _shared_by_engines() -> dict[str, str]:
    """Return what all engines include, by name: our own elementary functions, and explicit steps."""
    return {**math_header("own"), **plain_c("c99/steps")}


def _lower_transfer() -> tuple[TransferModule, list[Routine]]:
    module = derive_transfer()
    kernels = [
        run_passes(replace(lower(kernel.derivation, "position"), name=kernel.name, stage="element", finite=()))
        for kernel in module.kernels
    ]
    return module, kernels


def _transfer_texts(backends: Sequence[str]) -> dict[str, str]:
    """Return the elements of transfer matrices: C in double precision and NumPy; and engines in C that integrate."""
    module, kernels = _lower_transfer()
    proofs = {kernel.name: prove(kernel.derivation) for kernel in module.kernels}
    texts: dict[str, str] = {}
    special_manifest: dict[str, dict[str, Any]] = {}
    if "c" in backends:
        view = transfer_view(module.title, module.source, module.summary, kernels)
        for name in TRANSFER_TEMPLATES:
            texts[name.removesuffix(".j2")] = render_view(f"c99/transfer/{name}", view, "--engines")
        texts |= _riccati_texts(kernels)
        special, special_manifest = _special_texts(kernels)
        texts |= special | _shared_by_engines()
        texts["symgen_status.h"] = render_view(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        )
    files = {"double": [name for name in sorted(texts) if name != "symgen_status.h"]} if texts else {}
    if "numpy" in backends:
        about = (module.id, module.title, module.summary, module.source, ())
        python = numpy_module_view(*about, (), to_be_read(kernels))
        python = replace(python, conventions=CONVENTIONS)
        texts[f"{module.id}.py"] = render_view("numpy/module.py.j2", python, "--engines")
        files["numpy"] = [f"{module.id}.py"]
    manifest = transfer_manifest(module, kernels, proofs, __version__, files)
    manifest["special"] = special_manifest
    plain = plain_c("c99/transfer/riccati")
    manifest["files_riccati"] = sorted([*plain, RICCATI_TEMPLATE.removesuffix(".j2")])
    for suffix, modes in (("", False), ("_beams", True)):
        manifest[f"cdef_riccati{suffix}"] = _declared(plain["transfer_declarations.h"], modes=modes)
    add_manifest(texts, manifest)
    return texts


def _declared(text: str, *, modes: bool) -> str:
    """Return declarations for cffi, which knows no preprocessor: with what is there only for modes, or without it."""
    head, asked, rest = text.partition("#if SYMGEN_TRANSFER_MODES > 0\n")
    inside, _, tail = rest.partition("#endif\n")
    return head + (inside if modes and asked else "") + tail


def _riccati_texts(elements: Sequence[Routine]) -> dict[str, str]:
    """Return the C of the engine that integrates any mechanism; kernels and rows are those of the dynamics."""
    by_name = {element.name: element for element in elements}
    called = [_part(by_name[whole], *part) for whole, part in RICCATI_PARTS.items()]
    called += [by_name[name] for name in RICCATI_ELEMENTS]
    view = riccati_view(derive_transfer().source, called, [by_name[name] for name in BEAM_ELEMENTS])
    rendered = render_view(f"c99/transfer/riccati/{RICCATI_TEMPLATE}", view, "--engines")
    return {**plain_c("c99/transfer/riccati"), RICCATI_TEMPLATE.removesuffix(".j2"): rendered}


def _part(element: Routine, name: str, title: str, results: tuple[str, ...]) -> Routine:
    """Return the slice of an element that gives some of its results."""
    outputs = tuple(output for output in element.outputs if output.port.name in results)
    return run_passes(replace(element, name=name, title=title, outputs=outputs), WHOLE_PASSES)


def lower_kind(kind: ElementKind) -> tuple[Routine, Routine]:
    """Return the routines of a kind of rows: residual with Jacobian, and bias."""
    constraint, bias = (lower(derivation, "position") for derivation in (kind.constraint, kind.bias))
    return (
        run_passes(replace(constraint, name=f"{kind.name.lower()}_constraint", stage="constraint")),
        run_passes(replace(bias, name=f"{kind.name.lower()}_bias", stage="constraint_bias")),
    )


def _kind_view(kind: ElementKind, constraint: Routine, bias: Routine) -> KindView:
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
