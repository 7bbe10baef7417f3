"""Bundles for other systems: a solved type or a whole mechanism with all that a program without Python needs.

`subject` says what is exported, `mechanism` and `solved_type` make one, with the steps of its self-test; `step` and
`code` write its C, `host` runs it here; `backend` holds the table of systems, each a folder.
"""
