"""The parts of a mechanism, frozen: bodies, joint frames, joints, drive laws, initial state, forces.

Units are SI; world frame right-handed; quaternions scalar first, unit, active.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from symgen.errors import MechanismError
from symgen.model.expressions import Expression, ExpressionError
from symgen.model.pairs import PAIR_TYPES, PairType
from symgen.model.quaternions import Quaternion, Vector3
from symgen.model.read_only import frozen_tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

Axes = Literal["world", "body"]
Inertia: TypeAlias = tuple[float, float, float, float, float, float]

_CHANGE = "change a copy of the tree, and read that: tree = m.to_dict(); {}; m = symgen.Mechanism.from_dict(tree)"
_POINTS = "the points of a body are read-only; " + _CHANGE.format('tree["bodies"]["BODY"]["points"]["P"] = [x, y, z]')
_INITIAL = "the initial state is read-only; " + _CHANGE.format('tree["initial"]["joints"]["JOINT"] = {...}')


@dataclass(frozen=True)
class Pose:
    """Place of a body frame: origin `r` [m, world] and orientation `q` (body to world)."""

    r: Vector3
    q: Quaternion


@dataclass(frozen=True)
class Beam:
    """What makes a body a flexible beam, straight along the x axis of its frame from x = 0 to x = length.

    Parameters
    ----------
    length : [m].
    mass_per_length : [kg/m].
    bending : stiffness about y and about z, EI_y and EI_z [N m^2]; in a planar mechanism only the second counts.
    axial : stiffness of stretching EA [N]; None: it does not stretch.
    torsion : stiffness of torsion GJ [N m^2]; None: it does not twist.
    polar : polar inertia of the section for each length [kg m].
    modes : how many assumed modes of each kind (bending in a plane, stretching, torsion) computations take.
    end_shapes : further shapes of each kind, static ones of a force at the far end (1) and a moment (2); None: as
        the joints at its ends ask for.
    damping : of each mode, as a ratio of the critical one (of the beam held at one end).
    """

    length: float
    mass_per_length: float
    bending: tuple[float, float]
    axial: float | None = None
    torsion: float | None = None
    polar: float = 0.0
    modes: int = 4
    damping: float = 0.0
    end_shapes: int | None = None


@dataclass(frozen=True)
class Body:
    """One body.

    Parameters
    ----------
    id : its name.
    pose : body frame in the reference configuration.
    pose_given : False if the file gives none and `pose` is the default (world origin, identity).
    points : named points [m, body frame].
    mass : [kg] or None.
    com : centre of mass [m, body frame] or None.
    inertia : Ixx Iyy Izz Ixy Ixz Iyz [kg m^2], about the com, body axes, as entries of the matrix; or None.
    beam : what makes it flexible; None of a rigid body. A beam has no mass, com or inertia beside it.
    """

    id: str
    pose: Pose
    pose_given: bool
    points: Mapping[str, Vector3] = field(hash=False)
    mass: float | None = None
    com: Vector3 | None = None
    inertia: Inertia | None = None
    beam: Beam | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen_tree(self.points, _POINTS))


@dataclass(frozen=True)
class JointFrame:
    """Joint frame on one side: centre `at` [m] and `q` (joint frame to body) in its body's frame.

    z is the first axis of the joint, x the second.
    """

    at: Vector3
    q: Quaternion


@dataclass(frozen=True)
class Joint:
    """One kinematic pair; its coordinates measure the motion of the second body relative to the first.

    Parameters
    ----------
    id : its name.
    type : code of `symgen.model.pairs.PAIR_TYPES`.
    bodies : first and second body.
    driven : how many of its freedoms are inputs.
    driven_freedoms : their names in the order of `freedoms`; None if the file does not say which.
    frames : joint frame on the first and on the second body; None if the file does not give them.
    pitch : [m/rad], of an H joint; None if not given.
    lacking : fields the file would have to give for `frames` (and `pitch`) to be known; empty if they are.
    multiple : id of the multiple joint it is a pair of, or None.
    """

    id: str
    type: str
    bodies: tuple[str, str]
    driven: int = 0
    driven_freedoms: tuple[str, ...] | None = ()
    frames: tuple[JointFrame, JointFrame] | None = None
    pitch: float | None = None
    lacking: tuple[str, ...] = ()
    multiple: str | None = None

    @property
    def pair(self) -> PairType:
        """The pair type."""
        return PAIR_TYPES[self.type]

    @property
    def grade(self) -> int:
        """Number of relative freedoms, driven ones included."""
        return self.pair.grade

    @property
    def freedoms(self) -> tuple[str, ...]:
        """Names of the freedoms in the order of the coordinates; empty for types without named freedoms."""
        return self.pair.freedoms


Ends: TypeAlias = tuple[str, str]
"""First and second body of a pair."""


@dataclass(frozen=True)
class MultipleJoint:
    """Several bodies on one pin (ball, guide, ...), declared once.

    Parameters
    ----------
    id : its name.
    type : code of a pair type whose relative motions form a group: R, P, H, C, S, PL, W.
    bodies : the bodies on it, at least three.
    tree : its pairs if the file (or an analysis) fixes them, else None; one less than there are bodies, no circle.
    between : the pairs whose freedoms are inputs; they belong to every tree.
    driven : for each of `between` how many of its freedoms are inputs ...
    driven_freedoms : ... and their names, None if the file does not say which.
    frames : joint frame on each body; None if the file does not give them.
    pitch, lacking : as of a `Joint`.
    """

    id: str
    type: str
    bodies: tuple[str, ...]
    tree: tuple[Ends, ...] | None = None
    between: tuple[Ends, ...] = ()
    driven: int = 0
    driven_freedoms: tuple[tuple[str, ...] | None, ...] = ()
    frames: tuple[JointFrame, ...] | None = None
    pitch: float | None = None
    lacking: tuple[str, ...] = ()

    @property
    def pair(self) -> PairType:
        """The pair type."""
        return PAIR_TYPES[self.type]

    def pair_id(self, ends: Ends) -> str:
        """Return the id of the pair between two of its bodies: ``B--2-5`` for bodies 2 and 5 of joint B."""
        return pair_name(self.id, self.in_order(ends))

    def in_order(self, ends: Ends) -> Ends:
        """Return two bodies as the pair between them names them: as in `between`, else as in `bodies`."""
        first, second = ends
        if (second, first) in self.between:
            return second, first
        listed = self.bodies.index(first) < self.bodies.index(second)
        return (first, second) if listed or (first, second) in self.between else (second, first)

    def joint(self, ends: Ends) -> Joint:
        """Return the pair between two of its bodies as an ordinary joint."""
        first, second = ends = self.in_order(ends)
        frames = None
        if self.frames is not None:
            frames = self.frames[self.bodies.index(first)], self.frames[self.bodies.index(second)]
        driven, names = 0, cast("tuple[str, ...] | None", ())
        if ends in self.between:
            driven, names = self.driven, self.driven_freedoms[self.between.index(ends)]
        return Joint(
            self.pair_id(ends), self.type, ends, driven, names, frames, self.pitch, self.lacking, multiple=self.id
        )

    @property
    def pairs(self) -> tuple[Ends, ...]:
        """Its pairs: `tree`, or where none is fixed the driven pairs and the first body with each of the others."""
        return self.tree if self.tree is not None else star(self.bodies, self.between, self.bodies[0])


def pair_name(joint: str, ends: Ends) -> str:
    """Return the id of a pair of a multiple joint."""
    return f"{joint}--{ends[0]}-{ends[1]}"


def star(bodies: Sequence[str], between: Sequence[Ends], centre: str) -> tuple[Ends, ...]:
    """Return the spanning tree that holds the pairs `between`, each connected part of them tied to the centre.

    The body of a part that is tied is the one that stands first in `bodies`; `bodies` are in solving order.
    """
    part = {body: body for body in bodies}  # body -> the first body of its part
    for first, second in between:
        merged = sorted((part[first], part[second]), key=bodies.index)
        part = {body: merged[0] if leader in merged else leader for body, leader in part.items()}
    others = dict.fromkeys(leader for leader in part.values() if leader != part[centre])
    return (*between, *((centre, leader) for leader in others))


@dataclass(frozen=True)
class DriveLaw:
    """Law of one driven freedom over the time t [s]: value [rad or m], its rate and acceleration.

    Rate and acceleration are the exact derivatives of the value.
    `file` and `where` (dotted path of the field) say where the law is written.
    """

    value: Expression
    rate: Expression
    acceleration: Expression
    where: str = "drives"
    file: str | None = field(default=None, compare=False)

    def evaluate(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Return value, rate and acceleration at the given times, arrays of the shape of `times`.

        Raises
        ------
        MechanismError
            if the law or a derivative has no finite value at one of the times; it names law and time.
        """
        import numpy as np

        t = np.asarray(times, dtype=np.float64)
        rows: list[Array] = []
        for name, law in (("value", self.value), ("rate", self.rate), ("acceleration", self.acceleration)):
            try:
                rows.append(np.array(np.broadcast_to(law.evaluate({"t": t}), t.shape), dtype=np.float64))
            except ExpressionError as error:
                raise MechanismError(f"{name}: {error}", file=self.file, field=self.where) from None
        return rows[0], rows[1], rows[2]


@dataclass(frozen=True)
class InitialJoint:
    """Initial coordinates [rad or m] and rates [rad/s or m/s] of a joint's freedoms, those the file gives."""

    joint: str
    coordinates: Mapping[str, float] = field(hash=False)
    rates: Mapping[str, float] = field(hash=False)

    def __post_init__(self) -> None:
        for name in ("coordinates", "rates"):
            object.__setattr__(self, name, frozen_tree(getattr(self, name), _INITIAL))


@dataclass(frozen=True)
class InitialBody:
    """Initial velocity `v` [m/s, of the com, world] and `omega` [rad/s, world] of a body; None if not given."""

    body: str
    v: Vector3 | None
    omega: Vector3 | None


@dataclass(frozen=True)
class Initial:
    """Initial state for the dynamics."""

    joints: tuple[InitialJoint, ...] = ()
    bodies: tuple[InitialBody, ...] = ()


@dataclass(frozen=True)
class Spring:
    """Spring and damper between two points, each (body, point)."""

    id: str
    between: tuple[tuple[str, str], tuple[str, str]]
    stiffness: float
    damping: float
    length: float


@dataclass(frozen=True)
class AppliedForce:
    """Force [N] on a body at a point [m, body frame], laws of t; acts for start <= t <= until [s]."""

    id: str
    body: str
    at: Vector3
    value: tuple[Expression, Expression, Expression]
    axes: Axes = "world"
    start: float = -math.inf
    until: float = math.inf


@dataclass(frozen=True)
class AppliedTorque:
    """Torque [N m] on a body, laws of t; acts for start <= t <= until [s]."""

    id: str
    body: str
    value: tuple[Expression, Expression, Expression]
    axes: Axes = "world"
    start: float = -math.inf
    until: float = math.inf


@dataclass(frozen=True)
class JointForce:
    """Spring, damper and actuator law of t in one freedom of a joint."""

    id: str
    joint: str
    freedom: str
    stiffness: float
    damping: float
    rest: float
    value: Expression


ForceElement: TypeAlias = Spring | AppliedForce | AppliedTorque | JointForce
