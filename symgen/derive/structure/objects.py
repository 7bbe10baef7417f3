"""Derived objects of structural analysis: what can be counted without geometry.

Every count is a balance: a free body has B freedoms, 6 in space and 3 in the plane; a pair of grade k leaves k of the B
relative freedoms of its bodies, of which w are driven, and so takes B - k + w. What is claimed of a balance says the
same by loops: the freedoms of all pairs less B for each independent loop.

Choices of pairs for several bodies on one joint are the trees on these bodies: the determinant of a Laplacian without a
row and its column (G. Kirchhoff 1847), which is n^(n-2) for n bodies (A. Cayley 1889).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from symgen.algebra import ONE, ZERO, Expr, determinant, number, replace
from symgen.derive.derived_object import DerivedObject, ObjectDerivation, Registry

#: Space -> freedoms of a free body.
FREEDOMS = {"spatial": 6, "planar": 3}
#: Bodies on one joint for which the trees are counted, and for which each tree is written out.
COUNTED, WRITTEN = range(3, 8), range(3, 6)

_SOURCE = "A. Celdran, M. Saura, D. Dopico, Mechanism and Machine Theory 2022"
_LOOPS = "A. Mueller, Mechanical Sciences 6 (2015), 137-146"
_TREES = "G. Kirchhoff 1847, A. Cayley 1889"


@cache
def objects() -> Mapping[str, DerivedObject]:
    """Return all derived objects of structural analysis."""
    found: dict[str, Callable[[], DerivedObject]] = {"pair_constraints": _pair, "cyclomatic_number": _loops}
    for space in FREEDOMS:
        found[f"pair_freedoms_{space}"] = partial(_freedoms, space)
        found[f"mobility_{space}"] = partial(_mobility, space)
        found[f"chain_balance_{space}"] = partial(_balance, space)
    found |= {f"spanning_trees_{count}": partial(_count, count) for count in COUNTED}
    found |= {f"spanning_tree_sum_{count}": partial(_sum, count) for count in WRITTEN}
    return Registry(found)


def _pair() -> DerivedObject:
    """Derive the constraints of a pair: relative freedoms of two free bodies less those that stay free."""
    d = ObjectDerivation("pair_constraints", "constraints of a pair, driven freedoms among them", _SOURCE, "c")
    free = d.input_scalar("b", meaning="freedoms of a free body: 6 in space, 3 in the plane", unit="1")
    grade = d.input_scalar("k", meaning="grade: freedoms that the pair leaves", unit="1")
    driven = d.input_scalar("w", meaning="driven freedoms of the pair", unit="1")
    left = d.scalar("left", grade - driven, "relative freedoms that stay free", "1")
    held = free - grade + driven
    d.claim_identity("driven", "a pair of which all is driven holds what a weld holds", [
        replace(free - left, {"left": ZERO}) - free, free - left - held], squares={})  # fmt: skip
    return d.give(free - left, "1")


def _pairs(d: ObjectDerivation, space: str) -> tuple[Expr, ...]:
    """Declare how many pairs there are of each grade from 1 to B."""
    names = [f"p{grade}" for grade in range(1, FREEDOMS[space] + 1)]
    return d.input_array("pairs", names, meaning="number of pairs of grade 1, 2, ..., B", unit="1")


def _weighted(pairs: Sequence[Expr], weight: Callable[[int], int]) -> Expr:
    """Return the sum over all pairs of what each weighs by its grade."""
    return _total([weight(grade) * count for grade, count in enumerate(pairs, start=1)])


def _total(values: Sequence[Expr]) -> Expr:
    total = ZERO
    for value in values:
        total = total + value
    return total


def _freedoms(space: str) -> DerivedObject:
    """Derive the freedoms that all pairs of a chain leave: those of free bodies less their constraints."""
    d = ObjectDerivation(f"pair_freedoms_{space}", f"freedoms of all pairs of a chain, {space}", _SOURCE, "S_c")
    pairs = _pairs(d, space)
    free = d.scalar("free", FREEDOMS[space] * _total(pairs), "relative freedoms if nothing were held", "1")
    held = d.scalar("held", _weighted(pairs, lambda grade: FREEDOMS[space] - grade), "constraints", "1")
    d.claim_identity("grades", "it is the sum of their grades", [free - held - _weighted(pairs, lambda grade: grade)],
                     squares={})  # fmt: skip
    return d.give(free - held, "1")


def _mobility(space: str) -> DerivedObject:
    """Derive the mobility: freedoms of the moving bodies less the constraints of all pairs, nothing driven."""
    d = ObjectDerivation(f"mobility_{space}", f"mobility by the count, {space}", _SOURCE, "f")
    bodies = d.input_scalar("bodies", meaning="bodies, the frame among them", unit="1")
    pairs = _pairs(d, space)
    free = d.scalar("free", FREEDOMS[space] * (bodies - 1), "freedoms of the moving bodies", "1")
    held = d.scalar("held", _weighted(pairs, lambda grade: FREEDOMS[space] - grade), "constraints of the pairs", "1")
    left = _weighted(pairs, lambda grade: grade)
    by_loops = left - FREEDOMS[space] * (_total(pairs) - bodies + 1)
    d.claim_identity("loops", "it is the freedoms of the pairs less B for each loop", [free - held - by_loops],
                     squares={})  # fmt: skip
    return d.give(free - held, "1")


def _balance(space: str) -> DerivedObject:
    """Derive what a chain next to solved bodies has too many freedoms: zero for a structural group."""
    title = f"freedoms of a chain beside solved bodies minus its constraints, {space}: 0 for a structural group"
    d = ObjectDerivation(f"chain_balance_{space}", title, _SOURCE, "B n - sum c")
    bodies = d.input_scalar("bodies", meaning="bodies of the chain, without solved ones", unit="1")
    pairs = _pairs(d, space)
    driven = d.input_scalar("driven", meaning="driven freedoms of its pairs", unit="1")
    free = d.scalar("free", FREEDOMS[space] * bodies, "freedoms of its bodies", "1")
    held = d.scalar("held", _weighted(pairs, lambda grade: FREEDOMS[space] - grade) + driven, "constraints", "1")
    by_loops = _weighted(pairs, lambda grade: grade) - driven - FREEDOMS[space] * (_total(pairs) - bodies)
    d.claim_identity("loops", "it is the free freedoms of its pairs less B for each loop", [free - held - by_loops],
                     squares={})  # fmt: skip
    return d.give(free - held, "1")


def _loops() -> DerivedObject:
    """Derive the number of independent loops: joints that a spanning tree leaves over."""
    d = ObjectDerivation("cyclomatic_number", "independent loops of a connected mechanism", _LOOPS, "gamma")
    joints = d.input_scalar("joints", meaning="joints", unit="1")
    bodies = d.input_scalar("bodies", meaning="bodies, the ground among them", unit="1")
    tree = d.scalar("tree", bodies - 1, "joints of a spanning tree, one before each body but the ground", "1")
    found = joints - tree
    more = replace(found, {"joints": joints + 1}) - found - 1
    none = replace(found, {"joints": tree})
    d.claim_identity("tree", "a tree has none, and a joint more is a loop more", [none, more], squares={})
    return d.give(found, "1")


def _count(count: int) -> DerivedObject:
    """Derive the number of trees on so many bodies."""
    title = f"number of trees on {count} bodies: ways to choose the pairs of one joint"
    d = ObjectDerivation(f"spanning_trees_{count}", title, _TREES, "N_an")
    found = determinant(_laplacian({(i, j): ONE for i in range(count) for j in range(i)}, count))
    size = d.input_scalar("any_x", meaning="for the proof: any number in place of that of bodies", unit="1")
    ones = [[(size if i == j else ZERO) - ONE for j in range(count - 1)] for i in range(count - 1)]
    cayley = determinant(ones) - size ** (count - 2) * (size - (count - 1))
    statement = "det(x 1 - J) = x^(n-2) (x - n + 1), which is n^(n-2) for x = n"
    d.claim_identity("cayley", statement, [cayley, replace(determinant(ones), {"any_x": number(count)}) - found],
                     squares={})  # fmt: skip
    return d.give(found, "1").of(())


def _sum(count: int) -> DerivedObject:
    """Derive the sum over all trees on so many bodies of the products of what their pairs weigh."""
    title = f"sum over the trees on {count} bodies of the products of their pairs' weights"
    d = ObjectDerivation(f"spanning_tree_sum_{count}", title, _TREES, "sum of trees")
    places = [(i, j) for i in range(count) for j in range(i)]
    names = [f"x{i + 1}{j + 1}" for i, j in places]
    meaning = "weight of the pair of bodies 2 1, 3 1, 3 2, 4 1, ...: 1 if it may be chosen, else 0"
    weights = dict(zip(places, d.input_array("weights", names, meaning=meaning, unit="1"), strict=True))
    found = determinant(_laplacian(weights, count))
    other = determinant(_laplacian(weights, count, left_out=0))
    d.claim_identity("any_body", "any body's row and column may be left out", [found - other], squares={})
    for place, weight in weights.items():
        gap = found - replace(found, {str(weight): ZERO}) - weight * (
            replace(found, {str(weight): ONE}) - replace(found, {str(weight): ZERO}))  # fmt: skip
        d.claim_identity(f"once_{place[0]}{place[1]}", "no tree has a pair twice", [gap], squares={})
    return d.give(found, "1")


def _laplacian(
    weights: Mapping[tuple[int, int], Expr], count: int, *, left_out: int | None = None
) -> tuple[tuple[Expr, ...], ...]:
    """Return the Laplacian of weighted pairs without the row and column of a body: the last if none is named."""
    kept = [i for i in range(count) if i != (count - 1 if left_out is None else left_out)]
    weight = {**weights, **{(j, i): value for (i, j), value in weights.items()}}
    rows = []
    for i in kept:
        degree = _total([weight[i, j] for j in range(count) if j != i])
        rows.append(tuple(degree if i == j else weight[i, j] * -1 for j in kept))
    return tuple(rows)
