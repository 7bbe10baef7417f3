"""symgen: the symbolic code generator for mechanisms.

The names below are bound on first use, so that ``import symgen`` loads neither
NumPy nor SymPy nor a compiler:

>>> import symgen
>>> mechanism = symgen.load("stewart.toml")        # doctest: +SKIP
>>> structure = symgen.analyse(mechanism)          # doctest: +SKIP
>>> dyad = symgen.library()["R.R.R 2D"]            # doctest: +SKIP
>>> result = symgen.solve(mechanism, times)        # doctest: +SKIP
>>> found = symgen.accelerations(mechanism)        # doctest: +SKIP
>>> known = symgen.reactions(mechanism)            # doctest: +SKIP
>>> motion = symgen.simulate(mechanism, method="dimcd", step=0.01, until=10.0)    # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symgen.errors import SymgenError as SymgenError
    from symgen.library.open import library as library
    from symgen.model.load import load as load
    from symgen.model.mechanism import Mechanism as Mechanism
    from symgen.reactions.uniqueness import reactions as reactions
    from symgen.simulate.simulation import simulate as simulate
    from symgen.solve.assemblies import assemblies as assemblies
    from symgen.solve.assemblies import follow_assemblies as follow_assemblies
    from symgen.solve.motion import solve as solve
    from symgen.status import Status as Status
    from symgen.topology.analysis import analyse as analyse
    from symgen.topology.structure import Structure as Structure
    from symgen.topology.transformations.transform import transform as transform
    from symgen.transfer.accelerations import accelerations as accelerations
    from symgen.vibrations.analysis import vibrations as vibrations

__version__ = "0.1.0"

# Public name -> module it lives in. `library` and `solve` are subpackages that can be called (see their __init__).
_HOMES = {
    "load": "symgen.model.load",
    "Mechanism": "symgen.model.mechanism",
    "analyse": "symgen.topology.analysis",
    "Structure": "symgen.topology.structure",
    "transform": "symgen.topology.transformations.transform",
    "library": "symgen.library",
    "solve": "symgen.solve",
    "simulate": "symgen.simulate",
    "accelerations": "symgen.transfer.accelerations",
    "reactions": "symgen.reactions",
    "assemblies": "symgen.solve.assemblies",
    "follow_assemblies": "symgen.solve.assemblies",
    "vibrations": "symgen.vibrations",
    "Status": "symgen.status",
    "SymgenError": "symgen.errors",
}

__all__ = [
    "Mechanism", "Status", "Structure", "SymgenError", "__version__",
    "accelerations", "analyse", "assemblies", "follow_assemblies", "library", "load", "reactions", "simulate", "solve",
    "transform", "vibrations",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'symgen' has no attribute {name!r}; it has {', '.join(sorted(_HOMES))}")
    module = import_module(home)
    value = module if home == f"symgen.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
