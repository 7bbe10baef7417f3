"""Mechanisms of the literature: mobility as published, groups as by hand, and against exhaustive search."""

from __future__ import annotations

from pathlib import Path

import pytest
from mechanisms_for_structure import PlainJoint, PlainMechanism
from test_search_oracle import _search

import symgen
from symgen.topology.analysis import analyse
from symgen.topology.idle import fix_idle_rotations

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "literature"

DYAD = "R.R.R 2D"
# name -> mobility, then groups in order: bodies and signature. Worked out by hand with Eq. (3) of the paper.
DETERMINED: dict[str, tuple[int, list[tuple[str, str]]]] = {
    "watt_i": (1, [("crank", "R* 2D"), ("coupler rocker", DYAD), ("link output", DYAD)]),
    "watt_ii": (1, [("crank", "R* 2D"), ("coupler rocker", DYAD), ("link output", DYAD)]),
    "stephenson_i": (1, [("left", "R* 2D"), ("right bar", DYAD), ("upper lower", DYAD)]),
    "stephenson_ii": (1, [("left", "R* 2D"), ("right bar other link", "<-|R|R|R; 1-2R 1-3R 1-4R> 2D")]),
    "stephenson_iii": (1, [("crank", "R* 2D"), ("coupler rocker", DYAD), ("link output", DYAD)]),
    "klann": (1, [("crank", "R* 2D"), ("arm lower", DYAD), ("upper leg", DYAD)]),
    "peaucellier": (1, [("crank", "R* 2D"), ("long1 bar1", DYAD), ("long2 bar2", DYAD), ("bar3 bar4", DYAD)]),
    "hoekens": (1, [("crank", "R* 2D"), ("coupler rocker", DYAD)]),
    "chebyshev": (1, [("left", "R* 2D"), ("coupler right", DYAD)]),
    "atkinson": (1, [("crank", "R* 2D"), ("coupler rocker", DYAD), ("rod piston", "R.R.P 2D")]),
    "andrews": (1, [("K1", "R* 2D"), ("K2 K3", DYAD), ("K4 K5", DYAD), ("K6 K7", DYAD)]),
    "excavator": (
        3,
        [
            ("boom barrel1 rod1", "R.R.P*.R 2D"),
            ("stick barrel2 rod2", "R.R.P*.R 2D"),
            ("barrel3 rod3 rocker", "R.R.P*.R 2D"),
            ("link bucket", DYAD),
        ],
    ),
    "pantograph": (2, [("arm1", "R* 2D"), ("arm2", "R* 2D"), ("arm3 arm4", DYAD)]),
    "quick_return": (1, [("crank", "R* 2D"), ("block lever", "R.P.R 2D"), ("link ram", "R.R.P 2D")]),
    "geneva": (1, [("crank", "R* 2D"), ("wheel", "R.L 2D")]),
    "planetary_gear": (1, [("sun", "R* 2D"), ("carrier planet", "<R|EO.EO; 1-2R> 2D")]),
    "five_bar_coaxial": (2, [("left", "R* 2D"), ("right", "R* 2D"), ("fore1 fore2", DYAD)]),
    "gough": (
        6,
        [(" ".join(f"barrel{k} rod{k}" for k in range(1, 7)) + " platform", "<13 bodies #12461f3f78dad179> 3D")],
    ),
    "three_rps": (
        3,
        [("barrel1 rod1 barrel2 rod2 barrel3 rod3 platform", "<-|-|-|-|R|R|R; 1-4S 1-7P* 2-4S 2-6P* 3-4S 3-5P*> 3D")],
    ),
    "three_upu": (
        3,
        [("barrel1 rod1 barrel2 rod2 barrel3 rod3 platform", "<-|-|-|-|U|U|U; 1-4U 1-7P* 2-4U 2-6P* 3-4U 3-5P*> 3D")],
    ),
    "tricept": (
        3,
        [
            (
                "barrel1 rod1 barrel2 rod2 barrel3 rod3 tube platform",
                "<-|-|-|-|U|U|U|U; 1-4S 1-7P* 2-4S 2-6P* 3-4S 3-5P* 4-8P> 3D",
            )
        ],
    ),
    "delta": (
        3,
        [
            *((f"arm{k}", "R* 3D") for k in (1, 2, 3)),
            (
                "rod1a rod1b rod2a rod2b rod3a rod3b platform",
                "<-|U|U|U|U|U|U; 1-2S 1-3S 1-4S 1-5S 1-6S 1-7S> 3D",
            ),
        ],
    ),
    "agile_eye": (
        3,
        [
            *((f"arm{k}", "R* 3D") for k in (1, 2, 3)),
            ("fore1 fore2 fore3 platform", "<-|R|R|R; 1-2R 1-3R 1-4R> 3D [spherical]"),
        ],
    ),
    "double_wishbone": (2, [("lower", "R* 3D"), ("rack", "P* 3D"), ("upper upright tie", "<R|U|S; 1-3S 2-3S> 3D")]),
    "mcpherson": (2, [("lower", "R* 3D"), ("rack", "P* 3D"), ("upright strut tie", "<U|U|S; 1-3C 2-3S> 3D")]),
    "clemens": (1, [("shaft1", "R* 3D"), ("shaft2 arm1 arm2", "R.R.S.R 3D")]),
    "schatz": (1, [("left", "R* 3D"), ("link1 drum link2 right", "R.R.R.R.R 3D [proportions]")]),
    "hooke": (1, [("shaft1", "R* 3D"), ("cross shaft2", "R.R.R 3D [spherical]")]),
    "planar_in_space": (1, [("crank", "R* 3D"), ("rod piston", "R.R.P 3D [planar]")]),
    "puma": (6, [(f"link{k}", "R* 3D") for k in range(1, 7)]),
    "bennett": (1, [("l1", "R* 3D"), ("l2 l3", "R.R.R 3D [proportions]")]),
    "bricard_cube": (1, [("l1", "R* 3D"), ("l2 l3 l4 l5", "R.R.R.R.R 3D [proportions]")]),
    "sarrus": (1, [("lower1", "R* 3D"), ("upper1 platform upper2 lower2", "R.R.R.R.R 3D [proportions]")]),
}
#: Spinning rods: name -> mobility with them, and with U in place of one ball of each.
IDLE = {"rssr": (2, 1), "delta_balls": (9, 3)}


def _load(name):
    return symgen.load(FOLDER / f"{name}.toml")


def test_every_file_of_the_folder_is_expected_and_names_its_source():
    files = {path.stem for path in FOLDER.glob("*.toml")}
    assert files == DETERMINED.keys() | IDLE.keys()
    assert len(files) >= 20
    assert all((FOLDER / f"{name}.toml").read_text(encoding="utf-8").startswith("# ") for name in files)


@pytest.mark.parametrize("name", DETERMINED)
def test_mobility_and_groups_are_as_published_and_as_by_hand(name):
    mobility, groups = DETERMINED[name]
    structure = analyse(_load(name))
    assert (structure.status, structure.mobility, structure.driven) == ("determined", mobility, mobility)
    assert [(" ".join(group.bodies), group.signature) for group in structure.groups] == groups
    assert {finding.kind for finding in structure.diagnosis} <= {"redundant"}


@pytest.mark.parametrize("name", DETERMINED)
def test_partition_and_order_are_those_of_exhaustive_search(name):
    structure = analyse(_load(name))
    if structure.mechanism.special or structure.bodies > 11:
        return  # the search knows no special geometry, and its time grows with 2^bodies
    joints = tuple(PlainJoint(j.id, j.type, j.bodies, j.driven) for j in structure.mechanism.joints)
    plain = PlainMechanism(structure.space, structure.mechanism.body_ids, joints)
    assert [group.bodies for group in structure.groups] == _search(plain)


@pytest.mark.parametrize("name", IDLE)
def test_idle_rotations_are_named_and_can_be_taken_away(name):
    spinning, fixed = IDLE[name]
    structure = analyse(_load(name))
    assert (structure.status, structure.mobility, structure.driven) == ("determined", spinning, fixed)
    assert [finding.kind for finding in structure.diagnosis] == ["idle"] * (spinning - fixed)
    repaired, changed = fix_idle_rotations(_load(name))
    again = analyse(repaired)
    assert (again.status, again.mobility, len(changed)) == ("determined", fixed, spinning - fixed)
    assert [group.bodies for group in again.groups] == [group.bodies for group in structure.groups]


@pytest.mark.parametrize("name", ["bennett", "bricard_cube", "sarrus"])
def test_those_with_geometry_move_in_it(name):
    found = analyse(_load(name)).instantaneous
    assert (found.mobility, found.remaining) == (1, 0)
