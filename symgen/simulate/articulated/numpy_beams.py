"""Bent beams in NumPy: the far end as the tree sees it, inertia and loads of the mass points, energies of the modes.

What mass points and ends do are routines of the element library (`symgen.derive.transfer.beam_motion`), summed here;
what modes have by themselves is matrices of all of them at once. templates/c99/transfer/riccati/_beam_*.j2 have the
same in C, mode by mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.library.generated_numpy import load_routines
from symgen.poses import Array, matrix
from symgen.simulate.central.numpy_spaces import Configuration, Routines
from symgen.simulate.central.numpy_tree_space import TreeConfiguration, TreeSpace
from symgen.simulate.tables.problem import Problem

_LOWER = np.tril_indices(6)
_LOWER_3 = np.tril_indices(3)


@dataclass(frozen=True)
class BeamTables:
    """The tables of one beam; sections are those of the mass points, then of the far end."""

    held: int
    far: int
    values: slice
    unknowns: slice
    mass: Array
    place: Array
    shape: Array
    slope: Array
    draws: Array
    stiffness: Array
    damping: Array
    turning: Array
    spinning: Array
    polar: float


def tables_of(problem: Problem) -> list[BeamTables]:
    """Return the beams of a problem."""
    found, tables, sections = [], problem.tables, problem.sizes["STATIONS"] + 1
    shapes = tables["SECTION_SHAPE"].reshape(-1, sections, 3)
    for k, beam in enumerate(tables["BEAM"]):
        motion, unknown, mode, count, start = (
            int(beam[name]) for name in ("motion", "unknown", "mode", "modes", "draws")
        )
        modes = tables["BEAM_MODE"][mode : mode + count]
        draws = tables["SECTION_DRAWS"][start : start + sections * count**2].reshape(sections, count, count)
        found.append(
            BeamTables(
                int(beam["held"]), int(beam["far"]), slice(motion, motion + count), slice(unknown, unknown + count),
                tables["STATION_MASS"][k], tables["SECTION_PLACE"][k],
                shapes[mode : mode + count].transpose(1, 0, 2), modes["slope"], draws, modes["stiffness"],
                modes["damping"], modes["turning"], modes["spinning"], float(beam["polar"]),
            )
        )  # fmt: skip
    return found


@dataclass(frozen=True)
class _Bent:
    """Sections of a bent beam: (p, 3) s + u, v, w; their rates; (p, 3) shortening; (p, n) its derivatives."""

    at: Array
    rate: Array
    drawn: Array
    draws: Array


def _bent(beam: BeamTables, value: Array, rate: Array) -> _Bent:
    at = np.einsum("pni,n->pi", beam.shape, value)
    at[:, 0] += beam.place
    draws = beam.draws @ value
    drawn = np.stack([0.5 * draws @ value, draws @ rate, np.einsum("pij,i,j->p", beam.draws, rate, rate)], axis=-1)
    return _Bent(at, np.einsum("pni,n->pi", beam.shape, rate), drawn, draws)


class BeamSpace(TreeSpace):
    """Coordinates of a tree some of whose bodies are far ends of beams."""

    def __init__(self, problem: Problem, routines: Routines) -> None:
        super().__init__(problem, routines)
        self._element = Routines(load_routines("transfer", "transfer.py"))
        self._beams = {beam.far: beam for beam in tables_of(problem)}

    def _pass_beams(self, bodies: NDArray[np.intp], values: Array, poses: Array, before: Array, after: Array) -> None:
        still = np.zeros(3)
        for b in bodies:
            beam = self._beams.get(int(b))
            if beam is None:
                continue
            value = values[beam.values]
            bent = _bent(beam, value, np.zeros_like(value))
            before[beam.values] = poses[b]
            poses[b] = self._element.call(
                "beam_end", poses[b], bent.at[-1], still, bent.drawn[-1], value @ beam.slope, still, still
            )[0]
            after[beam.values] = poses[b]

    def _columns(self, values: Array, poses: Array, before: Array, after: Array) -> list[Array]:
        found, still = super()._columns(values, poses, before, after), np.zeros(3)
        for beam in self._beams.values():
            value, frame = values[beam.values], before[beam.values.start]
            bent = _bent(beam, value, np.zeros_like(value))
            about = self._element.call(
                "beam_end", frame, bent.at[-1], still, bent.drawn[-1], value @ beam.slope, still, still
            )[1]
            columns = self._element.one(
                "beam_end_mode", *matrix(frame[3:]).T, about, beam.shape[-1], bent.draws[-1], beam.slope
            )
            found[beam.values] = columns[:, None]
        return found

    def _own_bias(self, now: TreeConfiguration, law: Array, rate: Array, twist: Array) -> Array:
        found = super()._own_bias(now, law, rate, twist)
        for b, beam in self._beams.items():
            value, rates, omega = now.values[beam.values], rate[beam.unknowns], twist[beam.held, 3:]
            bent = _bent(beam, value, rates)
            found[b] = self._element.call(
                "beam_end", now.before[beam.values.start], bent.at[-1], bent.rate[-1], bent.drawn[-1],
                value @ beam.slope, rates @ beam.slope, omega,
            )[2]  # fmt: skip
            found[b, :3] -= np.cross(omega, twist[b, :3] - twist[beam.held, :3])  # which comes from the carrier
        return found


@dataclass(frozen=True)
class Modal:
    """What the modes of a beam are to its far end's joint.

    Parameters
    ----------
    coupling : (6, n) inertia between frame and modes, rows [q m] at the held end.
    mass : (n, n).
    load : (n,) what drives the modes.
    """

    coupling: Array
    mass: Array
    load: Array


@dataclass(frozen=True)
class BentBeams:
    """All beams at one time.

    Parameters
    ----------
    inertia, load : of each body that holds one, (6, 6) and (6,), about its end of the beam.
    modal : of each far end.
    kinetic, potential : energies of the beams.
    """

    inertia: Mapping[int, Array]
    load: Mapping[int, Array]
    modal: Mapping[int, Modal]
    kinetic: float = 0.0
    potential: float = 0.0


class Beams:
    """Finds inertia and loads of the beams of a problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._element = problem, Routines(load_routines("transfer", "transfer.py"))
        self._compose = Routines(load_routines("dynamics", "dynamics.py"))
        self.beams = tables_of(problem)
        self._gravity = problem.tables["GRAVITY"]

    def find(self, now: Configuration, twist: Array, rate: Array) -> BentBeams:
        """Return inertia, loads and energies."""
        inertia, load, modal = {}, {}, {}
        kinetic = potential = 0.0
        for beam in self.beams:
            found = self._one(now, twist[beam.held], rate[beam.unknowns], beam)
            inertia[beam.held], load[beam.held], modal[beam.far] = found[0], found[1], found[2]
            energies = self._energies(now, twist[beam.held], rate[beam.unknowns], beam, found[0], found[2])
            kinetic, potential = kinetic + energies[0], potential + energies[1]
        return BentBeams(inertia, load, modal, kinetic, potential)

    def state(self, values: Array, slope: Array) -> Array:
        """Return values, rates and accelerations of all modes, (3, modes).

        Parameters
        ----------
        values : of the tree's motions; slope : rates of a state vector.
        """
        first = len(slope) - self._problem.sizes["UNKNOWNS"]
        parts = [
            (values[beam.values], slope[beam.values], slope[first + beam.unknowns.start : first + beam.unknowns.stop])
            for beam in self.beams
        ]
        return np.array([np.concatenate(each) for each in zip(*parts, strict=True)])

    def _one(self, now: Configuration, twist: Array, rate: Array, beam: BeamTables) -> tuple[Array, Array, Modal]:
        frame = self._compose.one("compose", now.poses[beam.held], self._problem.tables["BODY"]["before"][beam.far])
        axes, omega, value = matrix(frame[3:]).T, twist[3:], now.values[beam.values]
        bent, points = _bent(beam, value, rate), len(beam.mass)
        lever, _, force, inertia, load = self._element.call(
            "beam_station", beam.mass, *axes, bent.at[:points], bent.rate[:points], bent.drawn[:points], omega,
            self._gravity,
        )  # fmt: skip
        spread = (beam.mass[:, None], *axes, lever[:, None], force[:, None])
        column, coupling, driving = self._element.call(
            "beam_station_mode", *spread, beam.shape[:points], bent.draws[:points]
        )
        turned, gyroscopic = self._element.call("beam_twist", beam.polar, axes[0], omega, beam.turning @ rate)
        whole = _symmetric(inertia.sum(axis=0), _LOWER, 6)
        whole[3:, 3:] += _symmetric(turned, _LOWER_3, 3)
        loads = load.sum(axis=0)
        loads[3:] += gyroscopic
        between = coupling.sum(axis=0).T
        between[3:] += np.outer(axes[0], beam.turning)
        mass = np.einsum("p,pni,pmi->nm", beam.mass, column, column) + np.diag(beam.spinning)
        return whole, loads, Modal(between, mass, driving.sum(axis=0) - beam.stiffness * value - beam.damping * rate)

    def _energies(
        self, now: Configuration, twist: Array, rate: Array, beam: BeamTables, inertia: Array, modal: Modal
    ) -> tuple[float, float]:
        value, momentum = now.values[beam.values], modal.coupling @ rate
        kinetic, potential = self._element.call(
            "beam_energy", inertia[_LOWER], twist, momentum, now.poses[beam.held, :3], self._gravity
        )
        bent = 0.5 * beam.stiffness @ value**2
        return float(kinetic + 0.5 * rate @ modal.mass @ rate), float(potential + bent)


def _symmetric(triangle: Array, lower: Any, size: int) -> Array:
    found = np.zeros((size, size))
    found[lower] = triangle
    found.T[lower] = triangle
    return found
