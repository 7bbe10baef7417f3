"""Minimal-coordinate dynamics: a mechanism integrated in the coordinates of driven freedoms, solved by its groups."""
