"""A flexible beam over time: coordinates of its modes, and the motion of any section of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from symgen.beams.sections import sections_of
from symgen.library.generated_numpy import load_routines
from symgen.model.brief import Brief
from symgen.model.parts import Beam
from symgen.poses import Array, matrix
from symgen.solve.tracks import BodyTrack

_AHEAD, _BACK = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False, repr=False)
class BeamTrack(Brief):
    """How a beam bends over n times.

    Parameters
    ----------
    names : of its k modes: deflections along its y and z axes, stretching, twist: "bend_y1", ...
    omega : (k,) angular frequencies [rad/s] of the beam held at one end alone.
    values, rates, accelerations : (n, k) modal coordinates [m], modal mass 1 kg.
    backwards : whether the floating frame is held where x is its length.
    held : motion of that end.
    """

    beam: Beam = field(repr=False)
    planar: bool
    names: tuple[str, ...]
    omega: Array
    values: Array = field(repr=False)
    rates: Array = field(repr=False)
    accelerations: Array = field(repr=False)
    backwards: bool
    held: BodyTrack = field(repr=False)

    @property
    def elastic(self) -> Array:
        """Energy (n,) [J] of the bent beam."""
        found: Array = 0.5 * self.values**2 @ self.omega**2
        return found

    def section(self, x: float) -> BodyTrack:
        """Return the motion of the section at x [m] from the beam's origin, axes along the bent beam there."""
        distance = self.beam.length - x if self.backwards else x
        own = sections_of(self.beam, np.array([distance]), planar=self.planar, backwards=self.backwards)
        shape, slope, drawn = own.shape[0], own.slope[0], own.draws[0]
        frame = self.held.attached(_BACK if self.backwards else _AHEAD)
        at, rate = self.values @ shape, self.rates @ shape
        at[:, 0] += distance
        draws = self.values @ drawn
        short = [0.5 * np.sum(draws * self.values, axis=1), np.sum(draws * self.rates, axis=1),
                 np.sum(self.rates @ drawn * self.rates, axis=1)]  # fmt: skip
        routines = load_routines("transfer", "transfer.py")
        out, about, swept, *_ = routines.beam_end(
            frame.pose, at, rate, np.stack(short, axis=-1), self.values @ slope, self.rates @ slope, frame.omega
        )
        axes = np.swapaxes(matrix(frame.q), -1, -2)
        columns = routines.beam_end_mode(
            *(axes[:, None, k] for k in range(3)), about[:, None], shape, draws, slope
        )[0]  # fmt: skip
        lever = out[:, :3] - frame.r
        velocity = np.einsum("nki,nk->ni", columns, self.rates)
        acceleration = np.einsum("nki,nk->ni", columns, self.accelerations) + swept
        end = BodyTrack(
            out[:, :3],
            out[:, 3:],
            frame.v + np.cross(frame.omega, lever) + velocity[:, :3],
            frame.omega + velocity[:, 3:],
            frame.a + np.cross(frame.alpha, lever) + acceleration[:, :3],
            frame.alpha + acceleration[:, 3:],
        )
        return end.attached(_BACK * np.array([1, 1, 1, 1, 1, -1, 1]) if self.backwards else _AHEAD)
