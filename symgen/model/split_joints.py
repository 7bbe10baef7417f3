"""The same mechanism file with ordinary pairs in place of its multiple joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Ends, MultipleJoint


def split_multiple_joints(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with every multiple joint written as pairs of two bodies; their ids and laws stay.

    The pairs are those of ``mechanism.joints``: to have the ones a structural analysis chooses, give the mechanism
    of its result.
    """
    if not mechanism.multiple_joints:
        return mechanism
    multiple = {joint.id: joint for joint in mechanism.multiple_joints}
    joints: dict[str, Any] = {}
    for name, entry in mechanism.source["joints"].items():
        if name in multiple:
            joints.update(
                (multiple[name].pair_id(ends), _pair(multiple[name], ends, entry)) for ends in _pairs(multiple[name])
            )
        else:
            joints[name] = entry
    tree = {**mechanism.source, "joints": joints}
    if "drives" in tree:
        tree["drives"] = {_law_name(key, multiple): law for key, law in tree["drives"].items()}
    return Mechanism.from_dict(tree, mechanism.file)


def _pairs(joint: MultipleJoint) -> list[Ends]:
    return [joint.in_order(ends) for ends in joint.pairs]


def _pair(joint: MultipleJoint, ends: Ends, entry: Mapping[str, Any]) -> dict[str, Any]:
    pair: dict[str, Any] = {"type": joint.type, "bodies": list(ends)}
    if ends in joint.between:
        pair["driven"] = entry["driven"]
    pair |= {key: entry[key] for key in ("at", "axis", "axis2", "pitch") if key in entry}
    if "frames" in entry:
        pair["frames"] = {body: side for body, side in entry["frames"].items() if body in ends}
    return pair


def _law_name(key: str, multiple: Mapping[str, MultipleJoint]) -> str:
    """Return the key of a law; one under the id of a multiple joint is that of its only driven pair."""
    name, dot, freedom = key.partition(".")
    return key if name not in multiple else multiple[name].pair_id(multiple[name].between[0]) + dot + freedom
