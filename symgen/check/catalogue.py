"""All derived objects by name, in families: dynamics, loops, counts, wrenches, transfer, solved types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from symgen.derive import group_objects
from symgen.derive.derived_object import DerivedObject
from symgen.derive.dynamics import objects as dynamics
from symgen.derive.dynamics import wrench_objects
from symgen.derive.loops import objects as loops
from symgen.derive.structure import objects as structure
from symgen.derive.transfer import objects as transfer
from symgen.model.nearest import did_you_mean

_GENERAL: dict[str, Callable[[], Mapping[str, DerivedObject]]] = {
    "dynamics": dynamics.objects,
    "loops": loops.objects,
    "structure": structure.objects,
    "reactions": wrench_objects.objects,
    "transfer": transfer.objects,
}
#: Families of which the names are known before anything is derived.
_QUICK = tuple(family for family in _GENERAL if family != "transfer")


class ObjectCatalogue(Mapping[str, DerivedObject]):
    """Derived objects; a family is derived only if those before it do not have a name.

    Those of solved types are found by name and by family. They are many: iteration leaves them out.
    """

    def __getitem__(self, name: str) -> DerivedObject:
        module = self._type_of(name)
        if module:
            return group_objects.steps_of(module)[name]
        for family in _GENERAL.values():
            if name in family():
                return family()[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for family in _GENERAL.values():
            yield from family()

    def __len__(self) -> int:
        return sum(len(family()) for family in _GENERAL.values())

    def family(self, name: str) -> Mapping[str, DerivedObject]:
        """Return the objects of a family, by name.

        Raises
        ------
        KeyError
            There is no such family.
        """
        return _GENERAL[name]() if name in _GENERAL else group_objects.steps_of(_of_the_library(name))

    def near(self, name: str) -> str:
        """Return which object was likely meant, as the end of a message."""
        module = self._type_of(name)
        if module:
            return did_you_mean(name, group_objects.steps_of(module))
        quick = [known for family in _QUICK for known in _GENERAL[family]()]
        return did_you_mean(name, quick) or did_you_mean(name, self)

    @staticmethod
    def _type_of(name: str) -> str:
        """Return the solved type that a name begins with; "" if there is none."""
        return max((m for m in group_objects.families() if name.startswith(f"{m}_")), key=len, default="")


def _of_the_library(name: str) -> str:
    if name not in group_objects.families():
        raise KeyError(name)
    return name


def families() -> tuple[str, ...]:
    """Return the names of all families: the general ones, then the solved types."""
    return (*_GENERAL, *group_objects.families())


def general_families() -> tuple[str, ...]:
    """Return the names of the families that are no solved types."""
    return tuple(_GENERAL)


@cache
def derived_objects() -> ObjectCatalogue:
    """Return all derived objects; each is derived when it is asked for."""
    return ObjectCatalogue()
