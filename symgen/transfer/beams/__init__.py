"""Flexible beams as elements of every method."""
