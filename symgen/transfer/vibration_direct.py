"""The classical product: the overall transfer matrix of a chain, and its characteristic determinant.

From the free tip, w = 0, to the ground, a = 0: the chain vibrates where the determinant of the block that takes
displacements of the tip to those at the ground vanishes. It is what textbooks do, and for short chains only: entries
grow like cosh along beams, and the determinant loses as many digits. `symgen.vibrations` counts by the Riccati form.

Source: E. C. Pestel, F. A. Leckie, Matrix Methods in Elastomechanics, 1963.
"""

from __future__ import annotations

import numpy as np

from symgen.errors import InputError
from symgen.library.rotations import Array
from symgen.transfer.elements import call, inertia_entries
from symgen.transfer.vibration_beam import division, transfer_matrix
from symgen.transfer.vibration_nodes import Layout
from symgen.transfer.vibration_riccati import Recursion
from symgen.transfer.vibration_system import Step

_NONE = np.zeros(3)


def overall_matrix(recursion: Recursion, squares: Array) -> Array:
    """Return the overall transfer matrix (n, 12, 12) of a chain, state [x theta m q], from the tip to the ground.

    Parameters
    ----------
    recursion : of `symgen.transfer.vibration.linearise`.
    squares : (n,) squares of the angular frequency [rad^2/s^2].

    Raises
    ------
    InputError
        The mechanism is no chain from one free tip to the ground; a hinge has no spring, or is under load at rest.
    """
    system = recursion.system
    ends = [element for element in system.elements if element.parent < 0]
    if len(ends) != 1 or recursion.combined.size or any(len(element.children) > 1 for element in system.elements):
        raise InputError("the classical product takes a chain from one free tip to the ground")
    total = np.broadcast_to(np.eye(12), (len(squares), 12, 12))
    for k in range(len(system.elements)):
        total = _element(recursion, k, squares) @ total
        total = _hinges(recursion, k, squares) @ total
    return total


def characteristic_determinant(recursion: Recursion, squares: Array) -> Array:
    """Return the characteristic determinant (n,) of a chain: it vanishes at the eigenfrequencies."""
    found: Array = np.linalg.det(overall_matrix(recursion, squares)[:, :6, :6])
    return found


def _element(recursion: Recursion, k: int, squares: Array) -> Array:
    element, layout = recursion.system.elements[k], recursion.layouts[k]
    if element.beam is not None:
        return _beam(layout, squares)
    start = recursion.system.elements[element.children[0]].end if element.children else element.centre
    gamma = inertia_entries(-layout.nodes[0].stiffness[3:, 3:])
    return _flat(
        call("vibration_body_spatial", element.mass, inertia_entries(element.inertia), element.centre - start,
             element.port - start, squares, gamma)[0]
    )  # fmt: skip


def _beam(layout: Layout, squares: Array) -> Array:
    if len(layout.arms) != 1 or any(piece.push for _, piece in layout.arms[0]):
        raise InputError("the classical product takes beams from one end to the other, without a load along them")
    total = np.broadcast_to(np.eye(12), (len(squares), 12, 12))
    for _, piece in layout.arms[0]:
        turn = np.kron(np.eye(4), piece.axes)
        parts = division(piece, float(np.abs(squares).max()))
        part = turn @ transfer_matrix(piece.beam, piece.length / parts, squares) @ turn.T
        for _ in range(parts):
            total = part @ total
    return total


def _hinges(recursion: Recursion, k: int, squares: Array) -> Array:
    """Return the matrix of a joint: elastic hinges, and the ways between them."""
    element = recursion.system.elements[k]
    total, point = np.eye(12), element.port
    for step, hinge in zip(element.steps, recursion.hinges[k], strict=True):
        if hinge.rest.any() or not step.stiffness:
            raise InputError(f"the classical product takes hinges with springs, without load at rest: {step.joint}")
        total = _spring(step) @ _way(step.point - point, hinge.stiffness) @ total
        point = step.point
    total = _way(element.end - point, recursion.ways[k][1]) @ total
    return np.broadcast_to(total, (len(squares), 12, 12))


def _way(lever: Array, stiffness: Array) -> Array:
    gamma = inertia_entries(-stiffness[3:, 3:])
    return _flat(call("vibration_body_spatial", 0.0, np.zeros(6), _NONE, lever, 0.0, gamma)[0])


def _spring(step: Step) -> Array:
    if step.along.any() and step.about.any():
        raise InputError(f"the classical product takes turns and slides, no screws: {step.joint}")
    axis = step.along + step.about
    give = np.array([1.0 / step.stiffness, 0.0, 0.0])
    along, about = (give, _NONE) if step.along.any() else (_NONE, give)
    side = np.linalg.svd(axis[None])[2][1:]
    return _flat(call("vibration_spring_spatial", axis, *side, along, about)[0])


def _flat(values: Array) -> Array:
    found: Array = values.reshape(*values.shape[:-1], 12, 12)
    return found
