"""Signatures that no mechanism can have are refused with the reason; regular ones are not."""

from __future__ import annotations

import pytest

from symgen.topology.findings.regularity import irregularity


@pytest.mark.parametrize("signature", ["R.R.R 2D", "R.P.P 2D", "R* 2D", "R.S.U 3D", "C.C.C 3D", "F****** 3D"])
def test_regular_groups_have_no_reason(signature: str) -> None:
    assert irregularity(signature) is None


@pytest.mark.parametrize("signature", ["P.P.P 2D", "S.S 3D", "P.PL.C 3D", "S.PL 3D"])
def test_groups_that_count_right_but_lose_rank_are_singular(signature: str) -> None:
    # docs/structure.md: each satisfies the count, none has full rank
    reason = irregularity(signature)
    assert reason is not None
    assert "singular" in reason
    assert "1 of them follows from the others" in reason


def test_a_text_that_is_no_signature_is_left_to_others() -> None:
    assert irregularity("nonsense") is None
