"""A run of the engine of a bundle as parts of C: its example and the self-test of an export are written from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from symgen.simulate.tables.laws import functions_of_libm
from symgen.simulate.tables.problem import Problem
from symgen.simulate.tables.problem_text import initialised

#: Of the example [s].
STEP = 1e-3
#: Numbers of a sample for each body, and the scalars that `symgen_dynamics_samples` says.
_A_BODY = {"poses": 7, "twists": 6, "accelerations": 6, "reactions": 6}
_SCALARS = 5


@dataclass(frozen=True)
class Held:
    """An array of the state and how it begins; `count` of its numbers are looked at, as C has no empty arrays."""

    name: str
    values: tuple[float, ...]
    count: int
    kind: Literal["double", "int32_t"] = "double"

    @property
    def initialised(self) -> list[str]:
        """Lines of C that declare it with its numbers."""
        if self.kind == "double":
            return initialised(f"double {self.name}", self.values)
        return [f"    int32_t {self.name}[{len(self.values)}] = {{{', '.join(map(str, self.values))}}};"]


@dataclass(frozen=True)
class Sampled:
    """An array of samples: numbers in a row, and how many of them are looked at."""

    name: str
    row: int
    count: int


@dataclass(frozen=True)
class ExampleRun:
    """A run of a second by steps of a millisecond.

    Symbols begin with `symbol`, which `bundles.files.renamed` changes into those of a bundle.

    Parameters
    ----------
    symbol : ``symgen_dynamics`` or ``symgen_transfer``.
    headers : what a caller includes.
    bodies : in the order of the tables.
    held : arrays of the state, in the order of its members.
    members : the members behind them, as C.
    figures : members that are numbers and say how a run went.
    samples : arrays of samples, in the order of their members.
    pushes : when each force and torque acts, from and until [s].
    settings : members and what they are for the example, as C.
    function : what runs it, without `symbol`.
    ahead : its arguments between workspace and settings, as C.
    beyond : steps that a run solves besides those that it takes.
    refused : what is no run: why, and members of the settings that say so.
    libm : what its laws call of ``<math.h>``, where bits differ from machine to machine.
    """

    symbol: str
    headers: tuple[str, ...]
    bodies: tuple[str, ...]
    held: tuple[Held, ...]
    members: str
    figures: tuple[str, ...]
    samples: tuple[Sampled, ...]
    pushes: tuple[tuple[float, float], ...]
    settings: Mapping[str, str]
    function: str
    ahead: tuple[str, ...]
    beyond: int
    refused: tuple[tuple[str, Mapping[str, str]], ...]
    libm: tuple[str, ...]

    @property
    def state(self) -> str:
        """How the state begins, as C."""
        return f"{{{', '.join([*(each.name for each in self.held), self.members])}}}"

    @property
    def active(self) -> str:
        """The array that says which forces act at the start, as C."""
        acting = [str(int(begin <= 0 < end)) for begin, end in self.pushes] or ["0"]
        return f"int32_t active[{len(acting)}] = {{{', '.join(acting)}}};"

    @property
    def switched(self) -> tuple[str, ...]:
        """What to know of forces that begin or end on the way; a run has them all along or not at all."""
        return tuple(
            f"active[{k}] is not 0 {_span(begin, end)}: runs end where that changes"
            for k, (begin, end) in enumerate(self.pushes)
            if begin > 0 or math.isfinite(end)
        )

    @property
    def warned(self) -> tuple[str, ...]:
        """Arguments of `printf` that say which forces a run of a second leaves as they are at its start."""
        return tuple(
            f'"note: active[{k}] is not 0 {_span(begin, end)}; this run leaves it at {int(begin <= 0 < end)}\\n"'
            for k, (begin, end) in enumerate(self.pushes)
            if 0 < begin < 1 or 0 < end < 1
        )

    def call(self, workspace: str, settings: str = "&settings") -> str:
        """Return the call that runs it, as C, on two lines."""
        given = ", ".join([*self.ahead, settings, "&state", "active", "&samples", "progress"])
        return f"{self.symbol}_{self.function}(\n        {workspace}, {given})"

    def stretch(self, first: int, samples: int, every: int, step: float = STEP) -> Mapping[str, str]:
        """Return the settings of a run of `samples` spans of `every` steps [s], `first` steps behind the start."""
        steps = samples * every
        own = {"start": _number(first * step), "every": str(every)}
        if "steps" in self.settings:
            own |= {"step": _number(step), "steps": str(steps)}
        else:
            own |= {"end": _number((first + steps) * step), "samples": str(samples)}
        return {**self.settings, **own}


def _span(begin: float, end: float) -> str:
    words = [f"from {begin:g} s on" if not math.isfinite(end) else f"from {begin:g} s" if begin > 0 else ""]
    return " ".join([*words, f"until {end:g} s" if math.isfinite(end) else ""]).strip()


def _number(value: float) -> str:
    return f"{value:g}"


def held(name: str, values: Sequence[float], problem: Problem) -> Held:
    """Return an array of the state of a mechanism."""
    counts = {"rate": "UNKNOWNS", "angle": "JOINT_FORCES", "watched": "WATCHED"}
    count = problem.sizes[counts[name]] if name in counts else len(values)
    return Held(name, tuple(map(float, values)) or (0.0,), count)


def sampled(problem: Problem, modes: int = 0) -> tuple[Sampled, ...]:
    """Return the arrays of samples of a mechanism; `modes` of its beams."""
    bodies, watched = problem.sizes["BODIES"], problem.sizes["WATCHED"]
    found = [Sampled(name, width * bodies, width * bodies) for name, width in _A_BODY.items()]
    found += [Sampled("angles", max(watched, 1), watched), Sampled("scalars", _SCALARS, _SCALARS)]
    return (*found, Sampled("modes", 3 * modes, 3 * modes)) if modes else tuple(found)


def libm_of(problem: Problem) -> tuple[str, ...]:
    """Return what the laws of a mechanism call of ``<math.h>`` besides `sqrt` and `fabs`."""
    return functions_of_libm(problem.laws)
