"""Exports on Cortex-M in QEMU: built for five cores, run on four, every bit and every status of the host's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracle.compilers import need

import symgen
from symgen.export.embedded.bundle import bundle
from symgen.export.embedded.dynamics import Method, dynamics_tree
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
    targets = _without_another_bit(json.loads(bundle(EXPORTS[name](), (), "export X")["manifest.json"]))
    if name == "leg":  # what docs/export-embedded.md promises: the same every time, and no more than was aimed at
        told = targets["cortex-m4f"]
        assert told["instructions"]["max"] <= 1.02 * told["instructions"]["min"]
        assert told["instructions"]["max"] <= 600
        assert told["code_bytes"] <= 3584


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "method"), [("spinning_top", "dimcd"), ("spinning_top", "riccati"), ("bricard", "riccati")]
)
def test_the_self_test_of_a_dynamics_finds_no_other_bit_on_any_core(name: str, method: Method) -> None:
    need(COMPILER)
    need(EMULATOR)
    mechanism = symgen.load(EXAMPLES / "dynamics" / name / "mechanism.toml")
    targets = _without_another_bit(json.loads(dynamics_tree(mechanism, None, method, (), "export X")["manifest.json"]))
    # M3 calculates double by whole numbers, M7 in its floating point unit
    slow, quick = (targets[core]["instructions"]["mean"] for core in ("cortex-m3", "cortex-m7"))
    assert 5 * quick < slow
    assert all(0 < told["stack_bytes"] < 65536 for core, told in targets.items() if core != "cortex-m0plus")


@pytest.mark.slow
def test_where_the_library_of_the_compiler_rounds_another_way_the_manifest_says_so() -> None:
    """GCC's subtraction of doubles for Arm without a unit for them is not always that of IEEE 754; Bricard meets it."""
    need(COMPILER)
    need(EMULATOR)
    mechanism = symgen.load(EXAMPLES / "dynamics" / "bricard" / "mechanism.toml")
    tree = json.loads(dynamics_tree(mechanism, None, "dimcd", (), "export X")["manifest.json"])
    differ = {core: told["selftest_differ"] for core, told in tree["figures"]["targets"].items()}
    assert differ["cortex-m7"] == 0
    named = [core for core, count in differ.items() if count]
    assert [each.partition(", where")[0] for each in tree["notes"]] == (
        [f"the self-test differs on {', '.join(named)}"] if named else []
    )


def _without_another_bit(tree: dict[str, Any]) -> dict[str, Any]:
    """Return what was found on each core, after a look that it is good."""
    assert tree["not_run"] == []
    targets: dict[str, Any] = tree["figures"]["targets"]
    assert list(targets) == ["cortex-m0plus", "cortex-m3", "cortex-m4f", "cortex-m7", "cortex-m33"]
    assert {core: told["selftest_differ"] for core, told in targets.items()} == {
        "cortex-m0plus": None, "cortex-m3": 0, "cortex-m4f": 0, "cortex-m7": 0, "cortex-m33": 0,
    }  # fmt: skip
    assert all(0 < told["code_bytes"] < 200_000 for told in targets.values())
    return targets
