"""``python -m benchmarks structure``: the structural analysis beside the paper's search and a general graph library."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from statistics import median

from benchmarks.brute_force import TooLongError, search_groups
from benchmarks.linkages import FAMILIES, TABLE_16, Case, Linkage
from benchmarks.scaling import Run, run
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import PAIR_TYPES
from symgen.topology.analysis import analyse

TITLE = "## Structural analysis"

#: Sets the search may look at: some seconds. The hardest case it does not solve then has 2^25 of them.
MOST_SETS = 400_000

SIZES = (1_000, 10_000, 100_000, 1_000_000)

_HEAD = f"""{TITLE}

`structure`: groups, order, levels and verdict of a mechanism in memory. Signatures and pair lists are not
included: they are computed when they are read.

The linkages are the ASSUR linkages of Celdran, Saura, Dopico 2022, Table 16: a crank and n Assur groups of
class I (two bodies), II (four) or III (six), joined at random. B means driven between the last two bodies. The
paper does not print the linkages; these are generated with the seeds in `benchmarks/linkages.py`, so that
number and size of the groups agree. The results of all methods in a row were compared; they are the same groups.

- *symgen*: `symgen.analyse`, including the tests for rigid parts and generic rank; the median and the fastest
  (*min*) of {{rounds}} rounds.
- *search*: the paper's search, reimplemented in Python (`benchmarks/brute_force.py`), one run, no tests;
  stopped after {MOST_SETS:,} sets of bodies.
- *networkx{{networkx}}*: Hopcroft-Karp matching and strongly connected components of a general graph
  library; no order, no tests.
- *paper*: seconds printed in Table 16 (spatial program, Matlab, Intel i7-8550U)."""


def structure_section(rounds: int) -> str:
    """Measure, and return the section of the report."""
    print("measuring structure: ASSUR linkages", file=sys.stderr, flush=True)
    head = _HEAD.format(rounds=rounds, networkx=f" {_networkx()}" if _networkx() else "")
    return "\n\n".join([head, _assur_table(rounds), _scaling_table()])


def with_section(document: str, section: str) -> str:
    """Return the document with this section in place of the one with the same title, or at its end."""
    title = section.partition("\n")[0]
    before, found, rest = document.partition(f"{title}\n")
    if not found:
        return f"{document.rstrip()}\n\n{section}\n"
    following = rest.find("\n## ")
    after = rest[following + 1 :] if following >= 0 else ""
    return f"{before}{section}\n{chr(10) + after if after else ''}"


def section_of(document: str) -> str:
    """Return the structure section of a document, or nothing."""
    _, found, rest = document.partition(f"{TITLE}\n")
    return f"{found}{rest.partition(chr(10) + '## ')[0]}".strip()


def constraints(linkage: Linkage) -> tuple[int, int, list[tuple[int, int, int]]]:
    """Return B, number of bodies and (body, body, constraints) for the two competitors."""
    freedoms = 3 if linkage.space == "planar" else 6
    units = [(i, j, freedoms - PAIR_TYPES[kind].grade + driven) for i, j, kind, driven in linkage.pairs]
    return freedoms, linkage.bodies, units


def _assur_table(rounds: int) -> str:
    lines = [
        "| ASSUR | bodies | joints | groups | largest | symgen, ms | min | search, ms | networkx, ms | paper, s |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    cases = [(case, case.linkage(), case.linkage().mechanism()) for case in TABLE_16]
    times = _alternate([_analysis_of(mechanism) for _, _, mechanism in cases], rounds)
    for (case, linkage, mechanism), own in zip(cases, times, strict=True):
        lines.append(_row(case, linkage, mechanism, own, min(rounds, 5)))
    total, least = sum(map(median, times)), sum(map(min, times))
    lines.append(f"| together | | | | | **{1e3 * total:.2f}** | {1e3 * least:.2f} | | | |")
    return "\n".join(lines)


def _row(case: Case, linkage: Linkage, mechanism: Mechanism, times: Sequence[float], rounds: int) -> str:
    structure = analyse(mechanism)
    groups = [tuple(int(body[1:]) for body in group.bodies) for group in structure.groups]
    assert structure.status == "determined"
    assert case.found in (None, len(groups))
    assert case.largest == max(map(len, groups))
    task = constraints(linkage)
    start = time.perf_counter()
    try:
        assert search_groups(*task, MOST_SETS) == groups
        searched = f"{1e3 * (time.perf_counter() - start):.2f}"
    except TooLongError:
        searched = f"> {1e3 * (time.perf_counter() - start):,.0f}"
    cells = [
        linkage.name.removeprefix("ASSUR "),
        linkage.bodies,
        len(linkage.pairs),
        len(groups),
        case.largest,
        f"**{1e3 * median(times):.2f}**",
        f"{1e3 * min(times):.2f}",
        searched,
        _networkx_time(task, groups, rounds),
        "not solved" if case.seconds is None else f"{case.seconds:,.2f}",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def _networkx_time(
    task: tuple[int, int, list[tuple[int, int, int]]], groups: list[tuple[int, ...]], rounds: int
) -> str:
    if not _networkx():
        return "not installed"
    from benchmarks.networkx_groups import find_groups

    assert sorted(find_groups(*task)) == sorted(groups)
    (times,) = _alternate([lambda: find_groups(*task)], rounds)
    return f"{1e3 * median(times):.2f}"


def _networkx() -> str | None:
    try:
        return version("networkx")
    except PackageNotFoundError:
        return None


def _analysis_of(mechanism: Mechanism) -> Callable[[], object]:
    return lambda: analyse(mechanism)


def _alternate(tasks: Sequence[Callable[[], object]], rounds: int) -> list[list[float]]:
    """Return seconds of each task in each round; all tasks take turns."""
    times: list[list[float]] = [[] for _ in tasks]
    for _ in range(rounds):
        for task, found in zip(tasks, times, strict=True):
            start = time.perf_counter()
            task()
            found.append(time.perf_counter() - start)
    return times


def _scaling_table() -> str:
    lines = [
        "The next table shows how the analysis scales: `symgen.topology.analysis.analyse_pairs` on linkages given as "
        "arrays, each in a separate process, on one core. Times are processor time. *Memory* is the peak of the "
        "process, *before* the part of it that Python, symgen and the linkage take.",
        "",
        "| linkage | bodies | pairs | groups | largest | s | µs per body | before, MB | memory, MB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for family in FAMILIES:
        for bodies in SIZES:
            print(f"measuring structure: {family}, {bodies} bodies", file=sys.stderr, flush=True)
            lines.append(_scaling_row(run(family, bodies)))
    return "\n".join(lines)


def _scaling_row(found: Run) -> str:
    assert (found.status, found.complete) == ("determined", True)
    cells = [
        found.family,
        *(f"{number:,}" for number in (found.bodies, found.pairs, found.groups, found.largest)),
        f"**{found.seconds:.3g}**",
        f"{1e6 * found.seconds / found.bodies:.1f}",
        f"{found.memory_before:.0f}",
        f"{found.memory:.0f}",
    ]
    return f"| {' | '.join(cells)} |"
