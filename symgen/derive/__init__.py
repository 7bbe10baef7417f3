"""Derivations with SymPy: named steps with source and proof."""
