"""Driven freedoms: which are meant, what laws they have, what is refused or missing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism


def one_driven(code: str, driven: Any, drives: dict[str, Any] | None = None, **parameters: Any) -> Mechanism:
    return Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1",
            "space": "spatial",
            "parameters": parameters,
            "bodies": {"a": {}},
            "joints": {"A": {"type": code, "bodies": ["ground", "a"], "driven": driven}},
            "drives": drives or {},
        }
    )


@pytest.mark.parametrize(
    ("code", "driven", "drives", "names"),
    [
        ("R", 0, {}, ()),
        ("R", 1, {}, ("angle",)),
        ("R", "2 - 1", {}, ("angle",)),
        ("C", 2, {}, ("slide", "angle")),
        ("C", 1, {}, None),
        ("C", ["angle"], {}, ("angle",)),
        ("C", ["angle", "slide"], {}, ("slide", "angle")),
        ("C", 1, {"A.angle": 0}, ("angle",)),
        ("S", 2, {"A.roll": 0, "A.yaw": 0}, ("yaw", "roll")),
        ("S", 2, {"A.roll": 0}, None),
        ("U", 1, {"A": {"angle2": 0}}, ("angle2",)),
        ("F", 6, {}, ("x", "y", "z", "yaw", "pitch", "roll")),
        ("EO", 1, {}, None),
        ("EO", 0, {}, ()),
        ("W", 0, {}, ()),
    ],
)
def test_driven_freedoms_are_known_if_named_or_all_or_given_laws(
    code: str, driven: Any, drives: dict[str, Any], names: tuple[str, ...] | None
) -> None:
    joint = one_driven(code, driven, drives).joints[0]
    assert joint.driven_freedoms == names
    assert joint.driven == (len(names) if names is not None else driven)


def test_a_law_has_its_exact_rate_and_acceleration() -> None:
    mechanism = one_driven("R", 1, {"A": "amp*sin(w*t)"}, amp=0.3, w="2*pi")
    law = mechanism.drives["A", "angle"]
    times = np.linspace(0.0, 2.0, 12).reshape(3, 4)
    value, rate, acceleration = law.evaluate(times)
    w = 2 * math.pi
    # arguments up to 4 pi: sine and cosine lose two bits there
    np.testing.assert_allclose(value, 0.3 * np.sin(w * times), atol=1e-14)
    np.testing.assert_allclose(rate, 0.3 * w * np.cos(w * times), atol=1e-13)
    np.testing.assert_allclose(acceleration, -0.3 * w**2 * np.sin(w * times), atol=1e-12)
    assert value.shape == rate.shape == acceleration.shape == (3, 4)


def test_a_constant_law_fills_the_shape_of_the_times() -> None:
    value, rate, acceleration = one_driven("R", 1, {"A": 0.25}).drives["A", "angle"].evaluate(np.zeros(5))
    assert value.tolist() == [0.25] * 5
    assert rate.tolist() == acceleration.tolist() == [0.0] * 5
    assert [part.shape for part in one_driven("R", 1, {"A": "t"}).drives["A", "angle"].evaluate(1.0)] == [()] * 3


def test_a_law_outside_its_domain_names_law_and_time() -> None:
    law = one_driven("R", 1, {"A": "sqrt(t)"}).drives["A", "angle"]
    with pytest.raises(MechanismError, match=r"drives\.A: value: .*sqrt\(-1\).*at t = -1"):
        law.evaluate([1.0, -1.0])
    with pytest.raises(MechanismError, match=r"drives\.A: rate: .*division of 1 by zero"):
        law.evaluate([0.0, 1.0])


@pytest.mark.parametrize(
    ("code", "driven", "drives", "field", "words"),
    [
        ("R", 0, {"A": "t"}, "drives.A", 'has no driven freedom; write driven = 1 or driven = ["angle"] in joints.A'),
        ("W", 0, {"A": "t"}, "drives.A", "has no driven freedom; leave the law out"),
        ("R", 1, {"B": "t"}, "drives.B", 'no joint has the id "B"; joints are A'),
        ("R", 1, {"A.angel": "t"}, "drives.A.angel", 'has no freedom "angel"; did you mean "angle"?'),
        ("C", 2, {"A": "t"}, "drives.A", 'give each its law: "A.slide", "A.angle"'),
        ("C", 1, {"A": "t"}, "drives.A", "does not say which of slide, angle"),
        ("C", 1, {"A.slide": "t", "A.angle": "t"}, "drives.A", "2 laws are given"),
        ("C", ["slide"], {"A.angle": "t"}, "drives.A.angle", "not driven; driven are slide"),
        ("R", 1, {"A": "t", "A.angle": "t"}, "drives.A", "given twice"),
        ("C", 1, {"A.angle": "t", "A": {"angle": "t"}}, "drives.A.angle", "given twice"),
        ("EO", 1, {"A": "t"}, "drives.A", "have no names"),
        ("R", 1, {"A": "2*T"}, "drives.A", 'unknown name "T"; did you mean "t"?'),
        ("R", 1, {"A": float("nan")}, "drives.A", "finite"),
        ("R", 2, {}, "joints.A.driven", "whole number from 0 to 1, found 2; R has 1 freedom (angle)"),
        ("R", -1, {}, "joints.A.driven", "whole number"),
        ("C", 0.5, {}, "joints.A.driven", "whole number"),
        ("R", True, {}, "joints.A.driven", "truth value"),
        ("R", "angle", {}, "joints.A.driven", 'write ["angle"]'),
        ("C", ["angel"], {}, "joints.A.driven[0]", 'did you mean "angle"?'),
        ("C", ["angle", "angle"], {}, "joints.A.driven[1]", "named twice"),
        ("EO", ["x"], {}, "joints.A.driven", "have no names; give a count"),
    ],
)
def test_what_fits_no_driven_freedom_is_refused(
    code: str, driven: Any, drives: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(MechanismError) as caught:
        one_driven(code, driven, drives)
    assert caught.value.field == field
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("code", "driven", "drives", "words"),
    [
        ("R", 1, {}, 'driven angle has no law; write under [drives]: A = "..."'),
        ("C", 2, {"A.slide": 0}, 'driven angle has no law; write under [drives]: "A.angle" = "..."'),
        ("C", 1, {}, "does not say which of slide, angle; name them"),
        ("EO", 1, {}, "known to the structural analysis only"),
    ],
)
def test_missing_laws_are_named_when_they_are_needed(
    code: str, driven: Any, drives: dict[str, Any], words: str
) -> None:
    mechanism = one_driven(code, driven, drives)  # structure needs no laws
    with pytest.raises(MechanismError) as caught:
        mechanism.require_drives()
    assert caught.value.field == "joints.A"
    assert words in str(caught.value)


def test_no_law_is_missing_where_all_are_given() -> None:
    one_driven("R", 1, {"A": "t"}).require_drives()
    one_driven("C", 2, {"A.angle": 1, "A.slide": 2}).require_drives()
    one_driven("EO", 0).require_drives()
