"""Whatever sign is turned in the C of the general Riccati engine, motions of small mixed systems notice.

What is right is said by the same integrator in NumPy with accelerations from the equations of all bodies and joints at
once, which knows no sweep and none of the elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from oracle.dense_motion import DenseAccelerator
from oracle.sign_systems import SYSTEMS
from oracle.switched_signs import Sign, Switched, make_switched

from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated import engine
from symgen.simulate.articulated.engine import RiccatiEngine, RiccatiSettings
from symgen.simulate.articulated.numpy_engine import NumpyRiccati
from symgen.simulate.articulated.simulation import RiccatiSession
from symgen.simulate.engine import Samples
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.minimal.schemes import EXPLICIT
from symgen.status import Status

#: What is right is better than this by three orders (rounding), what is wrong is worse.
NOTICED = 1e-7
#: Unknowns [m or rad] that loops are opened by, for those that are called back.
OPENED = 1e-3

Run = Callable[[RiccatiEngine], Samples]


def _run(found: RiccatiEngine, session: RiccatiSession, settings: RiccatiSettings, opened: float) -> Samples:
    state = session.first_state(1e-2)
    motions = session.problem.sizes["MOTIONS"]
    state.place[:motions] += opened * (1 + np.arange(motions))
    return found.run(settings, state, np.ones(max(len(session.problem.pushes), 1), dtype=np.int32))


def _laws(session: RiccatiSession) -> list[tuple[Run, Samples]]:
    """Return ways to run an engine, each with what has to come out."""
    dense, swept = DenseAccelerator(session.problem), None
    found = []
    for settings, opened, accelerator in (
        (RiccatiSettings(EXPLICIT[4], 0.0, 0.06, 1, 2, None), 0.0, dense),  # loops are closed after a step
        (RiccatiSettings(EXPLICIT[4], 0.0, 0.04, 1, 2, None, recall=10.0, project=False), OPENED, swept),
        (RiccatiSettings(EXPLICIT[8], 0.0, 0.1, 5, 1, 1e-6), 0.0, dense),  # samples within steps
    ):
        run = partial(_run, session=session, settings=settings, opened=opened)
        right = run(NumpyRiccati(session.problem, read_dynamics(), accelerator))
        assert right.status == Status.OK
        found.append((run, right))
    return found


def _error(found: Samples, right: Samples) -> float:
    """Return how far samples are off, relative to the sizes of what is right."""
    if found.status != right.status:
        return np.inf
    gaps = [0.0]
    for part in ("poses", "twists", "accelerations", "reactions", "scalars"):
        one, two = getattr(found, part), getattr(right, part)
        gaps.append(float(np.abs(one - two).max() / (1.0 + np.abs(two).max())))
    return np.inf if np.isnan(gaps).any() else max(gaps)


@pytest.fixture(scope="module")
def unnoticed(tmp_path_factory: pytest.TempPathFactory) -> list[Sign]:
    """The signs that can be turned without anything to be noticed."""
    left: list[Sign] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "MOST_STEPS", 200)  # a wrong sign may choose tiny steps
        for name, mechanism in SYSTEMS.items():
            session = RiccatiSession(Mechanism.from_dict(mechanism), backend="numpy")
            switched = make_switched(session.problem, tmp_path_factory.mktemp(name))
            laws = _laws(session)
            for run, right in laws:
                assert _error(run(switched.engine), right) < NOTICED * 1e-3, name
            for k, sign in enumerate(switched.signs):
                if name == next(iter(SYSTEMS)) or sign in left:
                    _note(switched, k, laws, left)
    return left


def _note(switched: Switched, k: int, laws: list[tuple[Run, Samples]], left: list[Sign]) -> None:
    sign = switched.signs[k]
    switched.switches[k] = -1.0
    noticed = any(_error(run(switched.engine), right) > NOTICED for run, right in laws)
    switched.switches[k] = 1.0
    if sign in left and noticed:
        left.remove(sign)
    elif sign not in left and not noticed:
        left.append(sign)


@pytest.mark.compiler
def test_a_turned_sign_is_noticed(unnoticed: list[Sign]) -> None:
    assert [f"{sign.file}:{sign.line} {sign.function}: {sign.text}" for sign in unnoticed] == []
