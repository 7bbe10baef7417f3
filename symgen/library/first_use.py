"""Closed forms that are rare and long: they are not shipped, but made on first use, under ids of their own.

Only what `symgen library list` shows of them stands here; `symgen.demand` makes them.
"""

from __future__ import annotations

from symgen.library.signatures import chain_of

#: Module -> keys of its arrangements.
ON_FIRST_USE: dict[str, tuple[str, ...]] = {
    "loop_pcs_c_angle": ("C*angle.S.C 3D", "C*angle.C.S 3D", "C.C*angle.S 3D"),
    "loop_pus_c_angle": ("C*angle.S.U 3D", "C*angle.U.S 3D", "U.C*angle.S 3D"),
    "loop_rus_u_angle1": ("U*angle1.S.U 3D", "U*angle1.U.S 3D", "U.U*angle1.S 3D"),
    "loop_rus_u_angle2": ("U*angle2.S.U 3D", "U*angle2.U.S 3D", "U.U*angle2.S 3D"),
}


def keys_on_first_use(text: str) -> tuple[str, ...]:
    """Return the keys that a signature or key means, in either reading direction; none if it means none of these."""
    return tuple(key for keys in ON_FIRST_USE.values() for key in keys if _means(text, key))


def modules_on_first_use(text: str) -> tuple[str, ...]:
    """Return the modules that solve a signature or key, in either reading direction; none if none of these does."""
    return tuple(module for module, keys in ON_FIRST_USE.items() if any(_means(text, key) for key in keys))


def _means(text: str, key: str) -> bool:
    """Tell whether a text is a key, or the signature that the key has without the names of its driven freedoms."""
    chain, own = chain_of(text), chain_of(key)
    if chain is None or own is None:
        return False
    return chain == own or (not chain.named and chain.counted() == own.counted())
