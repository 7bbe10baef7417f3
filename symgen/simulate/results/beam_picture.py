"""Flexible beams in pictures: short straight pieces, each where its section of the bent beam is."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from symgen.model.mechanism import Mechanism
from symgen.model.named import Named
from symgen.model.parts import Body, Joint, JointFrame
from symgen.solve.tracks import BodyTrack

if TYPE_CHECKING:
    from symgen.simulate.results.result import SimulationResult

_PIECES = 12
_AXES = (1.0, 0.0, 0.0, 0.0)


def in_pieces(result: SimulationResult) -> SimulationResult:
    """Return a motion whose beams are chains of welded bodies."""
    mechanism, tracks = result.mechanism, {body.id: result.bodies[body.id] for body in result.mechanism.bodies}
    bodies: list[Body] = []
    joints = list(mechanism.joints)
    for body in mechanism.bodies:
        if body.id not in result.beams:
            bodies.append(body)
            continue
        chain = _chain(result, body, tracks)
        bodies += chain
        joints = [_at_its_piece(joint, body, chain) for joint in joints]
        joints += [_weld(one, two, _length(body) / _PIECES) for one, two in pairwise(chain)]
    drawn = _without_beams(mechanism, bodies, joints)
    own = Named("body", {body.id: tracks[body.id] for body in bodies})
    return replace(result, mechanism=drawn, bodies=own, beams={})


def _length(body: Body) -> float:
    return body.beam.length if body.beam is not None else 0.0


def _chain(result: SimulationResult, body: Body, tracks: dict[str, BodyTrack]) -> list[Body]:
    """Return the pieces of a beam, and write their motions."""
    step, found = _length(body) / _PIECES, []
    for k in range(_PIECES):
        piece = replace(
            body, id=body.id if k == 0 else f"{body.id}.{k}", beam=None, points=body.points if k == 0 else {}
        )
        tracks[piece.id] = result.beams[body.id].section(k * step)
        found.append(piece)
    return found


def _at_its_piece(joint: Joint, body: Body, chain: list[Body]) -> Joint:
    """Return a joint on the last piece, where it is at the far end of the beam."""
    if joint.frames is None or body.id not in joint.bodies:
        return joint
    side = joint.bodies.index(body.id)
    x, y, z = joint.frames[side].at
    if x < 0.5 * _length(body):
        return joint
    bodies, frames = list(joint.bodies), list(joint.frames)
    bodies[side] = chain[-1].id
    frames[side] = replace(frames[side], at=(x - _length(body) * (1 - 1 / _PIECES), y, z))
    return replace(joint, bodies=(bodies[0], bodies[1]), frames=(frames[0], frames[1]))


def _weld(one: Body, two: Body, step: float) -> Joint:
    frames = (JointFrame((step, 0.0, 0.0), _AXES), JointFrame((0.0, 0.0, 0.0), _AXES))
    return Joint(id=f"{two.id} weld", type="W", bodies=(one.id, two.id), frames=frames)


def _without_beams(mechanism: Mechanism, bodies: list[Body], joints: list[Joint]) -> Mechanism:
    return replace(mechanism, bodies=tuple(bodies), joints=tuple(joints))
