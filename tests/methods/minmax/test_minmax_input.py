"""Bad input of MinMaxKMeans, SparseMinMaxKMeans and l1_bound_path: value, limit and remedy in the message."""

import numpy as np
import pytest

from sparsek import SKFR, MinMaxKMeans, SparseMinMaxKMeans, l1_bound_path

X = np.random.default_rng(0).normal(size=(20, 5))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variant": "sas"}, ValueError, "variant must be one of 'tl', 'r'"),
        ({"alpha_max": 1.0}, ValueError, "below 1"),
        ({"alpha_max": 0.995, "variant": "r"}, ValueError, "below 1"),
        ({"alpha_init": 0.6}, ValueError, "alpha_init=0.6"),
        ({"alpha_step": -0.1}, ValueError, "alpha_step must be finite and at least 0"),
        ({"alpha_max": "0.5"}, TypeError, "alpha_max must be a number"),
        ({"beta": 1.5}, ValueError, "beta must be at most 1"),
        ({"beta": "x"}, TypeError, "beta must be a number"),
        ({"power": 3}, ValueError, "power must be one of 1, 2"),
        ({"max_iter": 0}, ValueError, "max_iter must be at least 1"),
        ({"max_iter": 2.5}, TypeError, "max_iter must be an integer"),
        ({"tol": -1}, ValueError, "tol must be finite"),
        ({"n_init": 0}, ValueError, "n_init must be at least 1"),
        ({"n_clusters": 21}, ValueError, "at least n_clusters=21"),
        ({"init": "nearest"}, ValueError, "init must be"),
        ({"init": np.zeros((3, 5))}, ValueError, "init must be centres of shape"),
    ],
)
def test_minmax_refuses(options, error, message):
    with pytest.raises(error, match=message):
        MinMaxKMeans(**{"n_clusters": 2, **options}).fit(X)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variant": "tl"}, ValueError, "variant must be one of 'r', 'paper'"),
        ({"l1_bound": 0.9}, ValueError, "l1_bound must be finite and at least 1"),
        ({"l1_bound": 2.3}, ValueError, "at most sqrt"),
        ({"l1_bound": "1"}, TypeError, "l1_bound must be a number"),
        ({"alpha_max": 1.0}, ValueError, "below 1"),
        ({"max_iter": 0}, ValueError, "max_iter must be at least 1"),
        ({"tol": -0.1}, ValueError, "tol must be finite and at least 0"),
        ({"tol": "x"}, TypeError, "tol must be a number"),
        ({"n_clusters": True}, TypeError, "n_clusters must be an integer"),
    ],
)
def test_sparse_minmax_refuses(options, error, message):
    with pytest.raises(error, match=message):
        SparseMinMaxKMeans(**{"n_clusters": 2, **options}).fit(X)


@pytest.mark.parametrize("model", [MinMaxKMeans(2), SparseMinMaxKMeans(2)])
def test_bad_data(model):
    missing = X.copy()
    missing[1, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(missing)
    with pytest.raises(ValueError, match="2D"):
        model.fit(X[0])


@pytest.mark.parametrize(
    ("estimator", "values", "error", "message"),
    [
        (SKFR(2), [1.5], TypeError, "SparseMinMaxKMeans"),
        (SparseMinMaxKMeans(2), "1.5", TypeError, "sequence of bounds"),
        (SparseMinMaxKMeans(2), 1.5, TypeError, "sequence of bounds"),
        (SparseMinMaxKMeans(2), [], ValueError, "at least one"),
        (SparseMinMaxKMeans(2), [1.5, None], ValueError, "at least one"),
        (SparseMinMaxKMeans(2), [0.5], ValueError, "at least 1"),
        (SparseMinMaxKMeans(2), [9], ValueError, "at most sqrt"),
        (SparseMinMaxKMeans(2), [1.5, np.nan], ValueError, "finite"),
    ],
)
def test_path_refuses(estimator, values, error, message):
    with pytest.raises(error, match=message):
        l1_bound_path(estimator, X, values)


def test_constant_data_and_one_cluster_have_no_weights():
    for data, k in ((np.ones((10, 3)), 1), (X, 1)):
        for variant in ("r", "paper"):
            model = SparseMinMaxKMeans(k, variant=variant).fit(data)
            assert not model.feature_weights_.any()
            assert model.predict(data).tolist() == [0] * len(data)
