"""The unit in which a picture of a schedule shows costs: as given, seconds in the largest unit they fill."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.draw.svg_text import short4

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


@dataclass(frozen=True, slots=True)
class CostUnit:
    """How costs are written.

    Attributes
    ----------
    name : of the unit, or empty.
    size : of one, in the unit of the schedule.
    """

    name: str
    size: float = 1.0

    def text(self, value: float) -> str:
        """Return a cost of the schedule as a number of this unit, four digits."""
        return short4(value / self.size)

    @property
    def after(self) -> str:
        """The unit as it stands after a number."""
        return f" {self.name}" if self.name else ""

    def of(self, quantity: str) -> str:
        """Return the name of a quantity with its unit in brackets."""
        return f"{quantity} [{self.name}]" if self.name else quantity


def unit_for(name: str, total: float) -> CostUnit:
    """Return the unit in which a total, given in the unit `name`, is at least one, if that is a time in seconds."""
    if name != "s":
        return CostUnit(name)
    size, unit = next((size, unit) for size, unit in _SECONDS if total >= size)
    return CostUnit(unit, size or 1e-9)
