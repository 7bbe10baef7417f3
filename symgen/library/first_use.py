"""Closed forms that are rare and long: they are not shipped, but made on first use, under ids of their own.

Only what `symgen library list` shows of them stands here; `symgen.demand` makes them.
"""

from __future__ import annotations

from symgen.library.signatures import Chain, chain_of

#: Module -> keys of its arrangements.
ON_FIRST_USE: dict[str, tuple[str, ...]] = {
    "loop_pcs_c_angle": ("C*angle.S.C 3D", "C*angle.C.S 3D", "C.C*angle.S 3D"),
    "loop_rus_u_angle1": ("U*angle1.S.U 3D", "U*angle1.U.S 3D", "U.U*angle1.S 3D"),
    "loop_rus_u_angle2": ("U*angle2.S.U 3D", "U*angle2.U.S 3D", "U.U*angle2.S 3D"),
}


def modules_on_first_use(text: str) -> tuple[str, ...]:
    """Return the modules that solve a signature or key, in either reading direction; none if none of these does."""
    chain = chain_of(text)
    if chain is None:
        return ()
    fits = {chain, *([] if chain.named else [chain.counted()])}
    return tuple(module for module, keys in ON_FIRST_USE.items() if fits & _chains(keys))


def _chains(keys: tuple[str, ...]) -> set[Chain]:
    """Return what the keys are, and what they are without the names of driven freedoms."""
    named = [chain for key in keys if (chain := chain_of(key)) is not None]
    return {*named, *(chain.counted() for chain in named)}
