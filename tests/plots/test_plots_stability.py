"""Plots of missing entries, of selection frequencies and of consensus."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from sparsek import SKFR, ConsensusClustering, StabilitySelection, plots
from sparsek.plots._figure import FAINT, PALETTE, PLAIN
from tests.plots.plots_runner import (
    SKFR_FIT,
    WINE,
    columns_of,
    hexes,
    new_ax,
    overlaps,
    rows_of,
    widths_of,
    with_holes,
)

# --- missing entries --------------------------------------------------------------------------------------


def shares_of(ax):
    """Heights of the bars above the pattern."""
    (above,) = ax.child_axes
    return [bar.get_height() for bar in above.patches]


def test_pattern_is_sorted_by_cluster():
    X = with_holes()
    labels = SKFR_FIT.labels_
    ax = plots.plot_missing(SKFR_FIT, X, new_ax())
    order = np.argsort(labels, kind="stable")
    np.testing.assert_array_equal(ax.images[0].get_array(), X.isna().to_numpy()[order])
    assert columns_of(ax) == list(WINE.columns)  # none is longer than 30 characters
    assert shares_of(ax) == (100 * X.isna().mean()).tolist()
    assert rows_of(ax) == ["0", "1", "2"]
    bars = [line for line in ax.lines if not line.get_clip_on()]
    assert hexes(bar.get_color() for bar in bars) == list(PALETTE[:3])
    assert [np.ptp(bar.get_ydata()) for bar in bars] == np.bincount(labels).tolist()
    assert not overlaps(ax, "x")


def test_without_clusters_rows_keep_their_order():
    X = with_holes().to_numpy()
    ax = plots.plot_missing(X, ax=new_ax())
    np.testing.assert_array_equal(ax.images[0].get_array(), np.isnan(X))
    assert columns_of(ax) == [f"x{j}" for j in range(13)]


def test_many_rows_are_averaged_and_many_names_left_out():
    X = np.where(np.random.default_rng(0).random((1500, 400)) < 0.2, np.nan, 1.0)
    ax = plots.plot_missing(X, ax=new_ax())
    assert ax.images[0].get_interpolation() != "nearest"
    few = plots.plot_missing(X[:50, :5], ax=new_ax())
    assert few.images[0].get_interpolation() == "nearest"
    assert columns_of(ax) == []


@pytest.mark.parametrize(
    ("X", "labels", "options", "error", "message"),
    [
        ([1.0, 2.0], None, {}, ValueError, "must be a matrix"),
        ([["a", "b"]], None, {}, TypeError, "must hold numbers"),
        (WINE, [0, 1], {}, ValueError, "one entry for each of the 178 rows"),
        (WINE, None, {"names": ["a"]}, ValueError, "names must be 13 names"),
    ],
)
def test_bad_data(X, labels, options, error, message):
    with pytest.raises(error, match=message):
        plots.plot_missing(X, ax=new_ax(), labels=labels, **options)


# --- selection frequencies --------------------------------------------------------------------------------


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=40),
    st.one_of(st.none(), st.floats(0, 1)),
    st.integers(1, 50),
)
@settings(max_examples=15, deadline=None)
def test_bars_are_the_frequencies_and_colours_follow_the_threshold(frequencies, threshold, top):
    ax = plots.plot_stability(frequencies, threshold, new_ax(), top=top)
    shown = sorted(frequencies, reverse=True)[:top]
    assert widths_of(ax).tolist() == shown
    bars = sorted(ax.patches, key=lambda bar: bar.get_y())
    wanted = [PLAIN if threshold is None or share >= threshold else FAINT for share in shown]
    assert hexes(bar.get_facecolor() for bar in bars) == wanted
    assert [line.get_xdata()[0] for line in ax.lines] == ([] if threshold is None else [threshold])


def test_names_of_the_features_and_all_of_them():
    ax = plots.plot_stability([0.1, 0.9, 0.5], 0.5, new_ax(), names=["a", "b", "c"])
    assert rows_of(ax) == ["b", "c", "a"]
    assert ax.get_title() == "2 of 3 features reach 0.5"
    ax = plots.plot_stability([0.1, 0.9, 0.5], 0.5, new_ax(), top=None)
    assert [segment[1, 1] for segment in ax.collections[0].get_segments()] == [0.1, 0.9, 0.5]
    assert ax.lines[0].get_ydata()[0] == 0.5


@pytest.mark.parametrize(
    ("frequencies", "threshold", "message"),
    [
        ([0.5, 1.2], None, r"frequencies must be in \[0, 1\]; got 1.2"),
        ([0.5], -0.1, r"'threshold' parameter .* \[0.0, 1.0\]"),
        ([0.5, np.nan], None, "entry 1 is not"),
        ([[0.5]], None, "must be a vector"),
    ],
)
def test_bad_frequencies(frequencies, threshold, message):
    with pytest.raises(ValueError, match=message):
        plots.plot_stability(frequencies, threshold, new_ax())


# --- consensus --------------------------------------------------------------------------------------------


@given(st.integers(1, 25), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_matrix_is_ordered_by_cluster(n, seed):
    rng = np.random.default_rng(seed)
    shares = rng.random((n, n))
    matrix, labels = (shares + shares.T) / 2, rng.integers(0, 3, n)
    np.fill_diagonal(matrix, 1)
    ax = plots.plot_consensus(matrix, labels, new_ax())
    drawn = np.asarray(ax.images[0].get_array())
    np.testing.assert_array_equal(np.sort(drawn, axis=None), np.sort(matrix, axis=None))
    np.testing.assert_array_equal(drawn, drawn.T)
    bars = [line.get_ydata() for line in ax.lines]
    first = 0
    for k, (low, high) in zip(np.unique(labels), bars, strict=True):
        block = drawn[first : (first := round(high + 0.5)), round(low + 0.5) : round(high + 0.5)]
        own = matrix[np.ix_(labels == k, labels == k)]
        np.testing.assert_array_equal(np.sort(block, axis=None), np.sort(own, axis=None))
        # Sums of up to 25 shares in another order.
        assert (np.diff(block.mean(axis=1)) <= 1e-12).all()
    assert (ax.images[0].norm.vmin, ax.images[0].norm.vmax) == (0, 1)


def test_unknown_pairs_are_left_white_and_order_is_kept_without_clusters():
    matrix = np.array([[1, np.nan, 0.2], [np.nan, 1, 0.4], [0.2, 0.4, 1]])
    ax = plots.plot_consensus(matrix, ax=new_ax())
    drawn = ax.images[0].get_array()
    assert drawn.mask.tolist() == np.isnan(matrix).tolist()
    assert drawn[2].tolist() == [0.2, 0.4, 1]
    assert plots.plot_consensus(matrix, [0, 1, 0], new_ax()).images[0].get_array().mask.sum() == 2


@pytest.mark.parametrize(
    ("matrix", "labels", "error", "message"),
    [
        (np.ones((2, 3)), None, ValueError, r"must be square; got shape \(2, 3\)"),
        ([[1, 0.5], [0.4, 1]], None, ValueError, "must be symmetric"),
        ([[1, 2], [2, 1]], None, ValueError, r"must be in \[0, 1\]; got 2"),
        (np.eye(2), [0], ValueError, "one entry for each of the 2 rows"),
        (np.eye(2), [0.0, 1.0], TypeError, "labels must be integers"),
        ([1.0], None, ValueError, "must be a matrix"),
    ],
)
def test_bad_matrices(matrix, labels, error, message):
    with pytest.raises(error, match=message):
        plots.plot_consensus(matrix, labels, new_ax())


def test_fitted_objects_are_drawn_as_their_numbers():
    selection = StabilitySelection(SKFR(3, 6, n_init=1), n_resamples=4, threshold=0.7, random_state=0).fit(
        WINE
    )
    ax = plots.plot_stability(selection, ax=new_ax())
    names = selection.feature_names_in_
    given = plots.plot_stability(selection.selection_frequencies_, 0.7, new_ax(), names=names)
    assert rows_of(ax) == rows_of(given)
    assert ax.get_title() == given.get_title()
    clustering = ConsensusClustering(SKFR(3, 6, n_init=1), (2, 3), n_resamples=12, random_state=0).fit(WINE)
    drawn = plots.plot_consensus(clustering, ax=new_ax()).images[0].get_array()
    given = plots.plot_consensus(clustering.consensus_matrix_, clustering.labels_, new_ax())
    np.testing.assert_array_equal(drawn, given.images[0].get_array())
    for plot in (plots.plot_stability, plots.plot_consensus):
        with pytest.raises(TypeError, match="give a fitted"):
            plot(SKFR_FIT)
        with pytest.raises(NotFittedError):
            plot(StabilitySelection(SKFR()))


def test_the_model_comes_before_the_data():
    with pytest.raises(TypeError, match="a fitted model first"):
        plots.plot_missing(WINE, SKFR_FIT)
    with pytest.raises(TypeError, match="a fitted model first"):
        plots.plot_missing(SKFR_FIT)
