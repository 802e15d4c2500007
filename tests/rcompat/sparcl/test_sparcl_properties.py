"""Sparse k-means: invariants, and every shortcut equal to the direct computation bit for bit."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from sparsek.bits.ordered_arithmetic import (
    SumsOfSquares,
    find_threshold,
    l2_norm,
    long_column_sums,
    long_sum,
    members_by_appearance,
    sequential_sum,
    soft_threshold,
    squares_about_mean,
)
from sparsek.errors import RError
from sparsek.rcompat.sparcl.sparse_kmeans import count_nearest, sparse_kmeans_path
from sparsek.rng import RRandom


def literal_threshold(a, bound):
    """The bisection with R's sums at every comparison."""

    def norm(v):
        return long_sum(np.abs(v / l2_norm(v)))

    if l2_norm(a) == 0 or norm(a) <= bound:
        return 0.0
    lo, hi = 0.0, np.abs(a).max() - 1e-5
    for _ in range(15):
        if hi - lo <= 1e-4:
            break
        middle = (lo + hi) / 2
        lo, hi = (lo, middle) if norm(soft_threshold(a, middle)) < bound else (middle, hi)
    return (lo + hi) / 2


def literal_within(x, labels):
    """WCSS per feature, column by column."""
    total = np.zeros(x.shape[1])
    for label in dict.fromkeys(labels.tolist()):
        rows = x[labels == label]
        if len(rows) > 1:
            for j, column in enumerate(rows.T):
                mean = long_column_sums(column[:, None], len(rows))[0]
                total[j] += long_sum((column - mean) ** 2)
    return total


def literal_count_nearest(z, prototypes):
    """All distances left to right, first minimum of the roots."""
    d = [np.sqrt(sequential_sum(np.ascontiguousarray(np.square(z - c).T))) for c in prototypes]
    return len(set(np.argmin(d, axis=0).tolist()))


data_sets = st.builds(
    lambda seed, n, p, k, decimals: (
        np.random.default_rng(seed).normal(size=(n, p)).round(decimals),
        np.random.default_rng(seed + 1).integers(0, k, n),
    ),
    st.integers(0, 10**6), st.integers(4, 40), st.integers(2, 30), st.integers(2, 5),
    st.sampled_from([0, 1, 15]),
)  # fmt: skip


@given(data_sets)
def test_kept_sums_equal_fresh_ones(drawn):
    x, labels = drawn
    sums = SumsOfSquares(x)
    moved = labels.copy()
    moved[0] = (moved[0] + 1) % 3
    for y in (labels, moved, moved, labels):
        assert sums.within(members_by_appearance(y)).tolist() == literal_within(x, y).tolist()
    assert sums.total.tolist() == squares_about_mean(x).tolist()


@given(st.lists(st.floats(0, 1e4), min_size=2, max_size=40), st.floats(1.001, 8), st.integers(-8, 3))
def test_threshold_equals_the_literal_bisection(values, bound, exponent):
    a = np.array(values) * 10.0**exponent
    with np.errstate(invalid="ignore"):
        assert find_threshold(a, bound) == literal_threshold(a, bound)


@given(data_sets)
def test_count_of_nearest_equals_the_literal_one(drawn):
    x, labels = drawn
    prototypes = np.array([x[rows].mean(axis=0) for rows in members_by_appearance(labels)])
    for centers in (prototypes, np.vstack([prototypes, prototypes[:1]]), np.vstack([prototypes, x[:2] + 9])):
        assert count_nearest(x, centers) == literal_count_nearest(x, centers)


@settings(max_examples=40)  # every example runs whole fits
@given(data_sets, st.floats(1.05, 4))
def test_invariants(drawn, bound):
    x, labels = drawn
    k = len(set(labels.tolist()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            (fit,) = sparse_kmeans_path(x, [bound], float(k), n_init=3, rng=RRandom(5))
        except RError:
            reject()
    w, b = fit.weights, fit.between
    assert (w >= 0).all()
    assert abs(l2_norm(w) - 1) < 1e-14  # one division per weight and one root: a few units in the last place
    assert set(w[b == 0]) <= {0.0}
    # Rounding may make unequal weights equal, but does not change their order.
    assert (np.diff(w[w > 0][np.argsort(b[w > 0], kind="stable")]) >= 0).all()
    assert fit.within.tolist() == literal_within(x, fit.labels).tolist()
    assert fit.reached == fit.objective[-1]
