"""What ``symgen vibrations`` prints for people, and the strands of its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symgen.draw.modes_svg import DrawnLine
    from symgen.poses import Array
    from symgen.vibrations.analysis import Mode, Vibrations

_MOST_NAMED = 4
#: Parts of the largest amplitude below which a coordinate is not named.
_NAMED = 0.1
#: Half of the width that a beam is drawn with, as part of its length.
_HALF_WIDTH = 0.03


def print_vibrations(result: Vibrations) -> None:
    """Print a table of modes: frequency, period, what moves most."""
    from symgen.cli.tables.table import numbers, print_table, texts
    from symgen.cli.terminal.console import table_console

    console = table_console()
    count = len(result.modes)
    how = ", from the characteristic determinant" if result.method == "determinant" else ""
    console.print(f"{result.mechanism.name}: {count} mode{'' if count == 1 else 's'}{how}")
    columns = [*numbers("mode", "frequency [Hz]", "omega [rad/s]"), *texts("moves most")]
    rows = [
        (number, f"{mode.frequency:.6g}", f"{mode.omega:.6g}", _words(mode))
        for number, mode in enumerate(result.modes, 1)
    ]
    if count:
        console.print()
        print_table(console, columns, rows)
        console.print()
    if result.zero:
        several = "" if result.zero == 1 else "s"
        near = f"frequency zero, or below {result.resolution:.2g} Hz"
        console.print(f"{result.zero} motion{several} without resistance: {near}")
    for rate in result.growth:
        console.print(f"warning: rest is not stable, a motion grows by e every {1.0 / rate:.3g} s", style="yellow")
    for note in result.notes:
        console.print(f"note: {note}")


def _words(mode: Mode) -> str:
    """Return the coordinates of joints that move most; bodies where there are none, and beams."""
    sizes = {f"{joint}.{freedom}": abs(v) for joint, each in mode.joints.items() for freedom, v in each.items()}
    if not sizes:
        sizes = {name: float(abs(body.r).max()) for name, body in mode.bodies.items() if name not in mode.beams}
    largest = max(sizes.values(), default=0.0)
    named = sorted((name for name in sizes if sizes[name] > _NAMED * largest), key=lambda name: -sizes[name])
    more = [f"and {len(named) - _MOST_NAMED} more"] if len(named) > _MOST_NAMED else []
    return ", ".join([*named[:_MOST_NAMED], *more, *mode.beams])


def picture(result: Vibrations, *, moving: bool) -> str:
    """Return the modes as SVG text."""
    import numpy as np

    from symgen.draw.modes_svg import ModePanel, modes_svg

    panels = [
        ModePanel(f"{number}: {mode.frequency:.5g} Hz", list(_strands(result, mode)))
        for number, mode in enumerate(result.modes, 1)
    ]
    mechanism = result.mechanism
    ground = [
        frame.at
        for joint in mechanism.joints
        for body, frame in zip(joint.bodies, joint.frames or (), strict=False)
        if body == mechanism.ground
    ]
    ground += list(mechanism.ground_body.points.values())
    return modes_svg(
        f"Modes of {mechanism.name or 'the mechanism'}", panels, np.array(ground).reshape(-1, 3),
        planar=mechanism.space == "planar", moving=moving,
    )  # fmt: skip


def _strands(result: Vibrations, mode: Mode) -> Iterator[DrawnLine]:
    import numpy as np

    from symgen.draw.modes_svg import DrawnLine
    from symgen.poses import matrix

    for k, body in enumerate(result.mechanism.bodies):
        pose, shape = result.poses[k], mode.bodies[body.id]
        turn = matrix(pose[3:])
        if body.id in mode.beams:
            beam = mode.beams[body.id]
            half = 0.0 if result.mechanism.space == "planar" else _HALF_WIDTH * float(beam.x[-1])
            for aside in (-half * turn[:, 1], half * turn[:, 1]) if half else (np.zeros(3),):  # edges show torsion
                rest = pose[:3] + aside + beam.x[:, None] * turn[:, 0]
                yield DrawnLine(k, rest, beam.r + np.cross(beam.theta, aside))
            continue
        centre = np.array(body.com or (0.0, 0.0, 0.0))
        for place in _places(result, body.id) or [centre]:
            line = turn @ np.stack([centre, place], axis=-1)
            rest = pose[:3] + line.T
            yield DrawnLine(k, rest, shape.r + np.cross(shape.theta, rest - pose[:3]))


def _places(result: Vibrations, body: str) -> list[Array]:
    """Return joint centres and points of a body, in its frame."""
    import numpy as np

    mechanism = result.mechanism
    found = [
        np.array(frame.at)
        for joint in mechanism.joints
        for name, frame in zip(joint.bodies, joint.frames or (), strict=False)
        if name == body
    ]
    return found + [np.array(place) for place in mechanism.body(body).points.values()]
