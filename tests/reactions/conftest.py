"""What tests of many tools share."""

from __future__ import annotations

import pytest

from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.reactions import uniqueness
from symgen.simulate.start.freedom_count import is_singular_by_positions_nearby
from symgen.simulate.tables.joint_rows import JointRows


@pytest.fixture
def looked_at_nearby_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the positions near one once for all tools: what they say depends on the mechanism and the poses alone."""
    known: dict[tuple[Mechanism, bytes], bool] = {}

    def is_singular(mechanism: Mechanism, rows: JointRows, poses: Array) -> bool:
        at = mechanism, poses.tobytes()
        if at not in known:
            known[at] = is_singular_by_positions_nearby(mechanism, rows, poses)
        return known[at]

    monkeypatch.setattr(uniqueness, "is_singular_by_positions_nearby", is_singular)
