"""Whatever sign is turned in the C of the general Riccati engine, motions of small mixed systems notice.

What is right is said by the same integrator in NumPy with accelerations from the equations of all bodies and joints at
once, which knows no sweep and none of the elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from oracle.dense_motion import DenseAccelerator
from oracle.sign_systems import BENT, SYSTEMS
from oracle.switched_signs import (
    KERNELS,
    OWN,
    Sign,
    Switched,
    make_switched,
    signs_of,
    signs_without_switch,
    without_beams,
)

from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.resources import generated_folder
from symgen.simulate.articulated import engine
from symgen.simulate.articulated.engine import RiccatiEngine, RiccatiSettings
from symgen.simulate.articulated.numpy_engine import NumpyRiccati
from symgen.simulate.articulated.simulation import RiccatiSession
from symgen.simulate.contract import EngineSamples
from symgen.simulate.explicit.schemes import EXPLICIT
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.request import Request
from symgen.status import Status

#: What is right is better than this by three orders (rounding), what is wrong is worse.
NOTICED = 1e-7
#: Unknowns [m or rad] that loops are opened by, for those that are called back.
OPENED = 1e-3

Run = Callable[[RiccatiEngine], EngineSamples]


def _run(
    found: RiccatiEngine, session: RiccatiSession, settings: RiccatiSettings, opened: Array, faster: float = 0.0
) -> EngineSamples:
    state, sizes = session.first_state(1e-2), session.problem.sizes
    state.vector[: sizes["MOTIONS"]] += opened
    state.vector[-sizes["UNKNOWNS"] :] += faster * np.cos(np.arange(sizes["UNKNOWNS"]))
    return found.run(settings, state, np.ones(max(len(session.problem.pushes), 1), dtype=np.int32))


def _laws(session: RiccatiSession) -> list[tuple[Run, EngineSamples]]:
    """Return ways to run an engine, each with what has to come out."""
    dense, swept = DenseAccelerator(session.problem), None
    found, away = [], OPENED * np.arange(1, session.problem.sizes["MOTIONS"] + 1)
    for settings, opened, accelerator in (
        (RiccatiSettings(EXPLICIT[4], 0.0, 0.06, 1, 2, None), 0 * away, dense),  # loops are closed after a step
        (RiccatiSettings(EXPLICIT[4], 0.0, 0.04, 1, 2, None, recall=10.0, project=False), away, swept),
        (RiccatiSettings(EXPLICIT[8], 0.0, 0.1, 5, 1, 1e-6), 0 * away, dense),  # samples within steps
    ):
        run = partial(_run, session=session, settings=settings, opened=opened)
        right = run(NumpyRiccati(session.problem, read_dynamics(), accelerator))
        assert right.status == Status.OK
        found.append((run, right))
    return found


def _error(found: EngineSamples, right: EngineSamples) -> float:
    """Return how far samples are off, relative to the sizes of what is right."""
    if found.status != right.status:
        return np.inf
    gaps = [0.0]
    for part in ("poses", "twists", "accelerations", "reactions", "scalars", "modes"):
        one, two = getattr(found, part), getattr(right, part)
        if not two.size:
            continue
        gaps.append(float(np.abs(one - two).max() / (1.0 + np.abs(two).max())))
    return np.inf if np.isnan(gaps).any() else max(gaps)


def _misjudged(switched: Switched) -> bool:
    """Return whether a size is not what it is: traces of -P S, squares of lengths, -h^T (diagonal of P S) h."""
    rng = np.random.default_rng(7)
    root, lever, size, g, pivot = rng.uniform(-1, 1, (6, 6)), *(rng.uniform(0.3, 1, n) for n in (3, 2, 6)), 0.7
    matrix, h = -(root @ root.T), rng.uniform(0.3, 1, 18)
    diagonal = -np.diag(matrix)
    columns = [h[:6, None], h[:12].reshape(6, 2), h.reshape(6, 3)]
    (slide, turn), (moment, force) = ([float(v[:3] @ v[:3]), float(v[3:] @ v[3:])] for v in (h[:6], g))
    right = [*np.concatenate([diagonal @ column**2 for column in columns]), diagonal[:3].sum(), diagonal[3:].sum()]
    right += [size[0], size[1] + lever @ lever * size[0], slide * size[0] + turn * size[1]]
    right += [(slide * force + turn * moment) / pivot]
    found = switched.judge(matrix[np.tril_indices(6)], h, lever, size, g, pivot)
    return bool(np.abs(found - right).max() > NOTICED)


@pytest.fixture(scope="module")
def unnoticed(tmp_path_factory: pytest.TempPathFactory) -> list[Sign]:
    """The signs that can be turned without anything to be noticed."""
    left: list[Sign] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "MOST_STEPS", 200)  # a wrong sign may choose tiny steps
        for name, mechanism in SYSTEMS.items():
            session = RiccatiSession(
                Request(Mechanism.from_dict(mechanism), 1.0, step=0.01, method="riccati", backend="numpy")
            )
            switched = make_switched(session.problem, tmp_path_factory.mktemp(name))
            laws = _laws(session)
            for run, right in laws:
                assert _error(run(switched.engine), right) < NOTICED * 1e-3, name
            assert not _misjudged(switched)
            for k, sign in enumerate(switched.signs):
                if name == next(iter(SYSTEMS)) or sign in left:
                    _note(switched, k, laws, left)
    return left


def _note(switched: Switched, k: int, laws: list[tuple[Run, EngineSamples]], left: list[Sign]) -> None:
    sign = switched.signs[k]
    switched.switches[k] = -1.0
    noticed = _misjudged(switched) or any(_error(run(switched.engine), right) > NOTICED for run, right in laws)
    switched.switches[k] = 1.0
    if sign in left and noticed:
        left.remove(sign)
    elif sign not in left and not noticed:
        left.append(sign)


def test_every_sign_of_an_element_has_a_switch() -> None:
    text = (generated_folder() / "transfer" / KERNELS).read_text(encoding="utf-8")
    assert "- raw_10*lower_10" in text
    assert signs_without_switch(text) == 0


#: Only springs whose ends meet come here; the systems have none: tests/simulate/test_springs_whose_ends_meet.py has.
_ENDS_THAT_MEET = {"do_meet", "part_points"}


#: What is taken off columns a second time is as large as a rounding.
_ROUNDING = {("orthonormalise", "upper[rank*j + k] +=")}


@pytest.mark.slow
@pytest.mark.compiler
def test_a_turned_sign_is_noticed(unnoticed: list[Sign]) -> None:
    left = [sign for sign in unnoticed if sign.function not in _ENDS_THAT_MEET]
    left = [sign for sign in left if (sign.function, sign.text) not in _ROUNDING]
    assert [f"{sign.file}:{sign.line} {sign.function}: {sign.text}" for sign in left] == []


# -- beams -------------------------------------------------------------------------------------------------------------

#: What turns a zero: an inertia has no mass across axes and no first moment along them. And what a pivot is judged by.
ASIDE = re.compile(r"\+ inertia_(10|20|21|30|41|52)\*|.*\bmade\b|\+ power_on\(along\[i\], h\[i\]\)")


@pytest.mark.slow
@pytest.mark.compiler
def test_a_turned_sign_of_beams_is_noticed(tmp_path: Path) -> None:
    """Signs that the engine without beams does not have; what is right is said by NumPy, which eliminates otherwise."""
    session = RiccatiSession(Request(Mechanism.from_dict(BENT), 1.0, step=0.01, method="riccati", backend="numpy"))
    switched, laws = make_switched(session.problem, tmp_path), []
    bent = 0.03 * np.cos(np.arange(1, session.problem.sizes["MOTIONS"] + 1))
    for settings, opened, faster in (
        (RiccatiSettings(EXPLICIT[4], 0.0, 4e-4, 1, 2, None), 0 * bent, 0.0),
        (RiccatiSettings(EXPLICIT[4], 0.0, 2e-4, 1, 2, None, recall=10.0, project=False), bent, 3.0),
    ):
        run = partial(_run, session=session, settings=settings, opened=opened, faster=faster)
        laws.append((run, run(NumpyRiccati(session.problem, read_dynamics()))))
        assert _error(run(switched.engine), laws[-1][1]) < NOTICED * 1e-3
    folder = generated_folder() / "transfer"
    texts = {name: without_beams((folder / name).read_text(encoding="utf-8")) for name in (KERNELS, *OWN)}
    known = {(sign.function, sign.text) for name, text in texts.items() for sign in signs_of(name, text)}
    left: list[Sign] = []
    for k, sign in enumerate(switched.signs):
        if sign.file in texts and (sign.function, sign.text) not in known and not ASIDE.match(sign.text):
            _note(switched, k, laws, left)
    assert [f"{sign.file}:{sign.line} {sign.function}: {sign.text}" for sign in left] == []
