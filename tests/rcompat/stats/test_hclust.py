"""Agglomerative clustering: scipy as oracle, ties by the first minimum, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from sparsek.errors import RError
from sparsek.rcompat import dist, hclust

METHODS = ["average", "complete", "single", "centroid"]


def random_data(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rng.integers(2, 30), rng.integers(1, 5)))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(["average", "complete", "single"]))
def test_heights_are_those_of_scipy(seed, method):
    x = random_data(seed)
    heights = hclust(dist(x), method).height
    # both merge the closest pair; averages are rounded in another order: 1e-12 relative
    np.testing.assert_allclose(np.sort(heights), np.sort(linkage(x, method)[:, 2]), rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(METHODS))
def test_the_tree_is_whole(seed, method):
    x = random_data(seed)
    n = len(x)
    tree = hclust(dist(x), method)
    assert sorted(tree.order.tolist()) == list(range(1, n + 1))
    assert sorted(tree.merge.ravel().tolist()) == [*range(-n, 0), *range(1, n - 1)]
    assert (tree.merge.max(axis=1) <= np.arange(n - 1)).all()  # only earlier merges


def test_ties_go_to_the_first_pair():
    tree = hclust(np.ones(6), "single")  # four objects, all at distance 1
    assert tree.merge.tolist() == [[-1, -2], [-3, 1], [-4, 2]]
    assert tree.height.tolist() == [1, 1, 1]
    assert tree.order.tolist() == [4, 3, 1, 2]


def test_centroid_heights_may_fall():
    d = np.array([1.0, 1.0, 1.0])  # a triangle with equal sides, distances not squared
    assert hclust(d, "centroid").height.tolist() == [1.0, 0.75]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_dist_is_the_euclidean_distance(seed):
    x = random_data(seed)
    np.testing.assert_allclose(dist(x), pdist(x), rtol=1e-14)  # a sum of at most 5 squares, rounded


def test_square_and_triangle_agree():
    d = dist(random_data(3))
    assert hclust(squareform(d)).order.tolist() == hclust(d).order.tolist()


@pytest.mark.parametrize(
    ("d", "message"),
    [
        (dist([[1.0]]), "must have n >= 2 objects to cluster"),
        ([np.nan, 1.0, 2.0], "NA/NaN/Inf in foreign function call (arg 10)"),
    ],
)
def test_errors_of_r(d, message):
    with pytest.raises(RError) as caught:
        hclust(d)
    assert caught.value.r_message == message


@pytest.mark.parametrize(
    ("d", "method", "error", "message"),
    [
        ([1.0, 2.0], "single", ValueError, r"n \(n - 1\) / 2"),
        (np.arange(9.0).reshape(3, 3), "single", ValueError, "symmetric"),
        ([1.0], "ward.D2", ValueError, "method must be one of"),
        (["a"], "single", TypeError, "real numbers"),
        ([1j], "single", TypeError, "real numbers"),
    ],
)
def test_bad_input(d, method, error, message):
    with pytest.raises(error, match=message):
        hclust(d, method)


def test_dist_refuses_missing_values():
    with pytest.raises(ValueError, match="finite"):
        dist([[1.0, np.nan], [0.0, 1.0]])


def test_input_is_not_changed():
    d = squareform(dist(random_data(5)))
    before = d.copy()
    hclust(d, "average")
    assert np.array_equal(d, before)
