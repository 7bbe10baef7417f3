"""Random mechanisms with flexible beams: trees and loops, joints at the beams' ends, velocities that fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from transfer.drafts import FREEDOMS, Draft, random_inertia, random_turn

from symgen.model.mechanism import Mechanism

_SLIDES = ("slide", "x", "y", "z")


@dataclass(frozen=True)
class WithBeams:
    """A mechanism, the same with rigid rods, and its beams as in the file."""

    mechanism: Mechanism
    rods: Mechanism
    beams: dict[str, dict[str, Any]]


class BeamDraft:
    """A draft whose beams are rigid rods until it is finished: velocities are found for these."""

    def __init__(
        self, rng: np.random.Generator, *, planar: bool = False, modes: int = 3, more: dict[str, Any] | None = None
    ) -> None:
        self.rng, self.planar, self.modes, self.more = rng, planar, modes, more or {}
        gravity = 5 * rng.normal(size=3) * ([1, 1, 0] if planar else [1, 1, 1])
        self.draft = Draft("beams", space="planar" if planar else "spatial", gravity=gravity)
        self.beams: dict[str, dict[str, Any]] = {}
        self.count = 0

    def turn(self) -> Any:
        """Return a random rotation; in the plane about z."""
        if not self.planar:
            return random_turn(self.rng)
        c, s = np.cos(a := self.rng.uniform(-3, 3)), np.sin(a)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    def somewhere(self) -> Any:
        """Return a random place."""
        return self.rng.normal(size=3) * ([1, 1, 0] if self.planar else [1, 1, 1])

    def rigid(self, name: str) -> None:
        """Add a rigid body."""
        com = 0.2 * self.rng.normal(size=3) * ([1, 1, 0] if self.planar else [1, 1, 1])
        inertia = np.diag([0.1, 0.1, 0.2]) if self.planar else random_inertia(self.rng)
        self.draft.body(name, self.somewhere(), self.turn(), self.rng.uniform(0.5, 2), com, inertia)

    def beam(self, name: str, end: int | None = None, at: Any = None, turn: Any = None, length: float = 0.0) -> None:
        """Add a beam; with its end 0 or 1 at a place, if given."""
        rng = self.rng
        length = length or float(rng.uniform(0.6, 1.4))
        mu, polar = float(rng.uniform(0.5, 2)), float(rng.uniform(0.01, 0.05))
        turn = self.turn() if turn is None else turn
        r = self.somewhere() if at is None else np.asarray(at) - (end or 0) * length * turn[:, 0]
        aside = mu * length**3 / 12
        self.draft.body(name, r, turn, mu * length, [length / 2, 0, 0], np.diag([polar * length, aside, aside]))
        ei, more = float(rng.uniform(50, 200)), {}
        if rng.uniform() < 0.7:
            more["axial"] = 1e4
        if rng.uniform() < 0.7 and not self.planar:
            more |= {"torsion": 40.0}
        self.beams[name] = {
            "length": length, "mass_per_length": mu, "bending": ei if self.planar else [ei, 1.5 * ei],
            "modes": int(self.modes), **({} if self.planar else {"polar": polar}), **more,
            **self.more,
        }  # fmt: skip

    def end(self, name: str, end: int) -> Any:
        """Return the place of a beam's end."""
        r, turn = self.draft.places[name]
        return r + end * self.beams[name]["length"] * turn[:, 0]

    def join(self, code: str, one: str, two: str, at: Any, *, forces: bool = True) -> None:
        """Add a joint without a shift at a place, in either direction, perhaps with a spring or driven."""
        rng, name = self.rng, f"j{self.count}"
        self.count += 1
        values = {f: 0.0 if f in _SLIDES else float(0.5 * rng.normal()) for f in FREEDOMS[code]}
        pair = (one, two) if rng.uniform() < 0.5 else (two, one)
        pitch = 0.2 if code == "H" else None
        if code == "H":
            values = {"angle": 0.0}
        self.draft.joint(name, code, pair, at, self._axes(code),
                         values=values, pitch=pitch)  # fmt: skip
        if forces and FREEDOMS[code] and rng.uniform() < 0.5:
            freedom = str(rng.choice(list(FREEDOMS[code])))
            self.draft.force(
                f"s{name}", kind="joint", joint=name, freedom=freedom, stiffness=float(rng.uniform(0, 20)),
                damping=float(rng.uniform(0, 2)), rest=float(rng.normal()), value=float(rng.normal()),
            )  # fmt: skip

    def _axes(self, code: str) -> Any:
        """Return axes of a joint; in the plane y of the frame of a slide (along z) leads out of it, else z."""
        turn = self.turn()
        if self.planar and code == "P":
            return np.column_stack([turn[:, 1], turn[:, 2], turn[:, 0]])
        return turn

    def place_on(self, name: str) -> Any:
        """Return a place for a joint: an end of a beam, or anywhere on a rigid body."""
        return self.end(name, int(self.rng.integers(2))) if name in self.beams else self.somewhere()

    def finish(self, *, moving: bool = True) -> WithBeams:
        """Return the mechanism with velocities that fit, its beams flexible."""
        wish = self.rng.normal(size=(len(self.draft.tree["bodies"]), 6))
        rods = self.draft.with_velocities(wish if moving else 0 * wish)
        for name, beam in self.beams.items():
            body = self.draft.tree["bodies"][name]
            for key in ("mass", "com", "inertia"):
                del body[key]
            body["beam"] = beam
        return WithBeams(Mechanism.from_dict(self.draft.tree), rods, self.beams)


def random_beams(
    seed: int, bodies: int, codes: Sequence[str], *, loops: int = 0, share: float = 0.5, planar: bool = False,
    modes: int = 3, grounded: int = 1, moving: bool = True, forces: bool = True,
    **more: Any,
) -> WithBeams:  # fmt: skip
    """Return a random tree of beams and rigid bodies, and loops, of which one side at least is rigid or the ground.

    There are fewer loops than asked for where no such pair is left. `more` is of the beams.
    """
    draft = BeamDraft(np.random.default_rng(seed), planar=planar, modes=modes, more=more)
    rng, names = draft.rng, [f"b{k}" for k in range(bodies)]
    joined = set()
    for k, name in enumerate(names):
        before = "ground" if k < grounded else names[int(rng.integers(k))]
        at = draft.place_on(before)
        if k == 0 or rng.uniform() < share:
            draft.beam(name, int(rng.integers(2)), at)
        else:
            draft.rigid(name)
        draft.join(str(rng.choice(list(codes))), before, name, at, forces=forces)
        joined.add(frozenset((before, name)))
    free = {
        frozenset(pair)
        for pair in combinations([*names, "ground"], 2)
        if frozenset(pair) not in joined and not draft.beams.keys() >= set(pair)
    }
    while loops and free:
        one, two = (str(v) for v in rng.choice([*names, "ground"], 2, replace=False))
        if frozenset((one, two)) not in free:
            continue
        free.remove(frozenset((one, two)))
        draft.join(str(rng.choice(list(codes))), one, two, draft.place_on(one if one in draft.beams else two),
                   forces=forces)  # fmt: skip
        loops -= 1
    return draft.finish(moving=moving)
