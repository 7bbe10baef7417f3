"""Stages that share routines, and `all` made of them, give what the written-out stages give."""

from __future__ import annotations

import mpmath
import pytest
from oracle.cases import solved_inputs
from oracle.modules import routines

from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Call, Routine
from symgen.passes.call_parts import call_parts
from symgen.passes.call_stages import call_stages
from symgen.passes.share_between_stages import share_between_stages

MODULE, ARRANGEMENT = "loop_rss", "r_s_s"


def _both() -> tuple[tuple[Routine, ...], tuple[Routine, ...]]:
    shared = share_between_stages(tuple(routines(MODULE).values()))
    return call_stages(call_parts(shared), for_numpy=False), call_stages(shared, for_numpy=True)


@pytest.mark.parametrize("stage", ["velocity", "acceleration", "condition", "all"])
def test_results_are_those_of_the_written_out_stage(stage: str) -> None:
    name = f"{ARRANGEMENT}_{stage}"
    written = routines(MODULE)[name]
    for made in _both():
        (other,) = [routine for routine in made if routine.name == name]
        assert [port.name for port in other.ports] == [port.name for port in written.ports]
        for given in solved_inputs(MODULE, ARRANGEMENT, 0):
            ports = {port.name: given[port.name] for port in written.inputs}
            (status, results), (same, others) = evaluate(written, ports), evaluate(other, ports)
            assert status is same
            for port, values in results.items():
                apart = max(abs(a - b) for a, b in zip(values, others[port], strict=True))
                assert apart < mpmath.mpf(10) ** -30


def test_no_step_stands_in_two_stages() -> None:
    in_c, in_numpy = _both()
    for made, parts in ((in_c, ["position", "geometry", "rates", "accelerations"]), (in_numpy, None)):
        (whole,) = [routine for routine in made if routine.name == f"{ARRANGEMENT}_all"]
        assert all(isinstance(statement, Call) for statement in whole.body)
        called = [call.routine.name.rpartition("_")[2] for call in whole.body if isinstance(call, Call)]
        assert called == (parts or ["position", "velocity", "acceleration"])


def test_a_dyad_stays_as_it_is() -> None:
    every = tuple(routines("dyad_rrr").values())
    assert call_parts(share_between_stages(every)) == every
