"""FactorSparseMixture: what it finds, its answers for new rows, weights, holes, batches, and refusals."""

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from sparsek import FactorSparseMixture
from tests.methods.factor_mixture.designs import factor_design

X, CLUSTERS = factor_design(1)
MODEL = FactorSparseMixture(3, random_state=0).fit(X)


def index(model: Any, clusters: np.ndarray) -> float:
    """Adjusted Rand index of the labels of a fit."""
    return float(adjusted_rand_score(clusters, model.labels_))


def fitted(data: Any, k: int = 3, weights: Any = None, batch: Any = None, **settings: Any) -> Any:
    """A fit with a fixed seed."""
    return FactorSparseMixture(k, random_state=0, **settings).fit(data, sample_weight=weights, batch=batch)


def unclipped(model: Any, data: np.ndarray) -> np.ndarray:
    """The rows that have no entry beyond the limits of the fit."""
    scale = model._mixture.scale
    moved = data - scale.shifts[0]
    return np.flatnonzero(((moved > scale.low) & (moved < scale.high)).all(axis=1))


def test_it_finds_clusters_that_factors_hide_from_k_means() -> None:
    k_means = KMeans(3, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(CLUSTERS, k_means.labels_) < 0.05
    assert index(MODEL, CLUSTERS) == 1
    assert MODEL.n_factors_ == 2
    assert MODEL.covariance_ == "factors"
    np.testing.assert_array_equal(MODEL.get_support(indices=True)[MODEL.get_support(indices=True) >= 8], [])
    assert MODEL.get_support()[:8].sum() >= 5


def test_elongated_clusters_take_a_full_covariance() -> None:
    rng = np.random.default_rng(0)
    clusters = np.arange(200) % 2
    rows = rng.normal(size=(200, 2)) * [10, 1] + np.array([[0, 0], [0, 6]])[clusters]
    found = fitted(rows @ np.array([[1.0, 1.0], [-1.0, 1.0]]), 2)
    assert index(found, clusters) > 0.95
    assert found.covariance_ in ("tied", "full")
    assert found.loadings_.shape == (2, 0)
    for covariance in ("factors", "tied", "full"):
        assert fitted(rows, 2, covariance=covariance).covariance_ == covariance


def test_bic_prefers_one_cluster_where_there_are_none() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(80, 1)) @ rng.normal(size=(1, 30)) + rng.normal(size=(80, 30))
    one, three = fitted(noise, 1), fitted(noise, 3)
    assert one.bic_ < three.bic_
    assert not one.get_support().any()
    assert fitted(X, 1).bic_ > MODEL.bic_


def test_the_number_of_factors_can_be_given() -> None:
    assert fitted(X, n_factors=2).n_factors_ == 2
    assert fitted(X, n_factors=0).loadings_.shape == (46, 0)
    assert set(fitted(X, n_factors=1).candidates_["n_factors"]) == {1}


@pytest.mark.parametrize("model", [MODEL, fitted(X[:, :5], 3, covariance="full")], ids=["factors", "full"])
def test_densities_are_those_of_the_attributes(model: Any) -> None:
    """Rows without far entries, which would be clipped: normal densities in units of the data."""
    data = X[:, : model.n_features_in_]
    whole = unclipped(model, data)
    assert len(whole) > 3
    if model.covariance_ == "factors":
        within = [model.loadings_ @ model.loadings_.T + np.diag(model.noise_variance_)] * 3
        densities = np.column_stack(
            [
                multivariate_normal(mean, S).logpdf(data[whole])
                for mean, S in zip(model.cluster_centers_, within, strict=True)
            ]
        )
        joint = densities + np.log(model.weights_)
        np.testing.assert_allclose(
            model.score_samples(data[whole]), np.logaddexp.reduce(joint, axis=1), rtol=1e-9
        )
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    assert model.bic(data) == pytest.approx(model.bic_, rel=1e-12)
    assert model.score(data) == pytest.approx(model.score_samples(data).mean(), rel=1e-12)
    proba = model.predict_proba(data)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(proba.argmax(axis=1), model.labels_)
    assert model.transform(data).shape == (len(data), 3)


def test_drawn_rows_have_the_moments_of_the_mixture() -> None:
    drawn, labels = MODEL.sample(10_000, random_state=0)
    np.testing.assert_allclose(np.bincount(labels) / 10_000, MODEL.weights_, atol=0.02)
    for c in range(3):
        np.testing.assert_allclose(drawn[labels == c].mean(axis=0), MODEL.cluster_centers_[c], atol=0.2)
    covariance = np.cov((drawn - MODEL.cluster_centers_[labels]).T)
    known = MODEL.loadings_ @ MODEL.loadings_.T + np.diag(MODEL.noise_variance_)
    # The standard error of a covariance of 10,000 rows is about a hundredth of the variances.
    np.testing.assert_allclose(covariance, known, atol=0.05 * np.diag(known).max())
    full = fitted(X[:, :5], 3, covariance="full")
    drawn, labels = full.sample(5000, random_state=1)
    np.testing.assert_allclose(drawn[labels == 0].mean(axis=0), full.cluster_centers_[0], atol=0.2)


def test_units_and_order_of_columns_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    moved = fitted(X * np.exp(rng.normal(size=46) * 3) + 100 * rng.normal(size=46))
    np.testing.assert_array_equal(moved.labels_, MODEL.labels_)
    np.testing.assert_allclose(moved.feature_gains_, MODEL.feature_gains_, rtol=1e-6, atol=1e-6)
    columns = rng.permutation(46)
    turned = fitted(X[:, columns])
    np.testing.assert_array_equal(turned.labels_, MODEL.labels_)
    np.testing.assert_array_equal(turned.get_support(), MODEL.get_support()[columns])


@pytest.mark.parametrize("scale", [1e-250, 1e250])
def test_columns_of_extreme_size(scale: float) -> None:
    data = X.copy()
    data[:, 0] *= scale
    found = fitted(data)
    np.testing.assert_array_equal(found.labels_, MODEL.labels_)
    np.testing.assert_allclose(found.cluster_centers_[:, 0] / scale, MODEL.cluster_centers_[:, 0], rtol=1e-6)


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 10**6))
@pytest.mark.drawn
def test_the_order_of_the_rows_does_not_matter(seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(X))
    found = fitted(X[order])
    np.testing.assert_allclose(found.bic_, MODEL.bic_, rtol=1e-9)
    assert adjusted_rand_score(found.labels_, MODEL.labels_[order]) == 1


def test_weights_are_numbers_of_copies() -> None:
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    weighted, copies = fitted(X, weights=weights), fitted(np.repeat(X, weights, axis=0))
    np.testing.assert_array_equal(np.repeat(weighted.labels_, weights), copies.labels_)
    np.testing.assert_allclose(weighted.bic_, copies.bic_, rtol=1e-10)
    np.testing.assert_allclose(weighted.cluster_centers_, copies.cluster_centers_, atol=1e-8)
    assert weighted.score(X, sample_weight=weights) == pytest.approx(
        copies.score(np.repeat(X, weights, axis=0))
    )
    assert weighted.bic(X, sample_weight=weights) == pytest.approx(copies.bic_)


def test_weights_that_are_fractions() -> None:
    found = fitted(X, weights=np.full(len(X), 2.5))
    assert index(found, CLUSTERS) == 1


def test_missing_entries_are_integrated_out() -> None:
    rng = np.random.default_rng(0)
    holes = np.where(rng.random(X.shape) < 0.15, np.nan, X)
    found = fitted(holes)
    assert index(found, CLUSTERS) > 0.95
    assert found.n_factors_ == 2
    assert "only common factors were tried" in str(found.summary())
    new = X[unclipped(found, X)[:1]]
    new[0, 5:] = np.nan
    S = found.loadings_ @ found.loadings_.T + np.diag(found.noise_variance_)
    seen = slice(0, 5)
    joint = [
        np.log(w) + multivariate_normal(m[seen], S[seen, seen]).logpdf(new[0, seen])
        for w, m in zip(found.weights_, found.cluster_centers_, strict=True)
    ]
    assert found.score_samples(new)[0] == pytest.approx(np.logaddexp.reduce(joint), rel=1e-9)
    nothing = np.full((1, 46), np.nan)
    np.testing.assert_allclose(found.predict_proba(nothing)[0], found.weights_, rtol=1e-9)


def test_batches_that_are_told_are_no_clusters() -> None:
    rng = np.random.default_rng(0)
    batch = rng.integers(0, 2, len(X))
    shifted = X + batch[:, None] * rng.normal(size=46) * 3
    names = np.array(["left", "right"])[batch]
    found = fitted(shifted, batch=names)
    assert index(found, CLUSTERS) == 1
    assert found.batches_.tolist() == ["left", "right"]
    assert found.batch_centers_.shape == (3, 2, 46)
    np.testing.assert_array_equal(found.predict(shifted, batch=names), found.labels_)
    assert found.bic(shifted, batch=names) == pytest.approx(found.bic_)
    np.testing.assert_allclose(
        np.average(found.batch_centers_, axis=1, weights=np.bincount(batch)),
        found.cluster_centers_,
        atol=1e-9,
    )
    assert found.sample(4, random_state=0, batch=names[:4])[0].shape == (4, 46)
    with pytest.raises(ValueError, match="give the batch of each row"):
        found.predict(shifted)
    with pytest.raises(ValueError, match="'middle' was not in the fit, which has 'left', 'right'"):
        found.predict(shifted[:1], batch=["middle"])
    with pytest.raises(ValueError, match="fitted without batch"):
        MODEL.predict(X, batch=names)


def test_clusters_that_batches_have_in_unequal_shares() -> None:
    """Centring the columns within batches would take a part of the clusters away; regressors do not."""
    rng = np.random.default_rng(3)
    share = np.where(CLUSTERS == 0, 0.85, 0.2)
    batch = (rng.random(len(X)) < share).astype(int)
    found = fitted(X + batch[:, None] * rng.normal(size=46), batch=batch)
    assert index(found, CLUSTERS) > 0.95
    effects = found.batch_centers_[:, 1] - found.batch_centers_[:, 0]
    np.testing.assert_allclose(effects, np.broadcast_to(effects[0], effects.shape), atol=1e-9)


def test_the_summary_tells_of_factors_and_covariances() -> None:
    text = str(MODEL.summary())
    assert re.search(r"factor 0: \d+% of the variance; largest loadings: x\d+ \([+-]0\.\d\d\)", text)
    assert "common factors and noise" in text
    frame = pd.DataFrame(X[:, :6], columns=list("abcdef"))
    assert "beside the best" in str(fitted(frame).summary())
    table = MODEL.candidates_
    assert table["bic"].iloc[0] == pytest.approx(MODEL.bic_, rel=1e-3)
    assert set(table["refused"]) <= {"", "small cluster", "groups in factors"}


def test_constant_columns_are_never_selected() -> None:
    data = X.copy()
    data[:, [3, 40]] = 7.0, -2.0
    found = fitted(data)
    assert not found.get_support()[[3, 40]].any()
    np.testing.assert_array_equal(found.cluster_centers_[:, [3, 40]], [[7, -2]] * 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        nothing = fitted(np.ones((9, 2)), 2)
    assert not nothing.get_support().any()


def test_single_precision_and_labels_by_size() -> None:
    found = fitted(X.astype(np.float32))
    assert index(found, CLUSTERS) == 1
    assert found.predict_proba(X.astype(np.float32)).dtype == np.float32
    few = np.concatenate([np.flatnonzero(CLUSTERS == 1), np.flatnonzero(CLUSTERS != 1)[:40]])
    assert (np.diff(np.bincount(fitted(X[few]).labels_)) <= 0).all()


def test_a_fit_keeps_no_rows() -> None:
    loaded = pickle.loads(pickle.dumps(MODEL))
    np.testing.assert_array_equal(loaded.predict_proba(X), MODEL.predict_proba(X))
    assert loaded._mixture.best.model.rows.Z.shape == (0, 46)
    assert len(pickle.dumps(fitted(np.vstack([X] * 4), covariance="factors"))) < X.nbytes * 2


def test_a_run_that_does_not_end_warns() -> None:
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 steps; increase max_iter"):
        found = FactorSparseMixture(3, max_iter=1, tol=0, random_state=0).fit(X)
    assert not found.converged_


@pytest.mark.parametrize(
    ("settings", "data", "weights", "message"),
    [
        (
            {"n_factors": 5},
            X[:, :5],
            None,
            "n_factors=5 must be less than the number of columns that vary, 5",
        ),
        ({"n_factors": -1}, X, None, "n_factors"),
        ({"covariance": "diagonal"}, X, None, "covariance"),
        ({"covariance": "full"}, X[:80], None, "covariance='full' needs complete rows"),
        ({}, X[:2], None, "2"),
        ({}, X, np.full(90, 0.01), "sums to 0.9, less than n_clusters=3"),
        ({}, X, -np.ones(90), "must not be negative"),
        ({}, np.where(X > 4, np.inf, X), None, "infinity"),
    ],
)
def test_refusals_name_value_limit_and_remedy(settings: Any, data: Any, weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        FactorSparseMixture(3, **settings).fit(data, sample_weight=weights)
