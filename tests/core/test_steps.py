"""The array steps against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek.core import steps
from sparsek.core.scaling import prepare
from sparsek.core.steps import (
    SMALL_SCORES,
    cluster_sums,
    first_minimum,
    largest,
    moved_sums,
    nearest,
)


def prepared(rng, n, p, dtype=np.float64):
    return np.column_stack([rng.standard_normal((n, p)), np.ones(n)]).astype(dtype)


@pytest.mark.parametrize("weighted", [False, True])
def test_cluster_sums_are_the_sums_of_the_rows(weighted):
    rng = np.random.default_rng(0)
    X, labels = prepared(rng, 50, 4), rng.integers(0, 5, 50).astype(np.int32)
    labels[labels == 3] = 0
    w = rng.integers(1, 4, 50).astype(float) if weighted else np.ones(50)
    got = cluster_sums(X, labels, 5, w if weighted else None)
    for k in range(5):
        # Sums of at most 50 numbers of size 1 in another order.
        np.testing.assert_allclose(got.sums[k], (X * w[:, None])[labels == k].sum(axis=0), atol=1e-13)
    assert got.counts.tolist() == [w[labels == k].sum() for k in range(5)]
    assert not got.means[3].any()
    assert not got.gains[3].any()


@pytest.mark.parametrize("n_moved", [0, 1, 5, 10, 40])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dense", [steps.DENSE_CHANGE, 0])  # 0: sparse products, as for large data
def test_moved_sums_equal_sums_from_scratch(n_moved, weighted, dense, monkeypatch):
    monkeypatch.setattr(steps, "DENSE_CHANGE", dense)
    rng = np.random.default_rng(1)
    X, old = prepared(rng, 50, 4), rng.integers(0, 3, 50).astype(np.int32)
    w = rng.random(50) if weighted else None
    new = old.copy()
    new[:n_moved] = (new[:n_moved] + 1) % 3
    got = moved_sums(X, new, cluster_sums(X, old, 3, w), w)
    # One addition and one subtraction per moved row.
    np.testing.assert_allclose(got.sums, cluster_sums(X, new, 3, w).sums, atol=1e-13)


@pytest.mark.parametrize("n", [30, SMALL_SCORES])
@pytest.mark.parametrize("k", [1, 2, 130])
def test_nearest_is_the_argmin_of_distances(n, k):
    rng = np.random.default_rng(2)
    X, centers = prepared(rng, n, 3), rng.standard_normal((k, 3))
    distances = ((X[:, None, :-1] - centers) ** 2).sum(axis=2)
    assert np.array_equal(nearest(X, centers), distances.argmin(axis=1))


@pytest.mark.parametrize("n", [30, SMALL_SCORES])
def test_nearest_gives_ties_to_the_lowest_index(n):
    X = np.column_stack([np.zeros(n), np.ones(n)])
    assert not nearest(X, np.array([[1.0], [-1.0], [1.0]])).any()


def test_first_minimum_equals_argmin_with_ties():
    scores = np.random.default_rng(3).integers(0, 4, (200, 300)).astype(float)
    assert np.array_equal(first_minimum(scores), scores.argmin(axis=0))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.data())
def test_largest_takes_the_lowest_indices_of_ties(gains, data):
    s = data.draw(st.integers(1, len(gains)))
    rows = [gains, gains[::-1]]
    orders = [sorted(range(len(row)), key=lambda i, row=row: (-row[i], i)) for row in rows]
    assert largest(np.array(rows, dtype=float), s).tolist() == [sorted(order[:s]) for order in orders]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_standardised_columns_have_mean_0_and_sd_1(dtype):
    rng = np.random.default_rng(4)
    X = (rng.standard_normal((200, 3)) * [1, 100, 1e-3] + [0, 50, -1]).astype(dtype)
    Z, scaling = prepare(X, None, standardize=True)
    assert Z.dtype == scaling.offset.dtype == dtype
    # Rounding of the mean of 200 entries of size 1, and of the offset in standard deviations.
    atol = 2000 * np.finfo(dtype).eps
    np.testing.assert_allclose(Z[:, :-1].mean(axis=0), 0, atol=atol)
    np.testing.assert_allclose(Z[:, :-1].std(axis=0, ddof=1), 1, atol=atol)
    assert np.array_equal(scaling.apply(X), Z)
    np.testing.assert_allclose(scaling.invert(Z[:, :-1]), X, rtol=10 * atol, atol=atol)


@pytest.mark.parametrize("exponent", [-1060, -1022, -600, 600, 1000])
def test_extreme_columns_are_standardised_alike(exponent):
    # Few enough digits that even the subnormal columns hold them exactly: powers of two change nothing.
    x = np.random.default_rng(5).integers(-200, 200, (30, 1)).astype(float)
    Z, _ = prepare(np.hstack([x, np.ldexp(x, exponent)]), None, standardize=True)
    np.testing.assert_allclose(Z[:, 1], Z[:, 0], rtol=1e-13)


def test_constant_columns_become_exact_zeros():
    X = np.column_stack([np.full(30, 0.1), np.arange(30.0)])
    Z, _ = prepare(X, None, standardize=True)
    assert not Z[:, 0].any()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [1, 3, 40])
def test_sums_of_a_cluster_that_lost_its_rows_are_zeros(weighted, m):
    """Subtracting the last rows of a cluster leaves rounding errors, which would be a centre."""
    rng = np.random.default_rng(m)
    X = np.column_stack([rng.normal(size=(200, 6)) * 10.0 ** rng.integers(-8, 8, size=6), np.ones(200)])
    weights = rng.random(200) + 0.1 if weighted else None
    labels = np.repeat([0, 1, 2], [m, 100 - m, 100]).astype(np.int32)
    before = steps.cluster_sums(X, labels, 3, weights)
    after = steps.moved_sums(X, np.maximum(labels, 1).astype(np.int32), before, weights)
    assert (after.sums[0] == 0).all()
    assert np.signbit(after.sums[0]).sum() == 0
    whole = steps.cluster_sums(X, np.maximum(labels, 1).astype(np.int32), 3, weights)
    np.testing.assert_allclose(after.sums, whole.sums, rtol=1e-9, atol=1e-9 * np.abs(X).max())
