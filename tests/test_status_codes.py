"""Each status is reached by a call, in C and NumPy alike; nothing but OK and SINGULAR has results.

Which solver reaches which of its statuses is told apart for every arrangement in tests/solvers/test_solver_statuses.py;
here is one witness for each code of the contract, so that a new code without one fails. NOT_CONVERGED ends iterations
from a start; AMBIGUOUS is no solver's: it refuses a drawing that lies between two branches. The transfer engines have
witnesses in tests/simulate/test_statuses_of_transfer_engines.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from library.assembled_groups import assemble
from library.newton_groups import SHAPES, arrangement, newton_of, start_near
from oracle.cases import solved_inputs
from oracle.modules import MODULES, call, is_unwritten, manifest

import symgen
from symgen.errors import SolveError
from symgen.library.instance import instance_of
from symgen.status import MEANING, Status

pytestmark = pytest.mark.kinds

backends = pytest.mark.parametrize("backend", ["numpy", pytest.param("double", marks=pytest.mark.extension)])


def _two_links(apart: float) -> Callable[[str], Status]:
    """Two links of length 1 between pins so far apart."""

    def reach(backend: str) -> Status:
        ports = {"a": [0.0, 0.0], "b": [apart, 0.0], "l_a": 1.0, "l_b": 1.0, "branch": 0}
        status, results = call(backend, "dyad_rrr", "kernel_position", ports)
        for values in results.values():
            written = status in (Status.OK, Status.SINGULAR)
            assert np.isfinite(values).all() if written else is_unwritten(backend, values)
        return status

    return reach


def _last_rank(backend: str) -> Status:
    """The last of eight ranks of a random C.C.U loop, which has fewer assemblies."""
    ports = {**solved_inputs("loop_ccu", None, 1)[0], "branch": manifest("loop_ccu")["branches"] - 1}
    status, results = call(backend, "loop_ccu", "kernel_position", ports)
    assert all(is_unwritten(backend, values) for values in results.values())
    return status


def _driven_out_of_reach(backend: str) -> Status:
    """Certified Newton on a slide that is driven a kilometre out of a group of a metre."""
    space, words = SHAPES["planar, driven inside"]
    made = arrangement(words)
    group = assemble(made, space, 1, (False,) * len(made.joints))
    group.tree["start"] = start_near(group.bodies, planar=True, seed=1)
    group.tree["joints"]["j2"]["driven"]["slide"] = [1000.0, 0.0, 0.0]
    instance = instance_of(group.tree)
    newton, given = newton_of(instance, "c" if backend == "double" else backend)
    tracked = newton.engine.track(newton.plan, given.inputs, np.zeros(1), newton.poses(given, instance.start))
    assert np.isnan(tracked.poses).all()
    return Status(int(tracked.status[0]))


def _drawn_between_two_branches(_backend: str) -> Status:
    """Two links of length 3 over a base of 2, drawn nearly flat: on the line of mirror symmetry but for 0.05 rad."""
    sides: dict[str, Any] = {
        "A": {"ground": {"at": [0, 0]}, "crank": {"at": [0, 0]}},
        "B": {"crank": {"at": [1, 0]}, "coupler": {"at": [0, 0]}},
        "C": {"coupler": {"at": [3, 0]}, "rocker": {"at": [3, 0]}},
        "D": {"ground": {"at": [3, 0]}, "rocker": {"at": [0, 0]}},
    }
    tree = {
        "schema": "symgen/mechanism/1",
        "space": "planar",
        "bodies": {
            "crank": {},
            "coupler": {"pose": {"r": [1, 0], "angle": 0.05}},
            "rocker": {"pose": {"r": [3, 0], "angle": np.pi - 0.05}},
        },
        "joints": {
            name: {"type": "R", "bodies": list(frames), "frames": frames, **({"driven": 1} if name == "A" else {})}
            for name, frames in sides.items()
        },
        "drives": {"A": "0.5*t"},
    }
    with pytest.raises(SolveError) as refusal:
        symgen.solve(symgen.Mechanism.from_dict(tree), np.zeros(1))
    return refusal.value.status


REACHED: dict[Status, Callable[[str], Status]] = {
    Status.OK: _two_links(1.5),
    Status.NO_ASSEMBLY: _two_links(2.5),
    Status.SINGULAR: _two_links(2.0),
    Status.BRANCH_LOST: _last_rank,
    Status.AMBIGUOUS: _drawn_between_two_branches,
    Status.DEGENERATE: _two_links(0.0),
    Status.NOT_CONVERGED: _driven_out_of_reach,
    Status.BAD_INPUT: _two_links(np.nan),
}


@backends
@pytest.mark.parametrize("status", Status, ids=lambda status: status.name)
def test_each_status_is_reached(status: Status, backend: str) -> None:
    assert REACHED[status](backend) is status


def test_each_status_has_a_meaning_and_keeps_its_number() -> None:
    assert MEANING.keys() == REACHED.keys() == set(Status)
    assert [status.name for status in sorted(Status)] == [
        *("OK", "NO_ASSEMBLY", "SINGULAR", "BRANCH_LOST", "AMBIGUOUS", "DEGENERATE", "NOT_CONVERGED", "BAD_INPUT")
    ]


@pytest.mark.parametrize("module", MODULES)
def test_solvers_announce_statuses_of_the_table_and_never_an_ambiguous_one(module: str) -> None:
    for entry in manifest(module)["functions"]:
        announced = {Status[name] for name in entry["statuses"]}
        assert Status.OK in announced
        assert Status.AMBIGUOUS not in announced
