"""Solved types to call: by keyword or position, one row or many.

>>> import symgen
>>> dyad = symgen.library()["R.R.R 2D"]                                   # doctest: +SKIP
>>> found = dyad.position(k1=[0, 0, 0], k2=[1, 0, 0], ..., branch=0)      # doctest: +SKIP
>>> found.b1, found.status                                                # doctest: +SKIP
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from symgen.build.notices import say_once
from symgen.errors import BuildError, InputError, SolveError
from symgen.library.arguments import argument_name, arrays_of, as_rows, by_port
from symgen.library.backends import INTEGER, REAL, Backend, CBackend
from symgen.library.catalogue import Entry, Module
from symgen.library.manifest import Function, Level, ManifestPort, Stage
from symgen.library.prepared import PreparedCall
from symgen.library.rows_call import RowsCall, calling
from symgen.naming import did_you_mean
from symgen.status import Status

Precision = Literal["double", "float"]
BackendName = Literal["auto", "c", "numpy"]


class OpenedLibrary(Protocol):
    """What a solved type wants to know of the library that it is part of."""

    precision: Precision
    backend: BackendName

    def backend_of(self, module: Module) -> Backend:
        """Return what runs a module, compiled or imported on first use."""


class SolvedFunction:
    """One function of a solved type; call it with the ports' names or in their order.

    Inputs are scalars or arrays that end with the port's shape; leading axes are a
    batch and broadcast together. The result is a named tuple of the output ports and
    ``status``: a `Status` for a single row, else an int32 array of the batch shape.

    Arrays of the library's dtype (int32 for whole numbers) with one leading axis are taken as they are if they are
    contiguous, for batches in lanes also if all of them lie in columns (Fortran order).

    An input called ``check``, ``threads`` or ``out`` is given by that name with an underscore behind it: ``out_=...``.

    Other Parameters
    ----------------
    check : of a call: raise where a single row is not solved.
    threads : how many share the rows of a batch; the results do not depend on it. It is for C: NumPy and certified
        Newton take one.
    out : arrays that the results of a batch are written to, and returned: an earlier result of this function,
        or a mapping from output ports and ``status`` to arrays (for others new ones are made). Of the library's
        dtype and the result's shape, apart from all inputs; nothing is copied where they lie as the inputs do.

    Raises
    ------
    InputError
        Arguments of a call are missing, unknown, of the wrong shape or kind; arrays of `out` do not fit.
    SolveError
        A single row came back with a status other than OK and `check` is true. Batches never raise:
        their rows carry the status, and NaN (whole numbers: 0) where nothing was written, in `out` too.
    """

    def __init__(self, owner: SolvedType, function: Function, *, compiles_lanes: bool = True) -> None:
        self._owner, self._function, self._compiles_lanes = owner, function, compiles_lanes
        self.name = function.name
        self.inputs: tuple[ManifestPort, ...] = function.inputs
        self.outputs: tuple[ManifestPort, ...] = function.outputs
        self._result = _result_type(function)

    @cached_property
    def _rows(self) -> RowsCall | None:
        """The compiled function; None where something else runs it, or nothing can be compiled to hand arrays on."""
        backend = self._owner.backend
        if not isinstance(backend, CBackend):
            return None
        try:
            return RowsCall(
                self._function, backend, self._owner.real, self._result, compiles_lanes=self._compiles_lanes
            )
        except BuildError as error:  # NumPy's headers may be missing, which the function itself does not need
            say_once(
                f"rows {type(error).__name__}",
                f"{error}\nsymgen: every call is handed on in Python instead: the same results, on one thread",
            )
            return None

    @cached_property
    def _compiled(self) -> Any:
        """What solves a batch whose arrays are as they have to be; None where there is no such thing."""
        return None if self._rows is None else self._rows.compiled

    @cached_property
    def in_passing(self) -> SolvedFunction:
        """The same function for a few large batches: it takes lanes that are compiled, and waits for no compiler.

        Lanes that were compiled before are found at the first such batch; those that this process compiles later, too.
        """
        return SolvedFunction(self._owner, self._function, compiles_lanes=False)

    @property
    def _where(self) -> str:
        return f"{self._owner.key} {self._function.level} {self._function.stage}"

    @property
    def statuses(self) -> tuple[Status, ...]:
        """The statuses the function may return."""
        return tuple(Status[name] for name in self._function.statuses)

    def __repr__(self) -> str:
        inputs, outputs = ", ".join(map(argument_name, self.inputs)), ", ".join(p.name for p in self.outputs)
        return f"<{self._owner.key} {self._function.level} {self._function.stage}: {inputs} -> {outputs}, status>"

    # The first call hands over to compiled code, which takes keywords as they come: Python needs as long as the rest.
    if TYPE_CHECKING:

        def __call__(
            self,
            *given: object,
            check: bool = True,
            threads: int = 1,
            out: Mapping[str, NDArray[Any]] | tuple[Any, ...] | None = None,
            **named: object,
        ) -> Any:
            """Run the function: its class tells how."""

    else:

        def __call__(self, /, *given, **named):
            """Run the function: its class tells how."""
            if self._compiled is not None and SolvedFunction.__call__ is _CALL_IN_PYTHON:  # nobody has put another
                SolvedFunction.__call__ = calling(SolvedFunction)  # from the next call on, of any function
            return self._call(*given, **named)

    def _call(
        self,
        *given: object,
        check: bool = True,
        threads: int = 1,
        out: Mapping[str, NDArray[Any]] | tuple[Any, ...] | None = None,
        **named: object,
    ) -> Any:
        """Run the function whatever it is given."""
        rows_call = self._rows
        if rows_call is not None and _is_whole(threads) and threads > 0:
            found = rows_call.shared(given, named, out, threads)
            if found is not None:
                return found
        where = self._where
        values = by_port(where, self.inputs, given, named)
        if not _is_whole(threads) or threads < 1:
            raise InputError(f"{where}: threads = {threads!r}; allowed are whole numbers from 1 on")
        batch, inputs = as_rows(where, self.inputs, values, self._owner.real)
        given_arrays = [each for each in values if isinstance(each, np.ndarray)]  # which may have been copied
        arrays = self._arrays(where, batch, [*given_arrays, *inputs], out)
        placed = [array if array.flags.carray else np.empty(array.shape, array.dtype) for array in arrays]
        rows = [array.reshape((-1, *array.shape[len(batch) :])) if array.size else array[:0] for array in placed]
        self._run(inputs, rows[:-1], rows[-1], threads)
        for array, found in zip(arrays, placed, strict=True):
            if array is not found:  # an array of `out` that does not lie as the function writes
                array[...] = found
        if batch:
            return self._result._make(arrays)
        status = Status(int(arrays[-1]))
        if check and status is not Status.OK:
            raise SolveError(where, status, meaning=self._owner.entry.manifest.meaning(status))
        return self._result._make([array if array.shape else array.item() for array in arrays[:-1]] + [status])

    def _arrays(
        self,
        where: str,
        batch: tuple[int, ...],
        inputs: Sequence[NDArray[Any]],
        out: Mapping[str, NDArray[Any]] | tuple[Any, ...] | None,
    ) -> list[NDArray[Any]]:
        """Return the arrays of the outputs, then of the status."""
        shapes = {port.name: (batch + port.shape, port.kind) for port in self.outputs} | {"status": (batch, "int")}
        wanted = {
            name: (shape, INTEGER if kind == "int" else self._owner.real) for name, (shape, kind) in shapes.items()
        }
        chosen = {} if out is None else arrays_of(where, wanted, batch, inputs, out)
        return [chosen[name] if name in chosen else np.empty(shape, dtype) for name, (shape, dtype) in wanted.items()]

    def _run(self, inputs: list[NDArray[Any]], outputs: list[NDArray[Any]], status: NDArray[Any], threads: int) -> None:
        """Write the rows of outputs and status."""
        if not len(status):
            return
        if self._rows is not None:
            self._rows.run(inputs, outputs, status, threads)
            return
        for array, port in zip(outputs, self.outputs, strict=True):
            array[...] = 0 if port.kind == "int" else np.nan
        self._owner.backend.bind(self._function, inputs, outputs, status)()

    def prepare(self, rows: int | None = None) -> PreparedCall:
        """Return a call with arrays of its own, for use in a loop; see `PreparedCall`.

        Parameters
        ----------
        rows : None for a single row (arrays of the ports' shapes), else the number of rows.
        """
        if rows is not None and (not _is_whole(rows) or not 1 <= rows < 2**31):
            raise InputError(
                f"{self._where}: prepare: rows = {rows!r}; allowed are None, for a single row, and whole numbers from "
                f"1 to {2**31 - 1}"
            )
        return PreparedCall(self._function, self._owner.backend, self._owner.real, rows, self._where)


class SolvedLevel:
    """The functions of one level: of joint elements in world axes (kernel), or of body poses and frames (group)."""

    def __init__(self, owner: SolvedType, level: Level) -> None:
        arrangement = owner.entry.arrangement.id
        self._owner, self._level = owner, level
        self._functions = owner.entry.manifest.functions_of(level, arrangement)
        self._made: dict[str, SolvedFunction] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all functions of this level."""
        return tuple(function.name for function in self._functions)

    @property
    def stages(self) -> tuple[str, ...]:
        """Stages there are functions for."""
        return tuple(dict.fromkeys(function.stage for function in self._functions))

    def __getitem__(self, name: str) -> SolvedFunction:
        """Return a function by its stage or name."""
        for function in self._functions:
            if name in (function.stage, function.name):
                if function.name not in self._made:
                    self._made[function.name] = SolvedFunction(self._owner, function)
                return self._made[function.name]
        raise InputError(self._no_function(name))

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Refuse a name that is none, with the nearest."""
            if name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            others = [each for each in dir(type(self)) if not each.startswith("_") and each not in get_args(Stage)]
            raise AttributeError(self._no_function(name, others))

    def _no_function(self, name: str, others: Sequence[str] = ()) -> str:
        """Return why there is no such function, or attribute of another name, and what is meant."""
        near = did_you_mean(name, [*self.stages, *others])
        if self._level == "group" and name in self._owner.kernel.stages:
            near = f"; its kernel has one: write .kernel.{name}."
        there = f"{near} There" if near else "; there"
        return (
            f"{self._owner.key} has no {self._level} function {name!r}{there} are: {', '.join(self.stages) or 'none'}"
        )

    def _stage(self, stage: Stage) -> SolvedFunction:
        return self[stage]

    @property
    def position(self) -> SolvedFunction:
        """Positions of one branch."""
        return self._stage("position")

    @property
    def velocity(self) -> SolvedFunction:
        """Velocities, the position being known."""
        return self._stage("velocity")

    @property
    def acceleration(self) -> SolvedFunction:
        """Accelerations, position and velocity being known."""
        return self._stage("acceleration")

    @property
    def all(self) -> SolvedFunction:
        """Position, velocity and acceleration in one call."""
        return self._stage("all")

    @property
    def condition(self) -> SolvedFunction:
        """Condition number of the matrix that gives the joint rates."""
        return self._stage("condition")

    @property
    def rates(self) -> SolvedFunction:
        """Joint rates."""
        return self._stage("rates")


_CALL_IN_PYTHON = SolvedFunction.__call__


class SolvedType(SolvedLevel):
    """One solved type; its own functions are those of the group level, ``.kernel`` has the others."""

    def __init__(self, library: OpenedLibrary, entry: Entry) -> None:
        self.library, self.entry = library, entry
        super().__init__(self, "group")

    def __repr__(self) -> str:
        return f'<solved type "{self.key}": {self.entry.manifest.id}, {self.branches} branches>'

    @property
    def signature(self) -> str:
        """Signature, with the number of driven freedoms."""
        return self.entry.arrangement.signature

    @property
    def key(self) -> str:
        """Signature with the names of driven freedoms."""
        return self.entry.key

    @property
    def branches(self) -> int:
        """Number of branches: the branch index runs from 0 to one less."""
        return self.entry.manifest.branches

    @property
    def ranked(self) -> bool:
        """Whether branches are ranked zeros: the index of a branch may change while the group moves."""
        return self.entry.manifest.branch_order == "rank"

    @cached_property
    def kernel(self) -> SolvedLevel:
        """Functions of joint elements that are already in world axes."""
        return SolvedLevel(self, "kernel")

    @property
    def backend(self) -> Backend:
        """What runs this type; compiled on first use."""
        if not self.entry.manifest.files:
            return self._newton
        return self.library.backend_of(self.entry.module)

    @cached_property
    def _newton(self) -> Backend:
        from symgen.library.newton.entry import NewtonBackend  # most programs never need it

        return NewtonBackend(self.entry, self.library.precision, self.library.backend)

    @property
    def real(self) -> np.dtype[Any]:
        """Dtype of real ports."""
        return REAL[self.library.precision]


def _result_type(function: Function) -> Any:
    title = "".join(word.capitalize() for word in function.name.split("_"))
    return namedtuple(title, [*(port.name for port in function.outputs), "status"])


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
