"""Elimination of a main hinge's relative accelerations with the force rows at the output of the body behind it.

With a_I' = X a_I + H qdd + eta behind the hinge and w_O = Y a_I' + V w_I + y0 at the output, the rows N w_O = tau of
the next hinge give qdd, if N Y H is not singular: the far-side form. For balls and pins the theorem has another form:
their moments are known, so that the angular acceleration behind the hinge follows, and the moment is passed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.errors import AccuracyError
from symgen.library.rotations import Array
from symgen.transfer.deduction import USE_RICCATI
from symgen.transfer.direct_elements import DirectElements, DirectHinge
from symgen.transfer.direct_ports import EPS, LARGEST_ERROR, BodyMatrices, least_of, pairing
from symgen.transfer.overall_equation import DeducedBody


@dataclass(frozen=True)
class Port:
    """A state as a matrix (2 d, unknowns + 1), and the sizes of the terms it was formed from."""

    z: Array
    size: Array


def eliminate_opaque(elements: DirectElements, step: DeducedBody, main: Port, gained: Port) -> Port:
    """Return the state behind a main hinge of any type.

    Parameters
    ----------
    main : the state behind the hinge without its relative accelerations.
    gained : what other inputs and loads add at the output.

    Raises
    ------
    AccuracyError
        The pivot is singular.
    """
    body = elements.bodies[step.body.body]
    d = len(body.sizes)
    u, h = body.transfer[:-1, :-1], elements.hinges[step.entries[0].joint].h
    rows, wanted = far_side(elements, step)
    pivot = rows @ u[d:, :d] @ h
    _check_pivot(step, pivot, np.abs(rows) @ body.sizes @ np.abs(h))
    missing = -rows @ (u @ main.z + gained.z)[d:]
    missing[:, -1] += wanted
    terms = np.abs(rows) @ (body.main_terms @ main.size + gained.size)[d:]
    inverse = np.linalg.inv(pivot)
    back = h @ inverse
    if body.terms is not None:  # of a rigid body the pivot is no rest of larger terms
        terms = terms + np.abs(rows) @ body.sizes @ np.abs(h) @ np.abs(inverse @ missing)
    return Port(
        np.vstack([main.z[:d] + back @ missing, main.z[d:]]),
        np.vstack([main.size[:d] + np.abs(back) @ terms, main.size[d:]]),
    )


def far_side(elements: DirectElements, step: DeducedBody) -> tuple[Array, Array]:
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
    """Return the rows on a wrench that is wholly known which `far_side` leaves over, and what they give."""
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


def eliminate_transparent(elements: DirectElements, step: DeducedBody, ports: Sequence[Port], gained: Port) -> Port:
    """Return the state behind a ball, in the plane a pin; other parameters as of `eliminate_opaque`.

    Parameters
    ----------
    ports : the states at all inputs, the main input first.
    """
    body, main = elements.bodies[step.body.body], ports[0]
    d = len(body.sizes)
    turns, moments = rotations(d)
    u = body.transfer[:-1, :-1]
    known = main.z.copy()
    known[turns] = known[moments] = 0.0
    known[moments, -1] = known_moment(elements.hinges[step.entries[0].joint], inboard=False)
    away = u[moments] @ known + gained.z[moments]
    terms = np.abs(u[moments]) @ np.abs(known) + gained.size[moments]
    for other, entry, port in zip(body.others, step.entries[1:], ports[1:], strict=True):
        if entry.joint:  # its moment is known too
            gap = port.z[moments].copy()
            gap[:, -1] -= known_moment(elements.hinges[entry.joint], inboard=False)
            away -= other[np.ix_(moments, moments)] @ gap
    if step.body.output is not None:
        away[:, -1] -= known_moment(elements.hinges[step.body.output.joint], inboard=True)
    pivot = u[np.ix_(moments, turns)]
    _check_pivot(step, pivot, body.sizes[np.ix_(moments - d, turns)])
    z, size = main.z.copy(), main.size.copy()
    back = np.linalg.inv(pivot)
    z[turns], size[turns] = -back @ away, np.abs(back) @ terms
    return Port(z, size)


def rotations(width: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of the angular accelerations and of the moments in a state."""
    return (np.arange(3, 6), np.arange(6, 9)) if width == 6 else (np.array([2]), np.array([3]))


def known_moment(hinge: DirectHinge, *, inboard: bool) -> Array:
    """Return the moment that the forces of a ball or pin give, on one of its sides."""
    given, d = hinge.wrenches[1], len(hinge.eta)
    found: Array = (given if inboard else hinge.xw @ given)[rotations(d)[1] - d]
    return found


def _check_pivot(step: DeducedBody, pivot: Array, sizes: Array) -> None:
    """Refuse a pivot that is singular beside the terms it was formed from."""
    least = least_of(pivot, sizes)
    if least * LARGEST_ERROR > EPS:
        return
    output = step.body.output
    far = f"the force rows of {output.joint}" if output is not None else "its free output"
    raise AccuracyError(
        f"singular pivot at body {step.body.id}: hinge {step.entries[0].joint} cannot be eliminated with {far}. The "
        f"pivot is {least:.1e} of its terms, at least {EPS / LARGEST_ERROR:.1e} keeps enough digits: the output of the "
        "body is the centre of percussion of its input, or the axes of the two hinges do not bear on each other; "
        f"{USE_RICCATI}"
    )
