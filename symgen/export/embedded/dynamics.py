"""The dynamics of one mechanism for controllers: engine, self-test, example, packagings, manifest, README."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from symgen import __version__
from symgen.export.backend import SCHEMA, Product, as_bytes, manifest_text
from symgen.export.embedded.bundle import MANIFEST, UNASKED, row_of, target_table
from symgen.export.embedded.dynamics_run import SelfTestOutcome, SelfTestRun, moved
from symgen.export.embedded.packaging import packages
from symgen.export.embedded.targets import Targets, measure
from symgen.export.subject import prefix_from
from symgen.library.sources import COMMON_HEADER
from symgen.model.mechanism import Mechanism
from symgen.naming import free_text
from symgen.pipeline.texts import render_view
from symgen.render.documentation import overview_line, title_line
from symgen.render.environment import render
from symgen.render.export import RunPackageView, RunView, SizesView, SizeView, names_of
from symgen.simulate.articulated.bundle import riccati_bundle_and_run
from symgen.simulate.bundles.files import EXAMPLE, own_file, renamed
from symgen.simulate.bundles.run import ExampleRun
from symgen.simulate.central.bundle import dynamics_bundle_and_run
from symgen.status import Status

Method = Literal["dimcd", "riccati"]
#: What each method is, for a reader.
METHODS: dict[Method, str] = {
    "dimcd": "central differences of the Newton-Euler equations in quaternions, projected on the free directions",
    "riccati": "the Riccati form of the transfer matrices, integrated by explicit Runge-Kutta schemes",
}
_TEMPLATES = "export/embedded/dynamics"
_STATUS = f'#include "{COMMON_HEADER}"\n'
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
_KEYWORDS = "dynamics, mechanism"
_PURPOSE = "Dynamics of a mechanism, one run at a time"
_PARAGRAPH = (
    "Computes the motion of one mechanism under its forces, one run at a time: no heap, and the same bits on every "
    "board."
)


def dynamics_tree(
    mechanism: Mechanism,
    given_prefix: str | None,
    method: Method,
    packagings: Sequence[str],
    request: str,
    *,
    targets: bool = True,
) -> dict[str, str]:
    """Return the files of an export of dynamics by path, the manifest last.

    Parameters
    ----------
    given_prefix : None for one made from the mechanism's name.
    packagings : of `PACKAGINGS`.
    request : the command behind ``symgen`` that makes it again.
    targets : build and run it for microcontrollers, if the tools are there.

    Raises
    ------
    InputError
        The prefix cannot begin names.
    MechanismError
        As `symgen.simulate`: bodies without masses, nothing that moves.
    BuildError
        This machine has no C compiler: what the self-test has to give cannot be calculated.
    """
    prefix = prefix_from(given_prefix, mechanism.name or "mechanism")
    make = riccati_bundle_and_run if method == "riccati" else dynamics_bundle_and_run
    texts, run = make(mechanism, prefix)
    files = _code(texts, run, prefix)
    title = f"dynamics of {mechanism.name or 'a mechanism'}"
    view, rows, outcome = moved(files, run, prefix, title)
    files["test/vectors.h"] = render_view(f"{_TEMPLATES}/vectors.h.j2", view, request)
    files["test/selftest.c"] = render_view(f"{_TEMPLATES}/selftest.c.j2", view, request)
    files["examples/run.c"] = render_view(f"{_TEMPLATES}/run.c.j2", replace(view, rows="11"), request)
    measured = _measured(files, view, run) if targets else Targets((), (UNASKED,))
    notes = (*_notes(run, rows, outcome), *_in_part(view), *measured.notes("double"))
    not_run = (*measured.not_run, *_not_the_same(run))
    package = _package_view(run, view, outcome, method, request, replace(measured, not_run=not_run), notes)
    headers = [name.removeprefix("include/") for name in files if name.startswith("include/")]
    files |= packages(packagings, package, headers, _KEYWORDS, request)
    files["README.md"] = render_view(f"{_TEMPLATES}/README.md.j2", package, request)
    tree = {
        "schema": SCHEMA,
        "generator": f"symgen {__version__}",
        "request": request,
        "kind": "dynamics",
        "prefix": prefix,
        "title": title,
        "mechanism": mechanism.name,
        "method": method,
        "precision": "double",
        "math": "own",
        "bodies": list(run.bodies),
        "sizes": _sizes(run, outcome),
        "vectors": dict(Counter(status.name for status, _ in outcome.rows)),
        "figures": {
            "steps": view.steps,
            "step": float(view.step),
            "targets": {each.name: each.as_json() for each in measured.found},
        },
        "not_run": list(not_run),
        "notes": list(notes),
        "files": {name: hashlib.sha256(as_bytes(text)).hexdigest() for name, text in sorted(files.items())},
    }
    files[MANIFEST] = manifest_text(tree)
    return files


def product_of(files: Mapping[str, str]) -> Product:
    """Return an export of dynamics with what the command line tells of it."""
    manifest = json.loads(files[MANIFEST])
    count, runs = len(manifest["bodies"]), manifest["figures"]
    found = ", ".join(f"{n} {name}" for name, n in manifest["vectors"].items())
    return Product(
        files,
        manifest,
        (
            f"{free_text(manifest['title'])}: {count} {'body' if count == 1 else 'bodies'}, method"
            f" {manifest['method']}, double, a workspace of {manifest['sizes']['workspace_bytes']} B",
            f"self-test: {sum(manifest['vectors'].values())} runs of {runs['steps']} steps, {runs['step']:g} s each"
            f" ({found})",
        ),
        target_table(manifest),
        tuple(manifest["notes"]),
        tuple(manifest["not_run"]),
    )


def _code(texts: Mapping[str, str], run: ExampleRun, prefix: str) -> dict[str, str]:
    """Return headers that a caller includes below ``include/``, the engine below ``src/``."""
    seen: list[str] = []
    waiting = [COMMON_HEADER, *(own_file(each, prefix) for each in run.headers)]
    while waiting:
        name = waiting.pop(0)
        if name in texts and name not in seen:
            seen.append(name)
            waiting += _INCLUDE.findall(texts[name])
    files = {f"include/{name}": texts[name] for name in sorted(seen)}
    for name, text in sorted(texts.items()):
        if name not in seen and name != EXAMPLE and name.endswith((".c", ".h")):
            files[f"src/{name}"] = text
    header = f"include/{own_file(run.headers[0], prefix)}"
    if header.replace(".h", "_sizes.h") in files:  # the engine of transfer matrices brings its own
        return files
    files[header] = files[header].replace(_STATUS, render(f"{_TEMPLATES}/sizes.h.j2", _sizes_view(run, prefix)), 1)
    return files


def _sizes_view(run: ExampleRun, prefix: str) -> SizesView:
    """Return how long the arrays are that a caller hands over, as macros."""
    name = prefix.upper()
    return SizesView(
        (
            SizeView(f"{name}_BODIES", str(len(run.bodies)), ", ".join(map(free_text, run.bodies))),
            *(SizeView(f"{name}_STATE_{e.name.upper()}", str(e.count), f"numbers of state.{e.name}") for e in run.held),
            *(
                SizeView(f"{name}_SAMPLE_{e.name.upper()}", str(e.row), f"numbers in a row of samples.{e.name}")
                for e in run.samples
            ),
            SizeView(f"{name}_ACTIVE", str(len(run.pushes)), "forces and torques that act or not"),
        )
    )


def _measured(files: Mapping[str, str], view: RunView, run: ExampleRun) -> Targets:
    programs = {
        "measure.c": render(f"{_TEMPLATES}/measure.c.j2", view),
        "size.c": render(f"{_TEMPLATES}/size.c.j2", view),
        "with.c": '#define WITH\n#include "size.c"\n',
        "without.c": '#include "size.c"\n',
    }
    return measure(files, programs, _differing(run) if run.libm else "")


def _differing(run: ExampleRun) -> str:
    return f"laws of drives or forces call {', '.join(run.libm)}, for which another <math.h> may give other bits"


def _not_the_same(run: ExampleRun) -> tuple[str, ...]:
    return (f"the proof of bits on other machines: {_differing(run)}",) if run.libm else ()


def _notes(run: ExampleRun, rows: Sequence[SelfTestRun], outcome: SelfTestOutcome) -> tuple[str, ...]:
    notes = [f"bits may differ on other machines: {_differing(run)}"] if run.libm else []
    notes += run.switched
    for row, (status, _) in zip(rows, outcome.rows, strict=True):
        if status is not Status.OK and not row.refused:
            notes.append(
                f"in the self-test, {row.what} end with {status.name}: examine the motion with symgen simulate"
            )
    return tuple(notes)


def _in_part(view: RunView) -> tuple[str, ...]:
    said = "the self-test compares the first {} numbers of each array, of many bodies; the energies are of all"
    return (said.format(view.most),) if view.most else ()


def _sizes(run: ExampleRun, outcome: SelfTestOutcome) -> dict[str, Any]:
    return {
        "workspace_bytes": outcome.workspace,
        "state": {each.name: each.count for each in run.held},
        "samples": {each.name: each.count for each in run.samples},
        "active": len(run.pushes),
    }


def _package_view(
    run: ExampleRun,
    view: RunView,
    outcome: SelfTestOutcome,
    method: Method,
    request: str,
    measured: Targets,
    notes: Sequence[str],
) -> RunPackageView:
    found = Counter(status.name for status, _ in outcome.rows)
    figures = (
        ("size of the workspace on the machine that exported it", f"{outcome.workspace} B"),
        ("steps of a run of the self-test", f"{view.steps} of {view.step} s"),
        ("statuses in the self-test", ", ".join(f"{n} {name}" for name, n in found.items())),
    )
    called = ["`sqrt`", "`fabs`", "`floor`", *(f"`{name}`" for name in run.libm)]
    return RunPackageView(
        preamble=(),
        title=title_line(view.title),
        about=(overview_line(f"Method {method}: {METHODS[method]}."), overview_line(f"Bodies: {len(run.bodies)}.")),
        prefix=view.prefix,
        upper=view.prefix.upper(),
        names=names_of(view.prefix),
        real="double",
        version=__version__,
        sources=(f"src/{view.prefix}.c",),
        purpose=_PURPOSE,
        paragraph=_PARAGRAPH,
        figures=tuple(map(row_of, figures)),
        targets=tuple(row_of(each.cells) for each in measured.found),
        linked="a run",
        counted=f"one step: mean of {view.measured_count} runs of {view.solved} (the quickest to the slowest of them)",
        notes=tuple(map(free_text, notes)),
        not_run=tuple(map(free_text, measured.not_run)),
        vectors=view.count,
        request=free_text(request),
        calls=f"no call besides {', '.join(called[:-1])} and {called[-1]}",
        unit=f"src/{view.prefix}.c",
        usage=_usage(run, view),
        bodies=tuple(row_of((str(k), f"`{free_text(body)}`")) for k, body in enumerate(run.bodies)),
        held=tuple(row_of((f"`{each.name}`", str(each.count), _start(each.values[: each.count]))) for each in run.held),
        samples=tuple(row_of((f"`{each.name}`", str(each.count))) for each in run.samples),
    )


def _usage(run: ExampleRun, view: RunView) -> tuple[str, ...]:
    """Return what a caller writes; its arrays and numbers are in ``examples/run.c``."""
    call = renamed(run.call(f"({view.size.removesuffix('_size')} *)(void *)workspace"), view.prefix)
    return (
        *(f'#include "{header}"' for header in view.headers),
        "",
        view.workspace,
        f"{view.settings} settings = {{ {', '.join(run.settings)} }};",
        f"{view.state} state = {view.begun};",
        f"{view.samples_type} samples = {view.given};",
        "/* for each stretch of time: */",
        f"const symgen_status status = {call};",
    )


def _start(values: Sequence[float]) -> str:
    shown = ", ".join(f"{value:g}" for value in values[:6])
    return f"{shown}, ..." if len(values) > 6 else shown
