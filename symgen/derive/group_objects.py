"""Derived objects of solved types: every named step of a kernel's closed form, for its arguments.

The steps of `dyad_rrr` are the objects `dyad_rrr_area2`, `dyad_rrr_p`, `dyad_rrr_omega_1`, ...: what a source prints
for the same group can be compared with each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from symgen.derive.catalogue import derive_module, module_ids, registered
from symgen.derive.derived_object import DerivedObject
from symgen.derive.step_objects import step_objects


def families() -> tuple[str, ...]:
    """Return the ids of all modules of the library, and of a user's own that are registered; each has objects."""
    return *module_ids(), *registered()


@cache
def steps_of(module_id: str) -> Mapping[str, DerivedObject]:
    """Derive a module and return the steps of its kernel as objects, in their order."""
    return step_objects(module_id, derive_module(module_id).kernel)
