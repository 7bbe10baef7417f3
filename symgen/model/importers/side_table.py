"""The side table: what a URDF cannot say, in the words of the mechanism file.

A TOML file that is laid over the imported tree. Bodies and joints carry the
names of the URDF:

    [joints.close]                 # a new joint: closes a loop
    type   = "R"
    bodies = ["coupler", "rocker"]
    [joints.close.frames.coupler]
    at   = [0.3, 0, 0]
    axis = [0, 0, 1]
    [joints.close.frames.rocker]
    at   = [0.2, 0, 0]
    axis = [0, 0, 1]

    [joints.crank_joint]           # a joint of the URDF: only its inputs
    driven = 1

    [drives]
    crank_joint = "2*pi*t"

`parameters`, `gravity` and `initial` are taken over, `bodies.NAME.points` are added; entries of `forces`, `couplings`
and `limits` are added to those of the URDF or stand in their place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symgen.errors import MechanismError
from symgen.model.importers.imported import read_source
from symgen.model.load import parse_text
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.shapes import below

_WHOLE = ("parameters", "gravity", "initial")
_BY_ENTRY = ("forces", "couplings", "limits")
_KEYS = ("joints", "drives", "bodies", *_BY_ENTRY, *_WHOLE)


@dataclass(frozen=True)
class SideTable:
    """The tree of a side table and the file it came from."""

    tree: Mapping[str, Any]
    file: str

    def refuse(self, path: str, message: str) -> MechanismError:
        """Return the error of one field."""
        return MechanismError(message, file=self.file, field=path)


def load_side_table(path: str | os.PathLike[str]) -> SideTable:
    """Return the side table of a TOML file.

    Raises
    ------
    MechanismError
        if it cannot be read, is no TOML, or has keys that a side table does not have.
    """
    file = os.fspath(path)
    return parse_side_table(read_source(path), file)


def parse_side_table(text: str, file: str = "loops.toml") -> SideTable:
    """Return the side table of a TOML text; see `load_side_table`."""
    side = SideTable(parse_text(text, ".toml", file), file)
    for key, value in side.tree.items():
        if key not in _KEYS:
            raise side.refuse(key, f"unknown key{did_you_mean(key, _KEYS)}; a side table has {', '.join(_KEYS)}")
        if key != "gravity" and not isinstance(value, Mapping):
            raise side.refuse(key, "must be a table")
    for group in ("joints", "bodies"):
        for name, entry in side.tree.get(group, {}).items():
            if not isinstance(entry, Mapping):
                raise side.refuse(f"{group}.{show(name)}", "must be a table")
    return side


def merge(tree: dict[str, Any], side: SideTable, links: Mapping[str, str], joints: Mapping[str, str]) -> None:
    """Lay a side table over the tree of a mechanism file.

    Parameters
    ----------
    tree : is changed.
    links, joints : name in the URDF -> id in the tree.
    """
    for name, entry in side.tree.get("joints", {}).items():
        if name in joints:
            extra = [key for key in entry if key != "driven"]
            if extra:
                message = f"is a joint of the robot; only its `driven` can be given here, not {list_names(extra)}"
                raise side.refuse(f"joints.{show(name)}", message)
            tree["joints"][joints[name]].update(entry)
        else:
            if name in tree["joints"]:
                raise side.refuse(
                    f"joints.{show(name)}", ("this id is already used for a joint of the robot; choose another name")
                )
            tree["joints"][name] = _new_joint(side, name, entry, links)
    for name, entry in side.tree.get("bodies", {}).items():
        _add_points(tree, side, name, entry, links)
    for key, value in side.tree.get("drives", {}).items():
        joint, dot, freedom = key.partition(".")
        tree.setdefault("drives", {})[f"{joints.get(joint, joint)}{dot}{freedom}"] = value
    for key in _WHOLE:
        if key in side.tree:
            tree[key] = side.tree[key]
    for key in _BY_ENTRY:
        if key in side.tree:
            given = side.tree[key] if key != "limits" else dict(_by_freedom(side.tree[key]))
            tree[key] = {**tree.get(key, {}), **given}


def _by_freedom(limits: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return limits under one kind of key, ``A.angle``: in a file ``A = { angle = ... }`` says the same."""
    for key, value in limits.items():
        inner = value.items() if isinstance(value, Mapping) else ()
        yield from ((f"{key}.{freedom}", each) for freedom, each in inner) if inner else ((key, value),)


def is_from(side: SideTable, field: str, links: Mapping[str, str], joints: Mapping[str, str]) -> bool:
    """Return whether a field of the merged tree came from the side table.

    Parameters
    ----------
    field : dotted path in the merged tree.
    links, joints : name in the URDF -> id in the tree.
    """
    given = [below("", key) for key in (*_WHOLE, "drives") if key in side.tree]
    given += [
        below("joints", joints[name]) + ".driven" if name in joints else below("joints", name)
        for name in side.tree.get("joints", {})
    ]
    given += [below(key, name) for key in _BY_ENTRY for name in side.tree.get(key, {})]
    given += [below(below("bodies", links[name]), "points") for name in side.tree.get("bodies", {}) if name in links]
    return any(field == path or field.startswith((f"{path}.", f"{path}[")) for path in given)


def _link(side: SideTable, path: str, name: Any, links: Mapping[str, str]) -> str:
    if not isinstance(name, str) or name not in links:
        near = did_you_mean(str(name), links) or f"; links are {list_names(links)}"
        raise side.refuse(path, f"the robot has no link {show(name)}{near}")
    return links[name]


def _new_joint(side: SideTable, name: str, entry: Mapping[str, Any], links: Mapping[str, str]) -> dict[str, Any]:
    path = f"joints.{show(name)}"
    bodies = entry.get("bodies")
    if not isinstance(bodies, list):
        raise side.refuse(path, 'the robot has no such joint, so this is a new one: give bodies = ["...", "..."]')
    joint = {**entry, "bodies": [_link(side, f"{path}.bodies", body, links) for body in bodies]}
    frames = entry.get("frames")
    if isinstance(frames, Mapping):
        joint["frames"] = {_link(side, f"{path}.frames", body, links): frame for body, frame in frames.items()}
    return joint


def _add_points(
    tree: dict[str, Any], side: SideTable, name: str, entry: Mapping[str, Any], links: Mapping[str, str]
) -> None:
    body = _link(side, "bodies", name, links)
    extra = [key for key in entry if key != "points"]
    if extra or not isinstance(entry.get("points", {}), Mapping):
        raise side.refuse(f"bodies.{show(name)}", f"only a table of points can be added, not {list_names(extra)}")
    tree["bodies"].setdefault(body, {}).setdefault("points", {}).update(entry.get("points", {}))
