"""Prove what is derived, or stop the generator: the claims of derivations, and that solved groups close."""

from symgen.proofs.claims import prove
from symgen.proofs.closure import prove_closure
from symgen.proofs.record import Proof

__all__ = ["Proof", "prove", "prove_closure"]
