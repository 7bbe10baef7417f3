"""The snapshot of a mechanism in a state: what the file says of masses and loads, in numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.poses import matrix
from symgen.simulate.start.initial import InitialState
from symgen.simulate.tables.inertias import inertia_matrix
from symgen.transfer.loads import joint_force_values, loads_on_bodies
from symgen.transfer.snapshot import Snapshot

#: Products of some such numbers are still finite.
_LARGEST = 1e60


def take_snapshot(mechanism: Mechanism, start: InitialState, time: float = 0.0) -> Snapshot:
    """Return a mechanism in a state.

    Parameters
    ----------
    mechanism : mass and inertia given for every body.
    start : poses and twists of the centres of mass.

    Raises
    ------
    MechanismError
        A law has no finite value then, or the ends of a spring meet.
    """
    snapshot = unloaded_snapshot(mechanism, start, time)
    force, moment = loads_on_bodies(snapshot)
    whole = replace(snapshot, force=force, moment=moment, joint_forces=joint_force_values(snapshot))
    _check_sizes(whole)
    return whole


def unloaded_snapshot(mechanism: Mechanism, start: InitialState, time: float) -> Snapshot:
    """Return a mechanism in a state without what acts on its bodies; see `take_snapshot`."""
    centre = np.vstack([start.poses[:, :3], np.zeros(3)])
    q = np.vstack([start.poses[:, 3:], [1.0, 0.0, 0.0, 0.0]])
    twists = np.vstack([start.twists, np.zeros(6)])
    turn = matrix(q)
    inertia = np.array([*(inertia_matrix(body) for body in mechanism.bodies), np.zeros((3, 3))])
    return Snapshot(
        mechanism=mechanism,
        time=time,
        centre=centre,
        velocity=twists[:, :3],
        q=q,
        omega=twists[:, 3:],
        mass=np.array([*(body.mass or 0.0 for body in mechanism.bodies), 0.0]),
        inertia=turn @ inertia @ np.swapaxes(turn, -1, -2),
        force=np.zeros_like(centre),
        moment=np.zeros_like(centre),
        joint_forces={},
        drives={
            key: (float(law.evaluate(time)[1]), float(law.evaluate(time)[2])) for key, law in mechanism.drives.items()
        },
    )


def _check_sizes(snapshot: Snapshot) -> None:
    """Refuse numbers whose products are not finite any more."""
    named = {
        "mass": snapshot.mass, "inertia": snapshot.inertia, "place": snapshot.centre, "velocity": snapshot.velocity,
        "angular velocity": snapshot.omega, "force": snapshot.force, "moment": snapshot.moment,
    }  # fmt: skip
    for k, body in enumerate(snapshot.mechanism.bodies):
        for name, values in named.items():
            if not np.all(np.abs(values[k]) < _LARGEST):  # not: NaN must not pass
                raise MechanismError(
                    f"its {name} is not finite or above {_LARGEST:g}, too large to compute with",
                    file=snapshot.mechanism.file,
                    field=f"bodies.{body.id}",
                )
