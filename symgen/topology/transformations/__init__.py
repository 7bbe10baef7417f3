"""Structural transformations: which freedoms to drive so that a mechanism falls into small groups.

    preferences -> ground set -> choices (enumerated or searched) -> structure of each -> ranking

The valid choices are the bases of a matroid; see docs/transformations.md.
"""
