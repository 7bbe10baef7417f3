"""What motions have in common, solved or simulated: all that tables, plots and pictures need to know of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from symgen.model.brief import Brief
from symgen.model.mechanism import Mechanism
from symgen.poses import Array, rotate
from symgen.solve.tracks import BodyTrack


@dataclass(frozen=True, eq=False, repr=False)
class PointTrack(Brief):
    """Motion of a named point: place r [m], velocity v [m/s], acceleration a [m/s^2], each (n, 3), world."""

    r: Array
    v: Array
    a: Array


@dataclass(frozen=True, eq=False, repr=False)
class JointTrack(Brief):
    """Coordinates of a joint over time, by freedom, each (n,) [rad or m, s].

    Angles have no jumps by full turns. NaN where not determined; rates of an S also where its pitch is a right angle.
    """

    coordinates: Mapping[str, Array]
    rates: Mapping[str, Array]
    accelerations: Mapping[str, Array]


@dataclass(frozen=True, eq=False, repr=False)
class Quantity(Brief):
    """A number over time that belongs to no body, point or joint coordinate, such as an energy.

    Parameters
    ----------
    values : (n,).
    unit : SI, such as ``"J"``; empty for one without a unit.
    listed : a column of the CSV; else only plots and tables that name it show it.
    """

    values: Array
    unit: str
    listed: bool = True


class Trajectory(Protocol):
    """Motion of a mechanism over n times; SI units, world axes.

    Attributes
    ----------
    mechanism : what moves.
    times : (n,) [s].
    bodies : moving body -> motion.
    joints : joint -> coordinates; every joint with named freedoms.
    points : "body.point" -> motion; those of the ground too.
    quantities : other columns by name, such as the energies of a simulation.
    picture : the motion as moving pictures show it: itself, or with bodies that bend in short pieces.
    """

    @property
    def mechanism(self) -> Mechanism: ...  # noqa: D102 - see Attributes

    @property
    def times(self) -> Array: ...  # noqa: D102

    @property
    def bodies(self) -> Mapping[str, BodyTrack]: ...  # noqa: D102

    @property
    def joints(self) -> Mapping[str, JointTrack]: ...  # noqa: D102

    @property
    def points(self) -> Mapping[str, PointTrack]: ...  # noqa: D102

    @property
    def quantities(self) -> Mapping[str, Quantity]: ...  # noqa: D102

    @property
    def picture(self) -> Trajectory: ...  # noqa: D102

    def first_failure(self) -> str | None:
        """Return the first time without a solution in words, or None."""
        ...


def point_tracks(mechanism: Mechanism, tracks: Mapping[str, BodyTrack]) -> Iterator[tuple[str, PointTrack]]:
    """Yield the motion of each named point, those of the ground first, from that of all bodies."""
    for body in (mechanism.ground_body, *mechanism.bodies):
        track = tracks[body.id]
        for name, place in body.points.items():
            yield f"{body.id}.{name}", PointTrack(*track.carry(rotate(track.q, np.array(place))))
