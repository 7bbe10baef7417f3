"""The registry of derived objects of the transfer matrices: name -> object, derived when it is asked for and kept.

Every result of every kernel is one: `body_transfer_spatial`, `hinge_revolute_h`, `hinge_revolute_eta`, ...; a kernel
with one result gives its object its name. Their claims are those of the kernel. The fixed and the free hinge, which
need no routine, are objects too. Kernels are derived by groups, when a name is asked for that may be of the group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from symgen.algebra import ZERO, symbol, symbol_names
from symgen.derive.derivation import Derivation
from symgen.derive.derived_object import Argument, DerivedObject, ObjectDerivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.items import Step
from symgen.derive.step_objects import step_objects
from symgen.derive.transfer.kernels import GROUPS, KernelGroup
from symgen.derive.transfer.ports import SOURCE, unit
from symgen.ir.nodes import Port

_LETTERS = {"u": "U", "x": "X", "h": "H", "a": "A", "ps_out": "P S", "e_out": "e", "ka": "Ka", "k0": "K0", "di": "D^-1"}
#: How the meaning of a port says that it is a matrix: "6 x 2, row by row".
_MATRIX = re.compile(r"\b(\d+) x (\d+)\b")


class _Registry(Mapping[str, DerivedObject]):
    """All objects by name; what a name cannot belong to is not derived.

    Named steps of the kernels are found by their names, `<kernel>_<step>`; iteration leaves them out.
    """

    def __getitem__(self, name: str) -> DerivedObject:
        if name in _WITHOUT_KERNEL:
            return _without_kernel(name)
        groups = [group for group in GROUPS if name.startswith(group.names)]
        for objects_of in (_results, _steps):
            for group in groups:
                if name in objects_of(group):
                    return objects_of(group)[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for group in GROUPS:
            yield from _results(group)
        yield from _WITHOUT_KERNEL

    def __len__(self) -> int:
        return sum(len(_results(group)) for group in GROUPS) + len(_WITHOUT_KERNEL)


@cache
def _results(group: KernelGroup) -> Mapping[str, DerivedObject]:
    return {made.name: made for d in group.derive() for made in _objects_of(d)}


@cache
def _steps(group: KernelGroup) -> Mapping[str, DerivedObject]:
    return {name: made for d in group.derive() for name, made in step_objects(d.name, d).items()}


@cache
def objects() -> Mapping[str, DerivedObject]:
    """Return all derived objects of the transfer matrices."""
    return _Registry()


def _objects_of(d: Derivation) -> list[DerivedObject]:
    results = {name: port for name, port in d.outputs.items() if d.output_part[name] == "position"}
    made = []
    for name, port in results.items():
        used = _used(d, port)
        arguments = tuple(
            Argument(p.name, p.shape, p.unit, p.elements, p.meaning, p.frame)
            for p in d.inputs.values()
            if used.intersection(p.elements)
        )
        title = f"{d.title}: {port.meaning}"
        own = d.name if len(results) == 1 else f"{d.name}_{name}"
        letter, entries = _LETTERS.get(name, name), tuple(symbol(element) for element in port.elements)
        made.append(DerivedObject(own, letter, title, arguments, _shape(port), port.unit, d.source, entries, d))
    return made


def _shape(port: Port) -> tuple[int, ...]:
    size = _MATRIX.search(port.meaning)
    if size and int(size[1]) * int(size[2]) == len(port.elements):
        return int(size[1]), int(size[2])
    return port.shape


def _used(d: Derivation, port: Port) -> set[str]:
    """Return the names that a result depends on."""
    needed = set(port.elements)
    for item in reversed(d.items):
        if isinstance(item, Step):
            for target, value in zip(item.targets, item.values, strict=True):
                if target in needed:
                    needed.update(symbol_names(value))
    return needed


def fixed() -> DerivedObject:
    """Give H of a fixed hinge: no columns; X = 1 and eta = 0."""
    return ObjectDerivation("hinge_fixed_h", "fixed hinge: H has no columns", SOURCE, "H").give_empty((6, 0))


def free() -> DerivedObject:
    """Give H of a free hinge, or of one that only springs hold: X = 1, eta = 0, so that qdd = a_O - a_I."""
    d = ObjectDerivation("hinge_free_h", "free hinge (bushing): H", SOURCE, "H")
    inner, outer = ([symbol(f"{tag}_{k}") for k in range(6)] for tag in ("inboard", "outboard"))
    for tag in ("inboard", "outboard"):
        d.input_array(
            f"a_{tag}", [f"{tag}_{k}" for k in range(6)], meaning=f"acceleration {tag}, for the proof", unit="SI"
        )
    qdd = [a - b for a, b in zip(outer, inner, strict=True)]
    gaps = [a + b - c for a, b, c in zip(inner, unit(6).times(qdd), outer, strict=True)]
    d.claim_identity("free", "a_I + H (a_O - a_I) = a_O for any accelerations", gaps, squares={})
    made = d.give(Matrix(tuple(tuple(value + ZERO for value in row) for row in unit(6))), "1")
    return DerivedObject(made.name, "H", made.title, (), made.shape, made.unit, made.source, made.entries, d)


_WITHOUT_KERNEL = {"hinge_fixed_h": fixed, "hinge_free_h": free}


@cache
def _without_kernel(name: str) -> DerivedObject:
    return _WITHOUT_KERNEL[name]()
