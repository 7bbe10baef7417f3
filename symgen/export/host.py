"""Running what was written on this machine: the statuses and bits that every other machine has to give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symgen.build.load import load_module
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.export.subject import Subject, Trial, solver_id
from symgen.library.sources import status_declaration
from symgen.status import Status

#: How often the way between a step that is solved and one that is not is halved.
_HALVINGS = {"double": 48, "float": 20}
#: Beyond the exponents of both types' products.
_HUGE = 1e30
_MOST_ODD = 3
#: Ways to the border of what can be reached; steps along the motion behind all that failed.
_BORDERS, _GOES_ON = 2, 3


@dataclass(frozen=True)
class SelfTestVector:
    """A step with what it gave: results only if they were written."""

    trial: Trial
    status: Status
    results: tuple[float, ...] | None


class Host:
    """The export as this machine's compiler makes it."""

    def __init__(self, subject: Subject, files: Mapping[str, str]) -> None:
        self._subject = subject
        prefix, real = subject.prefix, subject.real
        units = tuple(name for name in files if name.startswith("src/") and name.endswith(".c"))
        code = tuple(
            SourceFile(name, text.encode())
            for name, text in files.items()
            if name.startswith(("src/", "include/")) and name.endswith((".c", ".h"))
        )
        extras = f"int32_t branch[{len(subject.branches)}];" if subject.branch_is_input else ""
        extras += f" {real} period;" if subject.following is not None and not subject.by_law else ""
        extras += " int32_t group;" if subject.routine.marks else ""
        members = f"symgen_status status; {extras} ...;"
        cdef = (
            f"{status_declaration()}typedef struct {prefix}_state {{ {members} }} {prefix}_state;\n"
            f"symgen_status {prefix}_init({prefix}_state *state);\n"
            f"symgen_status {prefix}_step({prefix}_state *state, const {real} *inputs, {real} *results);\n"
        )
        name = f"{solver_id(prefix)}_export_{subject.precision}"
        module = load_module(ModuleSources(name, cdef, f"{prefix}.h", units, ("include", "src"), code))
        self._ffi, self._lib = module.ffi, module.lib
        self._init = getattr(module.lib, f"{prefix}_init")
        self._step = getattr(module.lib, f"{prefix}_step")
        self._state = self.new_state()
        self._dtype = np.float32 if subject.precision == "float" else np.float64

    def new_state(self) -> Any:
        """Return room for a state."""
        return self._ffi.new(f"{self._subject.prefix}_state *")

    @property
    def kept(self) -> tuple[Status, int]:
        """What the state keeps of the last step: its status, and the group that could not be solved."""
        return Status(int(self._state.status)), int(self._state.group) if self._subject.routine.marks else 0

    @property
    def state_bytes(self) -> int:
        """Size of the state on this machine."""
        return int(self._ffi.sizeof(f"{self._subject.prefix}_state"))

    def begin(self) -> Status:
        """Set the state up."""
        return Status(int(self._init(self._state)))

    def set_period(self, period: float) -> None:
        """Say how long a step of a branch that is followed is [s]."""
        self._state.period = period

    def step(self, inputs: Sequence[float], branch: Sequence[int] = ()) -> tuple[Status, tuple[float, ...] | None]:
        """Take a step, on branches if the caller says them; results are None if nothing was written.

        Raises
        ------
        AssertionError
            A part of the results was written.
        """
        with np.errstate(over="ignore"):
            given = np.array(inputs, dtype=self._dtype)
        for k, number in enumerate(branch):
            self._state.branch[k] = number
        results = np.full(len(self._subject.results), np.nan, dtype=self._dtype)
        real = self._subject.real
        status = self._step(
            self._state,
            self._ffi.cast(f"{real} *", self._ffi.from_buffer(given)),
            self._ffi.cast(f"{real} *", self._ffi.from_buffer(results)),
        )
        written = ~np.isnan(results)
        if written.any() != written.all():
            raise AssertionError(f"{self._subject.prefix}_step wrote a part of its results for {list(inputs)}")
        return Status(int(status)), tuple(map(float, results)) if written.all() else None


def run_vectors(subject: Subject, host: Host) -> list[SelfTestVector]:
    """Run the trials of a subject, others on the border of what can be solved, what has to be refused, and go on."""
    found: list[SelfTestVector] = []

    def take(trial: Trial) -> SelfTestVector:
        if trial.fresh or not found:
            host.begin()
        rounded = _rounded(trial, subject.precision)
        vector = SelfTestVector(rounded, *host.step(rounded.inputs, rounded.branch))
        found.append(vector)
        return vector

    for trial in subject.trials:
        take(trial)
    if subject.following is None:
        for trial in list(_border(subject, host, list(found))):
            take(trial)
    good = next((v.trial for v in found if v.status is Status.OK), found[0].trial)
    for trial in _refused(subject, good):
        take(trial)
    if subject.motion is not None:
        # a step that was not solved has taken its time; one that was refused before it began has not
        number = sum(not _is_refused(subject, vector.trial) for vector in found)
        for more in range(_GOES_ON):
            fresh = subject.by_law and more == 0  # a time far off is where the motion has gone on from
            take(Trial(fresh, subject.motion(number + more), "the motion goes on", good.branch))
    return found


def _is_refused(subject: Subject, trial: Trial) -> bool:
    """Tell whether a step refuses its inputs before it takes them: out of range, or not finite and not read."""
    for k, (value, x) in enumerate(zip(subject.inputs, trial.inputs, strict=True)):
        if value.least is not None and value.most is not None:
            if not value.least <= x <= value.most:
                return True
        elif k in subject.checked and not math.isfinite(x):
            return True
    return False


def _rounded(trial: Trial, precision: str) -> Trial:
    if precision == "double":
        return trial
    with np.errstate(over="ignore"):
        return replace(trial, inputs=tuple(float(np.float32(x)) for x in trial.inputs))


def _border(subject: Subject, host: Host, vectors: Sequence[SelfTestVector]) -> Iterator[Trial]:
    """Yield both ends of the shortest way between a step that is solved and one that is out of reach."""
    solved = [v.trial for v in vectors if v.status is Status.OK]
    lost = [v.trial for v in vectors if v.status in (Status.NO_ASSEMBLY, Status.BRANCH_LOST)]
    for outside in lost[:_BORDERS] if solved else ():
        # quaternions must stay as they are: the step that differs in the fewest numbers
        inside = min(solved, key=lambda trial: sum(a != b for a, b in zip(trial.inputs, outside.inputs, strict=True)))
        here, there = np.array(inside.inputs), np.array(outside.inputs)
        for _ in range(_HALVINGS[subject.precision]):
            middle = 0.5 * (here + there)
            status, _ = host.step(_rounded(Trial(False, tuple(middle), ""), subject.precision).inputs, outside.branch)
            here, there = (middle, there) if status is Status.OK else (here, middle)
        yield Trial(False, tuple(map(float, here)), "at the border, within", outside.branch)
        yield Trial(False, tuple(map(float, there)), "at the border, beyond", outside.branch)


def _refused(subject: Subject, good: Trial) -> Iterator[Trial]:
    """Yield steps that no mechanism can take: not a number, infinite, huge, out of a declared range."""

    def with_one(k: int, value: float, what: str) -> Trial:
        return Trial(False, (*good.inputs[:k], value, *good.inputs[k + 1 :]), what, good.branch)

    for k, value in enumerate(subject.inputs[:_MOST_ODD]):
        yield with_one(k, math.nan, f"{value.name} is not a number")
    yield with_one(0, math.inf, f"{subject.inputs[0].name} is infinite")
    yield with_one(0, -_HUGE, f"{subject.inputs[0].name} is huge")
    for k, value in enumerate(subject.inputs):
        if value.least is not None and value.most is not None:
            width = value.most - value.least
            yield with_one(k, value.least - 0.01 * width, f"{value.name} is below its range")
            yield with_one(k, value.most + 0.01 * width, f"{value.name} is beyond its range")
