"""Plots of the gap statistic, and of paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from sklearn.base import BaseEstimator

from sparsek import (
    SKFR,
    EntropyWeightedKMeans,
    ModelChoice,
    PermutationGap,
    SparseKMeans,
    SparseMinMaxKMeans,
    l1_bound_path,
    plots,
    rcompat,
)
from sparsek.plots._figure import FAINT
from sparsek.plots._path import LINE_SPACING
from tests.plots.plots_runner import (
    PATH,
    SEARCH,
    SKFR_FIT,
    WINE,
    columns_of,
    hexes,
    new_ax,
    rows_of,
)

Z = (WINE - WINE.mean()) / WINE.std()


# --- gap --------------------------------------------------------------------------------------------------


def test_curve_has_standard_errors_and_a_mark():
    ax = plots.plot_gap(SEARCH, ax=new_ax())
    (curve,) = ax.containers
    assert curve.lines[0].get_xdata().tolist() == [1, 2, 4, 13]
    assert curve.lines[0].get_ydata().tolist() == SEARCH.gap_.tolist()
    bars = np.array(curve.lines[2][0].get_segments())
    # Rounding of half the difference of the ends of a bar.
    np.testing.assert_allclose(np.ptp(bars[:, :, 1], axis=1) / 2, SEARCH.gap_se_, atol=1e-15)
    marked = ax.lines[-1]
    assert marked.get_xdata() == [SEARCH.best_params_["n_features_to_select"]]
    assert ax.get_xscale() == "log"
    assert columns_of(ax) == ["1", "2", "4", "13"]


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize(
    ("values", "scale"),
    [([2, 3, 4, 5], "linear"), ([1.2, 1.6, 2.1, 2.8], "log"), ([2], "linear")],
)
def test_axis_spreads_the_values(values, scale):
    name = "n_clusters" if isinstance(values[0], int) else "l1_bound"
    model = SparseKMeans(2, l1_bound=2, n_init=1)
    search = PermutationGap(model, name, values, n_permutations=2, random_state=0).fit(WINE)
    ax = search.plot(new_ax())
    assert ax.get_xscale() == scale
    assert columns_of(ax) == [f"{value:g}" for value in values]


def grid_search(names, values):
    model = SKFR(2, n_init=1, standardize=True, random_state=0)
    return PermutationGap(model, names, values, n_permutations=2, random_state=0).fit(WINE)


def test_two_parameters_are_a_heat_map_with_the_chosen_cell_framed():
    search = grid_search(("n_clusters", "n_features_to_select"), ([2, 3, 4], [2, 13]))
    ax = plots.plot_gap(search, ax=new_ax())
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array(), search.gap_.reshape(3, 2)[::-1])
    assert rows_of(ax) == ["4", "3", "2"]
    assert columns_of(ax) == ["2", "13"]
    texts = [text.get_text() for text in ax.texts]
    assert texts == [f"{gap:z.3f}" for gap in image.get_array().ravel()]  # with two decimals two are equal
    assert len(set(texts)) == 6
    (frame,) = ax.patches
    i, j = round(frame.get_y() + 0.5), round(frame.get_x() + 0.5)
    assert image.get_array()[i, j] == search.gap_[search.best_index_]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("n_clusters", "n_features_to_select")


@pytest.mark.parametrize(
    ("names", "values", "curves"),
    [
        (("n_clusters", "n_features_to_select"), ([2], [2, 13]), ["n_clusters = 2"]),
        (
            ("max_iter", "n_clusters", "n_features_to_select"),
            ([50, 60], [2, 3], [2, 13]),
            [f"max_iter = {i}, n_clusters = {k}" for i in (50, 60) for k in (2, 3)],
        ),
    ],
)
def test_other_grids_have_a_curve_for_each_combination(names, values, curves):
    search = grid_search(names, values)
    ax = plots.plot_gap(search, ax=new_ax())
    assert [curve.get_label() for curve in ax.containers] == curves
    for i, curve in enumerate(ax.containers):
        assert curve.lines[0].get_ydata().tolist() == search.gap_[2 * i : 2 * i + 2].tolist()


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_numbers_of_clusters_are_on_a_linear_axis():
    search = PermutationGap(SKFR(n_features_to_select=3, n_init=1), "n_clusters", [2, 4, 8], n_permutations=2)
    assert search.set_params(random_state=0).fit(WINE).plot(new_ax()).get_xscale() == "linear"
    ax = plots.plot_gap(range(1, 5), [0.1, 0.3, 0.2, 0.1], new_ax(), label="clusters")
    assert ax.get_xscale() == "linear"
    assert plots.plot_gap([1, 2, 4], [0.1, 0.2, 0.1], new_ax()).get_xscale() == "log"


FEW = {"gap": {"n_permutations": 2}, "entries": {"n_folds": 2}}


def test_better_is_up_in_every_panel_of_a_choice():
    grid = {"n_features_to_select": [2, 13]}
    criteria = ("gap", "entries", "consistency")
    few = FEW | {"consistency": {"n_resamples": 3}}
    choice = ModelChoice(SKFR(3, n_init=1), grid, criteria, options=few, random_state=0)
    panels = plots.plot_choice(choice.fit(WINE))
    assert [ax.yaxis_inverted() for ax in panels] == [False, True, False]
    assert "up is better" in panels[1].get_ylabel()
    pyplot.close(panels[0].figure)


def test_better_is_darker_on_every_surface():
    model, grid = SKFR(n_init=1), {"n_clusters": [2, 3], "n_features_to_select": [2, 13]}
    choice = ModelChoice(model, grid, ("gap", "entries"), options=FEW, random_state=0).fit(WINE)
    panels = plots.plot_choice(choice)
    assert [ax.images[0].cmap.name for ax in panels] == ["Blues", "Blues_r"]
    pyplot.close(panels[0].figure)


def test_arrays_are_drawn_as_r_does():
    ax = plots.plot_gap([1, 10], [0.1, 0.2], new_ax(), errors=[0.01, 0.02], chosen=1)
    assert (ax.get_xscale(), ax.get_title()) == ("log", "Gap Statistics")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["chosen: 10"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2], [1.0]), ValueError, "one length"),
        (([0, 2], [1.0, 2.0]), ValueError, "positive"),
        (([0, 1, 10], [1.0, 2.0, 3.0]), ValueError, "positive"),
        (([1, 2],), TypeError, "give gaps, or a fitted PermutationGap"),
        ((SKFR_FIT,), TypeError, "SKFR has no gap statistic"),
    ],
)
def test_bad_gaps(arguments, error, message):
    with pytest.raises(error, match=message):
        plots.plot_gap(*arguments)


# --- path -------------------------------------------------------------------------------------------------


def lines_of(ax):
    """Lines of the coloured features by name, and the grey ones."""
    named = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    return named, [line for line in ax.lines if line.get_label().startswith("_")]


def test_path_has_a_line_per_feature():
    ax = plots.plot_path(PATH, new_ax(), top=4)
    named, grey = lines_of(ax)
    assert (len(named), len(grey)) == (4, 9)
    # Between two values of s no fit is known.
    assert {line.get_drawstyle() for line in ax.lines} == {"steps-post"}
    for name, line in named.items():
        assert line.get_xdata().tolist() == [1, 4, 13]
        j = WINE.columns.get_loc(name)
        assert line.get_ydata().tolist() == PATH.feature_weights[::-1, j].tolist()
    least_shown = min(line.get_ydata().max() for line in named.values())
    assert all(line.get_ydata().max() <= least_shown for line in grey)
    assert set(hexes(line.get_color() for line in grey)) == {FAINT.upper()}
    assert sorted(text.get_text() for text in ax.texts) == sorted(named)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("n_features_to_select", "weight")


def test_path_of_gains_and_of_bounds():
    named, _ = lines_of(plots.plot_path(PATH, new_ax(), values="gains", top=13))
    table = np.array([named[name].get_ydata() for name in WINE.columns]).T
    np.testing.assert_array_equal(table, [model.feature_gains_ for model in PATH.estimators[::-1]])
    path = l1_bound_path(SparseMinMaxKMeans(3, n_init=1, random_state=0), Z, [1.5, 2, 3])
    ax = plots.plot_path(path, new_ax(), top=13)
    named, _ = lines_of(ax)
    table = np.array([named[name].get_ydata() for name in WINE.columns]).T
    np.testing.assert_array_equal(table, path.feature_weights)
    assert ax.get_xlabel() == "l1_bound"


def test_path_of_fits_by_value_and_of_r_fits():
    fits = {s: SparseKMeans(3, l1_bound=s, n_init=1, random_state=0).fit(Z) for s in (3, 1.5)}
    ax = plots.plot_path(fits, new_ax(), top=13)
    named, _ = lines_of(ax)
    assert named["hue"].get_xdata().tolist() == [1.5, 3]
    j = WINE.columns.get_loc("hue")
    assert named["hue"].get_ydata().tolist() == [fits[s].feature_weights_[j] for s in (1.5, 3)]
    r_fits = rcompat.KMeansSparseCluster(Z.to_numpy(), K=3, wbounds=[2, 3], nstart=2)
    ax = plots.plot_path({fit.wbound: fit.ws for fit in r_fits}, new_ax(), top=1, names=WINE.columns)
    assert len(ax.lines) == 13
    assert lines_of(ax)[0].keys() <= set(WINE.columns)


def test_path_of_weights_by_cluster_shows_the_largest():
    fits = {g: EntropyWeightedKMeans(2, gamma=g, n_init=1, random_state=0).fit(Z) for g in (50.0, 500.0)}
    named, _ = lines_of(plots.plot_path(fits, new_ax(), top=13))
    j = WINE.columns.get_loc("hue")
    assert named["hue"].get_ydata().tolist() == [fits[g].feature_weights_[:, j].max() for g in (50, 500)]


SHARES = st.integers(0, 64).map(lambda i: i / 64)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=12))
@settings(max_examples=15, deadline=None)
def test_names_beside_the_lines_do_not_touch(pairs):
    first, last = np.array(pairs).T
    ax = plots.plot_path({1: first, 2: last}, new_ax(), top=12)
    places = np.sort([text.get_position()[1] for text in ax.texts])
    assert (np.diff(places) > LINE_SPACING - 1e-9).all()  # rounding of positions
    by_name = {text.get_text(): text.get_position()[1] for text in ax.texts}
    order = sorted(by_name, key=by_name.get)
    assert (np.diff([last[int(name[1:])] for name in order]) >= 0).all()


class Step(BaseEstimator):
    """A fitted estimator without attributes."""

    n_features_in_ = 2
    labels_ = np.array([0, 1])

    def __init__(self):
        self.known_ = True

    def fit(self, X, y=None):
        return self


@pytest.mark.parametrize(
    ("path", "options", "error", "message"),
    [
        ({1: [1.0]}, {}, ValueError, "at least two values"),
        ([1, 2], {}, TypeError, "mapping of numbers"),
        ({"a": [1.0], "b": [2.0]}, {}, TypeError, "mapping of numbers"),
        ({1: [1.0], 2: [1.0, 2.0]}, {}, ValueError, "same features"),
        ({1: [1.0], 2: [1.0]}, {"values": "gains"}, ValueError, "fitted estimators only"),
        ({1: Step(), 2: Step()}, {}, ValueError, "Step has no weights"),
        (PATH, {"values": "w"}, ValueError, "'weights', 'gains'.*Got 'w'"),
        (PATH, {"top": 0}, ValueError, "top must be at least 1"),
    ],
)
def test_bad_paths(path, options, error, message):
    with pytest.raises(error, match=message):
        plots.plot_path(path, new_ax(), **options)
