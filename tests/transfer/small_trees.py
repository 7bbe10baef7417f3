"""Mechanism files of a few bodies as dictionaries."""

from __future__ import annotations

from typing import Any

Tree = dict[str, Any]
#: A body of order one, its centre of mass beside its origin.
SOLID = {"mass": 1.0, "com": [0.3, 0.1, 0], "inertia": [0.1, 0.2, 0.3, 0, 0, 0]}


def tree_of(joints: Tree, **bodies: Tree) -> Tree:
    """Return a spatial mechanism under gravity."""
    return {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -9.81], "bodies": bodies,
        "joints": joints,
    }  # fmt: skip
