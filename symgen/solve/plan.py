"""Before any number is solved: each structural group laid over its solved type, with its joint frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from symgen.errors import MechanismError, StructureError, UnsolvedTypeError
from symgen.library.adapt import GroupAdapter
from symgen.library.frames import port_frame
from symgen.library.group_joints import GroupJoint
from symgen.library.open import Library
from symgen.library.solved_type import SolvedType
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import PAIR_TYPES
from symgen.model.parts import Joint
from symgen.poses import Array
from symgen.solve.newton import NewtonPlan, plan_newton
from symgen.solve.rigid import RigidBodies, join_welded
from symgen.topology.analysis import analyse
from symgen.topology.structure import Group, Structure

_MOST_FINDINGS = 5


@dataclass(frozen=True)
class GroupPlan:
    """A group ready to be solved.

    Parameters
    ----------
    group : as the structural analysis found it.
    bodies : its unknown bodies; of bodies welded together the first.
    joints : its pairs, without those that constrain nothing.
    adapter : between the mechanism's names and the solved type's ports.
    solved : the solved type.
    frames : joint -> its frames on first and second body as ports hold them.
    pitches : H joint -> pitch [m/rad].
    """

    group: Group
    bodies: tuple[str, ...]
    joints: tuple[GroupJoint, ...]
    adapter: GroupAdapter
    solved: SolvedType
    frames: Mapping[str, tuple[Array, Array]] = field(hash=False)
    pitches: Mapping[str, float] = field(hash=False)

    method = "closed form"

    @property
    def known(self) -> tuple[str, ...]:
        """Bodies whose motion the group takes as given."""
        places = self.adapter.fit.entry.arrangement.known
        return tuple(dict.fromkeys(self.adapter.fit.bodies[place] for place in places))

    @property
    def driven(self) -> tuple[tuple[str, str], ...]:
        """Its driven freedoms, (joint, freedom)."""
        return tuple((joint.name, freedom) for joint in self.joints for freedom in joint.driven)

    @property
    def module(self) -> str:
        """The generated module that solves it."""
        return self.solved.entry.manifest.id

    @property
    def branches(self) -> int:
        """Number of branches of its type."""
        return self.solved.branches

    @property
    def ranked(self) -> bool:
        """Whether its branches are ranked zeros of a polynomial."""
        return self.solved.ranked

    def __str__(self) -> str:
        return f"group {self.group.number} ({self.group.signature}, {_listed(self.group.bodies)})"


@dataclass(frozen=True)
class Plan:
    """A mechanism ready to be solved: groups in solving order, and what lies beside them.

    Parameters
    ----------
    loose : joints whose coordinates no group gives (F and FP without a constraint, joints between welded bodies, the S
        that a group is solved with a U for).
    """

    mechanism: Mechanism
    structure: Structure
    rigid: RigidBodies
    groups: tuple[GroupPlan | NewtonPlan, ...]
    loose: tuple[Joint, ...]

    def in_closed_form(self, what: str) -> tuple[GroupPlan, ...]:
        """Return the groups if all are solved in closed form; `what` needs that.

        Raises
        ------
        UnsolvedTypeError
            A group is solved by iteration; the message names every such group.
        """
        closed = tuple(group for group in self.groups if isinstance(group, GroupPlan))
        if len(closed) < len(self.groups):
            iterated = [
                f"{group.group.number} ({', '.join(group.group.bodies)}: {group.group.signature})"
                for group in self.groups
                if isinstance(group, NewtonPlan)
            ]
            raise UnsolvedTypeError(
                f"{self.mechanism.file or self.mechanism.name}: {what} need closed forms, but certified Newton "
                f"iteration solves group {'; group '.join(iterated)}. Other inputs may give other groups: symgen "
                "transform"
            )
        return closed


def make_plan(mechanism: Mechanism, library: Library) -> Plan:
    """Take a mechanism apart and find the solver of each group.

    Raises
    ------
    StructureError
        It is not kinematically determined.
    MechanismError
        Geometry or drive laws are lacking, the message names every joint; or there are couplings.
    UnsolvedTypeError
        A group has a pair without joint frames (a higher pair); the message names every such group.
    """
    mechanism.require_uncoupled("solving group by group")
    structure = analyse(mechanism)
    if not isinstance(structure.mechanism, Mechanism) or structure.status != "determined":
        raise StructureError(_not_determined(mechanism, structure))
    mechanism = structure.mechanism  # with the pairs chosen for its multiple joints
    mechanism.require_rigid("solving group by group")
    mechanism.require_frames()
    mechanism.require_drives()
    rigid = join_welded(mechanism, structure)
    groups = _plan_groups(mechanism, structure, rigid, library)
    given = {(joint.name, joint.type) for plan in groups for joint in plan.joints}
    loose = tuple(joint for joint in mechanism.joints if joint.freedoms and (joint.id, joint.type) not in given)
    return Plan(mechanism, structure, rigid, groups, loose)


def _plan_groups(
    mechanism: Mechanism, structure: Structure, rigid: RigidBodies, library: Library
) -> tuple[GroupPlan | NewtonPlan, ...]:
    plans: list[GroupPlan | NewtonPlan] = []
    unsolved: list[Group] = []
    for group in structure.groups:
        try:
            plans.append(_plan_group(mechanism, group, _stand_ins(structure, group), rigid, library))
        except UnsolvedTypeError:
            unsolved.append(group)
    if unsolved:
        raise UnsolvedTypeError(_unsolved(mechanism, unsolved, library))
    return tuple(plans)


def _stand_ins(structure: Structure, group: Group) -> dict[str, Joint]:
    """Return the U that stand for an S of the group where idle rotations are left out, by id."""
    if structure.counted is None:
        return {}
    counted = structure.counted.groups[group.number - 1]
    written = {pair.joint: pair.type for pair in (*group.external, *group.internal)}
    changed = {pair.joint for pair in (*counted.external, *counted.internal) if pair.type != written[pair.joint]}
    joints = {joint.id: joint for joint in structure.counted.mechanism.joints}
    return {name: joints[name] for name in sorted(changed)}


@dataclass(frozen=True)
class _Pairs:
    """The pairs of a group as solvers take them, without those that constrain nothing."""

    joints: tuple[GroupJoint, ...]
    frames: dict[str, tuple[Array, Array]]
    pitches: dict[str, float]


def _plan_group(
    mechanism: Mechanism, group: Group, stand_ins: Mapping[str, Joint], rigid: RigidBodies, library: Library
) -> GroupPlan | NewtonPlan:
    """Return the group in closed form, as it is or with what stands in for its idle balls, else by certified Newton."""
    bodies = tuple(body for body in group.bodies if rigid.leader[body] == body)
    pairs = _pairs(mechanism, group, {}, rigid)
    plan = _in_closed_form(mechanism, group, bodies, pairs, library)
    if plan is None and stand_ins:
        _check_lines(mechanism, stand_ins.values())
        pairs = _pairs(mechanism, group, stand_ins, rigid)
        plan = _in_closed_form(mechanism, group, bodies, pairs, library)
    return plan or plan_newton(group, mechanism.space, bodies, pairs.joints, pairs.frames, pairs.pitches, library)


def _in_closed_form(
    mechanism: Mechanism, group: Group, bodies: tuple[str, ...], pairs: _Pairs, library: Library
) -> GroupPlan | None:
    try:
        fit = library.fit(mechanism.space, bodies, pairs.joints)
    except UnsolvedTypeError:
        return None
    return GroupPlan(group, bodies, pairs.joints, GroupAdapter(fit), library.of(fit.entry), pairs.frames, pairs.pitches)


def _pairs(mechanism: Mechanism, group: Group, stand_ins: Mapping[str, Joint], rigid: RigidBodies) -> _Pairs:
    joints: list[GroupJoint] = []
    frames: dict[str, tuple[Array, Array]] = {}
    pitches: dict[str, float] = {}
    for pair in (*group.external, *group.internal):
        joint = stand_ins.get(pair.joint) or mechanism.joint(pair.joint)
        if joint.grade - joint.driven == mechanism.freedom_count:  # constrains nothing
            continue
        joints.append(GroupJoint(joint.id, joint.type, rigid.ends(joint), joint.driven_freedoms or ()))
        first, second = (port_frame(joint.type, rigid.frame(joint, side), mechanism.space) for side in (0, 1))
        frames[joint.id] = first, second
        if joint.pitch is not None:
            pitches[joint.id] = joint.pitch
    return _Pairs(tuple(joints), frames, pitches)


def _check_lines(mechanism: Mechanism, stand_ins: Iterable[Joint]) -> None:
    """Refuse bodies that two balls in one point hold: they turn about every line through it, not about one."""
    for joint in stand_ins:
        if joint.lacking:
            raise MechanismError(
                "its centre coincides with that of the other S joint of the same body, so the body is free to turn "
                "about every line through it; put the centres apart",
                file=mechanism.file,
                field=f"joints.{joint.id}",
            )


def _not_determined(mechanism: Mechanism, structure: Structure) -> str:
    where = mechanism.file or mechanism.name or "mechanism"
    found = [finding.advice for finding in structure.diagnosis[:_MOST_FINDINGS]]
    more = len(structure.diagnosis) - len(found)
    if more > 0:
        found.append(f"and {more} more finding{'' if more == 1 else 's'}: `symgen analyse` lists all")
    lines = "".join(f"\n  - {text}" for text in found)
    return f"{where}: is {structure.status}, so it cannot be solved; `symgen analyse` shows its structure{lines}"


def _unsolved(mechanism: Mechanism, groups: Sequence[Group], library: Library) -> str:
    where = mechanism.file or mechanism.name or "mechanism"
    lines = []
    for group in groups[:_MOST_FINDINGS]:
        near = library.catalogue.nearest(group.signature)
        hint = f"; nearest solved types: {', '.join(near)}" if near else ""
        lines.append(f"\n  - group {group.number}: {group.signature}, {_listed(group.bodies)}{_driven(group)}{hint}")
    more = f"\n  - and {len(groups) - _MOST_FINDINGS} more" if len(groups) > _MOST_FINDINGS else ""
    codes = {pair.type for group in groups for pair in (*group.external, *group.internal)}
    without = sorted(code for code in codes if not PAIR_TYPES[code].has_geometry)
    because = (
        f"\n{', '.join(without)} have no joint frames, so no group with them can be derived or iterated"
        if without
        else ""
    )
    advice = f"{because}\n`symgen library list` shows the solved types; other driven freedoms may give smaller groups"
    return f"{where}: the library has no solver for{''.join(lines)}{more}{advice}"


def _driven(group: Group) -> str:
    return f", {group.driven} driven" if group.driven else ""


def _listed(bodies: Sequence[str]) -> str:
    shown = ", ".join(bodies[:6])
    noun = "body" if len(bodies) == 1 else "bodies"
    return f"{noun} {shown}" + (f" and {len(bodies) - 6} more" if len(bodies) > 6 else "")
