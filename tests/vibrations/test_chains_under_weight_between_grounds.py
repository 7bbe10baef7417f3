"""Chains between two grounds that hang under their weight, by both methods, beside the oracle's small motions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from vibrations.oracle_vibrations import frequencies
from vibrations.spring_chains import SpringChain

import symgen
from symgen.model.mechanism import Mechanism
from symgen.vibrations.settle import settle


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "codes",
    [("U", "R", "R", "P", "F"), ("S", "S", "F"), ("R", "F", "R"), ("P", "F", "F"), ("S", "C", "F"), ("F", "R", "R")],
    ids="".join,
)
def test_the_joint_that_closes_a_chain_is_stiffened_by_its_load_once(codes: tuple[str, ...]) -> None:
    """Settled, joints are displaced, and forces have levers in them; the joint cut may be anywhere in the chain."""
    chain = SpringChain(np.random.default_rng(3), list(codes), first=True, last=True, stiffness=(2.0, 400.0))
    hung = settle(Mechanism.from_dict({**chain.draft.tree, "gravity": [2.0, -1.0, -2.0]}))
    expected = np.sqrt(frequencies(hung)) / math.tau
    for method in ("riccati", "determinant"):
        found = symgen.vibrations(hung, modes=50, method=method).frequencies
        # the oracle's differences leave 3e-12; a load counted twice made 5e-5
        np.testing.assert_allclose(found, expected, rtol=1e-10)
