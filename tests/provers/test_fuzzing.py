"""libFuzzer looks for inputs of exports with undefined behaviour, results that are no numbers, refusals that write.

What is drawn are whole bit patterns and steps of the self-test with some inputs moved a little; a state lives through
several steps.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from oracle.compilers import need
from provers.exports import EXPORTS, write_exports

#: Sanitizers of clang. `undefined` has arithmetic of signed integers, shifts, bounds, null, alignment; beside it:
#: no real number may be cast to an integer that cannot hold it, no conversion may lose bits, nothing is divided by
#: zero (IEEE 754 says what that gives, but each divisor is tested before it is used). Unsigned integers may overflow:
#: right angles are counted round from 2^32.
SANITIZERS = "fuzzer,address,undefined,float-cast-overflow,float-divide-by-zero,implicit-conversion"
RUNS = 200_000
DRIVER = r"""
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "vectors.h"

typedef REAL real;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tested_state state;
    (void)tested_init(&state);
    size_t at = 0;
    while (at < size) {
        const tested_vector *row = &tested_vectors[data[at++] % TESTED_VECTORS];
        real inputs[TESTED_INPUTS], results[TESTED_RESULTS], before[TESTED_RESULTS];
        memcpy(inputs, row->inputs, sizeof inputs);
        for (int changes = at < size ? data[at++] % 8 : 0; changes > 0 && at + 3 <= size; --changes) {
            const int k = data[at] % TESTED_INPUTS, raw = data[at + 1] % 2;
            const int8_t step = (int8_t)data[at + 2];
            at += 3;
            if (raw && at + sizeof(real) <= size) {
                memcpy(&inputs[k], data + at, sizeof(real));
                at += sizeof(real);
            } else {
                inputs[k] += (real)step/(real)64;
            }
        }
        BRANCH
        for (int k = 0; k < TESTED_RESULTS; ++k) {
            results[k] = TESTED_UNTOUCHED;
            before[k] = TESTED_UNTOUCHED;
        }
        const symgen_status status = tested_step(&state, inputs, results);
        if (status == SYMGEN_OK) {
            for (int k = 0; k < TESTED_RESULTS; ++k) {
                if (!(fabs((double)results[k]) <= DBL_MAX)) {
                    __builtin_trap();
                }
            }
        } else if ((status != SYMGEN_SINGULAR || !WRITES_SINGULAR) && memcmp(results, before, sizeof before) != 0) {
            __builtin_trap();
        }
    }
    return 0;
}
"""


def _driver(vectors: str, real: str, *, follows: bool) -> str:
    branch = "memcpy(state.branch, row->branch, sizeof state.branch);" if " branch[" in vectors else ""
    text = DRIVER.replace("REAL", real, 1).replace("BRANCH", branch)
    return text.replace("WRITES_SINGULAR", str(int(follows)))


def _built(folder: Path, sanitizers: str) -> Path:
    """Build the driver of an export with its code, and return the program."""
    vectors = (folder / "test" / "vectors.h").read_text(encoding="utf-8")
    real = "float" if "float inputs[" in vectors else "double"
    path = folder / "fuzz.c"
    path.write_text(_driver(vectors, real, follows="follow" in folder.name), encoding="utf-8")
    command = [
        need("clang"), "-g", "-O1", f"-fsanitize={sanitizers}", f"-fno-sanitize-recover={sanitizers}",
        f"-I{folder}/include", f"-I{folder}/src", f"-I{folder}/test", path, *sorted((folder / "src").glob("*.c")),
        "-o", folder / "fuzz", "-lm",
    ]  # fmt: skip
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode and "cannot find" in done.stderr:
        pytest.skip(f"clang has no libFuzzer here: {done.stderr.strip().splitlines()[0]}")
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "fuzz"


@pytest.mark.provers
def test_no_input_that_is_drawn_shows_undefined_behaviour_or_a_wrong_status(tmp_path: Path) -> None:
    found = {}
    for folder in write_exports(tmp_path):
        program = _built(folder, SANITIZERS)
        done = subprocess.run(
            [program, f"-runs={RUNS}", "-max_len=512", "-len_control=0", "-seed=1", "-max_total_time=40"],
            capture_output=True, text=True, timeout=600, check=False, cwd=folder,
        )  # fmt: skip
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line.lower() or " in tested" in line]
            found[folder.name] = lines[:6] or done.stderr[-800:]
    assert found == {}


@pytest.mark.compiler
def test_the_driver_calls_what_an_export_has() -> None:
    text = _driver("int32_t branch[1];", "float", follows=False)
    assert "state.branch" in text
    assert "typedef float real;" in text
    assert "!0)" in text
    assert "memcpy(state.branch" not in _driver("", "double", follows=True)
    assert {"group", "loop", "triad", "leg", "followed leg"} <= {*EXPORTS}
