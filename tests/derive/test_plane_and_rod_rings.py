"""Rings with a planar joint and chains that end in a rod close, whatever drives and bodies they have."""

from __future__ import annotations

import pytest

from symgen.derive.rings.chain import chains_of
from symgen.derive.rings.modules import derive_ring, has_solver
from symgen.derive.rings.plane import PlaneClosing, planar_cut
from symgen.derive.rings.rod import rod_cut
from symgen.pipeline import lower_module
from symgen.proofs import prove_closure

#: Drives inside a joint, whole joints driven at either end and inside, the universal pair on both sides of the cut.
CLOSING = (
    "C*slide.PL.U 3D",
    "U*angle2.U.PL 3D",
    "R.R*.U*angle1.R.PL 3D",
    "R.PL.P*.R.R 3D",
    "C*slide.S.S 3D",
    "P.R*.S.S 3D",
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("key", CLOSING)
def test_every_joint_closes_with_first_and_second_derivative(key: str) -> None:
    """The oracle is elementary: joint frames with two derivatives (jets), 50 digits, moving bodies and drives."""
    (chain,) = chains_of(key)
    module = derive_ring(chain)
    assert module is not None
    lowered = lower_module(module)
    (arrangement,) = lowered.arrangements
    (routine,) = [r for r in lowered.routines if r.level == "group" and r.stage == "all"]
    prove_closure(arrangement, routine)


@pytest.mark.parametrize(
    ("key", "concurrent"), [("R.PL.U 3D", True), ("U.R.PL 3D", True), ("R.R.U*angle1.PL 3D", False)]
)
def test_two_turns_of_one_universal_pair_have_a_kernel_of_their_own(key: str, concurrent: bool) -> None:
    (chain,) = chains_of(key)
    cut = planar_cut(chain)
    assert cut is not None
    assert PlaneClosing(chain, cut).concurrent is concurrent


@pytest.mark.parametrize("key", ["P.U.PL 3D", "R.PL*y.S 3D", "R.R.PL*x.R 3D", "R.S.PL 3D"])
def test_other_chains_are_not_cut_at_their_planar_joint(key: str) -> None:
    assert all(planar_cut(chain) is None for chain in chains_of(key))


@pytest.mark.parametrize("key", ["S.R.S 3D", "R.R.S.S 3D", "R.S*yaw.S 3D", "C.S.S 3D"])
def test_other_chains_do_not_end_in_an_idle_rod(key: str) -> None:
    assert all(rod_cut(chain) is None for chain in chains_of(key))


def test_a_rod_is_solved_though_it_has_a_freedom_more() -> None:
    (chain,) = chains_of("R.S.S 3D")
    assert len(chain.letters) == 7
    assert has_solver(chain)
