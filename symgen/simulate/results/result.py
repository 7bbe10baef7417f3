"""What `simulate` answers: arrays with a leading time axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.simulate.results.efforts import drive_efforts
from symgen.simulate.results.records import WRENCH, JointReaction, Run
from symgen.solve.recorded import Recorded
from symgen.solve.tracks import BodyTrack
from symgen.solve.trajectory import JointTrack, PointTrack, Quantity
from symgen.solve.turns import ANGLES

if TYPE_CHECKING:
    from symgen.simulate.results.beam_track import BeamTrack


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult(Recorded):
    """Motion of a mechanism under forces over n times; SI units, world axes.

    Parameters
    ----------
    mechanism : what was simulated.
    times : (n,) [s]; only those reached.
    bodies : moving body -> motion of its frame (`r`, `q`, `v`, `omega`, `a`, `alpha`).
    joints : joint -> `coordinates`, `rates`, `accelerations` by freedom, angles without jumps by full turns.
    points : "body.point" -> motion (`r`, `v`, `a`); those of the ground too.
    kinetic, potential : (n,) [J].
    violation : (n,) largest residual of the constraints [m or 1]; NaN where it was not measured.
    run : method, step, iterations, time taken, warnings, failure.
    resultants : body -> (n, 6) what all its joints together exert on it: force [N] and torque about its centre of
        mass [N m]; unique in any case. Empty if not asked for.
    reactions : joint -> its force and moment. Empty if not asked for.
    beams : flexible beam -> how it bends. `bodies` has its near end (x = 0) under its name, its far end as "name.end".
    work : (n,) [J] what dampers, drives, actuators and applied forces have put in since the first row; NaN where rows
        are too far apart to tell. Empty if it was not accounted for.
    energy_error : by how much the energy account does not close, over the energy that moves; NaN if it is not known.
        The account: the total energy less its first value less the work. What moves: the largest of the changes of
        kinetic and potential energy, the work, and the kinetic energy at first.
    """

    mechanism: Mechanism = field(repr=False)
    times: Array
    bodies: Mapping[str, BodyTrack]
    joints: Mapping[str, JointTrack]
    points: Mapping[str, PointTrack]
    kinetic: Array
    potential: Array
    violation: Array
    run: Run
    resultants: Mapping[str, Array] = field(default_factory=dict)
    reactions: Mapping[str, JointReaction] = field(default_factory=dict)
    beams: Mapping[str, BeamTrack] = field(default_factory=dict)
    work: Array = field(default_factory=lambda: np.empty(0))
    energy_error: float = math.nan

    def __repr__(self) -> str:
        span = f" from {self.times[0]:g} s to {self.times[-1]:g} s" if len(self.times) else ""
        words = f", stopped {self.run.failure}" if self.run.failure else ""
        return (
            f"<SimulationResult of {self.mechanism.name!r}: {len(self.times)} times{span}, "
            f"{self.run.method} of order {self.run.order}{words}>"
        )

    @property
    def ok(self) -> bool:
        """True if the whole time span was integrated."""
        return self.run.failure is None

    @property
    def picture(self) -> SimulationResult:
        """What moving pictures show: the motion itself, beams in short pieces."""
        if not self.beams:
            return self
        from symgen.simulate.results.beam_picture import in_pieces

        return in_pieces(self)

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together, (n,) [J]."""
        return self.kinetic + self.potential

    @property
    def drift(self) -> float:
        """Greatest departure of the total energy from its first value [J]; what forces and drives put in counts too."""
        return float(np.max(np.abs(self.total - self.total[0]))) if len(self.times) else 0.0

    @property
    def largest_violation(self) -> float:
        """Largest residual of the constraints over all times; NaN if it was not measured."""
        known = self.violation[np.isfinite(self.violation)]
        return float(known.max()) if known.size else float("nan")

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """Energies and violation, which are columns of the CSV; resultants and reactions, which plots may name."""
        return dict(self._quantities())

    def _quantities(self) -> Iterator[tuple[str, Quantity]]:
        yield "kinetic", Quantity(self.kinetic, "J")
        yield "potential", Quantity(self.potential, "J")
        yield "total", Quantity(self.total, "J")
        if len(self.work):
            yield "work", Quantity(self.work, "J", listed=False)
        if self.beams:
            elastic: Array = np.sum([beam.elastic for beam in self.beams.values()], axis=0)
            yield "elastic", Quantity(elastic, "J")
        yield "violation", Quantity(self.violation, "")
        wrenches = [(f"{body}.resultant", rows) for body, rows in self.resultants.items()]
        for joint, found in self.reactions.items():
            wrenches.append((f"{joint}.reaction", np.concatenate([found.force, found.moment], axis=-1)))
        for (joint, freedom), effort in self.efforts.items():
            unit = "N m" if freedom in ANGLES else "N"
            yield f"{joint}.{freedom}.effort", Quantity(effort, unit, listed=False)
        for name, rows in wrenches:
            for k, part in enumerate(WRENCH):
                yield f"{name}.{part}", Quantity(rows[:, k], "N" if k < 3 else "N m", listed=False)

    @property
    def efforts(self) -> dict[tuple[str, str], Array]:
        """What drives have to do: (joint, driven freedom) -> force or torque (n,) [N or N m]; needs the reactions."""
        return drive_efforts(self.mechanism, self.bodies, self.joints, self.reactions) if self.reactions else {}

    def first_failure(self) -> str | None:
        """Return why the simulation ended early, or None."""
        return None if self.run.failure is None else str(self.run.failure)

    def to_dict(self, *, rows: bool = True) -> dict[str, Any]:
        """Return the document symgen/simulation/1 as JSON data.

        Parameters
        ----------
        rows : hold the table and the reactions too, not only the summary.
        """
        from symgen.simulate.results.document import simulation_document

        return simulation_document(self, rows=rows)
