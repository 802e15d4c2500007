r"""EM for a sparse mixture with common factors, as its papers state it.

Row i of cluster z has the p columns :math:`x_i = m + \delta_z + L f_i + B b_i + e_i` with r common factors
f ~ N(0, I), noise e ~ N(0, diag psi), and known regressors b, the indicators of batches. A column that is not
selected has delta 0 in all clusters.

- E-step: factors given the cluster, by Woodbury's identity (Rubin & Thayer 1982, Section 2; Ghahramani &
  Hinton 1996, equations 3 to 6). Missing entries are integrated out: every sum runs over observed columns.
- M-step: each column is regressed on clusters, factors and batches under their expected moments, and once
  more without clusters (a common covariance as in Baek, McLachlan & Flack 2010). It is selected where the
  likelihood ratio exceeds the price of BIC (Schwarz 1978) and of a choice among p (Chen & Chen 2008).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.methods.factor_mixture.components import top_components
from sparsek.methods.factor_mixture.rows import MixtureRows

LEAST_SHARE = 0.1
"""Clusters leave at least this share of what factors leave of a column: none is a single row."""
LEAST_NOISE = 1e-3
"""Least noise of a column, in squared standard deviations: no factor is a single column (Heywood 1931)."""
LEAST_ROWS = 1.5
"""EM ends when a cluster holds fewer rows."""
RIDGE = 1e-9
"""Added to the diagonal of the moments of regressors, of which an empty cluster has none."""


@dataclass(frozen=True, slots=True)
class FactorParams:
    """Parameters of the mixture with common factors, in standardised columns."""

    proportions: Array  # (k,)
    center: Array  # (p,): m
    offsets: Array  # (k, p): delta, 0 in columns that are not selected
    loadings: Array  # (p, r): L
    batch_effects: Array  # (c, p): B
    noise: Array  # (p,): psi
    selected: NDArray[np.bool_]  # (p,)
    gains: Array  # (p,): likelihood ratio statistics of the clusters


@dataclass(frozen=True, slots=True)
class MixturePosterior:
    """What the E-step gives."""

    memberships: Array  # (n, k): probabilities of the clusters
    log_density: Array  # (n,): of the rows
    distances: Array  # (n, k): squared Mahalanobis distances to the clusters
    scores: Array  # (n, k, r): means of the factors in each cluster
    spread: Array  # (n, r, r), or (1, r, r) for complete rows: covariance of the factors

    @property
    def mean_scores(self) -> Array:
        """Means of the factors over the clusters, (n, r)."""
        found: Array = np.einsum("nk,nkr->nr", self.memberships, self.scores)
        return found


@dataclass(frozen=True, slots=True)
class MixtureFit:
    """Where EM ended."""

    params: Any
    posterior: Any  # MixturePosterior; None once a fit is kept without its rows
    bic: float  # -2 log likelihood and the price of the parameters; the less the better
    history: tuple[float, ...]  # BIC before each M-step
    n_iter: int
    converged: bool


def posterior_of(joint: Array, distances: Array, scores: Array, spread: Array) -> MixturePosterior:
    """Bayes' theorem for log densities (n, k) that include the proportions."""
    largest = joint.max(axis=1)
    shares = np.exp(joint - largest[:, None])  # the largest is 1: no sum over- or underflows
    sums = shares.sum(axis=1)
    return MixturePosterior(shares / sums[:, None], largest + np.log(sums), distances, scores, spread)


def e_step(rows: MixtureRows, params: FactorParams) -> MixturePosterior:
    """Memberships and factors of each row: Ghahramani & Hinton (1996), equations 3 to 6."""
    r = params.loadings.shape[1]
    A = params.loadings / params.noise[:, None]
    means = params.center + params.offsets
    R = rows.without_batches(params.batch_effects)
    outer = np.einsum("jr,js->jrs", params.loadings, A)
    spread = np.linalg.inv(np.eye(r) + rows.by_row(outer))
    shift = rows.by_row(np.einsum("kj,jr->jkr", means, A))
    products = R @ np.hstack([A, (means / params.noise).T])  # one pass over the rows
    b = products[:, None, :r] - shift  # L' psi^-1 (x - mu_k)
    scores = b @ spread
    # |x - mu_k|^2 / psi, less what the factors explain of it: the inverse covariance by Woodbury's identity
    squares = np.einsum("ij,ij,j->i", R, R, 1 / params.noise)[:, None]
    squares = squares - 2 * products[:, r:] + rows.by_row((means**2 / params.noise).T)
    distances = np.maximum(squares - np.einsum("nkr,nkr->nk", b, scores), 0)
    log_det = rows.by_row(np.log(2 * np.pi * params.noise)[:, None])[:, 0] - np.linalg.slogdet(spread)[1]
    joint = np.log(params.proportions) - (distances + log_det[:, None]) / 2
    return posterior_of(joint, distances, scores, spread)


def exact_distances(rows: MixtureRows, params: FactorParams, posterior: MixturePosterior) -> Array:
    """Squared Mahalanobis distances to the clusters, (n, k), without the cancellation of `e_step`.

    The distance is the least |x - mu - L f|^2 / psi + |f|^2 over f, which the means of the factors attain.
    """
    R = rows.without_batches(params.batch_effects)
    found = np.empty(posterior.memberships.shape)
    for cluster, offset in enumerate(params.offsets):
        f = posterior.scores[:, cluster]
        left = R - (params.center + offset) - f @ params.loadings.T
        if rows.observed is not None:
            left *= rows.observed
        found[:, cluster] = np.einsum("ij,ij,j->i", left, left, 1 / params.noise) + (f**2).sum(axis=1)
    return found


def expected_moments(rows: MixtureRows, posterior: MixturePosterior) -> tuple[Array, Array]:
    """Expected moments of the regressors u = (clusters, factors, batches), and theirs with the columns.

    Shapes: (d, d) for complete rows, which all columns share, else (p, d, d); (d, p).
    """
    T, F = posterior.memberships, posterior.scores
    (n, k, r), c = F.shape, rows.batches.shape[1]
    holes = rows.observed is not None
    gram = np.zeros((n if holes else 1, k + r + c, k + r + c))
    for cluster in range(k):
        u = np.hstack([np.zeros((n, k)), F[:, cluster], rows.batches])
        u[:, cluster] = 1
        weighted = u * (rows.weights * T[:, cluster])[:, None]
        gram += np.einsum("nd,ne->nde", weighted, u) if holes else (weighted.T @ u)[None]
    factors = slice(k, k + r)
    gram[:, factors, factors] += (rows.weights[:, None, None] if holes else rows.total) * posterior.spread
    U = np.hstack([T, posterior.mean_scores, rows.batches]) * rows.weights[:, None]
    if rows.observed is None:
        return gram[0], U.T @ rows.Z
    return (rows.observed.T @ gram.reshape(n, -1)).reshape(-1, k + r + c, k + r + c), U.T @ rows.Z


def regress(gram: Array, cross: Array, squares: Array) -> tuple[Array, Array]:
    """Coefficients (d, p) and residual sums of squares (p,) of every column, by its normal equations."""
    ridged = gram + RIDGE * np.eye(gram.shape[-1])
    if gram.ndim == 2:
        coefficients = np.linalg.solve(ridged, cross)
    else:
        coefficients = np.linalg.solve(ridged, cross.T[:, :, None])[:, :, 0].T
    return coefficients, squares - (coefficients * cross).sum(axis=0)


def m_step(rows: MixtureRows, posterior: MixturePosterior) -> FactorParams:
    """Regressions of the columns with and without clusters; the better one by the penalised likelihood."""
    k, r = posterior.scores.shape[1:]
    gram, cross = expected_moments(rows, posterior)
    full, residual = regress(gram, cross, rows.squares)
    # The clusters' indicators add up to the intercept of the regression without clusters.
    merge = np.eye(len(cross))[k - 1 :]
    merge[0, :k] = 1
    reduced, residual0 = regress(merge @ gram @ merge.T, merge @ cross, rows.squares)
    residual0 = np.maximum(residual0, LEAST_NOISE * rows.counts)
    residual = np.maximum(residual, LEAST_SHARE * residual0)
    gains = rows.counts * np.log(residual0 / residual)
    selected = gains > column_price(rows, k)
    if k > 1 and not selected.any():  # clusters that differ in no column are none
        selected = np.arange(len(gains)) == gains.argmax()
    shares = proportions_of(rows, posterior)
    middle = shares @ full[:k]
    coefficients = np.where(selected, full[k:], reduced[1:])
    return FactorParams(
        shares,
        np.where(selected, middle, reduced[0]),
        np.where(selected, full[:k] - middle, 0.0),
        np.ascontiguousarray(coefficients[:r].T),
        coefficients[r:],
        np.where(selected, residual, residual0) / rows.counts,
        selected,
        gains,
    )


def proportions_of(rows: MixtureRows, posterior: MixturePosterior) -> Array:
    """Shares of the clusters, none so small that its logarithm cannot come back."""
    sizes = np.maximum(rows.weights @ posterior.memberships, 1e-3)
    shares = np.maximum(sizes / sizes.sum(), 1e-4)
    return np.asarray(shares / shares.sum())


def column_price(rows: MixtureRows, n_clusters: int) -> Array:
    """What the means of a selected column cost: BIC, and EBIC with gamma 1 (Chen & Chen 2008), (p,)."""
    return np.asarray((n_clusters - 1) * np.log(rows.counts) + 2 * np.log(len(rows.counts)))


@dataclass(frozen=True, slots=True)
class FactorModel:
    """The mixture with so many common factors on these rows."""

    rows: MixtureRows
    n_clusters: int
    n_factors: int
    family = "factors"

    def on(self, rows: MixtureRows) -> FactorModel:
        """The model on other rows."""
        return replace(self, rows=rows)

    def begin(self, memberships: Array, rng: np.random.Generator) -> FactorParams:
        """Parameters from memberships (n, k): factors are components of what the clusters leave."""
        rows, r = self.rows, self.n_factors
        weighted = memberships * rows.weights[:, None]
        means = (weighted.T @ rows.Z) / (rows.counts_of(weighted) + RIDGE)
        R = (rows.Z - memberships @ means) * (1 if rows.observed is None else rows.observed)
        effects = rows.batch_means(R)
        R = rows.subtract_batches(R, effects)
        variances = np.maximum(rows.weights @ R**2 / rows.counts, LEAST_NOISE)
        loadings = np.zeros((len(variances), 0))
        if r:
            _, s, V = top_components(R * np.sqrt(rows.weights)[:, None] / np.sqrt(variances), r, rng)
            # An eigenvalue is 1 + the variance of its factor (probabilistic PCA, Tipping & Bishop 1999).
            loadings = (V.T * np.sqrt(np.maximum(s**2 / rows.total - 1, 0.05))) * np.sqrt(variances)[:, None]
        noise = np.maximum(variances - (loadings**2).sum(axis=1), np.maximum(0.05 * variances, LEAST_NOISE))
        p = len(variances)
        every = np.ones(p, bool)
        shares = (weighted.sum(axis=0) + RIDGE) / (rows.total + self.n_clusters * RIDGE)
        first = FactorParams(shares, np.zeros(p), means, loadings, effects, noise, every, np.zeros(p))
        return m_step(rows, replace(e_step(rows, first), memberships=memberships))

    def e_step(self, params: FactorParams) -> MixturePosterior:
        """Memberships and factors of each row."""
        return e_step(self.rows, params)

    def m_step(self, posterior: MixturePosterior) -> FactorParams:
        """Parameters and selected columns."""
        return m_step(self.rows, posterior)

    def distances(self, params: FactorParams, posterior: MixturePosterior) -> Array:
        """Squared Mahalanobis distances to the clusters, in all digits, (n, k)."""
        return exact_distances(self.rows, params, posterior)

    def price(self, params: FactorParams) -> float:
        """What BIC adds to -2 log likelihood: rotations of the factors are no parameters."""
        p, r = params.loadings.shape
        n_free = 2 * p + p * r - r * (r - 1) // 2 + self.n_clusters - 1 + params.batch_effects.size
        prices = column_price(self.rows, self.n_clusters)
        return float(n_free * np.log(self.rows.total) + prices[params.selected].sum())


def em(model: Any, params: Any, max_iter: int, tol: float) -> MixtureFit:
    """EM from parameters until the criterion falls by at most 2 tol; ends when a cluster is lost."""
    history: list[float] = []
    converged = False
    weights = model.rows.weights
    while True:
        posterior = model.e_step(params)
        history.append(float(-2 * (weights @ posterior.log_density) + model.price(params)))
        lost = (weights @ posterior.memberships).min() < LEAST_ROWS
        converged = lost or (len(history) > 4 and abs(history[-2] - history[-1]) < 2 * tol)
        if converged or len(history) > max_iter:
            return MixtureFit(params, posterior, history[-1], tuple(history), len(history) - 1, converged)
        params = model.m_step(posterior)
