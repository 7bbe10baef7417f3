"""Columns as text: the same bytes as number by number, in blocks or not."""

from __future__ import annotations

import io

import numpy as np
import pytest

from symgen.solve import columns as module
from symgen.solve.columns import write_rows


@pytest.mark.parametrize("block", [1, 7, 400_000])
def test_a_table_is_written_number_by_number(monkeypatch, block):
    monkeypatch.setattr(module, "_BLOCK", block)
    rng = np.random.default_rng(3)
    table = {
        "t": np.arange(11.0),
        "a": rng.normal(size=11) * 10.0 ** rng.integers(-300, 300, size=11),
        "still": np.full(11, 0.1),
        "minus": np.full(11, -0.0),
        "gaps": np.where(np.arange(11) % 3, 1 / 3, np.nan),
    }
    words = {"status": ["OK", "NO"] * 5 + ["OK"]}
    stream = io.StringIO()
    write_rows(stream, table, words)
    rows = zip(*table.values(), strict=True)
    expected = [
        ",".join([*(repr(float(value) + 0.0).removesuffix(".0") for value in row), word])
        for row, word in zip(rows, words["status"], strict=True)
    ]
    assert stream.getvalue().splitlines() == ["t,a,still,minus,gaps,status", *expected]


def test_constant_columns_and_no_rows_have_a_header():
    stream = io.StringIO()
    write_rows(stream, {"t": np.full(3, 2.0)})
    assert stream.getvalue() == "t\n2\n2\n2\n"
    stream = io.StringIO()
    write_rows(stream, {"t": np.empty(0)})
    assert stream.getvalue() == "t\n"
