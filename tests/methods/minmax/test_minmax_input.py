"""Bad input of MinMaxKMeans, SparseMinMaxKMeans and l1_bound_path: value, limit and remedy in the message."""

import numpy as np
import pytest

from sparsek import SKFR, MinMaxKMeans, SparseMinMaxKMeans, l1_bound_path

X = np.random.default_rng(0).normal(size=(20, 5))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variant": "sas"}, ValueError, "'variant' parameter of"),
        ({"alpha_max": 1.0}, ValueError, "'alpha_max' parameter of"),
        (
            {"alpha_max": 0.995, "variant": "r"},
            ValueError,
            "alpha must stay below 1, .* alpha_max=0.995",
        ),
        ({"alpha_init": 0.6}, ValueError, "alpha_init=0.6"),
        ({"alpha_step": -0.1}, ValueError, "'alpha_step' parameter of"),
        ({"alpha_max": "0.5"}, TypeError, "'alpha_max' parameter of"),
        ({"beta": 1.5}, ValueError, "'beta' parameter of"),
        ({"beta": "x"}, TypeError, "'beta' parameter of"),
        ({"power": 3}, ValueError, "'power' parameter of"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of"),
        ({"max_iter": 2.5}, TypeError, "'max_iter' parameter of"),
        ({"tol": -1}, ValueError, "'tol' parameter of"),
        ({"n_init": 0}, ValueError, "'n_init' parameter of"),
        ({"n_clusters": 21}, ValueError, "at least n_clusters=21"),
        ({"init": "nearest"}, ValueError, "'init' parameter of"),
        ({"init": np.zeros((3, 5))}, ValueError, "init must be centres of shape"),
    ],
)
def test_minmax_refuses(options, error, message):
    with pytest.raises(error, match=message):
        MinMaxKMeans(**{"n_clusters": 2, **options}).fit(X)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variant": "tl"}, ValueError, "'variant' parameter of"),
        ({"l1_bound": 0.9}, ValueError, "'l1_bound' parameter of"),
        ({"l1_bound": "1"}, TypeError, "'l1_bound' parameter of"),
        ({"beta": 1.5}, ValueError, "'beta' parameter of"),
        ({"beta": None}, TypeError, "'beta' parameter of"),
        ({"alpha_init": -0.1}, ValueError, "'alpha_init' parameter of"),
        ({"alpha_init": 0.6}, ValueError, "alpha_init=0.6"),
        ({"alpha_max": 1.0}, ValueError, "'alpha_max' parameter of"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of"),
        ({"tol": -0.1}, ValueError, "'tol' parameter of"),
        ({"tol": "x"}, TypeError, "'tol' parameter of"),
        ({"n_clusters": True}, TypeError, "'n_clusters' parameter of"),
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
        (SparseMinMaxKMeans(2), [0.5], ValueError, "'l1_bound' parameter of"),
        (SparseMinMaxKMeans(2), [1.5, np.nan], ValueError, "'l1_bound' parameter of"),
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
