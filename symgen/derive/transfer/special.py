"""The special engines: trees of bodies on ball joints, planar trees of bodies on pins, and the kernels they call."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.derive.transfer.ports import SOURCE


@dataclass(frozen=True)
class SpecialEngineKernels:
    """An engine for trees of one kind of joint.

    Parameters
    ----------
    kind : ``"ball"`` or ``"planar"``; its files are ``transfer_<kind>.*``.
    kernels : names of the kernels it calls.
    """

    kind: str
    title: str
    source: str
    kernels: tuple[str, ...]


def special_engines() -> tuple[SpecialEngineKernels, ...]:
    """Return the special engines."""
    return _ball(), _planar()


def _ball() -> SpecialEngineKernels:
    return SpecialEngineKernels(
        "ball",
        "trees of bodies on ball joints",
        SOURCE,
        ("turned_body", "turned_lever", "quaternion_rate", "reached_motion", "ball_body", "ball_input", "ball_close",
         "ball_back", "ball_input_back", *_loops("ball")),
    )  # fmt: skip


def _planar() -> SpecialEngineKernels:
    return SpecialEngineKernels(
        "planar",
        "planar trees of bodies on pins",
        SOURCE,
        ("direction", "turned_lever_planar", "reached_motion_planar", "pin_body", "pin_input", "pin_close", "pin_back",
         "pin_input_back", *_loops("pin")),
    )  # fmt: skip


def _loops(joint: str) -> tuple[str, ...]:
    """Return the kernels of loops."""
    columns = (f"{joint}_column_{part}" for part in ("input", "out", "cross", "back"))
    return (*columns, *(f"{joint}_loop_{part}" for part in ("close", "other", "pair", "force", "share")))
