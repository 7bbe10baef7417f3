"""Numbers that NumPy reads from the engine's C are those that a compiler sees there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from oracle.compilers import need, run

import symgen
from symgen.resources import generated_folder, templates_folder
from symgen.simulate.constants import constants

FOLDER = templates_folder() / "c99"


@pytest.mark.compiler
@pytest.mark.parametrize(
    "header", ["dynamics/dynamics_constants.h", "steps/symgen_steps.h", "transfer/riccati/transfer_numbers.h"]
)
def test_all_numbers_are_those_of_the_compiler(header: str, tmp_path: Path) -> None:
    lines = re.findall(r"^#define \w+ \S.*", (FOLDER / header).read_text(encoding="utf-8"), flags=re.MULTILINE)
    names = [line.split()[1] for line in lines]
    assert len(names) > 5
    asked = [
        f"{{ const double v[] = {{{name}}}; for (unsigned k = 0; k < sizeof v/sizeof v[0]; ++k)"
        f' printf("{name} %.17g\\n", v[k]); }}'
        for name in names
    ]
    program = ["#include <float.h>", "#include <stdio.h>", *lines, "int main(void) {", *asked, "return 0; }"]
    (tmp_path / "told.c").write_text("\n".join(program), encoding="utf-8")
    run(need("gcc"), tmp_path / "told.c", "-o", tmp_path / "told")
    said = subprocess.run([tmp_path / "told"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said == [f"{name} {value:.17g}" for name in names for value in constants(name)]


@pytest.mark.parametrize(
    ("source", "folder"),
    [("dynamics", "dynamics"), ("transfer", "transfer"), ("steps", "dynamics"), ("steps", "transfer")],
)
def test_plain_c_is_generated_as_it_is(source: str, folder: str) -> None:
    paths = sorted((FOLDER / source).rglob("*.[ch]"))
    assert paths
    for path in paths:
        assert (generated_folder() / folder / path.name).read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["at_least_one", "MILLION", "MOST_STEPS"])
def test_what_several_engines_need_stands_once(name: str) -> None:
    """Private copies count too."""
    pattern = re.compile(rf"^(?:def _?{name}\(|_?{name}(?:, \w+)* = )", flags=re.MULTILINE)
    rooms = (Path(symgen.__file__).parent / "simulate").rglob("*.py")
    assert len([file for file in rooms if pattern.search(file.read_text(encoding="utf-8"))]) == 1
