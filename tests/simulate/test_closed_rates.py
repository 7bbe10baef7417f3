"""Method riccati: places and rates keep loops closed to rounding, also after steps in which these open far."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.sign_systems import SYSTEMS

from symgen.library.generated_numpy import load_routines
from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated.engine import RiccatiSettings
from symgen.simulate.articulated.simulation import RiccatiSession
from symgen.simulate.central.numpy_rows import Surroundings
from symgen.simulate.central.numpy_spaces import Routines
from symgen.simulate.contract import EngineSamples
from symgen.simulate.explicit.schemes import EXPLICIT
from symgen.simulate.manifest import FOLDER, read_dynamics
from symgen.simulate.request import Request
from symgen.status import Status


def _openings(session: RiccatiSession, samples: EngineSamples, time: float) -> tuple[float, float]:
    """Return how far the loops are open in the last row, and how fast they open."""
    problem = session.problem
    around = Surroundings(problem, read_dynamics(), Routines(load_routines(FOLDER, f"{FOLDER}.py")))
    law = np.array([float(each.evaluate({"t": time})) for each in problem.laws])
    twists = samples.twists[-1]
    rows = around.rows(samples.poses[-1], twists, law, problem.sizes["CUT_ELEMENTS"])
    return float(np.abs(rows.residual).max()), float(np.abs(rows.jacobian @ twists.reshape(-1) + rows.rate).max())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=pytest.mark.compiler)])
@pytest.mark.parametrize("name", ["loops", "nested"])
def test_a_large_step_leaves_loops_closed(name: str, backend: str) -> None:
    step = 0.05
    session = RiccatiSession(Request(Mechanism.from_dict(SYSTEMS[name]), 1.0, step, method="riccati", backend=backend))
    found = {}
    for project in (False, True):
        settings = RiccatiSettings(EXPLICIT[4], 0.0, step, 1, 1, None, project=project)
        samples = session.engine.run(settings, session.first_state(step), np.zeros(1, dtype=np.int32))
        assert samples.status == Status.OK
        found[project] = _openings(session, samples, step)
    assert min(found[False]) > 1e-6  # the step is a large one
    assert max(found[True]) < 1e-13  # rounding of lengths of 2 m and rates of 10/s
