"""Structural analysis: matching, structural groups, order, levels, type names, signatures."""
