"""The proof of closure sees every wrong result: in a pose, a twist, an acceleration or a coordinate."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import pytest

from symgen.algebra import ratio
from symgen.derive.catalogue import derive_module
from symgen.derive.module import Arrangement
from symgen.errors import DerivationError
from symgen.ir.nodes import Output, Routine
from symgen.pipeline import lower_module
from symgen.proofs import prove_closure
from symgen.proofs.jets import Jet, turn


def _solved(module: str) -> tuple[Arrangement, Routine]:
    lowered = lower_module(derive_module(module))
    arrangement = lowered.arrangements[0]
    return arrangement, next(r for r in lowered.routines if r.arrangement == arrangement.id and r.stage == "all")


def _spoiled(routine: Routine, port: str, place: int) -> Routine:
    """Return the routine with one element of one result off by 1e-20: unseen in double, not with 50 digits."""

    def spoil(output: Output) -> Output:
        if output.port.name != port:
            return output
        values = tuple(v + ratio(1, 10**20) if k == place else v for k, v in enumerate(output.values))
        return replace(output, values=values)

    return replace(routine, outputs=tuple(spoil(output) for output in routine.outputs))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("module", ["dyad_rrr", "dyad_prp", "driven_fp_2d", "driven_u_3d", "loop_pcs_c_angle"])
def test_every_element_of_every_result_is_held_by_the_closure(module: str) -> None:
    arrangement, routine = _solved(module)
    assert prove_closure(arrangement, routine).arrangement == arrangement.id
    for output in routine.outputs:
        if output.port.name.startswith("condition"):
            continue
        for place in range(len(output.values)):
            with pytest.raises(DerivationError, match=r"joint j\d stays open by"):
                prove_closure(arrangement, _spoiled(routine, output.port.name, place))


def test_a_jet_is_differentiated_like_the_function_it_stands_for() -> None:
    # angle(t) = 0.3 + 0.7 t - 0.4 t^2/2 at t = 0; differences of step h err by h^2, with 50 digits 1e-16 is far enough
    with mpmath.workdps(50):
        a, b, c = mpmath.mpf("0.3"), mpmath.mpf("0.7"), mpmath.mpf("-0.4")
        entry = turn(2, Jet(a, b, c)).rotation[1][0]
        h = mpmath.mpf(10) ** -16
        before, now, after = (mpmath.sin(a + b * t + c * t * t / 2) for t in (-h, 0, h))
        assert abs(entry.rate - (after - before) / (2 * h)) < mpmath.mpf(10) ** -28
        assert abs(entry.second - (after - 2 * now + before) / h**2) < mpmath.mpf(10) ** -14
