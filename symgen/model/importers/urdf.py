"""URDF robots: a tree of links becomes a mechanism file; loops, inputs and laws come from a side table.

The root link is the ground and its frame the world. Every joint is given in
the frames of both links, so the mechanism stands in the robot's zero
configuration with all coordinates zero.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from symgen.errors import InputError, MechanismError
from symgen.model.importers.imported import Imported, Names, imported, read_source
from symgen.model.importers.side_table import SideTable, is_from, merge
from symgen.model.importers.urdf_parts import Inertial, PartReader, UrdfJoint, UrdfLink, UrdfOrigin
from symgen.model.importers.xml_tree import XmlElement, parse_xml, stands_behind_blanks
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import PAIR_TYPES
from symgen.model.quaternions import ORIGIN, Vector3, perpendicular, positive, rotate

_BASE = "base"
_FARTHEST = 1e150  # m; beyond it products of coordinates are no doubles
_WORLD = "world"
_NO_INERTIA = [0.0] * 6
_COORDINATES = {"R": "angle", "P": "slide"}


def import_urdf(
    path: str | os.PathLike[str], side: SideTable | None = None, *, drive: Sequence[str] = (), free_base: bool = False
) -> Imported:
    """Return the mechanism of a URDF file.

    Parameters
    ----------
    path : the file, at most 16 MB; xacro must be expanded before.
    side : loops, inputs and laws (`side_table.load_side_table`).
    drive : names of joints of which all freedoms are inputs; ``("all",)`` for every joint that moves.
    free_base : True lets the root link move freely: it is then joined to the ground by an F.

    Raises
    ------
    MechanismError
        with file and line: not XML, no tree, unknown links, or values that cannot be.
    """
    file = os.fspath(path)
    return parse_urdf(read_source(path), file, side, drive=drive, free_base=free_base)


def parse_urdf(
    text: str,
    file: str = "robot.urdf",
    side: SideTable | None = None,
    *,
    drive: Sequence[str] = (),
    free_base: bool = False,
) -> Imported:
    """Return the mechanism of the text of a URDF file; see `import_urdf`."""
    robot = _Robot(parse_xml(text, file), file)
    if stands_behind_blanks(text):
        robot.assumed.append("blanks before <?xml ...?> are ignored")
    return robot.imported(side, drive, free_base)


class _Robot:
    def __init__(self, root: XmlElement, file: str) -> None:
        self.file, self.reader = file, PartReader(file)
        if root.tag != "robot":
            raise self.reader.refuse(root, f"the first element is <{root.tag[:40]}>, a URDF begins with <robot>")
        xacro = next((each for each in root.children if each.tag.startswith("xacro:")), None)
        if xacro is not None:
            raise self.reader.refuse(xacro, "this is a xacro file; expand it first: xacro FILE > robot.urdf")
        self.name = root.attributes.get("name", "")
        self.assumed: list[str] = []
        self.links: dict[str, UrdfLink] = {}
        self.joints: dict[str, UrdfJoint] = {}
        for element in root.all("link"):
            link = self.reader.link(element)
            self._add(self.links, link.name, link, element)
        for element in root.all("joint"):
            joint = self.reader.joint(element)
            self._add(self.joints, joint.name, joint, element)
        self.root = self._find_root(root)
        self.places = self._find_places()

    def _add(self, table: dict[str, Any], name: str, part: UrdfLink | UrdfJoint, element: XmlElement) -> None:
        if name in table:
            raise self.reader.refuse(element, f"{element.tag} {show(name)} is given twice (line {table[name].line})")
        table[name] = part

    def _find_root(self, robot: XmlElement) -> str:
        """Return the only link that is no child of a joint."""
        if not self.links:
            raise self.reader.refuse(robot, "the robot has no <link>")
        self._add_world()
        parent: dict[str, UrdfJoint] = {}
        for joint in self.joints.values():
            for end in (joint.parent, joint.child):
                if end not in self.links:
                    near = did_you_mean(end, self.links) or f"; links are {list_names(self.links)}"
                    raise self.reader.refuse(joint.line, f"joint {show(joint.name)}: no link {show(end)}{near}")
            if joint.child in parent:
                first = show(parent[joint.child].name)
                message = f"link {show(joint.child)} is the child of joints {first} and {show(joint.name)}"
                fix = "a URDF is a tree; give joints that close loops in a side table (--loops FILE.toml)"
                raise self.reader.refuse(joint.line, f"{message}; {fix}")
            parent[joint.child] = joint
        roots = [name for name in self.links if name not in parent]
        loose = [name for name in roots if not any(name == joint.parent for joint in self.joints.values())]
        if len(roots) - len(loose) == 1 and loose:
            self.assumed.append(f"links without a joint are left out ({list_names(loose)})")
            self.links = {name: link for name, link in self.links.items() if name not in loose}
            roots = [name for name in roots if name not in loose]
        if len(roots) != 1:
            found = f"{list_names(roots)} have none" if roots else "every link has one: the joints form a cycle"
            raise self.reader.refuse(robot, f"one link, the root, must have no parent joint; {found}")
        return roots[0]

    def _add_world(self) -> None:
        """Add the link `world` where joints name it as their parent and the file lacks it, as Gazebo takes it."""
        joint = next((joint for joint in self.joints.values() if joint.parent == _WORLD), None)
        if joint is not None and _WORLD not in self.links:
            self.links = {_WORLD: UrdfLink(_WORLD, joint.line, None), **self.links}
            self.assumed.append(f'"{_WORLD}" is not a link of the file: it is taken as the ground')

    def _find_places(self) -> dict[str, UrdfOrigin]:
        """Return the frame of every link in the root's, in the zero configuration, parents first."""
        below: dict[str, list[UrdfJoint]] = {}
        for joint in self.joints.values():
            below.setdefault(joint.parent, []).append(joint)
        places = {self.root: UrdfOrigin()}
        queue = [self.root]
        for link in queue:  # grows while it is walked
            for joint in below.get(link, ()):
                place = places[joint.child] = places[link].then(joint.place)
                if not all(abs(entry) < _FARTHEST for entry in (*place.r, *place.q)):
                    raise self.reader.refuse(joint.line, f"link {show(joint.child)} is too far from the root link")
                queue.append(joint.child)
        if len(places) < len(self.links):
            left = [name for name in self.links if name not in places]
            line = self.links[left[0]].line
            raise self.reader.refuse(
                line, (f"links {list_names(left)} form a cycle that is not connected to {show(self.root)}")
            )
        return places

    def imported(self, side: SideTable | None, drive: Sequence[str], free_base: bool) -> Imported:
        links, joints = Names(), Names()
        base = links.add(_BASE if _BASE not in self.links else f"{_BASE}_ground") if free_base else None
        links.add_all(self.links)
        joints.add_all(self.joints)
        notes = self._notes(links, joints)
        ground = base or links.ids[self.root]
        moving = [link for link in self.links.values() if base is not None or link.name != self.root]
        inertias = self._inertias(moving, notes)
        bodies = {links.ids[link.name]: _body(inertias[link.name], self.places[link.name]) for link in moving}
        table = {joints.ids[joint.name]: _joint(joint, links.ids) for joint in self.joints.values()}
        if base is not None:
            table = {joints.add("base_motion"): {"type": "F", "bodies": [base, links.ids[self.root]]}, **table}
        elif self.links[self.root].inertial is not None:
            notes.append(f"{show(self.root)} is the ground: its mass and inertia are not kept")
        self._drive(table, joints.ids, drive)
        tree: dict[str, Any] = {
            "schema": "symgen/mechanism/1",
            "name": "".join(filter(str.isprintable, self.name or Path(self.file).stem))[:200],
            "space": "spatial",
            "ground": ground,
            "bodies": bodies,
            "joints": table,
            **self._extras(joints.ids, notes),
        }
        if side is not None:
            merge(tree, side, links.ids, joints.ids)
        if "gravity" not in tree and any(body.get("mass") for body in bodies.values()):
            notes.append("URDF has no gravity: for dynamics add gravity = [0, 0, -9.81] to the file")
        try:
            return imported(tree, notes, self.file)
        except MechanismError as error:
            if side is None or not is_from(side, error.field or "", links.ids, joints.ids):
                raise
            file = f"{side.file} (merged into {self.file})"
            raise MechanismError(error.reason, file=file, field=error.field) from None

    def _notes(self, links: Names, joints: Names) -> list[str]:
        notes = [f"{what} ({list_names(names)})" for what, names in self.reader.notes.items()]
        return [*links.renamed, *joints.renamed, *self.assumed, *notes]

    def _inertias(self, moving: Sequence[UrdfLink], notes: list[str]) -> dict[str, Inertial | None]:
        """Return what dynamics needs of each link: zeros where the file says nothing, if it says anything of others."""
        if not any(link.inertial for link in moving):
            return {link.name: link.inertial for link in moving}
        found: dict[str, Inertial | None] = {}
        nothing, partly = [], []
        for link in moving:
            given = link.inertial
            if given is None:
                nothing.append(link.name)
                given = Inertial(None, ORIGIN, None)
            elif given.mass is None or given.inertia is None:
                partly.append(link.name)
            inertia = tuple(_NO_INERTIA) if given.inertia is None else given.inertia
            found[link.name] = Inertial(given.mass or 0.0, given.com, inertia)
        if nothing:
            notes.append(f"links without <inertial> get zero mass and inertia ({list_names(nothing)})")
        if partly:
            notes.append(f"<mass> or <inertia> is missing: taken as zero ({list_names(partly)})")
        return found

    def _extras(self, ids: Mapping[str, str], notes: list[str]) -> dict[str, Any]:
        """Return the tables of damping, couplings and limits, those that are not empty."""
        joints = self.joints.values()
        taken = Names()
        forces = {
            taken.add(f"damping_{ids[joint.name]}"): {
                "kind": "joint",
                "joint": ids[joint.name],
                "damping": joint.extras.damping,
            }
            for joint in joints
            if joint.extras.damping
        }
        couplings = {ids[joint.name]: text for joint in joints if (text := self._relation(joint, ids, notes))}
        limits = {
            f"{ids[joint.name]}.{_COORDINATES[joint.type]}": list(joint.extras.limits)
            for joint in joints
            if joint.extras.limits is not None
        }
        if couplings:
            notes.append(
                "couplings (mimic) are not used yet: solve and simulate refuse them, unless --without-couplings "
                "leaves them out"
            )
        if limits:
            notes.append("limits are not used yet: motions do not stop at them")
        tables = {"couplings": couplings, "limits": limits, "forces": forces}
        return {key: table for key, table in tables.items() if table}

    def _relation(self, joint: UrdfJoint, ids: Mapping[str, str], notes: list[str]) -> dict[str, str] | None:
        """Return the coupling of a joint that mimics another."""
        mimic = joint.extras.mimic
        if mimic is None:
            return None
        other = self.joints.get(mimic.joint)
        if other is None or other is joint or other.type not in _COORDINATES:
            near = did_you_mean(mimic.joint, self.joints) if other is None else ""
            what = "there is no such joint" if other is None else "it does not have exactly one freedom"
            notes.append(f"mimic of {show(joint.name)} is not kept: it follows {show(mimic.joint)}, {what}{near}")
            return None
        one, two = (f"{ids[each.name]}.{_COORDINATES[each.type]}" for each in (joint, other))
        offset = f" {'-' if mimic.offset < 0 else '+'} {abs(mimic.offset)!r}" if mimic.offset else ""
        return {"relation": f"{one} = {mimic.multiplier!r} * {two}{offset}"}

    def _drive(self, table: Mapping[str, dict[str, Any]], ids: Mapping[str, str], drive: Sequence[str]) -> None:
        wanted = [name for name in self.joints if self.joints[name].type != "W"] if list(drive) == ["all"] else drive
        for name in wanted:
            if name not in self.joints:
                near = did_you_mean(name, self.joints) or f"; joints are {list_names(self.joints)}"
                raise InputError(f"driven joint {show(name)}: {self.file} has no such joint{near}")
            grade = PAIR_TYPES[self.joints[name].type].grade
            if not grade:
                raise InputError(f"driven joint {show(name)} is fixed; it has no freedom to drive")
            table[ids[name]]["driven"] = grade


def _body(inertial: Inertial | None, place: UrdfOrigin) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if inertial is not None:
        body["mass"] = inertial.mass
        body["com"] = list(inertial.com)
        body["inertia"] = list(inertial.inertia or _NO_INERTIA)
    body["pose"] = {"r": [entry + 0.0 for entry in place.r], "q": list(positive(place.q))}
    return body


def _joint(joint: UrdfJoint, ids: Mapping[str, str]) -> dict[str, Any]:
    """Return a joint with its frame on both sides: z along the axis, x by the same rule, turned with the child."""
    z, x = joint.axis, perpendicular(joint.axis)
    if joint.type in ("F", "W"):
        z, x = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    parent = {
        "at": list(joint.place.r),
        "axis": _clean(rotate(joint.place.q, z)),
        "axis2": _clean(rotate(joint.place.q, x)),
    }
    child = {"at": [0.0, 0.0, 0.0], "axis": _clean(z), "axis2": _clean(x)}
    return {
        "type": joint.type,
        "bodies": [ids[joint.parent], ids[joint.child]],
        "frames": {ids[joint.parent]: parent, ids[joint.child]: child},
    }


def _clean(axis: Vector3) -> list[float]:
    """Return a unit vector without the dust of rounding: what is below 1e-15 is zero."""
    return [0.0 if abs(entry) < 1e-15 else entry for entry in axis]
