"""Write the mechanism files of examples/transfer that hang in loops or are long: run as a script after a change.

Orientations are those of the reference's resting state; where a loop has to close they are changed as little as
possible (Newton's method, corrections of least length). Places follow from the root.

    python tests/transfer/write_examples.py
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(FOLDER), str(FOLDER / "tests")]

from transfer.drafts import quaternion_of  # noqa: E402
from transfer.oracle_multibody import rotation, tilde  # noqa: E402
from transfer.oracle_pairs import about_z  # noqa: E402
from transfer.spec_systems import BODIES, HINGES, reference  # noqa: E402

EXAMPLES = FOLDER / "examples" / "transfer"
HEAD = """\
# {title}
# Topology: "automatic deduction of the overall transfer equation" (10.1177/1687814018788752), {figure}. Frames at the
# first input I1 of each body, O its output. Written by tests/transfer/write_examples.py.
schema  = "symgen/mechanism/1"
name    = "{name}"
space   = "{space}"
gravity = {gravity}
"""


def describe(bodies: dict[int, dict[str, Any]], places: dict[int, tuple[Any, Any]], *, planar: bool) -> Iterable[str]:
    """Yield the tables of the bodies of the reference."""
    size = 2 if planar else 3
    for key in BODIES:
        body, (r, turn) = bodies[key], places[key]
        m = np.array(body["J_com_body"])
        six = [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]] if not planar else [0, 0, m[2, 2], 0, 0, 0]
        yield f"\n[bodies.{key}]"
        yield f"mass    = {number(body['m'])}"
        yield f"com     = {vector(body['com'][:size])}"
        yield f"inertia = {vector(six)}"
        if planar:
            yield f"pose    = {{ r = {vector(r[:2])}, angle = {number(turn)} }}"
        else:
            yield f"pose    = {{ r = {vector(r)}, q = {vector(positive(quaternion_of(turn)))} }}"
        for k, at in enumerate(body["inputs"]):
            yield f"points.I{k + 1} = {vector(at[:size])}"
        yield f"points.O  = {vector(body['output'][:size])}"


def hinge(name: str, code: str, ends: Sequence[tuple[str, Any]]) -> Iterable[str]:
    """Yield the table of a hinge: inboard body and outboard body, each with its point."""
    (one, at), (two, there) = ends
    yield f"\n[joints.{name}]"
    yield f'type   = "{code}"'
    yield f'bodies = ["{one}", "{two}"]'
    yield f"frames = {{ {one} = {{ at = {vector(at)} }}, {two} = {{ at = {vector(there)} }} }}"


def hinges(bodies: dict[int, dict[str, Any]], code: str, size: int) -> Iterable[str]:
    """Yield the hinges of the tree but the root."""
    for key, (inboard, outboard, port) in HINGES.items():
        out, into = bodies[inboard]["output"][:size], bodies[outboard]["inputs"][port - 1][:size]
        yield from hinge(f"h{key}", code, [(str(inboard), out), (str(outboard), into)])


def positive(q: Sequence[float]) -> list[float]:
    """Return the quaternion of the same rotation that starts with a positive number."""
    return [math.copysign(1.0, q[0]) * part for part in q]


def number(value: float) -> str:
    """Return the shortest text that reads back the same."""
    return repr(float(value) + 0.0)


def vector(values: Iterable[float]) -> str:
    """Return a list of numbers."""
    return "[" + ", ".join(map(number, values)) + "]"


def spread(bodies: dict[int, dict[str, Any]], turns: dict[int, Any]) -> dict[int, Any]:
    """Return the places of the first inputs, from the ceiling down, with the output of 23 at the origin."""
    outputs = {inboard: (outboard, port) for inboard, outboard, port in HINGES.values()}
    places: dict[int, Any] = {}
    for key in reversed(BODIES):
        size = len(turns[key])
        out = np.zeros(size)
        if key in outputs:
            outboard, port = outputs[key]
            out = places[outboard] + turns[outboard] @ np.array(bodies[outboard]["inputs"][port - 1])[:size]
        places[key] = out - turns[key] @ np.array(bodies[key]["output"])[:size]
    return places


def closed(bodies: dict[int, dict[str, Any]], turns: dict[int, Any], *, planar: bool) -> dict[int, Any]:
    """Return the orientations nearest to the given ones in which bodies 2 and 3 meet at their inputs."""

    def gap(now: dict[int, Any]) -> Any:
        places = spread(bodies, now)
        return places[2] - places[3]

    def turned(now: dict[int, Any], step: Any) -> dict[int, Any]:
        found = {}
        for key, part in zip(BODIES, step.reshape(len(BODIES), -1), strict=True):
            if planar:
                found[key] = about_z(float(part[0]))[:2, :2] @ now[key]
            else:
                half = 0.5 * np.linalg.norm(part)
                found[key] = rotation([math.cos(half), *(0.5 * np.sinc(half / math.pi) * part)]) @ now[key]
        return found

    width = 1 if planar else 3
    for _ in range(30):
        here = gap(turns)
        if np.abs(here).max() < 3e-16:
            break
        columns = []
        for key in BODIES:
            for axis in range(width):
                spin = tilde(np.eye(3)[axis if not planar else 2])[: len(here), : len(here)]
                ahead = dict(turns)
                ahead[key] = turns[key] + spin @ turns[key]  # the gap is linear in each matrix
                columns.append(gap(ahead) - here)
        step = np.linalg.lstsq(np.array(columns).T, -here, rcond=None)[0]
        turns = turned(turns, step * min(1.0, 0.5 / float(np.abs(step).max())))
    return turns


def system() -> dict[int, dict[str, Any]]:
    """Return the bodies of the reference by number."""
    return {body["id"]: body for body in reference()["system"]["bodies"]}


def resting() -> dict[int, Any]:
    """Return the matrices of the reference's resting state."""
    state = reference()["states"][3]
    return {key: rotation(state["quaternion"][str(key)]) for key in BODIES}


def spatial(name: str, title: str, figure: str, turns: dict[int, Any], *, ceiling: bool = True) -> list[str]:
    """Return the lines of a spatial file with the twelve bodies and eleven hinges."""
    bodies, places = system(), spread(system(), turns)
    head = HEAD.format(title=title, figure=figure, name=name, space="spatial", gravity="[0, 0, -9.81]")
    lines = [head.rstrip("\n"), *describe(bodies, {key: (places[key], turns[key]) for key in BODIES}, planar=False)]
    lines += hinges(bodies, "S", 3)
    if ceiling:
        lines += hinge("root", "S", [("23", bodies[23]["output"]), ("ground", [0.0, 0.0, 0.0])])
    return lines


def tree23() -> list[str]:
    """Return the lines of the tree."""
    return spatial("tree23", "A tree of twelve bodies on ball hinges, at rest", "figure 4", resting())


def mixed24() -> list[str]:
    """Return the lines of the mixed system."""
    turns = closed(system(), resting(), planar=False)
    lines = spatial("mixed24", "The tree with a loop: hinge 24 joins bodies 2 and 3, at rest", "figure 2", turns)
    return [*lines, *hinge("h24", "S", [("2", [0.0, 0.0, 0.0]), ("3", [0.0, 0.0, 0.0])])]


def large250() -> list[str]:
    """Return the lines of the large system: 238 copies of body 23 in a straight chain, the mixed system below."""
    bodies = system()
    turns = closed(bodies, resting(), planar=False)
    lines = spatial("large250", "250 bodies: the mixed system under a chain of 238", "figure 9", turns, ceiling=False)
    start = lines.index("\n[joints.h5]")
    extra: list[str] = []
    body = bodies[23]
    m = np.array(body["J_com_body"])
    six = vector([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])
    length = body["output"][0]
    for k, key in enumerate(range(25, 500, 2)):
        extra.append(f"\n[bodies.{key}]")
        extra.append(f"mass    = {number(body['m'])}")
        extra.append(f"com     = {vector(body['com'])}")
        extra.append(f"inertia = {six}")
        extra.append(f'pose    = {{ r = [0, 0, {number(k * length)}], q = ["sqrt(1/2)", 0, "-sqrt(1/2)", 0] }}')
    for key in range(23, 498, 2):
        extra += hinge(f"h{key + 1}", "S", [(str(key), body["output"]), (str(key + 2), [0.0, 0.0, 0.0])])
    bodies_part = [line for line in extra if line]
    cut = next(i for i, line in enumerate(bodies_part) if line.startswith("\n[joints."))
    lines[start:start] = bodies_part[:cut]
    lines += bodies_part[cut:]
    lines += hinge("root", "S", [("499", body["output"]), ("ground", [0.0, 0.0, 238 * length])])
    return [*lines, *hinge("loop", "S", [("2", [0.0, 0.0, 0.0]), ("3", [0.0, 0.0, 0.0])])]


#: Directions of the bodies (frame x, from x of the world) before the loop is closed [degrees].
_LEANING = {1: 60, 2: 100, 3: 85, 4: 120, 9: 70, 10: 75, 11: 110, 12: 100, 17: 80, 18: 105, 21: 95, 23: 75}


def planar_mixed24() -> list[str]:
    """Return the lines of the planar mixed system."""
    bodies = system()
    turns = {key: about_z(math.radians(_LEANING[key]))[:2, :2] for key in BODIES}
    turns = closed(bodies, turns, planar=True)
    places = spread(bodies, turns)
    head = HEAD.format(title="The mixed system in a plane, on pins, at rest", figure="figure 2",
                       name="planar_mixed24", space="planar", gravity="[0, -9.81]")  # fmt: skip
    angles = {key: math.atan2(turns[key][1, 0], turns[key][0, 0]) for key in BODIES}
    lines = [head.rstrip("\n"), *describe(bodies, {key: (places[key], angles[key]) for key in BODIES}, planar=True)]
    lines += hinges(bodies, "R", 2)
    lines += hinge("root", "R", [("23", bodies[23]["output"][:2]), ("ground", [0.0, 0.0])])
    return [*lines, *hinge("h24", "R", [("2", [0.0, 0.0]), ("3", [0.0, 0.0])])]


WRITTEN = {"tree23": tree23, "mixed24": mixed24, "large250": large250, "planar_mixed24": planar_mixed24}


def text_of(name: str) -> str:
    """Return the text of an example's mechanism file."""
    return "\n".join(WRITTEN[name]()) + "\n"


def main() -> None:
    """Write the files."""
    for name in WRITTEN:
        folder = EXAMPLES / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "mechanism.toml").write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
