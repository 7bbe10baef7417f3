"""Drive laws of the file: which joint and freedom a key means, and the laws with their derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from symgen.errors import MechanismError
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import PairType
from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import DriveLaw, Joint
from symgen.model.shapes import Problems, below

Laws: TypeAlias = dict[str | None, Any]
"""Laws of one joint by freedom, as written; None where the key names the joint alone."""


def group_laws(table: Mapping[str, Any], joints: Mapping[str, Any], problems: Problems) -> dict[str, Laws]:
    """Return the laws by joint; ``A``, ``"A.angle"`` and the table ``A.angle`` (dotted key without quotes) are read."""
    laws: dict[str, Laws] = {}
    for key, value in table.items():
        joint, _, freedom = key.partition(".")
        entries = {freedom or None: value} if not isinstance(value, Mapping) else dict(value)
        try:
            if joint not in joints:
                known = did_you_mean(joint, joints) or f"; joints are {list_names(joints)}"
                raise refuse(below("drives", key), f"no joint has the id {show(joint)}{known}")
            if freedom and isinstance(value, Mapping):
                raise refuse(below("drives", key), "must be a number or text with a law, found a table")
            for name, law in entries.items():
                if name in laws.setdefault(joint, {}):
                    raise refuse(below("drives", f"{joint}.{name}"), "the law of this freedom is given twice")
                laws[joint][name] = law
        except MechanismError as error:
            problems.keep(error)
        if problems.full:
            break
    return laws


def resolve_driven(
    joint: str, pair: PairType, driven: int, names: tuple[str, ...] | None, laws: Laws
) -> tuple[str, ...] | None:
    """Return the driven freedoms if they are known: named, or all, or those that have laws.

    Raises
    ------
    MechanismError
        if a law fits no driven freedom of the joint.
    """
    path = below("drives", joint)
    if laws and driven == 0:
        example = f' or driven = ["{pair.freedoms[0]}"]' if pair.freedoms else ""
        advice = (
            "leave the law out"
            if pair.grade == 0
            else f"write driven = 1{example} in joints.{joint}, or remove the law"
        )
        raise refuse(path, f"a law is given, but joint {show(joint)} has no driven freedom; {advice}")
    if laws and not pair.freedoms:
        raise refuse(path, f"the freedoms of {pair.code} have no names, so they can have no laws; remove the law")
    for freedom in laws:
        if freedom is not None and freedom not in pair.freedoms:
            known = did_you_mean(freedom, pair.freedoms) + f" (it has {', '.join(pair.freedoms)})"
            raise refuse(f"{path}.{freedom[:60]}", f"{pair.code} has no freedom {show(freedom)}{known}")
    if names is None:
        return _from_laws(joint, pair, driven, laws)
    for freedom in laws:
        if freedom is None and len(names) > 1:
            keys = ", ".join(f'"{joint}.{name}"' for name in names)
            raise refuse(path, f"joint {show(joint)} has {len(names)} driven freedoms; give each its law: {keys}")
        if freedom is not None and freedom not in names:
            raise refuse(f"{path}.{freedom}", f"this freedom is not driven; driven are {', '.join(names)}")
    if None in laws and len(laws) > 1:
        raise refuse(path, "the law of this freedom is given twice")
    return names


def _from_laws(joint: str, pair: PairType, driven: int, laws: Laws) -> tuple[str, ...] | None:
    path = below("drives", joint)
    if None in laws:
        example = pair.freedoms[0]
        message = f"driven = {driven} does not say which of {', '.join(pair.freedoms)} this law is for"
        raise refuse(path, f'{message}; write "{joint}.{example}", or driven = ["{example}"] in joints.{joint}')
    if len(laws) > driven:
        raise refuse(path, f"{len(laws)} laws are given, but joint {show(joint)} has driven = {driven}")
    return tuple(name for name in pair.freedoms if name in laws) if laws and len(laws) == driven else None


def read_laws(
    joints: Mapping[str, Joint], laws: Mapping[str, Laws], numbers: Numbers, file: str | None, problems: Problems
) -> dict[tuple[str, str], DriveLaw]:
    """Return the law of each driven freedom that has one, by (joint id, freedom), in the order of the joints."""
    read: dict[tuple[str, str], DriveLaw] = {}
    for name, joint in joints.items():
        given = laws.get(name, {})
        for freedom in joint.freedoms if given else ():
            key = freedom if freedom in given else None
            if key is None and (None not in given or joint.driven_freedoms != (freedom,)):
                continue
            path = below("drives", name if key is None else f"{name}.{freedom}")
            try:
                read[name, freedom] = make_law(numbers, given[key], path, file)
            except MechanismError as error:
                problems.keep(error)
            if problems.full:
                return read
    return read


def make_law(numbers: Numbers, value: Any, path: str, file: str | None) -> DriveLaw:
    """Return a law with its exact first and second derivatives."""
    law = numbers.law(value, path)
    rate = law.derivative("t")
    return DriveLaw(law, rate, rate.derivative("t"), path, file)
