"""Arguments that the kernels of the dynamics share, and how arrays become results.

Kernels have no guards and do not look for NaN: engines call them many times a step and look at what comes out of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import Expr, is_symbol, is_zero, number
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, name_several, symmetric
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import Vector

_POSE_UNIT = "m, m, m, 1, 1, 1, 1"


def kernel(name: str, title: str, source: str) -> Derivation:
    """Start the derivation of a kernel."""
    d = Derivation(name, level="kernel", title=title, source=source)
    d.witness("position", ())
    return d


def quaternion_port(d: Derivation, name: str, meaning: str, prefix: str = "") -> Quaternion:
    """Declare a unit quaternion [q0, q1, q2, q3]."""
    q0, q1, q2, q3 = d.input_array(
        name, [f"{prefix or name}_{k}" for k in range(4)], meaning=meaning, unit="1", range="unit"
    )
    return Quaternion((q0, q1, q2, q3))


def pose_port(d: Derivation, name: str, meaning: str, prefix: str, frame: str = "world") -> tuple[Vector, Quaternion]:
    """Declare a pose [x, y, z, q0, q1, q2, q3]: origin and orientation."""
    elements = [f"{prefix}_{part}" for part in ("x", "y", "z", "0", "1", "2", "3")]
    values = d.input_array(name, elements, meaning=meaning, unit=_POSE_UNIT, frame=frame, range="q unit")
    q0, q1, q2, q3 = values[3:]
    return Vector(values[:3]), Quaternion((q0, q1, q2, q3))


def inertia_port(d: Derivation, name: str = "inertia", axes: str = "body") -> Matrix:
    """Declare the inertia [xx, yy, zz, xy, xz, yz] about the centre of mass."""
    letter = "i" if name == "inertia" else "j"
    elements = [f"{letter}_{pair}" for pair in ("xx", "yy", "zz", "xy", "xz", "yz")]
    what = f"inertia about the centre of mass, {axes} axes: xx yy zz xy xz yz, as entries of the matrix"
    return symmetric(d.input_array(name, elements, meaning=what, unit="kg m^2", frame=axes))


def step_port(d: Derivation) -> Expr:
    """Declare the step."""
    return d.input_scalar("h", meaning="step in time", unit="s", range="not zero")


def twist_port(d: Derivation, name: str, meaning: str, prefix: str) -> tuple[Vector, Vector]:
    """Declare a twist [v, omega] in world axes."""
    elements = [f"{prefix}{part}_{axis}" for part in ("v", "w") for axis in "xyz"]
    values = d.input_array(name, elements, meaning=meaning, unit="m/s, rad/s")
    return Vector(values[:3]), Vector(values[3:])


def rotation(d: Derivation, q: Quaternion, name: str = "e", meaning: str = "body") -> FrameAxes:
    """Name the axes of a frame."""
    return d.triad(name, q, meaning)


def pose_result(d: Derivation, origin: Vector, turn: Quaternion, meaning: str) -> None:
    """Declare a pose as the result `out`."""
    d.output("out", (*origin, *turn.components), meaning=meaning, unit=_POSE_UNIT)


class Results:
    """Names array results; entries that are plainly 0, 1 or -1 share a step."""

    def __init__(self, d: Derivation) -> None:
        self.d = d
        self._constants: dict[int, Expr] = {}

    def put(self, name: str, values: Sequence[Expr], meaning: str, unit: str, frame: str = "world") -> None:
        """Declare an array result."""
        values = [self._constant(value) for value in values]
        new = [(f"{name}_{k}", value) for k, value in enumerate(values) if not is_symbol(value)]
        if new:
            text = meaning.rpartition(":")[2].strip()
            named = name_several(self.d, name, [n for n, _ in new], [v for _, v in new], text, unit)
            steps = iter(named)
            values = [value if is_symbol(value) else next(steps) for value in values]
        self.d.output(name, values, meaning=meaning, unit=unit, frame=frame)

    def _constant(self, value: Expr) -> Expr:
        for constant, word in ((0, "zero"), (1, "plus_one"), (-1, "minus_one")):
            if is_zero(value - number(constant)):
                if constant not in self._constants:
                    self._constants[constant] = self.d.scalar(word, number(constant), "constant entries of the results")
                return self._constants[constant]
        return value
