"""Sums on a grid against exact fractions, in any order, in pieces, after moves; moments in the same way."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.core.exact_sums import (
    BLOCK_ROWS,
    Extremes,
    MomentSums,
    added_rows,
    column_moments,
    exact_sum,
    reach_of,
    sum_grid,
    total_weight,
)
from sparsek.core.steps import nearest_exactly

K = 3
KINDS = {
    "normal": lambda rng, n: rng.normal(size=(n, 3)),
    "tenths": lambda rng, n: rng.integers(0, 30, (n, 3)) / 10,
    "far": lambda rng, n: 1e12 + rng.normal(size=(n, 3)),
    "scales": lambda rng, n: np.exp(3 * rng.normal(size=(n, 3))) * 10.0 ** np.array([-200, 0, 100]),
    "heavy": lambda rng, n: rng.standard_cauchy((n, 3)) ** 3,
    "zeros": lambda rng, n: np.zeros((n, 3)),
}
DATA = {"seed": st.integers(0, 2**20), "kind": st.sampled_from(list(KINDS)), "n": st.integers(1, 1200)}


def with_ones(X: Any) -> Any:
    return np.column_stack([X, np.ones(len(X))])


@settings(max_examples=25, deadline=None)
@given(**DATA, weighted=st.booleans())
def test_cluster_sums_have_the_same_bits_in_every_order(seed: int, kind: str, n: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X = with_ones(KINDS[kind](rng, n))
    labels, weights = rng.integers(0, K, n), rng.uniform(0.1, 3, n) if weighted else None
    grid = sum_grid(reach_of(X)[:-1], n, weights)
    whole = added_rows(X, grid, K, labels, None, weights)
    order = rng.permutation(n)
    some = None if weights is None else weights[order]
    np.testing.assert_array_equal(added_rows(X[order], grid, K, labels[order], None, some), whole)
    cut = n // 3
    parts = [
        added_rows(X[rows], grid, K, labels[rows], None, None if weights is None else weights[rows])
        for rows in (slice(0, cut), slice(cut, n))
    ]
    np.testing.assert_array_equal(parts[0] + parts[1], whole)
    new = rng.integers(0, K, n)
    moved = whole + added_rows(X, grid, K, new, labels, weights)
    np.testing.assert_array_equal(moved, added_rows(X, grid, K, new, None, weights))
    mass = np.ones(n) if weights is None else weights
    for k in range(K):
        for j in range(4):
            members = labels == k
            exact = sum(
                (Fraction(float(w * x)) for w, x in zip(mass[members], X[members, j], strict=True)),
                Fraction(0),
            )
            # Each term is rounded by half a unit, the result by half a unit in its last place.
            bound = int(members.sum()) * Fraction(float(grid.unit[j])) / 2 + abs(exact) * Fraction(2) ** -52
            assert abs(Fraction(float(grid.values(whole)[k, j])) - exact) <= bound


def test_rows_rounded_before_give_the_same_sums() -> None:
    rng = np.random.default_rng(0)
    for n in (BLOCK_ROWS - 1, 3 * BLOCK_ROWS):  # by a dense and by a sparse matrix of signs
        X, labels = with_ones(rng.normal(size=(n, 700))), rng.integers(0, K, n)
        grid = sum_grid(reach_of(X)[:-1], n)
        expected = added_rows(X, grid, K, labels)
        grid.round(X)
        np.testing.assert_array_equal(added_rows(X, grid, K, labels, rounded=True), expected)


@settings(max_examples=25, deadline=None)
@given(**DATA, weighted=st.booleans())
def test_moments_are_exact_to_rounding_in_every_storage(seed: int, kind: str, n: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X = KINDS[kind](rng, n)
    weights = rng.uniform(0.1, 3, n) if weighted else None
    found, order = column_moments(X, weights), rng.permutation(n)
    shuffled = column_moments(X[order], None if weights is None else weights[order])
    rows = sp.csr_array(X)
    second = MomentSums.of(Extremes.of(rows), n, weights)
    sparse = second.moments(second.add(rows, weights), total_weight(n, weights))
    for other in (shuffled, sparse):
        np.testing.assert_array_equal(other.means, found.means)
        np.testing.assert_array_equal(other.squares, found.squares)
    mass = [Fraction(1)] * n if weights is None else [Fraction(w) for w in weights.tolist()]
    for j in range(3):
        values = [Fraction(x) for x in X[:, j].tolist()]
        mean = sum(w * x for w, x in zip(mass, values, strict=True)) / sum(mass)
        squares = sum(w * (x - mean) ** 2 for w, x in zip(mass, values, strict=True))
        span = float(max(values) - min(values))
        # Terms are rounded to 2^-51 of the range of the column, and the mean itself is rounded.
        assert abs(float(Fraction(float(found.means[j])) - mean)) <= 1e-14 * span + 2e-16 * abs(float(mean))
        # The middle and the mean may be half the range apart, which costs up to n roundings of the squares.
        np.testing.assert_allclose(found.squares[j], float(squares), rtol=1e-15 * n + 1e-12)


def test_overflow_and_missing_values_are_not_hidden() -> None:
    X = np.array([[1e200, 1.0, 2.0], [-1e200, np.nan, 4.0], [0.0, 3.0, np.inf]])
    found = column_moments(X)
    assert np.isposinf(found.squares[0])
    assert np.isnan(found.squares[1])
    assert not np.isfinite(found.squares[2])
    observed = column_moments(X[:2], holes=True)
    np.testing.assert_array_equal(observed.counts, [2, 1, 2])
    np.testing.assert_array_equal(observed.means, [0, 1, 3])


@given(st.lists(st.floats(-1e300, 1e300, allow_nan=False), max_size=50), st.randoms())
def test_a_sum_does_not_depend_on_the_order(values: list[float], random: Any) -> None:
    shuffled = random.sample(values, len(values))
    assert exact_sum(np.array(values)) == exact_sum(np.array(shuffled))


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**20), k=st.integers(1, 5), p=st.integers(1, 9), holes=st.booleans())
def test_the_nearest_centre_by_exact_sums(seed: int, k: int, p: int, holes: bool) -> None:
    rng = np.random.default_rng(seed)
    x, centers = rng.integers(0, 3, (20, p)) / 2, rng.integers(0, 3, (k, p)) / 2  # exact in binary
    observed = (rng.random(x.shape) < 0.7).astype(float) if holes else None
    counted = np.ones_like(x) if observed is None else observed
    squares = (np.square(x[:, None] - centers) * counted[:, None]).sum(axis=2)
    expected = squares.argmin(axis=1)  # the lowest index of equal ones
    np.testing.assert_array_equal(nearest_exactly(x, centers, observed), expected)
    order = rng.permutation(p)
    some = None if observed is None else observed[:, order]
    np.testing.assert_array_equal(nearest_exactly(x[:, order], centers[:, order], some), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_empty_input(dtype: Any) -> None:
    assert exact_sum(np.empty(0, dtype)) == 0
    grid = sum_grid(np.ones(2), 1)
    assert added_rows(np.empty((0, 3), dtype), grid, K, np.empty(0, np.int32)).tolist() == [[0] * 3] * K
