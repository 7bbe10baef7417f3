"""What was proved, and how."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.ir.nodes import Level


@dataclass(frozen=True)
class Proof:
    """What was proved of a kernel or an arrangement, how, and how well.

    Attributes
    ----------
    method : "symbolic" or "50-digit residual at N random points".
    bound : "0", or what no residual exceeds.
    level, arrangement : of the derivation it is about.
    """

    name: str
    statement: str
    method: str
    bound: str
    level: Level
    arrangement: str | None
