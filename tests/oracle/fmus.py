"""A small simulator for FMUs of both versions: what the standard says, called one function after the other."""

from __future__ import annotations

import ctypes
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from ctypes import byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Any

OK, WARNING, DISCARD, ERROR = range(4)
_LIBC = ctypes.CDLL(None)
_LIBC.calloc.restype = c_void_p
_LIBC.calloc.argtypes = [c_size_t, c_size_t]
_LIBC.free.argtypes = [c_void_p]
_LOG_2 = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p, c_char_p)
_LOG_3 = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
_ALLOCATE = ctypes.CFUNCTYPE(c_void_p, c_size_t, c_size_t)
_FREE = ctypes.CFUNCTYPE(None, c_void_p)


class _Callbacks(ctypes.Structure):
    _fields_ = (("log", _LOG_2), ("allocate", _ALLOCATE), ("free", _FREE), ("finished", c_void_p), ("more", c_void_p))


class Fmu:
    """An FMU below a folder; `kind` is "ME" or "CS"."""

    def __init__(self, folder: Path, kind: str, token: str | None = None, *, events: bool = False) -> None:
        root = ET.parse(folder / "modelDescription.xml").getroot()  # noqa: S314 - our own
        self.two = root.attrib["fmiVersion"] == "2.0"
        self.kind, self.messages = kind, list[str]()
        self.held = 0  # pieces of memory that were not released
        (path,) = (folder / "binaries").rglob("*.so")
        self.lib = ctypes.CDLL(str(path))
        variables = [v for v in root.find("ModelVariables")]  # type: ignore[union-attr]
        self.references = {v.attrib["name"]: int(v.attrib["valueReference"]) for v in variables}
        self.inputs = [v.attrib["name"] for v in variables if v.attrib["causality"] == "input"]
        self.outputs = [v.attrib["name"] for v in variables if v.attrib["causality"] == "output"]
        token = token or root.attrib["guid" if self.two else "instantiationToken"]
        self.c = self._new(token.encode(), events)

    def _new(self, token: bytes, events: bool) -> Any:
        if self.two:

            def log(_: Any, name: bytes, status: int, category: bytes, form: bytes, text: bytes) -> None:
                assert form == b"%s"
                self.messages.append(f"{category.decode()}: {text.decode()}")

            def allocate(count: int, size: int) -> Any:
                self.held += 1
                return _LIBC.calloc(count, size)

            def free(memory: Any) -> None:
                self.held -= 1
                _LIBC.free(memory)

            self._callbacks = _Callbacks(_LOG_2(log), _ALLOCATE(allocate), _FREE(free), None, None)
            new = self.lib.fmi2Instantiate
            new.restype = c_void_p
            new.argtypes = [c_char_p, c_int, c_char_p, c_char_p, c_void_p, c_int, c_int]
            return new(b"one", int(self.kind == "CS"), token, b"", byref(self._callbacks), 0, 0)

        def log_3(_: Any, status: int, category: bytes, text: bytes) -> None:
            self.messages.append(f"{category.decode()}: {text.decode()}")

        self._log = _LOG_3(log_3)
        if self.kind == "ME":
            new = self.lib.fmi3InstantiateModelExchange
            new.argtypes = [c_char_p, c_char_p, c_char_p, c_bool, c_bool, c_void_p, _LOG_3]
            new.restype = c_void_p
            return new(b"one", token, None, False, False, None, self._log)
        new = self.lib.fmi3InstantiateCoSimulation
        new.argtypes = [
            c_char_p, c_char_p, c_char_p, c_bool, c_bool, c_bool, c_bool, c_void_p, c_size_t, c_void_p, _LOG_3, c_void_p
        ]  # fmt: skip
        new.restype = c_void_p
        return new(b"one", token, None, False, False, events, False, None, 0, None, self._log, None)

    def call(self, name: str, *arguments: Any) -> int:
        """Call a function by its name without the version; return its status."""
        function = getattr(self.lib, f"fmi{2 if self.two else 3}{name}")
        function.restype = c_int
        return int(function(c_void_p(self.c), *arguments))

    def start(self, time: float = 0.0, **values: float) -> None:
        """Initialize with inputs by name, dots as __."""
        no = c_int(0) if self.two else c_bool(False)
        if self.two:
            assert self.call("SetupExperiment", no, c_double(0), c_double(time), no, c_double(0)) == OK
            assert self.call("EnterInitializationMode") == OK
        else:
            assert self.call("EnterInitializationMode", no, c_double(0), c_double(time), no, c_double(0)) == OK
        for name, value in values.items():
            assert self.set([name.replace("__", ".")], [value]) == OK
        assert self.call("ExitInitializationMode") == OK
        if self.kind == "ME":
            assert self.call("EnterContinuousTimeMode") == OK

    def _array(self, names: Sequence[str]) -> Any:
        return (c_uint * len(names))(*(self.references[name] for name in names))

    def _counts(self, *counts: int) -> list[c_size_t]:
        return [] if self.two else [c_size_t(count) for count in counts]

    def set(self, names: Sequence[str], values: Sequence[float]) -> int:
        n = len(names)
        numbers = (c_double * n)(*values)
        name = "SetReal" if self.two else "SetFloat64"
        return self.call(name, self._array(names), c_size_t(n), numbers, *self._counts(n))

    def get(self, names: Sequence[str]) -> tuple[int, list[float]]:
        n = len(names)
        numbers = (c_double * n)(*[float("nan")] * n)
        name = "GetReal" if self.two else "GetFloat64"
        status = self.call(name, self._array(names), c_size_t(n), numbers, *self._counts(n))
        return status, list(numbers)

    def derive(self, unknowns: Sequence[str], knowns: Sequence[str], seed: Sequence[float]) -> tuple[int, list[float]]:
        n, k = len(unknowns), len(knowns)
        along, found = (c_double * k)(*seed), (c_double * n)()
        pairs = (self._array(unknowns), c_size_t(n), self._array(knowns), c_size_t(k))
        if self.two:
            return self.call("GetDirectionalDerivative", *pairs, along, found), list(found)
        sizes = c_size_t(k), c_size_t(n)
        return self.call("GetDirectionalDerivative", *pairs, along, sizes[0], found, sizes[1]), list(found)

    def to(self, time: float) -> None:
        """Set the time of a model exchange."""
        assert self.call("SetTime", c_double(time)) == OK

    def accept(self) -> None:
        """Tell a model exchange that the integrator has taken a step."""
        flags = [c_int(0), c_int(0)] if self.two else [c_bool(False), c_bool(False)]
        first = c_int(1) if self.two else c_bool(True)
        assert self.call("CompletedIntegratorStep", first, *map(byref, flags)) == OK

    def step(self, time: float, length: float) -> int:
        """Take a step of a co-simulation."""
        if self.two:
            return self.call("DoStep", c_double(time), c_double(length), c_int(1))
        flags, last = [c_bool(True) for _ in range(3)], c_double(-1.0)
        status = self.call("DoStep", c_double(time), c_double(length), c_bool(True), *map(byref, flags), byref(last))
        assert not any(flag.value for flag in flags)
        assert last.value == (time + length if status in (OK, WARNING) else time)
        return status

    def copy(self) -> Any:
        """Return a copy of the state."""
        state = c_void_p(None)
        assert self.call(f"GetFMU{'s' if self.two else 'S'}tate", byref(state)) == OK
        return state

    def back(self, state: Any) -> int:
        """Go back to a copy of the state."""
        return self.call(f"SetFMU{'s' if self.two else 'S'}tate", state)

    def through_bytes(self, state: Any) -> Any:
        """Return a copy of a state that went through bytes, and release the old one."""
        end = "sFMUstate" if self.two else "sFMUState"
        size, made = c_size_t(0), c_void_p(None)
        s = end[1:]
        assert self.call(f"Serialized{s}Size", state, byref(size)) == OK
        room = (ctypes.c_ubyte * size.value)()
        assert self.call(f"Serialize{s}", state, room, size) == OK
        assert self.call(f"Free{s}", byref(state)) == OK
        assert self.call(f"De{'S' if self.two else 's'}erialize{s}", room, size, byref(made)) == OK
        return made

    def free_copy(self, state: Any) -> None:
        assert self.call(f"FreeFMU{'s' if self.two else 'S'}tate", byref(state)) == OK

    def close(self) -> None:
        """Release the instance."""
        function = getattr(self.lib, f"fmi{2 if self.two else 3}FreeInstance")
        function.restype = None
        function(c_void_p(self.c))


__all__ = ["DISCARD", "ERROR", "OK", "WARNING", "Fmu"]
