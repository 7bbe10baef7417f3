"""Efforts of drives: their power is what the energy gains, for every pair with freedoms that have names."""

from __future__ import annotations

import numpy as np
import pytest

import symgen
from symgen.model.mechanism import Mechanism

FREEDOMS = {
    "R": ["angle"], "P": ["slide"], "H": ["angle"], "C": ["slide", "angle"], "U": ["angle1", "angle2"],
    "ER": ["angle1", "angle2"], "S": ["yaw", "pitch", "roll"], "PL": ["x", "y", "angle"],
    "F": ["x", "y", "z", "yaw", "pitch", "roll"],
}  # fmt: skip
LAWS = ["0.7*sin(2*t)", "0.4*t**2 - 0.3*t", "0.5*sin(3*t) + 0.2*t", "0.3*cos(2*t) - 0.3", "0.8*t", "0.2*sin(4*t)"]


def _driven(pair: str, freedoms: list[str]) -> Mechanism:
    """Return two bodies: the first swings on a pivot, the second is driven on the first."""
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, -1, -9.81],
        "bodies": {
            "arm": {"mass": 3.0, "com": [0.2, 0.1, 0.0], "inertia": [0.3, 0.2, 0.4, 0.01, 0.0, 0.02]},
            "tool": {"mass": 1.0, "com": [0.6, 0.2, 0.1], "inertia": [0.02, 0.05, 0.04, 0.0, 0.01, 0.0]},
        },
        "joints": {
            "pivot": {"type": "R", "bodies": ["ground", "arm"], "at": [0, 0, 0], "axis": [1, 2, 2]},
            "motor": {
                "type": pair, "bodies": ["arm", "tool"], "at": [0.5, 0, 0.1], "axis": [0, 0.6, 0.8],
                "axis2": [1, 0, 0], "driven": freedoms, **({"pitch": 0.1} if pair == "H" else {}),
            },
        },
        "drives": {f"motor.{freedom}": law for freedom, law in zip(freedoms, LAWS, strict=False)},
        "initial": {"joints": {"pivot": {"rate": 0.5}}},
    })  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("pair", list(FREEDOMS))
def test_the_energy_gains_what_the_drives_put_in(pair: str) -> None:
    step = 0.02
    motion = symgen.simulate(
        _driven(pair, FREEDOMS[pair]),
        method="variational",
        order=4,
        step=step,
        until=0.8,
        reactions=True,
        backend="numpy",
    )
    assert motion.ok
    assert [freedom for _, freedom in motion.efforts] == FREEDOMS[pair]
    rates = motion.joints["motor"].rates
    power = sum(effort * rates[freedom] for (_, freedom), effort in motion.efforts.items())
    work = step / 3 * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-2:2].sum() + power[-1])
    # Simpson's rule leaves step^4 (0.8 s) of the fourth derivative of the power over 180: 1e4 W/s^4 here
    assert motion.total[-1] - motion.total[0] == pytest.approx(work, abs=1e-5)
    assert abs(work) > 0.05


def test_efforts_are_columns_where_reactions_are_asked_for() -> None:
    made = _driven("R", ["angle"])
    motion = symgen.simulate(made, step=0.01, until=0.1, reactions=True)
    table = motion.table(every=True)
    assert np.array_equal(table["motor.angle.effort"], motion.efforts["motor", "angle"])
    assert "motor.angle.effort" not in motion.table()
    assert symgen.simulate(made, step=0.01, until=0.1).efforts == {}
