"""What steps cost on Cortex-M in QEMU: no more than what was aimed at, than CasADi's C, than twice their median."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from oracle.compilers import need

import symgen
from symgen.export.embedded.bundle import bundle
from symgen.export.embedded.targets import COMPILER, EMULATOR
from symgen.export.mechanism import MechanismRequest, mechanism_subject

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
LEGS = [f"slider_{k}.slide" for k in range(1, 7)]


def _figures(place: str, request: MechanismRequest) -> dict[str, Any]:
    need(COMPILER)
    need(EMULATOR)
    subject = mechanism_subject(symgen.load(EXAMPLES / place / "mechanism.toml"), symgen.library(), request)
    tree: dict[str, Any] = json.loads(bundle(subject, (), "export X")["manifest.json"])["figures"]
    return tree


def test_the_six_legged_platform_is_as_lean_as_it_was_to_be() -> None:
    figures = _figures("stewart_inverse", MechanismRequest(results=LEGS, precision="double"))
    told = figures["targets"]["cortex-m7"]
    assert told["selftest_differ"] == 0
    assert told["instructions"]["max"] <= 1500
    assert told["code_bytes"] <= 10_000
    assert told["stack_bytes"] <= 512
    assert figures["bound"] is None


@pytest.mark.parametrize("place", ["jansen_leg", "quick_return"])
def test_along_a_followed_motion_the_worst_step_is_near_the_median(place: str) -> None:
    told = _figures(place, MechanismRequest(branch="follow"))["targets"]["cortex-m4f"]["instructions"]
    assert told["min"] <= told["median"] <= told["max"] <= 2 * told["median"]


@pytest.mark.parametrize("name", ["rrr", "leg", "legs", "motors"])
def test_an_export_takes_no_more_instructions_than_the_c_of_casadi(name: str) -> None:
    pytest.importorskip("casadi", reason="make export-tools installs CasADi")
    need(COMPILER)
    need(EMULATOR)
    from benchmarks.controllers.problems import PROBLEMS
    from benchmarks.controllers.report import lines_of

    (problem,) = [each for each in PROBLEMS if each.name == name]
    lines = list(lines_of(problem))  # it refuses answers that differ
    assert {line.core for line in lines} == {"cortex-m4f", "cortex-m7"}
    for core in ("cortex-m4f", "cortex-m7"):
        own, *others = [line.cost for line in lines if line.core == core]
        assert own.tool == "symgen"
        peers = [cost for cost in others if cost.tool.startswith("CasADi")]
        assert len(peers) == 2
        for peer in peers:
            assert own.instructions[0] <= peer.instructions[0], peer.tool
            assert own.stack <= peer.stack
            assert own.code <= peer.code
