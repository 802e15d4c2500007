"""Heat maps between trees, and R's dendrograms in pictures."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import style
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import linkage

from sparsek import plots, rcompat
from sparsek.errors import RError
from sparsek.plots._figure import LONGEST_NAME, NEUTRAL, PALETTE
from tests.plots.plots_runner import WINE, columns_of, hexes, new_ax, overlaps, rows_of

Z = (WINE - WINE.mean()) / WINE.std(ddof=0)
SMALL = Z.iloc[::9].rename(index="bottle {}".format)


def cells_of(ax):
    """The matrix as drawn, the top row first."""
    return np.asarray(ax.images[0].get_array())[::-1]


def tree_of(ax, place):
    """Corners of the brackets of a tree beside the matrix: 1 of the rows, 2 of the columns."""
    (lines,) = ax.child_axes[place].collections
    return np.array(lines.get_segments())


@given(st.integers(2, 14), st.integers(2, 8), st.integers(0, 10**6))
@settings(max_examples=3, deadline=None)
def test_order_is_that_of_r(n, p, seed):
    x = np.random.default_rng(seed).normal(size=(n, p))
    ours = plots.plot_heatmap(x, ax=new_ax(), standardize=None)
    found = rcompat.heatmap(x, scale="none", ax=new_ax())
    assert cells_of(ours).tolist() == x[np.ix_(found.rowInd[::-1] - 1, found.colInd - 1)].tolist()


def test_r_and_its_picture_have_one_order():
    ax = new_ax()
    found = rcompat.heatmap(SMALL, ax=ax, keep_dendro=True, main="Wine", xlab="measured")
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("Wine", "measured", "")
    assert rows_of(ax) == [SMALL.index[i - 1] for i in found.rowInd[::-1]]
    assert columns_of(ax) == [SMALL.columns[j - 1] for j in found.colInd]
    heights = rcompat.as_hclust(found.Rowv).height
    assert sorted(tree_of(ax, 1)[:, 1, 0].tolist()) == heights.tolist()
    assert sorted(tree_of(ax, 2)[:, 1, 1].tolist()) == rcompat.as_hclust(found.Colv).height.tolist()


def test_symmetric_matrices_have_the_first_row_on_top():
    d = rcompat.as_matrix(rcompat.dist(SMALL))
    ax = new_ax()
    found = rcompat.heatmap(d, symm=True, ax=ax)
    names = [SMALL.index[i - 1] for i in found.rowInd]
    assert rows_of(ax) == columns_of(ax) == names
    assert (np.diag(cells_of(ax)) == 0).all()


def test_colours_are_deviations_of_columns_rows_or_nothing():
    options = {"row_tree": False, "column_tree": False}
    ax = plots.plot_heatmap(SMALL, ax=new_ax(), **options)
    shown = (SMALL - SMALL.mean()) / SMALL.std(ddof=0)
    # Rounding of means of 20 rows of size 1.
    np.testing.assert_allclose(cells_of(ax)[::-1], shown, rtol=0, atol=1e-13)
    assert rows_of(ax) == SMALL.index[::-1].tolist()
    assert len(ax.child_axes) == 1  # the key
    turned = plots.plot_heatmap(SMALL.T, ax=new_ax(), standardize="rows", **options)
    np.testing.assert_allclose(cells_of(turned)[::-1], shown.T, rtol=0, atol=1e-13)
    plain = plots.plot_heatmap(SMALL.to_numpy(), ax=new_ax(), standardize=None, **options)
    assert cells_of(plain)[::-1].tolist() == SMALL.to_numpy().tolist()
    assert rows_of(plain) == columns_of(plain) == []


def test_missing_entries_and_constant_columns():
    X = SMALL.to_numpy().copy()
    X[2, 3] = np.nan
    X[:, 5] = 4.0
    ax = plots.plot_heatmap(X, ax=new_ax())
    assert np.ma.getmaskarray(ax.images[0].get_array()).sum() == 1
    assert (cells_of(ax) == 0).all(axis=0).sum() == 1


def test_given_trees_and_clusters():
    tree = rcompat.hclust(rcompat.dist(SMALL), "average")
    groups = rcompat.cutree(tree, k=12)
    ax = plots.plot_heatmap(SMALL, groups, new_ax(), row_tree=tree, column_tree=linkage(SMALL.T))
    assert rows_of(ax) == [SMALL.index[i - 1] for i in tree.order[::-1]]
    colors = hexes(ax.child_axes[1].collections[0].get_colors())
    assert set(colors) <= {*PALETTE, NEUTRAL}
    assert len(ax.get_legend().get_texts()) == 12


def test_long_names_stay_legible_in_a_dark_style():
    names = [f"a rather long name of the gene number {j}" for j in range(13)]
    X = SMALL.set_axis(names, axis=1)
    with style.context("dark_background"):
        ax = plots.plot_heatmap(X, ax=new_ax())
        assert max(map(len, columns_of(ax))) <= LONGEST_NAME
        assert not overlaps(ax, "y")
        assert ax.get_yticklabels()[0].get_color() == "white"


def test_axes_without_a_layout_give_room():
    figure = Figure()
    ax = figure.add_subplot()
    before = ax.get_position().bounds
    assert plots.plot_heatmap(SMALL, ax=ax) is ax
    figure.canvas.draw()
    for tree in ax.child_axes[1:]:
        assert tree.get_window_extent().x1 <= figure.bbox.x1
        assert tree.get_window_extent().y1 <= figure.bbox.y1
    assert ax.get_position().bounds[:2] == before[:2]


def test_parts_of_figures_are_drawn_on():
    figure = Figure(layout="constrained")
    ax = figure.subfigures(1, 2)[1].subplots()
    assert plots.plot_heatmap(SMALL, ax=ax) is ax
    figure.canvas.draw()


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        ([[1.0, 2.0]], {}, ValueError, "X must have at least 2 rows and 2 columns; got shape \\(1, 2\\)"),
        ([[1.0], [2.0]], {}, ValueError, "at least 2 rows and 2 columns"),
        ([1.0, 2.0], {}, ValueError, "X must be a matrix"),
        ([["a", "b"], ["c", "d"]], {}, TypeError, "X must hold numbers"),
        ([[1.0, np.nan], [np.nan, 2.0]], {}, ValueError, "rows 0 and 1: fill it in, or give row_tree=False"),
        (SMALL, {"labels": [0, 1]}, ValueError, "one entry for each of the 20 rows"),
        (SMALL, {"standardize": "both"}, ValueError, "'standardize' parameter of plot_heatmap must be"),
        (SMALL, {"standardize": SMALL}, TypeError, "'standardize' parameter of plot_heatmap must be"),
        (SMALL, {"row_tree": linkage(SMALL.T)}, ValueError, "row_tree must have 20 leaves; got 13"),
        (SMALL, {"column_tree": "average"}, TypeError, "linkage matrix"),
        (SMALL, {"names": ["a"]}, ValueError, "names must be 13 names"),
        (SMALL, {"row_names": "a"}, ValueError, "names must be 20 names"),
    ],
)
def test_bad_heat_maps(X, options, error, message):
    with pytest.raises(error, match=message):
        plots.plot_heatmap(X, ax=new_ax(), **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rcompat.heatmap([1.0, 2.0], ax=new_ax()), "'x' must be a numeric matrix"),
        (lambda: rcompat.heatmap([["a", "b"]], ax=new_ax()), "'x' must be a numeric matrix"),
        (lambda: rcompat.heatmap([[1.0, 2.0]], ax=new_ax()), "'x' must have at least 2 rows and 2 columns"),
        (lambda: rcompat.heatmap(SMALL, scale="rows", ax=new_ax()), "'arg' should be one of"),
        (lambda: rcompat.heatmap(SMALL, symm=True, ax=new_ax()), "nrow\\(x\\) != ncol\\(x\\)"),
        (lambda: rcompat.heatmap(SMALL, distfun="none", ax=new_ax()), "object 'none' of mode 'function'"),
    ],
)
def test_heat_maps_that_r_refuses(call, message):
    with pytest.raises(RError, match=message):
        call()


@pytest.mark.parametrize(
    ("name", "taken"), [("distfun", "the matrix"), ("hclustfun", "distances"), ("reorderfun", "a d")]
)
def test_a_function_of_a_heat_map_that_fails_is_named(name, taken):
    with pytest.raises(TypeError, match=f"{name}=<class 'object'>, called with {taken}"):
        rcompat.heatmap(SMALL, **{name: object}, ax=new_ax())


# --- dendrograms of R -------------------------------------------------------------------------------------


def test_dendrograms_are_drawn_as_their_tree():
    tree = rcompat.hclust(rcompat.dist(SMALL), "average")
    dendrogram = rcompat.as_dendrogram(tree)
    groups = rcompat.cutree(tree, k=3)
    drawn = [plots.plot_dendrogram(t, groups, new_ax(), names=SMALL.index) for t in (tree, dendrogram)]
    assert columns_of(drawn[0]) == columns_of(drawn[1])
    shapes = [{tuple(bracket.ravel()) for bracket in ax.collections[0].get_segments()} for ax in drawn]
    assert shapes[0] == shapes[1]


def test_leaves_of_parts_hang_where_they_do_in_r():
    dendrogram = rcompat.as_dendrogram(rcompat.hclust(rcompat.dist(SMALL), "average"), hang=0.1)
    parts = rcompat.cut(dendrogram, 4.0)
    for part in (dendrogram, parts.upper, max(parts.lower, key=rcompat.nobs)):
        ax = plots.plot_dendrogram(part, ax=new_ax())
        corners = np.array(ax.collections[0].get_segments())
        feet = np.sort(np.concatenate([corners[:, 0, 1], corners[:, 3, 1]]))
        waiting, expected = [part], []
        while waiting:
            node = waiting.pop()
            waiting += node
            expected += [branch.attributes["height"] for branch in node]
        assert feet.tolist() == sorted(expected)


def test_leaves_and_banners_are_no_trees():
    leaf = rcompat.cut(rcompat.as_dendrogram(rcompat.hclust(rcompat.dist(SMALL))), 0).lower[0]
    with pytest.raises(ValueError, match="two leaves or more; got a leaf"):
        plots.plot_dendrogram(leaf, ax=new_ax())
    for tree in (rcompat.agnes(SMALL), rcompat.diana(SMALL)):
        with pytest.raises(TypeError, match=r"give rcompat\.as_hclust\(tree\)"):
            plots.plot_dendrogram(tree, ax=new_ax())
        assert plots.plot_dendrogram(rcompat.as_hclust(tree), ax=new_ax())


def test_names_of_frames_that_only_count_are_left_out():
    ax = plots.plot_heatmap(pd.DataFrame(SMALL.to_numpy()), ax=new_ax())
    assert rows_of(ax) == columns_of(ax) == []
