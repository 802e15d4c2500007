"""Starts of the mixture: k-means on residuals, on later components, and on sphered ones.

Components of the data hold factors and clusters, in an unknown order. Clusters of the rows less the first r
components are right where these are the factors. Those of component r + 1 and the next are right where
clusters are larger. Sphered components, which all have one variance, serve where both share components.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.methods.factor_mixture.components import count_components, k_means, top_components, valley
from sparsek.methods.factor_mixture.rows import MixtureRows

MOST_FACTORS = 22
"""Largest number of factors that a search tries."""
REMOVED = (0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 20)
"""Numbers of components that are taken out for a start, beside the number of parallel analysis."""
MOST_DEPTH = 3.0
"""A valley of a larger z is one between clusters: factors had -2 to 1.8, clusters in factors 3.5 to 10."""
LARGE = 500_000
"""Data with more entries have fewer starts of k-means, and fewer steps of EM in the first round."""
WIDE = 3
"""With more than so many times as many columns as rows, k-means needs selected columns: SKFR starts too."""
MOST_RESIDUAL_COLUMNS = 1500
"""With more columns, k-means on all columns of residuals is tried but once."""
SAME = 0.98
"""Starts that agree on this share of the rows, up to the names of the clusters, are one."""
FILL_STEPS = 5
"""Times that missing entries are filled from components, for starts alone."""


@dataclass(frozen=True, slots=True)
class MixtureStart:
    """Labels from which EM begins."""

    name: str  # residual, component, sphered or SKFR, and the number of components
    labels: NDArray[np.intp]  # (n,)
    n_factors: int  # where the climb in the number of factors begins


@dataclass(frozen=True, slots=True)
class LeadingComponents:
    """The first components of the rows, of which `n_real` exceed those of shuffled columns."""

    U: Array  # (n, q)
    s: Array  # (q,)
    V: Array  # (q, p)
    n_real: int


def leading_components(Z: Array, k: int, rng: np.random.Generator) -> LeadingComponents:
    """Components that can be factors or clusters."""
    n, p = Z.shape
    most = max(min(MOST_FACTORS + k, p - 1, max(n // 8, 2)), 1)
    U, s, V = top_components(Z, most, rng)
    n_real = min(count_components(Z, s, rng), MOST_FACTORS + min(k - 1, 4))
    return LeadingComponents(U, s, V, n_real)


def filled(rows: MixtureRows, rng: np.random.Generator) -> Array:
    """The rows without effects of batches, holes filled from a few components: for starts alone."""
    Z = rows.subtract_batches(rows.Z, rows.batch_means(rows.Z))
    if rows.observed is None:
        return Z
    holes, q = rows.observed == 0, max(1, min(5, min(Z.shape) // 4))
    Z = Z.copy()
    for _ in range(FILL_STEPS):
        U, s, V = top_components(Z, q, rng)
        Z[holes] = ((U * s) @ V)[holes]
    return Z


def starts(Z: Array, k: int, found: LeadingComponents, rng: np.random.Generator) -> list[MixtureStart]:
    """Distinct starts whose clusters have at least two rows; the first start if there is none."""
    grid = sorted({r for r in REMOVED if r <= found.n_real} | {found.n_real})
    pool = [*_removed(Z, k, found, grid, rng), *_sphered(k, found, grid, rng)]
    distinct: list[MixtureStart] = []
    for start in pool:
        large = np.bincount(start.labels, minlength=k).min() >= 2
        if large and not any(_same(start.labels, other.labels, k) for other in distinct):
            distinct.append(start)
    return distinct or pool[:1]


def _removed(
    Z: Array, k: int, found: LeadingComponents, grid: list[int], rng: np.random.Generator
) -> Iterator[MixtureStart]:
    """Starts after the first r components are taken out, while these have no groups of their own."""
    n, p = Z.shape
    scores = found.U * np.sqrt(n)
    large, wide = n * p > LARGE, p > WIDE * n
    for r in grid:
        if r >= min(n, p) or (r and valley(scores[:, :r], k, rng) > MOST_DEPTH):
            return
        residual = standard_columns(Z - (found.U[:, :r] * found.s[:r]) @ found.V[:r])
        selecting = wide and (r == 0 or not large)
        if selecting:
            yield MixtureStart(f"SKFR-{r}", _selective_labels(residual, k, 5 if large else 20, rng), r)
        if p <= MOST_RESIDUAL_COLUMNS or not (selecting or r):
            yield MixtureStart(f"residual-{r}", k_means(residual, k, rng, 5), r)
        later = (found.U * found.s)[:, r : r + max(k - 1, 1)]
        if later.shape[1]:
            yield MixtureStart(f"component-{r}", k_means(later, k, rng, 5), r)


def _sphered(
    k: int, found: LeadingComponents, grid: list[int], rng: np.random.Generator
) -> Iterator[MixtureStart]:
    """Starts on the first d components with equal variances; clusters take up to k - 1 of them."""
    for d in sorted({min(r + more, found.U.shape[1]) for r in grid for more in (1, 2)}):
        for _ in range(2):
            labels = k_means(found.U[:, :d], k, rng, 3)
            yield MixtureStart(f"sphered-{d}", labels, max(d - (min(k, 4) - 1), 0))


def _selective_labels(Z: Array, k: int, n_init: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Labels of SKFR with the number of columns that it chooses."""
    from sparsek import SKFR  # a family of its own, through the public door

    model = SKFR(k, standardize=True, n_init=n_init, random_state=int(rng.integers(1 << 30)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a start is no result
        return np.asarray(model.fit(Z).labels_, np.intp)


def standard_columns(Z: Array) -> Array:
    """Columns with mean 0 and standard deviation 1; constant ones are 0."""
    centred = Z - Z.mean(axis=0)
    spread = np.sqrt(np.einsum("ij,ij->j", centred, centred) / max(len(Z) - 1, 1))
    return np.asarray(centred / np.where(spread > 1e-12, spread, 1.0))


def _same(first: NDArray[np.intp], second: NDArray[np.intp], k: int) -> bool:
    """Whether two labels are one partition, except for a few rows."""
    table = np.zeros((k, k))
    np.add.at(table, (first, second), 1)
    return bool(min(table.max(axis=0).sum(), table.max(axis=1).sum()) >= SAME * len(first))
