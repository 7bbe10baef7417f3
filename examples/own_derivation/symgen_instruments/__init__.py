"""Derivations that symgen does not have. Nothing is imported here: a solver must not load what derives it."""
