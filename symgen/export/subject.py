"""What is exported, whatever it is: the solver's files, inputs and results by name, and how a step calls the solver."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from symgen.errors import InputError
from symgen.ir.nodes import Port, Routine
from symgen.naming import check_identifier, identifier_from
from symgen.printers.c99 import Math, Precision
from symgen.status import Status

#: Stages that a step can have: poses and coordinates alone, or with rates and accelerations.
ExportStage = Literal["position", "all"]

_PREFIX = re.compile(r"[A-Za-z](?:_?[A-Za-z0-9])*")
_LONGEST = 40
#: Headers of C that ``P.h`` would hide, files of the export, and targets that build systems have themselves.
_HEADERS = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"
)
_TARGETS = "all clean depend edit_cache help install package package_source rebuild_cache test zephyr arduino"
_TAKEN = frozenset(f"{_HEADERS} {_TARGETS} vectors selftest".split())


@dataclass(frozen=True)
class Input:
    """One number that a step takes: its unit, where the motion begins, and where it may lie (None: anywhere)."""

    name: str
    c_name: str
    unit: str
    start: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def begin(self) -> float:
        """The number nearest to where the motion begins that lies in the range."""
        return self.within(self.start or 0.0)

    def within(self, number: float) -> float:
        """Return the number nearest to another that lies in the range."""
        return number if self.least is None or self.most is None else min(max(number, self.least), self.most)

    def holds(self, number: float) -> bool:
        """Tell whether a number lies in the range."""
        return self.within(number) == number


@dataclass(frozen=True)
class Result:
    """One number that a step gives, with the names of the inputs it depends on."""

    name: str
    c_name: str
    unit: str
    depends_on: tuple[str, ...]


@dataclass(frozen=True)
class PortWords:
    """What several inputs or results are together: ``k1[0]`` to ``k1[2]``, whose names say nothing else."""

    name: str
    size: int
    meaning: str


@dataclass(frozen=True)
class Trial:
    """One step of the self-test.

    Parameters
    ----------
    fresh : begin anew before it.
    inputs : NaN and infinity among them.
    what : why it is there, for a reader.
    branch : what the state holds where the caller says the branches.
    """

    fresh: bool
    inputs: tuple[float, ...]
    what: str
    branch: tuple[int, ...] = ()


@dataclass(frozen=True)
class Following:
    """A branch that is followed: sizes of its state, what sets it up, when it begins and how long a step is [s].

    `near` says how far the value of a driven freedom may be from where it begins at the first step: (input, rad or m).
    """

    state: int
    begin: str
    begin_routine: Routine
    time: float
    period: float
    near: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Subject:
    """A solver and all that is said about it.

    Parameters
    ----------
    prefix : of every name that the caller sees.
    title : what is solved.
    about : lines for its reader: groups, branches, what is not checked.
    texts : the solver's files by name.
    header, symbol : its header, and the function that a step calls.
    routine : of that function.
    branches : how many each group has; one number for a solved type; empty if nothing is chosen.
    chosen : the branches compiled in, None if the caller says them.
    trials : what the self-test asks; what lies on borders is found later.
    motion : inputs of a step along the motion by its number, or between two steps, also beyond those in `trials`; None
        if there is no motion.
    checked : numbers of inputs that the solver does not look at, so that the step has to see that they are finite.
    batch : the solver has functions over rows, so that its header is for callers, too.
    tangent : of the function's exact derivatives, if they were asked for and there are any; `tangent_symbol` is its
        name, `no_tangent` why there are none.
    drawn : the branches in which a mechanism is drawn, where the caller sets them; empty if nothing tells.
    ports : what names with an index mean, inputs first; empty where each name says it itself.
    meanings : what statuses mean, where the solver is not symgen's and says so.
    steps : how many Newton's method may take for one solution; None where nothing iterates.
    """

    prefix: str
    title: str
    about: tuple[str, ...]
    source: str
    precision: Precision
    math: Math
    stage: ExportStage
    texts: Mapping[str, str] = field(hash=False)
    header: str
    symbol: str
    routine: Routine
    inputs: tuple[Input, ...]
    results: tuple[Result, ...]
    branches: tuple[int, ...]
    chosen: tuple[int, ...] | None
    following: Following | None
    by_law: bool
    trials: tuple[Trial, ...]
    motion: Callable[[float], tuple[float, ...]] | None = None
    checked: tuple[int, ...] = ()
    batch: bool = False
    notes: tuple[str, ...] = ()
    tangent: Routine | None = None
    tangent_symbol: str = ""
    no_tangent: str = ""
    steps: int | None = None
    drawn: tuple[int, ...] = ()
    ports: tuple[PortWords, ...] = ()
    meanings: Mapping[Status, str] = field(default_factory=dict, hash=False)

    @property
    def real(self) -> str:
        """The C type of inputs and results."""
        return self.precision

    @property
    def branch_is_input(self) -> bool:
        """Whether the caller sets branches in the state."""
        return bool(self.branches) and self.chosen is None and self.following is None


def begins_at(subject: Subject, solved: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """Return where the inputs begin: where the motion does, within their ranges.

    Parameters
    ----------
    solved : inputs of steps that are solved; the first says where an input begins of which no motion is known, as all
        of a solved type. It is not asked for where none is needed.
    """
    if all(value.start is not None for value in subject.inputs):
        return tuple(value.begin for value in subject.inputs)
    good = next(iter(solved), subject.trials[0].inputs)
    return tuple(
        value.within(x) if value.start is None else value.begin for value, x in zip(subject.inputs, good, strict=True)
    )


def moved_into_ranges(inputs: Sequence[Input]) -> Iterator[str]:
    """Yield a note for each input whose motion begins out of its range."""
    for value in inputs:
        if value.start is not None and value.begin != value.start:
            yield f"{value.name} would begin at {value.start:g}, out of its range: it begins at {value.begin:g}"


def prefix_from(given: str | None, title: str) -> str:
    """Return the prefix of an export: the one that is given, else one made from the title.

    Raises
    ------
    InputError
        It cannot begin names in C.
    """
    if given is None:
        return identifier_from(title, "mechanism")[:_LONGEST].rstrip("_")
    if _PREFIX.fullmatch(given) is None or len(given) > _LONGEST or given.lower().startswith("symgen"):
        likely = identifier_from(given, "mechanism")[:_LONGEST].rstrip("_")
        raise InputError(
            f"--prefix {given}: a prefix is a letter, then letters, digits and single underscores, at most {_LONGEST},"
            f" and not symgen's own; write {likely!r}"
        )
    if given.lower() in _TAKEN:
        raise InputError(
            f"--prefix {given}: this is the name of a header of C, of a file of the export or of a target of build "
            f"systems; take another, such as 'my_{given.lower()}'"
        )
    check_identifier(given.lower())  # nor a keyword, a function of <math.h>, a device
    return given


def refuse_prefix(prefix: str, taken: Collection[str], what: str) -> None:
    """Refuse a prefix that is fine in C, but not for one system.

    Raises
    ------
    InputError
        It is one of those that are taken.
    """
    if prefix in taken:
        raise InputError(f"--prefix {prefix}: {what}; take another, such as 'my_{prefix}'")


def solver_id(prefix: str) -> str:
    """Return the name of the module that does the work: of no other prefix, or a linker would take another's.

    Modules have names in lower case: what is lost of the prefix stands as a number behind it.
    """
    stem = identifier_from(prefix, "mechanism")
    return f"{stem}_solver" if stem == prefix else f"{stem}_{zlib.crc32(prefix.encode()):08x}_solver"


def c_names(prefix: str, kind: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return an enumerator for each name: upper case, what C does not know as underscores, each once."""
    found: dict[str, None] = {}
    for name in names:
        word = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_") or "VALUE"
        stem = f"{prefix.upper()}_{kind}_{word}"
        enumerator, number = stem, 2
        while enumerator in found:
            enumerator, number = f"{stem}_{number}", number + 1
        found[enumerator] = None
    return tuple(found)


def elements_of(ports: Sequence[Port], direction: str) -> list[tuple[Port, str]]:
    """Return the real elements of ports of a direction, in order."""
    return [(p, e) for p in ports if p.direction == direction and p.kind == "real" for e in p.elements]
