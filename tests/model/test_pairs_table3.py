"""Pair types against Table 3 of Celdran, Saura and Dopico (2022), transcribed independently here."""

from __future__ import annotations

from symgen.model.pairs import PAIR_TYPES, pair_types

TABLE_3 = "R1 P1 H1 CPEP1 C2 ER2 U2 L2 EO2 EPI2 CTEP2 RP2 RD2 S3 PL3 CR3 CTRP3 FP3 SC4 PC4 CBIP4 SP5 SPSP5 F6"
PLANAR = {"R", "P", "L", "EO", "EPI", "RP", "RD", "FP"}
FREEDOMS = {
    "R": "angle",
    "P": "slide",
    "H": "angle",
    "C": "slide angle",
    "U": "angle1 angle2",
    "ER": "angle1 angle2",
    "L": "slide angle",
    "S": "yaw pitch roll",
    "PL": "x y angle",
    "F": "x y z yaw pitch roll",
    "FP": "x y angle",
}


def test_codes_and_grades_are_those_of_table_3_in_printed_order() -> None:
    ours = [pair for pair in PAIR_TYPES.values() if pair.code != "W"]
    assert [f"{pair.code}{pair.grade}" for pair in ours] == TABLE_3.split()
    assert [pair.order for pair in ours] == list(range(1, len(TABLE_3.split()) + 1))


def test_planar_mechanisms_use_the_eight_types_and_the_weld() -> None:
    assert {pair.code for pair in pair_types("planar")} == PLANAR | {"W"}
    assert all(pair.grade <= 3 for pair in pair_types("planar"))
    assert len(pair_types("spatial")) == len(TABLE_3.split()) + 1


def test_named_freedoms_are_as_many_as_the_grade() -> None:
    assert {code: " ".join(pair.freedoms) for code, pair in PAIR_TYPES.items() if pair.freedoms} == FREEDOMS
    assert all(len(pair.freedoms) in (0, pair.grade) for pair in PAIR_TYPES.values())


def test_the_weld_has_no_freedom_but_a_geometry() -> None:
    weld = PAIR_TYPES["W"]
    assert (weld.grade, weld.order, weld.freedoms, weld.has_geometry) == (0, 0, (), True)
    assert not PAIR_TYPES["EO"].has_geometry
    assert PAIR_TYPES["L"].has_geometry
