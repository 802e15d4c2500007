"""SparseKernelKMeans: bad input, extreme data, kernels that are not positive semidefinite, float32."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from sparsek import SparseKernelKMeans

IRIS = load_iris().data


def test_indefinite_kernel_warns_with_the_eigenvalue():
    X = np.array([[0.0, 1], [1, 0], [2, 5], [0, 1]])
    with pytest.warns(
        UserWarning, match="kernel of feature 1 .* smallest eigenvalue is -2.47325; .* objective can rise"
    ):
        model = SparseKernelKMeans(2, kernel=lambda A, B: -(np.abs(A - B.T) ** 0.2), l1_bound=1.2).fit(X)
    assert len(np.unique(model.labels_)) == 2
    with pytest.raises(ValueError, match="must be symmetric"):
        SparseKernelKMeans(2, kernel=lambda A, B: A + 2 * B.T).fit(X)


def test_one_cluster_and_constant_data():
    for X, k in ((IRIS, 1), (np.ones((10, 3)), 1)):
        for options in ({}, {"kernel": "gaussian"}, {"kernel": lambda A, B: 0 * A @ B.T}):
            model = SparseKernelKMeans(k, l1_bound=1.2, **options).fit(X)
            assert not model.labels_.any()
            assert not model.feature_weights_.any()
            assert model.objective_ == 0
            assert not model.predict(X).any()
            assert model.transform(X).shape == (len(X), 1)
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        SparseKernelKMeans(2).fit(np.ones((10, 3)))


def test_max_iter_warns():
    X = np.random.default_rng(0).normal(size=(200, 30))
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations; increase max_iter"):
        model = SparseKernelKMeans(5, l1_bound=1.5, max_iter=1, random_state=0).fit(X)
    assert model.n_iter_ == 1


def test_float32():
    X = IRIS.astype(np.float32)
    for name in ("polynomial", "gaussian"):
        model = SparseKernelKMeans(3, kernel=name, random_state=0).fit(X)
        assert model.transform(X).dtype == np.float32
        assert np.array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"l1_bound": 0.9}, ValueError, "'l1_bound' parameter of .* Got 0.9 instead"),
        ({"kernel": "precomputed"}, ValueError, "'kernel' parameter of"),
        ({"normalize": 1}, TypeError, "'normalize' parameter of .* Got 1 instead"),
        ({"tol": -1}, ValueError, "'tol' parameter of"),
        ({"degree": 0}, ValueError, "'degree' parameter of"),
        ({"coef0": -0.5}, ValueError, "'coef0' parameter of"),
        ({"kernel": "gaussian", "width": [1.0]}, ValueError, r"shape \(4,\)"),
        ({"init": IRIS[:2]}, ValueError, r"centres of shape \(3, 4\)"),
        ({"memory_limit": 100}, MemoryError, "3 copies of 4 columns .* 14400 bytes; memory_limit allows 100"),
        ({"degree": 200, "kernel": "polynomial"}, ValueError, "polynomial kernel reaches .* above 1e\\+150"),
    ],
)
def test_bad_parameters(options, error, message):
    with pytest.raises(error, match=message):
        SparseKernelKMeans(**{"n_clusters": 3, **options}).fit(IRIS)


@pytest.mark.parametrize(
    ("options", "factor", "message"),
    [
        ({}, 1e40, "polynomial kernel reaches .* above 1e\\+150.* scale X, .* or lower the degree"),
        ({}, 1e-80, "polynomial kernel is at most .* below 1e-150"),
        ({"kernel": "gaussian"}, 1e90, "squared distance reaches"),
    ],
)
def test_overflow_and_underflow_are_errors(options, factor, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=message):
            SparseKernelKMeans(3, **options).fit(IRIS * factor)


def test_large_and_small_scales():
    base = SparseKernelKMeans(3, random_state=0).fit(IRIS)
    for factor in (2.0**100, 2.0**-100):
        model = SparseKernelKMeans(3, random_state=0).fit(IRIS * factor)
        assert np.array_equal(model.labels_, base.labels_)
        np.testing.assert_allclose(model.feature_weights_, base.feature_weights_, rtol=1e-12)  # powers of two
        assert model.objective_ == pytest.approx(base.objective_ * factor**4, rel=1e-12)


def test_given_centres_whose_powers_overflow_are_refused() -> None:
    data = np.random.default_rng(0).normal(size=(9, 3))
    centres = data[:2].copy()
    centres[0, 0] = 1e150  # its distances are finite, and the square of its own product is not
    with pytest.raises(ValueError, match="the polynomial kernel reaches inf, above 1e"):
        SparseKernelKMeans(2, init=centres).fit(data)
