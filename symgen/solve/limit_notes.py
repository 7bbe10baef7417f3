"""Limits of joint coordinates beside a motion: nothing stops at them yet, so what passes them is said."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.solve.trajectory import JointTrack

_NAMED = 3
#: Rounding beside a limit that is reached exactly, as a part of the range.
_ROUNDING = 1e-9


def limit_notes(mechanism: Mechanism, times: Array, joints: Mapping[str, JointTrack]) -> tuple[str, ...]:
    """Return what to say about the limits of a motion: that none is passed, or which and when.

    Parameters
    ----------
    times : (n,) [s].
    joints : joint -> coordinates at these times; NaN where not determined, which passes nothing.
    """
    passed: list[str] = []
    for (joint, freedom), (least, most) in mechanism.limits.items():
        values = joints[joint].coordinates[freedom] if joint in joints else np.empty(0)
        if not np.size(values):
            continue
        slack = _ROUNDING * (most - least)
        beyond = np.flatnonzero((values < least - slack) | (values > most + slack))
        if beyond.size:
            first = int(beyond[0])
            passed.append(
                f"{joint}.{freedom} is {values[first]:.6g} at t = {times[first]:.6g} s, beyond [{least:g}, {most:g}]"
            )
    if not mechanism.limits:
        return ()
    if not passed:
        return (
            "limits: the motion keeps within all of them at these times; symgen does not stop a motion at its limits",
        )
    more = f"; and {len(passed) - _NAMED} more" if len(passed) > _NAMED else ""
    return (
        "symgen does not stop a motion at its limits, and this motion exceeds them: "
        f"{'; '.join(passed[:_NAMED])}{more}",
    )
