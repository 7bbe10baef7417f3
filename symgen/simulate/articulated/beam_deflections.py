"""Says where a motion has left the small deflections that flexible beams are made for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symgen.beams.sections import sections_of
from symgen.poses import Array
from symgen.simulate.results.beam_track import BeamTrack

#: Slope [rad] whose cube, about the part of its length by which a bent beam is misplaced, is one per cent.
LARGEST_SLOPE = 0.2
#: Part of its length by which a beam may be stretched: rods are linear in it.
_LARGEST_STRAIN = 0.05
_PLACES = 8


def deflection_warnings(beams: Mapping[str, BeamTrack], times: Array) -> tuple[str, ...]:
    """Return a sentence where beams bend, and one where they stretch, too far in the rows of a result.

    Parameters
    ----------
    times : (n,) [s], of the rows.
    """
    bent, stretched = [], []
    for name, beam in beams.items():
        places = np.linspace(0.0, beam.beam.length, _PLACES + 1)[1:]
        own = sections_of(beam.beam, places, planar=beam.planar, backwards=beam.backwards)
        slopes = np.max([np.hypot(*(beam.values @ slope[:, :2]).T) for slope in own.slope], axis=0)
        bent += _beyond(LARGEST_SLOPE, name, slopes, times)
        stretched += _beyond(_LARGEST_STRAIN, name, np.abs(beam.values @ own.shape[-1, :, 0]) / beam.beam.length, times)
    found = []
    if bent:
        far, row, name = max(bent)
        beam = beams[name]
        draws = sections_of(beam.beam, np.array([beam.beam.length]), planar=beam.planar, backwards=beam.backwards).draws
        short = 0.5 * float(beam.values[row] @ draws[0] @ beam.values[row]) / beam.beam.length
        found.append(
            f"beam {name}{_others(bent)} bends by slopes of up to {far:.3g} rad (at t = {times[row]:.6g} s, its ends "
            f"drawn together by {short:.2g} of its length): beams are meant for small deflections: at slopes above "
            f"{LARGEST_SLOPE:g} places are wrong by more than a hundredth of the length; divide a beam that bends so "
            "far into several, welded end to end"
        )
    if stretched:
        far, row, name = max(stretched)
        found.append(
            f"beam {name}{_others(stretched)} is stretched or pressed by up to {far:.2g} of its length (at t = "
            f"{times[row]:.6g} s): beams are linear in their stretching"
        )
    return tuple(found)


def _beyond(limit: float, name: str, sizes: Array, times: Array) -> list[tuple[float, int, str]]:
    """Return the largest size, the row where it is and the beam's name, if it is beyond the limit."""
    if not (len(times) and np.isfinite(sizes).any()):
        return []
    row = int(np.nanargmax(sizes))
    return [(float(sizes[row]), row, name)] if sizes[row] > limit else []


def _others(found: list[tuple[float, int, str]]) -> str:
    return f" (and {len(found) - 1} more, by less)" if len(found) > 1 else ""
