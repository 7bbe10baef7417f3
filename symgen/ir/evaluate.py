"""Run a routine with many digits: the reference for proofs and for tests of the emitted code.

Independent of the printers: it walks the expressions itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import add, itemgetter, mul
from typing import Any, TypeAlias, cast

import mpmath

from symgen.algebra import Expr, take_apart
from symgen.ir.linear_system import factorise, substitute
from symgen.ir.nodes import (
    Call,
    Flag,
    Guard,
    Kernel,
    Let,
    LoopAssemblies,
    LoopParts,
    Mark,
    Routine,
    Samples,
    Solve,
    System,
    Zeros,
)
from symgen.status import Status

#: Tolerances of the reference: far above its rounding, far below that of double.
REFERENCE_TOLERANCES = {
    "FOLD_TOLERANCE": "1e-30",
    "REACH_TOLERANCE": "1e-40",
    "SINGULAR_TOLERANCE": "1e-30",
    "UNIT_TOLERANCE": "1e-20",
    "TINY": "1e-60",
    "SMALL_LENGTH": "1e-200",
    "LARGE_RATE": "1e200",
}

Number = Any  # mpmath.mpf
_Function: TypeAlias = Callable[[Mapping[str, Number]], Number]


def evaluate(
    routine: Routine, inputs: Mapping[str, Sequence[Any] | Any], *, digits: int = 50
) -> tuple[Status, dict[str, list[Number]]]:
    """Run a routine with `digits` digits.

    Parameters
    ----------
    inputs : port name -> number or sequence of numbers (anything mpmath.mpf accepts; `branch` an int).

    Returns
    -------
    status, outputs
        Outputs are empty unless the status is OK or SINGULAR.
    """
    with mpmath.workdps(digits):
        return _run(routine, inputs)


def _run(routine: Routine, inputs: Mapping[str, Sequence[Any] | Any]) -> tuple[Status, dict[str, list[Number]]]:
    env: dict[str, Number] = {name: mpmath.mpf(text) for name, text in REFERENCE_TOLERANCES.items()}
    for port in routine.inputs:
        given = inputs[port.name]
        values = [given] if port.shape == () else list(given)
        env.update(zip(port.elements, (mpmath.mpf(v) for v in values), strict=True))
    status = Status.OK
    systems = {}
    for statement in routine.body:
        if isinstance(statement, Let):
            values = [value_of(v, env) for v in statement.values]
            env.update(zip(statement.targets, values, strict=True))
        elif isinstance(statement, Call):
            inner, results = _call(statement, env)
            if not results:
                return inner, {}
            if inner is not Status.OK:
                if not statement.keep_singular:
                    return inner, {}
                status = inner
            for names, output in zip(statement.outputs, statement.routine.outputs, strict=True):
                env.update(zip(names, results[output.port.name], strict=True))
        elif isinstance(statement, Zeros):
            zeros = real_zeros([value_of(v, env) for v in statement.coefficients])
            least = mpmath.mpf(-2) if statement.least is None else value_of(statement.least, env)
            zeros = [zero for zero in zeros if mpmath.cos(zero) >= least]
            rank = int(value_of(statement.rank, env))
            if rank >= len(zeros):
                return Status.BRANCH_LOST if zeros else Status.NO_ASSEMBLY, {}
            env.update(zip(statement.targets, (mpmath.cos(zeros[rank]), mpmath.sin(zeros[rank])), strict=True))
        elif isinstance(statement, Samples):
            coefficients = _sampled(statement, env)
            if coefficients is None:
                return Status.NOT_CONVERGED, {}
            env.update(zip(statement.targets, coefficients, strict=True))
        elif isinstance(statement, LoopAssemblies):
            rank = int(value_of(statement.rank, env))
            loop = tuple(value_of(v, env) for v in statement.inputs)
            outcome, placed = _assembled(statement.parts, loop, mpmath.mp.prec)
            if rank >= len(placed):
                return Status.BRANCH_LOST if placed else outcome, {}
            env.update(zip(statement.targets, placed[rank], strict=True))
        elif isinstance(statement, System):
            margin, systems[statement.name] = factorise([[value_of(v, env) for v in row] for row in statement.matrix])
            if not margin > env["SINGULAR_TOLERANCE"]:
                return Status.SINGULAR, {}
        elif isinstance(statement, Solve):
            solution = substitute(systems[statement.system], [value_of(v, env) for v in statement.right])
            env.update(zip(statement.targets, solution, strict=True))
        elif isinstance(statement, Kernel):
            raise TypeError(
                f"{routine.name}: {statement.kernel} iterates; there is no reference with many digits of it"
            )
        elif not isinstance(statement, Mark):
            holds = _holds(value_of(statement.left, env), statement.relation, value_of(statement.right, env))
            if isinstance(statement, Flag):
                status = statement.status if holds else status
            elif not (holds and all(_guard_holds(each, env) for each in statement.also)):
                return _refusal(statement, env), {}
    return status, {o.port.name: [value_of(v, env) for v in o.values] for o in routine.outputs}


def _refusal(guard: Guard, env: Mapping[str, Number]) -> Status:
    return next((rather.status for rather in guard.rather if not _guard_holds(rather, env)), guard.status)


def _guard_holds(guard: Guard, env: Mapping[str, Number]) -> bool:
    return _holds(value_of(guard.left, env), guard.relation, value_of(guard.right, env))


def _call(call: Call, env: Mapping[str, Number]) -> tuple[Status, dict[str, list[Number]]]:
    given = {}
    for port, group in zip(call.routine.inputs, call.inputs, strict=True):
        values = [value_of(v, env) for v in group]
        given[port.name] = values[0] if port.shape == () else values
    return _run(call.routine, given)


@lru_cache(maxsize=16)
def _assembled(parts: LoopParts, loop: tuple[Number, ...], precision: int) -> tuple[Status, list[list[Number]]]:
    """Return why there is none, and the coordinates of all assemblies that zeros of the polynomial lead to, ranked.

    This is for geometry in general: nothing is displaced. `precision` tells results of a cache apart.
    """
    del precision
    status, results = _run(parts.polynomial, {"loop": loop})
    if not results:
        return status, []
    coefficients, least = results["coefficients"], results["least"]
    found = []
    for zero in real_zeros(coefficients):
        if mpmath.cos(zero) < least[0]:
            continue
        (at,) = _part(parts.recovery, loop, mpmath.cos(zero), mpmath.sin(zero))
        for _ in range(8):
            lacks, jacobian, left, cosine, sine = _part(parts.closure, loop, at)
            if left[0] <= mpmath.mpf(10) ** (6 - mpmath.mp.dps):
                break
            size = len(lacks)
            _, factors = factorise([jacobian[size * k : size * (k + 1)] for k in range(size)])
            (at,) = _part(parts.stepped, at, substitute(factors, lacks))
        found.append((mpmath.atan2(sine[0], cosine[0]), at))
    return Status.NO_ASSEMBLY, [at for _, at in sorted(found, key=lambda one: one[0])]


def _part(routine: Routine, *groups: Any) -> list[list[Number]]:
    """Run a part of a loop that is regular there; return its results."""
    given = {port.name: group for port, group in zip(routine.inputs, groups, strict=True)}
    _, results = _run(routine, given)
    return [results.get(output.port.name, []) for output in routine.outputs]


def _sampled(samples: Samples, env: Mapping[str, Number]) -> list[Number] | None:
    """Return the coefficients of a sampled polynomial, None if those above its degree do not vanish."""
    count, degree = samples.count, samples.degree
    given = {}
    for port, group in zip(samples.routine.inputs[2:], samples.inputs, strict=True):
        own = [value_of(v, env) for v in group]
        given[port.name] = own[0] if port.shape == () else own
    arguments = tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in given.items())
    values = _values_around(samples.routine, arguments, count, mpmath.mp.prec)
    if values is None:
        return None
    angles = [2 * mpmath.pi * k / count for k in range(count)]
    found = [mpmath.fsum(values) / count]
    for k in range(1, (count - 1) // 2 + 1):
        for wave in (mpmath.cos, mpmath.sin):
            found.append(2 * mpmath.fsum(v * wave(k * a) for v, a in zip(values, angles, strict=True)) / count)
    size = mpmath.fsum(abs(c) for c in found[: 2 * degree + 1])
    above = max(abs(c) for c in found[2 * degree + 1 :])
    return found[: 2 * degree + 1] if above <= size * mpmath.mpf(10) ** (-mpmath.mp.dps // 2) else None


@lru_cache(maxsize=64)
def _values_around(
    routine: Routine, given: tuple[tuple[str, Any], ...], count: int, precision: int
) -> tuple[Number, ...] | None:
    """Return the values of a sampled routine at evenly spaced angles; all branches of a case ask for the same."""
    values: list[Number] = []
    for k in range(count):
        angle = 2 * mpmath.pi * k / count
        at = (mpmath.cos(angle), mpmath.sin(angle))
        pair = {port.name: v for port, v in zip(routine.inputs[:2], at, strict=True)}
        status, results = _run(routine, {**pair, **dict(given)})
        if status is not Status.OK:
            return None
        values.append(results[routine.outputs[0].port.name][0])
    return tuple(values)


def real_zeros(coefficients: Sequence[Number]) -> list[Number]:
    """Return the real zeros of a trigonometric polynomial, see `symgen.ir.nodes.Zeros`, ascending.

    With z = exp(i q) it is a polynomial of twice the degree, whose zeros on the unit circle are wanted.
    """
    return list(_real_zeros(tuple(coefficients), mpmath.mp.prec))


@lru_cache(maxsize=64)
def _real_zeros(coefficients: tuple[Number, ...], precision: int) -> tuple[Number, ...]:
    size = max(abs(c) for c in coefficients)
    degree = len(coefficients) // 2
    while degree and max(abs(c) for c in coefficients[2 * degree - 1 : 2 * degree + 1]) <= size * mpmath.eps:
        degree -= 1
    if not degree:
        return ()
    upper = [mpmath.mpc(coefficients[2 * k - 1], -coefficients[2 * k]) / 2 for k in range(degree, 0, -1)]
    full = [*upper, mpmath.mpc(coefficients[0]), *(mpmath.conj(c) for c in reversed(upper))]
    found = mpmath.polyroots(full, maxsteps=400, extraprec=4 * mpmath.mp.prec)
    return tuple(sorted(mpmath.arg(z) for z in found if abs(abs(z) - 1) < mpmath.mpf(10) ** (-mpmath.mp.dps // 2)))


def _holds(left: Number, relation: str, right: Number) -> bool:
    return bool({">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right}[relation])


def value_of(value: Expr, env: Mapping[str, Number]) -> Number:
    """Return the value of an expression, given the values of its symbols."""
    return _function_of(cast(Any, value))(env)


#: Expressions whose functions are kept: a routine is run at many inputs, and walking it again costs as much as its
#: arithmetic.
_KEPT = 2**14


@lru_cache(maxsize=_KEPT)
def _function_of(value: Any) -> _Function:
    """Return the function that gives an expression its value, at whatever precision it is called."""
    return _composed(value)


def _composed(value: Expr) -> _Function:
    kind, parts = take_apart(value)
    if kind == "symbol":
        return itemgetter(parts[0])
    if kind == "number":
        return lambda env: _quotient(*parts, mpmath.mp.prec)
    one = _composed(parts[0])
    if kind == "power":
        exponent = parts[1]
        return lambda env: one(env) ** exponent
    if kind == "branch_sign":
        bit = parts[1]
        return lambda env: mpmath.mpf(-1 if (int(one(env)) >> bit) & 1 else 1)
    if kind == "positive_part":
        return lambda env: max(mpmath.mpf(0), one(env))  # 0 for NaN too
    if kind in _OF_ONE:
        function = _OF_ONE[kind]
        return lambda env: function(one(env))
    every = [_composed(part) for part in parts]
    if kind == "choose":
        other, first, second = every[1:]
        return lambda env: first(env) if one(env) <= other(env) else second(env)
    if len(every) == 2:
        operation, other = _OF_TWO[kind], every[1]
        return lambda env: operation(one(env), other(env))
    if kind == "add":
        return lambda env: mpmath.fsum([each(env) for each in every])
    return lambda env: reduce(mul, [each(env) for each in every])


@lru_cache(maxsize=1024)
def _quotient(above: int, below: int, precision: int) -> Number:
    return mpmath.mpf(above) / mpmath.mpf(below)


_OF_ONE: dict[str, Callable[[Number], Number]] = {"sqrt": mpmath.sqrt, "sin": mpmath.sin, "cos": mpmath.cos, "abs": abs}
_OF_TWO: dict[str, Callable[[Number, Number], Number]] = {"add": add, "mul": mul, "atan2": mpmath.atan2}
