"""Constraints of kinematic pairs between two bodies of any pose: residual, Jacobian and bias, one routine a type."""
