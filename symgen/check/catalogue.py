"""All derived objects by name: of the dynamics, of the transfer matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from symgen.derive.dynamics import objects as dynamics
from symgen.derive.dynamics.derived_object import DerivedObject
from symgen.derive.transfer import objects as transfer


class _Catalogue(Mapping[str, DerivedObject]):
    """Registries one behind the other; one is made only if those before it do not have a name."""

    def __init__(self, registries: tuple[Callable[[], Mapping[str, DerivedObject]], ...]) -> None:
        self._registries = registries

    def __getitem__(self, name: str) -> DerivedObject:
        for registry in self._registries:
            if name in registry():
                return registry()[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for registry in self._registries:
            yield from registry()

    def __len__(self) -> int:
        return sum(len(registry()) for registry in self._registries)


@cache
def derived_objects() -> Mapping[str, DerivedObject]:
    """Return all derived objects; each is derived when it is asked for."""
    return _Catalogue((dynamics.objects, transfer.objects))
