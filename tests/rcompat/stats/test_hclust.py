"""Agglomerative clustering: scipy as oracle, ties by the first minimum, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from r_reference.recipes import make_data
from sparsek.errors import RError
from sparsek.rcompat import dist, hclust

METHODS = ["ward.D", "ward.D2", "single", "complete", "average", "mcquitty", "median", "centroid"]
IN_SCIPY = {"ward.D2": "ward", "mcquitty": "weighted"}
"""Scipy's names of the linkages, where they are others."""


def random_data(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rng.integers(2, 30), rng.integers(1, 5)))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(["average", "complete", "single", *IN_SCIPY]))
def test_heights_are_those_of_scipy(seed, method):
    x = random_data(seed)
    heights = hclust(dist(x), method).height
    # both merge the closest pair; averages are rounded in another order: 1e-12 relative
    np.testing.assert_allclose(
        np.sort(heights), np.sort(linkage(x, IN_SCIPY.get(method, method))[:, 2]), rtol=1e-12
    )


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
        ([1.0], "ward.E", RError, "invalid clustering method ward.E"),
        ([1.0], "c", RError, "invalid clustering method c"),
        ([1.0], None, RError, "argument is of length zero"),
        (["a"], "single", TypeError, "real numbers"),
        ([1j], "single", TypeError, "real numbers"),
    ],
)
def test_bad_input(d, method, error, message):
    with pytest.raises(error, match=message):
        hclust(d, method)


@pytest.mark.parametrize(
    ("text", "method"),
    [("aver", "average"), ("me", "median"), ("mc", "mcquitty"), ("ward", "ward.D"), ("ward.D", "ward.D")],
)
def test_methods_may_be_abbreviated(text, method):
    assert hclust([1.0, 2.0, 4.0], text).method == method


def test_members_stand_for_equal_rows():
    x = [[0.0], [1.0], [5.0], [5.0], [5.0], [9.0]]
    every = hclust(dist(x) ** 2, "centroid")
    short = hclust(dist([[0.0], [1.0], [5.0], [9.0]]) ** 2, "centroid", members=[1, 1, 3, 1])
    assert every.height.tolist() == [0, 0, *short.height.tolist()]


def test_fields_are_those_of_r():
    tree = hclust(dist([[0.0], [1.0]], "man"))
    assert list(tree) == ["merge", "height", "order", "labels", "method", "call", "dist.method"]
    assert tree.call == 'hclust(d = dist(c(c(0), c(1)), "man"))'
    assert (tree.labels, tree.method, tree.dist_method) == (None, "complete", "manhattan")
    assert hclust([1.0]).dist_method is None


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([1, 2], "invalid length of members"),
        ([1, 2, np.nan], "NA/NaN/Inf in foreign function call (arg 7)"),
    ],
)
def test_errors_of_r_in_members(members, message):
    with pytest.raises(RError) as caught:
        hclust([1.0, 2.0, 3.0], "average", members)
    assert caught.value.r_message == message


def test_members_must_be_positive():
    with pytest.raises(ValueError, match="members must be positive; got 0"):
        hclust([1.0, 2.0, 3.0], "average", [1, 0, 1])


def test_overflowing_squares_are_refused():
    with pytest.raises(ValueError, match=r"below 1e\+150 for ward.D2.*got 1e\+200"):
        hclust([1.0, 2.0, 1e200], "ward.D2")


def test_input_is_not_changed():
    d = squareform(dist(random_data(5)))
    before = d.copy()
    hclust(d, "average")
    assert np.array_equal(d, before)


def test_of_equal_neighbours_r_keeps_the_one_it_has():
    x = make_data(
        {
            "draw": "integer",
            "seed": 1599862122,
            "n": 36,
            "p": 5,
            "levels": 4,
            "steps": [["clusters", 3, 4.5, 4]],
        }
    )
    tree = hclust(dist(x, "manhattan") ** 2, "single")
    # From R 4.2.2.
    assert tree.merge[28].tolist() == [-1, 5]
    assert tree.order[:4].tolist() == [28, 22, 19, 34]
