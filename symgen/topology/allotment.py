"""A first assignment of the constraint units, in one walk that starts at the frame.

The frame takes no unit: the pairs on it are decided. A body that is full takes
no more: its other pairs go to the bodies across, which may become full in turn.
A body whose neighbours, each filled from its pair with it, would leave it all that it has
room for is the centre of a group: body and neighbours are filled (a dyad or triad
between solved bodies). When nothing follows any more, the neighbours of the body
that would lack least are filled, and the walk goes on from there.

Any answer would do, the assignment is mended afterwards. This one leaves little
to mend, whatever the order of bodies and pairs. Cost: linear.
"""

from __future__ import annotations

from symgen.topology.graph import FRAME, PairGraph


def allot_units(graph: PairGraph) -> tuple[list[int], list[int]]:
    """Give the units of every pair to its ends.

    Returns
    -------
    held : units that the own body of each half-edge holds.
    load : units that each vertex holds, perhaps more or fewer than B; the frame none.
    """
    walk = _Walk(graph)
    walk.full.append(FRAME)
    walk.settle()
    for v in range(graph.bodies):  # nearly always the frame reaches all of them
        if walk.room[v] > 0:
            walk.take_all(v)
            walk.settle()
    return walk.held, [0, *(graph.freedoms - left for left in walk.room[1:])]


class _Walk:
    """The state of the walk.

    Attributes
    ----------
    held : units of each half-edge.
    room : units each vertex can still take; negative if it was given too many.
    offered : units that its neighbours would leave it if each were filled from its undecided pair with it.
    decided : whether a pair is.
    full : vertices without room that have not passed on their undecided pairs.
    waiting : vertices with an offer, by what they would lack.
    """

    __slots__ = ("decided", "full", "graph", "held", "offered", "room", "waiting")

    def __init__(self, graph: PairGraph) -> None:
        self.graph = graph
        self.held = [0] * len(graph.end)
        self.room = [0] + [graph.freedoms] * (graph.bodies - 1)
        self.offered = [0] * graph.bodies
        self.decided = [not units for units in graph.units]
        self.full: list[int] = []
        self.waiting: list[list[int]] = [[] for _ in range(graph.freedoms + 1)]

    def settle(self) -> None:
        """Draw all conclusions; then fill the neighbours of the body that would lack least, and so on."""
        while True:
            while self.full:
                self._pass_on(self.full.pop())
            for lack, bodies in enumerate(self.waiting):
                if bodies:
                    v = bodies.pop()
                    if self.offered[v] > 0 and lack == max(0, self.room[v] - self.offered[v]):  # else it is out of date
                        self._accept(v)
                    break
            else:
                return

    def take_all(self, v: int) -> None:
        """Let a body take from its undecided pairs until it is full."""
        for a in self.graph.incident[v]:
            if self.room[v] <= 0:
                return
            if not self.decided[a >> 1]:
                units = self.graph.units[a >> 1]
                share = min(units, self.room[v])
                self._decide(a, share, units - share)

    def _accept(self, v: int) -> None:
        """Fill the neighbours and take what they leave, until the body is full."""
        room, end, units = self.room, self.graph.end, self.graph.units
        for a in self.graph.incident[v]:
            if room[v] <= 0:
                return
            if not self.decided[a >> 1]:
                other = room[end[a ^ 1]]
                if units[a >> 1] > other > 0:
                    self._decide(a, min(room[v], units[a >> 1] - other), max(other, units[a >> 1] - room[v]))

    def _pass_on(self, v: int) -> None:
        """Give all undecided pairs of a full body to the bodies across."""
        decided, units = self.decided, self.graph.units
        for a in self.graph.incident[v]:
            if not decided[a >> 1]:
                self._decide(a, 0, units[a >> 1])

    def _decide(self, a: int, own: int, other: int) -> None:
        """Divide a pair between its ends and tell the bodies around what that leaves them."""
        room, end = self.room, self.graph.end
        units = own + other
        self.decided[a >> 1] = True
        self.held[a], self.held[a ^ 1] = own, other
        for b in (a, a ^ 1):
            if units > room[end[b ^ 1]] > 0:
                self.offered[end[b]] -= units - room[end[b ^ 1]]
        for v, given in ((end[a], own), (end[a ^ 1], other)):
            if given:
                before = room[v]
                room[v] = before - given
                if before > 0:
                    self._changed(v, before, before - given)

    def _changed(self, v: int, before: int, left: int) -> None:
        """Correct the offers that a body makes to its neighbours; queue it and them."""
        decided, end, count, offered, room = self.decided, self.graph.end, self.graph.units, self.offered, self.room
        if left <= 0:
            self.full.append(v)
        for a in self.graph.incident[v]:
            if decided[a >> 1]:
                continue
            u, units = end[a ^ 1], count[a >> 1]
            if left <= 0:  # no offer any more: the pair will be passed on
                if units > before:
                    offered[u] -= units - before
            elif units > left:
                offered[u] += (units - left) - max(0, units - before)
                if room[u] > 0:
                    self.waiting[max(0, room[u] - offered[u])].append(u)
        if left > 0 and offered[v] > 0:
            self.waiting[max(0, left - offered[v])].append(v)
