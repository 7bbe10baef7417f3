"""What `reactions` answers, and its document symgen/reactions/1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symgen.model.brief import Brief
from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.reactions.assembly_method import AssemblyVerdicts
from symgen.reactions.state_values import ReactionValues
from symgen.simulate.results.document import number, numbers

SCHEMA = "symgen/reactions/1"
#: Status -> what it means.
STATUSES = {
    "OK": "decided",
    "ill_decided": "ranks or verdicts are too close to decide: numbers of the file may be rounded",
    "singular_configuration": "joints hold less here than nearby: the verdicts are valid for this position only",
    "not_in_equilibrium": "no reactions give the accelerations of this state: joints or laws contradict each other",
}


@dataclass(frozen=True, eq=False, repr=False)
class SourceUniqueness(Brief):
    """Uniqueness of the reaction of one joint, or of the effort of one drive.

    Parameters
    ----------
    unique : the reaction as a whole.
    directions : how many independent components it has; `unique_directions` of them are unique.
    components : name -> whether it is unique.
    basis : (unique_directions, 6) orthonormal directions [F, M / size] along which it is unique, about the joint centre
        on the second body, world axes.
    open : (the rest, 6) the same for what self-stresses load it with.
    """

    unique: bool
    directions: int
    unique_directions: int
    components: Mapping[str, bool]
    basis: Array
    open: Array

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "unique": self.unique,
            "unique_directions": self.unique_directions,
            "directions": self.directions,
            "components": dict(self.components),
            "basis": [numbers(row) for row in self.basis],
            "open": [numbers(row) for row in self.open],
        }


@dataclass(frozen=True, eq=False, repr=False)
class SetUniqueness(Brief):
    """Uniqueness of a set of joints and drives.

    Parameters
    ----------
    unique : each of their reactions is known.
    effect_unique : what they do together is known.
    effect_on : to the ``"mechanism"`` freed from the ground, or to the ``"bodies"``, each of them.
    rank : independent effects of the set, of as many `constraints`.
    """

    unique: bool
    effect_unique: bool
    effect_on: str
    rank: int
    constraints: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "effect_unique": self.effect_unique,
            "unique": self.unique,
            "effect_on": self.effect_on,
            "rank": self.rank,
            "constraints": self.constraints,
        }


@dataclass(frozen=True, eq=False, repr=False)
class ResultantUniqueness(Brief):
    """Uniqueness of the wrench of some joints on a body.

    Parameters
    ----------
    point : (3,) about which its moments are [m, world].
    components : part -> whether it is unique.
    """

    unique: bool
    components: Mapping[str, bool]
    point: Array

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"unique": self.unique, "components": dict(self.components), "point": numbers(self.point)}


@dataclass(frozen=True, eq=False, repr=False)
class ReactionsResult:
    """Which joint reactions of a mechanism are unique, at one position.

    Parameters
    ----------
    status : OK, ill_decided, singular_configuration or not_in_equilibrium.
    tool : which decided.
    time : of the position [s].
    size : unit of length of wrenches [m].
    equations, constraints : of equilibrium; of joints and drives. `rank` of the matrix of both.
    gap : ratio of singular values that decides the rank; `margin` the same for the verdicts.
    exact : True if exact arithmetic with the decimal numbers of the file gives the same rank and the same verdicts of
        joints, components and drives; False if not, as with roots that are rounded; None where it cannot be asked.
    joints, drives : by name, drives as "joint.freedom".
    sets, resultants, directions : as they were asked for.
    flexible : bodies which, flexible, make all reactions unique.
    poses : moving body -> (7,) place and orientation of its frame.
    values : reactions at this state, or None.
    assemblies : what divide and conquer found, with tool dca.
    steps : how the tool came to its answer, in sentences.
    notes, warnings : what the answer depends on; what the user should know.
    """

    mechanism: Mechanism = field(repr=False)
    status: str
    tool: str
    time: float
    size: float
    equations: int
    constraints: int
    rank: int
    gap: float
    margin: float
    exact: bool | None
    joints: Mapping[str, SourceUniqueness]
    drives: Mapping[str, SourceUniqueness]
    sets: Mapping[str, SetUniqueness]
    resultants: Mapping[str, ResultantUniqueness]
    directions: Mapping[str, bool]
    flexible: tuple[str, ...]
    poses: Mapping[str, Array] = field(repr=False)
    values: ReactionValues | None = None
    assemblies: AssemblyVerdicts | None = None
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        open_ = sum(not each.unique for each in self.joints.values())
        return (
            f"<ReactionsResult of {self.mechanism.name!r}: {self.status}, {self.redundant} redundant constraints, "
            f"{open_} of {len(self.joints)} joints not unique>"
        )

    @property
    def ok(self) -> bool:
        """True if the verdicts are decided, and hold around this position."""
        return self.status == "OK"

    @property
    def redundant(self) -> int:
        """How many constraints say what others say already."""
        return self.constraints - self.rank

    @property
    def dof(self) -> int:
        """Motions of first order that are left, drives held."""
        return self.equations - self.rank

    def to_dict(self) -> dict[str, Any]:
        """Return the document symgen/reactions/1 as JSON data."""
        return {
            "schema": SCHEMA,
            "mechanism": self.mechanism.name,
            "space": self.mechanism.space,
            "status": self.status,
            "tool": self.tool,
            "time": self.time,
            "size": number(self.size),
            "equations": self.equations,
            "constraints": self.constraints,
            "rank": self.rank,
            "redundant": self.redundant,
            "dof": self.dof,
            "gap": float(f"{self.gap:.3g}"),
            "margin": float(f"{self.margin:.3g}"),
            "exact": self.exact,
            "joints": {name: each.to_dict() for name, each in self.joints.items()},
            "drives": {name: each.to_dict() for name, each in self.drives.items()},
            "sets": {name: each.to_dict() for name, each in self.sets.items()},
            "resultants": {name: each.to_dict() for name, each in self.resultants.items()},
            "directions": {name: {"unique": unique} for name, unique in self.directions.items()},
            "flexible": list(self.flexible),
            "values": None if self.values is None else self.values.to_dict(),
            "dca": None
            if self.assemblies is None
            else {
                "size": self.assemblies.size,
                "rank": self.assemblies.rank,
                "ground_joints": dict(self.assemblies.ground),
                "propagated": dict(self.assemblies.joints),
            },
            "steps": list(self.steps),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }


def least_margin(pairs: list[tuple[float, float]]) -> float:
    """Return the ratio of the least value that counted as open to the largest that did not."""
    over = min((each[0] for each in pairs), default=1.0)
    under = max((each[1] for each in pairs), default=0.0)
    return over / max(under, float(np.finfo(np.float64).eps))
