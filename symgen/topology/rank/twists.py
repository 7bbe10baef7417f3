"""Constraint rows of a pair at a random placement, in exact arithmetic modulo a large prime.

A pair allows a space of relative twists. Its rows are a basis of the functionals
that vanish on that space, and one random functional for every driven freedom.

Twists, at the world origin: space ``(omega, v)``, 6 numbers; plane
``(omega, vx, vy)``, 3 numbers. A rotation about the line through point r along
e is ``(e, r x e)``; a translation along e is ``(0, e)``.

Source of the freedoms: Celdran, Saura, Dopico 2022, Table 3. Point-contact pairs
are given by their contact normals instead: a force along n through r is the row
``(r x n, n)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Vector = tuple[int, ...]

#: 2^61 - 1: the chance that a random determinant vanishes by accident is below degree / 2^61.
PRIME = (1 << 61) - 1


class RandomSource:
    """A deterministic source of random field elements (splitmix64, G. Steele et al. 2014)."""

    def __init__(self, seed: int = 0) -> None:
        self._state = seed

    def number(self) -> int:
        """Return the next element of 0 .. PRIME - 1."""
        mask = (1 << 64) - 1
        self._state = (self._state + 0x9E3779B97F4A7C15) & mask
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (z ^ (z >> 31)) % PRIME

    def vector(self, length: int = 3) -> Vector:
        """Return random components."""
        return tuple(self.number() for _ in range(length))


def has_rows(space: str, pair_type: str) -> bool:
    """Tell whether the twists of this pair type are known."""
    return pair_type in (_PLANAR if space == "planar" else _SPATIAL)


def constraint_rows(space: str, pair_type: str, driven: int, placement: RandomSource) -> list[Vector]:
    """Return the B - k + w rows of one pair, each of length B."""
    table = _PLANAR if space == "planar" else _SPATIAL
    width = 3 if space == "planar" else 6
    return [*table[pair_type](placement), *(placement.vector(width) for _ in range(driven))]


def named_rows(space: str, pair_type: str, driven: Sequence[str], placement: RandomSource) -> list[Vector]:
    """Return the rows of a pair of which these freedoms are driven: those of the joint, then one for each of them.

    The row of a freedom is random but for vanishing on all others of the pair.
    """
    width = 3 if space == "planar" else 6
    table = _FREEDOMS_IN_PLANE if space == "planar" else _FREEDOMS
    twists = table[pair_type](placement)
    rows = annihilator(list(twists.values()), width)
    for name in driven:
        seeing = annihilator([twist for other, twist in twists.items() if other != name], width)
        factors = placement.vector(len(seeing))
        rows.append(
            tuple(sum(f * row[c] for f, row in zip(factors, seeing, strict=True)) % PRIME for c in range(width))
        )
    return rows


def cross_product(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return (
        (a[1] * b[2] - a[2] * b[1]) % PRIME,
        (a[2] * b[0] - a[0] * b[2]) % PRIME,
        (a[0] * b[1] - a[1] * b[0]) % PRIME,
    )


def turn(point: Vector, axis: Vector, pitch: int = 0) -> Vector:
    """Return the twist of a rotation about the line through a point, or of a screw."""
    moment = cross_product(point, axis)
    return (*axis, *((m + pitch * e) % PRIME for m, e in zip(moment, axis, strict=True)))


def slide(direction: Vector) -> Vector:
    """Return the twist of a translation."""
    return (0, 0, 0, *direction)


def annihilator(twists: Sequence[Vector], width: int) -> list[Vector]:
    """Return a basis of the functionals that vanish on independent twists."""
    rows = [list(twist) for twist in twists]
    pivots: list[int] = []
    for r, row in enumerate(rows):
        column = next(c for c in range(width) if row[c])
        inverse = pow(row[column], -1, PRIME)
        rows[r] = row = [entry * inverse % PRIME for entry in row]
        pivots.append(column)
        for other, its in enumerate(rows):
            if other != r and its[column]:
                factor = its[column]
                rows[other] = [(x - factor * y) % PRIME for x, y in zip(its, row, strict=True)]
    basis = []
    for free in (c for c in range(width) if c not in pivots):
        functional = [0] * width
        functional[free] = 1
        for row, column in zip(rows, pivots, strict=True):
            functional[column] = -row[free] % PRIME
        basis.append(tuple(functional))
    return basis


def _revolute(p: RandomSource) -> list[Vector]:
    return annihilator([turn(p.vector(), p.vector())], 6)


def _prismatic(p: RandomSource) -> list[Vector]:
    return annihilator([slide(p.vector())], 6)


def _helical(p: RandomSource) -> list[Vector]:
    return annihilator([turn(p.vector(), p.vector(), p.number())], 6)


def _cylindrical(p: RandomSource) -> list[Vector]:
    axis = p.vector()
    return annihilator([turn(p.vector(), axis), slide(axis)], 6)


def _universal(p: RandomSource) -> list[Vector]:
    centre = p.vector()
    return annihilator([turn(centre, p.vector()), turn(centre, p.vector())], 6)


def _ball(p: RandomSource) -> list[Vector]:
    centre = p.vector()
    return [(*cross_product(centre, e), *e) for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]


def _planar_in_space(p: RandomSource) -> list[Vector]:
    u, v = p.vector(), p.vector()
    return annihilator([slide(u), slide(v), turn(p.vector(), cross_product(u, v))], 6)


def _ball_in_tube(p: RandomSource) -> list[Vector]:
    centre, axis = p.vector(), p.vector()
    turns = [turn(centre, e) for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    return annihilator([*turns, slide(axis)], 6)


def _roller_on_plane(p: RandomSource) -> list[Vector]:
    centre, axis, across = p.vector(), p.vector(), p.vector()
    normal = cross_product(axis, across)
    return annihilator([slide(axis), slide(across), turn(centre, normal), turn(centre, axis)], 6)


def _contacts(count: int) -> Callable[[RandomSource], list[Vector]]:
    def rows(p: RandomSource) -> list[Vector]:
        forces = [(p.vector(), p.vector()) for _ in range(count)]
        return [(*cross_product(point, normal), *normal) for point, normal in forces]

    return rows


def _free(_: RandomSource) -> list[Vector]:
    return []


def _hinge_in_plane(p: RandomSource) -> list[Vector]:
    x, y = p.vector(2)
    return annihilator([(1, y, -x % PRIME)], 3)


def _slider_in_plane(p: RandomSource) -> list[Vector]:
    return annihilator([(0, *p.vector(2))], 3)


def _contact_in_plane(p: RandomSource) -> list[Vector]:
    x, y, nx, ny = p.vector(4)
    return [((x * ny - y * nx) % PRIME, nx, ny)]


_SPATIAL: dict[str, Callable[[RandomSource], list[Vector]]] = {
    "R": _revolute,
    "P": _prismatic,
    "H": _helical,
    "C": _cylindrical,
    "U": _universal,
    "ER": _universal,
    "S": _ball,
    "PL": _planar_in_space,
    "FP": _planar_in_space,
    "SC": _ball_in_tube,
    "PC": _roller_on_plane,
    "SP": _contacts(1),
    "SPSP": _contacts(1),
    "CBIP": _contacts(2),
    "CTRP": _contacts(3),
    "CTEP": _contacts(4),
    "CPEP": _contacts(5),
    "F": _free,
}

# Gears and rolling pairs of grade 2 touch along one line of action, like a cam.
_PLANAR: dict[str, Callable[[RandomSource], list[Vector]]] = {
    "R": _hinge_in_plane,
    "P": _slider_in_plane,
    "L": _contact_in_plane,
    "EO": _contact_in_plane,
    "EPI": _contact_in_plane,
    "RP": _contact_in_plane,
    "RD": _contact_in_plane,
    "FP": _free,
}


def _slide_and_turn(p: RandomSource) -> dict[str, Vector]:
    axis = p.vector()
    return {"slide": slide(axis), "angle": turn(p.vector(), axis)}


def _two_turns(p: RandomSource) -> dict[str, Vector]:
    centre = p.vector()
    return {"angle1": turn(centre, p.vector()), "angle2": turn(centre, p.vector())}


def _three_turns(p: RandomSource) -> dict[str, Vector]:
    centre = p.vector()
    return {name: turn(centre, p.vector()) for name in ("yaw", "pitch", "roll")}


def _in_a_plane(p: RandomSource) -> dict[str, Vector]:
    u, v = p.vector(), p.vector()
    return {"x": slide(u), "y": slide(v), "angle": turn(p.vector(), cross_product(u, v))}


def _all_freedoms(p: RandomSource) -> dict[str, Vector]:
    return {name: slide(p.vector()) for name in ("x", "y", "z")} | _three_turns(p)


def _freedoms_in_plane(p: RandomSource) -> dict[str, Vector]:
    x, y = p.vector(2)
    return {"x": (0, *p.vector(2)), "y": (0, *p.vector(2)), "angle": (1, y, -x % PRIME)}


def _slot_in_plane(p: RandomSource) -> dict[str, Vector]:
    x, y = p.vector(2)
    return {"slide": (0, *p.vector(2)), "angle": (1, y, -x % PRIME)}


_FREEDOMS: dict[str, Callable[[RandomSource], dict[str, Vector]]] = {
    "C": _slide_and_turn,
    "U": _two_turns,
    "ER": _two_turns,
    "S": _three_turns,
    "PL": _in_a_plane,
    "FP": _in_a_plane,
    "F": _all_freedoms,
}

_FREEDOMS_IN_PLANE: dict[str, Callable[[RandomSource], dict[str, Vector]]] = {
    "FP": _freedoms_in_plane,
    "L": _slot_in_plane,
}
