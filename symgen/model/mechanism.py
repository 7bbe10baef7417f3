"""`Mechanism`: what a mechanism file says, checked, with all numbers evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from symgen.errors import MechanismError
from symgen.model.check_special import check_special
from symgen.model.couplings import Coupling
from symgen.model.file_shape import check_shape
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import Space
from symgen.model.parameters import Numbers, evaluate_parameters
from symgen.model.parts import (
    AppliedForce,
    AppliedTorque,
    Body,
    DriveLaw,
    Ends,
    ForceElement,
    Initial,
    InitialBody,
    InitialJoint,
    Joint,
    JointForce,
    JointFrame,
    MultipleJoint,
    Pose,
    Spring,
)
from symgen.model.quaternions import ORIGIN, Quaternion, Vector3
from symgen.model.read_bodies import read_body, read_ground
from symgen.model.read_couplings import CouplingReader
from symgen.model.read_drives import group_laws, read_laws
from symgen.model.read_dynamics import DynamicsReader
from symgen.model.read_joints import read_joints
from symgen.model.read_multiple import check_laws, fixed_pairs, name_pairs
from symgen.model.read_only import frozen_tree, plain_tree
from symgen.model.shapes import Problems
from symgen.model.special import SpecialGeometry, read_special

__all__ = [
    "AppliedForce", "AppliedTorque", "Body", "DriveLaw", "ForceElement", "Initial", "InitialBody", "InitialJoint",
    "Joint", "JointForce", "JointFrame", "Mechanism", "MultipleJoint", "Pose", "Quaternion", "SpecialGeometry",
    "Spring", "Vector3",
]  # fmt: skip


_Part = TypeVar("_Part", Body, Joint)
#: Characters of a name that a mechanism shows of itself.
_LONGEST_SHOWN = 60

_CHANGE = "change a copy of the tree, and read that: tree = m.to_dict(); {}; m = symgen.Mechanism.from_dict(tree)"
#: Tables of a mechanism that others could change -> why not, and what to do instead.
_READ_ONLY = {
    "parameters": (
        "the parameters of a mechanism are read-only, because values computed from them would not change; m = "
        "m.with_parameters(NAME=NUMBER) gives the mechanism with another value"
    ),
    "drives": "the drives of a mechanism are read-only; " + _CHANGE.format('tree["drives"]["JOINT"] = "LAW OF t"'),
    "limits": "the limits of a mechanism are read-only; "
    + _CHANGE.format('tree["limits"]["JOINT.freedom"] = [LEAST, GREATEST]'),
    "ranges": "the ranges of a mechanism are read-only; "
    + _CHANGE.format('tree["ranges"]["JOINT.freedom"] = [LEAST, GREATEST]'),
    "source": "the tree that a mechanism was made from is read-only; " + _CHANGE.format("tree[...] = ..."),
}


@dataclass(frozen=True, repr=False)
class Mechanism:
    """A mechanism: bodies, joints, inputs; geometry, laws and loads where the file gives them.

    Parameters
    ----------
    name : what people call it.
    space : ``"spatial"`` (B = 6) or ``"planar"`` (B = 3, motion in the x-y plane).
    ground : id of the fixed body.
    ground_body : the fixed body, with its points; its frame is the world.
    gravity : [m/s^2, world].
    parameters : name -> value, expressions evaluated.
    bodies : the moving bodies in file order.
    joints : pairs of two bodies in file order; for a multiple joint the pairs of one tree (see `with_trees`).
    drives : laws by (joint id, freedom), in the order of the joints.
    initial : initial state for the dynamics.
    forces : in file order.
    file : where it was read from, for messages.
    source : the tree it was made from; `to_dict` returns a copy that can be changed.
    multiple_joints : joints of more than two bodies as the file declares them.
    special : declared special geometry.
    couplings : relations between joint coordinates, in file order; nothing uses them yet, see `require_uncoupled`.
    limits : (joint id, freedom) -> least and greatest value [rad or m]; no motion is stopped by them yet.
    ranges : "joint.freedom", or that with ".rate" or ".acc" -> between which numbers a controller may put it; exported
        code refuses others.
    """

    name: str
    space: Space
    ground: str
    ground_body: Body
    gravity: Vector3
    parameters: Mapping[str, float] = field(hash=False)
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    drives: Mapping[tuple[str, str], DriveLaw] = field(hash=False)
    initial: Initial
    forces: tuple[ForceElement, ...]
    file: str | None = field(default=None, compare=False)
    source: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    multiple_joints: tuple[MultipleJoint, ...] = ()
    special: tuple[SpecialGeometry, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    limits: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict, hash=False)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        name = self.name if len(self.name) <= _LONGEST_SHOWN else f"{self.name[:_LONGEST_SHOWN]}..."
        return f"<Mechanism {name!r}: {self.space}, {len(self.bodies)} moving bodies, {len(self.joints)} joints>"

    def __post_init__(self) -> None:
        for name, words in _READ_ONLY.items():
            object.__setattr__(self, name, frozen_tree(getattr(self, name), words))

    @property
    def body_ids(self) -> tuple[str, ...]:
        """Ids of all bodies, the ground first."""
        return (self.ground, *(body.id for body in self.bodies))

    @property
    def freedom_count(self) -> int:
        """B of the structural analysis: freedoms of a free body, 6 or 3."""
        return 6 if self.space == "spatial" else 3

    def body(self, name: str) -> Body:
        """Return a body by id, the ground included."""
        return _find(name, {self.ground: self.ground_body, **{body.id: body for body in self.bodies}}, "body")

    def joint(self, name: str) -> Joint:
        """Return a joint by id."""
        return _find(name, {joint.id: joint for joint in self.joints}, "joint")

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any], file: str | None = None) -> Mechanism:
        """Return the mechanism of a tree as `tomllib` or `json` give it.

        Parameters
        ----------
        tree : the tree of a mechanism file, ``symgen/mechanism/1``; it is not changed or kept.
        file : its name, for messages.

        Raises
        ------
        MechanismError
            with file, field, what was found, what is allowed and the nearest name; several problems that do not
            depend on each other are reported together.
        """
        problems = Problems()
        check_shape(tree, problems)
        problems.raise_any(file)
        mechanism = _read(tree, file, problems)
        problems.raise_any(file)
        return mechanism

    def with_parameters(self, **numbers: float) -> Mechanism:
        """Return the mechanism with other values for some parameters; everything is evaluated again.

        A parameter that was an expression of others is replaced by the number.

        Raises
        ------
        MechanismError
            if there is no such parameter, or the mechanism is wrong with these numbers.
        """
        table = dict(self.source.get("parameters", {}))
        for name, value in numbers.items():
            if name not in table:
                known = did_you_mean(name, table) or f"; parameters are {list_names(table)}"
                raise MechanismError(f"there is no parameter {show(name)}{known}", file=self.file, field="parameters")
            table[name] = value
        return type(self).from_dict({**self.source, "parameters": table}, self.file)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree it was made from, as a new one: to change, and to give to `from_dict`."""
        tree: dict[str, Any] = plain_tree(self.source)
        return tree

    def with_trees(self, trees: Mapping[str, Sequence[Ends]]) -> Mechanism:
        """Return the mechanism with other pairs for some of its multiple joints, as if the file gave them as `tree`.

        Parameters
        ----------
        trees : id of a multiple joint -> its pairs.
        """
        if not trees:
            return self
        chosen = {
            joint.id: replace(joint, tree=tuple(map(joint.in_order, trees[joint.id])))
            for joint in self.multiple_joints
            if joint.id in trees
        }
        joints: dict[str, Joint] = {}
        for joint in self.joints:
            new = chosen.get(joint.multiple or "")
            joints.update({pair.id: pair for pair in map(new.joint, new.pairs)} if new else {joint.id: joint})
        table = dict(self.source.get("joints", {}))
        for name, new in chosen.items():
            table[name] = {**table.get(name, {}), "tree": [list(ends) for ends in new.pairs]}
        return replace(
            self,
            joints=tuple(joints.values()),
            multiple_joints=tuple(chosen.get(joint.id, joint) for joint in self.multiple_joints),
            source={**self.source, "joints": table},
        )

    def require_drives(self) -> None:
        """Check that each driven freedom is known by name and has a law.

        Raises
        ------
        MechanismError
            that names each joint and what it lacks.
        """
        problems = Problems()
        for joint in self.joints:
            lack = self._lacking_law(joint)
            if lack and not problems.full:
                problems.note(f"joints.{joint.id}", lack)
        problems.raise_any(self.file)

    def _lacking_law(self, joint: Joint) -> str | None:
        if joint.driven and not joint.freedoms:
            return f"{joint.type} is known to the structural analysis only; its driven freedoms can have no laws"
        if joint.driven_freedoms is None:
            names = ", ".join(joint.freedoms)
            return f'driven = {joint.driven} does not say which of {names}; name them: driven = ["{joint.freedoms[0]}"]'
        missing = [freedom for freedom in joint.driven_freedoms if (joint.id, freedom) not in self.drives]
        if not missing:
            return None
        one = len(joint.driven_freedoms) == 1
        keys = [joint.id if one else f'"{joint.id}.{freedom}"' for freedom in missing]
        advice = "; ".join(f'{key} = "..."' for key in keys)
        return f"driven {', '.join(missing)} has no law; write under [drives]: {advice}"

    def require_rigid(self, what: str) -> None:
        """Check that no body is a flexible beam.

        Parameters
        ----------
        what : what takes rigid bodies only, such as ``"symgen solve"``.

        Raises
        ------
        MechanismError
            that names the beams.
        """
        problems = Problems()
        for body in self.bodies:
            if body.beam is not None and not problems.full:
                problems.note(
                    f"bodies.{body.id}.beam",
                    f"{what} accepts rigid bodies only; use `symgen simulate --method riccati` or `symgen vibrations` "
                    "for beams, or replace beam by mass, com and inertia",
                )
        problems.raise_any(self.file)

    def require_uncoupled(self, what: str) -> None:
        """Check that there are no couplings: a result that leaves them out is that of another mechanism.

        Parameters
        ----------
        what : what does not use them yet, such as ``"symgen solve"``.

        Raises
        ------
        MechanismError
            that names the couplings and the way to leave them out.
        """
        problems = Problems()
        for coupling in self.couplings:
            if not problems.full:
                problems.note(
                    f"couplings.{coupling.id}",
                    f"{what} does not use couplings yet: the coupled freedoms would move independently, as in another "
                    "mechanism; to ignore the couplings, give --without-couplings (in Python "
                    "mechanism.without_couplings()); or drive these freedoms by laws that fit",
                )
        problems.raise_any(self.file)

    def without_couplings(self) -> Mechanism:
        """Return the mechanism with its couplings left out: the coupled freedoms are as free as any."""
        if not self.couplings:
            return self
        source = {key: value for key, value in self.source.items() if key != "couplings"}
        return replace(self, couplings=(), source=source)

    def require_frames(self) -> None:
        """Check that each joint has its frames (and an H its pitch).

        Raises
        ------
        MechanismError
            that names each joint and the fields it lacks.
        """
        problems = Problems()
        for joint in self.joints:
            if joint.lacking and not problems.full:
                slot = " (a straight slot along axis2; cams of other curves are not solved)" * (joint.type == "L")
                problems.note(
                    f"joints.{joint.id}",
                    f"the geometry is not complete: {joint.type} lacks {', '.join(joint.lacking)}{slot}",
                )
        problems.raise_any(self.file)


def _find(name: str, known: Mapping[str, _Part], what: str) -> _Part:
    if name not in known:
        near = did_you_mean(name, known) or f"; there are {list_names(known)}"
        raise MechanismError(f"no {what} has the id {show(name)}{near}")
    return known[name]


def _read(tree: Mapping[str, Any], file: str | None, problems: Problems) -> Mechanism:
    """Read part after part; parts that do not depend on each other add their problems to one report."""
    parameters = evaluate_parameters(tree.get("parameters", {}), problems)
    problems.raise_any(file)
    numbers = Numbers(parameters, tree["space"])
    gravity = ORIGIN
    try:
        gravity = numbers.vector(tree["gravity"], "gravity") if "gravity" in tree else ORIGIN
    except MechanismError as error:
        problems.keep(error)
    ground_body, bodies = _read_bodies(tree, numbers, problems)
    ground = ground_body.id
    every = {ground: ground_body, **bodies}
    joint_table = tree.get("joints", {})
    pair_names: Mapping[str, str] = {}
    try:
        pair_names = name_pairs(joint_table)
    except MechanismError as error:
        problems.keep(error)
    laws = group_laws(tree.get("drives", {}), {**joint_table, **pair_names}, problems)
    declared = read_joints(joint_table, every, laws, numbers, problems)
    multiple = tuple(joint for joint in declared if isinstance(joint, MultipleJoint))
    joints = {
        joint.id: joint
        for each in declared
        for joint in ((each,) if isinstance(each, Joint) else map(each.joint, each.pairs))
    }
    drives = read_laws(joints, laws, numbers, file, problems)
    check_laws(laws, pair_names, joints, problems)
    problems.raise_any(file)  # initial state and forces refer to bodies and joints, so these must be right first
    special = read_special(tree.get("special", {}), {joint.id: joint for joint in declared}, numbers, problems)
    problems.raise_any(file)
    _check_special(special, joints, every, problems)
    # A pair that another choice of tree would not have cannot be named.
    fixed = {pair.id for joint in multiple for pair in fixed_pairs(joint)}
    nameable = {name: joint for name, joint in joints.items() if joint.multiple is None or name in fixed}
    choosable = {**pair_names, **{joint.id: joint.id for joint in multiple}}
    reader = DynamicsReader(every, ground, nameable, numbers, choosable)
    coupled = CouplingReader(tuple(every), nameable, numbers, choosable)
    return Mechanism(
        name=tree.get("name", ""),
        space=numbers.space,
        ground=ground,
        ground_body=ground_body,
        gravity=gravity,
        parameters=parameters,
        bodies=tuple(bodies.values()),
        joints=tuple(joints.values()),
        multiple_joints=multiple,
        special=special,
        drives=drives,
        initial=reader.read_initial(tree.get("initial", {}), problems),
        forces=reader.read_forces(tree.get("forces", {}), problems),
        couplings=coupled.read_couplings(tree.get("couplings", {}), problems),
        limits=coupled.read_limits(tree.get("limits", {}), problems),
        ranges=coupled.read_ranges(tree.get("ranges", {}), problems),
        file=file,
        source=tree,
    )


def _check_special(
    special: tuple[SpecialGeometry, ...], joints: Mapping[str, Joint], bodies: Mapping[str, Body], problems: Problems
) -> None:
    poses = {name: body.pose for name, body in bodies.items()} if special else {}
    for each in special:
        try:
            check_special(each, joints.values(), poses)
        except MechanismError as error:
            problems.keep(error)


def _read_bodies(tree: Mapping[str, Any], numbers: Numbers, problems: Problems) -> tuple[Body, dict[str, Body]]:
    """Return ground and moving bodies; a body with a problem stays in, as a place holder, so that joints find it."""
    ground = tree.get("ground", "ground")
    table: Mapping[str, Any] = tree["bodies"]
    ground_body = read_ground(ground, {}, numbers)
    bodies: dict[str, Body] = {}
    for name, entry in table.items():
        if problems.full:
            break
        try:
            if name == ground:
                ground_body = read_ground(ground, entry, numbers)
            else:
                bodies[name] = read_body(name, entry, numbers)
        except MechanismError as error:
            problems.keep(error)
            if name != ground:
                bodies[name] = read_body(name, {}, numbers)
    if not bodies and not problems.found:
        problems.note("bodies", "there is no moving body; each moving body needs an entry, such as bodies.crank = {}")
    return ground_body, bodies
