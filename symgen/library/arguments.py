"""What a caller gives, as contiguous rows in the order of a function's ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.errors import InputError
from symgen.library.backends import INTEGER
from symgen.library.manifest import ManifestPort
from symgen.naming import nearest

INT32 = np.iinfo(np.int32)
#: Words of every call, which say how it runs.
KEYWORDS = ("check", "threads", "out")
#: So many solutions are tried to find a byte that two arrays have in common; those that are slices need fewer.
_OVERLAP_WORK: Any = 1000


def argument_name(port: ManifestPort) -> str:
    """Return the name by which a call takes an input: its own, with an underscore behind it if it is one of `KEYWORDS`.

    No name of a port ends with an underscore.
    """
    return f"{port.name}_" if port.name in KEYWORDS else port.name


def by_port(
    where: str, ports: Sequence[ManifestPort], given: Sequence[object], named: Mapping[str, object]
) -> tuple[object, ...]:
    """Sort positional and keyword arguments into port order.

    Raises
    ------
    InputError
        Too many, unknown, doubled or missing arguments; the message names the nearest port or those missing.
    """
    names = [argument_name(port) for port in ports]
    if len(given) > len(ports):
        raise InputError(f"{where}: {len(given)} positional arguments given, it takes {len(ports)}: {', '.join(names)}")
    values = dict(zip(names, given, strict=False))
    for name, value in named.items():
        if name not in names:
            raise InputError(
                f"{where}: no input {name!r}{_near(name, (*names, *KEYWORDS))}; inputs are {', '.join(names)}"
            )
        if name in values:
            raise InputError(f"{where}: input {name!r} given twice, by position and by name")
        values[name] = value
    missing = [port for port in ports if argument_name(port) not in values]
    if missing:
        hints = [f"; {p.name}=... says how the call runs, the input is {argument_name(p)}=..." for p in missing
                 if p.name in KEYWORDS]  # fmt: skip
        raise InputError(f"{where}: missing {'; '.join(map(_described, missing))}{''.join(hints)}")
    return tuple(values[name] for name in names)


def as_rows(
    where: str, ports: Sequence[ManifestPort], values: Sequence[object], real: np.dtype[Any]
) -> tuple[tuple[int, ...], list[NDArray[Any]]]:
    """Return the common leading batch shape and, for each port, contiguous rows ``(n, *shape)``.

    Parameters
    ----------
    values : for each port a scalar or array whose last axes are the port's shape; leading axes broadcast.
    real : dtype of real ports; integers are int32.

    Raises
    ------
    InputError
        An argument is not numeric, has the wrong last axes, or does not broadcast.
    """
    arrays = [_as_array(where, port, value, real) for port, value in zip(ports, values, strict=True)]
    leads = [array.shape[: array.ndim - len(port.shape)] for port, array in zip(ports, arrays, strict=True)]
    try:
        batch = leads[0] if leads and all(lead == leads[0] for lead in leads) else np.broadcast_shapes(*leads)
    except ValueError as error:
        shown = ", ".join(f"{port.name} {lead}" for port, lead in zip(ports, leads, strict=True) if lead)
        raise InputError(f"{where}: leading batch axes do not broadcast: {shown}") from error
    count = 1
    for extent in batch:
        count *= extent
    if count > INT32.max:
        raise InputError(f"{where}: {count} rows in one call; at most {INT32.max}: split the batch")
    rows = [
        np.ascontiguousarray(np.broadcast_to(array, batch + port.shape)).reshape((count, *port.shape))
        for port, array in zip(ports, arrays, strict=True)
    ]
    return batch, rows


def arrays_of(
    where: str,
    wanted: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]],
    batch: tuple[int, ...],
    inputs: Sequence[NDArray[Any]],
    out: Mapping[str, NDArray[Any]] | tuple[Any, ...],
) -> dict[str, NDArray[Any]]:
    """Return the arrays that a caller gives for results, by name, each of its shape and dtype, anywhere in memory.

    Parameters
    ----------
    wanted : shape and dtype of every result.
    batch : shape of the batch; () for a single row, which has no arrays.
    inputs : what they have to be apart from.

    Raises
    ------
    InputError
        One does not fit: which, what was found, what it has to be.
    """
    if not batch:
        raise InputError(f"{where}: out is for batches; for single rows in a loop there is prepare()")
    names = getattr(out, "_fields", None)
    given = dict(zip(names, out, strict=True)) if isinstance(out, tuple) and names is not None else out
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: out: must be an earlier result or a mapping of arrays, found {type(out).__name__}")
    for name, array in given.items():
        if name not in wanted:
            names = ", ".join(wanted)
            raise InputError(f"{where}: out: no result {name!r}{_near(name, list(wanted))}; results are {names}")
        shape, dtype = wanted[name]
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
            found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise InputError(f"{where}: out: {name} must be an array {dtype} {shape}, found {found}")
        if not array.flags.writeable:
            raise InputError(f"{where}: out: {name} is read-only")
        if _overlaps_itself(array):
            raise InputError(f"{where}: out: {name} has numbers that share memory (strides {array.strides})")
    arrays = list(given.items())
    for k, (name, array) in enumerate(arrays):
        if any(_overlap(array, other) for other in [*inputs, *(each for _, each in arrays[:k])]):
            raise InputError(f"{where}: out: {name} shares memory with an input or another result")
    return dict(given)


def _overlaps_itself(array: NDArray[Any]) -> bool:
    """Tell whether numbers of an array may lie over each other: an axis steps over less than those within it take."""
    if not array.size:
        return False
    axes = sorted((abs(step), extent) for step, extent in zip(array.strides, array.shape, strict=True) if extent > 1)
    taken = array.itemsize
    for step, extent in axes:
        if step < taken:
            return True
        taken += step * (extent - 1)
    return False


def _overlap(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Tell whether two arrays have a byte in common; where that takes long to find out, whether they may."""
    try:
        return bool(np.shares_memory(one, other, max_work=_OVERLAP_WORK))
    except np.exceptions.TooHardError:
        return True


def _as_array(where: str, port: ManifestPort, value: object, real: np.dtype[Any]) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.asarray(value)
    except ValueError as error:  # ragged lists
        raise InputError(f"{where}: input {_described(port)}: {error}") from error
    allowed = "biu" if port.kind == "int" else "biuf"
    if array.dtype.kind not in allowed:
        wants = f"; {_wants(port, array)}"
        raise InputError(f"{where}: input {_described(port)}: found values of type {array.dtype}{wants}")
    depth = len(port.shape)
    if array.shape[array.ndim - depth :] != port.shape or array.ndim < depth:
        raise InputError(f"{where}: input {_described(port)}: found shape {array.shape}; it must end with {port.shape}")
    if port.kind == "int":
        if array.size and (array.min() < INT32.min or array.max() > INT32.max):
            raise InputError(f"{where}: input {_described(port)}: found an integer beyond 32 bits")
        return array.astype(INTEGER)
    with np.errstate(over="ignore"):  # what is too large for float is infinite there: bad input
        return array.astype(real, copy=False)


def _wants(port: ManifestPort, found: NDArray[Any]) -> str:
    """Return what a port takes that was given values of another kind, and how floats become whole numbers."""
    if port.kind != "int":
        return "it takes real numbers"
    if found.dtype.kind != "f" or not found.size:
        return "it takes whole numbers"
    odd = found[np.rint(found) != found]  # NaN, too
    if odd.size:
        return f"it takes whole numbers, and {odd.flat[0]:g} is none"
    if found.ndim:
        return f"it takes whole numbers: give an array of integers, such as {port.name}.astype(numpy.int32)"
    return f"it takes whole numbers: write {port.name}={float(found):.0f}"


def _described(port: ManifestPort) -> str:
    unit = f" [{port.unit}]" if port.unit else ""
    shape = f" {port.shape}" if port.shape else ""
    meaning = f": {port.meaning}" if port.meaning else ""
    return f"{port.name}{shape}{unit}{meaning}"


def _near(name: str, names: Sequence[str]) -> str:
    found = nearest(name, names)
    return "" if found is None else f" (did you mean {found!r}?)"
