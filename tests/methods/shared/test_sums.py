"""The array steps against plain loops, and the weight step against 50 digits."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.methods.shared.scaling import prepare
from sparsek.methods.shared.sums import (
    SMALL_SCORES,
    cluster_sums,
    first_minimum,
    l1_weights,
    largest,
    moved_sums,
    nearest,
)

# Weights are quotients of a few sums of p terms: a handful of roundings.
WEIGHTS = 1e-14
# The bound holds to the rounding of sums of up to 12 numbers below 1.
BOUND = 1e-12


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


@pytest.mark.parametrize("n_moved", [0, 1, 5, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_moved_sums_equal_sums_from_scratch(n_moved, weighted):
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


def exact_weights(a, bound):
    """Bisection for delta with 50 digits."""
    with mpmath.workdps(50):
        a = [mpmath.mpf(float(v)) for v in a]
        bound = mpmath.mpf(float(bound))

        def scaled(delta):
            kept = [max(v - delta, mpmath.mpf(0)) for v in a]
            norm = mpmath.sqrt(sum(v * v for v in kept))
            return [v / norm for v in kept]

        if sum(scaled(mpmath.mpf(0))) <= bound:
            return np.array([float(v) for v in scaled(mpmath.mpf(0))])
        low, high = mpmath.mpf(0), max(a)
        for _ in range(150):
            middle = (low + high) / 2
            if sum(scaled(middle)) > bound:
                low = middle
            else:
                high = middle
        return np.array([float(v) for v in scaled(low)])


@pytest.mark.parametrize("seed", range(40))
def test_weights_agree_with_50_digits(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 40))
    a = rng.exponential(size=p) ** rng.integers(1, 4) * 10.0 ** rng.integers(-3, 4)
    a[rng.random(p) < 0.2] = 0
    a[0] = a.max() + 1
    bound = rng.uniform(1.0001, np.sqrt(p))
    np.testing.assert_allclose(l1_weights(a, bound), exact_weights(a, bound), rtol=0, atol=WEIGHTS)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12).filter(any), st.floats(0, 1))
def test_weights_keep_both_norms_with_ties(values, share):
    p = len(values)
    bound = 1 + share * (np.sqrt(p) - 1)
    w = l1_weights(np.array(values, dtype=float), bound)
    assert w.min() >= 0
    assert w.sum() <= bound + BOUND
    assert abs(np.linalg.norm(w) - 1) <= BOUND
    assert not w[np.array(values) == 0].any() or bound > np.sqrt(np.count_nonzero(values))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_no_other_feasible_weights_do_better(seed):
    rng = np.random.default_rng(seed)
    a, bound = rng.exponential(size=5), rng.uniform(1, np.sqrt(5))
    others = rng.exponential(size=(2000, 5)) ** 2
    others /= np.maximum(np.linalg.norm(others, axis=1), others.sum(axis=1) / bound)[:, None]
    assert (others @ a).max() <= l1_weights(a, bound) @ a + BOUND


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_weights_do_not_depend_on_the_scale(scale):
    a = np.array([3.0, 1.0, 0.0, 2.0])
    # The scaled entries are themselves rounded, and divided by the largest.
    np.testing.assert_allclose(l1_weights(a * scale, 1.3), l1_weights(a, 1.3), rtol=0, atol=WEIGHTS)


def test_weights_at_the_ends_of_the_range():
    a = np.array([3.0, 1.0, 0.5])
    assert l1_weights(a, 1.0).tolist() == [1.0, 0.0, 0.0]
    np.testing.assert_allclose(l1_weights(a, np.sqrt(3)), a / np.linalg.norm(a), atol=WEIGHTS)
    assert not l1_weights(np.zeros(3), 1.5).any()
    assert l1_weights(np.array([-1e-17, 2.0]), 1.2).tolist() == [0.0, 1.0]


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
