"""Bundles for other systems: a solved type or a whole mechanism with all that a program without Python needs.

`subject` says what is exported, `mechanism` and `solved_type` make one, `bundle` writes its files, `host` runs what was
written, `trials` choose what the self-test asks.
"""
