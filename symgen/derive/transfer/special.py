"""The special engines: trees of bodies on ball joints, planar trees of bodies on pins, and the kernels they call."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.derive.transfer.ports import SOURCE


@dataclass(frozen=True)
class SpecialEngine:
    """An engine for trees of one kind of joint.

    Parameters
    ----------
    kind : ``"ball"`` or ``"planar"``; its files are ``transfer_<kind>.*``.
    summary : lines for its header.
    kernels : names of the kernels it calls.
    """

    kind: str
    title: str
    source: str
    summary: tuple[str, ...]
    kernels: tuple[str, ...]


def special_engines() -> tuple[SpecialEngine, ...]:
    """Return the special engines."""
    return _ball(), _planar()


def _ball() -> SpecialEngine:
    return SpecialEngine(
        "ball",
        "trees of bodies on ball joints",
        SOURCE,
        (
            "Bodies with absolute orientations (quaternions), each carried by one ball joint: by the ground or another",
            "body. A ball joint passes on a force and no moment, q = S a + e, so the Riccati recursion works",
            "with 3 x 3 matrices; six entries of the symmetric S are stored. One evaluation takes time in proportion",
            "to the number of bodies.",
        ),
        ("turned_body", "turned_lever", "quaternion_rate", "reached_motion", "ball_body", "ball_input", "ball_close",
         "ball_back", "ball_input_back", *_loops("ball")),
    )  # fmt: skip


def _planar() -> SpecialEngine:
    return SpecialEngine(
        "planar",
        "planar trees of bodies on pins",
        SOURCE,
        (
            "Bodies with absolute angles, each carried by one pin: by the ground or by another body. A pin passes on",
            "a force and no moment, q = S a + e, so the Riccati recursion works with 2 x 2 matrices; three entries of",
            "the symmetric S are stored. One evaluation takes time in proportion to the number of bodies.",
        ),
        ("direction", "turned_lever_planar", "reached_motion_planar", "pin_body", "pin_input", "pin_close", "pin_back",
         "pin_input_back", *_loops("pin")),
    )  # fmt: skip


def _loops(joint: str) -> tuple[str, ...]:
    """Return the kernels of loops."""
    columns = (f"{joint}_column_{part}" for part in ("input", "out", "cross", "back"))
    return (*columns, *(f"{joint}_loop_{part}" for part in ("close", "other", "pair", "force", "share")))
