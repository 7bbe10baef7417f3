"""Joints of the file: types, bodies, driven freedoms, frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from symgen.errors import MechanismError
from symgen.model.joint_frames import lacking_fields, side_frame, world_frames
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import PAIR_TYPES, PairType, pair_types
from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import Body, Joint, JointFrame, MultipleJoint
from symgen.model.read_drives import Laws, resolve_driven
from symgen.model.read_multiple import read_multiple
from symgen.model.shapes import Problems, below

_NAMES_OF_THE_GROUND = frozenset({"ground", "frame", "base", "fixed", "world", "0"})
_GEOMETRY = ("at", "axis", "axis2", "frames", "pitch")


def read_joints(
    table: Mapping[str, Any], bodies: Mapping[str, Body], laws: dict[str, Laws], numbers: Numbers, problems: Problems
) -> list[Joint | MultipleJoint]:
    """Return the joints in file order; `bodies` are all bodies, ground first. Problems are noted joint by joint.

    `laws` by joint are changed: a law of a multiple joint becomes that of its driven pair.
    """
    joints: list[Joint | MultipleJoint] = []
    joined: dict[frozenset[str], str] = {}
    for name, entry in table.items():
        if problems.full:
            break
        try:
            pair, ends = _read_pair(name, entry, bodies, numbers)
            for two in combinations(ends, 2):
                _check_joined_once(name, two, joined, bodies)
            joints.append(_read_joint(name, entry, pair, ends, bodies, laws, numbers))
        except MechanismError as error:
            problems.keep(error)
    return joints


def _read_pair(
    name: str, entry: Mapping[str, Any], bodies: Mapping[str, Body], numbers: Numbers
) -> tuple[PairType, tuple[str, ...]]:
    path = below("joints", name)
    pair = PAIR_TYPES[entry["type"]]
    if numbers.space == "planar" and not pair.planar:
        allowed = ", ".join(each.code for each in pair_types("planar"))
        raise refuse(
            f"{path}.type",
            f'{pair.code} ("{pair.name}") has no meaning in a planar mechanism; allowed there are {allowed} (or write '
            'space = "spatial")',
        )
    ends = tuple(entry["bodies"])
    for index, body in enumerate(ends):
        if body not in bodies:
            ground = next(iter(bodies))
            if body.lower() in _NAMES_OF_THE_GROUND:
                raise refuse(
                    f"{path}.bodies[{index}]", f'no body has the id {show(body)}; the ground is called "{ground}" here'
                )
            known = did_you_mean(body, bodies) or f"; bodies are {list_names(bodies)}"
            raise refuse(
                f"{path}.bodies[{index}]",
                f"no body has the id {show(body)}{known} (each moving body needs "
                f"an entry under [bodies], such as bodies.{body[:60]} = {{}})",
            )
        if body in ends[:index]:
            raise refuse(f"{path}.bodies", f"joins {show(body)} with itself; a joint needs different bodies")
    return pair, ends


def _check_joined_once(
    name: str, ends: tuple[str, str], joined: dict[frozenset[str], str], bodies: Mapping[str, Body]
) -> None:
    other = joined.setdefault(frozenset(ends), name)
    if other != name:
        message = f"{show(ends[0])} and {show(ends[1])} are already joined by joint {show(other)}"
        fix = "two bodies may have only one joint: use one type with all the freedoms (R and P on one axis are a C)"
        beam = next((each for each in ends if bodies[each].beam is not None), None)
        if beam is not None:
            fix = (
                f"two bodies may have only one joint: for both ends of beam {show(beam)} add a body at one end, with "
                "mass 0 and inertia 0, weld it (W) to the beam, and join that body"
            )
        raise refuse(f"{below('joints', name)}.bodies", f"{message}; {fix}")


def _read_joint(
    name: str,
    entry: Mapping[str, Any],
    pair: PairType,
    ends: tuple[str, ...],
    bodies: Mapping[str, Body],
    laws: dict[str, Laws],
    numbers: Numbers,
) -> Joint | MultipleJoint:
    path = below("joints", name)
    driven, names = _read_driven(entry.get("driven", 0), pair, f"{path}.driven", numbers)
    frames, lacking = _read_frames(entry, pair, ends, bodies, path, numbers)
    pitch = None
    if "pitch" in entry:
        if pair.code != "H":
            raise refuse(f"{path}.pitch", f"only an H has a pitch, not {pair.code}")
        pitch = numbers.number(entry["pitch"], f"{path}.pitch")
        if pitch == 0.0:
            raise refuse(f"{path}.pitch", "must not be zero: an H without pitch is an R")
    elif pair.code == "H":
        lacking = (*lacking, "pitch")
    if len(ends) > 2:
        multiple = read_multiple(name, entry, pair, (driven, names), laws)
        return replace(multiple, frames=frames, pitch=pitch, lacking=lacking)
    for key in ("tree", "between"):
        if key in entry:
            raise refuse(f"{path}.{key}", "is for a joint of more than two bodies; remove it")
    two = None if frames is None else (frames[0], frames[1])
    names = resolve_driven(name, pair, driven, names, laws.get(name, {}))
    return Joint(name, pair.code, (ends[0], ends[1]), driven, names, two, pitch, lacking)


def _read_driven(value: Any, pair: PairType, path: str, numbers: Numbers) -> tuple[int, tuple[str, ...] | None]:
    """Return how many freedoms are driven, and which if that is said."""
    if isinstance(value, (list, tuple)):
        return _read_driven_names(value, pair, path)
    if isinstance(value, str) and value in pair.freedoms:
        raise refuse(path, f'must be a count or a list of names: write ["{value}"]')
    count = numbers.number(value, path)
    if count != int(count) or not 0 <= count <= pair.grade:
        freedoms = f" ({', '.join(pair.freedoms)})" if pair.freedoms else ""
        has = f"{pair.code} has {pair.grade} freedom{'' if pair.grade == 1 else 's'}{freedoms}"
        raise refuse(path, f"must be a whole number from 0 to {pair.grade}, found {show(value)}; {has}")
    names = pair.freedoms if count == pair.grade and pair.has_geometry else () if count == 0 else None
    return int(count), names


def _read_driven_names(value: Sequence[str], pair: PairType, path: str) -> tuple[int, tuple[str, ...]]:
    for index, freedom in enumerate(value):
        if freedom not in pair.freedoms:
            if not pair.freedoms:
                raise refuse(path, f"the freedoms of {pair.code} have no names; give a count (0 to {pair.grade})")
            near = did_you_mean(freedom, pair.freedoms)
            allowed = ", ".join(pair.freedoms)
            raise refuse(f"{path}[{index}]", f"{pair.code} has no freedom {show(freedom)}{near} (it has {allowed})")
        if freedom in value[:index]:
            raise refuse(f"{path}[{index}]", f"{show(freedom)} is named twice")
    return len(value), tuple(freedom for freedom in pair.freedoms if freedom in value)


def _read_frames(
    entry: Mapping[str, Any],
    pair: PairType,
    ends: tuple[str, ...],
    bodies: Mapping[str, Body],
    path: str,
    numbers: Numbers,
) -> tuple[tuple[JointFrame, ...] | None, tuple[str, ...]]:
    """Return the joint frame on each body, or None and what is missing for them."""
    given = [key for key in _GEOMETRY if key in entry]
    if not pair.has_geometry:
        if given:
            why = f"{pair.code} is known to the structural analysis only, its geometry is not defined"
            raise refuse(f"{path}.{given[0]}", f"{why}; remove {', '.join(given)}")
        return None, (f"a geometry ({pair.code} is known to the structural analysis only)",)
    if "frames" in entry:
        return _read_sides(entry, pair, ends, path, numbers)
    planar = numbers.space == "planar"
    if pair.code in {"F", "FP"} and not any(key in entry for key in ("at", "axis", "axis2")):
        # coordinates of one body frame in the other
        return (side_frame(pair.code, {}, path, numbers), side_frame(pair.code, {}, path, numbers)), ()
    frames: tuple[JointFrame, ...] | None = None
    lacking = lacking_fields(pair.code, entry, planar, None)
    known = {key: entry[key] for key in ("at", "axis", "axis2") if key in entry}
    if not lacking:
        frames = world_frames(pair.code, known, path, numbers, [bodies[end].pose for end in ends])
    elif known:  # what is given must be right even if something is missing
        side_frame(pair.code, known, path, numbers)
    return frames, lacking


def _read_sides(
    entry: Mapping[str, Any], pair: PairType, ends: tuple[str, ...], path: str, numbers: Numbers
) -> tuple[tuple[JointFrame, ...] | None, tuple[str, ...]]:
    for key in ("at", "axis", "axis2"):
        if key in entry:
            raise refuse(f"{path}.{key}", f"{key} (both sides at once) and frames (each side) exclude each other")
    sides: Mapping[str, Any] = entry["frames"]
    for body in sides:
        if body not in ends:
            raise refuse(f"{path}.frames.{body[:60]}", f"is not a body of this joint; they are {_listed(ends)}")
    lacking: list[str] = []
    frames: list[JointFrame] = []
    planar = numbers.space == "planar"
    for side, body in enumerate(ends):
        table = sides.get(body)
        if table is None:
            lacking.append(f"frames.{body}")
            continue
        missing = lacking_fields(pair.code, table, planar, side)
        lacking.extend(f"frames.{body}.{key}" for key in missing)
        if not missing:
            frames.append(side_frame(pair.code, table, f"{path}.frames.{body}", numbers))
    return (None, tuple(lacking)) if lacking else (tuple(frames), ())


def _listed(ends: tuple[str, ...]) -> str:
    return f"{ends[0]} and {ends[1]}" if len(ends) == 2 else list_names(ends)
