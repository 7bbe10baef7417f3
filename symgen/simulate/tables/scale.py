"""The mechanism's own unit of length: motions of similar mechanisms are computed alike, whatever their size.

Tables and states of a problem are in units of a length about the size of the mechanism: a power of two, so that nothing
is rounded. Time and mass keep their units; forces become kg unit/s^2, torques kg unit^2/s^2. Tolerances, and the rank
of constraints, then mean parts of the size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symgen.model.expression_tree import Apply, number
from symgen.model.expressions import Expression
from symgen.model.joint_places import place_joint, size_of
from symgen.model.mechanism import Mechanism
from symgen.poses import Array

if TYPE_CHECKING:
    from symgen.simulate.contract import EngineSamples

#: Columns of the engine's tables that begin with a place [m], and those that are lengths [m].
_PLACES = {
    "BODY": ("before", "after"), "ELEMENT": ("frame_1", "frame_2"), "JOINT_FORCE": ("frame_1", "frame_2"),
    "WATCH": ("frame_1", "frame_2"), "SPRING": ("point_1", "point_2"), "PUSH": ("at",),
}  # fmt: skip
_LENGTHS = {"MOTION": "pitch", "ELEMENT": "pitch", "SPRING": "length"}


def size_of_mechanism(mechanism: Mechanism) -> float:
    """Return a length of the mechanism [m]: the spread of its joints, or of one joint alone its lever; else 1."""
    poses = {mechanism.ground: mechanism.ground_body.pose, **{body.id: body.pose for body in mechanism.bodies}}
    places = {joint.id: place_joint(joint, poses) for joint in mechanism.joints}
    size = size_of({name: place for name, place in places.items() if place is not None})
    if size != 1.0:
        return size
    centres = {body.id: np.array(body.com or (0.0, 0.0, 0.0)) for body in mechanism.bodies}
    levers = [
        float(np.linalg.norm(np.array(frame.at) - centres[name]))
        for joint in mechanism.joints
        for name, frame in zip(joint.bodies, joint.frames or (), strict=False)
        if name in centres
    ]
    return max(levers, default=0.0) or 1.0


def unit_of_length(mechanism: Mechanism) -> float:
    """Return the power of two [m] next to the size of the mechanism."""
    return float(2.0 ** round(math.log2(size_of_mechanism(mechanism))))


def scale_tables(tables: Mapping[str, NDArray[Any]], unit: float) -> None:
    """Bring the tables of a problem to a unit of length."""
    for name, columns in _PLACES.items():
        for column in columns:
            tables[name][column][:, :3] /= unit
    for name, column in _LENGTHS.items():
        tables[name][column] /= unit
    tables["GRAVITY"] /= unit
    tables["BODY"]["inertia"] /= unit**2
    forces = tables["JOINT_FORCE"]
    turns = forces["turns"] == 1
    for column in ("stiffness", "damping"):
        forces[column][turns] /= unit**2
    forces["rest"][~turns] /= unit


def scaled_law(law: Expression, factor: float) -> Expression:
    """Return a law times a number."""
    if factor == 1.0:
        return law
    return replace(law, written=f"({law.written})*{factor!r}", root=Apply("*", (law.root, number(factor))))


def scaled_motion(values: Array, unit: float) -> Array:
    """Return poses (..., 7) or twists (..., 6) in units of length."""
    found = np.array(values, dtype=np.float64)
    found[..., :3] /= unit
    return found


def in_metres(samples: EngineSamples, unit: float) -> EngineSamples:
    """Return the samples of an engine in metres, newtons, joules."""
    if unit == 1.0:
        return samples
    poses, twists, accelerations = (
        scaled_motion(each, 1.0 / unit) for each in (samples.poses, samples.twists, samples.accelerations)
    )
    reactions = samples.reactions * np.array([unit] * 3 + [unit**2] * 3)
    scalars = samples.scalars * np.array([unit**2, unit**2, 1.0, 1.0, 1.0])
    return replace(
        samples, poses=poses, twists=twists, accelerations=accelerations, reactions=reactions, scalars=scalars,
        modes=samples.modes * unit,
    )  # fmt: skip
