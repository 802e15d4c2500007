"""Dots of clusters and features, and the rows of a fit as a heat map."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek import SKFR, SparseKMeans, plots, rcompat
from sparsek.plots._clusters import draw_points
from sparsek.plots._dotplot import LARGEST_DOT
from sparsek.summary.tables import without_middle
from tests.plots.plots_runner import SKFR_FIT, WINE, columns_of, new_ax, rows_of

SHOWN = SKFR_FIT.summary().features["feature"].head(6).tolist()


@pytest.mark.parametrize("above", [None, 2.0])
def test_dots_are_means_and_shares_of_the_rows(above: float | None) -> None:
    ax = plots.plot_dotplot(SKFR_FIT, WINE, new_ax(), above=above)
    (dots,) = ax.collections
    used = WINE[SHOWN]
    scaled = (used - used.mean()) / used.std(ddof=0)
    means = scaled.groupby(SKFR_FIT.labels_).mean().to_numpy()
    # Two orders of the same sums.
    np.testing.assert_allclose(dots.get_array(), means.ravel(), rtol=0, atol=1e-12)
    large = used > (used.mean() if above is None else above)
    shares = large.groupby(SKFR_FIT.labels_).mean().to_numpy()
    np.testing.assert_allclose(dots.get_sizes() / LARGEST_DOT, shares.ravel(), rtol=0, atol=1e-12)
    sizes = np.bincount(SKFR_FIT.labels_)
    assert rows_of(ax) == [f"{k}  ({size})" for k, size in enumerate(sizes)]
    assert columns_of(ax) == SHOWN
    assert ("mean" if above is None else "2") in ax.get_legend().get_title().get_text()


def test_missing_entries_are_in_no_share() -> None:
    holes = WINE.to_numpy().copy()
    holes[:90, 6] = np.nan
    model = SKFR(3, 13, random_state=0).fit(holes)
    ax = plots.plot_dotplot(model, holes, new_ax())
    sizes = ax.collections[0].get_sizes()
    assert np.isfinite(sizes).all()
    assert sizes.max() <= LARGEST_DOT


@pytest.mark.parametrize("above", ["x", True, float("nan"), [1.0]])
def test_a_limit_that_is_no_number_is_refused(above: object) -> None:
    with pytest.raises((TypeError, ValueError), match="'above' parameter of plot_dotplot must be a float"):
        plots.plot_dotplot(SKFR_FIT, WINE, above=above)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_without_features_has_no_dots_and_no_map() -> None:
    empty = SparseKMeans(2, l1_bound=1.2, random_state=0).fit(np.ones((5, 2)))
    for draw in (plots.plot_dotplot, lambda model, X: plots.plot_heatmap(X, model)):
        with pytest.raises(ValueError, match="uses no feature"):
            draw(empty, np.ones((5, 2)))


def test_the_map_of_a_fit_has_its_rows_by_cluster_and_its_features() -> None:
    ax = plots.plot_heatmap(WINE, SKFR_FIT, new_ax())
    order = np.argsort(SKFR_FIT.labels_, kind="stable")
    used = WINE[SHOWN].iloc[order]
    shades = (used - used.mean()) / used.std(ddof=0)
    np.testing.assert_allclose(ax.images[0].get_array(), shades, rtol=0, atol=1e-12)
    assert ax.yaxis_inverted()  # the first cluster on top
    assert columns_of(ax) == SHOWN
    assert len(ax.lines) == 3  # a coloured bar for each cluster
    tree = plots.plot_heatmap(WINE, SKFR_FIT, new_ax(), row_tree=False, column_tree=False)
    assert tree.images[0].get_array().shape == WINE.shape


@given(st.text(max_size=60), st.integers(3, 40))
def test_long_names_lose_their_middle(name: str, longest: int) -> None:
    shown = without_middle(name, longest)
    assert len(shown) == min(len(name), longest)
    if len(name) > longest:
        head, _, tail = shown.partition("…") if "…" not in name else ("", "", "")
        assert name.startswith(head)
        assert name.endswith(tail)
    else:
        assert shown == name


@pytest.mark.parametrize("draw", [plots.plot_weights, plots.plot_path])
def test_names_with_dollars_are_drawn_as_they_are(draw) -> None:  # type: ignore[no-untyped-def]
    names = ["a$b$c", "$x$", "y"]
    what = [0.9, 0.2, 0.1]
    ax = draw(what if draw is plots.plot_weights else {1: what, 2: what}, new_ax(), names=names)
    ax.figure.canvas.draw()  # a formula that cannot be read would raise here
    texts = [text.get_text() for text in (*ax.get_yticklabels(), *ax.texts)]
    assert {r"a\$b\$c", r"\$x\$"} <= set(texts)


def test_weights_of_a_fit_of_r() -> None:
    rcompat.set_seed(1)
    fit = rcompat.KMeansSparseCluster(WINE.to_numpy(), K=3, wbounds=[1.5, 2])
    for one, bound in zip(fit, ("1.5", "2"), strict=True):
        ax = plots.plot_weights(one, new_ax())
        assert ax.lines[0].get_ydata().tolist() == np.asarray(one["ws"]).tolist()
        assert ax.get_title() == f"Wbound is {bound}"
    robust = rcompat.RSKC(WINE.to_numpy(), 3, 0.1, L1=2)
    assert plots.plot_weights(robust, new_ax()).get_title() == "L1 is 2"


@pytest.mark.parametrize("n", [100, 569, 5000, 100_000])
def test_dots_are_seen(n: int) -> None:
    ax = new_ax()
    x = np.zeros(n)
    draw_points(ax, x, x, x.astype(int))
    # Two points across: three pixels of a screen of 110 dots an inch.
    assert ax.collections[0].get_sizes()[0] ** 0.5 > 2
