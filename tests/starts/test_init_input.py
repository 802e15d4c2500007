"""Starting rows that are drawn, and bad input to all functions of `sparsek.init`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chisquare

from sparsek.core.scaling import prepare
from sparsek.init import (
    dkm_plus_plus,
    kmeans_plus_plus,
    local_outlier_factors,
    maximin,
    random_rows,
    robin,
)
from sparsek.starts import seeds
from sparsek.starts.seeds import seeded_rows
from tests.starts.test_init import IRIS, TEN, quiet_robin

FUNCTIONS = [dkm_plus_plus, maximin, robin, kmeans_plus_plus, random_rows]


# Random starts.


def test_second_row_follows_the_law():
    seeds = np.arange(20_000)
    Z, _ = prepare(TEN, None, standardize=False, by_column=False)
    drawn = seeded_rows(Z, 2, seeds)
    assert chisquare(np.bincount(drawn[:, 0], minlength=10)).pvalue > 1e-3  # not random: seeds are fixed
    squared = ((TEN[:, None] - TEN) ** 2).sum(axis=2)
    expected = squared / squared.sum(axis=1, keepdims=True) * np.bincount(drawn[:, 0], minlength=10)[:, None]
    observed = np.zeros((10, 10))
    np.add.at(observed, tuple(drawn.T), 1)
    other = ~np.eye(10, dtype=bool)
    statistic = ((observed - expected)[other] ** 2 / expected[other]).sum()
    assert observed.trace() == 0
    assert statistic < 80 + 3 * np.sqrt(2 * 80)  # 10 x 8 degrees of freedom, three standard deviations


def test_functions_draw_what_the_estimators_draw():
    x = np.random.default_rng(0).normal(size=(50, 3))
    Z, _ = prepare(x, None, standardize=False, by_column=False)
    for seed in range(20):
        assert np.array_equal(
            kmeans_plus_plus(x, 5, random_state=seed), seeded_rows(Z, 5, np.array([seed]))[0]
        )
        assert len(set(random_rows(x, 5, random_state=seed))) == 5


def test_more_trials_are_better_on_average():
    x = np.random.default_rng(0).normal(size=(300, 2))
    x[:, 0] += np.arange(300) % 10 * 8

    def potential(trials, seed):
        rows = kmeans_plus_plus(x, 10, n_local_trials=trials, random_state=seed)
        return ((x[:, None] - x[rows]) ** 2).sum(axis=2).min(axis=1).sum()

    means = [np.mean([potential(trials, seed) for seed in range(40)]) for trials in (1, "greedy", 20)]
    assert means[0] > 1.3 * means[1] > 1.3 * means[2]
    assert potential("greedy", 3) == potential(4, 3)


@pytest.mark.parametrize("function", [kmeans_plus_plus, random_rows])
def test_random_states(function):
    same = [function(IRIS, 4, random_state=s).tolist() for s in (5, 5, np.int64(5))]
    assert same[0] == same[1] == same[2]
    state = np.random.RandomState(0)
    assert function(IRIS, 4, random_state=state).tolist() != function(IRIS, 4, random_state=state).tolist()
    assert len(set(function(IRIS, 4))) == 4
    for x in (IRIS * 1e-200, IRIS * 1e200, IRIS.astype(np.float32)):
        assert len(set(function(x, 4, random_state=0))) == 4


# Bad input.


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("data", "n_clusters", "error", "message"),
    [
        (TEN, 0, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        (TEN, 11, ValueError, "n_clusters=11 must be at most n_samples=10"),
        (TEN, 2.0, TypeError, "'n_clusters' parameter of"),
        (TEN, True, TypeError, "'n_clusters' parameter of"),
        (np.where(TEN == 12, np.nan, TEN), 2, ValueError, "X contains NaN"),
        (np.where(TEN == 12, np.inf, TEN), 2, ValueError, "X contains infinity"),
        (TEN[0], 2, ValueError, "Expected 2D array"),
        (np.empty((0, 2)), 1, ValueError, "0 sample"),
        (sparse.csr_array(TEN), 2, TypeError, "toarray"),
        ([["a"], ["b"]], 1, TypeError, "must hold real numbers"),
    ],
)
def test_bad_data(function, data, n_clusters, error, message):
    with pytest.raises(error, match=message):
        function(data, n_clusters)


@pytest.mark.parametrize("function", [dkm_plus_plus, maximin, kmeans_plus_plus, random_rows])
def test_too_few_distinct_rows(function):
    x = np.repeat([[0.0, 1.0], [3.0, 1.0], [0.0, 7.0]], [4, 2, 2], axis=0)
    assert len(function(x, 3)) == 3
    with pytest.raises(ValueError, match="the data have 3 distinct rows, fewer than n_clusters=4"):
        function(x, 4)


def test_dkm_needs_a_radius():
    with pytest.raises(ValueError, match="all 10 rows are equal"):
        dkm_plus_plus(np.ones((10, 2)), 1)
    x = np.repeat([[0.0], [1.0], [5.0]], 10, axis=0)
    with pytest.raises(ValueError, match=r"too few distinct rows for DKM\+\+: 3 among 30; leave out"):
        dkm_plus_plus(x, 2)
    with pytest.raises(ValueError, match=r"n=150 .*max_rows is 149: take k-means\+\+ or Maximin"):
        dkm_plus_plus(IRIS, 2, max_rows=149)


def test_many_equal_rows_in_robin():
    x = np.array([[0.0]] * 15 + [[1.0]] * 15 + [[7.0]])
    assert quiet_robin(x, 2) == [0, 15]
    assert np.isinf(local_outlier_factors(x)[-1])


@pytest.mark.parametrize(
    ("function", "options", "error", "message"),
    [
        (dkm_plus_plus, {"quantile": "median"}, ValueError, "'quantile' parameter of"),
        (dkm_plus_plus, {"edge_scale": 1}, ValueError, "'edge_scale' parameter of"),
        (dkm_plus_plus, {"max_rows": 0}, ValueError, "'max_rows' parameter of"),
        (maximin, {"first": "mean"}, ValueError, "'first' parameter of"),
        (maximin, {"first": 10}, ValueError, "first must be the number of a row, at most 9; got 10"),
        (maximin, {"first": -1}, ValueError, "'first' parameter of"),
        (maximin, {"first": 1.5}, TypeError, "'first' parameter of"),
        (robin, {"n_neighbors": 10}, ValueError, "n_neighbors must be at most n_samples - 1 = 9; got 10"),
        (robin, {"n_neighbors": 0}, ValueError, "'n_neighbors' parameter of"),
        (robin, {"crit": 1.0}, ValueError, "'crit' parameter of"),
        (robin, {"crit": -0.1}, ValueError, "'crit' parameter of"),
        (robin, {"crit": "wide"}, TypeError, "'crit' parameter of"),
        (robin, {"lof": "full"}, ValueError, "'lof' parameter of"),
        (
            robin,
            {"reference": "median"},
            ValueError,
            "'reference' parameter of",
        ),
        (robin, {"reference": 10}, ValueError, "reference must be the number of a row, at most 9"),
        (kmeans_plus_plus, {"n_local_trials": 10**9}, ValueError, r"range \[1, 1000000\].* Got 1000000000"),
        (kmeans_plus_plus, {"n_local_trials": 0}, ValueError, "'n_local_trials' parameter of"),
        (kmeans_plus_plus, {"n_local_trials": "many"}, TypeError, "'n_local_trials' parameter of"),
        (kmeans_plus_plus, {"random_state": "a"}, ValueError, "'random_state' parameter of"),
    ],
)
def test_bad_options(function, options, error, message):
    with pytest.raises(error, match=message):
        function(TEN, 2, **options)


def test_bad_options_of_factors():
    with pytest.raises(ValueError, match="n_neighbors must be at most n_samples - 1 = 9; got 10"):
        local_outlier_factors(TEN)
    with pytest.raises(ValueError, match="'kind' parameter of"):
        local_outlier_factors(TEN, 3, kind="other")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_input_is_never_changed(function):
    x = IRIS * 1e200
    copy = x.copy()
    function(x, 3)
    assert np.array_equal(x, copy)


def test_one_row():
    for function in (maximin, robin, kmeans_plus_plus, random_rows):
        assert function([[3.0, 4.0]], 1).tolist() == [0]


def test_trials_in_parts_draw_the_same(monkeypatch):
    whole = kmeans_plus_plus(IRIS, 5, n_local_trials=50, random_state=0)
    monkeypatch.setattr(seeds, "TRIAL_ENTRIES", 7 * len(IRIS))
    assert np.array_equal(kmeans_plus_plus(IRIS, 5, n_local_trials=50, random_state=0), whole)
