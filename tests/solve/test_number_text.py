"""Numbers as text, many at once: byte for byte what Python's formatting of one gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from symgen.solve.number_text import number_cells


def _texts(values: np.ndarray) -> list[str]:
    return [row.tobytes().translate(None, b"\0").decode() for row in number_cells(values)]


def _expected(values: np.ndarray) -> list[str]:
    return [repr(value + 0.0).removesuffix(".0") for value in values.tolist()]


@given(st.lists(st.floats(), min_size=1, max_size=30))
def test_any_numbers_read_as_python_writes_them(values):
    assert _texts(np.array(values)) == _expected(np.array(values))


def test_numbers_of_all_sizes_read_as_python_writes_them():
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2**63, size=40_000, dtype=np.int64).view(np.float64)
    usual = rng.normal(size=40_000) * 10.0 ** rng.integers(-25, 25, size=40_000)
    for values in (bits, usual, -usual, rng.integers(-100, 100, size=2000) * 0.125):
        assert _texts(values) == _expected(values)
    few = rng.integers(1, 10**6, size=20_000) * 10.0 ** rng.integers(-12, 3, size=20_000)  # of few digits, mostly
    near = np.concatenate([few, np.nextafter(few, 0.0), np.nextafter(few, np.inf)])
    assert _texts(near) == _expected(near)


def test_powers_of_ten_their_neighbours_and_halves_read_as_python_writes_them():
    tens = np.array([float(f"1e{k}") for k in range(-300, 301)])
    near = np.concatenate([tens, np.nextafter(tens, 0.0), np.nextafter(tens, np.inf), 5 * tens, 9.5 * tens])
    # numbers of eighteen digits: some end on a five
    ties = 2.0**54 + 2.0 * np.arange(200) + np.array([[1e17], [0.0]])
    twos = 2.0 ** np.arange(-330, 330)  # the step below a power of two is half of that above
    near = np.concatenate([near, twos, np.nextafter(twos, 0.0), np.nextafter(twos, np.inf), 3 * twos])
    values = np.concatenate([near, -near, ties.reshape(-1), [0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324]])
    assert _texts(values) == _expected(values)
