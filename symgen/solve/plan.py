"""Before any number is solved: each structural group laid over its solved type, with its joint frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from symgen.errors import StructureError, UnsolvedTypeError
from symgen.library.adapt import GroupAdapter
from symgen.library.fit import GroupJoint
from symgen.library.frames import port_frame
from symgen.library.rotations import Array
from symgen.library.solved_type import Library, SolvedType
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.solve.newton import NewtonPlan, plan_newton
from symgen.solve.rigid import RigidBodies, join_welded
from symgen.topology.analysis import analyse
from symgen.topology.idle import fix_idle_rotations
from symgen.topology.multiple_joints import choose_trees
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
    """

    group: Group
    bodies: tuple[str, ...]
    joints: tuple[GroupJoint, ...]
    adapter: GroupAdapter
    solved: SolvedType
    frames: Mapping[str, tuple[Array, Array]] = field(hash=False)

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
    loose : joints whose coordinates no group gives (F and FP without a constraint, joints between welded bodies).
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
                f"{number} ({', '.join(group.group.bodies)}: {group.group.signature})"
                for number, group in enumerate(self.groups, start=1)
                if isinstance(group, NewtonPlan)
            ]
            raise UnsolvedTypeError(
                f"{self.mechanism.file or self.mechanism.name}: {what} need closed forms; solved by certified Newton "
                f"iteration: group {'; group '.join(iterated)}. Other inputs may give other groups: symgen transform"
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
    given, mechanism = mechanism, choose_trees(mechanism)
    structure = analyse(mechanism)
    if structure.status == "determined":
        return _make_plan(mechanism, structure, library)
    fixed, changed = fix_idle_rotations(given)
    without = analyse(choose_trees(fixed)) if changed else structure
    if without.status != "determined":
        raise StructureError(_not_determined(mechanism, structure))
    try:
        return _make_plan(mechanism, without, library)
    except UnsolvedTypeError:  # no solver for such a rod: solve it with a U in the place of one S, if it has axes then
        if any(joint.id in changed and joint.lacking for joint in fixed.joints):
            raise
        return _make_plan(choose_trees(fixed), without, library)


def _make_plan(mechanism: Mechanism, structure: Structure, library: Library) -> Plan:
    """Find the solvers; `structure` may be that of the mechanism with U for one S of every rod that spins idly."""
    mechanism.require_rigid("solving group by group")
    mechanism.require_frames()
    mechanism.require_drives()
    rigid = join_welded(mechanism, structure)
    groups = _plan_groups(mechanism, structure, rigid, library)
    solved = {joint.name for plan in groups for joint in plan.joints}
    loose = tuple(joint for joint in mechanism.joints if joint.freedoms and joint.id not in solved)
    return Plan(mechanism, structure, rigid, groups, loose)


def _plan_groups(
    mechanism: Mechanism, structure: Structure, rigid: RigidBodies, library: Library
) -> tuple[GroupPlan | NewtonPlan, ...]:
    plans: list[GroupPlan | NewtonPlan] = []
    unsolved: list[Group] = []
    for group in structure.groups:
        try:
            plans.append(_plan_group(mechanism, group, rigid, library))
        except UnsolvedTypeError:
            unsolved.append(group)
    if unsolved:
        raise UnsolvedTypeError(_unsolved(mechanism, unsolved, library))
    return tuple(plans)


def _plan_group(mechanism: Mechanism, group: Group, rigid: RigidBodies, library: Library) -> GroupPlan | NewtonPlan:
    bodies = tuple(body for body in group.bodies if rigid.leader[body] == body)
    joints: list[GroupJoint] = []
    frames: dict[str, tuple[Array, Array]] = {}
    pitches: dict[str, float] = {}
    for pair in (*group.external, *group.internal):
        joint = mechanism.joint(pair.joint)
        if joint.grade - joint.driven == mechanism.freedom_count:  # constrains nothing
            continue
        joints.append(GroupJoint(joint.id, joint.type, rigid.ends(joint), joint.driven_freedoms or ()))
        first, second = (port_frame(joint.type, rigid.frame(joint, side), mechanism.space) for side in (0, 1))
        frames[joint.id] = first, second
        if joint.pitch is not None:
            pitches[joint.id] = joint.pitch
    try:
        fit = library.fit(mechanism.space, bodies, joints)
    except UnsolvedTypeError:
        return plan_newton(group, mechanism.space, bodies, joints, frames, pitches, library)
    if any(pair.type != mechanism.joint(pair.joint).type for pair in (*group.external, *group.internal)):
        group = replace(group, signature=fit.signature)  # a rod between balls, counted with a U
    return GroupPlan(group, bodies, tuple(joints), GroupAdapter(fit), library.of(fit.entry), frames)


def _not_determined(mechanism: Mechanism, structure: Structure) -> str:
    where = mechanism.file or mechanism.name or "mechanism"
    found = [finding.advice for finding in structure.diagnosis[:_MOST_FINDINGS]]
    more = len(structure.diagnosis) - len(found)
    if more > 0:
        found.append(f"and {more} more findings")
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
    advice = (
        f'\n`symgen library list` shows what is solved. `symgen generate "{groups[0].signature}" --out DIR` derives a '
        "type that symgen knows (found with SYMGEN_LIBRARY=DIR) and says so if it does not; often other driven "
        "freedoms give smaller groups"
    )
    return f"{where}: the library has no solver for{''.join(lines)}{more}{advice}"


def _driven(group: Group) -> str:
    return f", {group.driven} driven" if group.driven else ""


def _listed(bodies: Sequence[str]) -> str:
    shown = ", ".join(bodies[:6])
    noun = "body" if len(bodies) == 1 else "bodies"
    return f"{noun} {shown}" + (f" and {len(bodies) - 6} more" if len(bodies) > 6 else "")
