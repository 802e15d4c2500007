"""Local outlier factors and ROBIN against the plain definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsek.starts.lof as core
from sparsek.errors import RError
from sparsek.rcompat import dist, lof
from sparsek.starts.lof import factors_of_distances, local_outlier_factors
from sparsek.starts.robin import NONE, robin_rows


def literal_factors(x, m, rounded_roots=False):
    """Local outlier factors by definition, row by row, with exactly rounded sums."""
    n = len(x)
    d2 = np.zeros((n, n))
    for column in x.T:
        d2 += (column[:, None] - column) ** 2
    d, density, neighbors = np.sqrt(d2), np.empty(n), []
    reach2 = np.array([np.sort(np.delete(d2[i], i))[m - 1] for i in range(n)])
    reach = np.sqrt(reach2)
    for i in range(n):
        near = d[i] <= reach[i] if rounded_roots else d2[i] <= reach2[i] * (1 + 2.0**-52)
        neighbors.append(np.array([j for j in np.flatnonzero(near) if j != i]))
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, rows in enumerate(neighbors):
            mean = math.fsum(np.maximum(reach[rows], d[i, rows])) / len(rows)
            density[i] = np.float64(1) / mean
        factors = np.array([math.fsum(density[rows]) / len(rows) for rows in neighbors]) / density
    factors[np.isnan(factors)] = 1
    return factors


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6), st.sampled_from(["plain", "grid", "copies"])
)
def test_factors_equal_the_definition(seed, n, p, kind):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) + 10.0 ** rng.integers(-3, 7)
    if kind == "grid":
        x = np.round(x, 1)
    if kind == "copies":
        x = x[rng.integers(0, n, n)]
    m = int(rng.integers(1, n))
    for rounded in (False, True):
        assert np.array_equal(
            local_outlier_factors(x, m, rounded_roots=rounded), literal_factors(x, m, rounded)
        )


def test_blocks_give_the_same(monkeypatch):
    x = np.random.default_rng(1).normal(size=(50, 4)).round(1)
    whole = local_outlier_factors(x, 7)
    monkeypatch.setattr(core, "BLOCK_CELLS", 300)
    monkeypatch.setattr(core, "PAIR_CELLS", 10)
    assert np.array_equal(local_outlier_factors(x, 7), whole)


def test_distances_give_the_same():
    x = np.random.default_rng(2).normal(size=(40, 3)).round(1)
    d = np.zeros((40, 40))
    d[np.triu_indices(40, 1)] = dist(x)
    d += d.T
    expected = local_outlier_factors(x, 6, rounded_roots=True)
    assert np.array_equal(factors_of_distances(d, 6), expected)
    assert np.array_equal(lof(dist(x), 7), expected)


def test_scikit_learn_agrees_without_ties():
    neighbors = pytest.importorskip("sklearn.neighbors")
    x = np.random.default_rng(3).normal(size=(80, 5))
    theirs = -neighbors.LocalOutlierFactor(n_neighbors=10).fit(x).negative_outlier_factor_
    # scikit-learn adds 1e-10 to the mean reachability, here about 1.
    assert np.allclose(local_outlier_factors(x, 10), theirs, rtol=1e-9)


def test_copies():
    x = np.array([[0.0]] * 5 + [[1.0], [2.0], [3.0]])
    factors = local_outlier_factors(x, 3)
    assert factors[:5].tolist() == [1] * 5
    assert np.isinf(factors[5])


@pytest.mark.parametrize("m", [0, 5])
def test_numbers_of_neighbors(m):
    with pytest.raises(ValueError, match=r"within 1\.\.4"):
        local_outlier_factors(np.eye(5), m)
    with pytest.raises(ValueError, match=r"within 1\.\.4"):
        factors_of_distances(np.eye(5), m)
    with pytest.raises(RError, match="minPts"):
        lof(np.eye(5), m + 1)


def test_undefined_and_infinite_values():
    x = np.eye(6)
    x[2, 2] = math.nan
    with pytest.raises(RError, match="NAs not allowed for LOF using kdtree!"):
        lof(x)
    with pytest.raises(RError, match="NAs not allowed in dist for LOF!"):
        lof([1.0, math.nan, 2.0], 2)
    with pytest.raises(ValueError, match="1e\\+150"):
        lof(np.full((6, 2), 1e160))


def test_robin_takes_far_rows_that_are_not_outliers():
    x = np.array([0.0, 1.0, 5.0, 6.0, 20.0])
    factors = np.array([1.0, 1.0, 1.0, 1.0, 3.0])
    rows = robin_rows(lambda i: np.abs(x - x[i]), factors, reference=0, n_clusters=3)
    assert rows == [3, 0, 1]  # 5.0 and 1.0 are both 1 from a centre: the lower row wins


def test_robin_without_any_row():
    assert robin_rows(lambda i: np.zeros(2), np.full(2, 2.0), 0, 3) == [NONE] * 3


def test_robin_comes_again_when_rows_run_out():
    x = np.array([0.0, 1.0, 9.0])
    rows = robin_rows(lambda i: np.abs(x - x[i]), np.array([1.0, 1.0, 5.0]), 0, 3)
    assert rows == [1, 0, 0]
