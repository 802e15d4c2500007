"""as.dist, cophenetic, order.dendrogram, rect.hclust: properties, plots, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from sparsek.errors import RError, RWarning
from sparsek.rcompat import as_dist, cophenetic, cutree, dist, hclust, order_dendrogram, rect_hclust

NAMED = pd.DataFrame({"v": [0.0, 1.0, 5.0, 5.5]}, index=list("abcd"))
TREE = hclust(dist(NAMED), "average")


def random_rows(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rng.integers(2, 25), 2))


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_as_dist_reads_below_the_diagonal(seed):
    d = dist(random_rows(seed))
    square = squareform(d)
    square[np.triu_indices(len(square))] = np.nan
    assert np.array_equal(as_dist(square), d)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(["single", "complete"]))
def test_cophenetic_distances_are_those_of_scipy(seed, method):
    d = dist(random_rows(seed))
    expected = cophenet(linkage(np.asarray(d), method))
    assert np.array_equal(cophenetic(hclust(d, method)), expected)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(["average", "ward.D2", "complete"]))
def test_groups_are_neighbours_in_a_drawing(seed, method):
    tree = hclust(dist(random_rows(seed)), method)
    order = order_dendrogram(tree)
    assert order.tolist() == tree.order.tolist()
    groups = cutree(tree, k=min(3, len(order)))[order - 1]
    assert np.count_nonzero(np.diff(groups)) == groups.max() - 1


def test_as_dist_keeps_what_distances_carry():
    d = dist(NAMED, "manhattan", diag=True)
    assert as_dist(d).attributes == d.attributes
    assert as_dist(d, upper=True).attributes == d.attributes | {"Upper": True}
    assert as_dist(d) is not d


def test_names_of_rows_go_before_those_of_columns():
    square = pd.DataFrame(np.ones((2, 2)), columns=["p", "q"])
    assert as_dist(square).attributes["Labels"] == ["p", "q"]
    assert as_dist(square.set_axis(["a", "b"])).attributes["Labels"] == ["a", "b"]
    assert cophenetic(TREE).attributes["Labels"] == list("abcd")


def test_matrices_that_are_not_square():
    with pytest.warns(RWarning, match="^non-square matrix$"):
        assert as_dist([[1, 2, 3], [4, 5, 6]]).tolist() == [4]
    with pytest.raises(ValueError, match=r"m must be square; got shape \(3, 1\)"):
        as_dist([1, 2, 3])


@pytest.mark.parametrize("function", [cophenetic, order_dendrogram, lambda x: rect_hclust(x, 2)])
def test_only_trees_are_read(function):
    with pytest.raises(TypeError, match="must be a result of hclust"):
        function(dist(NAMED))


def test_names_and_cuts_of_several_cuts():
    assert cutree(TREE, k=2).attributes == {"names": list("abcd")}
    assert cutree(TREE, k=[2, 3]).attributes == {"dimnames": (list("abcd"), ["2", "3"])}
    assert cutree(TREE, h=[1 / 3, 1e5]).attributes["dimnames"][1] == ["0.333333333333333", "1e+05"]
    assert np.bincount(cutree(TREE, k=2)).tolist() == [0, 2, 2]


# --- rectangles -------------------------------------------------------------------------------------------


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_rectangles_around_groups(pyplot):
    ax = pyplot.subplots()[1]
    ax.set_ylim(-1, 6)
    groups = rect_hclust(TREE, k=2, border=["red", 4], ax=ax)
    assert [group.tolist() for group in groups] == [[3, 4], [1, 2]]
    assert [group.attributes for group in groups] == [{"names": ["c", "d"]}, {"names": ["a", "b"]}]
    first, second = ax.lines
    top = (TREE.height[-1] + TREE.height[-2]) / 2
    assert (first.get_color(), second.get_color()) == ("red", "#2297E6")
    assert first.get_xydata().tolist() == [[0.66, -1], [2.33, -1], [2.33, top], [0.66, top], [0.66, -1]]
    assert second.get_xdata().tolist() == [2.66, 4.33, 4.33, 2.66, 2.66]


def test_rectangles_on_a_new_tree(pyplot):
    rect_hclust(TREE, h=2, which=2)
    (figure,) = map(pyplot.figure, pyplot.get_fignums())
    lines = figure.axes[0].lines
    assert len(lines) == len(TREE.height) + 1
    assert lines[-1].get_xdata()[0] == 2.66


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"which": 0}, "which must name groups from the first on; got 0"),
        ({"x": 0}, "x must name groups from the first on; got 0"),
        ({"x": np.nan}, "all elements of 'which' must be between 1 and 2"),
        ({"cluster": [1, 2]}, "cluster must hold 4 numbers from 1 to 2"),
        ({"cluster": [1, 1, 3, 3]}, "cluster must hold 4 numbers from 1 to 2"),
        ({"border": np.array(2.5)}, "border must be colours, by name or by whole number"),
    ],
)
def test_bad_groups(named, message):
    with pytest.raises(ValueError, match=message):
        rect_hclust(TREE, 2, **named)


def test_no_merge_below_a_height():
    with (
        pytest.warns(RWarning, match="no non-missing arguments to min; returning Inf"),
        pytest.raises(RError, match="k must be between 2 and 3"),
    ):
        rect_hclust(TREE, h=0.1)
