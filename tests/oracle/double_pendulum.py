"""A planar double pendulum, on which anything may act."""

from __future__ import annotations

from typing import Any

from symgen.model.mechanism import Mechanism

_HEAD: dict[str, Any] = {"schema": "symgen/mechanism/1", "name": "swing", "space": "planar"}


def double_pendulum(
    gravity: float = 9.81, *, first: tuple[float, float] = (0.3, 1.2), second: tuple[float, float] = (0.7, -0.4),
    **more: Any,
) -> Mechanism:  # fmt: skip
    """Return a double pendulum from angles [rad] and rates [rad/s]."""
    body = {"mass": 2.0, "com": [0.5, 0.1], "inertia": [0.1, 0.1, 0.2, 0.0, 0.0, 0.0]}
    starts = {"A": first, "B": second}
    tree = {
        **_HEAD,
        "gravity": [0.0, -gravity],
        "bodies": {"a": body, "b": {**body, "pose": {"r": [1.0, 0.0]}}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "a"], "at": [0.0, 0.0]},
            "B": {"type": "R", "bodies": ["a", "b"], "at": [1.0, 0.0]},
        },
        "initial": {"joints": {name: {"angle": angle, "rate": rate} for name, (angle, rate) in starts.items()}},
        **more,
    }
    return Mechanism.from_dict(tree)
