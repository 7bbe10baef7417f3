"""Why a signature can have no solver: its group is singular, or no group at all."""

from __future__ import annotations

from typing import Any

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse
from symgen.topology.idle import fix_idle_rotations
from symgen.topology.signatures import ChainSignature, parse_signature


def irregularity(signature: str) -> str | None:
    """Return why no mechanism can have this group, in words; None if nothing speaks against it.

    The group is analysed between fixed bodies with generic geometry: counts, generic rigidity and exact rank.
    A text that is no readable signature has no answer here (None): others say what is wrong with it.
    """
    try:
        chain = parse_signature(signature)
    except InputError:
        return None
    mechanism = Mechanism.from_dict(_mechanism(chain))
    if chain.bodies > 1:
        mechanism, _ = fix_idle_rotations(
            mechanism
        )  # a rod that only spins idly is no fault: solvers have a convention
    structure = analyse(mechanism)
    if structure.status == "determined" and len(structure.groups) == 1:
        return None
    if structure.status == "determined":
        parts = ", ".join(group.signature for group in structure.groups)
        return f"{chain.text} is not a single structural group: it splits into {parts}"
    words = " ".join(finding.advice for finding in structure.diagnosis)
    return f"{chain.text} is not a structural group: {structure.status}. {words}".rstrip()


def _mechanism(chain: ChainSignature) -> dict[str, Any]:
    """Return a mechanism file with this group alone, both ends on the frame; geometry is left out."""
    bodies = [f"b{k + 1}" for k in range(chain.bodies)]
    if chain.bodies == 1:
        ends = [("k", "b1")] * len(chain.types)
    else:
        row = ["k", *bodies]
        ends = [(row[k], row[k + 1]) for k in range(len(bodies))] + [("k", bodies[-1])]
    if len(set(ends)) < len(ends):  # several pairs between one body and the frame: give each a fixed body of its own
        return _with_welded_ends(chain, ends)
    return _tree(chain, bodies, ends, {})


def _with_welded_ends(chain: ChainSignature, ends: list[tuple[str, str]]) -> dict[str, Any]:
    held = {f"k{k + 1}": "k" for k in range(len(ends))}
    apart = [(f"k{k + 1}", body) for k, (_, body) in enumerate(ends)]
    return _tree(chain, [*held, *dict.fromkeys(body for _, body in ends)], apart, held)


def _tree(
    chain: ChainSignature, bodies: list[str], ends: list[tuple[str, str]], held: dict[str, str]
) -> dict[str, Any]:
    joints: dict[str, Any] = {
        f"j{k + 1}": {"type": type_, "bodies": list(pair), "driven": driven}
        for k, (type_, driven, pair) in enumerate(zip(chain.types, chain.driven, ends, strict=True))
    }
    joints |= {f"w{body}": {"type": "W", "bodies": [fixed, body]} for body, fixed in held.items()}
    return {
        "schema": "symgen/mechanism/1",
        "name": chain.text,
        "space": chain.space,
        "ground": "k",
        "bodies": {body: {} for body in bodies},
        "joints": joints,
    }
