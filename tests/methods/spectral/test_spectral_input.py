"""IFPCA and SpectralGEM: bad input and warnings."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sparsek import IFPCA, SpectralGEM
from tests.methods.spectral.test_spectral import BOTH, X


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"postselection": "pca"}, ValueError, "'postselection' parameter of .* Got 'pca' instead"),
        ({"center": "mode"}, ValueError, "'center' parameter of .* Got 'mode' instead"),
        ({"per": 0}, ValueError, "'per' parameter of .* Got 0 instead"),
        ({"per": 1.5}, ValueError, "'per' parameter of"),
        ({"per": 0.001}, ValueError, "per=0.001 of 200 varying features leaves fewer than two .*raise per"),
        ({"per": "all"}, TypeError, "'per' parameter of .* Got 'all' instead"),
        ({"pval_cut": -0.1}, ValueError, "'pval_cut' parameter of .* Got -0.1 instead"),
        ({"pval_cut": 1.0}, ValueError, r"'pval_cut' parameter of .* Got 1\.0 instead"),
        ({"pval_cut": np.nan}, ValueError, "'pval_cut' parameter of"),
        ({"n_null": 1}, ValueError, "'n_null' parameter of .* Got 1 instead"),
        ({"n_null": 1e5}, TypeError, "'n_null' parameter of .* Got 100000.0 instead"),
        ({"null_seed": -1}, ValueError, "'null_seed' parameter of .* Got -1 instead"),
        ({"null_seed": None}, TypeError, "'null_seed' parameter of .* Got None instead"),
        (
            {"null_scores": [[0.5, 0.6]]},
            ValueError,
            r"null_scores must have one dimension; got shape \(1, 2\)|sample",
        ),
        ({"null_scores": [[0.5], [0.6]]}, ValueError, r"null_scores must have one dimension; got .*\(2, 1\)"),
        ({"null_scores": [0.5, np.nan]}, ValueError, "null_scores contains NaN"),
        ({"null_scores": [0.5]}, ValueError, "minimum of 2 is required"),
        ({"cache": 3}, TypeError, "'cache' parameter of .* Got 3 instead"),
        ({"cache": None}, TypeError, "'cache' parameter of .* Got None instead"),
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": 2.0}, TypeError, "'n_clusters' parameter of .* Got 2.0 instead"),
        ({"n_clusters": 41}, ValueError, "n_samples=40 must be at least n_clusters=41; add rows or lower"),
        ({"n_init": 0}, ValueError, "'n_init' parameter of .* Got 0 instead"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
    ],
)
def test_bad_parameters_of_ifpca(options, error, message):
    with pytest.raises(error, match=message):
        IFPCA(**{"n_clusters": 2, **options}).fit(X)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"graph": "knn"}, ValueError, "'graph' parameter of .* Got 'knn' instead"),
        ({"graph": True}, ValueError, "'graph' parameter of .* Got True instead"),
        ({"standardize": "yes"}, TypeError, "'standardize' parameter of .* Got 'yes' instead"),
        ({"n_components": 0}, ValueError, "'n_components' parameter of .* Got 0 instead"),
        ({"n_components": 1.5}, TypeError, "'n_components' parameter of .* Got 1.5 instead"),
        ({"n_clusters": 41}, ValueError, "n_samples=40 must be at least n_clusters=41"),
        ({"n_init": -1}, ValueError, "'n_init' parameter of .* Got -1 instead"),
    ],
)
def test_bad_parameters_of_spectral_gem(options, error, message):
    with pytest.raises(error, match=message):
        SpectralGEM(**{"n_clusters": 2, **options}).fit(X)


@BOTH
def test_bad_data(estimator):
    for value in (np.nan, np.inf):
        bad = X.copy()
        bad[3, 1] = value
        with pytest.raises(ValueError, match="contains"):
            estimator(2).fit(bad)
        with pytest.raises(ValueError, match="contains"):
            estimator(2).fit(X).predict(bad)
    with pytest.raises(ValueError, match="every feature of X is constant; give at least one that varies"):
        estimator(2).fit(np.ones((5, 3)))
    with pytest.raises(ValueError, match=r"minimum of \d is required"):
        estimator(1).fit(X[:1])
    with pytest.raises(ValueError, match=r"40 features|200 features"):
        estimator(2).fit(X).predict(X[:, :40])


def test_two_rows_have_no_scores():
    with pytest.raises(ValueError, match=r"minimum of \d is required"):
        IFPCA(1).fit(X[:2])
    assert SpectralGEM(2).fit(X[:2]).labels_.tolist() in ([0, 1], [1, 0])


def test_empty_search_warns():
    with pytest.warns(
        UserWarning, match="none of the 100 smallest p-values is above pval_cut.*lower pval_cut"
    ):
        model = IFPCA(2, pval_cut=0.6, n_null=500).fit(X)
    assert model.hc_index_ == 200
    assert model.get_support().all()


def test_too_few_directions_warn():
    null = np.linspace(0.3, 3, 100)
    few = X[:, [0, 50]]
    with pytest.warns(UserWarning, match="only 1 of the 4 directions asked for"):
        model = IFPCA(5, null_scores=null, pval_cut=0, random_state=0).fit(few)
    assert model.embedding_.shape[1] == model.hc_index_ == 1
    with pytest.warns(UserWarning, match="only 2 of the 7 directions"):
        SpectralGEM(2, n_components=7).fit(few)


@BOTH
def test_fewer_distinct_rows_than_clusters(estimator):
    data = np.repeat(np.random.default_rng(0).normal(size=(3, 40)), 6, axis=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = estimator(5, random_state=0).fit(data)
    assert any(issubclass(w.category, ConvergenceWarning) and "(3)" in str(w.message) for w in caught)
    assert len(np.unique(model.labels_)) == 3


@BOTH
def test_max_iter_warns(estimator):
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations; increase max_iter"):
        estimator(8, n_init=1, max_iter=1, random_state=0).fit(X)
