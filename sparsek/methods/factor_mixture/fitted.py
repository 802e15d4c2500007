"""A fitted mixture: densities of new rows, centres and loadings in units of the data, drawn rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.methods.factor_mixture.algorithm import MixturePosterior
from sparsek.methods.factor_mixture.covariances import additional_information
from sparsek.methods.factor_mixture.rows import ClippedScale, MixtureRows
from sparsek.methods.factor_mixture.search import MixtureCandidate

SHOWN_LOADINGS = 3
"""So many columns are named for each factor."""
SHOWN_FACTORS = 5
"""So many factors are described."""


@dataclass(frozen=True, slots=True)
class FittedMixture:
    """The best candidate, and the scale of its columns."""

    scale: ClippedScale
    best: MixtureCandidate
    shares: Array  # (n_batches,): weights of the batches
    shape: tuple[int, int]  # clusters, columns of X
    constants: Array  # (p,): values of columns that do not vary, 0 for others

    def rows_of(self, X: Array, codes: NDArray[np.intp], weights: Array | None = None) -> MixtureRows:
        """Standardised rows of X."""
        return mixture_rows(self.scale, X, codes, self.shares, weights)

    def posterior(self, X: Array, codes: NDArray[np.intp]) -> MixturePosterior:
        """Memberships, and log densities in units of X, of rows."""
        rows = self.rows_of(X, codes)
        found: MixturePosterior = self.best.model.on(rows).e_step(self.best.fit.params)
        volume = rows.by_row(self.scale.log_units[:, None])[:, 0]
        return replace(found, log_density=found.log_density - volume)

    def distances(self, X: Array, codes: NDArray[np.intp]) -> Array:
        """Mahalanobis distances of rows to the clusters, (n, k)."""
        model, params = self.best.model.on(self.rows_of(X, codes)), self.best.fit.params
        return np.asarray(np.sqrt(model.distances(params, model.e_step(params))))

    def bic(self, rows: MixtureRows, posterior: MixturePosterior) -> float:
        """BIC in units of X of rows with this posterior."""
        price = self.best.model.on(rows).price(self.best.fit.params)
        return float(-2 * (rows.weights @ posterior.log_density) + price)

    def without_rows(self) -> FittedMixture:
        """The same without the rows of the fit, of which new rows need nothing."""
        shape = (0, len(self.scale.used))
        empty = MixtureRows.of(np.zeros(shape), np.zeros(0), np.zeros((0, len(self.shares) - 1)), None)
        fit = replace(self.best.fit, posterior=None)
        return replace(self, best=replace(self.best, model=self.best.model.on(empty), fit=fit))

    def whole(self, values: Array) -> Array:
        """Values of the columns in use, (..., q), among those of all columns, 0 elsewhere."""
        found = np.zeros((*values.shape[:-1], self.shape[1]))
        found[..., self.scale.used] = values
        return found

    def centers(self) -> Array:
        """Centres of the clusters over the batches, units of X, (k, p)."""
        found: Array = self.constants + self.whole(
            self.scale.invert(self._standard_means(), self.shares @ self.scale.shifts)
        )
        return found

    def batch_centers(self) -> Array:
        """Centres of the clusters in each batch, units of X, (k, n_batches, p)."""
        n_batches = len(self.shares)
        effects = np.zeros((n_batches, len(self.scale.used)))
        if n_batches > 1:
            effects = batch_indicators(np.arange(n_batches), self.shares) @ self.best.fit.params.batch_effects
        means = self._standard_means()[:, None] + effects
        return np.asarray(self.constants + self.whole(self.scale.invert(means, self.scale.shifts)))

    def _standard_means(self) -> Array:
        """Centres of the clusters in standardised columns, (k, q)."""
        params = self.best.fit.params
        if self.best.model.family == "factors":
            return np.asarray(params.center + params.offsets)
        return np.asarray(params.means @ np.linalg.inv(self.best.model.basis))

    def _standard_covariances(self) -> Array:
        """Covariances of the clusters in standardised columns, (k, q, q), of full covariances."""
        back = np.linalg.inv(self.best.model.basis)
        found: Array = back.T @ self.best.fit.params.covariances @ back
        return np.broadcast_to(found, (self.shape[0], *found.shape[1:]))

    def canonical_loadings(self) -> Array:
        """Loadings of standardised columns, (q, r): factors in falling order of what they explain.

        Rotations change no density. Here L' psi^-1 L is diagonal, and the largest loading of a factor is
        positive.
        """
        if self.best.model.family != "factors":
            return np.zeros((len(self.scale.used), 0))
        params = self.best.fit.params
        L = params.loadings
        _, axes = np.linalg.eigh((L / params.noise[:, None]).T @ L)
        turned = L @ axes[:, ::-1]
        largest = np.abs(turned).argmax(axis=0) if turned.size else np.zeros(0, np.intp)
        signs = np.where(turned[largest, np.arange(turned.shape[1])] < 0, -1.0, 1.0)
        return np.asarray(turned * signs)

    def standard_noise(self) -> Array:
        """Variances that clusters and factors leave, in squared standard deviations, (q,)."""
        params = self.best.fit.params
        if self.best.model.family == "factors":
            return np.asarray(params.noise)
        variances = np.einsum("kjj->kj", self._standard_covariances())
        return np.asarray(params.proportions @ variances)

    def selection(self, rows: MixtureRows) -> tuple[Array, NDArray[np.bool_]]:
        """Gains of all columns, and which are selected, (p,)."""
        fit = self.best.fit
        if self.best.model.family == "factors":
            gains, selected = fit.params.gains, fit.params.selected
        else:
            gains, selected = additional_information(rows, fit.posterior.memberships)
        varies = np.ptp(rows.Z, axis=0) > 0
        return self.whole(gains * varies), self.whole(selected & varies) > 0

    def draw(self, n: int, codes: NDArray[np.intp], rng: np.random.Generator) -> tuple[Array, Array]:
        """Rows of the mixture in these batches, in units of X, and their clusters; unclipped."""
        params, means = self.best.fit.params, self._standard_means()
        clusters = rng.choice(self.shape[0], n, p=params.proportions)
        if self.best.model.family == "factors":
            Z = means[clusters] + rng.normal(size=(n, params.loadings.shape[1])) @ params.loadings.T
            Z += rng.normal(size=Z.shape) * np.sqrt(params.noise)
            Z += batch_indicators(codes, self.shares) @ params.batch_effects
        else:
            roots = np.linalg.cholesky(self._standard_covariances())
            Z = means[clusters] + np.einsum(
                "nij,nj->ni", roots[clusters], rng.normal(size=(n, means.shape[1]))
            )
        return self.constants + self.whole(self.scale.invert(Z, self.scale.shifts[codes])), clusters


def batch_indicators(codes: NDArray[np.intp], shares: Array) -> Array:
    """Indicators of all batches but the first, less their shares, (n, n_batches - 1)."""
    return np.asarray((np.eye(len(shares))[codes] - shares)[:, 1:])


def mixture_rows(
    scale: ClippedScale, X: Array, codes: NDArray[np.intp], shares: Array, weights: Array | None = None
) -> MixtureRows:
    """Rows of X in a scale, with the indicators of their batches."""
    Z = scale.apply(X, codes)
    holes = np.isnan(Z)
    observed = None
    if holes.any():
        observed = (~holes).astype(float)
        Z[holes] = 0
    weights = np.ones(len(Z)) if weights is None else weights
    return MixtureRows.of(Z, weights, batch_indicators(codes, shares), observed)


def candidate_table(candidates: Sequence[MixtureCandidate], offset: float) -> pd.DataFrame:
    """One row for each candidate of the search, in its order; BIC less the offset of the units of X."""
    return pd.DataFrame(
        {
            "covariance": [found.model.family for found in candidates],
            "n_factors": [found.model.n_factors for found in candidates],
            "start": [found.start for found in candidates],
            "bic": [found.fit.bic + offset for found in candidates],
            "smallest": [float(_sizes(found).min()) for found in candidates],
            "refused": [found.refused for found in candidates],
        }
    )


def _sizes(candidate: MixtureCandidate) -> Array:
    """Sizes of the clusters of a candidate."""
    found: Array = candidate.model.rows.weights @ candidate.fit.posterior.memberships
    return found


def factor_notes(loadings: Array, names: Sequence[Any], used: NDArray[np.intp]) -> list[str]:
    """What each factor explains of the variance of all columns, and which load on it most.

    Shapes: loadings (q, r) of standardised columns, names (p,), used (q,).
    """
    notes = []
    total = len(used)
    for factor, column in enumerate(loadings.T[:SHOWN_FACTORS]):
        first = np.argsort(-np.abs(column), kind="stable")[:SHOWN_LOADINGS]
        shown = ", ".join(f"{names[used[j]]} ({column[j]:+.2f})" for j in first)
        notes.append(
            f"factor {factor}: {(column**2).sum() / total:.0%} of the variance; largest loadings: {shown}"
        )
    if loadings.shape[1] > SHOWN_FACTORS:
        notes.append(f"{loadings.shape[1] - SHOWN_FACTORS} more factors: see loadings_")
    return notes


def family_notes(table: pd.DataFrame) -> list[str]:
    """The least BIC of each family and what was refused, in words."""
    kept = table[table["refused"] == ""]
    least = kept.groupby("covariance", sort=False)["bic"].min()
    shown = ", ".join(f"{name} {value - least.min():+.1f}" for name, value in least.items())
    notes = (
        [f"least BIC of each covariance in the search, beside the best: {shown}"] if len(least) > 1 else []
    )
    for reason, count in table["refused"].value_counts().items():
        if reason:
            notes.append(f"{count} candidates were refused: {reason}")
    return notes
