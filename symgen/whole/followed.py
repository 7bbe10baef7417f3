"""A group of several branches in a whole mechanism, followed: all are solved, the one that goes on smoothly is taken.

The group's routine becomes an inner routine of the known bodies, drives and a branch; the kernel `follow_branch` calls
it for every branch and compares with what position, velocity and acceleration of the time before predict
(docs/whole-mechanisms.md). Signs of square roots and ranks of zeros are alike here: behind a change point the smooth
motion has another number.

What is followed are the bodies: coordinates of joints are read off them, also where the kernel gives the limit of the
smooth motion because the position alone does not determine the rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.algebra import ZERO, Expr, exactly, is_number, symbol, symbol_names
from symgen.ir.nodes import Kernel, Output, Port, Routine
from symgen.library.fit import FittedJoint
from symgen.solve.displaced import ASIDE, PLACES
from symgen.solve.plan import GroupPlan
from symgen.status import Status
from symgen.whole.bodies import Moving, Values
from symgen.whole.coordinates import Triple
from symgen.whole.iterated import Before
from symgen.whole.measured import measured
from symgen.whole.steps import Steps

_STATUSES = (Status.NO_ASSEMBLY, Status.SINGULAR, Status.BRANCH_LOST, Status.AMBIGUOUS)
#: Numbers that describe a body by points: origin and tips of two or three axes.
_POINTS = {9: 6, 19: 12}
#: The name of the last number of `given`: how far a known body is displaced, and a loop whose assemblies are searched.
_DISPLACED = "displaced"


def follow_branches(
    steps: Steps,
    routine: Routine,
    number: int,
    given: Mapping[str, Values],
    group: GroupPlan,
    before: Before,
    bodies: Sequence[tuple[str, str]],
    size: float,
    doubt: Expr,
) -> tuple[dict[str, Moving], Expr, Expr]:
    """Write the call of the kernel in; return the motions of the group's bodies, how well they are known, the branch.

    Parameters
    ----------
    routine : position, velocity and acceleration of the group, all in one.
    given : values of its input ports, numbers or names.
    bodies : the group's bodies, (place in the routine, name in `before`).
    size : length of the mechanism [m], which makes turns comparable.
    group : as it is solved.
    doubt : how well the groups before are known, in parts of the size.
    """
    name = f"g{number}"
    taken = tuple(dict.fromkeys(n for port, v in given.items() if port != "branch" for x in v for n in symbol_names(x)))
    known, branches = group.adapter.fit.entry.arrangement.known, group.branches
    inner = _inner(steps, routine, name, given, known, taken, bodies, size)
    last = [before.bodies[body] for _, body in bodies]
    state = tuple(x for each in last for x in (*each.pose, *each.twist, *each.acceleration))
    width, places, freedoms = len(state) // len(bodies), len(last[0].pose), len(last[0].twist)
    mark = ZERO if group.ranked else before.mark
    inputs: tuple[tuple[str, tuple[Expr, ...]], ...] = (
        ("given", (*map(symbol, taken), ZERO)),
        ("before", state),
        ("step", (before.dt, exactly(size), doubt, mark)),
    )
    targets = tuple(f"{name}_found_{k}" for k in range(len(state)))
    scratch = (
        ("displaced", len(taken) + 1),
        ("tried", (branches + 1) * len(state)),
        ("points", 3 * (branches + 1) * _POINTS[width] * len(bodies)),
        ("misses", branches),
    )
    meaning = f"the branch of group {number} that goes on smoothly"
    outputs = (("found", targets), ("doubt", (f"{name}_doubt_0",)), ("mark", (f"{name}_mark_0",)))
    sizes = (("sizes", (branches, len(bodies), len(taken) + 1, int(group.ranked))),)
    steps.kernel(
        Kernel(
            name, "follow_branch", inner, sizes, inputs, scratch, outputs, (), _STATUSES, True, meaning,
            keep_ambiguous=True,
        )
    )  # fmt: skip
    found: dict[str, Moving] = {}
    for k, (_, body) in enumerate(bodies):
        values = tuple(map(symbol, targets[width * k : width * (k + 1)]))
        found[body] = Moving(values[:places], values[places : places + freedoms], values[places + freedoms :])
    return found, symbol(f"{name}_doubt_0"), symbol(f"{name}_mark_0")


def followed_coordinates(
    steps: Steps,
    number: int,
    joints: Sequence[FittedJoint],
    frames: Mapping[str, tuple[Values, Values]],
    drives: Mapping[tuple[str, str], Triple],
    found: Mapping[str, Moving],
) -> dict[tuple[str, str], Triple]:
    """Return the coordinates of the group's joints, read off its bodies; driven ones as they are given."""
    every: dict[tuple[str, str], Triple] = {}
    for k, fitted in enumerate(joints, start=1):
        joint = fitted.joint
        if fitted.slot.type != "S":  # a ball has none here, as in the library
            ends = found[joint.bodies[0]], found[joint.bodies[1]]
            triples = measured(steps, f"g{number}_j{k}", joint.type, ends, frames[joint.name], rates=True)
            every |= {(joint.name, freedom): triple for freedom, triple in triples.items()}
        every |= {(joint.name, freedom): drives[joint.name, freedom] for freedom in joint.driven}
    return every


def _displaced(
    own: Steps, name: str, given: Mapping[str, Values], known: Sequence[str], size: float
) -> dict[str, Values]:
    """Return the inputs with one known body displaced: one that moves, if there is one."""
    moving = [place for place in known if not all(map(is_number, given[place]))]
    place = (moving or list(known))[-1]
    pose = given[place]
    units = [size] * PLACES[len(pose)] + [1.0] * (len(pose) - PLACES[len(pose)])
    aside = [exactly(unit * part) for unit, part in zip(units, ASIDE[len(pose)], strict=True)]
    values = tuple(value + part * symbol(_DISPLACED) for value, part in zip(pose, aside, strict=True))
    names = tuple(f"{name}_{place}_{k}" for k in range(len(pose)))
    return {
        **given,
        place: own.lets(f"{name}_{place}", names, values, "a known body, displaced by the last number", {}),
    }


def _inner(
    steps: Steps,
    routine: Routine,
    name: str,
    given: Mapping[str, Values],
    known: Sequence[str],
    taken: Sequence[str],
    bodies: Sequence[tuple[str, str]],
    size: float,
) -> Routine:
    """Return the inner routine: the motions of the bodies on one branch."""
    own = steps.apart(taken)
    given = _displaced(own, name, given, known, size)
    own.displaced = symbol(_DISPLACED)
    branch = symbol("branch")
    inputs = {port.name: (branch,) if port.name == "branch" else given[port.name] for port in routine.inputs}
    values = own.inline(routine, name, inputs, stop_singular=True)
    flat = tuple(value for place, _ in bodies for order in ("", "v_", "a_") for value in values[f"{order}{place}"])
    elements = tuple(f"found_{k}" for k in range(len(flat)))
    found = Port("found", "out", "real", (len(flat),), elements, "", "", "motions of the bodies")
    elements_held = (*taken, _DISPLACED)
    held = Port("given", "in", "real", (len(elements_held),), elements_held, "", "", "what the group knows")
    number = Port("branch", "in", "int", (), ("branch",), "", "", "branch")
    return Routine(
        f"{name}_of_branch", f"group {name[1:]} on one branch", "group", None, "inner", (held, number),
        tuple(own.body), (Output(found, flat),), (), 1,
    )  # fmt: skip
