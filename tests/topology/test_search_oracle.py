"""The partition, its order and the verdicts against exhaustive search on small random mechanisms."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from mechanisms_for_structure import PlainMechanism, plain, random_mechanism

from benchmarks.brute_force import search_groups
from symgen.model.pairs import PAIR_TYPES
from symgen.topology.analysis import analyse


def _units(mechanism: PlainMechanism) -> list[tuple[frozenset[str], int]]:
    freedoms = 3 if mechanism.space == "planar" else 6
    return [(frozenset(joint.bodies), freedoms - joint.grade + joint.driven) for joint in mechanism.joints]


def _inside(units, bodies) -> int:
    return sum(count for ends, count in units if ends <= bodies)


def _subsets(bodies):
    return (frozenset(chosen) for size in range(1, len(bodies) + 1) for chosen in combinations(bodies, size))


def _breaks_hall(mechanism: PlainMechanism) -> tuple[bool, bool]:
    """Whether some set carries too many constraints, and whether the total is short of the freedoms."""
    freedoms = 3 if mechanism.space == "planar" else 6
    units, (frame, *moving) = _units(mechanism), mechanism.body_ids
    over = any(_inside(units, chosen | {frame}) > freedoms * len(chosen) for chosen in _subsets(moving))
    # The most constraints that can be used: minimum over sets of what they can take plus what lies outside.
    total = sum(count for _, count in units)
    used = min(
        [total] + [total - _inside(units, chosen | {frame}) + freedoms * len(chosen) for chosen in _subsets(moving)]
    )
    return over, used < freedoms * len(moving)


def _breaks_tay(mechanism: PlainMechanism) -> bool:
    freedoms = 3 if mechanism.space == "planar" else 6
    units = _units(mechanism)
    return any(_inside(units, chosen) > freedoms * (len(chosen) - 1) for chosen in _subsets(mechanism.body_ids))


def _search(mechanism: PlainMechanism) -> list[tuple[str, ...]]:
    """Eq. (3)/(5) by trial: again and again the smallest set whose active pairs give B constraints a body."""
    freedoms, ids = 3 if mechanism.space == "planar" else 6, mechanism.body_ids
    number = {body: k for k, body in enumerate(ids)}
    pairs = [(*(number[body] for body in ends), count) for ends, count in _units(mechanism)]
    return [tuple(ids[k] for k in group) for group in search_groups(freedoms, len(ids), pairs)]


@pytest.mark.parametrize("block", range(8))
def test_partition_and_strict_order_equal_the_exhaustive_search(block):
    determined = 0
    for seed in range(50 * block, 50 * block + 50):
        mechanism = random_mechanism(seed)
        over, under = _breaks_hall(mechanism)
        structure = analyse(mechanism)
        if over or under:
            assert structure.status == ("overdetermined" if over else "underdetermined"), seed
            continue
        determined += 1
        assert [group.bodies for group in structure.groups] == _search(mechanism), seed
        if _breaks_tay(mechanism):
            assert structure.status == "singular", seed
            continue
        assert all(finding.kind == "singular_rank" for finding in structure.diagnosis), seed
    assert determined > 5


@pytest.mark.parametrize("block", range(4))
def test_findings_of_counts_hold_what_they_say(block):
    for seed in range(50 * block, 50 * block + 50):
        mechanism = random_mechanism(seed, balanced=False)
        freedoms = 3 if mechanism.space == "planar" else 6
        units, frame = _units(mechanism), mechanism.body_ids[0]
        for finding in analyse(mechanism).diagnosis:
            bodies = frozenset(finding.bodies)
            if finding.kind == "overdetermined":
                assert _inside(units, bodies | {frame}) == freedoms * len(bodies) + finding.excess, seed
            elif finding.kind == "underdetermined":
                touching = sum(count for ends, count in units if ends & bodies)
                assert touching == freedoms * len(bodies) - finding.deficit, seed
            elif finding.kind == "singular_count":
                assert _inside(units, bodies) > freedoms * (len(bodies) - 1), seed


def test_every_stiff_part_is_found_and_is_one():
    """Test L2 alone: pairs of unknown twists leave counting as the only judge."""
    stiff = 0
    for seed in range(400):
        mechanism = random_mechanism(seed, most=4)
        hidden = PlainMechanism(mechanism.space, mechanism.body_ids, mechanism.joints)
        if any(_breaks_hall(hidden)):
            continue
        kinds = {finding.kind for finding in analyse(hidden).diagnosis}
        assert ("singular_count" in kinds) == _breaks_tay(hidden), seed
        stiff += "singular_count" in kinds
    assert stiff > 3


# Relative twists of a pair at a random placement, and how many of the rows they annihilate: an independent judge in
# floating point, on all bodies at once, by singular values.
def _twists(code: str, draw: np.random.Generator) -> np.ndarray:
    def turn(point, axis, pitch=0.0):
        return np.concatenate([axis, np.cross(point, axis) + pitch * axis])

    def slide(axis):
        return np.concatenate([np.zeros(3), axis])

    r, a, b = draw.normal(size=(3, 3))
    contacts = {"SP": 1, "SPSP": 1, "CBIP": 2, "CTRP": 3, "CTEP": 4, "CPEP": 5}
    if code in contacts:  # forces along normals; the twists on which they do no work
        normals, points = draw.normal(size=(2, contacts[code], 3))
        return np.linalg.svd(np.hstack([np.cross(points, normals), normals]))[2][contacts[code] :]
    match code:
        case "R":
            rows = [turn(r, a)]
        case "P":
            rows = [slide(a)]
        case "H":
            rows = [turn(r, a, draw.normal())]
        case "C":
            rows = [turn(r, a), slide(a)]
        case "U" | "ER":
            rows = [turn(r, a), turn(r, b)]
        case "S":
            rows = [turn(r, e) for e in np.eye(3)]
        case "PL" | "FP":
            rows = [slide(a), slide(b), turn(r, np.cross(a, b))]
        case "SC":
            rows = [*(turn(r, e) for e in np.eye(3)), slide(a)]
        case "PC":  # a roller on a plane: along it, across it, about its axis, about the normal
            rows = [slide(a), slide(b), turn(r, a), turn(r, np.cross(a, b))]
        case "F":
            rows = list(np.eye(6))
    return np.array(rows)


def _jacobian_rank(mechanism: PlainMechanism, seed: int) -> int:
    draw = np.random.default_rng(seed)
    column = {body: 6 * number for number, body in enumerate(mechanism.body_ids)}
    rows = []
    for joint in mechanism.joints:
        freedoms = _twists(joint.type, draw)
        _, _, basis = np.linalg.svd(freedoms)
        for functional in [*basis[len(freedoms) :], *draw.normal(size=(joint.driven, 6))]:
            row = np.zeros(6 * len(mechanism.body_ids))
            row[column[joint.bodies[0]] :][:6] = -functional / np.linalg.norm(functional)
            row[column[joint.bodies[1]] :][:6] = functional / np.linalg.norm(functional)
            rows.append(row[6:])
    values = np.linalg.svd(np.array([row for row in rows]), compute_uv=False)
    # Random geometry of order one and at most 30 rows: a true zero is near 1e-16, the smallest true value above 1e-6.
    assert not np.any((values > 1e-12) & (values < 1e-6))
    return int(np.sum(values > 1e-9))


@pytest.mark.slow
def test_generic_rank_agrees_with_singular_values_of_the_whole_mechanism():
    verdicts = []
    seen: Counter[str] = Counter()
    for seed in range(3000):
        mechanism = random_mechanism(seed, most=4)
        if mechanism.space == "planar":
            continue
        mechanism = _with_all_types(mechanism, random.Random(seed))
        moving = 6 * (len(mechanism.body_ids) - 1)
        regular = _jacobian_rank(mechanism, seed) == moving
        assert (analyse(mechanism).status == "determined") == regular, seed
        verdicts.append(regular)
        seen.update({joint.type for joint in mechanism.joints})
    assert min(verdicts.count(True), verdicts.count(False)) > 200
    assert min(seen[code] for code in ("PC", "SPSP", "CBIP", "CTRP", "CTEP", "CPEP", "FP", "SP", "SC")) > 50


def _with_all_types(mechanism: PlainMechanism, draw: random.Random) -> PlainMechanism:
    """Put another type of the same grade in the place of each, also of those that are drawn nowhere else."""
    spatial = ["R", "P", "H", "C", "ER", "U", "S", "PL", "FP", "SC", "PC", "SP", "SPSP", "CBIP", "CTRP", "CTEP", "CPEP"]
    alike: dict[int, list[str]] = {6: ["F"]}
    for code in spatial:
        alike.setdefault(PAIR_TYPES[code].grade, []).append(code)
    joints = tuple(replace(joint, type=draw.choice(alike[joint.grade])) for joint in mechanism.joints)
    return replace(mechanism, joints=joints)


def _planar_rank(mechanism: PlainMechanism, seed: int) -> int:
    """Return the rank for twists (omega, vx, vy) at random geometry, by singular values."""
    draw = np.random.default_rng(seed)
    column = {body: 3 * number for number, body in enumerate(mechanism.body_ids)}
    rows = [np.zeros(3 * len(mechanism.body_ids))]
    for joint in mechanism.joints:
        x, y, *n = draw.normal(size=4)
        own = {
            "R": [[-y, 1, 0], [x, 0, 1]],
            "P": [[1, 0, 0], [0, *n]],
            "L": [[x * n[1] - y * n[0], *n]],
            "FP": [],
        }[joint.type]
        for functional in [*own, *draw.normal(size=(joint.driven, 3))]:
            row = np.zeros(3 * len(mechanism.body_ids))
            row[column[joint.bodies[0]] :][:3] = -np.array(functional)
            row[column[joint.bodies[1]] :][:3] = functional
            rows.append(row)
    return int(np.linalg.matrix_rank(np.array(rows)[:, 3:], tol=1e-9))


@pytest.mark.slow
def test_generic_rank_in_the_plane_agrees_with_singular_values():
    """Chains that grow body by body, further pairs and inputs until the totals agree; hinges, sliders, contacts."""
    found: Counter[str] = Counter()
    for seed in range(3000):
        mechanism = _planar_mechanism(random.Random(seed))
        if mechanism is None:
            continue
        status = analyse(mechanism).status
        regular = _planar_rank(mechanism, seed) == 3 * (len(mechanism.body_ids) - 1)
        assert (status == "determined") == regular, seed
        found[status] += 1
    assert found["determined"] > 500
    assert found["singular"] > 50


def _planar_mechanism(draw: random.Random) -> PlainMechanism | None:
    bodies = draw.randrange(2, 9)
    pairs = [[draw.randrange(j), j, draw.choice("RRPL"), 0] for j in range(1, bodies)]
    taken = {(i, j) for i, j, _, _ in pairs}
    short = 3 * (bodies - 1) - sum(3 - PAIR_TYPES[code].grade for _, _, code, _ in pairs)
    for _ in range(20):
        i, j = sorted(draw.sample(range(bodies), 2))
        code = draw.choice("RPL")
        if (i, j) not in taken and 3 - PAIR_TYPES[code].grade <= short:
            taken.add((i, j))
            pairs.append([i, j, code, 0])
            short -= 3 - PAIR_TYPES[code].grade
    for _ in range(200):
        pair = draw.choice(pairs)
        if short and pair[3] < PAIR_TYPES[pair[2]].grade:
            pair[3] += 1
            short -= 1
    return None if short else plain("planar", bodies, [(i + 1, j + 1, code, w) for i, j, code, w in pairs])


def test_an_input_inside_a_rigid_triangle_is_singular_by_count():
    pairs = [(1, 2, "R", 0), (2, 3, "R", 0), (3, 4, "R", 1), (2, 4, "R", 0)]
    structure = analyse(plain("planar", 4, pairs))
    (finding,) = structure.diagnosis
    assert structure.status == "singular"
    assert (finding.kind, finding.bodies, finding.excess) == ("singular_count", ("2", "3", "4"), 1)
    assert "j3" in finding.advice
