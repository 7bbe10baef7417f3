"""``symgen doctor``: which tools are installed, and what you lose without the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click

OK, LACKING, BROKEN = "ok", "lacking", "broken"
_MARKS = {OK: ("ok", "green"), LACKING: ("--", "yellow"), BROKEN: ("!!", "red")}


@dataclass(frozen=True)
class DoctorFinding:
    """One thing that was looked at.

    Parameters
    ----------
    name : what.
    state : ``"ok"``, ``"lacking"`` (symgen works, something costs more) or ``"broken"`` (it has to be mended).
    found : what was found.
    cost : what you lose without it; empty if ok.
    facts : numbers of what was found, for programs.
    """

    name: str
    state: str
    found: str
    cost: str = ""
    facts: dict[str, int | None] = field(default_factory=dict)


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(as_json: bool) -> None:
    """Show which tools are installed and what you lose without the others.

    It checks compiler, cache and optional tools. The exit status is 1 if
    something is broken; a missing optional tool is no fault.
    """
    findings = examine()
    if as_json:
        click.echo(json.dumps({"schema": "symgen/doctor/1", "findings": [asdict(each) for each in findings]}, indent=2))
    else:
        for each in findings:
            mark, colour = _MARKS[each.state]
            click.echo(f"{click.style(mark, fg=colour)}  {each.name}: {each.found}")
            if each.cost:
                click.echo(f"      {each.cost}")
    if any(each.state == BROKEN for each in findings):
        raise SystemExit(1)


def examine() -> list[DoctorFinding]:
    """Look at everything, in the order of importance."""
    looks: tuple[Callable[[], list[DoctorFinding]], ...] = (
        _python,
        _packages,
        _shipped,
        _own_folders,
        _offers,
        _compiler,
        _python_header,
        _cache,
        _tools,
    )
    return [finding for look in looks for finding in look()]


def _python() -> list[DoctorFinding]:
    import platform

    from symgen import __version__

    return [DoctorFinding("symgen", OK, f"{__version__} on Python {platform.python_version()}, {platform.platform()}")]


def _packages() -> list[DoctorFinding]:
    from importlib.metadata import PackageNotFoundError, version

    findings = []
    for name in ("sympy", "numpy", "jinja2", "cffi", "msgspec", "filelock", "platformdirs", "rich", "threadpoolctl"):
        try:
            findings.append(DoctorFinding(name, OK, version(name)))
        except PackageNotFoundError:
            findings.append(
                DoctorFinding(name, BROKEN, "not installed", "reinstall symgen: pip install --force-reinstall symgen")
            )
    return findings


def _shipped() -> list[DoctorFinding]:
    from symgen.errors import SymgenError
    from symgen.library.catalogue import Catalogue, modules_in
    from symgen.resources import generated_folder, templates_folder

    findings = []
    try:
        catalogue = Catalogue(modules_in(generated_folder()))
        count = f"{len(catalogue.entries)} types in {len(catalogue.modules)} modules"
        findings.append(DoctorFinding("solved types", OK, f"{count}, {generated_folder()}"))
    except (SymgenError, FileNotFoundError) as error:
        findings.append(
            DoctorFinding("solved types", BROKEN, str(error), "no shipped type can be used: reinstall symgen")
        )
    try:
        findings.append(DoctorFinding("templates", OK, str(templates_folder())))
    except FileNotFoundError as error:
        findings.append(
            DoctorFinding("templates", BROKEN, str(error), "`symgen generate` cannot work: reinstall symgen")
        )
    return findings


def _offers() -> list[DoctorFinding]:
    """Look at what installed packages offer, without importing any."""
    from symgen.third_party import library_places, offers

    packages: dict[str, list[str]] = {}
    for offer in offers():
        packages.setdefault(offer.package, []).append(offer.name)
    missing = {offer.package: offer for offer, place in library_places() if place is None}
    return [
        DoctorFinding(f"package {package}", BROKEN, f"{missing[package].text}: there is no such folder", "reinstall it")
        if package in missing
        else DoctorFinding(f"package {package}", OK, f"offers {', '.join(names)} (docs/own-derivations.md)")
        for package, names in packages.items()
    ]


def _own_folders() -> list[DoctorFinding]:
    import os

    from symgen.errors import SymgenError
    from symgen.library.catalogue import own_modules
    from symgen.library.own_modules import VARIABLE
    from symgen.library.sources import changed_files

    if not os.environ.get(VARIABLE):
        return []
    try:
        own = own_modules()
        changed = [path for module in own for path in changed_files(module)]
    except SymgenError as error:
        return [DoctorFinding(f"${VARIABLE}", BROKEN, str(error), "correct or unset it")]
    found = f"{os.environ[VARIABLE]}: {len(own)} {'module' if len(own) == 1 else 'modules'} of your own"
    if not own:
        return [DoctorFinding(f"${VARIABLE}", LACKING, found, "generate into it: symgen generate TYPE --out DIR")]
    if changed:
        words = f"{found}; changed since they were generated: {', '.join(map(str, changed))}"
        again = "symgen generate ... --force --out DIR writes them again"
        return [DoctorFinding(f"${VARIABLE}", LACKING, words, again)]
    return [DoctorFinding(f"${VARIABLE}", OK, found)]


def _compiler() -> list[DoctorFinding]:
    import tempfile

    from symgen.build.compiler import find_compiler, module_flags, run_compiler
    from symgen.errors import BuildError
    from symgen.library.backends import NUMPY_INSTEAD

    try:
        compiler = find_compiler()
        with tempfile.TemporaryDirectory(prefix="symgen-") as folder:
            Path(folder, "probe.c").write_text("#include <math.h>\ndouble probe(double x) { return sqrt(x); }\n")
            run_compiler([*compiler.command, *module_flags(), "-c", "probe.c", "-o", "probe.o"], Path(folder))
    except BuildError as error:
        return [DoctorFinding("C compiler", LACKING, str(error), f"solved types run in NumPy: {NUMPY_INSTEAD}")]
    return [DoctorFinding("C compiler", OK, f"{' '.join(compiler.command)}: {compiler.version} ({compiler.machine})")]


def _python_header() -> list[DoctorFinding]:
    from symgen.build.compiler import python_include
    from symgen.errors import BuildError

    try:
        return [DoctorFinding("Python.h", OK, str(python_include()))]
    except BuildError as error:
        return [
            DoctorFinding(
                "Python.h", LACKING, str(error), "the C compiler cannot be used without it: solved types run in NumPy"
            )
        ]


def _cache() -> list[DoctorFinding]:
    from symgen.build.entries import VARIABLE, cache_place
    from symgen.build.upkeep import limit, survey
    from symgen.errors import SymgenError

    place = cache_place()
    try:
        most, found = limit(), survey(place)
    except SymgenError as error:
        return [DoctorFinding("cache", BROKEN, str(error), "solved types run in NumPy until this is corrected")]
    if found is None:
        cost = f"every process compiles again; set ${VARIABLE} to a writable folder"
        return [DoctorFinding("cache", LACKING, f"{place} cannot be written", cost)]
    bound = "no limit" if most is None else f"limit {most / 1e6:g} MB"
    words = f"{place}: {found.sound} modules, {found.size / 1e6:.1f} MB ({bound})"
    if found.unsound:
        words += f"; {found.unsound} damaged: they are built again when they are needed"
    facts = {"modules": found.sound, "damaged": found.unsound, "bytes": found.size, "limit": most}
    return [DoctorFinding("cache", OK, words, facts=facts)]


#: Program -> what it is for. All are optional and used by symgen's own tests.
TOOLS = {
    "clang": "the test that generated code compiles with a second compiler is skipped",
    "nm": "the test that generated objects export only symgen's names is skipped",
    "valgrind": "the test for invalid memory access in generated code is skipped",
    "make": "the shortcuts of the Makefile (make demo, make test) cannot be used",
}


def _tools() -> list[DoctorFinding]:
    import shutil

    findings = []
    for program, cost in TOOLS.items():
        path = shutil.which(program)
        findings.append(
            DoctorFinding(program, OK, path) if path else DoctorFinding(program, LACKING, "not found", cost)
        )
    return findings
