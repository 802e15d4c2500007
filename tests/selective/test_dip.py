"""The dip of values: beside the package diptest, and what must not change it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.selective.dip import dip, one_peak_p_value

diptest = pytest.importorskip("diptest", reason="the extra inference is not installed")


def values(seed: int, n: int, gap: float) -> np.ndarray:
    """Values of two groups."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n) + gap * (np.arange(n) < n // 3)


@given(st.integers(0, 10_000), st.integers(4, 200), st.floats(0, 9))
@settings(max_examples=100, deadline=None)
def test_the_dip_is_that_of_diptest(seed: int, n: int, gap: float) -> None:
    rows = values(seed, n, gap)
    # Both are differences of shares and of places on straight lines between them.
    assert dip(rows) == pytest.approx(diptest.dipstat(rows), abs=1e-12)


@given(st.integers(0, 10_000), st.integers(4, 80), st.floats(0.1, 50), st.floats(-50, 50))
@settings(max_examples=40, deadline=None)
def test_unit_and_direction_do_not_count(seed: int, n: int, unit: float, shift: float) -> None:
    rows = values(seed, n, 3)
    # The places of values keep twelve digits of the data.
    assert dip(-unit * rows + shift) == pytest.approx(dip(rows), abs=1e-9)


@pytest.mark.parametrize("n", [8, 60, 500])
def test_p_values_are_near_those_of_the_table(n: int) -> None:
    for gap in (0.0, 3.0, 4.0, 6.0):
        rows = values(n, n, gap)
        # 999 samples have an error of at most .016, and the table one of its own.
        assert one_peak_p_value(rows) == pytest.approx(diptest.diptest(rows)[1], abs=0.06)


def test_equal_values_and_few() -> None:
    assert dip(np.full(9, 2.0)) == 1 / 18
    assert dip(np.array([1.0, 2.0])) == 1 / 4
    assert one_peak_p_value(np.full(9, 2.0)) == 1
    assert one_peak_p_value(np.repeat([0.0, 1.0], 30) + np.linspace(0, 1e-3, 60)) == 0.001
