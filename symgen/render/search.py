"""The views of the search for all assemblies of a loop (`symgen.ir.nodes.LoopAssemblies`).

CLOSED is what may be left open, relative to the loop's size, SETTLED what is rounding, if the next step is no longer
than STILL; ROUNDING is the largest step that a closed assembly may still ask for, MERGED how near two of them are one
and the same (BLURRED: singular ones, known to half of the digits or a third), TIED how near their ranking angles count
as equal. Where one is lost, those with a margin below LONELY may be next to it. SHIFTS are the displacements: large
enough that zeros which meet separate by far more than rounding, small enough that an assembly of ordinary condition is
still there; of different sizes and directions, because neither is known. Those behind the fifth go the opposite ways:
where two assemblies come near each other, one way takes them apart and the other takes both away. They are asked only
where the number is still odd, which it is not but at a fold, or less than that of the zeros; the last one finds
assemblies that are regular, but so near two others that larger displacements take them away. A singular one is no sign
there that there may be infinitely many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit import c99_signature, numpy
from symgen.emit.names import searches
from symgen.ir.nodes import LoopAssemblies, Routine
from symgen.printers.c99 import REAL_WORDS, Written, serves_both
from symgen.printers.zero_finder import DOUBTS

ROUNDS = 12
#: How many parts of a displacement are carried back one after the other.
PARTS = 2
CLOSED: dict[str, str] = {"double": "(1024.0*DBL_EPSILON)", "float": "(1024.0F*FLT_EPSILON)"}
SETTLED: dict[str, str] = {"double": "(16.0*DBL_EPSILON)", "float": "(16.0F*FLT_EPSILON)"}
STILL: dict[str, str] = {"double": "1e-12", "float": "3e-05F"}
MERGED: dict[str, str] = {"double": "1e-07", "float": "3e-03F"}
BLURRED: dict[str, str] = {"double": "1e-04", "float": "3e-02F"}
ROUNDING: dict[str, str] = {"double": "1e-08", "float": "3e-04F"}
LONELY: dict[str, str] = {"double": "1e-04", "float": "3e-03F"}
TIED: dict[str, str] = {"double": "1e-06", "float": "1e-02F"}
SHIFTS: dict[str, tuple[tuple[str, str], ...]] = {
    "double": (
        *(("1e-02", "0.0"), ("0.0", "1e-03"), ("-1e-03", "2e-03"), ("1e-04", "-1e-04"), ("1e-05", "2e-05")),
        *(("0.0", "-1e-03"), ("1e-03", "-2e-03"), ("-1e-04", "1e-04"), ("-1e-05", "-2e-05")),
        ("1e-08", "2e-08"),
    ),
    "float": (("3e-02F", "0.0F"), ("0.0F", "1e-02F"), ("-1e-02F", "2e-02F")),
}
#: Of a margin squared; in float 64 roots of EPSILON would take the regular for folds, 4 are what rounding needs.
FOLD: dict[str, str] = {"double": "(4096.0*DBL_EPSILON)", "float": "(16.0F*FLT_EPSILON)"}
NUMPY_SEARCH: tuple[tuple[str, object], ...] = (
    ("_CLOSED", 1024 * 2.0**-52),
    ("_SETTLED", 16 * 2.0**-52),
    ("_STILL", 1e-12),
    ("_MERGED", 1e-7),
    ("_BLURRED", 1e-4),
    ("_ROUNDING", 1e-8),
    ("_TIED", 1e-6),
    ("_LONELY", 1e-4),
    ("_SHIFTS", tuple((float(one), float(two)) for one, two in SHIFTS["double"])),
    ("_ROUNDS", ROUNDS),
    ("_PARTS", PARTS),
    ("_DOUBTS", float(DOUBTS["double"])),
)


@dataclass(frozen=True)
class SearchView:
    """One search in C: what its functions are called, its sizes, and numbers in one precision."""

    name: str
    record: str
    margin: str
    close: str
    insert: str
    collect: str
    carry: str
    polynomial: str
    recovery: str
    closure: str
    stepped: str
    displaced: str
    constants: int
    coordinates: int
    size: int
    degree: int
    most: int
    kept: int
    rounds: int
    parts: int
    shifts: str
    shift_room: int
    shift_rows: str
    real: str
    closed: str
    settled: str
    still: str
    merged: str
    blurred: str
    rounding: str
    tied: str
    lonely: str
    fold: str
    literal_0: str
    literal_half: str
    literal_1: str
    pi: str
    absolute: str
    atan2: str


@dataclass(frozen=True)
class NumPySearchView:
    """One search in NumPy; `parts` are the functions it passes on, joined."""

    name: str
    parts: str
    size: int


def c_searches(routines: Sequence[Routine], precision: Written) -> tuple[SearchView, ...]:
    """Return the views of all searches of a module."""
    return tuple(_c_search(found, precision) for found in searches(routines))


def numpy_searches(routines: Sequence[Routine]) -> tuple[NumPySearchView, ...]:
    """Return the views of all searches of a module."""
    return tuple(
        NumPySearchView(numpy.search_name(s), ", ".join(numpy.solver_name(part) for part in s.parts.routines), s.size)
        for s in searches(routines)
    )


def _shifts(precision: Written) -> tuple[str, int, str]:
    """Return how many displacements there are, how many rows hold them, and the rows."""
    words = REAL_WORDS[precision]
    counts = words.choice({each: str(len(rows)) for each, rows in SHIFTS.items()})
    room = max(len(rows) for each, rows in SHIFTS.items() if serves_both(precision) or words.precision == each)
    filled = {each: (*rows, *[("0.0", "0.0")] * room)[:room] for each, rows in SHIFTS.items()}
    pairs = [
        [words.choice({"double": one, "float": two}) for one, two in zip(*rows, strict=True)]
        for rows in zip(filled["double"], filled["float"], strict=True)
    ]
    return counts, room, ", ".join(f"{{{one}, {two}}}" for one, two in pairs)


def _c_search(found: LoopAssemblies, precision: Written) -> SearchView:
    words = REAL_WORDS[precision]
    name, parts = c99_signature.search_name(found), found.parts
    polynomial, recovery, closure, stepped, displaced = (c99_signature.solver_name(part) for part in parts.routines)
    counts, room, rows = _shifts(precision)
    return SearchView(
        name=name,
        record=f"{name}_one",
        margin=f"{name}_margin",
        close=f"{name}_close",
        insert=f"{name}_insert",
        collect=f"{name}_collect",
        carry=f"{name}_carry",
        polynomial=polynomial,
        recovery=recovery,
        closure=closure,
        stepped=stepped,
        displaced=displaced,
        constants=len(found.inputs),
        coordinates=len(found.targets),
        size=found.size,
        degree=found.degree,
        most=2 * found.degree,
        kept=4 * found.degree,
        rounds=ROUNDS,
        parts=PARTS,
        shifts=counts,
        shift_room=room,
        shift_rows=rows,
        real=words.real,
        closed=words.choice(CLOSED),
        settled=words.choice(SETTLED),
        still=words.choice(STILL),
        merged=words.choice(MERGED),
        blurred=words.choice(BLURRED),
        rounding=words.choice(ROUNDING),
        tied=words.choice(TIED),
        lonely=words.choice(LONELY),
        fold=words.choice(FOLD),
        literal_0=words.literal("0.0"),
        literal_half=words.literal("0.5"),
        literal_1=words.literal("1.0"),
        pi=words.literal("3.141592653589793"),
        absolute=words.function("fabs"),
        atan2=words.function("atan2"),
    )
