"""A derived object: an equation as a derivation with arguments, a shape, a source and claims.

What a source prints can be compared with it: `agrees` proves that printed expressions equal the entries whenever the
quaternions among the arguments are of unit length. `symgen.proofs.prove` proves the claims of its derivation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from symgen.algebra import ONE, Expr, replace, symbol, symbol_names, vanishes, without_positive_parts
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, name_several
from symgen.derive.items import Step
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector

PAPER = "Urkullu, Fernandez de Bustos, Garcia-Marina, Uriarte, direct integration through central differences"


@dataclass(frozen=True)
class Argument:
    """An argument: `elements` are the symbols of its components, in order; the shape of a scalar is ().

    `frame` says in whose axes the components are; "" where the meaning says it, or there are none.
    """

    name: str
    shape: tuple[int, ...]
    unit: str
    elements: tuple[str, ...]
    meaning: str
    frame: str = ""


@dataclass(frozen=True)
class DerivedObject:
    """An equation that symgen derives.

    Attributes
    ----------
    name, letter : what it is called here, and in the source.
    signs : arguments that are +1 or -1: which branch of a root is taken.
    arguments : in order; all of them are symbols of `formula`.
    shape : (), (n,) or (rows, columns); `entries` are the steps, row by row.
    unit, source : as text; the source gives the equation's number.
    """

    name: str
    letter: str
    title: str
    arguments: tuple[Argument, ...]
    shape: tuple[int, ...]
    unit: str
    source: str
    entries: tuple[Expr, ...]
    derivation: Derivation
    signs: tuple[str, ...] = ()

    @cached_property
    def formula(self) -> tuple[Expr, ...]:
        """The entries in terms of the arguments, steps put in, nothing expanded; roots of what is not negative."""
        return self.formula_of(frozenset())

    def formula_of(self, kept: frozenset[str]) -> tuple[Expr, ...]:
        """Return the entries in terms of the arguments and of steps that are kept by name."""
        kept = kept.union(self.signs)
        needed = {name for entry in self.entries for name in symbol_names(entry)}
        steps: list[tuple[str, Expr]] = []
        for item in reversed(self.derivation.items):
            if isinstance(item, Step):
                for target, value in reversed(list(zip(item.targets, item.values, strict=True))):
                    if target in needed and target not in kept:
                        steps.append((target, without_positive_parts(value, _always)))
                        needed.update(symbol_names(value))
        unfolded: dict[str, Expr] = {}
        for target, value in reversed(steps):
            unfolded[target] = replace(value, {n: unfolded[n] for n in symbol_names(value) if n in unfolded})
        return tuple(replace(entry, {n: unfolded[n] for n in symbol_names(entry) if n in unfolded})
                     for entry in self.entries)  # fmt: skip

    @cached_property
    def given(self) -> Mapping[str, Expr]:
        """What the squares of its signs, and of the first components of unit vectors and quaternions, equal."""
        found = dict.fromkeys(self.signs, ONE)
        for port in self.derivation.inputs.values():
            if port.range in ("unit", "q unit") and len(port.elements) in (2, 3, 4, 7):
                first, *others = port.elements[-4:]
                rest = ONE
                for name in others:
                    rest = rest - symbol(name) * symbol(name)
                found[first] = rest
        return found

    def of(self, names: Sequence[str]) -> DerivedObject:
        """Return the object of these arguments only: others are there for the proof."""
        return dataclasses.replace(self, arguments=tuple(a for a in self.arguments if a.name in names))

    def argument(self, name: str) -> tuple[Expr, ...]:
        """Return the symbols of an argument."""
        (found,) = (a for a in self.arguments if a.name == name)
        return tuple(symbol(element) for element in found.elements)

    def agrees(self, printed: Sequence[Expr], shape: tuple[int, ...] | None = None) -> bool:
        """Prove that expressions equal the entries for vectors of unit length; False if they do not, or do not fit."""
        if shape not in (None, self.shape) or len(printed) != len(self.entries):
            return False
        return all(vanishes(p - e, self.given) for p, e in zip(printed, self.formula, strict=True))


class Registry(Mapping[str, DerivedObject]):
    """Objects by name, each derived when it is first asked for."""

    def __init__(self, builders: Mapping[str, Callable[[], DerivedObject]]) -> None:
        self._builders = builders
        self._derived: dict[str, DerivedObject] = {}

    def __getitem__(self, name: str) -> DerivedObject:
        if name not in self._derived:
            self._derived[name] = self._builders[name]()
        return self._derived[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._builders)

    def __len__(self) -> int:
        return len(self._builders)

    def __contains__(self, name: object) -> bool:
        return name in self._builders


class ObjectDerivation(Derivation):
    """A derivation that ends in one object."""

    def __init__(self, name: str, title: str, equation: str, letter: str = "") -> None:
        source = f"{PAPER}, {equation}" if equation.startswith("Eq.") else equation
        super().__init__(name, level="kernel", title=title, source=source)
        self.letter = letter

    def give(self, values: Matrix | Vector | Quaternion | Sequence[Expr] | Expr, unit: str) -> DerivedObject:
        """Name the entries and return the object."""
        return self.give_one_of(self.name, "entry", values, unit)

    def give_one_of(
        self, name: str, prefix: str, values: Matrix | Vector | Quaternion | Sequence[Expr] | Expr, unit: str
    ) -> DerivedObject:
        """Name the entries `<prefix>_0`, `<prefix>_1`, ... and return one of several objects of this derivation."""
        flat, shape = _flat(values)
        entries: tuple[Expr, ...] = ()
        if flat:
            names = [f"{prefix}_{k}" for k in range(len(flat))]
            entries = name_several(self, prefix, names, flat, "entries, by rows", unit)
            self.output(f"{prefix}_values", entries, meaning=self.title, unit=unit)
        return self._object(name, shape, unit, entries)

    def give_empty(self, shape: tuple[int, ...]) -> DerivedObject:
        """Return an object without entries."""
        return self._object(self.name, shape, "", ())

    def _object(self, name: str, shape: tuple[int, ...], unit: str, entries: tuple[Expr, ...]) -> DerivedObject:
        arguments = tuple(
            Argument(p.name, p.shape, p.unit, p.elements, p.meaning, p.frame) for p in self.inputs.values()
        )
        letter = self.letter or name
        return DerivedObject(name, letter, self.title, arguments, shape, unit, self.source, entries, self)


def _always(_value: Expr) -> bool:
    return True


def _flat(values: Matrix | Vector | Quaternion | Sequence[Expr] | Expr) -> tuple[tuple[Expr, ...], tuple[int, ...]]:
    """Return entries, row by row, and shape."""
    if isinstance(values, Matrix):
        return values.entries, values.shape
    if isinstance(values, (Vector, Quaternion)):
        return values.components, (len(values.components),)
    if isinstance(values, (tuple, list)):
        return tuple(values), (len(values),)
    return (values,), ()  # type: ignore[return-value]
