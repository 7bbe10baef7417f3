"""Fit a group as a mechanism writes it onto an arrangement of the library.

The library knows each group once, with its joints in one order and each written
from the known body inwards; an open chain or not. A mechanism writes them as it likes. Here the one is
laid over the other: which body is ``b1``, which joint is ``j1``, and which joints are
written the other way round. Only names and types are looked at; numbers follow in
`symgen.library.adapt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from symgen.errors import UnsolvedTypeError
from symgen.library.catalogue import ITERATED, Catalogue, Entry
from symgen.library.group_joints import TURNED_NAME, GroupJoint
from symgen.library.manifest import ManifestJoint
from symgen.topology.signatures import parse_signature


@dataclass(frozen=True)
class FittedJoint:
    """A joint of the arrangement and the mechanism's joint that takes its place."""

    slot: ManifestJoint
    joint: GroupJoint
    turned: bool

    def freedom(self, slot_freedom: str) -> str:
        """Return the mechanism's name of a freedom of the slot."""
        if not self.turned:
            return slot_freedom
        return TURNED_NAME.get((self.slot.type, slot_freedom), slot_freedom)


@dataclass(frozen=True)
class GroupFit:
    """A group laid over an arrangement.

    Parameters
    ----------
    entry : the solved type.
    bodies : arrangement's name of a body (``k1``, ``b1``, ...) -> the mechanism's. Known bodies of
        an arrangement may be one body of the mechanism.
    joints : in the arrangement's order.
    """

    entry: Entry
    bodies: dict[str, str] = field(hash=False)
    joints: tuple[FittedJoint, ...]

    @property
    def signature(self) -> str:
        """The signature with the mechanism's own pair types (an ER stays an ER), in canonical direction.

        That of a group that is no chain is the library's own: such groups are planar, where a pair has one type.
        """
        if self.entry.arrangement.signature.startswith("<"):
            return self.entry.arrangement.signature
        words = ".".join(fitted.joint.type + "*" * len(fitted.joint.driven) for fitted in self.joints)
        return parse_signature(f"{words} {'2D' if self.entry.manifest.space == 'planar' else '3D'}").text

    def __str__(self) -> str:
        names = ", ".join(f"{slot} = {body}" for slot, body in self.bodies.items())
        return f"{self.entry.key} ({names})"


def fit_group(catalogue: Catalogue, space: str, bodies: Sequence[str], joints: Sequence[GroupJoint]) -> GroupFit:
    """Find the solved type of a group and lay the group over it.

    Parameters
    ----------
    space : ``"spatial"`` or ``"planar"``.
    bodies : the unknown bodies; every other body that a joint names is known.
    joints : all joints of the group.

    Returns
    -------
    GroupFit
        The first fit in the order of the catalogue and of `bodies`: equal input gives an equal fit, so branch
        numbers keep their meaning.

    Raises
    ------
    UnsolvedTypeError
        No solved type has this shape, or one has, but a joint whose coordinates cannot be turned is written from the
        unknown to the known body: certified Newton takes it as it is.
    """
    for entry in _candidates(catalogue, space, len(bodies), joints):
        fit = next(_fits(entry, bodies, joints, strict=True), None)
        if fit is not None:
            return fit
    for entry in _candidates(catalogue, space, len(bodies), joints):
        fit = next(_fits(entry, bodies, joints, strict=False), None)
        if fit is not None:
            raise UnsolvedTypeError(_cannot_turn(fit))
    shown = ", ".join(f"{joint.name} = {_word(joint)} ({joint.bodies[0]}-{joint.bodies[1]})" for joint in joints)
    raise UnsolvedTypeError(
        f"no solved type for {'body' if len(bodies) == 1 else 'bodies'} {', '.join(bodies)} with joints {shown}; "
        "`symgen library list` shows the solved types"
    )


def _candidates(catalogue: Catalogue, space: str, bodies: int, joints: Sequence[GroupJoint]) -> Iterator[Entry]:
    wanted = sorted((joint.solver_type, len(joint.driven)) for joint in joints)
    for entry in catalogue.entries:
        row = entry.arrangement.joints
        if entry.manifest.method == ITERATED:  # wants a start besides: such a group is solved where no type fits
            continue
        same = entry.manifest.space == space and len(entry.arrangement.bodies) == bodies
        if same and sorted((slot.type, len(slot.driven)) for slot in row) == wanted:
            yield entry


def _fits(entry: Entry, bodies: Sequence[str], joints: Sequence[GroupJoint], *, strict: bool) -> Iterator[GroupFit]:
    arrangement = entry.arrangement
    for order in permutations(bodies):
        places = dict(zip(arrangement.bodies, order, strict=True))
        for row, known in _rows(arrangement.joints, places, joints, frozenset(bodies), {}, strict):
            named = {slot: {**known, **places}[slot] for slot in (*arrangement.known, *arrangement.bodies)}
            yield GroupFit(entry, named, row)


def _rows(
    slots: Sequence[ManifestJoint],
    places: dict[str, str],
    left: Sequence[GroupJoint],
    unknown: frozenset[str],
    known: dict[str, str],
    strict: bool,
) -> Iterator[tuple[tuple[FittedJoint, ...], dict[str, str]]]:
    """Put a joint in the first slot, then fill the others."""
    if not slots:
        yield (), known
        return
    slot = slots[0]
    for index, joint in enumerate(left):
        for turned in (False,) if joint.directed else (False, True):
            ends = joint.bodies[::-1] if turned else joint.bodies
            found = _ends_fit(slot, ends, places, unknown, known)
            fitted = FittedJoint(slot, joint, turned)
            if found is None or not _same_kind(fitted) or (turned and strict and not joint.turnable):
                continue
            others = [*left[:index], *left[index + 1 :]]
            for row, every in _rows(slots[1:], places, others, unknown, found, strict):
                yield (fitted, *row), every


def _ends_fit(
    slot: ManifestJoint, ends: tuple[str, ...], places: dict[str, str], unknown: frozenset[str], known: dict[str, str]
) -> dict[str, str] | None:
    """Return the known bodies' places if the ends of a joint fit into a slot, else None."""
    found = dict(known)
    for name, body in zip(slot.bodies, ends, strict=True):
        if name in places:
            if places[name] != body:
                return None
        elif body in unknown or found.setdefault(name, body) != body:
            return None
    return found


def _same_kind(fitted: FittedJoint) -> bool:
    slot, joint = fitted.slot, fitted.joint
    return slot.type == joint.solver_type and {fitted.freedom(name) for name in slot.driven} == set(joint.driven)


def _cannot_turn(fit: GroupFit) -> str:
    wrong = [each.joint for each in fit.joints if each.turned and not each.joint.turnable]
    joint = wrong[0]
    first, second = joint.bodies
    return (
        f"joint {joint.name}: closed forms take the driven freedoms of {joint.type} from the known body to the unknown "
        f"one; "
        f'write bodies = ["{second}", "{first}"] and the laws of {second} -> {first}'
    )


def _word(joint: GroupJoint) -> str:
    return joint.type + "*" * len(joint.driven) + ",".join(joint.driven)
