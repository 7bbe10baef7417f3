"""Every module that symgen can derive, by id; derived on demand."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from symgen.derive.module import ModuleDerivation
from symgen.derive.planar.shipped import SHIPPED
from symgen.derive.rings.modules import PREFIX, derive_by_id
from symgen.derive.rings.shipped import LOOPS, RARE
from symgen.errors import InputError

#: module id -> (file below symgen.derive, function, its arguments). In the order of the library.
_HOMES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    **{f"driven_{t.lower()}_2d": ("driven.joint", "derive_planar", (t,)) for t in ("R", "P", "FP")},
    **{f"driven_{t.lower()}_3d": ("driven.joint", "derive_spatial", (t,)) for t in ("R", "P")},
    "driven_h_3d": ("driven.screw", "derive", ()),
    **{f"driven_{t.lower()}_3d": ("driven.joint", "derive_spatial", (t,)) for t in ("C", "U", "S", "PL", "F")},
    "dyad_rrr": ("planar.dyad_rrr", "derive", ()),
    "dyad_rrp": ("planar.dyad_rrp", "derive", ()),
    "dyad_prp": ("planar.dyad_prp", "derive", ()),
    **{name: ("planar.modules", "derive_shipped", (name, *arguments)) for name, arguments in SHIPPED.items()},
    **{name: ("rings.shipped", "derive", (name,)) for name in LOOPS},
}


#: Made on first use.
_RARE: dict[str, tuple[str, str, tuple[str, ...]]] = {name: ("rings.shipped", "derive", (name,)) for name in RARE}

#: Rings that are shipped: groups of three and four bodies of Celdran, Saura, Dopico 2022 and their driven variants.
#: Any other ring is derived on demand, by an id of the same form.
_RINGS = ("ring_p_rd_s_u", "ring_r_u_angle1_s_r", "ring_r_u_angle2_s_r", "ring_r_r_r_s")


#: Derivations that are not ours and that this process has been told of, by id (`symgen.derivations.sources`).
_OWN: dict[str, ModuleDerivation] = {}


def register(module: ModuleDerivation) -> None:
    """Make a derivation of a user or of a third party known to this process; the last one of an id counts."""
    _OWN[module.id] = module


def registered() -> tuple[str, ...]:
    """Return the ids of derivations that are not ours, in the order in which they were registered."""
    return tuple(_OWN)


#: Asked for ids that nobody here knows: what installed packages offer, once a verb has asked for that.
_FINDERS: list[Callable[[str], ModuleDerivation | None]] = []


def add_finder(find: Callable[[str], ModuleDerivation | None]) -> None:
    """Let `derive_module` ask `find` for ids that are neither ours nor registered; each finder once."""
    if find not in _FINDERS:
        _FINDERS.append(find)


def module_ids() -> tuple[str, ...]:
    """Return the ids of all modules that are shipped, in library order."""
    return (*_HOMES, *_RINGS)


def rare_ids() -> tuple[str, ...]:
    """Return the ids of modules with homes of their own that are made on first use."""
    return tuple(_RARE)


def home_of(module_id: str) -> str:
    """Return the Python module that derives a module."""
    home = {**_HOMES, **_RARE}.get(module_id)
    if home is not None:
        return f"symgen.derive.{home[0]}"
    return derive_by_id.__module__ if module_id.startswith(PREFIX) else "symgen.derive.planar.modules"


def _planar(module_id: str) -> ModuleDerivation | None:
    from symgen.derive.planar.modules import planar_by_id

    return planar_by_id(module_id)


def derive_module(module_id: str) -> ModuleDerivation:
    """Derive one module: of the library, or a planar group or a ring on demand."""
    if module_id in _OWN:
        return _OWN[module_id]
    homes = {**_HOMES, **_RARE}
    if module_id not in homes:
        module = derive_by_id(module_id) if module_id.startswith(PREFIX) else _planar(module_id)
        if module is not None:
            return module
        for find in _FINDERS:
            module = find(module_id)
            if module is not None:
                return module
        raise InputError(
            f"no module {module_id!r}; a derivation of your own is named with --own FILE.py:NAME; there are "
            f"{', '.join(homes)}"
        )
    file, function, arguments = homes[module_id]
    derive: Callable[..., ModuleDerivation] = getattr(import_module(f"symgen.derive.{file}"), function)
    return derive(*arguments)
