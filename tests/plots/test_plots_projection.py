"""Rows in planes, and criteria against the number of clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import style
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import calinski_harabasz_score, silhouette_score
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, SparseAgglomerativeClustering, SparseKMeans, plots
from sparsek.plots._figure import PALETTE
from tests.plots.plots_runner import SKFR_FIT, WINE, hexes, new_ax

Z = StandardScaler().fit_transform(WINE)


def two_axes():
    ax = new_ax()
    return [ax, ax.figure.add_subplot(1, 2, 2)]


def places_of(ax):
    """Coordinates of all points."""
    return np.vstack([points.get_offsets() for points in ax.collections])


def test_axes_are_those_of_scikit_learns_pca():
    left, right = plots.plot_projection(SKFR_FIT, WINE, two_axes())
    Z = StandardScaler().fit_transform(WINE)
    for ax, columns in ((left, SKFR_FIT.get_support()), (right, slice(None))):
        pca = PCA(2).fit(Z[:, columns])
        # The signs of the axes are free.
        np.testing.assert_allclose(np.abs(places_of(ax)), np.abs(pca.transform(Z[:, columns])), atol=1e-9)
        assert f"{pca.explained_variance_ratio_.sum():.0%}" in ax.get_title()
    assert left.get_title().startswith("6 features in use")


def test_one_feature_lies_on_a_line_and_holes_are_means():
    X = WINE.to_numpy().copy()
    X[0, :] = np.nan
    model = SKFR(2, 1, n_init=1, random_state=0).fit(WINE)
    left, right = plots.plot_projection(model, X, two_axes())
    assert (places_of(left)[:, 1] == 0).all()
    assert np.abs(places_of(right)[0]).max() < 1e-12  # rounding of the decomposition


def test_elbow_has_the_inertia_of_every_number():
    ax = plots.plot_elbow(SKFR_FIT, WINE, new_ax(), n_clusters=[3, 2, 2, 500])
    x, y = ax.lines[0].get_data()
    assert x.tolist() == [2, 3]
    two = SKFR(2, 6, n_init=3, random_state=0, standardize=True).fit(WINE)
    assert y.tolist() == [two.inertia_, SKFR_FIT.inertia_]
    assert ax.get_legend().get_texts()[0].get_text() == "this model: 3"


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_elbow_refuses_what_it_cannot_compare():
    with pytest.raises(ValueError, match="two numbers from 1 to 177"):
        plots.plot_elbow(SKFR_FIT, WINE, new_ax(), n_clusters=[178, 3])
    with pytest.raises(TypeError, match="criterion=<class 'object'>, called with rows and their clusters"):
        plots.plot_elbow(SKFR_FIT, WINE, new_ax(), criterion=object, n_clusters=[2, 3])
    tree = SparseAgglomerativeClustering(3).fit(WINE)
    with pytest.raises(ValueError, match="has no inertia_"):
        plots.plot_elbow(tree, WINE, new_ax())


def test_projection_refuses_other_axes():
    model = SparseKMeans(2, standardize=True, n_init=1, random_state=0).fit(WINE)
    with pytest.raises(ValueError, match="axes must hold one for each of 2 panels; got 1"):
        plots.plot_projection(model, WINE, [new_ax()])


@pytest.mark.parametrize(
    ("criterion", "judge", "name"),
    [
        ("silhouette", silhouette_score, "silhouette"),
        (calinski_harabasz_score, calinski_harabasz_score, "calinski_harabasz_score"),
    ],
)
def test_elbow_of_another_criterion_marks_the_largest(criterion, judge, name):
    ax = plots.plot_elbow(SKFR_FIT, WINE, new_ax(), n_clusters=[1, 2, 3], criterion=criterion)
    x, y = ax.lines[0].get_data()
    two = SKFR(2, 6, n_init=3, random_state=0, standardize=True).fit(WINE)
    expected = [judge(WINE.to_numpy(), fit.labels_) for fit in (two, SKFR_FIT)]
    assert (x.tolist(), y.tolist()) == ([2, 3], expected)
    assert ax.get_ylabel() == name
    largest = 2 + int(np.argmax(expected))
    assert ax.get_legend().get_texts()[0].get_text() == f"largest: {largest}"


def test_elbow_judges_trees_too():
    tree = SparseAgglomerativeClustering(3, l1_bound=2.0).fit(Z)
    ax = plots.plot_elbow(tree, Z, new_ax(), n_clusters=[2, 3], criterion="silhouette")
    assert ax.lines[0].get_ydata()[1] == silhouette_score(Z, tree.labels_)


@pytest.mark.parametrize(
    ("criterion", "X", "message"),
    [
        ("gap", WINE, "criterion must be 'inertia', 'silhouette' or a function of rows and clusters; got"),
        (3, WINE, "criterion must be 'inertia'"),
        ("silhouette", WINE.mask(WINE > 1000), "X must be complete for this criterion"),
    ],
)
def test_elbow_refuses_other_criteria(criterion, X, message):
    with pytest.raises(ValueError, match=message):
        plots.plot_elbow(SKFR_FIT, X, new_ax(), criterion=criterion)


# --- clusters in a plane ----------------------------------------------------------------------------------


def corners_of(ax):
    """Corners of the outlines."""
    return [patch.get_xy()[:-1] for patch in ax.patches]


def test_clusters_of_an_estimator_are_on_its_features():
    ax = plots.plot_clusters(SKFR_FIT, WINE, new_ax())
    kept = Z[:, SKFR_FIT.get_support()]
    pca = PCA(2).fit(kept)
    # The signs of the axes are free.
    np.testing.assert_allclose(np.abs(places_of(ax)), np.abs(pca.transform(kept)), atol=1e-9)
    assert ax.get_title() == f"{pca.explained_variance_ratio_.sum():.0%} of the variance"
    assert hexes(patch.get_facecolor() for patch in ax.patches) == list(PALETTE[:3])


def test_discriminant_coordinates_are_those_of_scikit_learn():
    labels = SKFR_FIT.labels_ + 5
    ax = plots.plot_clusters(labels, WINE, new_ax(), plane="discriminant", outline=None)
    expected = LinearDiscriminantAnalysis(n_components=2).fit(Z, labels).transform(Z)
    # The signs of the axes are free.
    np.testing.assert_allclose(np.abs(places_of(ax)), np.abs(expected), atol=1e-9)
    assert not ax.patches
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [f"{k + 5} ({n})" for k, n in enumerate(np.bincount(SKFR_FIT.labels_))]


def test_two_clusters_have_one_discriminant_coordinate_and_the_rest():
    labels = (SKFR_FIT.labels_ == 0).astype(int)
    ax = plots.plot_clusters(labels, WINE, new_ax(), plane="discriminant")
    first = LinearDiscriminantAnalysis(n_components=1).fit(Z, labels).transform(Z)[:, 0]
    np.testing.assert_allclose(np.abs(places_of(ax)[:, 0]), np.abs(first), atol=1e-9)
    assert ax.get_ylabel() == "first principal axis of the rest"


@given(st.integers(3, 40), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_hulls_hold_their_rows_and_ellipses_their_spread(n, seed):
    x = np.random.default_rng(seed).normal(size=(n, 2))
    for outline in ("hull", "ellipse"):
        ax = plots.plot_clusters(np.zeros(n, int), x, new_ax(), outline=outline, standardize=False)
        (corners,), rows = corners_of(ax), places_of(ax)
        if outline == "hull":
            assert {tuple(corner) for corner in corners} <= {tuple(row) for row in rows.tolist()}
            # Every row is on the left of every edge; rounding of coordinates of about 3.
            edges = np.roll(corners, -1, axis=0) - corners
            off = rows[:, None] - corners
            assert (edges[:, 0] * off[..., 1] - edges[:, 1] * off[..., 0]).min() > -1e-12
        else:
            shape = np.linalg.inv(np.cov(rows.T))
            centred = corners - rows.mean(axis=0)
            # 5.991 is the 95 % point of chi-squared with two degrees of freedom; rounding of the inverse.
            np.testing.assert_allclose(
                np.einsum("ij,jk,ik->i", centred, shape, centred), 5.991464547107979, rtol=1e-6
            )


def test_rows_on_a_line_few_rows_and_rows_of_no_cluster():
    x = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [5.0, 5.0], [9.0, 9.0]])
    ax = plots.plot_clusters([0, 0, 0, 1, 1, -1], x, new_ax(), outline="hull", standardize=False)
    (corners,) = corners_of(ax)
    assert len(corners) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0 (3)", "1 (2)"]
    assert plots.plot_clusters([-1, -1], x[:2], new_ax()).get_legend() is None


def test_more_clusters_than_colours_and_a_dark_style():
    labels = np.arange(len(WINE)) % 12 + 1
    with style.context("dark_background"):
        ax = plots.plot_clusters(labels, WINE, new_ax())
        assert len(ax.patches) == 12
        assert len(ax.collections) == 2  # one for each shape of marker
        assert ax.title.get_color() == ax.xaxis.label.get_color() == "white"
        ax.figure.canvas.draw()


@pytest.mark.parametrize(
    ("clusters", "options", "error", "message"),
    [
        ([0, 1], {}, ValueError, "labels must have one entry for each of the 178 rows"),
        (np.full(178, 0.5), {}, TypeError, "labels must be integers"),
        (SKFR, {}, TypeError, "a fitted estimator is needed"),
        (
            SKFR_FIT,
            {"standardize": np.ones(2)},
            TypeError,
            "'standardize' parameter of plot_clusters must be",
        ),
        ([[1, 2], [3]], {}, ValueError, "clusters cannot be made an array"),
        (SKFR_FIT, {"plane": "tsne"}, ValueError, "'plane' parameter of plot_clusters must be a str among"),
        (
            SKFR_FIT,
            {"outline": "box"},
            ValueError,
            "'outline' parameter of plot_clusters must be",
        ),
        (np.zeros(178, int), {"plane": "discriminant"}, ValueError, "need two clusters and more rows"),
        (np.arange(178), {"plane": "discriminant"}, ValueError, 'give plane="principal"'),
    ],
)
def test_bad_clusters(clusters, options, error, message):
    with pytest.raises(error, match=message):
        plots.plot_clusters(clusters, WINE, new_ax(), **options)


def test_equal_rows_have_no_discriminant_coordinates():
    with pytest.raises(ValueError, match="clusters of equal rows"):
        plots.plot_clusters([0, 0, 1, 1], np.eye(2)[[0, 0, 1, 1]], new_ax(), plane="discriminant")
