"""A mechanism that is ready to move: its masses are known, its joints closed, its state at t = 0 found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import JointForce
from symgen.poses import Array
from symgen.simulate.contract import EngineState
from symgen.simulate.start.idle_bodies import check_masses
from symgen.simulate.start.initial import InitialState, initial_state
from symgen.simulate.start.tree_state import tree_coordinates, tree_rates
from symgen.simulate.tables.inertias import unlikely_inertias
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.problem import Problem
from symgen.simulate.tables.scale import scaled_motion, size_of_mechanism


@dataclass(frozen=True)
class Started:
    """A mechanism with the state it starts from.

    Parameters
    ----------
    mechanism : rigid bodies, with masses.
    state : poses and twists at t = 0.
    rows : the rows of its joints.
    """

    mechanism: Mechanism
    state: InitialState
    rows: JointRows

    @property
    def messages(self) -> tuple[str, ...]:
        """What the user should know of the start, in sentences."""
        return (*self.state.messages, *unlikely_inertias(self.mechanism))


def started(mechanism: Mechanism, *, strict: bool = False) -> Started:
    """Close the joints of a mechanism and find its first state.

    Parameters
    ----------
    strict : refuse initial velocities that do not fit the joints, instead of projecting them.

    Raises
    ------
    MechanismError
        Geometry, laws or masses are lacking; joints do not close; `strict` and the velocities do not fit.
    """
    require_masses(mechanism)
    state = initial_state(mechanism, strict=strict)
    rows = JointRows(mechanism, size_of_mechanism(mechanism))
    check_masses(mechanism, rows, state)
    return Started(mechanism, state, rows)


def require_masses(mechanism: Mechanism) -> None:
    """Refuse bodies without mass data, and flexible ones.

    Raises
    ------
    MechanismError
        Names body and field; a massless body says so with zeros.
    """
    mechanism.require_rigid("this simulation")
    for body in mechanism.bodies:
        lacking = [name for name in ("mass", "inertia") if getattr(body, name) is None]
        if lacking:
            raise MechanismError(
                f"{' and '.join(lacking)} missing: dynamics needs them for every moving body; give zeros for a body "
                "without mass",
                file=mechanism.file,
                field=f"bodies.{body.id}",
            )


def start_state(mechanism: Mechanism, problem: Problem, start: InitialState) -> EngineState:
    """Return the engine's state of an initial state."""
    order = list(problem.order)
    poses, twists = (scaled_motion(each[order], problem.unit) for each in (start.poses, start.twists))
    forces = [(f.joint, f.freedom) for f in mechanism.forces if isinstance(f, JointForce)]
    angle, watched = (np.array([*first_values(mechanism, each), 0.0]) for each in (forces, problem.watched))
    if problem.structure == "dense":
        return EngineState(poses.reshape(-1), twists.reshape(-1).copy(), twists, angle, watched)
    values, balls = tree_coordinates(problem, poses)
    _add_turns(problem, values, watched)
    coordinates = np.concatenate([values, balls.reshape(-1), np.zeros(1)])
    return EngineState(coordinates, tree_rates(problem, poses, twists, values, balls), twists, angle, watched)


def _add_turns(problem: Problem, values: Array, watched: Array) -> None:
    """Add to the tree's angles the whole turns with which they start."""
    signs = problem.tables["MOTION"]["sign"]
    for k, motion in enumerate(problem.tables["WATCH"]["motion"]):
        if motion >= 0:
            turns = np.round((watched[k] - signs[motion] * values[motion]) / (2 * np.pi))
            values[motion] += signs[motion] * 2 * np.pi * turns


def first_values(mechanism: Mechanism, freedoms: Sequence[tuple[str, str]]) -> list[float]:
    """Return near which value each freedom starts: what the drive says or the file gives, else zero."""
    given = {(each.joint, name): value for each in mechanism.initial.joints for name, value in each.coordinates.items()}
    driven = {key: float(law.evaluate(0.0)[0]) for key, law in mechanism.drives.items()}
    return [driven.get(freedom, given.get(freedom, 0.0)) for freedom in freedoms]
