"""What --show prints can be put together again: the whole object, run as Python and as C, is what is derived."""

from __future__ import annotations

import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgen.algebra import at, ratio, replace
from symgen.check.catalogue import derived_objects
from symgen.check.shown import commented, entries_as, proof_line
from symgen.cli.main import main
from symgen.derive.derived_object import DerivedObject
from symgen.ir.nodes import Level
from symgen.printers.latex import latex
from symgen.proofs import Proof

#: A matrix with entries that are 0 and 1, a vector of steps, a scalar, a matrix without steps.
NAMES = ["exponential_turn", "angular_velocity_world", "central_velocity", "rotation_matrix_quaternion"]


def _point(found: DerivedObject) -> dict[str, float]:
    elements = [element for argument in found.arguments for element in argument.elements]
    return {element: (k + 2) / 8 for k, element in enumerate(elements)}


def _wanted(found: DerivedObject) -> list[float]:
    exact = {name: ratio(*Fraction(value).as_integer_ratio()) for name, value in _point(found).items()}
    return [float(at(replace(entry, exact), {})) for entry in found.formula]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_the_python_of_an_object_gives_the_object(name: str) -> None:
    found = derived_objects()[name]
    scope: dict[str, Any] = {"np": np, **_point(found)}
    exec("\n".join(entries_as(found, "python")), scope)  # noqa: S102 - our own text
    whole = scope[name] if name in scope else scope[f"{name}_whole"]
    assert np.shape(whole) == found.shape
    assert np.ravel(whole) == pytest.approx(_wanted(found), rel=1e-14, abs=1e-14)


def test_the_c_of_an_object_gives_the_object(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    found = derived_objects()["exponential_turn"]
    letters = "".join(f"const double {name} = {value};\n" for name, value in _point(found).items())
    body = "\n".join([*commented(["a title"], "c"), *entries_as(found, "c")])
    prints = 'const double *p = &exponential_turn[0][0]; for (int k = 0; k < 16; ++k) printf("%.17g\\n", p[k]);'
    source = tmp_path / "shown.c"
    source.write_text(
        f"#include <math.h>\n#include <stdio.h>\nint main(void) {{\n{letters}{body}\n{prints}\nreturn 0;\n}}\n"
    )
    subprocess.run([compiler, "-std=c99", "-o", tmp_path / "shown", source, "-lm"], check=True)
    told = subprocess.run([tmp_path / "shown"], check=True, capture_output=True, text=True).stdout
    assert list(map(float, told.split())) == pytest.approx(_wanted(found), rel=1e-14, abs=1e-14)


def test_text_has_every_entry_at_its_place() -> None:
    lines = entries_as(derived_objects()["exponential_turn"], "text")
    places = [match[0] for line in lines if (match := re.match(r"entry \[(\d), (\d)\]", line))]
    assert places == [f"entry [{j}, {k}]" for j in range(4) for k in range(4)]
    assert lines[-1] == "entry [3, 3] = 1"
    assert lines[-2] == "entry [3, 2] = 0"
    assert not any(line.startswith("entry_") for line in lines)


def test_latex_has_the_matrix_and_the_larger_of_two() -> None:
    lines = entries_as(derived_objects()["exponential_turn"], "latex")
    assert lines[-1].count("&") == 12
    assert r"0 & 0 & 0 & 1 \end{bmatrix}" in lines[-1]
    from symgen.algebra import positive_part, sqrt, symbol

    assert latex(sqrt(positive_part(symbol("x")))) == r"\sqrt{\max(x, 0)}"
    assert latex(positive_part(symbol("x")) ** 2) == r"\max(x, 0)^{2}"


@pytest.mark.parametrize(("form", "mark"), [("latex", "% "), ("python", "# "), ("c", "// ")])
def test_what_is_no_formula_is_a_comment(form: str, mark: str, capsys: Any) -> None:
    assert main(["check", "--show", "rotation_matrix_quaternion", "--as", form]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{mark}rotation_matrix_quaternion: ")
    assert lines[-1].startswith(f"{mark}proved: ")
    assert all(line.startswith(mark) or "=" in line for line in lines)


def test_only_symbolic_proofs_are_called_proofs() -> None:
    level: Level = "position"
    assert proof_line(Proof("a", "x = y", "symbolic", "0", level, None)) == "proved: x = y (symbolic)"
    line = proof_line(Proof("a", "x = y", "50-digit residual at 8 random points", "1e-40", level, None))
    assert line == "checked: x = y (50-digit residual at 8 random points)"
