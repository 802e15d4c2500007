"""Rows on principal axes, and inertia against the number of clusters."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, SparseAgglomerativeClustering, SparseKMeans, plots
from tests.plots.plots_runner import SKFR_FIT, WINE, new_ax


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
    two = SKFR(2, 6, n_init=3, random_state=0).fit(WINE)
    assert y.tolist() == [two.inertia_, SKFR_FIT.inertia_]
    assert ax.get_legend().get_texts()[0].get_text() == "this model: 3"


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_elbow_refuses_what_it_cannot_compare():
    with pytest.raises(ValueError, match="two numbers from 1 to 177"):
        plots.plot_elbow(SKFR_FIT, WINE, new_ax(), n_clusters=[178, 3])
    tree = SparseAgglomerativeClustering(3).fit(WINE)
    with pytest.raises(ValueError, match="has no inertia_"):
        plots.plot_elbow(tree, WINE, new_ax())


def test_projection_refuses_other_axes():
    model = SparseKMeans(2, standardize=True, n_init=1, random_state=0).fit(WINE)
    with pytest.raises(ValueError, match="axes must hold one for each of 2 panels; got 1"):
        plots.plot_projection(model, WINE, [new_ax()])
