"""What `accelerations` answers, and its document symgen/accelerations/1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symgen.model.brief import Brief
from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.simulate.results.document import number, numbers
from symgen.status import Status

SCHEMA = "symgen/accelerations/1"


@dataclass(frozen=True, eq=False, repr=False)
class BodyAcceleration(Brief):
    """Acceleration (3,) of the body frame's origin [m/s^2] and angular acceleration (3,) [rad/s^2], world axes."""

    a: Array
    alpha: Array


@dataclass(frozen=True, eq=False, repr=False)
class JointLoad(Brief):
    """What a joint's first body exerts on its second, and the second derivatives of its coordinates.

    Parameters
    ----------
    force, moment : (3,) [N, N m] about the joint centre on the second body, world axes; springs, dampers, actuators and
        drives of the joint included. Of a planar mechanism the parts in the plane, others zero.
    unique : False where redundant constraints leave the share of the joint open.
    accelerations : freedom -> [m/s^2 or rad/s^2].
    components : of fx fy fz mx my mz each, whether it is unique.
    """

    force: Array
    moment: Array
    unique: bool
    accelerations: Mapping[str, float]
    components: Mapping[str, bool]


@dataclass(frozen=True, eq=False, repr=False)
class AccelerationResult:
    """Accelerations and joint forces of a mechanism in its initial state; SI units, world axes.

    Parameters
    ----------
    mechanism : what it is of.
    method : ``"riccati"``, ``"transfer"``, ``"multiplier"`` or ``"dca"``.
    bodies : moving body -> its acceleration.
    joints : joint -> its load.
    roots : joints to the ground from which the trees grow; empty for a free system, and for multiplier.
    loops : joints that are cut.
    rows : constraints the method solved for: of the cut joints; of all joints for multiplier.
    rank : how many of them are independent.
    residual : largest part by which an equation of motion or a joint's accelerations fail, relative to their terms.
    warnings : what the user should know, in sentences; `notes` : what the numbers depend on.
    figures : what else the method knows of its numbers.
    status : OK; SINGULAR where branches meet, or no accelerations fit the joints.
    """

    mechanism: Mechanism = field(repr=False)
    method: str
    bodies: Mapping[str, BodyAcceleration]
    joints: Mapping[str, JointLoad]
    roots: tuple[str, ...]
    loops: tuple[str, ...]
    rows: int
    rank: int
    residual: float
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    status: Status = Status.OK

    def __repr__(self) -> str:
        return (
            f"<AccelerationResult of {self.mechanism.name!r}: {self.method}, {self.status.name}, "
            f"{len(self.bodies)} bodies, {len(self.joints)} joints, residual {self.residual:.2g}>"
        )

    @property
    def ok(self) -> bool:
        """True if there are accelerations that fit."""
        return self.status == Status.OK

    @property
    def redundant(self) -> int:
        """How many of the constraints solved for say what others say already."""
        return self.rows - self.rank

    @property
    def table(self) -> Array:
        """Accelerations [a, alpha] of all bodies in the order of the file, (n, 6)."""
        return np.array([[*each.a, *each.alpha] for each in self.bodies.values()])

    def to_dict(self) -> dict[str, Any]:
        """Return the document symgen/accelerations/1 as JSON data; what is not finite is null."""
        return {
            "schema": SCHEMA,
            "mechanism": self.mechanism.name,
            "space": self.mechanism.space,
            "status": self.status.name,
            "method": self.method,
            "bodies": {
                name: {"a": numbers(each.a), "alpha": numbers(each.alpha)} for name, each in self.bodies.items()
            },
            "joints": {
                name: {
                    "force": numbers(each.force),
                    "moment": numbers(each.moment),
                    "unique": each.unique,
                    "components": dict(each.components),
                    "accelerations": {freedom: number(value) for freedom, value in each.accelerations.items()},
                }
                for name, each in self.joints.items()
            },
            "roots": list(self.roots),
            "loops": list(self.loops),
            "rows": self.rows,
            "rank": self.rank,
            "redundant": self.redundant,
            "residual": number(self.residual),
            "figures": {name: number(value) for name, value in self.figures.items()},
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }


def refused_document(mechanism: Mechanism, method: str, reason: str) -> dict[str, Any]:
    """Return the document of an answer refused for lack of digits: no bodies, no joints."""
    return {
        "schema": SCHEMA,
        "mechanism": mechanism.name,
        "space": mechanism.space,
        "status": Status.SINGULAR.name,
        "method": method,
        "bodies": {},
        "joints": {},
        "warnings": [reason],
    }
