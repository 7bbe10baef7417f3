"""A motion as SVG: planar mechanisms as they are, spatial ones in a parallel view; still, or moving by SMIL.

Bodies are lines and plates through their joint centres and points; the ground is
hatched; paths of points are dashed. A moving picture needs no script: it plays in
a browser, and shows its first position anywhere else. Same bytes for the same motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from symgen.draw.scene import Scene, SceneShape, Symbol
from symgen.draw.svg_text import FONT, GREY, INK, number, path, plain, round_steps, short
from symgen.poses import Array

_WIDTH = 720.0
_MARGIN, _HEAD, _FOOT = 46.0, 44.0, 34.0
_TALLEST = 760.0
#: A parallel view from the front right above: turn about z, then tilt towards the eye.
_AZIMUTH, _ELEVATION = np.radians(-55.0), np.radians(22.0)
_GHOSTS = 7
#: How bodies, joints and the ground look.
FIGURE_STYLE = (
    ".body { stroke-width: 5; stroke-linejoin: round; stroke-linecap: round; fill-opacity: 0.16; } "
    ".spoke { stroke-width: 3; stroke-linecap: round; fill: none; } "
    f".pin {{ fill: #ffffff; stroke: {INK}; stroke-width: 1.6; }} .ball {{ fill: {INK}; }} "
    f".rail {{ stroke: {GREY}; stroke-width: 1.6; fill: none; stroke-dasharray: 7 3; }} "
    f".axis {{ stroke: {INK}; stroke-width: 2.4; fill: none; }} "
    f".ground {{ stroke: {INK}; stroke-width: 1.5; fill: none; }}"
)
_DOT, _BLOCK = 4.6, 7.5


@dataclass(frozen=True)
class View:
    """Maps world places (..., 3) to the picture (..., 2) and to a depth that grows towards the eye."""

    right: Array
    up: Array
    eye: Array
    scale: float
    offset: Array
    height: float

    def place(self, points: Array) -> Array:
        """Return where world places are in the picture."""
        flat = np.stack([points @ self.right, -(points @ self.up)], axis=-1)
        placed: Array = self.offset + self.scale * flat
        return placed


def motion_svg(scene: Scene, *, moving: bool = False) -> str:
    """Return the picture as SVG text.

    Parameters
    ----------
    moving : whether it plays; still pictures of planar mechanisms show positions in between as ghosts.
    """
    view = _make_view(scene)
    clock = _Animation(scene, moving)
    parts = [*_head(scene, view, clock)]
    if not moving and scene.planar:
        parts += _ghosts(scene, view)
    parts += _traces(scene, view)
    parts += _ground(scene, view)
    colours = scene.colours
    for shape in _by_depth(scene, view):
        parts += _body(scene, shape, colours[shape.body], view, clock)
    for symbol in scene.symbols:
        parts += _symbol(scene, symbol, view, clock)
    parts += _scale_bar(view)
    return "\n".join([*parts, "</svg>", ""])


class _Animation:
    """Writes an attribute that moves, or its first value."""

    def __init__(self, scene: Scene, moving: bool) -> None:
        span = float(scene.times[-1] - scene.times[0])
        self.seconds = min(20.0, max(2.0, span))
        self.moving = moving and len(scene.times) > 1

    def element(self, open_tag: str, name: str, title: str, **attributes: list[str]) -> str:
        """Return an element whose `attributes` take the values of the frames in turn."""
        first = " ".join(f'{key}="{values[0]}"' for key, values in attributes.items())
        inside = f"<title>{plain(title)}</title>" if title else ""
        if self.moving:
            for key, values in attributes.items():
                if any(value != values[0] for value in values):
                    inside += (
                        f'<animate attributeName="{key}" dur="{number(self.seconds, 2)}s" repeatCount="indefinite" '
                        f'values="{";".join(values)}"/>'
                    )
        return f"{open_tag} {first}>{inside}</{name}>"


def _make_view(scene: Scene) -> View:
    view = box_view(scene, _WIDTH, _TALLEST - _HEAD - _FOOT, _MARGIN)
    return replace(view, offset=view.offset + np.array([0.0, _HEAD]), height=view.height + _HEAD + _FOOT)


def box_view(scene: Scene, width: float, tallest: float, margin: float) -> View:
    """Return the view that puts all frames of a scene into a box of this width and of at most this height [px]."""
    if scene.planar:
        right, up = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    else:
        right = np.array([np.cos(_AZIMUTH + np.pi / 2), np.sin(_AZIMUTH + np.pi / 2), 0.0])
        level = np.array([np.cos(_AZIMUTH), np.sin(_AZIMUTH), 0.0])
        up = np.cos(_ELEVATION) * np.array([0.0, 0.0, 1.0]) - np.sin(_ELEVATION) * level
    eye = np.cross(right, up)
    seen = np.concatenate([_seen(scene) @ np.stack([right, up], axis=-1)])
    low, high = seen.min(axis=0), seen.max(axis=0)
    span = np.maximum(high - low, 1e-9 + 1e-3 * float(np.max(high - low)))
    scale = min((width - 2 * margin) / span[0], (tallest - 2 * margin) / span[1])
    drawn = scale * span
    offset = np.array([(width - drawn[0]) / 2 - scale * low[0], margin + scale * high[1]])
    return View(right, up, eye, float(scale), offset, float(2 * margin + drawn[1]))


def still_figure(scene: Scene, view: View) -> list[str]:
    """Return the bodies, joints and the ground of a scene's first frame; `FIGURE_STYLE` says how they look."""
    clock = _Animation(scene, moving=False)
    colours = scene.colours
    parts = [*_ground(scene, view)]
    for shape in _by_depth(scene, view):
        parts += _body(scene, shape, colours[shape.body], view, clock)
    for symbol in scene.symbols:
        parts += _symbol(scene, symbol, view, clock)
    return parts


def _seen(scene: Scene) -> Array:
    found = [scene.places(shape.body, shape.marks).reshape(-1, 3) for shape in scene.shapes]
    found += [trace[np.all(np.isfinite(trace), axis=-1)] for trace in scene.traces.values()]
    for symbol in scene.symbols:
        if symbol.type not in ("F", "FP", "W"):
            found.append(scene.places(symbol.bodies[0], _rail(symbol)).reshape(-1, 3))
    return np.concatenate(found)


def _rail(symbol: Symbol) -> Array:
    """Return the ends (2, 3) of what a slide can reach, in the first body; twice the centre for other joints."""
    low, high = symbol.reach
    return np.stack([symbol.at + low * symbol.axis, symbol.at + high * symbol.axis])


def _head(scene: Scene, view: View, clock: _Animation) -> Iterator[str]:
    size = f"{number(_WIDTH)} {number(view.height)}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{number(_WIDTH)}" '
        f'height="{number(view.height)}" role="img">'
    )
    yield f"<title>{plain(scene.title)}</title>"
    yield (
        f"<style>text {{ font-family: {FONT}; font-size: 12px; fill: {GREY}; }} .title {{ font-size: 16px; "
        f"font-weight: bold; fill: {INK}; }} {FIGURE_STYLE} .trace {{ fill: none; stroke-width: 1.5; "
        f"stroke-dasharray: 4 3; }} .ghost {{ fill: none; stroke-width: 2; stroke-linejoin: round; "
        f"stroke-linecap: round; stroke-opacity: 0.22; }}</style>"
    )
    yield f'<rect width="{number(_WIDTH)}" height="{number(view.height)}" fill="#ffffff"/>'
    yield f'<text class="title" x="24" y="30">{plain(scene.title)}</text>'
    words = f"t = {short(scene.times[0])} ... {short(scene.times[-1])} s" if len(scene.times) > 1 else ""
    if scene.unsolved:
        words += f", {scene.unsolved} times without a position left out"
    if clock.moving and abs(clock.seconds - (scene.times[-1] - scene.times[0])) > 1e-9:
        words += f", shown in {number(clock.seconds)} s"
    if words:
        yield f'<text x="24" y="{number(view.height - 16)}">{plain(words)}</text>'


def _by_depth(scene: Scene, view: View) -> list[SceneShape]:
    """Return the bodies, the farthest first; plates before lines where depth does not decide."""

    def key(entry: tuple[int, SceneShape]) -> tuple[float, int, int]:
        k, shape = entry
        depth = float(np.mean(scene.places(shape.body, shape.marks)[0] @ view.eye))
        return (0.0 if scene.planar else round(depth / scene.size, 3), -len(shape.outline), k)

    return [shape for _, shape in sorted(enumerate(scene.shapes), key=key)]


def _body(scene: Scene, shape: SceneShape, colour: str, view: View, clock: _Animation) -> Iterator[str]:
    places = view.place(scene.places(shape.body, shape.marks))
    outline = places[:, list(shape.outline)]
    closed = len(shape.outline) > 2
    drawn = [path(frame, closed=closed) for frame in outline]
    fill = colour if closed else "none"
    if len(shape.outline) > 1:
        tag = f'<path class="body" stroke="{colour}" fill="{fill}"'
        yield clock.element(tag, "path", shape.body, d=drawn)
    for spoke in shape.spokes:
        middle = outline.mean(axis=1)
        lines = [path(np.stack(ends)) for ends in zip(middle, places[:, spoke], strict=True)]
        yield clock.element(f'<path class="spoke" stroke="{colour}"', "path", shape.body, d=lines)


def _symbol(scene: Scene, symbol: Symbol, view: View, clock: _Animation) -> Iterator[str]:
    if symbol.type in ("F", "FP", "W"):
        return
    first, second = symbol.bodies
    centre = view.place(scene.places(second, symbol.at_second))[:, 0]
    title = f"{symbol.joint}: {symbol.type}"
    if symbol.reach[1] > symbol.reach[0]:
        rail = view.place(scene.places(first, _rail(symbol)))
        yield clock.element('<path class="rail"', "path", title, d=[path(frame) for frame in rail])
    if symbol.type == "R" and not scene.planar:
        half = 0.025 * scene.size * symbol.axis
        axle = view.place(scene.places(first, np.stack([symbol.at - half, symbol.at + half])))
        yield clock.element('<path class="axis"', "path", title, d=[path(frame) for frame in axle])
        return
    if symbol.type in ("P", "C"):
        axis = view.place(scene.places(first, np.stack([symbol.at, symbol.at + symbol.axis])))
        yield clock.element('<path class="pin"', "path", title, d=_blocks(centre, axis[:, 1] - axis[:, 0]))
        return
    x, y = ([number(value) for value in column] for column in centre.T)
    kind, radius = ("ball", _DOT) if symbol.type == "S" else ("pin", _DOT)
    if symbol.type in ("U", "ER"):
        corner = np.array([[0.0, -1.3], [1.3, 0.0], [0.0, 1.3], [-1.3, 0.0]]) * _DOT
        yield clock.element('<path class="pin"', "path", title, d=[path(at + corner, closed=True) for at in centre])
        return
    yield clock.element(f'<circle class="{kind}" r="{number(radius)}"', "circle", title, cx=x, cy=y)


def _blocks(centre: Array, direction: Array) -> list[str]:
    """Return a small rectangle along the slide for each frame."""
    length = np.linalg.norm(direction, axis=-1, keepdims=True)
    along = np.where(length > 1e-9, direction / np.maximum(length, 1e-9), np.array([1.0, 0.0]))
    across = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    corners = [(1.0, 0.62), (-1.0, 0.62), (-1.0, -0.62), (1.0, -0.62)]
    box = np.stack([centre + _BLOCK * (a * along + b * across) for a, b in corners], axis=1)
    return [path(frame, closed=True) for frame in box]


def _ground(scene: Scene, view: View) -> Iterator[str]:
    """Hatch under every joint with the ground: along the rail of a slider, else under a small stand."""
    for symbol in scene.symbols:
        if scene.ground not in symbol.bodies or symbol.type in ("F", "FP", "W"):
            continue
        own = symbol.at if symbol.bodies[0] == scene.ground else symbol.at_second
        x, y = view.place(scene.places(scene.ground, own))[0, 0]
        stand = f"M{number(x)},{number(y)}l-9,14h18Z " if symbol.type != "P" else ""
        floor = y + (14.0 if stand else 9.0)
        hatch = "".join(f"M{number(x + d)},{number(floor)}l-6,7" for d in (-8.0, -1.0, 6.0, 13.0))
        yield f'<path class="ground" d="{stand}M{number(x - 14)},{number(floor)}h28{hatch}"/>'


def _ghosts(scene: Scene, view: View) -> Iterator[str]:
    frames = np.unique(np.linspace(0, len(scene.times) - 1, _GHOSTS + 1).round().astype(int))[1:-1]
    colours = scene.colours
    for shape in scene.shapes:
        outline = view.place(scene.places(shape.body, shape.marks))[:, list(shape.outline)]
        drawn = "".join(path(outline[frame], closed=len(shape.outline) > 2) for frame in frames)
        if drawn and len(shape.outline) > 1:
            yield f'<path class="ghost" stroke="{colours[shape.body]}" d="{drawn}"/>'


def _traces(scene: Scene, view: View) -> Iterator[str]:
    colour = scene.colours
    for name, trace in scene.traces.items():
        body = name.rpartition(".")[0]
        drawn = path(view.place(trace))
        yield f'<path class="trace" stroke="{colour[body]}" d="{drawn}"><title>{plain(name)}</title></path>'


def _scale_bar(view: View) -> Iterator[str]:
    length = max(round_steps(0.0, 0.22 * _WIDTH / view.scale, 3), default=0.0)
    if length > 0.0:
        x, y = _WIDTH - 24 - length * view.scale, view.height - 20
        yield f'<path class="ground" d="M{number(x)},{number(y - 4)}v4h{number(length * view.scale)}v-4"/>'
        yield f'<text x="{number(_WIDTH - 24)}" y="{number(y - 8)}" text-anchor="end">{short(length)} m</text>'
