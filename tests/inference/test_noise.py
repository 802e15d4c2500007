"""Estimates of the noise beside their formulas."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.inference import estimate_sigma


def data(seed: int, holes: float) -> np.ndarray:
    """Rows of normal noise, some cells missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(3.0, 2.0, size=(int(rng.integers(4, 20)), int(rng.integers(1, 8))))
    X[2:][rng.random(X[2:].shape) < holes] = np.nan
    return X


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]))
def test_the_pooled_standard_deviation_loses_one_freedom_for_each_column(seed: int, holes: float) -> None:
    X = data(seed, holes)
    squares, freedom = [], 0
    for column in X.T:
        seen = column[~np.isnan(column)].tolist()
        mean = math.fsum(seen) / len(seen)
        squares += [(x - mean) ** 2 for x in seen]
        freedom += len(seen) - 1
    # Sums of up to 140 squares in another order: some roundings of 1e-16.
    assert estimate_sigma(X, "sample") == pytest.approx(math.sqrt(math.fsum(squares) / freedom), rel=1e-13)


@settings(max_examples=80)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]))
def test_the_median_of_squares_about_medians(seed: int, holes: float) -> None:
    X = data(seed, holes)
    squares = sorted(
        (x - np.median(column[~np.isnan(column)])) ** 2 for column in X.T for x in column if not np.isnan(x)
    )
    middle = (squares[(len(squares) - 1) // 2] + squares[len(squares) // 2]) / 2
    assert estimate_sigma(X) == pytest.approx(math.sqrt(middle / 0.454936423119572), rel=1e-12)
