"""The engines that serve most mechanisms, as sources: `symgen library build engines` compiles them in advance.

What is compiled does not depend on the mechanism (`symgen.simulate.tables.shapes`), so any mechanism of a size stands
for all of them: a chain of bodies on revolute joints, open or closed to a ring.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from symgen.build.recipe import ModuleSources
from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated.engine import riccati_sources, riccati_tables
from symgen.simulate.calls import sources_of
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.mechanism_tables import Structure
from symgen.simulate.tables.problem import Problem, make_problem
from symgen.simulate.tables.problem_text import tables_as_data
from symgen.simulate.tables.scale import size_of_mechanism
from symgen.simulate.tables.shapes import COMMON

_KINDS: tuple[tuple[str, Structure, bool], ...] = (
    ("tree", "tree", False),
    ("loops", "tree", True),
    ("dense", "dense", True),
)


def common_engines() -> Iterator[tuple[str, ModuleSources]]:
    """Yield name and sources of each: central differences for trees, loops and poses; transfer matrices for two."""
    manifest = read_dynamics()
    for bodies, (name, structure, closed) in product(COMMON, _KINDS):
        problem = _problem(bodies, structure, closed=closed)
        yield f"dimcd, {name}, {bodies} bodies", sources_of(tables_as_data(problem), manifest)
        if structure == "tree":
            yield f"riccati, {name}, {bodies} bodies", riccati_sources(problem, riccati_tables(problem), manifest)


def _problem(bodies: int, structure: Structure, *, closed: bool) -> Problem:
    mechanism = _chain(bodies, closed=closed)
    rows = JointRows(mechanism, size_of_mechanism(mechanism))
    return make_problem(mechanism, read_dynamics(), structure, lambda: 1, rows)


def _chain(bodies: int, *, closed: bool) -> Mechanism:
    names = [f"b{k}" for k in range(bodies)]
    ends = list(zip(["ground", *names], [*names, "ground"] if closed else names, strict=False))
    joints: dict[str, Any] = {
        f"J{k}": {"type": "R", "bodies": list(pair), "at": [float(k), 0.0, 0.0], "axis": [0.0, 1.0, 0.0]}
        for k, pair in enumerate(ends)
    }
    return Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1", "name": "chain", "space": "spatial", "joints": joints,
            "bodies": {
                name: {"mass": 1.0, "inertia": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], "pose": {"r": [float(k), 0.0, 0.0]}}
                for k, name in enumerate(names)
            },
        }
    )  # fmt: skip
