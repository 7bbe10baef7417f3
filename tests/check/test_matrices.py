"""Parts and determinants of matrices in formulas; objects of transfer matrices are derived by groups."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction
from typing import Any

import pytest
import sympy

from symgen.check.catalogue import derived_objects
from symgen.check.claims import claims_of
from symgen.check.examine import examine
from symgen.derive.transfer import objects as transfer
from symgen.derive.transfer.kernels import GROUPS
from symgen.errors import MechanismError


def _verdict(printed: Any, equals: Any, **letters: list[int]) -> str:
    row = {"id": "one", "printed": printed, "equals": equals, "letters": letters}
    return examine(claims_of({"schema": "symgen/claims/1", "claim": [row]}, "claims.toml").claims[0]).verdict


def _rows(size: int, rng: random.Random, zeros: float) -> list[list[str]]:
    one = [Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for _ in range(size * size)]
    return [[str(0 if rng.random() < zeros else v) for v in one[size * k : size * (k + 1)]] for k in range(size)]


@pytest.mark.parametrize(("size", "zeros"), [(2, 0), (5, 0), (7, 0), (10, 0.7), (13, 0.8)])
def test_determinants_are_those_of_elimination(size: int, zeros: float) -> None:
    rows = _rows(size, random.Random(size), zeros)
    expected = sympy.Matrix([[sympy.Rational(v) for v in row] for row in rows]).det(method="lu")
    text = "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"
    assert _verdict(f"det({text})", str(expected)) == "holds"
    assert _verdict(f"det({text})", f"{expected} + 1") == "fails"


def test_inverses_of_more_than_four_rows() -> None:
    rows = _rows(6, random.Random(1), 0.3)
    text = "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"
    assert _verdict(f"{text}*inverse({text})", "identity(6)") == "holds"


def test_parts_of_matrices() -> None:
    assert _verdict("block(A, 1, 0, 2, 3)", [[f"A[{j}, {k}]" for k in range(3)] for j in (1, 2)], A=[4, 5]) == "holds"
    assert _verdict("rows(flat(A), 4)", "A", A=[4, 5]) == "holds"
    assert _verdict("from_lower(v)", [["v[0]", "v[1]"], ["v[1]", "v[2]"]], v=[3]) == "holds"
    assert _verdict("lower(from_lower(v))", "v", v=[21]) == "holds"
    assert _verdict("factorial(5)/factorial(0)", "120") == "holds"
    assert _verdict("hinge_effort_1(h, w)", "[h[0]*w[3] + h[1]*w[4] + h[2]*w[5] + h[3]*w[0] + h[4]*w[1] + h[5]*w[2]]",
                    h=[6], w=[6]) == "holds"  # fmt: skip
    assert _verdict("block(A, 3, 0, 2, 3)", "1", A=[4, 5]) == "fails"  # there is no such block: sizes


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("block(A, 0, 0, 2)", "write block"),
        ("block(A, 0, 0, 0, 1)", "write block"),
        ("rows(A[0], 1/2)", "write rows"),
        ("factorial(1/2)", "a whole number from 0"),
        ("factorial(101)", "a whole number from 0"),
        ("det(identity(17))", "at most 16"),
        ("det(B)", "more than 6000 products"),
        ("inverse(identity(7))", "at most 6"),
    ],
)
def test_what_cannot_be_written_out_is_refused(printed: str, said: str) -> None:
    with pytest.raises(MechanismError, match=said):
        _verdict(printed, "1", A=[4, 5], B=[8, 8])


def test_a_hinge_does_not_derive_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    def dear() -> Any:
        raise AssertionError("derived though the name cannot be in this group")

    only = [g if "hinge_" in g.names else dataclasses.replace(g, derive=dear) for g in GROUPS]
    monkeypatch.setattr(transfer, "GROUPS", only)
    objects = transfer.objects()
    assert objects["hinge_revolute_h"].shape == (6, 1)
    assert "hinge_fixed_h" in objects
    assert "no_such_object" not in objects


@pytest.mark.slow
def test_all_objects_of_transfer_matrices_are_found_by_their_names() -> None:
    objects = derived_objects().family("transfer")
    assert len(objects) == len(set(objects)) > 300
    assert "riccati_hinge_2_n" not in set(objects)  # a step: by its name only
    for name in objects:
        assert objects[name].name == name
    for group in GROUPS:
        assert all(d.name.startswith(group.names) for d in group.derive())


def test_steps_of_kernels_are_objects() -> None:
    """They are names for those who state a claim in small steps."""
    claim = {
        "id": "one",
        "object": "riccati_hinge_2_di",
        "printed": "lower(inverse(-from_lower(riccati_hinge_2_n(ps, h))))",
    }
    (asked,) = claims_of({"schema": "symgen/claims/1", "claim": [claim]}, "claims.toml").claims
    assert examine(asked).verdict == "holds"
