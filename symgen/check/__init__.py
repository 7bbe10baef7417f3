"""Printed formulas against derived objects: what they say, whether it holds, and what was probably meant."""
