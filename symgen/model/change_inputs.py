"""The same mechanism file with other inputs: `driven` of the joints, and the drive laws that still apply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint

Tree = dict[str, Any]


def change_inputs(mechanism: Mechanism, inputs: Mapping[str, int]) -> tuple[Tree, tuple[str, ...]]:
    """Return the tree of the mechanism's file with these inputs, and what the user should know.

    A joint whose number of driven freedoms stays keeps everything. Where it grows, laws of named freedoms stay;
    where it falls, nothing says which freedom is meant, and the laws of the joint go.

    Parameters
    ----------
    mechanism : as read from a file.
    inputs : joint -> number of driven freedoms; joints that are not named are not driven.

    Returns
    -------
    tree : a tree of its own; read it with `Mechanism.from_dict`.
    notices : laws removed, and laws and names of freedoms that are missing now, one sentence each.
    """
    tree: Tree = dict(mechanism.source)
    joints = {name: dict(entry) for name, entry in tree.get("joints", {}).items()}
    drives = dict(tree.get("drives", {}))
    notices: list[str] = []
    for joint in mechanism.joints:
        count = inputs.get(joint.id, 0)
        if count == joint.driven:
            continue
        laws = _take_laws(drives, joint)
        entry = joints[joint.id]
        kept: dict[str, Any] = {}
        if count == 0:
            entry.pop("driven", None)
        else:
            entry["driven"] = count
            kept = laws if count > joint.driven and None not in laws else {}
        drives.update({f"{joint.id}.{freedom}": law for freedom, law in kept.items()})
        notices += _notices(joint, count, laws, kept)
    tree["joints"] = joints
    tree.pop("drives", None)
    if drives:
        tree["drives"] = drives
    return tree, tuple(notices)


def _take_laws(drives: dict[str, Any], joint: Joint) -> dict[Any, Any]:
    """Take the laws of a joint out of the table; freedom -> law, None where the key names the joint alone."""
    laws: dict[str | None, Any] = {}
    for key in [key for key in drives if key.partition(".")[0] == joint.id]:
        value = drives.pop(key)
        freedom = key.partition(".")[2] or None
        laws.update(value if isinstance(value, Mapping) else {freedom: value})
    if None in laws and joint.driven_freedoms is not None and len(joint.driven_freedoms) == 1:
        laws[joint.driven_freedoms[0]] = laws.pop(None)
    return laws


def _notices(joint: Joint, count: int, laws: Mapping[Any, Any], kept: Mapping[Any, Any]) -> list[str]:
    notices = []
    if len(laws) > len(kept):
        gone = ", ".join(freedom or joint.id for freedom in laws if freedom not in kept)
        notices.append(f"drives.{joint.id}: the law of {gone} was removed, because {_reason(joint, count)}")
    if count == 0:
        return notices
    if not joint.freedoms:
        notices.append(f"joints.{joint.id}: driven freedoms of {joint.type} have no names and can have no laws")
    elif count == joint.grade:
        missing = [freedom for freedom in joint.freedoms if freedom not in kept]
        keys = ", ".join(joint.id if joint.grade == 1 else f'"{joint.id}.{freedom}"' for freedom in missing)
        notices.append(f"drives: write {'a law' if len(missing) == 1 else 'laws'} for {keys}")
    else:
        notices.append(
            f"joints.{joint.id}: driven = {count} does not say which of {', '.join(joint.freedoms)}; name "
            f"{'it' if count == 1 else 'them'} and write {'a law' if count == 1 else 'laws'} under drives"
        )
    return notices


def _reason(joint: Joint, count: int) -> str:
    if count == 0:
        return "the joint is no longer driven"
    return f"it now has {count} driven freedoms instead of {joint.driven}"
