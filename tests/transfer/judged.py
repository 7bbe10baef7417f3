"""What the package answers through its public face, and how far that is from the oracle."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from transfer.oracle_multibody import Answer, Multibody

import symgen
from symgen.cli.main import main
from symgen.model.mechanism import Mechanism


@dataclass(frozen=True)
class Found:
    """A document of `symgen accelerations`."""

    document: dict[str, Any]

    @property
    def status(self) -> str:
        """OK, or how it failed."""
        return str(self.document["status"])

    def a(self, body: str) -> Any:
        """Acceleration of the body frame's origin."""
        return np.array(self.document["bodies"][body]["a"])

    def alpha(self, body: str) -> Any:
        """Angular acceleration."""
        return np.array(self.document["bodies"][body]["alpha"])

    def force(self, joint: str) -> Any:
        """Force of the first on the second body."""
        return np.array(self.document["joints"][joint]["force"])

    def moment(self, joint: str) -> Any:
        """Moment about the joint centre on the second body."""
        return np.array(self.document["joints"][joint]["moment"])

    def unique(self, joint: str) -> bool:
        """Whether they are the only ones."""
        return bool(self.document["joints"][joint]["unique"])


def ask(mechanism: Mechanism, method: str = "riccati", **options: Any) -> Found:
    """Return what the Python face answers."""
    return Found(json.loads(json.dumps(symgen.accelerations(mechanism, method=method, **options).to_dict())))


def ask_cli(file: Path, capsys: Any, *options: str) -> tuple[int, Any]:
    """Return exit status and document of the command line."""
    status = main(["accelerations", str(file), *options, "--json"]) or 0
    out = capsys.readouterr().out
    return status, json.loads(out) if out else None


def errors(found: Found, truth: Answer) -> tuple[float, float]:
    """Return the largest errors of accelerations and of unique joint wrenches, over the largest of their kind."""
    size = max([1.0, *(float(np.abs(v).max()) for table in (truth.a, truth.alpha) for v in table.values())])
    worst = max(
        max(float(np.abs(found.a(b) - truth.a[b]).max()), float(np.abs(found.alpha(b) - truth.alpha[b]).max()))
        for b in truth.a
    )
    load = max([1.0, *(float(np.abs(v).max()) for table in (truth.force, truth.moment) for v in table.values())])
    gaps = [0.0]
    for joint in truth.force:
        if truth.unique[joint] and found.unique(joint):
            gaps.append(float(np.abs(found.force(joint) - truth.force[joint]).max()))
            gaps.append(float(np.abs(found.moment(joint) - truth.moment[joint]).max()))
    return worst / size, max(gaps) / load


def judge(
    mechanism: Mechanism, method: str = "riccati", *, accelerations: float = 1e-11, wrenches: float = 1e-10
) -> Found:
    """Ask for a mechanism's accelerations and hold them to the oracle's."""
    found, truth = ask(mechanism, method), Multibody(mechanism).solve()
    assert found.status == "OK", found.document
    worst, gap = errors(found, truth)
    assert worst < accelerations, f"{mechanism.name} {method}: accelerations off by {worst:.3g}"
    assert gap < wrenches, f"{mechanism.name} {method}: joint wrenches off by {gap:.3g}"
    return found


def judge_uniqueness(found: Found, truth: Answer) -> None:
    """Hold what is said of uniqueness to the left null space of the oracle's equations."""
    told = {joint: found.unique(joint) for joint in truth.unique}
    assert told == truth.unique
