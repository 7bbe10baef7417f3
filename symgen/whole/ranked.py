"""A group of ranked branches in a whole mechanism, followed: all are solved, the one that was expected is taken.

The group's routine becomes an inner routine of the known bodies, drives and a branch; the kernel `follow_branch` calls
it for every branch and compares with where position, velocity and acceleration of the time before predict the group,
as `symgen.solve.follow` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.algebra import Expr, exactly, symbol, symbol_names
from symgen.ir.nodes import Kernel, Output, Port, Routine
from symgen.status import Status
from symgen.whole.bodies import Values
from symgen.whole.iterated import Before
from symgen.whole.steps import Steps

_STATUSES = (Status.NO_ASSEMBLY, Status.SINGULAR, Status.BRANCH_LOST, Status.AMBIGUOUS)


def follow_ranked(
    steps: Steps,
    routine: Routine,
    number: int,
    given: Mapping[str, Values],
    branches: int,
    before: Before,
    bodies: Sequence[tuple[str, str]],
    size: float,
) -> dict[str, Values]:
    """Write the call of the kernel in; return the values of the routine's output ports.

    Parameters
    ----------
    routine : position, velocity and acceleration of the group, all in one.
    given : values of its input ports, numbers or names.
    bodies : the group's bodies, (place in the routine, name in `before`).
    size : length of the mechanism [m], which makes turns comparable.
    """
    name = f"g{number}"
    bodies = sorted(bodies)
    taken = tuple(dict.fromkeys(n for port, v in given.items() if port != "branch" for x in v for n in symbol_names(x)))
    inner, results = _inner(steps, routine, name, given, taken, bodies)
    last = [before.bodies[body] for _, body in bodies]
    inputs: tuple[tuple[str, tuple[Expr, ...]], ...] = (
        ("given", tuple(map(symbol, taken))),
        ("before", tuple(x for each in last for x in (*each.pose, *each.twist, *each.acceleration))),
        ("step", (before.dt, exactly(size))),
    )
    count = sum(len(names) for _, names in results)
    targets = tuple(f"{name}_found_{k}" for k in range(count))
    steps.kernel(
        Kernel(
            name, "follow_branch", inner, (("sizes", (branches, len(bodies), count)),), inputs,
            (("tried", count),), (("found", targets),), (), _STATUSES, False,
            f"the branch of group {number} that is nearest to where it is expected",
        )
    )  # fmt: skip
    found: dict[str, Values] = {}
    place = 0
    for port, names in results:
        found[port] = tuple(symbol(target) for target in targets[place : place + len(names)])
        place += len(names)
    return found


def _inner(
    steps: Steps,
    routine: Routine,
    name: str,
    given: Mapping[str, Values],
    taken: Sequence[str],
    bodies: Sequence[tuple[str, str]],
) -> tuple[Routine, list[tuple[str, tuple[str, ...]]]]:
    """Return the inner routine, and its results port by port; the motions of the bodies come first."""
    own = steps.apart(taken)
    branch = symbol("branch")
    inputs = {port.name: (branch,) if port.name == "branch" else given[port.name] for port in routine.inputs}
    values = own.inline(routine, name, inputs, stop_singular=True)
    first = [f"{order}{place}" for place, _ in bodies for order in ("", "v_", "a_")]
    order = [*first, *(port for port in values if port not in first)]
    flat = [value for port in order for value in values[port]]
    elements = tuple(f"found_{k}" for k in range(len(flat)))
    found = Port("found", "out", "real", (len(flat),), elements, "", "", "motions of the bodies, then all else")
    held = Port("given", "in", "real", (max(len(taken), 1),), tuple(taken) or ("none",), "", "", "what the group knows")
    number = Port("branch", "in", "int", (), ("branch",), "", "", "branch")
    inner = Routine(
        f"{name}_of_branch", f"group {name[1:]} on one branch", "group", None, "inner", (held, number),
        tuple(own.body), (Output(found, tuple(flat)),), (), 1,
    )  # fmt: skip
    return inner, [(port, tuple("" for _ in values[port])) for port in order]
