"""Planar groups on demand: every regular one of a family is solved, no singular one is, and what is solved is complete.

Which groups there are, and which of them are regular, an exhaustive search with exact ranks says
(`symgen.topology.synthesis`); which assemblies an instance has, Newton's method from many starts.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from oracle.closure import body_matrices, largest_gap
from oracle.instances import Instance, random_instance
from oracle.newton import Assembler, distinct, flat_poses, matrices

from symgen.derive.catalogue import derive_module
from symgen.derive.planar.modules import planar_by_id, planar_ids, planar_module, planar_signatures
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import LoopAssemblies, Routine
from symgen.pipeline import generate_texts, lower_module, prove_module, routines_of
from symgen.printers.operations import count_operations
from symgen.status import Status
from symgen.topology.synthesis.group_types import GroupFamily
from symgen.topology.synthesis.search import search_groups

RPL = ("R", "P", "L")
#: Two bodies with two pins in slots each: six links, a polynomial of its own.
FOUR_SLOTS = {"<L.L|L.L; 1-2R> 2D", "<L.L|L.L; 1-2P> 2D", "<L.L|L.L; 1-2L*> 2D"}
#: One of each kind: legs with slides, class IV, legs of two slides, drives in platform, leg, chain and slot.
SAMPLE = (
    "<-|R|P|P; 1-2P 1-3R 1-4R> 2D", "<-|-|R|P; 1-3R 1-4R 2-3P 2-4R> 2D", "<-|-|P|P; 1-3R 1-4R 2-3R 2-4R> 2D",
    "<-|R|R|P; 1-2R 1-3P 1-4P> 2D", "<-|-|R|R|R; 1-2R* 1-3R 2-4R 2-5R> 2D", "<-|R|R|Lslot; 1-2R 1-3R 1-4R*> 2D",
    "R.P*.P.R 2D", "R.P*.R*.R.P 2D", "<R|Lpin.Lslot; 1-2R> 2D", "<P|L.L; 1-2P> 2D", "L*slide+pin.Lslot 2D",
    "R.R.L*angle+slot 2D", "R.L*slide+slot.R 2D",
)  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("bodies", "pairs", "inputs"),
    [(1, RPL, 0), (2, RPL, 1), (3, ("R", "P"), 1), (4, ("R", "P"), 0), (4, ("R", "P"), 2)],
)
def test_every_regular_group_is_solved_and_no_singular_one(bodies: int, pairs: tuple[str, ...], inputs: int) -> None:
    found = search_groups(GroupFamily(bodies, pairs, "planar", inputs)).groups
    regular = {group.signature for group in found if group.regular and not group.rigid_parts}
    solved = {group.signature for group in found if planar_signatures(group.signature)}
    assert solved == regular - FOUR_SLOTS
    assert len(solved) >= 3


@cache
def _generated(text: str) -> tuple[dict[str, Any], dict[str, Routine]]:
    (module_id,) = planar_ids(text)
    texts = generate_texts(module_id, backends=("numpy",))  # proves that every joint closes, with both derivatives
    manifest: dict[str, Any] = json.loads(texts[f"{module_id}.json"])
    return manifest, {routine.name: routine for routine in routines_of(derive_module(module_id))}


def _branches(
    manifest: dict[str, Any], routines: dict[str, Routine], tree: dict[str, Any], instance: Instance
) -> list[dict[str, Any]]:
    found = []
    for branch in range(manifest["branches"]):
        status, results = evaluate(routines[f"{tree['id']}_position"], {**instance.ports, "branch": branch}, digits=30)
        if status is Status.OK:
            found.append(results)
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", SAMPLE)
def test_branches_are_the_solutions_of_newton_from_many_starts_and_close(text: str) -> None:
    manifest, routines = _generated(text)
    for tree in manifest["arrangements"]:
        instance = random_instance(manifest, tree, 7)
        solved = _branches(manifest, routines, tree, instance)
        assert solved
        for results in solved:
            assert largest_gap(instance, body_matrices(instance, results), results) < 1e-12  # results rounded to double
        poses = [{b: matrices(np.array(r[b], dtype=float), "planar") for b in tree["bodies"]} for r in solved]
        mine = np.array([flat_poses(each) for each in poses])
        assembler, rng = Assembler(instance), np.random.default_rng(7)
        theirs = np.empty((0, mine.shape[1]))
        for done in range(8):
            starts = assembler.starts(rng, 150)
            theirs = distinct(np.concatenate([theirs, flat_poses(assembler.poses(assembler.solve(starts)))]))
            # Newton stops at residuals of 1e-11, a pose is off by that times the condition
            lacking = [row for row in theirs if np.abs(mine - row).max(axis=1).min() > 1e-6]
            assert not lacking, f"seed 7: Newton has a solution that {tree['key']} lacks"
            if done > 0 and len(theirs) == len(mine):
                break


def test_a_sextic_takes_less_than_five_hundred_operations() -> None:
    for name in ("triad_rr_rr_rr", "triad_rr_rr_pr", "triad_rr_rr_rp", "triad_rr_pr_rp"):
        routine = next(r for r in routines_of(derive_module(name)) if r.name == "kernel_position")
        (search,) = (s for s in routine.body if isinstance(s, LoopAssemblies))
        assert sum(count_operations(search.parts.polynomial).values()) < 500
        assert search.degree == 3


@pytest.mark.parametrize("text", [*SAMPLE, "R.L 2D", "L.L.L 2D", "R.L*.R 2D"])
def test_a_module_on_demand_is_found_again_by_its_id(text: str) -> None:
    ids = planar_ids(text)
    assert ids
    for module_id in ids:
        again = planar_by_id(module_id)
        assert again is not None
        assert again.id == module_id


def test_what_a_signature_leaves_open_is_solved_in_every_way() -> None:
    both = planar_module("R.L 2D")
    assert both is not None
    assert [a.key for a in lower_module(both).arrangements] == ["R.Lpin 2D", "R.Lslot 2D"]
    assert planar_module("L.L.L 2D") is None  # four kernels
    assert len(planar_signatures("L.L.L 2D")) == 4
    assert len(planar_signatures("<R|L.L; 1-2R> 2D")) == 3


@pytest.mark.parametrize(
    "text",
    ["P.P.P 2D", "P.R*.P.P 2D", "R*.R.R 2D", "R.S.U 3D", "R.R 2D", "R.Rpin 2D", "<R|R> 2D", "",
     "<-|R|P|P; 1-2R 1-3P 1-4P> 2D"],
)  # fmt: skip
def test_no_module_is_made_up_for_what_is_no_planar_group(text: str) -> None:
    assert planar_module(text) is None
    assert planar_signatures(text) == ()


def test_proofs_cover_both_platforms_of_class_four() -> None:
    module = planar_module("<-|-|R|R; 1-3R 1-4P 2-3P 2-4R> 2D")
    assert module is not None
    assert {proof.name for proof in prove_module(lower_module(module))} == {"legs", "rigid_velocity", "closure"}
