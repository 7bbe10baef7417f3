"""A joint of a group as a mechanism writes it, and what it is called when its two bodies change places."""

from __future__ import annotations

from dataclasses import dataclass

#: Types whose coordinates only change sign (and a U its names) when the two bodies change places.
TURNABLE = frozenset({"R", "P", "H", "C", "U"})
TURNED_NAME = {("U", "angle1"): "angle2", ("U", "angle2"): "angle1"}


@dataclass(frozen=True)
class GroupJoint:
    """A joint of a group as the mechanism writes it.

    Parameters
    ----------
    name : its id.
    type : pair type as written (ER and U are different codes for one thing here).
    bodies : first and second body; coordinates measure the motion of the second relative to the first.
    driven : names of the driven freedoms.
    """

    name: str
    type: str
    bodies: tuple[str, str]
    driven: tuple[str, ...] = ()

    @property
    def solver_type(self) -> str:
        """The type as the library calls it."""
        return "U" if self.type == "ER" else self.type

    @property
    def directed(self) -> bool:
        """Whether its bodies have different parts: the slot of an L is on the first, the pin on the second."""
        return self.type == "L"

    @property
    def turnable(self) -> bool:
        """Whether the joint may be solved with its bodies exchanged: others have a rule for free coordinates."""
        return self.solver_type in TURNABLE or not self.driven
