"""Numbers that NumPy reads from the engine's C are those that a compiler sees there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from oracle.compilers import need, run

from symgen.resources import templates_folder
from symgen.simulate.constants import constants

FOLDER = templates_folder() / "c99" / "dynamics"
HEADER = "dynamics_constants.h"


@pytest.mark.compiler
def test_all_numbers_are_those_of_the_compiler(tmp_path: Path) -> None:
    names = re.findall(r"^#define (\w+) \S", (FOLDER / HEADER).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(names) > 40
    lines = [
        f"{{ const double v[] = {{{name}}}; for (unsigned k = 0; k < sizeof v/sizeof v[0]; ++k)"
        f' printf("{name} %.17g\\n", v[k]); }}'
        for name in names
    ]
    program = ["#include <float.h>", "#include <stdio.h>", f'#include "{HEADER}"', "int main(void) {", *lines, "}"]
    (tmp_path / "told.c").write_text("\n".join(program), encoding="utf-8")
    run(need("gcc"), "-I", FOLDER, tmp_path / "told.c", "-o", tmp_path / "told")
    said = subprocess.run([tmp_path / "told"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said == [f"{name} {value:.17g}" for name in names for value in constants(name)]
