"""What the structural analysis answers: frozen records, and the JSON document symgen/structure/1.

Body and joint names are the ids of the mechanism file; a group lists all bodies
that welds hold to its own. Pair lists are sorted by body, then by the body
across, bodies ranking as in the file with the ground first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from symgen.topology.graph import WELD, PairSource

if TYPE_CHECKING:
    from symgen.model.parts import MultipleJoint
    from symgen.topology.rank.instantaneous import Instantaneous

Status = Literal["determined", "underdetermined", "overdetermined", "singular"]

SCHEMA = "symgen/structure/1"

# Results_SA has as many rows and columns as there are bodies; beyond this the document has null in its place.
_LARGEST_MATRIX = 2000


@dataclass(frozen=True, slots=True)
class PairEnd:
    """A pair seen from one of its bodies: joint, body, the body across, pair type."""

    joint: str
    body: str
    other: str
    type: str


@dataclass(frozen=True, slots=True)
class GroupChain:
    """A group as its signature reads, for the call of a solver.

    Attributes
    ----------
    joints : joint ids in reading order. ``R.S.U 3D``: those of R, S and U.
    bodies : unknown bodies between them, one less than joints (for a group of one body: that body). Of bodies
        welded together the first stands for all.
    known : solved bodies at the ends: (before the first joint, after the last); for a group of one body one
        for each joint.
    """

    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    known: tuple[str, ...]


class Describer(Protocol):
    """Knows the groups of one mechanism in full."""

    def describe(self, number: int, field: str) -> Mapping[str, Any]:
        """Return this field of the group with this number, and what came with it."""
        ...


class _FilledLater:
    """A record that may be made with some fields only; the others are filled when one of them is first read.

    A mechanism of 10^6 bodies has groups by the hundred thousand, of which few are ever looked at.
    """

    __slots__ = ("_describer",)

    _describer: Describer

    if not TYPE_CHECKING:  # type checkers shall know the fields alone

        def __getattr__(self, name: str) -> Any:
            if name not in self.__slots__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            for field, value in self._describer.describe(self.number, name).items():
                object.__setattr__(self, field, value)
            return object.__getattribute__(self, name)


@dataclass(frozen=True, slots=True)
class Group(_FilledLater):
    """A structural group: the smallest set of bodies whose motion follows from bodies solved earlier.

    Attributes
    ----------
    number : place in the solving order, from 1.
    level : 1 if it depends on the frame alone, else one more than the highest level it depends on.
    bodies : its bodies, ranking as in the file.
    type : the paper's count name of external and internal pairs, such as ``1P1C1S3D``.
    signature : the unambiguous name (see `symgen.topology.signatures`).
    driven : number of driven freedoms in its pairs.
    depends_on : numbers of the groups that must be solved before.
    external : pairs to bodies solved earlier.
    internal : pairs between its own bodies, the lower-ranking body first.
    assigns : pairs it hands on to bodies solved later.
    chain : reading order if it is one body or a single open chain, else None.
    """

    number: int
    level: int
    bodies: tuple[str, ...]
    type: str
    signature: str
    driven: int
    depends_on: tuple[int, ...]
    external: tuple[PairEnd, ...]
    internal: tuple[PairEnd, ...]
    assigns: tuple[PairEnd, ...]
    chain: GroupChain | None

    @classmethod
    def filled_later(cls, number: int, level: int, depends_on: tuple[int, ...], describer: Describer) -> Group:
        """Return a group that asks the describer for all further fields when they are read."""
        group = object.__new__(cls)
        fill = object.__setattr__
        fill(group, "number", number)
        fill(group, "level", level)
        fill(group, "depends_on", depends_on)
        fill(group, "_describer", describer)
        return group


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a mechanism is not determined, or what could not be tested.

    Attributes
    ----------
    kind : ``overdetermined``, ``underdetermined``, ``waiting`` (behind an overdetermined set),
        ``singular_count`` (a part of a group is stiffer than rigid), ``singular_rank`` (counts agree, but the
        constraints depend on each other for every geometry), ``redundant`` (by declared special geometry; no fault),
        ``idle`` (a rotation that moves no other body and is left out; no fault) or ``unchecked`` (too large to test
        in full; no fault).
    bodies, joints : where.
    excess : number of constraints too many, or None.
    deficit : number of constraints missing, or None.
    advice : what was found and what would help, in words.
    """

    kind: str
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    excess: int | None
    deficit: int | None
    advice: str

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as JSON data; only the one of excess and deficit that applies."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Structure:
    """Kinematic structure of a mechanism.

    Attributes
    ----------
    mechanism : the mechanism analysed; in place of joints of several bodies it has the pairs that were chosen.
    space : "spatial" or "planar".
    bodies : number of rigid bodies, frame included; bodies welded together are one.
    joints : number of joints, welds not counted; a joint of n bodies counts as n - 1 pairs.
    mobility : f of Eq. (2), the freedoms that the count leaves to inputs and to idle rotations; constraints that are
        redundant by declared special geometry are not counted.
    driven : number of driven freedoms.
    status : ``determined``; ``overdetermined`` if any set of bodies carries too many constraints, else
        ``underdetermined`` if any has too few; ``singular`` if all counts agree but some group's constraints
        depend on each other for every geometry.
    groups : in solving order; if not determined, those that can be found.
    diagnosis : findings; empty if all is well.
    rigid : the rigid bodies, each as the ids of the bodies that welds hold together; the frame first.
    counted : where idle rotations are left out, the structure of the mechanism with U for one S of each: its groups are
        the same, by number, with the pairs that are counted and solved. None where nothing is left out.
    """

    mechanism: PairSource
    space: str
    bodies: int
    joints: int
    mobility: int
    driven: int
    status: Status
    groups: tuple[Group, ...]
    diagnosis: tuple[Finding, ...]
    rigid: Sequence[tuple[str, ...]]
    counted: Structure | None = None

    @property
    def results_sa(self) -> tuple[tuple[int, ...], ...]:
        """The matrix Results_SA of the paper, bodies x bodies, made anew at each call.

        Row of the frame: number of the group of each body, 0 if it has none. Row
        of body y, column j: 1 if j is the frame and has a pair with y; n + 1 if
        body j of group n hands a pair on to y.
        """
        column = {body: number for number, members in enumerate(self.rigid) for body in members}
        matrix = [[0] * len(self.rigid) for _ in self.rigid]
        for joint in self.mechanism.joints:
            first, second = sorted(column[body] for body in joint.bodies)
            if first == 0 < second and joint.type != WELD:
                matrix[second][0] = 1
        for group in self.groups:
            for body in group.bodies:
                matrix[0][column[body]] = group.number
            for pair in group.assigns:
                matrix[column[pair.other]][column[pair.body]] = group.number + 1
        return tuple(map(tuple, matrix))

    @property
    def multiple_joints(self) -> tuple[MultipleJoint, ...]:
        """Joints of several bodies, as declared, with the pairs that were chosen for them as `tree`."""
        found: tuple[MultipleJoint, ...] = getattr(self.mechanism, "multiple_joints", ())
        return found

    @property
    def instantaneous(self) -> Instantaneous | str | None:
        """Mobility of first order in the reference configuration, computed anew at each call.

        None if the file does not give all joint frames; words if there is another reason why it is not computed.
        """
        from symgen.model.mechanism import Mechanism
        from symgen.topology.rank.instantaneous import instantaneous_mobility

        return instantaneous_mobility(self.mechanism) if isinstance(self.mechanism, Mechanism) else None

    def to_dict(self, solved: Callable[[Group], tuple[bool, str | None]] | None = None) -> dict[str, Any]:
        """Return the document symgen/structure/1 as JSON data.

        Parameters
        ----------
        solved : tells of a group whether the library solves its type, and the method; without it both are null.
            `results_sa` is null for more than 2000 bodies.
        """
        return {
            "schema": SCHEMA,
            "mechanism": self.mechanism.name,
            "space": self.space,
            "bodies": self.bodies,
            "joints": self.joints,
            "mobility": self.mobility,
            "driven": self.driven,
            "status": self.status,
            "groups": [_group_data(group, *(solved(group) if solved else (None, None))) for group in self.groups],
            "results_sa": [list(row) for row in self.results_sa] if self.bodies <= _LARGEST_MATRIX else None,
            "diagnosis": [finding.to_dict() for finding in self.diagnosis],
            **self._additions(),
        }

    def _additions(self) -> dict[str, Any]:
        """Return the entries that only some mechanisms have."""
        multiple = [
            {
                "joint": joint.id,
                "type": joint.type,
                "bodies": list(joint.bodies),
                "pairs": [pair.id for pair in self.mechanism.joints if pair.multiple == joint.id],
            }
            for joint in self.multiple_joints
        ]
        found = self.instantaneous
        if found is not None:
            instantaneous = {"reason": found} if isinstance(found, str) else found.to_dict()
        couplings = [coupling.id for coupling in getattr(self.mechanism, "couplings", ())]
        return {
            **({"multiple_joints": multiple} if multiple else {}),
            **({"couplings_not_counted": couplings} if couplings else {}),
            **({"instantaneous": instantaneous} if found is not None else {}),
        }


def pair_string(pairs: tuple[PairEnd, ...]) -> str:
    """Return a pair list as the paper prints it: ``3&2S.4&1P.``."""
    return "".join(f"{pair.body}&{pair.other}{pair.type}." for pair in pairs)


def _group_data(group: Group, solved: bool | None, method: str | None) -> dict[str, Any]:
    return {
        "number": group.number,
        "level": group.level,
        "bodies": list(group.bodies),
        "type": group.type,
        "signature": group.signature,
        "driven": group.driven,
        "depends_on": list(group.depends_on),
        "solved": solved,
        "method": method,
        "external": [asdict(pair) for pair in group.external],
        "internal": [asdict(pair) for pair in group.internal],
        "assigns": [asdict(pair) for pair in group.assigns],
        "strings": {
            "external": pair_string(group.external),
            "internal": pair_string(group.internal),
            "to_external": pair_string(group.assigns),
        },
    }
