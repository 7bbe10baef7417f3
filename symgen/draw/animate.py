"""A motion as a moving picture, in the format that the file's name asks for."""

from __future__ import annotations

from symgen.draw.motion_html import motion_html
from symgen.draw.motion_svg import motion_svg
from symgen.draw.motion_webgl import motion_webgl
from symgen.draw.scene import make_scene
from symgen.errors import InputError
from symgen.solve.trajectory import Trajectory

_SVG_FRAMES, _HTML_FRAMES = 90, 300
#: Frames of a spatial motion; of many bodies fewer, so that a page of them stays some megabytes.
_MOST_FRAMES, _LEAST_FRAMES, _MOST_POSES = 600, 100, 36_000


def animate(result: Trajectory, suffix: str) -> str:
    """Return the text of the picture.

    Parameters
    ----------
    suffix : ``".svg"`` (plays by itself) or ``".html"`` (to play, stop, scrub, turn and zoom); both self-contained.

    Raises
    ------
    InputError
        Another suffix, or no time has a position.
    """
    result = result.picture
    if suffix == ".svg":
        return motion_svg(make_scene(result, _SVG_FRAMES), moving=True)
    if suffix == ".html":
        if result.mechanism.space == "spatial":
            frames = max(_LEAST_FRAMES, min(_MOST_FRAMES, _MOST_POSES // len(result.bodies)))
            return motion_webgl(make_scene(result, frames), result.mechanism)
        return motion_html(make_scene(result, _HTML_FRAMES))
    raise InputError(f"{suffix!r}: a moving picture is .svg or .html")
