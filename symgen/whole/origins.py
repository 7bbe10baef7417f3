"""Bodies told by the motion of one of their joints, not of their frame's origin.

Frames that are numbers of the caller's lie anywhere on a body. From the joint where a group finds a body to the next
one, by way of the origin, leads one turned vector there and another back, with their rates; the difference of both,
turned once, leads there at once. So the origin moves to that joint for as long as groups are solved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symgen.ir.nodes import Stage
from symgen.solve.plan import Plan
from symgen.whole.bodies import Values
from symgen.whole.layout import PortLayout
from symgen.whole.steps import Steps

#: Joint -> its frames on both bodies.
Frames = Mapping[str, tuple[Values, Values]]


@dataclass(frozen=True)
class Origins:
    """Where the origins of bodies have moved.

    Parameters
    ----------
    places : body -> its new origin in its frame [m]; bodies whose origin stays are left out.
    frames : joint -> its frames on both bodies, from their new origins.
    read : the same of joints that are only read off the bodies; a joint may be solved with other frames.
    """

    places: Mapping[str, Values]
    frames: Frames
    read: Frames

    def from_there(self, body: str, place: Values) -> Values:
        """Return a point of a body, or a pose in it, from where its origin is now."""
        moved = self.places.get(body, ())
        return (*(p - o for p, o in zip(place, moved, strict=False)), *place[len(moved) :])

    def named(
        self, steps: Steps, plan: Plan, joint: str, frames: tuple[Values, Values], suffix: str = ""
    ) -> tuple[Values, Values]:
        """Name both frames of a joint, from where the origins are now; `suffix` ends the names."""
        number = 1 + [each.id for each in plan.mechanism.joints].index(joint)
        ends = plan.rigid.ends(plan.mechanism.joints[number - 1])
        first, second = (
            self._frame(steps, f"j{number}_{side}{suffix}", joint, body, frame)
            for side, body, frame in zip((1, 2), ends, frames, strict=True)
        )
        return first, second

    def _frame(self, steps: Steps, name: str, joint: str, body: str, frame: Values) -> Values:
        values = self.from_there(body, frame)
        if body not in self.places:
            return values
        count = len(self.places[body])
        names = [f"{name}_{axis}" for axis in "xyz"[:count]]
        return (*steps.lets(name, names, values[:count], f"joint {joint} on {body} [m]", {}), *values[count:])


def move_origins(steps: Steps, plan: Plan, layout: PortLayout, stage: Stage | None) -> Origins:
    """Move the origin of each body to the joint where its group finds it; without a stage none moves.

    None moves where frames are constants, which are folded anyway, and where poses of frames go in: to follow branches,
    and to start iterations from. A body whose pose is a result keeps its frame, or the way to it would be one more.
    """
    moves = layout.geometry and stage not in (None, "follow") and not layout.iterated
    places = _places(plan, layout) if moves else {}
    places = {body: place for body, place in places.items() if body not in layout.bodies}
    if places:
        steps.mark(0, "Joints on their bodies, from the joint where each body is found.")
    bodies = Origins(places, {}, {})
    frames = {joint: bodies.named(steps, plan, joint, pair) for joint, pair in layout.frames.items()}
    read = {joint: bodies.named(steps, plan, joint, pair, "_read") for joint, pair in layout.read.items()}
    return Origins(places, frames, read)


def _places(plan: Plan, layout: PortLayout) -> dict[str, Values]:
    """Return for each body the place of a joint to a body known before, if it has one, else of another joint."""
    ends = {joint.id: plan.rigid.ends(joint) for joint in plan.mechanism.joints}
    known = {plan.mechanism.ground}
    places: dict[str, Values] = {}
    for group in plan.groups:
        for body in group.bodies:
            own = [joint.name for joint in group.joints if body in ends[joint.name]]
            outer = [name for name in own if known.intersection(ends[name])]
            name = (outer or own)[0]
            frame = layout.frames[name][ends[name].index(body)]
            places[body] = frame[: 2 if layout.planar else 3]
        known.update(group.bodies)
    return places
