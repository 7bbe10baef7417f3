"""Mechanism to ``User_Data.m``, the input of MBSSA3D: the way back of `symgen.model.importers.user_data`.

Source: Celdran, Saura, Dopico, "Computational structural analysis of spatial
multibody systems based on mobility criteria", 2022, Section 3.1 and Eq. (6). The
script holds the structure alone: `ProblemType` (B: 3 planar, 6 spatial), the types
of the pairs `M`, how many of their freedoms are driven `KnownInputs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import list_names
from symgen.model.parts import Joint

MOST_BODIES = 2000
"""As many as the importer reads: both matrices are square."""


@dataclass(frozen=True)
class UserData:
    """A ``User_Data.m`` and what of the mechanism it cannot hold, in words."""

    text: str
    notes: tuple[str, ...]


def write_user_data(mechanism: Mechanism) -> UserData:
    """Return the mechanism as a ``User_Data.m``; reading it back gives the same structural groups.

    Parameters
    ----------
    mechanism : multiple joints are written as the pairs in ``mechanism.joints``.

    Raises
    ------
    MechanismError
        if the script cannot hold the structure: two joints between the same two bodies once welds are made
        one body, special geometry, couplings, or too many bodies.
    """
    _check(mechanism)
    bodies = _numbered(mechanism)
    names = _members(bodies)
    if len(names) > MOST_BODIES:
        message = f"{len(names)} bodies; at most {MOST_BODIES} can be written as matrices"
        raise MechanismError(message, file=mechanism.file, field="bodies")
    pairs = _pairs(mechanism, bodies)
    types = [[str(i + 1) if i == j else "-" for j in range(len(names))] for i in range(len(names))]
    driven = [["0"] * len(names) for _ in names]
    for (i, j), joint in pairs.items():
        types[i][j] = types[j][i] = joint.type
        driven[i][j] = driven[j][i] = str(joint.driven)
    width = max(len(code) for row in types for code in row) + 2
    head = [mechanism.name] if mechanism.name.strip() else []
    lines = [
        *(f"% {line}" for line in [*head, "Bodies, the frame first:"]),
        *(f"%   {number}  {', '.join(members)}" for number, members in enumerate(names, start=1)),
        "global ProblemType M KnownInputs N",
        "",
        f"ProblemType = {mechanism.freedom_count};   % 3: planar, 6: spatial",
        "",
        *_matrix("M", "{", "}", [[f"'{code}'".ljust(width) for code in row] for row in types]),
        "N = length(M);",
        "",
        *_matrix("KnownInputs", "[", "]", driven),
    ]
    return UserData("\n".join(lines) + "\n", tuple(_notes(mechanism, names, pairs.values())))


def _check(mechanism: Mechanism) -> None:
    if mechanism.special:
        message = (
            "User_Data.m cannot express that constraints follow from others, and the count would be wrong without this"
        )
        raise MechanismError(message, file=mechanism.file, field=f"special.{mechanism.special[0].id}")
    if mechanism.couplings:
        message = "User_Data.m has no couplings, and the count would be wrong without them; remove them from the file"
        raise MechanismError(message, file=mechanism.file, field=f"couplings.{mechanism.couplings[0].id}")


def _numbered(mechanism: Mechanism) -> dict[str, int]:
    """Return the number of each body, from 0 for the ground; bodies that are welded together have one number."""
    leader = {body: body for body in mechanism.body_ids}

    def find(body: str) -> str:
        while leader[body] != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    rank = {body: place for place, body in enumerate(mechanism.body_ids)}
    for joint in mechanism.joints:
        if joint.grade == 0:
            first, second = sorted((find(body) for body in joint.bodies), key=lambda body: rank[body])
            leader[second] = first
    leaders = list(dict.fromkeys(find(body) for body in mechanism.body_ids))
    number = {body: place for place, body in enumerate(leaders)}
    return {body: number[find(body)] for body in mechanism.body_ids}


def _members(bodies: dict[str, int]) -> list[list[str]]:
    names: list[list[str]] = []
    for body, number in bodies.items():
        if number == len(names):
            names.append([])
        names[number].append(body)
    return names


def _pairs(mechanism: Mechanism, bodies: dict[str, int]) -> dict[tuple[int, int], Joint]:
    pairs: dict[tuple[int, int], Joint] = {}
    for joint in mechanism.joints:
        if joint.grade == 0:
            continue
        first, second = joint.bodies
        i, j = sorted((bodies[first], bodies[second]))
        other = pairs.get((i, j))
        if i == j or other is not None:
            what = "joins bodies that are welded together" if i == j else f'joins the same two as "{_of(other)}"'
            message = f"{what}: User_Data.m holds one pair between two bodies, and welded bodies are one there"
            raise MechanismError(message, file=mechanism.file, field=f"joints.{joint.id}")
        pairs[i, j] = joint
    return pairs


def _of(joint: Joint | None) -> str:
    return "" if joint is None else joint.id


def _matrix(name: str, opening: str, closing: str, rows: Sequence[Sequence[str]]) -> Iterable[str]:
    before = f"{name} = {opening}"
    for number, row in enumerate(rows):
        end = f"{closing};" if number == len(rows) - 1 else ""
        yield f"{before if number == 0 else ' ' * len(before)}{' '.join(row).rstrip()}{end}"


def _notes(mechanism: Mechanism, names: Sequence[Sequence[str]], joints: Iterable[Joint]) -> Iterable[str]:
    welded = [members for members in names if len(members) > 1]
    if welded:
        yield f"welded bodies become one: {'; '.join(list_names(members) for members in welded[:12])}"
    named = [joint.id for joint in joints if 0 < joint.driven < joint.grade]
    if named:
        yield f"KnownInputs does not say which freedoms of {list_names(named)} are driven"
    if mechanism.multiple_joints:
        ids = list_names(joint.id for joint in mechanism.multiple_joints)
        yield f"joints of more than two bodies ({ids}) are written as pairs"
    kept = {"schema", "name", "space", "ground", "bodies", "joints"}
    lost = [key for key in mechanism.source if key not in kept]
    placed = {"at", "axis", "axis2", "frames", "pitch"}
    geometry = any(placed & entry.keys() for entry in mechanism.source.get("joints", {}).values())
    if lost or geometry:
        what = (["places and axes"] if geometry else []) + [f"[{key}]" for key in lost]
        yield f"only the structure is written, not {list_names(what)}"
