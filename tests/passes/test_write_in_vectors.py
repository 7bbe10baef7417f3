"""What is written in vectors is equal to what it was in components; what only looks alike stays as it is."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from symgen.algebra import Expr, number, sqrt, symbol
from symgen.algebra.vector_forms import components_of, in_components, is_vector_form, vector_names
from symgen.algebra.vector_matching import VectorMatcher
from symgen.derive.catalogue import derive_module
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import Vector
from symgen.emit.names import inner_routines
from symgen.errors import IRError
from symgen.ir.nodes import Guard, Let, Routine, Statement
from symgen.passes.write_in_vectors import verify_forms, write_in_vectors
from symgen.pipeline.modules import routines_of


def _vector(name: str, axes: str = "xyz") -> Vector:
    return Vector(tuple(symbol(f"{name}_{axis}") for axis in axes))


def _quaternion(name: str) -> Quaternion:
    a, b, c, d = (symbol(f"{name}_{k}") for k in range(4))
    return Quaternion((a, b, c, d))


U, V, W = _vector("u"), _vector("v"), _vector("w")
A, B = _vector("a", "xy"), _vector("b", "xy")
P, Q = _quaternion("p"), _quaternion("q")
S, T = symbol("s"), symbol("t")
KNOWN: dict[str, tuple[Expr, ...]] = {
    **{name: vector.components for name, vector in zip("uvwab", (U, V, W, A, B), strict=True)},
    "p": P.components,
    "q": Q.components,
}

#: Formulas of the mechanics of frames, as a derivation writes them.
VECTORS: dict[str, Sequence[Expr]] = {
    "difference": (U - V).components,
    "point of a body": (U + FrameAxes(U, V, W).to_world(V)).components,
    "vector product": U.cross(V).components,
    "velocity transport": (U + V.cross(W - U)).components,
    "acceleration transport": (U + V.cross(W) + U.cross(U.cross(W))).components,
    "twice a vector product": (U.cross(V) * 2 + W).components,
    "projection": (U - V * U.dot(V)).components,
    "direction": tuple(c / sqrt(U.dot(U)) for c in U),
    "x axis": P.axis("x").components,
    "y axis": P.axis("y").components,
    "z axis": P.axis("z").components,
    "product of quaternions": (P * Q).components,
    "relative orientation": (P.conjugate * Q).components,
    "quarter turn": (A + B.turned() * S).components,
    "point of a body in the plane": (A + Vector((B[0] * S - B[1] * T, B[0] * T + B[1] * S))).components,
    "turned with the plane": (A * S + A.turned() * T).components,
}
NUMBERS: dict[str, Expr] = {
    "dot": U.dot(V),
    "squared length": P.norm2(),
    "length": sqrt((U - V).dot(U - V)),
    "triple product": U.dot(V.cross(W)),
    "area": A.area(B),
    "quotient": (U.dot(V) * S + 1) / U.dot(W),
}


def _values(value: Any, point: Mapping[str, float]) -> float:
    return float(value.evalf(50, subs={s: point[s.name] for s in value.free_symbols}))


def _point(seed: int) -> dict[str, float]:
    source = random.Random(seed)
    names = sorted({str(s) for parts in KNOWN.values() for s in parts} | {"s", "t"})
    return {name: source.uniform(-2.0, 2.0) for name in names}


@pytest.mark.parametrize("what", VECTORS)
def test_a_formula_of_frames_becomes_one_vector_expression(what: str) -> None:
    form = VectorMatcher(KNOWN).vector(VECTORS[what])
    assert form is not None
    assert is_vector_form(form)
    for seed in range(3):
        point = _point(seed)
        found = [_values(each, point) for each in components_of(form, KNOWN)]
        assert found == pytest.approx([_values(each, point) for each in VECTORS[what]], rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("what", NUMBERS)
def test_a_product_of_vectors_in_a_number_is_found(what: str) -> None:
    form = VectorMatcher(KNOWN).number(NUMBERS[what])
    assert vector_names(form)
    for seed in range(3):
        point = _point(seed)
        found = _values(in_components(form, KNOWN), point)
        assert found == pytest.approx(_values(NUMBERS[what], point), rel=1e-14)


def _swapped(vector: Vector) -> tuple[Expr, ...]:
    return vector[1], vector[0], vector[2]


@pytest.mark.parametrize(
    "values",
    [
        _swapped(U.cross(V)),
        (*(U + V).components[:2], U[2] - V[2]),
        (U[0] * S, U[1] * T, U[2] * S),
        (U[1] * V[2] - U[2] * V[1], U[2] * V[0] + U[0] * V[2], U[0] * V[1] - U[1] * V[0]),
        (*(P * Q).components[:3], -(P * Q).components[3]),
        (*P.axis("x").components[:2], -P.axis("x")[2]),
        (U[0], U[1], number(0)),
        (A[1], A[0]),
        (*U.components[:2], V[2]),
    ],
)
def test_what_only_looks_alike_is_no_vector(values: Sequence[Expr]) -> None:
    assert VectorMatcher(KNOWN).vector(values) is None


@pytest.mark.parametrize(
    "value",
    [
        U[0] * V[0] + U[1] * V[1],
        U[0] * V[0] + U[1] * V[1] - U[2] * V[2],
        U[0] * V[1] + U[1] * V[2] + U[2] * V[0],
        A[0] * B[1],
    ],
)
def test_what_only_looks_alike_is_no_product(value: Expr) -> None:
    assert VectorMatcher(KNOWN).number(value) == value


def test_a_part_of_a_sum_may_be_a_product() -> None:
    form = VectorMatcher(KNOWN).number(U.dot(V) * 2 + S + U[0] * V[0] * T)
    assert vector_names(form) == ("u", "v")
    assert in_components(form, KNOWN) == U.dot(V) * 2 + S + U[0] * V[0] * T


@pytest.fixture(scope="module", params=["dyad_rrr", "loop_rss"])
def routines(request: pytest.FixtureRequest) -> tuple[Routine, ...]:
    return routines_of(derive_module(request.param))


def _without_forms(statement: Statement) -> Statement:
    if isinstance(statement, Let):
        return replace(statement, forms=())
    if isinstance(statement, Guard):
        rest = {part: tuple(map(_without_forms, getattr(statement, part))) for part in ("rather", "also")}
        return replace(statement, form=None, **rest)
    return statement


def test_all_values_of_a_module_stay_what_they_are(routines: tuple[Routine, ...]) -> None:
    for routine in routines:
        found = write_in_vectors(routine)
        lets = [s for s in found.body if isinstance(s, Let)]
        assert any(is_vector_form(let.forms[0]) for let in lets)
        plain = tuple(_without_forms(s) for s in found.body)
        assert inner_routines((routine,)) or plain == routine.body
        assert verify_forms(found) == found


def test_a_form_that_is_not_equal_is_refused(routines: tuple[Routine, ...]) -> None:
    routine = write_in_vectors(routines[0])
    lets = [s for s in routine.body if isinstance(s, Let) and len(s.forms) == 1 and is_vector_form(s.forms[0])]
    wrong = replace(lets[0], forms=(lets[0].forms[0] * 2,))
    body = tuple(wrong if s == lets[0] else s for s in routine.body)
    with pytest.raises(IRError, match="is not what it is in vectors"):
        verify_forms(replace(routine, body=body))


def test_a_vector_never_takes_the_name_of_a_number(routines: tuple[Routine, ...]) -> None:
    for routine in map(write_in_vectors, routines):
        numbers = {name for s in routine.body if isinstance(s, Let) for name in s.targets}
        numbers |= {element for port in routine.ports for element in port.elements}
        assert numbers.isdisjoint(name for name, _ in routine.vectors)


def _turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Turn a vector by a unit quaternion: v + 2 q0 (r x v) + 2 r x (r x v)."""
    r = q[1:]
    return np.asarray(v + 2 * q[0] * np.cross(r, v) + 2 * np.cross(r, np.cross(r, v)))


@pytest.mark.parametrize("k", range(3))
def test_the_axes_are_those_of_the_rotation(k: int) -> None:
    q = np.array([0.1, 0.7, -0.5, 0.5])
    q /= np.linalg.norm(q)
    form = VectorMatcher(KNOWN).vector(P.axis("xyz"[k]).components)
    assert form is not None
    point = {f"p_{j}": float(q[j]) for j in range(4)}
    found = [_values(each, point) for each in components_of(form, KNOWN)]
    assert found == pytest.approx(_turned(q, np.eye(3)[k]), abs=1e-15)
