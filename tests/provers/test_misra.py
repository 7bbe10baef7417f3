"""cppcheck with its MISRA addon finds what docs/misra-deviations.md lists and nothing else; no claim of compliance."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from oracle.compilers import need
from provers.exports import write_exports

from symgen.resources import generated_folder

DEVIATIONS = Path(__file__).parents[2] / "docs" / "misra-deviations.md"
ENGINES = {"dynamics", "transfer", "newton_planar", "newton_spatial"}
#: Remarks of cppcheck itself about style that do not matter: names of functions that do not meet, where a variable is,
#: which group comes, told again before one that cannot fail.
REMARKS = {
    *("shadowFunction", "variableScope", "knownConditionTrueFalse", "clarifyCalculation", "unreadVariable"),
    "redundantAssignment",
}
#: What <float.h> and <math.h> would say: cppcheck does not read them.
DEFINED = (
    *("-DDBL_MANT_DIG=53", "-DFLT_MANT_DIG=24", "-DDBL_EPSILON=2.3e-16", "-DFLT_EPSILON=1.2e-07F"),
    *("-DDBL_MIN=2.3e-308", "-DFLT_MIN=1.2e-38F", "-DDBL_MAX=1.7e308", "-DFLT_MAX=3.4e38F", "-DNAN=0.0F"),
    "-DINFINITY=1e30F",
)


def deviations(where: str) -> set[str]:
    """Return the numbers of the rules that may be broken somewhere."""
    rows = re.findall(r"^\| ([0-9.]+) \| ([a-z, ]+) \| \S.* \|$", DEVIATIONS.read_text(encoding="utf-8"), re.MULTILINE)
    return {rule for rule, places in rows if where in places.split(", ")}


def findings(groups: Sequence[tuple[Path, Sequence[Path]]]) -> dict[str, str]:
    """Return what cppcheck finds, each kind of it with the first place; a group is a folder and its files."""
    program = need("cppcheck")
    if not any(Path(place).exists() for place in _addons()):
        pytest.skip("cppcheck has no MISRA addon here")

    def check(group: tuple[Path, Sequence[Path]]) -> str:
        folder, files = group
        found = subprocess.run(
            [
                program, "-q", "--addon=misra", "--enable=warning,style,performance,portability", "--std=c99",
                "--suppress=missingIncludeSystem", "--template={id} {file}:{line} {message}", *DEFINED,
                f"-I{folder}/include", f"-I{folder}/src", f"-I{folder}", *files,
            ],
            capture_output=True, text=True, timeout=900, check=True, cwd=folder,
        )  # fmt: skip
        return found.stderr

    with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        texts = list(pool.map(check, groups))
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    kinds = {line.split()[0].removeprefix("misra-c2012-"): line for line in reversed(lines)}
    return {kind: line for kind, line in kinds.items() if kind not in REMARKS}


def _addons() -> tuple[str, ...]:
    return tuple(
        f"{place}/cppcheck/addons/misra.py" for place in ("/usr/lib/x86_64-linux-gnu", "/usr/lib", "/usr/share")
    )


def _modules(copy: Path, *, engines: bool) -> list[tuple[Path, Sequence[Path]]]:
    """Return the C files of modules: those for float include the same text, which is checked for both.

    They are copied: the addon writes beside what it reads.
    """
    names = sorted(f.name for f in generated_folder().iterdir() if f.is_dir() and (f.name in ENGINES) == engines)
    folders = [shutil.copytree(generated_folder() / name, copy / name) for name in names]
    return [(f, [path]) for f in folders for path in sorted(f.glob("*.c")) if not path.stem.endswith("_f32")]


@pytest.mark.provers
@pytest.mark.parametrize("where", ["exports", "modules", "engines"])
def test_what_is_found_is_listed_as_a_deviation_and_nothing_is_listed_in_vain(where: str, tmp_path: Path) -> None:
    if where == "exports":
        groups = [
            (folder, [*sorted((folder / "src").glob("*.c")), folder / "test" / "selftest.c"])
            for folder in write_exports(tmp_path)
        ]
    else:
        groups = _modules(tmp_path, engines=where == "engines")
    found = findings(groups)
    assert {kind: line for kind, line in found.items() if kind not in deviations(where)} == {}
    assert deviations(where) - {*found} == set()


def test_every_deviation_has_a_reason_and_those_that_had_to_go_are_left_in_engines_alone() -> None:
    for where in ("exports", "modules"):
        listed = deviations(where)
        assert listed
        assert not [rule for rule in listed if rule in ("2.2", "12.3") or rule.startswith("10.")]
    rules = re.findall(r"^\| ([0-9.]+) \|", DEVIATIONS.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rules) == len({*rules}) == len(deviations("exports") | deviations("modules") | deviations("engines"))
