"""Certified Newton: groups that have no closed form in the library, between bodies of known motion."""
