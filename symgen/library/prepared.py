"""The fast path: arrays are allocated and their pointers taken once, then a call has no arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.library.backends import INTEGER, Backend
from symgen.library.manifest import Function, ManifestPort
from symgen.model.named import Named


class PreparedCall:
    """A function of a solved type bound to arrays of its own.

    Fill ``inputs[name][...]``, call, read ``outputs[name]``. Nothing is checked and
    nothing allocated; the call returns the status as an int (of several rows the first
    that is not OK). Outputs of a row that is not solved keep what they held before.

    Attributes
    ----------
    inputs : dict of str to ndarray
        One array for each input port, of the port's shape (0-d for scalars), with a leading axis if `rows` was given.
        A name that is none is refused with the nearest.
    outputs : dict of str to ndarray
        The same for the output ports.
    status : ndarray of int32
        Status of each row, shape ``(rows,)``.
    run : callable
        The call itself without the thin method around it: the quickest way in.

    Examples
    --------
    >>> call = dyad.position.prepare()                     # doctest: +SKIP
    >>> call.inputs["k1"][:] = 0.0, 0.0, 0.5               # doctest: +SKIP
    >>> if call() == 0: x, y, phi = call.outputs["b1"]     # doctest: +SKIP
    """

    __slots__ = ("inputs", "outputs", "run", "status")

    def __init__(
        self, function: Function, backend: Backend, real: np.dtype[Any], rows: int | None, where: str | None = None
    ) -> None:
        count = 1 if rows is None else rows
        inputs = [_zeros(count, port, real) for port in function.inputs]
        outputs = [_zeros(count, port, real) for port in function.outputs]
        self.status: NDArray[np.int32] = np.zeros(count, dtype=np.int32)
        self.run = backend.bind(function, inputs, outputs, self.status)
        name = where or function.name
        self.inputs = Named(f"input of {name},", _views(function.inputs, inputs, rows))
        self.outputs = Named(f"output of {name},", _views(function.outputs, outputs, rows))

    def __call__(self) -> int:
        """Run; return the first status that is not OK, else OK."""
        return self.run()


def _zeros(count: int, port: ManifestPort, real: np.dtype[Any]) -> NDArray[Any]:
    return np.zeros((count, *port.shape), dtype=INTEGER if port.kind == "int" else real)


def _views(ports: tuple[ManifestPort, ...], arrays: list[NDArray[Any]], rows: int | None) -> dict[str, NDArray[Any]]:
    if rows is not None:
        return {port.name: array for port, array in zip(ports, arrays, strict=True)}
    return {port.name: array.reshape(port.shape) for port, array in zip(ports, arrays, strict=True)}
