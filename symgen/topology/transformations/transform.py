"""Structural transformations of a mechanism: all valid choices of inputs, or the best that a search finds, ranked.

    preferences -> ground set -> choices -> classes -> structures -> ranking

Each stage leaves its results in a database and looks there for what an earlier run has done.
Theory: docs/transformations.md. Source: Celdran, Saura, Dopico 2022, Section 4 (structural transformation).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from symgen.errors import InputError, StructureError
from symgen.model.face import MechanismOrPath, loaded
from symgen.topology.multiple_joints import choose_trees
from symgen.topology.transformations.database import SCHEMA, Inputs, JointRow, Store, open_store
from symgen.topology.transformations.enumeration import count_choices, enumerate_choices
from symgen.topology.transformations.evaluation import Evaluator
from symgen.topology.transformations.ground_set import GroundSet, assign, count_vectors, first_matching, make_ground_set
from symgen.topology.transformations.preferences import read_preferences
from symgen.topology.transformations.ranking import Order, Solved, read_order
from symgen.topology.transformations.records import Transformations
from symgen.topology.transformations.refusal import explain_no_choice
from symgen.topology.transformations.search import STARTS, climb
from symgen.topology.transformations.stored import LIMIT, rank_store
from symgen.topology.transformations.symmetry import classes_of, find_symmetries

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism

#: Valid choices up to which all are enumerated.
MOST = 1_000_000

# Inputs times joints above which nothing is enumerated: the walk would keep too many assignments at a time.
_LARGEST = 5_000_000

# Choices, and structures, written in one step: what a kill can lose.
_STEP = 1000
_FEW = 200

Progress = Callable[[int, int, str], object]
"""Called with what is done, the total and the name of the stage."""


def transform(
    mechanism: MechanismOrPath,
    *,
    must: Mapping[str, int] | Iterable[str] = (),
    may_not: Iterable[str] = (),
    only: Iterable[str] | None = None,
    by: Sequence[str] | None = None,
    regular: bool = True,
    solved: Solved | None = None,
    limit: int | None = LIMIT,
    most: int = MOST,
    database: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Transformations:
    """Find the choices of inputs that determine a mechanism and rank them.

    Parameters
    ----------
    mechanism : bodies, joint types and driven freedoms, or the path of its file; geometry is not looked at, the inputs
        it has serve to compare. Joints of several bodies are taken as the pairs that are best for those inputs.
    must : joints that must be driven: at least one freedom, or as many as the mapping says.
    may_not : joints that may not be driven.
    only : joints with actuators: no others may be driven. None: all.
    by : objectives in lexicographic order: ``groups`` (most), ``largest`` (smallest), ``levels`` (fewest),
        ``solved`` (largest share of the groups). Default: groups, largest and, with `solved`, solved.
    regular : leave out singular choices (tests L3 and L2): counts agree, but for no geometry they fix every body.
    solved : tells of a signature whether the library solves it.
    limit : number of choices returned; None for all.
    most : enumerate up to so many valid choices; if there are more, search.
    database : SQLite file that keeps choices and structures; a run that was stopped goes on with it.
    progress : told what is done, the total and the stage.

    Raises
    ------
    StructureError
        if no choice is valid, or nothing moves; it says why.
    InputError
        for wishes that cannot be met, an unknown objective, or a database of something else.
    """
    mechanism = choose_trees(loaded(mechanism, "transform"))
    preferences = read_preferences(mechanism.joints, must, may_not, only)
    order = read_order(by, solved, regular_first=regular)
    ground = make_ground_set(mechanism, preferences.lowest, preferences.highest)
    if len(ground.graph.members) == 1 and not ground.graph.inner:
        raise StructureError("there is no freedom to drive: welds hold all bodies to the frame, so nothing moves")
    if first_matching(ground) is None:
        raise StructureError(explain_no_choice(ground))
    tell = progress or (lambda done, total, name: None)
    with open_store(database) as store:
        _begin(store, ground, mechanism, order, most)
        if store.fact("stage") == "choosing":
            _choose(store, ground, order, tell)
            _classify(store, ground)
        _evaluate(store, ground, tell)
        store.state(current=json.dumps(_current(mechanism)))
        return rank_store(store, order, preferences, regular=regular, limit=limit)


def _begin(store: Store, ground: GroundSet, mechanism: Mechanism, order: Order, most: int) -> None:
    """Write down what is asked, or check that the database was made for the same."""
    joints = _joint_rows(ground)
    problem = hashlib.sha256(
        json.dumps([mechanism.space, ground.graph.members, ground.graph.freedoms, joints]).encode()
    ).hexdigest()
    objectives = ",".join((*(("regular",) if order.regular_first else ()), *order.by))
    if store.fact("problem") is None:
        is_large = ground.inputs * len(ground.lowest) > _LARGEST
        count = most + 1 if is_large else count_choices(ground, most)
        facts: dict[str, object] = {
            "schema": SCHEMA, "mechanism": mechanism.name, "space": mechanism.space, "problem": problem,
            "inputs": ground.inputs, "vectors": count_vectors(ground), "stage": "choosing",
        }  # fmt: skip
        if count > most:
            facts |= {"method": "search", "objectives": objectives, "starts": 0}
        else:
            facts |= {"method": "enumeration", "valid": count}
        store.begin(facts, joints)  # unless another run has begun meanwhile: then this one joins it
    if store.fact("problem") != problem:
        raise InputError(
            f"the database holds the choices of another mechanism or of other preferences "
            f"({store.fact('mechanism')}); choose another file"
        )
    elif store.fact("method") == "search" and store.fact("objectives") != objectives:
        raise InputError(
            f"the database holds a search by {store.fact('objectives')}, but this run asks for {objectives}; choose "
            "another file"
        )


def _joint_rows(ground: GroundSet) -> list[JointRow]:
    return [
        (number, joint.id, joint.type, *joint.bodies, low, high)
        for number, (joint, low, high) in enumerate(
            zip(ground.graph.joints, ground.lowest, ground.highest, strict=True), start=1
        )
    ]


def _choose(store: Store, ground: GroundSet, order: Order, tell: Progress) -> None:
    """Bring all choices, or the local optima, into the database."""
    if store.fact("method") == "search":
        evaluator = Evaluator(ground)
        for start in range(store.fact_number("starts"), STARTS):
            tell(start, STARTS, "search")
            found = climb(ground, evaluator, order.key, start)
            store.add_choices([ground.named(found)], starts=start + 1)
        return
    total, done = store.fact_number("valid"), store.count_choices()
    last = store.last_choice()
    choices = enumerate_choices(ground, None if last is None else ground.numbered(last))
    while step := [ground.named(choice) for choice in islice(choices, _STEP)]:
        tell(done, total, "choices")
        store.add_choices(step)
        done += len(step)


def _classify(store: Store, ground: GroundSet) -> None:
    choices = (ground.numbered(inputs) for _, inputs in store.choices())
    store.set_classes(classes_of(choices, find_symmetries(ground)), stage="evaluating")


def _evaluate(store: Store, ground: GroundSet, tell: Progress) -> None:
    evaluator = Evaluator(ground)
    known, total = store.count_structures(), store.count_classes()
    while step := store.open_classes(_FEW):
        tell(known, total, "structures")
        store.add_structures([(leader, evaluator.evaluate(ground.numbered(inputs))) for leader, inputs in step])
        known += len(step)


def _current(mechanism: Mechanism) -> dict[str, Any] | None:
    """Return inputs and structure of the mechanism as it is; None if the inputs do not determine it by count."""
    ground = make_ground_set(mechanism)
    inputs: Inputs = {joint.id: joint.driven for joint in ground.graph.joints if joint.driven}
    choice = ground.numbered(inputs)
    held = assign(ground, choice)
    if held.over or held.under or any(joint.driven for joint in ground.graph.inner):
        return None
    found = Evaluator(ground).evaluate(choice)
    return {
        "inputs": inputs, "groups": found.groups, "largest": found.largest, "levels": found.levels,
        "regular": found.regular, "signatures": found.signatures,
    }  # fmt: skip
