"""A spatial motion as one HTML file, drawn by WebGL with the three.js beside it: nothing is fetched from anywhere."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from symgen.draw.motion_html import embedded, filled, playback, rounded
from symgen.draw.scene import Scene, SceneShape, Symbol
from symgen.draw.solids import Cuboid, equal_block
from symgen.draw.svg_text import GREY, plain
from symgen.model.mechanism import Mechanism
from symgen.poses import Array

_HERE = Path(__file__).parent
_PAGE, _SCRIPT = _HERE / "viewer3d.html", _HERE / "viewer3d.js"
_THREE = _HERE / "vendor" / "three" / "three.module.min.js"
_EXPORTS = re.compile(r"export\{([\w$ ,]+)\};?\s*$")
#: Radius of a link, as part of the extent and of the length of the middle one of the links.
_OF_EXTENT, _OF_LINK = 0.011, 0.07
#: Blocks of inertia are shown from the start if there are no more bodies than this.
_FEW = 2


def motion_webgl(scene: Scene, mechanism: Mechanism) -> str:
    """Return the page. The data are JSON in it, read as data; names reach the page as text only.

    Parameters
    ----------
    mechanism : what moves in the scene.
    """
    parts = {
        "@@TITLE@@": plain(scene.title),
        "@@DATA@@": embedded(_data(scene, mechanism)),
        "@@THREE@@": three_as_object(),
        "@@PLAYBACK@@": playback(),
        "@@SCRIPT@@": _SCRIPT.read_text(encoding="utf-8").rstrip(),
    }
    return filled(_PAGE, parts)


@cache
def three_as_object() -> str:
    """Return the text of the vendored module with its exports as one object THREE.

    A page can import a module only from an address; so the last statement, ``export{a as B,...};``, becomes
    ``const THREE={B:a,...};``. Nothing else is changed.
    """
    text = _THREE.read_text(encoding="utf-8")
    exports = _EXPORTS.search(text)
    if exports is None or "</script" in text or "<!--" in text:
        raise RuntimeError(f"{_THREE.name} is not the file that its NOTICE describes")
    members = []
    for entry in exports[1].split(","):
        inner, _, outer = entry.strip().partition(" as ")
        members.append(f"{outer or inner}:{inner}")
    return f"{text[: exports.start()]}const THREE={{{','.join(members)}}};"


def _data(scene: Scene, mechanism: Mechanism) -> dict[str, Any]:
    number = {scene.ground: -1, **{body.id: k for k, body in enumerate(mechanism.bodies)}}
    shapes = {shape.body: shape for shape in scene.shapes}
    colours = scene.colours
    blocks = {body.id: equal_block(body) for body in mechanism.bodies}
    # The spin of a top is not seen on its axis; many blocks hide each other.
    few = len(mechanism.bodies) <= _FEW
    low, high = _extent(scene, {name: block for name, block in blocks.items() if few or name not in shapes})
    drawn = [symbol for symbol in scene.symbols if symbol.type not in ("F", "FP", "W")]
    return {
        "title": scene.title,
        "inertia": few,
        "up": rounded(_up(mechanism)),
        "low": rounded(low),
        "high": rounded(high),
        "thickness": rounded(np.array(_thickness(scene))),
        "times": rounded(scene.times),
        "unsolved": scene.unsolved,
        "gaps": list(scene.gaps),
        "energy": {name: rounded(values) for name, values in scene.energies.items()} or None,
        "bodies": [
            _body(body.id, shapes.get(body.id), colours.get(body.id, GREY), scene.poses[body.id], blocks[body.id])
            for body in mechanism.bodies
        ],
        "joints": [_joint(symbol, number) for symbol in drawn],
        "points": [
            {"name": f"{body.id}.{name}", "body": number[body.id], "at": rounded(np.array(place))}
            for body in (mechanism.ground_body, *mechanism.bodies)
            for name, place in body.points.items()
        ],
        "traces": [
            {
                "name": name,
                "colour": colours.get(name.rpartition(".")[0], GREY),
                "path": _floats(path),
            }
            for name, path in scene.paths()
        ],
    }


def _body(name: str, shape: SceneShape | None, colour: str, poses: Array, block: Cuboid | None) -> dict[str, Any]:
    marks = shape.marks if shape is not None else np.zeros((0, 3))
    outline = shape.outline if shape is not None else ()
    ring = [*outline, outline[0]] if len(outline) > 2 else [*outline]
    middle = marks[list(outline)].mean(axis=0) if outline else np.zeros(3)
    return {
        "id": name,
        "colour": colour,
        "poses": _floats(poses),
        "marks": rounded(marks),
        "links": [rounded(np.stack([marks[a], marks[b]])) for a, b in pairwise(ring)],
        "spokes": [rounded(np.stack([middle, marks[k]])) for k in (shape.spokes if shape is not None else ())],
        "plate": rounded(marks[list(outline)]) if len(outline) > 2 else [],
        "centre": rounded(middle),
        "box": None
        if block is None
        else {"at": rounded(block.at), "q": rounded(block.q), "sides": rounded(block.sides)},
    }


def _joint(symbol: Symbol, number: dict[str, int]) -> dict[str, Any]:
    return {
        "id": symbol.joint,
        "label": symbol.label,
        "type": symbol.type,
        "bodies": [number[body] for body in symbol.bodies],
        "at": rounded(symbol.at),
        "q": rounded(symbol.turn),
        "atSecond": rounded(symbol.at_second),
        "qSecond": rounded(symbol.turn_second),
        "reach": rounded(np.array(symbol.reach)),
    }


def _extent(scene: Scene, blocks: Mapping[str, Cuboid | None]) -> tuple[Array, Array]:
    """Return lowest and highest coordinates of the scene, with the spheres around these blocks."""
    low, high = scene.extent
    for body, block in blocks.items():
        if block is not None:
            middle, half = scene.places(body, block.at)[:, 0], 0.5 * float(np.linalg.norm(block.sides))
            low, high = np.minimum(low, middle.min(axis=0) - half), np.maximum(high, middle.max(axis=0) + half)
    return low, high


def _up(mechanism: Mechanism) -> Array:
    """Return the direction against gravity, z where there is none."""
    gravity = np.array(mechanism.gravity)
    size = float(np.linalg.norm(gravity))
    return -gravity / size if size > 0.0 else np.array([0.0, 0.0, 1.0])


def _thickness(scene: Scene) -> float:
    lengths = [
        float(np.linalg.norm(shape.marks[a] - shape.marks[b]))
        for shape in scene.shapes
        for a, b in pairwise(shape.outline)
    ]
    widest = _OF_EXTENT * scene.size
    return min(widest, max(_OF_LINK * float(np.median(lengths)), 0.1 * widest)) if lengths else widest


def _floats(values: Array) -> str:
    """Return numbers as base64 of their bytes, float32, the lowest byte first: seven digits in six letters."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")
