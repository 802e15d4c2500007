"""agnes and diana: bad input, and properties beside the cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsek.errors import RError
from sparsek.rcompat import RArray, agnes, diana, dist, hclust

X = np.array([[1.0], [2.0], [4.0], [8.0]])
HOLES = np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 2.0]])
PAIRS = np.array([[1.0, 3], [2, 1], [4, 2], [8, 9], [16, 1]])
INVALID = r"agnes\(method={}, par.method=\*\) lead to invalid merge; step {}, D\(.,.\)=-nan"
ROWS = arrays(float, (7, 2), elements=st.integers(-20, 20).map(float))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: agnes([["a"]], diss=False), RError, "x is not a numeric dataframe or matrix"),
        (lambda: agnes(X, method="none"), RError, "invalid clustering method"),
        (lambda: agnes(X, method="w"), RError, "invalid clustering method"),
        (lambda: agnes(X, method="flexible"), RError, '"par.method" is missing'),
        (lambda: agnes(X, method="flexible", par_method=[1, 2]), RError, "must be of length 1, 3, or 4"),
        (lambda: agnes(X[:1]), RError, "need at least 2 objects to cluster"),
        (lambda: agnes(HOLES), RError, "NA-values in the dissimilarity matrix"),
        (lambda: agnes([1, np.nan, 2]), RError, "NA-values in the dissimilarity matrix not allowed"),
        (lambda: agnes(dist(X), keep_data=True), RError, "Cannot keep data when 'x' is a dissimilarity"),
        (lambda: agnes(X, "maximum"), TypeError, "diss must be a single flag|must be one number"),
        (lambda: agnes(X, metric="maximum"), ValueError, 'metric must be "euclidean" or "manhattan"'),
        (lambda: agnes(1e300 * X), ValueError, "dissimilarities are infinite; divide the data"),
        (lambda: diana(1e300 * X), ValueError, "dissimilarities are infinite; divide the data"),
        (lambda: agnes(PAIRS, method="gaverage", par_method=1e300), RError, INVALID.format(7, 3)),
        (lambda: agnes(PAIRS, method="flexible", par_method=1e300), RError, INVALID.format(6, 4)),
        (lambda: diana(X[:1]), RError, "'n' must be >= 2"),
        (lambda: diana(HOLES), RError, "NA's in dissimilarity matrix"),
        (lambda: diana([1, np.nan, 2]), RError, "NA values in the dissimilarity matrix not allowed"),
        (lambda: diana([1, 2]), ValueError, "must hold n \\(n - 1\\) / 2 dissimilarities"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_fields_and_names():
    named = RArray(X, dimnames=(list("abcd"), None))
    tree = agnes(named, keep_diss=False)
    assert list(tree) == ["order", "height", "ac", "merge", "diss", "call", "method", "order.lab", "data"]
    assert tree.order_lab.tolist() == ["a", "b", "c", "d"]
    assert tree.diss is None
    assert str(diana(named)).splitlines()[6] == "[1] a b c d"
    assert diana(dist(X)).diss.attributes["Metric"] == "unspecified"


@given(ROWS)
def test_single_heights_are_those_of_hclust(x):
    assert np.sort(agnes(x, method="single").height).tolist() == hclust(dist(x), "single").height.tolist()


@pytest.mark.parametrize(("special", "numbers"), [("weighted", 0.5), ("single", [0.5, 0.5, 0, -0.5])])
@given(ROWS)
def test_methods_are_cases_of_the_flexible_one(special, numbers, x):
    found = agnes(x, method="flexible", par_method=numbers).height
    # Each of the 6 merges rounds the dissimilarities, of size up to 60, by 2^-53 of it.
    assert np.allclose(np.sort(found), np.sort(agnes(x, method=special).height), rtol=0, atol=1e-12)


@given(ROWS)
def test_trees_are_whole(x):
    for tree in (agnes(x), diana(x)):
        assert sorted(tree.order.tolist()) == list(range(1, 8))
        assert sorted(tree.merge.ravel().tolist()) == [*range(-7, 0), *range(1, 6)]
    assert diana(x).height.max() == dist(x).max()
