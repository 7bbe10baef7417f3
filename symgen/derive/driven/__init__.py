"""Driven joints: one body moved as given, in the plane and in space."""
