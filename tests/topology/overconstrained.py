"""Linkages that move although they count as rigid: joint axes from their own construction, not from symgen."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from symgen.model.mechanism import Mechanism


def loop(axes, kinds=None, driven=0, **more) -> Mechanism:
    """A single loop 0-1-2-...-0; `axes` are (point, direction), joint j0 between bodies 0 and 1."""
    count = len(axes)
    joints = {}
    for k, (at, axis) in enumerate(axes):
        kind = (kinds or "R" * count)[k]
        joints[f"j{k}"] = {"type": kind, "bodies": [str(k), str((k + 1) % count)], "at": [float(x) for x in at]}
        if kind != "S":
            joints[f"j{k}"]["axis"] = [float(x) for x in axis]
    joints["j0"]["driven"] = driven
    return mechanism(count, joints, **more)


def mechanism(count, joints, space="spatial", **more) -> Mechanism:
    tree = {
        "schema": "symgen/mechanism/1", "space": space, "ground": "0",
        "bodies": {str(b): {} for b in range(1, count)}, "joints": joints, **more,
    }  # fmt: skip
    return Mechanism.from_dict(tree)


def chain(rows):
    """Axes of a chain of links (length, twist, offset, angle) after Denavit and Hartenberg (1955), and its end."""
    frame, axes = np.eye(4), []
    for a, alpha, d, theta in rows:
        axes.append((frame[:3, 3].copy(), frame[:3, 2].copy()))
        c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
        frame = frame @ np.array(
            [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
        )
    return axes, frame


def bennett_rows(alpha, beta, first, length=1.0):
    """G. T. Bennett, 1903: opposite links equal, a / sin(alpha) = b / sin(beta), no offsets."""
    other = length * math.sin(beta) / math.sin(alpha)
    second = 2 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(first / 2))
    return [
        (length, alpha, 0, first), (other, beta, 0, second), (length, alpha, 0, -first), (other, beta, 0, -second),
    ]  # fmt: skip


def bennett():
    axes, end = chain(bennett_rows(0.6, 1.1, 0.9))
    assert np.allclose(end, np.eye(4), atol=1e-12)
    return axes


def _from_common_link(alpha, beta, first):
    """A Bennett linkage with its first link along x of the world, the first axis along z."""
    rows = bennett_rows(alpha, beta, first)
    axes, _ = chain([(*rows[0][:3], 0.0), *rows[1:]])
    return axes


def goldberg(alpha=0.6, beta=1.1, gamma=1.7):
    """M. Goldberg, 1943: two Bennett linkages with a common link, which is taken out, and two links made one.

    Linkages q-r-s-p and q-r-t-u share link qr; at r the links rs and rt become one: loop p, q, u, t, s.
    """
    q, _, s, p = _from_common_link(alpha, beta, 0.9)
    _, _, t, u = _from_common_link(alpha, gamma, 1.4)
    return [p, q, u, t, s]


def myard(alpha=0.7):
    """F. E. Myard, 1931: as Goldberg's, of two mirror images of a Bennett linkage with a twist of a right angle."""
    return goldberg(math.pi / 2, alpha, math.pi - alpha)


def bricard_cube():
    """R. Bricard, 1897, trihedral case: unit links along six edges of a cube, each axis normal to both its links."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)]
    x, y, z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    return list(zip(corners, [y, z, x, y, z, x], strict=True))


LINES = [((1, 0.5, 0), (1, 2, -1)), ((2, -1, 1), (0.5, 1, 3)), ((-1, 2, 0.25), (2, -1, 1))]


def bricard_line_symmetric():
    """R. Bricard, 1897: three axes at will and their images under a half-turn, here about z."""
    return [*LINES, *(((-p[0], -p[1], p[2]), (-e[0], -e[1], e[2])) for p, e in LINES)]


def bricard_plane_symmetric():
    """R. Bricard, 1897: two axes in a plane (here y = 0), two pairs of mirror images about it."""
    first, last = ((0, 0, 0), (1, 0, 2)), ((3, 0, 1), (1, 0, -1))
    sides = [((1, 2, 0.5), (1, 1, 3)), ((2, 1, -1), (-1, 2, 1))]
    mirror = [((p[0], -p[1], p[2]), (e[0], -e[1], e[2])) for p, e in sides]
    return [first, *sides, last, *reversed(mirror)]


def sarrus():
    """P. F. Sarrus, 1853: two legs of three parallel axes, the legs at right angles; platform body 3 goes up."""
    x, y = (1, 0, 0), (0, 1, 0)
    return [((0, 1, 0), x), ((0, 2, 1), x), ((0, 1, 2), x), ((1, 0, 2), y), ((2, 0, 1), y), ((1, 0, 0), y)]


def planar_four_bar():
    z = (0, 0, 1)
    return [((0, 0, 0), z), ((0, 1, 0), z), ((2, 2, 0), z), ((3, 0, 0), z)]


def spherical_four_bar():
    """All axes through one point, given by other points on them."""
    apex = (1, 2, 3)
    axes = [(1, 0, 0), (1, 1, 0), (0, 1, 2), (-1, 0, 3)]
    return [
        (tuple(p + Fraction(k + 1, 2) * e for p, e in zip(apex, axis, strict=True)), axis)
        for k, axis in enumerate(axes)
    ]
