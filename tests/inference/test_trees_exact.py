"""The exact test of trees: its set against trees of moved data, and what it refuses."""

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans

from sparsek import inference, rcompat
from sparsek.selective.tree import EXACT
from tests.inference.literal_steps import moved

# Data and sigma are chosen for what is tested here; tests/inference/test_assumptions.py has the checks.
pytestmark = pytest.mark.filterwarnings("ignore::sparsek.errors.AssumptionWarning")

X = np.random.default_rng(0).normal(size=(30, 3))


@pytest.mark.thorough
@pytest.mark.parametrize("linkage", EXACT)
def test_the_set_is_where_the_merges_are_the_same(linkage: str) -> None:
    inside_all, outside_all = 0, 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, p, k = int(rng.integers(6, 25)), int(rng.integers(1, 6)), int(rng.integers(2, 5))
        data = rng.normal(size=(n, p))
        data[: n // 2, 0] += 4 * (seed % 2)
        model = inference.LinkageClustering(k, linkage).fit(data)
        found = inference.test_hierarchical(model, data, 0, 1, sigma=1.0)
        for phi in found.statistic * np.linspace(0, 3, 40):
            if np.abs(found.intervals - phi).min() < 1e-6 * found.statistic:
                continue  # at an end of an interval rounding decides
            other = inference.LinkageClustering(k, linkage).fit(moved(data, model.labels_, 0, 1, phi))
            same = np.array_equal(other.children_[: n - k], model.children_[: n - k])
            inside = ((found.intervals[:, 0] <= phi) & (phi <= found.intervals[:, 1])).any()
            assert inside == same
            inside_all, outside_all = inside_all + inside, outside_all + (not inside)
    assert min(inside_all, outside_all) > 200


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "centroid"])
def test_trees_are_those_of_r_on_squared_distances(linkage: str) -> None:
    tree = rcompat.hclust(rcompat.dist(X) ** 2, linkage)
    for k in (2, 5, 11):
        labels = inference.LinkageClustering(k, linkage).fit(X).labels_
        assert np.array_equal(labels + 1, rcompat.cutree(tree, k))


def test_scikit_learns_models_give_the_same_test() -> None:
    for linkage, metric in (("ward", "euclidean"), ("single", "euclidean"), ("average", "sqeuclidean")):
        own = inference.LinkageClustering(4, linkage).fit(X)
        model = AgglomerativeClustering(4, linkage=linkage, metric=metric).fit(X)
        first, second = np.argmax(own.labels_ == 0), np.argmax(own.labels_ == 1)
        a, b = int(model.labels_[first]), int(model.labels_[second])
        mine = inference.test_hierarchical(own, X, 0, 1, sigma=1.0)
        theirs = inference.test_hierarchical(model, X, a, b, sigma=1.0)
        assert theirs.p_value == mine.p_value
        assert np.array_equal(theirs.intervals, mine.intervals)


def test_exact_and_drawn_p_values_agree_for_two_clusters() -> None:
    """With two clusters at the top of the tree the merges matter little to which clusters are kept."""
    data = np.random.default_rng(1).normal(size=(20, 2))
    model = inference.LinkageClustering(2, "single").fit(data)
    exact = inference.test_hierarchical(model, data, 0, 1, sigma=1.0)
    drawn = inference.test_clusters(model, data, 0, 1, sigma=1.0, n_draws=1000)
    assert exact.standard_error == 0 < drawn.standard_error < 0.03
    assert abs(drawn.p_value - exact.p_value) < 4 * drawn.standard_error


def test_complete_linkage_is_drawn() -> None:
    model = inference.LinkageClustering(3, "complete").fit(X)
    options = {"sigma": 1.0, "n_draws": 650, "random_state": 4}
    found = inference.test_hierarchical(model, X, 0, 1, **options)
    assert found == inference.test_clusters(model, X, 0, 1, **options)
    assert found.intervals is None


def test_p_values_are_uniform_without_groups() -> None:
    p_values = []
    for seed in range(60):
        data = np.random.default_rng(seed).normal(size=(20, 2))
        model = inference.LinkageClustering(3, EXACT[seed % 6]).fit(data)
        p_values.append(inference.test_hierarchical(model, data, 0, 1, sigma=1.0).p_value)
    # Binomial(60, 0.05): 99.9 % are at most 9; Binomial(60, 0.5): 99.9 % lie within 17 and 43.
    assert np.sum(np.array(p_values) < 0.05) <= 9
    assert 17 <= np.sum(np.array(p_values) < 0.5) <= 43


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (AgglomerativeClustering(2, linkage="average"), "got linkage='average', metric='euclidean'"),
        (AgglomerativeClustering(None, distance_threshold=1.0), "cut by n_clusters"),
        (inference.LinkageClustering(2).fit(X[::-1] ** 3), "building the tree again gave other clusters"),
    ],
)
def test_other_trees_are_refused(model: Any, message: str) -> None:
    fitted = model if hasattr(model, "labels_") else model.fit(X)
    with pytest.raises(ValueError, match=message):
        inference.test_hierarchical(fitted, X, 0, 1)


def test_other_models_and_parameters_are_refused() -> None:
    with pytest.raises(TypeError, match="got KMeans; test_clusters takes any estimator"):
        inference.test_hierarchical(KMeans(2), X, 0, 1)
    with pytest.raises(ValueError, match=r"linkage must be one of single, average, .*; got 'wards'"):
        inference.LinkageClustering(2, "wards").fit(X)
    for k in (0, 31, 2.0, True):
        with pytest.raises(ValueError, match="n_clusters must be a whole number from 1 to n_samples=30; got"):
            inference.LinkageClustering(k).fit(X)
