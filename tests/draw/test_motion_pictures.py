"""Pictures of motions: well-formed, self-contained, the same bytes every time, and the geometry in them right."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import symgen
from symgen.draw.animate import animate
from symgen.draw.colouring import body_colours
from symgen.draw.motion_html import motion_html
from symgen.draw.motion_svg import motion_svg
from symgen.draw.plot_svg import default_columns, plot, plot_columns
from symgen.draw.plot_units import column_units
from symgen.draw.scene import make_scene, still_scene
from symgen.draw.svg_text import number, path, round_steps
from symgen.errors import InputError
from symgen.solve.columns import columns
from symgen.solve.result import MotionResult

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("jansen_leg", "spatial_four_bar", "rotor", "stewart_inverse")
NASTY = "<b>&\"'</script><!--"


@pytest.fixture(scope="module")
def motions(repository: Path) -> dict[str, MotionResult]:
    library = symgen.library(backend="numpy")
    times = np.linspace(0.0, 1.0, 61)
    return {
        name: symgen.solve(symgen.load(repository / "examples" / name / "mechanism.toml"), times, library=library)
        for name in NAMES
    }


def lever(**changes: Any) -> dict[str, Any]:
    return {
        "schema": "symgen/mechanism/1",
        "name": NASTY,
        "space": "planar",
        "bodies": {"lever": {"points": {"end": [2.0, 0.0], "side": [0.0, 1.0]}}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "lever"], "driven": 1, "at": [0, 0]}},
        "drives": {"A": "pi/2*t"},
        **changes,
    }


def solve(tree: dict[str, Any], times: Any) -> MotionResult:
    return symgen.solve(symgen.Mechanism.from_dict(tree), times, library=symgen.library(backend="numpy"))


def pictures(motion: MotionResult) -> dict[str, str]:
    return {
        "still": motion_svg(make_scene(motion)),
        "moving": animate(motion, ".svg"),
        "page": animate(motion, ".html"),
        "plot": plot_columns(motion),
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", NAMES)
def test_pictures_are_the_same_bytes_every_time(motions: dict[str, MotionResult], name: str) -> None:
    assert pictures(motions[name]) == pictures(motions[name])


@pytest.mark.parametrize("name", NAMES)
def test_svg_is_well_formed_and_loads_nothing(motions: dict[str, MotionResult], name: str) -> None:
    for kind, picture in pictures(motions[name]).items():
        # the vendored library names addresses in its messages; the page's policy lets nothing be loaded
        text = re.sub(r"/\* three\.js begins \*/.*/\* three\.js ends \*/", "", picture, flags=re.DOTALL)
        outside = re.findall(r"(?:href|src|url)\s*[=(]|https?://(?!www\.w3\.org/2000/svg)|@import", text)
        assert outside == [], kind
        if kind != "page":
            root = ElementTree.fromstring(text)  # noqa: S314 - our own text
            assert root.tag == f"{SVG}svg"
            assert root.find(f".//{SVG}script") is None


@pytest.mark.parametrize("name", NAMES)
def test_every_value_of_an_animation_has_the_same_form(motions: dict[str, MotionResult], name: str) -> None:
    """SMIL moves between two paths only where both have the same commands."""
    text = animate(motions[name], ".svg")
    moving = re.findall(r'<animate [^>]*values="([^"]*)"', text)
    assert moving
    for values in moving:
        forms = {re.sub(r"-?[\d.]+", "#", value) for value in values.split(";")}
        assert len(forms) == 1


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_moves_stays_inside_the_picture(motions: dict[str, MotionResult], name: str) -> None:
    text = animate(motions[name], ".svg")
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups())  # type: ignore[union-attr]
    for values in re.findall(r'attributeName="d"[^>]*values="([^"]*)"', text):
        pairs = np.array([list(map(float, pair)) for pair in re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", values)])
        assert np.all(pairs > 0.0)
        assert np.all(pairs < np.array([width, height]))


def test_names_are_text_in_every_picture() -> None:
    motion = solve(lever(), [0.0, 1.0])
    for kind, text in pictures(motion).items():
        assert "<b>" not in text, kind
        assert "</script><!--" not in text, kind
    page = pictures(motion)["page"]
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["title"] == NASTY


def test_a_planar_picture_is_to_scale() -> None:
    """A lever with marks at (0, 0), (2, 0), (0, 1): the triangle in the picture is similar to it, y upwards."""
    text = motion_svg(make_scene(solve(lever(), [0.0, 1.0])), moving=False)
    drawn = re.search(r'class="body"[^>]* d="M([-\d.]+),([-\d.]+)L([-\d.]+),([-\d.]+)L([-\d.]+),([-\d.]+)Z"', text)
    assert drawn is not None
    corners = np.array(list(map(float, drawn.groups()))).reshape(3, 2)
    sides = sorted(float(np.linalg.norm(corners[k] - corners[k - 1])) for k in range(3))
    # coordinates are rounded to a tenth of a pixel in some 200
    assert sides[1] / sides[0] == pytest.approx(2.0, abs=0.01)
    assert sides[2] / sides[0] == pytest.approx(np.sqrt(5.0), abs=0.01)


def test_scene_marks_lie_where_the_motion_puts_them(motions: dict[str, MotionResult]) -> None:
    motion = motions["jansen_leg"]
    scene = make_scene(motion, 61)
    toe = np.array([motion.mechanism.body("foot").points["toe"]])
    np.testing.assert_allclose(scene.places("foot", toe)[:, 0], motion.points["foot.toe"].r, atol=1e-14)
    foot = next(shape for shape in scene.shapes if shape.body == "foot")
    assert len(foot.outline) == 3


def test_a_plate_has_all_its_corners_with_joints_on_its_edges_too(repository: Path) -> None:
    """A square plate with joints in its corners and in the middle of two edges, marks on one line across."""
    mechanism = symgen.load(repository / "examples" / "reactions" / "spatial_parallelogram.toml")
    rest = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    scene = still_scene(mechanism, np.zeros(1), dict.fromkeys(mechanism.body_ids, rest))
    plate = next(shape for shape in scene.shapes if shape.body == "platform")
    corners = {name: mechanism.joint(name).frames[1].at for name in "BDFH"}  # type: ignore[index]
    drawn = plate.marks[list(plate.outline)]
    for corner in corners.values():
        assert float(np.linalg.norm(drawn - np.array(corner), axis=1).min()) < 1e-12


def test_times_without_a_position_are_left_out_and_counted() -> None:
    tree = lever()
    tree["bodies"] |= {"rod": {}, "rocker": {}}
    tree["joints"] |= {
        "B": {"type": "R", "bodies": ["lever", "rod"], "at": [2, 0]},
        "C": {"type": "R", "bodies": ["rod", "rocker"], "at": [2.5, 0.5]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [3, 0]},
    }
    motion = solve(tree, np.linspace(0.0, 1.0, 11))  # links of 0.71 do not follow a crank of 2
    scene = make_scene(motion)
    assert 0 < scene.unsolved < 11
    assert scene.unsolved + len(scene.times) == 11
    assert f"{scene.unsolved} times without a position" in motion_svg(scene)
    assert "NaN" not in motion_html(scene)


def test_nothing_solved_is_nothing_to_draw() -> None:
    tree = lever()
    tree["bodies"] |= {"rod": {}, "rocker": {}}
    tree["joints"] |= {
        "B": {"type": "R", "bodies": ["lever", "rod"], "at": [2, 0]},
        "C": {"type": "R", "bodies": ["rod", "rocker"], "at": [2.5, 0.5]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [3, 0]},
    }
    with pytest.raises(InputError, match="nothing to draw"):
        make_scene(solve(tree, [1.0]))


def test_a_plot_shows_free_coordinates_unless_told(motions: dict[str, MotionResult]) -> None:
    assert default_columns(motions["spatial_four_bar"]) == [
        "B.yaw", "B.pitch", "B.roll", "C.slide", "C.angle", "D.slide",
    ]  # fmt: skip
    with pytest.raises(InputError, match=r'did you mean "D\.slide"'):
        plot_columns(motions["spatial_four_bar"], ["D.slid"])
    with pytest.raises(InputError, match="none given"):
        plot_columns(motions["spatial_four_bar"], [])


def test_a_line_is_broken_where_there_is_no_value() -> None:
    text = plot("gap", np.arange(5.0), {"a": np.array([0.0, 1.0, np.nan, 1.0, 0.0]), "b": np.full(5, np.nan)})
    lines = re.findall(r'class="line"[^>]* d="([^"]*)"><title>', text)
    assert [line.count("M") for line in lines] == [2, 0]


def test_a_constant_line_is_drawn_level_in_the_middle() -> None:
    text = plot("still", np.array([0.0, 1.0]), {"a": np.array([5.0, 5.0 + 1e-12])})
    (line,) = re.findall(r'class="line"[^>]* d="([^"]*)"><title>', text)
    heights = set(re.findall(r",([-\d.]+)", line))
    assert len(heights) == 1


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]), (-3.0, 7.0, [-2.0, 0.0, 2.0, 4.0, 6.0]), (2.0, 2.0, [2.0])],
)
def test_marks_of_an_axis_are_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert round_steps(low, high, 6) == pytest.approx(expected, abs=1e-15)


def test_numbers_in_pictures_are_short() -> None:
    assert [number(value) for value in (1.0, -0.01, 2.345, 10.0)] == ["1", "0", "2.3", "10"]
    assert path(np.array([[0.0, 0.0], [np.nan, 1.0], [1.0, 2.0], [3.0, 4.0]])) == "M0,0M1,2L3,4"


@pytest.mark.parametrize("name", NAMES)
def test_bodies_that_share_a_joint_differ_in_colour(motions: dict[str, MotionResult], name: str) -> None:
    scene = make_scene(motions[name])
    for joint in motions[name].mechanism.joints:
        first, second = (scene.colours.get(body) for body in joint.bodies)
        assert first is None or first != second, joint.id


def test_colours_of_a_long_chain_all_occur_before_one_comes_again() -> None:
    bodies = [f"b{k}" for k in range(20)]
    colours = body_colours(bodies, itertools.pairwise(bodies))
    assert len({colours[body] for body in bodies[:8]}) == 8
    # a ring of nine meets itself: its ends must differ too
    ring = body_colours(bodies[:9], [*itertools.pairwise(bodies), (bodies[8], bodies[0])])
    assert ring["b8"] not in (ring["b7"], ring["b0"])


@pytest.mark.parametrize("name", NAMES)
def test_every_column_has_a_unit(motions: dict[str, MotionResult], name: str) -> None:
    units = column_units(motions[name])
    assert {*units, "t"} == set(columns(motions[name]))
    for column, unit in units.items():
        # by the letters of the CSV: a rate is per second, an acceleration per second squared
        seconds = unit.partition("/")[2]
        last = column.rpartition(".")[2]
        expected = {"rate": "s", "acc": "s^2"}.get(last)
        if expected is None and last[:-1] in ("v", "w"):
            expected = "s"
        if expected is None and last[:-1] in ("a", "al") and last[-1] in "xyz":
            expected = "s^2"
        assert seconds == (expected or ""), column


def test_lengths_and_angles_have_axes_of_their_own(motions: dict[str, MotionResult]) -> None:
    root = ElementTree.fromstring(plot_columns(motions["spatial_four_bar"]))  # noqa: S314 - our own text
    headings = [each.text for each in root.iter(f"{SVG}text") if each.get("class") == "unit"]
    assert headings == ["rad", "m"]


def test_a_plot_says_how_many_columns_it_leaves_out(motions: dict[str, MotionResult]) -> None:
    motion = motions["jansen_leg"]
    free = sum(len(joint.coordinates) for joint in motion.joints.values()) - len(motion.mechanism.drives)
    assert free > 8
    assert f"8 of {free} free coordinates" in plot_columns(motion)
    assert "free coordinates" not in plot_columns(motion, default_columns(motion)[:1])


def test_a_plot_has_enough_marks_to_read_a_value() -> None:
    text = plot("line", np.array([0.0, 1.0]), {"a": np.array([0.0, 1.0])})
    assert len(re.findall(r'class="grid" d="M[\d.]+,[\d.]+H', text)) >= 5


def test_a_column_against_another_has_a_panel_to_scale(motions: dict[str, MotionResult]) -> None:
    """A point of a crank goes around a circle: as wide as high in the picture."""
    times = np.linspace(0.0, 4.0, 400)
    motion = solve(lever(), times)
    text = plot_columns(motion, ["A.angle", "lever.end.y against lever.end.x"])
    assert "lever.end.x [m]" in text
    (line,) = re.findall(r'd="([^"]*)"><title>lever\.end\.y', text)
    dots = np.array([list(map(float, pair)) for pair in re.findall(r"([-\d.]+),([-\d.]+)", line)])
    # rounded to a tenth of a pixel in some 280, the extremes met to within a step of 0.9 degrees
    assert np.ptp(dots[:, 0]) == pytest.approx(np.ptp(dots[:, 1]), abs=0.3)
    ElementTree.fromstring(text)  # noqa: S314 - our own text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lever.end.y against lever.end.w", r'did you mean "lever\.end\.'),
        ("A.angle against A.angle against A.angle", "write y against x"),
    ],
)
def test_a_column_against_nothing_is_refused(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        plot_columns(solve(lever(), [0.0, 1.0]), [name])


def test_small_changes_of_a_large_number_have_marks_that_differ() -> None:
    """The total energy of a good simulation: 30 J and a few parts in a million."""
    text = plot("energy", np.linspace(0.0, 1.0, 50), {"total": 30.0 + 3.6e-5 * np.sin(np.linspace(0.0, 9.0, 50))})
    marks = re.findall(r'text-anchor="end">([-\d.e]+)<', text)
    assert len(marks) > 3
    assert ">30 +<" in text
    assert len(set(marks)) == len(marks)


def test_a_multiple_joint_is_labelled_once(motions: dict[str, MotionResult]) -> None:
    mechanism = motions["jansen_leg"].mechanism
    labels = [symbol.label for symbol in make_scene(motions["jansen_leg"]).symbols if symbol.label]
    assert len(labels) == len(set(labels))
    assert set(labels) == {joint.multiple or joint.id for joint in mechanism.joints}
