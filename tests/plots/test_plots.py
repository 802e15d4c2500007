"""Plots: common properties of all plots, and weights."""

from __future__ import annotations

import itertools
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import (
    IFPCA,
    SKFR,
    FeatureFDR,
    FitUncertainty,
    KPod,
    ModelChoice,
    PermutationGap,
    SparseAgglomerativeClustering,
    SparseKMeans,
    StabilitySelection,
    plots,
)
from sparsek.plots._figure import FAINT, LONGEST_NAME, PALETTE, PLAIN
from tests.plots.plots_runner import (
    PATH,
    SEARCH,
    SKFR_FIT,
    WINE,
    columns_of,
    hexes,
    new_ax,
    overlaps,
    rows_of,
    widths_of,
)

Z = (WINE - WINE.mean()) / WINE.std()
TREE = SparseAgglomerativeClustering(3, l1_bound=2.0).fit(Z)
CHOICE = ModelChoice(SKFR(3, n_init=2), {"n_features_to_select": [2, 4]}, random_state=0).fit(WINE)
FDR = FeatureFDR(SKFR(3, 6, n_init=2), 0.2, n_null=4, random_state=0).fit(WINE)
SURE = FitUncertainty(SKFR(3, 4, n_init=2), n_resamples=3, random_state=0).fit(WINE)


def beside(ax):
    """The axes and others beside them; None for none."""
    return None if ax is None else [ax, ax.figure.add_subplot(1, 2, 2)]


CALLS = {
    "weights": lambda ax: plots.plot_weights(SKFR_FIT, ax),
    "gap": lambda ax: plots.plot_gap(SEARCH, ax=ax),
    "path": lambda ax: plots.plot_path(PATH, ax),
    "centers": lambda ax: plots.plot_centers(SKFR_FIT, WINE, ax),
    "silhouette": lambda ax: plots.plot_silhouette(SKFR_FIT, WINE, ax),
    "dendrogram": lambda ax: plots.plot_dendrogram(TREE, ax=ax),
    "convergence": lambda ax: plots.plot_convergence(SKFR_FIT, ax),
    "pairs": lambda ax: plots.plot_pairs(SKFR_FIT, WINE, ax, top=1),
    "missing": lambda ax: plots.plot_missing(SKFR_FIT, WINE, ax),
    "stability": lambda ax: plots.plot_stability([0.2, 0.9], 0.5, ax),
    "consensus": lambda ax: plots.plot_consensus(np.eye(3), [0, 0, 1], ax),
    "choice": lambda ax: plots.plot_choice(CHOICE, ax)[0],
    "uncertainty": lambda ax: plots.plot_uncertainty(SURE, beside(ax))[0],
    "projection": lambda ax: plots.plot_projection(SKFR_FIT, WINE, beside(ax))[0],
    "clusters": lambda ax: plots.plot_clusters(SKFR_FIT, WINE, ax),
    "heatmap": lambda ax: plots.plot_heatmap(WINE, SKFR_FIT.labels_, ax),
    "dotplot": lambda ax: plots.plot_dotplot(SKFR_FIT, WINE, ax),
    "elbow": lambda ax: plots.plot_elbow(SKFR_FIT, WINE, ax, n_clusters=(2, 3)),
    "feature_fdr": lambda ax: plots.plot_feature_fdr(FDR, ax),
}
ON_ESTIMATORS = {
    "weights": plots.plot_weights,
    "gap": plots.plot_gap,
    "centers": lambda model: plots.plot_centers(model, WINE),
    "silhouette": lambda model: plots.plot_silhouette(model, WINE),
    "dendrogram": plots.plot_dendrogram,
    "convergence": plots.plot_convergence,
    "pairs": lambda model: plots.plot_pairs(model, WINE),
    "missing": lambda model: plots.plot_missing(model, WINE),
    "projection": lambda model: plots.plot_projection(model, WINE),
    "clusters": lambda model: plots.plot_clusters(model, WINE),
    "dotplot": lambda model: plots.plot_dotplot(model, WINE),
    "elbow": lambda model: plots.plot_elbow(model, WINE),
}


# --- all of them ------------------------------------------------------------------------------------------


def test_every_plot_is_tested_here():
    assert {f"plot_{name}" for name in CALLS} == set(plots.__all__)


@pytest.mark.parametrize("name", CALLS)
def test_given_axes_are_drawn_on_and_nothing_else(name):
    before, ax = pyplot.get_fignums(), new_ax()
    settings_before = dict(mpl.rcParams)
    drawn = CALLS[name](ax)
    assert (drawn if name != "pairs" else drawn[0, 0]) is ax
    ax.figure.draw_without_rendering()
    assert pyplot.get_fignums() == before
    assert dict(mpl.rcParams) == settings_before
    titles = [axes.get_title(loc=side) for axes in (ax, *ax.child_axes) for side in ("left", "center")]
    assert any(titles)


@pytest.mark.parametrize("name", CALLS)
def test_without_axes_there_is_one_new_figure(name):
    before = set(pyplot.get_fignums())
    drawn = CALLS[name](None)
    (number,) = set(pyplot.get_fignums()) - before
    figure = (drawn if name != "pairs" else drawn[0, 0]).figure
    assert figure.number == number
    pyplot.close(figure)


@pytest.mark.parametrize("name", CALLS)
def test_without_matplotlib_the_remedy_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"sparsek\[plot\]"):
        CALLS[name](None)


@pytest.mark.parametrize("name", ON_ESTIMATORS)
def test_unfitted_estimators_are_refused(name):
    model = PermutationGap(SKFR()) if name == "gap" else SKFR()
    with pytest.raises(NotFittedError):
        ON_ESTIMATORS[name](model)


@pytest.mark.parametrize("name", sorted(set(ON_ESTIMATORS) - {"missing"}))
@pytest.mark.parametrize("model", [SKFR, "SKFR", None])
def test_what_is_no_estimator_is_refused(name, model):
    with pytest.raises(TypeError):
        ON_ESTIMATORS[name](model)


@pytest.mark.parametrize("name", ["centers", "silhouette", "pairs", "clusters"])
@pytest.mark.parametrize("X", [WINE.iloc[:-1], WINE.iloc[:, :-1], WINE["hue"]])
def test_other_data_than_those_of_the_fit_are_refused(name, X):
    plot = getattr(plots, f"plot_{name}")
    with pytest.raises(ValueError, match="X must be"):
        plot(SKFR_FIT, X)


def test_data_that_are_no_numbers_are_refused():
    with pytest.raises(TypeError, match="X must hold numbers"):
        plots.plot_centers(SKFR_FIT, WINE.astype(str) + "a")


def test_sparse_matrices_are_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"give X\.toarray\(\)"):
        plots.plot_missing(csr_array(WINE.to_numpy()))


def test_input_is_not_changed():
    X, frequencies = WINE.copy(), np.array([0.2, 0.9])
    for name in ("centers", "silhouette", "pairs", "missing", "clusters", "heatmap"):
        CALLS[name](None if name == "pairs" else new_ax())
    plots.plot_stability(frequencies, 0.5, new_ax())
    pyplot.close("all")
    pd.testing.assert_frame_equal(X, WINE)
    assert frequencies.tolist() == [0.2, 0.9]


@pytest.mark.thorough
def test_importing_the_plots_does_not_import_matplotlib():
    code = "import sys, sparsek.plots; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# Machado, Oliveira and Fernandes (2009), Table 1, severity 1: linear RGB without one kind of cones.
VISIONS = {
    "all cones": np.eye(3),
    "protanope": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranope": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def lab_of(color, vision):
    """Colour in CIELAB, white point D65, as seen with a type of colour vision."""
    rgb = np.array(mpl.colors.to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(VISIONS[vision] @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    f = np.cbrt(xyz / [0.9505, 1, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISIONS)
def test_colours_of_clusters_are_apart_for_the_colour_blind(vision):
    def least(colors):
        points = [lab_of(color, vision) for color in colors]
        return min(np.linalg.norm(a - b) for a, b in itertools.combinations(points, 2))

    # A just noticeable difference is about 2.3; from about 15 neighbouring areas are clearly different.
    assert least(PALETTE) > 15
    assert least([*PALETTE[:3], "white"]) > 25


# --- weights ----------------------------------------------------------------------------------------------


def test_bars_are_the_weights_in_order_with_their_names():
    ax = plots.plot_weights(SKFR_FIT, new_ax())
    order = np.argsort(-SKFR_FIT.feature_weights_, kind="stable")
    assert widths_of(ax).tolist() == SKFR_FIT.feature_weights_[order].tolist()
    used = order[:6]
    assert rows_of(ax)[:6] == WINE.columns[used].tolist()
    assert set(rows_of(ax)) == set(WINE.columns)
    bars = sorted(ax.patches, key=lambda bar: bar.get_y())
    assert hexes(bar.get_facecolor() for bar in bars) == [PLAIN.upper()] * 6 + [FAINT.upper()] * 7
    assert ax.get_title() == "SKFR: 6 of 13 features in use"
    assert ax.get_xlabel() == "weight"


def test_top_shows_the_largest_only():
    ax = plots.plot_weights(SKFR_FIT, new_ax(), top=2)
    assert widths_of(ax).tolist() == np.sort(SKFR_FIT.feature_weights_)[:-3:-1].tolist()
    assert ax.get_title().endswith("the first 2 shown")


def test_all_features_without_names_are_an_index_plot():
    ax = plots.plot_weights(SKFR_FIT, new_ax(), top=None)
    segments = np.array(ax.collections[0].get_segments())
    assert segments[:, 0].tolist() == [[j, 0] for j in range(13)]
    assert segments[:, 1, 1].tolist() == SKFR_FIT.feature_weights_.tolist()


@pytest.mark.parametrize("top", [30, None])
def test_weights_by_cluster_are_a_heat_map(top):
    model = SKFR(3, 4, scope="local", n_init=2, random_state=0).fit(WINE)
    ax = plots.plot_weights(model, new_ax(), top=top)
    (image,) = ax.images
    if top is None:
        np.testing.assert_array_equal(image.get_array(), model.feature_weights_)
        return
    shown = [WINE.columns.get_loc(name) for name in rows_of(ax)]
    np.testing.assert_array_equal(image.get_array(), model.feature_weights_[:, shown].T)
    largest = model.feature_weights_.max(axis=0)[shown]
    assert (np.diff(largest) <= 0).all()
    assert columns_of(ax) == ["0", "1", "2"]


def test_hundreds_of_features_stay_legible():
    rng = np.random.default_rng(0)
    names = [f"a_rather_long_name_of_the_gene_number_{j}" for j in range(200)]
    X = pd.DataFrame(rng.normal(size=(40, 200)), columns=names)
    X.iloc[:20, :50] += 3
    model = SparseKMeans(2, l1_bound=6, n_init=2, random_state=0).fit(X)
    for ax in (plots.plot_weights(model, new_ax()), plots.plot_centers(model, X, new_ax())):
        assert len(rows_of(ax)) == 30
        assert max(map(len, rows_of(ax))) <= LONGEST_NAME
        assert not overlaps(ax, "y")


def test_names_are_left_out_where_they_would_be_illegible():
    ax = plots.plot_weights(np.ones(300), new_ax(), top=300)
    assert len(ax.patches) == 300
    assert rows_of(ax) == []


def test_names_come_from_a_pipeline_or_a_search():
    pipe = make_pipeline(StandardScaler(), SparseKMeans(3, l1_bound=2, n_init=2, random_state=0)).fit(WINE)
    assert set(rows_of(plots.plot_weights(pipe, new_ax()))) == set(WINE.columns)
    assert set(rows_of(plots.plot_weights(SEARCH, new_ax()))) == set(WINE.columns)
    bare = make_pipeline(StandardScaler(), SparseKMeans(3, l1_bound=2, n_init=2)).fit(WINE.to_numpy())
    assert "x0" in rows_of(plots.plot_weights(bare, new_ax()))


def test_scores_are_drawn_where_features_are_selected_by_them():
    model = IFPCA(3, random_state=0).fit(WINE)
    ax = plots.plot_weights(model, new_ax())
    assert ax.get_xlabel() == "score"
    shown = dict(zip(rows_of(ax), widths_of(ax), strict=True))
    assert shown == dict(zip(WINE.columns, model.scores_adjusted_, strict=True))


def test_sets_of_points_are_drawn_as_r_does():
    ax = plots.plot_weights({"a": [0.0, 1.0], "b": [0.6, 0.8]}, new_ax())
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0, 1], [0.6, 0.8]]
    assert ax.lines[0].get_xdata().tolist() == [1, 2]


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.one_of(st.none(), st.integers(1, 70)),
)
@settings(max_examples=15, deadline=None)
def test_shown_weights_are_the_largest_in_descending_order(weights, top):
    ax = plots.plot_weights(weights, new_ax(), top=top)
    if top is None:
        assert [segment[1, 1] for segment in ax.collections[0].get_segments()] == weights
    else:
        assert widths_of(ax).tolist() == sorted(weights, reverse=True)[:top]


@pytest.mark.parametrize(
    ("weights", "options", "error", "message"),
    [
        (KPod(2, n_init=1).fit(Z), {}, ValueError, "KPod weights no features"),
        (KMeans(2, n_init=1).fit(WINE), {}, ValueError, "KMeans weights no features"),
        ([0.5, np.nan], {}, ValueError, "entry 1 is not"),
        (np.ones((2, 2, 2)), {}, ValueError, "must be a vector"),
        ([], {}, ValueError, "at least one"),
        ("flavanoids", {}, TypeError, "must hold numbers"),
        ({}, {}, ValueError, "at least one fit"),
        ([1.0], {"top": 0}, ValueError, "top must be at least 1; got 0"),
        ([1.0], {"top": 2.5}, TypeError, "top must be an integer"),
        ([1.0, 2.0], {"names": ["a"]}, ValueError, "names must be 2 names"),
        ([1.0, 2.0], {"names": "ab"}, ValueError, "names must be 2 names"),
        ([1.0, 2.0], {"names": np.array(2)}, ValueError, "names must be 2 names"),
        ([1.0, 2.0], {"names": np.eye(2)}, ValueError, "names must be 2 names"),
    ],
)
def test_bad_weights(weights, options, error, message):
    with pytest.raises(error, match=message):
        plots.plot_weights(weights, new_ax(), **options)


def test_a_search_without_a_fit_is_refused():
    search = PermutationGap(SKFR(3, n_init=1), "n_features_to_select", [1, 2], n_permutations=2, refit=False)
    with pytest.raises(ValueError, match="refit=True"):
        plots.plot_weights(search.fit(WINE), new_ax())
    stable = StabilitySelection(SKFR(3, 2, n_init=1), n_resamples=2, random_state=0).fit(WINE)
    with pytest.raises(ValueError, match=r"StabilitySelection holds no fitted clusterer$"):
        plots.plot_weights(stable, new_ax())
