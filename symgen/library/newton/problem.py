"""A group as the certified Newton solver sees it: elements, each a pair or a driven freedom between two bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symgen.errors import UnsolvedTypeError
from symgen.library.group_joints import GroupJoint
from symgen.poses import Array

METHOD = "certified Newton"

#: Pair type as a mechanism writes it -> rows of the solver; F and the planar FP have none.
_ROWS: dict[str, dict[str, str | None]] = {
    "spatial": {
        **{code: code for code in ("R", "P", "H", "C", "U", "S", "PL", "L")},
        "ER": "U", "FP": "PL", "F": None,
    },
    "planar": {"R": "R", "P": "P", "L": "L", "FP": None},
}  # fmt: skip
#: Driven freedom -> row; a planar P slides along the x axis of its frames, an L along
#: that of the first.
_DRIVEN = {
    "angle": "turn_z", "angle1": "turn_z", "angle2": "turn_x", "yaw": "turn_z", "pitch": "pitch", "roll": "turn_x",
    "slide": "slide_z", "x": "slide_x", "y": "slide_y", "z": "slide_z",
}  # fmt: skip


@dataclass(frozen=True)
class NewtonElement:
    """Rows between two bodies.

    Parameters
    ----------
    kind : name of the rows, see `symgen.derive.constraints.pairs`.
    joint : index of the joint.
    freedom : the driven freedom, or None for the pair itself.
    """

    kind: str
    joint: int
    freedom: str | None = None

    @property
    def slides(self) -> bool:
        """Whether its driven freedom is a length."""
        return self.kind.startswith("slide")


@dataclass(frozen=True)
class GroupProblem:
    """A group between known bodies.

    Parameters
    ----------
    space : "spatial" or "planar".
    bodies : unknown bodies.
    known : known bodies.
    joints : all joints, none between two known bodies.
    frames : joint -> frames on first and second body as ports take them, (7,) or (3,).
    pitches : H joint -> pitch [m/rad].
    """

    space: str
    bodies: tuple[str, ...]
    known: tuple[str, ...]
    joints: tuple[GroupJoint, ...]
    frames: Mapping[str, tuple[Array, Array]] = field(hash=False)
    pitches: Mapping[str, float] = field(hash=False)

    @property
    def freedoms(self) -> int:
        """Freedoms of a body."""
        return 3 if self.space == "planar" else 6

    @property
    def places(self) -> int:
        """Numbers of a pose."""
        return 3 if self.space == "planar" else 7


def make_problem(
    space: str,
    bodies: Sequence[str],
    joints: Sequence[GroupJoint],
    frames: Mapping[str, tuple[Array, Array]],
    pitches: Mapping[str, float],
) -> GroupProblem:
    """Return the problem of a group; every other body that a joint names is known."""
    known = dict.fromkeys(body for joint in joints for body in joint.bodies if body not in bodies)
    return GroupProblem(space, tuple(bodies), tuple(known), tuple(joints), dict(frames), dict(pitches))


def pair_rows(space: str, code: str) -> str | None:
    """Return the kind of the rows of a pair; None where it has none.

    Raises
    ------
    UnsolvedTypeError
        A pair type without joint frames.
    """
    table = _ROWS[space]
    if code not in table:
        raise UnsolvedTypeError(
            f"{code} has no joint frames, so nothing can be solved with it; types with them: {', '.join(table)}"
        )
    return table[code]


def freedom_row(space: str, code: str, freedom: str) -> str:
    """Return the kind of the row that holds one freedom of a pair; that of an H is its slide, pitch times angle."""
    if code == "H":  # its slide counts full turns
        return "slide_z"
    if freedom == "slide" and slides_along_x(space, code):
        return "slide_x"
    return _DRIVEN[freedom]


def elements_of(problem: GroupProblem) -> tuple[NewtonElement, ...]:
    """Return the elements: each pair, then its driven freedoms.

    Raises
    ------
    UnsolvedTypeError
        A pair type without joint frames.
    """
    found: list[NewtonElement] = []
    for index, joint in enumerate(problem.joints):
        found += _elements_of_joint(problem.space, index, joint)
    return tuple(found)


def _elements_of_joint(space: str, index: int, joint: GroupJoint) -> list[NewtonElement]:
    try:
        kind = pair_rows(space, joint.type)
    except UnsolvedTypeError as error:
        raise UnsolvedTypeError(f"joint {joint.name}: {error}") from None
    found = [NewtonElement(kind, index)] if kind is not None else []
    found += [NewtonElement(freedom_row(space, joint.type, freedom), index, freedom) for freedom in joint.driven]
    return found


def slides_along_x(space: str, code: str) -> bool:
    """Whether the slide of a pair is along x of its first frame, not along z."""
    return code == "L" or space == "planar"


def can_solve(space: str, types: Sequence[str]) -> bool:
    """Tell whether pairs of these types have rows."""
    return all(code in _ROWS[space] for code in types)
