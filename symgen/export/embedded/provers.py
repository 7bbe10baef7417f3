"""What Frama-C's EVA says of a step whose inputs lie in their ranges: the driver that it looks at, and its alarms.

EVA follows the least and the most that every value can be, over all inputs at once. An operation that could make NaN
or infinity, divide by zero, read what was not set or go astray is an alarm; without one, none can happen.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symgen.emit.folding import INDENT
from symgen.errors import InputError
from symgen.export.step import literal
from symgen.export.subject import Subject
from symgen.naming import free_text
from symgen.pipeline.texts import render_view
from symgen.printers.elementary import elementary_functions
from symgen.render.documentation import title_line
from symgen.render.export import EvaMathView, EvaView, names_of

PROVER = "frama-c"
DRIVER, MATH = "test/eva.c", "test/eva_math.h"
#: Each return of a function is followed by itself; NaN and infinity are alarms.
OPTIONS = ("-eva", "-eva-precision", "3", "-eva-split-return", "full", "-warn-special-float", "non-finite")
#: What Frama-C calls properties that hold, or that nothing reaches.
_HOLD = frozenset({"Valid", "Considered valid", "Dead"})
_SHOWN = "Frama_C_show_each_solved"
_SECONDS = 600
#: Sine and cosine are no larger, angles neither: rounded up, beyond the error that our functions may have.
_UNIT, _HALF_TURN = 1.000001, 3.141593


@dataclass(frozen=True)
class ProverReport:
    """Which version of Frama-C looked at a step, and how many properties of each kind it could not prove."""

    version: str
    alarms: Mapping[str, int]

    @property
    def count(self) -> int:
        """How many alarms there are."""
        return sum(self.alarms.values())

    def as_json(self) -> dict[str, Any]:
        """Return it as a tree."""
        return {"tool": f"Frama-C {self.version}", "options": " ".join(OPTIONS), "alarms": self.count} | {
            "kinds": dict(sorted(self.alarms.items()))
        }


def command(files: Sequence[str], *, own_math: bool) -> tuple[str, ...]:
    """Return the command that looks at C files in the folder of an export; our functions may be stood for."""
    included = f" -include {MATH}" if own_math else ""
    return (PROVER, *OPTIONS, f"-cpp-extra-args=-Iinclude -Isrc{included}", *files)


def driver_files(subject: Subject, request: str) -> dict[str, str]:
    """Return the driver by path, and what it takes for our functions; nothing if it would have no bounds."""
    if why_not(subject) or inputs_without_range(subject):
        return {}
    own = subject.math == "own"
    view = EvaView(
        (), title_line(subject.title), subject.prefix, names_of(subject.prefix), subject.real,
        tuple(_given(subject)),
    )  # fmt: skip
    files = {DRIVER: render_view("export/embedded/eva.c.j2", view, request)}
    if own:
        largest = elementary_functions(subject.precision).largest
        unit, half_turn, most = (literal(value, subject.real) for value in (_UNIT, _HALF_TURN, largest))
        math = EvaMathView((), subject.real, _interval(subject.real), most, unit, half_turn)
        files[MATH] = render_view("export/embedded/eva_math.h.j2", math, request)
    return files


def why_not(subject: Subject) -> str:
    """Return why ranges of inputs do not bound what a step does; nothing if they do."""
    if subject.following is not None:
        return "Frama-C: a followed branch begins where the step before ended, and no range limits that place"
    return ""


def inputs_without_range(subject: Subject) -> tuple[str, ...]:
    """Return the names of the inputs that may lie anywhere."""
    return tuple(each.name for each in subject.inputs if each.least is None or each.most is None)


def require_ranges(subject: Subject) -> None:
    """Refuse a proof without bounds.

    Raises
    ------
    InputError
        An input has no range.
    """
    lacking = inputs_without_range(subject)
    if lacking and not why_not(subject):
        some = ", ".join(lacking[:6]) + (f" and {len(lacking) - 6} more" if len(lacking) > 6 else "")
        raise InputError(
            f"--prove: no range for {some}; give the range of each input in [ranges] of the file, or with --ranges FILE"
        )


def shell_lines(*, own_math: bool) -> tuple[str, ...]:
    """Return the command as a shell takes it, in lines."""
    tool, *options = command((), own_math=own_math)
    *first, arguments = options
    return (
        f"{tool} {' '.join(first)} \\",
        f'{INDENT}{arguments.replace("=", "=" + chr(34), 1)}" {DRIVER} src/*.c',
    )


def _given(subject: Subject) -> Iterator[str]:
    real = subject.real
    for value in subject.inputs:
        assert value.least is not None  # noqa: S101 - narrows for mypy
        assert value.most is not None  # noqa: S101 - narrows for mypy
        least, most = literal(value.least, real), literal(value.most, real)
        said = free_text(f"{value.name} [{value.unit}]" if value.unit else value.name)
        yield f"inputs[{value.c_name}] = {_interval(real)}({least}, {most}); /* {said} */"
    if subject.branch_is_input:
        for k, count in enumerate(subject.branches):
            yield f"state.branch[{k}] = Frama_C_interval(0, {count - 1});"


def _interval(real: str) -> str:
    return f"Frama_C_{real}_interval"


def prove(files: Mapping[str, str], *, own_math: bool = True) -> ProverReport | str:
    """Look at the driver of an export; return why not if that was not possible.

    Parameters
    ----------
    files : of the export, by path, `DRIVER` among them.
    own_math : `MATH` stands for our elementary functions.
    """
    if shutil.which(PROVER) is None:
        return f"Frama-C: there is no {PROVER} here"
    sources = sorted(name for name in files if name.startswith("src/") and name.endswith(".c"))
    with tempfile.TemporaryDirectory(prefix="symgen-prove-") as place:
        folder = Path(place)
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        table = folder / "properties.csv"
        command_line = [*command((DRIVER, *sources), own_math=own_math), "-then", "-report-csv", str(table)]
        try:
            done = _run(command_line, folder)
            version = _run([PROVER, "-version"], folder).stdout.split()[0]
        except subprocess.TimeoutExpired:
            return f"Frama-C: no answer within {_SECONDS} s"
        except OSError as error:
            return f"Frama-C: {PROVER} cannot be run here: {(error.strerror or 'the system refuses it').lower()}"
        except IndexError:
            return f"Frama-C: {PROVER} -version prints nothing"
        if done.returncode != 0 or not table.is_file():
            said = (done.stderr or done.stdout).strip().splitlines() or ["no word"]
            return f"Frama-C ended with {done.returncode}: {said[-1]}"
        return _judged(version, done.stdout, table.read_text(encoding="utf-8"))


def _judged(version: str, said: str, table: str) -> ProverReport | str:
    """Return what is not proved by kind; a run that proves nothing is none."""
    rows = list(csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    alarms = Counter(row["property kind"] for row in rows if row["status"] not in _HOLD)
    unknown = [line for line in said.splitlines() if "either code nor" in line and _SHOWN not in line]
    if unknown:
        return f"Frama-C: {unknown[0].strip()}"
    if f"{_SHOWN}:" not in said and not alarms:
        return "Frama-C: no step is solved within these ranges, so there is nothing to prove"
    if f"{_SHOWN}:" not in said:
        alarms["no step continues after it"] += 1
    return ProverReport(version, dict(alarms))


def _run(command_line: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PWD": str(folder)}  # where Frama-C takes paths to begin
    return subprocess.run(  # noqa: S603 - a tool of this machine, on files that we wrote
        command_line, cwd=folder, env=environment, capture_output=True, text=True, timeout=_SECONDS,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
