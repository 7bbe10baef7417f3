"""Prove what is derived, or stop the generator: the claims of derivations, and that solved groups close."""

from symgen.proofs.claims import POINTS, prove
from symgen.proofs.closure import prove_closure
from symgen.proofs.points import random_inputs
from symgen.proofs.record import Proof

__all__ = ["POINTS", "Proof", "prove", "prove_closure", "random_inputs"]
