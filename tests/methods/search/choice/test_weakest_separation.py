"""WeakestSeparation: by definition, on sets with an answer that one sees, and with all that rows may have."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, KPod, ModelChoice, SparseKMeans, WeakestSeparation
from sparsek.methods.search.choice.separation import FLAT, HALVES, ROUNDED, columns_of, ebic, separations

KS = {"n_clusters": [1, 2, 3, 4, 5, 6]}


def at(centers, n=30, seed=0):
    """n normal rows about each centre."""
    around = np.asarray(centers, dtype=float)
    rng = np.random.default_rng(seed)
    return np.repeat(around, n, axis=0) + rng.normal(size=(n * len(around), around.shape[1]))


def columns(X, mass=None, codes=None, categories=()):
    """The columns of rows."""
    mask = np.isin(np.arange(X.shape[1]), categories)
    return columns_of(X, np.ones(len(X)) if mass is None else mass, codes, mask)


def search(X, model=None, grid=None, **given):
    """A fitted search."""
    model = SKFR(n_features_to_select=X.shape[1], standardize=True) if model is None else model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return WeakestSeparation(model, grid or KS, random_state=0).fit(X, **given)


SQUARE = at([[0, 0], [0, 10], [10, 0], [10, 10]])
PENTAGON = 10 * np.array([[np.cos(a), np.sin(a)] for a in 2 * np.pi * np.arange(5) / 5])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("model", [SKFR(n_features_to_select=2), SKFR()], ids=["given", "auto"])
@pytest.mark.parametrize(
    ("centers", "k"),
    [([[0, 0], [0, 10], [10, 0], [10, 10]], 4), ([[0, 0], [10, 0], [20, 0]], 3), (PENTAGON, 5)],
    ids=["square", "line", "circle"],
)
def test_clusters_that_one_sees_are_counted(centers, k, model, seed):
    choice = ModelChoice(model, {"n_clusters": [2, 3, 4, 5, 6]}, random_state=0, refit=False)
    assert choice.fit(at(centers, seed=seed)).best_params_ == {"n_clusters": k}


@pytest.mark.parametrize("seed", range(5))
def test_one_cluster_is_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 6)) + (seed % 2) * rng.normal(size=(80, 1))
    found = search(X, SKFR())
    assert (found.one_cluster_, found.best_params_["n_clusters"]) == (True, 1)
    assert found.interval_[0] == 1


def separation_by_definition(a, b, rounding):
    """One row after another; its own mean is that of the other rows."""
    variances = (((a - a.mean(0)) ** 2).sum(0) + ((b - b.mean(0)) ** 2).sum(0)) / (len(a) + len(b) - 2)
    variances = variances + rounding + 1e-6
    places, hidden = [[], []], [[], []]
    for side, (rows, other) in enumerate(((a, b.mean(0)), (b, a.mean(0)))):
        for i, row in enumerate(rows):
            own = np.delete(rows, i, axis=0).mean(0)
            w = (other - own) / variances
            length = w @ (other - own)
            places[side].append(w @ (row - (own + other) / 2) / length)
            hidden[side].append((w**2 @ rounding) / length**2)
    spreads = [np.sqrt(np.var(one, ddof=1) + np.mean(two)) for one, two in zip(places, hidden, strict=True)]
    return -2 * (np.mean(places[0]) + np.mean(places[1])) / sum(spreads)


@pytest.mark.parametrize("rounded", [False, True])
def test_separations_by_definition(rounded):
    X = at([[0, 0, 0], [2, 1, 0], [0, 4, 1]], 8)
    X = np.round(X) if rounded else X
    labels = np.repeat([0, 1, 2], 8)
    described = columns(X)
    scaled = (X - X.mean(0)) / X.std(0)
    steps = np.where(rounded & (np.array([len(set(x)) for x in X.T]) < 24), 1 / X.std(0), 0)
    np.testing.assert_allclose(described.values, scaled, rtol=1e-12, atol=1e-12)  # rounding of sums
    np.testing.assert_allclose(described.rounding, ROUNDED * steps**2, rtol=1e-12)  # of a quotient
    pairs = separations(described, labels)
    for (a, b), found in zip(combinations(range(3), 2), pairs.separation, strict=True):
        expected = separation_by_definition(scaled[labels == a], scaled[labels == b], described.rounding)
        assert found == pytest.approx(expected, rel=1e-10)  # sums in another order
    np.testing.assert_allclose(pairs.relative_error, np.sqrt((1 / 7 + 1 / 7) / 8), rtol=1e-14)
    assert pairs.clusters.tolist() == [[0, 1], [0, 2], [1, 2]]


def test_halves_of_one_cluster_have_the_separations_that_the_limits_are_made_of():
    places = (np.arange(20000) + 0.5) / 20000
    from scipy.stats import norm

    for one, expected in ((norm.ppf(places), HALVES), (places, FLAT)):
        pairs = separations(columns(one[:, None]), (np.arange(20000) >= 10000).astype(np.int32))
        # The tails beyond the last of 20,000 places, and 1e-6 that is added to variances
        assert pairs.separation[0] == pytest.approx(expected, rel=2e-3)


def test_neighbouring_levels_are_as_far_apart_as_halves():
    X = np.repeat([[0.0], [1.0]], 500, axis=0)
    pairs = separations(columns(X), np.repeat([0, 1], 500).astype(np.int32))
    assert pairs.separation[0] == pytest.approx(HALVES, rel=1e-5)  # 1e-6 is added to variances


def test_ebic_by_definition():
    X = at([[0, 0, 0], [5, 0, 0]], 20)
    labels = np.repeat([0, 1], 20).astype(np.int32)
    scaled = (X - X.mean(0)) / X.std(0)
    features = np.array([True, False, True])

    def loglik(x, groups):
        mean = np.array([x[labels == g].mean() if groups else x.mean() for g in labels])
        variance = np.mean((x - mean) ** 2)
        return -0.5 * 40 * (np.log(2 * np.pi * variance) + 1)

    total = sum(loglik(x, used) for x, used in zip(scaled.T, features, strict=True)) + 40 * np.log(0.5)
    null = sum(loglik(x, False) for x in scaled.T)
    expected = -2 * (total - null) + 1 * 3 * np.log(40) + 2 * np.log(3)
    assert ebic(columns(X), labels, features) == pytest.approx(expected, rel=1e-10)  # sums in another order


@given(st.integers(0, 2**16), st.integers(0, 4))
def test_weights_are_repetitions(seed, hole):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(24, 3)), int(rng.integers(0, 3)))
    X[rng.permutation(24)[:hole], 0] = np.nan
    labels = rng.integers(0, 3, size=24).astype(np.int32)
    mass = rng.integers(1, 4, size=24)
    one, two = columns(X, mass.astype(float)), columns(np.repeat(X, mass, axis=0))
    a, b = separations(one, labels), separations(two, np.repeat(labels, mass))
    np.testing.assert_allclose(a.separation, b.separation, rtol=1e-8)  # sums in another order
    np.testing.assert_allclose(a.relative_error, b.relative_error, rtol=1e-12)
    every = np.ones(3, dtype=bool)
    assert ebic(one, labels, every) == pytest.approx(ebic(two, np.repeat(labels, mass), every), abs=1e-7)


def test_a_search_with_weights_is_one_of_repeated_rows():
    mass = np.random.default_rng(1).integers(0, 3, size=len(SQUARE))
    model = SKFR(n_features_to_select=2, standardize=True, init="maximin", n_init=1)
    one = search(SQUARE, model, sample_weight=mass)
    two = search(np.repeat(SQUARE, mass, axis=0), model)
    assert one.best_params_ == two.best_params_ == {"n_clusters": 4}
    np.testing.assert_allclose(one.separations_, two.separations_, rtol=1e-9)  # sums in another order


def test_units_of_columns_change_nothing_where_they_are_standardised():
    one, two = search(SQUARE), search(SQUARE * [2.0**10, 2.0**-10] + [2.0**12, 0])
    np.testing.assert_allclose(one.separations_, two.separations_, rtol=1e-9)  # the mean of 2**12 rounds
    assert one.best_params_ == two.best_params_


@pytest.mark.parametrize("power", [-1000, 1010])
def test_no_unit_is_too_small_or_too_large_for_the_columns(power):
    labels = np.repeat(np.arange(4), 30).astype(np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, two = columns(SQUARE), columns(np.ldexp(SQUARE, power))
    assert np.array_equal(one.values, two.values)
    assert np.array_equal(separations(one, labels).separation, separations(two, labels).separation)


def test_clusters_with_equal_means_are_not_apart():
    X = np.column_stack([np.tile([0.0, 1.0], 6), np.arange(12.0)])
    labels = np.repeat([0, 1], 6).astype(np.int32)
    found = separations(columns(X).of(np.array([True, False])), labels)
    assert found.separation[0] < 0  # each row is nearer to the other cluster than to its own without it
    assert separations(columns(np.ones((12, 2))), labels).separation.tolist() == [0.0]


def test_batches_holes_and_categories():
    shifted = SQUARE.copy()
    shifted[::2] += [100, -40]
    batch = np.where(np.arange(len(SQUARE)) % 2, "a", "b")
    assert search(shifted, batch=batch).best_params_ == {"n_clusters": 4}
    holes = SQUARE.copy()
    holes[::9, 0] = holes[4::9, 1] = np.nan
    for model in (None, KPod(n_init=3)):
        assert search(holes, model).best_params_ == {"n_clusters": 4}
    kinds = np.repeat([0, 1, 2], [50, 50, 20])  # two of three go with the clusters
    coded = np.column_stack([at([[0], [10]], 60)[:, 0], kinds])
    found = search(coded, SKFR(n_features_to_select=2, categories=[1]))
    assert (found.best_params_["n_clusters"], found.interval_[0]) == (2, 2)


def test_holes_do_not_make_clusters_narrow():
    X = at([[0, 0], [3, 0]], 100)
    labels = np.repeat([0, 1], 100).astype(np.int32)
    whole = separations(columns(X), labels).separation[0]
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    known = ~np.isnan(X).all(axis=1)
    # Means in holes, taken for values, would give 4.0.
    assert separations(columns(X[known]), labels[known]).separation[0] < 1.05 * whole


def test_pipelines_and_other_estimators():
    piped = make_pipeline(StandardScaler(), SKFR(n_features_to_select=2, standardize=False))
    found = search(SQUARE, piped, {"skfr__n_clusters": [2, 3, 4, 5]})
    assert found.best_params_ == {"skfr__n_clusters": 4}
    for model in (KMeans(n_init=5), SparseKMeans(), SparseKMeans(l1_bound=1.2)):
        assert search(SQUARE, model).best_params_ == {"n_clusters": 4}


def test_numbers_of_features_are_compared_by_the_ebic():
    X = np.column_stack([SQUARE, np.random.default_rng(5).normal(size=(120, 8))])
    grid = {"n_clusters": [2, 3, 4, 5], "n_features_to_select": [1, 2, 6]}
    found = search(X, SKFR(standardize=True), grid)
    assert found.best_params_ == {"n_clusters": 4, "n_features_to_select": 2}
    assert np.flatnonzero(found.features_).tolist() == [0, 1]
    table = found.results_
    assert table.groupby("n_clusters")["separation"].nunique().max() == 1
    assert found.param_range_[found.best_index_] == (4, 2)


def test_the_interval_and_the_words():
    found = search(SQUARE)
    assert found.interval_ == (4, 4)
    text = found.summary().lead.replace("\n", " ")
    assert "Chosen: n_clusters = 4, the largest number of clusters that are all apart" in text
    assert "No other number fits." in text
    close = search(at([[0, 0], [3.6, 0]], 60))
    assert close.interval_[0] < 2 <= close.interval_[1]
    words = " ".join(close.summary().lead.split())
    assert "may fit as well" in words
    ax = close.plot()
    assert ax.get_ylabel() == "Separation"


def test_without_one_among_the_numbers_the_search_warns():
    X = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.warns(UserWarning, match="1 is not among n_clusters: the data may have no clusters"):
        found = WeakestSeparation(SKFR(), {"n_clusters": [3, 4]}, random_state=0).fit(X)
    assert found.best_params_ == {"n_clusters": 3}
    assert found.one_cluster_


def test_clusters_that_are_set_aside_count_for_nothing():
    X = np.concatenate([at([[0, 0], [12, 0]]), [[6.0, 300.0]]])
    model = SKFR(n_features_to_select=2, standardize=True)
    found = WeakestSeparation(model, {"n_clusters": [3]}, random_state=0).fit(X)  # does not warn
    assert not found.one_cluster_
    assert found.interval_ == (2, 2)
    assert sorted(np.bincount(found.labels_)) == [1, 30, 30]


def test_the_choice_with_one_among_its_numbers_needs_no_test():
    names = pd.DataFrame(SQUARE, columns=["a", "b"])
    found = ModelChoice(SKFR(), KS, random_state=0).fit(names, sample_weight=np.ones(len(SQUARE)))
    assert found.one_cluster_p_value_ is None
    assert found.best_params_ == {"n_clusters": 4}
    assert found.results_["separation"].isna().tolist() == [True] + [False] * 5
    assert list(found.best_estimator_.feature_names_in_) == ["a", "b"]
    # Criteria that need the test have it beside this one.
    model = SKFR(n_features_to_select=2, n_init=2, standardize=True)
    both = ModelChoice(model, {"n_clusters": [1, 3, 4]}, ("strength", "separation"), random_state=0)
    both.fit(SQUARE)
    assert both.one_cluster_p_value_ <= 0.05
    assert both.choices_["n_clusters"].tolist() == [4, 4]


@pytest.mark.parametrize(
    ("model", "grid", "message"),
    [
        (SKFR(), {"n_features_to_select": [2, 3]}, "params must have n_clusters"),
        (SKFR(), {"n_clusters": [1]}, "n_clusters must have values above 1; got"),
        (
            make_pipeline(StandardScaler(), SKFR()),
            {"skfr__n_clusters": [2], "standardscaler__with_mean": [0, 1]},
            "standardscaler__with_mean is of a step before the clusterer",
        ),
    ],
)
def test_bad_grids_are_refused_before_any_fit(model, grid, message, monkeypatch):
    monkeypatch.setattr(SKFR, "fit", lambda *_, **__: pytest.fail("fitted"))
    with pytest.raises(ValueError, match=message):
        WeakestSeparation(model, grid).fit(SQUARE)
