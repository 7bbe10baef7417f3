"""The places of each element where something is attached: one of a rigid body, those along a beam in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array, matrix
from symgen.transfer.elements import shifting
from symgen.vibrations.beam import Piece, piece_axes
from symgen.vibrations.columns import Columns
from symgen.vibrations.elements import rest_stiffness
from symgen.vibrations.rest import Rest
from symgen.vibrations.system import Element, VibratingSystem

#: Places on a beam nearer than this part of its length are one.
_TOGETHER = 1e-9
#: Places that every beam has, as parts of its length: a mode that rests at both ends moves there.
_INSIDE = (0.3819, 0.7236)
#: Loads along a beam below this part of the forces on it are rounding.
_NO_LOAD = 1e-12


@dataclass(frozen=True)
class ElementNode:
    """One place.

    Parameters
    ----------
    point : (3,) [m, world].
    stiffness : (6, 6) of forces at rest and of springs to the ground.
    columns : (6, c).
    children : elements whose ends are here, with the shift (6, 6) from the node to each end.
    """

    point: Array
    stiffness: Array
    columns: Array
    children: tuple[tuple[int, Array], ...]


@dataclass(frozen=True)
class NodeLayout:
    """Nodes of an element and how they hang together.

    Parameters
    ----------
    nodes : of a beam from x = 0 to x = length; of a rigid body the one at its port.
    out : index of the node with the output; `shift` from the port to it, (6, 6), and `stiffness` of that lever.
    arms : ways along the beam to the output, each (node, piece to the next node) from the outermost inwards.
    """

    nodes: tuple[ElementNode, ...]
    out: int
    shift: Array
    stiffness: Array
    arms: tuple[tuple[tuple[int, Piece], ...], ...]


@dataclass
class _NodePlace:
    point: Array
    stiffness: Array
    columns: Array
    children: list[tuple[int, Array]]
    force: Array


def lay_out(system: VibratingSystem, rest: Rest, columns: Columns) -> tuple[NodeLayout, ...]:
    """Return the layout of each element."""
    return tuple(_layout(system, rest, columns, k) for k in range(len(system.elements)))


def _layout(system: VibratingSystem, rest: Rest, columns: Columns, k: int) -> NodeLayout:
    element = system.elements[k]
    attached = _attached(system, rest, columns, k)
    if element.beam is None:
        places, out = [_empty(element.port, columns.count)], 0
        find = np.zeros(len(attached), dtype=int)
    else:
        along = matrix(element.pose[3:])[:, 0]
        origin = element.pose[:3]
        stations = _stations([float((point - origin) @ along) for point, *_ in attached], element.beam.length)
        here = _nearest(stations, [float((point - origin) @ along) for point, *_ in attached])
        places, out = [_empty(origin + x * along, columns.count) for x in stations], int(here[0])
        find = here
    for (point, force, stiffness, wide, child), index in zip(attached[1:], find[1:], strict=True):
        place = places[int(index)]
        lever = shifting(point - place.point)
        place.stiffness += lever.T @ stiffness @ lever + rest_stiffness(point - place.point, force)
        place.columns += lever.T @ wide
        place.force += force
        if child is not None:
            place.children.append((child, lever))
    nodes = tuple(ElementNode(p.point, p.stiffness, p.columns, tuple(p.children)) for p in places)
    reach = places[out].point - element.port
    arms = _arms(system, element, places, out) if element.beam is not None else ()
    return NodeLayout(nodes, out, shifting(reach), rest_stiffness(reach, rest.ports[k][:3]), arms)


def _empty(point: Array, count: int) -> _NodePlace:
    return _NodePlace(point, np.zeros((6, 6)), np.zeros((6, count)), [], np.zeros(3))


def _attached(
    system: VibratingSystem, rest: Rest, columns: Columns, k: int
) -> list[tuple[Array, Array, Array, Array, int | None]]:
    """Return what is attached: point, force at rest on the element, stiffness, columns, child; the output first."""
    element, none, thin = system.elements[k], np.zeros((6, 6)), np.zeros((6, columns.count))
    found: list[tuple[Array, Array, Array, Array, int | None]] = [(element.port, np.zeros(3), none, thin, None)]
    for child in element.children:
        found.append((system.elements[child].end, rest.ends[child][:3], none, thin, child))
    found += [(load.point, load.force, none, thin, None) for load in element.loads]
    for c, cut in enumerate(system.cuts):
        if cut.inboard == element.body:
            found.append((cut.port, -rest.cuts[c][:3], none, thin, None))
        if cut.outboard == element.body:
            found.append((cut.end, rest.cuts[c][:3], none, thin, None))
    for place in columns.places:
        if place.body == element.body:
            found.append((place.point, np.zeros(3), place.stiffness, place.columns, None))
    return found


def _stations(places: list[float], length: float) -> Array:
    """Return the places along a beam, both ends among them."""
    inside = sorted({0.0, length, *(x * length for x in _INSIDE), *(min(max(x, 0.0), length) for x in places)})
    kept = [inside[0]]
    for x in inside[1:]:
        if x - kept[-1] > _TOGETHER * length:
            kept.append(x)
    kept[-1] = length
    return np.array(kept)


def _nearest(stations: Array, places: list[float]) -> NDArray[np.intp]:
    found: NDArray[np.intp] = np.argmin(np.abs(stations[None, :] - np.array(places)[:, None]), axis=1)
    return found


def _arms(
    system: VibratingSystem, element: Element, places: list[_NodePlace], out: int
) -> tuple[tuple[tuple[int, Piece], ...], ...]:
    beam = element.beam
    if beam is None:
        return ()
    turn, planar = matrix(element.pose[3:]), system.mechanism.space == "planar"
    weight = beam.mass_per_length * np.array(system.mechanism.gravity)
    arms = []
    for backwards, indices in ((False, range(out)), (True, range(len(places) - 1, out, -1))):
        axes = piece_axes(turn, backwards)
        arm, force = [], np.zeros(3)
        for index in indices:
            after = index - 1 if backwards else index + 1
            length = float(np.linalg.norm(places[after].point - places[index].point))
            force = force + places[index].force
            push, gain = float(force @ axes[:, 0]), float(weight @ axes[:, 0])
            scale = float(np.linalg.norm(force)) + length * float(np.linalg.norm(weight))
            push, grown = (each if abs(each) > _NO_LOAD * scale else 0.0 for each in (push, gain * length))
            arm.append((index, Piece(beam, length, axes, push, gain if grown else 0.0, planar)))
            force = force + length * weight
        arms.append(tuple(arm))
    return tuple(arm for arm in arms if arm)
