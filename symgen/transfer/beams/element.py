"""A flexible beam in accelerations: its straight frame at one end, and what its modes do to the frame and the ends.

The modes hold one end, where the beam's frame is clamped to the material; they are felt at the other end only. With
a = [rdd Wd] of the frame and the wrench w at the other end

    [q m] of the frame takes M a + N eta'' + ...,    N^T a + E eta'' = p + Phi^T [q m],

E = 1 for modes of unit modal mass. The frame may also be put to the other end: the same motions in other unknowns. The
beam is straight and its modes are at rest at the time looked at.

Source: A. A. Shabana, Dynamics of Multibody Systems, 2005, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.beams.modes import mode_families
from symgen.library.element_routines import call
from symgen.model.parts import Beam
from symgen.poses import Array
from symgen.transfer.elements import cross, shifting


@dataclass(frozen=True)
class HeldBeam:
    """The modes of a beam in the world, at one time, seen from a frame at one of its ends.

    Parameters
    ----------
    held, other : (3,) ends; the frame is that of the first.
    columns : (6, n) inertia between modes and frame, rows [q m] about the end of the frame.
    loads : (n,) what drives the modes where that end is not accelerated.
    end : (6, n) displacement and turn of the other end for each mode.
    mass : (n, n) of the modes: 1 where the frame is at the end that the modes hold.
    turned : whether the frame is at the other one.
    """

    held: Array
    other: Array
    columns: Array
    loads: Array
    end: Array
    mass: Array
    turned: bool = False

    @property
    def count(self) -> int:
        """Number of modes."""
        return len(self.loads)

    def moves(self, place: Array) -> Array:
        """Return displacement and turn (6, n) of what is fixed to the beam at a place, its nearer end."""
        far = float(np.linalg.norm(place - self.other)) < float(np.linalg.norm(place - self.held))
        found: Array = shifting(place - self.other) @ self.end if far else np.zeros_like(self.end)
        return found


@dataclass(frozen=True)
class Bending:
    """A beam with the accelerations (n,) of its modes."""

    beam: HeldBeam
    rates: Array

    def seen(self, acceleration: Array, centre: Array, place: Array) -> Array:
        """Return the acceleration (6,) at the centre that a rigid body would need to move as this one at a place."""
        more = self.beam.moves(place) @ self.rates
        found: Array = acceleration + shifting(centre - place) @ more
        return found

    def inertia(self, centre: Array) -> Array:
        """Return force and moment (6,) about the centre that the modes take beside the frame's motion."""
        found: Array = shifting(self.beam.held - centre).T @ (self.beam.columns @ self.rates)
        return found


def held_beam(
    beam: Beam, centre: Array, turn: Array, omega: Array, gravity: Array, port: Array, *, planar: bool
) -> HeldBeam:
    """Return a beam held at the end where its output is.

    Parameters
    ----------
    centre : (3,) middle of the beam; `turn` (3, 3) its axes in the world, as columns.
    port : (3,) place of the output.
    """
    along = turn[:, 0] if float((port - centre) @ turn[:, 0]) < 0.0 else -turn[:, 0]
    held, other = centre - 0.5 * beam.length * along, centre + 0.5 * beam.length * along
    columns, loads, ends = [], [], []
    for family in mode_families(beam, planar):
        if family.kind == "twist":
            for total, tip in zip(family.total, family.tip, strict=True):
                columns.append(np.concatenate([np.zeros(3), total * along]))
                loads.append(0.0)
                ends.append(np.concatenate([np.zeros(3), tip * along]))
            continue
        aside = {"y": turn[:, 1], "z": turn[:, 2], "stretch": along}[family.kind]
        for total, lever, tip, slope in zip(family.total, family.lever, family.tip, family.slope, strict=True):
            column, load, end = call("beam_mode", total, lever, tip, slope, along, aside, omega, gravity)
            columns.append(column)
            loads.append(float(load))
            ends.append(end)
    return HeldBeam(held, other, np.array(columns).T, np.array(loads), np.array(ends).T, np.eye(len(loads)))


def from_the_other_end(beam: HeldBeam, omega: Array, inertia: Array, load: Array) -> HeldBeam:
    """Return the same beam with the frame at its other end, which then moves with the frame and not with the modes.

    Parameters
    ----------
    omega : (3,).
    inertia, load : (6, 6) and (6,), of the straight rod about the other end: it takes inertia a - load, rows [q m].
    """
    back = shifting(beam.held - beam.other)
    moved = back.T @ beam.columns
    still = np.zeros(6)
    still[:3] = cross(omega, cross(omega, beam.held - beam.other))
    shared = beam.end.T @ moved
    return HeldBeam(
        held=beam.other,
        other=beam.held,
        columns=moved - inertia @ beam.end,
        loads=beam.loads - beam.columns.T @ still - beam.end.T @ load,
        end=-back @ beam.end,
        mass=beam.mass - shared - shared.T + beam.end.T @ inertia @ beam.end,
        turned=not beam.turned,
    )
