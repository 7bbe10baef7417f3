"""Whether a mechanism is a chain that the classical product of transfer matrices takes; what is none is named."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.errors import MechanismError
from symgen.poses import Array
from symgen.simulate.tables.spanning_tree import GROUND
from symgen.vibrations.riccati import Recursion
from symgen.vibrations.system import CutJoint

#: Places on a beam nearer to its end than this part of its length are there.
_THERE = 1e-9


@dataclass(frozen=True)
class ChainShape:
    """Elements at roots (two where a chain between two grounds is cut inside), the cut joint, whether it is free."""

    roots: tuple[int, ...]
    held: CutJoint | None
    free: bool


def check_chain(recursion: Recursion) -> ChainShape:
    """Return the shape of a chain.

    Raises
    ------
    MechanismError
        The mechanism is no chain, or a beam is held inside.
    """
    return _Check(recursion).shape()


class _Check:
    def __init__(self, recursion: Recursion) -> None:
        self.recursion, self.system = recursion, recursion.system
        self.bodies = self.system.mechanism.bodies

    def shape(self) -> ChainShape:
        system = self.system
        roots = tuple(k for k, element in enumerate(system.elements) if element.parent == GROUND)
        steps = system.elements[roots[-1]].steps
        free = len(roots) == 1 and not system.cuts and bool(steps) and not steps[0].joint
        for k, element in enumerate(system.elements):
            if len(element.children) > (2 if free and k == roots[0] else 1):
                raise self._refuse(self._body(k), "has more than one body on its tip side")
            if element.beam is not None:
                self._check_beam(k, free and k == roots[0])
        for tie in system.ties:
            if GROUND not in tie.bodies:
                raise self._refuse(f"forces.{tie.spring}", "couples two bodies beside the joints")
        return ChainShape(roots, self._held(roots), free)

    def _held(self, roots: tuple[int, ...]) -> CutJoint | None:
        """Return the joint that closes a chain between two grounds."""
        system, cuts = self.system, self.system.cuts
        if len(cuts) > 1:
            raise self._refuse(f"joints.{cuts[1].joint}", "closes a second loop")
        held = [system.place[body] for cut in cuts for body in (cut.inboard, cut.outboard) if body != GROUND]
        if any(system.elements[k].children for k in held):
            raise self._refuse(f"joints.{cuts[0].joint}", "closes a loop from the middle of a chain")
        if len(roots) > max(1, len(held)):
            raise self._refuse(self._body(roots[0]), "is part of a second chain")
        return cuts[0] if cuts else None

    def _check_beam(self, k: int, free: bool) -> None:
        layout, name = self.recursion.layouts[k], self._body(k)
        outer = [arm[0][0] for arm in layout.arms]
        if len(outer) != 1 and not free:
            raise self._refuse(name, "is held inside its length")
        carrying = [index for index, node in enumerate(layout.nodes) for _ in node.children]
        if not set(carrying) <= set(outer):
            raise self._refuse(name, "carries a body inside its length")
        if len(carrying) > len(set(carrying)):
            raise self._refuse(name, "has more than one body on one end")
        end, length = layout.nodes[outer[0]].point, self._length(k)
        for point in self._cut_points(k):
            if float(np.linalg.norm(layout.nodes[self._nearest(k, point)].point - end)) > _THERE * length:
                raise self._refuse(name, "is held inside its length")

    def _length(self, k: int) -> float:
        beam = self.system.elements[k].beam
        return beam.length if beam is not None else 0.0

    def _cut_points(self, k: int) -> list[Array]:
        body = self.system.elements[k].body
        places = [(cut.inboard, cut.port) for cut in self.system.cuts] + [
            (cut.outboard, cut.end) for cut in self.system.cuts
        ]
        return [point for held, point in places if held == body]

    def _nearest(self, k: int, point: Array) -> int:
        return int(np.argmin([np.linalg.norm(node.point - point) for node in self.recursion.layouts[k].nodes]))

    def _body(self, k: int) -> str:
        return f"bodies.{self.bodies[self.system.elements[k].body].id}"

    def _refuse(self, place: str, why: str) -> MechanismError:
        return MechanismError(
            f"{why}; the characteristic determinant takes a chain of bodies, beams and hinges. "
            '--method riccati (method="riccati") takes any mechanism',
            file=self.system.mechanism.file, field=place,
        )  # fmt: skip
