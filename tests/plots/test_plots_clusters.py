"""Plots of the results of a fit: centres, silhouettes, pairs of features, trees, convergence."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from scipy.cluster.hierarchy import dendrogram, linkage
from sklearn.base import BaseEstimator
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import silhouette_samples
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import (
    SKFR,
    KernelKMeans,
    MADDKMeans,
    MinMaxKMeans,
    PowerKMeans,
    SparseAgglomerativeClustering,
    SparseKMeans,
    SparseMinMaxKMeans,
    plots,
    rcompat,
)
from sparsek.cli import _methods
from sparsek.plots._clusters import LARGEST_SHADE
from sparsek.plots._figure import FAINT, NEUTRAL, PALETTE
from sparsek.plots._silhouette import _filled
from sparsek.summary.tables import without_middle
from tests.plots.plots_runner import SKFR_FIT, WINE, columns_of, hexes, new_ax, rows_of, with_holes

Z = (WINE - WINE.mean()) / WINE.std()
SPARSE = SparseKMeans(3, l1_bound=2.0, n_init=2, random_state=0).fit(Z)
TREE = SparseAgglomerativeClustering(3, l1_bound=2.0).fit(Z)


class Labelled(BaseEstimator):
    """An object with labels only, for plots that need no more."""

    def __init__(self, labels=(), history=None):
        self.labels, self.history = labels, history
        self.labels_ = np.asarray(labels)

    def fit(self, X, y=None):
        return self

    @property
    def n_features_in_(self):
        return 2


# --- every estimator --------------------------------------------------------------------------------------

SETTINGS = {"n_init": 2, "max_iter": 20, "pretrain_epochs": 1, "finetune_epochs": 1}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", _methods.METHODS)
def test_every_estimator_has_its_plots(method):
    X = Z.iloc[::4, :5]
    model = _methods.make_estimator(method, 2, {}, {}, seed=0)
    known = model.get_params()
    model.set_params(**{name: value for name, value in SETTINGS.items() if name in known}).fit(X)
    for plot in (plots.plot_centers, plots.plot_silhouette):
        plot(model, X, new_ax())
    plots.plot_missing(model, X, new_ax())
    plots.plot_pairs(model, X, new_ax(), top=1)
    # The attributes that the docstring names exist.
    docs = type(model).__doc__
    drawn_from = {
        plots.plot_weights: r"feature_weights_ :|scores_adjusted_ :",
        plots.plot_centers: r"cluster_centers_ : ndarray of shape \(n_clusters, n_features\)",
        plots.plot_convergence: r"history_ :|start_objectives_ :",
        plots.plot_dendrogram: r"children_ :",
    }
    for plot, promised in drawn_from.items():
        if not re.search(promised, docs):
            with pytest.raises(ValueError, match=type(model).__name__):
                plot(model)
        else:
            plot(model, ax=new_ax())


# --- centres ----------------------------------------------------------------------------------------------


def test_centers_are_standardised_means_of_the_features_in_use():
    ax = plots.plot_centers(SKFR_FIT, WINE, new_ax())
    means = ((WINE - WINE.mean()) / WINE.std(ddof=0)).groupby(SKFR_FIT.labels_).mean()
    (image,) = ax.images
    assert rows_of(ax) == SKFR_FIT.summary(6).features["feature"].head(6).tolist()
    # Rounding of means of 60 rows of size 1.
    np.testing.assert_allclose(image.get_array(), means[rows_of(ax)].T, rtol=0, atol=1e-13)
    sizes = np.bincount(SKFR_FIT.labels_)
    assert columns_of(ax) == [f"{k}\n{size}" for k, size in enumerate(sizes)]
    assert image.norm.vmin == -image.norm.vmax


def test_centers_without_data_are_those_of_the_estimator():
    ax = plots.plot_centers(SKFR_FIT, ax=new_ax())
    shown = [WINE.columns.get_loc(name) for name in rows_of(ax)]
    np.testing.assert_array_equal(ax.images[0].get_array(), SKFR_FIT.standardized_centers_[:, shown].T)
    ax = plots.plot_centers(SPARSE, ax=new_ax())
    shown = [WINE.columns.get_loc(name) for name in rows_of(ax)]
    np.testing.assert_array_equal(ax.images[0].get_array(), SPARSE.cluster_centers_[:, shown].T)


def test_missing_entries_are_left_out_of_the_means():
    X = with_holes()
    model = SKFR(3, 13, n_init=1, missing="observed", random_state=0).fit(X)
    ax = plots.plot_centers(model, X, new_ax())
    means = ((X - X.mean()) / X.std(ddof=0)).groupby(model.labels_).mean()
    np.testing.assert_allclose(ax.images[0].get_array(), means[rows_of(ax)].T, rtol=0, atol=1e-13)  # as above


def test_far_centers_do_not_hide_the_others():
    X = np.random.default_rng(0).normal(size=(200, 2))
    X[:3, 0] += 1000
    ax = plots.plot_centers(Labelled(np.repeat([0, 1], [3, 197])), X, new_ax())
    assert ax.images[0].get_array().max() > LARGEST_SHADE
    assert (ax.images[0].norm.vmin, ax.images[0].norm.vmax) == (-LARGEST_SHADE, LARGEST_SHADE)


def test_centers_of_a_pipeline_are_in_the_data_that_the_clusterer_saw():
    pipe = make_pipeline(StandardScaler(), KMeans(3, n_init=1, random_state=0)).fit(WINE)
    ax = plots.plot_centers(pipe, WINE, new_ax())
    scaled = (WINE - WINE.mean()) / WINE.std(ddof=0)
    means = scaled.groupby(pipe[-1].labels_).mean()
    np.testing.assert_allclose(ax.images[0].get_array(), means[rows_of(ax)].T, rtol=0, atol=1e-13)  # as above


def test_top_centers_say_how_many_there_are():
    ax = plots.plot_centers(SKFR_FIT, WINE, new_ax(), top=2)
    assert len(rows_of(ax)) == 2
    assert ax.get_title() == "SKFR: the first 2 of 6 features in use"


# --- silhouettes ------------------------------------------------------------------------------------------


def widths_by_cluster(ax):
    """Lengths of the bars of each cluster and their colours."""
    return [patch.get_data().values for patch in ax.patches], [to_hex(p.get_facecolor()) for p in ax.patches]


def expected_by_cluster(rows, labels, metric="euclidean"):
    """scikit-learn's silhouettes, descending, by cluster."""
    values = silhouette_samples(rows, labels, metric=metric)
    return [np.sort(values[labels == k])[::-1] for k in np.unique(labels)]


def assert_silhouettes(ax, expected):
    drawn, colors = widths_by_cluster(ax)
    assert hexes(colors) == list(PALETTE[: len(expected)])
    for values, wanted in zip(drawn, expected, strict=True):
        # Distances of standardised rows by two formulas; cancellation magnifies rounding.
        np.testing.assert_allclose(values, wanted, rtol=0, atol=1e-9)


def test_silhouettes_of_skfr_are_on_the_selected_features_standardised():
    ax = plots.plot_silhouette(SKFR_FIT, WINE, new_ax())
    assert_silhouettes(ax, expected_by_cluster(Z.loc[:, SKFR_FIT.get_support()], SKFR_FIT.labels_))
    assert ax.get_title() == f"mean silhouette {np.concatenate(widths_by_cluster(ax)[0]).mean():.3f}"


def test_silhouettes_of_sparse_kmeans_are_on_the_weighted_features():
    ax = plots.plot_silhouette(SPARSE, Z, new_ax())
    assert_silhouettes(ax, expected_by_cluster(Z * np.sqrt(SPARSE.feature_weights_), SPARSE.labels_))


@pytest.mark.parametrize(
    "model", [TREE, MADDKMeans(3, n_init=1, random_state=0).fit(Z)], ids=["tree", "madd"]
)
def test_silhouettes_by_dissimilarities(model):
    expected = expected_by_cluster(model.dissimilarity_matrix_, model.labels_, "precomputed")
    assert_silhouettes(plots.plot_silhouette(model, Z, new_ax()), expected)


def test_silhouettes_in_the_space_of_a_linear_kernel_are_the_usual_ones():
    model = KernelKMeans(3, kernel="linear", n_init=1, random_state=0).fit(Z)
    assert_silhouettes(plots.plot_silhouette(model, Z, new_ax()), expected_by_cluster(Z, model.labels_))


def test_silhouettes_of_scikit_learns_estimators_are_on_the_data():
    model = KMeans(3, n_init=1, random_state=0).fit(Z)
    assert_silhouettes(plots.plot_silhouette(model, Z, new_ax()), expected_by_cluster(Z, model.labels_))


def test_pairs_without_a_common_feature_are_left_out():
    X = with_holes(0.5)
    model = SKFR(3, 4, n_init=1, missing="observed", random_state=0).fit(X)
    rows = ((X - X.mean()) / X.std()).to_numpy()[:, model.get_support()]
    kept = ~np.isnan(rows).all(axis=1)
    rows, labels = rows[kept], model.labels_[kept]
    D = nan_euclidean_distances(rows)
    assert np.isnan(D).any()
    expected = []
    for i in range(len(D)):
        means = [np.nanmean(D[i, (labels == k) & (np.arange(len(D)) != i)]) for k in range(3)]
        a = means.pop(labels[i])
        expected.append((min(means) - a) / max(a, min(means)))
    found = silhouette_samples(_filled(D, labels), labels, metric="precomputed")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)  # rounding of means


def test_rows_without_any_common_feature_are_refused():
    X = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0], [np.nan, 2.0]])
    with pytest.raises(
        ValueError, match="row 0 has no observed feature in common with any other row of cluster 1"
    ):
        plots.plot_silhouette(Labelled([0, 0, 1, 1]), X)


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]])
def test_silhouettes_need_two_clusters_and_fewer_than_rows(labels):
    with pytest.raises(ValueError, match="at least 2 clusters"):
        plots.plot_silhouette(Labelled(labels), np.eye(3, 2))


def test_rows_of_no_cluster_are_grey():
    X = np.random.default_rng(0).normal(size=(9, 2))
    ax = plots.plot_silhouette(Labelled(np.repeat([-1, 0, 1], 3)), X, new_ax())
    assert hexes(patch.get_facecolor() for patch in ax.patches) == [FAINT, *PALETTE[:2]]


# --- pairs ------------------------------------------------------------------------------------------------


def test_pairs_show_the_rows_in_the_colours_of_their_clusters():
    figure = new_ax().figure
    figure.clear()
    axes = figure.subplots(3, 3)
    assert plots.plot_pairs(SKFR_FIT, WINE, axes, top=3)[1, 0] is axes[1, 0]
    names = SKFR_FIT.summary().features["feature"].head(3).tolist()
    assert [ax.get_xlabel() for ax in axes[2, 1:]] == [without_middle(name, 20) for name in names[1:]]
    (points,) = axes[2, 0].collections
    np.testing.assert_array_equal(points.get_offsets(), WINE[[names[0], names[2]]])
    assert hexes(points.get_facecolors()) == [PALETTE[k] for k in SKFR_FIT.labels_]
    assert not axes[0, 2].axison
    legend = axes[0, -1].get_legend()
    sizes = np.bincount(SKFR_FIT.labels_)
    assert [text.get_text() for text in legend.get_texts()] == [f"{k} ({n})" for k, n in enumerate(sizes)]


def test_histograms_count_the_observed_rows_of_each_cluster():
    X = with_holes(0.3)
    model = SKFR(3, 2, n_init=1, missing="observed", random_state=0).fit(X)
    axes = plots.plot_pairs(model, X, new_ax().figure.subplots(2, 2))
    name = model.summary().features["feature"][0]
    outlines = [patch.get_xy()[:, 1] for patch in axes[0, 0].patches]
    observed = [int(X.loc[model.labels_ == k, name].notna().sum()) for k in range(3)]
    # An outline contains every count twice.
    assert [round(outline.sum() / 2) for outline in outlines] == observed


def test_more_clusters_than_colours_have_other_marks():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 5)
    axes = plots.plot_pairs(Labelled(labels), rng.normal(size=(60, 2)), new_ax().figure.subplots(2, 2))
    first, second = axes[1, 0].collections
    assert (len(first.get_offsets()), len(second.get_offsets())) == (50, 10)
    assert len(first.get_paths()[0].vertices) != len(second.get_paths()[0].vertices)


def test_pairs_refuse_axes_of_another_shape():
    with pytest.raises(ValueError, match=r"shape \(4, 4\).*got \(2, 2\)"):
        plots.plot_pairs(SKFR_FIT, WINE, new_ax().figure.subplots(2, 2))


# --- trees ------------------------------------------------------------------------------------------------


def brackets_of(ax):
    """Corners and colours of the brackets."""
    (lines,) = ax.collections
    return np.array(lines.get_segments()), hexes(lines.get_colors())


@given(st.integers(2, 30), st.integers(0, 10**6), st.sampled_from(["single", "average", "complete", "ward"]))
@settings(max_examples=15, deadline=None)
def test_tree_is_the_one_that_scipy_draws(n, seed, method):
    tree = linkage(np.random.default_rng(seed).normal(size=(n, 2)), method)
    segments, colors = brackets_of(plots.plot_dendrogram(tree, ax=new_ax()))
    plain = dendrogram(tree, no_plot=True)
    # scipy draws rows at 5, 15, 25, ...
    theirs = np.stack([(np.array(plain["icoord"]) - 5) / 10, np.array(plain["dcoord"])], axis=2)
    for drawn in (segments, theirs):
        drawn[:] = drawn[np.lexsort((drawn[:, 1, 0], drawn[:, 1, 1]))]
    np.testing.assert_array_equal(segments, theirs)
    assert set(colors) == {NEUTRAL}


def test_branches_have_the_colour_of_their_cluster():
    ax = plots.plot_dendrogram(TREE, ax=new_ax())
    _, colors = brackets_of(ax)
    below = [[i] for i in range(len(Z))]
    for (a, b), color in zip(TREE.children_, colors, strict=True):
        below.append(below[a] + below[b])
        clusters = np.unique(TREE.labels_[below[-1]])
        assert color == (PALETTE[clusters[0]] if len(clusters) == 1 else NEUTRAL)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [f"{k} ({n})" for k, n in enumerate(np.bincount(TREE.labels_))]


def test_trees_of_r_keep_their_order():
    tree = rcompat.hclust(rcompat.dist(Z.to_numpy()[:12]), "average")
    groups = rcompat.cutree(tree, k=3)
    names = [f"row {i}" for i in range(12)]
    ax = plots.plot_dendrogram(tree, groups, new_ax(), names=names)
    assert columns_of(ax) == [names[i - 1] for i in tree.order]
    segments, _ = brackets_of(ax)
    assert segments[:, 1, 1].tolist() == tree.height.tolist()
    sparse = rcompat.HierarchicalSparseCluster(Z.to_numpy()[:12], wbound=2.0)
    segments, _ = brackets_of(plots.plot_dendrogram(sparse, ax=new_ax()))
    assert segments[:, 1, 1].tolist() == sparse.hc.height.tolist()


def test_chains_of_thousands_of_rows_are_drawn():
    x = np.cumsum(np.arange(3000.0))[:, None]
    segments, _ = brackets_of(plots.plot_dendrogram(linkage(x, "single"), ax=new_ax()))
    assert len(segments) == 2999


@pytest.mark.parametrize(
    ("tree", "options", "error", "message"),
    [
        (SPARSE, {}, ValueError, "SparseKMeans has no tree with heights"),
        (AgglomerativeClustering(2).fit(Z), {}, ValueError, "compute_distances=True"),
        ({"merge": [[-1, -2]]}, {}, TypeError, "merge, height and order"),
        (np.ones((3, 3)), {}, TypeError, "linkage matrix"),
        (TREE, {"labels": [0, 1]}, ValueError, "one entry for each of the 178 rows"),
        (TREE, {"labels": np.full(178, 0.5)}, TypeError, "labels must be integers"),
        (TREE, {"names": ["a"]}, ValueError, "names must be 178 names"),
    ],
)
def test_bad_trees(tree, options, error, message):
    with pytest.raises(error, match=message):
        plots.plot_dendrogram(tree, ax=new_ax(), **options)


# --- convergence ------------------------------------------------------------------------------------------


def test_history_and_ends_of_the_starts():
    model = SKFR(3, 4, n_init=5, random_state=0).fit(WINE)
    ax = plots.plot_convergence(model, new_ax())
    ends, history = ax.lines
    assert history.get_xdata().tolist() == list(range(1, model.n_iter_ + 1))
    assert history.get_ydata().tolist() == model.criterion_history_.tolist()
    assert ends.get_xdata().tolist() == model.start_n_iter_.tolist()
    assert ends.get_ydata().tolist() == model.start_objectives_.tolist()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ends of 5 starts", "best start"]


def test_starts_without_a_result_are_left_out():
    model = Labelled([0, 1], history=None)
    model.start_objectives_, model.start_n_iter_ = np.array([2.0, np.inf, 1.0]), np.array([3, 1, 4])
    (ends,) = plots.plot_convergence(model, new_ax()).lines
    assert ends.get_ydata().tolist() == [2, 1]


@pytest.mark.parametrize("model", [MinMaxKMeans(3, n_init=3, random_state=0), PowerKMeans(3, n_init=1)])
def test_starts_compared_by_another_criterion_are_left_out(model):
    model.fit(Z)
    ax = plots.plot_convergence(model, new_ax())
    (history,) = ax.lines
    assert history.get_ydata().tolist() == model.criterion_history_.tolist()
    assert ax.get_legend() is None


def test_steps_of_an_autoencoder():
    model = Labelled([0, 1])
    model.history_ = {"step": np.array([0, 140, 280]), "kl": np.array([3.0, 2.0, 1.0]), "changed": np.ones(3)}
    ax = plots.plot_convergence(model, new_ax())
    assert ax.lines[0].get_xdata().tolist() == [0, 140, 280]
    assert ax.lines[0].get_ydata().tolist() == [3, 2, 1]
    assert ax.get_xlabel() == "step"


def test_estimators_without_history_are_refused():
    with pytest.raises(ValueError, match="KMeans keeps neither"):
        plots.plot_convergence(KMeans(2, n_init=1).fit(Z))


def test_a_bound_that_leaves_no_feature_has_nothing_to_show():
    model = SparseMinMaxKMeans(2, n_init=1, random_state=0).fit(Z)
    model.feature_weights_ = np.zeros(13)
    for plot in (plots.plot_centers, plots.plot_pairs):
        with pytest.raises(ValueError, match="uses no feature"):
            plot(model, Z)
