"""How long the arrays of a caller of the engine in C are, and what is in them: the file ``transfer_sizes.h``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.naming import free_text
from symgen.simulate.articulated.loops import LoopTables
from symgen.simulate.tables.problem import Problem

SIZES = "transfer_sizes.h"
_AGAINST = ", against the joint's direction"


def sizes_header(problem: Problem, loops: LoopTables, names: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the text of ``transfer_sizes.h``.

    Parameters
    ----------
    names : by size, what each number of it stands for, as `names_of` has it; None for a header without words.
    """
    sizes = problem.sizes
    counts = {
        "BODIES": sizes["BODIES"],
        "COORDINATES_AND_RATES": sizes["MOTIONS"] + 4 * sizes["BALLS"] + sizes["UNKNOWNS"],
        "JOINT_FORCES": sizes["JOINT_FORCES"],
        "WATCHED": sizes["WATCHED"],
        "CLOSINGS": len(loops.closings),
        "PUSHES": sizes["PUSHES"],
        "MODES": sizes.get("MODES", 0),
    }
    lines = ["/* Lengths of the arrays of transfer.h for one mechanism; an array of length 0 is not looked at. */", ""]
    lines += ["#ifndef SYMGEN_TRANSFER_SIZES_H", "#define SYMGEN_TRANSFER_SIZES_H", ""]
    for name, count in counts.items():
        listed = [f" *   {k}: {free_text(each)}" for k, each in enumerate((names or {}).get(name, ()))]
        lines += [f"/* {name.lower().replace('_', ' ')}:", *listed, " */"] if listed else []
        lines += [f"#define SYMGEN_TRANSFER_{name} {count}"]
    return "\n".join([*lines, "", "#endif /* SYMGEN_TRANSFER_SIZES_H */", ""])


def modes_header(problem: Problem) -> str:
    """Return the text of ``transfer_sizes.h`` for an engine whose tables are data: what its declarations depend on."""
    return f"#define SYMGEN_TRANSFER_MODES {problem.sizes.get('MODES', 0)}\n"


def names_of(problem: Problem, bodies: Sequence[str]) -> dict[str, list[str]]:
    """Return what each number of a size stands for; `bodies` in the order of the mechanism."""
    values, turns, rates = [], [], []
    for branch in problem.tree.branches:
        for motion in branch.motions:
            joint = branch.joint.id if branch.joint is not None else f"the freedom of {bodies[branch.body]}"
            against = _AGAINST if motion.sign < 0 else ""
            if motion.kind == "ball":
                values.append(f"{joint}: not used, its turn is below")
                turns += [f"{joint}, q{k} of its turn" for k in range(4)]
                rates += [f"{joint}, angular velocity {axis} [rad/s]" for axis in "xyz"]
                continue
            unit = "m" if motion.kind.startswith("slide") or motion.kind == "mode" else "rad"
            driven = ", driven: what is given is not looked at" if motion.driven else ""
            values.append(f"{joint}.{motion.freedom} [{unit}]{against}{driven}")
            if not motion.driven:
                rates.append(f"rate of {joint}.{motion.freedom} [{unit}/s]{against}")
    return {
        "BODIES": [bodies[k] for k in problem.order],
        "COORDINATES_AND_RATES": [*values, *turns, *rates],
        "WATCHED": [".".join(each) for each in problem.watched],
    }
