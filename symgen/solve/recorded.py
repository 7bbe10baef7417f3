"""What can be asked of every motion, solved or simulated: points, columns, a CSV file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.poses import Array
from symgen.solve.trajectory import PointTrack, Trajectory


class Recorded:
    """A motion over n times: a `Trajectory` with a table."""

    points: Mapping[str, PointTrack]

    @property
    def words(self) -> Mapping[str, Sequence[str]]:
        """Columns of text of the CSV, behind the numbers."""
        return {}

    def point(self, name: str) -> Array:
        """Return the places (n, 3) [m] of a point, named ``"body.point"``."""
        return self._point(name).r

    def point_velocity(self, name: str) -> Array:
        """Return the velocities (n, 3) [m/s] of a point."""
        return self._point(name).v

    def point_acceleration(self, name: str) -> Array:
        """Return the accelerations (n, 3) [m/s^2] of a point."""
        return self._point(name).a

    def _point(self, name: str) -> PointTrack:
        if name not in self.points:
            near = did_you_mean(name, self.points) or (
                f"; there are {list_names(self.points)}" if self.points else "; the mechanism names no points"
            )
            raise InputError(f"no point {show(name)}, written body.point{near}")
        return self.points[name]

    def table(self, *, every: bool = False) -> dict[str, Array]:
        """Return the columns of the CSV that are numbers: name -> (n,).

        Parameters
        ----------
        every : what a simulation found of resultants and reactions too (``b.resultant.fx`` ..., ``A.reaction.fx`` ...).
        """
        from symgen.solve.columns import columns

        return columns(cast(Trajectory, self), every=every)

    def write_csv(self, path: str | Path, *, every: bool = False) -> None:
        """Write the columns as CSV, whole or not at all; of a simulation that failed, the rows up to the failure.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        from symgen.model.whole_files import write_whole
        from symgen.solve.columns import write_rows

        write_whole(Path(path), lambda stream: write_rows(stream, self.table(every=every), self.words))
