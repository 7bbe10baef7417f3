"""Positions of the three arrangements of a spatial loop: its sides held, the kernel called, bodies placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from symgen.algebra import Expr, atan2
from symgen.derive.derivation import Derivation
from symgen.derive.groups.loops import SOURCE, Family
from symgen.derive.items import Results
from symgen.derive.joints import PairModel, Primitive
from symgen.derive.quaternions import Triad
from symgen.derive.spatial_group import (
    Body,
    LocalFrame,
    WorldFrame,
    body_triad,
    drive_ports,
    frame_in_world,
    give_coordinates,
    half_turn,
    joint_frame,
    known_body,
    local_in_frame,
    moved_frame,
    place_body,
    unknown_body,
)
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine

Form = Literal["a_s_b", "a_b_s", "b_a_s"]


@dataclass(frozen=True)
class Side:
    """A joint with its pair, drives and both frames; `inner` is the frame on the body beyond it, drives taken off."""

    joint: str
    pair: PairModel
    drives: dict[str, tuple[Expr, Expr, Expr]]
    outer: LocalFrame
    inner: LocalFrame
    plain: LocalFrame

    def motions(self) -> list[tuple[Primitive, Expr]]:
        """Return the given motions before the free ones."""
        return [(p, self.drives[p.freedom][0]) for p in self.pair.before]


class LoopPositions:
    """Ports and positions of one arrangement; see `symgen.derive.groups.loop_groups.LoopGroup`."""

    def __init__(self, family: Family, form: Form, pair_a: PairModel, pair_b: PairModel, kernel: Routine) -> None:
        self.family, self.form, self.kernel = family, form, kernel
        self.pairs = {
            "a_s_b": (pair_a, None, pair_b),
            "a_b_s": (pair_a, pair_b, None),
            "b_a_s": (pair_b, pair_a, None),
        }[form]
        names = [_key(p) if p else "S" for p in self.pairs]
        self.id = "_".join(n.lower().replace("*", "_") for n in names)
        title = f"{'.'.join(names)} group between two moving bodies"
        self.d = Derivation(f"{family.id} {self.id}", level="group", title=title, source=SOURCE, arrangement=self.id)
        d = self.d
        self.k1, self.k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
        self.b1, self.b2 = unknown_body("b1"), unknown_body("b2")
        self.ends = (("k1", "b1"), ("b1", "b2"), ("k2", "b2"))
        self.sides: dict[str, Side] = {}
        self.centres: dict[str, LocalFrame] = {}
        self._second: dict[str, Vector] = {}
        for k, pair in enumerate(self.pairs):
            self._declare_joint(f"j{k + 1}", pair, self.ends[k])
        family.input_branch(d)  # the kernel says whether another branch is within reach
        self.k1_axes, self.k2_axes = body_triad(d, self.k1), body_triad(d, self.k2)

    def _declare_joint(self, joint: str, pair: PairModel | None, ends: tuple[str, str]) -> None:
        d = self.d
        frames = [joint_frame(d, joint, body, oriented=pair is not None) for body in ends]
        if pair is None:
            self.centres = dict(zip(ends, frames, strict=True))
            return
        drives = drive_ports(d, joint, pair)
        inner = frames[1]
        for primitive in pair.after:
            turn = half_turn(
                d,
                f"{joint}_after",
                -drives[primitive.freedom][0],
                primitive.axis,
                f"{primitive.freedom} of {joint}, back",
            )
            q = d.quaternion(f"{joint}_inner", inner.q * turn, f"frame of {joint} in {ends[1]}, drive taken off")
            inner = LocalFrame(inner.at, q)
        self.sides["a" if pair is self.pair_a else "b"] = Side(joint, pair, drives, frames[0], inner, frames[1])

    @property
    def pair_a(self) -> PairModel | None:
        """The pair between X and Y."""
        return self.pairs[1] if self.form == "b_a_s" else self.pairs[0]

    def _outer_frame(self, side: Side, name: str, r: Vector, body_q: Body, axes: Triad) -> WorldFrame:
        frame = frame_in_world(self.d, name, r, body_q.q, axes, side.outer, f"joint {side.joint}")
        return moved_frame(self.d, f"{name}_d", frame, side.motions(), f"joint {side.joint}")

    def _held(self, frame: WorldFrame, side: Side) -> tuple[Body, Triad]:
        """Name the pose of b1 held at zero coordinates of a joint whose frame in the world is given."""
        d = self.d
        q = d.quaternion("q_held", frame.q * side.inner.q.conjugate, "orientation of b1 held at zero coordinates")
        body = Body("held", self.b1.r, q)
        axes = body_triad(d, body)
        r = d.vector("r_held", frame.at - axes.to_world(side.inner.at), "origin of b1 held at zero coordinates", "m")
        return Body("held", r, q), axes

    def _call(self, a: WorldFrame, y0: Vector, c: Vector, u: Vector, lengths: dict[str, Expr]) -> Results:
        axis = a.axes.axis(self.sides["a"].pair.free[0].axis)
        given: dict[str, Vector | Expr] = {
            "a": axis,
            "p": a.at,
            "s0": y0,
            "c": c,
            "u": u,
            "branch": self.d.branch,
            **lengths,
        }
        text = "The loop seen from the link that carries both other joints."
        return self.d.call(self.kernel, {p.name: given[p.name] for p in self.kernel.inputs}, "loop", text)

    def _lengths(self, local: Vector) -> dict[str, Expr]:
        """Name what the kernel needs to know of the link between pair B and S, whose vector is given in B's frame."""
        d = self.d
        if self.family.b == "U":
            return {
                "rho2": d.scalar("rho2", local.dot(local), "squared distance of S from the universal centre", "m^2"),
                "kappa": local[0],
            }
        return {
            "rad2": d.scalar(
                "rad2",
                local[0] * local[0] + local[1] * local[1],
                "squared distance of S from the cylindrical axis",
                "m^2",
            )
        }

    def _coordinate_a(self, found: Results, *, reversed_: bool) -> Expr:
        if self.family.a == "R":
            sine, cosine = found.scalar("sin_q"), found.scalar("cos_q")
            return atan2(-sine if reversed_ else sine, cosine)
        slide = found.scalar("slide")
        return -slide if reversed_ else slide

    def _settle(self, frame: WorldFrame, found: Results, local: Vector) -> tuple[Expr, Expr]:
        """Return both coordinates of pair B from its frame on X, the spherical centre and the link's local vector."""
        d, axes = self.d, frame.axes
        e = d.vector("e", found.vector("y") - frame.at, f"from {self.sides['b'].joint} to S, seen from the link X", "m")
        if self.family.b == "C":
            g = d.vector("g", axes.to_local(e), "the same in the frame of the pair", "m")
            return g[2] - local[2], atan2(local[0] * g[1] - local[1] * g[0], local[0] * g[0] + local[1] * g[1])
        v = found.vector("v")
        n = d.vector("n", axes.z.cross(v), "third direction of the universal pair")
        en, eu = (
            d.scalar("e_n", e.dot(n), "part of e along it", "m"),
            d.scalar("e_u", e.dot(axes.z), "part of e along the first axis", "m"),
        )
        first = atan2(v.dot(axes.y), v.dot(axes.x))
        return first, atan2(local[1] * eu - local[2] * en, local[1] * en + local[2] * eu)

    def _settle_reversed(self, frame: WorldFrame, found: Results, target: Vector) -> tuple[Expr, Expr]:
        """Return both coordinates of pair B where its first frame is on the known body and b1 was held at zero."""
        d, axes = self.d, frame.axes
        e = d.vector("e", found.vector("y") - frame.at, f"from {self.sides['b'].joint} to S, b1 held", "m")
        g = d.vector("g", axes.to_local(e), "the same in the frame of the pair", "m")
        if self.family.b == "C":
            return target[2] - g[2], atan2(g[0] * target[1] - g[1] * target[0], g[0] * target[0] + g[1] * target[1])
        v = found.vector("v")
        s2, c2 = d.scalar("s_2", v.dot(axes.y), "sine of angle2"), d.scalar("c_2", v.dot(axes.z), "cosine of angle2")
        gy = d.scalar("g_turned", c2 * g[1] - s2 * g[2], "y part of g turned by angle2", "m")
        first = atan2(g[0] * target[1] - gy * target[0], g[0] * target[0] + gy * target[1])
        return first, atan2(s2, c2)

    def _arrive(self, body: Body, frame: WorldFrame, side: Side, values: Sequence[Expr]) -> Triad:
        """Place the body beyond a joint whose outer frame and coordinates are known; give the coordinates."""
        coordinates = give_coordinates(self.d, side.joint, side.pair.free, values, 0)
        moves = list(zip(side.pair.free, coordinates, strict=True))
        reached = moved_frame(self.d, side.joint, frame, moves, f"joint {side.joint}")
        return place_body(self.d, body, reached, side.inner)

    def _place_a_s_b(self) -> None:
        d, a, b = self.d, self.sides["a"], self.sides["b"]
        frame_a = self._outer_frame(a, a.joint, self.k1.r, self.k1, self.k1_axes)
        frame_b = self._outer_frame(b, b.joint, self.k2.r, self.k2, self.k2_axes)
        near = local_in_frame(d, "near", a.inner, self.centres["b1"].at, f"S on b1, in the frame of {a.joint}")
        far = local_in_frame(d, "far", b.inner, self.centres["b2"].at, f"S on b2, in the frame of {b.joint}")
        y0 = d.vector("s0", frame_a.at + frame_a.axes.to_world(near), f"S on b1 at zero coordinate of {a.joint}", "m")
        found = self._call(frame_a, y0, frame_b.at, frame_b.axes.z, self._lengths(far))
        axes1 = self._arrive(self.b1, frame_a, a, (self._coordinate_a(found, reversed_=False),))
        axes2 = self._arrive(self.b2, frame_b, b, self._settle(frame_b, found, far))
        with d.part("geometry"):
            s = d.vector("s", self.b1.r + axes1.to_world(self.centres["b1"].at), "spherical centre", "m")
        self._frames = {"a": (frame_a, axes1, self.b1), "b": (frame_b, axes2, self.b2)}
        self._s = s

    def _place_a_b_s(self) -> None:
        d, a, b = self.d, self.sides["a"], self.sides["b"]
        frame_a = self._outer_frame(a, a.joint, self.k1.r, self.k1, self.k1_axes)
        held, held_axes = self._held(frame_a, a)
        frame_b = self._outer_frame(b, f"{b.joint}h", held.r, held, held_axes)
        far = local_in_frame(d, "far", b.inner, self.centres["b2"].at, f"S on b2, in the frame of {b.joint}")
        s = d.vector("s", self.k2.r + self.k2_axes.to_world(self.centres["k2"].at), "spherical centre on k2", "m")
        found = self._call(frame_a, s, frame_b.at, frame_b.axes.z, self._lengths(far))
        axes1 = self._arrive(self.b1, frame_a, a, (self._coordinate_a(found, reversed_=True),))
        there = self._outer_frame(b, b.joint, self.b1.r, self.b1, axes1)
        axes2 = self._arrive(self.b2, there, b, self._settle(frame_b, found, far))
        self._frames = {"a": (frame_a, axes1, self.b1), "b": (there, axes2, self.b2)}
        self._s = s

    def _place_b_a_s(self) -> None:
        d, a, b = self.d, self.sides["a"], self.sides["b"]
        frame_b = self._outer_frame(b, b.joint, self.k1.r, self.k1, self.k1_axes)
        held, held_axes = self._held(frame_b, b)
        frame_a = self._outer_frame(a, f"{a.joint}h", held.r, held, held_axes)
        near = local_in_frame(d, "near", a.inner, self.centres["b2"].at, f"S on b2, in the frame of {a.joint}")
        y0 = d.vector("s0", frame_a.at + frame_a.axes.to_world(near), "S on b2 at zero coordinates, b1 held", "m")
        s = d.vector("s", self.k2.r + self.k2_axes.to_world(self.centres["k2"].at), "spherical centre on k2", "m")
        target = d.vector(
            "target", frame_b.axes.to_local(s - frame_b.at), f"S on k2, in the frame of {b.joint} on k1", "m"
        )
        lengths = self._lengths(target)
        if self.family.b == "U":
            lengths["kappa"] = target[2]
        fixed = frame_b.axes.x if self.family.b == "U" else frame_b.axes.z
        found = self._call(frame_a, y0, frame_b.at, fixed, lengths)
        axes1 = self._arrive(self.b1, frame_b, b, self._settle_reversed(frame_b, found, target))
        there = self._outer_frame(a, a.joint, self.b1.r, self.b1, axes1)
        axes2 = self._arrive(self.b2, there, a, (self._coordinate_a(found, reversed_=False),))
        self._frames = {"b": (frame_b, axes1, self.b1), "a": (there, axes2, self.b2)}
        self._s = s

    def _world_axis(self, slot: str, primitive: Primitive) -> Vector:
        """Return a freedom's world axis: z is fixed in the body before the joint, x in the body after it."""
        side, (frame, axes, body) = self.sides[slot], self._frames[slot]
        if primitive.axis == "z":
            return frame.axes.z
        name = f"{side.joint}_second"
        if name not in self._second:
            local = self.d.vector(
                f"{name}_local", side.plain.q.axis("x"), f"second axis of {side.joint} in {body.name}"
            )
            self._second[name] = self.d.vector(name, axes.to_world(local), f"second axis of {side.joint}")
        return self._second[name]


def _key(pair: PairModel) -> str:
    return pair.type + "".join(f"*{f}" for f in pair.driven)
