"""Laws of time in C: as rows and as text they have the same bits, and the value that Python finds."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import need

import symgen
from symgen.engine_tables import LAW_ROW_OPERATIONS, TURN
from symgen.model.expressions import Expression, parse
from symgen.simulate.tables.law_rows import LawRows, laws_in_rows
from symgen.simulate.tables.laws import laws_in_c
from symgen.status import Status

#: Every operation, nested, with a parameter, and with numbers that are no doubles in decimal.
LAWS = (
    "t", "-t", "0.1", "t + 1/3", "2*t - 0.7", "t*t*t", "t**2", "(t + 2)**1.5", "1/(t + 3)", "sin(2*pi*t) + cos(t)",
    "tan(t/4)", "asin(t/4)", "acos(t/4)", "atan(5*t)", "atan2(t, 0.3)", "sqrt(t + 4)", "exp(-t)", "log(t + 5)",
    "abs(t - 0.4)", "min(t, 0.2, 2*t)", "max(t, 0.2)", "sin(cos(t)*(1 + sin(p*t)))",
    "atan2(z, t - 2)", "atan2(0*p, t - 2)", "atan2(0*t, z)",
)  # fmt: skip
TIMES = (-0.9, 0.0, 0.2, 0.37, 1.0)


def _laws() -> list[Expression]:
    """Return the laws and their rates, in which `sign` and `choose` occur."""
    laws = [parse(text, names=("t", "p", "z")).bind({"p": 1.7, "z": -0.0}) for text in LAWS]
    return laws + [law.derivative("t") for law in laws]


def test_all_operations_occur() -> None:
    used = {list(LAW_ROW_OPERATIONS)[run["operation"]] for run in laws_in_rows(_laws()).runs}
    assert used == set(LAW_ROW_OPERATIONS)


def _rows_of(*texts: str) -> LawRows:
    return laws_in_rows([parse(text, names=("t", "p")).bind({"p": 0.5}) for text in texts])


def test_what_laws_have_in_common_is_one_row() -> None:
    rows = _rows_of("sin(2*pi*t) + cos(2*pi*t)", "3*cos(2*pi*t)", "tan(2*pi*t)")
    operations = [list(LAW_ROW_OPERATIONS)[run["operation"]] for run in rows.runs]
    assert len(rows.steps) == 5  # the angle, its turn, a sum, a product, a quotient
    assert sorted(operations) == ["*", "*", "+", "/", "turn"]


def test_operations_on_numbers_are_done_beforehand() -> None:
    rows = _rows_of("p*4 + sqrt(2)", "min(p, 0.25)", "t")
    assert not len(rows.steps)
    assert rows.values[rows.results].tolist()[:2] == [2.0 + 2.0**0.5, 0.25]
    assert np.isnan(rows.values[rows.results[2]])  # no time yet


def test_zeros_with_a_sign_are_told_from_those_without() -> None:
    laws = [parse("atan2(p, t - 2)", names=("t", "p")).bind({"p": zero}) for zero in (0.0, -0.0)]
    rows = laws_in_rows(laws)
    assert not np.signbit(rows.values).any()
    assert rows.results[0] != rows.results[1]


@pytest.mark.compiler
@pytest.mark.parametrize("law", ["9*atan2(p, t - 2)", "9*atan2(0*t, p)"])
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
def test_a_parameter_may_be_zero_with_a_sign(method: str, law: str) -> None:
    need("gcc")
    tree = {**_pendulum(law), "parameters": {"p": -0.0}}
    pendulum = symgen.Mechanism.from_dict(tree)
    found, wanted = (
        symgen.simulate(pendulum, method=method, step=0.01, until=0.1, backend=backend).bodies["b"].q
        for backend in ("c", "numpy")
    )
    np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.parametrize("text", ["1/(p - 0.5)", "log(p - 1)", "sqrt(p - 1)", "(p*1e300)*1e300"])
def test_what_has_no_value_is_left_to_the_engine(text: str) -> None:
    assert len(_rows_of(text).steps) == 1


def test_each_row_follows_those_that_it_takes_results_of() -> None:
    rows = laws_in_rows(_laws())
    known = set(range(int(rows.steps["result"].min())))
    for run, first in zip(rows.runs, [0, *rows.runs["end"]], strict=False):
        operation = list(LAW_ROW_OPERATIONS)[run["operation"]]
        for row in rows.steps[first : run["end"]]:
            assert {row[f"argument_{k}"] for k in (1, 2, 3, 4)} <= known
            assert row["result"] not in known
            known |= {row["result"], row["result"] + 1} if operation == TURN else {row["result"]}
    assert known == set(range(len(rows.values)))
    assert rows.runs["end"][-1] == len(rows.steps)


@pytest.mark.compiler
def test_rows_and_text_have_the_same_bits_and_python_s_value(repository: Path, tmp_path: Path) -> None:
    laws = _laws()
    rows = laws_in_rows(laws)
    runs, steps = (
        ", ".join("{" + ", ".join(map(str, row)) + "}" for row in table.tolist()) for table in (rows.runs, rows.steps)
    )
    source = f"""
#include <stdio.h>
#include <string.h>
#include "dynamics_tables.h"
#include "symgen_math.h"
#pragma GCC optimize("fp-contract=off")
#define LAWS {len(laws)}
#define LAW_RUNS {len(rows.runs)}
static law_run LAW_RUN[] = {{{runs}}};
static law_step LAW_STEP[] = {{{steps}}};
static double LAW_VALUE[] = {{{", ".join(["NAN", *map(repr, rows.values.tolist()[1:])])}}};
static int LAW_RESULT[] = {{{", ".join(map(str, rows.results.tolist()))}}};
#include "dynamics_laws.h"
static void find_by_text(double t, double *law)
{{
{chr(10).join(laws_in_c(laws))}
}}
int main(void)
{{
    const double times[] = {{{", ".join(map(repr, TIMES))}}};
    double one[LAWS], two[LAWS];
    for (int i = 0; i < {len(TIMES)}; ++i) {{
        find_laws(times[i], one);
        find_laws(times[i], one); /* found before */
        find_by_text(times[i], two);
        for (int k = 0; k < LAWS; ++k) {{
            printf("%d %.17g\\n", memcmp(one + k, two + k, sizeof(double)), one[k]);
        }}
    }}
    return 0;
}}
"""
    file, program = tmp_path / "laws.c", tmp_path / "laws"
    file.write_text(source)
    include = f"-I{repository / 'generated' / 'dynamics'}"
    subprocess.run([need("gcc"), "-std=c99", "-O2", include, str(file), "-o", str(program), "-lm"], check=True)
    said = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    found = np.array([line.split() for line in said], dtype=np.float64).reshape(len(TIMES), len(laws), 2)
    assert not found[..., 0].any()
    wanted = [[law.evaluate({"t": time}) for law in laws] for time in TIMES]
    # sines and angles are our own in C: within a few roundings of Python's
    np.testing.assert_allclose(found[..., 1], wanted, rtol=1e-14, atol=1e-15)


@pytest.mark.compiler
@pytest.mark.parametrize("method", ["dimcd", "variational", "riccati"])
@pytest.mark.parametrize(("of", "law"), [("drive", "2*t"), ("force", "-t"), ("force", "cos(t)")])
def test_an_operation_that_no_engine_knows_gives_no_numbers(
    method: str, of: str, law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong table ends the run: the law has no value, as one with a pole."""
    need("gcc")

    def wrong(laws: Sequence[Expression]) -> LawRows:
        rows = laws_in_rows(laws)
        rows.runs["operation"] = len(LAW_ROW_OPERATIONS)
        return rows

    monkeypatch.setattr("symgen.simulate.tables.problem_text.laws_in_rows", wrong)
    tree = _pendulum(law)
    tree["bodies"]["b"]["com"] = [1.0, 0.0, 0.0]  # so large that laws have no factor
    if of == "drive":
        del tree["forces"]
        tree["joints"]["A"]["driven"], tree["drives"] = 1, {"A": law}
    motion = symgen.simulate(symgen.Mechanism.from_dict(tree), method=method, step=0.01, until=0.1, backend="c")
    assert motion.run.failure is not None
    assert motion.run.failure.status == Status.BAD_INPUT
    assert not len(motion.times)


def _pendulum(law: str) -> dict[str, Any]:
    """Return a body on a pin with a force whose third component follows a law."""
    arm = {"mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": [0.01, 0.1, 0.1, 0.0, 0.0, 0.0]}
    return {
        "schema": "symgen/mechanism/1", "name": "pendulum", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
        "bodies": {"b": arm},
        "joints": {"A": {"type": "R", "bodies": ["ground", "b"], "at": [0.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0]}},
        "forces": {"f": {"kind": "force", "body": "b", "at": [0.5, 0.0, 0.0], "value": ["0", "0", law]}},
    }  # fmt: skip


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
def test_a_pole_between_steps_that_are_summed_up_is_named(method: str, backend: str) -> None:
    """0.09 + 0.01 is not 0.1, where the engine asks for the law: it adds up steps otherwise."""
    if backend == "c":
        need("gcc")
    pendulum = symgen.Mechanism.from_dict(_pendulum("log(2+t)/(t-0.1)"))
    motion = symgen.simulate(pendulum, method=method, step=0.01, until=0.2, backend=backend)
    assert not motion.ok
    assert motion.run.failure.time == pytest.approx(0.09)
    assert "forces.f.value[2]" in motion.run.failure.message
    assert "division of" in motion.run.failure.message
