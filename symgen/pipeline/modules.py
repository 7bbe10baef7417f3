"""From a group type to its files: the stage list, to be read from top to bottom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symgen import __version__
from symgen.derive.catalogue import derive_module, module_ids
from symgen.derive.constraints.module import ConstraintModule
from symgen.derive.derivation import Derivation
from symgen.derive.loops.module import LoopModule, derive_loops
from symgen.derive.module import Arrangement, ModuleDerivation
from symgen.emit.lanes import numbers_in_lanes
from symgen.ir.nodes import Call, Routine, Stage
from symgen.lower import lower
from symgen.manifest import (
    loop_manifest,
    module_manifest,
)
from symgen.passes import WHOLE_PASSES, run_passes
from symgen.passes.call_parts import call_parts
from symgen.passes.call_stages import call_stages
from symgen.passes.check_angles import check_angles
from symgen.passes.guard_divisors import guard_divisors
from symgen.passes.join_checks import join_checks
from symgen.passes.share_between_stages import share_between_stages
from symgen.passes.tangent import tangent
from symgen.passes.write_in_vectors import write_in_vectors
from symgen.pipeline.texts import add_manifest, c_texts, math_header, render_view
from symgen.printers.c99 import Math, Precision, Written, written_with
from symgen.proofs import Proof, prove, prove_closure
from symgen.render.environment import render
from symgen.render.views import (
    CModuleView,
    c_module_view,
    numpy_module_view,
)
from symgen.topology.loops.topological_graph import TopologicalGraph

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


@dataclass(frozen=True)
class ModulePart:
    """One routine of a module by itself, under a name of its own: what a program takes along that calls nothing else.

    Parameters
    ----------
    name : takes the place of the module's id in files and symbols.
    arrangement : of the group; None for the kernel, which is all there is of a formula.
    batch : with a function over rows.
    tangent : with a function of its exact derivatives (`symgen.passes.tangent`).
    request : what the files say that they are made by.
    """

    name: str
    arrangement: str | None
    stage: Stage
    request: str
    batch: bool = False
    tangent: bool = False

    def of(self, routines: Sequence[Routine]) -> Routine:
        """Return the routine that is meant."""
        level = "kernel" if self.arrangement is None else "group"
        return next(r for r in routines if (r.level, r.arrangement, r.stage) == (level, self.arrangement, self.stage))

    def tangent_of(self, routines: Sequence[Routine]) -> Routine:
        """Return the routine of its exact derivatives."""
        return run_passes(tangent(self.of(routines)), WHOLE_PASSES)


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
    """Return the stages that have results: a formula of somebody's own need not have rates."""
    there = set(derivation.output_part.values())
    lacking = {stage for stage in ("velocity", "acceleration", "condition") if stage not in there}
    if {"velocity", "acceleration"} <= lacking:
        lacking.add("all")
    return tuple(s for s in STAGES if s not in lacking)


def generate_texts(
    module_id: str,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
    math: Math = "own",
    part: ModulePart | None = None,
) -> dict[str, str]:
    """Return the texts of a module's files by name.

    `math` says whose sine, cosine and atan2 the C calls. `part` is what to write of the module if not all.
    """
    module = derive_module(module_id)
    lowered = lower_module(module)
    if part is not None:
        return _part_texts(module, lowered.routines, part, precisions, math)
    return module_texts(lowered, module_id, precisions=precisions, backends=backends, math=math)


def module_texts(
    lowered: LoweredModule,
    request: str,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
    math: Math = "own",
    about: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Return the texts of a lowered module's files by name; nothing is written before all claims are proved.

    Parameters
    ----------
    request : what `symgen generate` was asked for.
    about : more fields of the manifest: where a derivation of somebody's own is from.
    """
    module = lowered.module
    proofs = prove_module(lowered)
    shared = angles_checked(share_between_stages(lowered.routines), math)
    routines = to_be_read_in_c(call_stages(call_parts(shared), for_numpy=False))
    in_numpy = to_be_read(call_stages(shared, for_numpy=True))
    bits = tuple(f"bit {b.bit} clear: {b.meaning}" for b in module.kernel.bits)
    texts, files, _ = code_texts(module, request, bits, routines, precisions, backends, in_numpy, math)
    numbered = numbers_in_lanes(routines) if "c" in backends and math == "own" else {}
    manifest = module_manifest(module, lowered.arrangements, routines, proofs, __version__, files, numbered)
    add_manifest(texts, {**manifest, **(about or {}), "math": math})
    return texts


def _part_texts(
    module: ModuleDerivation, routines: Sequence[Routine], part: ModulePart, precisions: Sequence[Precision], math: Math
) -> dict[str, str]:
    """Return the C of one group's routine, and no manifest: who asks for a part describes it."""
    wanted = _with_called(part.of(routines))
    if part.tangent:
        every = (*wanted, *_with_called(part.tangent_of(routines)))
        wanted = tuple({each.name: each for each in every}.values())
    wanted = angles_checked(wanted, math)
    bits = tuple(f"bit {b.bit} clear: {b.meaning}" for b in module.kernel.bits)
    named = replace(module, id=part.name)
    texts, _, _ = code_texts(
        named, part.request, bits, to_be_read_in_c(wanted), precisions, ("c",), math=math, with_batches=part.batch
    )
    return texts


def _with_called(routine: Routine) -> tuple[Routine, ...]:
    """Return a routine behind the functions that it calls, each once."""
    found: dict[str, Routine] = {}
    for statement in routine.body:
        if isinstance(statement, Call) and not statement.is_inside:
            found |= {each.name: each for each in _with_called(statement.routine)}
    return (*found.values(), routine)


def angles_checked(routines: Sequence[Routine], math: Math) -> tuple[Routine, ...]:
    """Return routines that ask whether angles are within what our own functions take, if they call those."""
    return tuple(map(check_angles, routines)) if math == "own" else tuple(routines)


def to_be_read(routines: Sequence[Routine]) -> tuple[Routine, ...]:
    """Return routines as they are written for a reader: in vectors, with neighbouring checks as one."""
    return _calling_each_other(tuple(write_in_vectors(join_checks(routine)) for routine in routines))


def to_be_read_in_c(routines: Sequence[Routine]) -> tuple[Routine, ...]:
    """Return the same for C, where programs that prove bounds read, too: divisors are checked from one side."""
    return _calling_each_other(tuple(map(guard_divisors, to_be_read(routines))))


def _calling_each_other(routines: Sequence[Routine]) -> tuple[Routine, ...]:
    """Return routines that call those before them as these are written, so that what a call costs is what they do."""
    written: dict[str, Routine] = {}
    for routine in routines:
        body = [
            replace(s, routine=written.get(s.routine.name, s.routine)) if isinstance(s, Call) and not s.inner else s
            for s in routine.body
        ]
        written[routine.name] = replace(routine, body=tuple(body))
    return tuple(written.values())


def code_texts(
    module: ModuleDerivation | LoopModule | ConstraintModule,
    request: str,
    bits: tuple[str, ...],
    routines: Sequence[Routine],
    precisions: Sequence[Precision],
    backends: Sequence[str],
    in_numpy: Sequence[Routine] | None = None,
    math: Math = "own",
    *,
    with_batches: bool = True,
) -> tuple[dict[str, str], dict[str, list[str]], dict[str, str]]:
    """Return the texts of a module's code by name, its files by precision or language, its declarations.

    `request` is what `symgen generate` was asked for; `in_numpy` are the routines of NumPy if they differ.
    """
    about = (module.id, module.title, module.summary, module.source, bits)
    texts: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    cdef: dict[str, str] = {}
    if "c" in backends and precisions:

        def view_of(written: Written, with_bodies: bool) -> CModuleView:
            return c_module_view(
                *about,
                (),
                routines,
                written_with(written, math),
                with_bodies=with_bodies,
                with_batches=with_batches,
                with_lanes=math == "own",
            )

        texts, files = c_texts(view_of, "c99/module.c.j2", request, precisions)
        texts |= math_header(math)
        cdef = {precision: render("c99/_declarations.h.j2", view_of(precision, False)) for precision in precisions}
    if "numpy" in backends:
        numpy_view = numpy_module_view(*about, (), routines if in_numpy is None else in_numpy)
        texts[f"{module.id}.py"] = render_view("numpy/module.py.j2", numpy_view, request)
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
    math: Math = "own",
) -> dict[str, str]:
    """Return the texts of the loop constraints of a mechanism by name.

    Parameters
    ----------
    order : highest derivative of the closure.
    reference : values of the geometry ports (`symgen.topology.loops.reference_configuration`), kept in the manifest.
    math : whose sine, cosine and atan2 the C calls.
    """
    module = derive_loops(graph, module_id, order=order)
    routines = angles_checked(lower_loops(module), math)
    texts, files, cdef = code_texts(module, "--mechanism MECH --loops", (), routines, precisions, backends, math=math)
    manifest = loop_manifest(module, routines, reference, __version__, files, cdef)
    add_manifest(texts, {**manifest, "math": math})
    return texts
