"""``library["H.U.S 3D"]``: chains without a closed form as solved types, made when they are asked for.

They have the functions `position` and `all` of any solved type. Beside its ports there are, for each unknown body, the
pose to start from (``start_b1``) and, for an H, its pitch (``pitch_j1``). A row is solved by itself: the solution near
its start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.errors import InputError
from symgen.library.adapt import BodyMotion
from symgen.library.catalogue import Entry, Module
from symgen.library.group_joints import GroupJoint
from symgen.library.manifest import SCHEMA, Function, Manifest, ManifestArrangement, ManifestJoint, ManifestPort
from symgen.library.newton.engine import Engine
from symgen.library.newton.group import NewtonGroup
from symgen.library.newton.open_engine import open_engine
from symgen.library.newton.problem import METHOD, can_solve, make_problem
from symgen.library.signatures import ChainKey, JointWord, chain_of
from symgen.model.pairs import PAIR_TYPES
from symgen.status import Status
from symgen.topology.signatures import parse_signature

MODULE = "newton_"
_STATUSES = ("OK", "SINGULAR", "NOT_CONVERGED", "BAD_INPUT")


def newton_entry(signature: str) -> Entry | None:
    """Return the solved type of a chain, or None if it is no regular chain of pairs with joint frames.

    Raises
    ------
    InputError
        The signature leaves open which freedom is driven.
    """
    from symgen.topology.findings.regularity import irregularity

    chain = chain_of(signature)
    if chain is None or any(joint.type not in PAIR_TYPES for joint in chain.joints):
        return None
    if not can_solve(chain.space, [joint.type for joint in chain.joints]):
        return None
    counted = ".".join(joint.type + "*" * joint.driven for joint in chain.joints)
    text = f"{counted} {'2D' if chain.space == 'planar' else '3D'}"
    try:
        parse_signature(text)
    except InputError:  # its pairs impose too few or too many constraints
        return None
    if irregularity(text) is not None:
        return None
    arrangement = _arrangement(chain, text)
    manifest = Manifest(
        schema=SCHEMA, id=f"{MODULE}{chain.space}", title=f"{text} by certified Newton",
        space="planar" if chain.space == "planar" else "spatial", method=METHOD,
        arrangements=(arrangement,), functions=tuple(_functions(arrangement, chain.space)), files={},
    )  # fmt: skip
    return Entry(Module(manifest, Path()), arrangement)


def why_no_entry(signature: str) -> str:
    """Return why `newton_entry` has none: the chain is not regular, or it is none of pairs with joint frames."""
    from symgen.topology.findings.regularity import irregularity

    return irregularity(signature) or (
        f'"{signature}": certified Newton is made for a regular chain of pairs with joint frames, such as "H.U.S 3D"'
    )


def _arrangement(chain: ChainKey, text: str) -> ManifestArrangement:
    count = len(chain.joints)
    bodies = tuple(f"b{k + 1}" for k in range(max(count - 1, 1)))
    if count <= 2 and len(bodies) == 1:
        ends = [(f"k{k + 1}", "b1") for k in range(count)]
    else:
        ends = [("k1", "b1"), *pairwise(bodies), ("k2", bodies[-1])]
    joints = tuple(
        _joint(f"j{k + 1}", word, pair) for k, (word, pair) in enumerate(zip(chain.joints, ends, strict=True))
    )
    known = tuple(dict.fromkeys(one for one, _ in ends if one.startswith("k")))
    words = [_key_word(joint, pair) for joint, pair in zip(joints, ends, strict=True)]
    key = f"{'.'.join(words)} {text.rpartition(' ')[2]}"
    return ManifestArrangement(id="chain", signature=text, key=key, known=known, bodies=bodies, joints=joints)


def _key_word(joint: ManifestJoint, ends: tuple[str, str]) -> str:
    """Return a joint in a key; of an L it says which part is on the later body, as keys of closed forms do."""
    names = [*joint.driven, *(["pin" if joint.bodies == ends else "slot"] if joint.type == "L" else [])]
    return joint.type + "*" * bool(joint.driven) + "+".join(names)


def _joint(name: str, word: JointWord, ends: tuple[str, str]) -> ManifestJoint:
    freedoms = PAIR_TYPES[word.type].freedoms
    driven = tuple(freedom for freedom in freedoms if freedom in word.names)
    if word.driven and not driven:
        if word.driven < len(freedoms):
            choice = f"{word.type}*{freedoms[0]}"
            raise InputError(f"{word.type}*: say which of {', '.join(freedoms)} is driven, such as {choice}")
        driven = freedoms
    free = tuple(freedom for freedom in freedoms if freedom not in driven)
    if word.type == "L" and "slot" in word.names:  # its first body is that with the slot
        ends = ends[1], ends[0]
    return ManifestJoint(
        name=name, type=word.type, bodies=ends, freedoms=free, driven=driven,
        frames=(f"f_{name}_{ends[0]}", f"f_{name}_{ends[1]}"),
        coordinates=f"q_{name}" if free and word.type != "S" else None, drive=f"u_{name}" if driven else None,
    )  # fmt: skip


def _functions(arrangement: ManifestArrangement, space: str) -> Iterator[Function]:
    for stage, orders in (("position", ("",)), ("all", ("", "v_", "a_"))):
        ports = (*_inputs(arrangement, space, orders), *_outputs(arrangement, space, orders))
        yield Function(
            name=f"chain_{stage}", level="group", stage="position" if stage == "position" else "all",
            arrangement=arrangement.id, ports=ports, statuses=_STATUSES,
        )  # fmt: skip


def _sizes(space: str) -> dict[str, int]:
    places, free = (3, 3) if space == "planar" else (7, 6)
    return {"": places, "v_": free, "a_": free}


_PREFIX = {"": ("q_", "u_"), "v_": ("qd_", "ud_"), "a_": ("qdd_", "udd_")}
_WORDS = {"": "pose", "v_": "twist", "a_": "acceleration"}


def _inputs(arrangement: ManifestArrangement, space: str, orders: Sequence[str]) -> Iterator[ManifestPort]:
    sizes = _sizes(space)
    for order in orders:
        for body in arrangement.known:
            yield _port(order + body, "in", sizes[order], f"{_WORDS[order]} of the known body {body}")
    for joint in arrangement.joints:
        for name in joint.frames:
            yield _port(name, "in", sizes[""], f"joint frame of {joint.name} in its body")
        if joint.type == "H":
            yield _port(f"pitch_{joint.name}", "in", 0, "slide of a turn by one radian [m/rad]")
        for order in orders:
            if joint.driven:
                yield _port(_PREFIX[order][1] + joint.name, "in", len(joint.driven), ", ".join(joint.driven))
    for body in arrangement.bodies:
        yield _port(f"start_{body}", "in", sizes[""], f"pose of {body} to start from, near the solution")


def _outputs(arrangement: ManifestArrangement, space: str, orders: Sequence[str]) -> Iterator[ManifestPort]:
    for order in orders:
        for body in arrangement.bodies:
            yield _port(order + body, "out", _sizes(space)[order], f"{_WORDS[order]} of {body}")
    for order in orders:
        for joint in arrangement.joints:
            if joint.coordinates is not None:
                yield _port(_PREFIX[order][0] + joint.name, "out", len(joint.freedoms), ", ".join(joint.freedoms))


def _port(name: str, direction: Any, size: int, meaning: str) -> ManifestPort:
    return ManifestPort(name=name, direction=direction, kind="real", shape=(size,) if size else (), meaning=meaning)


class NewtonBackend:
    """Runs the functions of a chain; see `symgen.library.backends.Backend`."""

    def __init__(self, entry: Entry, precision: str, backend: str) -> None:
        self.entry, self._precision, self._backend = entry, precision, backend
        self._engine: Engine = open_engine(entry.manifest.space, precision, backend)
        self.name = self._engine.name

    def bind(
        self, function: Function, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]], status: NDArray[Any]
    ) -> Any:
        """Return a call that solves all rows."""
        names = [port.name for port in function.inputs]

        def run() -> int:
            for row in range(len(status)):
                given = {
                    name: np.asarray(array[row], dtype=np.float64) for name, array in zip(names, inputs, strict=True)
                }
                found, code = self._solve(given)
                status[row] = code
                if found is None:
                    continue
                for port, array in zip(function.outputs, outputs, strict=True):
                    if np.all(np.isfinite(found[port.name])):
                        array[row] = found[port.name]
            failed = status[status != Status.OK]
            return int(failed[0]) if len(failed) else 0

        return run

    def _solve(self, given: dict[str, Any]) -> tuple[dict[str, Any] | None, int]:
        """Solve one row; return output port -> value, None if there is no solution, and the status."""
        if not all(np.all(np.isfinite(value)) for value in given.values()):
            return None, int(Status.BAD_INPUT)
        arrangement, manifest = self.entry.arrangement, self.entry.manifest
        frames = {joint.name: (given[joint.frames[0]], given[joint.frames[1]]) for joint in arrangement.joints}
        pitches = {joint.name: float(given[f"pitch_{joint.name}"]) for joint in arrangement.joints if joint.type == "H"}
        if any(pitch == 0.0 for pitch in pitches.values()):
            return None, int(Status.BAD_INPUT)
        joints = [GroupJoint(joint.name, joint.type, joint.bodies, joint.driven) for joint in arrangement.joints]
        problem = make_problem(manifest.space, arrangement.bodies, joints, frames, pitches)
        group = NewtonGroup(problem, self._precision, self._backend)
        known = {b: BodyMotion(given[b], given.get(f"v_{b}"), given.get(f"a_{b}")) for b in arrangement.known}
        drives = {
            (joint.name, name): np.array([_entry(given, prefix + joint.name, k) for prefix in ("u_", "ud_", "udd_")])
            for joint in arrangement.joints
            for k, name in enumerate(joint.driven)
        }
        here = group.given(known, drives)
        start = group.poses(here, {body: given[f"start_{body}"] for body in arrangement.bodies})
        tracked = group.engine.track(group.plan, here.inputs, np.zeros(1), start)
        code = int(tracked.status[0])
        if code not in (Status.OK, Status.SINGULAR):
            return None, code
        motion = group.motion(here, tracked.poses[0], tracked.twists[0], tracked.accelerations[0])
        found: dict[str, Any] = {}
        for body, each in motion.bodies.items():
            found |= {body: each.pose, f"v_{body}": each.twist, f"a_{body}": each.acceleration}
        for joint in arrangement.joints:
            rows = motion.joints[joint.name]
            for k, prefix in enumerate(("q_", "qd_", "qdd_")):
                found[prefix + joint.name] = np.array([rows[name][k] for name in joint.freedoms])
        return found, code


def _entry(given: dict[str, Any], name: str, k: int) -> float:
    return float(given[name][k]) if name in given else 0.0
