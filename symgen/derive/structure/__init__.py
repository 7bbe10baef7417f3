"""Counts of structural analysis as derived objects."""
