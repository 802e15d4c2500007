"""Tests of single features: their set, level, adjusted p-values, selection frequencies, and the dip test."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control
from sklearn.cluster import AgglomerativeClustering, KMeans

from sparsek import SKFR, inference, rcompat
from sparsek.selective.dip import between_clusters
from sparsek.selective.line import difference_contrast
from tests.inference.literal_steps import lloyd_steps, skfr_steps

# Data and sigma are chosen for what is tested here; tests/inference/test_assumptions.py has the checks.
pytestmark = pytest.mark.filterwarnings("ignore::sparsek.errors.AssumptionWarning")

RNG = np.random.default_rng(4)
X = RNG.normal(size=(40, 6))
X[:20, :2] += 3
SELECTED = SKFR(2, 3, standardize=False, init=np.array([0, 39])).fit(X)
COVARIANCE = 0.5 * np.eye(4) + 0.5


def moved_feature(X: np.ndarray, labels: np.ndarray, found: Any, value: float) -> np.ndarray:
    """The data with this difference of the means of the feature."""
    nu = difference_contrast(labels, found.a, found.b)
    j, sigma = found.feature, found.sigma
    direction = np.eye(X.shape[1])[j] if np.ndim(sigma) == 0 else sigma[:, j] / sigma[j, j]
    return X + (value - found.statistic) * np.outer(nu / (nu @ nu), direction)


@pytest.mark.parametrize("sigma", [1.0, COVARIANCE])
def test_the_set_of_differences_is_where_all_steps_are_the_same(sigma: Any) -> None:
    outside = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        data = rng.normal(size=(int(rng.integers(10, 25)), 4))
        rows = rng.choice(len(data), 2, replace=False)
        rcompat.set_seed(seed)
        lloyd = rcompat.kmeans(data, 2, iter_max=50, algorithm="Lloyd")
        own = lloyd.lloyd_record.rows[0]
        skfr = SKFR(2, 2, standardize=False, init=rows).fit(data)
        for model, labels, a, steps in (
            (lloyd, lloyd.cluster, 1, lambda Y, own=own: lloyd_steps(Y, Y[own], 50)),
            (skfr, skfr.labels_, 0, lambda Y, rows=rows: skfr_steps(Y, rows, 2, 2, False)),
        ):
            if len(np.unique(labels)) < 2:
                continue
            found = inference.test_feature(model, data, seed % 4, a, a + 1, sigma)
            wanted = steps(data)
            for value in found.statistic + np.linspace(-4, 4, 17):
                if np.abs(found.intervals - value).min() < 1e-6:
                    continue  # at an end of an interval rounding decides
                inside = ((found.intervals[:, 0] <= value) & (value <= found.intervals[:, 1])).any()
                assert inside == (steps(moved_feature(data, labels, found, value)) == wanted)
                outside += not inside
    assert outside > 50


def test_the_order_of_the_clusters_changes_the_sign_only() -> None:
    one, other = (inference.test_feature(SELECTED, X, 0, *pair, sigma=1.0) for pair in ((0, 1), (1, 0)))
    assert other.statistic == -one.statistic
    assert other.p_value == pytest.approx(one.p_value, rel=1e-10)
    np.testing.assert_allclose(-other.intervals[::-1, ::-1], one.intervals, rtol=1e-10)
    means = [X[SELECTED.labels_ == label, 0].mean() for label in (0, 1)]
    assert one.statistic == pytest.approx(means[0] - means[1], rel=1e-12)


def test_p_values_of_selected_noise_features_are_uniform() -> None:
    p_values, naive = [], []
    for seed in range(60):
        data = np.random.default_rng(seed).normal(size=(30, 10))
        model = SKFR(2, 2, standardize=False, init=np.array([0, 1])).fit(data)
        found = inference.test_feature(model, data, int(model.selected_features_[0]), 0, 1, sigma=1.0)
        p_values.append(found.p_value)
        naive.append(found.naive_p_value)
    # Binomial(60, 0.05): 99.9 % are at most 9; Binomial(60, 0.5): 99.9 % lie within 17 and 43.
    assert np.sum(np.array(p_values) < 0.05) <= 9
    assert 17 <= np.sum(np.array(p_values) < 0.5) <= 43
    assert np.mean(np.array(naive) < 0.05) > 0.9


@pytest.mark.filterwarnings("ignore:p rests on")
def test_what_cannot_be_repeated_is_drawn() -> None:
    weak = np.random.default_rng(1).normal(size=(24, 2))
    for model in (
        KMeans(2, n_init=1, random_state=0),
        SKFR(2, 1, n_init=1, random_state=0, standardize=True),
        inference.LinkageClustering(2, "complete"),
        AgglomerativeClustering(2, linkage="average"),
    ):
        found = inference.test_feature(model.fit(weak), weak, 0, 0, 1, sigma=1.0, n_draws=60)
        assert found.intervals is None
        assert found.feature == 0
        assert 0 <= found.p_value <= 1
        assert found.standard_error < 0.3
    with pytest.raises(ValueError, match="Lloyd"):
        inference.test_feature(rcompat.kmeans(weak, 2), weak, 0, 1, 2)


def test_exact_and_drawn_p_values_of_a_feature_agree() -> None:
    data = np.random.default_rng(1).normal(size=(20, 2))
    model = inference.LinkageClustering(2, "single").fit(data)
    exact = inference.test_feature(model, data, 1, 0, 1, sigma=1.0)
    # Unsquared distances give the same tree, which the exact test does not know.
    other = AgglomerativeClustering(2, linkage="single", metric="manhattan").fit(data[:, [1]])
    drawn = inference.test_feature(other, data[:, [1]], 0, 0, 1, sigma=1.0, n_draws=600)
    assert exact.standard_error == 0 < drawn.standard_error
    one = inference.LinkageClustering(2, "single").fit(data[:, [1]])
    same = inference.test_feature(one, data[:, [1]], 0, 0, 1, sigma=1.0)
    assert abs(drawn.p_value - same.p_value) < 4 * drawn.standard_error


def test_missing_entries_are_left_out() -> None:
    holes = np.random.default_rng(0).normal(size=(24, 2))
    holes[::5, 1] = np.nan
    model = SKFR(2, 2, n_init=1, random_state=0, standardize=True).fit(holes)
    with pytest.warns(UserWarning, match="effective draws only|no draw kept"):
        found = inference.test_feature(model, holes, 1, 0, 1, sigma=1.0, n_draws=40)
    means = [np.nanmean(holes[model.labels_ == label, 1]) for label in (0, 1)]
    assert found.statistic == pytest.approx(means[0] - means[1], rel=1e-12)


def test_the_table_has_adjusted_p_values_and_frequencies() -> None:
    names = [f"gene {j}" for j in range(6)]
    table = inference.test_features(SELECTED, pd.DataFrame(X, columns=names), 0, 1, 1.0, n_resamples=10)
    assert table.index.tolist() == SELECTED.selected_features_.tolist()
    assert table["name"].tolist() == [names[j] for j in table.index]
    p = table["p_value"].to_numpy()
    order = np.argsort(p)
    holm = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    np.testing.assert_allclose(table["p_holm"].to_numpy()[order], holm, rtol=1e-12)
    np.testing.assert_allclose(table["p_by"], false_discovery_control(p, method="by"), rtol=1e-12)
    assert (table.loc[[0, 1], "p_holm"] < 0.05).all()
    assert (table.loc[[0, 1], "selection_frequency"] == 1).all()
    assert table["selection_frequency"].between(0, 1).all()
    assert (table["standard_error"] == 0).all()


def test_models_that_select_nothing_are_tested_in_all_features() -> None:
    model = KMeans(2, init="random", n_init=1, random_state=0).fit(X)
    table = inference.test_features(model, X, 0, 1, sigma=1.0)
    assert table.index.tolist() == list(range(6))
    assert table["selection_frequency"].isna().all()
    one = inference.test_features(model, X, 0, 1, sigma=1.0, features=[4])
    assert one.loc[4, "p_value"] == table.loc[4, "p_value"] == one.loc[4, "p_holm"]


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "diptest", None)
    with pytest.raises(ImportError, match=r'needs diptest: pip install "sparsek\[inference\]"'):
        inference.test_multimodal(SELECTED, X, 0, 0, 1)


@pytest.mark.parametrize("j", [-1, 6, 1.0, True])
def test_features_that_do_not_exist_are_named(j: Any) -> None:
    for test in (inference.test_feature, inference.test_multimodal):
        with pytest.raises(ValueError, match=r"j must be a feature from 0 to 5; got"):
            test(SELECTED, X, j, 0, 1)


def test_other_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="n_resamples must be a whole number of at least 0; got -1"):
        inference.test_features(SELECTED, X, 0, 1, n_resamples=-1)
    with pytest.raises(TypeError, match="features must be a list of column numbers, counted from 0; got 2"):
        inference.test_features(SELECTED, X, 0, 1, features=2)
    for wrong in (X[0], 3, None, [[1, 2], [3]]):
        with pytest.raises((TypeError, ValueError), match=r"X (must|cannot)"):
            inference.test_features(SELECTED, wrong, 0, 1)
    with pytest.raises(ValueError, match="a and b must be different clusters; got 1 twice"):
        inference.test_feature(KMeans(2, n_init=1, random_state=0).fit(X), X, 0, 1, 1)


def test_clusters_between_two_are_counted() -> None:
    values = np.array([0.0, 10, 5, 0.5, 10.5, 5.5, 20])
    labels = np.array([2, 0, 1, 2, 0, 1, 3])
    assert sorted(between_clusters(values, labels, 0, 2)) == [0, 0.5, 5, 5.5, 10, 10.5]
    assert sorted(between_clusters(values, labels, 2, 1)) == [0, 0.5, 5, 5.5]


def test_the_dip_finds_two_modes() -> None:
    pytest.importorskip("diptest")
    apart = X.copy()
    apart[:20, 0] += 5
    model = KMeans(2, n_init=1, random_state=0).fit(apart)
    two, one = (inference.test_multimodal(model, apart, j, 0, 1) for j in (0, 5))
    assert two.p_value < 0.01 < 0.2 < one.p_value
    assert two.statistic > one.statistic > 0
