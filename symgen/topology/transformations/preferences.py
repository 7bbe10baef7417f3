"""What the user wants of the inputs: joints that must be driven, may not be, or are the only ones that can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.topology.graph import WELD


class _ReadJoint(Protocol):
    """What is read of a joint."""

    @property
    def id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def grade(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Preferences:
    """Bounds on the driven freedoms, by joint.

    Attributes
    ----------
    lowest : joints that must be driven, and how many of their freedoms at least.
    highest : most driven freedoms of every joint.
    """

    lowest: Mapping[str, int]
    highest: Mapping[str, int]

    def allow(self, inputs: Mapping[str, int]) -> bool:
        """Tell whether a choice keeps to them; joints that are not named in it are not driven."""
        return all(inputs.get(joint, 0) >= low for joint, low in self.lowest.items()) and all(
            w <= self.highest.get(joint, 0) for joint, w in inputs.items()
        )


def read_preferences(
    joints: Sequence[_ReadJoint],
    must: Mapping[str, int] | Iterable[str] = (),
    may_not: Iterable[str] = (),
    only: Iterable[str] | None = None,
) -> Preferences:
    """Return the bounds that these wishes mean.

    Parameters
    ----------
    joints : of the mechanism.
    must : joints that must be driven: at least one freedom, or as many as the mapping says.
    may_not : joints that may not be driven.
    only : joints with actuators: no others may be driven. None: all.

    Raises
    ------
    InputError
        an unknown joint, more freedoms than a joint has, or wishes that contradict each other.
    """
    table = {joint.id: joint for joint in joints}
    wanted = dict(must) if isinstance(must, Mapping) else dict.fromkeys(must, 1)
    refused = list(dict.fromkeys(may_not))
    actuated = None if only is None else list(dict.fromkeys(only))
    for wish, names in (("must be driven", wanted), ("may not be driven", refused), ("is actuated", actuated or ())):
        for name in names:
            if name not in table:
                near = did_you_mean(name, table) or f"; joints are {list_names(table)}"
                raise InputError(f"{show(name)} {wish}: no joint has this id{near}")
    highest = {
        name: joint.grade if name not in refused and (actuated is None or name in actuated) else 0
        for name, joint in table.items()
    }
    for name, count in wanted.items():
        _check_wanted(table[name], count, name in refused, actuated is not None and name not in actuated)
    return Preferences(wanted, highest)


def _check_wanted(joint: _ReadJoint, count: int, is_refused: bool, is_not_actuated: bool) -> None:
    if joint.type == WELD:
        raise InputError(f"{show(joint.id)} must be driven, but is a weld and has no freedom")
    if count < 1:
        raise InputError(f"{show(joint.id)} must be driven: the number of freedoms must be at least 1, found {count}")
    if count > joint.grade:
        raise InputError(
            f"{show(joint.id)} must be driven with {count} freedoms, but {joint.type} has no more than {joint.grade}"
        )
    if is_refused:
        raise InputError(f"{show(joint.id)} must be driven and may not be driven; leave one of the two out")
    if is_not_actuated:
        raise InputError(f"{show(joint.id)} must be driven, but is not among the only joints that can be; add it there")
