"""Articulated systems in relative accelerations: the general engine and special ones."""
