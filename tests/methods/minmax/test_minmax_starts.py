"""Sparse MinMax k-means: how starts that end at different alphas are compared."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from sparsek import SparseMinMaxKMeans
from sparsek.methods.minmax.distances import ProductSpace
from sparsek.methods.minmax.minmax import minmax
from sparsek.methods.minmax.sparse_minmax import SparseMinMaxFit, compared
from tests.methods.minmax.literal_minmax import literal_between
from tests.partitions import by_size

ROUNDING = 1e-9  # sums in another order
SETTLED = 1e-6  # the weights settle to 1e-4, the criterion to about the square of that


def quietly(model, X):
    """Fit without convergence warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


def prepared(X):
    """Centred data with a column of ones."""
    return np.column_stack([X - X.mean(axis=0), np.ones(len(X))])


def some_fit(X, k, seed):
    """Clusters and feature weights that need not fit each other."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(k), rng.integers(0, k, len(X) - k)]).astype(np.int32)
    clusters = replace(minmax(ProductSpace(prepared(X)), labels, n_clusters=k, max_iter=1), labels=labels)
    weights = rng.random(X.shape[1]) * (rng.random(X.shape[1]) < 0.7)
    norm = np.linalg.norm(weights)
    return SparseMinMaxFit(
        1.5, weights / norm if norm else weights, clusters, weights, weights, (1.0,), converged=True
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(6, 20), st.integers(1, 6), st.integers(2, 4),
       st.sampled_from([0, 0.1, 0.5, 0.9]))  # fmt: skip
def test_the_criterion_is_the_minimum_over_the_cluster_weights(seed, n, p, k, alpha):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    fit = some_fit(X, k, seed)
    found = -compared(prepared(X), fit, k, alpha).criterion
    scale = fit.weights @ np.square(X - X.mean(axis=0)).sum(axis=0)
    for w in rng.dirichlet(np.ones(k), size=3):
        assert fit.weights @ literal_between(X, fit.labels, w, alpha) >= found - ROUNDING * scale
    scatter = np.array(
        [fit.weights @ np.square(rows - rows.mean(axis=0)).sum(axis=0)
         for rows in (X[fit.labels == c] for c in range(k))]
    )  # fmt: skip
    if scatter.any():
        powers = (scatter / scatter.max()) ** (1 / (1 - alpha))
        best = fit.weights @ literal_between(X, fit.labels, powers / powers.sum(), alpha)
        assert found == pytest.approx(best, rel=ROUNDING, abs=ROUNDING * scale)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 0.1, 0.5]))
def test_the_same_clusters_and_features_compare_equal_whatever_alpha_was_reached(seed, alpha):
    X = np.random.default_rng(seed).normal(size=(15, 4))
    fit = some_fit(X, 3, seed)
    lower = replace(fit, minmax=replace(fit.minmax, alpha=0.0, weights=np.full(3, 1 / 3)), history=(9.0,))
    Z = prepared(X)
    assert compared(Z, lower, 3, alpha).criterion == compared(Z, fit, 3, alpha).criterion


@pytest.mark.parametrize(("variant", "seed", "alpha"), [("r", 29, 0.1), ("paper", 12, 0.5)])
def test_a_larger_alpha_alone_does_not_win(variant, seed, alpha):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 4))
    centers = [X[rng.choice(24, 5, replace=False)] for _ in range(6)]
    single = [
        quietly(SparseMinMaxKMeans(5, variant=variant, l1_bound=1.7, init=start, random_state=0), X)
        for start in centers
    ]
    compared_at = np.array([model.start_objectives_[0] for model in single])
    own = [model.objective_ for model in single]
    best = int(compared_at.argmin())
    assert best != int(np.argmin(own)), "the data are chosen so that the two criteria differ"
    starts = iter(centers)

    def init(X, n_clusters, random_state):
        return next(starts)

    several = SparseMinMaxKMeans(5, variant=variant, l1_bound=1.7, n_init=6, init=init, random_state=0)
    model = quietly(several, X)
    assert model.labels_.tolist() == by_size(single[best].labels_).tolist()
    assert model.objective_ == pytest.approx(own[best], rel=SETTLED)
    assert model.start_objectives_.min() == pytest.approx(compared_at[best], rel=SETTLED)
    # The shared alpha is the one aimed for, and no weights of the clusters give a smaller value there.
    for share in (0.1, 0.2, 0.4):
        w = np.array([share, *np.full(4, (1 - share) / 4)])
        between = literal_between(X, model.labels_, w, alpha)
        assert -model.start_objectives_.min() <= model.feature_weights_ @ between


def test_no_criterion_descends_in_the_example_of_the_page():
    # At alpha = 1/2 the two steps move the row 3 to and fro for ever; the norm of V rises and falls.
    x = np.array([0.0, 1, 3, 4, 6])[:, None]

    def step(labels):
        scatter = np.array([np.square(x[labels == k] - x[labels == k].mean()).sum() for k in (0, 1)])
        w = scatter**2 / np.sum(scatter**2)
        centers = np.array([x[labels == k].mean() for k in (0, 1)])
        return scatter, (np.sqrt(w) * np.square(x - centers)).argmin(axis=1)

    first = np.array([0, 0, 1, 1, 1])
    scatter, second = step(first)
    moved, third = step(second)
    assert second.tolist() == [0, 0, 0, 1, 1]
    assert third.tolist() == first.tolist()
    assert (round(np.linalg.norm(scatter), 2), round(np.linalg.norm(moved), 2)) == (4.69, 5.08)
