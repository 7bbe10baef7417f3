"""Elements of transfer matrices that are not symgen's, in numbers: their matrices, chains of them, boundaries.

An element that a user or a package derives (docs/own-derivations.md) carries a state of its own, so it is no joint or
body of a mechanism: `symgen vibrations` does not meet it. Chains of such elements are put together here.

>>> line = symgen.library()["liquid_line"]                                # doctest: +SKIP
>>> u = transfer_matrix(line, length=2, area=1e-4, density=1e3, speed=1400, frequency=w)  # doctest: +SKIP
>>> np.linalg.det(boundary(through(u, u), free=[1], zero=[0]))            # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.errors import InputError
from symgen.library.solved_type import SolvedType

#: As `symgen.derivations.element` calls its result and `symgen.derivations.formula` its method; they load SymPy.
PORT, METHOD = "transfer", "transfer element"


def transfer_matrix(element: SolvedType, **parameters: Any) -> NDArray[Any]:
    """Return the matrix of an element: the state at its root end from that at its tip.

    Parameters
    ----------
    element : of the library: ``symgen.library()["liquid_line"]``.
    parameters : its arguments by name, numbers or arrays with leading axes such as frequencies.

    Returns
    -------
    (..., n, n) array
        NaN for rows that are not solved.

    Raises
    ------
    InputError
        The type is no element, or arguments are missing or unknown.
    SolveError
        A single matrix is refused; a batch never raises.
    """
    if element.entry.manifest.method != METHOD:
        raise InputError(
            f"{element.key} is not an element of transfer matrices; its method is {element.entry.manifest.method}"
        )
    flat = np.asarray(getattr(element.kernel.position(**parameters), PORT))
    size = math.isqrt(flat.shape[-1])
    return flat.reshape(*flat.shape[:-1], size, size)


def through(*matrices: NDArray[Any]) -> NDArray[Any]:
    """Return the matrix of a chain of elements, the one nearest the tip first.

    Raises
    ------
    InputError
        There is none, or their states have different sizes.
    """
    sizes = {matrix.shape[-2:] for matrix in matrices}
    if len(sizes) != 1:
        raise InputError(f"a chain is of one or more matrices of one size; found {sorted(sizes) or 'none'}")
    return reduce(lambda reached, matrix: matrix @ reached, matrices)


def boundary(chain: NDArray[Any], *, free: Sequence[int], zero: Sequence[int]) -> NDArray[Any]:
    """Return what must be singular at an eigenfrequency: the rows that vanish at the root of what is free at the tip.

    Parameters
    ----------
    chain : (..., n, n), from the tip to the root.
    free : places of the tip's state that are not zero, from 0.
    zero : places of the root's state that are zero; as many.

    Raises
    ------
    InputError
        The places are not in the state, or not as many.
    """
    size = chain.shape[-1]
    places = (*free, *zero)
    if len(free) != len(zero) or not free or not all(0 <= place < size for place in places):
        raise InputError(
            f"free at the tip {list(free)}, zero at the root {list(zero)}: give as many of each, numbered from 0 to "
            f"{size - 1}"
        )
    return chain[..., list(zero), :][..., :, list(free)]
