"""Modules of planar groups on demand, by signature: chains and platforms that come down to the kernels there are.

Source: docs/closed-forms.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from symgen.derive.derivation import Derivation
from symgen.derive.module import Arrangement, ModuleDerivation, overview
from symgen.derive.planar import dyad_prp, dyad_rrp, dyad_rrr, triad_kernel
from symgen.derive.planar.chain import KERNELS, chain_of, derive_chain, types_of
from symgen.derive.planar.pairs import Links, pairs_of
from symgen.derive.planar.plans import platform_of
from symgen.derive.planar.platform import derive_platform
from symgen.derive.planar.reading import NamedGroup, name_of, readings, text_of
from symgen.derive.planar.triad_kernel import Kinds, degree_of, derive_kernel
from symgen.ir.nodes import Routine

_SOURCE = "docs/closed-forms.md"
#: What ids of modules on demand begin with.
PREFIX = "planar_"
_DYADS = ("dyad_rrr", "dyad_rrp", "dyad_prp")


def planar_module(signature: str) -> ModuleDerivation | None:
    """Derive the module of a planar group.

    Parameters
    ----------
    signature : signature or key of a group of R, P and L (a pin in a slot), with or without driven freedoms.

    Returns
    -------
    ModuleDerivation or None
        None if it is no such group, is singular, has no closed form here, or if what the signature leaves open leads
        to different kernels: `planar_signatures` has the texts that then lead to one each.
    """
    found = readings(signature)
    kernels = {_kernel_of(reading) for reading in found}
    kernel = next(iter(kernels), None)
    if len(kernels) != 1 or kernel is None:
        return None
    return module_of(PREFIX + (found[0].id if len(found) == 1 else name_of(signature)), kernel, found)


def has_kernel(signature: str) -> bool:
    """Tell whether `planar_ids` has a module of a signature or key; nothing is derived."""
    return any(_kernel_of(reading) is not None for reading in readings(signature))


def planar_signatures(signature: str) -> tuple[str, ...]:
    """Return the texts, one a module, that together solve a planar signature; none if it is not solved."""
    if planar_module(signature) is not None:
        return (signature,)
    found = [reading for reading in readings(signature) if _kernel_of(reading) is not None]
    return tuple(dict.fromkeys(_key(reading) for reading in found))


def planar_ids(signature: str) -> tuple[str, ...]:
    """Return the ids of the modules that solve a planar signature on demand; none if it is not solved."""
    modules = (planar_module(text) for text in planar_signatures(signature))
    return tuple(module.id for module in modules if module is not None)


def planar_by_id(module_id: str) -> ModuleDerivation | None:
    """Derive the module with an id that `planar_ids` returns; None if it is no such id."""
    text = text_of(module_id.removeprefix(PREFIX)) if module_id.startswith(PREFIX) else None
    module = None if text is None else planar_module(text)
    return module if module is not None and module.id == module_id else None


def derive_shipped(id_: str, kernel: str, *named: str) -> ModuleDerivation:
    """Derive a module of the shipped library.

    Parameters
    ----------
    kernel : module whose kernel it has.
    named : for each arrangement its id, a colon, and its key; without an id it is called as on demand.
    """
    found = []
    for text in named:
        name, _, key = text.rpartition(":")
        (reading,) = readings(key)
        found.append(replace(reading, id=name or reading.id))
    return module_of(id_, kernel, found)


def _key(reading: NamedGroup) -> str:
    blank = Derivation("key", level="group", title="", source="", arrangement=reading.id)
    return Arrangement(reading.id, "planar", reading.known, reading.bodies, reading.slots, blank).key


def _links(reading: NamedGroup) -> Links:
    return Links(reading.known, reading.bodies, pairs_of(reading.slots))


def _kernel_of(reading: NamedGroup) -> str | None:
    """Return the module whose kernel solves a reading, or None."""
    links = _links(reading)
    if any(links.is_known(body) for body in reading.bodies):
        return None  # a driven outer pair is a group of its own
    way = chain_of(links, reading.known)
    if way is not None:
        return KERNELS.get(types_of(way))
    plan = platform_of(links)
    return None if plan is None else plan.kernel


def module_of(id_: str, kernel: str, found: Sequence[NamedGroup]) -> ModuleDerivation:
    """Return a module of some readings that share a kernel."""
    make, degree, summary = _kernels()[kernel]
    derived = make()
    bits = [(bit.name, bit.meaning) for bit in derived.bits]
    keys = [_key(reading) for reading in found]
    return ModuleDerivation(
        id=id_,
        title=_title(keys, kernel),
        space="planar",
        degree=degree,
        source=_SOURCE,
        summary=summary,
        kernel=derived,
        arrange=lambda position: tuple(_arranged(id_, reading, position, bits) for reading in found),
    )


def _title(keys: Sequence[str], kernel: str) -> str:
    shown = ", ".join(keys[:3]) + (", ..." if len(keys) > 3 else "")
    return f"{shown}, by {kernel.replace('_', ' ')}"


def _arranged(id_: str, reading: NamedGroup, position: Routine, bits: Sequence[tuple[str, str]]) -> Arrangement:
    title = f"{_key(reading)} group between moving bodies"
    derive = derive_chain if chain_of(_links(reading), reading.known) is not None else derive_platform
    group = derive(id_, reading.id, title, _SOURCE, reading.known, reading.bodies, reading.slots, position, bits)
    return Arrangement(reading.id, "planar", reading.known, reading.bodies, reading.slots, group)


@cache
def _kernels() -> dict[str, tuple[Callable[[], Derivation], int, tuple[str, ...]]]:
    """Return for each kernel its derivation, its degree and its explanation."""
    found: dict[str, tuple[Callable[[], Derivation], int, tuple[str, ...]]] = {}
    for name, home in zip(_DYADS, (dyad_rrr, dyad_rrp, dyad_prp), strict=True):
        found[name] = (home.derive_kernel, 1 if name == "dyad_prp" else 2, overview(home.__doc__))
    text = overview(triad_kernel.__doc__)
    for kinds in TRIADS:
        found[f"triad_{'_'.join(kinds)}"] = (lambda kinds=kinds: derive_kernel(kinds), degree_of(kinds), text)  # type: ignore[misc]
    return found


#: Legs of the ten class III triads without a leg of two slides.
TRIADS: tuple[Kinds, ...] = (
    ("rr", "rr", "rr"), ("rr", "rr", "pr"), ("rr", "rr", "rp"), ("rr", "pr", "pr"), ("rr", "pr", "rp"),
    ("rr", "rp", "rp"), ("pr", "pr", "pr"), ("pr", "pr", "rp"), ("pr", "rp", "rp"), ("rp", "rp", "rp"),
)  # fmt: skip
