"""The catalogue: general families, and every step of the solved types; proofs of what stands behind them."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from check.test_verdicts import _number

from symgen.check.catalogue import derived_objects, families, general_families
from symgen.check.claims import claims_of
from symgen.check.examine import examine
from symgen.cli.main import main
from symgen.derive.derived_object import DerivedObject
from symgen.proofs import prove

DOCS = Path(__file__).parents[2] / "docs"


def _values(found: DerivedObject, numbers: dict[str, Any]) -> list[Any]:
    return [_number(entry, numbers) for entry in found.formula]


def _random_numbers(found: DerivedObject, random_of: random.Random) -> dict[str, Any]:
    """Numbers for all arguments; signs and vectors of unit length are."""
    numbers: dict[str, Any] = {}
    for argument in found.arguments:
        values = [mpmath.mpf(random_of.uniform(0.5, 2.0)) for _ in argument.elements]
        if argument.elements[0] in found.given:
            size = mpmath.sqrt(sum(v * v for v in values))
            values = [v / size for v in values]
        numbers.update(zip(argument.elements, values, strict=True))
    return numbers


SMALL = [name for family in ("loops", "structure", "reactions") for name in derived_objects().family(family)]


@pytest.mark.parametrize("name", SMALL)
def test_objects_of_small_families_are_proved(name: str) -> None:
    found = derived_objects()[name]
    proofs = prove(found.derivation)
    assert proofs
    assert all(proof.method == "symbolic" for proof in proofs)


def test_exponentials_are_matrix_exponentials() -> None:
    """By the power series of mpmath: another road than quaternions."""
    random_of = random.Random(5)
    with mpmath.workdps(40):
        for kind in ("turn", "slide", "helical"):
            found, screw = (derived_objects()[f"{word}_{kind}"] for word in ("exponential", "screw"))
            numbers = _random_numbers(found, random_of)
            v, w = np.split(np.array(_values(screw, numbers)), 2)
            wedge = mpmath.matrix([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0] * 4])
            for one, two in zip(_values(found, numbers), mpmath.expm(wedge * numbers["q"]), strict=True):
                assert abs(one - two) < 1e-30


def test_adjoints_carry_screws_as_matrices_do() -> None:
    random_of = random.Random(6)
    found, after = derived_objects()["adjoint"], derived_objects()["screw_after"]
    with mpmath.workdps(40):
        numbers = _random_numbers(after, random_of)
        matrix = np.array(_values(found, numbers)).reshape(6, 6)
        screw = np.array([numbers[f"screw_{k}"] for k in range(6)])
        assert all(abs(d) < 1e-30 for d in matrix @ screw - np.array(_values(after, numbers)))


@pytest.mark.slow
def test_every_solved_type_has_its_steps() -> None:
    catalogue = derived_objects()
    for family in families():
        if family in general_families():
            continue
        objects = catalogue.family(family)
        assert objects, family
        for name, found in objects.items():
            assert name.startswith(f"{family}_")
            assert catalogue[name] is found
            assert len(found.entries) == int(np.prod(found.shape)) if found.shape else 1


def test_steps_of_a_dyad_are_its_solution() -> None:
    """The inner centre has both distances, and its velocity is that of both links, by differences."""
    catalogue = derived_objects()
    moving = ("a_x", "a_y", "b_x", "b_y")
    with mpmath.workdps(40):
        for sign in (1, -1):
            given = {"a_x": 0, "a_y": 0.1, "b_x": 1.3, "b_y": -0.2, "l_a": 0.9, "l_b": 1.1, "sigma": sign,
                     "v_a_x": 0.3, "v_a_y": -0.7, "v_b_x": 0.2, "v_b_y": 0.5}  # fmt: skip
            numbers = {name: mpmath.mpf(str(value)) for name, value in given.items()}
            place = _values(catalogue["dyad_rrr_p"], numbers)
            for centre, length in (("a", "l_a"), ("b", "l_b")):
                arm = [p - numbers[f"{centre}_{axis}"] for p, axis in zip(place, "xy", strict=True)]
                assert abs(sum(x * x for x in arm) - numbers[length] ** 2) < 1e-35
            h = mpmath.mpf("1e-12")
            ahead, behind = (
                _values(catalogue["dyad_rrr_p"], numbers | {c: numbers[c] + s * h * numbers[f"v_{c}"] for c in moving})
                for s in (1, -1)
            )
            for one, two, rate in zip(ahead, behind, _values(catalogue["dyad_rrr_v_p"], numbers), strict=True):
                assert abs((one - two) / (2 * h) - rate) < 1e-20  # the square of the step


@pytest.mark.slow
def test_claims_of_the_documentation_hold_and_slips_do_not() -> None:
    text = (DOCS / "checking.md").read_text(encoding="utf-8")
    block = next(part for part in text.split("```toml")[1:] if "dyad_rrr" in part).split("```")[0]
    tree = tomllib.loads(block)
    for claim in claims_of(tree, "docs").claims:
        assert examine(claim).verdict == "holds", claim.id
    for row, slip in zip(tree["claim"], (("4*l_a", "2*l_a"), ("h*[", "2*h*["), ("dot(v_b", "-dot(v_b")), strict=True):
        row["printed"] = row["printed"].replace(*slip)
    for claim in claims_of(tree, "docs").claims:
        assert examine(claim).verdict == "fails", claim.id


def test_steps_that_are_kept_as_names_decide_nothing_by_themselves() -> None:
    """Equal only because of what the steps are: nothing is known of them while they are names."""
    claim = {"id": "one", "object": "dyad_rrr_det", "printed": "dyad_rrr_area(a, b, l_a, l_b, sigma)"}
    twice: dict[str, Any] = {
        "id": "two", "object": "dyad_rrr_area2", "printed": "dyad_rrr_area(a, b, l_a, l_b, sigma)**2",
        "letters": {"sigma": []}, "given": ["sigma**2 = 1"],
    }  # fmt: skip
    off = {"id": "off", "object": "dyad_rrr_to_stretched", "printed": "dyad_rrr_total(l_a, l_b)**2"}
    tree = {"schema": "symgen/claims/1", "claim": [claim, twice, off]}
    found = [examine(each).verdict for each in claims_of(tree, "claims.toml").claims]
    assert found == ["holds", "holds", "fails"]


def test_names_that_are_near_are_suggested() -> None:
    assert "dyad_rrr_area2" in derived_objects().near("dyad_rrr_aera2")
    assert "central_velocity" in derived_objects().near("central_velocty")


@pytest.mark.slow
def test_a_family_has_the_name_of_its_module_or_its_signature(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for name in ("dyad_rrr", "R.R.R 2D"):
        assert main(["check", "--list", "--family", name]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert "dyad_rrr_area2" in printed[0]
    assert main(["check", "--list", "--family", "X.X.X 2D"]) == 2
    assert "is not a family" in capsys.readouterr().err
