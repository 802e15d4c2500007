"""Mixtures of few columns with covariances of their own: one that the clusters share, or one for each.

Both work in sphered coordinates, in which the rows have the covariance I, so that no linear map of the
columns changes them. With one covariance the maximised likelihood is Friedman & Rubin's (1967) criterion |W|.
One for each cluster is shrunken to the pooled one, as by the conjugate prior of Fraley & Raftery (2007). Its
eigenvalues relative to that are kept between 1 / a and a (Garcia-Escudero et al. 2008).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from sparsek.core.steps import Array
from sparsek.methods.factor_mixture.algorithm import (
    LEAST_SHARE,
    MixturePosterior,
    column_price,
    posterior_of,
    proportions_of,
)
from sparsek.methods.factor_mixture.rows import MixtureRows

RATIO = 10.0
"""Eigenvalues of a covariance relative to the pooled one are at most this, and at least 1 / this."""
SPHERE_RIDGE = 1e-4
"""Least variance, in squared standard deviations, of a direction that is sphered."""


@dataclass(frozen=True, slots=True)
class CovarianceParams:
    """Parameters of a mixture of normal clusters, in sphered coordinates."""

    proportions: Array  # (k,)
    means: Array  # (k, p)
    covariances: Array  # (1, p, p) for one that the clusters share, else (k, p, p)


@dataclass(frozen=True, slots=True)
class CovarianceModel:
    """The mixture with full covariances on sphered rows."""

    rows: MixtureRows  # sphered
    n_clusters: int
    family: str  # "tied": the clusters share a covariance; "full": each has its own
    basis: Array  # (p, p): from standardised columns to sphered coordinates
    log_volume: float  # log determinant of the way back
    n_factors = 0

    def on(self, rows: MixtureRows) -> CovarianceModel:
        """The model on other rows, in the same coordinates."""
        return replace(self, rows=_in_basis(rows, self.basis))

    def begin(self, memberships: Array, rng: np.random.Generator) -> CovarianceParams:
        """Parameters from memberships (n, k)."""
        empty = np.zeros((len(memberships), self.n_clusters, 0))
        none = np.zeros(len(memberships))
        return self.m_step(MixturePosterior(memberships, none, memberships, empty, np.zeros((1, 0, 0))))

    def e_step(self, params: CovarianceParams) -> MixturePosterior:
        """Memberships of each row from normal densities."""
        Y = self.rows.Z
        n, p = Y.shape
        distances, log_dets = np.empty((n, self.n_clusters)), np.empty(self.n_clusters)
        for cluster, mean in enumerate(params.means):
            root = np.linalg.cholesky(params.covariances[min(cluster, len(params.covariances) - 1)])
            white = solve_triangular(root, (Y - mean).T, lower=True, check_finite=False)
            distances[:, cluster] = np.einsum("ji,ji->i", white, white)
            log_dets[cluster] = 2 * np.log(np.diag(root)).sum()
        constant = p * np.log(2 * np.pi) + 2 * self.log_volume
        joint = np.log(params.proportions) - (distances + log_dets + constant) / 2
        return posterior_of(joint, distances, np.zeros((n, self.n_clusters, 0)), np.zeros((1, 0, 0)))

    def m_step(self, posterior: MixturePosterior) -> CovarianceParams:
        """Means, and covariances whose eigenvalues are kept in their limits."""
        Y, T = self.rows.Z, posterior.memberships * self.rows.weights[:, None]
        sizes = np.maximum(T.sum(axis=0), 1e-3)
        means = T.T @ Y / sizes[:, None]
        scatters = np.array([((Y - m) * t[:, None]).T @ (Y - m) for m, t in zip(means, T.T, strict=True)])
        values, vectors = np.linalg.eigh(scatters.sum(axis=0) / self.rows.total)
        # The total covariance is I: clusters may explain at most 1 less this share of any direction.
        values = np.maximum(values, LEAST_SHARE)
        pooled = (vectors * values) @ vectors.T
        covariances = pooled[None]
        if self.family == "full":
            root, inverse = vectors * np.sqrt(values), vectors / np.sqrt(values)
            prior = Y.shape[1] + 2  # pseudo-rows of the prior: Fraley & Raftery (2007), Section 3.2
            shrunken = (scatters + prior * pooled) / (sizes + prior)[:, None, None]
            covariances = np.array([_limited(inverse.T @ S @ inverse, root) for S in shrunken])
        return CovarianceParams(proportions_of(self.rows, posterior), means, covariances)

    def distances(self, params: CovarianceParams, posterior: MixturePosterior) -> Array:
        """Squared Mahalanobis distances to the clusters, (n, k)."""
        return posterior.distances

    def price(self, params: CovarianceParams) -> float:
        """What BIC adds to -2 log likelihood, with all columns selected."""
        k, p = params.means.shape
        n_free = len(params.covariances) * p * (p + 1) / 2 + k - 1 + p
        return float(n_free * np.log(self.rows.total) + column_price(self.rows, k).sum())


def _limited(relative: Array, root: Array) -> Array:
    """The covariance with these eigenvalues relative to the pooled one, (p, p), kept in their limits."""
    values, vectors = np.linalg.eigh(relative)
    values = np.clip(values, 1 / RATIO, RATIO)
    back = root @ vectors
    return np.asarray((back * values) @ back.T)


def sphering(rows: MixtureRows) -> tuple[Array, float]:
    """The map to sphered coordinates, (p, p), and the log determinant of its inverse."""
    C = (rows.Z * rows.weights[:, None]).T @ rows.Z / rows.total
    values, vectors = np.linalg.eigh(C)
    values = np.maximum(values, SPHERE_RIDGE)
    return vectors / np.sqrt(values), float(np.log(values).sum() / 2)


def covariance_model(rows: MixtureRows, n_clusters: int, family: str) -> CovarianceModel:
    """The model on rows in coordinates in which they are sphered."""
    basis, log_volume = sphering(rows)
    return CovarianceModel(_in_basis(rows, basis), n_clusters, family, basis, log_volume)


def _in_basis(rows: MixtureRows, basis: Array) -> MixtureRows:
    """Rows in the coordinates of a basis (p, p)."""
    return MixtureRows.of(rows.Z @ basis, rows.weights, rows.batches, None)


def additional_information(rows: MixtureRows, memberships: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Gains of the columns beside all others, and which columns have them (Rao 1973, Section 8c.4).

    The conditional variance of a column given the others is 1 over the diagonal of the inverse covariance:
    n times the log of that over all rows by that within clusters is compared with the price of a column.
    """
    T = memberships * rows.weights[:, None]
    means = T.T @ rows.Z / np.maximum(T.sum(axis=0), 1e-9)[:, None]
    within = rows.Z - memberships @ means
    ridge = SPHERE_RIDGE * np.eye(rows.Z.shape[1])
    inside, overall = (
        np.diag(np.linalg.inv((R * rows.weights[:, None]).T @ R / rows.total + ridge))
        for R in (within, rows.Z)
    )
    gains = rows.total * np.log(inside / overall)
    selected = gains > column_price(rows, memberships.shape[1])
    return gains, selected if selected.any() else np.arange(len(gains)) == gains.argmax()
