"""One body moved by a driven helical pair: a driven cylindrical pair whose slide is pitch times its angle.

With the pitch p, the slide of a turn by one radian, and the driven angle u the second frame is
F_2 = F_1 Tz(p u) Rz(u): it slides by p u along the z axis of the first frame, with the rate p u' and the acceleration
p u'', and turns by u about that axis. A pitch below zero is a left-handed screw; a pitch of zero is refused, for such
a pair is a revolute one. Turn and slide about one axis may change places, so the same pair written from its second
body has the angle -u and the pitch p.

Source: kinematics of relative motion, textbook; order of the freedoms from the mechanism file's joint frames.
"""

from __future__ import annotations

from symgen.algebra import ZERO, absolute
from symgen.derive.derivation import Derivation
from symgen.derive.driven.joint import Drives, spatial_module
from symgen.derive.items import Part
from symgen.derive.joints import PairModel, pair_model
from symgen.derive.module import ModuleDerivation, overview
from symgen.derive.spatial_group import drive_ports
from symgen.status import Status

_ORDERS: tuple[tuple[Part, str, str, str], ...] = (
    ("position", "", "slide", "m"),
    ("velocity", "_rate", "rate of the slide", "m/s"),
    ("acceleration", "_acc", "acceleration of the slide", "m/s^2"),
)


def _read_screw(d: Derivation, joint: str, _pair: PairModel) -> Drives:
    """Declare pitch and driven angle of a joint; name the slide that goes with the angle."""
    port = f"pitch_{joint}"
    pitch = d.input_scalar(port, meaning=f"slide of {joint} by a turn of one radian", unit="m/rad", range="not zero")
    size = d.scalar(f"size_{port}", absolute(pitch), f"size of the pitch of {joint}", "m/rad")
    d.guard(size, ">", ZERO, Status.BAD_INPUT, f"the pitch of {joint} is zero", when="used", port=port)
    turn = drive_ports(d, joint, pair_model("R", ("angle",)))["angle"]
    slide = []
    for (part, suffix, what, unit), value in zip(_ORDERS, turn, strict=True):
        with d.part(part):
            slide.append(d.scalar(f"slide_{joint}{suffix}", pitch * value, f"{what} of {joint}", unit))
    return {"angle": turn, "slide": (slide[0], slide[1], slide[2])}


def derive() -> ModuleDerivation:
    """Derive the module of a driven helical pair."""
    pair = pair_model("C", ("slide", "angle"))
    return spatial_module("H", ("angle",), pair, _read_screw, overview(__doc__))
