"""Chains, mechanisms and groups as mechanism files: bodies, joint types and inputs, without geometry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgen.model.pairs import Space
from symgen.topology.signatures import GroupShape
from symgen.topology.synthesis.joint_types import TypedChain

_SCHEMA = "symgen/mechanism/1"


def chain_tree(
    typed: TypedChain, space: Space, name: str, frame: int = 0, driven: Sequence[int] = ()
) -> dict[str, Any]:
    """Return the tree of a mechanism file; links are named 1, 2, ... and joints ``J1``, ``J2``, ... .

    Parameters
    ----------
    frame : the fixed link.
    driven : numbers of the joints of which one freedom is an input.
    """
    joints = {}
    for number, ((a, b), code) in enumerate(zip(typed.chain.joints, typed.types, strict=True)):
        ends = (b, a) if b == frame else (a, b)
        joint: dict[str, Any] = {"type": code, "bodies": [str(link + 1) for link in ends]}
        if number in driven:
            joint["driven"] = 1
        joints[f"J{number + 1}"] = joint
    return {
        "schema": _SCHEMA,
        "name": name,
        "space": space,
        "ground": str(frame + 1),
        "bodies": {str(link + 1): {} for link in range(len(typed.chain.graph)) if link != frame},
        "joints": joints,
    }


def group_tree(shape: GroupShape, name: str) -> dict[str, Any]:
    """Return the tree of a mechanism that is this group alone, all its outer pairs on the frame.

    Bodies are ``b1``, ``b2``, ... . Two bodies can have one joint, so where a body has several outer pairs each
    of them holds a body ``k1``, ``k2``, ... of its own, welded to the frame.
    """
    known: list[str] = []
    joints: dict[str, Any] = {}

    def add(first: str, second: str, code: str, driven: int) -> None:
        joint: dict[str, Any] = {"type": code, "bodies": [first, second]}
        if driven:
            joint["driven"] = driven
        joints[f"J{len(joints) + 1}"] = joint

    for number, bonds in enumerate(shape.outer, start=1):
        for bond in bonds:
            if len(bonds) > 1:
                known.append(f"k{len(known) + 1}")
            add(known[-1] if len(bonds) > 1 else "ground", f"b{number}", bond.type, bond.driven)
    for first, second, bond in shape.inner:
        add(f"b{first + 1}", f"b{second + 1}", bond.type, bond.driven)
    joints |= {f"W{body[1:]}": {"type": "W", "bodies": ["ground", body]} for body in known}
    bodies = [*(f"b{k + 1}" for k in range(len(shape.outer))), *known]
    return {
        "schema": _SCHEMA,
        "name": name,
        "space": shape.space,
        "bodies": {body: {} for body in bodies},
        "joints": joints,
    }
