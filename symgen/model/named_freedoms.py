"""Joints and freedoms that a table names: found, or refused with the nearest name."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.parameters import refuse
from symgen.model.parts import Joint


def find_joint(name: str, path: str, joints: Mapping[str, Joint], choosable: Mapping[str, str]) -> Joint:
    """Return a joint by id.

    Parameters
    ----------
    joints : those that can be named.
    choosable : joint or pair of more than two bodies, of which the file does not fix the pairs -> that joint.

    Raises
    ------
    MechanismError
        There is no such joint, or it is not known which pairs it stands for.
    """
    if name in choosable and name not in joints:
        holder = choosable[name]
        raise refuse(
            path,
            f"joint {show(holder)} has more than two bodies; to name one of its pairs, fix them with `tree` in "
            f"joints.{holder}, then write joint--first-second",
        )
    if name not in joints:
        known = did_you_mean(name, joints) or f"; joints are {list_names(joints)}"
        raise refuse(path, f"no joint has the id {show(name)}{known}")
    return joints[name]


def check_freedom(joint: Joint, freedom: str, path: str) -> None:
    """Refuse the name of a freedom that a joint does not have."""
    if freedom not in joint.freedoms:
        has = f"it has {', '.join(joint.freedoms)}" if joint.freedoms else "its freedoms have no names"
        message = f"joint {show(joint.id)} ({joint.type}) has no freedom {show(freedom)}"
        raise refuse(path, f"{message}{did_you_mean(freedom, joint.freedoms)} ({has})")
