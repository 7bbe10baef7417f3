"""Exports on Cortex-M in QEMU: built for five cores, run on four, every bit and every status of the host's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from oracle.compilers import need

import symgen
from symgen.export.embedded.bundle import bundle
from symgen.export.embedded.targets import COMPILER, EMULATOR
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.export.solved_type import TypeRequest, type_subject
from symgen.export.subject import Subject

EXAMPLES = Path(__file__).parents[2] / "examples"
LEGS = [f"slider_{k}.slide" for k in range(1, 7)]


def _of(mechanism: str, request: MechanismRequest) -> Callable[[], Subject]:
    return lambda: mechanism_subject(symgen.load(EXAMPLES / mechanism), symgen.library(), request)


def _type(signature: str, request: TypeRequest) -> Callable[[], Subject]:
    def subject() -> Subject:
        return type_subject(symgen.library().catalogue.matching(signature)[0], request)

    return subject


EXPORTS = {
    "group": _type("R.R.R 2D", TypeRequest()),
    "leg": _of("jansen_leg/mechanism.toml", MechanismRequest(results=["foot.toe"])),
    "followed leg": _of("jansen_leg/mechanism.toml", MechanismRequest(results=["foot.toe"], branch="follow")),
    "rotor": _of("rotor/mechanism.toml", MechanismRequest()),
    "platform": _of("stewart_inverse/mechanism.toml", MechanismRequest(results=LEGS, precision="double")),
    "slider-crank": _of(
        "isosceles_slider_crank/mechanism.toml",
        MechanismRequest(precision="double", drives="laws", branch="follow", period=0.005),
    ),
    "spatial loop": _of("spatial_four_bar/mechanism.toml", MechanismRequest(results=["bodies", "coordinates"])),
    "triad": _type("<-|R|R|R; 1-2R 1-3R 1-4R> 2D", TypeRequest()),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTS)
def test_the_self_test_of_an_export_finds_no_other_bit_on_any_core(name: str) -> None:
    need(COMPILER)
    need(EMULATOR)
    tree = json.loads(bundle(EXPORTS[name](), (), "export X")["manifest.json"])
    assert tree["not_run"] == []
    targets = tree["figures"]["targets"]
    assert list(targets) == ["cortex-m0plus", "cortex-m3", "cortex-m4f", "cortex-m7", "cortex-m33"]
    assert {core: told["selftest_differ"] for core, told in targets.items()} == {
        "cortex-m0plus": None, "cortex-m3": 0, "cortex-m4f": 0, "cortex-m7": 0, "cortex-m33": 0,
    }  # fmt: skip
    assert all(0 < told["code_bytes"] < 200_000 for told in targets.values())
    if name == "leg":  # what docs/export-embedded.md promises: the same every time, and no more than was aimed at
        told = targets["cortex-m4f"]
        assert told["instructions"]["max"] <= 1.02 * told["instructions"]["min"]
        assert told["instructions"]["max"] <= 600
        assert told["code_bytes"] <= 3584
