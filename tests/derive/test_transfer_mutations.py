"""Whatever sign is turned in an element, something notices: numbers of systems, or the claims of the derivation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from oracle import transfer_special as special
from oracle.beam_points import beam_error
from oracle.transfer_checks import body_error, hinge_error, planar_body_error, planar_hinge_error, relative
from oracle.transfer_elements import Elements, solve_by_product, solve_by_riccati
from oracle.transfer_tree import MOTIONS, Array, draw_chain, draw_tree

from symgen.derive.derivation import Derivation
from symgen.derive.transfer import bodies, hinges, newton_euler, planar_bodies, ports
from symgen.derive.transfer.objects import objects
from symgen.derive.vectors import Vector
from symgen.errors import DerivationError
from symgen.proofs import prove

Check = Callable[[Elements], float]
#: Everything right is better than this by orders, everything wrong is worse by orders.
NOTICED = 1e-6

_PARTS = {13: (3, 3, 3, 3, 1), 12: (3, 3, 3, 3), 7: (2, 1, 1, 2, 1), 6: (3, 3)}


def _blocks(name: str, size: int) -> Iterator[Array]:
    """Yield the places of every block of a result as masks of its flat array."""
    shape = objects()[name].shape if name in objects() else (size,)
    if shape == (21,):  # three blocks of the lower triangle of 6 x 6
        rows, columns = np.tril_indices(6)
        for i, j in ((0, 0), (1, 0), (1, 1)):
            yield (rows // 3 == i) & (columns // 3 == j)
        return
    planar = name.endswith("_planar") or "_planar_" in name.removeprefix("hinge_planar")
    cuts = [(2, 1) if n == 3 and planar else _PARTS.get(n, (n,)) for n in shape] or [(1,)]
    labels = [np.repeat(np.arange(len(cut)), cut) for cut in cuts]
    grid = np.meshgrid(*labels, indexing="ij")
    numbers = sum(g * 10**k for k, g in enumerate(grid))
    for number in np.unique(numbers):
        yield (numbers == number).ravel()


class Turned:
    """An element with the sign of one block of one result turned; `seen`: the block is not zero, or rounding."""

    def __init__(self, element: str, place: int | None, mask: Array) -> None:
        self._right, self._place, self._mask = getattr(Elements(), element), place, mask
        self.seen = False

    def __call__(self, *arguments: Any) -> Any:
        results = self._right(*arguments)
        if self._place is None:
            return self._turn(results)
        return [self._turn(r) if k == self._place else r for k, r in enumerate(results)]

    def _turn(self, result: Any) -> Any:
        flat = np.atleast_1d(np.array(result, dtype=float))
        self.seen = self.seen or bool(np.abs(flat[self._mask]).max() > 1e-10 * np.abs(flat).max())
        flat = np.where(self._mask, -flat, flat)
        return flat if np.ndim(result) else float(flat[0])


def _results(element: str) -> list[tuple[str, int]]:
    """Return name of the object and length of every result of an element."""
    own = {id(found.derivation): found.derivation for found in objects().values()}
    (d,) = (found for found in own.values() if found.name == element)
    ports_of = [port for name, port in d.outputs.items() if d.output_part[name] == "position"]
    single = len(ports_of) == 1
    return [(element if single else f"{element}_{port.name}", len(port.elements)) for port in ports_of]


def _product(freedoms: int) -> Check:
    hinge = {1: "screw", 2: "universal", 3: "planar"}[freedoms]
    tree = draw_chain(np.random.default_rng(2), hinge, 3)
    exact = tree.accelerations()
    return lambda elements: relative(solve_by_product(elements, tree), exact)


def _tree(elements: Elements) -> float:
    rng = np.random.default_rng(1)
    hinges_of = [hinge for hinge in MOTIONS if hinge != "fixed"]
    tree = draw_tree(rng, hinges_of, [2, 2, 5, 5, 5, 7, 7, -1])
    return relative(solve_by_riccati(elements, tree), tree.accelerations())


def _hinge(hinge: str) -> Check:
    return lambda elements: hinge_error(elements, hinge, 0)


CHECKS: dict[str, Check] = {
    **dict.fromkeys(
        ("body_transfer_spatial", "input_transfer_spatial", "geometric_spatial", "body_inverse_spatial"),
        lambda elements: body_error(elements, 0),
    ),
    **dict.fromkeys(
        ("body_transfer_planar", "input_transfer_planar", "geometric_planar"),
        lambda elements: planar_body_error(elements, 0),
    ),
    **{f"hinge_{hinge}": _hinge(hinge) for hinge in MOTIONS if hinge != "fixed"},
    "hinge_prismatic_planar": lambda elements: planar_hinge_error(elements, False, 0),
    "hinge_pin_in_slot_planar": lambda elements: planar_hinge_error(elements, True, 0),
    **{f"far_side_{freedoms}": _product(freedoms) for freedoms in (1, 2, 3)},
    "beam_transfer_spatial": lambda elements: beam_error(elements, 0, planar=False),
    "beam_transfer_planar": lambda elements: beam_error(elements, 0, planar=True),
    **dict.fromkeys(("riccati_body", "riccati_input", "riccati_shift"), _tree),
    **{f"riccati_hinge_{freedoms}": _tree for freedoms in (1, 2, 3)},
    "loop_column_shift": special.loop_error,
    "loop_column_hinge_1": partial(special.loop_error, count=2),
    **{f"loop_column_hinge_{freedoms}": special.loop_error for freedoms in (2, 3)},
    **{f"loop_close_{count}": partial(special.loop_error, count=count) for count in (1, 2, 3)},
    **dict.fromkeys(("ball_body", "ball_input", "ball_close", "ball_back", "ball_input_back"), special.ball_tree_error),
    **dict.fromkeys(("pin_body", "pin_input", "pin_close", "pin_back", "pin_input_back"), special.pin_tree_error),
    "far_side_ball": special.ball_chain_error,
    "far_side_pin": special.pin_chain_error,
}
#: Results that only say how near an element is to a pivot without inertia, or what further inputs add.
ASIDE = ("gain_out", "det", "scale", "pivot", "terms", "scales", "pivots", "di")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("element", CHECKS)
def test_a_turned_sign_is_noticed(element: str) -> None:
    check, results = CHECKS[element], _results(element)
    assert check(Elements()) < NOTICED * 1e-3
    noticed = 0
    for place, (name, size) in enumerate(results):
        if name.removeprefix(f"{element}_") in ASIDE:
            continue
        for mask in _blocks(name, size):
            turned = Turned(element, place if len(results) > 1 else None, mask)
            try:
                error = check(Elements({element: turned}))
            except (AssertionError, np.linalg.LinAlgError):
                error = np.inf
            assert error > NOTICED or not turned.seen, f"{name}: {np.flatnonzero(mask)}"
            noticed += turned.seen
    assert noticed


# -- signs in the derivations ------------------------------------------------------------------------------------------

HINGES: dict[str, Callable[[], Derivation]] = {
    "revolute": hinges.revolute, "prismatic": hinges.prismatic, "screw": hinges.screw,
    "cylindrical": hinges.cylindrical, "planar": hinges.planar_pair, "pin_in_slot": hinges.pin_in_slot,
}  # fmt: skip
SLIDES = ("prismatic", "screw", "cylindrical", "planar", "pin_in_slot")
TURNS = ("revolute", "screw", "cylindrical", "planar", "pin_in_slot")


def _refused(derive: Callable[[], Derivation]) -> bool:
    try:
        prove(derive())
    except DerivationError:
        return True
    return False


@pytest.mark.parametrize("hinge", TURNS)
def test_the_proof_notices_the_sign_of_the_turn_in_eta(hinge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _refused(HINGES[hinge])
    right = hinges._turn_bias
    monkeypatch.setattr(hinges, "_turn_bias", lambda *given: -right(*given))
    assert _refused(HINGES[hinge])


@pytest.mark.parametrize("signs", [(-1, 1), (1, -1), (-1, -1)])
@pytest.mark.parametrize("hinge", SLIDES)
def test_the_proof_notices_the_signs_of_the_slide_in_eta(
    hinge: str, signs: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def bias(_: Derivation, inboard: Vector, s: Vector, v_r: Vector) -> Vector:
        return ports.turning(inboard, s) * signs[0] + inboard.cross(v_r) * (2 * signs[1])

    monkeypatch.setattr(hinges, "_slide_bias", bias)
    assert _refused(HINGES[hinge])


@pytest.mark.parametrize("hinge", SLIDES)
def test_the_proof_notices_the_sign_of_the_lever_in_x(hinge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hinges, "shifting", lambda lever, sign=1: ports.shifting(lever, -sign))
    assert _refused(HINGES[hinge])


@pytest.mark.parametrize("equations", ["residuals_about_output", "dynamic_residuals"])
@pytest.mark.parametrize("term", ["force", "moment", "gyroscopic", "mass", "inertia"])
def test_the_proof_notices_signs_in_the_equations_of_a_body(
    term: str, equations: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(newton_euler, equations)

    def turned(body: newton_euler.NewtonEulerBody, *given: Any) -> Any:
        return right(replace(body, **{term: getattr(body, term) * -1}), *given)

    monkeypatch.setattr(newton_euler, equations, turned)
    assert _refused(bodies.body_transfer)


@pytest.mark.parametrize("term", ["d", "force", "moment", "mass", "inertia"])
def test_the_proof_notices_signs_in_the_equations_of_a_planar_body(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = planar_bodies.planar_residuals

    def turned(body: planar_bodies.PlanarBody, *given: Any) -> Any:
        return right(replace(body, **{term: getattr(body, term) * -1}), *given)

    monkeypatch.setattr(planar_bodies, "planar_residuals", turned)
    assert _refused(planar_bodies.body_transfer_planar)
