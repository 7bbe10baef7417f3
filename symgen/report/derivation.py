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
    Formula,
    NoFormulaError,
    Unary,
    Values,
    WrittenCall,
    WrittenName,
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
from symgen.report.typeset import Notation, equation, is_mathematics, typeset

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


Pairs = list[tuple[str, Formula]]


@dataclass
class Level:
    """The kernel, or one arrangement: its functions in C, its notation, its steps in numbers.

    Names may come again: what several parts of a kernel define alike or in different ways is told apart by following
    the steps in their order, and by the values of what the code computes.

    Parameters
    ----------
    id : ``kernel``, or the id of the arrangement: what C begins the names of its functions with.
    steps : of this level, in the order of the derivation.
    listing : all functions of the file.
    module : its id, with which the names of a kernel's inner functions begin.
    """

    id: str
    steps: Sequence[Mapping[str, Any]]
    listing: Mapping[str, Listed]
    module: str = ""
    functions: dict[str, Listed] = field(init=False)
    notation: Notation = field(init=False)
    _inner: list[Listed] = field(init=False)
    _pairs: list[Pairs] = field(init=False)
    _known: set[str] = field(init=False, default_factory=set)
    _chosen: list[tuple[list[Statement], Formula | None]] = field(init=False)

    def __post_init__(self) -> None:
        begin, inner = f"{self.id}_", f"{self.module}_"
        self.functions = {name[len(begin) :]: found for name, found in self.listing.items() if name.startswith(begin)}
        is_kernel = self.id == "kernel" and self.module
        self._inner = [found for name, found in self.listing.items() if is_kernel and name.startswith(inner)]
        self._pairs = [_pairs_of(step["formula"]) for step in self.steps]
        for pairs in self._pairs:
            for target, formula in pairs:
                self._known |= {target, *names_in(formula)}
        sizes: dict[str, int] = {}
        for listed in (*self._inner, *self.functions.values()):
            sizes |= _sizes_in(listed)
        sizes |= self._sizes()
        self.notation = Notation(sizes)
        squares, reciprocals = self._follow()
        self.notation = Notation(sizes, squares, reciprocals)

    def _sizes(self) -> dict[str, int]:
        """Return the vectors whose components the derivation names, with their sizes."""
        found: dict[str, int] = {}
        for name in sorted(self._known):
            if name.endswith("_x") and f"{name[:-1]}y" in self._known:
                found[name[:-2]] = 3 if f"{name[:-1]}z" in self._known else 2
            elif name.endswith("0") and all(f"{name[:-1]}{k}" in self._known for k in (1, 2, 3)):
                found[name[:-1].removesuffix("_")] = 4
        return found

    def _follow(self) -> tuple[dict[str, str], dict[str, str]]:
        """Give the steps their values in order, choose the code and the form of each; return squares and reciprocals.

        A name is written as a square or reciprocal if it is one whenever both are defined.
        """
        squares, reciprocals = self._named_squares(), self._named_reciprocals()
        later = {target for pairs in self._pairs for target, _ in pairs}
        every = [Values(seed) for seed in _SEEDS]
        self._chosen = []
        wrong: set[str] = set()
        for step, pairs in zip(self.steps, self._pairs, strict=True):
            for values in every:
                _evaluate_step(pairs, values)
            self._chosen.append(self._choose(step, pairs, every))
            later -= (new := {target for target, _ in pairs})
            for name, of in (*squares.items(), *reciprocals.items()):
                size = self.notation.sizes.get(of, 0)
                parts = component_names(of, size, self._known) if size else (of,)
                if (
                    new.isdisjoint((name, *parts))
                    or not later.isdisjoint((name, *parts))
                    or parts[0] not in self._known
                ):
                    continue
                is_right = _is_square if squares.get(name) == of else _is_reciprocal
                wrong |= set() if all(is_right([v[part] for part in parts], v[name]) for v in every) else {name}
        return (
            {name: of for name, of in squares.items() if name not in wrong},
            {name: of for name, of in reciprocals.items() if name not in wrong},
        )

    def _named_squares(self) -> dict[str, str]:
        """Return the names that say that they stand for squares, with what they would be the squares of."""
        found = {}
        meanings = {step["name"]: step["meaning"] for step in self.steps}
        for name in sorted(self._known):
            first = re.fullmatch(r"(norm)2(_\w+)", name)
            last = re.fullmatch(r"(\w*[A-Za-z])2|(\w*[A-Za-z]\d)_2", name)
            root = first[1] + first[2] if first else (last[1] or last[2]) if last else ""
            meaning = meanings.get(name, "squared" if name == "rho2" else "")
            if not root or name.startswith("i_") or not _SQUARED.search(meaning):
                continue
            if last and last[2] and root not in self._known:
                continue
            if last and (f"{root}1" in self._known or re.search(r"(?:\A|_)[jkb]\Z", root)):
                continue
            found[name] = root
        return found

    def _named_reciprocals(self) -> dict[str, str]:
        return {
            name: name.removeprefix("i_")
            for name in sorted(self._known)
            if name.startswith("i_") and name.removeprefix("i_") in self._known
        }

    # -- code and form of a step -------------------------------------------------------------------------------------

    def _choose(
        self, step: Mapping[str, Any], pairs: Pairs, every: Sequence[Values]
    ) -> tuple[list[Statement], Formula | None]:
        """Return the statements of C that compute a step, and its form in vectors if it has one.

        Of several statements of its name that one which has its values; if none has (it may use what only the code
        names), the likeliest of this level's own functions.
        """
        name, targets = step["name"], [target for target, _ in pairs]
        likeliest: list[Statement] = []
        for listed, is_own in self._candidates(step["stage"]):
            found = [listed.statements[name]] if name in listed.statements else []
            found = found or [listed.statements[each] for each in targets if each in listed.statements]
            if not found:
                continue
            if found[0].name == name:
                value = read_known(found[0].value)
                sizes = {**self.notation.sizes, **_sizes_in(listed)}
                if value is not None and self._is_same(name, value, targets, every, sizes):
                    return found, value if len(pairs) > 1 or _has_vectors(value) else None
            if is_own and not likeliest:
                likeliest = found
        return likeliest, None if likeliest else self._recognised(name, pairs, every)

    def _candidates(self, stage: str) -> Iterator[tuple[Listed, bool]]:
        """Yield the functions that may compute a step of a stage, the likeliest first; is each of this level."""
        likely = [name for name in _WHERE.get(stage, ()) if name in self.functions]
        for name in (*likely, *(name for name in self.functions if name not in likely)):
            yield self.functions[name], True
        for listed in self._inner:
            yield listed, False

    def _is_same(
        self, name: str, value: Formula, targets: Sequence[str], every: Sequence[Values], sizes: Mapping[str, int]
    ) -> bool:
        """Tell whether a formula of C is what the derivation says of these components."""
        size = sizes.get(name, 0)
        expected = component_names(name, size, self._known) if size else tuple(targets)
        if set(expected) != set(targets):
            return False
        for values in every:
            try:
                found = evaluate(value, values, sizes, self._known)
            except NoFormulaError:
                return False
            derived = tuple(values[each] for each in expected)
            if not is_close(found, derived if size else derived[0]):
                return False
        return True

    def _recognised(self, name: str, pairs: Pairs, every: Sequence[Values]) -> Formula | None:
        """Return the form in vectors of a step that no code computes: a vector, a product or sum of two, a length."""
        used = {vector for _, value in pairs for each in names_in(value) if (vector := self._owner(each))}
        if not 1 <= len(used) <= 2:
            return None
        targets = [target for target, _ in pairs]
        names = [WrittenName(each) for each in sorted(used)]
        tried: list[Formula] = [WrittenCall("squared", (each,)) for each in names]
        if len(pairs) > 1:
            tried = [*names, *(WrittenCall(f"quat_{axis}_axis", (each,)) for axis in "xyz" for each in names)]
        for u, v in permutations(names, 2):
            tried += [
                WrittenCall(function, (u, v)) for function in ("add", "sub", "cross", "dot", "cross2", "quat_product")
            ]
        sizes = self.notation.sizes
        return next((value for value in tried if self._is_same(name, value, targets, every, sizes)), None)

    def _owner(self, name: str) -> str:
        """Return the vector that a name is a component of."""
        return self.notation.component_of(name)[0] or f"?{name}"

    def _lines(self, k: int) -> tuple[Layout, ...]:
        """Return step k as mathematics: in vectors if it has such a form, else each component."""
        step, pairs, form = self.steps[k], self._pairs[k], self._chosen[k][1]
        if len(step["formula"]) > MOST_LETTERS:
            return ()
        shown = [(step["name"], form)] if form is not None else pairs
        try:
            return tuple(equation(self.notation.symbol(name), typeset(value, self.notation)) for name, value in shown)
        except NoFormulaError:
            return ()

    def calls(self) -> dict[str, KernelCall]:
        """Return the calls of kernels by the prefix of their results."""
        found: dict[str, KernelCall] = {}
        for listed, _ in self._candidates("position"):
            for call in listed.calls:
                if self.id != "kernel" and call.function.startswith("symgen_") and "_kernel_" in call.function:
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
        if not is_mathematics(test):
            return None
        holds = test if condition.holds else _opposite(test)
        try:
            return Mathematics(typeset(holds, self.notation), text_of(holds)), self._edge(test)
        except NoFormulaError:
            return None

    def _in_steps(self, test: Formula) -> Formula:
        """Return a condition in quantities of the derivation: what only the code names is written out."""
        if isinstance(test, Binary):
            return Binary(test.operator, self._in_steps(test.left), self._in_steps(test.right))
        if isinstance(test, WrittenName) and test.text not in self._known and test.text not in self.notation.sizes:
            for listed in self.functions.values():
                statement = listed.statements.get(test.text)
                value = None if statement is None else read_known(statement.value)
                if isinstance(value, WrittenCall) and is_mathematics(value):
                    return value
        return test

    def _edge(self, test: Formula) -> Mathematics | None:
        """Return where one side of a comparison is zero, if the other is once tolerances are."""
        if not isinstance(test, Binary) or test.operator not in ("<", "<=", ">", ">="):
            return None
        try:
            if evaluate(test.right, self._without_rounding(test), self.notation.sizes, self._known) != 0.0:
                return None
        except NoFormulaError:
            return None
        left = test.left
        if isinstance(left, WrittenCall) and left.function == "abs":
            left = left.arguments[0]
        return Mathematics(row(typeset(left, self.notation), EQUALS, Digits("0")), f"{text_of(left)} = 0")

    def _without_rounding(self, test: Formula) -> Values:
        """Return the steps in numbers where all tolerances are zero."""
        names = self._known | {name.removeprefix("SYMGEN_") for name in names_in(test)}
        values = Values(_SEEDS[0])
        values.update({name: 0.0 for name in sorted(names) if name.isupper()})
        for pairs in self._pairs:
            _evaluate_step(pairs, values)
        return values

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
        except NoFormulaError:
            return Words(text)

    def derived(self) -> Iterator[tuple[str, str, DerivedStep]]:
        """Yield stage, source and step, not numbered yet; the call of a kernel stands before what uses its results."""
        calls = dict(self.calls())
        shown: set[str] = set()
        for k, step in enumerate(self.steps):
            used = {name for _, formula in self._pairs[k] for name in names_in(formula)}
            for prefix, call in calls.items():
                if prefix not in shown and any(name.startswith(f"{prefix}_") for name in used):
                    shown.add(prefix)
                    yield step["stage"], step["source"], self._called(call)
            code = "\n".join(dict.fromkeys(each.code for each in self._chosen[k][0]))
            unit = step["unit"] if step["unit"] != "1" else ""
            formula = step["formula"] or step["name"]
            yield step["stage"], step["source"], DerivedStep("", formula, step["meaning"], unit, self._lines(k), code)


def _pairs_of(formula: str) -> Pairs:
    try:
        return read_equations(formula) if formula else []
    except NoFormulaError:
        return []


def _sizes_in(listed: Listed) -> dict[str, int]:
    """Return the vectors of a function of C, with their sizes."""
    return {name: SIZES[each.kind] for name, each in listed.statements.items() if each.kind in SIZES}


def _evaluate_step(pairs: Pairs, values: Values) -> None:
    """Give the targets of a step their values; one that has none keeps a number of its own."""
    for target, formula in pairs:
        try:
            found = evaluate(formula, values, {})
        except NoFormulaError:
            continue
        if not isinstance(found, tuple):
            values[target] = float(found)


def _is_square(root: Sequence[float], square: float) -> bool:
    return is_close(sum(part * part for part in root), max(square, 0.0))


def _is_reciprocal(of: Sequence[float], reciprocal: float) -> bool:
    return len(of) == 1 and is_close(of[0] * reciprocal, 1.0)


def _has_vectors(formula: Formula) -> bool:
    if isinstance(formula, WrittenCall) and formula.function in _VECTORS:
        return True
    return any(map(_has_vectors, parts_of(formula)))


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _opposite(test: Formula) -> Formula:
    if isinstance(test, Binary) and test.operator in _OPPOSITE:
        return Binary(_OPPOSITE[test.operator], test.left, test.right)
    return Unary("!", test)


def plain_condition(test: str, holds: bool) -> str:
    """Return what must hold as plain text."""
    formula = read_known(test)
    if formula is None:
        return test if holds else f"not ({test})"
    return text_of(formula if holds else _opposite(formula))
