"""A compiled function on rows: what can be prepared is prepared once, outputs are written by the function alone.

A batch whose arrays are as the function wants them (its dtype, contiguous, one leading axis) costs a few microseconds
before its first row; `RowsCall` looks no further than that and leaves everything else to `symgen.library.arguments`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symgen.library.backends import INTEGER, CBackend
from symgen.library.manifest import Function, Port
from symgen.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable

_FLOATS, _INTEGERS = (float, int), (int,)
_DTYPE, _SHAPE = attrgetter("dtype"), attrgetter("shape")
_LARGEST = int(np.iinfo(np.int32).max)


class RowsCall:
    """One function of compiled code.

    Parameters
    ----------
    real : dtype of real ports.
    result : makes the result of the output arrays and the status.
    """

    def __init__(
        self, function: Function, backend: CBackend, real: np.dtype[Any], result: Callable[[Sequence[Any]], Any]
    ) -> None:
        self._function, self._backend, self._real, self._result = function, backend, real, result
        entry = backend.entry(function)
        self._call, self._pointer, self._table = entry.call, entry.pointer, entry.table
        self._dtypes = [_dtype(port, real) for port in function.inputs]
        self._depths = [len(port.shape) + 1 for port in function.inputs]
        self._scalars = [() if port.shape else _INTEGERS if port.kind == "int" else _FLOATS for port in function.inputs]
        self._made = [_dtype(port, real) for port in function.outputs] + [INTEGER]
        self._shapes: tuple[int, list[tuple[int, ...]], list[tuple[int, ...]]] = (-1, [], [])

    def quick(self, values: Sequence[Any]) -> Any:
        """Return the result of a batch with one leading axis; None if any value has to be looked at more closely.

        Parameters
        ----------
        values : of the input ports, in their order.
        """
        count = self._count(values)
        known, wanted, made = self._shapes
        if known != count:
            if count is None:
                return None
            wanted, made = self._shapes_of(count)
        try:
            alike = list(map(_DTYPE, values)) == self._dtypes and list(map(_SHAPE, values)) == wanted
            inputs: Sequence[Any] | None = values if alike else None
        except AttributeError:  # there is a number among them
            inputs = self._spread(values, wanted)
        if inputs is None:
            return None
        try:
            pointers = list(map(self._pointer, inputs))
        except (TypeError, ValueError, BufferError):  # no array; not contiguous
            return None
        outputs = list(map(np.empty, made, self._made))
        pointers += map(self._pointer, outputs)
        if self._call(count, self._table(pointers)):
            self._settle_failed(inputs, outputs)
        return self._result(outputs)

    def _count(self, values: Sequence[Any]) -> int | None:
        """Return the number of rows by the first array that has any."""
        for value, depth in zip(values, self._depths, strict=True):
            if type(value) is np.ndarray and value.ndim == depth:
                count = len(value)
                return count if 0 < count <= _LARGEST else None
        return None

    def _spread(self, values: Sequence[Any], wanted: Sequence[tuple[int, ...]]) -> list[Any] | None:
        """Return the values with single numbers as columns; None if one is neither a number nor an array that fits."""
        found: list[Any] = []
        for value, dtype, shape, scalars in zip(values, self._dtypes, wanted, self._scalars, strict=True):
            if type(value) in scalars:
                column = np.empty(shape, dtype)
                try:
                    column.fill(value)
                except OverflowError:
                    return None
                found.append(column)
            elif type(value) is np.ndarray and value.dtype == dtype and value.shape == shape:
                found.append(value)
            else:
                return None
        return found

    def run(self, inputs: list[NDArray[Any]], outputs: list[NDArray[Any]], status: NDArray[Any]) -> None:
        """Write outputs and status of rows (n, ...) that are in place, whatever the outputs held."""
        if self._backend.bind(self._function, inputs, outputs, status)():
            self._settle_failed(inputs, [*outputs, status])

    def _shapes_of(self, count: int) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """Return the shapes of inputs, and of outputs and status, for a number of rows."""
        known, wanted, made = self._shapes
        if known != count:
            wanted = [(count, *port.shape) for port in self._function.inputs]
            made = [*((count, *port.shape) for port in self._function.outputs), (count,)]
            self._shapes = (count, wanted, made)
        return wanted, made

    def _settle_failed(self, inputs: Sequence[NDArray[Any]], outputs: list[NDArray[Any]]) -> None:
        """Give what is not written in failed rows its value: these rows are run again, on outputs that hold it."""
        failed = np.flatnonzero(outputs[-1] != Status.OK)
        again = [unwritten(len(failed), port, self._real) for port in self._function.outputs]
        status = np.empty(len(failed), dtype=INTEGER)
        self._backend.bind(self._function, [np.ascontiguousarray(each[failed]) for each in inputs], again, status)()
        for array, rows in zip(outputs, [*again, status], strict=True):
            array[failed] = rows


def unwritten(count: int, port: Port, real: np.dtype[Any]) -> NDArray[Any]:
    """Return rows of an output as they are where the function writes nothing: NaN, of whole numbers 0."""
    if port.kind == "int":
        return np.zeros((count, *port.shape), dtype=INTEGER)
    return np.full((count, *port.shape), np.nan, dtype=real)


def _dtype(port: Port, real: np.dtype[Any]) -> np.dtype[Any]:
    return INTEGER if port.kind == "int" else real
