"""Elimination of a main hinge's relative accelerations with the force rows at the output of the body behind it.

With a_I' = X a_I + H qdd + eta behind the hinge and w_O = Y a_I' + V w_I + y0 at the output, the rows N w_O = tau of
the next hinge give qdd, if N Y H is not singular: the far-side form. For balls and pins the theorem has another form:
their moments are known, so that the angular acceleration behind the hinge follows, and the moment is passed on. Both
are matrices of the element library; here is which rows they take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.errors import AccuracyError
from symgen.library.element_routines import call
from symgen.poses import Array
from symgen.transfer.elements import far_side
from symgen.transfer.overall.deduction import USE_RICCATI
from symgen.transfer.overall.elements import DirectElements, DirectHinge
from symgen.transfer.overall.equation import DeducedBody, OverallEquation
from symgen.transfer.overall.ports import EPS, LARGEST_ERROR, PLANE_A, PLANE_W, BodyMatrices, least_of, pairing

#: Components in space.
PLACES = tuple(range(6))


@dataclass(frozen=True)
class PortState:
    """A state as a matrix (2 d, unknowns + 1), and the sizes of the terms it was formed from."""

    z: Array
    size: Array


@dataclass(frozen=True)
class FarSide:
    """A main hinge as a matrix, before its body.

    Parameters
    ----------
    transfer : (2 d, 2 d + 1) from the inboard side of the hinge to the input of the body.
    gain : (d, f) that rows of the wrench which other inputs add at the output enter the acceleration with, negative.
    rows : (f, d), those rows.
    """

    transfer: Array
    gain: Array
    rows: Array

    def behind(self, inboard: Array, passed: Array, terms: Array, others: Array) -> PortState:
        """Return the state at the input of the body.

        Parameters
        ----------
        inboard : state (2 d, unknowns + 1) on the other side of the hinge.
        passed : sizes of the state behind the hinge without its relative accelerations.
        terms : sizes (d, unknowns + 1) of the terms of the wrench at the output.
        others : what other inputs add to that wrench.
        """
        d = len(self.gain)
        z = self.transfer[:, :-1] @ inboard
        z[:, -1] += self.transfer[:, -1]
        z[:d] -= self.gain @ (self.rows @ others)
        size = passed.copy()
        size[:d] += np.abs(self.gain) @ (np.abs(self.rows) @ terms)
        return PortState(z, size)

    def less_sure(self, behind: PortState, passed: Array, sizes: Array) -> PortState:
        """Return the state at the input with the rounding of the pivot counted.

        Parameters
        ----------
        passed : the state behind the hinge without its relative accelerations.
        sizes : (d, d) of the terms from accelerations to the wrench at the output.
        """
        d, size = len(self.gain), behind.size.copy()
        size[:d] += np.abs(self.gain) @ (np.abs(self.rows) @ (sizes @ np.abs(behind.z[:d] - passed[:d])))
        return PortState(behind.z, size)


def far_sides(elements: DirectElements, equation: OverallEquation) -> dict[int, FarSide]:
    """Return the main hinges that are eliminated, by the body behind, those of equal freedoms found together.

    Raises
    ------
    AccuracyError
        A pivot is singular.
    """
    found: dict[int, FarSide] = {}
    steps = [step for step in equation.bodies if step.eliminates]
    for count in dict.fromkeys(step.entries[0].freedoms for step in steps):
        alike = [step for step in steps if step.entries[0].freedoms == count]
        many = _opaque if equation.variant == "opaque" else _transparent
        found |= {step.body.body: each for step, each in zip(alike, many(elements, alike), strict=True)}
    return found


def _opaque(elements: DirectElements, steps: Sequence[DeducedBody]) -> list[FarSide]:
    """Return main hinges of any one number of freedoms."""
    bodies = [elements.bodies[step.body.body] for step in steps]
    d = len(bodies[0].sizes)
    a, w = (PLANE_A, PLANE_W) if d < len(PLACES) else (PLACES, PLACES)
    u, sizes = np.array([body.transfer for body in bodies]), np.array([body.sizes for body in bodies])
    behind = (
        _spread(u[:, d:-1, :d], w, a), _spread(u[:, d:-1, d:-1], w, w), _spread(u[:, d:-1, -1], w), _spread(sizes, w, a)
    )  # fmt: skip
    motions = [elements.hinges[step.entries[0].joint].motion for step in steps]
    hinge = (
        np.array([each.apart for each in motions]),
        np.array([each.h for each in motions]),
        np.array([each.eta for each in motions]),
    )
    known = [rows_beyond(elements, step) for step in steps]
    rows, wanted = np.array([each for each, _ in known]), np.array([each for _, each in known])
    found = far_side(behind, hinge, (_spread(rows, w), wanted))
    _check_pivots(steps, found.pivot, found.terms)
    z = [*a, *(len(PLACES) + place for place in w)]
    transfer, gain = found.transfer[:, z][:, :, [*z, 2 * len(PLACES)]], found.gain[:, list(a)]
    return [FarSide(*each) for each in zip(transfer, gain, rows, strict=True)]


def _spread(values: Array, *axes: Sequence[int]) -> Array:
    """Return arrays in space, whose last axes have the values at some places."""
    found = np.zeros((*values.shape[: -len(axes)], *(len(PLACES),) * len(axes)))
    if len(axes) == 1:
        found[..., list(axes[0])] = values
    else:
        found[..., np.array(axes[0])[:, None], np.array(axes[1])] = values
    return found


def _transparent(elements: DirectElements, steps: Sequence[DeducedBody]) -> list[FarSide]:
    """Return balls, in the plane pins."""
    bodies = [elements.bodies[step.body.body] for step in steps]
    d = len(bodies[0].sizes)
    turns, moments = rotations(d)
    rows = np.array([body.transfer[moments] for body in bodies])
    terms = np.array([body.sizes[np.ix_(moments - d, turns)] for body in bodies])
    _check_pivots(steps, rows[:, :, turns], terms)
    near = [known_moment(elements.hinges[step.entries[0].joint], inboard=False) for step in steps]
    far = [_far_moment(elements, step, len(moments)) for step in steps]
    given = (rows[:, :, :d], rows[:, :, d:-1], rows[:, :, -1], np.array(near), np.array(far), terms)
    name = "far_side_ball" if len(turns) > 1 else "far_side_pin"
    u, gain, _, _ = call(name, *(each.reshape(len(steps), -1) for each in given))
    transfer = u.reshape(-1, 2 * d + 1, 2 * d + 1)[:, :-1]
    gains, taken = np.zeros((len(steps), d, len(turns))), np.zeros((len(turns), d))
    gains[:, turns] = -gain.reshape(-1, len(turns), len(turns))
    taken[:, moments - d] = np.eye(len(turns))
    return [FarSide(*each, taken) for each in zip(transfer, gains, strict=True)]


def _far_moment(elements: DirectElements, step: DeducedBody, size: int) -> Array:
    """Return the moment that the hinge at the output of a body gives; none at a free end."""
    output = step.body.output
    return np.zeros(size) if output is None else known_moment(elements.hinges[output.joint], inboard=True)


def rows_beyond(elements: DirectElements, step: DeducedBody) -> tuple[Array, Array]:
    """Return rows (f, d) on the wrench at the output of a body and what they give (f,).

    Where the whole wrench at the output is known, its power in the motions of the main hinge is taken.
    """
    output = step.body.output
    hinge = elements.hinges[output.joint] if output is not None else None
    body = elements.bodies[step.body.body]
    d, h = len(body.sizes), elements.hinges[step.entries[0].joint].h
    if hinge is not None and (step.output_freedoms < d or h.shape[1] == d):
        return hinge.power, hinge.tau
    rows = _moved(body, h).T[:, np.argsort(pairing(d))]
    return rows, rows @ known_wrench(hinge, d)


def rest_of_far_side(elements: DirectElements, step: DeducedBody) -> tuple[Array, Array]:
    """Return the rows on a wrench that is wholly known which `rows_beyond` leaves over, and what they give."""
    output = step.body.output
    hinge = elements.hinges[output.joint] if output is not None else None
    body = elements.bodies[step.body.body]
    d, rows = len(body.sizes), np.eye(len(body.sizes))
    if step.eliminates:
        moved = _moved(body, elements.hinges[step.entries[0].joint].h)
        rows = np.linalg.qr(moved, mode="complete")[0][:, moved.shape[1] :].T[:, np.argsort(pairing(d))]
    return rows, rows @ known_wrench(hinge, d)


def known_wrench(hinge: DirectHinge | None, width: int) -> Array:
    """Return the wrench (d,) at the inboard side of a hinge that its forces give; none at a free end."""
    return hinge.wrenches[1] if hinge is not None else np.zeros(width)


def _moved(body: BodyMatrices, h: Array) -> Array:
    """Return the accelerations (d, f) of the output in the motions of the main hinge."""
    d = len(body.sizes)
    found: Array = body.transfer[:d, :d] @ h
    return found


def without_moment(hinge: DirectHinge, port: PortState) -> Array:
    """Return the state behind a ball or pin with its moment as its forces give it."""
    found, moments = port.z.copy(), rotations(len(hinge.eta))[1]
    found[moments] = 0.0
    found[moments, -1] = known_moment(hinge, inboard=False)
    return found


def rotations(width: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of the angular accelerations and of the moments in a state."""
    return (np.arange(3, 6), np.arange(6, 9)) if width == 6 else (np.array([2]), np.array([3]))


def known_moment(hinge: DirectHinge, *, inboard: bool) -> Array:
    """Return the moment that the forces of a ball or pin give, on one of its sides."""
    given, d = hinge.wrenches[1], len(hinge.eta)
    found: Array = (given if inboard else hinge.xw @ given)[rotations(d)[1] - d]
    return found


def _check_pivots(steps: Sequence[DeducedBody], pivots: Array, sizes: Array) -> None:
    """Refuse pivots (k, f, f) that are singular beside the terms they were formed from."""
    for step, least in zip(steps, least_of(pivots, sizes), strict=True):
        if not least * LARGEST_ERROR > EPS:
            raise _singular(step, float(least))


def _singular(step: DeducedBody, least: float) -> AccuracyError:
    output = step.body.output
    far = f"the force rows of {output.joint}" if output is not None else "its free output"
    return AccuracyError(
        f"singular pivot at body {step.body.id}: hinge {step.entries[0].joint} cannot be eliminated with {far}. The "
        f"pivot is {least:.1e} of its terms; at least {EPS / LARGEST_ERROR:.1e} is needed to keep enough digits. "
        "Either the output of the body is the centre of percussion of its input, or the axes of the two hinges do not "
        f"act on each other; {USE_RICCATI}"
    )
