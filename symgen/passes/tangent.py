"""How the results of a routine change along a change of its inputs: exact directional derivatives, step by step.

For every real input port `u` there is one more, `d_u`, the direction; results are `d_poses` and so on. Each step is
differentiated symbolically behind all steps as they are, so that what those name is used: `crank_x` has `d_crank_x`,
the quotient x = n/d has d_x = (d_n - x d_d)/d, the root t = c sqrt(r) has d_t = c^2 d_r/(2 t). A zero of a
polynomial, an assembly of a loop and the solution of a system follow by implicit differentiation (A. Griewank and
A. Walther, Evaluating Derivatives, 2nd edition, 2008, sections 3.1 and 15.3); samples of a polynomial change as the
polynomial of the changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symgen.algebra import HALF, ZERO, Expr, is_number, is_symbol, name_of, number, replace_parts, symbol, symbol_names
from symgen.algebra.time_derivatives import (
    is_function,
    is_sign,
    name_inner_parts,
    quotient,
    signed_root,
    time_derivative,
)
from symgen.errors import IRError
from symgen.ir.nodes import (
    Call,
    Flag,
    Guard,
    Kernel,
    Let,
    LoopAssemblies,
    Output,
    Port,
    Routine,
    Samples,
    Solve,
    Statement,
    System,
    Zeros,
)
from symgen.ir.verify import verify
from symgen.passes import run_passes

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def why_no_tangent(routine: Routine) -> str | None:
    """Say in words what of a routine this pass cannot differentiate; None if it can all."""
    if routine.stage in ("follow", "begin"):
        return "the branch is followed, so that results depend on what was before"
    for statement in routine.body:
        if isinstance(statement, Kernel):
            return "a group without a closed form is iterated"
        inner: tuple[Routine, ...] = (statement.routine,) if isinstance(statement, (Call, Samples)) else ()
        if isinstance(statement, LoopAssemblies):
            inner = (statement.parts.closure, statement.parts.stepped)
        for routine_inside in inner:
            reason = why_no_tangent(routine_inside)
            if reason is not None:
                return reason
    return None


def tangent(routine: Routine) -> Routine:
    """Return the routine of the directional derivatives of all real results.

    It takes the inputs, then the direction, and leaves with the statuses of the routine; BAD_INPUT if a derivative is
    not finite.

    Raises
    ------
    IRError
        It holds something that `why_no_tangent` names.
    """
    reason = why_no_tangent(routine)
    if reason is not None:
        raise IRError(f"{routine.name}: no derivatives: {reason}")
    return _Tangent(routine).routine()


class _Tangent:
    """The steps of a routine (`values`), and how they change (`changes`), which follows them."""

    def __init__(self, routine: Routine) -> None:
        self._routine = routine
        self._taken = set(_names(routine))
        self._values: list[Statement] = []
        self._changes: list[Statement] = []
        self._change_of: dict[str, Expr] = {}
        self._named: dict[Expr, Expr] = {}
        self._signs: set[str] = set()
        self._systems: dict[str, System] = {}

    def routine(self) -> Routine:
        old = self._routine
        given = [self._direction(port) for port in old.inputs if port.kind == "real"]
        for statement in old.body:
            self._statement(statement)
        outputs = [self._result(output) for output in old.outputs if output.port.kind == "real"]
        found = [value for output in outputs for value in output.values if not is_number(value)]
        return verify(
            replace(
                old,
                name=f"{old.name}_tangent",
                title=f"the change of {old.title}",
                stage="inner" if old.stage == "inner" else "tangent",
                inputs=(*old.inputs, *given),
                body=(*self._values, *self._changes),
                outputs=(*outputs, *(output for output in old.outputs if output.port.kind == "int")),
                finite=tuple(dict.fromkeys(found)),
                lost_by_stage=False,
                vectors=(),
            )
        )

    # -- names -------------------------------------------------------------------------------------------------------

    def _new(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _direction(self, port: Port) -> Port:
        elements = tuple(self._new(f"d_{element}") for element in port.elements)
        self._change_of.update(zip(port.elements, map(symbol, elements), strict=True))
        name = self._new(f"d_{port.name}") if port.shape else elements[0]
        return replace(port, name=name, elements=elements, meaning=f"direction: change of {port.name}", range="finite")

    def _result(self, output: Output) -> Output:
        port = output.port
        elements = tuple(self._new(f"d_{element}_result") for element in port.elements)
        name = self._new(f"d_{port.name}") if port.shape else elements[0]
        made = replace(port, name=name, elements=elements, meaning=f"change of {port.name}: {port.meaning}")
        return Output(made, tuple(self._change(value) for value in output.values))

    def _change(self, value: Expr) -> Expr:
        """Return the derivative of an expression as one that can be printed; its parts are written to `changes`."""

        def named(part: Expr) -> Expr:
            if part not in self._named:
                name = self._new("part")
                self._changes.append(Let(name, (name,), (part,), "a part of what follows"))
                self._named[part] = symbol(name)
            return self._named[part]

        found = replace_parts(time_derivative(value, self._of), self._named)
        return name_inner_parts(found, named)

    def _of(self, name: str) -> Expr:
        return self._change_of.get(name, ZERO)

    def _keep(self, let: Let, targets: Sequence[str], values: Sequence[Expr]) -> None:
        """Write how a step changes; what is a number or has a name already needs no step."""
        names: list[str] = []
        kept: list[Expr] = []
        for target, value in zip(targets, values, strict=True):
            if is_number(value) or is_symbol(value):
                self._change_of[target] = value
                continue
            names.append(self._new(f"d_{target}"))
            kept.append(value)
            self._change_of[target] = symbol(names[-1])
        if names:
            name = names[0] if len(names) == 1 else f"d_{let.name}"
            self._changes.append(Let(name, tuple(names), tuple(kept), f"change of: {let.comment.partition(' [')[0]}"))

    # -- statements --------------------------------------------------------------------------------------------------

    def _statement(self, statement: Statement) -> None:
        if isinstance(statement, Let):
            self._let(statement)
        elif isinstance(statement, Flag):  # a result where branches meet has no derivative
            relation = _OPPOSITE[statement.relation]
            self._values.append(Guard(statement.left, relation, statement.right, statement.status, statement.comment))  # type: ignore[arg-type]
        elif isinstance(statement, Call):
            self._call(statement)
        elif isinstance(statement, Zeros):
            self._zeros(statement)
        elif isinstance(statement, Samples):
            self._samples(statement)
        elif isinstance(statement, LoopAssemblies):
            self._assemblies(statement)
        elif isinstance(statement, Solve):
            self._solve(statement)
        else:
            if isinstance(statement, System):
                self._systems[statement.name] = statement
            self._values.append(statement)

    def _let(self, let: Let) -> None:
        def named(part: Expr) -> Expr:
            if part not in self._named:
                name = self._new(f"{let.name}_part")
                self._plain(Let(name, (name,), (part,), f"part of: {let.comment}"))
                self._named[part] = symbol(name)
            return self._named[part]

        self._plain(replace(let, values=tuple(name_inner_parts(value, named) for value in let.values), forms=()))

    def _plain(self, let: Let) -> None:
        self._values.append(let)
        for target, value in zip(let.targets, let.values, strict=True):
            if is_function(value):  # before its own derivative: that of exp holds it
                self._named.setdefault(value, symbol(target))
        changes = [self._change_of_step(t, v) for t, v in zip(let.targets, let.values, strict=True)]
        for target, value in zip(let.targets, let.values, strict=True):
            if self._is_sign(value):
                self._signs.add(target)
        self._keep(let, let.targets, changes)

    def _change_of_step(self, target: str, value: Expr) -> Expr:
        if all(self._of(name) == ZERO for name in symbol_names(value)):
            return ZERO
        root = signed_root(value, self._is_sign)
        if root is not None:
            square, radicand = root
            return HALF * square * self._change(radicand) / symbol(target)
        parts = quotient(value)
        if parts is None:
            return self._change(value)
        above, below = parts
        return (self._change(above) - symbol(target) * self._change(below)) / below

    def _is_sign(self, value: Expr) -> bool:
        return is_sign(value) or (is_symbol(value) and name_of(value) in self._signs)

    def _call(self, call: Call) -> None:
        self._values.append(call)
        changes = [
            tuple(self._change(value) for value in group)
            for port, group in zip(call.routine.inputs, call.inputs, strict=True)
            if port.kind == "real"
        ]
        outputs = self._change_of_call(call.prefix, call.routine, (*call.inputs, *changes), call.comment)
        for names, made in zip(call.outputs, outputs, strict=True):
            self._change_of.update(zip(names, map(symbol, made), strict=True))

    def _change_of_call(
        self, prefix: str, routine: Routine, inputs: Sequence[Sequence[Expr]], comment: str
    ) -> tuple[tuple[str, ...], ...]:
        """Call the derivatives of a routine; return the names of what they give, one for each element."""
        return self._called(f"d_{prefix}", run_passes(tangent(routine)), inputs, f"change of: {comment}")

    def _called(
        self, prefix: str, routine: Routine, inputs: Sequence[Sequence[Expr]], comment: str
    ) -> tuple[tuple[str, ...], ...]:
        name = self._new(prefix)
        outputs = tuple(
            tuple(self._new(f"{name}_{element}") for element in output.port.elements) for output in routine.outputs
        )
        groups = tuple(tuple(group) for group in inputs)
        self._changes.append(Call(name, routine, groups, outputs, comment, keep_singular=False))
        return outputs

    def _assemblies(self, found: LoopAssemblies) -> None:
        """Differentiate the closing equations f(c, q) = 0 of a loop with constants c: a step of Newton's method.

        Where c has changed, f lacks as much as it changes along c with q held; the step that makes up for it is the
        change of q.
        """
        self._values.append(found)
        closure, stepped = found.parts.closure, found.parts.stepped
        at = tuple(map(symbol, found.targets))
        changes = tuple(self._change(value) for value in found.inputs)
        still, no_steps = (ZERO,) * len(at), (ZERO,) * found.size
        closed = self._called(f"{found.name}_closed", closure, (found.inputs, at), f"how it closes: {found.comment}")
        rows = tuple(map(symbol, closed[1]))
        size, system = found.size, self._new(f"{found.name}_rows")
        matrix = tuple(rows[size * k : size * (k + 1)] for k in range(size))
        self._changes.append(System(system, matrix, "derivatives of the closing equations"))
        lacks = self._change_of_call(
            f"{found.name}_closed", closure, (found.inputs, at, changes, still), f"what closing lacks: {found.comment}"
        )[0]
        name = self._new(f"d_{found.name}_steps")
        steps = tuple(self._new(f"{name}_{k}") for k in range(size))
        self._changes.append(Solve(name, system, steps, tuple(map(symbol, lacks)), "steps that make up for it"))
        directions = tuple(map(symbol, steps))
        moved = self._change_of_call(
            f"{found.name}_stepped", stepped, (at, no_steps, still, directions), found.comment
        )[0]
        self._change_of.update(zip(found.targets, map(symbol, moved), strict=True))

    def _samples(self, samples: Samples) -> None:
        self._values.append(samples)
        ports = samples.routine.inputs[2:]
        changes = [
            tuple(self._change(value) for value in group)
            for port, group in zip(ports, samples.inputs, strict=True)
            if port.kind == "real"
        ]
        names = tuple(self._new(f"d_{target}") for target in samples.targets)
        self._change_of.update(zip(samples.targets, map(symbol, names), strict=True))
        inputs = (*samples.inputs, (ZERO,), (ZERO,), *changes)
        inner, name, comment = tangent(samples.routine), self._new(f"d_{samples.name}"), f"change of: {samples.comment}"
        self._changes.append(Samples(name, inner, inputs, names, samples.count, comment))

    def _zeros(self, zeros: Zeros) -> None:
        """Differentiate f(q) = 0: d_q = -(change of f at q)/f'(q)."""
        self._values.append(zeros)
        c, s = map(symbol, zeros.targets)
        waves = [(c, s)]

        def step(what: str, value: Expr, comment: str) -> Expr:
            name = self._new(f"{zeros.name}_{what}")
            self._changes.append(Let(name, (name,), (value,), comment))
            return symbol(name)

        for k in range(2, zeros.degree + 1):
            cosine, sine = waves[-1]
            waves.append(
                (
                    step(f"cos{k}", c * cosine - s * sine, f"cosine of {k} times the angle"),
                    step(f"sin{k}", s * cosine + c * sine, f"sine of {k} times the angle"),
                )
            )
        change, slope = self._change(zeros.coefficients[0]), ZERO
        for k, (cosine, sine) in enumerate(waves, start=1):
            a, b = zeros.coefficients[2 * k - 1 : 2 * k + 1]
            change = change + self._change(a) * cosine + self._change(b) * sine
            slope = slope + number(k) * (b * cosine - a * sine)
        turned = -step("change", change, "change of the polynomial") / step("slope", slope, "its slope")
        angle = step("turned", turned, f"change of the angle: {zeros.comment}")
        self._keep(Let(zeros.name, zeros.targets, (c, s), zeros.comment), zeros.targets, (-s * angle, c * angle))

    def _solve(self, solve: Solve) -> None:
        """Differentiate A x = b: A d_x = d_b - d_A x."""
        self._values.append(solve)
        solution = [symbol(target) for target in solve.targets]
        right = []
        for row, value in zip(self._systems[solve.system].matrix, solve.right, strict=True):
            change = self._change(value)
            for entry, x in zip(row, solution, strict=True):
                change = change - self._change(entry) * x
            right.append(change)
        names = tuple(self._new(f"d_{target}") for target in solve.targets)
        self._change_of.update(zip(solve.targets, map(symbol, names), strict=True))
        name = self._new(f"d_{solve.name}")
        self._changes.append(Solve(name, solve.system, names, tuple(right), f"change of: {solve.comment}"))


def _names(routine: Routine) -> list[str]:
    """Return the names that a routine uses, those of its arrays among them."""
    found = [name for port in routine.ports for name in (port.name, *port.elements)]
    for statement in routine.body:
        targets = getattr(statement, "targets", ())
        found += [getattr(statement, "name", ""), getattr(statement, "prefix", ""), *targets]
        if isinstance(statement, Call):
            found += [name for group in statement.outputs for name in group]
    return found
