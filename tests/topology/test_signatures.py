"""Signatures are equal exactly for isomorphic groups; readable names are read back."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanisms_for_structure import plain

from symgen.errors import InputError
from symgen.model.pairs import PAIR_TYPES
from symgen.topology.analysis import analyse
from symgen.topology.signatures import Bond, GroupShape, parse_signature, signature_of, type_name

CODES = ["R", "P", "C", "S"]


def _random_shape(draw: random.Random, bodies: int, codes=("R", "S")) -> GroupShape:
    outer = tuple(
        tuple(Bond(draw.choice(codes), draw.choice([0, 0, 1])) for _ in range(draw.randint(0, 2)))
        for _ in range(bodies)
    )
    inner = tuple(
        (first, second, Bond(draw.choice(codes), draw.choice([0, 0, 1])))
        for first in range(bodies)
        for second in range(first + 1, bodies)
        if draw.random() < 0.5
    )
    return GroupShape("spatial", outer, inner)


def _renumber(shape: GroupShape, order: list[int]) -> GroupShape:
    """Body k becomes body order[k]; every list is turned round too."""
    outer = [()] * len(order)
    for body, new in enumerate(order):
        outer[new] = shape.outer[body][::-1]
    inner = tuple((order[second], order[first], bond) for first, second, bond in reversed(shape.inner))
    return GroupShape(shape.space, tuple(outer), inner)


def _plain_form(shape: GroupShape, order) -> tuple:
    outer = [None] * len(order)
    for body, new in enumerate(order):
        outer[new] = tuple(sorted((bond.type, bond.driven) for bond in shape.outer[body]))
    inner = sorted((*sorted((order[i], order[j])), bond.type, bond.driven) for i, j, bond in shape.inner)
    return tuple(outer), tuple(inner)


def _isomorphic(first: GroupShape, second: GroupShape) -> bool:
    """All permutations of the bodies, without the code under test."""
    count = len(first.outer)
    wanted = _plain_form(second, range(count))
    return any(_plain_form(first, order) == wanted for order in permutations(range(count)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bodies", [2, 3, 4, 5])
def test_equal_signatures_mean_isomorphic_groups(bodies):
    draw = random.Random(bodies)
    shapes = [_random_shape(draw, bodies, codes=("R",)) for _ in range(40)]
    shapes += [_renumber(shape, draw.sample(range(bodies), bodies)) for shape in shapes[:15]]
    equal = 0
    for number, first in enumerate(shapes):
        for second in shapes[number + 1 :]:
            same = signature_of(first) == signature_of(second)
            assert same == _isomorphic(first, second)
            equal += same
    assert equal >= 15


@given(st.integers(0, 10**9), st.integers(1, 14))
def test_signature_does_not_depend_on_the_numbering_of_the_bodies(seed, bodies):
    draw = random.Random(seed)
    shape = _random_shape(draw, bodies, codes=CODES)
    assert signature_of(_renumber(shape, draw.sample(range(bodies), bodies))) == signature_of(shape)


def _ring(bodies: int, chords: list[tuple[int, int]]) -> GroupShape:
    ring = [(k, (k + 1) % bodies) for k in range(bodies)]
    return GroupShape("planar", ((),) * bodies, tuple((i, j, Bond("R", 0)) for i, j in ring + chords))


def test_regular_graphs_that_colours_cannot_tell_apart_differ():
    """Prism and Moebius ladder: all bodies alike, refinement alone sees no difference."""
    for half in (5, 7, 20):
        moebius = _ring(2 * half, [(k, k + half) for k in range(half)])
        rungs = [(k, half + k) for k in range(half)]
        rings = [(k, (k + 1) % half) for k in range(half)] + [(half + k, half + (k + 1) % half) for k in range(half)]
        prism = GroupShape("planar", ((),) * (2 * half), tuple((i, j, Bond("R", 0)) for i, j in rungs + rings))
        draw = random.Random(half)
        assert signature_of(moebius) != signature_of(prism)
        for shape in (moebius, prism):
            again = _renumber(shape, draw.sample(range(2 * half), 2 * half))
            assert signature_of(again) == signature_of(shape)


def test_one_ring_and_two_rings_of_the_same_size_differ():
    two = GroupShape(
        "planar", ((),) * 6, tuple((3 * r + k, 3 * r + (k + 1) % 3, Bond("R", 0)) for r in (0, 1) for k in range(3))
    )
    assert signature_of(_ring(6, [])) != signature_of(two)


def test_equal_type_names_can_hide_different_groups():
    def dyad(*types):
        return GroupShape("spatial", ((Bond(types[0], 0),), (Bond(types[2], 0),)), ((0, 1, Bond(types[1], 0)),))

    assert signature_of(dyad("R", "S", "U")) == signature_of(dyad("U", "S", "R")) == "R.S.U 3D"
    assert signature_of(dyad("S", "U", "R")) == "R.U.S 3D"
    assert type_name(["S", "U", "R"], "spatial") == "1R1U1S3D"


def _chains(codes, space, bodies, most_driven):
    freedoms = 3 if space == "planar" else 6
    words = [Bond(code, driven) for code in codes for driven in range(min(most_driven, PAIR_TYPES[code].grade) + 1)]
    for bonds in product(words, repeat=bodies + 1):
        units = sum(freedoms - PAIR_TYPES[bond.type].grade + bond.driven for bond in bonds)
        if units == freedoms * bodies and sum(bond.driven for bond in bonds) <= most_driven:
            yield bonds


def _status(space, bonds):
    count = len(bonds)
    pairs = [(k, k + 1 if k < count else 1, bond.type, bond.driven) for k, bond in enumerate(bonds, start=1)]
    structure = analyse(plain(space, count, pairs))
    return structure, structure.groups[0].signature if len(structure.groups) == 1 else None


# Number of signatures and of regular ones among two-body groups, counted independently of this program.
COUNTS = [
    ("spatial", ["R", "P", "H", "C", "U", "S", "PL"], 0, 42, 39),
    ("spatial", ["R", "P", "H", "C", "ER", "U", "S", "PL"], 0, 72, 69),
    ("spatial", ["R", "P", "H", "C", "U", "S", "PL"], 1, 125, 110),
    ("planar", ["R", "P"], 0, 6, 5),
]


@pytest.mark.parametrize(("space", "codes", "driven", "signatures", "regular"), COUNTS)
def test_number_of_two_body_groups_and_of_regular_ones(space, codes, driven, signatures, regular):
    verdicts = {}
    for bonds in _chains(codes, space, 2, driven):
        structure, signature = _status(space, bonds)
        if signature is not None:
            verdicts[signature] = structure.status
    # One-body-at-a-time cases and over-constrained ends fall out above; two bodies on three pairs are chains.
    found = {signature: status for signature, status in verdicts.items() if status in ("determined", "singular")}
    assert len(found) == signatures
    assert sum(status == "determined" for status in found.values()) == regular


def test_number_of_one_body_groups():
    codes = ["R", "P", "H", "C", "U", "S", "PL"]
    found = {}
    words = [Bond(code, driven) for code in codes for driven in range(PAIR_TYPES[code].grade + 1)]
    for count in (1, 2):
        for bonds in combinations_with_replacement(words, count):
            if sum(6 - PAIR_TYPES[bond.type].grade + bond.driven for bond in bonds) != 6:
                continue
            structure = analyse(plain("spatial", 2, [(1, 2, bond.type, bond.driven) for bond in bonds]))
            found[structure.groups[0].signature] = structure.status
    assert len(found) == 10
    assert sorted(name for name, status in found.items() if status == "singular") == ["PL.PL 3D", "S.PL 3D", "S.S 3D"]


@pytest.mark.parametrize("name", ["P.PL.C 3D", "P.C.PL 3D", "C.P.PL 3D", "P.P.P 2D", "S.S 3D"])
def test_known_singular_types(name):
    chain = parse_signature(name)
    bonds = [Bond(*word) for word in zip(chain.types, chain.driven, strict=True)]
    if chain.bodies == 1:
        structure = analyse(plain("spatial", 2, [(1, 2, bond.type, bond.driven) for bond in bonds]))
    else:
        structure = _status(chain.space, bonds)[0]
    assert structure.status == "singular"
    assert structure.groups[0].signature == chain.text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("R.S.U 3D", "R.S.U 3D"),
        ("U.S.R 3D", "R.S.U 3D"),
        ("U.S.R*.P 3D", "P.R*.S.U 3D"),
        ("R.R*.R.R 2D", "R.R*.R.R 2D"),
        ("R.R.R*.R 2D", "R.R*.R.R 2D"),
        (" R.R.R  2d ", "R.R.R 2D"),
        ("F****** 3D", "F****** 3D"),
        ("R* 2D", "R* 2D"),
        ("L.R 2D", "R.L 2D"),
        ("L.L.L 2D", "L.L.L 2D"),
        ("S.S.R.R*** 3D", None),
    ],
)
def test_readable_names_take_their_canonical_direction(text, canonical):
    if canonical is None:
        with pytest.raises(InputError):
            parse_signature(text)
        return
    assert parse_signature(text).text == canonical


def test_parsed_name_tells_types_inputs_and_bodies():
    chain = parse_signature("S.R*.P.U 3D".replace("S.R*.P.U", "U.S.R*.P"))
    assert (chain.types, chain.driven, chain.bodies, chain.space) == (("P", "R", "S", "U"), (0, 1, 0, 0), 3, "spatial")
    assert parse_signature("L.L.L 2D").bodies == parse_signature("F****** 3D").bodies == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("R.S.U", "then 2D or 3D.*did you mean .R.S.U 3D.[?]"),
        ("R.S.X 3D", "no pair type 'X'"),
        ("r.S.U 3D", 'did you mean "R"'),
        ("R.S.W 3D", "no pair type 'W'"),
        ("R.S.U 2D", "no meaning in the plane"),
        ("R**.S.U 3D", "drives 2 freedoms, R has 1"),
        ("R.R.R 3D", "3 too many"),
        ("S.S.U 3D", "2 too few"),
        ("R 3D", "1 too few"),
        ("<R|R|R; 1-2R 1-3R 2-3R> 2D", "no pair type|then 2D or 3D"),
        ("..", "then 2D or 3D"),
        (". 3D", "no pair type ''"),
    ],
)
def test_refused_names_say_what_is_wrong(text, message):
    with pytest.raises(InputError, match=message):
        parse_signature(text)


@given(st.text(alphabet="RPSUCLFX*. 23Dd<|>-;\n", max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        chain = parse_signature(text)
    except InputError:
        return
    assert parse_signature(chain.text) == chain
