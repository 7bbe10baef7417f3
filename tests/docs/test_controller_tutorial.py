"""The tutorial for boards: its sketch compiles against what its export writes, here and for a Cortex-M4F."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from oracle.compilers import need, run

from symgen.cli.main import main

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "tutorial-controller.md").read_text(encoding="utf-8")
#: What the sketch takes of Arduino.
ARDUINO = """
#include <cstdio>
inline unsigned long micros() { static unsigned long now; return now += 500; }
struct Port {
    void begin(long) {}
    void println(int status) { std::printf("status %d\\n", status); }
    void println(float x, int) { std::printf("%.4f\\n", static_cast<double>(x)); }
};
static Port Serial;
"""
RUN = "\nint main() { setup(); for (int k = 0; k < 40; ++k) { loop(); } return leg_selftest(); }\n"

pytestmark = pytest.mark.extension


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("board")
    (command,) = re.findall(r"^symgen (export .*)$", PAGE, re.M)
    arguments = shlex.split(command.replace("examples/", f"{REPOSITORY}/examples/"))
    arguments[arguments.index("--out") + 1] = str(found / "leg")
    assert main([*arguments, "--no-targets"]) == 0
    (sketch,) = re.findall(r"^```cpp\n(.*?)^```", PAGE, re.M | re.S)
    (found / "Arduino.h").write_text(ARDUINO, encoding="utf-8")
    (found / "main.cpp").write_text(sketch + RUN, encoding="utf-8")
    return found


def test_the_sketch_runs_on_the_desktop(folder: Path) -> None:
    objects = []
    for source in [*sorted((folder / "leg" / "src").glob("*.c")), folder / "leg" / "test" / "selftest.c"]:
        made = folder / f"{source.stem}.o"
        run(need("gcc"), "-std=c99", "-O2", f"-I{folder}/leg/include", "-c", source, "-o", made)
        objects.append(made)
    include = [f"-I{folder}", f"-I{folder}/leg/include"]
    run(need("g++"), "-std=c++11", "-Wall", *include, folder / "main.cpp", *objects, "-o", folder / "main", "-lm")
    told = run(folder / "main").split()
    assert len(told) == 21  # every second look at the clock is a step, and the first one
    assert all(-0.5 < float(x) < 0.1 for x in told)


@pytest.mark.slow
def test_the_sketch_compiles_for_a_board(folder: Path) -> None:
    compiler = need("arm-none-eabi-gcc")
    core = (
        "-mcpu=cortex-m4",
        "-mthumb",
        "-mfpu=fpv4-sp-d16",
        "-mfloat-abi=hard",
        "-std=gnu99",
        "-Os",
        "--specs=picolibc.specs",
    )
    for source in sorted((folder / "leg" / "src").glob("*.c")):
        run(compiler, *core, f"-I{folder}/leg/include", "-c", source, "-o", folder / "board.o")
