"""The same quantities as CasADi's users write them: closed forms of positions, rates and accelerations by its AD.

Each function takes the drives (or known poses) as symbols and returns what depends on them, as symgen's results do.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import casadi

#: What the symbols of a position give.
Positions = Callable[[Sequence[Any]], list[Any]]

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def with_rates(positions: Positions, count: int) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Return symbols of values, rates and accelerations, and results by order: positions, rates, accelerations."""
    u, ud, udd = (casadi.SX.sym(name, count) for name in ("u", "ud", "udd"))
    values = casadi.vertcat(*positions([u[k] for k in range(count)]))
    rates = casadi.jtimes(values, u, ud)
    accelerations = casadi.jtimes(rates, u, ud) + casadi.jtimes(values, u, udd)
    symbols = [[x[k] for k in range(count)] for x in (u, ud, udd)]
    return [*zip(*symbols, strict=True)], *([x[k] for k in range(x.numel())] for x in (values, rates, accelerations))


def _turned(place: Sequence[Any], angle: Any) -> tuple[Any, Any]:
    c, s = casadi.cos(angle), casadi.sin(angle)
    return c * place[0] - s * place[1], s * place[0] + c * place[1]


def _circles(a: Sequence[Any], b: Sequence[Any], l_a2: Any, l_b2: Any, side: float) -> tuple[Any, Any]:
    """Return the point at given squared distances of two; `side` is 1 if it lies left of the line from a to b."""
    x, y = b[0] - a[0], b[1] - a[1]
    d2 = x * x + y * y
    foot = 0.5 * (d2 + l_a2 - l_b2) / d2
    height = side * casadi.sqrt(l_a2 / d2 - foot * foot)
    return a[0] + foot * x - height * y, a[1] + foot * y + height * x


def group(k1: Sequence[Any], k2: Sequence[Any], frames: Sequence[Sequence[Any]]) -> list[Any]:
    """R.R.R between two moving bodies, inner joint on the left: poses of both links, angles of the joints.

    Parameters
    ----------
    frames : of j1 on k1 and b1, of j2 on b1 and b2, of j3 on k2 and b2: x, y, angle.
    """
    j1_k1, j1_b1, j2_b1, j2_b2, j3_k2, j3_b2 = frames
    turned = _turned(j1_k1, k1[2]), _turned(j3_k2, k2[2])
    a = k1[0] + turned[0][0], k1[1] + turned[0][1]
    b = k2[0] + turned[1][0], k2[1] + turned[1][1]
    one = j2_b1[0] - j1_b1[0], j2_b1[1] - j1_b1[1]
    two = j2_b2[0] - j3_b2[0], j2_b2[1] - j3_b2[1]
    lengths = one[0] * one[0] + one[1] * one[1], two[0] * two[0] + two[1] * two[1]
    c = _circles(a, b, *lengths, 1.0)
    poses = []
    for begin, link, length2, frame in ((a, one, lengths[0], j1_b1), (b, two, lengths[1], j3_b2)):
        x, y = c[0] - begin[0], c[1] - begin[1]
        cosine, sine = (link[0] * x + link[1] * y) / length2, (link[0] * y - link[1] * x) / length2
        origin = cosine * frame[0] - sine * frame[1], sine * frame[0] + cosine * frame[1]
        poses += [begin[0] - origin[0], begin[1] - origin[1], casadi.atan2(sine, cosine)]
    angles = [
        poses[2] + j1_b1[2] - k1[2] - j1_k1[2],
        poses[5] + j2_b2[2] - poses[2] - j2_b1[2],
        poses[5] + j3_b2[2] - k2[2] - j3_k2[2],
    ]
    return [*poses, *angles]


def jansen_toe(u: Sequence[Any]) -> list[Any]:
    """Place of the toe of examples/jansen_leg; its lengths are those of the file."""
    a, drop, m, j, k, b, d, e, c, f, g, h, i = (
        0.01 * x for x in (38, 7.8, 15, 50, 61.9, 41.5, 40.1, 55.8, 39.3, 39.4, 36.7, 65.7, 49)
    )
    shoulder = (b * b + d * d - e * e) / (2 * b)
    foot = (g * g + i * i - h * h) / (2 * g)
    pin, fixed = (m * casadi.cos(u[0]), m * casadi.sin(u[0])), (-a, -drop)
    top = _circles(pin, fixed, j * j, b * b, -1.0)
    hip = _circles(pin, fixed, k * k, c * c, 1.0)
    corner = _on(fixed, top, shoulder / b, math.sqrt(d * d - shoulder * shoulder) / b)
    knee = _circles(corner, hip, f * f, g * g, -1.0)
    return [*_on(hip, knee, foot / g, math.sqrt(i * i - foot * foot) / g)]


def _on(begin: Sequence[Any], end: Sequence[Any], along: float, across: float) -> tuple[Any, Any]:
    x, y = end[0] - begin[0], end[1] - begin[1]
    return begin[0] + along * x - across * y, begin[1] + along * y + across * x


def stewart_points() -> tuple[list[list[float]], list[list[float]], list[float]]:
    """Return joints on the frame and on the platform of examples/stewart_inverse, and lengths as they are drawn."""
    tree = tomllib.loads((_EXAMPLES / "stewart_inverse" / "mechanism.toml").read_text(encoding="utf-8"))
    height = tree["parameters"]["height"]
    base = [tree["joints"][f"ball_{k}"]["at"] for k in range(1, 7)]
    platform = [[*tree["joints"][f"cardan_{k}"]["at"][:2], 0.0] for k in range(1, 7)]
    drawn = [math.dist(b, (p[0], p[1], height)) for b, p in zip(base, platform, strict=True)]
    return base, platform, drawn


def stewart_lengths(u: Sequence[Any]) -> list[Any]:
    """Slides of the six legs, of x, y, z, yaw, pitch and roll of the platform."""
    cz, sz, cy, sy, cx, sx = (of(angle) for angle in u[3:] for of in (casadi.cos, casadi.sin))
    # the platform's joints lie in its plane: two axes of it are enough
    ex = cz * cy, sz * cy, -sy
    ey = cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx
    slides = []
    for base, place, drawn in zip(*stewart_points(), strict=True):
        leg = [u[n] + ex[n] * place[0] + ey[n] * place[1] - base[n] for n in range(3)]
        slides.append(casadi.sqrt(leg[0] * leg[0] + leg[1] * leg[1] + leg[2] * leg[2]) - drawn)
    return slides


#: Of the planar platform: where its legs stand, where they hold it, the elbows between, as drawn.
STANDS = ((0.0, 0.0), (1.0, 0.0), (0.5, 0.866))
HOLDS = ((0.4, 0.21), (0.6, 0.21), (0.5, 0.38))
ELBOWS = ((0.15, 0.3), (0.9, 0.35), (0.25, 0.65))
MIDDLE = (0.5, 0.27)


def planar_platform() -> dict[str, Any]:
    """Return a platform on three legs R.R.R, moved by its own coordinates: the inverse problem of 3-RRR."""
    bodies: dict[str, Any] = {"platform": {"pose": {"r": list(MIDDLE), "angle": 0.0}}}
    joints: dict[str, Any] = {
        "hand": {"type": "FP", "bodies": ["ground", "platform"], "driven": 3},
    }
    for k, (stand, elbow, hold) in enumerate(zip(STANDS, ELBOWS, HOLDS, strict=True), start=1):
        bodies |= {f"crank_{k}": {}, f"rod_{k}": {}}
        joints |= {
            f"motor_{k}": {"type": "R", "bodies": ["ground", f"crank_{k}"], "at": list(stand)},
            f"elbow_{k}": {"type": "R", "bodies": [f"crank_{k}", f"rod_{k}"], "at": list(elbow)},
            f"hold_{k}": {"type": "R", "bodies": [f"rod_{k}", "platform"], "at": list(hold)},
        }
    return {
        "schema": "symgen/mechanism/1", "name": "3-RRR, inverse problem", "space": "planar", "bodies": bodies,
        "joints": joints,
        "drives": {"hand": {"x": "0.5 + 0.1*cos(t)", "y": "0.27 + 0.08*sin(t)", "angle": "0.3*sin(2*t)"}},
    }  # fmt: skip


def planar_motors(u: Sequence[Any]) -> list[Any]:
    """Angles of the three motors, from how they are drawn."""
    angles = []
    for stand, elbow, hold in zip(STANDS, ELBOWS, HOLDS, strict=True):
        x, y = _turned((hold[0] - MIDDLE[0], hold[1] - MIDDLE[1]), u[2])
        held = u[0] + x, u[1] + y
        crank, rod = (elbow[0] - stand[0], elbow[1] - stand[1]), (hold[0] - elbow[0], hold[1] - elbow[1])
        line = hold[0] - stand[0], hold[1] - stand[1]
        side = math.copysign(1.0, line[0] * crank[1] - line[1] * crank[0])
        l_a2, l_b2 = crank[0] ** 2 + crank[1] ** 2, rod[0] ** 2 + rod[1] ** 2
        pin = _circles(stand, held, l_a2, l_b2, side)
        angles.append(casadi.atan2(pin[1] - stand[1], pin[0] - stand[0]) - math.atan2(crank[1], crank[0]))
    return angles
