"""What the solvers of the library cost: operations counted at generation, or seconds measured here."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from symgen.library.catalogue import ITERATED, Catalogue, Entry
from symgen.library.description import operation_count
from symgen.topology.scheduling.group_costs import GroupCost, GroupCosts, estimated_operations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symgen.library.manifest import ManifestPort
    from symgen.library.open import Library
    from symgen.library.solved_type import SolvedFunction
    from symgen.topology.structure import Group, Structure

#: Random placements drawn for a type until some assemble; rows of a timed call.
_DRAWN, _ROWS = 4096, 256
_ROUNDS, _ROUND_SECONDS = 7, 2e-3
#: Where nothing could be measured that would tell.
_SECONDS_AN_OPERATION = 1e-9


def operation_costs(structure: Structure, catalogue: Catalogue) -> GroupCosts:
    """Return for each group the operations of its solver: position, velocity and acceleration of one branch.

    A group without a solver gets those of a Newton iteration of its size, with a notice. The same everywhere.
    """
    return _costs(structure, catalogue, "operations", lambda entry: operation_count(entry, "group"), 1.0)


def measured_costs(structure: Structure, library: Library, tick: Callable[[str], None] = lambda _: None) -> GroupCosts:
    """Return for each group the seconds its solver takes for position, velocity and acceleration of one branch.

    Each type is timed once, in a batch of random placements that assemble. A group without a solver gets the
    operations of a Newton iteration at the median speed of those measured, with a notice.

    Parameters
    ----------
    tick : is told of each type that was measured, by its key.
    """
    entries = {
        entry.key: entry for group in structure.groups if (entry := solver_of(structure, group, library.catalogue))
    }
    seconds: dict[str, float] = {}
    speeds = []
    loose = []
    for key in sorted(entries):
        seconds[key], assembled = measure(library, entries[key])
        if not assembled:
            loose.append(key)
        operations = operation_count(entries[key], "group")
        if operations:
            speeds.append(seconds[key] / operations)
        tick(key)
    speed = statistics.median(speeds) if speeds else _SECONDS_AN_OPERATION
    found = _costs(structure, library.catalogue, "s", lambda entry: seconds[entry.key], speed)
    if not loose:
        return found
    notice = f"no random placement of {', '.join(loose)} assembled: the time is that of a call that reports this"
    return GroupCosts(found.unit, found.of, (*found.notices, notice))


def solver_of(structure: Structure, group: Group, catalogue: Catalogue) -> Entry | None:
    """Return the solved type of a group, or None.

    Where several differ in the driven freedom only, the mechanism's choice decides; the first, if it makes none.
    """
    entries = [entry for entry in catalogue.matching(group.signature) if entry.manifest.method != ITERATED]
    if len(entries) < 2:
        return entries[0] if entries else None
    names = {pair.joint for pair in (*group.external, *group.internal)}
    joints = [joint for joint in structure.mechanism.joints if joint.id in names]
    wanted = sorted(name for joint in joints for name in joint.driven_freedoms or ())
    for entry in entries:
        if sorted(name for joint in entry.arrangement.joints for name in joint.driven) == wanted:
            return entry
    return entries[0]


def measure(library: Library, entry: Entry) -> tuple[float, bool]:
    """Return the seconds one solution of a type takes in a batch, and whether any placement drawn assembled."""
    import numpy as np

    function = library.of(entry).all
    placements, assembled = _placements(function)
    call = function.prepare(_ROWS)
    for name, array in placements.items():
        call.inputs[name][...] = np.resize(array, call.inputs[name].shape)
    repeats, spent = 1, 0.0
    while True:  # as often as a round needs to be well above the clock's resolution
        spent = _time(call.run, repeats)
        if spent >= _ROUND_SECONDS:
            break
        repeats *= 2
    # The quickest round: what disturbs a measurement only ever adds to it.
    return min(spent, *(_time(call.run, repeats) for _ in range(_ROUNDS))) / (repeats * _ROWS), assembled


def _time(run: Callable[[], int], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return time.perf_counter() - start


def _placements(function: SolvedFunction) -> tuple[dict[str, NDArray[np.generic]], bool]:
    """Return inputs by port, rows that assemble; if none does, all that were drawn."""
    import numpy as np

    from symgen.status import Status

    random = np.random.default_rng(20220101)
    drawn = {port.name: _draw(port, random) for port in function.inputs}
    status = function(*drawn.values(), check=False).status
    good = np.asarray(status == Status.OK)
    if not good.any():
        return drawn, False
    return {name: array[good] for name, array in drawn.items()}, True


def _draw(port: ManifestPort, random: np.random.Generator) -> NDArray[np.generic]:
    import numpy as np

    if port.kind == "int":  # branch 0 is always there
        return np.zeros((_DRAWN, *port.shape), dtype=np.int32)
    values = random.normal(size=(_DRAWN, *port.shape))
    if "q unit" in port.range:
        values[..., 3:] /= np.linalg.norm(values[..., 3:], axis=-1, keepdims=True)
    return values


def _costs(
    structure: Structure, catalogue: Catalogue, unit: str, cost: Callable[[Entry], float | None], speed: float
) -> GroupCosts:
    """Return costs by `cost`; of groups without one, those of a Newton iteration times `speed`."""
    home = {body: number for number, members in enumerate(structure.rigid) for body in members}
    freedoms = 6 if structure.space == "spatial" else 3
    by_type: dict[str, float | None] = {}
    found: dict[int, GroupCost] = {}
    without: dict[str, list[str]] = {}
    for group in structure.groups:
        entry = solver_of(structure, group, catalogue)
        if entry is not None and entry.key not in by_type:
            by_type[entry.key] = cost(entry)
        value = by_type[entry.key] if entry is not None else None
        if value is not None:
            found[group.number] = GroupCost(float(value), "operations" if unit == "operations" else "measured")
            continue
        bodies = len({home[body] for body in group.bodies})
        found[group.number] = GroupCost(estimated_operations(bodies, freedoms) * speed, "estimated")
        without.setdefault(group.signature, []).append(str(group.number))
    notices = tuple(
        f"{_listed(numbers)} ({signature}): no solver in the library; the cost of a Newton iteration is used"
        for signature, numbers in without.items()
    )
    return GroupCosts(unit, found, notices)


def _listed(numbers: list[str]) -> str:
    more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
    return f"group{'s' * (len(numbers) > 1)} {', '.join(numbers[:8])}{more}"
