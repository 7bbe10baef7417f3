"""Kinematic pairs as successive one-freedom motions between two joint frames: what a screw needs to be placed.

``F_second = F_first M_1(q_1) M_2(q_2) ...``: each M turns about, slides along or screws about an axis of the frame
reached so far; at ``q = 0`` the frames coincide.

Source: the mechanism file, "Joint frames"; pair types of Celdran, Saura, Dopico 2022, Table 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["turn", "slide", "screw"]


@dataclass(frozen=True, slots=True)
class JointMotion:
    """One freedom of a joint: `kind` of motion along the joint frame's `axis` x, y or z, called `freedom`."""

    kind: Kind
    axis: Literal["x", "y", "z"]
    freedom: str

    @property
    def unit(self) -> str:
        """Unit of the coordinate."""
        return "m" if self.kind == "slide" else "rad"


_TURN_Z = JointMotion("turn", "z", "angle")
_PLANE = (JointMotion("slide", "x", "x"), JointMotion("slide", "y", "y"), _TURN_Z)
_BALL = (JointMotion("turn", "z", "yaw"), JointMotion("turn", "y", "pitch"), JointMotion("turn", "x", "roll"))
_CROSS = (JointMotion("turn", "z", "angle1"), JointMotion("turn", "x", "angle2"))

#: Lower pairs, a pin in a slot, the free pairs and the weld. Other higher pairs have no joint frames, so no motions.
JOINT_MOTIONS: dict[str, tuple[JointMotion, ...]] = {
    "R": (_TURN_Z,),
    "P": (JointMotion("slide", "z", "slide"),),
    "H": (JointMotion("screw", "z", "angle"),),
    "C": (JointMotion("slide", "z", "slide"), _TURN_Z),
    "U": _CROSS,
    "ER": _CROSS,
    "S": _BALL,
    "L": (JointMotion("slide", "x", "slide"), _TURN_Z),
    "PL": _PLANE,
    "FP": _PLANE,
    "F": (JointMotion("slide", "x", "x"), JointMotion("slide", "y", "y"), JointMotion("slide", "z", "z"), *_BALL),
    "W": (),
}
