"""Rings: whatever joints, bodies and drives a chain has, its word of letters is solved, or named as not solved."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from symgen.derive.joints import PRIMITIVES
from symgen.derive.rings.chain import RingChain, chain_of_id, chains_of, make_chain
from symgen.derive.rings.modules import derive_ring, has_solver, rings_of_signature
from symgen.derive.rings.words import cut_letters, regional_reading, spherical_cut
from symgen.emit.names import inner_routines
from symgen.errors import InputError, SymgenError, UnsolvedTypeError
from symgen.ir.nodes import Let
from symgen.pipeline import lower_module
from symgen.printers.operations import count_operations
from symgen.proofs import prove_closure

#: One of each kernel, of two to five bodies; driven freedoms at either end, inside, and within a joint of three.
KEYS = (
    "R.R.R.S 3D",
    "R.S.R.P 3D",
    "P.S*yaw+roll.R.S 3D",
    "R.PL*y.S 3D",
    "P.R*.PL*angle.S 3D",
    "P.R.S.C*angle 3D",
    "P.P.P.S 3D",
    "U*angle2.U.S 3D",
    "R.S*pitch.S 3D",
    "P.R*.S.U 3D",
    "C*slide.C.S 3D",
    "S.P*.C.P 3D",
    "R.P.R.P.C 3D",
    "C.R*.PL*x.C 3D",
    "C.C.C 3D",
    # Chains of three turns whose cut is the first joint, the last one, and not in the middle.
    "U.F*yaw+pitch 3D",
    "P.P.P.F*x+y+z 3D",
    "R.P.PL.R 3D",
)


def _chain(key: str) -> RingChain:
    (chain,) = chains_of(key)
    return chain


def _close(chain: RingChain) -> None:
    module = derive_ring(chain)
    assert module is not None, chain.key
    lowered = lower_module(module)
    (arrangement,) = lowered.arrangements
    (routine,) = [r for r in lowered.routines if r.level == "group" and r.stage == "all"]
    prove_closure(arrangement, routine)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("key", KEYS)
def test_every_joint_closes_with_first_and_second_derivative(key: str) -> None:
    """The oracle is elementary: joint frames with two derivatives (jets), 50 digits, moving bodies and drives."""
    _close(_chain(key))


def _random_chain(rng: random.Random) -> RingChain:
    """Return a random chain of two to four bodies with a free S and three other free freedoms."""
    while True:
        types = [rng.choice(("R", "P", "C", "U", "PL", "S")) for _ in range(rng.randint(2, 4))]
        row = []
        for code in types:
            names = [p.freedom for p in PRIMITIVES[code]]
            row.append((code, rng.sample(names, rng.randint(0, len(names)))))
        row.insert(rng.randint(0, len(row)), ("S", []))
        chain = make_chain(row)
        free_spheres = sum(1 for j in chain.joints if j.type == "S" and not j.driven)
        # A freedom about or along the line of another one of the same joint is no constraint of its own.
        if len(chain.letters) == 6 and free_spheres == 1:
            return chain


@pytest.mark.parametrize("key", ["S.R.R.R 3D", "C.P.R.P.R 3D"])
def test_bodies_are_given_in_the_order_of_the_chain(key: str) -> None:
    """From whichever end they are placed."""
    chain = _chain(key)
    module = derive_ring(chain)
    assert module is not None
    for routine in lower_module(module).routines:
        if routine.level == "group" and routine.stage == "all":
            names = [output.port.name for output in routine.outputs]
            for prefix in ("", "v_", "a_"):
                wanted = [prefix + body for body in chain.bodies]
                assert [name for name in names if name in wanted] == wanted


@pytest.mark.slow
def test_random_chains_close() -> None:
    rng = random.Random(20)
    for chain in (_random_chain(rng) for _ in range(8)):
        _close(chain)


def test_an_id_names_its_chain() -> None:
    rng = random.Random(3)
    for chain in (_random_chain(rng) for _ in range(50)):
        assert chain_of_id(chain.id) == chain
        assert chain.reversed().canonical() == chain.canonical()
        assert chain_of_id(chain.id + "_q") is None


def test_both_readings_of_a_chain_have_one_kernel() -> None:
    for first, second, third in itertools.product("RP", repeat=3):
        chain = make_chain([(first, ()), (second, ()), (third, ()), ("S", ())])
        names = set()
        for each in (chain, chain.reversed()):
            cut = spherical_cut(each)
            assert cut is not None
            names.add(regional_reading(cut_letters(each, cut))[0])
        assert len(names) == 1


def test_a_signature_stands_for_every_choice_of_driven_freedoms() -> None:
    assert rings_of_signature("R.U*.S.R 3D") == ("ring_r_u_angle1_s_r", "ring_r_u_angle2_s_r")
    assert rings_of_signature("U.S.R*.P 3D") == rings_of_signature("P.R*.S.ER 3D") == ("ring_p_rd_s_u",)


@pytest.mark.parametrize(
    ("text", "word"), [("R.R.R.R.U 3D", "RRRRRR"), ("R.R.U.C 3D", "RRRRRP"), ("P.P.P.P.P.P.P 3D", "7 free freedoms")]
)
def test_a_word_without_a_kernel_is_named(text: str, word: str) -> None:
    with pytest.raises(UnsolvedTypeError, match=word):
        rings_of_signature(text)


@pytest.mark.parametrize("text", ["R.R.R 2D", "R.H.S 3D", "R.C*pitch.S 3D", "R**.S.S 3D", "R.R.R.S"])
def test_a_text_that_is_no_chain_is_bad_input(text: str) -> None:
    with pytest.raises(InputError):
        rings_of_signature(text)


def test_no_ring_is_derived_for_a_word_without_a_kernel() -> None:
    chain = _chain("R.R.R.R.U 3D")
    assert not has_solver(chain)
    assert derive_ring(chain) is None
    assert issubclass(UnsolvedTypeError, SymgenError)


def test_the_polynomial_of_three_turns_takes_fewer_than_300_operations() -> None:
    """From axes and points to the five coefficients of the quartic, checks of the inputs included."""
    module = derive_ring(_chain("R.R.R.S 3D"))
    assert module is not None
    kernel = [r for r in lower_module(module).routines if r.level == "kernel"]
    counted = []
    for routine in [*inner_routines(kernel), *(r for r in kernel if r.stage == "position")]:
        ends = [k for k, statement in enumerate(routine.body) if isinstance(statement, Let) and statement.name == "fss"]
        for end in ends[:1]:
            before = replace(routine, body=routine.body[: end + 1], outputs=(), finite=())
            counted.append(sum(count_operations(before).values()))
    assert counted
    assert max(counted) < 300
