"""How many modes are asked for: beams have no end of them, and each one takes its time."""

from __future__ import annotations

import math

from symgen.errors import InputError
from symgen.model.parts import Beam
from symgen.vibrations.system import VibratingSystem

#: Modes that are found in minutes.
MOST_MODES = 1000


def bounded(system: VibratingSystem, wanted: int | None, to: float | None) -> tuple[int | None, float | None]:
    """Return how many modes are wanted and up to what frequency [Hz], the latter left out where it says nothing.

    Raises
    ------
    InputError
        Beams have more modes up to there than `MOST_MODES`; says how many, and how far one can go.
    """
    beams = [element.beam for element in system.elements if element.beam is not None]
    rigid = sum(len(element.steps) for element in system.elements)
    if not beams:
        return wanted, to
    if wanted is not None and wanted > MOST_MODES + rigid:
        raise InputError(f"modes {wanted}: at most {MOST_MODES} of beams are computed; ask for fewer")
    planar = system.mechanism.space == "planar"
    if to is None or (below := _below(beams, to, planar=planar)) <= MOST_MODES:
        return wanted, to
    if wanted is not None:
        return wanted, None  # they are all far below
    high, low = to, 0.0
    for _ in range(60):
        middle = math.sqrt(high * low) if low > 0.0 else 1e-3 * high
        low, high = (middle, high) if _below(beams, middle, planar=planar) <= MOST_MODES else (low, middle)
        if low > 0.0 and high < 1.01 * low:
            break
    raise InputError(
        f"to {to:g} Hz: beams have about {below:.2g} modes up to there, but at most {MOST_MODES} are computed: give "
        f"{low:.2g} Hz or less, or a number of modes"
    )


def _below(beams: list[Beam], to: float, *, planar: bool) -> float:
    """Return about how many modes beams have up to a frequency [Hz]: half waves on their length."""
    omega, found = math.tau * to, 0.0
    for beam in beams:
        for stiffness in beam.bending[: 1 if planar else 2]:
            found += beam.length / math.pi * math.sqrt(omega) * (beam.mass_per_length / stiffness) ** 0.25
        waves = [(beam.axial, beam.mass_per_length), (None if planar else beam.torsion, beam.polar)]
        found += sum(
            beam.length / math.pi * omega * math.sqrt(mass / give) for give, mass in waves if give is not None
        )  # fmt: skip
    return found
