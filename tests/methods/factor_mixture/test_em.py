"""The steps of EM beside dense formulas, and what they promise."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from sparsek.methods.factor_mixture.algorithm import (
    LEAST_NOISE,
    RIDGE,
    FactorModel,
    column_price,
    em,
    exact_distances,
    expected_moments,
)
from sparsek.methods.factor_mixture.rows import MixtureRows
from tests.methods.factor_mixture.designs import small_model

CASES = pytest.mark.parametrize(
    ("holes", "n_batches"),
    [(0.0, 1), (0.2, 1), (0.0, 3), (0.2, 3)],
    ids=["plain", "holes", "batches", "both"],
)


def dense(model: FactorModel, params: Any) -> tuple[np.ndarray, ...]:
    """Joint log densities, distances, and moments of the factors, row by row from dense matrices."""
    rows = model.rows
    n, k, r = len(rows.Z), model.n_clusters, model.n_factors
    joint, distances = np.empty((n, k)), np.empty((n, k))
    scores, spread = np.empty((n, k, r)), np.empty((n, r, r))
    for i in range(n):
        seen = np.flatnonzero(np.ones(rows.Z.shape[1]) if rows.observed is None else rows.observed[i])
        L = params.loadings[seen]
        covariance = L @ L.T + np.diag(params.noise[seen])
        inverse = np.linalg.inv(covariance)
        spread[i] = np.eye(r) - L.T @ inverse @ L
        for c in range(k):
            mean = (params.center + params.offsets[c] + rows.batches[i] @ params.batch_effects)[seen]
            joint[i, c] = np.log(params.proportions[c])
            joint[i, c] += multivariate_normal(mean, covariance).logpdf(rows.Z[i, seen])
            difference = rows.Z[i, seen] - mean
            distances[i, c] = difference @ inverse @ difference
            scores[i, c] = L.T @ inverse @ difference
    return joint, distances, scores, spread


@CASES
def test_e_step_is_that_of_dense_normal_densities(holes: float, n_batches: int) -> None:
    model, params = small_model(1, holes, n_batches)
    found = model.e_step(params)
    joint, distances, scores, spread = dense(model, params)
    np.testing.assert_allclose(found.log_density, logsumexp(joint, axis=1), rtol=1e-11)
    memberships = np.exp(joint - logsumexp(joint, axis=1)[:, None])
    np.testing.assert_allclose(found.memberships, memberships, atol=1e-11)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-9)
    np.testing.assert_allclose(exact_distances(model.rows, params, found), distances, rtol=1e-10)
    np.testing.assert_allclose(found.scores, scores, atol=1e-11)
    np.testing.assert_allclose(np.broadcast_to(found.spread, spread.shape), spread, atol=1e-11)


def moments_by_rows(model: FactorModel, posterior: Any, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the rows that have a column of E[u u'] and E[u] x, u the clusters, factors and batches."""
    rows, k, r = model.rows, model.n_clusters, model.n_factors
    d = k + r + rows.batches.shape[1]
    gram, cross = np.zeros((d, d)), np.zeros(d)
    for i in range(len(rows.Z)):
        if rows.observed is not None and not rows.observed[i, column]:
            continue
        for c in range(k):
            u = np.concatenate([np.eye(k)[c], posterior.scores[i, c], rows.batches[i]])
            second = np.outer(u, u)
            second[k : k + r, k : k + r] += posterior.spread[i if len(posterior.spread) > 1 else 0]
            weight = rows.weights[i] * posterior.memberships[i, c]
            gram += weight * second
            cross += weight * u * rows.Z[i, column]
    return gram, cross


@CASES
def test_m_step_regresses_each_column_on_expected_moments(holes: float, n_batches: int) -> None:
    model, params = small_model(2, holes, n_batches)
    posterior = model.e_step(params)
    grams, crosses = expected_moments(model.rows, posterior)
    found = model.m_step(posterior)
    k, r = model.n_clusters, model.n_factors
    for column in range(7):
        gram, cross = moments_by_rows(model, posterior, column)
        np.testing.assert_allclose(grams if grams.ndim == 2 else grams[column], gram, atol=1e-10)
        np.testing.assert_allclose(crosses[:, column], cross, atol=1e-10)
        merge = np.zeros((1 + len(cross) - k, len(cross)))
        merge[0, :k] = 1
        merge[1:, k:] = np.eye(len(cross) - k)
        squares, n = model.rows.squares[column], model.rows.counts[column]
        residuals, answers = [], []
        for A, b in ((gram, cross), (merge @ gram @ merge.T, merge @ cross)):
            answer = np.linalg.solve(A + RIDGE * np.eye(len(b)), b)
            residuals.append(squares - answer @ b)
            answers.append(answer)
        gain = n * np.log(residuals[1] / residuals[0])
        selected = gain > np.log(n) * (k - 1) + 2 * np.log(7)
        assert found.selected[column] == selected
        np.testing.assert_allclose(found.gains[column], gain, atol=1e-9)
        np.testing.assert_allclose(found.noise[column], residuals[0 if selected else 1] / n, rtol=1e-10)
        slopes = answers[0][k:] if selected else answers[1][1:]
        np.testing.assert_allclose(found.loadings[column], slopes[:r], atol=1e-10)
        means = answers[0][:k] if selected else np.repeat(answers[1][0], k)
        np.testing.assert_allclose(found.center[column] + found.offsets[:, column], means, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 3),
    st.integers(0, 2),
    st.sampled_from([0.0, 0.15]),
    st.integers(1, 2),
)
@pytest.mark.drawn
def test_bic_never_rises(seed: int, k: int, r: int, holes: float, n_batches: int) -> None:
    """Where no limit holds a parameter: the M-step then is the best of all parameters and selections."""
    rng = np.random.default_rng(seed)
    n, p = 60, 6
    Z = rng.normal(size=(n, r)) @ rng.normal(size=(r, p)) + rng.normal(size=(n, p))
    Z[: n // 2, :2] += 2
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    observed = (rng.random((n, p)) >= holes).astype(float) if holes else None
    indicators = np.eye(n_batches)[rng.permutation(n) % n_batches]
    batches = (indicators - indicators.mean(axis=0))[:, 1:]
    rows = MixtureRows.of(Z if observed is None else Z * observed, np.ones(n), batches, observed)
    model = FactorModel(rows, k, r)
    fit = em(model, model.begin(rng.dirichlet(np.full(k, 0.3), size=n), rng), 40, 0)
    if holes or (fit.params.noise <= 2 * LEAST_NOISE).any() or (fit.params.proportions < 0.02).any():
        # With holes columns have prices of their own, and the one that must be selected may not be the best.
        return
    assert np.diff(fit.history).max(initial=0) <= 1e-6


def test_log_likelihood_never_falls_with_holes() -> None:
    model, params = small_model(5, 0.25, 2)
    history = em(model, params, 60, 0).history
    assert np.diff(history).max() <= 1e-8
    assert history[-1] < history[0] - 1


@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_weights_are_copies_in_a_step(holes: float) -> None:
    weights = np.random.default_rng(3).integers(1, 4, 40)
    model, params = small_model(4, holes, 2, weights.astype(float))
    rows = model.rows
    copies = MixtureRows.of(
        np.repeat(rows.Z, weights, axis=0),
        np.ones(weights.sum()),
        np.repeat(rows.batches, weights, axis=0),
        None if rows.observed is None else np.repeat(rows.observed, weights, axis=0),
    )
    other = FactorModel(copies, 2, 2)
    one, two = model.m_step(model.e_step(params)), other.m_step(other.e_step(params))
    for name in ("proportions", "center", "offsets", "loadings", "batch_effects", "noise", "gains"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-9, atol=1e-11)
    assert model.price(one) == pytest.approx(other.price(two), rel=1e-12)


def test_price_counts_free_parameters() -> None:
    model, params = small_model(6, 0.0, 3)
    n, p, k, r, c = 40, 7, 2, 2, 2
    selected = int(params.selected.sum())
    rotations = r * (r - 1) // 2
    free = p + p + p * r - rotations + p * c + (k - 1) + selected * (k - 1)
    assert model.price(params) == pytest.approx(free * np.log(n) + selected * 2 * np.log(p))
    np.testing.assert_allclose(column_price(model.rows, k), (k - 1) * np.log(n) + 2 * np.log(p))


def test_clusters_leave_a_share_of_a_column() -> None:
    """A column that tells the clusters without noise keeps a tenth of its variance as noise."""
    model, _ = small_model(7)
    Z = model.rows.Z.copy()
    Z[:, 0] = np.where(np.arange(40) % 2, 1.0, -1.0)
    rows = MixtureRows.of(Z, np.ones(40), np.zeros((40, 0)), None)
    model = replace(model, rows=rows)
    params = model.begin(np.eye(2)[np.arange(40) % 2], np.random.default_rng(0))
    fit = em(model, params, 50, 1e-8)
    assert fit.params.selected[0]
    assert fit.params.noise[0] >= 0.05
