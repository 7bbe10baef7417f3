"""A flexible beam as rigid pieces on elastic hinges, in the plane: what a beam is compared with."""

from __future__ import annotations

from typing import Any


def chain_tree(
    pieces: int, length: float, mass: float, stiffness: float, *, gravity: float, rate: float = 0.0
) -> dict[str, Any]:
    """Return a mechanism file: a rod on a pin at the origin, along x at first, of pieces with hinges EI/l between.

    Parameters
    ----------
    mass : for each length; `rate` of the first pin, all pieces in line.
    """
    own = length / pieces
    bodies: dict[str, Any] = {
        f"p{k}": {"mass": mass * own, "com": [own / 2, 0], "inertia": [0, 0, mass * own**3 / 12, 0, 0, 0],
                  "pose": {"r": [k * own, 0]}}
        for k in range(pieces)
    }  # fmt: skip
    bodies[f"p{pieces - 1}"]["points"] = {"E": [own, 0]}
    joints = {
        f"j{k}": {"type": "R", "bodies": ["ground" if k == 0 else f"p{k - 1}", f"p{k}"], "at": [k * own, 0]}
        for k in range(pieces)
    }  # fmt: skip
    forces = {
        f"s{k}": {"kind": "joint", "joint": f"j{k}", "freedom": "angle", "stiffness": stiffness / own}
        for k in range(1, pieces)
    }  # fmt: skip
    return {
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -gravity], "bodies": bodies, "joints": joints,
        "forces": forces, "initial": {"joints": {"j0": {"rate": rate}}},
    }  # fmt: skip
