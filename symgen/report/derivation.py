"""The steps of a derivation as mathematics, each beside the C that computes it.

A step is told in vectors where the generated C is, and the two are the same: its form is evaluated at numbers and must
agree with the components that the derivation gives. What does not agree, or is no vector, is told as it was derived.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from symgen.report.c_listing import Condition, KernelCall, Listed, Statement
from symgen.report.document import DerivedStep, Mathematics
from symgen.report.formula import (
    SIZES,
    Binary,
    Call,
    Formula,
    FormulaError,
    Name,
    Unary,
    Values,
    component_names,
    evaluate,
    is_close,
    names_in,
    parts_of,
    read_equations,
    read_known,
    text_of,
)
from symgen.report.layout import (
    ALLOW_BREAK,
    COMMA,
    EQUALS,
    Digits,
    Fence,
    Layout,
    Letter,
    Scripts,
    Words,
    joined,
    row,
)
from symgen.report.typeset import Notation, equation, typeset

_SEEDS = (11, 12)
#: A formula of more letters is shown as text: nobody reads it as a formula.
MOST_LETTERS = 2500
#: Stage of a step -> endings of the C functions that may compute it, the likeliest first.
_WHERE = {
    "position": ("position", "all"),
    "geometry": ("geometry", "velocity", "rates", "all"),
    "velocity": ("rates", "velocity", "all"),
    "acceleration": ("accelerations", "acceleration", "all"),
    "condition": ("condition", "geometry", "all"),
}
_VECTORS = frozenset(
    {"add", "sub", "scaled", "negated", "dot", "squared", "cross", "cross2", "turned2", "rotated2", "along_axes",
     "quat_product", "quat_inverse", "quat_x_axis", "quat_y_axis", "quat_z_axis"}
)  # fmt: skip
_SQUARED = re.compile(r"squar", re.IGNORECASE)


@dataclass
class Level:
    """The kernel, or one arrangement: its functions in C, its notation, its steps in numbers.

    Parameters
    ----------
    id : ``kernel``, or the id of the arrangement: what C begins the names of its functions with.
    steps : of this level, in the order of the derivation.
    listing : all functions of the file.
    """

    id: str
    steps: Sequence[Mapping[str, Any]]
    listing: Mapping[str, Listed]
    functions: dict[str, Listed] = field(init=False)
    notation: Notation = field(init=False)
    equations: dict[str, list[tuple[str, Formula]]] = field(init=False, default_factory=dict)
    _known: set[str] = field(init=False, default_factory=set)
    _values: list[Values] = field(init=False)

    def __post_init__(self) -> None:
        begin = f"{self.id}_"
        self.functions = {name[len(begin) :]: found for name, found in self.listing.items() if name.startswith(begin)}
        for step in self.steps:
            try:
                self.equations[step["name"]] = read_equations(step["formula"])
            except FormulaError:
                continue
        for pairs in self.equations.values():
            for target, formula in pairs:
                self._known |= {target, *names_in(formula)}
        self._values = [self._evaluated(Values(seed)) for seed in _SEEDS]
        sizes = self._sizes() | {
            name: SIZES[statement.kind]
            for function in self.functions.values()
            for name, statement in function.statements.items()
            if statement.kind in SIZES
        }
        squares = self._squares()
        self.notation = Notation(sizes, squares, self._reciprocals(squares))

    def _sizes(self) -> dict[str, int]:
        """Return the vectors whose components the derivation names, with their sizes."""
        found: dict[str, int] = {}
        for name in sorted(self._known):
            if name.endswith("_x") and f"{name[:-1]}y" in self._known:
                found[name[:-2]] = 3 if f"{name[:-1]}z" in self._known else 2
            elif name.endswith("0") and all(f"{name[:-1]}{k}" in self._known for k in (1, 2, 3)):
                found[name[:-1].removesuffix("_")] = 4
        return found

    def _evaluated(self, values: Values) -> Values:
        """Give all steps their values."""
        for pairs in self.equations.values():
            for target, formula in pairs:
                try:
                    found = evaluate(formula, values, {})
                except FormulaError:
                    continue
                if isinstance(found, float | int):
                    values[target] = float(found)
        return values

    def _squares(self) -> dict[str, str]:
        """Return the names that stand for squares, with what they are the squares of."""
        found = {}
        meanings = {step["name"]: step["meaning"] for step in self.steps}
        for name in sorted(self._known):
            first = re.fullmatch(r"([a-z]+)2(_\w+)", name)
            last = re.fullmatch(r"(\w*[A-Za-z])2", name)
            root = first[1] + first[2] if first else last[1] if last else ""
            meaning = meanings.get(name, "squared" if name == "rho2" else "")
            if not root or name.startswith("i_") or not _SQUARED.search(meaning):
                continue
            if last and (f"{root}1" in self._known or re.search(r"(?:\A|_)[jkb]\Z", root)):
                continue
            if root not in self._known or all(is_close(v[root] ** 2, max(v[name], 0.0)) for v in self._values):
                found[name] = root
        return found

    def _reciprocals(self, squares: Mapping[str, str]) -> dict[str, str]:
        """Return the names of reciprocals, with what they are the reciprocals of."""
        found = {}
        for name in sorted(self._known):
            of = name.removeprefix("i_")
            if of != name and of in self._known and all(is_close(v[of] * v[name], 1.0) for v in self._values):
                found[name] = of
        return found

    def is_same(self, name: str, value: Formula, targets: Sequence[str]) -> bool:
        """Tell whether a formula of C is what the derivation says of these components."""
        size = self.notation.sizes.get(name, 0)
        expected = component_names(name, size, self._known) if size else tuple(targets)
        if set(expected) != set(targets):
            return False
        for values in self._values:
            try:
                found = evaluate(value, values, self.notation.sizes, self._known)
            except FormulaError:
                return False
            derived = tuple(values[each] for each in expected)
            if not is_close(found, derived if size else derived[0]):
                return False
        return True

    def statement(self, step: Mapping[str, Any]) -> list[Statement]:
        """Return the statements of C for a step: one of its name, or those of its components."""
        targets = [target for target, _ in self.equations.get(step["name"], [])]
        for listed in self._candidates(step["stage"]):
            if step["name"] in listed.statements:
                return [listed.statements[step["name"]]]
            found = [listed.statements[each] for each in targets if each in listed.statements]
            if found:
                return found
        return []

    def _candidates(self, stage: str) -> Iterator[Listed]:
        likely = [name for name in _WHERE.get(stage, ()) if name in self.functions]
        yield from (self.functions[name] for name in (*likely, *(n for n in self.functions if n not in likely)))

    def lines(self, step: Mapping[str, Any], statements: Sequence[Statement]) -> tuple[Layout, ...]:
        """Return a step as mathematics: in vectors if it is the same, else each component."""
        pairs = self.equations.get(step["name"])
        if pairs is None or len(step["formula"]) > MOST_LETTERS:
            return ()
        targets = [target for target, _ in pairs]
        try:
            if len(statements) == 1 and statements[0].name == step["name"]:
                value = read_known(statements[0].value)
                if value is not None and (len(pairs) > 1 or _has_vectors(value)) and self.is_same(
                    step["name"], value, targets
                ):  # fmt: skip
                    return (equation(self.notation.symbol(step["name"]), typeset(value, self.notation)),)
            found = None if statements else self._recognised(step["name"], pairs)
            if found is not None:
                return (equation(self.notation.symbol(step["name"]), typeset(found, self.notation)),)
            return tuple(equation(self.notation.symbol(t), typeset(v, self.notation)) for t, v in pairs)
        except FormulaError:
            return ()

    def _recognised(self, name: str, pairs: Sequence[tuple[str, Formula]]) -> Formula | None:
        """Return the form in vectors of a step that no code computes: a vector, a product or sum of two, a length."""
        used = {vector for _, value in pairs for each in names_in(value) if (vector := self._owner(each))}
        if not 1 <= len(used) <= 2:
            return None
        targets = [target for target, _ in pairs]
        names = [Name(each) for each in sorted(used)]
        tried: list[Formula] = [Call("squared", (each,)) for each in names]
        if len(pairs) > 1:
            tried = [*names, *(Call(f"quat_{axis}_axis", (each,)) for axis in "xyz" for each in names)]
        for u, v in permutations(names, 2):
            tried += [Call(function, (u, v)) for function in ("add", "sub", "cross", "dot", "cross2", "quat_product")]
        return next((value for value in tried if self.is_same(name, value, targets)), None)

    def _owner(self, name: str) -> str:
        """Return the vector that a name is a component of."""
        return self.notation.component_of(name)[0] or f"?{name}"

    def calls(self) -> dict[str, KernelCall]:
        """Return the calls of kernels by the prefix of their results."""
        found: dict[str, KernelCall] = {}
        for listed in self._candidates("position"):
            for call in listed.calls:
                if "_kernel_" in call.function:
                    found.setdefault(call.prefix, call)
        return found

    def conditions(self) -> list[tuple[str, Condition]]:
        """Return what must hold, with the stage that looks at it; each once."""
        found: dict[tuple[str, str], tuple[str, Condition]] = {}
        for stage, listed in self.functions.items():
            for condition in listed.conditions:
                found.setdefault((condition.test, condition.status), (stage, condition))
        return list(found.values())

    def shown(self, condition: Condition) -> tuple[Mathematics, Mathematics | None] | None:
        """Return what must hold, and where it ends without rounding: ``det = 0``; None if it cannot be read."""
        test = read_known(condition.test)
        if test is None:
            return None
        test = self._in_steps(test)
        holds = test if condition.holds else _opposite(test)
        try:
            return Mathematics(typeset(holds, self.notation), text_of(holds)), self._edge(test)
        except FormulaError:
            return None

    def _in_steps(self, test: Formula) -> Formula:
        """Return a condition in quantities of the derivation: what only the code names is written out."""
        if isinstance(test, Binary):
            return Binary(test.operator, self._in_steps(test.left), self._in_steps(test.right))
        if isinstance(test, Name) and test.text not in self._known and test.text not in self.notation.sizes:
            for listed in self.functions.values():
                statement = listed.statements.get(test.text)
                value = None if statement is None else read_known(statement.value)
                if isinstance(value, Call):
                    return value
        return test

    def _edge(self, test: Formula) -> Mathematics | None:
        """Return where one side of a comparison is zero, if the other is once tolerances are."""
        if not isinstance(test, Binary) or test.operator not in ("<", "<=", ">", ">="):
            return None
        try:
            if evaluate(test.right, self._without_rounding(test), self.notation.sizes, self._known) != 0.0:
                return None
        except FormulaError:
            return None
        left = test.left
        if isinstance(left, Call) and left.function == "abs":
            left = left.arguments[0]
        return Mathematics(row(typeset(left, self.notation), EQUALS, Digits("0")), f"{text_of(left)} = 0")

    def _without_rounding(self, test: Formula) -> Values:
        """Return the steps in numbers where all tolerances are zero."""
        names = self._known | {name.removeprefix("SYMGEN_") for name in names_in(test)}
        values = Values(_SEEDS[0])
        values.update({name: 0.0 for name in sorted(names) if name.isupper()})
        return self._evaluated(values)

    def _called(self, call: KernelCall) -> DerivedStep:
        """Return the call of a kernel as a step: its results in terms of what it is given."""
        stage = call.function.rsplit("_", 1)[1]
        text = f"({', '.join(call.results)}) = kernel {stage} ({', '.join(call.given)})"
        given = [self._shown_name(each) for each in call.given]
        results = [self.notation.symbol(each) for each in call.results]
        head = Scripts(Letter("kernel", "upright"), Letter(stage, "upright"))
        shown = row(
            Fence("()", joined(results, COMMA)), EQUALS, head, Fence("()", joined(given, row(COMMA, ALLOW_BREAK)))
        )
        return DerivedStep("", text, call.meaning or "the kernel", "", (shown,), call.code)

    def _shown_name(self, text: str) -> Layout:
        value = read_known(text)
        try:
            return Words(text) if value is None else typeset(value, self.notation)
        except FormulaError:
            return Words(text)

    def derived(self) -> Iterator[tuple[str, str, DerivedStep]]:
        """Yield stage, source and step, not numbered yet; the call of a kernel stands before what uses its results."""
        calls = dict(self.calls())
        shown: set[str] = set()
        for step in self.steps:
            used = {name for _, formula in self.equations.get(step["name"], ()) for name in names_in(formula)}
            for prefix, call in calls.items():
                if prefix not in shown and any(name.startswith(f"{prefix}_") for name in used):
                    shown.add(prefix)
                    yield step["stage"], step["source"], self._called(call)
            statements = self.statement(step)
            code = "\n".join(dict.fromkeys(each.code for each in statements))
            unit = step["unit"] if step["unit"] != "1" else ""
            yield step["stage"], step["source"], DerivedStep(
                "", step["formula"] or step["name"], step["meaning"], unit,
                self.lines(step, statements), code,
            )  # fmt: skip


def _has_vectors(formula: Formula) -> bool:
    if isinstance(formula, Call) and formula.function in _VECTORS:
        return True
    return any(map(_has_vectors, parts_of(formula)))


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _opposite(test: Formula) -> Formula:
    if isinstance(test, Binary) and test.operator in _OPPOSITE:
        return Binary(_OPPOSITE[test.operator], test.left, test.right)
    return Unary("!", test)
