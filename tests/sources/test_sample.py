"""The rows of a sample."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsek.sources.sample import LEAST_ROWS, sample_rows


@given(
    st.integers(1, 5000), st.integers(1, 50), st.integers(1, 9), st.integers(1, 20_000), st.integers(0, 99)
)
def test_a_sample_has_the_wanted_number_of_different_rows(
    n: int, p: int, k: int, entries: int, seed: int
) -> None:
    rows = sample_rows(n, p, k, np.random.RandomState(seed), entries)
    assert len(rows) == min(n, max(entries // p, LEAST_ROWS * k))
    assert (np.diff(rows) > 0).all()
    assert 0 <= rows[0] <= rows[-1] < n
