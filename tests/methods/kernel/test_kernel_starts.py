"""Deterministic starts of the kernel estimators equal those of the rows' images in explicit form."""

import re
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from sparsek import KernelKMeans, SparseKernelKMeans, init
from sparsek.core.scaling import prepare
from sparsek.datasets import make_doughnut
from sparsek.methods.kernel import base
from sparsek.methods.kernel.base import densities_of, kernel_distances, kernel_rows, spanning_tree_of
from sparsek.methods.kernel.kernel_kmeans import centre
from sparsek.starts.dkm import dkm_start, spanning_tree
from tests.partitions import by_size

NAMES = pytest.mark.parametrize("name", ["dkm++", "robin", "maximin"])
FUNCTIONS = {"dkm++": init.dkm_plus_plus, "robin": init.robin, "maximin": init.maximin}
IRIS = load_iris().data
RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(size=(40, 3)) + shift for shift in (0, 6, -5)])
DOUGHNUT = make_doughnut(80, random_state=1).data


def squares(rows):
    """Images of the rows under the kernel sum_j (x_j z_j)^2, centred, as for all starts by name."""
    return rows**2 - (rows**2).mean(axis=0)


def functions_rows(name, rows, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # warning of ROBIN about few rows in its band
        return FUNCTIONS[name](rows, k).tolist()


def nearest_labels(rows, chosen):
    return ((rows[:, None] - rows[chosen]) ** 2).sum(axis=2).argmin(axis=1)


@NAMES
@pytest.mark.parametrize("k", [1, 2, 3, 6])
@pytest.mark.parametrize("data", [X, IRIS, np.repeat(X[::6], 3, axis=0)], ids=["normal", "iris", "copies"])
@pytest.mark.filterwarnings("ignore:only .* rows have a local outlier factor")
def test_linear_kernel_gives_the_starts_of_the_rows(name, k, data):
    Z = prepare(data, None, standardize=False, by_column=False)[0][:, :-1]
    K = centre(Z @ Z.T, None)[0]
    found = kernel_rows(name, K, k, 10)
    assert found == functions_rows(name, Z, k)


def test_distances_and_what_comes_of_them(monkeypatch):
    K = centre(X @ X.T, None)[0]
    distances = kernel_distances(K)
    wanted = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    # Squares are differences of products up to 100, with rounding of 1e-14.
    np.testing.assert_allclose(distances, wanted, atol=1e-6)
    found, largest = spanning_tree_of(wanted)
    lengths, longest = spanning_tree(X)
    np.testing.assert_allclose(np.sort(found), np.sort(lengths), rtol=1e-13)
    assert largest == pytest.approx(longest, rel=1e-14)
    start = dkm_start(X, 2)
    monkeypatch.setattr(base, "TILE", 7)
    found = densities_of(wanted, start.radius * longest)
    np.testing.assert_allclose(found, start.densities, rtol=1e-12)


def test_copies_are_at_distance_0():
    data = np.repeat(RNG.normal(size=(5, 2)), 3, axis=0)
    K = centre(np.exp(-((data[:, None] - data) ** 2).sum(axis=2)), None)[0]
    distances = kernel_distances(K)
    assert (np.count_nonzero(distances == 0, axis=1) == 3).all()
    for name in ("dkm++", "maximin"):
        with pytest.raises(ValueError, match="5 distinct rows, fewer than n_clusters=6"):
            kernel_rows(name, K, 6, 10)


@NAMES
def test_kernel_k_means_starts_there(name):
    images = squares(DOUGHNUT)
    labels = nearest_labels(images, functions_rows(name, images, 3))
    model = KernelKMeans(3, kernel=lambda A, B: A**2 @ (B**2).T, init=name, n_init=5).fit(DOUGHNUT)
    given = KernelKMeans(3, kernel=lambda A, B: A**2 @ (B**2).T, init=labels).fit(DOUGHNUT)
    assert model.labels_.tolist() == by_size(given.labels_).tolist()
    assert model.criterion_history_.tolist() == given.criterion_history_.tolist()
    assert len(model.start_objectives_) == 1


@NAMES
def test_sparse_kernel_k_means_starts_there(name, monkeypatch):
    images = squares(DOUGHNUT)
    labels = nearest_labels(images, functions_rows(name, images, 3))
    for routes in ("columns", "matrices"):
        options = {"l1_bound": 1.41, "n_init": 4}
        if routes == "matrices":
            # Without explicit columns the starts come from the kernel matrix.
            monkeypatch.setattr("sparsek.methods.kernel.sparse_estimator.low_rank_map", lambda *_: None)
            options["kernel"] = lambda A, B: (A @ B.T) ** 2
        model = SparseKernelKMeans(3, init=name, **options).fit(DOUGHNUT)
        given = SparseKernelKMeans(3, init=labels, **options).fit(DOUGHNUT)
        assert model.labels_.tolist() == by_size(given.labels_).tolist()
        assert len(model.start_objectives_) == 1
        np.testing.assert_allclose(model.objective_, given.objective_, rtol=1e-12)


@NAMES
@pytest.mark.parametrize(
    ("estimator", "kernel"),
    [
        *((KernelKMeans, kernel) for kernel in ("gaussian", "polynomial", "linear", "precomputed")),
        *((SparseKernelKMeans, kernel) for kernel in ("gaussian", "polynomial", "linear")),
    ],
)
def test_no_seed_changes_them(estimator, kernel, name):
    data = X @ X.T if kernel == "precomputed" else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one, other = (estimator(3, kernel=kernel, init=name, random_state=seed).fit(data) for seed in (0, 1))
    assert one.labels_.tolist() == other.labels_.tolist()
    assert one.objective_ == other.objective_


def test_maximin_finds_clear_groups():
    truth = np.repeat([0, 1, 2], 40)
    labels = KernelKMeans(3, kernel="gaussian", init="maximin").fit(X).labels_
    assert [len(set(labels[truth == k])) for k in range(3)] == [1, 1, 1]


@NAMES
def test_rows_of_weight_0_are_left_out(name):
    weights = np.where(np.arange(len(X)) % 5, 1.0, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        whole = KernelKMeans(3, init=name).fit(X, sample_weight=weights)
        part = KernelKMeans(3, init=name).fit(X[weights > 0])
    assert whole.labels_[weights > 0].tolist() == part.labels_.tolist()


def test_smallest_data():
    assert KernelKMeans(1, init="robin", width=1.0).fit(X[:1]).labels_.tolist() == [0]
    with pytest.warns(ConvergenceWarning):  # constant data
        KernelKMeans(2, init="robin", width=1.0).fit(np.ones((20, 2)))
    for estimator in (KernelKMeans, SparseKernelKMeans):
        with pytest.raises(ValueError, match="all 20 rows are equal"):
            estimator(2, init="dkm++", width=1.0).fit(np.ones((20, 2)))


@pytest.mark.parametrize("estimator", [KernelKMeans, SparseKernelKMeans])
def test_unknown_names_are_refused_with_all_known_ones(estimator):
    names = "{'k-means++', 'greedy-k-means++', 'random', 'dkm++', 'robin', 'maximin'}"
    with pytest.raises(
        ValueError, match=re.escape(f"a str among {names}, an array-like or a function. Got 'x'")
    ):
        estimator(2, init="x").fit(X)


def test_indefinite_kernels_are_taken():
    with pytest.warns(UserWarning, match="not positive semidefinite"):
        model = KernelKMeans(3, kernel=lambda A, B: np.tanh(A @ B.T - 1), init="maximin").fit(X)
    assert model.labels_.shape == (120,)
