"""Couplings and limits: every kind is read with its numbers; what cannot be meant is refused with its place."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symgen.errors import MechanismError
from symgen.model.couplings import Belt, Gear, Rack, Relation
from symgen.model.load import parse_text
from symgen.model.mechanism import Mechanism
from symgen.model.write import write_mechanism

HEAD = """
schema = "symgen/mechanism/1"
space = "spatial"
[parameters]
ratio = 2.5
B = 7.0
[bodies]
arm = {}
sun = {}
planet = {}
slider = {}
ball = {}
[joints]
A = { type = "R", bodies = ["ground", "sun"] }
1-2 = { type = "R", bodies = ["arm", "planet"] }
arm = { type = "R", bodies = ["ground", "arm"] }
P = { type = "P", bodies = ["ground", "slider"] }
S = { type = "S", bodies = ["ground", "ball"] }
C = { type = "C", bodies = ["slider", "ball"] }
x-A = { type = "F", bodies = ["ground", "planet"] }
"""


def read(text: str) -> Mechanism:
    return Mechanism.from_dict(parse_text(HEAD + text, ".toml"))


def relation(text: str) -> Relation:
    (found,) = read(f"[couplings.c]\nrelation = {text!r}").couplings
    assert isinstance(found, Relation)
    return found


@pytest.mark.parametrize(
    ("text", "terms", "offset"),
    [
        ("A.angle = -ratio*arm.angle", {("A", "angle"): 1.0, ("arm", "angle"): 2.5}, 0.0),
        ("A.angle - 1 = 2*(P.slide/4 + 3)", {("A", "angle"): 1.0, ("P", "slide"): -0.5}, -7.0),
        ("A.angle + A.angle - S.yaw = 0", {("A", "angle"): 2.0, ("S", "yaw"): -1.0}, 0.0),
        ("1-2.angle=2-1-2.angle", {("1-2", "angle"): 2.0}, -2.0),  # an id holds a minus where a joint has that id
        ("B-A.angle = 0", {("A", "angle"): -1.0}, 7.0),  # no joint is called B-A: B is the parameter
        ("x-A.yaw = sqrt(4)*x-A.x", {("x-A", "yaw"): 1.0, ("x-A", "x"): -2.0}, 0.0),
        ("A.angle = 2.e0*P.slide + 1.5e1", {("A", "angle"): 1.0, ("P", "slide"): -2.0}, -15.0),
        ("A.angle = pi", {("A", "angle"): 1.0}, -math.pi),
    ],
)
def test_a_relation_is_its_coefficients(text: str, terms: dict[tuple[str, str], float], offset: float) -> None:
    found = relation(text)
    assert dict(found.terms) == pytest.approx(terms)
    assert found.offset == pytest.approx(offset)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4))
def test_an_affine_form_comes_back_from_its_text(numbers: list[float]) -> None:
    a, b, c, d = numbers
    text = f"{a!r}*A.angle + ({b!r})*P.slide = ({c!r})*C.slide - ({d!r})"
    if not (a or b or c):
        return
    found = relation(text)
    given = {("A", "angle"): a, ("P", "slide"): b, ("C", "slide"): -c}
    assert dict(found.terms) == {key: value for key, value in given.items() if value}
    assert found.offset == d


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A.angle", 'must be one equation, such as "A.angle = -2.1-2.angle"; found "A.angle"'),
        ("A.angle == P.slide", "must be one equation"),
        ("1 = 1", "names no joint coordinate"),
        ("A.angle = A.angle", "the coordinates cancel"),
        ("A.angle = P.slide**2", r"must be affine .* over P\.slide varies"),
        ("A.angle*P.slide = 1", "must be affine"),
        ("sin(A.angle) = 0", "must be affine"),
        ("min(A.angle, 1) = 0", "must be affine"),
        ("A.angle = 1/0", "division of 1 by zero"),
        ("A.angle = P.slide/(ratio - 2.5)", "by zero"),
        ("A.angle = 2*t", r"the time t may only be used in the laws"),
        ("A.angle = -arm", '"arm" is a joint; a coordinate names its freedom too: arm.angle'),
        ("A.angle = rato*P.slide", 'character 2: unknown name "rato"; did you mean "ratio"'),
        ("A.angel = 1", 'joint "A" \\(R\\) has no freedom "angel"; did you mean "angle"'),
        ("Q.angle = 1", 'no joint has the id "Q"; joints are'),
        ("A.angle = 2 P.slide", r'operator is missing before "P\.slide"'),
        ("A.angle = __import__('os')", "cannot be read here"),
        ("A.angle = P.slide.real", "cannot be read here"),
        ("A.angle = " + "(" * 300 + "1", "nested too deep"),
        ("a" * 5000 + " = 1", "at most 4000"),
    ],
)
def test_what_is_no_relation_is_refused(text: str, words: str) -> None:
    with pytest.raises(MechanismError, match=words) as refusal:
        relation(text)
    assert refusal.value.field == "couplings.c.relation"


def test_the_kinds_of_couplings_keep_their_numbers() -> None:
    found = read(
        """
        [couplings.mesh]
        kind = "gear"
        joints = ["A", "1-2"]
        teeth = [20, "2*20"]
        mesh = "external"
        carrier = "arm"
        [couplings.ring]
        kind = "gear"
        joints = ["A", "arm"]
        teeth = [20, 60]
        mesh = "internal"
        [couplings.rack]
        kind = "rack"
        joints = ["A", "P"]
        radius = "ratio/100"
        [couplings.belt]
        kind = "belt"
        joints = ["A", "arm"]
        radii = [0.1, 0.05]
        crossed = true
        """
    )
    assert found.couplings == (
        Gear("mesh", ("A", "1-2"), (20, 40), "external", "arm"),
        Gear("ring", ("A", "arm"), (20, 60), "internal"),
        Rack("rack", ("A", "P"), 0.025),
        Belt("belt", ("A", "arm"), (0.1, 0.05), True),
    )
    for suffix in (".toml", ".json"):
        assert Mechanism.from_dict(parse_text(write_mechanism(found, suffix), suffix)) == found  # type: ignore[arg-type]


GEAR = {"kind": "gear", "joints": ["A", "arm"], "teeth": [20, 40], "mesh": "external"}
RACK = {"kind": "rack", "joints": ["A", "P"], "radius": 0.02}
BELT = {"kind": "belt", "joints": ["A", "arm"], "radii": [0.1, 0.05], "crossed": False}


@pytest.mark.parametrize(
    ("coupling", "words"),
    [
        ({}, '"kind" is missing; one of gear, rack, belt; or give relation instead'),
        ({"kind": "chain"}, "kind: must be one of gear, rack, belt"),
        ({**GEAR, "relation": "A.angle = 1"}, "relation: unknown key"),
        ({"kind": "gear", "joints": ["A", "arm"], "teeth": [20, 40]}, '"mesh" is missing'),
        ({**GEAR, "mesh": "inner"}, 'mesh: found "inner"'),
        ({**GEAR, "teeth": [20]}, "teeth: must have 2 entries"),
        ({**GEAR, "teeth": [20, 0]}, r"teeth\[1\]: must be a whole number of teeth, found 0"),
        ({**GEAR, "teeth": [20.5, 40]}, r"teeth\[0\]: must be a whole number of teeth, found 20.5"),
        ({**GEAR, "mesh": "internal", "teeth": [30, 30]}, "the ring of an internal mesh has more teeth"),
        ({**GEAR, "joints": ["A", "A"]}, 'joint "A" is given twice; a gear couples two joints'),
        (
            {**GEAR, "joints": ["A", "P"]},
            r'joints\[1\]: joint "P" is a P; the second joint of a gear is one of',
        ),
        ({**GEAR, "joints": ["A", "amr"]}, 'no joint has the id "amr"; did you mean "arm"'),
        (
            {**GEAR, "joints": ["A", "1-2"]},
            'joints "A" and "1-2" have no body in common; name the body',
        ),
        ({**GEAR, "carrier": "amr"}, 'no body has the id "amr"; did you mean "arm"'),
        ({**GEAR, "carrier": "ball"}, '"ball" holds neither wheel'),
        ({**RACK, "joints": ["P", "A"]}, "write the wheel first, then the rack"),
        ({**RACK, "radius": -0.02}, "radius: must be greater than 0 m, found -0.02"),
        ({**BELT, "radii": [0.1, "ratio - 2.5"]}, r"radii\[1\]: must be greater than 0 m"),
        ({**BELT, "crossed": "yes"}, "crossed: must be true or false"),
        ({**BELT, "crossed": 1}, "crossed: must be true or false"),
    ],
)
def test_what_is_no_coupling_is_refused(coupling: dict[str, Any], words: str) -> None:
    tree = parse_text(HEAD, ".toml")
    with pytest.raises(MechanismError, match=words) as refusal:
        Mechanism.from_dict({**tree, "couplings": {"c": coupling}})
    assert (refusal.value.field or "").startswith("couplings.c")


def test_bevel_wheels_are_spatial() -> None:
    joints = {name: {"type": "R", "bodies": ["ground", name], "at": [0, 0]} for name in "ab"}
    tree = {"schema": "symgen/mechanism/1", "space": "planar", "bodies": {"a": {}, "b": {}}, "joints": joints}
    gear = {**GEAR, "joints": ["a", "b"], "mesh": "bevel"}
    with pytest.raises(MechanismError, match="axes of bevel wheels meet"):
        Mechanism.from_dict({**tree, "couplings": {"c": gear}})
    assert Mechanism.from_dict({**tree, "couplings": {"c": {**gear, "mesh": "external"}}}).couplings


def test_limits_may_be_written_with_quotes_or_as_a_table() -> None:
    found = read('[limits]\n"A.angle" = [-1, "ratio"]\nC.slide = [0, 1]\nC.angle = [-3, 3]\n1-2.angle = [-0.5, 0.5]')
    assert found.limits == {
        ("A", "angle"): (-1.0, 2.5),
        ("C", "slide"): (0.0, 1.0),
        ("C", "angle"): (-3.0, 3.0),
        ("1-2", "angle"): (-0.5, 0.5),
    }
    for suffix in (".toml", ".json"):
        assert Mechanism.from_dict(parse_text(write_mechanism(found, suffix), suffix)) == found  # type: ignore[arg-type]
    assert found != read("")
    assert found.with_parameters(ratio=3.0).limits["A", "angle"] == (-1.0, 3.0)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ("A = [0, 1]", r'limits\.A: does not say which freedom of joint "A" is limited; write "A.angle"'),
        ('"A.angle" = [1, -1]', r"limits\.A\.angle: the first must be below the second, found \[1, -1\]"),
        ('"A.angle" = [1, 1]', "of type W, or driven by a number"),
        ('"A.angle" = [1]', "must have 2 entries"),
        ('"A.angle" = 1', "must be two numbers, or a table by freedom"),
        ('"A.angle" = [0, "inf"]', 'unknown name "inf"'),
        ('"A.slide" = [0, 1]', 'joint "A" \\(R\\) has no freedom "slide"'),
        ('"Q.angle" = [0, 1]', 'no joint has the id "Q"'),
        ('"A.angle" = [0, 1]\nA.angle = [0, 2]', "given twice"),
    ],
)
def test_what_is_no_limit_is_refused(limits: str, words: str) -> None:
    with pytest.raises(MechanismError, match=words):
        read(f"[limits]\n{limits}")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="A1P-2.angleslide =+*()0e x,rto", max_size=40))
def test_any_text_is_a_relation_or_a_refusal(text: str) -> None:
    try:
        relation(text)
    except MechanismError as error:
        refused = str(error)
    else:
        return
    assert refused.startswith("couplings.c.relation: ")
