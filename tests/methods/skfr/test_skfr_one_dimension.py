"""Exact k-means of single columns: against the recurrence as published, and against all partitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.methods.skfr.one_dimension import best_gains
from tests.methods.skfr.partitions import partition_gains

ROUNDING = 1e-12
"""Relative: two sums of up to 40 terms in different orders."""


def published(x: np.ndarray, w: np.ndarray, n_clusters: int) -> float:
    """f_k(j) = max_i f_{k-1}(i) + gain of the rows i + 1..j, by loops."""
    order = x.argsort(kind="stable")
    S, W = np.append(0, np.cumsum((w * x)[order])), np.append(0, np.cumsum(w[order]))
    f = np.append(0, np.full(len(x), -np.inf))
    for _ in range(n_clusters):
        f = np.array(
            [
                max([f[j]] + [f[i] + (S[j] - S[i]) ** 2 / (W[j] - W[i]) for i in range(j)])
                for j in range(len(f))
            ]
        )
    return float(f[-1])


@pytest.mark.parametrize("whole", [False, True])
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 8), st.booleans())
def test_the_gain_is_that_of_the_published_recurrence(
    whole: bool, seed: int, n: int, n_clusters: int, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, 3)).astype(float) if whole else rng.normal(size=(n, 3))
    w = rng.uniform(0.1, 3, n) if weighted else np.ones(n)
    found, errors = best_gains(X, w if weighted else None, n_clusters)
    for column, value, error in zip(X.T, found, errors, strict=True):
        truth = published(column, w, n_clusters)
        assert value >= truth
        assert value - error <= truth + ROUNDING * (1 + truth)


@pytest.mark.parametrize(("n", "n_clusters"), [(2, 3), (7, 2), (7, 3), (7, 7), (9, 3)])
def test_no_partition_gains_more_and_one_gains_as_much(n: int, n_clusters: int) -> None:
    X = np.random.default_rng(n).integers(-4, 5, (n, 30)).astype(float)
    found, errors = best_gains(X, None, n_clusters)
    truth = partition_gains(X, np.ones(n), n_clusters).max(axis=0)
    assert (found >= truth).all()
    assert (found - errors <= truth + ROUNDING * (1 + truth)).all()


def test_rows_too_light_for_sums_leave_the_whole_sum_of_squares() -> None:
    X, w = np.array([[0.0], [1.0], [5.0]]), np.array([1e20, 1e20, 1e-20])
    found, _ = best_gains(X, w, 2)
    np.testing.assert_allclose(found, (w @ X**2), rtol=ROUNDING)
    assert found >= w @ X**2
