"""A motion as one HTML file: play, stop, scrub, turn with the mouse, zoom. Nothing is fetched from anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from symgen.draw.scene import Scene, Symbol
from symgen.draw.svg_text import plain
from symgen.poses import Array

_PAGE = Path(__file__).with_name("viewer.html")
_PLAYBACK = Path(__file__).with_name("playback.js")


def motion_html(scene: Scene) -> str:
    """Return the page. The data are JSON in it, read as data; names reach the page as text only."""
    page = {"@@TITLE@@": plain(scene.title), "@@DATA@@": embedded(_data(scene)), "@@PLAYBACK@@": playback()}
    return filled(_PAGE, page)


def playback() -> str:
    """Return the script that every viewer plays its motion by."""
    return _PLAYBACK.read_text(encoding="utf-8").rstrip()


def filled(page: Path, parts: Mapping[str, str]) -> str:
    """Return the text of a page with its marks replaced, in their order in it; what is put in is never searched."""
    rest, text = page.read_text(encoding="utf-8"), ""
    for mark, part in parts.items():
        before, found, rest = rest.partition(mark)
        if not found:
            raise RuntimeError(f"{page.name} has lost its mark {mark}")
        text += before + part
    return text + rest


def embedded(data: Any) -> str:
    """Return data as JSON that may stand in a script of a page: no name in it can end the script."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    # Inside <script> only "</" and "<!--" could end the data early: no "<" at all is left.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(scene: Scene) -> dict[str, Any]:
    low, high = scene.extent
    colours = scene.colours
    return {
        "title": scene.title,
        "planar": scene.planar,
        "ground": scene.ground,
        "times": rounded(scene.times),
        "unsolved": scene.unsolved,
        "gaps": list(scene.gaps),
        "energy": {name: rounded(values) for name, values in scene.energies.items()} or None,
        "middle": rounded((low + high) / 2),
        "size": rounded(np.array(np.linalg.norm(high - low) or 1.0)),
        "poses": {body: rounded(pose) for body, pose in scene.poses.items()},
        "shapes": [
            {
                "body": shape.body,
                "colour": colours[shape.body],
                "marks": rounded(shape.marks),
                "outline": list(shape.outline),
                "spokes": list(shape.spokes),
            }
            for shape in scene.shapes
        ],
        "joints": [_joint(symbol) for symbol in scene.symbols if symbol.type not in ("F", "FP", "W")],
        "traces": [
            {"name": name, "body": name.rpartition(".")[0], "path": rounded(path)} for name, path in scene.paths()
        ],
    }


def _joint(symbol: Symbol) -> dict[str, Any]:
    return {
        "id": symbol.joint,
        "label": symbol.label,
        "type": symbol.type,
        "bodies": list(symbol.bodies),
        "at": rounded(symbol.at),
        "atSecond": rounded(symbol.at_second),
        "axis": rounded(symbol.axis),
        "reach": rounded(np.array(symbol.reach)),
    }


def rounded(values: Array) -> Any:
    """Return numbers with seven significant digits: more than a screen shows, and the same text everywhere."""
    if values.ndim:
        return [rounded(value) for value in values]
    return float(f"{float(values):.7g}") + 0.0
